//! Homogeneous conditions as rows over the modes.

use faer::Mat;
use fastlsq_ops::{Operator, Sites};
use ndarray::Array2;
use std::fmt;
use std::sync::Arc;

use super::{Modes, SpaceError};
use crate::domain::{BoundaryPoints, DomainExt, PartSelector, Sequence, UnitSampler};

/// Coefficients at points of the boundary: one row per point.
pub type Coefficients =
    Arc<dyn Fn(&BoundaryPoints) -> Result<Array2<f64>, SpaceError> + Send + Sync>;

/// B u = g on parts of the boundary; the space holds the functions with B u = 0, a lift the rest.
#[derive(Clone)]
pub struct SpaceCondition {
    /// The name in reports.
    pub label: String,
    /// The parts of the boundary.
    pub place: PartSelector,
    /// B.
    pub operator: Operator,
    table: Option<Coefficients>,
}

impl fmt::Debug for SpaceCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpaceCondition")
            .field("label", &self.label)
            .field("place", &self.place)
            .field("operator", &self.operator)
            .finish_non_exhaustive()
    }
}

impl SpaceCondition {
    /// B u = g on the selected parts.
    pub fn new(
        label: impl Into<String>,
        place: impl Into<PartSelector>,
        operator: Operator,
    ) -> Self {
        Self {
            label: label.into(),
            place: place.into(),
            operator,
            table: None,
        }
    }

    /// With values for the tabulated coefficients of the operator.
    #[must_use]
    pub fn with_coefficients(mut self, table: Coefficients) -> Self {
        self.table = Some(table);
        self
    }
}

/// Points on a boundary for every function on it that the modes can tell apart, several times over.
const POINTS_PER_TRACE: f64 = 14.0;

/// One condition at its points.
#[derive(Debug, Clone)]
pub(super) struct SampledCondition {
    pub(super) points: BoundaryPoints,
    /// B applied to every mode, times `factor`.
    pub(super) rows: Mat<f64>,
    /// What makes the largest row one of norm 1, shared over the points.
    pub(super) factor: f64,
}

impl SampledCondition {
    pub(super) fn new(
        modes: &Modes,
        condition: &SpaceCondition,
        stream: u64,
    ) -> Result<Self, SpaceError> {
        let domain = modes.domain();
        let dim = domain.dim();
        let count = if dim == 1 {
            domain.select(&condition.place)?.len()
        } else {
            let traces = (modes.len() as f64).powf((dim - 1) as f64 / dim as f64);
            let parts = domain.parts();
            let whole: f64 = parts.iter().map(|part| part.measure).sum();
            let own: f64 = domain
                .select(&condition.place)?
                .into_iter()
                .filter_map(|part| parts.get(part))
                .map(|part| part.measure)
                .sum();
            (POINTS_PER_TRACE * traces * own / whole) as usize + 16
        };
        let mut sampler = UnitSampler::on_stream(Sequence::Halton, modes.seed(), stream);
        let points = domain.sample_selected(&condition.place, count, &mut sampler)?;
        let table = condition.table.as_ref().map(|table| table(&points));
        let table = table.transpose()?;
        let mut sites = Sites::new(points.points.view()).with_normals(points.normals.view());
        if let Some(table) = &table {
            sites = sites.with_table(table.view());
        }
        let mut rows = modes.at(&condition.operator, sites)?;
        let largest = (0..rows.nrows())
            .map(|i| rows.row(i).norm_l2())
            .fold(0.0, f64::max);
        if !largest.is_finite() {
            return Err(SpaceError::Numerical {
                what: "a boundary condition",
            });
        }
        let share = if dim == 1 {
            1.0
        } else {
            (rows.nrows().max(1) as f64).sqrt()
        };
        let factor = if largest > 0.0 {
            1.0 / (largest * share)
        } else {
            0.0
        };
        for j in 0..rows.ncols() {
            for i in 0..rows.nrows() {
                rows[(i, j)] *= factor;
            }
        }
        Ok(Self {
            points,
            rows,
            factor,
        })
    }
}
