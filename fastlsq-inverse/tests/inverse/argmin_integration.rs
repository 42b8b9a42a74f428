//! The solvers inside argmin's executor: observers, termination, checkpoints.

use std::cell::RefCell;
use std::fmt::Debug;
use std::rc::Rc;

use argmin::core::checkpointing::{Checkpoint, CheckpointingFrequency};
use argmin::core::observers::{Observe, ObserverMode};
use argmin::core::{
    CostFunction, Error, Executor, Gradient, Jacobian, KV, KvValue, Operator, Solver, State,
    TerminationReason,
};
use fastlsq_inverse::optimise::test_functions::Rosenbrock;
use fastlsq_inverse::optimise::{
    Adam, AdamOptions, AdamW, AdamWOptions, ArgminObjective, Bounds, GradientState, Lbfgsb,
    LbfgsbOptions, LevenbergMarquardt, LevenbergMarquardtOptions, OptimiseError, ResidualState,
    Stop,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Keeps the texts of the checkpoints, and can be told to start from one.
#[derive(Clone, Default)]
struct Shelf {
    texts: Rc<RefCell<Vec<String>>>,
    resume: Option<String>,
}

impl<S, I> Checkpoint<S, I> for Shelf
where
    S: Serialize + DeserializeOwned,
    I: Serialize + DeserializeOwned,
{
    fn save(&self, solver: &S, state: &I) -> Result<(), Error> {
        self.texts
            .borrow_mut()
            .push(serde_json::to_string(&(solver, state))?);
        Ok(())
    }

    fn load(&self) -> Result<Option<(S, I)>, Error> {
        Ok(self
            .resume
            .as_deref()
            .map(serde_json::from_str)
            .transpose()?)
    }

    fn frequency(&self) -> CheckpointingFrequency {
        CheckpointingFrequency::Always
    }
}

/// Runs `solver` once, then again from each of its checkpoints, and compares the ends bit by bit.
fn assert_resumable<O, S, J, R>(problem: impl Fn() -> O, solver: &S, start: &[f64])
where
    S: Solver<O, argmin::core::IterState<Vec<f64>, Vec<f64>, J, (), R, f64>>
        + Clone
        + Debug
        + PartialEq
        + Serialize
        + DeserializeOwned
        + 'static,
    J: Clone + Debug + PartialEq + Serialize + DeserializeOwned + 'static,
    R: Clone + Debug + PartialEq + Serialize + DeserializeOwned + 'static,
{
    let shelf = Shelf::default();
    let run = |shelf: Shelf| {
        Executor::new(problem(), solver.clone())
            // JSON has no infinities: a finite target below every value.
            .configure(|state| state.param(start.to_vec()).max_iters(60).target_cost(-1.0))
            .checkpointing(shelf)
            .run()
            .expect("a run without error")
    };
    let whole = run(shelf.clone());
    let texts = shelf.texts.take();
    assert_eq!(texts.len() as u64, whole.state.get_iter());
    assert!(texts.len() > 10, "a run long enough to interrupt");
    // The first checkpoints still hold infinite "previous" values.
    for text in &texts[2..] {
        let resumed = run(Shelf {
            texts: Rc::default(),
            resume: Some(text.clone()),
        });
        assert_eq!(resumed.solver, whole.solver);
        let (mut a, mut b) = (resumed.state, whole.state.clone());
        (a.time, b.time) = (None, None);
        assert_eq!(a, b);
        for (x, y) in a.param.iter().flatten().zip(b.param.iter().flatten()) {
            assert_eq!(x.to_bits(), y.to_bits());
        }
    }
}

fn cut() -> Bounds {
    let sides: Vec<_> = (0..10)
        .map(|i| {
            if i % 2 == 0 {
                (-2.0, 0.7)
            } else {
                (f64::NEG_INFINITY, f64::INFINITY)
            }
        })
        .collect();
    Bounds::from_pairs(&sides).expect("valid sides")
}

fn valley() -> ArgminObjective<Rosenbrock> {
    ArgminObjective::new(Rosenbrock::new(10))
}

#[test]
fn lbfgsb_resumes_bit_for_bit() {
    let solver = Lbfgsb::new(cut(), LbfgsbOptions::default().memory(5)).unwrap();
    assert_resumable(valley, &solver, &[-1.2; 10]);
}

#[test]
fn adam_and_adamw_resume_bit_for_bit() {
    let adam = Adam::new(cut(), AdamOptions::with_rate(0.02)).unwrap();
    assert_resumable(valley, &adam, &[-1.2; 10]);
    let options = AdamWOptions {
        adam: AdamOptions::with_rate(0.02),
        weight_decay: 0.05,
    };
    let adamw = AdamW::new(cut(), options).unwrap();
    assert_resumable(valley, &adamw, &[-1.2; 10]);
}

/// Rosenbrock's residuals written directly for argmin.
struct ValleyResiduals;

impl Operator for ValleyResiduals {
    type Param = Vec<f64>;
    type Output = Vec<f64>;

    fn apply(&self, x: &Vec<f64>) -> Result<Vec<f64>, Error> {
        Ok(vec![10.0 * (x[1] - x[0] * x[0]), 1.0 - x[0]])
    }
}

impl Jacobian for ValleyResiduals {
    type Param = Vec<f64>;
    type Jacobian = Vec<Vec<f64>>;

    fn jacobian(&self, x: &Vec<f64>) -> Result<Vec<Vec<f64>>, Error> {
        Ok(vec![vec![-20.0 * x[0], 10.0], vec![-1.0, 0.0]])
    }
}

#[test]
fn levenberg_marquardt_resumes_bit_for_bit() {
    let bounds = Bounds::uniform(2, -2.0, 2.0).unwrap();
    let options = LevenbergMarquardtOptions::default();
    let solver = LevenbergMarquardt::new(bounds, options).unwrap();
    assert_resumable(|| ValleyResiduals, &solver, &[-1.2, 1.0]);

    let run = Executor::new(ValleyResiduals, solver)
        .configure(|state: ResidualState| state.param(vec![-1.2, 1.0]))
        .run()
        .unwrap();
    assert!(matches!(run.solver.stop(), Some(Stop::Converged(_))));
    let best = run.state.get_best_param().unwrap();
    assert!((best[0] - 1.0).abs() < 1e-10 && (best[1] - 1.0).abs() < 1e-10);
}

/// What an observer saw.
#[derive(Clone, Default)]
struct Log {
    started_with: Rc<RefCell<Option<String>>>,
    lines: Rc<RefCell<Vec<(u64, f64, f64)>>>,
}

impl Observe<GradientState> for Log {
    fn observe_init(&mut self, name: &str, _: &GradientState, kv: &KV) -> Result<(), Error> {
        assert_eq!(
            kv.get("start_coordinates_projected")
                .and_then(KvValue::get_uint),
            Some(5)
        );
        *self.started_with.borrow_mut() = Some(name.to_owned());
        Ok(())
    }

    fn observe_iter(&mut self, state: &GradientState, kv: &KV) -> Result<(), Error> {
        let norm = kv
            .get("projected_gradient_norm")
            .and_then(KvValue::get_float)
            .expect("a norm");
        assert!(
            kv.get("step_length")
                .and_then(KvValue::get_float)
                .is_some_and(|step| step >= 0.0)
        );
        self.lines
            .borrow_mut()
            .push((state.get_iter(), state.get_cost(), norm));
        Ok(())
    }
}

#[test]
fn observers_see_every_iteration() {
    let log = Log::default();
    let solver = Lbfgsb::new(cut(), LbfgsbOptions::default()).unwrap();
    // The start violates the upper bound in five coordinates.
    let run = Executor::new(valley(), solver)
        .configure(|state| state.param(vec![1.2; 10]))
        .add_observer(log.clone(), ObserverMode::Always)
        .run()
        .unwrap();
    assert_eq!(log.started_with.take().as_deref(), Some("L-BFGS-B"));
    let lines = log.lines.take();
    assert_eq!(lines.len() as u64, run.state.get_iter());
    assert!(
        lines.windows(2).all(|pair| pair[1].1 <= pair[0].1),
        "the cost never rises"
    );
    assert_eq!(
        lines.last().unwrap().2,
        run.solver.projected_gradient_norm()
    );
    assert_eq!(
        run.state.get_termination_reason(),
        Some(&TerminationReason::SolverConverged)
    );
}

#[test]
fn the_limits_of_the_executor_apply() {
    let solver = || Lbfgsb::new(cut(), LbfgsbOptions::default()).unwrap();
    let run = Executor::new(valley(), solver())
        .configure(|state| state.param(vec![-1.2; 10]).max_iters(3))
        .run()
        .unwrap();
    assert_eq!(
        run.state.get_termination_reason(),
        Some(&TerminationReason::MaxItersReached)
    );
    let run = Executor::new(valley(), solver())
        .configure(|state| state.param(vec![-1.2; 10]).target_cost(50.0))
        .run()
        .unwrap();
    assert_eq!(
        run.state.get_termination_reason(),
        Some(&TerminationReason::TargetCostReached)
    );
    assert!(run.state.get_best_cost() <= 50.0);
}

/// A wrong gradient cannot be descended along.
struct WrongGradient;

impl CostFunction for WrongGradient {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        Ok(x[0] * x[0])
    }
}

