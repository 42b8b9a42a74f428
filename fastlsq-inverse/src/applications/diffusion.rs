//! A diffusion coefficient field from noisy values of u.

use std::f64::consts::PI;

use fastlsq_basis::Dual;
use fastlsq_solve::{BoxDomain, LinearProblem, Options, Sequence, UnitSampler, laplacian, partial};
use ndarray::Array2;

use crate::reference::with_noise;
use crate::{Fit, InverseProblem, Observations, Parameter};

/// The largest degree of a polynomial.
const DEGREE: usize = 6;
/// Products of Legendre polynomials of total degree at most six.
const COEFFICIENTS: usize = (DEGREE + 1) * (DEGREE + 2) / 2;

/// −∇·(a∇u) = f on the unit square with u known on the boundary: the field a(x, y) from values of u.
///
/// The truth is a = 2 + sin πx sin πy and u = sin πx sin πy, both in closed form. The unknown field is a
/// polynomial of degree six, which the truth is not, with a prior that says that a is smooth: the
/// deviation of the coefficient of P_m(2x − 1) P_n(2y − 1) is 2/(1 + m + n).
#[derive(Debug, Clone)]
pub struct DiffusionField {
    /// Where u is measured, one row a point.
    pub points: Array2<f64>,
    /// The standard deviation of a measurement.
    pub noise: f64,
    /// How the forward problem is discretised.
    pub options: Options,
}

/// The degrees (m, n) of each product, by rising total degree.
fn degrees(k: usize) -> (usize, usize) {
    let mut first = 0;
    for total in 0..=DEGREE {
        if k < first + total + 1 {
            return (k - first, total - (k - first));
        }
        first += total + 1;
    }
    (0, 0)
}

/// P_m(2x − 1) for all degrees, and the derivatives by x.
fn legendre(x: f64) -> [[f64; 2]; DEGREE + 1] {
    let t = 2.0 * x - 1.0;
    let mut p = [[1.0, 0.0]; DEGREE + 1];
    p[1] = [t, 2.0];
    for m in 1..DEGREE {
        let (a, b) = ((2 * m + 1) as f64, m as f64);
        let c = (m + 1) as f64;
        p[m + 1][0] = (a * t * p[m][0] - b * p[m - 1][0]) / c;
        p[m + 1][1] = (a * (2.0 * p[m][0] + t * p[m][1]) - b * p[m - 1][1]) / c;
    }
    p
}

/// The value (0) or the slope along x (1) or y (2) of every product at a point.
fn products(which: usize, x: &[f64]) -> [f64; COEFFICIENTS] {
    let (px, py) = (legendre(x[0]), legendre(x[1]));
    std::array::from_fn(|k| {
        let (m, n) = degrees(k);
        px[m][usize::from(which == 1)] * py[n][usize::from(which == 2)]
    })
}

/// Σ θₖ times value or slope of the products.
fn field(which: usize, x: &[f64], p: &[Dual<COEFFICIENTS>; COEFFICIENTS]) -> Dual<COEFFICIENTS> {
    let products = products(which, x);
    p.iter()
        .zip(products)
        .map(|(p, product)| *p * product)
        .sum()
}

impl DiffusionField {
    /// So many values of u with noise of this deviation (u has amplitude 1).
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

    /// −∇·(a∇u) for the truth.
    fn source(x: &[f64]) -> f64 {
        let (sx, cx) = (PI * x[0]).sin_cos();
        let (sy, cy) = (PI * x[1]).sin_cos();
        let u = sx * sy;
        // a = 2 + u: ∇a·∇u = |∇u|²
        let gradient = PI * PI * (cx * cx * sy * sy + sx * sx * cy * cy);
        (2.0 + u) * 2.0 * PI * PI * u - gradient
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
    pub fn problem(&self, measurements: &[f64]) -> InverseProblem<COEFFICIENTS> {
        let forward = LinearProblem::on(BoxDomain::unit(2))
            .equation(0.0 * laplacian(2), Self::source)
            .dirichlet(|_| 0.0);
        let parameters = std::array::from_fn(|k| {
            let (m, n) = degrees(k);
            let start = if k == 0 { 2.0 } else { 0.0 };
            let smooth = 2.0 / (1 + m + n) as f64;
            Parameter::new(format!("a{m}{n}"), start).prior(start, smooth)
        });
        InverseProblem::of(forward, parameters)
            .term(0, -laplacian(2), |x, p| field(0, x, p))
            .term(0, -partial(2, 0), |x, p| field(1, x, p))
            .term(0, -partial(2, 1), |x, p| field(2, x, p))
            .observe(
                Observations::of_values(self.points.clone(), measurements).deviation(self.noise),
            )
            .options(self.options.clone())
    }

    /// The fitted field at a point, with its posterior deviation.
    #[must_use]
    pub fn fitted(fit: &Fit<COEFFICIENTS>, x: f64, y: f64) -> (f64, f64) {
        let products = products(0, &[x, y]);
        let value = products
            .iter()
            .zip(&fit.parameters)
            .map(|(m, p)| m * p)
            .sum();
        (value, fit.posterior.deviation_of(&products))
    }

    /// The relative error ‖a − truth‖/‖truth‖ over a grid of the square.
    #[must_use]
    pub fn error(fit: &Fit<COEFFICIENTS>) -> f64 {
        let (mut difference, mut size) = (0.0, 0.0);
        for i in 0..=40 {
            for j in 0..=40 {
                let (x, y) = (f64::from(i) / 40.0, f64::from(j) / 40.0);
                let truth = Self::truth(x, y);
                difference += (Self::fitted(fit, x, y).0 - truth).powi(2);
                size += truth * truth;
            }
        }
        (difference / size).sqrt()
    }
}
