//! Every evaluated point lies in the box, whatever the box, the start and the solver.

use std::cell::RefCell;

use fastlsq_inverse::optimise::test_functions::{
    Beale, ChainedQuartic, PowellSingular, Rosenbrock, TridiagonalQuadratic,
};
use fastlsq_inverse::optimise::{
    AdamOptions, AdamWOptions, Bounds, EvaluationError, LbfgsbOptions, Method, MinimiseOptions,
    Objective, Residuals, SquaresOptions, Status, minimise, minimise_squares,
};
use proptest::prelude::*;

/// Keeps every point at which it is evaluated.
struct Recorded<'a> {
    inner: &'a dyn Objective,
    points: RefCell<Vec<Vec<f64>>>,
}

impl<'a> Recorded<'a> {
    fn new(inner: &'a dyn Objective) -> Self {
        Self {
            inner,
            points: RefCell::new(Vec::new()),
        }
    }
}

impl Objective for Recorded<'_> {
    fn dimension(&self) -> usize {
        self.inner.dimension()
    }

    fn value_and_gradient(&self, x: &[f64], g: &mut [f64]) -> Result<f64, EvaluationError> {
        self.points.borrow_mut().push(x.to_vec());
        self.inner.value_and_gradient(x, g)
    }
}

/// Rosenbrock as residuals, keeping every point.
struct RecordedValley {
    dimension: usize,
    points: RefCell<Vec<Vec<f64>>>,
}

impl Residuals for RecordedValley {
    fn dimension(&self) -> usize {
        self.dimension
    }

    fn count(&self) -> usize {
        2 * (self.dimension - 1)
    }

    fn residuals(&self, x: &[f64], r: &mut [f64]) -> Result<(), EvaluationError> {
        self.points.borrow_mut().push(x.to_vec());
        for (i, pair) in x.windows(2).enumerate() {
            r[2 * i] = 10.0 * (pair[1] - pair[0] * pair[0]);
            r[2 * i + 1] = 1.0 - pair[0];
        }
        Ok(())
    }

    fn jacobian(&self, x: &[f64], mut j: faer::MatMut<'_, f64>) -> Result<(), EvaluationError> {
        for i in 0..x.len() - 1 {
            j[(2 * i, i)] = -20.0 * x[i];
            j[(2 * i, i + 1)] = 10.0;
            j[(2 * i + 1, i)] = -1.0;
        }
        Ok(())
    }
}

/// A side pair: both finite, one or both infinite, or equal.
fn sides() -> impl Strategy<Value = (f64, f64)> {
    let finite = (-3.0..3.0_f64, 0.0..3.0_f64).prop_map(|(l, width)| (l, l + width));
    prop_oneof![
        4 => finite,
        1 => (-3.0..3.0_f64).prop_map(|l| (l, f64::INFINITY)),
        1 => (-3.0..3.0_f64).prop_map(|u| (f64::NEG_INFINITY, u)),
        1 => Just((f64::NEG_INFINITY, f64::INFINITY)),
        1 => (-3.0..3.0_f64).prop_map(|x| (x, x)),
    ]
}

