//! Problems that have no solution, many, or one that does not depend continuously on the data.

use std::f64::consts::PI;
use std::fmt;

use crate::SolveError;
use crate::domain::{Ball, BoxDomain, DomainExt, FINAL, Interval};
use crate::problem::{Condition, LinearProblem};
use crate::{
    T, X, Y, axis, biharmonic, cos, div, exp, grad, laplacian, normal_derivative, sin, unknown,
};

/// What is wrong with a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// Many solutions, if any.
    Undetermined,
    /// No solution: data that contradict each other.
    Contradictory,
    /// Tiny changes of the data change the solution much.
    Unstable,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Undetermined => "undetermined",
            Self::Contradictory => "contradictory",
            Self::Unstable => "unstable",
        })
    }
}

/// A problem that is not well posed.
#[derive(Debug, Clone)]
pub struct IllPosed {
    /// What it is.
    pub name: String,
    /// What is wrong with it.
    pub fault: Fault,
    /// The problem.
    pub problem: LinearProblem,
}

/// The list.
///
/// # Errors
/// A domain that is not valid.
pub fn ill_posed() -> Result<Vec<IllPosed>, SolveError> {
    let mut all = Vec::new();
    neumann(&mut all);
    resonances(&mut all)?;
    missing(&mut all)?;
    unstable(&mut all)?;
    contradictory(&mut all)?;
    degenerate(&mut all)?;
    Ok(all)
}

fn square() -> LinearProblem {
    LinearProblem::on(BoxDomain::unit(2))
}

fn segment() -> LinearProblem {
    LinearProblem::on(Interval::unit())
}

/// Space-time over the unit interval.
fn line(end: f64) -> Result<LinearProblem, SolveError> {
    Ok(LinearProblem::on(Interval::unit().over(0.0, end)?))
}

fn add(all: &mut Vec<IllPosed>, fault: Fault, name: &str, problem: LinearProblem) {
    all.push(IllPosed {
        name: name.to_owned(),
        fault,
        problem,
    });
}

/// Constants are free, and most sources have no solution.
fn neumann(all: &mut Vec<IllPosed>) {
    let u = unknown("u");
    let minus = -laplacian(u);
    let mut put = |name: &str, problem| add(all, Fault::Undetermined, name, problem);
    let flat = || square().equation(minus.clone(), 1.0);
    put("Neumann, f = 1", flat().neumann(0.0));
    let skew = 1.0 + X + 0.3 * Y * Y;
    put(
        "Neumann, f without symmetry",
        square().equation(minus.clone(), skew).neumann(0.0),
    );
    let source = 2.0 * PI * PI * cos(PI * X) * cos(PI * Y);
    put(
        "Neumann, compatible",
        square().equation(minus.clone(), source).neumann(0.0),
    );
    let compatible = square()
        .equation(minus.clone(), -6.0 * X - 2.0)
        .condition(X.lo(), normal_derivative(u), 0.0)
        .condition(X.hi(), normal_derivative(u), 3.0)
        .condition(Y.lo(), normal_derivative(u), 0.0)
        .condition(Y.hi(), normal_derivative(u), 2.0);
    put("Neumann, compatible without symmetry", compatible);
    put(
        "Neumann, all data zero",
        square().equation(minus.clone(), 0.0).neumann(0.0),
    );
    put(
        "Neumann in 1-D",
        segment().equation(minus.clone(), 1.0).neumann(0.0),
    );
    let cube = LinearProblem::on(BoxDomain::unit(3));
    put(
        "Neumann in 3-D",
        cube.equation(minus.clone(), 1.0).neumann(0.0),
    );
    let disc = LinearProblem::on(Ball::unit(2));
    put(
        "Neumann in a disc",
        disc.equation(minus.clone(), 1.0).neumann(0.0),
    );
    put("periodic, f = 1", flat().periodic(X).periodic(Y));
    let wave = sin(2.0 * PI * X);
    put(
        "periodic, compatible",
        square()
            .equation(minus.clone(), wave)
            .periodic(X)
            .periodic(Y),
    );
    let rod = segment().equation(minus, 0.0).periodic(X);
    put("periodic in 1-D, all data zero", rod);
}

