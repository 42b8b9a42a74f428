//! The elastic wave in two dimensions, with a pressure and a shear mode.

use std::f64::consts::PI;

use fastlsq_ops::{T, X, Y, cos, div, grad, laplacian, sin, unknowns, vector};

use super::Benchmark;
use super::linear::space_time;
use crate::domain::{BoxDomain, INITIAL, WALLS};

/// u_tt = c_s²Δu + (c_p² − c_s²)∇(∇·u), c_p = 2, c_s = 1, on \[0,1\]² × \[0,2\].
///
/// The exact field is the sum of a curl-free mode at frequency c_p√2π and a divergence-free mode at
/// c_s√2π, so both speeds matter (a single pressure mode would never test c_s).
#[must_use]
pub fn elastic_wave_2d() -> Benchmark {
    let (cp, cs): (f64, f64) = (2.0, 1.0);
    let (p, s) = (cp * PI * 2f64.sqrt(), cs * PI * 2f64.sqrt());
    // P: π(cos πx sin πy, sin πx cos πy) cos pt;  S: π(−cos πx sin πy, sin πx cos πy) cos st.
    let along_x = PI * cos(PI * X) * sin(PI * Y) * (cos(p * T) - cos(s * T));
    let along_y = PI * sin(PI * X) * cos(PI * Y) * (cos(p * T) + cos(s * T));
    let exact = vector([&along_x, &along_y]);

    let field = vector(unknowns(["u", "v"]));
    let stretch = (cp * cp - cs * cs) * grad(div(&field));
    let problem = space_time(BoxDomain::unit(2), 0.0, 2.0)
        .equation(field.d(T).d(T), cs * cs * laplacian(&field) + stretch)
        .condition(INITIAL, &field, &exact)
        .condition(INITIAL, field.d(T), exact.d(T))
        .condition(WALLS, &field, &exact);
    Benchmark::new(
        "elastic-wave-2d",
        "elastic wave, c_p = 2, c_s = 1, on [0,1]² × [0,2]",
        problem,
        &[along_x, along_y],
    )
    .protocol_rows(5_000, &[1_000; 6], 1_000.0)
}
