//! The envelope gradient of the bandwidth, with and without a ridge, against differences.

#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;

use fastlsq_inverse::applications::TravellingProfile;
use fastlsq_inverse::optimise::{MinimiseOptions, check_gradient};
use fastlsq_inverse::{
    BandwidthLearner, BoxDomain, LinearProblem, LsqOptions, Options, Shape, X, Y, laplacian, sin,
    unknown,
};
use proptest::prelude::*;

fn problem() -> LinearProblem {
    let u = unknown("u");
    LinearProblem::on(BoxDomain::unit(2))
        .equation(
            laplacian(u) + (1.0 + X * Y) * u.d(X) + 4.0 * u,
            sin(5.0 * X) + Y,
        )
        .neumann(X * Y)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn envelope_gradients_agree_with_differences(
        sigma in 2.0..5.0f64,
        other in 2.0..5.0f64,
        coupling in -0.8..0.8f64,
        seed in 0u64..100,
    ) {
        // Few features: the loss is far from zero, and smooth. Its derivatives of high order are
        // large all the same, up to 1e6 beside a slope that may vanish, hence the extrapolation.
        for ridge in [0.0, 1e-6, 1e-2] {
            let options = Options::new()
                .features(40)
                .rows(200, 60)
                .seed(seed)
                .lsq(LsqOptions::new().ridge(ridge));
            for (shape, at) in [
                (Shape::Isotropic, vec![sigma.ln()]),
                (Shape::PerAxis, vec![sigma.ln(), other.ln()]),
                (Shape::Full, vec![sigma.ln(), other.ln(), coupling]),
            ] {
                let learner = BandwidthLearner::new(&problem(), shape, sigma, &options).unwrap();
                let check = check_gradient(learner.loss(), &at).unwrap();
                // The differences must themselves be good enough to tell, and they tell no more than they know.
                prop_assert!(check.uncertainty < 1e-5, "{shape:?} {ridge}: {check:?}");
                let told = check.uncertainty.max(1e-6);
                prop_assert!(check.relative_error < 2.0 * told, "{shape:?} {ridge}: {check:?}");
            }
        }
    }
}

#[test]
fn factors_are_what_the_parameters_say() {
    let options = Options::new().features(20).rows(60, 20);
    let learner = BandwidthLearner::new(&problem(), Shape::Full, 3.0, &options).unwrap();
    let factor = learner.loss().factor(&[2f64.ln(), 5f64.ln(), -0.7]);
    for (entry, expected) in factor.iter().zip([2.0, 0.0, -1.4, 5.0]) {
        assert!((entry - expected).abs() < 1e-14, "{factor:?}");
    }
    assert!(BandwidthLearner::new(&problem(), Shape::Full, -1.0, &options).is_err());
    assert!(learner.from_parameters(&[1.0]).is_err());
}

#[test]
fn gradual_learning_follows_a_travelling_wave_from_any_draw() {
    let soliton = TravellingProfile::kdv(2500);
    for (seed, sigma) in [(0, 4.0), (1, 3.0), (2, 6.0)] {
        let options = Options::new().features(200).seed(seed);
        let learner = soliton.learner(sigma, &options).unwrap();
        let steps = MinimiseOptions::new().max_iterations(20);
        let learned = learner.learn_gradually(&steps).unwrap();
        let speed = soliton.physical_speed(learned.speed(0, 1));
        let error = soliton.error(&learned.solution).unwrap();
        assert!(
            (speed / soliton.speed - 1.0).abs() < 0.02,
            "{seed}: {speed}"
        );
        assert!(error < 1e-3, "{seed}: {error}");
        assert_eq!(learned.losses.len(), learned.factors.len());
        // Five levels, each with its start.
        assert_eq!(learned.losses.len() as u64, learned.iterations + 5);
        assert!(learned.evaluations > learned.iterations);
    }
}

#[test]
fn gradual_learning_ends_when_told_and_leaves_a_large_ridge_alone() {
    let options = Options::new().features(30).rows(120, 40);
    let learner = BandwidthLearner::new(&problem(), Shape::Full, 3.0, &options).unwrap();
    let steps = MinimiseOptions::new().max_iterations(5);
    let mut seen = 0;
    let learned = learner
        .learn_gradually_with_progress(&steps, &mut |_| {
            seen += 1;
            ControlFlow::Break(())
        })
        .unwrap();
    assert_eq!(seen, 1);
    assert!(learned.held_out.is_finite());

    let ridge = 1e9;
    let large = options.lsq(LsqOptions::new().ridge(ridge));
    let learner = BandwidthLearner::new(&problem(), Shape::Full, 3.0, &large).unwrap();
    let learned = learner.learn_gradually(&steps).unwrap();
    assert_eq!(learned.ridge, ridge);
}
