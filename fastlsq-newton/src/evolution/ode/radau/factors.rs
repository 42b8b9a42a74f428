//! Factors of λ − hJ for every eigenvalue λ of A⁻¹.

use super::super::linearised::{Linearised, Shifted};
use super::table::Table;
use faer::{Mat, c64};

/// The factored systems of one step length.
#[derive(Debug)]
pub(super) struct Factors {
    step: f64,
    stages: usize,
    real: Box<dyn Shifted>,
    pairs: Vec<Box<dyn Shifted>>,
}

impl Factors {
    pub(super) fn new(table: &Table, h: f64, jacobian: &dyn Linearised) -> Self {
        Self {
            step: h,
            stages: table.stages(),
            real: jacobian.shifted(c64::new(table.real, 0.0), h),
            pairs: table
                .pairs
                .iter()
                .map(|&lambda| jacobian.shifted(lambda, h))
                .collect(),
        }
    }

    pub(super) fn fits(&self, h: f64, stages: usize) -> bool {
        self.step == h && self.stages == stages
    }

    /// (γ − hJ)⁻¹ x, in place.
    pub(super) fn solve_real(&self, x: &mut [f64]) {
        let mut im = vec![0.0; x.len()];
        self.real.solve(x, &mut im);
    }

    /// The Newton correction for a residual with one column per stage.
    pub(super) fn solve(&self, table: &Table, residual: &Mat<f64>) -> Mat<f64> {
        let (dim, stages) = residual.shape();
        // One right-hand side for each eigenvalue: a combination of the stages.
        let combined = |p: usize, part: fn(c64) -> f64| {
            let mut x = vec![0.0; dim];
            for k in 0..stages {
                let factor = part(table.covectors[(p, k)]);
                for (x, r) in x.iter_mut().zip(residual.col(k).iter()) {
                    *x += factor * r;
                }
            }
            x
        };
        let mut change = Mat::zeros(dim, stages);
        let mut real = combined(0, |v| v.re);
        self.solve_real(&mut real);
        for j in 0..stages {
            let factor = table.vectors[(j, 0)].re;
            for (change, x) in change.col_mut(j).iter_mut().zip(&real) {
                *change += factor * x;
            }
        }
        for (p, pair) in self.pairs.iter().enumerate() {
            let (mut re, mut im) = (combined(p + 1, |v| v.re), combined(p + 1, |v| v.im));
            pair.solve(&mut re, &mut im);
            // The conjugate system adds the conjugate: twice the real part.
            for j in 0..stages {
                let v = table.vectors[(j, p + 1)];
                let parts = re.iter().zip(&im);
                for (change, (re, im)) in change.col_mut(j).iter_mut().zip(parts) {
                    *change += 2.0 * (v.re * re - v.im * im);
                }
            }
        }
        change
    }
}
