//! The explicit pair of order 8 of Dormand and Prince.

use super::dop853_table::{
    ALL_STAGES, COUPLING, ERROR_3, ERROR_5, EXTENSION, NODES, STAGES, WEIGHTS,
};
use super::norm::worse;
use super::stepper::{State, StepFailure};
use super::trajectory::Form;
use super::{Ode, Segment};
use faer::Mat;

/// Safety, shortest and longest factor from one step to the next, as in Hairer's code.
const SAFETY: f64 = 0.9;
const SHRINK: f64 = 0.2;
const GROW: f64 = 6.0;

/// Room for the stages.
#[derive(Debug)]
pub(super) struct Dop853 {
    rates: Mat<f64>,
}

impl Dop853 {
    pub(super) fn new(dim: usize) -> Self {
        Self {
            rates: Mat::zeros(dim, ALL_STAGES),
        }
    }

    /// One step of order 8 whose error estimate is within the tolerance.
    pub(super) fn step(
        &mut self,
        ode: &dyn Ode,
        state: &mut State,
    ) -> Result<Segment, StepFailure> {
        let mut rejected = false;
        let mut h = state.next_step();
        loop {
            if state.too_small(h) {
                return Err(state.failure(h, !self.is_finite()));
            }
            self.store(0, &state.rate);
            for stage in 1..STAGES {
                self.stage(ode, state, h, stage);
            }
            let mut y = state.y.clone();
            self.add(&mut y, h, &WEIGHTS);
            let error = self.error(state, h);
            if error <= 1.0 && y.iter().all(|v| v.is_finite()) {
                let factor =
                    (SAFETY * error.powf(-0.125)).clamp(SHRINK, if rejected { 1.0 } else { GROW });
                let end = state.after(h);
                let mut rate = vec![0.0; y.len()];
                ode.rate(end, &y, &mut rate);
                if rate.iter().all(|v| v.is_finite()) {
                    let segment = self.segment(ode, state, (h, error), end, y.clone(), &rate);
                    // A step cut short by the end says nothing against the length proposed before.
                    state.step = if h < 0.99 * state.step {
                        state.step.max(h * factor)
                    } else {
                        h * factor
                    };
                    state.accept(end, y, rate);
                    return Ok(segment);
                }
            }
            rejected = true;
            h *= if error.is_finite() {
                (SAFETY * error.powf(-0.125)).clamp(SHRINK, 0.9)
            } else {
                SHRINK
            };
            state.step = h;
        }
    }

    /// Rate number `stage` at the point that the earlier ones lead to.
    fn stage(&mut self, ode: &dyn Ode, state: &State, h: f64, stage: usize) {
        let mut y = state.y.clone();
        self.add(&mut y, h, COUPLING[stage]);
        let mut rate = vec![0.0; y.len()];
        ode.rate(state.t + NODES[stage] * h, &y, &mut rate);
        self.store(stage, &rate);
    }

    fn store(&mut self, stage: usize, rate: &[f64]) {
        for (i, rate) in rate.iter().enumerate() {
            self.rates[(i, stage)] = *rate;
        }
    }

    /// y += h Σ wⱼ fⱼ.
    fn add(&self, y: &mut [f64], h: f64, weights: &[f64]) {
        for (j, weight) in weights.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            let factor = h * weight;
            for (y, rate) in y.iter_mut().zip(self.rates.col(j).iter()) {
                *y += factor * rate;
            }
        }
    }

    fn is_finite(&self) -> bool {
        self.rates.is_all_finite()
    }

    /// Hairer's combination of the estimates of order 5 and 3.
    fn error(&self, state: &State, h: f64) -> f64 {
        let (mut fifth, mut third) = (vec![0.0; state.y.len()], vec![0.0; state.y.len()]);
        self.add(&mut fifth, 1.0, &ERROR_5);
        self.add(&mut third, 1.0, &ERROR_3);
        let parts = state.norm.of_parts(&fifth).into_iter();
        parts
            .zip(state.norm.of_parts(&third))
            .map(|(fifth, third)| {
                let both = fifth.hypot(0.1 * third);
                if both == 0.0 {
                    0.0
                } else {
                    h * fifth * (fifth / both)
                }
            })
            .fold(0.0, worse)
    }

    /// The step with its continuous extension, which takes three more stages.
    fn segment(
        &mut self,
        ode: &dyn Ode,
        state: &State,
        (h, error): (f64, f64),
        end: f64,
        last: Vec<f64>,
        rate: &[f64],
    ) -> Segment {
        self.store(STAGES, rate);
        for stage in STAGES + 1..ALL_STAGES {
            self.stage(ode, state, h, stage);
        }
        let dim = last.len();
        let mut terms = Mat::zeros(dim, 3 + EXTENSION.len());
        for i in 0..dim {
            let change = last[i] - state.y[i];
            terms[(i, 0)] = change;
            terms[(i, 1)] = h * state.rate[i] - change;
            terms[(i, 2)] = 2.0 * change - h * (rate[i] + state.rate[i]);
        }
        for (k, weights) in EXTENSION.iter().enumerate() {
            let mut term = vec![0.0; dim];
            self.add(&mut term, h, weights);
            for (i, value) in term.into_iter().enumerate() {
                terms[(i, 3 + k)] = value;
            }
        }
        Segment {
            start: state.t,
            end,
            first: state.y.clone(),
            last,
            error: state.norm.relative(error),
            form: Form::Nested(terms),
        }
    }
}
