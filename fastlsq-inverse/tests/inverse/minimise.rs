//! The one-call layer: statuses, histories, starts, and input that cannot work.

use std::ops::ControlFlow;

use fastlsq_inverse::optimise::test_functions::{Rosenbrock, bounded_problems};
use fastlsq_inverse::optimise::{
    Bounds, BoundsError, ConvergenceTest, EvaluationError, FnObjective, LbfgsbOptions, Method,
    MinimiseOptions, Objective, OptimiseError, Status, minimise, minimise_from_starts,
    minimise_with_progress, scattered_starts,
};

const START: [f64; 2] = [-1.2, 1.0];

fn square() -> Bounds {
    Bounds::uniform(2, -2.0, 2.0).expect("a valid box")
}

#[test]
fn a_minimum_says_how_it_was_found() {
    let options = MinimiseOptions::new().record_trajectory();
    let minimum = minimise(&Rosenbrock::new(2), &START, &square(), &options).unwrap();
    assert_eq!(
        minimum.status,
        Status::Converged(ConvergenceTest::ProjectedGradient)
    );
    assert!(minimum.value < 1e-10 && minimum.gradient_norm < 1e-5);
    assert_eq!(minimum.history.len() as u64, minimum.iterations + 1);
    assert_eq!(minimum.trajectory.len(), minimum.history.len());
    assert_eq!(minimum.trajectory[0], START);
    assert_eq!(minimum.history[0], 24.199_999_999_999_996);
    assert_eq!(minimum.evaluations, minimum.gradient_evaluations);
    assert!(minimum.start_projected.is_empty() && minimum.at_bounds.is_empty());
    let text = minimum.to_string();
    assert!(
        text.contains("converged") && text.contains("iterations"),
        "{text}"
    );
}

#[test]
fn a_start_outside_the_box_is_projected_and_reported() {
    let minimum = minimise(
        &Rosenbrock::new(2),
        &[5.0, 1.0],
        &square(),
        &MinimiseOptions::new(),
    )
    .unwrap();
    assert_eq!(minimum.start_projected, [0]);
    assert_eq!(minimum.start, [2.0, 1.0]);
    assert!(minimum.to_string().contains("outside the box in [0]"));
}

#[test]
fn limits_are_statuses() {
    let rosenbrock = Rosenbrock::new(2);
    let short = MinimiseOptions::new().max_iterations(4);
    let minimum = minimise(&rosenbrock, &START, &square(), &short).unwrap();
    assert_eq!(
        (minimum.status, minimum.iterations),
        (Status::IterationLimit, 4)
    );
    let none = MinimiseOptions::new().max_iterations(0);
    let minimum = minimise(&rosenbrock, &START, &square(), &none).unwrap();
    assert_eq!(
        (minimum.status, minimum.evaluations),
        (Status::IterationLimit, 1)
    );
    let target = MinimiseOptions::new().target_value(1.0);
    let minimum = minimise(&rosenbrock, &START, &square(), &target).unwrap();
    assert_eq!(minimum.status, Status::TargetReached);
    assert!(minimum.value <= 1.0);
}

#[test]
fn progress_is_reported_and_can_stop_the_run() {
    let mut seen = Vec::new();
    let minimum = minimise_with_progress(
        &Rosenbrock::new(2),
        &START,
        &square(),
        &MinimiseOptions::new(),
        &mut |progress| {
            seen.push((progress.iteration, progress.value, progress.evaluations));
            if progress.iteration == 5 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        },
    )
    .unwrap();
    assert_eq!(minimum.status, Status::Interrupted);
    assert_eq!(seen.len(), 6);
    assert_eq!(seen[0].2, 1);
    let values: Vec<f64> = seen.iter().map(|line| line.1).collect();
    assert_eq!(values, minimum.history);
}

/// −ln x + x, undefined for x ≤ 0, with its minimum at 1.
fn barrier() -> impl Objective {
    FnObjective::new(1, |x: &[f64], g: &mut [f64]| {
        g[0] = 1.0 - 1.0 / x[0];
        x[0] - x[0].ln()
    })
}

#[test]
fn undefined_points_shorten_the_search() {
    let free = Bounds::unbounded(1);
    // The first steps overshoot into x < 0.
    let minimum = minimise(&barrier(), &[0.9], &free, &MinimiseOptions::new()).unwrap();
    assert!((minimum.parameters[0] - 1.0).abs() < 1e-7, "{minimum}");
    let steep = FnObjective::new(1, |x: &[f64], g: &mut [f64]| {
        // Defined on (−0.001, ∞) only; the unit step from 1 leads out.
        g[0] = 2.0 * (x[0] - 0.01);
        if x[0] > -0.001 {
            (x[0] - 0.01).powi(2)
        } else {
            f64::NAN
        }
    });
    let minimum = minimise(&steep, &[0.5], &free, &MinimiseOptions::new()).unwrap();
    assert!((minimum.parameters[0] - 0.01).abs() < 1e-7, "{minimum}");
}

#[test]
fn undefined_starts_are_errors_that_name_the_point() {
    let free = Bounds::unbounded(1);
    let error = minimise(&barrier(), &[-1.0], &free, &MinimiseOptions::new()).unwrap_err();
    let OptimiseError::NonFiniteValue { point, value } = &error else {
        panic!("{error}")
    };
    assert_eq!(point.0, [-1.0]);
    assert!(value.is_nan());
    assert!(error.to_string().contains("x = (-1)"), "{error}");

    let cusp = FnObjective::new(1, |x: &[f64], g: &mut [f64]| {
        g[0] = 0.5 / x[0].sqrt();
        x[0].sqrt()
    });
    let error = minimise(&cusp, &[0.0], &free, &MinimiseOptions::new()).unwrap_err();
    assert!(
        matches!(error, OptimiseError::NonFiniteGradient { index: 0, .. }),
        "{error}"
    );
}

