//! One step after another, by either kind of method.

use super::dop853::Dop853;
use super::norm::{ErrorNorm, length};
use super::radau::Radau;
use super::{Ode, OdeError, OdeOptions, Segment};

/// Which family of methods takes the steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// Dormand–Prince of order 8: cheap steps, as long as the fastest component allows.
    Explicit,
    /// Radau IIA of order 5, 9 or 13: steps as long as the solution is smooth.
    Implicit,
}

/// Why no further step could be taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepFailure {
    /// The time that was reached.
    pub time: f64,
    /// The length of the last attempt.
    pub step: f64,
    /// Whether rates became NaN or infinite, rather than errors too large.
    pub not_finite: bool,
}

/// A solution under way.
#[derive(Debug)]
pub struct Stepper {
    state: State,
    method: Engine,
}

#[derive(Debug)]
enum Engine {
    Explicit(Dop853),
    Implicit(Box<Radau>),
}

/// What every method keeps between steps.
#[derive(Debug)]
pub(super) struct State {
    pub(super) t: f64,
    pub(super) end: f64,
    pub(super) y: Vec<f64>,
    pub(super) rate: Vec<f64>,
    pub(super) step: f64,
    pub(super) largest_step: f64,
    pub(super) norm: ErrorNorm,
}

impl State {
    /// The next step: the proposed one, without leaving a sliver before the end.
    pub(super) fn next_step(&self) -> f64 {
        let left = self.end - self.t;
        let step = self.step.min(self.largest_step);
        if step >= left {
            left
        } else if 2.0 * step > left {
            0.5 * left
        } else {
            step
        }
    }

    /// Where a step of length h ends: exactly the end if it is the last one.
    pub(super) fn after(&self, h: f64) -> f64 {
        if h >= self.end - self.t {
            self.end
        } else {
            self.t + h
        }
    }

    pub(super) fn too_small(&self, h: f64) -> bool {
        h.is_nan() || h <= 8.0 * f64::EPSILON * self.t.abs().max(self.end.abs() * f64::EPSILON)
    }

    pub(super) fn failure(&self, step: f64, not_finite: bool) -> StepFailure {
        StepFailure {
            time: self.t,
            step,
            not_finite,
        }
    }

    pub(super) fn accept(&mut self, t: f64, y: Vec<f64>, rate: Vec<f64>) {
        self.norm.observe(&y);
        self.t = t;
        self.y = y;
        self.rate = rate;
    }
}

impl Stepper {
    /// The solution at its start.
    ///
    /// # Errors
    /// As [`integrate`](super::integrate).
    pub fn new(
        ode: &dyn Ode,
        start: f64,
        y: &[f64],
        end: f64,
        options: &OdeOptions,
    ) -> Result<Self, OdeError> {
        options.validate()?;
        if y.len() != ode.dim() {
            return Err(OdeError::Dimension {
                expected: ode.dim(),
                found: y.len(),
            });
        }
        let mut rate = vec![0.0; y.len()];
        ode.rate(start, y, &mut rate);
        let checks = [
            ("the time interval", start.is_finite() && end.is_finite()),
            ("the initial vector", y.iter().all(|v| v.is_finite())),
            ("the rate at the start", rate.iter().all(|v| v.is_finite())),
        ];
        if let Some((what, _)) = checks.into_iter().find(|(_, finite)| !finite) {
            return Err(OdeError::NotFinite { what });
        }
        let norm = ErrorNorm::new(ode, y, options);
        let order = match options.method {
            Method::Explicit => 8,
            Method::Implicit => 5,
        };
        let mut state = State {
            t: start,
            end,
            y: y.to_vec(),
            rate,
            step: 0.0,
            largest_step: options.largest_step,
            norm,
        };
        state.step = options
            .first_step
            .unwrap_or_else(|| first_step(ode, &state, order));
        let method = match options.method {
            Method::Explicit => Engine::Explicit(Dop853::new(y.len())),
            Method::Implicit => Engine::Implicit(Box::new(Radau::new(options.relative))),
        };
        Ok(Self { state, method })
    }

    /// The time reached.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.state.t
    }

    /// The solution at the time reached.
    #[must_use]
    pub fn value(&self) -> &[f64] {
        &self.state.y
    }

    /// The length that the next step will try.
    #[must_use]
    pub fn proposed_step(&self) -> f64 {
        self.state.step
    }

    /// Takes one step that meets the tolerance.
    ///
    /// # Errors
    /// [`StepFailure`] if even the shortest step does not.
    pub fn step(&mut self, ode: &dyn Ode) -> Result<Segment, StepFailure> {
        match &mut self.method {
            Engine::Explicit(method) => method.step(ode, &mut self.state),
            Engine::Implicit(method) => method.step(ode, &mut self.state),
        }
    }
}

/// A first step by Hairer's rule: such that an Euler step and its curvature stay small.
fn first_step(ode: &dyn Ode, state: &State, order: i32) -> f64 {
    let (size, speed) = (state.norm.of(&state.y), state.norm.of(&state.rate));
    let interval = (state.end - state.t).abs().max(f64::MIN_POSITIVE);
    let guess = if size < 1e-5 || speed < 1e-5 {
        1e-6 * interval
    } else {
        (0.01 * size / speed).min(interval)
    };
    let ahead: Vec<f64> = state
        .y
        .iter()
        .zip(&state.rate)
        .map(|(y, rate)| y + guess * rate)
        .collect();
    let mut rate = vec![0.0; ahead.len()];
    ode.rate(state.t + guess, &ahead, &mut rate);
    for (later, now) in rate.iter_mut().zip(&state.rate) {
        *later -= now;
    }
    let curvature = state.norm.of(&rate) / guess;
    if !curvature.is_finite() || length(&rate).is_nan() {
        return 1e-3 * guess;
    }
    let worst = speed.max(curvature);
    let second = if worst <= 1e-15 {
        (1e-3 * guess).max(1e-6 * interval)
    } else {
        (0.01 / worst).powf(1.0 / f64::from(order))
    };
    second.min(100.0 * guess).min(interval)
}
