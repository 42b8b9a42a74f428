//! The likelihood refit against maximum likelihood by another way: shooting with Runge–Kutta steps.
#![allow(clippy::unwrap_used)]

use fastlsq_discovery::datasets::DataSet;
use fastlsq_discovery::{Dictionary, Discovery, DiscoveryOptions, Samples};

/// u(0), u′(0) and the coefficients of u, u′ and u³.
type Unknowns = [f64; 5];

/// u at equally spaced points, `step` apart, by the classical Runge–Kutta method.
fn shoot([u, v, a, b, c]: Unknowns, count: usize, step: f64) -> Vec<f64> {
    let slope = |[u, v]: [f64; 2]| [v, a * u + b * v + c * u.powi(3)];
    let along = |s: [f64; 2], d: [f64; 2], h: f64| [s[0] + h * d[0], s[1] + h * d[1]];
    let mut state = [u, v];
    let mut values = Vec::with_capacity(count);
    for _ in 0..count {
        values.push(state[0]);
        let k1 = slope(state);
        let k2 = slope(along(state, k1, 0.5 * step));
        let k3 = slope(along(state, k2, 0.5 * step));
        let k4 = slope(along(state, k3, step));
        for i in 0..2 {
            state[i] += step / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
        }
    }
    values
}

/// Gauss–Newton with difference quotients: the unknowns, their deviations and the misfit.
fn maximum_likelihood(samples: &Samples, step: f64) -> (Unknowns, Unknowns, f64) {
    let count = samples.len();
    let mut at = [0.0, 2.0, -4.25, -1.0, 0.0];
    let mut best = (at, [0.0; 5], f64::INFINITY);
    for _ in 0..15 {
        let model = shoot(at, count, step);
        let residual: Vec<f64> = samples
            .values()
            .iter()
            .zip(&model)
            .map(|(y, u)| y - u)
            .collect();
        let slopes: Vec<Vec<f64>> = (0..5)
            .map(|k| {
                let mut moved = at;
                moved[k] += 1e-6;
                let there = shoot(moved, count, step);
                there
                    .iter()
                    .zip(&model)
                    .map(|(a, b)| (a - b) / 1e-6)
                    .collect()
            })
            .collect();
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let normal = faer::Mat::from_fn(5, 5, |i, k| product(&slopes[i], &slopes[k]));
        let inverse = inverse(&normal);
        let square = product(&residual, &residual);
        let variance = square / (count - 5) as f64;
        let deviations = std::array::from_fn(|k| (variance * inverse[(k, k)]).sqrt());
        best = (at, deviations, square);
        for k in 0..5 {
            at[k] += (0..5)
                .map(|i| inverse[(k, i)] * product(&slopes[i], &residual))
                .sum::<f64>();
        }
    }
    best
}

fn inverse(matrix: &faer::Mat<f64>) -> faer::Mat<f64> {
    use faer::linalg::solvers::DenseSolveCore;
    matrix.full_piv_lu().inverse()
}

/// The noise of this draw happens to look like a term u³, so that the refit takes it when there is
/// little else to choose from: a law whose solutions have harmonics that the data do not show. The
/// answer must be the one of a method that knows nothing of features.
#[test]
fn a_nonlinear_law_has_the_coefficients_and_deviations_of_maximum_likelihood() {
    let samples = DataSet::damped_oscillator(10.0)
        .sample(2000, 0.1, 1)
        .unwrap();
    let library = Dictionary::parse(&["x"], &["u", "u_x", "u^3"]).unwrap();
    let law = Discovery::new(library, "u_xx")
        .unwrap()
        .with(DiscoveryOptions::new().replicates(0))
        .run(&samples)
        .unwrap();
    let (exact, deviations, square) = maximum_likelihood(&samples, 10.0 / 1999.0);
    assert_eq!(law.support(), [0, 1, 2], "{}", law.summary());
    for (term, place) in law.terms.iter().zip(2..) {
        let (best, deviation) = (exact[place], deviations[place]);
        let off = (term.coefficient - best).abs() / deviation;
        assert!(off < 0.1, "{}: {off:.3} deviations off", term.name);
        let bound = term.cramer_rao.unwrap();
        assert!(
            (bound / deviation - 1.0).abs() < 0.05,
            "{bound} against {deviation}"
        );
    }
    // A hundredth of a noise variance.
    let misfit = law.laws[0].residual_square;
    assert!(
        (misfit - square).abs() < 1e-2 * 0.01,
        "{misfit} against {square}"
    );
    assert!(law.laws[0].enforced);
}