/// Eigenfunctions are free.
fn resonances(all: &mut Vec<IllPosed>) -> Result<(), SolveError> {
    let u = unknown("u");
    let mut put = |name: &str, problem| add(all, Fault::Undetermined, name, problem);
    let helmholtz = |k: f64| laplacian(u) + k * PI * PI * u;
    let at = |k: f64, source: crate::Expr| square().equation(helmholtz(k), source);
    put(
        "Helmholtz at 2π², f = 1",
        at(2.0, 1.0.into()).dirichlet(0.0),
    );
    put(
        "Helmholtz at 2π², no symmetry",
        at(2.0, X * exp(Y)).dirichlet(X - Y * Y),
    );
    put(
        "Helmholtz at 5π², f = 1",
        at(5.0, 1.0.into()).dirichlet(0.0),
    );
    put(
        "Helmholtz at 5π², no symmetry",
        at(5.0, exp(X + 2.0 * Y)).dirichlet(0.0),
    );
    let compatible = -3.0 * PI * PI * sin(2.0 * PI * X) * sin(PI * Y);
    put(
        "Helmholtz at 2π², compatible",
        at(2.0, compatible).dirichlet(0.0),
    );
    put(
        "Helmholtz 1e-10 beside 2π²",
        at(2.0 * (1.0 + 1e-10), 1.0.into()).dirichlet(0.0),
    );
    put(
        "u″ + π² u = 1",
        segment().equation(helmholtz(1.0), 1.0).dirichlet(0.0),
    );
    let wave = line(1.0)?
        .equation(u.d(T).d(T) - laplacian(u), 0.0)
        .initial_value(sin(PI * X))
        .condition(FINAL, u, 0.3)
        .dirichlet(0.0);
    put("wave with a final value", wave);
    put("Helmholtz at π², Neumann", at(1.0, X * Y).neumann(0.0));
    Ok(())
}

/// Conditions are missing.
fn missing(all: &mut Vec<IllPosed>) -> Result<(), SolveError> {
    let u = unknown("u");
    let mut put = |name: &str, problem| add(all, Fault::Undetermined, name, problem);
    let heat = u.d(T) - laplacian(u);
    put(
        "heat without initial value",
        line(0.5)?.equation(heat.clone(), 0.0).dirichlet(0.0),
    );
    put(
        "heat without initial value, with data",
        line(0.5)?.equation(heat.clone(), X * T).dirichlet(T),
    );
    let begun = || {
        Ok::<_, SolveError>(
            line(0.5)?
                .equation(heat.clone(), 0.0)
                .initial_value(sin(PI * X)),
        )
    };
    put("heat without walls", begun()?);
    put("heat with one wall", begun()?.condition(X.lo(), u, 0.0));
    let wave = line(1.0)?.equation(u.d(T).d(T) - laplacian(u), 0.0);
    put(
        "wave without velocity",
        wave.initial_value(sin(PI * X)).dirichlet(0.0),
    );
    let poisson = || square().equation(-laplacian(u), 1.0);
    put("Poisson, one side", poisson().condition(X.lo(), u, 0.0));
    let three = poisson()
        .condition(X.lo(), u, 0.0)
        .condition(X.hi(), u, 0.0)
        .condition(Y.lo(), u, 0.0);
    put("Poisson, three sides", three);
    put("Poisson, no condition", poisson());
    put(
        "u″ = 1, one end",
        segment()
            .equation(laplacian(u), 1.0)
            .condition(X.lo(), u, 0.0),
    );
    put(
        "plate with values only",
        square().equation(biharmonic(u), 1.0).dirichlet(0.0),
    );
    let advection = line(1.0)?.equation(u.d(T) + u.d(X), 0.0);
    put(
        "advection without inflow",
        advection.initial_value(sin(PI * X)),
    );
    put(
        "a derivative along x alone",
        square().equation(u.d(X), Y).condition(Y.lo(), u, 0.0),
    );
    Ok(())
}