fn function(choice: usize) -> Box<dyn Objective> {
    match choice {
        0 => Box::new(Rosenbrock::new(6)),
        1 => Box::new(Beale),
        2 => Box::new(PowellSingular::new(2)),
        3 => Box::new(ChainedQuartic::new(5)),
        _ => Box::new(TridiagonalQuadratic::new(
            (0..8).map(|i| 10_f64.powi(i - 3)).collect(),
            (0..8).map(f64::from).map(f64::sin).collect(),
            0.7,
        )),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn lbfgsb_never_leaves_the_box_and_never_rises(
        choice in 0_usize..5,
        sides in prop::collection::vec(sides(), 8),
        start in prop::collection::vec(-5.0..5.0_f64, 8),
    ) {
        let inner = function(choice);
        let n = inner.dimension();
        let bounds = Bounds::from_pairs(&sides[..n]).unwrap();
        let objective = Recorded::new(&*inner);
        let options = MinimiseOptions::new().max_iterations(2000).record_trajectory();
        let minimum = minimise(&objective, &start[..n], &bounds, &options).unwrap();

        let points = objective.points.take();
        prop_assert_eq!(points.len() as u64, minimum.evaluations);
        prop_assert!(points.iter().all(|x| bounds.contains(x)));
        prop_assert!(minimum.trajectory.iter().all(|x| bounds.contains(x)));
        prop_assert!(minimum.history.windows(2).all(|pair| pair[1] <= pair[0]));
    }

    #[test]
    fn lbfgsb_finds_the_minimum_of_convex_quadratics(
        sides in prop::collection::vec(sides(), 8),
        start in prop::collection::vec(-5.0..5.0_f64, 8),
    ) {
        let objective = function(4);
        let bounds = Bounds::from_pairs(&sides).unwrap();
        let minimum = minimise(&objective, &start, &bounds, &MinimiseOptions::new()).unwrap();
        prop_assert!(minimum.status.is_converged(), "{}", minimum);
        // Going on without tolerances gains next to nothing.
        let relentless =
            LbfgsbOptions::default().decrease_tolerance(0.0).relative_gradient_tolerance(0.0);
        let options = MinimiseOptions::new().method(Method::Lbfgsb(relentless));
        let further = minimise(&objective, &minimum.parameters, &bounds, &options).unwrap();
        let gain = minimum.value - further.value;
        let allowed = 1e-6 * minimum.value + 1e-9 * minimum.history[0];
        prop_assert!(gain <= allowed, "{}, then {}", minimum, further);
    }

    #[test]
    fn the_adam_family_never_leaves_the_box(
        choice in 0_usize..5,
        decoupled in any::<bool>(),
        sides in prop::collection::vec(sides(), 8),
        start in prop::collection::vec(-5.0..5.0_f64, 8),
    ) {
        let inner = function(choice);
        let n = inner.dimension();
        let bounds = Bounds::from_pairs(&sides[..n]).unwrap();
        let objective = Recorded::new(&*inner);
        let adam = AdamOptions::with_rate(0.1);
        let method = if decoupled {
            Method::AdamW(AdamWOptions { adam, weight_decay: 0.1 })
        } else {
            Method::Adam(adam)
        };
        let options = MinimiseOptions::new().method(method).max_iterations(50);
        let minimum = minimise(&objective, &start[..n], &bounds, &options).unwrap();
        prop_assert!(objective.points.borrow().iter().all(|x| bounds.contains(x)));
        prop_assert!(minimum.history.iter().all(|&value| value >= minimum.value));
    }

    #[test]
    fn levenberg_marquardt_never_leaves_the_box_and_agrees_with_lbfgsb(
        sides in prop::collection::vec(sides(), 4),
        start in prop::collection::vec(-5.0..5.0_f64, 4),
    ) {
        let bounds = Bounds::from_pairs(&sides).unwrap();
        let residuals = RecordedValley { dimension: 4, points: RefCell::default() };
        let minimum =
            minimise_squares(&residuals, &start, &bounds, &SquaresOptions::new()).unwrap();
        prop_assert!(residuals.points.borrow().iter().all(|x| bounds.contains(x)));
        prop_assert!(minimum.history.windows(2).all(|pair| pair[1] <= pair[0]));
        // Large residuals are not what the method is for: it may then run out of iterations.
        prop_assert!(minimum.status != Status::Stalled, "{}", minimum);
        prop_assume!(minimum.status.is_converged());

        // From its minimum, L-BFGS-B finds nothing lower.
        let rosenbrock = Rosenbrock::new(4);
        let polished =
            minimise(&rosenbrock, &minimum.parameters, &bounds, &MinimiseOptions::new()).unwrap();
        let excess = 2.0 * minimum.value - polished.value;
        prop_assert!(excess <= 1e-9 * (1.0 + polished.value), "{} {}", minimum, polished);
    }
}
