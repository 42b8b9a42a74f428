//! Newton's method on patches: every step is a linear problem on a tree, and the tree follows the solution.
//!
//! On each tree Newton's method goes on until its changes are small beside what the tree itself lacks; then leaves are
//! split where the residual asks for it, and the next tree begins from the function that is there.

use std::sync::Arc;
use std::time::Instant;

use fastlsq_basis::Basis;
use fastlsq_solve::auto::rms;
use fastlsq_solve::patches::{
    Linearised, PatchError, PatchOptions, PatchProblem, PatchSequence, PatchSolution,
};
use fastlsq_solve::{EquationRow, Sites, Solution, SolveError, Stage, UnitSampler};
use ndarray::{Array2, ArrayView2};

use crate::NewtonError;
use crate::function::Function;
use crate::options::NewtonOptions;
use crate::problem::Concrete;
use crate::report::{NewtonReport, NewtonStatus, Step};
use crate::residual::Residual;

/// Points at which residuals and changes are measured.
const POINTS: usize = 500;
/// A change of u below this share of the estimated error of the tree is the last on it.
const SETTLED: f64 = 0.1;
/// Below this relative change, a change that no longer halves is rounding.
const ROUNDING_CHANGE: f64 = 1e-6;
/// The smallest step length of the line search.
const SHORTEST_STEP: f64 = 1.0 / 64.0;

/// A solution on patches with the record of the steps that led to it.
pub(crate) struct Patched {
    pub(crate) solution: PatchSolution,
    pub(crate) newton: NewtonReport,
}

/// A function that steps begin from.
#[derive(Debug, Clone)]
struct State {
    bases: Vec<Arc<dyn Basis>>,
    beta: Vec<f64>,
}

impl State {
    fn of(patched: &PatchSolution, unknowns: usize) -> Self {
        let basis: Arc<dyn Basis> = patched.basis().clone();
        Self {
            bases: vec![basis; unknowns],
            beta: patched.coefficients().to_vec(),
        }
    }

    fn function(&self) -> Function<'_> {
        let bases = self.bases.iter().map(AsRef::as_ref).collect();
        Function::Expansion(bases, &self.beta)
    }

    /// The way from here to there, as far as `share`; both on the same leaves.
    fn towards(&self, goal: &Self, share: f64) -> Self {
        let pairs = self.beta.iter().zip(&goal.beta);
        Self {
            bases: goal.bases.clone(),
            beta: pairs.map(|(a, b)| a + share * (b - a)).collect(),
        }
    }
}

/// The equations linearised at a function, or at zero.
#[derive(Debug)]
struct AtState {
    concrete: Arc<Concrete>,
    state: Option<State>,
}

impl AtState {
    fn evaluate(
        &self,
        residual: &Residual,
        points: ArrayView2<'_, f64>,
    ) -> Result<(Array2<f64>, Vec<f64>), NewtonError> {
        let sites = Sites::new(points);
        let table = match &self.state {
            Some(state) => residual.table(&state.function(), sites)?,
            None => Array2::zeros((points.nrows(), residual.jets().len())),
        };
        let here = residual.try_evaluate(&table, sites, self.concrete.value())?;
        if let Some((i, value)) = here.first_bad() {
            return Err(NewtonError::ResidualNotFinite {
                label: residual.label.clone(),
                point: points.row(i).to_vec(),
                value,
            });
        }
        let linear = here.linear_part(&table);
        let right = linear.iter().zip(&here.values).map(|(l, r)| l - r);
        Ok((here.slopes, right.collect()))
    }
}

impl Linearised for AtState {
    fn at(
        &self,
        equation: usize,
        points: ArrayView2<'_, f64>,
    ) -> Result<(Array2<f64>, Vec<f64>), PatchError> {
        match self.concrete.residuals.get(equation) {
            Some(Some(residual)) => {
                let found = self.evaluate(residual, points);
                found.map_err(|error| PatchError::NotLinearised {
                    reason: error.to_string(),
                })
            }
            _ => {
                let own = self.concrete.frame.equations.get(equation);
                let source = own.map(|own| own.source.evaluate(points)).transpose()?;
                Ok((
                    Array2::zeros((points.nrows(), 0)),
                    source.unwrap_or_default(),
                ))
            }
        }
    }
}

