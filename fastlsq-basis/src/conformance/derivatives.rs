//! Every derivative against differences of the one below it.

use faer::Mat;
use ndarray::Array2;

use super::{Verdict, broken, points, require};
use crate::{Basis, BasisError, MultiIndex};

/// The highest total order that is checked.
const ORDER: u32 = 6;
/// Central difference of order 8: f′(x) ≈ Σ cₖ (f(x + kh) − f(x − kh))/h.
const WEIGHTS: [f64; 4] = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
/// Steps that are tried: from half the cube to a thousandth.
const STEPS: std::ops::RangeInclusive<i32> = 1..=10;
/// What the best step must reach, relative to the size of the derivative.
const TOLERANCE: f64 = 1e-7;

/// D^α agrees with eighth-order differences of D^{α−e} along every axis with α ≥ e, for |α| ≤ 6.
///
/// Starting from the values this establishes each order from the one below, and that partial
/// derivatives commute. In more than three dimensions the order stops at 4.
///
/// # Errors
/// The first [`Violation`](super::Violation).
pub fn derivatives(basis: &dyn Basis) -> Verdict {
    let points = points(basis, 5);
    let order = if basis.dim() > 3 { 4 } else { ORDER };
    for alpha in MultiIndex::up_to_order(basis.dim(), order) {
        let exact = basis.derivatives(points.view(), &alpha)?;
        for (axis, n) in alpha.orders().iter().enumerate() {
            let Some(below) = n.checked_sub(1) else {
                continue;
            };
            let mut orders = alpha.orders().to_vec();
            orders[axis] = below;
            let lower = MultiIndex::new(orders);
            let values = |points: &Array2<f64>| basis.derivatives(points.view(), &lower);
            require_slope(
                &format!("{alpha} by differences along axis {axis}"),
                &points,
                axis,
                &exact,
                values,
            )?;
        }
    }
    Ok(())
}

/// Checks `slope` against differences of `values` along an axis, with the best of several steps.
pub(super) fn require_slope(
    what: &str,
    points: &Array2<f64>,
    axis: usize,
    slope: &Mat<f64>,
    values: impl Fn(&Array2<f64>) -> Result<Mat<f64>, BasisError>,
) -> Verdict {
    let property = "closed-form derivatives";
    let here = values(points)?;
    let column_size = |matrix: &Mat<f64>, j: usize| {
        (0..matrix.nrows()).fold(0.0_f64, |max, i| max.max(matrix[(i, j)].abs()))
    };
    let mut best = vec![f64::INFINITY; slope.ncols()];
    for exponent in STEPS {
        let difference = central_difference(points, axis, 0.5_f64.powi(exponent), &values)?;
        require(difference.shape() == slope.shape(), property, || {
            format!("{what}: wrong shape")
        })?;
        for (j, best) in best.iter_mut().enumerate() {
            let error = (0..slope.nrows())
                .map(|i| (slope[(i, j)] - difference[(i, j)]).abs())
                // A NaN must not pass for agreement.
                .fold(
                    0.0_f64,
                    |max, e| if e > max || e.is_nan() { e } else { max },
                );
            if error < *best {
                *best = error;
            }
        }
    }
    for (j, error) in best.into_iter().enumerate() {
        let scale = column_size(slope, j) + 1e-3 * column_size(&here, j);
        if error > TOLERANCE * scale.max(f64::MIN_POSITIVE) {
            let detail = format!("{what}: feature {j} is off by {error:e}, its size is {scale:e}");
            return Err(broken(property, detail));
        }
    }
    Ok(())
}

fn central_difference(
    points: &Array2<f64>,
    axis: usize,
    step: f64,
    values: impl Fn(&Array2<f64>) -> Result<Mat<f64>, BasisError>,
) -> Result<Mat<f64>, BasisError> {
    let rows = points.nrows();
    // One block of points for each shift: h, −h, 2h, −2h, …
    let all = Array2::from_shape_fn((2 * WEIGHTS.len() * rows, points.ncols()), |(row, k)| {
        let block = row / rows;
        let sign = if block.is_multiple_of(2) { 1.0 } else { -1.0 };
        let shift = sign * (block / 2 + 1) as f64 * step;
        points[(row % rows, k)] + if k == axis { shift } else { 0.0 }
    });
    let at = values(&all)?;
    Ok(Mat::from_fn(rows, at.ncols(), |i, j| {
        let sum: f64 = WEIGHTS
            .iter()
            .enumerate()
            .map(|(k, weight)| {
                let (ahead, behind) = ((2 * k) * rows + i, (2 * k + 1) * rows + i);
                weight * (at[(ahead, j)] - at[(behind, j)])
            })
            .sum();
        sum / step
    }))
}
