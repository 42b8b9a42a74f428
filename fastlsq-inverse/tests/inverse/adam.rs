//! Adam and AdamW step by step, and on problems they are used for.

use fastlsq_inverse::optimise::test_functions::Rosenbrock;
use fastlsq_inverse::optimise::{
    AdamOptions, AdamWOptions, Bounds, FnObjective, LearningRate, Method, MinimiseOptions,
    Objective, OptimiseError, minimise,
};

/// x² + xy + 3y².
fn bowl() -> impl Objective {
    FnObjective::new(2, |x: &[f64], g: &mut [f64]| {
        g[0] = 2.0 * x[0] + x[1];
        g[1] = x[0] + 6.0 * x[1];
        x[0] * x[0] + x[0] * x[1] + 3.0 * x[1] * x[1]
    })
}

fn trajectory(method: Method, steps: u64, bounds: &Bounds) -> Vec<Vec<f64>> {
    let options = MinimiseOptions::new()
        .method(method)
        .max_iterations(steps)
        .record_trajectory();
    let minimum = minimise(&bowl(), &[1.0, -2.0], bounds, &options).expect("a minimum");
    assert_eq!(minimum.evaluations, minimum.history.len() as u64);
    minimum.trajectory
}

fn assert_close(found: &[Vec<f64>], expected: &[[f64; 2]]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        for (a, b) in found.iter().zip(expected) {
            assert!((a - b).abs() < 1e-14, "{found:?} {expected:?}");
        }
    }
}

/// Reference values from a computation with 40 decimal digits.
#[test]
fn the_first_steps_of_adam() {
    let method = Method::Adam(AdamOptions::with_rate(0.1));
    assert_close(
        &trajectory(method, 4, &Bounds::unbounded(2)),
        &[
            [1.0, -2.0],
            // The first step moves by α g/(|g| + ε): nothing where g = 0.
            [1.0, -1.900_000_000_090_909_2],
            [0.925_586_328_164_352_4, -1.800_185_390_097_250_2],
            [0.845_317_622_090_599_1, -1.700_656_068_038_560_5],
            [0.784_999_299_979_867_4, -1.601_530_777_326_574_8],
        ],
    );
}

#[test]
fn the_first_steps_of_adamw() {
    let method = Method::AdamW(AdamWOptions {
        adam: AdamOptions::with_rate(0.1),
        weight_decay: 0.5,
    });
    assert_close(
        &trajectory(method, 4, &Bounds::unbounded(2)),
        &[
            [1.0, -2.0],
            [0.95, -1.800_000_000_090_909],
            [0.828_086_328_164_352_5, -1.610_438_877_286_314_3],
            [0.707_795_966_468_815_8, -1.431_070_302_397_638_3],
            [0.616_526_923_183_656, -1.261_696_990_239_040_5],
        ],
    );
}

#[test]
fn adamw_without_decay_is_adam() {
    let free = Bounds::unbounded(2);
    let adam = AdamOptions::with_rate(0.05);
    let decoupled = AdamWOptions {
        adam: adam.clone(),
        weight_decay: 0.0,
    };
    assert_eq!(
        trajectory(Method::AdamW(decoupled), 20, &free),
        trajectory(Method::Adam(adam), 20, &free)
    );
}

#[test]
fn steps_are_projected_onto_the_box() {
    let bounds = Bounds::from_pairs(&[(0.9, 2.0), (-3.0, -1.75)]).unwrap();
    let points = trajectory(Method::Adam(AdamOptions::with_rate(0.1)), 10, &bounds);
    // It ends in the corner, where −g points out of the box.
    assert_eq!(points.last().unwrap(), &[0.9, -1.75]);
    assert!(points.len() < 11);
    // The step before the projection would have been the one of the free run.
    assert!((points[2][0] - 0.925_586_328_164_352_4).abs() < 1e-14);
}

#[test]
fn a_decaying_rate_brings_the_valley_to_its_minimum() {
    let rate = LearningRate::Cosine {
        initial: 0.1,
        last: 0.0,
        steps: 5000,
    };
    let adam = AdamOptions {
        learning_rate: rate,
        ..AdamOptions::default()
    };
    let options = MinimiseOptions::new()
        .method(Method::Adam(adam))
        .max_iterations(5000);
    let bounds = Bounds::uniform(2, -2.0, 2.0).unwrap();
    let minimum = minimise(&Rosenbrock::new(2), &[-1.2, 1.0], &bounds, &options).unwrap();
    assert!(minimum.value < 1e-8, "{minimum}");
}

#[test]
fn the_best_iterate_is_returned_not_the_last() {
    // A rate far too large overshoots the minimum again and again.
    let options = MinimiseOptions::new()
        .method(Method::Adam(AdamOptions::with_rate(1.5)))
        .max_iterations(4);
    let minimum = minimise(&bowl(), &[1.0, -2.0], &Bounds::unbounded(2), &options).unwrap();
    let least = minimum
        .history
        .iter()
        .copied()
        .fold(f64::INFINITY, f64::min);
    assert_eq!(minimum.value, least);
    assert!(
        minimum.history.last().unwrap() > &least,
        "{:?}",
        minimum.history
    );
}

#[test]
fn it_stops_at_a_stationary_point() {
    let minimum = minimise(
        &bowl(),
        &[0.0, 0.0],
        &Bounds::unbounded(2),
        &MinimiseOptions::new().method(Method::Adam(AdamOptions::default())),
    )
    .unwrap();
    assert!(minimum.status.is_converged());
    assert_eq!(minimum.iterations, 0);
}

#[test]
fn an_undefined_value_is_an_error_that_names_the_point() {
    let objective = FnObjective::new(1, |x: &[f64], g: &mut [f64]| {
        g[0] = 1.0 / x[0];
        x[0].ln()
    });
    let options = MinimiseOptions::new().method(Method::Adam(AdamOptions::with_rate(0.3)));
    let error = minimise(&objective, &[0.5], &Bounds::unbounded(1), &options).unwrap_err();
    let OptimiseError::NonFiniteValue { point, .. } = error else {
        panic!("{error}")
    };
    assert!(point.0[0] < 0.0);
}
