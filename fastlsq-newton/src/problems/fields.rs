//! Evolutions in several space dimensions.

use std::f64::consts::PI;
use std::sync::Arc;

use fastlsq_solve::{
    Ball, BoxDomain, Domain, DomainError, DomainExt, Expr, INITIAL, ProblemStatement, Solution,
    SolveError, SpaceTime, T, X, Y, Z, cos, exp, laplacian, sin, unknown, unknowns,
};
use ndarray::Array2;

use super::NonlinearBenchmark;
use super::measure::{TIMES, halved_if, worst};
use super::reaction::{PlaneReaction, PlaneReference};
use crate::{NewtonError, NonlinearProblem};

/// A problem on a domain; bad numbers surface when it is solved.
fn on(domain: Result<SpaceTime, DomainError>) -> NonlinearProblem {
    let shared = domain.map(|domain| Arc::new(domain) as Arc<dyn Domain>);
    NonlinearProblem::of(ProblemStatement::on_result(
        shared.map_err(SolveError::from),
    ))
}

/// The first zero of J₃.
const ZERO: f64 = 6.380_161_895_923_984;

/// J₃(kr) cos 3θ as a power series in x and y: Re(x + iy)³ Σ (−1)ᵐ (k/2)^{2m+3} r^{2m} / (m! (m + 3)!).
fn bessel_mode(k: f64) -> Expr {
    let square = X.powi(2) + Y.powi(2);
    let mut sum = Expr::from(0.0);
    for m in (1..=26).rev() {
        let m = f64::from(m);
        let factor = -(0.5 * k).powi(2) / (m * (m + 3.0));
        sum = factor * &square * (1.0 + sum);
    }
    let angle = X.powi(3) - 3.0 * X * Y.powi(2);
    (0.5 * k).powi(3) / 6.0 * angle * (1.0 + sum)
}

/// u_tt = Δu on the unit disc, u = 0 on the rim: a Bessel mode with three nodal lines over 20 periods.
#[must_use]
pub fn wave_disc() -> NonlinearBenchmark {
    let u = unknown("u");
    let mode = bessel_mode(ZERO);
    let exact = &mode * cos(ZERO * T);
    let problem = on(Ball::unit(2).over(0.0, 40.0 * PI / ZERO))
        .equation(u.d(T).d(T), laplacian(u))
        .initial_value(mode)
        .initial_velocity(0.0)
        .dirichlet(0.0);
    let equation = "u_tt = Δu on the unit disc, 20 periods of a Bessel mode";
    NonlinearBenchmark::new("wave-disc", equation, problem, &[exact])
}

/// u_t = Δu on the unit cube, u = 0 on its faces, t ≤ 0.1.
#[must_use]
pub fn heat_box_3d() -> NonlinearBenchmark {
    let u = unknown("u");
    let mode = |n: [f64; 3]| {
        let rate = n.iter().map(|n| (n * PI).powi(2)).sum::<f64>();
        exp(-rate * T) * sin(n[0] * PI * X) * sin(n[1] * PI * Y) * sin(n[2] * PI * Z)
    };
    let exact = mode([1.0, 1.0, 1.0]) + 0.5 * mode([2.0, 1.0, 3.0]);
    let problem = on(BoxDomain::unit(3).over(0.0, 0.1))
        .equation(u.d(T), laplacian(u))
        .initial_value(&exact)
        .dirichlet(0.0);
    let equation = "u_t = Δu on the unit cube, t ≤ 0.1";
    NonlinearBenchmark::new("heat-box-3d", equation, problem, &[exact])
}

/// Feed, kill, diffusion of both species, the side of the square, and the last time.
const FEED: f64 = 0.04;
const KILL: f64 = 0.06;
const DIFFUSION: [f64; 2] = [2e-5, 1e-5];
const SIDE: f64 = 0.2;
const END: f64 = 200.0;

/// A bump of height 1 in the middle of the periodic square.
fn bump(x: f64, y: f64) -> f64 {
    let shape = |x: f64| (PI * x / SIDE).sin().powi(2);
    (4.0 * (shape(x) * shape(y) - 1.0)).exp()
}

/// A problem of the plane without a solution in closed form, and the same for an independent method.
#[derive(Debug, Clone)]
pub struct ReferencedPlane {
    /// The name.
    pub name: &'static str,
    /// The equation in one line.
    pub equation: &'static str,
    /// The problem as the solver sees it.
    pub problem: NonlinearProblem,
    /// The same for Fourier modes.
    pub reaction: PlaneReaction,
    /// The last time.
    pub end: f64,
    /// Points along an axis, as a power of two, and steps up to the last time that make the reference accurate.
    pub resolution: (u32, usize),
}

/// About this many points of the reference along each axis are compared.
const ACROSS: usize = 16;

impl ReferencedPlane {
    /// The spectral solution, with half the points and steps if `coarse`, as a check of the other.
    #[must_use]
    pub fn reference(&self, coarse: bool) -> PlaneReference {
        let (level, steps) = halved_if(coarse, self.resolution);
        self.reaction
            .reference(self.end, TIMES, level, steps / TIMES)
    }

    /// The worst L2 distance from the reference over its times, relative to its largest norm, both species together.
    ///
    /// # Errors
    /// A solution of another problem.
    pub fn worst_error(
        &self,
        solution: &Solution,
        reference: &PlaneReference,
    ) -> Result<f64, NewtonError> {
        worst(reference.times(), solution, |k| {
            let (places, truth): (Vec<_>, Vec<_>) = reference
                .sampled(k, ACROSS)
                .map(|(x, y, values)| ([x, y], values.to_vec()))
                .unzip();
            Ok((Array2::from(places), truth))
        })
    }
}

/// The Gray–Scott system u_t = D_uΔu − uv² + F(1 − u), v_t = D_vΔv + uv² − (F + k)v on a periodic square: a spot that becomes a ring.
#[must_use]
pub fn gray_scott() -> ReferencedPlane {
    let [u, v] = unknowns(["u", "v"]);
    let shape = |x: Expr| sin(PI / SIDE * x).powi(2);
    let spot = exp(4.0 * (shape(X.into()) * shape(Y.into()) - 1.0));
    let square = BoxDomain::new(&[0.0; 2], &[SIDE; 2]).and_then(|square| square.over(0.0, END));
    let meeting = u * v * v;
    let problem = on(square)
        .equation(
            u.d(T),
            DIFFUSION[0] * laplacian(u) - &meeting + FEED * (1.0 - u),
        )
        .equation(
            v.d(T),
            DIFFUSION[1] * laplacian(v) + &meeting - (FEED + KILL) * v,
        )
        .condition(INITIAL, u, 1.0 - 0.5 * &spot)
        .condition(INITIAL, v, 0.5 * &spot)
        .periodic(X)
        .periodic(Y);
    ReferencedPlane {
        name: "gray-scott",
        equation: "u_t = 2e-5 Δu − uv² + 0.04(1 − u), v_t = 1e-5 Δv + uv² − 0.1v on the periodic square of side 0.2, t ≤ 200",
        problem,
        reaction: PlaneReaction {
            side: SIDE,
            diffusion: DIFFUSION,
            decay: [FEED, FEED + KILL],
            reaction: |u, v| [FEED - u * v * v, u * v * v],
            initial: |x, y| {
                let spot = bump(x, y);
                [1.0 - 0.5 * spot, 0.5 * spot]
            },
        },
        end: END,
        resolution: (7, 800),
    }
}
