//! Evolution in one space dimension: space as joined polynomials that follow the solution, time by implicit steps of high
//! order.

mod compatibility;
mod exact;
mod form;
mod history;
mod march;
mod mesh;
mod second_order;
mod system;

use super::form::Form;
use super::runs::{Aim, Evolving, Run};
use crate::NewtonError;
pub(crate) use compatibility::needed;
pub(crate) use form::LineProblem;
use history::History;

impl Evolving for LineProblem {
    type History = History;

    fn form(&self) -> &Form {
        self
    }

    fn run(&self, aim: &Aim) -> Result<Run<History>, NewtonError> {
        march::run(self, aim)
    }

    fn distances(&self, fine: &History, coarse: &History, t: f64) -> Option<Vec<f64>> {
        let (space, own) = fine.at(t, 0)?;
        let (other_space, other) = coarse.at(t, 0)?;
        let distance = |state: usize| {
            let values = space.sample(&own, state, 0);
            let pairs = space.nodes().iter().zip(space.weights()).zip(values);
            let sum: f64 = pairs
                .map(|((x, w), value)| {
                    w * (value - other_space.value(&other, state, 0, *x)).powi(2)
                })
                .sum();
            sum.sqrt()
        };
        Some((0..self.states.len()).map(distance).collect())
    }

    fn size(&self, history: &History, t: f64) -> Option<(f64, f64)> {
        let (space, expansion) = history.at(t, 0)?;
        let norms = space.norms(&expansion);
        let largest = (0..self.states.len())
            .flat_map(|state| space.sample(&expansion, state, 0))
            .fold(0.0, |a: f64, b| a.max(b.abs()));
        Some((largest, norms.into_iter().fold(0.0, f64::max)))
    }

    fn functions(&self, run: &Run<History>) -> String {
        format!(
            "polynomials of degree {} on {} to {} joined pieces",
            run.degree, run.pieces.0, run.pieces.1
        )
    }
}
