//! Evolutions that are best followed in time.

use std::f64::consts::PI;

use faer::c64;
use fastlsq_basis::sampling::{Sequence, UnitSampler};
use fastlsq_solve::{
    Domain, INITIAL, Solution, T, X, cos, exp, laplacian, sech, sin, unknown, unknowns,
};
use ndarray::{Array2, ArrayView1};

use super::NonlinearBenchmark;
use super::evolution::strip;
use super::measure::{TIMES, halved_if, worst};
use super::spectral::{Semilinear, SpectralReference};
use crate::{NewtonError, NonlinearProblem};

/// u_t + u_x = 0 on the circle of length 1, 100 turns.
#[must_use]
pub fn advection_long() -> NonlinearBenchmark {
    let u = unknown("u");
    let exact = exp(sin(2.0 * PI * (X - T)));
    let problem = strip(0.0, 1.0, 100.0)
        .equation(u.d(T) + u.d(X), 0.0)
        .initial_value(exp(sin(2.0 * PI * X)))
        .periodic(X);
    let equation = "u_t + u_x = 0 on the circle of length 1, t ≤ 100";
    NonlinearBenchmark::new("advection-long", equation, problem, &[exact])
}

/// u_t = u_xx on \[0,1\] with u = 0 and 1 at the ends, t ≤ 10.
#[must_use]
pub fn heat_rod_long() -> NonlinearBenchmark {
    let u = unknown("u");
    let mode = |n: f64| exp(-(n * PI).powi(2) * T) * sin(n * PI * X);
    let exact = X + mode(1.0) + 0.5 * mode(3.0);
    let problem = strip(0.0, 1.0, 10.0)
        .equation(u.d(T), laplacian(u))
        .initial_value(&exact)
        .condition(X.lo(), u, 0.0)
        .condition(X.hi(), u, 1.0);
    let equation = "u_t = u_xx on [0,1] × [0,10], u = 0 and 1 at the ends";
    NonlinearBenchmark::new("heat-rod-long", equation, problem, &[exact])
}

/// iψ_t + ½ψ_xx + |ψ|²ψ = 0 on \[−15,15\] × \[0,5\], ψ = u + iv: a soliton that travels ten widths.
#[must_use]
pub fn schroedinger_soliton() -> NonlinearBenchmark {
    let [u, v] = unknowns(["u", "v"]);
    let speed = 2.0;
    let envelope = sech(X + 5.0 - speed * T);
    let phase = speed * X + 0.5 * (1.0 - speed * speed) * T;
    let exact = [&envelope * cos(&phase), &envelope * sin(&phase)];
    let [exact_u, exact_v] = &exact;
    let intensity = u * u + v * v;
    let problem = strip(-15.0, 15.0, 5.0)
        .equation(u.d(T), -0.5 * laplacian(v) - &intensity * v)
        .equation(v.d(T), 0.5 * laplacian(u) + &intensity * u)
        .condition(INITIAL, u, exact_u)
        .condition(INITIAL, v, exact_v)
        .condition(X.lo(), u, exact_u)
        .condition(X.hi(), u, exact_u)
        .condition(X.lo(), v, exact_v)
        .condition(X.hi(), v, exact_v);
    let equation = "iψ_t + ½ψ_xx + |ψ|²ψ = 0 on [−15,15] × [0,5]";
    NonlinearBenchmark::new("schroedinger-soliton", equation, problem, &exact)
}

/// A problem without a solution in closed form, and the same for an independent method.
#[derive(Debug, Clone)]
pub struct Referenced {
    /// The name.
    pub name: &'static str,
    /// The equation in one line.
    pub equation: &'static str,
    /// The problem as the solver sees it.
    pub problem: NonlinearProblem,
    /// The same for Fourier modes.
    pub semilinear: Semilinear,
    /// The last time.
    pub end: f64,
    /// Points, as a power of two, and steps up to the last time that make the reference accurate.
    pub resolution: (u32, usize),
}

/// Points of an interval at each time.
const POINTS: usize = 1000;
/// Points of a domain of several dimensions at each time.
const FIELD_POINTS: usize = 300;

/// Points of an interval, shifted from time to time, so that none has a special place.
fn on_line((lo, hi): (f64, f64), k: usize) -> Array2<f64> {
    let shift = (0.618 * (k + 1) as f64).fract();
    Array2::from_shape_fn((POINTS, 1), |(i, _)| {
        lo + (hi - lo) * (i as f64 + shift) / POINTS as f64
    })
}

