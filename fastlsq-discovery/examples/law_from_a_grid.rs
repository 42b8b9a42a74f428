//! A law from noisy fields on a grid, then solved beyond the end of the data.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::f64::consts::PI;

use fastlsq_basis::sampling::UnitSampler;
use fastlsq_discovery::datasets::DataSet;
use fastlsq_discovery::ndarray::Array2;
use fastlsq_discovery::{GridDiscovery, GridLibrary, Samples, Status};
use fastlsq_solve::{DomainExt, Interval, LinearProblem, X, sin};

fn main() -> Result<(), Box<dyn Error>> {
    // Three modes of a cooling rod until t = 1/2, with noise of a twentieth of their size.
    let rod = DataSet::heat();
    let x: Vec<f64> = (0..100).map(|i| f64::from(i) / 99.0).collect();
    let t: Vec<f64> = (0..80).map(|j| 0.5 * f64::from(j) / 79.0).collect();
    let noise = UnitSampler::independent(0).normals(x.len() * t.len(), 1);
    let u = Array2::from_shape_fn((x.len(), t.len()), |(i, j)| {
        (rod.exact)(&[x[i], t[j]]) + 0.05 * rod.rms() * noise[(i * t.len() + j, 0)]
    });

    let terms = ["u", "u^2", "u_x", "u u_x", "u_xx", "u_xxx"];
    let library = GridLibrary::parse(&["x", "t"], &["u"], &terms)?;
    let data = Samples::on_grid(&[&x, &t], u.view())?;
    let found = GridDiscovery::new(library, &["u_t"])?.run(&data)?;
    print!("{}", found.summary());
    let law = found.law("u_t").ok_or("there is a law of u_t")?;
    assert_ne!(law.status, Status::NotExplained);

    // The law is an equation: solved until t = 1, beside the truth.
    let start = sin(PI * X) - 0.8 * sin(2.0 * PI * X) + 0.6 * sin(3.0 * PI * X);
    let future = LinearProblem::on(Interval::unit().over(0.0, 1.0)?)
        .equation(law.equation(), 0.0)
        .initial_value(start)
        .dirichlet(0.0)
        .solve()?;
    #[cfg(feature = "plot")]
    future.plot("law_from_a_grid.png")?;
    println!("    x     found     truth   at t = 1");
    for x in [0.1, 0.3, 0.5, 0.7, 0.9] {
        let (a, b) = (future.value(&[x, 1.0])?, (rod.exact)(&[x, 1.0]));
        println!("{x:5.1} {a:9.5} {b:9.5}");
        assert!((a - b).abs() < 0.02);
    }
    Ok(())
}
