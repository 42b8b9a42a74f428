//! Derivatives of rows by the frequencies and by their common factor.
#![allow(clippy::unwrap_used)]

use super::common::{slope, some_form, test_points};
use fastlsq_basis::{
    Action, AxisIntegral, Basis, BasisError, Coefficient, Form, FrequencyLaw, InputMap, MultiIndex,
    Parity, SinusoidalBasis, UpperLimit,
};
use ndarray::{Array1, Array2, array};

/// Rows as a function of the frequencies, for differences.
fn rows_at(
    frequencies: &Array2<f64>,
    phases: &[f64],
    points: &Array2<f64>,
    form: &Form<'_>,
) -> faer::Mat<f64> {
    let basis = SinusoidalBasis::explicit(frequencies.view(), phases).unwrap();
    basis.assemble(points.view(), form).unwrap()
}

#[test]
fn derivatives_by_the_frequency_match_differences() {
    for dim in 1..=3 {
        let points = test_points(4, dim);
        let basis = SinusoidalBasis::builder(dim, 5)
            .law(FrequencyLaw::Isotropic(2.0))
            .normalised(false)
            .build()
            .unwrap();
        let actions: Vec<Action> = MultiIndex::up_to_order(dim, 4)
            .into_iter()
            .map(Action::derivative)
            .collect();
        let varying = [0.3, -1.2, 2.0, 0.7];
        let mut form = some_form(&actions);
        form.push(Coefficient::PerPoint(&varying), &actions[1]);
        for axis in 0..dim {
            let mut found = faer::Mat::zeros(4, 5);
            basis
                .write_frequency_derivative(points.view(), &form, axis, found.as_mut())
                .unwrap();
            for j in 0..5 {
                for i in 0..4 {
                    let entry = |w: f64| {
                        let mut frequencies = basis.frequencies();
                        frequencies[(j, axis)] = w;
                        rows_at(&frequencies, basis.phases(), &points, &form)[(i, j)]
                    };
                    let expected = slope(entry, basis.frequency(j)[axis], 0.05);
                    let size = 1.0 + expected.abs();
                    assert!(
                        (found[(i, j)] - expected).abs() <= 1e-7 * size,
                        "dim {dim} axis {axis} ({i}, {j}): {} {expected}",
                        found[(i, j)]
                    );
                }
            }
        }
    }
}

#[test]
fn derivatives_by_the_factor_match_differences() {
    let dim = 2;
    let map = InputMap::from_box(&[0.0, -1.0], &[1.0, 3.0]).unwrap();
    let factor = array![[1.5, 0.0], [-0.7, 2.0]];
    let basis = SinusoidalBasis::builder(dim, 6)
        .map(map)
        .seed(4)
        .build()
        .unwrap();
    let basis = basis.with_factor(factor.view()).unwrap();
    let points = test_points(5, dim);
    let actions = [
        Action::identity(dim),
        Action::derivative(MultiIndex::new([2, 0])),
        Action::derivative(MultiIndex::new([1, 2])),
    ];
    let form = some_form(&actions);
    let residual = Array1::linspace(-1.0, 1.5, 5).to_vec();
    let beta = Array1::linspace(2.0, -1.0, 6).to_vec();
    let gradient = basis
        .factor_gradient(points.view(), &form, &residual, &beta)
        .unwrap();
    for a in 0..dim {
        for b in 0..=a {
            let rows = |value: f64| {
                let mut moved = factor.clone();
                moved[(a, b)] = value;
                let moved = basis.with_factor(moved.view()).unwrap();
                moved.assemble(points.view(), &form).unwrap()
            };
            let mut found = faer::Mat::zeros(5, 6);
            basis
                .write_factor_derivative(points.view(), &form, (a, b), found.as_mut())
                .unwrap();
            let mut contracted = 0.0;
            for j in 0..6 {
                for i in 0..5 {
                    let expected = slope(|v| rows(v)[(i, j)], factor[(a, b)], 0.05);
                    assert!((found[(i, j)] - expected).abs() <= 1e-8 * (1.0 + expected.abs()));
                    contracted += residual[i] * found[(i, j)] * beta[j];
                }
            }
            assert!((gradient[(a, b)] - contracted).abs() <= 1e-12 * (1.0 + contracted.abs()));
        }
    }
}

#[test]
fn derivatives_by_the_frequency_refuse_what_they_cannot_answer() {
    let points = test_points(3, 2);
    let identity = Action::identity(2);
    let value = Form::action(&identity);
    let plain = SinusoidalBasis::builder(2, 4).build().unwrap();
    let mut out = faer::Mat::zeros(3, 4);
    let astray = plain.write_frequency_derivative(points.view(), &value, 2, out.as_mut());
    assert_eq!(astray, Err(BasisError::Axis { axis: 2, dim: 2 }));
    let astray = plain.write_factor_derivative(points.view(), &value, (0, 2), out.as_mut());
    assert_eq!(astray, Err(BasisError::Axis { axis: 2, dim: 2 }));

    let even = plain.with_parity(&[Parity::Even, Parity::None]).unwrap();
    let blocks = plain.with_law(&FrequencyLaw::blocks(&[1.0, 2.0])).unwrap();
    let unsupported = |answer| matches!(answer, Err(BasisError::Unsupported { .. }));
    assert!(unsupported(even.write_frequency_derivative(
        points.view(),
        &value,
        0,
        out.as_mut()
    )));
    assert!(unsupported(blocks.write_factor_derivative(
        points.view(),
        &value,
        (0, 0),
        out.as_mut()
    )));
    assert!(
        blocks
            .write_frequency_derivative(points.view(), &value, 0, out.as_mut())
            .is_ok()
    );
    let integral = Action {
        integrals: vec![AxisIntegral {
            axis: 0,
            from: 0.0,
            to: UpperLimit::Coordinate,
        }],
        ..Action::identity(2)
    };
    let form = Form::action(&integral);
    assert!(unsupported(plain.write_frequency_derivative(
        points.view(),
        &form,
        0,
        out.as_mut()
    )));

    let gradient = |points: &Array2<f64>, r: &[f64], b: &[f64]| {
        plain.factor_gradient(points.view(), &value, r, b)
    };
    assert!(gradient(&points, &[1.0; 2], &[1.0; 4]).is_err());
    assert!(gradient(&points, &[1.0; 3], &[1.0; 5]).is_err());
    assert!(gradient(&points, &[1.0, f64::NAN, 1.0], &[1.0; 4]).is_err());
    let mut spoilt = points.clone();
    spoilt[(1, 1)] = f64::NAN;
    assert!(gradient(&spoilt, &[1.0; 3], &[1.0; 4]).is_err());
    assert!(gradient(&points, &[1.0; 3], &[1.0; 4]).is_ok());
}
