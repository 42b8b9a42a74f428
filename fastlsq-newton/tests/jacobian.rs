//! Slopes of residuals against differences, for random residuals.

#![allow(clippy::unwrap_used)]

use fastlsq_newton::{BoxDomain, NonlinearProblem, Real};
use proptest::prelude::*;

/// One factor of a random term.
#[derive(Debug, Clone)]
struct Factor {
    orders: [u32; 2],
    function: u8,
}

fn factor() -> impl Strategy<Value = Factor> {
    ([0u32..3, 0u32..3], 0u8..6).prop_map(|(orders, function)| Factor { orders, function })
}

fn apply(function: u8, u: Real) -> Real {
    match function {
        0 => u,
        1 => u.powi(3),
        2 => u.sin(),
        3 => (0.3 * u).exp(),
        4 => u / (2.0 + u * u),
        _ => (1.0 + u * u).sqrt(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn slopes_are_those_of_the_residual(
        terms in prop::collection::vec((-2.0f64..2.0, prop::collection::vec(factor(), 1..4)), 1..5),
        power in 0i32..3,
    ) {
        let problem = NonlinearProblem::on(BoxDomain::unit(2))
            .parameter("p", 0.7)
            .equation(move |u, x| {
                let mut sum = u.parameter().powi(power) * x[0];
                for (coefficient, factors) in &terms {
                    let mut product = Real::from(*coefficient);
                    for factor in factors {
                        product *= apply(factor.function, u.derivative(&factor.orders));
                    }
                    sum += product;
                }
                sum
            });
        let check = problem.check_jacobian().unwrap();
        prop_assert!(check.worst < 1e-6, "{check:?}");
    }
}

#[test]
fn a_slope_that_was_lost_is_found() {
    let problem = NonlinearProblem::on(BoxDomain::unit(2))
        .equation(|u, _| u.laplacian() + u.partial(1).value().powi(2) * u.value());
    let check = problem.check_jacobian().unwrap();
    assert!(check.worst > 0.1);
    assert_eq!(check.derivative, Some((0, vec![0, 1])));
    assert_eq!(check.label, "equation 1");
}
