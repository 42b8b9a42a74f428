//! Strong form: the law at points, with less weight near the faces of the box.

use faer::Mat;
use fastlsq_basis::InputMap;
use ndarray::{Array2, ArrayView2};

use super::{Rows, folds_of};
use crate::dictionary::{Dictionary, Jets};
use crate::fit::column_of;
use crate::{DiscoveryError, FieldFit, Samples};

/// The maximum number of places at which the strong form is written.
const MOST_SITES: usize = 2000;

/// Weights that fall to zero linearly within `edge` (a share of the half-width) of each face.
pub(crate) fn edge_weights(map: &InputMap, points: ArrayView2<'_, f64>, edge: f64) -> Vec<f64> {
    points
        .rows()
        .into_iter()
        .map(|point| {
            point
                .iter()
                .enumerate()
                .map(|(k, x)| {
                    let inside = 1.0 - map.apply(k, *x).abs();
                    if edge > 0.0 {
                        (inside / edge).clamp(0.0, 1.0)
                    } else {
                        1.0
                    }
                })
                .product()
        })
        .collect()
}

/// Rows from derivatives at points, weighted.
pub(crate) fn weighted(
    library: &Dictionary,
    jets: &Jets,
    points: ArrayView2<'_, f64>,
    derivatives: &[Vec<f64>],
    weights: &[f64],
) -> Result<Rows, DiscoveryError> {
    let mut columns = jets.columns(library, points, derivatives)?;
    for k in 0..columns.ncols() {
        for (i, w) in weights.iter().enumerate() {
            columns[(i, k)] *= w;
        }
    }
    Ok(Rows {
        target: derivatives[0]
            .iter()
            .zip(weights)
            .map(|(v, w)| v * w)
            .collect(),
        columns,
        fold: folds_of(points),
    })
}

/// Places of the strong form with the derivatives of all singular functions there, so that new
/// data (bootstrap replicates) cost a few products.
pub(crate) struct StrongSites {
    points: Array2<f64>,
    weights: Vec<f64>,
    operators: Vec<Mat<f64>>,
}

impl StrongSites {
    pub(crate) fn new(
        fit: &FieldFit,
        jets: &Jets,
        samples: &Samples,
        map: &InputMap,
        edge: f64,
    ) -> Result<Self, DiscoveryError> {
        let stride = samples.len().div_ceil(MOST_SITES).max(1);
        let kept: Vec<usize> = (0..samples.len()).step_by(stride).collect();
        let points = Array2::from_shape_fn((kept.len(), samples.dim()), |(i, k)| {
            samples.points()[(kept[i], k)]
        });
        let rank = fit.coordinates().0.len();
        let operators = jets
            .alphas
            .iter()
            .map(|alpha| fit.singular_functions(points.view(), alpha, rank))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            weights: edge_weights(map, points.view(), edge),
            operators,
            points,
        })
    }

    /// Rows for a field in coordinates of the singular functions.
    pub(crate) fn rows(
        &self,
        library: &Dictionary,
        jets: &Jets,
        field: &[f64],
    ) -> Result<Rows, DiscoveryError> {
        let field = column_of(field);
        let derivatives: Vec<Vec<f64>> = self
            .operators
            .iter()
            .map(|operator| {
                let values = operator * &field;
                values.col(0).iter().copied().collect()
            })
            .collect();
        weighted(
            library,
            jets,
            self.points.view(),
            &derivatives,
            &self.weights,
        )
    }
}
