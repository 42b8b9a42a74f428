//! Weak rows of one window, and how the noise of its samples reaches them.

use std::sync::Arc;

use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Mat, Par, Side};
use fastlsq_basis::{Basis, InputMap};
use fastlsq_solve::Limit;
use ndarray::Array2;
use rayon::prelude::*;

use crate::dictionary::{Dictionary, Jets, evaluate};
use crate::evidence::{Moments, RowMoments, steady};
use crate::fit::column_of;
use crate::rows::TestFunctions;
use crate::{DiscoveryError, FieldFit};

/// Half-width of the test functions and the margin they leave to the edge, in half-widths of the window.
const REACH: f64 = 0.5;
const MARGIN: f64 = 0.15;
/// Test functions along each axis, and nodes to integrate products with them, up to two axes and beyond.
const FLAT: (usize, usize) = (3, 14);
const SOLID: (usize, usize) = (2, 7);
/// Neighbouring windows share most of their samples: rows count this much.
const SHARED: f64 = 0.5;

/// The rows of one window: the terms, then the target.
pub(super) struct WindowRows {
    /// ∫ψT/∫ψ, one row for each test function.
    rows: Mat<f64>,
    /// For each column how unit noise in each right singular direction changes the rows.
    transfers: Vec<Mat<f64>>,
}

impl WindowRows {
    /// The rows of a local fit.
    ///
    /// With u = Σ βⱼφⱼ and β = V diag(s/(s² + μ)) Uᵀy, noise ε in y moves ∫ψT(u) by J V diag(s/(s² + μ)) Uᵀε,
    /// J = ∫ψ Σₐ ∂T/∂(D^αu) D^αφⱼ.
    pub(super) fn new(
        fit: &FieldFit,
        map: &InputMap,
        library: &Dictionary,
        jets: &Jets,
        power: u32,
    ) -> Result<Self, DiscoveryError> {
        let tests = tests_of(map, power).resolving(fit);
        let basis = fit.basis();
        let beta = column_of(fit.beta());
        let count = tests.centres.nrows();
        let (points, weights) = tests.quadrature();
        let affine = library.terms().iter().map(|term| term.affine().is_some());
        let affine: Vec<bool> = affine.collect();
        let products = |place: usize| {
            let mut arguments = jets.arguments.iter().zip(&affine);
            arguments.any(|(own, affine)| !affine && own.contains(&place))
        };
        // D^αφⱼ at the nodes, for the derivatives that products need.
        let mut features: Vec<Option<Mat<f64>>> = Vec::new();
        let mut values: Vec<Vec<f64>> = Vec::new();
        for (place, alpha) in jets.alphas.iter().enumerate() {
            let own = products(place).then(|| basis.derivatives(points.view(), alpha));
            let own = own.transpose()?;
            values.push(own.as_ref().map_or(Vec::new(), |rows| {
                let field = rows * &beta;
                field.col(0).iter().copied().collect()
            }));
            features.push(own);
        }
        let mut rows = Mat::zeros(count, library.len() + 1);
        let mut transfers = Vec::new();
        let filter = fit.noise_filter();
        let nodes = weights.len();
        for (k, term) in library.terms().iter().enumerate() {
            let mut slopes = Mat::zeros(count, basis.len());
            if let Some(affine) = term.affine() {
                for (c, alpha) in &affine.derivatives {
                    slopes += faer::Scale(*c) * tests.linear_rows(basis, alpha);
                }
                let field = &slopes * &beta;
                for i in 0..count {
                    rows[(i, k)] = affine.constant + field[(i, 0)];
                }
            } else {
                let found = evaluate(term, &jets.arguments[k], points.view(), &values)?;
                for (node, value) in found.values.iter().enumerate() {
                    let (test, at) = (node / nodes, node % nodes);
                    rows[(test, k)] += weights[at] * term.defined(*value, test)?;
                }
                for (argument, &place) in jets.arguments[k].iter().enumerate() {
                    let Some(own) = &features[place] else {
                        continue;
                    };
                    let weight =
                        |node: usize| weights[node % nodes] * found.slopes[(node, argument)];
                    let weighted = Mat::from_fn(count, points.nrows(), |i, node| {
                        if node / nodes == i { weight(node) } else { 0.0 }
                    });
                    slopes += weighted * own;
                }
            }
            transfers.push(slopes * &filter);
        }
        let target = tests.linear_rows(basis, &jets.alphas[0]);
        let field = &target * &beta;
        for i in 0..count {
            rows[(i, library.len())] = field[(i, 0)];
        }
        transfers.push(target * &filter);
        Ok(Self { rows, transfers })
    }

