//! What is given as Rust code: functions of the point, and functions of other expressions.

use std::fmt;
use std::sync::Arc;

use ndarray::ArrayView2;

use super::{Expr, Real};
use crate::{Coordinate, Name};

type PointClosure = dyn Fn(&[f64]) -> f64 + Send + Sync;
type BlockClosure = dyn Fn(ArrayView2<'_, f64>, &mut [f64]) + Send + Sync;
type CallClosure = dyn Fn(&[Real]) -> Real + Send + Sync;

/// A given function of the point, with the derivatives that are known of it.
#[derive(Clone)]
pub(crate) struct Given {
    pub(crate) name: Name,
    pub(crate) body: GivenBody,
    pub(crate) derivatives: Vec<(Coordinate, Expr)>,
}

/// How a given function is evaluated.
#[derive(Clone)]
pub(crate) enum GivenBody {
    Point(Arc<PointClosure>),
    Block(Arc<BlockClosure>),
}

impl GivenBody {
    /// Whether both are the same closure.
    pub(crate) fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Point(a), Self::Point(b)) => Arc::ptr_eq(a, b),
            (Self::Block(a), Self::Block(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// The values at points, one row per point.
    pub(crate) fn evaluate(&self, points: ArrayView2<'_, f64>, out: &mut [f64]) {
        match self {
            Self::Block(f) => f(points, out),
            Self::Point(f) => {
                let mut copy = Vec::new();
                for (point, out) in points.rows().into_iter().zip(out) {
                    *out = match point.to_slice() {
                        Some(point) => f(point),
                        None => {
                            copy.clear();
                            copy.extend(point.iter().copied());
                            f(&copy)
                        }
                    };
                }
            }
        }
    }
}

impl fmt::Debug for GivenBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GivenBody")
    }
}

impl fmt::Debug for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Given({})", self.name)
    }
}

/// An arbitrary function of other expressions.
#[derive(Clone)]
pub(crate) struct Call {
    pub(crate) name: Name,
    pub(crate) function: Arc<CallClosure>,
}

impl PartialEq for Call {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && Arc::ptr_eq(&self.function, &other.function)
    }
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Call({})", self.name)
    }
}
