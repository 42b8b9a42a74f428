//! A slightly crooked rod under load: θ″ + λ sin(θ + ε) = 0. The branch that the straight rod would never take has a fold.
#![allow(clippy::print_stdout)]

use std::f64::consts::PI;
use std::sync::Arc;

use fastlsq_newton::{
    BranchOptions, Interval, LinearProblem, NewtonError, NewtonOptions, NonlinearProblem, Start, X,
    parameter, sin, unknown,
};

/// How crooked it is.
const EPSILON: f64 = 0.02;

fn main() -> Result<(), NewtonError> {
    let (angle, load) = (unknown("θ"), parameter("λ"));
    // Clamped below, free above. A perfect rod buckles at λ = π²/4. Begin beyond, bent the wrong way.
    let bent = LinearProblem::on(Interval::unit())
        .equation(angle, -1.2 * sin(0.5 * PI * X))
        .solve()?;
    let start = NewtonOptions::new().start(Start::From(Arc::new(bent)));
    let branch = NonlinearProblem::on(Interval::unit())
        .equation(angle.d(X).d(X) + load * sin(angle + EPSILON), 0.0)
        .condition("x=lo", angle, 0.0)
        .condition("x=hi", angle.d(X), 0.0)
        .parameter(load, 3.2)
        .follow(
            &BranchOptions::new()
                .first_step(-0.05)
                .within(1.0, 4.0)
                .newton(start),
        )?;
    let tip = |x: &fastlsq_newton::BranchPoint| x.solution.value(&[1.0]);
    for fold in branch.folds() {
        println!(
            "fold at λ = {:.9}, θ(1) = {:.6}",
            fold.parameter,
            tip(fold)?
        );
    }
    #[cfg(feature = "plot")]
    branch
        .figure(("λ", "θ at the tip"), tip)?
        .save("buckling.png")
        .map_err(fastlsq_newton::SolveError::from)?;

    // Koiter: a crooked rod of this kind buckles back near the perfect load, a little above it.
    let perfect = 0.25 * PI * PI;
    assert_eq!(branch.folds().len(), 1);
    assert!((perfect..1.3 * perfect).contains(&branch.folds()[0].parameter));
    Ok(())
}
