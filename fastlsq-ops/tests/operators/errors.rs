//! Every mistake in operators, points and shapes is a typed error; nothing panics.

use faer::Mat;
use fastlsq_ops::{
    Action, AxisIntegral, BasisError, Field, MultiIndex, Operator, OperatorError, Sites, Term,
    UpperLimit, X, given, laplacian, normal_derivative,
};
use ndarray::{Array2, array};

use crate::support::{operator, plain, u};

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

fn alone(dim: usize, coefficient: f64, action: Action) -> Operator {
    Operator::from_terms(dim, [Term::new(coefficient, action)])
}

#[test]
fn spaces_without_axes() {
    let empty = alone(0, 1.0, Action::derivative(MultiIndex::new([])));
    assert_eq!(mistake(&empty), OperatorError::EmptySpace);
}

#[test]
fn dimensions_that_differ() {
    let (flat, solid) = (operator(2, laplacian(u())), operator(3, laplacian(u())));
    for operator in [flat.plus(&solid), alone(2, 1.0, Action::identity(3))] {
        assert!(matches!(
            mistake(&operator),
            OperatorError::Basis(BasisError::Dimension { .. })
        ));
    }
    // The first mistake is the one that is reported.
    let first = mistake(&flat.plus(&solid));
    let later = alone(2, f64::NAN, Action::identity(2));
    assert_eq!(mistake(&flat.plus(&solid).plus(&later)), first);
}

#[test]
fn numbers_that_are_not_finite() {
    let one = |c: f64| alone(2, c, Action::identity(2));
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for operator in [one(bad), one(1e308).plus(&one(1e308))] {
            assert!(matches!(
                mistake(&operator),
                OperatorError::NotFinite { .. }
            ));
        }
        for (from, to) in [(bad, UpperLimit::Coordinate), (0.0, UpperLimit::Fixed(bad))] {
            let mut action = Action::identity(2);
            action.integrals.push(AxisIntegral { axis: 0, from, to });
            let error = mistake(&alone(2, 1.0, action));
            assert!(matches!(
                error,
                OperatorError::Basis(BasisError::NotFinite { .. })
            ));
        }
    }
}

#[test]
fn coefficients_that_are_not_finite_name_the_point() {
    let (basis, _) = plain(2, 3, 0);
    let points = array![[1.0, 2.0], [0.0, 3.0], [0.0, 0.0]];
    let own = operator(2, laplacian(u()) + given("g", |x| 1.0 / x[0]) * u());
    let expected = OperatorError::FieldValue {
        field: "g".into(),
        value: f64::INFINITY,
        point: vec![0.0, 3.0],
    };
    assert_eq!(own.apply(&basis, &[0.0; 3], &points), Err(expected.clone()));
    let message = expected.to_string();
    assert!(message.starts_with("the field g is inf at the point [0.0, 3.0]"));
    let formula = operator(2, u() / X).apply(&basis, &[0.0; 3], &points);
    assert!(matches!(formula, Err(OperatorError::FieldValue { .. })));
    // A product of finite functions that overflows is refused as well.
    let huge = given("h", |_| 1e200);
    let overflow = operator(2, &huge * &huge * u()).apply(&basis, &[0.0; 3], &points);
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
    let flat = operator(2, laplacian(u()));
    for own in [&flat, &operator(3, laplacian(u()))] {
        let error = refused(own, Sites::new(other.view()));
        assert!(matches!(
            error,
            OperatorError::Basis(BasisError::Dimension { .. })
        ));
    }
    let outward = operator(2, normal_derivative(u()));
    assert_eq!(refused(&outward, sites), OperatorError::MissingNormals);
    for normals in [&other, &fewer] {
        let error = refused(&outward, sites.with_normals(normals.view()));
        assert!(matches!(
            error,
            OperatorError::Basis(BasisError::Dimension { .. })
                | OperatorError::Basis(BasisError::Shape { .. })
        ));
    }
    let column = Term::new(Field::tabulated("c", 3), Action::identity(2));
    let tabulated = Operator::from_terms(2, [column]);
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
        OperatorError::Basis(BasisError::Shape { .. })
    ));
    let mut undefined = points.clone();
    undefined[(2, 1)] = f64::NAN;
    let error = refused(&flat, Sites::new(undefined.view()));
    assert!(matches!(
        error,
        OperatorError::Basis(BasisError::NotFinite { .. })
    ));
}

#[test]
fn outputs_and_coefficients_must_fit() {
    let (basis, points) = plain(2, 3, 4);
    let own = operator(2, laplacian(u()));
    for (rows, columns) in [(3, 3), (4, 2), (0, 0)] {
        let mut out = Mat::zeros(rows, columns);
        assert!(own.write_rows(&basis, &points, out.as_mut()).is_err());
        assert!(own.assemble_into(&basis, &points, out.as_mut()).is_err());
    }
    let short = own.apply(&basis, &[1.0; 2], &points);
    assert!(matches!(
        short,
        Err(OperatorError::Basis(BasisError::Shape { .. }))
    ));
    let undefined = own.apply(&basis, &[1.0, f64::NAN, 1.0], &points);
    assert!(matches!(undefined, Err(OperatorError::NotFinite { .. })));
    let short = own.term_magnitudes(&basis, &[1.0; 2], &points);
    assert!(matches!(
        short,
        Err(OperatorError::Basis(BasisError::Shape { .. }))
    ));
}
