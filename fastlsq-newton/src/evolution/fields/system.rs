//! An evolution in a space of functions as an ordinary differential equation.

use std::cell::OnceCell;
use std::sync::Arc;

use faer::{Mat, MatMut};

use super::problem::FieldProblem;
use super::separable::{Separable, SeparableJacobian};
use super::space::{FieldSpace, walls_of};
use crate::NewtonError;
use crate::evolution::march::is_autonomous;
use crate::evolution::ode::{DenseJacobian, Linearised, Ode};

/// With more coefficients than this, a matrix that is taken apart axis by axis is better than a full one, although it is not the
/// whole truth.
const LEAST_SEPARABLE: usize = 500;

/// c′ = P F(Σ cⱼvⱼ + lift(g)): the L2 projection of the rates.
#[derive(Debug)]
pub(crate) struct System<'a> {
    pub(crate) problem: &'a FieldProblem,
    pub(crate) space: Arc<FieldSpace>,
    /// Functions that carry the data, where these do not change.
    lifts: OnceCell<Vec<Vec<f64>>>,
}

impl<'a> System<'a> {
    pub(crate) fn new(problem: &'a FieldProblem, space: Arc<FieldSpace>) -> Self {
        Self {
            problem,
            space,
            lifts: OnceCell::new(),
        }
    }

    fn states(&self) -> usize {
        self.problem.form.states.len()
    }

    /// Modal coefficients of the functions that carry the data of each state.
    fn lifts(&self, t: f64) -> Result<Vec<Vec<f64>>, NewtonError> {
        let constant = self.problem.walls.iter().all(|wall| wall.constant);
        if let (true, Some(lifts)) = (constant, self.lifts.get()) {
            return Ok(lifts.clone());
        }
        let mut lifts = Vec::with_capacity(self.states());
        for state in 0..self.states() {
            let data = self.data(state, t)?;
            lifts.push(self.space.lift(state, &data)?);
        }
        if constant {
            // If it was set already, the value is the same.
            let _ = self.lifts.set(lifts.clone());
        }
        Ok(lifts)
    }

    /// The data of the walls of a state.
    pub(crate) fn data(&self, state: usize, t: f64) -> Result<Vec<Vec<f64>>, NewtonError> {
        let (walls, velocity) = walls_of(self.problem, state);
        let sites = self.space.data_sites(self.problem, state);
        let pairs = walls.iter().zip(&sites);
        pairs
            .map(|(wall, (points, normals))| {
                let wall = &self.problem.walls[*wall];
                wall.data(
                    &self.problem.form,
                    t,
                    points.view(),
                    normals.view(),
                    velocity,
                )
            })
            .collect()
    }

    /// Modal coefficients of the states, or `None` if the data cannot be evaluated.
    pub(crate) fn expansions(&self, t: f64, y: &[f64]) -> Option<Vec<Vec<f64>>> {
        let lifts = self.lifts(t).ok()?;
        let states = lifts.iter().enumerate();
        Some(
            states
                .map(|(state, lift)| self.space.expansion(state, y, lift))
                .collect(),
        )
    }

    fn samples(&self, t: f64, y: &[f64]) -> Option<Vec<Vec<f64>>> {
        let expansions = self.expansions(t, y)?;
        let samples = self.problem.form.samples.iter();
        Some(
            samples
                .map(|(state, alpha)| self.space.sample(&expansions[*state], alpha))
                .collect(),
        )
    }

    /// Slopes of the rates with respect to the samples at the nodes: (state, sample, values).
    pub(crate) fn slopes(&self, t: f64, y: &[f64]) -> Option<Vec<(usize, usize, Vec<f64>)>> {
        let samples = self.samples(t, y)?;
        let form = &self.problem.form;
        let rates = form.rates(t, self.space.nodes(), &samples, true).ok()?;
        Some(rates.slopes)
    }

    /// The velocity whose coefficients are the rate of a state, if there is one.
    pub(crate) fn velocity_of(&self, state: usize) -> Option<usize> {
        let (unknown, time) = self.problem.form.states[state];
        (time + 1 < self.problem.form.top[unknown]).then_some(state + 1)
    }

    /// ∂f/∂y.
    pub(crate) fn matrix(&self, t: f64, y: &[f64]) -> Option<Mat<f64>> {
        let slopes = self.slopes(t, y)?;
        let terms: Vec<(usize, usize, &[u32], &[f64])> = slopes
            .iter()
            .filter(|(of, _, _)| self.velocity_of(*of).is_none())
            .map(|(of, sample, values)| {
                let (by, alpha) = &self.problem.form.samples[*sample];
                (*of, *by, &alpha[..], &values[..])
            })
            .collect();
        let mut matrix = self.space.matrix(&terms);
        for state in 0..self.states() {
            if let Some(velocity) = self.velocity_of(state) {
                let columns = self.space.range(velocity);
                for (row, column) in self.space.range(state).zip(columns) {
                    matrix[(row, column)] = 1.0;
                }
            }
        }
        Some(matrix)
    }

    /// Whether implicit steps need no full matrix.
    pub(crate) fn is_separable(&self, t: f64, y: &[f64]) -> bool {
        y.len() > LEAST_SEPARABLE
            && self
                .slopes(t, y)
                .is_some_and(|slopes| Separable::linearised(self, &slopes, true).is_some())
    }

    /// Whether the problem is linear and neither equation nor data change in time, as far as can be seen.
    pub(crate) fn is_autonomous(&self, y: &[f64]) -> bool {
        let (form, walls) = (&self.problem.form, &self.problem.walls);
        form.linear && walls.iter().all(|wall| wall.constant) && is_autonomous(self, y, form.times)
    }
}

impl Ode for System<'_> {
    fn dim(&self) -> usize {
        self.space.dim()
    }

    fn rate(&self, t: f64, y: &[f64], rate: &mut [f64]) {
        let form = &self.problem.form;
        let found = self
            .samples(t, y)
            .and_then(|samples| form.rates(t, self.space.nodes(), &samples, false).ok());
        let Some(found) = found else {
            rate.fill(f64::NAN);
            return;
        };
        for (state, values) in found.values.iter().enumerate() {
            let own = self.space.range(state);
            match self.velocity_of(state) {
                // Both satisfy the same conditions.
                Some(velocity) => rate[own].copy_from_slice(&y[self.space.range(velocity)]),
                None => rate[own].copy_from_slice(&self.space.project(state, values)),
            }
        }
    }

    fn jacobian(&self, t: f64, y: &[f64], mut jacobian: MatMut<'_, f64>) {
        match self.matrix(t, y) {
            Some(matrix) => jacobian.copy_from(&matrix),
            None => jacobian.fill(f64::NAN),
        }
    }

    fn linearise(&self, t: f64, y: &[f64]) -> Box<dyn Linearised> {
        if y.len() > LEAST_SEPARABLE
            && let Some(slopes) = self.slopes(t, y)
            && let Some(separable) = Separable::linearised(self, &slopes, true)
        {
            return Box::new(SeparableJacobian(Arc::new(separable)));
        }
        let matrix = self.matrix(t, y);
        Box::new(DenseJacobian(matrix.unwrap_or_else(|| {
            Mat::from_fn(y.len(), y.len(), |_, _| f64::NAN)
        })))
    }

    fn parts(&self) -> Vec<usize> {
        self.space.state_of()
    }
}