impl Gradient for WrongGradient {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, x: &Vec<f64>) -> Result<Vec<f64>, Error> {
        Ok(vec![-2.0 * x[0]])
    }
}

#[test]
fn a_search_that_cannot_descend_ends_as_stalled() {
    let solver = Lbfgsb::new(Bounds::unbounded(1), LbfgsbOptions::default()).unwrap();
    let run = Executor::new(WrongGradient, solver)
        .configure(|state| state.param(vec![1.0]))
        .run()
        .unwrap();
    assert_eq!(run.solver.stop(), Some(Stop::Stalled));
    assert!(matches!(
        run.state.get_termination_reason(),
        Some(TerminationReason::SolverExit(text)) if text.contains("stalled")
    ));
    assert_eq!(run.state.get_best_param(), Some(&vec![1.0]));
}

#[test]
fn errors_keep_their_type_through_the_executor() {
    let solver = Lbfgsb::new(cut(), LbfgsbOptions::default()).unwrap();
    let error = Executor::new(valley(), solver.clone()).run().err().unwrap();
    assert!(matches!(
        error.downcast_ref(),
        Some(OptimiseError::MissingStart)
    ));
    let error = Executor::new(valley(), solver)
        .configure(|state| state.param(vec![0.0; 3]))
        .run()
        .err()
        .unwrap();
    assert!(matches!(
        error.downcast_ref(),
        Some(OptimiseError::Bounds(_))
    ));
}