    /// Moments of the rows, whitened by the covariance σ²GGᵀ of the noise that the law leaves in them.
    fn moments(&self, law: &[(usize, f64)], noise: f64) -> Option<Moments> {
        let size = self.transfers.len();
        let mut own = faer::Scale(-1.0) * &self.transfers[size - 1];
        for &(k, c) in law {
            own += faer::Scale(c) * &self.transfers[k];
        }
        let mut covariance = faer::Scale(noise * noise) * (&own * own.transpose());
        steady(&mut covariance);
        let factor = covariance.llt(Side::Lower).ok()?;
        let mut rows = self.rows.clone();
        solve_lower_triangular_in_place(factor.L(), rows.as_mut(), Par::Seq);
        let mut carried = self.transfers.clone();
        for transfer in &mut carried {
            solve_lower_triangular_in_place(factor.L(), transfer.as_mut(), Par::Seq);
        }
        let gram = rows.transpose() * &rows;
        let mut added = vec![0.0; size * size];
        for i in 0..size {
            for j in 0..=i {
                let product: f64 = (0..carried[i].ncols())
                    .map(|c| {
                        let pairs = carried[i].col(c).iter().zip(carried[j].col(c).iter());
                        pairs.map(|(a, b)| a * b).sum::<f64>()
                    })
                    .sum();
                added[i * size + j] = noise * noise * product;
                added[j * size + i] = noise * noise * product;
            }
        }
        let whole = Moments {
            size,
            gram: (0..size * size)
                .map(|k| gram[(k / size, k % size)])
                .collect(),
            noise: added,
            rows: rows.nrows() as f64,
            log_det: (0..rows.nrows())
                .map(|i| 2.0 * factor.L()[(i, i)].ln())
                .sum(),
        };
        let mut moments = Moments::zero(size);
        moments.add(&whole, SHARED);
        Some(moments)
    }
}

/// The rows of all windows.
pub(super) struct ScatteredRows {
    pub(super) windows: Vec<WindowRows>,
    pub(super) noise: f64,
}

impl ScatteredRows {
    pub(super) fn count(&self) -> usize {
        self.windows.iter().map(|window| window.rows.nrows()).sum()
    }
}

impl RowMoments for ScatteredRows {
    fn moments(&self, law: &[(usize, f64)]) -> Result<Arc<Vec<Moments>>, Limit> {
        let each = self.windows.par_iter();
        let moments = each.filter_map(|window| window.moments(law, self.noise));
        Ok(Arc::new(moments.collect()))
    }
}

/// Rows of a window.
pub(super) fn count_of(dim: usize) -> usize {
    let (along, _) = if dim <= 2 { FLAT } else { SOLID };
    along.pow(u32::try_from(dim).unwrap_or(u32::MAX))
}

/// Test functions around the middle of a window.
fn tests_of(map: &InputMap, power: u32) -> TestFunctions {
    let dim = map.dim();
    let (along, nodes) = if dim <= 2 { FLAT } else { SOLID };
    let count = count_of(dim);
    let room = 1.0 - MARGIN - REACH;
    let centres = Array2::from_shape_fn((count, dim), |(i, k)| {
        let digit = i / along.pow(u32::try_from(k).unwrap_or(0)) % along;
        let place = room * (2.0 * digit as f64 / (along - 1) as f64 - 1.0);
        map.center()[k] + map.half()[k] * place
    });
    TestFunctions {
        centres,
        half: map.half().iter().map(|h| h * REACH).collect(),
        power,
        nodes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FitOptions, Samples};
    use fastlsq_basis::MultiIndex;
    use fastlsq_basis::sampling::UnitSampler;

    /// Rows of a window over samples of a wave, one of them moved by a little.
    fn window(moved: Option<(usize, f64)>) -> (WindowRows, FieldFit) {
        let points = UnitSampler::halton(3).points(120, 2);
        let wave = |p: ndarray::ArrayView1<'_, f64>| (3.0 * p[0] - p[1]).sin() + p[0] * p[1];
        let mut values: Vec<f64> = points.rows().into_iter().map(wave).collect();
        if let Some((place, by)) = moved {
            values[place] += by;
        }
        let samples = Samples::new(points, values).unwrap();
        let options = FitOptions::new()
            .features(60)
            .bandwidth(vec![2.0, 2.0])
            .ridge(1e-4);
        let fit = FieldFit::new(&samples, &options).unwrap();
        let library = Dictionary::parse(&["x", "t"], &["u", "u u_x", "u^2 u_xx"]).unwrap();
        let jets = Jets::new(&library, &MultiIndex::new([0, 1])).unwrap();
        let (lower, upper) = samples.bounds();
        let map = InputMap::from_box(&lower, &upper).unwrap();
        let rows = WindowRows::new(&fit, &map, &library, &jets, 10).unwrap();
        (rows, fit)
    }

    #[test]
    fn noise_reaches_the_rows_as_predicted() {
        let (rows, fit) = window(None);
        for place in [0, 17, 90] {
            let by = 1e-5;
            let (other, _) = window(Some((place, by)));
            for (k, transfer) in rows.transfers.iter().enumerate() {
                let unit = fit.spectrum().u.transpose().subcols(place, 1).to_owned();
                let predicted = transfer * unit;
                for i in 0..rows.rows.nrows() {
                    let change = (other.rows[(i, k)] - rows.rows[(i, k)]) / by;
                    let scale = predicted.norm_max().max(1e-3);
                    assert!((change - predicted[(i, 0)]).abs() < 1e-3 * scale, "{k} {i}");
                }
            }
        }
    }

    #[test]
    fn test_functions_stay_away_from_the_edges() {
        let map = InputMap::from_box(&[0.0, 2.0], &[4.0, 8.0]).unwrap();
        let tests = tests_of(&map, 10);
        for centre in tests.centres.rows() {
            for k in 0..2 {
                let reach = (centre[k] - map.center()[k]).abs() + tests.half[k];
                assert!(reach <= (1.0 - MARGIN + 1e-12) * map.half()[k]);
            }
        }
    }
}
