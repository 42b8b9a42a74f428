//! Nonlinear problems: iterations, slabs, branches.

use std::sync::Arc;

use fastlsq_newton::{
    BoxDomain, BranchOptions, Continuation, Domain, Expr, NewtonOptions, NonlinearProblem, Slabs,
    SpaceTime, Start, StepForm, T, X, exp, laplacian, ln, parameter, sqrt, unknown,
};

use super::call::{Call, word};
use super::linear::{data, options};
use super::random::Random;

/// A nonlinear problem, solved in one of the ways there are.
pub(super) fn run(random: &mut Random, call: &mut Call) -> String {
    let space = 1 + random.below(2);
    let timed = random.chance(0.3);
    let mut domain: Arc<dyn Domain> = Arc::new(BoxDomain::unit(space));
    if timed {
        let Ok(over) = SpaceTime::new(domain, 0.0, 1.0) else {
            return "no domain".to_owned();
        };
        domain = Arc::new(over);
    }
    let mut problem = NonlinearProblem::on_shared(domain)
        .equation(residual(random, timed), data(random))
        .parameter(parameter("l"), random.number());
    for _ in 0..1 + random.below(2) {
        problem = match random.below(4) {
            0 | 1 => problem.dirichlet(data(random)),
            2 => problem.initial_value(data(random)),
            _ => problem.neumann(data(random)),
        };
    }
    let dim = space + usize::from(timed);
    let newton = newton_options(random, dim);
    let control = newton.solve.control();
    (call.time, call.memory) = (control.time(), control.memory());
    call.describe(&problem);
    call.describe(&newton);
    match random.below(10) {
        0 | 1 => {
            let slabs = random.pick(&[
                Slabs::Automatic,
                Slabs::Count(2),
                Slabs::Count(0),
                Slabs::Length(1e-300),
                Slabs::Length(f64::NAN),
            ]);
            match call.limited(|| problem.solve_in_slabs(slabs, &newton)) {
                Err(error) => format!("slabs: error {}", word(&error)),
                Ok(solution) => {
                    let point: Vec<f64> = (0..dim).map(|_| random.number()).collect();
                    let _ = (solution.value(&point), solution.error_estimate());
                    "slabs".to_owned()
                }
            }
        }
        2 => {
            let branch = BranchOptions::new()
                .first_step(random.number())
                .within(random.number(), random.number())
                .max_points(random.below(5))
                .newton(newton);
            match call.limited(|| problem.follow(&branch)) {
                Err(error) => format!("branch: error {}", word(&error)),
                Ok(found) => format!("branch: {:?}", found.end()),
            }
        }
        _ => match call.limited(|| problem.solve_with(&newton)) {
            Err(error) => {
                let _ = error.to_string();
                format!("error {}", word(&error))
            }
            Ok(solution) => {
                let _ = solution.newton().to_string();
                let finite = solution.coefficients().iter().all(|b| b.is_finite());
                call.refute(!finite, "a coefficient is not finite");
                let estimate = solution.report().error_estimate;
                call.refute(estimate.is_nan(), "the estimate is NaN");
                format!("{:?}", solution.report().status)
            }
        },
    }
}

fn residual(random: &mut Random, timed: bool) -> Expr {
    let (u, l) = (unknown("u"), parameter("l"));
    let number = random.number();
    let steady = match random.below(9) {
        0 => -laplacian(u) + u.powi(3),
        1 => laplacian(u) + l * exp(u),
        2 => laplacian(u) / u,
        3 => ln(u) + laplacian(u),
        4 => sqrt(u) + u.d(X),
        5 => exp(exp(exp(u))) + laplacian(u),
        6 => number * u * u.d(X) - laplacian(u),
        7 => u.powf(1.5) + laplacian(u),
        _ => u * u + number,
    };
    if timed { u.d(T) + steady } else { steady }
}

fn newton_options(random: &mut Random, dim: usize) -> NewtonOptions {
    let mut solve = options(random, dim);
    // The residuals of one block are evaluated in one go: a million of them take longer than these limits.
    if let Some((interior @ 100_001..10_000_000, _)) = &mut solve.rows {
        *interior = 100_000;
    }
    let mut newton = NewtonOptions::new()
        .solve_options(solve)
        .max_iterations(random.pick(&[0, 1, 5, 15]))
        .line_search(random.chance(0.7))
        .march(random.chance(0.5))
        .compress(random.chance(0.2));
    if random.chance(0.1) {
        newton = newton.damping(random.unkind());
    }
    if random.chance(0.1) {
        newton = newton.ridge(random.unkind());
    }
    if random.chance(0.1) {
        newton = newton.change_tolerance(random.unkind());
    }
    if random.chance(0.3) {
        newton = newton.form(StepForm::Increment);
    }
    if random.chance(0.3) {
        newton = newton.start(random.pick(&[Start::Zero, Start::LinearPart, Start::HighestOrder]));
    }
    if random.chance(0.2) {
        let through = vec![random.number(), random.number()];
        let from = random.number();
        newton = newton
            .continuation(random.pick(&[Continuation::Through(through), Continuation::From(from)]));
    }
    newton
}
