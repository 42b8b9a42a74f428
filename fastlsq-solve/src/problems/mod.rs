//! The linear benchmark problems of the paper, and two of its relatives, each with exact solution.
//!
//! A [`Benchmark`] is used by tests, examples and the reproduction alike. The exact solution is
//! there to measure the error, never to find the solution.

mod elastic;
mod exact;
pub mod high;
mod linear;
pub mod local;
mod plane_waves;
pub mod shapes;

use fastlsq_ops::Expr;

use crate::options::Options;
use crate::problem::LinearProblem;
use crate::solution::Solution;
use crate::{Sequence, SolveError};

pub use elastic::elastic_wave_2d;
pub use exact::{Applied, Errors, Exact, test_points};
pub use linear::{
    heat_5d, helmholtz_2d, maxwell_2d_tm, poisson_2d, poisson_5d, wave_1d, wave_2d_ms,
};
pub use plane_waves::{HelmholtzWaves, PlaneWave, WaveSizes};

/// A problem with a known solution.
#[derive(Debug, Clone)]
pub struct Benchmark {
    /// The name used on the command line and in results.
    pub name: &'static str,
    /// The equation in one line.
    pub equation: &'static str,
    /// The problem as the solver sees it.
    pub problem: LinearProblem,
    /// Interior rows in the paper's protocol.
    pub interior_rows: usize,
    /// Rows of each condition in the paper's protocol.
    pub condition_rows: Vec<usize>,
    /// The weight λ in the paper's protocol.
    pub weight: f64,
    exact: Result<Exact, SolveError>,
}

impl Benchmark {
    /// A benchmark from its parts; `exact` has one expression of the coordinates for each unknown.
    #[must_use]
    pub fn new(
        name: &'static str,
        equation: &'static str,
        problem: LinearProblem,
        exact: &[Expr],
    ) -> Self {
        Self {
            name,
            equation,
            interior_rows: 10_000,
            condition_rows: Vec::new(),
            weight: 100.0,
            exact: Exact::new(&problem.domain().coordinates(), exact),
            problem,
        }
    }

    /// The paper's numbers of interior rows, rows of each condition, and weight.
    #[must_use]
    pub fn protocol_rows(mut self, interior: usize, conditions: &[usize], weight: f64) -> Self {
        self.interior_rows = interior;
        self.condition_rows = conditions.to_vec();
        self.weight = weight;
        self
    }

    /// The exact solution, one value for each unknown; nothing at points of another dimension.
    #[must_use]
    pub fn exact(&self, point: &[f64]) -> Vec<f64> {
        match &self.exact {
            Ok(exact) if point.len() == self.problem.domain().dim() => exact.at(point),
            _ => Vec::new(),
        }
    }

    /// The exact gradient: for each unknown, for each axis; nothing at points of another dimension.
    #[must_use]
    pub fn exact_gradient(&self, point: &[f64]) -> Vec<Vec<f64>> {
        match &self.exact {
            Ok(exact) if point.len() == self.problem.domain().dim() => exact.gradient_at(point),
            _ => Vec::new(),
        }
    }

    /// The problem with the paper's number of rows for each condition.
    #[must_use]
    pub fn protocol_problem(&self) -> LinearProblem {
        let mut problem = self.problem.clone();
        let conditions = problem.statement_mut().conditions_mut();
        for (index, condition) in conditions.iter_mut().enumerate() {
            condition.rows = Some(self.condition_rows.get(index).copied().unwrap_or(2_000));
        }
        problem
    }

    /// The paper's protocol: its rows and weight, independent points, 1500 features.
    #[must_use]
    pub fn protocol(&self) -> Options {
        Options::new()
            .features(1500)
            .rows(self.interior_rows, 2_000)
            .weight(self.weight)
            .points(Sequence::Independent)
            .draw(fastlsq_basis::Draw::Independent)
            .symmetry(crate::Symmetry::Ignore)
    }

    /// Errors at `count` independent points of the domain.
    ///
    /// # Errors
    /// A solution of another problem.
    pub fn errors(&self, solution: &Solution, count: usize) -> Result<Errors, SolveError> {
        let known = self.problem.unknowns();
        if solution.unknowns() != known {
            let names = |list: &[crate::Unknown]| list.iter().map(ToString::to_string).collect();
            return Err(SolveError::UnknownNames {
                names: names(solution.unknowns()),
                known: names(&known),
            });
        }
        let exact = self.exact.as_ref().map_err(Clone::clone)?;
        exact.errors(solution, self.problem.domain(), count)
    }
}

/// The five linear problems of the paper, in its order.
#[must_use]
pub fn paper() -> Vec<Benchmark> {
    vec![
        poisson_5d(),
        heat_5d(),
        wave_1d(),
        helmholtz_2d(10.0),
        maxwell_2d_tm(),
    ]
}

/// All linear benchmark problems: the paper's, and those beyond it.
#[must_use]
pub fn all() -> Vec<Benchmark> {
    let mut all = paper();
    all.extend([wave_2d_ms(4.0), elastic_wave_2d(), poisson_2d()]);
    all
}
