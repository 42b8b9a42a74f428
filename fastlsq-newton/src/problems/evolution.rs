//! Evolution problems from their initial and boundary data.

use std::f64::consts::PI;

use fastlsq_solve::{BoxDomain, Condition, Interval, PartSelector, SpaceTime, identity, partial};

use super::NonlinearBenchmark;
use crate::NonlinearProblem;

/// [a, b] × [0, T].
pub(super) fn strip(a: f64, b: f64, t: f64) -> NonlinearProblem {
    match Interval::new(a, b).and_then(|space| SpaceTime::new(space, 0.0, t)) {
        Ok(domain) => NonlinearProblem::on(domain),
        // Cannot happen for the constants of this file; an empty box reports itself when solved.
        Err(_) => NonlinearProblem::on(BoxDomain::unit(0)),
    }
}

fn sech(z: f64) -> f64 {
    1.0 / z.cosh()
}

/// u_t + u u_x = ν u_xx on \[0,1\]², ν = 0.02: a layer of width 0.08 that travels at speed ½.
#[must_use]
pub fn burgers_shock() -> NonlinearBenchmark {
    let nu = 0.02;
    let phase = move |x: &[f64]| (x[0] - 0.5 * x[1]) / (4.0 * nu);
    let exact = move |x: &[f64]| 0.5 * (1.0 - phase(x).tanh());
    let problem = strip(0.0, 1.0, 1.0)
        .equation(move |u, _| u.partial(1) + u.value() * u.partial(0) - nu * u.partial_order(0, 2))
        .initial_value(exact)
        .dirichlet(exact);
    NonlinearBenchmark::new(
        "burgers-shock",
        "u_t + u u_x = 0.02 u_xx on [0,1]²",
        problem,
        move |x| vec![exact(x)],
        move |x| {
            let s = sech(phase(x)).powi(2);
            vec![vec![-s / (8.0 * nu), s / (16.0 * nu)]]
        },
    )
    .in_slabs(1e-7)
}

/// u_t + u u_x + u_xxx = 0 on \[−2,2\] × \[0,0.1\]: a soliton of speed 30 and height 90.
///
/// One condition on the left, two on the right, as this sign of u_xxx requires.
#[must_use]
pub fn kdv_soliton() -> NonlinearBenchmark {
    let (c, x0): (f64, f64) = (30.0, -1.0);
    let phase = move |x: &[f64]| 0.5 * c.sqrt() * (x[0] - c * x[1] - x0);
    let exact = move |x: &[f64]| 3.0 * c * sech(phase(x)).powi(2);
    let slope = move |x: &[f64]| -c.sqrt() * exact(x) * phase(x).tanh();
    let problem = strip(-2.0, 2.0, 0.1)
        .equation(|u, _| u.partial(1) + u.value() * u.partial(0) + u.partial_order(0, 3))
        .initial_value(exact)
        .dirichlet_on("x0=lo", exact)
        .dirichlet_on("x0=hi", exact)
        .with(
            Condition::on(PartSelector::Named("x0=hi".into()), partial(2, 0), slope)
                .named("x0=hi slope"),
        );
    NonlinearBenchmark::new(
        "kdv-soliton",
        "u_t + u u_x + u_xxx = 0 on [−2,2] × [0,0.1]",
        problem,
        move |x| vec![exact(x)],
        move |x| vec![vec![slope(x), -c * slope(x)]],
    )
    .in_slabs(1e-8)
}

/// u_t = u_xx + u(1 − u) on \[−10,10\] × \[0,1\]: Fisher's front.
#[must_use]
pub fn fisher_front() -> NonlinearBenchmark {
    let k = (1.0f64 / 6.0).sqrt();
    let speed = 5.0 / 6f64.sqrt();
    let wave = move |x: &[f64]| (k * (x[0] - speed * x[1])).exp();
    let exact = move |x: &[f64]| (1.0 + wave(x)).powi(-2);
    let problem = strip(-10.0, 10.0, 1.0)
        .equation(|u, _| u.partial(1) - u.partial_order(0, 2) - u.value() * (1.0 - u.value()))
        .initial_value(exact)
        .dirichlet(exact);
    NonlinearBenchmark::new(
        "fisher-front",
        "u_t = u_xx + u(1 − u) on [−10,10] × [0,1]",
        problem,
        move |x| vec![exact(x)],
        move |x| {
            let slope = -2.0 * k * wave(x) * (1.0 + wave(x)).powi(-3);
            vec![vec![slope, -speed * slope]]
        },
    )
}

