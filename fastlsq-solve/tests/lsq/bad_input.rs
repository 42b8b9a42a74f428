//! Bad input is refused with an error that names it.
#![allow(clippy::unwrap_used)]

use super::support::gaussian;
use faer::{Mat, MatMut};
use fastlsq_solve::lsq::{Input, LsqError, LsqOptions, Method, RowSource, factor};

const METHODS: [Method; 6] = [
    Method::Auto,
    Method::RankRevealingQr,
    Method::Svd,
    Method::Sketch,
    Method::Qr,
    Method::NormalEquations,
];

#[test]
fn a_value_that_is_not_finite_is_named_with_its_row() {
    for (m, n) in [(50, 8), (5000, 30)] {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for row in [0, m / 3, m - 1] {
                for method in METHODS {
                    let options = LsqOptions::new().method(method);
                    let mut a = gaussian(m, n, 1);
                    let mut b = gaussian(m, 1, 2);
                    a[(row, 5)] = bad;
                    let error = factor(&a, b.as_ref(), &options).unwrap_err();
                    assert!(
                        matches!(error, LsqError::NotFinite { input: Input::Matrix, row: r, column: 5, .. } if r == row),
                        "{method}: {error}"
                    );
                    a[(row, 5)] = 0.0;
                    b[(row, 0)] = bad;
                    let error = factor(&a, b.as_ref(), &options).unwrap_err();
                    assert!(
                        matches!(error, LsqError::NotFinite { input: Input::RightHandSide, row: r, .. } if r == row),
                        "{method}: {error}"
                    );
                }
            }
        }
    }
}

#[test]
fn sizes_must_fit_together() {
    let a = gaussian(10, 3, 1);
    let options = LsqOptions::new().keep_q(true);
    let error = factor(&a, gaussian(9, 1, 2).as_ref(), &options).unwrap_err();
    assert!(matches!(
        error,
        LsqError::Shape {
            expected: 10,
            found: 9,
            ..
        }
    ));
    for (m, n) in [(0, 3), (3, 0), (0, 0)] {
        let error = factor(&Mat::zeros(m, n), Mat::zeros(m, 1).as_ref(), &options).unwrap_err();
        assert!(matches!(error, LsqError::Empty { .. }));
    }
    let factored = factor(&a, Mat::zeros(10, 0).as_ref(), &options).unwrap();
    assert_eq!(factored.solution().shape(), (3, 0));
    assert!(matches!(
        factored.solve(gaussian(3, 1, 1).as_ref()),
        Err(LsqError::Shape { expected: 10, .. })
    ));
    assert!(matches!(
        factored.adjoint(gaussian(10, 1, 1).as_ref()),
        Err(LsqError::Shape { expected: 3, .. })
    ));
    let cached = factored.cached().unwrap();
    assert!(matches!(
        cached.solve(gaussian(3, 1, 1).as_ref()),
        Err(LsqError::Shape { .. })
    ));
    assert!(matches!(
        cached.adjoint(gaussian(10, 1, 1).as_ref()),
        Err(LsqError::Shape { .. })
    ));
    let mut nan = gaussian(10, 1, 1);
    nan[(4, 0)] = f64::NAN;
    assert!(matches!(
        factored.solve(nan.as_ref()),
        Err(LsqError::NotFinite { row: 4, .. })
    ));
    assert!(matches!(
        cached.solve(nan.as_ref()),
        Err(LsqError::NotFinite { row: 4, .. })
    ));
}

#[test]
fn new_right_hand_sides_need_the_orthogonal_factor() {
    for (m, method) in [
        (20, Method::Auto),
        (4000, Method::RankRevealingQr),
        (20, Method::NormalEquations),
    ] {
        let a = gaussian(m, 4, 1);
        let b = gaussian(m, 1, 2);
        let factored = factor(&a, b.as_ref(), &LsqOptions::new().method(method)).unwrap();
        assert!(matches!(
            factored.solve(b.as_ref()),
            Err(LsqError::QNotKept)
        ));
        assert!(matches!(
            factored.adjoint(Mat::zeros(4, 1).as_ref()),
            Err(LsqError::QNotKept)
        ));
        assert!(matches!(factored.cached(), Err(LsqError::QNotKept)));
    }
}

#[test]
fn options_outside_their_range_are_refused() {
    let (a, b) = (gaussian(10, 3, 1), gaussian(10, 1, 2));
    for options in [
        LsqOptions::new().ridge(-1.0),
        LsqOptions::new().ridge(f64::NAN),
        LsqOptions::new().threshold(1.0),
        LsqOptions::new().threshold(-1e-3),
        LsqOptions::new().threshold(f64::NAN),
        LsqOptions::new().threads(0),
        LsqOptions::new().threads(1_000_000),
    ] {
        assert!(
            matches!(
                factor(&a, b.as_ref(), &options),
                Err(LsqError::Option { .. })
            ),
            "{options:?}"
        );
    }
}

/// Claims a size and fails if a row is ever asked for.
struct Claim(usize, usize);

#[derive(Debug, thiserror::Error)]
#[error("no rows here")]
struct NoRows;

impl RowSource for Claim {
    fn nrows(&self) -> usize {
        self.0
    }

    fn ncols(&self) -> usize {
        self.1
    }

    fn write_rows(&self, start: usize, _: MatMut<'_, f64>) -> Result<(), LsqError> {
        Err(LsqError::Source {
            row: start,
            cause: Box::new(NoRows),
        })
    }
}

#[test]
fn absurd_sizes_are_refused_before_anything_is_allocated() {
    for (m, n) in [
        (10_000_000, 10_000_000),
        (usize::MAX, 1 << 30),
        (3, usize::MAX / 2),
        (1 << 40, 1 << 25),
    ] {
        for method in METHODS {
            for keep in [false, true] {
                let options = LsqOptions::new().method(method).keep_q(keep);
                let source = Claim(m, n);
                let none = Mat::zeros(0, 0);
                let error = factor(&source, none.as_ref(), &options).unwrap_err();
                assert!(matches!(error, LsqError::TooLarge { .. }), "{error}");
            }
        }
    }
    let error = factor(
        &gaussian(100, 50, 1),
        gaussian(100, 1, 1).as_ref(),
        &LsqOptions::new().memory_limit(10_000),
    )
    .unwrap_err();
    assert!(matches!(error, LsqError::TooLarge { limit: 10_000, .. }));
}

#[test]
fn an_error_of_the_source_comes_through_with_its_cause() {
    for m in [100, 20_000] {
        for method in METHODS {
            let b = Mat::zeros(m, 1);
            let error =
                factor(&Claim(m, 10), b.as_ref(), &LsqOptions::new().method(method)).unwrap_err();
            assert!(
                matches!(error, LsqError::Source { .. }),
                "{method}: {error}"
            );
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            assert_eq!(cause.as_deref(), Some("no rows here"));
        }
    }
}
