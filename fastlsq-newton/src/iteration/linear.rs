//! The problem linearised at a function: tables of its derivatives, residuals and slopes, and the system of a step.

use std::sync::Arc;

use fastlsq_basis::Basis;
use fastlsq_solve::lsq::LsqInfo;
use fastlsq_solve::rows::{block_weights, rms};
use fastlsq_solve::{EquationRow, RowBlock, System, WrittenRows};
use ndarray::Array2;

use super::Iteration;
use crate::NewtonError;
use crate::function::Function;
use crate::options::{NewtonOptions, StepForm};
use crate::residual::{EvaluatedResidual, Residual};
use crate::state::{Linearised, State};

/// Tables with a number per row and derivative that are in memory at once.
const TABLES: usize = 8;

/// The rows of the linear conditions, written once for all steps; none for a backend that assembles for itself, and
/// none where memory is limited, since they stay beside every factorisation.
pub(crate) fn unchanged_rows(
    options: &NewtonOptions,
    residuals: &[Option<Residual>],
    bases: &[Arc<dyn Basis>],
    blocks: &[RowBlock],
) -> Result<Vec<Option<WrittenRows>>, NewtonError> {
    let solve = &options.solve;
    let limited = solve.control().memory().is_some();
    let taken = solve.backend.takes_written_rows() && !limited;
    let rows = blocks.iter().zip(residuals).map(|(block, residual)| {
        let unchanged = taken && residual.is_none() && !block.exact && !block.is_empty();
        unchanged
            .then(|| WrittenRows::new(block, bases, solve.control()))
            .transpose()
    });
    Ok(rows.collect::<Result<_, _>>()?)
}

