//! One piece of a domain: reference modes on a box.

use std::ops::Range;
use std::sync::Arc;

use faer::Mat;
use fastlsq_ops::{Operator, Sites};
use ndarray::{ArrayView2, Axis};

use crate::space::SpaceError;
use crate::space::local::{Local, scaled};

/// A box with a reference piece on it.
#[derive(Debug, Clone)]
pub(in crate::space) struct Piece {
    pub(super) centre: Vec<f64>,
    pub(super) half: Vec<f64>,
    pub(super) local: Arc<Local>,
    /// Its modes among all.
    pub(in crate::space) modes: Range<usize>,
    /// Its nodes among all.
    pub(in crate::space) nodes: Range<usize>,
}

impl Piece {
    pub(super) fn new(
        lo: &[f64],
        hi: &[f64],
        local: &Arc<Local>,
        modes: usize,
        nodes: usize,
    ) -> Self {
        Self {
            centre: lo.iter().zip(hi).map(|(lo, hi)| 0.5 * (lo + hi)).collect(),
            half: lo.iter().zip(hi).map(|(lo, hi)| 0.5 * (hi - lo)).collect(),
            modes: modes..modes + local.len(),
            nodes: nodes..nodes + local.rule.weights.len(),
            local: Arc::clone(local),
        }
    }

    /// L applied to the modes of this piece at the sites, one row per site.
    pub(super) fn rows(
        &self,
        operator: &Operator,
        sites: Sites<'_>,
    ) -> Result<Mat<f64>, SpaceError> {
        let (expected, found) = (self.centre.len(), sites.points().ncols());
        if expected != found {
            return Err(SpaceError::Size {
                what: "a point",
                expected,
                found,
            });
        }
        let prepared = operator.rows(sites)?;
        let form = prepared.form();
        if form.terms().iter().any(|term| !term.action.is_derivative()) {
            return Err(SpaceError::NotDifferential {
                operator: operator.to_string(),
            });
        }
        // ∫ q² dx = Πhₖ ∫ q̂² dx̂.
        let norm = self.half.iter().product::<f64>().sqrt().recip();
        let mut store = Vec::new();
        let form = scaled(&form, &self.half, norm, &mut store);
        let mut points = sites.points().to_owned();
        for mut point in points.rows_mut() {
            for (axis, x) in point.iter_mut().enumerate() {
                *x = (*x - self.centre[axis]) / self.half[axis];
            }
        }
        self.local.rows(&points, &form)
    }

    /// The same at some of the sites.
    pub(super) fn rows_at(
        &self,
        operator: &Operator,
        sites: &Sites<'_>,
        chosen: &[usize],
    ) -> Result<Mat<f64>, SpaceError> {
        let some = |view: ArrayView2<'_, f64>| view.select(Axis(0), chosen);
        let (points, normals) = (some(sites.points()), sites.normals().map(some));
        let mut part = Sites::new(points.view());
        if let Some(normals) = &normals {
            part = part.with_normals(normals.view());
        }
        self.rows(operator, part)
    }

    pub(super) fn lo(&self) -> f64 {
        self.centre[0] - self.half[0]
    }

    pub(super) fn hi(&self) -> f64 {
        self.centre[0] + self.half[0]
    }
}
