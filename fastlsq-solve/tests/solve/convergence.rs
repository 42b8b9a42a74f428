//! Errors fall as features are added, faster than any power would.

use fastlsq_solve::{Method, Options, Symmetry, problems};

#[test]
fn errors_fall_with_the_number_of_features() {
    let benchmark = problems::helmholtz_2d(10.0);
    let errors: Vec<f64> = [60, 120, 240, 480]
        .into_iter()
        .map(|features| {
            let options = Options::new()
                .features(features)
                .bandwidth(10.0)
                .symmetry(Symmetry::Ignore);
            let u = benchmark.problem.solve_with(&options).unwrap();
            benchmark.errors(&u, 1000).unwrap().value
        })
        .collect();
    // The observed order log₂(e/e′) rises: 60 → 120 → 240 → 480.
    assert!(errors[1] < errors[0] / 3.0, "{errors:?}");
    assert!(errors[2] < errors[1] / 1e3, "{errors:?}");
    assert!(errors[3] < errors[2] / 1e3, "{errors:?}");
}

#[test]
fn gradients_and_hessians_converge_too() {
    let benchmark = problems::poisson_2d();
    let options = Options::new().features(250).bandwidth(4.0);
    let u = benchmark.problem.solve_with(&options).unwrap();
    let errors = benchmark.errors(&u, 500).unwrap();
    assert!(errors.gradient < 1e-7, "{errors:?}");
    let x = [0.3, 0.6];
    let hessian = u.hessian(&x).unwrap();
    let value = benchmark.exact(&x)[0];
    let pi = std::f64::consts::PI;
    assert!((hessian[[0, 0]] + pi * pi * value).abs() < 1e-5);
    assert_eq!(hessian[[0, 1]], hessian[[1, 0]]);
    assert!((u.laplacian(&x).unwrap() - hessian[[0, 0]] - hessian[[1, 1]]).abs() < 1e-9);
    let gradient = u.gradient(&x).unwrap();
    let points = fastlsq_solve::ndarray::array![[0.3, 0.6], [0.1, 0.2]];
    let many = u.gradients(points.view()).unwrap();
    assert!((many[[0, 1]] - gradient[1]).abs() < 1e-12);
    assert!((u.values(points.view()).unwrap()[0] - u.value(&x).unwrap()).abs() < 1e-13);
}

#[test]
fn every_method_solves_the_same_problem() {
    let benchmark = problems::poisson_2d();
    for (method, bar) in [
        (Method::Auto, 1e-9),
        (Method::RankRevealingQr, 1e-9),
        (Method::Svd, 1e-8),
        (Method::NormalEquations, 1e-3),
        (Method::Sketch, 1e-7),
    ] {
        let options = Options::new()
            .features(250)
            .bandwidth(4.0)
            .lsq(fastlsq_solve::LsqOptions::new().method(method));
        let u = benchmark.problem.solve_with(&options).unwrap();
        let error = benchmark.errors(&u, 500).unwrap().value;
        assert!(error < bar, "{method}: {error:.1e}");
    }
}