/// The rows of the linearised equations, all terms of them or only those of highest order.
fn rows(concrete: &Concrete, highest_only: bool) -> Vec<EquationRow> {
    let equations = concrete.frame.equations.iter().zip(&concrete.residuals);
    equations
        .map(|(equation, residual)| match residual {
            Some(residual) => residual.row(|order| !highest_only || order == residual.order()),
            None => equation.operator.clone(),
        })
        .collect()
}

/// Whether the problem can be solved on patches, or why not.
pub(crate) fn first_problem(concrete: &Arc<Concrete>) -> Result<PatchProblem, PatchError> {
    let at: Arc<dyn Linearised> = Arc::new(AtState {
        concrete: Arc::clone(concrete),
        state: None,
    });
    PatchProblem::linearised(&concrete.frame, &rows(concrete, true), &at)
}

/// Solves on patches, from a given function or from the part of highest order. `None` where Newton's method does not
/// settle.
pub(crate) fn solve(
    concrete: &Arc<Concrete>,
    options: &NewtonOptions,
    patches: &PatchOptions,
    start: Option<&Solution>,
) -> Result<Option<Patched>, NewtonError> {
    let first = first_problem(concrete).map_err(SolveError::from)?;
    let unknowns = first.unknowns();
    let mut sequence = PatchSequence::new(&first, patches).map_err(SolveError::from)?;
    let (mut state, begun) = match start {
        Some(solution) => {
            let state = State {
                bases: solution.bases().to_vec(),
                beta: solution.coefficients().to_vec(),
            };
            (state, "a sum of waves")
        }
        None => {
            let solved = sequence.solve(&first).map_err(SolveError::from)?;
            (State::of(&solved, unknowns), "the part of highest order")
        }
    };
    let mut on_this_tree = start.is_none();
    let watch = Watch::new(concrete)?;
    let start_residual = watch.merit(&state);
    let all_rows = rows(concrete, false);
    let control = options.solve.control();
    let record = |history: Vec<Step>| NewtonReport {
        status: NewtonStatus::Converged,
        linear: concrete.linear,
        start: begun.to_owned(),
        start_residual,
        solves: history.len(),
        history,
        candidates: Vec::new(),
    };
    let mut history: Vec<Step> = Vec::new();
    // The solution on the tree before.
    let mut finished: Option<PatchSolution> = None;
    loop {
        let mut last_change = f64::INFINITY;
        let mut settled = None;
        for _ in 0..options.max_iterations.max(1) {
            let begin = Instant::now();
            let number = history.len() + 1;
            if let Err(limit) = control.enter(Stage::NewtonStep { number }) {
                return match finished {
                    Some(solution) => Ok(Some(Patched {
                        solution,
                        newton: record(history),
                    })),
                    None => Err(SolveError::from(limit).into()),
                };
            }
            let at: Arc<dyn Linearised> = Arc::new(AtState {
                concrete: Arc::clone(concrete),
                state: Some(state.clone()),
            });
            let problem = PatchProblem::linearised(&concrete.frame, &all_rows, &at);
            let solved = problem.and_then(|problem| sequence.solve(&problem));
            let solved = solved.map_err(SolveError::from)?;
            let goal = State::of(&solved, unknowns);
            // Only between functions on the same leaves can a step be shortened.
            let (length, next, residual) = if on_this_tree && options.line_search {
                watch.search(&state, &goal)
            } else {
                let residual = watch.merit(&goal);
                (1.0, goal, residual)
            };
            let change = watch.change(&state, &next)?;
            (state, on_this_tree) = (next, true);
            let step = Step {
                iteration: number,
                residual,
                change,
                step: length,
                rank: solved.report().leaves * solved.report().rank,
                parameter: None,
                seconds: begin.elapsed().as_secs_f64(),
            };
            history.push(step);
            if !change.is_finite() {
                return Ok(None);
            }
            let enough = SETTLED * solved.report().error_estimate.max(patches.tolerance);
            let rounding = last_change < ROUNDING_CHANGE && change > 0.5 * last_change;
            if length == 1.0 && (change <= enough || rounding || concrete.linear) {
                settled = Some(solved);
                break;
            }
            last_change = change;
        }
        let Some(solution) = settled else {
            return Ok(None);
        };
        if sequence.refine().is_some() {
            let newton = record(history);
            return Ok(Some(Patched { solution, newton }));
        }
        (on_this_tree, finished) = (false, Some(solution));
    }
}

