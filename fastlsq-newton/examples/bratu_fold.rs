//! Bratu's problem u″ + λeᵘ = 0: the branch of solutions up to its fold and back on the other side.
#![allow(clippy::print_stdout)]

use fastlsq_newton::{
    BranchOptions, Interval, NewtonError, NonlinearProblem, X, exp, parameter, unknown,
};

fn main() -> Result<(), NewtonError> {
    let (u, load) = (unknown("u"), parameter("λ"));
    let branch = NonlinearProblem::on(Interval::unit())
        .equation(u.d(X).d(X) + load * exp(u), 0.0)
        .dirichlet(0.0)
        .parameter(load, 1.0)
        .follow(&BranchOptions::new().first_step(0.3).within(0.5, 4.0))?;

    println!("     λ      u(½)");
    for point in branch.points() {
        println!(
            "{:8.4} {:8.4}",
            point.parameter,
            point.solution.value(&[0.5])?
        );
    }
    #[cfg(feature = "plot")]
    branch.plot("λ", "bratu_fold.png")?;
    for fold in branch.folds() {
        println!("fold at λ = {:.9}", fold.parameter);
        assert!((fold.parameter - 3.513_830_719).abs() < 1e-8);
    }
    assert_eq!(branch.folds().len(), 1);
    Ok(())
}