/// Changes grow without bound as they get finer.
fn unstable(all: &mut Vec<IllPosed>) -> Result<(), SolveError> {
    let u = unknown("u");
    let mut put = |name: &str, problem| add(all, Fault::Unstable, name, problem);
    let backward = || {
        Ok::<_, SolveError>(
            line(0.1)?
                .equation(u.d(T) + laplacian(u), 0.0)
                .dirichlet(0.0),
        )
    };
    put("heat backwards", backward()?.initial_value(sin(PI * X)));
    put(
        "heat backwards, rough",
        backward()?.initial_value(X * (1.0 - X)),
    );
    let heat = line(0.1)?
        .equation(u.d(T) - laplacian(u), 0.0)
        .dirichlet(0.0);
    put(
        "heat from its final value",
        heat.condition(FINAL, u, sin(PI * X)),
    );
    let cauchy = |noise: f64| {
        square()
            .equation(laplacian(u), 0.0)
            .condition(Y.lo(), u, sin(PI * X) + noise * sin(37.0 * X))
            .condition(Y.lo(), u.d(Y), 0.0)
    };
    let walled = |noise: f64| {
        cauchy(noise)
            .condition(X.lo(), u, 0.0)
            .condition(X.hi(), u, 0.0)
    };
    put("Laplace with Cauchy data", cauchy(0.0));
    put("Laplace with Cauchy data and walls", walled(0.0));
    put("Laplace with Cauchy data, noise 1e-6", walled(1e-6));
    Ok(())
}

/// Data that contradict each other.
fn contradictory(all: &mut Vec<IllPosed>) -> Result<(), SolveError> {
    let u = unknown("u");
    let mut put = |name: &str, problem| add(all, Fault::Contradictory, name, problem);
    let poisson = || square().equation(-laplacian(u), 1.0).dirichlet(0.0);
    put(
        "two values on one wall",
        poisson().condition(X.lo(), u, 1.0),
    );
    let exact = Condition::on(X.lo(), u, 1.0).exact();
    put("two values on one wall, one exact", poisson().with(exact));
    put("value and slope on every wall", poisson().neumann(0.0));
    put("two sources", poisson().equation(-laplacian(u), 2.0));
    let heat = line(0.5)?.equation(u.d(T) - laplacian(u), 0.0);
    put(
        "heat, walls unlike the initial value",
        heat.initial_value(1.0).dirichlet(0.0),
    );
    let gradient = square()
        .equation(u.d(X), Y)
        .equation(u.d(Y), -1.0 * X)
        .condition(X.lo(), u, 0.0);
    put("a field that is no gradient", gradient);
    put(
        "an equation without u",
        square().equation(0.0 * laplacian(u), 1.0).dirichlet(0.0),
    );
    Ok(())
}

/// Coefficients that change sign, and equations that change type.
fn degenerate(all: &mut Vec<IllPosed>) -> Result<(), SolveError> {
    let u = unknown("u");
    let mut put = |name: &str, problem| add(all, Fault::Unstable, name, problem);
    let sign = square()
        .equation(div((X - 0.5) * grad(u)), 1.0)
        .dirichlet(0.0);
    put("diffusion that changes sign", sign);
    let tricomi = BoxDomain::new(&[0.0, -0.5], &[1.0, 0.5])?;
    let tricomi = LinearProblem::on(tricomi)
        .equation(axis(1) * u.d(X).d(X) + u.d(Y).d(Y), 1.0)
        .dirichlet(0.0);
    put("Tricomi's equation with values all around", tricomi);
    // Steklov: ∂u/∂n = σu on a circle of radius 1 at its eigenvalue 1.
    let disc = LinearProblem::on(Ball::unit(2))
        .equation(-laplacian(u), 1.0)
        .robin(-1.0, 1.0, 0.0);
    add(
        all,
        Fault::Undetermined,
        "Robin at an eigenvalue of Steklov",
        disc,
    );
    Ok(())
}
