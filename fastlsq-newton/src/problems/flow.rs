//! Steady Navier–Stokes flow.

use std::f64::consts::PI;
use std::sync::Arc;

use fastlsq_solve::{
    BoxDomain, Condition, Domain, ProblemStatement, SolveError, WALLS, X, Y, cos, div, dot, exp,
    grad, laplacian, sin, unknowns, vector,
};
use ndarray::array;

use super::NonlinearBenchmark;
use crate::NonlinearProblem;

/// Kovasznay's flow behind a grid, Re = 20, on \[−½,1\] × \[−½,3/2\]: velocity given on the boundary,
/// pressure at one point.
#[must_use]
pub fn kovasznay() -> NonlinearBenchmark {
    let reynolds: f64 = 20.0;
    let l = 0.5 * reynolds - (0.25 * reynolds * reynolds + 4.0 * PI * PI).sqrt();
    let along = 1.0 - exp(l * X) * cos(2.0 * PI * Y);
    let across = l / (2.0 * PI) * exp(l * X) * sin(2.0 * PI * Y);
    let pressure = 0.5 * (1.0 - exp(2.0 * l * X));

    let [u, v, p] = unknowns(["u", "v", "p"]);
    let w = vector([u, v]);
    let domain = BoxDomain::new(&[-0.5, -0.5], &[1.0, 1.5]);
    let shared = domain.map(|domain| Arc::new(domain) as Arc<dyn Domain>);
    let statement = ProblemStatement::on_result(shared.map_err(SolveError::from));
    let problem = NonlinearProblem::of(statement)
        .equation(dot(grad(&w), &w) + grad(p), laplacian(&w) / reynolds)
        .equation(div(&w), 0.0)
        .condition(WALLS, &w, [&along, &across])
        // At x = 0 the pressure is ½(1 − e⁰) = 0.
        .with(Condition::at(array![[0.0, 0.5]], p, &[0.0]).named("pressure at a point"));
    let exact = [along, across, pressure];
    NonlinearBenchmark::new(
        "kovasznay",
        "steady Navier–Stokes, Re = 20",
        problem,
        &exact,
    )
}
