//! Random well-posed problems: an operator, an exact solution, and the data that belong to both.

use super::RandomProblem;
use super::functions::{Dice, periodic, smooth};
use crate::SolveError;
use crate::domain::{Ball, BoxDomain, Domain, DomainExt, Interval};
use crate::problem::LinearProblem;
use crate::{
    Expr, T, Unknown, X, Y, biharmonic, div, exp, grad, laplacian, normal_derivative, sin, unknown,
};

/// How much detail a solution has.
const DETAIL: [f64; 5] = [0.0, 0.1, 0.3, 0.6, 1.0];

/// The kinds of problems.
const KINDS: usize = 18;

type Statement = (String, LinearProblem, Expr);

pub(super) fn draw(seed: u64) -> Result<RandomProblem, SolveError> {
    let mut dice = Dice::new(seed);
    let detail = DETAIL[dice.below(DETAIL.len())];
    let (name, problem, exact) = statement(&mut dice, detail)?;
    Ok(RandomProblem {
        name: format!("{name}, detail {detail}"),
        problem,
        exact,
    })
}

/// A box with sides between 0.5 and 1.5, or the unit one.
fn random_box(dice: &mut Dice, dim: usize) -> Result<BoxDomain, SolveError> {
    if dice.unit() < 0.7 {
        return Ok(BoxDomain::unit(dim));
    }
    let lo: Vec<f64> = (0..dim).map(|_| dice.between(-1.0, 0.5)).collect();
    let hi: Vec<f64> = lo.iter().map(|lo| lo + dice.between(0.5, 1.5)).collect();
    Ok(BoxDomain::new(&lo, &hi)?)
}

/// L applied to the unknown, and to the exact solution: the equation with its source.
fn stated(
    domain: impl Domain + 'static,
    operator: impl Fn(Expr) -> Expr,
    exact: &Expr,
) -> LinearProblem {
    let u = unknown("u");
    LinearProblem::on(domain).equation(operator(u.into()), operator(exact.clone()))
}

fn statement(dice: &mut Dice, detail: f64) -> Result<Statement, SolveError> {
    let u: Unknown = unknown("u");
    let kind = dice.below(KINDS);
    Ok(match kind {
        0 => {
            let k = dice.between(0.0, 8.0);
            let exact = smooth(dice, 1, false, detail);
            let domain = random_box(dice, 1)?;
            let problem = stated(domain, |w| laplacian(&w) + k * w, &exact);
            (
                format!("u″ + {k:.1} u in 1-D"),
                problem.dirichlet(exact.clone()),
                exact,
            )
        }
        1 | 2 => {
            let dim = 2 + dice.below(3);
            let detail = if dim > 2 { 0.3 * detail } else { detail };
            let exact = smooth(dice, dim, false, detail);
            let domain = random_box(dice, dim)?;
            let problem = stated(domain, |w| -laplacian(w), &exact);
            (
                format!("Poisson in {dim}-D"),
                problem.dirichlet(exact.clone()),
                exact,
            )
        }
        3 => {
            let exact = smooth(dice, 2, false, detail);
            let domain = Ball::new(&[0.3, 0.4], 0.8)?;
            let problem = stated(domain, |w| -laplacian(w), &exact);
            (
                "Poisson in a disc".to_owned(),
                problem.dirichlet(exact.clone()),
                exact,
            )
        }
        4 => {
            let square = dice.between(30.0, 300.0);
            let exact = smooth(dice, 2, false, detail);
            let problem = stated(BoxDomain::unit(2), |w| laplacian(&w) + square * w, &exact);
            (
                format!("Helmholtz with k² = {square:.1}"),
                problem.dirichlet(exact.clone()),
                exact,
            )
        }
        5 => {
            let epsilon = dice.scale(1e-2, 1.0);
            let dim = 2 + dice.below(2);
            let exact = smooth(
                dice,
                dim,
                false,
                if dim > 2 { 0.3 * detail } else { detail },
            );
            let problem = stated(
                random_box(dice, dim)?,
                |w| -epsilon * laplacian(&w) + w.d(X),
                &exact,
            );
            (
                format!("advection and diffusion {epsilon:.2} in {dim}-D"),
                problem.dirichlet(exact.clone()),
                exact,
            )
        }
        6 => {
            let (a, b) = (dice.between(0.5, 2.0), dice.between(0.5, 2.0));
            let exact = smooth(dice, 2, false, detail);
            let right = a * &exact + b * normal_derivative(&exact);
            let problem = stated(random_box(dice, 2)?, |w| -laplacian(w), &exact);
            (
                "Poisson with Robin conditions".to_owned(),
                problem.robin(a, b, right),
                exact,
            )
        }
        7 => {
            let exact = smooth(dice, 2, false, detail);
            let problem = stated(random_box(dice, 2)?, |w| -laplacian(w), &exact)
                .condition(X.lo(), u, exact.clone())
                .condition(Y.lo(), u, exact.clone())
                .condition(X.hi(), u.d(X), exact.d(X))
                .condition(Y.hi(), u.d(Y), exact.d(Y));
            (
                "Poisson, two sides fixed, two free".to_owned(),
                problem,
                exact,
            )
        }
        8 => {
            let exact = smooth(dice, 2, false, detail);
            let shift = dice.between(0.5, 5.0);
            let problem = stated(random_box(dice, 2)?, |w| -laplacian(&w) + shift * w, &exact);
            let flux = normal_derivative(&exact);
            (
                format!("−Δu + {shift:.1} u with Neumann conditions"),
                problem.neumann(flux),
                exact,
            )
        }
        9 => {
            let exact = smooth(dice, 2, false, detail);
            let coefficient = 1.0 + X * X + 0.5 * sin(3.0 * Y);
            let problem = stated(
                random_box(dice, 2)?,
                |w| -div(&coefficient * grad(&w)) + 2.0 * w,
                &exact,
            );
            (
                "variable diffusion".to_owned(),
                problem.dirichlet(exact.clone()),
                exact,
            )
        }
        10 => {
            let exact = smooth(dice, 2, false, 0.5 * detail);
            let flux = normal_derivative(&exact);
            let problem = stated(random_box(dice, 2)?, biharmonic, &exact)
                .dirichlet(exact.clone())
                .neumann(flux);
            ("clamped plate".to_owned(), problem, exact)
        }
        11 => {
            let epsilon = dice.scale(2e-3, 0.1);
            // A boundary layer of width ε, and something smooth.
            let exact = exp((X - 1.0) / epsilon) + smooth(dice, 1, false, 0.5 * detail);
            let problem = stated(
                Interval::unit(),
                |w| -epsilon * w.d(X).d(X) + w.d(X),
                &exact,
            );
            (
                format!("boundary layer of width {epsilon:.3}"),
                problem.dirichlet(exact.clone()),
                exact,
            )
        }
        12 => {
            let epsilon = dice.scale(0.03, 1.0);
            let exact = smooth(dice, 1, false, detail);
            let problem = stated(
                random_box(dice, 1)?,
                |w| -epsilon * w.d(X).d(X) + X * w.d(X) + w,
                &exact,
            );
            (
                format!("−{epsilon:.2} u″ + x u′ + u"),
                problem.dirichlet(exact.clone()),
                exact,
            )
        }
        _ => evolution(dice, detail, kind)?,
    })
}

