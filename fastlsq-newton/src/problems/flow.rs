//! Steady Navier–Stokes flow.

use std::f64::consts::PI;

use fastlsq_solve::{BoxDomain, Condition, identity};
use ndarray::array;

use super::NonlinearBenchmark;
use crate::NonlinearProblem;

/// Kovasznay's flow behind a grid, Re = 20, on \[−½,1\] × \[−½,3/2\]: velocity given on the boundary,
/// pressure at one point.
#[must_use]
pub fn kovasznay() -> NonlinearBenchmark {
    let reynolds: f64 = 20.0;
    let l = 0.5 * reynolds - (0.25 * reynolds * reynolds + 4.0 * PI * PI).sqrt();
    let u = move |x: &[f64]| 1.0 - (l * x[0]).exp() * (2.0 * PI * x[1]).cos();
    let v = move |x: &[f64]| l / (2.0 * PI) * (l * x[0]).exp() * (2.0 * PI * x[1]).sin();
    let p = move |x: &[f64]| 0.5 * (1.0 - (2.0 * l * x[0]).exp());
    let domain = match BoxDomain::new(&[-0.5, -0.5], &[1.0, 1.5]) {
        Ok(domain) => domain,
        Err(_) => BoxDomain::unit(2),
    };
    let pin = [0.0, 0.5];
    let problem = NonlinearProblem::on(domain)
        .unknowns(&["u", "v", "p"])
        .equation(move |w, _| {
            let (u, v, p) = (w.unknown(0), w.unknown(1), w.unknown(2));
            u.value() * u.partial(0) + v.value() * u.partial(1) + p.partial(0)
                - u.laplacian() / reynolds
        })
        .equation(move |w, _| {
            let (u, v, p) = (w.unknown(0), w.unknown(1), w.unknown(2));
            u.value() * v.partial(0) + v.value() * v.partial(1) + p.partial(1)
                - v.laplacian() / reynolds
        })
        .equation(|w, _| w.unknown(0).partial(0) + w.unknown(1).partial(1))
        .dirichlet_for("u", u)
        .dirichlet_for("v", v)
        .with(
            Condition::at(array![[pin[0], pin[1]]], identity(2).on(2, 3), &[p(&pin)])
                .named("pressure at a point"),
        );
    NonlinearBenchmark::new(
        "kovasznay",
        "steady Navier–Stokes, Re = 20",
        problem,
        move |x| vec![u(x), v(x), p(x)],
        move |x| {
            let (e, s, c) = (
                (l * x[0]).exp(),
                (2.0 * PI * x[1]).sin(),
                (2.0 * PI * x[1]).cos(),
            );
            vec![
                vec![-l * e * c, 2.0 * PI * e * s],
                vec![l * l / (2.0 * PI) * e * s, l * e * c],
                vec![-l * e * e, 0.0],
            ]
        },
    )
}
