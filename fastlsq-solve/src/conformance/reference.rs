//! The pseudo-inverse by a dense singular value decomposition.

use faer::{Mat, MatRef};

use super::Violation;

/// Singular values below this times the largest count as zero.
const CUT: f64 = 1e-12;

/// Minimises ‖Ax − b‖² + μ‖x‖²; of all minimisers the one of least norm.
pub(super) fn least_squares(
    a: MatRef<'_, f64>,
    b: MatRef<'_, f64>,
    ridge: f64,
) -> Result<Mat<f64>, Violation> {
    let svd = a.thin_svd().map_err(|error| Violation::Broken {
        property: "the reference decomposition",
        detail: format!("{error:?}"),
    })?;
    let s = svd.S().column_vector();
    let mut coordinates = svd.U().transpose() * b;
    let largest = if s.nrows() == 0 { 0.0 } else { s[0] };
    for i in 0..coordinates.nrows() {
        let inverse = if s[i] > CUT * largest {
            s[i] / (s[i] * s[i] + ridge)
        } else {
            0.0
        };
        for j in 0..coordinates.ncols() {
            coordinates[(i, j)] *= inverse;
        }
    }
    Ok(svd.V() * coordinates)
}
