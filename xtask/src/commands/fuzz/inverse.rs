//! Inverse problems: statements and fits.

use fastlsq_inverse::{
    BoxDomain, FitOptions, InverseProblem, Observations, Sought, X, laplacian, parameter, unknown,
};
use fastlsq_solve::ndarray::Array2;

use super::call::{Call, word};
use super::linear::{data, options};
use super::random::Random;

/// Two numbers sought from a few observations.
pub(super) fn run(random: &mut Random, call: &mut Call) -> String {
    let (u, a, b) = (unknown("u"), parameter("a"), parameter("b"));
    let left = match random.below(3) {
        0 => -laplacian(u),
        1 => -laplacian(u) + a * u,
        _ => -a * laplacian(u) + b * u.d(X),
    };
    let second = if random.chance(0.95) { "b" } else { "a" };
    let mut problem = InverseProblem::on(BoxDomain::unit(2))
        .equation(left, a * data(random) + b)
        .dirichlet(data(random))
        .find(sought(random, "a"))
        .find(sought(random, second));
    let count = random.below(6);
    let columns = if random.chance(0.9) { 2 } else { 3 };
    let points = Array2::from_shape_fn((count, columns), |_| {
        if random.chance(0.97) {
            random.unit()
        } else {
            random.unkind()
        }
    });
    let values: Vec<f64> = (0..count).map(|_| random.number()).collect();
    let mut observations = Observations::of(u, points, &values);
    if random.chance(0.6) {
        observations = observations.deviation(if random.chance(0.8) {
            0.1
        } else {
            random.unkind()
        });
    }
    problem = problem.observe(observations).options(options(random, 2));
    (call.time, call.memory) = (problem.control().time(), problem.control().memory());
    let mut fit = FitOptions::new().max_iterations(random.below(30) as u64);
    if random.chance(0.2) {
        fit = fit.further_starts(random.below(4));
    }
    if random.chance(0.2) {
        fit = fit.lbfgsb();
    }
    if random.chance(0.1) {
        fit = fit.tempering(&[random.number()]);
    }
    if random.chance(0.1) {
        fit = fit.starting_at(&[random.number(), random.number()]);
    }
    call.describe(&problem);
    call.describe(&fit);
    match call.limited(|| problem.fit_with(&fit)) {
        Err(error) => {
            let _ = error.to_string();
            format!("error {}", word(&error))
        }
        Ok(found) => {
            let _ = (
                found.to_string(),
                found.interval(random.below(3), random.number()),
            );
            let finite = found.parameters.iter().all(|p| p.is_finite());
            call.refute(!finite, "a parameter is not finite");
            if found.stopped.is_some() {
                "stopped"
            } else {
                "fitted"
            }
            .to_owned()
        }
    }
}

fn sought(random: &mut Random, name: &str) -> Sought {
    let mut sought = Sought::new(parameter(name), random.number());
    if random.chance(0.6) {
        sought = sought.within(random.number(), random.number());
    }
    if random.chance(0.2) {
        sought = sought.prior(random.number(), random.number());
    }
    if random.chance(0.1) {
        sought = sought.unit(random.number());
    }
    sought
}
