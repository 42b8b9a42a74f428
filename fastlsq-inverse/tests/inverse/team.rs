//! A fit by several processes is that of one: gradients go through the shared solve.
#![allow(clippy::unwrap_used)]

use fastlsq_inverse::{BoxDomain, InverseProblem, Observations, Options, Sought};
use fastlsq_inverse::{X, Y, exp, laplacian, parameters, unknown};
use fastlsq_solve::TeamBackend;
use fastlsq_solve::conformance::as_team;
use ndarray::array;

/// Where is the source, from four readings?
fn position(options: Options) -> Vec<f64> {
    let u = unknown("u");
    let [s1, s2] = parameters(["s1", "s2"]);
    let sensors = array![[0.3, 0.3], [0.7, 0.7], [0.3, 0.7], [0.7, 0.3]];
    let readings = [0.02258, 0.02258, 0.03097, 0.01733];
    let problem = InverseProblem::on(BoxDomain::unit(2))
        .equation(
            -laplacian(u),
            exp(-((X - s1).powi(2) + (Y - s2).powi(2)) / 0.1),
        )
        .dirichlet(0.0)
        .find(Sought::new(s1, 0.5).within(0.1, 0.9))
        .find(Sought::new(s2, 0.5).within(0.1, 0.9))
        .observe(Observations::of(u, sensors, &readings).deviation(1e-4))
        // Enough rows for several streams.
        .options(options.features(120).bandwidth(5.0).rows(6_000, 1_000));
    problem.fit().unwrap().parameters
}

#[test]
fn a_fit_by_several_processes_is_that_of_one() {
    let expected = position(Options::new());
    for size in [2, 3] {
        let answers = as_team(size, |team| {
            position(Options::new().backend(TeamBackend::new(team)))
        });
        for found in &answers {
            assert_eq!(found, &answers[0]);
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-10, "{found} {expected}");
            }
        }
    }
}
