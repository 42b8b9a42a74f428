//! Values, derivatives along axes, and slopes by jets and parameters against dual numbers.

use std::f64::consts::FRAC_PI_2;

use fastlsq_basis::Dual;
use fastlsq_ops::{
    Expr, Frame, HyperDual, Jet, MultiIndex, Residual, ResidualValues, Sites, Space, X, Y, sign,
};
use ndarray::{Array2, array};
use proptest::prelude::*;

use crate::tree::{Number, Tree, kq, tree, uv};

/// The two unknowns: sin(w·x + b).
const WAVES: [([f64; 2], f64); 2] = [([1.3, 0.7], 0.2), ([0.4, -1.1], 1.9)];
const PARAMETERS: [f64; 2] = [0.8, -1.2];

/// D^α of an unknown, exactly.
fn jet(unknown: usize, alpha: &MultiIndex, x: [f64; 2]) -> f64 {
    let (w, b) = WAVES[unknown];
    let phase = w[0] * x[0] + w[1] * x[1] + b + f64::from(alpha.order()) * FRAC_PI_2;
    alpha.monomial(&w) * phase.sin()
}

fn frame() -> Frame {
    Frame::new(Space::new(2), uv()).with_free(kq())
}

fn residual(expression: &Expr) -> Residual {
    frame()
        .lower_scalar(expression)
        .expect("no mistake")
        .residual()
}

fn evaluate(residual: &Residual, x: [f64; 2]) -> ResidualValues {
    let jets = residual.jets().iter();
    let table: Vec<f64> = jets
        .map(|j| jet(j.unknown, &j.action.derivative, x))
        .collect();
    let table = Array2::from_shape_vec((1, table.len()), table).expect("no mistake");
    let points = array![x];
    let sites = Sites::new(points.view());
    residual
        .evaluate(table.view(), &sites, &PARAMETERS)
        .expect("no mistake")
}

fn value(expression: &Expr, x: [f64; 2]) -> f64 {
    evaluate(&residual(expression), x).values[0]
}

#[track_caller]
fn close(found: f64, expected: f64) {
    let error = (found - expected).abs();
    assert!(
        error <= 1e-8 * (1.0 + expected.abs()),
        "{found} instead of {expected}"
    );
}

/// The formula as a function of x and y, the unknowns being the waves.
fn along<N: Number>(tree: &Tree, x: N, y: N) -> N {
    let wave = |(w, b): ([f64; 2], f64)| {
        let phase = N::from(w[0]) * x + N::from(w[1]) * y + N::from(b);
        phase.elementary(crate::tree::Function::Sin)
    };
    let [k, q] = PARAMETERS.map(N::from);
    tree.value([x, y, wave(WAVES[0]), wave(WAVES[1]), k, q])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn derivatives_along_axes_agree_with_dual_numbers(
        tree in tree(6), x in -1.0..1.0f64, y in -1.0..1.0f64
    ) {
        let e = tree.expression();
        let first = along(&tree, Dual::<2>::variable(x, 0), Dual::<2>::variable(y, 1));
        close(value(&e, [x, y]), first.value());
        close(value(&e.d(X), [x, y]), first.slope(0));
        close(value(&e.d(Y), [x, y]), first.slope(1));
        let mixed = |a: [f64; 2], b: [f64; 2]| {
            along(&tree, HyperDual::variable(x, a), HyperDual::variable(y, b)).mixed()
        };
        close(value(&e.d(X).d(Y), [x, y]), mixed([1.0, 0.0], [0.0, 1.0]));
        close(value(&e.d(Y).d(X), [x, y]), mixed([1.0, 0.0], [0.0, 1.0]));
        close(value(&e.d(X).d(X), [x, y]), mixed([1.0, 1.0], [0.0, 0.0]));
    }

    #[test]
    fn slopes_by_jets_and_parameters_agree_with_dual_numbers(
        tree in tree(6), x in -1.0..1.0f64, y in -1.0..1.0f64
    ) {
        let residual = residual(&tree.expression());
        let found = evaluate(&residual, [x, y]);
        let zero = MultiIndex::zero(2);
        let unknown = |k: usize| Dual::<4>::variable(jet(k, &zero, [x, y]), k);
        let parameter = |k: usize| Dual::<4>::variable(PARAMETERS[k], 2 + k);
        let [x, y] = [x, y].map(Dual::<4>::constant);
        let leaves = [x, y, unknown(0), unknown(1), parameter(0), parameter(1)];
        let expected = tree.value(leaves);
        close(found.values[0], expected.value());
        for (column, jet) in residual.jets().iter().enumerate() {
            close(found.slopes[(0, column)], expected.slope(jet.unknown));
        }
        for k in 0..2 {
            close(found.parameter_slopes[(0, k)], expected.slope(2 + k));
            // What does not occur has no slope.
            if residual.jets().iter().all(|jet| jet.unknown != k) {
                close(0.0, expected.slope(k));
            }
        }
    }

    /// ∂(R_x)/∂u_x = ∂R/∂u.
    #[test]
    fn slopes_and_derivatives_commute(tree in tree(6), x in -1.0..1.0f64, y in -1.0..1.0f64) {
        let e = tree.expression();
        let of = |e: &Expr, order: u32| {
            let residual = residual(e);
            let found = evaluate(&residual, [x, y]);
            let wanted = |jet: &Jet| jet.unknown == 0 && jet.action.derivative.order() == order;
            let column = residual.jets().iter().position(wanted);
            column.map_or(0.0, |column| found.slopes[(0, column)])
        };
        close(of(&e.d(X), 1), of(&e, 0));
    }
}