impl Iteration<'_> {
    /// The expansion with these coefficients.
    pub(crate) fn expansion<'b>(&'b self, beta: &'b [f64]) -> Function<'b> {
        Function::Expansion(self.bases.iter().map(AsRef::as_ref).collect(), beta)
    }

    /// Everything that is needed of a function.
    pub(crate) fn state_of(&self, function: &Function<'_>) -> Result<State, NewtonError> {
        let mut tables = Vec::with_capacity(self.blocks.len());
        for (block, residual) in self.blocks.iter().zip(&self.concrete.residuals) {
            self.options.solve.control().check()?;
            tables.push(match residual {
                Some(residual) => residual.table(function, block.sites())?,
                None => {
                    let mut values = function.apply(&block.operator, block.sites())?;
                    if let Some(partners) = &block.partners {
                        let others = function.apply(&block.operator, partners.view().into())?;
                        values
                            .iter_mut()
                            .zip(others)
                            .for_each(|(value, other)| *value -= other);
                    }
                    column(values)
                }
            });
        }
        let (unknowns, dim) = (self.bases.len(), self.value_points.ncols());
        let mut values = Vec::new();
        for unknown in 0..unknowns {
            let value = EquationRow::value(dim, unknown, unknowns);
            values.extend(function.apply(&value, self.value_points.into())?);
        }
        Ok(State { tables, values })
    }

    pub(crate) fn linearise(&self, state: &State) -> Linearised {
        let mut evaluated = Vec::with_capacity(self.blocks.len());
        let mut residuals = Vec::with_capacity(self.blocks.len());
        for ((block, residual), table) in self
            .blocks
            .iter()
            .zip(&self.concrete.residuals)
            .zip(&state.tables)
        {
            match residual {
                Some(residual) => {
                    let result = residual.evaluate(table, block.sites(), self.parameter);
                    residuals.push(result.values.clone());
                    evaluated.push(Some(result));
                }
                None => {
                    residuals.push(
                        table
                            .iter()
                            .zip(&block.data)
                            .map(|(bu, g)| bu - g)
                            .collect(),
                    );
                    evaluated.push(None);
                }
            }
        }
        Linearised {
            evaluated,
            residuals,
        }
    }

    /// Root mean square of the weighted residual; infinite if it is not a number.
    pub(super) fn merit(&self, residuals: &[Vec<f64>], weights: &[f64]) -> f64 {
        let weighted = residuals.iter().zip(self.blocks).zip(weights).flat_map(
            |((residuals, block), weight)| {
                residuals.iter().enumerate().map(move |(i, r)| {
                    let row = block.row_weights.as_ref().map_or(1.0, |w| w[i]);
                    weight * row * r
                })
            },
        );
        let merit = rms(weighted);
        if merit.is_finite() {
            merit
        } else {
            f64::INFINITY
        }
    }

    /// The linearised system at a state, for new coefficients or for increments.
    pub(crate) fn system(
        &self,
        state: &State,
        linearised: &Linearised,
        form: StepForm,
        keep: impl Fn(&Residual, u32) -> bool,
    ) -> Result<System, NewtonError> {
        let mut blocks = self.blocks.to_vec();
        for (index, block) in blocks.iter_mut().enumerate() {
            let table = &state.tables[index];
            match (
                &self.concrete.residuals[index],
                &linearised.evaluated[index],
            ) {
                (Some(residual), Some(evaluated)) => {
                    block.operator = residual.row(|order| keep(residual, order));
                    let linear = evaluated.linear_part(table);
                    block.data = match form {
                        StepForm::NewCoefficients => linear
                            .iter()
                            .zip(&evaluated.values)
                            .map(|(l, r)| l - r)
                            .collect(),
                        StepForm::Increment => evaluated.values.iter().map(|r| -r).collect(),
                    };
                    block.table = Some(evaluated.slopes.clone());
                }
                _ => {
                    if form == StepForm::Increment {
                        for (g, bu) in block.data.iter_mut().zip(table) {
                            *g -= bu;
                        }
                    }
                }
            }
        }
        Ok(System::new(self.bases.to_vec(), blocks)?)
    }

    /// Solves a system with the given or with fresh weights; `origin` is what an increment is added to.
    pub(super) fn solve(
        &self,
        mut system: System,
        origin: Option<&[f64]>,
        weights: &mut Vec<f64>,
    ) -> Result<(Vec<f64>, LsqInfo), NewtonError> {
        if weights.is_empty() {
            *weights = block_weights(&self.concrete.frame, self.options.solve.weight, &system)?;
        }
        system.set_weights(weights);
        if !self.unchanged.is_empty() {
            let unchanged = self.unchanged.iter().map(|rows| {
                let rows = rows.as_ref()?;
                Some(origin.map_or_else(|| rows.clone(), |beta| rows.less(beta)))
            });
            system = system.with_written(unchanged.collect())?;
        }
        let factored = self
            .options
            .solve
            .backend
            .factor(&system, &self.options.solve.lsq)?;
        let solution = factored.solution()?;
        let beta = solution.col(0).iter().copied().collect();
        Ok((beta, factored.info().clone()))
    }

    pub(crate) fn check_finite(&self, linearised: &Linearised) -> Result<(), NewtonError> {
        for (index, evaluated) in linearised.evaluated.iter().enumerate() {
            if let Some((i, value)) = evaluated.as_ref().and_then(EvaluatedResidual::first_bad) {
                return Err(NewtonError::ResidualNotFinite {
                    label: self.blocks[index].label.clone(),
                    point: self.blocks[index].points.row(i).to_vec(),
                    value,
                });
            }
        }
        Ok(())
    }

    /// What the derivatives and slopes at all rows take: those of this state, of the next, and of one between.
    pub(super) fn table_bytes(&self) -> Option<usize> {
        let pairs = self.blocks.iter().zip(&self.concrete.residuals);
        let numbers = pairs.map(|(block, residual)| {
            let jets = residual
                .as_ref()
                .map_or(1, |residual| residual.jets().len());
            block.len().checked_mul(jets + 1)
        });
        numbers
            .sum::<Option<usize>>()?
            .checked_mul(TABLES * size_of::<f64>())
    }
}

fn column(values: Vec<f64>) -> Array2<f64> {
    let mut table = Array2::zeros((values.len(), 1));
    for (target, value) in table.iter_mut().zip(values) {
        *target = value;
    }
    table
}
