//! Residuals of pairs, a least-squares Newton step for each, estimates and multiplicities.
//!
//! For symmetric problems the error of λ is Σ rₖ²/(λₖ − λ) over the components rₖ of the residual. By Kato and Temple it is at
//! most ‖r‖²/gap. But the trial space holds the eigenfunctions next to λ, and the residual is orthogonal to the space: it
//! consists of eigenfunctions that the space does not resolve, so that the smallest unresolved eigenvalue takes the place of the
//! gap.

use faer::{Mat, c64};

use super::Eigenpair;
use super::matrix::{Found, Matrices};
use crate::control::Control;
use crate::lsq::reduce_rows;
use crate::space::SpaceError;

/// Eigenvalues closer than this, relative to the larger, are candidates for one multiple eigenvalue.
pub(super) const CLOSE: f64 = 1e-6;

/// The share of the eigenvalues of a trial space that are those of the problem.
const RESOLVED: f64 = 1.0 / 3.0;

/// The chosen pairs, polished.
pub(super) fn polished(
    problem: &Matrices,
    found: &Found,
    chosen: &[usize],
) -> Result<Vec<Eigenpair>, SpaceError> {
    let mut pairs = Vec::with_capacity(chosen.len());
    let unresolved = unresolved(&found.values);
    for &k in chosen {
        let value = found.values[k];
        let vector: Vec<c64> = found.vectors.col(k).iter().copied().collect();
        let residual = residual(problem, value, &vector);
        let mut pair = Eigenpair {
            value,
            coefficients: vector,
            residual,
            error_estimate: 0.0,
            multiplicity: 1,
            polished: false,
            change: None,
        };
        if value.im == 0.0 {
            improve(problem, found, k, &mut pair)?;
        }
        let gap = found
            .values
            .iter()
            .filter(|other| (**other - value).norm() > CLOSE * value.norm())
            .map(|other| (other - value).norm())
            .fold(f64::INFINITY, f64::min);
        let rho = pair.residual;
        pair.error_estimate = if found.symmetric && rho < gap {
            let distance = (gap - rho).max(unresolved - value.norm());
            rho.min(rho * rho / distance)
        } else {
            rho * found.conditions[k]
        }
        .max(f64::EPSILON * value.norm());
        pairs.push(pair);
    }
    for pair in &mut pairs {
        let own = pair.value;
        let near = (1e-8 * own.norm()).max(10.0 * pair.error_estimate);
        let same = found
            .values
            .iter()
            .filter(|other| (**other - own).norm() <= near);
        pair.multiplicity = same.count().max(1);
    }
    Ok(pairs)
}

/// The size of the smallest eigenvalue that may not be one of the problem.
fn unresolved(values: &[c64]) -> f64 {
    let mut sizes: Vec<f64> = values.iter().map(|value| value.norm()).collect();
    sizes.sort_by(f64::total_cmp);
    let place = (RESOLVED * sizes.len() as f64) as usize;
    sizes.get(place).copied().unwrap_or(0.0)
}

/// ‖L u − λ M u‖/‖M u‖.
fn residual(problem: &Matrices, value: c64, vector: &[c64]) -> f64 {
    let n = problem.dim();
    let r = &problem.triangle;
    let (mut left, mut right) = (0.0, 0.0);
    for i in 0..r.nrows() {
        let (mut sum, mut mass) = (c64::new(0.0, 0.0), c64::new(0.0, 0.0));
        for (j, &c) in vector.iter().enumerate() {
            sum += c * r[(i, j)];
            mass += c * r[(i, n + j)];
        }
        left += (sum - value * mass).norm_sqr();
        right += mass.norm_sqr();
    }
    (left / right).sqrt()
}

/// One Newton step for (c, λ): (L − λM)c′ − μ M c ≈ 0 at all nodes, c·c′ = 1, and c′ orthogonal to the
/// other members of a multiple eigenvalue, which are as good as this one.
fn improve(
    problem: &Matrices,
    found: &Found,
    own: usize,
    pair: &mut Eigenpair,
) -> Result<(), SpaceError> {
    let n = problem.dim();
    let value = pair.value.re;
    let r = &problem.triangle;
    let others: Vec<usize> = (0..found.values.len())
        .filter(|&k| k != own && (found.values[k] - value).norm() <= CLOSE * value.abs())
        .filter(|&k| found.values[k].im == 0.0)
        .collect();
    let c: Vec<f64> = pair.coefficients.iter().map(|c| c.re).collect();
    let size = r.nrows();
    let mut rows = Mat::zeros(size + 1 + others.len(), n + 1);
    for j in 0..n {
        for i in 0..size {
            rows[(i, j)] = r[(i, j)] - value * r[(i, n + j)];
        }
    }
    for i in 0..size {
        rows[(i, n)] = -(0..n).map(|j| r[(i, n + j)] * c[j]).sum::<f64>();
    }
    // Weights that make the side conditions as heavy as the equation.
    let weight = value.abs().max(1.0);
    for j in 0..n {
        rows[(size, j)] = weight * c[j];
        for (k, &other) in others.iter().enumerate() {
            rows[(size + 1 + k, j)] = weight * found.vectors[(j, other)].re;
        }
    }
    let mut rhs = Mat::zeros(rows.nrows(), 1);
    rhs[(size, 0)] = weight;
    let (triangle, carried) = reduce_rows(&rows, rhs.as_ref(), &Control::new())?;
    let mut x = vec![0.0; n + 1];
    for i in (0..=n).rev() {
        let known: f64 = (i + 1..=n).map(|j| triangle[(i, j)] * x[j]).sum();
        x[i] = (carried[(i, 0)] - known) / triangle[(i, i)];
    }
    let norm = x[..n].iter().map(|v| v * v).sum::<f64>().sqrt();
    if !(norm.is_finite() && norm > 0.0 && x[n].is_finite()) {
        return Ok(());
    }
    let vector: Vec<c64> = x[..n].iter().map(|v| c64::new(v / norm, 0.0)).collect();
    let value = c64::new(value + x[n], 0.0);
    let after = residual(problem, value, &vector);
    if after < pair.residual {
        pair.value = value;
        pair.coefficients = vector;
        pair.residual = after;
        pair.polished = true;
    }
    Ok(())
}
