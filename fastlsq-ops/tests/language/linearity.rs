//! Linear or not, by structure; and what a linear statement becomes.

use fastlsq_ops::{
    Expr, Frame, Sites, Space, X, Y, abs, axis, exp, grad, laplacian, sin, sqrt, unknown, vector,
};
use ndarray::{Array2, array};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::tree::{Tree, tree, uv};

fn frame() -> Frame {
    Frame::new(Space::new(2), uv())
}

/// c(x, y) D^α of one of the unknowns.
fn linear_term() -> impl Strategy<Value = Expr> {
    let coefficient = tree(2).prop_filter("not zero", |tree| !matches!(tree, Tree::Number(_)));
    (coefficient, 0..2usize, vec(0..2usize, 0..=3)).prop_map(|(c, k, axes)| {
        let of: Expr = axes.iter().fold(uv()[k].into(), |e: Expr, k| e.d(axis(*k)));
        c.expression() * of
    })
}

fn nonlinear_term() -> impl Strategy<Value = Expr> {
    let [u, v] = uv();
    let terms = vec![
        u * v,
        u * u.d(X),
        u.powi(2),
        exp(v),
        abs(u),
        X / u,
        sqrt(u.d(Y)),
        sin(u * Y) * X,
        (v * v).d(X),
        laplacian(u.powi(3)),
    ];
    proptest::sample::select(terms)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn one_nonlinear_term_is_found(
        terms in vec(linear_term(), 1..5), nonlinear in nonlinear_term(), at in 0..5usize,
        source in tree(2)
    ) {
        let mut all = terms.clone();
        all.push(source.expression());
        let linear: Expr = all.iter().cloned().sum();
        prop_assert!(frame().lower_scalar(&linear).unwrap().is_linear());
        prop_assert!(frame().first_nonlinear(&linear).is_none());
        let place = at.min(all.len());
        all.insert(place, nonlinear.clone());
        let sum: Expr = all.into_iter().sum();
        let statement = frame().lower_scalar(&sum).unwrap();
        prop_assert!(!statement.is_linear());
        prop_assert!(statement.row().is_none() && statement.source().is_none());
        prop_assert_eq!(frame().first_nonlinear(&sum), Some(nonlinear));
    }

    /// R = L u − f with jets as variables: Σ slope · jet − source.
    #[test]
    fn a_linear_statement_is_its_row_and_its_source(
        terms in vec(linear_term(), 1..5), source in tree(2), x in -1.0..1.0f64, y in -1.0..1.0f64
    ) {
        let whole: Expr = terms.into_iter().sum::<Expr>() - source.expression();
        let statement = frame().lower_scalar(&whole).unwrap();
        let points = array![[x, y]];
        let sites = Sites::new(points.view());
        let f = statement.source().unwrap().evaluate(sites).unwrap()[0];
        let residual = statement.residual();
        let count = residual.jets().len();
        let table = Array2::from_shape_fn((1, count), |(_, j)| (1.0 + j as f64).sin());
        let found = residual.evaluate(table.view(), &sites, &[]).unwrap();
        let expected = found.slopes.row(0).dot(&table.row(0)) - f;
        prop_assert!((found.values[0] - expected).abs() < 1e-9 * (1.0 + expected.abs()));
        // The row holds the same coefficients.
        let row = statement.row().unwrap();
        for (jet, slope) in residual.jets().iter().zip(found.slopes.row(0)) {
            let block = row.block(jet.unknown).unwrap();
            let term = block.terms().iter().find(|t| *t.action() == jet.action).unwrap();
            prop_assert_eq!(term.coefficient().evaluate(sites).unwrap(), vec![*slope]);
        }
    }
}

#[test]
fn terms_inside_parentheses_and_vectors_are_found() {
    let u = unknown("u");
    let frame = Frame::new(Space::new(2), [u]);
    let found = |e: &Expr| frame.first_nonlinear(e).map(|e| e.to_string());
    let nested = u.d(X) - 2.0 * (laplacian(u) - (u - u.powi(3)));
    assert_eq!(found(&nested).unwrap(), "−u³");
    let pair = vector([u.d(X), u.d(Y) + u * u]);
    assert_eq!(found(&pair).unwrap(), "u²");
    assert_eq!(found(&(u * grad(u))).unwrap(), "u ∇u");
}
