//! A diffusion coefficient field from noisy values of u.

use std::f64::consts::PI;

use fastlsq_solve::{
    BoxDomain, Expr, Options, Parameter, Sequence, UnitSampler, X, Y, div, grad, parameter, sin,
    unknown,
};
use ndarray::Array2;

use crate::reference::with_noise;
use crate::{Band, Fit, InverseError, InverseProblem, Observations, Sought};

/// The largest total degree of a polynomial.
const DEGREE: usize = 6;

/// −∇·(a∇u) = f on the unit square with u known on the boundary: the field a(x, y) from values of u.
///
/// The truth is a = 2 + sin πx sin πy and u = sin πx sin πy, both in closed form. The unknown field is a
/// polynomial of degree six, which the truth is not, with a prior that says that a is smooth: the
/// deviation of the coefficient of P_m(2x − 1) P_n(2y − 1) is 2/(1 + m + n).
#[derive(Debug, Clone)]
pub struct DiffusionField {
    /// Where u is measured, one row per point.
    pub points: Array2<f64>,
    /// The standard deviation of a measurement.
    pub noise: f64,
    /// How the forward problem is discretised.
    pub options: Options,
}

/// The degrees (m, n) of each product, by rising total degree.
fn degrees() -> impl Iterator<Item = (usize, usize)> {
    (0..=DEGREE).flat_map(|total| (0..=total).map(move |m| (m, total - m)))
}

/// The coefficient of P_m(2x − 1) P_n(2y − 1).
fn coefficient(m: usize, n: usize) -> Parameter {
    parameter(&format!("a{m}{n}"))
}

/// P_m(t) for all degrees.
fn legendre(t: &Expr) -> Vec<Expr> {
    let mut p = vec![Expr::from(1.0), t.clone()];
    for m in 1..DEGREE {
        let (a, b, c) = ((2 * m + 1) as f64, m as f64, (m + 1) as f64);
        p.push((a * t * &p[m] - b * &p[m - 1]) / c);
    }
    p
}

/// The field as a polynomial with unknown coefficients.
fn field() -> Expr {
    let (px, py) = (legendre(&(2.0 * X - 1.0)), legendre(&(2.0 * Y - 1.0)));
    degrees()
        .map(|(m, n)| coefficient(m, n) * &px[m] * &py[n])
        .sum()
}

impl DiffusionField {
    /// This many values of u with noise of this deviation (u has amplitude 1).
    #[must_use]
    pub fn standard(count: usize, noise: f64) -> Self {
        Self {
            points: UnitSampler::new(Sequence::Halton, 17).points(count, 2),
            noise,
            options: Options::new().features(150).bandwidth(3.5).rows(600, 200),
        }
    }

    /// The true field.
    #[must_use]
    pub fn truth(x: f64, y: f64) -> f64 {
        2.0 + (PI * x).sin() * (PI * y).sin()
    }

    /// The true solution.
    #[must_use]
    pub fn solution(x: f64, y: f64) -> f64 {
        (PI * x).sin() * (PI * y).sin()
    }

    /// Measurements with noise from this seed.
    #[must_use]
    pub fn measurements(&self, seed: u64) -> Vec<f64> {
        let rows = self.points.rows().into_iter();
        let exact: Vec<f64> = rows.map(|p| Self::solution(p[0], p[1])).collect();
        with_noise(&exact, self.noise, seed)
    }

    /// The inverse problem with these measurements.
    #[must_use]
    pub fn problem(&self, measurements: &[f64]) -> InverseProblem {
        let u = unknown("u");
        let exact = sin(PI * X) * sin(PI * Y);
        let truth = 2.0 + &exact;
        let mut problem = InverseProblem::on(BoxDomain::unit(2))
            .equation(-div(field() * grad(u)), -div(truth * grad(exact)))
            .dirichlet(0.0)
            .observe(Observations::of(u, self.points.clone(), measurements).deviation(self.noise))
            .options(self.options.clone());
        for (m, n) in degrees() {
            let start = if m + n == 0 { 2.0 } else { 0.0 };
            let smooth = 2.0 / (1 + m + n) as f64;
            problem = problem.find(Sought::new(coefficient(m, n), start).prior(start, smooth));
        }
        problem
    }

    /// The fitted field at points (one row per point), with its posterior 95 % band.
    ///
    /// # Errors
    /// Points of another dimension, a fit of another problem.
    pub fn fitted(fit: &Fit, points: &Array2<f64>) -> Result<Vec<Band>, InverseError> {
        fit.band(field(), points, 0.95)
    }

    /// The relative error ‖a − truth‖/‖truth‖ over a grid of the square.
    ///
    /// # Errors
    /// A fit of another problem.
    pub fn error(fit: &Fit) -> Result<f64, InverseError> {
        let points = Array2::from_shape_fn((41 * 41, 2), |(i, axis)| {
            let node = if axis == 0 { i / 41 } else { i % 41 };
            node as f64 / 40.0
        });
        let (mut difference, mut size) = (0.0, 0.0);
        for (band, point) in Self::fitted(fit, &points)?.iter().zip(points.rows()) {
            let truth = Self::truth(point[0], point[1]);
            difference += (band.value - truth).powi(2);
            size += truth * truth;
        }
        Ok((difference / size).sqrt())
    }
}
