//! Data sets with known laws, generated from formulas that have nothing to do with the method.

mod burgers;
mod chaos;
mod flows;
mod grids;

pub use chaos::ScatteredChaos;
pub use grids::{GridDataSet, GridOutcome, KnownLaw};

use std::f64::consts::PI;

use fastlsq_basis::sampling::UnitSampler;
use ndarray::Array2;

use crate::{Dictionary, DiscoveryError, Samples};

/// A field with a known law, a box to sample it in and a library of candidate terms.
#[derive(Debug, Clone)]
pub struct DataSet {
    /// A short name.
    pub name: &'static str,
    /// Names of the coordinates.
    pub axes: Vec<&'static str>,
    /// The derivative on the left-hand side.
    pub target: &'static str,
    /// The candidate terms.
    pub terms: Vec<&'static str>,
    /// The terms of the law with their coefficients.
    pub law: Vec<(&'static str, f64)>,
    /// Lower corner of the box.
    pub lower: Vec<f64>,
    /// Upper corner of the box.
    pub upper: Vec<f64>,
    /// The field itself.
    pub exact: fn(&[f64]) -> f64,
}

impl DataSet {
    /// u = e^{−x/2} sin 2x on [0, length]: u″ = −4.25 u − u′ (paper, discovery experiment), with the
    /// ten polynomials of degree up to three in u and u′ as library.
    #[must_use]
    pub fn damped_oscillator(length: f64) -> Self {
        Self {
            name: "damped oscillator",
            axes: vec!["x"],
            target: "u_xx",
            terms: vec![
                "1", "u", "u_x", "u^2", "u u_x", "u_x^2", "u^3", "u^2 u_x", "u u_x^2", "u_x^3",
            ],
            law: vec![("u", -4.25), ("u_x", -1.0)],
            lower: vec![0.0],
            upper: vec![length],
            exact: |x| (-0.5 * x[0]).exp() * (2.0 * x[0]).sin(),
        }
    }

    /// u″ = e^{−x/2}(−3.75 sin 2x − 2 cos 2x) of the [damped oscillator](Self::damped_oscillator).
    #[must_use]
    pub fn damped_oscillator_curvature(x: f64) -> f64 {
        (-0.5 * x).exp() * (-3.75 * (2.0 * x).sin() - 2.0 * (2.0 * x).cos())
    }

    /// Three decaying modes of u_t = 0.1 u_xx on [0, 1]².
    #[must_use]
    pub fn heat() -> Self {
        Self {
            name: "heat",
            axes: vec!["x", "t"],
            target: "u_t",
            terms: evolution_terms(),
            law: vec![("u_xx", 0.1)],
            lower: vec![0.0, 0.0],
            upper: vec![1.0, 1.0],
            exact: |p| {
                [1.0, -0.8, 0.6]
                    .iter()
                    .zip([1.0, 2.0, 3.0])
                    .map(|(a, k)| {
                        a * (-0.1 * (k * PI).powi(2) * p[1]).exp() * (k * PI * p[0]).sin()
                    })
                    .sum()
            },
        }
    }

    /// u_t = −u u_x + 0.1 u_xx from −sin πx, on [−1, 1] × [0, 1], by the Cole–Hopf transform.
    #[must_use]
    pub fn burgers() -> Self {
        Self {
            name: "Burgers",
            axes: vec!["x", "t"],
            target: "u_t",
            terms: evolution_terms(),
            law: vec![("u u_x", -1.0), ("u_xx", 0.1)],
            lower: vec![-1.0, 0.0],
            upper: vec![1.0, 1.0],
            exact: |p| burgers::cole_hopf(p[0], p[1], 0.1),
        }
    }

    /// Two solitons of u_t = −6 u u_x − u_xxx passing through each other, on [−6, 6] × [−2, 2].
    #[must_use]
    pub fn korteweg_de_vries() -> Self {
        Self {
            name: "KdV two-soliton",
            axes: vec!["x", "t"],
            target: "u_t",
            terms: evolution_terms(),
            law: vec![("u u_x", -6.0), ("u_xxx", -1.0)],
            lower: vec![-6.0, -2.0],
            upper: vec![6.0, 2.0],
            exact: |p| two_solitons(p[0], p[1]),
        }
    }

    /// Two standing modes of u_tt = u_xx − 4 u on [0, 1] × [0, 2].
    #[must_use]
    pub fn klein_gordon() -> Self {
        Self {
            name: "Klein–Gordon",
            axes: vec!["x", "t"],
            target: "u_tt",
            terms: vec![
                "1", "u", "u^2", "u^3", "u_x", "u_t", "u u_x", "u u_t", "u_xx", "u u_xx",
            ],
            law: vec![("u", -4.0), ("u_xx", 1.0)],
            lower: vec![0.0, 0.0],
            upper: vec![1.0, 2.0],
            exact: |p| {
                [(1.0, 1.0, 0.3), (2.0, 0.7, 1.2)]
                    .iter()
                    .map(|(k, a, phase)| {
                        let omega = ((k * PI).powi(2) + 4.0).sqrt();
                        a * (omega * p[1] + phase).cos() * (k * PI * p[0]).sin()
                    })
                    .sum()
            },
        }
    }

