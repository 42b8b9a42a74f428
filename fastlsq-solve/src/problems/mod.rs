//! The linear benchmark problems of the paper, and two of its relatives, each with exact solution.
//!
//! A [`Benchmark`] is used by tests, examples and the reproduction alike. The exact solution is
//! there to measure the error, never to find the solution.

mod elastic;
mod linear;
mod plane_waves;

use std::sync::Arc;

use fastlsq_basis::sampling::UnitSampler;
use fastlsq_ops::EquationRow;
use ndarray::Array2;

use crate::options::Options;
use crate::problem::LinearProblem;
use crate::solution::Solution;
use crate::{Domain, Sequence, SolveError, identity, partial};

pub use elastic::elastic_wave_2d;
pub use linear::{
    heat_5d, helmholtz_2d, maxwell_2d_tm, poisson_2d, poisson_5d, wave_1d, wave_2d_ms,
};
pub use plane_waves::{HelmholtzWaves, PlaneWave, WaveSizes};

type Exact = dyn Fn(&[f64]) -> Vec<f64> + Send + Sync;
type ExactGradient = dyn Fn(&[f64]) -> Vec<Vec<f64>> + Send + Sync;

/// Applies an equation row to a function at many points.
pub type Applied<'a> = dyn Fn(&EquationRow, &Array2<f64>) -> Result<Vec<f64>, SolveError> + 'a;

/// A problem with a known solution.
#[derive(Clone)]
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
    exact: Arc<Exact>,
    gradient: Arc<ExactGradient>,
}

/// Relative L² errors at independent points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Errors {
    /// ‖u − u*‖/‖u*‖ over all unknowns.
    pub value: f64,
    /// ‖∇u − ∇u*‖/‖∇u*‖ over all unknowns and axes.
    pub gradient: f64,
}

impl std::fmt::Debug for Benchmark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Benchmark")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Benchmark {
    /// A benchmark from its parts.
    pub fn new(
        name: &'static str,
        equation: &'static str,
        problem: LinearProblem,
        exact: impl Fn(&[f64]) -> Vec<f64> + Send + Sync + 'static,
        gradient: impl Fn(&[f64]) -> Vec<Vec<f64>> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name,
            equation,
            problem,
            interior_rows: 10_000,
            condition_rows: Vec::new(),
            weight: 100.0,
            exact: Arc::new(exact),
            gradient: Arc::new(gradient),
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
        if self.is_point(point) {
            (self.exact)(point)
        } else {
            Vec::new()
        }
    }

    /// The exact gradient: for each unknown, for each axis; nothing at points of another dimension.
    #[must_use]
    pub fn exact_gradient(&self, point: &[f64]) -> Vec<Vec<f64>> {
        if self.is_point(point) {
            (self.gradient)(point)
        } else {
            Vec::new()
        }
    }

    fn is_point(&self, point: &[f64]) -> bool {
        self.problem.mistake.is_none() && point.len() == self.problem.domain.dim()
    }

    /// The problem with the paper's number of rows for each condition.
    #[must_use]
    pub fn protocol_problem(&self) -> LinearProblem {
        let mut problem = self.problem.clone();
        for (index, condition) in problem.conditions.iter_mut().enumerate() {
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
            .symmetry(crate::Symmetry::Ignore)
    }

    /// Errors at `count` independent points of the domain.
    ///
    /// # Errors
    /// A solution of another problem.
    pub fn errors(&self, solution: &Solution, count: usize) -> Result<Errors, SolveError> {
        if let Some(mistake) = &self.problem.mistake {
            return Err(mistake.clone());
        }
        if solution.names() != self.problem.unknown_names() {
            return Err(SolveError::UnknownNames {
                names: solution.names().to_vec(),
            });
        }
        relative_errors(
            solution,
            self.problem.domain(),
            &*self.exact,
            &*self.gradient,
            count,
        )
    }
}

/// Relative L² errors of a solution at `count` independent points of a domain.
///
/// `exact` gives one value for each unknown, `gradient` for each unknown one slope for each axis.
///
/// # Errors
/// A domain that cannot be sampled, or a solution on another space.
pub fn relative_errors(
    solution: &Solution,
    domain: &dyn Domain,
    exact: &dyn Fn(&[f64]) -> Vec<f64>,
    gradient: &dyn Fn(&[f64]) -> Vec<Vec<f64>>,
    count: usize,
) -> Result<Errors, SolveError> {
    let apply = |row: &EquationRow, points: &Array2<f64>| solution.apply_row(row, points);
    let unknowns = solution.names().len();
    relative_errors_of(&apply, unknowns, domain, exact, gradient, count)
}

/// As [`relative_errors`], for anything that equation rows can be applied to.
///
/// # Errors
/// As [`relative_errors`].
pub fn relative_errors_of(
    apply: &Applied<'_>,
    unknowns: usize,
    domain: &dyn Domain,
    exact: &dyn Fn(&[f64]) -> Vec<f64>,
    gradient: &dyn Fn(&[f64]) -> Vec<Vec<f64>>,
    count: usize,
) -> Result<Errors, SolveError> {
    let points = test_points(domain, count)?;
    let dim = domain.dim();
    let at: Vec<Vec<f64>> = points.rows().into_iter().map(|row| row.to_vec()).collect();
    let mut errors = (Relative::default(), Relative::default());
    let exact_values: Vec<_> = at.iter().map(|x| exact(x)).collect();
    let exact_slopes: Vec<_> = at.iter().map(|x| gradient(x)).collect();
    for unknown in 0..unknowns {
        let values = apply(&identity(dim).on(unknown, unknowns), &points)?;
        for (found, exact) in values.into_iter().zip(&exact_values) {
            errors
                .0
                .add(found, exact.get(unknown).copied().unwrap_or(f64::NAN));
        }
        for axis in 0..dim {
            let slopes = apply(&partial(dim, axis).on(unknown, unknowns), &points)?;
            for (found, exact) in slopes.into_iter().zip(&exact_slopes) {
                let exact = exact.get(unknown).and_then(|g| g.get(axis)).copied();
                errors.1.add(found, exact.unwrap_or(f64::NAN));
            }
        }
    }
    Ok(Errors {
        value: errors.0.get(),
        gradient: errors.1.get(),
    })
}

/// The points at which errors are measured: the same for everything that is compared.
///
/// # Errors
/// No points.
pub fn test_points(domain: &dyn Domain, count: usize) -> Result<Array2<f64>, SolveError> {
    Ok(domain.sample_interior(count, &mut UnitSampler::independent(TEST_SEED))?)
}

/// The seed of [`test_points`], the paper's.
const TEST_SEED: u64 = 999;

/// Accumulates ‖a − b‖/‖b‖.
#[derive(Debug, Default)]
struct Relative {
    difference: f64,
    norm: f64,
}

impl Relative {
    fn add(&mut self, found: f64, exact: f64) {
        self.difference += (found - exact).powi(2);
        self.norm += exact.powi(2);
    }

    fn get(&self) -> f64 {
        (self.difference / self.norm.max(f64::MIN_POSITIVE)).sqrt()
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
