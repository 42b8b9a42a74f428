//! Data fitting: rows are values at points.

use fastlsq_solve::ndarray::Array2;
use fastlsq_solve::{Condition, Interval, LinearProblem, Options, UnitSampler, X, unknown};

fn points(count: usize, dim: usize, seed: u64) -> Array2<f64> {
    UnitSampler::independent(seed).points(count, dim)
}

#[test]
fn clean_values_are_reproduced() {
    let x = points(1500, 2, 1);
    let exact = |x: f64, y: f64| (5.0 * x).sin() * (3.0 * y).exp();
    let values: Vec<f64> = x.rows().into_iter().map(|p| exact(p[0], p[1])).collect();
    let u = LinearProblem::fit(x.view(), &values)
        .unwrap()
        .solve()
        .unwrap();
    for point in [[0.3, 0.4], [0.5, 0.9], [0.1, 0.1]] {
        let error = (u.value(&point).unwrap() - exact(point[0], point[1])).abs();
        assert!(error < 1e-9, "{error:.1e}\n{}", u.report());
    }
}

#[test]
fn a_ridge_smooths_noise() {
    let x = points(400, 1, 2);
    let noise = points(400, 1, 3);
    let values: Vec<f64> = x
        .iter()
        .zip(noise.iter())
        .map(|(x, n)| (6.0 * x).sin() + 0.1 * (2.0 * n - 1.0))
        .collect();
    let ridge = fastlsq_solve::LsqOptions::new().ridge(1e-1);
    let options = Options::new().features(100).bandwidth(6.0).lsq(ridge);
    let u = LinearProblem::fit(x.view(), &values)
        .unwrap()
        .solve_with(&options)
        .unwrap();
    for k in 1..10 {
        let t = f64::from(k) / 10.0;
        // Uniform noise of deviation 0.058, some forty values per wave: the mean is far better.
        assert!(
            (u.value(&[t]).unwrap() - (6.0 * t).sin()).abs() < 0.04,
            "{}",
            u.report()
        );
    }
}

#[test]
fn deviations_say_which_values_to_trust() {
    // Half of the values are off by one, but said to be uncertain.
    let x = points(200, 1, 4);
    let mut values: Vec<f64> = x.iter().map(|x| x.cos()).collect();
    let sigmas: Vec<f64> = (0..200)
        .map(|i| if i % 2 == 0 { 1e-6 } else { 1e3 })
        .collect();
    for value in values.iter_mut().skip(1).step_by(2) {
        *value += 1.0;
    }
    let data = Condition::at(x, unknown("u"), &values).deviations(&sigmas);
    let options = Options::new().features(20).bandwidth(1.5);
    let u = LinearProblem::on(Interval::unit())
        .with(data)
        .solve_with(&options)
        .unwrap();
    assert!(
        (u.value(&[0.37]).unwrap() - 0.37_f64.cos()).abs() < 1e-6,
        "{}",
        u.report()
    );
}

#[test]
fn data_and_an_equation_together() {
    // u″ = −u with values at two inner points only: A sin x + B cos x is determined.
    let at = Array2::from_shape_vec((2, 1), vec![0.2, 0.8]).unwrap();
    let u = unknown("u");
    let u = LinearProblem::on(Interval::unit())
        .equation(u.d(X).d(X), -u)
        .data(at, &[0.2_f64.sin(), 0.8_f64.sin()])
        .solve()
        .unwrap();
    assert!(
        (u.value(&[1.0]).unwrap() - 1.0_f64.sin()).abs() < 1e-11,
        "{}",
        u.report()
    );
}

#[test]
fn fewer_values_than_features_are_interpolated() {
    let x = points(15, 2, 5);
    let values: Vec<f64> = x.rows().into_iter().map(|p| p[0] + p[1]).collect();
    let options = Options::new().features(60).bandwidth(2.0);
    let u = LinearProblem::fit(x.view(), &values)
        .unwrap()
        .solve_with(&options)
        .unwrap();
    let found = u.values(x.view()).unwrap();
    assert!(found.iter().zip(&values).all(|(a, b)| (a - b).abs() < 1e-9));
    // Minimum norm: no wild coefficients.
    assert!(u.coefficients().iter().all(|b| b.abs() < 1e3));
}
