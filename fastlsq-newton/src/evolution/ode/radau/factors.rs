//! Factors of λ − hJ for every eigenvalue λ of A⁻¹.

use super::table::Table;
use faer::{Mat, c64};
use fastlsq_solve::dense::Lu;

/// The factored systems of one step length.
#[derive(Debug)]
pub(super) struct Factors {
    step: f64,
    stages: usize,
    real: Lu<f64>,
    pairs: Vec<Lu<c64>>,
}

impl Factors {
    pub(super) fn new(table: &Table, h: f64, jacobian: &Mat<f64>) -> Self {
        let dim = jacobian.nrows();
        let mut real = Mat::from_fn(dim, dim, |i, j| -h * jacobian[(i, j)]);
        for i in 0..dim {
            real[(i, i)] += table.real;
        }
        let pairs = table
            .pairs
            .iter()
            .map(|&lambda| {
                let mut shifted =
                    Mat::from_fn(dim, dim, |i, j| c64::new(-h * jacobian[(i, j)], 0.0));
                for i in 0..dim {
                    shifted[(i, i)] += lambda;
                }
                Lu::new(shifted)
            })
            .collect();
        Self {
            step: h,
            stages: table.stages(),
            real: Lu::new(real),
            pairs,
        }
    }

    pub(super) fn fits(&self, h: f64, stages: usize) -> bool {
        self.step == h && self.stages == stages
    }

    /// (γ − hJ)⁻¹ x, in place.
    pub(super) fn solve_real(&self, x: &mut Mat<f64>) {
        self.real.solve_in_place(x.as_mut());
    }

    /// The Newton correction for a residual with one column per stage.
    pub(super) fn solve(&self, table: &Table, residual: &Mat<f64>) -> Mat<f64> {
        let (dim, stages) = residual.shape();
        let mut real = Mat::from_fn(dim, 1, |i, _| {
            (0..stages)
                .map(|k| table.covectors[(0, k)].re * residual[(i, k)])
                .sum()
        });
        self.real.solve_in_place(real.as_mut());
        let mut change = Mat::from_fn(dim, stages, |i, j| table.vectors[(j, 0)].re * real[(i, 0)]);
        for (p, pair) in self.pairs.iter().enumerate() {
            let mut w = Mat::from_fn(dim, 1, |i, _| {
                (0..stages)
                    .map(|k| table.covectors[(p + 1, k)] * residual[(i, k)])
                    .sum::<c64>()
            });
            pair.solve_in_place(w.as_mut());
            // The conjugate system adds the conjugate: twice the real part.
            for j in 0..stages {
                let v = table.vectors[(j, p + 1)];
                for i in 0..dim {
                    change[(i, j)] += 2.0 * (v * w[(i, 0)]).re;
                }
            }
        }
        change
    }
}