/// u_tt − u_xx + sin u = 0 on \[−10,10\] × \[0,20\]: a breather of period 4π.
#[must_use]
pub fn sine_gordon_breather() -> NonlinearBenchmark {
    let omega: f64 = 0.5;
    let kappa = (1.0 - omega * omega).sqrt();
    let amplitude = move |x: &[f64]| kappa / omega * (omega * x[1]).sin() * sech(kappa * x[0]);
    let exact = move |x: &[f64]| 4.0 * amplitude(x).atan();
    let velocity = move |x: &[f64]| {
        4.0 * kappa * (omega * x[1]).cos() * sech(kappa * x[0]) / (1.0 + amplitude(x).powi(2))
    };
    let problem = strip(-10.0, 10.0, 20.0)
        .equation(|u, _| u.partial_order(1, 2) - u.partial_order(0, 2) + u.value().sin())
        .initial_value(exact)
        .initial_velocity(velocity)
        .dirichlet(exact);
    NonlinearBenchmark::new(
        "sine-gordon-breather",
        "u_tt − u_xx + sin u = 0 on [−10,10] × [0,20]",
        problem,
        move |x| vec![exact(x)],
        move |x| {
            let a = amplitude(x);
            vec![vec![
                -4.0 * kappa * a * (kappa * x[0]).tanh() / (1.0 + a * a),
                velocity(x),
            ]]
        },
    )
    .in_slabs(1e-9)
}

/// u_tt − u_xx + u² = f on \[−1,1\] × \[0,1\]; u = sin πx cos 2πt.
#[must_use]
pub fn klein_gordon() -> NonlinearBenchmark {
    let exact = |x: &[f64]| (PI * x[0]).sin() * (2.0 * PI * x[1]).cos();
    let problem = strip(-1.0, 1.0, 1.0)
        .equation(move |u, x| {
            let v = exact(x);
            u.partial_order(1, 2) - u.partial_order(0, 2) + u.value().powi(2)
                - (-3.0 * PI * PI * v + v * v)
        })
        .initial_value(exact)
        .initial_velocity(|_: &[f64]| 0.0)
        .dirichlet(|_: &[f64]| 0.0);
    NonlinearBenchmark::new(
        "klein-gordon",
        "u_tt − u_xx + u² = f on [−1,1] × [0,1]",
        problem,
        move |x| vec![exact(x)],
        |x| {
            let (a, b) = (PI * x[0], 2.0 * PI * x[1]);
            vec![vec![PI * a.cos() * b.cos(), -2.0 * PI * a.sin() * b.sin()]]
        },
    )
}

/// u_t + c u_x − D u_xx = S on \[0,1\]²: the paper's "Gray–Scott" pulse exp(−(x − ct)²/s).
///
/// The pulse solves no Gray–Scott system; this is an advection–diffusion equation with the source
/// that it does satisfy.
#[must_use]
pub fn gray_scott_pulse() -> NonlinearBenchmark {
    let (c, s, d) = (0.5, 0.02, 0.01);
    let exact = move |x: &[f64]| (-(x[0] - c * x[1]).powi(2) / s).exp();
    let problem = strip(0.0, 1.0, 1.0)
        .equation(move |u, x| {
            let y = x[0] - c * x[1];
            let source = -d * (4.0 * y * y / (s * s) - 2.0 / s) * exact(x);
            u.partial(1) + c * u.partial(0) - d * u.partial_order(0, 2) - source
        })
        .with(Condition::on(PartSelector::Initial, identity(2), exact))
        .dirichlet(exact);
    NonlinearBenchmark::new(
        "gray-scott-pulse",
        "u_t + ½u_x − 0.01u_xx = S on [0,1]²",
        problem,
        move |x| vec![exact(x)],
        move |x| {
            let slope = -2.0 * (x[0] - c * x[1]) / s * exact(x);
            vec![vec![slope, -c * slope]]
        },
    )
}
