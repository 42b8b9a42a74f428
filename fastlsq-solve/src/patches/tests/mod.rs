//! Exact solutions, identities and orders of convergence on patches.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "in a test, a panic is the message"
)]

mod exactness;
mod given;
mod nonlinear;
mod singular;
mod space;
mod statements;
mod waves;

use fastlsq_basis::sampling::UnitSampler;
use fastlsq_basis::{Action, MultiIndex};
use fastlsq_ops::{Operator, Term};

use super::{Data, FaceCondition, PatchProblem, PatchSolution, Piece};

/// c D^α, summed.
fn operator<const D: usize>(terms: &[(f64, [u32; D])]) -> Operator {
    let term = |(c, alpha): &(f64, [u32; D])| {
        Term::new(*c, Action::derivative(MultiIndex::new(alpha.to_vec())))
    };
    Operator::from_terms(D, terms.iter().map(term))
}

fn minus_laplacian() -> Operator {
    operator(&[(-1.0, [2, 0]), (-1.0, [0, 2])])
}

/// L u = f on these boxes, with the values of `exact` on the boundary.
fn with_values<const D: usize>(
    boxes: &[([f64; D], [f64; D])],
    operator: &Operator,
    source: impl Fn(&[f64]) -> f64 + Send + Sync + Clone + 'static,
    exact: impl Fn(&[f64]) -> f64 + Send + Sync + 'static,
) -> PatchProblem {
    let piece = |(lo, hi): &([f64; D], [f64; D])| {
        Piece::new(lo, hi, operator.clone(), Data::new(source.clone()))
    };
    let pieces = boxes.iter().map(piece).collect();
    PatchProblem::new(pieces, vec![FaceCondition::values([Data::new(exact)])]).unwrap()
}

/// The relative L2 error of one unknown, by random points in every leaf.
fn error_of(u: &PatchSolution, unknown: usize, exact: impl Fn(&[f64]) -> f64) -> f64 {
    let (mut error, mut size) = (0.0, 0.0);
    let mut sampler = UnitSampler::independent(99);
    let dim = u.dim();
    for leaf in &u.report().boxes {
        let mut points = sampler.points(20, dim);
        for mut point in points.rows_mut() {
            for k in 0..dim {
                point[k] = leaf.lo[k] + (leaf.hi[k] - leaf.lo[k]) * point[k];
            }
        }
        let volume: f64 = (0..dim).map(|k| leaf.hi[k] - leaf.lo[k]).product();
        let zero = MultiIndex::zero(dim);
        let values = u.derivatives(unknown, points.view(), &zero).unwrap();
        for (point, value) in points.rows().into_iter().zip(values) {
            let exact = exact(&point.to_vec());
            error += volume * (value - exact) * (value - exact);
            size += volume * exact * exact;
        }
    }
    (error / size).sqrt()
}

fn error(u: &PatchSolution, exact: impl Fn(&[f64]) -> f64) -> f64 {
    error_of(u, 0, exact)
}
