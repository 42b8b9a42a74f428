//! A problem assembled and factored once, to be solved for any data (the paper's matrix cache).

use std::sync::OnceLock;
use web_time::Instant;

use faer::Mat;
use fastlsq_ops::{Expr, Field, Frame};
use ndarray::ArrayView2;

use crate::SolveError;
use crate::backend::Factored;
use crate::control::Control;
use crate::dense;
use crate::lsq::RowSource;
use crate::options::Options;
use crate::posed::{CONTRADICTION, Posedness};
use crate::problem::ConcreteProblem;
use crate::report::{Repeated, Status};
use crate::rows::{HeldOut, Score, sample};
use crate::search::{Features, Witness, companion, relative_error};
use crate::solution::Solution;
use crate::system::{RowBlock, System};

/// A linear problem with its rows sampled, weighted and factored.
///
/// The matrix depends on operators, points and features only, so other sources and boundary values
/// cost one product with the kept factors, and are as accurate as a fresh solve.
///
/// ```
/// use std::f64::consts::PI;
/// use fastlsq_solve::{BoxDomain, LinearProblem, Options, X, Y, laplacian, sin, unknown};
/// let u = unknown("u");
/// let plate = LinearProblem::on(BoxDomain::unit(2))
///     .equation(-laplacian(u), 1.0)
///     .dirichlet(0.0)
///     .factor_with(&Options::new().features(300).bandwidth(4.0))?;
/// // Another source: −Δu = 2π² sin πx sin πy.
/// let source = 2.0 * PI * PI * sin(PI * X) * sin(PI * Y);
/// let u = plate.new_data().right("equation 1", source)?.solve()?;
/// assert!((u.value(&[0.5, 0.5])? - 1.0).abs() < 1e-7);
/// # Ok::<(), fastlsq_solve::SolveError>(())
/// ```
#[derive(Debug)]
pub struct FactoredProblem {
    problem: ConcreteProblem,
    options: Options,
    system: System,
    factored: Box<dyn Factored>,
    held_out: HeldOut,
    solution: Solution,
    features: Features,
    /// A second, smaller solve for the error estimates of other data; made when such data first come.
    companion: OnceLock<Option<FactoredSystem>>,
}

/// Rows with their factors.
#[derive(Debug)]
pub(crate) struct FactoredSystem {
    pub(crate) system: System,
    pub(crate) factored: Box<dyn Factored>,
}

/// Without a companion to tell, estimates for other data are raised by this factor over what the problem's own data
/// suggest.
const UNKNOWN_DATA: f64 = 10.0;

impl FactoredProblem {
    pub(crate) fn new(
        (problem, options): (ConcreteProblem, Options),
        FactoredSystem { system, factored }: FactoredSystem,
        held_out: HeldOut,
        solution: Solution,
        features: Features,
    ) -> Self {
        Self {
            problem,
            options,
            system,
            factored,
            held_out,
            solution,
            features,
            companion: OnceLock::new(),
        }
    }

    /// The solution for the data the problem was stated with.
    #[must_use]
    pub fn solution(&self) -> &Solution {
        &self.solution
    }

    /// Bases, blocks and weights: first the equations, then the conditions, in the order stated.
    #[must_use]
    pub fn system(&self) -> &System {
        &self.system
    }

    /// The factored matrix: solves for weighted right-hand sides, and the adjoint.
    #[must_use]
    pub fn factored(&self) -> &dyn Factored {
        self.factored.as_ref()
    }

    /// The factored matrix, taken out.
    #[must_use]
    pub fn into_factored(self) -> Box<dyn Factored> {
        self.factored
    }

