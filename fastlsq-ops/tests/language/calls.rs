//! Functions given as Rust code, differentiated by hyper-dual numbers.

use fastlsq_ops::{Expr, Frame, Real, Sites, Space, StatementError, X, Y, call, exp, sin, unknown};
use ndarray::array;

fn formula(a: &[Real]) -> Real {
    (a[0] * a[1]).sin() / (2.0 + a[1].cos()) + a[0].powi(3)
}

fn written(a: impl Into<Expr>, b: impl Into<Expr>) -> Expr {
    let (a, b) = (a.into(), b.into());
    sin(&a * &b) / (2.0 + fastlsq_ops::cos(&b)) + a.powi(3)
}

fn at(expression: &Expr) -> Vec<f64> {
    let frame = Frame::new(Space::new(2), [unknown("u")]);
    let points = array![[0.3, 0.7], [-0.4, 1.2]];
    let statement = frame.lower_scalar(expression).expect("no mistake");
    let residual = statement.residual();
    let table = ndarray::Array2::from_shape_fn((2, residual.jets().len()), |(i, j)| {
        0.3 + 0.5 * i as f64 - 0.2 * j as f64
    });
    let found = residual.evaluate(table.view(), &Sites::new(points.view()), &[]);
    let found = found.expect("no mistake");
    found.values.into_iter().chain(found.slopes).collect()
}

fn agree(a: &Expr, b: &Expr) {
    let (a, b) = (at(a), at(b));
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(&b) {
        assert!(
            (a - b).abs() < 1e-12 * (1.0 + b.abs()),
            "{a} instead of {b}"
        );
    }
}

/// Values, first derivatives along axes, slopes of those by the unknown: as if it had been written.
#[test]
fn code_is_differentiated_like_an_expression() {
    let u = unknown("u");
    let arguments: [(Expr, Expr); 3] = [(u * 1.0, X * Y), (exp(X) * u, u + Y), (X + Y, Y * 1.0)];
    for (a, b) in arguments {
        let code = call("f", [a.clone(), b.clone()], formula);
        let text = written(a, b);
        agree(&code, &text);
        agree(&code.d(X), &text.d(X));
        agree(&(X * code.d(Y) + code), &(X * text.d(Y) + text));
    }
    // Second derivatives where no further slope is needed.
    let (code, text) = (call("f", [X.into(), Y.into()], formula), written(X, Y));
    agree(&code.d(X).d(Y), &text.d(X).d(Y));
    agree(&code.d(Y).d(Y), &text.d(Y).d(Y));
}

#[test]
fn third_derivatives_of_code_are_refused_by_name() {
    let u = unknown("u");
    let frame = Frame::new(Space::new(2), [u]);
    let code = call("f", [X.into(), Y.into()], formula);
    let refused = frame.lower(&code.d(X).d(Y).d(X)).unwrap_err();
    assert_eq!(
        refused,
        StatementError::ThirdDerivative {
            function: "f".into()
        }
    );
    // Two along axes and one by the unknown make three.
    let code = call("f", [u.into(), Y.into()], formula);
    assert!(frame.lower(&code.d(X)).is_ok() && frame.lower(&code.d(X).d(X)).is_err());
}
