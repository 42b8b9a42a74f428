//! Evolution problems from their initial and boundary data.

use std::f64::consts::PI;
use std::sync::Arc;

use fastlsq_solve::{
    Domain, Interval, ProblemStatement, SolveError, SpaceTime, T, X, atan, cos, exp, laplacian,
    sech, sin, tanh, unknown,
};

use super::NonlinearBenchmark;
use crate::NonlinearProblem;

/// [a, b] × [0, T]; bad numbers surface when the problem is solved.
pub(super) fn strip(a: f64, b: f64, t: f64) -> NonlinearProblem {
    let domain = Interval::new(a, b).and_then(|space| SpaceTime::new(space, 0.0, t));
    let shared = domain.map(|domain| Arc::new(domain) as Arc<dyn Domain>);
    NonlinearProblem::of(ProblemStatement::on_result(
        shared.map_err(SolveError::from),
    ))
}

/// u_t + u u_x = ν u_xx on \[0,1\]², ν = 0.02: a layer of width 0.08 that travels at speed ½.
#[must_use]
pub fn burgers_shock() -> NonlinearBenchmark {
    let (u, nu) = (unknown("u"), 0.02);
    let exact = 0.5 * (1.0 - tanh((X - 0.5 * T) / (4.0 * nu)));
    let problem = strip(0.0, 1.0, 1.0)
        .equation(u.d(T) + u * u.d(X), nu * u.d(X).d(X))
        .initial_value(&exact)
        .dirichlet(&exact);
    let equation = "u_t + u u_x = 0.02 u_xx on [0,1]²";
    NonlinearBenchmark::new("burgers-shock", equation, problem, &[exact])
}

/// u_t + u u_x + u_xxx = 0 on \[−2,2\] × \[0,0.1\]: a soliton of speed 30 and height 90.
///
/// One condition on the left, two on the right, as this sign of u_xxx requires.
#[must_use]
pub fn kdv_soliton() -> NonlinearBenchmark {
    let (u, c, x0): (_, f64, f64) = (unknown("u"), 30.0, -1.0);
    let exact = 3.0 * c * sech(0.5 * c.sqrt() * (X - c * T - x0)).powi(2);
    let problem = strip(-2.0, 2.0, 0.1)
        .equation(u.d(T) + u * u.d(X) + u.d(X).d(X).d(X), 0.0)
        .initial_value(&exact)
        .condition(X.lo(), u, &exact)
        .condition(X.hi(), u, &exact)
        .condition(X.hi(), u.d(X), exact.d(X));
    let equation = "u_t + u u_x + u_xxx = 0 on [−2,2] × [0,0.1]";
    NonlinearBenchmark::new("kdv-soliton", equation, problem, &[exact])
}

/// u_t = u_xx + u(1 − u) on \[−10,10\] × \[0,1\]: Fisher's front.
#[must_use]
pub fn fisher_front() -> NonlinearBenchmark {
    let u = unknown("u");
    let (k, speed) = ((1.0f64 / 6.0).sqrt(), 5.0 / 6f64.sqrt());
    let exact = (1.0 + exp(k * (X - speed * T))).powi(-2);
    let problem = strip(-10.0, 10.0, 1.0)
        .equation(u.d(T), laplacian(u) + u * (1.0 - u))
        .initial_value(&exact)
        .dirichlet(&exact);
    let equation = "u_t = u_xx + u(1 − u) on [−10,10] × [0,1]";
    NonlinearBenchmark::new("fisher-front", equation, problem, &[exact])
}

/// u_tt − u_xx + sin u = 0 on \[−10,10\] × \[0,20\]: a breather of period 4π.
#[must_use]
pub fn sine_gordon_breather() -> NonlinearBenchmark {
    let (u, omega): (_, f64) = (unknown("u"), 0.5);
    let kappa = (1.0 - omega * omega).sqrt();
    let exact = 4.0 * atan(kappa / omega * sin(omega * T) * sech(kappa * X));
    let problem = strip(-10.0, 10.0, 20.0)
        .equation(u.d(T).d(T) - laplacian(u) + sin(u), 0.0)
        .initial_value(&exact)
        .initial_velocity(exact.d(T))
        .dirichlet(&exact);
    let equation = "u_tt − u_xx + sin u = 0 on [−10,10] × [0,20]";
    NonlinearBenchmark::new("sine-gordon-breather", equation, problem, &[exact])
}

/// u_tt − u_xx + u² = f on \[−1,1\] × \[0,1\]; u = sin πx cos 2πt.
#[must_use]
pub fn klein_gordon() -> NonlinearBenchmark {
    let u = unknown("u");
    let exact = sin(PI * X) * cos(2.0 * PI * T);
    let problem = strip(-1.0, 1.0, 1.0)
        .equation(
            u.d(T).d(T) - laplacian(u) + u * u,
            -3.0 * PI * PI * &exact + exact.powi(2),
        )
        .initial_value(&exact)
        .initial_velocity(0.0)
        .dirichlet(0.0);
    let equation = "u_tt − u_xx + u² = f on [−1,1] × [0,1]";
    NonlinearBenchmark::new("klein-gordon", equation, problem, &[exact])
}

/// u_t + c u_x − D u_xx = S on \[0,1\]²: the paper's "Gray–Scott" pulse exp(−(x − ct)²/s).
///
/// The pulse solves no Gray–Scott system; this is an advection–diffusion equation with the source
/// that it does satisfy.
#[must_use]
pub fn gray_scott_pulse() -> NonlinearBenchmark {
    let (u, c, s, d) = (unknown("u"), 0.5, 0.02, 0.01);
    let exact = exp(-(X - c * T).powi(2) / s);
    let problem = strip(0.0, 1.0, 1.0)
        .equation(
            u.d(T) + c * u.d(X) - d * laplacian(u),
            -d * laplacian(&exact),
        )
        .initial_value(&exact)
        .dirichlet(&exact);
    let equation = "u_t + ½u_x − 0.01u_xx = S on [0,1]²";
    NonlinearBenchmark::new("gray-scott-pulse", equation, problem, &[exact])
}
