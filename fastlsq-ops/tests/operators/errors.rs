//! Every mistake is a typed error, at construction or at application; nothing panics.

use faer::Mat;
use fastlsq_ops::{
    Action, BasisError, Field, MultiIndex, Operator, OperatorError, Sites, Term, advection,
    antiderivative, biharmonic, definite_integral, derivative, identity, laplacian, laplacian_over,
    normal_derivative, partial, partial_order, zero,
};
use ndarray::{Array2, array};

use crate::support::plain;

fn mistake(operator: &Operator) -> OperatorError {
    assert!(operator.dim().is_err() && operator.terms().is_empty());
    assert!(!operator.is_zero() && !operator.is_constant());
    let error = operator.validate().expect_err("a mistake");
    // It surfaces when the operator is applied, too.
    let (basis, points) = plain(2, 3, 4);
    let mut out = Mat::zeros(4, 3);
    let told = |result: Result<(), OperatorError>| {
        assert_eq!(
            result.expect_err("the same mistake").to_string(),
            error.to_string()
        );
    };
    told(operator.assemble_into(&basis, &points, out.as_mut()));
    told(operator.apply(&basis, &[0.0; 3], &points).map(|_| ()));
    error
}

#[test]
fn spaces_without_axes() {
    for operator in [
        zero(0),
        identity(0),
        laplacian(0),
        biharmonic(0),
        advection(&[]),
        normal_derivative(0),
    ] {
        assert_eq!(mistake(&operator), OperatorError::EmptySpace);
    }
    assert_eq!(
        mistake(&derivative(MultiIndex::new([]))),
        OperatorError::EmptySpace
    );
}

#[test]
fn axes_out_of_range() {
    let expected = OperatorError::Axis { axis: 2, dim: 2 };
    for operator in [
        partial(2, 2),
        partial_order(2, 2, 4),
        laplacian_over(2, &[0, 2]),
        antiderivative(2, 2, 0.0),
        definite_integral(2, 2, 0.0, 1.0),
        Field::coordinate(2) * identity(2),
        Field::normal(2) * identity(2),
    ] {
        assert_eq!(mistake(&operator), expected);
    }
    assert_eq!(
        expected.to_string(),
        "axis 2 does not exist in dimension 2 (axes are numbered from 0)"
    );
}

#[test]
fn dimensions_that_differ() {
    for operator in [
        laplacian(2) + laplacian(3),
        laplacian(2) - identity(1),
        laplacian(2).of(&laplacian(3)),
        Operator::from_terms(2, [Term::new(1.0, Action::identity(3))]),
    ] {
        assert!(matches!(
            mistake(&operator),
            OperatorError::Dimension { .. }
        ));
    }
}

#[test]
fn the_first_mistake_is_the_one_that_is_told() {
    let operator = 2.0 * (-(partial(2, 7) + laplacian(3)) - f64::NAN) + 1.0;
    assert_eq!(mistake(&operator), OperatorError::Axis { axis: 7, dim: 2 });
    assert_eq!(
        mistake(&laplacian(2).of(&operator)),
        OperatorError::Axis { axis: 7, dim: 2 }
    );
}

#[test]
fn numbers_that_are_not_finite() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for operator in [
            bad * laplacian(2),
            laplacian(2) + bad,
            bad * zero(2),
            laplacian(2) / 0.0,
            advection(&[1.0, bad]),
            1e200 * (1e200 * identity(2)),
            1e308 * identity(2) + 1e308 * identity(2),
            bad * Field::coordinate(0) * identity(2),
        ] {
            assert!(matches!(
                mistake(&operator),
                OperatorError::NotFinite { .. }
            ));
        }
        let limits = [antiderivative(2, 0, bad), definite_integral(2, 0, 0.0, bad)];
        for operator in limits {
            let error = mistake(&operator);
            assert!(matches!(
                error,
                OperatorError::Basis(BasisError::NotFinite { .. })
            ));
        }
    }
}

