//! Burgers' equation from −sin πx by the Cole–Hopf transform.

use std::f64::consts::PI;

/// Nodes of the trapezoidal rule on [−REACH, REACH]; the integrand is analytic and decays like
/// e^{−z²}, so the rule converges faster than any power.
const NODES: i32 = 160;
const REACH: f64 = 9.0;

/// u = −∫ sin π(x−η) f(x−η) e^{−η²/4νt} dη / ∫ f(x−η) e^{−η²/4νt} dη, f(y) = exp(−cos πy/(2πν)).
pub(super) fn cole_hopf(x: f64, t: f64, nu: f64) -> f64 {
    let width = (4.0 * nu * t.max(0.0)).sqrt();
    let (mut above, mut below) = (0.0, 0.0);
    for i in -NODES..=NODES {
        let z = REACH * f64::from(i) / f64::from(NODES);
        let y = PI * (x - width * z);
        let weight = (-z * z - y.cos() / (2.0 * PI * nu)).exp();
        above += y.sin() * weight;
        below += weight;
    }
    -above / below
}

#[cfg(test)]
mod tests {
    use super::cole_hopf;

    #[test]
    fn starts_from_the_initial_state_and_satisfies_the_law() {
        let nu = 0.1;
        assert!((cole_hopf(0.3, 0.0, nu) + (0.3 * std::f64::consts::PI).sin()).abs() < 1e-13);
        let (x, t, h) = (0.23, 0.41, 1e-3);
        let u = |i: f64, j: f64| cole_hopf(x + i * h, t + j * h, nu);
        let first =
            |f: &dyn Fn(f64) -> f64| (8.0 * (f(1.0) - f(-1.0)) - (f(2.0) - f(-2.0))) / (12.0 * h);
        let u_t = first(&|j| u(0.0, j));
        let u_x = first(&|i| u(i, 0.0));
        let u_xx = (-u(2.0, 0.0) + 16.0 * u(1.0, 0.0) - 30.0 * u(0.0, 0.0) + 16.0 * u(-1.0, 0.0)
            - u(-2.0, 0.0))
            / (12.0 * h * h);
        assert!((u_t + u(0.0, 0.0) * u_x - nu * u_xx).abs() < 1e-7);
    }
}
