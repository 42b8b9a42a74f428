//! The elastic wave in two dimensions, with a pressure and a shear mode.

use std::f64::consts::PI;

use super::Benchmark;
use super::linear::space_time;
use crate::domain::BoxDomain;
use crate::{EquationRow, MultiIndex, derivative, partial_order};

/// u_tt = c_p² u_xx + c_s² u_yy + (c_p² − c_s²) v_xy and its mirror, c_p = 2, c_s = 1, on \[0,1\]² × \[0,2\].
///
/// The exact field is the sum of a curl-free mode at frequency c_p√2π and a divergence-free mode at
/// c_s√2π, so both speeds matter (a single pressure mode would never test c_s).
#[must_use]
pub fn elastic_wave_2d() -> Benchmark {
    let (cp, cs): (f64, f64) = (2.0, 1.0);
    let (p, s) = (cp * PI * 2f64.sqrt(), cs * PI * 2f64.sqrt());
    // P: π(cos πx sin πy, sin πx cos πy) cos pt;  S: π(−cos πx sin πy, sin πx cos πy) cos st.
    let time = move |t: f64| {
        [
            PI * ((p * t).cos() - (s * t).cos()),
            PI * ((p * t).cos() + (s * t).cos()),
        ]
    };
    let slope = move |t: f64| {
        let (dp, ds) = (-p * (p * t).sin(), -s * (s * t).sin());
        [PI * (dp - ds), PI * (dp + ds)]
    };
    let shape = |x: &[f64]| {
        [
            (PI * x[0]).cos() * (PI * x[1]).sin(),
            (PI * x[0]).sin() * (PI * x[1]).cos(),
        ]
    };
    let field = move |k: usize| move |x: &[f64]| shape(x)[k] * time(x[2])[k];
    let velocity = move |k: usize| move |x: &[f64]| shape(x)[k] * slope(x[2])[k];

    let equation = |own: usize| -> EquationRow {
        let other = 1 - own;
        let stretch = cp * cp * partial_order(3, own, 2) + cs * cs * partial_order(3, other, 2);
        let mixed = (cp * cp - cs * cs) * derivative(MultiIndex::new([1, 1, 0]));
        (partial_order(3, 2, 2) - stretch).on(own, 2) - mixed.on(other, 2)
    };
    let mut problem = space_time(BoxDomain::unit(2), 0.0, 2.0)
        .unknowns(&["u", "v"])
        .equation(equation(0), |_: &[f64]| 0.0)
        .equation(equation(1), |_: &[f64]| 0.0);
    for (k, name) in ["u", "v"].into_iter().enumerate() {
        problem = problem
            .initial_value_for(name, field(k))
            .initial_velocity_for(name, velocity(k))
            .dirichlet_for(name, field(k));
    }
    Benchmark::new(
        "elastic-wave-2d",
        "elastic wave, c_p = 2, c_s = 1, on [0,1]² × [0,2]",
        problem,
        move |x| vec![field(0)(x), field(1)(x)],
        move |x| {
            let (sx, cx) = ((PI * x[0]).sin(), (PI * x[0]).cos());
            let (sy, cy) = ((PI * x[1]).sin(), (PI * x[1]).cos());
            let t = time(x[2]);
            vec![
                vec![-PI * sx * sy * t[0], PI * cx * cy * t[0], velocity(0)(x)],
                vec![PI * cx * cy * t[1], -PI * sx * sy * t[1], velocity(1)(x)],
            ]
        },
    )
    .protocol_rows(5_000, &[1_000; 6], 1_000.0)
}
