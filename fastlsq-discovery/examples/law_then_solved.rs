//! Burgers' equation from noisy samples, then solved from another initial value.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::f64::consts::PI;

use fastlsq_discovery::datasets::DataSet;
use fastlsq_discovery::{Dictionary, Discovery};
use fastlsq_newton::{DomainExt, Expr, Interval, NonlinearProblem, X, cos, sin};

fn main() -> Result<(), Box<dyn Error>> {
    // The solution from −sin πx at random places and times, with 2 % noise.
    let data = DataSet::burgers();
    let samples = data.sample(1000, 0.02 * data.rms(), 0)?;
    let library = Dictionary::parse(&["x", "t"], &["u", "u^2", "u_x", "u u_x", "u_xx"])?;
    let law = Discovery::new(library, "u_t")?.run(&samples)?;
    println!("found   {law}");
    println!("solved  {} = 0", law.equation());

    // A law is an equation: from another initial value it is solved as it is, beside the truth.
    let strip = Interval::new(-1.0, 1.0)?.over(0.0, 0.5)?;
    let from = |equation: Expr| {
        NonlinearProblem::on(strip.clone())
            .equation(equation, 0.0)
            .initial_value(0.5 * sin(PI * X) + 0.3 * cos(0.5 * PI * X))
            .dirichlet(0.0)
            .solve()
    };
    let found = from(law.equation())?;
    let truth = from(Expr::parse("u_t + u u_x = 0.1 u_xx")?)?;

    #[cfg(feature = "plot")]
    found.plot("law_then_solved.png")?;
    println!("    x     found     truth");
    for x in [-0.8, -0.4, 0.0, 0.4, 0.8] {
        let (a, b) = (found.value(&[x, 0.5])?, truth.value(&[x, 0.5])?);
        println!("{x:5.1} {a:9.5} {b:9.5}");
        assert!((a - b).abs() < 0.01);
    }
    Ok(())
}
