//! Random features, points and operators.

use faer::Mat;
use fastlsq_basis::{Basis, FrequencyLaw, SinusoidalBasis};
use fastlsq_ops::{
    EquationRow, Expr, Frame, Operator, Sites, Space, StatementError, Unknown, axis, unknown,
};
use ndarray::Array2;
use proptest::collection::vec;
use proptest::prelude::*;

/// The unknown of all problems with one.
pub(crate) fn u() -> Unknown {
    unknown("u")
}

/// A linear expression in u as an operator on a space without time.
#[track_caller]
pub(crate) fn operator(dim: usize, expression: impl Into<Expr>) -> Operator {
    try_operator(dim, expression).expect("a sound expression")
}

pub(crate) fn try_operator(
    dim: usize,
    expression: impl Into<Expr>,
) -> Result<Operator, StatementError> {
    let row = try_row(Space::new(dim), [u()], &expression.into())?;
    let block = row.block(0).cloned();
    Ok(block.unwrap_or_else(|| Operator::from_terms(dim, [])))
}

pub(crate) fn try_row(
    space: Space,
    unknowns: impl IntoIterator<Item = Unknown>,
    expression: &Expr,
) -> Result<EquationRow, StatementError> {
    let statement = Frame::new(space, unknowns).lower_scalar(expression)?;
    Ok(statement.row().expect("a linear expression"))
}

/// A few features with given frequencies and phases, and a few points.
#[derive(Debug, Clone)]
pub(crate) struct Scene {
    pub(crate) dim: usize,
    pub(crate) frequencies: Array2<f64>,
    pub(crate) phases: Vec<f64>,
    pub(crate) points: Array2<f64>,
}

impl Scene {
    pub(crate) fn basis(&self) -> SinusoidalBasis {
        SinusoidalBasis::explicit(self.frequencies.view(), &self.phases).expect("a valid basis")
    }

    pub(crate) fn operator(&self, expression: impl Into<Expr>) -> Operator {
        operator(self.dim, expression)
    }

    pub(crate) fn rows(&self, expression: impl Into<Expr>) -> Mat<f64> {
        rows(&self.operator(expression), &self.basis(), &self.points)
    }

    /// Checks that both expressions have the same rows, relative to the size of their terms.
    #[track_caller]
    pub(crate) fn assert_same(&self, a: impl Into<Expr>, b: impl Into<Expr>) {
        let (a, b) = (a.into(), b.into());
        let scale = self.scale(&a).max(self.scale(&b));
        assert_close(&self.rows(a), &self.rows(b), 1e-13 * scale);
    }

    /// The largest sum of absolute values of the terms of an operator over points and features.
    pub(crate) fn scale(&self, expression: impl Into<Expr>) -> f64 {
        let basis = self.basis();
        let mut scale = f64::MIN_POSITIVE;
        for term in self.operator(expression).terms() {
            // Phases move values around; a bound on the derivative is what rounding scales with.
            let bound = (0..basis.len())
                .map(|j| term.action().derivative.monomial(basis.frequency(j)).abs())
                .fold(1.0, f64::max);
            let values = term.coefficient().evaluate(&self.points);
            let values = values.expect("finite coefficients");
            scale += bound * values.iter().fold(1.0, |m: f64, c| m.max(c.abs()));
        }
        scale
    }
}

pub(crate) fn rows<'a>(
    operator: &Operator,
    basis: &dyn Basis,
    sites: impl Into<Sites<'a>>,
) -> Mat<f64> {
    operator.assemble(basis, sites).expect("a valid operator")
}

pub(crate) fn largest(a: &Mat<f64>) -> f64 {
    (0..a.ncols())
        .flat_map(|j| (0..a.nrows()).map(move |i| a[(i, j)].abs()))
        .fold(0.0, f64::max)
}

#[track_caller]
pub(crate) fn assert_close(a: &Mat<f64>, b: &Mat<f64>, tolerance: f64) {
    assert_eq!((a.nrows(), a.ncols()), (b.nrows(), b.ncols()));
    let worst = largest(&(a - b));
    assert!(worst <= tolerance, "{worst:e} > {tolerance:e}");
}

/// A basis and points for tests that need nothing special.
pub(crate) fn plain(dim: usize, features: usize, points: usize) -> (SinusoidalBasis, Array2<f64>) {
    let basis = SinusoidalBasis::random(dim, features, &FrequencyLaw::Isotropic(2.0), 7)
        .expect("a valid basis");
    let points = Array2::from_shape_fn((points, dim), |(i, k)| {
        (1.0 + i as f64 * 0.37 + k as f64 * 1.7).sin()
    });
    (basis, points)
}

pub(crate) fn scene(dims: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Scene> {
    dims.prop_flat_map(|dim| {
        (
            vec(-3.0..3.0f64, 4 * dim),
            vec(0.0..std::f64::consts::TAU, 4),
            vec(-1.0..1.0f64, 5 * dim),
        )
            .prop_map(move |(w, phases, x)| Scene {
                dim,
                frequencies: Array2::from_shape_vec((4, dim), w).expect("four features"),
                phases,
                points: Array2::from_shape_vec((5, dim), x).expect("five points"),
            })
    })
}

/// D^α of an expression, α as a list of axes.
pub(crate) fn derived(of: impl Into<Expr>, axes: &[usize]) -> Expr {
    axes.iter().fold(of.into(), |inner, k| inner.d(axis(*k)))
}

/// Σ c D^α: numbers with lists of axes.
#[derive(Debug, Clone)]
pub(crate) struct Constant(pub(crate) Vec<(f64, Vec<usize>)>);

impl Constant {
    pub(crate) fn of(&self, inner: impl Into<Expr>) -> Expr {
        let inner = inner.into();
        let term = |(c, axes): &(f64, Vec<usize>)| *c * derived(&inner, axes);
        self.0.iter().map(term).sum()
    }
}

/// A constant-coefficient operator with up to four terms.
pub(crate) fn constant(dim: usize, order: usize) -> impl Strategy<Value = Constant> {
    vec((-2.0..2.0f64, vec(0..dim, 0..=order)), 1..=4).prop_map(Constant)
}

/// A scene with two operators of its dimension.
pub(crate) fn scene_with_two(
    dims: std::ops::RangeInclusive<usize>,
    order: usize,
) -> impl Strategy<Value = (Scene, Constant, Constant)> {
    scene(dims).prop_flat_map(move |scene| {
        let dim = scene.dim;
        (Just(scene), constant(dim, order), constant(dim, order))
    })
}
