//! A problem assembled and factored once, to be solved for any data (the paper's matrix cache).

use std::time::Instant;

use faer::Mat;
use fastlsq_ops::{Expr, Field, Frame};
use ndarray::ArrayView2;

use crate::SolveError;
use crate::auto::{HeldOut, Score, sample};
use crate::backend::Factored;
use crate::control::Control;
use crate::lsq::RowSource;
use crate::problem::ConcreteProblem;
use crate::report::Status;
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
    system: System,
    factored: Box<dyn Factored>,
    held_out: HeldOut,
    solution: Solution,
}

impl FactoredProblem {
    pub(crate) fn new(
        problem: ConcreteProblem,
        system: System,
        factored: Box<dyn Factored>,
        held_out: HeldOut,
        solution: Solution,
    ) -> Self {
        Self {
            problem,
            system,
            factored,
            held_out,
            solution,
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

    /// The points of a block, by its label ("equation 1", "walls", …), one row a point.
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
            held_out: self.held_out.clone(),
        }
    }

    /// One solution for each set of data, all in one product.
    ///
    /// # Errors
    /// A backend that fails, or data of another factored problem.
    pub fn solve_many(&self, data: &[NewData<'_>]) -> Result<Vec<Solution>, SolveError> {
        let begin = Instant::now();
        let mut rhs = Mat::zeros(self.system.nrows(), data.len());
        for (column, data) in data.iter().enumerate() {
            let mut row = 0;
            for (block, values) in self.system.blocks().iter().zip(&data.values) {
                check_count(block, values)?;
                for (i, value) in values.iter().enumerate() {
                    rhs[(row + i, column)] = block.factor(i) * value;
                }
                row += values.len();
            }
        }
        let beta = self.factored.solve(rhs.as_ref())?;
        let each = begin.elapsed().as_secs_f64() / data.len().max(1) as f64;
        data.iter()
            .enumerate()
            .map(|(column, data)| {
                let begin = Instant::now();
                let own: Vec<f64> = (0..beta.nrows()).map(|j| beta[(j, column)]).collect();
                let score = data.held_out.score(self.system.bases(), &own)?;
                self.reported(own, &score, each, each + begin.elapsed().as_secs_f64())
            })
            .collect()
    }

    /// A solution whose report says how well these data are met.
    fn reported(
        &self,
        beta: Vec<f64>,
        score: &Score,
        solve_seconds: f64,
        seconds: f64,
    ) -> Result<Solution, SolveError> {
        let mut report = self.solution.report().clone();
        // How this system turns residuals into errors was measured for the problem's own data.
        let errors_for_residuals = report.error_estimate / report.held_out_residual;
        report.error_estimate = if errors_for_residuals.is_finite() {
            errors_for_residuals * score.worst
        } else {
            score.worst
        };
        report.held_out_residual = score.worst;
        for (block, held_out) in report.blocks.iter_mut().zip(&score.blocks) {
            block.held_out = *held_out;
        }
        report.status = Status::Explicit;
        report.choice = "new data for a factored problem".to_owned();
        report.probes.clear();
        (report.seconds, report.solve_seconds) = (seconds, solve_seconds);
        let problem = &self.problem;
        let functions = (problem.space.clone(), problem.unknowns.clone());
        Solution::from_parts(functions, self.system.bases().to_vec(), beta, report)
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
    held_out: HeldOut,
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
        Ok(self)
    }
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