impl NonlinearBenchmark {
    /// The worst L2 error over the run at fresh points, relative to the largest norm of the exact solution.
    ///
    /// # Errors
    /// A solution of another problem, or a domain without time.
    pub fn worst_error(&self, solution: &Solution) -> Result<f64, NewtonError> {
        let domain = self.problem.domain();
        let bounds = domain.bounding_box()?;
        let (Some(space), [lo, .., start], [hi, .., end]) =
            (domain.at_one_time(), bounds.lo(), bounds.hi())
        else {
            return Err(NewtonError::NoTime);
        };
        let times: Vec<f64> = (1..=TIMES)
            .map(|k| start + (end - start) * k as f64 / TIMES as f64)
            .collect();
        worst(&times, solution, |k| {
            let points = if space.dim() == 1 {
                on_line((*lo, *hi), k)
            } else {
                let mut sampler = UnitSampler::on_stream(Sequence::Halton, k as u64, 77);
                space.sample_interior(FIELD_POINTS, &mut sampler)?
            };
            let exact = |x: ArrayView1<'_, f64>| {
                let mut point = x.to_vec();
                point.push(times[k]);
                self.exact(&point)
            };
            let truth = points.rows().into_iter().map(exact).collect();
            Ok((points, truth))
        })
    }
}

impl Referenced {
    /// The spectral solution, with half the points and steps if `coarse`, as a check of the other.
    #[must_use]
    pub fn reference(&self, coarse: bool) -> SpectralReference {
        let (level, steps) = halved_if(coarse, self.resolution);
        self.semilinear
            .reference(self.end, TIMES, level, steps / TIMES)
    }

    /// The worst L2 distance from the reference over its times, relative to its largest norm.
    ///
    /// # Errors
    /// A solution of another problem.
    pub fn worst_error(
        &self,
        solution: &Solution,
        reference: &SpectralReference,
    ) -> Result<f64, NewtonError> {
        worst(reference.times(), solution, |k| {
            let points = on_line(self.semilinear.interval, k);
            let value = |x: &f64| vec![reference.value(k, *x)];
            let truth = points.iter().map(value).collect();
            Ok((points, truth))
        })
    }
}

/// u_t = 10⁻⁴u_xx + 5(u − u³) on the circle \[−1,1\], t ≤ 1, from x² cos πx: layers of width 0.01.
#[must_use]
pub fn allen_cahn_layers() -> Referenced {
    let u = unknown("u");
    Referenced {
        name: "allen-cahn",
        equation: "u_t = 1e-4 u_xx + 5(u − u³) on the circle [−1,1], t ≤ 1",
        problem: strip(-1.0, 1.0, 1.0)
            .equation(u.d(T), 1e-4 * laplacian(u) + 5.0 * (u - u.powi(3)))
            .initial_value(X.powi(2) * cos(PI * X))
            .periodic(X),
        semilinear: Semilinear {
            interval: (-1.0, 1.0),
            symbol: |k| 5.0 - 1e-4 * k * k,
            multiplier: |_| c64::new(1.0, 0.0),
            reaction: |u| -5.0 * u * u * u,
            initial: |x| x * x * (PI * x).cos(),
        },
        end: 1.0,
        resolution: (11, 1600),
    }
}

/// u_t + uu_x + u_xx + u_xxxx = 0 on the circle of length 32π, t ≤ 50: chaos.
#[must_use]
pub fn kuramoto_sivashinsky() -> Referenced {
    let u = unknown("u");
    let fourth = u.d(X).d(X).d(X).d(X);
    Referenced {
        name: "kuramoto-sivashinsky",
        equation: "u_t + u u_x + u_xx + u_xxxx = 0 on the circle of length 32π, t ≤ 50",
        problem: strip(0.0, 32.0 * PI, 50.0)
            .equation(u.d(T) + u * u.d(X) + u.d(X).d(X) + fourth, 0.0)
            .initial_value(cos(X / 16.0) * (1.0 + sin(X / 16.0)))
            .periodic(X),
        semilinear: Semilinear {
            interval: (0.0, 32.0 * PI),
            symbol: |k| k * k - k.powi(4),
            multiplier: |k| c64::new(0.0, -0.5 * k),
            reaction: |u| u * u,
            initial: |x| (x / 16.0).cos() * (1.0 + (x / 16.0).sin()),
        },
        end: 50.0,
        resolution: (9, 4800),
    }
}