/// Problems in space and time.
fn evolution(dice: &mut Dice, detail: f64, kind: usize) -> Result<Statement, SolveError> {
    let end = dice.between(0.3, 1.5);
    let line = Interval::unit().over(0.0, end)?;
    let u = unknown("u");
    Ok(match kind {
        13 => {
            let diffusion = dice.scale(1e-2, 1.0);
            let exact = smooth(dice, 2, true, detail);
            let problem = stated(line, |w| w.d(T) - diffusion * laplacian(w), &exact)
                .initial_value(exact.clone())
                .dirichlet(exact.clone());
            let name = format!("heat with diffusion {diffusion:.2}");
            (name, problem, exact)
        }
        14 => {
            let exact = smooth(dice, 2, true, detail);
            let problem = stated(line, |w| w.d(T).d(T) - laplacian(w), &exact)
                .initial_value(exact.clone())
                .initial_velocity(exact.d(T))
                .dirichlet(exact.clone());
            ("wave".to_owned(), problem, exact)
        }
        15 => {
            let speed = dice.between(0.5, 2.0);
            let exact = periodic(dice, &T.into(), detail);
            let problem = stated(line, |w| w.d(T) + speed * w.d(X), &exact)
                .initial_value(exact.clone())
                .periodic(X);
            let name = format!("periodic advection with speed {speed:.1}");
            (name, problem, exact)
        }
        16 => {
            let exact = smooth(dice, 2, true, detail);
            let problem = stated(line, |w| w.d(T) + (1.0 + 0.5 * X) * w.d(X), &exact)
                .initial_value(exact.clone())
                .condition(X.lo(), u, exact.clone());
            ("advection with inflow".to_owned(), problem, exact)
        }
        _ => {
            let diffusion = dice.between(0.1, 1.0);
            let exact = smooth(dice, 3, true, 0.3 * detail);
            let square = BoxDomain::unit(2).over(0.0, end)?;
            let problem = stated(square, |w| w.d(T) - diffusion * laplacian(w), &exact)
                .initial_value(exact.clone())
                .dirichlet(exact.clone());
            let name = format!("heat in a square, diffusion {diffusion:.2}");
            (name, problem, exact)
        }
    })
}
