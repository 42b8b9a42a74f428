//! Slopes of residuals against differences, for random residuals.

#![allow(clippy::unwrap_used)]

use fastlsq_newton::{
    BoxDomain, DomainExt, Expr, Interval, NonlinearProblem, Real, T, Unknown, WALLS, X, Y, call,
    exp, laplacian, normal_derivative, parameter, sin, sqrt, unknown, unknowns,
};
use proptest::prelude::*;

/// One factor of a random term.
#[derive(Debug, Clone)]
struct Factor {
    orders: [u32; 2],
    function: u8,
}

fn factor() -> impl Strategy<Value = Factor> {
    ([0u32..3, 0u32..3], 0u8..7).prop_map(|(orders, function)| Factor { orders, function })
}

fn derivative(orders: [u32; 2]) -> Expr {
    let mut u = Expr::from(unknown("u"));
    for (coordinate, order) in [X, Y].into_iter().zip(orders) {
        for _ in 0..order {
            u = u.d(coordinate);
        }
    }
    u
}

fn apply(function: u8, u: &Expr) -> Expr {
    match function {
        0 => u.clone(),
        1 => u.powi(3),
        2 => sin(u),
        3 => exp(0.3 * u),
        4 => u / (2.0 + u * u),
        5 => call("f", [u.clone()], |a: &[Real]| a[0].atan() * a[0]),
        _ => sqrt(1.0 + u * u),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn slopes_are_those_of_the_residual(
        terms in prop::collection::vec((-2.0f64..2.0, prop::collection::vec(factor(), 1..4)), 1..5),
        power in 0i32..3,
    ) {
        let p = parameter("p");
        let mut sum = p.powi(power) * X + unknown("u");
        for (coefficient, factors) in &terms {
            let mut product = Expr::from(*coefficient);
            for factor in factors {
                product = product * apply(factor.function, &derivative(factor.orders));
            }
            sum = sum + product;
        }
        let problem = NonlinearProblem::on(BoxDomain::unit(2)).equation(sum, 0.0).parameter(p, 0.7);
        let check = problem.check_jacobian().unwrap();
        prop_assert!(check.worst < 1e-6, "{check:?}");
    }
}

/// A term of an equation: a factor, and how the first and the second unknown stand in it.
fn coupled() -> impl Strategy<Value = (f64, Factor, Factor)> {
    (-2.0f64..2.0, factor(), factor())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Two unknowns of space and time, in the equations and in the conditions on the walls.
    #[test]
    fn slopes_of_systems_are_those_of_their_residuals(
        first in prop::collection::vec(coupled(), 1..4),
        second in prop::collection::vec(coupled(), 1..4),
        through in coupled(),
    ) {
        let [u, v] = unknowns(["u", "v"]);
        let of = |w: Unknown, orders: [u32; 2]| {
            let mut w = Expr::from(w);
            for (coordinate, order) in [X, T].into_iter().zip(orders) {
                w = (0..order).fold(w, |w, _| w.d(coordinate));
            }
            w
        };
        let term = |(coefficient, left, right): &(f64, Factor, Factor)| {
            *coefficient * apply(left.function, &of(u, left.orders)) * apply(right.function, &of(v, right.orders))
        };
        let sum = |start: Expr, terms: &[(f64, Factor, Factor)]| terms.iter().fold(start, |sum, own| sum + term(own));
        let problem = NonlinearProblem::on(Interval::unit().over(0.0, 1.0).unwrap())
            .equation(sum(u.d(T) * v, &first), 0.0)
            .equation(sum(v.d(T) + u * v, &second), 0.0)
            .condition(WALLS, normal_derivative(u) * exp(0.2 * v) + term(&through), 1.0);
        let check = problem.check_jacobian().unwrap();
        prop_assert!(check.worst < 1e-6, "{check:?}");
    }
}

#[test]
fn a_slope_that_was_lost_is_found() {
    let u = unknown("u");
    let lost = call("square", [u.d(Y)], |a: &[Real]| a[0].value().powi(2).into());
    let problem = NonlinearProblem::on(BoxDomain::unit(2)).equation(laplacian(u) + lost * u, 0.0);
    let check = problem.check_jacobian().unwrap();
    assert!(check.worst > 0.1);
    assert_eq!(check.derivative, Some((0, vec![0, 1])));
    assert_eq!(check.label, "equation 1");
}
