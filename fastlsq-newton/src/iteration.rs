//! The Newton iteration for one set of features and one set of points.

use std::sync::Arc;
use web_time::Instant;

use fastlsq_basis::Basis;
use fastlsq_solve::lsq::{LsqInfo, LsqOptions};
use fastlsq_solve::search::{block_weights, rms, system_bytes};
use fastlsq_solve::{EquationRow, RowBlock, Solution, Stage, System, WrittenRows};
use ndarray::{Array2, ArrayView2};

use crate::NewtonError;
use crate::function::Function;
use crate::options::{NewtonOptions, Start, StepForm};
use crate::problem::Concrete;
use crate::report::{NewtonStatus, Step};
use crate::residual::{Evaluated, Residual};
use crate::state::{Linearised, State};

/// The smallest step length of the line search: 2⁻¹⁰.
const SHORTEST_STEP: f64 = 1.0 / 1024.0;
/// The share of the predicted decrease that a step must achieve.
const ARMIJO: f64 = 1e-4;
/// Below this relative change, a change that no longer halves is rounding.
const ROUNDING_CHANGE: f64 = 1e-6;

/// A full step that changes u by less than this, and the residual by hardly anything, is the last:
/// what remains is the misfit of the features.
const SMALL_CHANGE: f64 = 1e-2;
const STANDSTILL: f64 = 0.9;

/// Tables with a number per row and derivative that are in memory at once.
const TABLES: usize = 8;

/// The outcome of an iteration.
pub(crate) struct Outcome {
    pub(crate) beta: Vec<f64>,
    pub(crate) status: NewtonStatus,
    pub(crate) history: Vec<Step>,
    pub(crate) start: String,
    pub(crate) start_residual: f64,
    pub(crate) info: LsqInfo,
    pub(crate) weights: Vec<f64>,
    pub(crate) solves: usize,
}

