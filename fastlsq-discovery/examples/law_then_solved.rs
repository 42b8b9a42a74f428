//! The law of heat conduction from noisy samples, then a rod with another initial temperature.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::f64::consts::PI;

use fastlsq_discovery::datasets::DataSet;
use fastlsq_discovery::{Dictionary, Discovery};
use fastlsq_solve::{DomainExt, Interval, LinearProblem, X, sin};

fn main() -> Result<(), Box<dyn Error>> {
    // Three decaying modes of u_t = 0.1 u_xx at random places and times, with 2 % noise.
    let data = DataSet::heat();
    let samples = data.sample(500, 0.02 * data.rms(), 0)?;
    let library = Dictionary::parse(&["x", "t"], &["u", "u_x", "u u_x", "u_xx"])?;
    let law = Discovery::new(library, "u_t")?.run(&samples)?;
    println!("found   {law}");
    println!("solved  {} = 0", law.equation());

    let u = LinearProblem::on(Interval::unit().over(0.0, 0.5)?)
        .equation(law.equation(), 0.0)
        .initial_value(sin(PI * X).powi(3))
        .dirichlet(0.0)
        .solve()?;

    // sin³ πx = (3 sin πx − sin 3πx)/4.
    let mode = |k: f64| (-0.1 * (k * PI).powi(2) * 0.5).exp() * (k * PI * 0.5).sin();
    let (value, exact) = (u.value(&[0.5, 0.5])?, (3.0 * mode(1.0) - mode(3.0)) / 4.0);
    println!("at the middle after half a unit of time {value:.4}, in truth {exact:.4}");
    assert!((value - exact).abs() < 0.01);
    Ok(())
}
