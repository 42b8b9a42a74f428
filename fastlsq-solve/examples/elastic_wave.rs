//! An elastic wave: two coupled unknowns, the displacements u and v of a square.
//!
//! u_tt = c_p² u_xx + c_s² u_yy + (c_p² − c_s²) v_xy and its mirror image, on [0,1]² × [0,½].
#![allow(clippy::print_stdout)]

use std::f64::consts::PI;

use fastlsq_solve::{
    BoxDomain, DomainExt, EquationRow, LinearProblem, MultiIndex, Options, SolveError, derivative,
    partial_order,
};

fn main() -> Result<(), SolveError> {
    let (cp, cs) = (2.0_f64, 1.0_f64);
    // A pressure wave that stands in the square.
    let omega = cp * PI * 2_f64.sqrt();
    let exact = move |x: &[f64], k: usize| {
        let (along, across) = if k == 0 { (x[0], x[1]) } else { (x[1], x[0]) };
        (PI * along).cos() * (PI * across).sin() * (omega * x[2]).cos()
    };
    let equation = |own: usize| -> EquationRow {
        let other = 1 - own;
        let stretch = cp * cp * partial_order(3, own, 2) + cs * cs * partial_order(3, other, 2);
        let coupling = (cp * cp - cs * cs) * derivative(MultiIndex::new([1, 1, 0]));
        (partial_order(3, 2, 2) - stretch).on(own, 2) - coupling.on(other, 2)
    };
    let mut wave = LinearProblem::on(BoxDomain::unit(2).over(0.0, 0.5)?)
        .unknowns(&["u", "v"])
        .equation(equation(0), |_| 0.0)
        .equation(equation(1), |_| 0.0);
    for (k, name) in ["u", "v"].into_iter().enumerate() {
        wave = wave
            .initial_value_for(name, move |x| exact(x, k))
            .initial_velocity_for(name, |_| 0.0)
            .dirichlet_for(name, move |x| exact(x, k));
    }
    let solution = wave.solve_with(&Options::new().tolerance(1e-7))?;
    println!("{}", solution.report());

    let point = [0.3, 0.4, 0.5];
    let (u, v) = (solution.unknown("u")?, solution.unknown("v")?);
    let error =
        (u.value(&point)? - exact(&point, 0)).abs() + (v.value(&point)? - exact(&point, 1)).abs();
    println!(
        "displacement ({:.9}, {:.9}), off by {error:.1e}",
        u.value(&point)?,
        v.value(&point)?
    );
    assert!(error < 1e-5);
    Ok(())
}