/// Features, points and options of one iteration.
pub(crate) struct Iteration<'a> {
    pub(crate) concrete: &'a Concrete,
    pub(crate) options: &'a NewtonOptions,
    pub(crate) lsq: &'a LsqOptions,
    pub(crate) bases: &'a [Arc<dyn Basis>],
    pub(crate) blocks: &'a [RowBlock],
    /// For each block, its rows where they are the same in every step: those of linear conditions. Or nothing at all.
    pub(crate) unchanged: &'a [Option<WrittenRows>],
    /// Where the change of u is measured.
    pub(crate) value_points: ArrayView2<'a, f64>,
    pub(crate) parameter: f64,
}

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

    fn zero_state(&self) -> State {
        let width = |residual: &Option<Residual>| residual.as_ref().map_or(1, |r| r.jets().len());
        State {
            tables: self
                .blocks
                .iter()
                .zip(&self.concrete.residuals)
                .map(|(block, residual)| Array2::zeros((block.len(), width(residual))))
                .collect(),
            values: vec![0.0; self.value_points.nrows() * self.bases.len()],
        }
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
    fn merit(&self, residuals: &[Vec<f64>], weights: &[f64]) -> f64 {
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
    fn solve(
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
        let factored = self.options.solve.backend.factor(&system, self.lsq)?;
        let solution = factored.solution()?;
        let beta = (0..solution.nrows()).map(|j| solution[(j, 0)]).collect();
        Ok((beta, factored.info().clone()))
    }

    pub(crate) fn check_finite(&self, linearised: &Linearised) -> Result<(), NewtonError> {
        for (index, evaluated) in linearised.evaluated.iter().enumerate() {
            if let Some((i, value)) = evaluated.as_ref().and_then(Evaluated::first_bad) {
                return Err(NewtonError::ResidualNotFinite {
                    label: self.blocks[index].label.clone(),
                    point: self.blocks[index].points.row(i).to_vec(),
                    value,
                });
            }
        }
        Ok(())
    }

    /// The state to start from, with its coefficients where it has some.
    fn start(
        &self,
        weights: &mut Vec<f64>,
        solves: &mut usize,
    ) -> Result<(State, Option<Vec<f64>>, String), NewtonError> {
        let zero = (
            self.zero_state(),
            Some(vec![0.0; self.columns()]),
            "zero".to_owned(),
        );
        let start = &self.options.start;
        match start {
            Start::Zero => return Ok(zero),
            Start::From(solution) => return self.start_from(solution),
            Start::FromSlabs(slabs) => {
                let state = self.state_of(&Function::Slabs(slabs))?;
                return Ok((state, None, "slabs in time".to_owned()));
            }
            _ => {}
        }
        let at_zero = self.linearise(&zero.0);
        if self.check_finite(&at_zero).is_err() {
            return Ok(zero);
        }
        let mut candidates = Vec::new();
        let mut solve =
            |name: &str, keep: &dyn Fn(&Residual, u32) -> bool, weights: &mut Vec<f64>| {
                let system = self.system(&zero.0, &at_zero, StepForm::NewCoefficients, keep)?;
                // A part without any term (a first-order condition, say) leaves a block empty.
                let (beta, _) = self.solve(system, None, weights)?;
                *solves += 1;
                let state = self.state_of(&self.expansion(&beta))?;
                Ok::<_, NewtonError>((state, Some(beta), name.to_owned()))
            };
        if !matches!(start, Start::HighestOrder) {
            candidates.push(solve("the linear part", &|_, _| true, weights)?);
        }
        if !matches!(start, Start::LinearPart) && !self.concrete.linear {
            let highest = |residual: &Residual, order: u32| order == residual.order();
            candidates.push(solve("the part of highest order", &highest, weights)?);
        }
        if matches!(start, Start::Best) {
            candidates.push(zero);
        }
        let merit = |candidate: &(State, Option<Vec<f64>>, String)| {
            self.merit(&self.linearise(&candidate.0).residuals, weights)
        };
        candidates
            .into_iter()
            .min_by(|a, b| merit(a).total_cmp(&merit(b)))
            .ok_or(NewtonError::NoEquation)
    }

    fn start_from(
        &self,
        solution: &Solution,
    ) -> Result<(State, Option<Vec<f64>>, String), NewtonError> {
        let state = self.state_of(&Function::of(solution))?;
        // The coefficients can be kept only if the features are the very same.
        let same = solution.bases().len() == self.bases.len()
            && solution
                .bases()
                .iter()
                .zip(self.bases)
                .all(|(a, b)| Arc::ptr_eq(a, b));
        let beta = same.then(|| solution.coefficients().to_vec());
        Ok((state, beta, "a given function".to_owned()))
    }

    fn columns(&self) -> usize {
        self.bases.iter().map(Basis::len).sum()
    }

    /// Runs the iteration.
    pub(crate) fn run(&self) -> Result<Outcome, NewtonError> {
        let (mut weights, mut solves) = (Vec::new(), 0);
        let (mut state, mut beta, start) = self.start(&mut weights, &mut solves)?;
        let mut linearised = self.linearise(&state);
        self.check_finite(&linearised)?;
        let mut history: Vec<Step> = Vec::new();
        let mut info = None;
        let mut start_residual = f64::NAN;
        let mut status = NewtonStatus::IterationLimit;
        for iteration in 1..=self.options.max_iterations.max(1) {
            let begin = Instant::now();
            // Increments need coefficients to add to: a foreign start is taken up by a full step.
            let form = if beta.is_some() {
                self.options.form
            } else {
                StepForm::NewCoefficients
            };
            let origin = beta.as_deref().filter(|_| form == StepForm::Increment);
            let step = self.step(iteration, (&state, &linearised), form, origin);
            let (solved, step_info) = match step {
                Ok((solved, info, fresh)) => {
                    weights = fresh;
                    (solved, info)
                }
                // What there is after a step or more is a candidate; before, there is nothing.
                Err(error) if error.limit().is_some() && !history.is_empty() => {
                    status = NewtonStatus::Stopped;
                    break;
                }
                Err(error) => return Err(error),
            };
            solves += 1;
            let before = self.merit(&linearised.residuals, &weights);
            if iteration == 1 {
                start_residual = before;
            }
            let target: Vec<f64> = match (form, &beta) {
                (StepForm::Increment, Some(beta)) => {
                    beta.iter().zip(&solved).map(|(b, d)| b + d).collect()
                }
                _ => solved,
            };
            let goal = match self.state_of(&self.expansion(&target)) {
                Err(error) if error.limit().is_some() && !history.is_empty() => {
                    status = NewtonStatus::Stopped;
                    break;
                }
                goal => goal?,
            };
            let (alpha, new_state, new_linearised, after) =
                self.search(&state, &goal, before, &weights);
            let change = relative_change(&state.values, &new_state.values);
            // With a foreign start the coefficients of a shortened step are not known; the full
            // step's are the best there are.
            beta = Some(match (&beta, alpha == 1.0) {
                (Some(old), false) => old
                    .iter()
                    .zip(&target)
                    .map(|(a, b)| a + alpha * (b - a))
                    .collect(),
                _ => target,
            });
            state = new_state;
            linearised = new_linearised;
            let step = Step {
                iteration,
                residual: after,
                change,
                step: alpha,
                rank: step_info.rank,
                parameter: self.concrete.parameter.map(|_| self.parameter),
                seconds: begin.elapsed().as_secs_f64(),
            };
            info = Some(step_info);
            let last_change = history.last().map_or(f64::INFINITY, |step| step.change);
            history.push(step);
            if !after.is_finite() || !change.is_finite() {
                status = NewtonStatus::Diverged;
                break;
            }
            // Newton's method converges quadratically: the change to come is about the square of
            // this one, with a constant that two changes in a row tell.
            let constant = if last_change < 1.0 {
                change / (last_change * last_change)
            } else {
                1.0
            };
            let to_come = constant.clamp(1.0, 1e3) * change * change;
            let settled = alpha == 1.0
                && (change.min(to_come) <= self.options.change_tolerance
                    || (last_change < ROUNDING_CHANGE && change > 0.5 * last_change)
                    || (change < SMALL_CHANGE && after > STANDSTILL * before));
            if self.concrete.linear || settled {
                status = NewtonStatus::Converged;
                break;
            }
            if alpha <= SHORTEST_STEP && after >= before {
                status = if change < ROUNDING_CHANGE {
                    NewtonStatus::Converged
                } else {
                    NewtonStatus::Stalled
                };
                break;
            }
        }
        Ok(Outcome {
            beta: beta.unwrap_or_default(),
            status,
            history,
            start,
            start_residual,
            info: info.ok_or(NewtonError::NoEquation)?,
            weights,
            solves,
        })
    }

    /// What the derivatives and slopes at all rows take: those of this state, of the next, and of one between.
    fn table_bytes(&self) -> Option<usize> {
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

    /// The system linearised at a state, solved with fresh weights.
    fn step(
        &self,
        number: usize,
        (state, linearised): (&State, &Linearised),
        form: StepForm,
        origin: Option<&[f64]>,
    ) -> Result<(Vec<f64>, LsqInfo, Vec<f64>), NewtonError> {
        let control = self.options.solve.control();
        control.enter(Stage::NewtonStep { number })?;
        let bytes = system_bytes(self.bases, self.blocks);
        let _held = control.hold(bytes.and_then(|bytes| bytes.checked_add(self.table_bytes()?)))?;
        let system = self.system(state, linearised, form, |_, _| true)?;
        let mut weights = Vec::new();
        let (solved, info) = self.solve(system, origin, &mut weights)?;
        Ok((solved, info, weights))
    }

    /// Backtracks from the full step until the residual falls enough.
    fn search(
        &self,
        state: &State,
        goal: &State,
        before: f64,
        weights: &[f64],
    ) -> (f64, State, Linearised, f64) {
        let mut alpha = self.options.damping;
        // Ends after at most ten halvings, at the shortest step.
        loop {
            let tried = if alpha == 1.0 {
                goal.clone()
            } else {
                state.blend(goal, alpha)
            };
            let linearised = self.linearise(&tried);
            let after = self.merit(&linearised.residuals, weights);
            let change = relative_change(&state.values, &tried.values);
            let enough = after <= (1.0 - ARMIJO * alpha) * before;
            // At the floor of rounding the residual cannot fall any more; a tiny step is taken as it is.
            let at_the_floor = after.is_finite() && change < ROUNDING_CHANGE;
            if !self.options.line_search || enough || at_the_floor || alpha <= SHORTEST_STEP {
                return (alpha, tried, linearised, after);
            }
            alpha *= 0.5;
        }
    }
}

fn column(values: Vec<f64>) -> Array2<f64> {
    let mut table = Array2::zeros((values.len(), 1));
    for (target, value) in table.iter_mut().zip(values) {
        *target = value;
    }
    table
}

/// ‖new − old‖/‖new‖.
fn relative_change(old: &[f64], new: &[f64]) -> f64 {
    let difference = rms(old.iter().zip(new).map(|(a, b)| b - a));
    let size = rms(new.iter().copied());
    if difference == 0.0 {
        0.0
    } else {
        difference / size
    }
}
