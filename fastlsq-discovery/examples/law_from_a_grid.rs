//! A law from noisy fields on a grid, then solved beyond the end of the data.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::f64::consts::PI;

use fastlsq_basis::sampling::UnitSampler;
use fastlsq_discovery::datasets::DataSet;
use fastlsq_discovery::ndarray::Array2;
use fastlsq_discovery::{GridDiscovery, GridLibrary, Samples, Status};
use fastlsq_newton::{DomainExt, Interval, NonlinearProblem, X, sin};

fn main() -> Result<(), Box<dyn Error>> {
    // The flow from −sin πx until t = 1/2, with noise of a fifth of its size.
    let flow = DataSet::burgers();
    let x: Vec<f64> = (0..128).map(|i| -1.0 + f64::from(i) / 63.5).collect();
    let t: Vec<f64> = (0..80).map(|j| 0.5 * f64::from(j) / 79.0).collect();
    let noise = UnitSampler::independent(0).normals(x.len() * t.len(), 1);
    let u = Array2::from_shape_fn((x.len(), t.len()), |(i, j)| {
        (flow.exact)(&[x[i], t[j]]) + 0.2 * flow.rms() * noise[(i * t.len() + j, 0)]
    });

    let library = GridLibrary::parse(
        &["x", "t"],
        &["u"],
        &["u", "u^2", "u^3", "u_x", "u u_x", "u_xx", "u u_xx", "u_xxx"],
    )?;
    let found =
        GridDiscovery::new(library, &["u_t"])?.run(&Samples::on_grid(&[&x, &t], u.view())?)?;
    print!("{}", found.summary());
    let law = found.law("u_t").ok_or("there is a law of u_t")?;
    assert_ne!(law.status, Status::NotExplained);

    // The law is an equation: solved until t = 1, beside the truth.
    let future = NonlinearProblem::on(Interval::new(-1.0, 1.0)?.over(0.0, 1.0)?)
        .equation(law.equation(), 0.0)
        .initial_value(-sin(PI * X))
        .dirichlet(0.0)
        .solve()?;
    println!("    x     found     truth   at t = 1");
    for x in [-0.8, -0.4, -0.1, 0.1, 0.4, 0.8] {
        let (a, b) = (future.value(&[x, 1.0])?, (flow.exact)(&[x, 1.0]));
        println!("{x:5.1} {a:9.5} {b:9.5}");
        assert!((a - b).abs() < 0.02);
    }
    Ok(())
}