    /// The points of a block, by its label ("equation 1", "walls", …), one row per point.
    ///
    /// # Errors
    /// No such block.
    pub fn points(&self, label: &str) -> Result<ArrayView2<'_, f64>, SolveError> {
        let index = self.index_of(label)?;
        let block = self.system.blocks().get(index);
        Ok(block.ok_or_else(|| self.no_block(label))?.points.view())
    }

    /// The problem's data, to be replaced in part or in whole.
    #[must_use]
    pub fn new_data(&self) -> NewData<'_> {
        NewData {
            problem: self,
            values: self
                .system
                .blocks()
                .iter()
                .map(|b| b.data.clone())
                .collect(),
            replaced: vec![Replaced::Not; self.system.blocks().len()],
            held_out: self.held_out.clone(),
        }
    }

    /// One solution for each set of data, all in one product.
    ///
    /// # Errors
    /// A backend that fails, or data of another factored problem.
    pub fn solve_many(&self, data: &[NewData<'_>]) -> Result<Vec<Solution>, SolveError> {
        let begin = Instant::now();
        let values: Vec<&[Vec<f64>]> = data.iter().map(|data| data.values.as_slice()).collect();
        let solved = solve_for(&self.system, self.factored.as_ref(), &values)?;
        let each = begin.elapsed().as_secs_f64() / data.len().max(1) as f64;
        let witnesses = self.witnesses(data)?;
        solved
            .into_iter()
            .zip(data)
            .zip(witnesses)
            .map(|((beta, data), witness)| {
                let begin = Instant::now();
                let score = data.held_out.score(self.system.bases(), &beta)?;
                let seconds = (each, each + begin.elapsed().as_secs_f64());
                self.reported(beta, &score, witness, seconds)
            })
            .collect()
    }

    /// What the companion makes of each set of data, where it can be given them.
    fn witnesses(&self, data: &[NewData<'_>]) -> Result<Vec<Option<Witness>>, SolveError> {
        let companion = match self.companion.get() {
            Some(companion) => companion,
            None => {
                let made = companion(&self.problem, &self.options, &self.features)?;
                self.companion.get_or_init(|| made)
            }
        };
        let Some(companion) = companion else {
            return Ok(data.iter().map(|_| None).collect());
        };
        let (system, factored) = (&companion.system, companion.factored.as_ref());
        data.iter()
            .map(|data| {
                let Some(values) = data.at_points_of(system)? else {
                    return Ok(None);
                };
                let Some(beta) = solve_for(system, factored, &[&values])?.pop() else {
                    return Ok(None);
                };
                let score = data.held_out.score(system.bases(), &beta)?;
                Ok(Some(Witness {
                    score: score.worst,
                    values: score.values,
                    draw: None,
                }))
            })
            .collect()
    }

    /// A solution whose report says how well these data are met.
    fn reported(
        &self,
        beta: Vec<f64>,
        score: &Score,
        witness: Option<Witness>,
        (solve_seconds, seconds): (f64, f64),
    ) -> Result<Solution, SolveError> {
        let mut report = self.solution.report().clone();
        let estimate = match witness {
            Some(witness) => relative_error(score, self.features.draw(), &[witness]),
            None => {
                // How this system turns residuals into errors was measured for the problem's own data only.
                let ratio = report.error_estimate / report.held_out_residual;
                let ratio = if ratio.is_finite() {
                    ratio.max(1.0)
                } else {
                    1.0
                };
                (UNKNOWN_DATA * ratio * score.worst).max(f64::EPSILON)
            }
        };
        report.posedness = self.posedness_of(score);
        report.error_estimate = report.posedness.estimate(estimate, score.worst);
        report.held_out_residual = score.worst;
        for (block, held_out) in report.blocks.iter_mut().zip(&score.blocks) {
            block.held_out = *held_out;
        }
        report.status = if report.posedness.is_fine() {
            Status::Explicit
        } else {
            Status::IllPosed
        };
        report.choice = "new data for a factored problem".to_owned();
        report.candidates.clear();
        report.repeated = Repeated::default();
        (report.seconds, report.solve_seconds) = (seconds, solve_seconds);
        let problem = &self.problem;
        let functions = (problem.space.clone(), problem.unknowns.clone());
        Solution::from_parts(functions, self.system.bases().to_vec(), beta, report)?
            .on_domain(problem.domain.clone())
    }

    /// The question is as well posed as that of the problem's own data, unless these data contradict each other.
    fn posedness_of(&self, score: &Score) -> Posedness {
        let own = match &self.solution.report().posedness {
            Posedness::Contradictory { .. } => Posedness::NotExamined,
            other => other.clone(),
        };
        let (before, misfit) = (self.solution.report().held_out_residual, score.misfit());
        // The features are fixed: a misfit is a contradiction where they served the problem's own data well.
        if !own.is_fine() || misfit <= CONTRADICTION || before >= 0.1 * CONTRADICTION {
            return own;
        }
        let labels = self.problem.labels();
        let blocks = score
            .misfits()
            .into_iter()
            .filter_map(|k| labels.get(k).cloned());
        Posedness::Contradictory {
            misfit,
            blocks: blocks.collect(),
        }
    }

    fn index_of(&self, label: &str) -> Result<usize, SolveError> {
        let mut blocks = self.system.blocks().iter();
        blocks
            .position(|block| block.label == label)
            .ok_or_else(|| self.no_block(label))
    }

    fn no_block(&self, name: &str) -> SolveError {
        let labels = self.system.blocks().iter().map(|block| block.label.clone());
        SolveError::Block {
            name: name.to_owned(),
            known: labels.collect(),
        }
    }
}

/// Data for a [`FactoredProblem`]: what is not replaced stays as the problem was stated.
#[derive(Debug, Clone)]
pub struct NewData<'a> {
    problem: &'a FactoredProblem,
    /// Unweighted, for each block.
    values: Vec<Vec<f64>>,
    /// What became of the data of each block.
    replaced: Vec<Replaced>,
    held_out: HeldOut,
}

