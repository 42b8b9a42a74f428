//! Flow in a cavity whose lid slides smoothly: Navier–Stokes at Reynolds number 50.
#![allow(clippy::print_stdout)]

use fastlsq_newton::ndarray::array;
use fastlsq_newton::{
    BoxDomain, Condition, NewtonError, NewtonOptions, NonlinearProblem, Options, WALLS, X, Y, div,
    dot, grad, laplacian, sqrt, unknowns, vector,
};

const REYNOLDS: f64 = 50.0;

fn main() -> Result<(), NewtonError> {
    let [u, v, p] = unknowns(["u", "v", "p"]);
    let velocity = vector([u, v]);
    // 16x²(1 − x)² on the lid, which fits the walls at rest beside it.
    let lid = 16.0 * (X * (1.0 - X)).powi(2) * Y.powi(8);
    let options = Options::new().tolerance(1e-4).max_features(500);
    let flow = NonlinearProblem::on(BoxDomain::unit(2))
        .equation(
            dot(grad(&velocity), &velocity) + grad(p),
            laplacian(&velocity) / REYNOLDS,
        )
        .equation(div(&velocity), 0.0)
        .condition(WALLS, u, lid)
        .condition(WALLS, v, 0.0)
        .with(Condition::at(array![[0.5, 0.5]], p, &[0.0]).named("pressure at a point"))
        .solve_with(&NewtonOptions::new().solve_options(options))?;
    println!("{flow}");
    #[cfg(feature = "plot")]
    flow.quantities([
        ("u", u.into()),
        ("v", v.into()),
        ("speed", sqrt(u * u + v * v)),
    ])
    .plot("cavity.png")?;

    // As much flows back below as the lid drags along above.
    let through = (0..=200).map(|k| {
        let weight = if k == 0 || k == 200 { 0.5 } else { 1.0 };
        Ok(weight * flow.at(u, &[0.5, f64::from(k) / 200.0])? / 200.0)
    });
    let through = through.sum::<Result<f64, NewtonError>>()?;
    println!("net flow through the middle: {through:.1e}");
    assert!(through.abs() < 1e-3 && flow.at(u, &[0.5, 0.3])? < 0.0);
    Ok(())
}
