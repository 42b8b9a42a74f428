//! Small systems with known properties.

use std::f64::consts::PI;
use std::sync::Arc;

use faer::Mat;
use fastlsq_basis::sampling::UnitSampler;
use fastlsq_basis::{Basis, FrequencyLaw, JoinedBasis, SinusoidalBasis};
use ndarray::Array2;

use crate::lsq::RowSource;
use crate::system::{RowBlock, System};
use crate::{EquationRow, Expr, Frame, SolveError, Space, laplacian, unknown, unknowns};

/// The row of an expression in the unknowns u (and v) in the plane.
pub(super) fn row(expression: impl Into<Expr>) -> Result<EquationRow, SolveError> {
    let expression = expression.into();
    let [u, v] = unknowns(["u", "v"]);
    let both = expression.unknowns().contains(&v);
    let own = if both { vec![u, v] } else { vec![u] };
    Ok(Frame::new(Space::new(2), own).row(expression)?)
}

/// Random features in the plane.
pub(super) fn basis(count: usize, sigma: f64, seed: u64) -> Result<Arc<dyn Basis>, SolveError> {
    let law = FrequencyLaw::Isotropic(sigma);
    Ok(Arc::new(SinusoidalBasis::random(2, count, &law, seed)?))
}

/// The same features twice: rank at most half of the columns.
pub(super) fn doubled(count: usize, sigma: f64) -> Result<Arc<dyn Basis>, SolveError> {
    let once = basis(count, sigma, 3)?;
    Ok(Arc::new(JoinedBasis::new(vec![once.clone(), once])?))
}

/// Points of the unit square.
pub(super) fn inside(count: usize, seed: u64) -> Array2<f64> {
    UnitSampler::halton(seed).points(count, 2)
}

/// Points of the square's left side with their normals, and of its right side.
pub(super) fn sides(count: usize) -> (Array2<f64>, Array2<f64>, Array2<f64>) {
    let mut left = inside(count, 5);
    left.column_mut(0).fill(0.0);
    let mut right = left.clone();
    right.column_mut(0).fill(1.0);
    let mut normals = Array2::zeros(left.raw_dim());
    normals.column_mut(0).fill(-1.0);
    (left, right, normals)
}

/// u(xᵢ), a function that the features do not contain.
pub(super) fn wave(points: &Array2<f64>) -> Vec<f64> {
    let rows = points.rows().into_iter();
    rows.map(|x| (PI * x[0]).sin() * (2.0 * x[1]).cos())
        .collect()
}

/// Values in the square and on its left side, and an equation: three blocks, three weights.
pub(super) fn mixed(basis: Arc<dyn Basis>, rows: usize) -> Result<System, SolveError> {
    let u = unknown("u");
    let (left, _, _) = sides(rows / 4);
    let (a, b) = (inside(rows, 1), inside(rows / 2, 2));
    let mut equation = RowBlock::new("equation", row(laplacian(u) - u)?, a.clone(), wave(&a));
    equation.weight = 0.05;
    let mut values = RowBlock::new("values", row(u)?, b.clone(), wave(&b));
    values.weight = 2.0;
    let boundary = RowBlock::new("boundary", row(u)?, left.clone(), wave(&left));
    System::new(vec![basis], vec![equation, values, boundary])
}

/// The weighted matrix of a system.
pub(super) fn matrix(system: &System) -> Result<Mat<f64>, SolveError> {
    let mut dense = Mat::zeros(system.nrows(), system.ncols());
    system.write_rows(0, dense.as_mut())?;
    Ok(dense)
}

/// A deterministic matrix with entries between −1 and 1.
pub(super) fn spread(rows: usize, columns: usize, seed: u64) -> Mat<f64> {
    let values = UnitSampler::independent(seed).points(rows, columns);
    Mat::from_fn(rows, columns, |i, j| 2.0 * values[[i, j]] - 1.0)
}