/// Where residuals and changes are measured.
struct Watch<'a> {
    concrete: &'a Concrete,
    points: Array2<f64>,
}

impl<'a> Watch<'a> {
    fn new(concrete: &'a Concrete) -> Result<Self, NewtonError> {
        let mut sampler = UnitSampler::halton(0);
        let points = concrete
            .frame
            .domain
            .sample_interior(POINTS, &mut sampler)?;
        Ok(Self { concrete, points })
    }

    /// Root mean square of the equations' residuals; infinite if it is not a number.
    fn merit(&self, state: &State) -> f64 {
        let found = self.residuals(state).unwrap_or_default();
        let merit = rms(found.iter().copied());
        if found.is_empty() || !merit.is_finite() {
            f64::INFINITY
        } else {
            merit
        }
    }

    fn residuals(&self, state: &State) -> Result<Vec<f64>, NewtonError> {
        let (function, sites) = (state.function(), Sites::new(self.points.view()));
        let mut all = Vec::new();
        let equations = self.concrete.frame.equations.iter();
        for (equation, residual) in equations.zip(&self.concrete.residuals) {
            match residual {
                Some(residual) => {
                    let table = residual.table(&function, sites)?;
                    let value = self.concrete.value();
                    all.extend(residual.try_evaluate(&table, sites, value)?.values);
                }
                None => {
                    let found = function.apply(&equation.operator, sites)?;
                    let source = equation.source.evaluate(sites).map_err(SolveError::from)?;
                    all.extend(found.iter().zip(source).map(|(a, b)| a - b));
                }
            }
        }
        Ok(all)
    }

    fn values(&self, state: &State) -> Result<Vec<f64>, NewtonError> {
        let (unknowns, dim) = (state.bases.len(), self.points.ncols());
        let mut values = Vec::new();
        for unknown in 0..unknowns {
            let row = EquationRow::value(dim, unknown, unknowns);
            let sites = Sites::new(self.points.view());
            values.extend(state.function().apply(&row, sites)?);
        }
        Ok(values)
    }

    /// ‖new − old‖/‖new‖.
    fn change(&self, old: &State, new: &State) -> Result<f64, NewtonError> {
        let (old, new) = (self.values(old)?, self.values(new)?);
        let difference = rms(old.iter().zip(&new).map(|(a, b)| b - a));
        let size = rms(new.iter().copied());
        Ok(if difference == 0.0 {
            0.0
        } else {
            difference / size
        })
    }

    /// The longest step, halved from the full one, that lowers the residual.
    fn search(&self, state: &State, goal: &State) -> (f64, State, f64) {
        let before = self.merit(state);
        let mut length = 1.0;
        loop {
            let tried = state.towards(goal, length);
            let after = self.merit(&tried);
            let tiny = || {
                self.change(state, &tried)
                    .is_ok_and(|change| change < ROUNDING_CHANGE)
            };
            if after < before || length <= SHORTEST_STEP || (after.is_finite() && tiny()) {
                return (length, tried, after);
            }
            length *= 0.5;
        }
    }
}