    /// Every data set of this module.
    #[must_use]
    pub fn all() -> Vec<Self> {
        vec![
            Self::damped_oscillator(2.0 * PI),
            Self::heat(),
            Self::burgers(),
            Self::korteweg_de_vries(),
            Self::klein_gordon(),
        ]
    }

    /// The library as a dictionary.
    ///
    /// # Errors
    /// Terms that cannot be read, if `terms` was changed.
    pub fn library(&self) -> Result<Dictionary, DiscoveryError> {
        Dictionary::parse(&self.axes, &self.terms)
    }

    /// The true coefficient of every term of a dictionary, by name.
    #[must_use]
    pub fn coefficient(&self, library: &Dictionary, term: usize) -> f64 {
        let name = library.terms().get(term).map_or("", |term| term.name());
        self.law
            .iter()
            .find(|(text, _)| library.read(text).is_ok_and(|term| term.name() == name))
            .map_or(0.0, |(_, c)| *c)
    }

    /// Points spread at random over the box (equally spaced on a line).
    #[must_use]
    pub fn points(&self, count: usize, seed: u64) -> Array2<f64> {
        let dim = self.axes.len();
        let unit = if dim == 1 {
            let last = count.saturating_sub(1).max(1) as f64;
            Array2::from_shape_fn((count, 1), |(i, _)| i as f64 / last)
        } else {
            UnitSampler::independent(seed).points(count, dim)
        };
        Array2::from_shape_fn((count, dim), |(i, k)| self.coordinate(k, unit[(i, k)]))
    }

    /// The coordinate at a share of the way through the box along an axis.
    fn coordinate(&self, axis: usize, share: f64) -> f64 {
        let corner = |corner: &[f64], or| corner.get(axis).copied().unwrap_or(or);
        let (lower, upper) = (corner(&self.lower, 0.0), corner(&self.upper, 1.0));
        lower + (upper - lower) * share
    }

    /// Points of a tensor grid with these counts along the axes (1 where there is none); the last axis
    /// varies fastest.
    #[must_use]
    pub fn grid(&self, counts: &[usize]) -> Array2<f64> {
        let counts: Vec<usize> = (0..self.axes.len())
            .map(|k| counts.get(k).copied().unwrap_or(1))
            .collect();
        let total = counts.iter().product();
        Array2::from_shape_fn((total, counts.len()), |(i, k)| {
            let inner: usize = counts.iter().skip(k + 1).product();
            let place = (i / inner) % counts[k];
            let last = counts[k].saturating_sub(1).max(1) as f64;
            self.coordinate(k, place as f64 / last)
        })
    }

    /// The field at these points plus independent normal noise of standard deviation `noise`.
    ///
    /// # Errors
    /// As [`Samples::new`].
    pub fn sample_at(
        &self,
        points: Array2<f64>,
        noise: f64,
        seed: u64,
    ) -> Result<Samples, DiscoveryError> {
        let errors =
            UnitSampler::on_stream(fastlsq_basis::sampling::Sequence::Independent, seed, 1)
                .normals(points.nrows(), 1);
        let values = points
            .rows()
            .into_iter()
            .zip(errors.iter())
            .map(|(p, e)| (self.exact)(&p.to_vec()) + noise * e)
            .collect();
        Samples::new(points, values)
    }

    /// `count` samples at [`points`](Self::points) with noise of standard deviation `noise`.
    ///
    /// # Errors
    /// As [`Samples::new`].
    pub fn sample(&self, count: usize, noise: f64, seed: u64) -> Result<Samples, DiscoveryError> {
        self.sample_at(self.points(count, seed), noise, seed)
    }

    /// Root mean square of the field over its box.
    #[must_use]
    pub fn rms(&self) -> f64 {
        let points = self.points(4000, 12_345);
        let values: Vec<f64> = points
            .rows()
            .into_iter()
            .map(|p| (self.exact)(&p.to_vec()))
            .collect();
        crate::samples::rms(&values)
    }
}

/// The library of the evolution equations.
fn evolution_terms() -> Vec<&'static str> {
    vec![
        "u", "u^2", "u^3", "u_x", "u u_x", "u^2 u_x", "u_xx", "u u_xx", "u_xxx", "u u_xxx",
    ]
}

/// 2 (log F)_xx with F = 1 + e^{θ₁} + e^{θ₂} + A e^{θ₁+θ₂}, θᵢ = kᵢx − kᵢ³t − ½ log A (Hirota),
/// A = ((k₁ − k₂)/(k₁ + k₂))²; the solitons meet at x = t = 0.
///
/// e^{−(θ₁+θ₂)/2} F ∝ cosh p + cosh(q)/√A with p, q half the sum and difference of the phases.
fn two_solitons(x: f64, t: f64) -> f64 {
    let (k1, k2): (f64, f64) = (0.8, 1.3);
    let root = (k2 - k1) / (k1 + k2);
    let (s, d) = (0.5 * (k1 + k2), 0.5 * (k2 - k1));
    let (first, second) = (k1 * x - k1.powi(3) * t, k2 * x - k2.powi(3) * t);
    let (p, q) = (0.5 * (first + second), 0.5 * (second - first));
    let f = root * p.cosh() + q.cosh();
    let fx = root * s * p.sinh() + d * q.sinh();
    let fxx = root * s * s * p.cosh() + d * d * q.cosh();
    2.0 * (f * fxx - fx * fx) / (f * f)
}
