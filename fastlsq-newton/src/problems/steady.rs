//! Steady problems: the paper's five.

use std::f64::consts::PI;

use fastlsq_solve::{BoxDomain, Interval};

use super::{NonlinearBenchmark, Protocol};
use crate::NonlinearProblem;

fn bump(x: &[f64]) -> f64 {
    (PI * x[0]).sin() * (PI * x[1]).sin()
}

fn bump_gradient(x: &[f64]) -> Vec<Vec<f64>> {
    let (a, b) = (PI * x[0], PI * x[1]);
    vec![vec![PI * a.cos() * b.sin(), PI * a.sin() * b.cos()]]
}

fn square_protocol(sigma: f64) -> Protocol {
    Protocol {
        sigma,
        rows: (5_000, 1_000),
        weight: 100.0,
        iterations: 30,
        continuation: Vec::new(),
    }
}

fn interval_protocol(sigma: f64, iterations: usize, continuation: &[f64]) -> Protocol {
    Protocol {
        sigma,
        rows: (3_000, 200),
        weight: 200.0,
        iterations,
        continuation: continuation.to_vec(),
    }
}

/// −Δu + u³ = f on the unit square; u = sin πx sin πy.
#[must_use]
pub fn nl_poisson_2d() -> NonlinearBenchmark {
    let problem = NonlinearProblem::on(BoxDomain::unit(2))
        .equation(|u, x| {
            let exact = bump(x);
            -u.laplacian() + u.value().powi(3) - (2.0 * PI * PI * exact + exact.powi(3))
        })
        .dirichlet(|_: &[f64]| 0.0);
    NonlinearBenchmark::new(
        "nl-poisson-2d",
        "−Δu + u³ = f on [0,1]²",
        problem,
        |x| vec![bump(x)],
        bump_gradient,
    )
    .with_protocol(square_protocol(3.0))
}

/// −Δu − λ eᵘ = f on the unit square, λ = 1; u = sin πx sin πy.
#[must_use]
pub fn bratu_2d() -> NonlinearBenchmark {
    let problem = NonlinearProblem::on(BoxDomain::unit(2))
        .parameter("λ", 1.0)
        .equation(|u, x| {
            let exact = bump(x);
            -u.laplacian() - u.parameter() * u.value().exp() - (2.0 * PI * PI * exact - exact.exp())
        })
        .dirichlet(|_: &[f64]| 0.0);
    NonlinearBenchmark::new(
        "bratu-2d",
        "−Δu − eᵘ = f on [0,1]²",
        problem,
        |x| vec![bump(x)],
        bump_gradient,
    )
    .with_protocol(square_protocol(2.0))
}

/// u u′ − ν u″ = f on \[0,1\], ν = 0.1; u = sin 2πx. The source stays that of ν = 0.1 when ν moves.
#[must_use]
pub fn steady_burgers_1d() -> NonlinearBenchmark {
    let tau = 2.0 * PI;
    let source = move |x: f64| PI * (2.0 * tau * x).sin() + 0.1 * tau * tau * (tau * x).sin();
    let problem = NonlinearProblem::on(Interval::unit())
        .parameter("ν", 0.1)
        .equation(move |u, x| {
            u.value() * u.partial(0) - u.parameter() * u.partial_order(0, 2) - source(x[0])
        })
        .dirichlet(|_: &[f64]| 0.0);
    NonlinearBenchmark::new(
        "steady-burgers-1d",
        "u u′ − 0.1 u″ = f on [0,1]",
        problem,
        move |x| vec![(tau * x[0]).sin()],
        move |x| vec![vec![tau * (tau * x[0]).cos()]],
    )
    .with_protocol(interval_protocol(10.0, 12, &[1.0, 0.5, 0.2]))
}

/// As [`steady_burgers_1d`], but with the source of the present ν: u = sin 2πx then solves every stage
/// of a continuation in ν, as in the paper's own experiment.
#[must_use]
pub fn steady_burgers_1d_exact_source() -> NonlinearBenchmark {
    let tau = 2.0 * PI;
    let mut benchmark = steady_burgers_1d();
    benchmark.name = "steady-burgers-1d-exact-source";
    benchmark.problem = NonlinearProblem::on(Interval::unit())
        .parameter("ν", 0.1)
        .equation(move |u, x| {
            let source =
                PI * (2.0 * tau * x[0]).sin() + u.parameter() * (tau * tau * (tau * x[0]).sin());
            u.value() * u.partial(0) - u.parameter() * u.partial_order(0, 2) - source
        })
        .dirichlet(|_: &[f64]| 0.0);
    benchmark
}

/// Δu + k²u + αu³ = f on the unit square, k = 3, α = ½; u = sin kx sin ky.
#[must_use]
pub fn nl_helmholtz_2d() -> NonlinearBenchmark {
    let (k, alpha) = (3.0, 0.5);
    let exact = move |x: &[f64]| (k * x[0]).sin() * (k * x[1]).sin();
    let problem = NonlinearProblem::on(BoxDomain::unit(2))
        .equation(move |u, x| {
            let v = exact(x);
            u.laplacian() + k * k * u.value() + alpha * u.value().powi(3)
                - (-k * k * v + alpha * v.powi(3))
        })
        .dirichlet(exact);
    NonlinearBenchmark::new(
        "nl-helmholtz-2d",
        "Δu + 9u + ½u³ = f on [0,1]²",
        problem,
        move |x| vec![exact(x)],
        move |x| {
            let (a, b) = (k * x[0], k * x[1]);
            vec![vec![k * a.cos() * b.sin(), k * a.sin() * b.cos()]]
        },
    )
    .with_protocol(square_protocol(5.0))
}

/// ε u″ + u − u³ = f on \[0,1\], ε = 0.1; u = sin πx.
#[must_use]
pub fn allen_cahn_1d() -> NonlinearBenchmark {
    let epsilon = 0.1;
    let problem = NonlinearProblem::on(Interval::unit())
        .equation(move |u, x| {
            let v = (PI * x[0]).sin();
            epsilon * u.partial_order(0, 2) + u.value()
                - u.value().powi(3)
                - ((1.0 - epsilon * PI * PI) * v - v.powi(3))
        })
        .dirichlet(|_: &[f64]| 0.0);
    NonlinearBenchmark::new(
        "allen-cahn-1d",
        "0.1 u″ + u − u³ = f on [0,1]",
        problem,
        |x| vec![(PI * x[0]).sin()],
        |x| vec![vec![PI * (PI * x[0]).cos()]],
    )
    .with_protocol(interval_protocol(3.0, 30, &[]))
}
