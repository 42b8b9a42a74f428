//! Random features, points and operators.

use faer::Mat;
use fastlsq_basis::{Basis, FrequencyLaw, SinusoidalBasis};
use fastlsq_ops::{Field, MultiIndex, Operator, Sites, derivative, zero};
use ndarray::Array2;
use proptest::collection::vec;
use proptest::prelude::*;

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

    pub(crate) fn rows(&self, operator: &Operator) -> Mat<f64> {
        rows(operator, &self.basis(), &self.points)
    }

    /// Checks that both operators have the same rows, relative to the size of their terms.
    pub(crate) fn assert_same(&self, a: &Operator, b: &Operator) {
        let scale = self.scale(a).max(self.scale(b));
        assert_close(&self.rows(a), &self.rows(b), 1e-13 * scale);
    }

    /// The largest sum of absolute values of the terms of an operator over points and features.
    pub(crate) fn scale(&self, operator: &Operator) -> f64 {
        let basis = self.basis();
        let mut scale = f64::MIN_POSITIVE;
        for term in operator.terms() {
            let c = term.coefficient().clone();
            // Phases move values around; a bound on the derivative is what rounding scales with.
            let bound = (0..basis.len())
                .map(|j| term.action().derivative.monomial(basis.frequency(j)).abs())
                .fold(1.0, f64::max);
            let one = c * fastlsq_ops::identity(self.dim);
            let values = rows(&one, &basis, &self.points);
            scale += bound * largest(&values).max(1.0);
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

/// A multi-index of order at most `order`.
pub(crate) fn multi_index(dim: usize, order: usize) -> impl Strategy<Value = MultiIndex> {
    vec(0..dim, 0..=order).prop_map(move |axes| {
        let mut orders = vec![0; dim];
        for axis in axes {
            orders[axis] += 1;
        }
        MultiIndex::new(orders)
    })
}

/// A constant-coefficient operator with up to four terms.
pub(crate) fn operator(dim: usize, order: usize) -> impl Strategy<Value = Operator> {
    vec((-2.0..2.0f64, multi_index(dim, order)), 1..=4).prop_map(move |terms| {
        terms
            .into_iter()
            .fold(zero(dim), |sum, (c, alpha)| sum + c * derivative(alpha))
    })
}

/// A scene with two operators of its dimension.
pub(crate) fn scene_with_two(
    dims: std::ops::RangeInclusive<usize>,
    order: usize,
) -> impl Strategy<Value = (Scene, Operator, Operator)> {
    scene(dims).prop_flat_map(move |scene| {
        let dim = scene.dim;
        (Just(scene), operator(dim, order), operator(dim, order))
    })
}

/// cos(x₀) with all its derivatives known up to some order.
pub(crate) fn cosine_field(depth: u32) -> Field {
    fn wave(depth: u32, phase: f64, dim: usize) -> Field {
        let field = Field::new("g", move |x| (x[0] + phase).cos());
        if depth == 0 {
            return field;
        }
        // (cos(x + p))′ = cos(x + p + π/2)
        let slope = wave(depth - 1, phase + std::f64::consts::FRAC_PI_2, dim);
        let others = (1..dim).map(|_| Field::constant(0.0));
        field.with_gradient(std::iter::once(slope).chain(others))
    }
    wave(depth, 0.0, 6)
}
