//! The Kuramoto–Sivashinsky equation from noisy data, then continued in time beside the truth.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::f64::consts::PI;

use fastlsq_basis::sampling::UnitSampler;
use fastlsq_discovery::ndarray::{Array1, Array2};
use fastlsq_discovery::{FieldFit, FitOptions, GridDiscovery, GridLibrary, Samples, Status};
use fastlsq_newton::{
    DomainExt, Expr, Interval, NewtonOptions, NonlinearProblem, NonlinearSolution, X, cos, sin,
};

const PERIOD: f64 = 32.0;
const TURN: f64 = 2.0 * PI / PERIOD;

/// A law on the circle, from a state at one time to another time.
fn evolve(law: Expr, start: Expr, from: f64, to: f64) -> Result<NonlinearSolution, Box<dyn Error>> {
    let strip = Interval::new(0.0, PERIOD)?.over(from, to)?;
    let problem = NonlinearProblem::on(strip).equation(law, 0.0);
    let problem = problem.initial_value(start).periodic(X);
    Ok(problem.solve_with(&NewtonOptions::new().tolerance(1e-4))?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let true_law = || Expr::parse("u_t + u u_x + u_xx + u_xxxx");
    let first = cos(TURN * X) + 0.5 * sin(3.0 * TURN * X);
    let truth = evolve(true_law()?, first, 0.0, 80.0)?;

    // What was measured: 20 ≤ t ≤ 60, with noise of a tenth of the field.
    let x: Vec<f64> = (0..128).map(|i| PERIOD * f64::from(i) / 128.0).collect();
    let t: Vec<f64> = (0..=160).map(|j| 20.0 + 0.25 * f64::from(j)).collect();
    let places = |t: &[f64]| {
        let count = x.len() * t.len();
        Array2::from_shape_fn((count, 2), |(p, k)| {
            if k == 0 {
                x[p / t.len()]
            } else {
                t[p % t.len()]
            }
        })
    };
    let exact = Array1::from(truth.values(places(&t).view())?);
    let noise = UnitSampler::independent(0).normals(exact.len(), 1);
    let level = 0.1 * (exact.dot(&exact) / exact.len() as f64).sqrt();
    let u = (exact + level * &noise.column(0)).into_shape_with_order((x.len(), t.len()))?;

    let terms = [
        "u", "u^2", "u^3", "u_x", "u u_x", "u_xx", "u u_xx", "u_xxx", "u u_xxx", "u_xxxx",
    ];
    let library = GridLibrary::parse(&["x", "t"], &["u"], &terms)?;
    let found =
        GridDiscovery::new(library, &["u_t"])?.run(&Samples::on_grid(&[&x, &t], u.view())?)?;
    print!("{}", found.summary());
    let law = found.law("u_t").ok_or("there is a law of u_t")?;
    assert_ne!(law.status, Status::NotExplained);

    // The state at t = 57 from a fit of the last samples, as a sum of waves of the circle.
    let (last, now) = (&t[t.len() - 33..], 57.0);
    let recent = u.slice(fastlsq_discovery::ndarray::s![.., t.len() - 33..]);
    let recent = Samples::new(places(last), recent.iter().copied().collect())?;
    let fit = FieldFit::new(&recent, &FitOptions::new())?.value(places(&[now]).view())?;
    let state = (0..=16).fold(Expr::from(0.0), |sum, k| {
        let k = f64::from(k) * TURN;
        let mean = |f: fn(f64) -> f64| {
            let products = fit.iter().zip(&x).map(|(u, x)| u * f(k * x));
            let share = if k == 0.0 { 1.0 } else { 2.0 };
            share * products.sum::<f64>() / x.len() as f64
        };
        sum + mean(f64::cos) * cos(k * X) + mean(f64::sin) * sin(k * X)
    });
    let future = evolve(law.equation(), state.clone(), now, 77.0)?;
    let same_start = evolve(true_law()?, state, now, 77.0)?;

    #[cfg(feature = "plot")]
    {
        truth.plot("chaos_continued.png")?;
        future.plot("chaos_continued-future.png")?;
    }
    println!("    t   found   true law from the same state   (distance from the truth, relative)");
    for time in [57.0, 62.0, 67.0, 72.0, 77.0] {
        let at = places(&[time]);
        let exact = Array1::from(truth.values(at.view())?);
        let distance = |of: &NonlinearSolution| -> Result<f64, Box<dyn Error>> {
            let error = Array1::from(of.values(at.view())?) - &exact;
            Ok((error.dot(&error) / exact.dot(&exact)).sqrt())
        };
        let (ours, theirs) = (distance(&future)?, distance(&same_start)?);
        println!("{time:5.0} {ours:7.3} {theirs:7.3}");
        assert!(time > 67.0 || ours < 0.2);
    }
    Ok(())
}
