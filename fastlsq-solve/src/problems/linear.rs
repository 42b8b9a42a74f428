//! Scalar problems: Poisson, heat, waves, Helmholtz.

use std::f64::consts::PI;

use super::Benchmark;
use crate::domain::{Ball, BoxDomain, Interval, PartSelector, SpaceTime};
use crate::problem::{Condition, LinearProblem};
use crate::{
    Operator, identity, laplacian, laplacian_over, normal_derivative, partial, partial_order,
};

/// −Δu = 2π² sin πx sin πy on the unit square, u = 0 on its boundary.
#[must_use]
pub fn poisson_2d() -> Benchmark {
    let u = |x: &[f64]| (PI * x[0]).sin() * (PI * x[1]).sin();
    let problem = LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(2), move |x: &[f64]| 2.0 * PI * PI * u(x))
        .dirichlet(|_: &[f64]| 0.0);
    Benchmark::new(
        "poisson-2d",
        "−Δu = f on [0,1]²",
        problem,
        move |x| vec![u(x)],
        |x| {
            let (s, c) = (
                [(PI * x[0]).sin(), (PI * x[1]).sin()],
                [(PI * x[0]).cos(), (PI * x[1]).cos()],
            );
            vec![vec![PI * c[0] * s[1], PI * s[0] * c[1]]]
        },
    )
}

/// −Δu = f on \[0,1\]⁵ with Dirichlet data; u = Σ sin(πxᵢ/2).
#[must_use]
pub fn poisson_5d() -> Benchmark {
    let u = |x: &[f64]| x.iter().map(|x| (0.5 * PI * x).sin()).sum::<f64>();
    let problem = LinearProblem::on(BoxDomain::unit(5))
        .equation(-laplacian(5), move |x: &[f64]| 0.25 * PI * PI * u(x))
        .with(Condition::on(PartSelector::AllWalls, identity(5), u));
    Benchmark::new(
        "poisson-5d",
        "−Δu = f on [0,1]⁵",
        problem,
        move |x| vec![u(x)],
        |x| vec![x.iter().map(|x| 0.5 * PI * (0.5 * PI * x).cos()).collect()],
    )
}

/// u_t − Δu/5 = f in the unit ball of R⁵ × \[0,1\], Neumann data; u = exp(|x|²/2 + t).
#[must_use]
pub fn heat_5d() -> Benchmark {
    let u = |x: &[f64]| (0.5 * squared(&x[..5]) + x[5]).exp();
    let operator = partial(6, 5) - 0.2 * laplacian_over(6, &[0, 1, 2, 3, 4]);
    let problem = space_time(Ball::unit(5), 0.0, 1.0)
        .equation(operator, move |x: &[f64]| -0.2 * squared(&x[..5]) * u(x))
        .with(Condition::on(PartSelector::Initial, identity(6), u))
        // On the unit sphere ∂u/∂n = |x|² u = u.
        .with(Condition::on(
            PartSelector::AllWalls,
            normal_derivative(6),
            u,
        ));
    Benchmark::new(
        "heat-5d",
        "u_t − Δu/5 = f on B⁵ × [0,1]",
        problem,
        move |x| vec![u(x)],
        move |x| {
            let value = u(x);
            let mut gradient: Vec<f64> = x[..5].iter().map(|x| x * value).collect();
            gradient.push(value);
            vec![gradient]
        },
    )
}

/// u_tt = 4 u_xx on \[0,1\]²; u = sin πx cos 2πt + ½ sin 4πx cos 8πt.
#[must_use]
pub fn wave_1d() -> Benchmark {
    let u = |x: &[f64]| {
        (PI * x[0]).sin() * (2.0 * PI * x[1]).cos()
            + 0.5 * (4.0 * PI * x[0]).sin() * (8.0 * PI * x[1]).cos()
    };
    let operator = partial_order(2, 1, 2) - 4.0 * partial_order(2, 0, 2);
    let problem = space_time(Interval::unit(), 0.0, 1.0)
        .equation(operator, |_: &[f64]| 0.0)
        .with(Condition::on(PartSelector::Initial, identity(2), u))
        .with(
            Condition::on(PartSelector::Initial, partial(2, 1), |_: &[f64]| 0.0)
                .named("initial velocity"),
        )
        .with(Condition::on(
            PartSelector::AllWalls,
            identity(2),
            |_: &[f64]| 0.0,
        ));
    Benchmark::new(
        "wave-1d",
        "u_tt = 4 u_xx on [0,1] × [0,1]",
        problem,
        move |x| vec![u(x)],
        |x| {
            let (a, b) = (PI * x[0], 4.0 * PI * x[0]);
            let (s, r) = (2.0 * PI * x[1], 8.0 * PI * x[1]);
            vec![vec![
                PI * a.cos() * s.cos() + 2.0 * PI * b.cos() * r.cos(),
                -2.0 * PI * a.sin() * s.sin() - 4.0 * PI * b.sin() * r.sin(),
            ]]
        },
    )
    .protocol_rows(5_000, &[1_000, 1_000, 2_000], 100.0)
}

/// Δu + k²u = f on the unit square with Dirichlet data; u = sin kx sin ky.
#[must_use]
pub fn helmholtz_2d(k: f64) -> Benchmark {
    let u = move |x: &[f64]| (k * x[0]).sin() * (k * x[1]).sin();
    let problem = LinearProblem::on(BoxDomain::unit(2))
        .equation(laplacian(2) + k * k * identity(2), move |x: &[f64]| {
            -k * k * u(x)
        })
        .with(Condition::on(PartSelector::AllWalls, identity(2), u));
    Benchmark::new(
        "helmholtz-2d",
        "Δu + k²u = f on [0,1]²",
        problem,
        move |x| vec![u(x)],
        move |x| {
            let (a, b) = (k * x[0], k * x[1]);
            vec![vec![k * a.cos() * b.sin(), k * a.sin() * b.cos()]]
        },
    )
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
    let omega = PI * (1.0 + a).sqrt();
    let space = |x: &[f64]| (PI * x[0]).sin() * (PI * x[1]).sin();
    let u = move |x: &[f64]| space(x) * (omega * x[2]).cos();
    let operator: Operator =
        partial_order(3, 2, 2) - partial_order(3, 0, 2) - a * partial_order(3, 1, 2);
    let problem = space_time(BoxDomain::unit(2), 0.0, t_max)
        .equation(operator, |_: &[f64]| 0.0)
        .with(Condition::on(PartSelector::Initial, identity(3), space))
        .with(
            Condition::on(PartSelector::Initial, partial(3, 2), |_: &[f64]| 0.0)
                .named("initial velocity"),
        )
        .with(Condition::on(
            PartSelector::AllWalls,
            identity(3),
            |_: &[f64]| 0.0,
        ));
    Benchmark::new(
        name,
        equation,
        problem,
        move |x| vec![u(x)],
        move |x| {
            let (s, c) = ((omega * x[2]).sin(), (omega * x[2]).cos());
            vec![vec![
                PI * (PI * x[0]).cos() * (PI * x[1]).sin() * c,
                PI * (PI * x[0]).sin() * (PI * x[1]).cos() * c,
                -omega * space(x) * s,
            ]]
        },
    )
}

/// A problem over a time interval; a bad interval surfaces when the problem is solved.
pub(super) fn space_time(space: impl crate::Domain + 'static, t0: f64, t1: f64) -> LinearProblem {
    match SpaceTime::new(space, t0, t1) {
        Ok(domain) => LinearProblem::on(domain),
        Err(error) => LinearProblem::mistaken(error.into()),
    }
}

fn squared(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}
