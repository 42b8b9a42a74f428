//! Nonlinear benchmark problems with exact solutions: the paper's five, its seven regression
//! targets as true boundary- and initial-value problems, and more.

mod cole_hopf;
mod evolution;
mod fields;
mod flow;
pub mod local;
mod measure;
mod moving;
mod reaction;
mod spectral;
mod steady;

use fastlsq_solve::problems::{Errors, Exact};
use fastlsq_solve::{Expr, Options, Sequence, Solution, SolveError, Symmetry};

use crate::{Continuation, NewtonError, NewtonOptions, NonlinearProblem, StepForm};

pub use cole_hopf::burgers_thin_layer;
pub use evolution::{
    burgers_shock, fisher_front, gray_scott_pulse, kdv_soliton, klein_gordon, sine_gordon_breather,
};
pub use fields::{ReferencedPlane, gray_scott, heat_box_3d, wave_disc};
pub use flow::kovasznay;
pub use moving::{
    Referenced, advection_long, allen_cahn_layers, heat_rod_long, kuramoto_sivashinsky,
    schroedinger_soliton,
};
pub use reaction::{PlaneReaction, PlaneReference};
pub use spectral::{Semilinear, SpectralReference};
pub use steady::{
    allen_cahn_1d, bratu_2d, nl_helmholtz_2d, nl_poisson_2d, nonlinear_8d, steady_burgers_1d,
    steady_burgers_1d_exact_source,
};

/// The paper's settings for a Newton solve.
#[derive(Debug, Clone, PartialEq)]
pub struct Protocol {
    /// Bandwidth.
    pub sigma: f64,
    /// Interior rows, and rows of each condition.
    pub rows: (usize, usize),
    /// The weight λ.
    pub weight: f64,
    /// The maximum number of iterations.
    pub iterations: usize,
    /// Values of the parameter before the last.
    pub continuation: Vec<f64>,
}

/// A nonlinear problem with a known solution.
#[derive(Debug, Clone)]
pub struct NonlinearBenchmark {
    /// The name used on the command line and in results.
    pub name: &'static str,
    /// The equation in one line.
    pub equation: &'static str,
    /// The problem as the solver sees it.
    pub problem: NonlinearProblem,
    /// The paper's settings, where it solved this problem by Newton's method.
    pub protocol: Option<Protocol>,
    exact: Result<Exact, SolveError>,
}

impl NonlinearBenchmark {
    /// A benchmark from its parts; `exact` has one expression of the coordinates for each unknown.
    #[must_use]
    pub fn new(
        name: &'static str,
        equation: &'static str,
        problem: NonlinearProblem,
        exact: &[Expr],
    ) -> Self {
        Self {
            name,
            equation,
            protocol: None,
            exact: Exact::new(&problem.domain().coordinates(), exact),
            problem,
        }
    }

    /// The paper's settings.
    #[must_use]
    pub fn with_protocol(mut self, protocol: Protocol) -> Self {
        self.protocol = Some(protocol);
        self
    }

    /// The exact solution, one value for each unknown.
    #[must_use]
    pub fn exact(&self, point: &[f64]) -> Vec<f64> {
        self.exact
            .as_ref()
            .map_or_else(|_| Vec::new(), |exact| exact.at(point))
    }

    /// The exact gradient: for each unknown, for each axis.
    #[must_use]
    pub fn exact_gradient(&self, point: &[f64]) -> Vec<Vec<f64>> {
        let gradient = |exact: &Exact| exact.gradient_at(point);
        self.exact.as_ref().map_or_else(|_| Vec::new(), gradient)
    }

    /// Errors at `count` independent points of the domain, over as many unknowns as the solution has.
    ///
    /// # Errors
    /// A solution of another problem.
    pub fn errors(&self, solution: &Solution, count: usize) -> Result<Errors, NewtonError> {
        let exact = self.exact.as_ref().map_err(Clone::clone)?;
        Ok(exact.errors(solution, self.problem.domain(), count)?)
    }

    /// The paper's method: increments with a ridge, its features, rows and weight.
    #[must_use]
    pub fn paper_options(&self) -> Option<NewtonOptions> {
        let protocol = self.protocol.as_ref()?;
        let solve = Options::new()
            .features(1500)
            .bandwidth(protocol.sigma)
            .rows(protocol.rows.0, protocol.rows.1)
            .weight(protocol.weight)
            .points(Sequence::Independent)
            .draw(fastlsq_basis::Draw::Independent)
            .symmetry(Symmetry::Ignore);
        let options = NewtonOptions::new()
            .solve_options(solve)
            .form(StepForm::Increment)
            .start(crate::Start::LinearPart)
            .ridge(1e-10)
            .max_iterations(protocol.iterations);
        Some(if protocol.continuation.is_empty() {
            options
        } else {
            options.continuation(Continuation::Through(protocol.continuation.clone()))
        })
    }
}

/// The five problems the paper solves by Newton's method, in its order.
#[must_use]
pub fn paper() -> Vec<NonlinearBenchmark> {
    vec![
        nl_poisson_2d(),
        bratu_2d(),
        steady_burgers_1d(),
        nl_helmholtz_2d(),
        allen_cahn_1d(),
    ]
}

/// Problems beyond the paper: Burgers' equation with a thin layer.
#[must_use]
pub fn beyond() -> Vec<NonlinearBenchmark> {
    vec![burgers_thin_layer()]
}

/// Evolutions with a known solution, the hardest of the solved ones first.
#[must_use]
pub fn evolving() -> Vec<NonlinearBenchmark> {
    vec![
        kdv_soliton(),
        sine_gordon_breather(),
        burgers_shock(),
        fisher_front(),
        klein_gordon(),
        gray_scott_pulse(),
        burgers_thin_layer(),
        schroedinger_soliton(),
        advection_long(),
        heat_rod_long(),
        wave_disc(),
        heat_box_3d(),
    ]
}

/// Evolutions whose reference is a spectral solution.
#[must_use]
pub fn referenced() -> Vec<Referenced> {
    vec![allen_cahn_layers(), kuramoto_sivashinsky()]
}

/// The seven problems the paper only fits, stated as problems to be solved.
#[must_use]
pub fn solved() -> Vec<NonlinearBenchmark> {
    vec![
        burgers_shock(),
        kdv_soliton(),
        fisher_front(),
        sine_gordon_breather(),
        klein_gordon(),
        gray_scott_pulse(),
        kovasznay(),
    ]
}
