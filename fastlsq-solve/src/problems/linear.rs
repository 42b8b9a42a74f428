//! Scalar problems: Poisson, heat, waves, Helmholtz.

use std::f64::consts::PI;
use std::sync::Arc;

use fastlsq_ops::{Expr, T, X, Y, axis, cos, exp, laplacian, normal_derivative, sin, unknown};

use super::Benchmark;
use crate::domain::{Ball, BoxDomain, Domain, Interval, SpaceTime};
use crate::problem::{LinearProblem, ProblemStatement};

/// −Δu = 2π² sin πx sin πy on the unit square, u = 0 on its boundary.
#[must_use]
pub fn poisson_2d() -> Benchmark {
    let u = unknown("u");
    let exact = sin(PI * X) * sin(PI * Y);
    let problem = LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(u), 2.0 * PI * PI * &exact)
        .dirichlet(0.0);
    Benchmark::new("poisson-2d", "−Δu = f on [0,1]²", problem, &[exact])
}

/// −Δu = f on \[0,1\]⁵ with Dirichlet data; u = Σ sin(πxᵢ/2).
#[must_use]
pub fn poisson_5d() -> Benchmark {
    let u = unknown("u");
    let exact: Expr = (0..5).map(|k| sin(0.5 * PI * axis(k))).sum();
    let problem = LinearProblem::on(BoxDomain::unit(5))
        .equation(-laplacian(u), 0.25 * PI * PI * &exact)
        .dirichlet(&exact);
    Benchmark::new("poisson-5d", "−Δu = f on [0,1]⁵", problem, &[exact])
}

/// u_t − Δu/5 = f in the unit ball of R⁵ × \[0,1\], Neumann data; u = exp(|x|²/2 + t).
#[must_use]
pub fn heat_5d() -> Benchmark {
    let u = unknown("u");
    let squared: Expr = (0..5).map(|k| axis(k).powi(2)).sum();
    let exact = exp(0.5 * &squared + T);
    let problem = space_time(Ball::unit(5), 0.0, 1.0)
        .equation(u.d(T) - 0.2 * laplacian(u), -0.2 * squared * &exact)
        .initial_value(&exact)
        .neumann(normal_derivative(&exact));
    Benchmark::new("heat-5d", "u_t − Δu/5 = f on B⁵ × [0,1]", problem, &[exact])
}

/// u_tt = 4 u_xx on \[0,1\]²; u = sin πx cos 2πt + ½ sin 4πx cos 8πt.
#[must_use]
pub fn wave_1d() -> Benchmark {
    let u = unknown("u");
    let exact = sin(PI * X) * cos(2.0 * PI * T) + 0.5 * sin(4.0 * PI * X) * cos(8.0 * PI * T);
    let problem = space_time(Interval::unit(), 0.0, 1.0)
        .equation(u.d(T).d(T), 4.0 * laplacian(u))
        .initial_value(&exact)
        .initial_velocity(0.0)
        .dirichlet(0.0);
    let equation = "u_tt = 4 u_xx on [0,1] × [0,1]";
    Benchmark::new("wave-1d", equation, problem, &[exact]).protocol_rows(
        5_000,
        &[1_000, 1_000, 2_000],
        100.0,
    )
}

/// Δu + k²u = f on the unit square with Dirichlet data; u = sin kx sin ky.
#[must_use]
pub fn helmholtz_2d(k: f64) -> Benchmark {
    let u = unknown("u");
    let exact = sin(k * X) * sin(k * Y);
    let problem = LinearProblem::on(BoxDomain::unit(2))
        .equation(laplacian(u) + k * k * u, -k * k * &exact)
        .dirichlet(&exact);
    Benchmark::new("helmholtz-2d", "Δu + k²u = f on [0,1]²", problem, &[exact])
}

/// u_tt = u_xx + u_yy on \[0,1\]² × \[0,1\] with conducting walls; u = sin πx sin πy cos √2πt.
#[must_use]
pub fn maxwell_2d_tm() -> Benchmark {
    standing_wave("maxwell-2d-tm", "u_tt = Δu on [0,1]² × [0,1]", 1.0, 1.0).protocol_rows(
        5_000,
        &[1_000; 3],
        100.0,
    )
}

/// u_tt = u_xx + 2 u_yy on \[0,1\]² × \[0, t_max\]; u = sin πx sin πy cos √3πt.
#[must_use]
pub fn wave_2d_ms(t_max: f64) -> Benchmark {
    standing_wave(
        "wave-2d-ms",
        "u_tt = u_xx + 2 u_yy on [0,1]² × [0,T]",
        2.0,
        t_max,
    )
    .protocol_rows(5_000, &[1_000; 3], 1_000.0)
}

/// The standing wave of u_tt = u_xx + a u_yy with one half-wave along each side.
fn standing_wave(name: &'static str, equation: &'static str, a: f64, t_max: f64) -> Benchmark {
    let u = unknown("u");
    let omega = PI * (1.0 + a).sqrt();
    let exact = sin(PI * X) * sin(PI * Y) * cos(omega * T);
    let problem = space_time(BoxDomain::unit(2), 0.0, t_max)
        .equation(u.d(T).d(T), u.d(X).d(X) + a * u.d(Y).d(Y))
        .initial_value(&exact)
        .initial_velocity(0.0)
        .dirichlet(0.0);
    Benchmark::new(name, equation, problem, &[exact])
}

/// A problem over a time interval; a bad interval surfaces when the problem is solved.
pub(super) fn space_time(space: impl Domain + 'static, t0: f64, t1: f64) -> LinearProblem {
    let domain = SpaceTime::new(space, t0, t1);
    let shared = domain.map(|domain| Arc::new(domain) as Arc<dyn Domain>);
    LinearProblem::of(ProblemStatement::on_result(shared.map_err(Into::into)))
}
