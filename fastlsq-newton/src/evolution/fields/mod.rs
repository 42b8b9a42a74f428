//! Evolution in several space dimensions: functions over the whole domain, whose degree follows the solution.

mod exact;
mod history;
mod march;
mod problem;
mod separable;
mod space;
mod stiffness;
mod system;

use super::form::Form;
use super::runs::{Aim, Evolving, Run};
use crate::NewtonError;
use history::History;
pub(crate) use problem::FieldProblem;

impl Evolving for FieldProblem {
    type History = History;

    fn form(&self) -> &Form {
        &self.form
    }

    fn run(&self, aim: &Aim) -> Result<Run<History>, NewtonError> {
        march::run(self, aim)
    }

    fn distances(&self, fine: &History, coarse: &History, t: f64) -> Option<Vec<f64>> {
        let (space, own) = fine.at(t, 0)?;
        let (other_space, other) = coarse.at(t, 0)?;
        let distance = |state: usize| {
            let values = space.nodal(&own[state]);
            let others = other_space.at_nodes_of(&space, &other[state]);
            let pairs = space.weights().iter().zip(values.iter().zip(others));
            pairs
                .map(|(w, (a, b))| w * (a - b).powi(2))
                .sum::<f64>()
                .sqrt()
        };
        Some((0..self.form.states.len()).map(distance).collect())
    }

    fn size(&self, history: &History, t: f64) -> Option<(f64, f64)> {
        let (space, modal) = history.at(t, 0)?;
        let values = modal.iter().flat_map(|own| space.nodal(own));
        let largest = values.fold(0.0, |a: f64, b| a.max(b.abs()));
        let norms = modal.iter().map(|own| space::norm(own));
        Some((largest, norms.fold(0.0, f64::max)))
    }

    fn functions(&self, run: &Run<History>) -> String {
        let kind = if self.faces.is_none() {
            "polynomials that are orthonormal on the domain"
        } else if self.periodic.iter().all(|p| *p) {
            "products of periodic waves"
        } else if self.periodic.contains(&true) {
            "products of polynomials and periodic waves"
        } else {
            "products of polynomials"
        };
        format!("{kind}, of degree up to {}", run.degree)
    }
}
