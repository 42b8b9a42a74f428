//! Linear evolutions with constant coefficients in time: the exponential of their matrix.

use std::sync::Arc;

use faer::Mat;
use fastlsq_solve::dense::times;

use super::separable::Separable;
use super::space::FieldSpace;
use super::system::System;
use crate::evolution::ode::{Ode, Propagator};

/// The maximum number of coefficients of a matrix whose eigenvalues are sought: the cost is the cube of this number, many times over.
const LARGEST: usize = 900;
/// A matrix that is this close to symmetric, relative to its largest entry, is symmetric but for rounding and quadrature.
const SYMMETRIC: f64 = 1e-11;

/// How coefficients are carried from the first time to any other.
#[derive(Debug)]
enum Carrier {
    /// Axis by axis.
    Separable(Box<Separable>),
    /// By the eigenvectors of the whole matrix A; with A and the constant part of the rate.
    Whole {
        propagator: Box<Propagator>,
        matrix: Mat<f64>,
        constant: Vec<f64>,
    },
}

/// c(t) for c′ = A c + b from its first value.
#[derive(Debug)]
pub(crate) struct Exact {
    pub(crate) space: Arc<FieldSpace>,
    start: f64,
    first: Vec<f64>,
    /// Modal coefficients of the functions that carry the data.
    lifts: Vec<Vec<f64>>,
    carrier: Carrier,
}

impl Exact {
    /// The evolution of y; `None` if the matrix is too large or its eigenvectors are too ill-conditioned.
    pub(crate) fn new(system: &System<'_>, y: &[f64]) -> Option<Self> {
        let start = system.problem.form.times.0;
        let zero = vec![0.0; y.len()];
        let mut constant = zero.clone();
        system.rate(start, &zero, &mut constant);
        let carrier = match Separable::new(system, &constant) {
            Some(separable) => Carrier::Separable(Box::new(separable)),
            None if y.len() > LARGEST => return None,
            None => {
                let mut matrix = system.matrix(start, &zero)?;
                symmetrise(system, &mut matrix);
                let propagator = Propagator::new(&matrix, &constant).ok()?;
                if !propagator.is_spectral() {
                    return None;
                }
                Carrier::Whole {
                    propagator: Box::new(propagator),
                    matrix,
                    constant,
                }
            }
        };
        Some(Self {
            space: Arc::clone(&system.space),
            start,
            first: y.to_vec(),
            lifts: system.expansions(start, &zero)?,
            carrier,
        })
    }

    /// The first time.
    pub(crate) fn start(&self) -> f64 {
        self.start
    }

    /// Modal coefficients of the derivative of order k in time of all states.
    pub(crate) fn expansions(&self, t: f64, k: usize) -> Vec<Vec<f64>> {
        let mut y = match &self.carrier {
            Carrier::Separable(separable) => separable.apply(t - self.start, &self.first, k),
            Carrier::Whole {
                propagator,
                matrix,
                constant,
            } => {
                let mut y = propagator.apply(t - self.start, &self.first);
                for order in 0..k {
                    let mut rate = vec![0.0; y.len()];
                    times(matrix.as_ref(), &y, &mut rate);
                    if order == 0 {
                        for (rate, b) in rate.iter_mut().zip(constant) {
                            *rate += b;
                        }
                    }
                    y = rate;
                }
                y
            }
        };
        y.resize(self.first.len(), f64::NAN);
        let lifts = self.lifts.iter().enumerate();
        lifts
            .map(|(state, lift)| {
                let lift = if k == 0 { &lift[..] } else { &[] };
                self.space.expansion(state, &y, lift)
            })
            .collect()
    }
}

/// Symmetrises blocks that are symmetric but for rounding.
fn symmetrise(system: &System<'_>, matrix: &mut Mat<f64>) {
    let states = system.problem.form.states.len();
    for of in 0..states {
        for by in 0..states {
            let (rows, columns) = (system.space.range(of), system.space.range(by));
            if rows.len() != columns.len() {
                continue;
            }
            let n = rows.len();
            let block = matrix
                .as_ref()
                .submatrix(rows.start, columns.start, n, n)
                .to_owned();
            let asymmetry = (&block - block.transpose()).norm_max();
            if asymmetry <= SYMMETRIC * block.norm_max() {
                for i in 0..n {
                    for j in 0..n {
                        matrix[(rows.start + i, columns.start + j)] =
                            0.5 * (block[(i, j)] + block[(j, i)]);
                    }
                }
            }
        }
    }
}
