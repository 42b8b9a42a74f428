//! One point of a branch: Newton's method for u and the parameter together.

use std::sync::Arc;

use fastlsq_basis::{Basis, InputMap, PolynomialBasis};
use fastlsq_solve::dense::column;
use fastlsq_solve::rows::block_weights;
use fastlsq_solve::{Action, EquationRow, Field, Operator, RowBlock, SolveError, System, Term};
use ndarray::{Array2, Axis};

use super::BranchPoint;
use super::follow::Follower;
use super::scale::Scale;
use crate::NewtonError;
use crate::function::Function;
use crate::options::StepForm;

/// Newton steps for one point, at most.
const CORRECTIONS: usize = 12;
/// The weight of the arclength row, with all rows of unit size.
const ARCLENGTH_WEIGHT: f64 = 10.0;
/// A change that needs no further step, as a share of the step length.
const SETTLED: f64 = 1e-9;
/// A change that may be rounding if it no longer falls.
const NEARLY: f64 = 1e-5;

impl Follower<'_> {
    /// The point of the branch beside (1 − α)a + αb; `None` if Newton fails.
    pub(super) fn correct(
        &self,
        a: &BranchPoint,
        b: &BranchPoint,
        along: f64,
        scale: &Scale,
    ) -> Result<Option<BranchPoint>, NewtonError> {
        let blend = |a: f64, b: f64| a + along * (b - a);
        let (direction, chord) = scale.direction(a, b);
        // Where the branch moves most.
        let anchor = (0..direction.values.len())
            .max_by(|&a, &b| {
                direction.values[a]
                    .abs()
                    .total_cmp(&direction.values[b].abs())
            })
            .unwrap_or(0);
        let mut values: Vec<f64> = a
            .values
            .iter()
            .zip(&b.values)
            .map(|(&a, &b)| blend(a, b))
            .collect();
        let mut parameter = blend(a.parameter, b.parameter);
        let (Some(slope), Some(value)) = (direction.values.get(anchor), values.get(anchor)) else {
            return Ok(None);
        };
        let slope = slope / scale.values.powi(2);
        let parameter_slope = direction.parameter / scale.parameter.powi(2);
        let goal = slope * value + parameter_slope * parameter;

        let unknowns = self.bases.len();
        let points = self.maker.value_points();
        let (unknown, at) = (
            anchor / points.nrows().max(1),
            anchor % points.nrows().max(1),
        );
        let dim = points.ncols();
        let constant = InputMap::identity(dim);
        let constant = PolynomialBasis::monomials(constant, 0).map_err(SolveError::from)?;
        let mut bases = self.bases.clone();
        bases.push(Arc::new(constant));
        let row = EquationRow::zero(unknowns + 1)
            .with(unknown, multiple(slope, dim))
            .with(unknowns, multiple(parameter_slope, dim));
        let anchor_point = points.row(at).to_owned().insert_axis(Axis(0));

        let mut beta: Option<Vec<f64>> = None;
        let mut last_change = f64::INFINITY;
        for iteration in 1..=CORRECTIONS {
            let newton = self.iteration(parameter);
            let state = match &beta {
                Some(beta) => newton.state_of(&newton.expansion(beta))?,
                None => {
                    let at = |point: &BranchPoint| newton.state_of(&Function::of(&point.solution));
                    at(a)?.blend(&at(b)?, along)
                }
            };
            let linearised = newton.linearise(&state);
            if newton.check_finite(&linearised).is_err() {
                return Ok(None);
            }
            let system =
                newton.system(&state, &linearised, StepForm::NewCoefficients, |_, _| true)?;
            let mut weights = block_weights(
                &self.maker.concrete.frame,
                self.options.solve.weight,
                &system,
            )?;
            let mut blocks = system.blocks().to_vec();
            for (block, evaluated) in blocks.iter_mut().zip(&linearised.evaluated) {
                block.operator = widened(&block.operator);
                let Some(evaluated) = evaluated else { continue };
                let slopes = &evaluated.parameter_slopes;
                let columns = evaluated.slopes.ncols();
                let table = Array2::from_shape_fn((block.len(), columns + 1), |(i, k)| {
                    if k < columns {
                        evaluated.slopes[(i, k)]
                    } else {
                        slopes[i]
                    }
                });
                block.table = Some(table);
                let moves = Field::tabulated("∂R/∂p", columns);
                block.operator = block.operator.clone().with(unknowns, multiple(moves, dim));
                for (value, slope) in block.data.iter_mut().zip(slopes) {
                    *value += slope * parameter;
                }
            }
            blocks.push(RowBlock::new(
                "arclength",
                row.clone(),
                anchor_point.clone(),
                vec![goal],
            ));
            let rows: usize = self.blocks.iter().map(RowBlock::len).sum();
            weights.push(ARCLENGTH_WEIGHT * (rows as f64).sqrt() / slope.hypot(parameter_slope));
            let mut bordered = System::new(bases.clone(), blocks)?;
            bordered.set_weights(&weights);
            let factored = self
                .options
                .solve
                .backend
                .factor(&bordered, self.maker.lsq())?;
            let solution = factored.solution()?;
            let mut solved = column(solution.as_ref(), 0);
            let Some(new_parameter) = solved.pop() else {
                return Ok(None);
            };
            let references: Vec<&dyn Basis> = self.bases.iter().map(AsRef::as_ref).collect();
            let new_values = self.maker.values(&references, &solved)?;
            let moved: Vec<f64> = new_values.iter().zip(&values).map(|(b, a)| b - a).collect();
            let change = scale.length(&moved, new_parameter - parameter) / chord;
            if !change.is_finite() || (iteration > 3 && change > 4.0 * last_change) {
                return Ok(None);
            }
            (parameter, values) = (new_parameter, new_values);
            // Quadratic convergence: what is still to come is the square of this change.
            if change < SETTLED || (change < NEARLY && change > 0.5 * last_change) {
                return self.point(solved, parameter, iteration).map(Some);
            }
            (beta, last_change) = (Some(solved), change);
        }
        Ok(None)
    }
}

/// u ↦ c u.
fn multiple(coefficient: impl Into<Field>, dim: usize) -> Operator {
    Operator::from_terms(dim, [Term::new(coefficient, Action::identity(dim))])
}

/// The same row in a system with one more unknown.
fn widened(row: &EquationRow) -> EquationRow {
    row.blocks().iter().fold(
        EquationRow::zero(row.unknowns() + 1),
        |wide, (unknown, operator)| wide.with(*unknown, operator.clone()),
    )
}
