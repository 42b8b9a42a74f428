//! What an iteration knows of u, and of the residuals there.

use ndarray::Array2;

use crate::residual::EvaluatedResidual;

/// What is known of u at the rows' points: all that Newton's method needs of it.
#[derive(Debug, Clone)]
pub(crate) struct State {
    /// For each block: the requested derivatives (nonlinear), or (Bu)(xᵢ) as one column (linear).
    pub(crate) tables: Vec<Array2<f64>>,
    /// u where its change is measured.
    pub(crate) values: Vec<f64>,
}

impl State {
    /// (1 − α) self + α other.
    pub(crate) fn blend(&self, other: &Self, alpha: f64) -> Self {
        let mix = |a: f64, b: f64| a + alpha * (b - a);
        Self {
            tables: self
                .tables
                .iter()
                .zip(&other.tables)
                .map(|(a, b)| ndarray::Zip::from(a).and(b).map_collect(|&a, &b| mix(a, b)))
                .collect(),
            values: self
                .values
                .iter()
                .zip(&other.values)
                .map(|(&a, &b)| mix(a, b))
                .collect(),
        }
    }
}

/// Residual and slopes of every block at a state.
pub(crate) struct Linearised {
    /// For nonlinear blocks, values and slopes.
    pub(crate) evaluated: Vec<Option<EvaluatedResidual>>,
    /// The residual of every block.
    pub(crate) residuals: Vec<Vec<f64>>,
}
