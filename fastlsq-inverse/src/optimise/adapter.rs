//! Bridges from this crate's problem traits to those of argmin.

use std::cell::{Cell, RefCell};

use argmin::core::{CostFunction, Error, Gradient, Jacobian, Operator};
use faer::Mat;

use super::error::{EvaluationError, OptimiseError};
use super::objective::{Objective, Residuals};

/// An [`Objective`] as an argmin problem (`CostFunction` and `Gradient`).
///
/// argmin asks for value and gradient separately; the pair of the last point is kept, so that
/// asking for both at one point evaluates the objective once.
#[derive(Debug)]
pub struct ArgminObjective<O> {
    objective: O,
    last: RefCell<Option<EvaluatedPoint>>,
    evaluations: Cell<u64>,
}

#[derive(Debug)]
struct EvaluatedPoint {
    point: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
}

impl<O: Objective> ArgminObjective<O> {
    /// Wraps an objective (or a reference to one).
    pub fn new(objective: O) -> Self {
        Self {
            objective,
            last: RefCell::new(None),
            evaluations: Cell::new(0),
        }
    }

    /// How often the objective was evaluated.
    #[must_use]
    pub fn evaluations(&self) -> u64 {
        self.evaluations.get()
    }

    fn with_evaluation<T>(
        &self,
        x: &[f64],
        read: impl FnOnce(&EvaluatedPoint) -> T,
    ) -> Result<T, OptimiseError> {
        let mut last = self.last.borrow_mut();
        match &mut *last {
            Some(known) if known.point == x => Ok(read(known)),
            slot => {
                check_dimension(self.objective.dimension(), x)?;
                self.evaluations.set(self.evaluations.get() + 1);
                let mut gradient = vec![0.0; x.len()];
                let value = self
                    .objective
                    .value_and_gradient(x, &mut gradient)
                    .map_err(|source| at(x, source))?;
                Ok(read(slot.insert(EvaluatedPoint {
                    point: x.to_vec(),
                    value,
                    gradient,
                })))
            }
        }
    }
}

impl<O: Objective> CostFunction for ArgminObjective<O> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        Ok(self.with_evaluation(x, |evaluated| evaluated.value)?)
    }
}

impl<O: Objective> Gradient for ArgminObjective<O> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, x: &Vec<f64>) -> Result<Vec<f64>, Error> {
        Ok(self.with_evaluation(x, |evaluated| evaluated.gradient.clone())?)
    }
}

/// [`Residuals`] as an argmin problem: `Operator` gives r(x), `Jacobian` its rows.
#[derive(Clone, Debug)]
pub struct ArgminResiduals<R> {
    residuals: R,
    evaluations: Cell<u64>,
    jacobian_evaluations: Cell<u64>,
}

impl<R: Residuals> ArgminResiduals<R> {
    /// Wraps residuals (or a reference to them).
    pub fn new(residuals: R) -> Self {
        Self {
            residuals,
            evaluations: Cell::new(0),
            jacobian_evaluations: Cell::new(0),
        }
    }

    /// How often the residuals were evaluated.
    #[must_use]
    pub fn evaluations(&self) -> u64 {
        self.evaluations.get()
    }

    /// How often the Jacobian was evaluated.
    #[must_use]
    pub fn jacobian_evaluations(&self) -> u64 {
        self.jacobian_evaluations.get()
    }
}

impl<R: Residuals> Operator for ArgminResiduals<R> {
    type Param = Vec<f64>;
    type Output = Vec<f64>;

    fn apply(&self, x: &Vec<f64>) -> Result<Vec<f64>, Error> {
        check_dimension(self.residuals.dimension(), x)?;
        self.evaluations.set(self.evaluations.get() + 1);
        let mut values = vec![0.0; self.residuals.count()];
        self.residuals
            .residuals(x, &mut values)
            .map_err(|source| at(x, source))?;
        Ok(values)
    }
}

impl<R: Residuals> Jacobian for ArgminResiduals<R> {
    type Param = Vec<f64>;
    type Jacobian = Vec<Vec<f64>>;

    fn jacobian(&self, x: &Vec<f64>) -> Result<Vec<Vec<f64>>, Error> {
        check_dimension(self.residuals.dimension(), x)?;
        self.jacobian_evaluations
            .set(self.jacobian_evaluations.get() + 1);
        let mut matrix = Mat::zeros(self.residuals.count(), self.residuals.dimension());
        self.residuals
            .jacobian(x, matrix.as_mut())
            .map_err(|source| at(x, source))?;
        Ok(matrix
            .row_iter()
            .map(|row| row.iter().copied().collect())
            .collect())
    }
}

/// What a run has cost so far.
pub(crate) trait Counted {
    /// Evaluations of the objective or the residuals.
    fn evaluations(&self) -> u64;
    /// Evaluations of the gradient or the Jacobian.
    fn derivative_evaluations(&self) -> u64;
}

impl<O: Objective> Counted for ArgminObjective<O> {
    fn evaluations(&self) -> u64 {
        self.evaluations()
    }

    fn derivative_evaluations(&self) -> u64 {
        self.evaluations()
    }
}

impl<R: Residuals> Counted for ArgminResiduals<R> {
    fn evaluations(&self) -> u64 {
        self.evaluations()
    }

    fn derivative_evaluations(&self) -> u64 {
        self.jacobian_evaluations()
    }
}

fn check_dimension(expected: usize, x: &[f64]) -> Result<(), OptimiseError> {
    let found = x.len();
    if found == expected {
        Ok(())
    } else {
        Err(OptimiseError::Length {
            what: "parameter vector",
            expected,
            found,
        })
    }
}

fn at(x: &[f64], source: EvaluationError) -> OptimiseError {
    OptimiseError::Evaluation {
        point: x.into(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::optimise::FnObjective;

    #[test]
    fn value_and_gradient_at_one_point_cost_one_evaluation() {
        let evaluations = Cell::new(0);
        let objective = FnObjective::new(1, |x: &[f64], g: &mut [f64]| {
            evaluations.set(evaluations.get() + 1);
            g[0] = 2.0 * x[0];
            x[0] * x[0]
        });
        let problem = ArgminObjective::new(objective);
        let point = vec![3.0];
        assert_eq!(problem.cost(&point).unwrap(), 9.0);
        assert_eq!(problem.gradient(&point).unwrap(), [6.0]);
        assert_eq!(evaluations.get(), 1);
        assert_eq!(problem.gradient(&vec![4.0]).unwrap(), [8.0]);
        assert_eq!(evaluations.get(), 2);
        assert!(problem.cost(&vec![1.0, 2.0]).is_err());
    }
}