/// Jets whose slope vanishes identically still have values.
#[test]
fn what_cancels_and_what_jumps_has_a_value() {
    let [u, v] = uv();
    let x = [0.3, -0.2];
    let zero = MultiIndex::zero(2);
    close(value(&(u - u), x), 0.0);
    close(value(&(u.d(X) - u.d(X) + v), x), jet(1, &zero, x));
    close(value(&sign(u), x), jet(0, &zero, x).signum());
    close(
        value(&(sign(u) * v), x),
        jet(0, &zero, x).signum() * jet(1, &zero, x),
    );
    let statement = |e: &Expr| frame().lower_scalar(e).unwrap();
    assert!(statement(&(u - u)).is_free_of_unknowns() && statement(&(u - u)).order() == 0);
    assert!(!statement(&sign(u)).is_free_of_unknowns() && !statement(&sign(u)).is_linear());
    assert!(statement(&(X * kq()[0])).is_free_of_unknowns());
}

/// x⁰, x¹ and x² and their derivatives at 0, where naive rules give 0 · ∞.
#[test]
fn powers_at_zero() {
    let at = |e: Expr| value(&e, [0.0, 0.5]);
    assert_eq!([0, 1, 2, 3].map(|n| at(X.powi(n))), [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(
        [0, 1, 2, 3].map(|n| at(X.powi(n).d(X))),
        [0.0, 1.0, 0.0, 0.0]
    );
    assert_eq!(
        [0, 1, 2, 3].map(|n| at(X.powi(n).d(X).d(X))),
        [0.0, 0.0, 2.0, 0.0]
    );
    assert_eq!(
        [1, 2, 3].map(|n| at(X.powi(n).d(X).d(X).d(X))),
        [0.0, 0.0, 6.0]
    );
    let zero = HyperDual::variable(0.0, [1.0, 1.0]);
    for p in [0.0, 1.0, 2.0, 3.0] {
        let (whole, real) = (zero.powi(p as i32), zero.powf(p));
        let expected = [
            if p == 1.0 { 1.0 } else { 0.0 },
            if p == 2.0 { 2.0 } else { 0.0 },
        ];
        assert_eq!([whole.slope(0), whole.mixed()], expected);
        assert_eq!([real.slope(1), real.mixed()], expected);
    }
    assert!(HyperDual::constant(2.0).powi(i32::MIN).value() == 0.0);
}

/// Statements with parameters: what depends on them, with slopes.
#[test]
fn coefficients_and_sources_know_their_parameters() {
    let ([u, _], [k, q]) = (uv(), kq());
    let equation = (k * k * X * u.d(X)).d(X) + 2.0 * u - q * X * k;
    let statement = frame().lower_scalar(&equation).unwrap();
    assert_eq!(statement.fixed_row().to_string(), "2 u₀");
    let points = array![[0.5, 0.0], [2.0, 0.0]];
    let sites = Sites::new(points.view());
    let terms = statement.dependent_terms().unwrap();
    assert_eq!(terms.len(), 2);
    for (row, coefficient) in terms {
        assert_eq!(coefficient.parameters(), 2);
        let sampled = coefficient.sample(&sites, &[3.0, 5.0]).unwrap();
        // k² u_x + k² x u_xx
        let expected = match row.order() {
            1 => array![[9.0, 6.0, 0.0], [9.0, 6.0, 0.0]],
            _ => array![[4.5, 3.0, 0.0], [18.0, 12.0, 0.0]],
        };
        assert_eq!(sampled, expected);
    }
    let source = statement.dependent_source().unwrap().unwrap();
    let sampled = source.sample(&sites, &[3.0, 5.0]).unwrap();
    assert_eq!(sampled, array![[7.5, 2.5, 1.5], [30.0, 10.0, 6.0]]);
    assert!(source.sample(&sites, &[3.0]).is_err());
}