#[test]
fn wrong_shapes_and_options_are_named() {
    let rosenbrock = Rosenbrock::new(2);
    let default = MinimiseOptions::new();
    let run = |start: &[f64], bounds: &Bounds, options: &MinimiseOptions| {
        minimise(&rosenbrock, start, bounds, options).unwrap_err()
    };
    let error = run(&START, &Bounds::unbounded(3), &default);
    assert!(
        matches!(
            error,
            OptimiseError::BoundsDimension {
                expected: 2,
                found: 3
            }
        ),
        "{error}"
    );
    let error = run(&[0.0], &square(), &default);
    assert!(
        matches!(
            error,
            OptimiseError::Bounds(BoundsError::PointLength {
                expected: 2,
                found: 1
            })
        ),
        "{error}"
    );
    let error = run(&[0.0, f64::INFINITY], &square(), &default);
    assert!(
        matches!(error, OptimiseError::NonFiniteStart { index: 1, .. }),
        "{error}"
    );

    let base = LbfgsbOptions::default();
    for (settings, option) in [
        (base.clone().memory(0), "memory"),
        (base.clone().gradient_tolerance(-1.0), "gradient_tolerance"),
        (
            base.clone().decrease_tolerance(f64::NAN),
            "decrease_tolerance",
        ),
        (
            LbfgsbOptions {
                curvature: 1e-4,
                ..base.clone()
            },
            "curvature",
        ),
        (
            LbfgsbOptions {
                sufficient_decrease: 0.7,
                ..base.clone()
            },
            "sufficient_decrease",
        ),
        (
            LbfgsbOptions {
                line_search_evaluations: 0,
                ..base
            },
            "line_search_evaluations",
        ),
    ] {
        let error = run(
            &START,
            &square(),
            &default.clone().method(Method::Lbfgsb(settings)),
        );
        assert!(
            matches!(error, OptimiseError::Option { name, .. } if name == option),
            "{option}: {error}"
        );
    }

    let nothing = FnObjective::new(0, |_: &[f64], _: &mut [f64]| 0.0);
    let error = minimise(&nothing, &[], &Bounds::unbounded(0), &default).unwrap_err();
    assert!(
        matches!(error, OptimiseError::Empty { what: "parameters" }),
        "{error}"
    );
}

/// Fails once it has been asked three times.
struct Failing(std::cell::Cell<u32>);

impl Objective for Failing {
    fn dimension(&self) -> usize {
        1
    }

    fn value_and_gradient(&self, x: &[f64], g: &mut [f64]) -> Result<f64, EvaluationError> {
        self.0.set(self.0.get() + 1);
        if self.0.get() > 2 {
            return Err("the laboratory is closed".into());
        }
        g[0] = 4.0 * x[0].powi(3);
        Ok(x[0].powi(4))
    }
}

#[test]
fn the_error_of_the_objective_comes_back_with_its_point() {
    let failing = Failing(std::cell::Cell::new(0));
    let error = minimise(
        &failing,
        &[0.7],
        &Bounds::unbounded(1),
        &MinimiseOptions::new(),
    )
    .unwrap_err();
    let OptimiseError::Evaluation { point, source } = error else {
        panic!("{error}")
    };
    assert_eq!(point.0.len(), 1);
    assert_eq!(source.to_string(), "the laboratory is closed");
}

/// Two wells of depth −1 (at −1) and −2 (near 2), a hill between.
fn two_wells() -> impl Objective {
    FnObjective::new(1, |x: &[f64], g: &mut [f64]| {
        let well = |depth: f64, centre: f64| {
            let e = depth * (-(x[0] - centre).powi(2) / 0.5).exp();
            (e, -4.0 * (x[0] - centre) * e)
        };
        let ((a, da), (b, db)) = (well(-1.0, -1.0), well(-2.0, 2.0));
        g[0] = da + db;
        a + b
    })
}

#[test]
fn several_starts_find_the_deeper_well() {
    let bounds = Bounds::uniform(1, -3.0, 3.0).unwrap();
    let options = MinimiseOptions::new();
    let starts = [vec![-1.2], vec![1.7], vec![-0.8], vec![f64::NAN]];
    let result = minimise_from_starts(&two_wells(), &starts, &bounds, &options).unwrap();
    assert_eq!(result.best_start, 1);
    assert!((result.best.parameters[0] - 2.0).abs() < 1e-6);
    assert_eq!(result.runs.len(), 4);
    assert_eq!(result.agreeing(1e-6), 1);
    assert!(result.runs[3].is_err());

    let starts = scattered_starts(&bounds, 7).unwrap();
    let result = minimise_from_starts(&two_wells(), &starts, &bounds, &options).unwrap();
    assert!((result.best.value + 2.0).abs() < 1e-6);

    let none = minimise_from_starts(&two_wells(), &[], &bounds, &options).unwrap_err();
    assert!(matches!(none, OptimiseError::NoStarts));
    let hopeless = [vec![f64::NAN], vec![f64::INFINITY]];
    let error = minimise_from_starts(&two_wells(), &hopeless, &bounds, &options).unwrap_err();
    assert!(
        matches!(error, OptimiseError::AllStartsFailed { count: 2, .. }),
        "{error}"
    );
}

#[test]
fn the_same_run_twice_is_the_same_bit_for_bit() {
    for problem in bounded_problems().unwrap() {
        let run = || {
            let options = MinimiseOptions::new()
                .max_iterations(200)
                .record_trajectory();
            minimise(
                &problem.objective,
                &problem.start,
                &problem.bounds,
                &options,
            )
            .unwrap()
        };
        assert_eq!(run(), run(), "{}", problem.name);
    }
}
