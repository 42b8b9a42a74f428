//! Well-posed problems that must not raise an alarm: near resonances, thin boxes, long times, mixed conditions.

use std::f64::consts::PI;

use ndarray::array;

use super::RandomProblem;
use crate::SolveError;
use crate::domain::{BoxDomain, Domain, DomainExt, Interval};
use crate::problem::LinearProblem;
use crate::{Expr, T, X, Y, Z, biharmonic, cos, exp, laplacian, normal_derivative, sin, unknown};

/// −Δ and the like, with the source and the values on all walls that belong to an exact solution.
fn dirichlet(
    domain: impl Domain + 'static,
    operator: impl Fn(Expr) -> Expr,
    exact: &Expr,
) -> LinearProblem {
    let u = unknown("u");
    LinearProblem::on(domain)
        .equation(operator(u.into()), operator(exact.clone()))
        .dirichlet(exact.clone())
}

/// The list.
///
/// # Errors
/// A domain that is not valid.
pub fn controls() -> Result<Vec<RandomProblem>, SolveError> {
    let u = unknown("u");
    let square = || BoxDomain::unit(2);
    let line = |end: f64| Interval::unit().over(0.0, end);
    let sines = sin(PI * X) * sin(PI * Y);
    let cosines = cos(PI * X) * cos(PI * Y);
    let exponential = exp(X + Y);
    let mut all = Vec::new();
    let mut add = |name: &str, problem: LinearProblem, exact: &Expr| {
        all.push(RandomProblem {
            name: name.to_owned(),
            problem,
            exact: exact.clone(),
        });
    };
    let minus = |w: Expr| -laplacian(w);
    add("Poisson, sines", dirichlet(square(), minus, &sines), &sines);
    add(
        "Poisson, exponential",
        dirichlet(square(), minus, &exponential),
        &exponential,
    );
    let fine = sin(8.0 * PI * X) * sin(PI * Y);
    add(
        "Poisson, eight half-waves",
        dirichlet(square(), minus, &fine),
        &fine,
    );
    let waves = sin(7.0 * X) * cos(9.0 * Y);
    add(
        "Helmholtz, k = 20",
        dirichlet(square(), |w| laplacian(&w) + 400.0 * w, &waves),
        &waves,
    );
    let plain = sin(X) * cos(2.0 * Y);
    for (name, off) in [("1 %", 1.01), ("0.1 %", 1.001)] {
        let square_number = 2.0 * PI * PI * off;
        let problem = dirichlet(square(), |w| laplacian(&w) + square_number * w, &plain);
        add(
            &format!("Helmholtz, {name} beside a resonance"),
            problem,
            &plain,
        );
    }
    for (diffusion, end) in [(1.0, 0.5), (1e-2, 1.0)] {
        let exact = exp(-diffusion * PI * PI * T) * sin(PI * X);
        let problem = dirichlet(line(end)?, |w| w.d(T) - diffusion * laplacian(w), &exact)
            .initial_value(exact.clone());
        add(&format!("heat, diffusion {diffusion}"), problem, &exact);
    }
    for end in [1.0, 4.0] {
        let exact = sin(PI * X) * cos(PI * T);
        let problem = dirichlet(line(end)?, |w| w.d(T).d(T) - laplacian(w), &exact)
            .initial_value(sin(PI * X))
            .initial_velocity(0.0);
        add(&format!("wave until {end}"), problem, &exact);
    }
    for end in [1.0, 10.0] {
        let exact = sin(2.0 * PI * (X - T));
        let problem = LinearProblem::on(line(end)?)
            .equation(u.d(T) + u.d(X), 0.0)
            .initial_value(sin(2.0 * PI * X))
            .periodic(X);
        add(&format!("periodic advection until {end}"), problem, &exact);
    }
    let steep = dirichlet(square(), |w| -0.01 * laplacian(&w) + w.d(X), &sines);
    add("advection and little diffusion", steep, &sines);
    let shifted = LinearProblem::on(square())
        .equation(-laplacian(u) + u, (2.0 * PI * PI + 1.0) * &cosines)
        .neumann(0.0);
    add("−Δu + u, Neumann", shifted, &cosines);
    let source = 2.0 * PI * PI * &cosines;
    let free = || {
        LinearProblem::on(square())
            .equation(-laplacian(u), source.clone())
            .neumann(0.0)
    };
    add(
        "Neumann and a value in a table",
        free().data(array![[0.0, 0.0]], &[1.0]),
        &cosines,
    );
    add(
        "Neumann and a value at a point",
        free().value_at(&[0.0, 0.0], 1.0),
        &cosines,
    );
    add("Neumann and a mean", free().mean(0.0), &cosines);
    let quarter = sin(0.5 * PI * X) * cos(PI * Y);
    let mixed = LinearProblem::on(square())
        .equation(-laplacian(u), -laplacian(&quarter))
        .condition(X.lo(), u, 0.0)
        .condition(X.hi(), u.d(X), 0.0)
        .condition(Y.lo(), u.d(Y), 0.0)
        .condition(Y.hi(), u.d(Y), 0.0);
    add("Poisson, one side fixed, three free", mixed, &quarter);
    let robin = LinearProblem::on(square())
        .equation(-laplacian(u), -laplacian(&exponential))
        .robin(1.0, 1.0, &exponential + normal_derivative(&exponential));
    add("Robin", robin, &exponential);
    // −u + ∂u/∂n: 1 is not an eigenvalue of the map from values to fluxes.
    let steklov = LinearProblem::on(square())
        .equation(-laplacian(u), -laplacian(&exponential))
        .robin(-1.0, 1.0, normal_derivative(&exponential) - &exponential);
    add(
        "Robin with the other sign, no resonance",
        steklov,
        &exponential,
    );
    let plate =
        dirichlet(square(), biharmonic, &exponential).neumann(normal_derivative(&exponential));
    add("clamped plate", plate, &exponential);
    let solid = exp(X + Y - Z);
    add(
        "Poisson in 3-D",
        dirichlet(BoxDomain::unit(3), minus, &solid),
        &solid,
    );
    let thin = BoxDomain::new(&[0.0, 0.0], &[1.0, 1e-3])?;
    add(
        "thin box",
        dirichlet(thin, minus, &exponential),
        &exponential,
    );
    let large = BoxDomain::new(&[0.0, 0.0], &[1e6, 1e6])?;
    let slow = exp(1e-6 * (X + Y));
    add("large box", dirichlet(large, minus, &slow), &slow);
    let given = sin(3.0 * X) * exp(Y);
    let itself = LinearProblem::on(square()).equation(u, given.clone());
    add("u itself given", itself, &given);
    let layer = exp((X - 1.0) / 0.02);
    let thin_layer = dirichlet(Interval::unit(), |w| -0.02 * w.d(X).d(X) + w.d(X), &layer);
    add("boundary layer", thin_layer, &layer);
    Ok(all)
}