/// Whether and how the data of a block were replaced.
#[derive(Debug, Clone)]
enum Replaced {
    /// They are those that the problem was stated with.
    Not,
    /// By a function.
    By(Field),
    /// By values at the block's own points, which are known nowhere else.
    Values,
}

impl NewData<'_> {
    /// Something else on the right of the equation ("equation 1", …) or condition ("walls", …) with this label: a number,
    /// an expression or a closure `|x: &[f64]| …`, without unknowns.
    ///
    /// # Errors
    /// No such block, an expression with unknowns or parameters, or data that are not finite.
    pub fn right(self, label: &str, right: impl Into<Expr>) -> Result<Self, SolveError> {
        let index = self.problem.index_of(label)?;
        let frame = Frame::new(self.problem.problem.space.clone(), []);
        self.replace(index, &frame.field(right)?)
    }

    /// Other values for the block with this label, at its own [points](FactoredProblem::points).
    /// The residual of this block is then judged at these points too.
    ///
    /// # Errors
    /// No such block, another number of values, or values that are not finite.
    pub fn values(mut self, label: &str, values: &[f64]) -> Result<Self, SolveError> {
        let index = self.problem.index_of(label)?;
        let mut rows = self.problem.system.blocks()[index].clone();
        check_count(&rows, values)?;
        if let Some(i) = values.iter().position(|value| !value.is_finite()) {
            return Err(SolveError::DataNotFinite {
                label: label.to_owned(),
                point: rows.points.row(i).to_vec(),
                value: values[i],
            });
        }
        rows.data = values.to_vec();
        self.values[index].clone_from(&rows.data);
        self.replaced[index] = Replaced::Values;
        self.held_out.replace_block(index, rows);
        Ok(self)
    }

    /// The solution for these data.
    ///
    /// # Errors
    /// A backend that fails.
    pub fn solve(self) -> Result<Solution, SolveError> {
        let problem = self.problem;
        let mut solutions = problem.solve_many(&[self])?;
        solutions.pop().ok_or(SolveError::NothingToSolve)
    }

    fn replace(mut self, index: usize, data: &Field) -> Result<Self, SolveError> {
        let block = &self.problem.system.blocks()[index];
        self.values[index] = sample(data, &block.label, &block.sites(), &Control::new())?;
        self.held_out.replace_data(index, data)?;
        self.replaced[index] = Replaced::By(data.clone());
        Ok(self)
    }

    /// The same data at the points of another system of the same problem; `None` if they are known at some points only.
    fn at_points_of(&self, system: &System) -> Result<Option<Vec<Vec<f64>>>, SolveError> {
        let mut all = Vec::with_capacity(system.blocks().len());
        for (block, replaced) in system.blocks().iter().zip(&self.replaced) {
            all.push(match replaced {
                Replaced::Not => block.data.clone(),
                Replaced::By(data) => sample(data, &block.label, &block.sites(), &Control::new())?,
                Replaced::Values => return Ok(None),
            });
        }
        Ok(Some(all))
    }
}

/// The coefficients for several sets of data, each with the unweighted values of every block.
fn solve_for(
    system: &System,
    factored: &dyn Factored,
    data: &[&[Vec<f64>]],
) -> Result<Vec<Vec<f64>>, SolveError> {
    let mut rhs = Mat::zeros(system.nrows(), data.len());
    for (column, data) in data.iter().enumerate() {
        let mut row = 0;
        for (block, values) in system.blocks().iter().zip(*data) {
            check_count(block, values)?;
            for (i, value) in values.iter().enumerate() {
                rhs[(row + i, column)] = block.factor(i) * value;
            }
            row += values.len();
        }
    }
    let beta = factored.solve(rhs.as_ref())?;
    let column = |c: usize| system.spread(dense::column(beta.as_ref(), c));
    Ok((0..data.len()).map(column).collect())
}

fn check_count(block: &RowBlock, values: &[f64]) -> Result<(), SolveError> {
    if values.len() == block.len() {
        Ok(())
    } else {
        Err(SolveError::Table {
            label: block.label.clone(),
            what: "values",
            expected: block.len(),
            found: values.len(),
        })
    }
}
