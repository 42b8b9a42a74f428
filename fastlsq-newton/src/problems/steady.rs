//! Steady problems: the paper's five, and one in eight dimensions.

use std::f64::consts::PI;

use fastlsq_solve::{
    BoxDomain, Expr, Interval, X, Y, axis, exp, laplacian, parameter, sin, unknown,
};

use super::{NonlinearBenchmark, Protocol};
use crate::NonlinearProblem;

fn bump() -> Expr {
    sin(PI * X) * sin(PI * Y)
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
    let (u, exact) = (unknown("u"), bump());
    let problem = NonlinearProblem::on(BoxDomain::unit(2))
        .equation(
            -laplacian(u) + u.powi(3),
            2.0 * PI * PI * &exact + exact.powi(3),
        )
        .dirichlet(0.0);
    NonlinearBenchmark::new("nl-poisson-2d", "−Δu + u³ = f on [0,1]²", problem, &[exact])
        .with_protocol(square_protocol(3.0))
}

/// −Δu − λ eᵘ = f on the unit square, λ = 1; u = sin πx sin πy.
#[must_use]
pub fn bratu_2d() -> NonlinearBenchmark {
    let (u, load, exact) = (unknown("u"), parameter("λ"), bump());
    let problem = NonlinearProblem::on(BoxDomain::unit(2))
        .equation(
            -laplacian(u) - load * exp(u),
            2.0 * PI * PI * &exact - exp(&exact),
        )
        .dirichlet(0.0)
        .parameter(load, 1.0);
    NonlinearBenchmark::new("bratu-2d", "−Δu − eᵘ = f on [0,1]²", problem, &[exact])
        .with_protocol(square_protocol(2.0))
}

/// u u′ − ν u″ with ν = 0.1, and its source for u = sin 2πx at this viscosity.
fn burgers_with_source(viscosity: impl Into<Expr>) -> (NonlinearProblem, Expr) {
    let (u, nu) = (unknown("u"), parameter("ν"));
    let exact = sin(2.0 * PI * X);
    let source = PI * sin(4.0 * PI * X) + viscosity.into() * 4.0 * PI * PI * &exact;
    let problem = NonlinearProblem::on(Interval::unit())
        .equation(u * u.d(X) - nu * u.d(X).d(X), source)
        .dirichlet(0.0)
        .parameter(nu, 0.1);
    (problem, exact)
}

/// u u′ − ν u″ = f on \[0,1\], ν = 0.1; u = sin 2πx. The source stays that of ν = 0.1 when ν moves.
#[must_use]
pub fn steady_burgers_1d() -> NonlinearBenchmark {
    let (problem, exact) = burgers_with_source(0.1);
    let equation = "u u′ − 0.1 u″ = f on [0,1]";
    NonlinearBenchmark::new("steady-burgers-1d", equation, problem, &[exact])
        .with_protocol(interval_protocol(10.0, 12, &[1.0, 0.5, 0.2]))
}

/// As [`steady_burgers_1d`], but with the source of the present ν: u = sin 2πx then solves every stage
/// of a continuation in ν, as in the paper's own experiment.
#[must_use]
pub fn steady_burgers_1d_exact_source() -> NonlinearBenchmark {
    let mut benchmark = steady_burgers_1d();
    benchmark.name = "steady-burgers-1d-exact-source";
    (benchmark.problem, _) = burgers_with_source(parameter("ν"));
    benchmark
}

/// Δu + k²u + αu³ = f on the unit square, k = 3, α = ½; u = sin kx sin ky.
#[must_use]
pub fn nl_helmholtz_2d() -> NonlinearBenchmark {
    let (u, k, alpha) = (unknown("u"), 3.0, 0.5);
    let exact = sin(k * X) * sin(k * Y);
    let problem = NonlinearProblem::on(BoxDomain::unit(2))
        .equation(
            laplacian(u) + k * k * u + alpha * u.powi(3),
            -k * k * &exact + alpha * exact.powi(3),
        )
        .dirichlet(&exact);
    let equation = "Δu + 9u + ½u³ = f on [0,1]²";
    NonlinearBenchmark::new("nl-helmholtz-2d", equation, problem, &[exact])
        .with_protocol(square_protocol(5.0))
}

/// ε u″ + u − u³ = f on \[0,1\], ε = 0.1; u = sin πx.
#[must_use]
pub fn allen_cahn_1d() -> NonlinearBenchmark {
    let (u, epsilon) = (unknown("u"), 0.1);
    let exact = sin(PI * X);
    let problem = NonlinearProblem::on(Interval::unit())
        .equation(
            epsilon * laplacian(u) + u - u.powi(3),
            (1.0 - epsilon * PI * PI) * &exact - exact.powi(3),
        )
        .dirichlet(0.0);
    let equation = "0.1 u″ + u − u³ = f on [0,1]";
    NonlinearBenchmark::new("allen-cahn-1d", equation, problem, &[exact])
        .with_protocol(interval_protocol(3.0, 30, &[]))
}

/// −Δu + u³ = f on \[0,1\]⁸; u = sin(½ Σxᵢ), a function of one direction.
#[must_use]
pub fn nonlinear_8d() -> NonlinearBenchmark {
    let u = unknown("u");
    let sum: Expr = (0..8).map(axis).map(Expr::from).sum();
    let exact = sin(0.5 * sum);
    let problem = NonlinearProblem::on(BoxDomain::unit(8))
        .equation(-laplacian(u) + u.powi(3), 2.0 * &exact + exact.powi(3))
        .dirichlet(&exact);
    NonlinearBenchmark::new("nonlinear-8d", "−Δu + u³ = f on [0,1]⁸", problem, &[exact])
}
