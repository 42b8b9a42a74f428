//! ∂f/∂y as implicit methods use it.

use faer::{Mat, c64};
use fastlsq_solve::dense::Lu;
use std::fmt::Debug;

/// J = ∂f/∂y at one point.
pub trait Linearised: Debug {
    /// Prepares solves with λ − hJ.
    fn shifted(&self, lambda: c64, h: f64) -> Box<dyn Shifted>;
}

/// A factored matrix λ − hJ.
pub trait Shifted: Debug {
    /// Replaces a vector, given by its real and imaginary part, by (λ − hJ)⁻¹ times it. For a real λ the imaginary part
    /// is left alone.
    fn solve(&self, re: &mut [f64], im: &mut [f64]);
}

/// A full matrix.
#[derive(Debug)]
pub(crate) struct DenseJacobian(pub(crate) Mat<f64>);

impl Linearised for DenseJacobian {
    fn shifted(&self, lambda: c64, h: f64) -> Box<dyn Shifted> {
        let dim = self.0.nrows();
        if lambda.im == 0.0 {
            let mut matrix = Mat::from_fn(dim, dim, |i, j| -h * self.0[(i, j)]);
            for i in 0..dim {
                matrix[(i, i)] += lambda.re;
            }
            return Box::new(RealLu(Lu::new(matrix)));
        }
        let mut matrix = Mat::from_fn(dim, dim, |i, j| c64::new(-h * self.0[(i, j)], 0.0));
        for i in 0..dim {
            matrix[(i, i)] += lambda;
        }
        Box::new(ComplexLu(Lu::new(matrix)))
    }
}

#[derive(Debug)]
struct RealLu(Lu<f64>);

impl Shifted for RealLu {
    fn solve(&self, re: &mut [f64], _im: &mut [f64]) {
        let mut x = Mat::from_fn(re.len(), 1, |i, _| re[i]);
        self.0.solve_in_place(x.as_mut());
        for (i, re) in re.iter_mut().enumerate() {
            *re = x[(i, 0)];
        }
    }
}

#[derive(Debug)]
struct ComplexLu(Lu<c64>);

impl Shifted for ComplexLu {
    fn solve(&self, re: &mut [f64], im: &mut [f64]) {
        let mut x = Mat::from_fn(re.len(), 1, |i, _| c64::new(re[i], im[i]));
        self.0.solve_in_place(x.as_mut());
        for (i, (re, im)) in re.iter_mut().zip(im).enumerate() {
            (*re, *im) = (x[(i, 0)].re, x[(i, 0)].im);
        }
    }
}
