//! Steady Navier–Stokes flow behind a grid: velocity and pressure, in vector form.
#![allow(clippy::print_stdout)]

use fastlsq_newton::problems::kovasznay;
use fastlsq_newton::{NewtonError, NewtonOptions, Options};

fn main() -> Result<(), NewtonError> {
    let flow = kovasznay();
    let options =
        NewtonOptions::new().solve_options(Options::new().tolerance(1e-6).max_features(300));
    let w = flow.problem.solve_with(&options)?;
    println!("{w}");
    #[cfg(feature = "plot")]
    w.plot("kovasznay_flow.png")?;
    let errors = flow.errors(&w, 1000)?;
    println!(
        "relative error of velocity and pressure: {:.1e}",
        errors.value
    );
    assert!(errors.value < 1e-5);
    Ok(())
}
