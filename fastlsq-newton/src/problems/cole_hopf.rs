//! Burgers' equation with a thin layer, and its solution by the Cole–Hopf integral.

use std::f64::consts::PI;

use fastlsq_solve::{T, X, given, sin, unknown};

use super::NonlinearBenchmark;
use super::evolution::strip;

/// ν of the benchmark.
const NU: f64 = 0.01 / PI;
/// The trapezoidal rule in z = η/(2√(νt)): the integrand decays like e^{−z²} beyond |z| = 10.
const REACH: f64 = 17.0;
const NODES: i32 = 2000;

/// φ⁽ᵏ⁾/φ for k = 1, 2, 3, where u = −2ν φ_x/φ.
///
/// φ(x, t) = ∫ f(x − η) e^{−η²/4νt} dη with f(y) = exp(−cos(πy)/(2πν)), for u(x, 0) = −sin πx. The
/// trapezoidal rule converges exponentially; exponents are shifted by their maximum.
fn ratios(x: f64, t: f64) -> [f64; 3] {
    let width = 2.0 * (NU * t).sqrt();
    let step = 2.0 * REACH / f64::from(NODES);
    let node = |i: i32| {
        let z = -REACH + step * f64::from(i);
        let y = x - width * z;
        (y, -(PI * y).cos() / (2.0 * PI * NU) - z * z)
    };
    let top = (0..=NODES)
        .map(|i| node(i).1)
        .fold(f64::NEG_INFINITY, f64::max);
    let (mut sum, mut moments) = (0.0, [0.0; 3]);
    for i in 0..=NODES {
        let (y, exponent) = node(i);
        let weight = (exponent - top).exp();
        // s = f′/f and its derivatives.
        let s = (PI * y).sin() / (2.0 * NU);
        let s1 = PI * (PI * y).cos() / (2.0 * NU);
        let s2 = -PI * PI * s;
        sum += weight;
        for (moment, value) in
            moments
                .iter_mut()
                .zip([s, s * s + s1, s * s * s + 3.0 * s * s1 + s2])
        {
            *moment += weight * value;
        }
    }
    moments.map(|moment| moment / sum)
}

/// u, u_x and u_t.
fn solution(x: f64, t: f64) -> [f64; 3] {
    if t <= 0.0 {
        let (u, slope) = (-(PI * x).sin(), -PI * (PI * x).cos());
        return [u, slope, -NU * PI * PI * u - u * slope];
    }
    let [a, b, c] = ratios(x, t);
    let u = -2.0 * NU * a;
    let slope = -2.0 * NU * (b - a * a);
    let curvature = -2.0 * NU * (c - 3.0 * a * b + 2.0 * a * a * a);
    [u, slope, NU * curvature - u * slope]
}

/// u_t + u u_x = ν u_xx on \[−1,1\] × \[0,1\], ν = 0.01/π, u(x, 0) = −sin πx, u(±1, t) = 0: a layer of
/// width 0.01 forms at x = 0.
///
/// The reference is the Cole–Hopf integral, which has nothing in common with the solver.
#[must_use]
pub fn burgers_thin_layer() -> NonlinearBenchmark {
    let u = unknown("u");
    let problem = strip(-1.0, 1.0, 1.0)
        .equation(u.d(T) + u * u.d(X), NU * u.d(X).d(X))
        .initial_value(-sin(PI * X))
        .dirichlet(0.0);
    let at = |k: usize| move |point: &[f64]| solution(point[0], point[1])[k];
    let exact =
        given("u*", at(0)).with_gradient([(X, given("u*_x", at(1))), (T, given("u*_t", at(2)))]);
    NonlinearBenchmark::new(
        "burgers-thin-layer",
        "u_t + u u_x = (0.01/π) u_xx on [−1,1] × [0,1]",
        problem,
        &[exact],
    )
}

#[cfg(test)]
mod tests {
    use super::{NU, solution};

    #[test]
    fn the_reference_has_the_known_slope_and_satisfies_the_equation() {
        // The steepest slope, −152.00516 at t = 1.6037/π, is a classical test value.
        let slope = solution(0.0, 1.6037 / std::f64::consts::PI)[1];
        assert!((slope + 152.005_16).abs() < 1e-4, "{slope}");
        for (x, t) in [(0.3, 0.2), (0.01, 0.5), (-0.7, 0.9)] {
            let h = 1e-4;
            let [u, u_x, u_t] = solution(x, t);
            let difference = (solution(x + h, t)[0] - solution(x - h, t)[0]) / (2.0 * h);
            assert!((difference - u_x).abs() < 2e-3 * u_x.abs().max(1.0));
            let rate = (solution(x, t + h)[0] - solution(x, t - h)[0]) / (2.0 * h);
            assert!(
                (rate - u_t).abs() < 1e-4 * u_t.abs().max(1.0),
                "{rate} {u_t}"
            );
            let curvature = (solution(x + h, t)[1] - solution(x - h, t)[1]) / (2.0 * h);
            let residual = u_t + u * u_x - NU * curvature;
            assert!(
                residual.abs() < 5e-3 * (u * u_x).abs().max(1.0),
                "{residual}"
            );
        }
        // Odd, and the initial value is reached.
        assert!(solution(0.0, 0.4)[0].abs() < 1e-12);
        assert!((solution(0.3, 1e-9)[0] + (0.3 * std::f64::consts::PI).sin()).abs() < 1e-6);
    }
}
