//! Bratu's problem u″ + λeᵘ = 0: the branch of solutions up to its fold and back on the other side.
#![allow(clippy::print_stdout)]

use fastlsq_newton::{
    BranchOptions, Interval, NewtonError, NonlinearProblem, X, exp, parameter, unknown,
};

const COLUMNS: usize = 64;
const LINES: usize = 22;

fn main() -> Result<(), NewtonError> {
    let (u, load) = (unknown("u"), parameter("λ"));
    let branch = NonlinearProblem::on(Interval::unit())
        .equation(u.d(X).d(X) + load * exp(u), 0.0)
        .dirichlet(0.0)
        .parameter(load, 1.0)
        .follow(&BranchOptions::new().first_step(0.3).within(0.5, 4.0))?;

    let mut plot = vec![vec![' '; COLUMNS + 1]; LINES + 1];
    let mut mark = |load: f64, middle: f64, sign: char| {
        let column = (load / 4.0 * COLUMNS as f64).round() as usize;
        let line = (middle / 5.5 * LINES as f64).round() as usize;
        if let Some(cell) = plot
            .get_mut(LINES.saturating_sub(line))
            .and_then(|line| line.get_mut(column))
        {
            *cell = sign;
        }
    };
    for point in branch.points() {
        mark(point.parameter, point.solution.value(&[0.5])?, '●');
    }
    for fold in branch.folds() {
        mark(fold.parameter, fold.solution.value(&[0.5])?, '◆');
    }
    println!("u(½)");
    for line in plot {
        println!("│{}", line.into_iter().collect::<String>());
    }
    println!("└{}▶ λ (0 to 4)", "─".repeat(COLUMNS));
    for fold in branch.folds() {
        println!("fold at λ = {:.9}", fold.parameter);
        assert!((fold.parameter - 3.513_830_719).abs() < 1e-8);
    }
    assert_eq!(branch.folds().len(), 1);
    Ok(())
}
