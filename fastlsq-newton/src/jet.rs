//! u and its derivatives at a point, as a residual sees them.

use std::cell::RefCell;

use fastlsq_basis::{Dual, MultiIndex};

/// Derivatives that one evaluation can carry, besides the parameter.
pub(crate) const SLOTS: usize = 15;

/// The numbers a residual computes with: dual numbers over the derivatives of u and the parameter.
pub type Real = Dual<{ SLOTS + 1 }>;

/// A derivative of one of the unknowns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) unknown: usize,
    pub(crate) alpha: MultiIndex,
}

/// The unknowns and their derivatives at one point.
///
/// A residual asks it for what it needs; only what is asked for is differentiated. Methods without
/// the name of an unknown speak of the first one; [`unknown`](Jet::unknown) gives the others.
#[derive(Debug)]
pub struct Jet<'a> {
    pub(crate) requests: &'a [Request],
    /// The value of each request at this point.
    pub(crate) values: &'a [f64],
    /// The first request that is a variable of the dual numbers in this pass.
    pub(crate) first_slot: usize,
    pub(crate) parameter: f64,
    pub(crate) normal: Option<&'a [f64]>,
    pub(crate) dim: usize,
    /// Requests that were not foreseen.
    pub(crate) missing: &'a RefCell<Vec<Request>>,
}

impl<'a> Jet<'a> {
    /// One of several unknowns, by number.
    #[must_use]
    pub fn unknown(&self, index: usize) -> Component<'_, 'a> {
        Component {
            jet: self,
            unknown: index,
        }
    }

    /// u.
    #[must_use]
    pub fn value(&self) -> Real {
        self.unknown(0).value()
    }

    /// ∂u/∂x_axis.
    #[must_use]
    pub fn partial(&self, axis: usize) -> Real {
        self.unknown(0).partial(axis)
    }

    /// ∂ⁿu/∂x_axisⁿ.
    #[must_use]
    pub fn partial_order(&self, axis: usize, order: u32) -> Real {
        self.unknown(0).partial_order(axis, order)
    }

    /// D^α u, with one order for each axis.
    #[must_use]
    pub fn derivative(&self, alpha: &[u32]) -> Real {
        self.unknown(0).derivative(alpha)
    }

    /// Δu over all axes.
    #[must_use]
    pub fn laplacian(&self) -> Real {
        self.unknown(0).laplacian()
    }

    /// ∂u/∂t, where time is the last axis.
    #[must_use]
    pub fn time(&self) -> Real {
        self.unknown(0).time()
    }

    /// The declared parameter.
    #[must_use]
    pub fn parameter(&self) -> Real {
        Real::variable(self.parameter, SLOTS)
    }

    /// A component of the outward normal; 0 in the interior.
    #[must_use]
    pub fn normal(&self, axis: usize) -> f64 {
        self.normal
            .and_then(|normal| normal.get(axis))
            .copied()
            .unwrap_or(0.0)
    }

    /// ∂u/∂n = n·∇u; 0 in the interior.
    #[must_use]
    pub fn normal_derivative(&self) -> Real {
        (0..self.dim)
            .map(|axis| self.normal(axis) * self.partial(axis))
            .sum()
    }

    fn look_up(&self, unknown: usize, alpha: MultiIndex) -> Real {
        let found = self
            .requests
            .iter()
            .position(|r| r.unknown == unknown && r.alpha == alpha);
        match found {
            Some(index) => {
                let value = self.values.get(index).copied().unwrap_or(f64::NAN);
                match index.checked_sub(self.first_slot) {
                    Some(slot) if slot < SLOTS => Real::variable(value, slot),
                    _ => Real::constant(value),
                }
            }
            None => {
                let request = Request { unknown, alpha };
                let mut missing = self.missing.borrow_mut();
                if !missing.contains(&request) {
                    missing.push(request);
                }
                // Any smooth value will do: this evaluation is only asked what it needs.
                Real::constant(0.5)
            }
        }
    }
}

/// One unknown of a [`Jet`].
#[derive(Debug, Clone, Copy)]
pub struct Component<'j, 'a> {
    jet: &'j Jet<'a>,
    unknown: usize,
}

impl Component<'_, '_> {
    /// The unknown itself.
    #[must_use]
    pub fn value(&self) -> Real {
        self.jet
            .look_up(self.unknown, MultiIndex::zero(self.jet.dim))
    }

    /// Its derivative along one axis.
    #[must_use]
    pub fn partial(&self, axis: usize) -> Real {
        self.partial_order(axis, 1)
    }

    /// Its n-th derivative along one axis.
    #[must_use]
    pub fn partial_order(&self, axis: usize, order: u32) -> Real {
        let mut alpha = vec![0; self.jet.dim];
        match alpha.get_mut(axis) {
            Some(entry) => *entry = order,
            // An index of another dimension is reported as such.
            None => alpha.push(order),
        }
        self.jet.look_up(self.unknown, MultiIndex::new(alpha))
    }

    /// D^α of it.
    #[must_use]
    pub fn derivative(&self, alpha: &[u32]) -> Real {
        self.jet.look_up(self.unknown, MultiIndex::new(alpha))
    }

    /// Its Laplacian over all axes.
    #[must_use]
    pub fn laplacian(&self) -> Real {
        (0..self.jet.dim)
            .map(|axis| self.partial_order(axis, 2))
            .sum()
    }

    /// Its time derivative, where time is the last axis.
    #[must_use]
    pub fn time(&self) -> Real {
        self.partial(self.jet.dim.saturating_sub(1))
    }
}
