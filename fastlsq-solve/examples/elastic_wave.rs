//! An elastic wave: two coupled unknowns, the displacements u and v of a square.
//!
//! **u**_tt = c_s² Δ**u** + (c_p² − c_s²) ∇(∇·**u**) on [0,1]² × [0,½].
#![allow(clippy::print_stdout)]

use std::f64::consts::PI;

use fastlsq_solve::{
    BoxDomain, DomainExt, INITIAL, LinearProblem, Options, SolveError, T, WALLS, X, Y, cos, div,
    dot, grad, laplacian, sin, unknowns, vector,
};

fn main() -> Result<(), SolveError> {
    let (cp, cs) = (2.0_f64, 1.0_f64);
    // A pressure wave that stands in the square: a gradient.
    let exact = grad(sin(PI * X) * sin(PI * Y) / PI) * cos(cp * PI * 2_f64.sqrt() * T);
    let [u, v] = unknowns(["u", "v"]);
    let field = vector([u, v]);
    let acceleration = cs * cs * laplacian(&field) + (cp * cp - cs * cs) * grad(div(&field));

    let solution = LinearProblem::on(BoxDomain::unit(2).over(0.0, 0.5)?)
        .equation(field.d(T).d(T), acceleration)
        .condition(INITIAL, &field, &exact)
        .condition(INITIAL, field.d(T), exact.d(T))
        .condition(WALLS, &field, &exact)
        .solve_with(&Options::new().tolerance(1e-7))?;
    println!("{}", solution.report());
    #[cfg(feature = "plot")]
    solution.plot("elastic_wave.png")?;

    let point = [0.3, 0.4, 0.5];
    let difference = &field - &exact;
    let error = solution.at(dot(&difference, &difference), &point)?.sqrt();
    println!(
        "displacement ({:.9}, {:.9}), off by {error:.1e}",
        solution.at(u, &point)?,
        solution.at(v, &point)?
    );
    assert!(error < 1e-5);
    Ok(())
}