#[test]
fn fields_that_are_not_finite_name_the_point() {
    let (basis, _) = plain(2, 3, 0);
    let points = array![[1.0, 2.0], [0.0, 3.0], [0.0, 0.0]];
    let operator = laplacian(2) + Field::new("1/x", |x| 1.0 / x[0]);
    let expected = OperatorError::FieldValue {
        field: "1/x".into(),
        value: f64::INFINITY,
        point: vec![0.0, 3.0],
    };
    assert_eq!(
        operator.apply(&basis, &[0.0; 3], &points),
        Err(expected.clone())
    );
    assert!(
        expected
            .to_string()
            .starts_with("the field 1/x is inf at the point [0.0, 3.0]")
    );
    // A product of finite fields that overflows is refused as well.
    let huge = Field::new("h", |_| 1e200);
    let overflow = (&huge * &huge * identity(2)).apply(&basis, &[0.0; 3], &points);
    assert!(matches!(overflow, Err(OperatorError::FieldValue { .. })));
}

#[test]
fn points_and_what_comes_with_them_must_fit() {
    let (basis, points) = plain(2, 3, 4);
    let beta = [1.0; 3];
    let refused =
        |operator: &Operator, sites: Sites<'_>| operator.apply(&basis, &beta, sites).unwrap_err();
    let sites = Sites::new(points.view());
    let other = Array2::zeros((4, 3));
    let fewer = Array2::zeros((3, 2));
    assert!(matches!(
        refused(&laplacian(2), Sites::new(other.view())),
        OperatorError::Dimension { .. }
    ));
    assert!(matches!(
        refused(&laplacian(3), Sites::new(other.view())),
        OperatorError::Dimension { .. }
    ));
    assert_eq!(
        refused(&normal_derivative(2), sites),
        OperatorError::MissingNormals
    );
    for normals in [&other, &fewer] {
        let error = refused(&normal_derivative(2), sites.with_normals(normals.view()));
        assert!(matches!(
            error,
            OperatorError::Dimension { .. } | OperatorError::Shape { .. }
        ));
    }
    let tabulated = Field::tabulated("c", 3) * identity(2);
    let missing = |available| OperatorError::MissingColumn {
        field: "c".into(),
        column: 3,
        available,
    };
    assert_eq!(refused(&tabulated, sites), missing(0));
    assert_eq!(
        refused(&tabulated, sites.with_table(other.view())),
        missing(3)
    );
    assert!(matches!(
        refused(&tabulated, sites.with_table(fewer.view())),
        OperatorError::Shape { .. }
    ));
    let mut undefined = points.clone();
    undefined[(2, 1)] = f64::NAN;
    let error = refused(&laplacian(2), Sites::new(undefined.view()));
    assert!(matches!(
        error,
        OperatorError::Basis(BasisError::NotFinite { .. })
    ));
}

#[test]
fn outputs_and_coefficients_must_fit() {
    let (basis, points) = plain(2, 3, 4);
    for (rows, columns) in [(3, 3), (4, 2), (0, 0)] {
        let mut out = Mat::zeros(rows, columns);
        assert!(
            laplacian(2)
                .write_rows(&basis, &points, out.as_mut())
                .is_err()
        );
        assert!(
            laplacian(2)
                .assemble_into(&basis, &points, out.as_mut())
                .is_err()
        );
    }
    let short = laplacian(2).apply(&basis, &[1.0; 2], &points);
    assert!(matches!(short, Err(OperatorError::Shape { .. })));
    let undefined = laplacian(2).apply(&basis, &[1.0, f64::NAN, 1.0], &points);
    assert!(matches!(undefined, Err(OperatorError::NotFinite { .. })));
    let short = laplacian(2).term_magnitudes(&basis, &[1.0; 2], &points);
    assert!(matches!(short, Err(OperatorError::Shape { .. })));
}
