//! Numbers at the edge of the format: tiny and huge data, coordinates far from the origin, absurd orders.

use fastlsq_solve::ndarray::array;
use fastlsq_solve::{
    Action, Basis, BasisError, BoxDomain, DomainError, Expr, FrequencyLaw, LinearProblem,
    MultiIndex, Options, SinusoidalBasis, SolveError, Status, TanhBasis, X, Y, laplacian, sin,
    unknown,
};
use std::f64::consts::PI;

fn exact() -> Expr {
    sin(PI * X) * sin(PI * Y)
}

/// −Δu = s f with the solution s u.
fn scaled(size: f64) -> LinearProblem {
    LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(unknown("u")), size * 2.0 * PI * PI * exact())
        .dirichlet(0.0)
}

#[test]
fn the_size_of_the_data_does_not_matter() {
    let options = Options::new().tolerance(1e-9);
    for size in [1e-300, 1e-200, 1e-160, 1e160, 1e200, 1e300] {
        let solution = scaled(size).solve_with(&options).unwrap();
        let report = solution.report();
        assert_eq!(report.status, Status::ToleranceMet, "{size}: {report}");
        let error = (solution.value(&[0.5, 0.5]).unwrap() / size - 1.0).abs();
        assert!(error < 1e-9, "{size}: {error}");
        assert!(report.error_estimate > 1e-17, "{size}: {report}");
    }
}

#[test]
fn new_data_of_any_size_have_an_estimate() {
    let plate = scaled(1.0)
        .factor_with(&Options::new().tolerance(1e-9))
        .unwrap();
    for size in [1e-200, 1e160] {
        let data = size * 2.0 * PI * PI * exact();
        let solution = plate
            .new_data()
            .right("equation 1", data)
            .unwrap()
            .solve()
            .unwrap();
        let error = (solution.value(&[0.5, 0.5]).unwrap() / size - 1.0).abs();
        assert!(error < 1e-8, "{error}");
        let residual = solution.report().held_out_residual;
        assert!(residual > 1e-16 && residual < 1e-6, "{residual}");
    }
}

#[test]
fn coordinates_without_digits_are_refused() {
    for shift in [1e15, -1e15, 1e300] {
        let far = BoxDomain::new(&[shift, 0.0], &[shift + 1e-15 * shift.abs() * 8.0, 1.0]);
        let problem = LinearProblem::on(far.unwrap())
            .equation(-laplacian(unknown("u")), 1.0)
            .dirichlet(0.0);
        let error = problem.solve().unwrap_err();
        assert!(
            matches!(
                error,
                SolveError::Domain(DomainError::TooFewDigits { axis: 0, .. })
            ),
            "{error}"
        );
    }
    let near = BoxDomain::new(&[1e6, 0.0], &[1e6 + 1.0, 1.0]).unwrap();
    let problem = LinearProblem::on(near)
        .equation(
            -laplacian(unknown("u")),
            2.0 * PI * PI * sin(PI * (X - 1e6)) * sin(PI * Y),
        )
        .dirichlet(0.0);
    let solution = problem.solve_with(&Options::new().tolerance(1e-7)).unwrap();
    assert!((solution.value(&[1e6 + 0.5, 0.5]).unwrap() - 1.0).abs() < 1e-6);
}

#[test]
fn absurd_sizes_and_orders_are_typed_errors() {
    let law = FrequencyLaw::Isotropic(1.0);
    let error = SinusoidalBasis::random(2, 1 << 50, &law, 0).unwrap_err();
    assert!(
        matches!(error, BasisError::TooMany { dim: 2, .. }),
        "{error}"
    );
    assert!(SinusoidalBasis::random(usize::MAX, 2, &law, 0).is_err());
    assert!(TanhBasis::builder(3, 1 << 50).build().is_err());
    let basis = SinusoidalBasis::random(2, 5, &law, 0).unwrap();
    let endless = MultiIndex::along(2, 0, u32::MAX).unwrap();
    let points = array![[0.1, 0.2]];
    let error = basis.derivatives(points.view(), &endless).unwrap_err();
    assert!(matches!(error, BasisError::Parameter { .. }), "{error}");
    assert!(Action::derivative(endless.clone()).validate(2).is_err());
    assert!(!endless.to_string().is_empty());
}
