//! What is evolved: equations for rates, unknowns with conditions and initial values.

use fastlsq_solve::Operator;
use fastlsq_solve::space::SpaceCondition;
use ndarray::Array2;
use std::fmt;
use std::sync::Arc;

/// Something that the right-hand side depends on: an operator on one unknown, or on its rate.
#[derive(Debug, Clone)]
pub struct Column {
    /// The number of the unknown.
    pub unknown: usize,
    /// The operator in space, such as u, u_x, Δu.
    pub operator: Operator,
    /// Whether it acts on u_t, which an unknown of second order in time has as a part of its state.
    pub of_rate: bool,
}

impl Column {
    /// L uₖ.
    #[must_use]
    pub fn new(unknown: usize, operator: Operator) -> Self {
        Self {
            unknown,
            operator,
            of_rate: false,
        }
    }

    /// L ∂uₖ/∂t.
    #[must_use]
    pub fn of_rate(unknown: usize, operator: Operator) -> Self {
        Self {
            unknown,
            operator,
            of_rate: true,
        }
    }
}

/// Equations u_t = F or u_tt = F, where F depends on time, place and the values of the columns there.
pub trait Law: Send + Sync {
    /// What F depends on.
    fn columns(&self) -> &[Column];

    /// Writes F for each unknown at each point, given each column at each point.
    fn rates(&self, t: f64, points: &Array2<f64>, columns: &[Vec<f64>], rates: &mut [Vec<f64>]);

    /// Writes the derivative of F for each unknown (outer) by each column (inner) at each point; zeros
    /// come in.
    fn slopes(
        &self,
        t: f64,
        points: &Array2<f64>,
        columns: &[Vec<f64>],
        slopes: &mut [Vec<Vec<f64>>],
    );

    /// Whether F is linear in the columns, with coefficients that do not depend on time, and boundary
    /// values do not either: such an equation is solved exactly in time.
    fn is_linear_and_constant(&self) -> bool {
        false
    }
}

type Function = dyn Fn(&[f64]) -> f64 + Send + Sync;
type BoundaryFunction = dyn Fn(usize, f64, &[f64]) -> f64 + Send + Sync;

/// An unknown: what holds on the boundary, and how it starts.
#[derive(Clone)]
pub struct LineUnknown {
    pub(super) conditions: Arc<[SpaceCondition]>,
    pub(super) boundary: Option<Arc<BoundaryFunction>>,
    pub(super) initial: Arc<Function>,
    pub(super) initial_rate: Option<Arc<Function>>,
}

impl fmt::Debug for LineUnknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LineUnknown")
            .field("conditions", &self.conditions)
            .field("second_order", &self.initial_rate.is_some())
            .finish_non_exhaustive()
    }
}

impl LineUnknown {
    /// An unknown of first order in time with its initial value and homogeneous conditions. Unknowns
    /// that share one list of conditions share one space.
    pub fn new(
        conditions: Arc<[SpaceCondition]>,
        initial: impl Fn(&[f64]) -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self {
            conditions,
            boundary: None,
            initial: Arc::new(initial),
            initial_rate: None,
        }
    }

    /// Of second order in time, with this initial rate.
    #[must_use]
    pub fn initial_rate(mut self, rate: impl Fn(&[f64]) -> f64 + Send + Sync + 'static) -> Self {
        self.initial_rate = Some(Arc::new(rate));
        self
    }

    /// With values g of the conditions: called with the number of the condition, time and point.
    #[must_use]
    pub fn boundary(
        mut self,
        values: impl Fn(usize, f64, &[f64]) -> f64 + Send + Sync + 'static,
    ) -> Self {
        self.boundary = Some(Arc::new(values));
        self
    }
}
