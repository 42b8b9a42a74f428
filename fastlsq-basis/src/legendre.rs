//! Legendre polynomials by their three-term recurrence, for bases and quadrature alike.
//!
//! P₀ = 1, (n + 1) Pₙ₊₁ = (2n + 1) x Pₙ − n Pₙ₋₁. Gauss' rules, which need them, are found in several places of the workspace
//! by Newton's method with different criteria to stop: their nodes differ in the last digit, and results with them.

/// From Pₙ₋₁ and Pₙ to Pₙ and Pₙ₊₁.
#[inline]
fn step(n: usize, x: f64, (before, current): (f64, f64)) -> (f64, f64) {
    let n = n as f64;
    let next = ((2.0 * n + 1.0) * x * current - n * before) / (n + 1.0);
    (current, next)
}

/// Pₙ₋₁ and Pₙ, where P₋₁ = 0.
fn last_two(n: usize, x: f64) -> (f64, f64) {
    (0..n).fold((0.0, 1.0), |pair, k| step(k, x, pair))
}

/// Pₙ(x).
#[must_use]
pub fn value(n: usize, x: f64) -> f64 {
    last_two(n, x).1
}

/// Pₙ(x) and Pₙ′(x) inside (−1, 1).
#[must_use]
pub fn value_and_slope(n: usize, x: f64) -> (f64, f64) {
    let (last, value) = last_two(n, x);
    (value, n as f64 * (last - x * value) / (1.0 - x * x))
}

/// Writes P₀⁽ᵏ⁾, P₁⁽ᵏ⁾, … at x, by P⁽ᵏ⁾ₙ₊₁ = P⁽ᵏ⁾ₙ₋₁ + (2n + 1) P⁽ᵏ⁻¹⁾ₙ.
pub fn derivatives(x: f64, order: u32, values: &mut [f64]) {
    if order as usize >= values.len() {
        values.fill(0.0);
        return;
    }
    let mut pair = (0.0, 1.0);
    for (n, value) in values.iter_mut().enumerate() {
        *value = pair.1;
        pair = step(n, x, pair);
    }
    for _ in 0..order {
        let mut lower = std::mem::replace(&mut values[0], 0.0);
        for n in 1..values.len() {
            let two_below = if n >= 2 { values[n - 2] } else { 0.0 };
            let raised = two_below + (2 * n - 1) as f64 * lower;
            lower = std::mem::replace(&mut values[n], raised);
        }
    }
}

/// Writes (Pₙ₊₁ − Pₙ₋₁)/(2n + 1) at x, and x for n = 0.
pub(crate) fn antiderivatives(x: f64, values: &mut [f64]) {
    let mut pair = (0.0, 1.0);
    for (n, value) in values.iter_mut().enumerate() {
        let before = pair.0;
        pair = step(n, x, pair);
        *value = (pair.1 - before) / (2.0 * n as f64 + 1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::{derivatives, value, value_and_slope};

    #[test]
    fn one_degree_and_all_of_them_agree() {
        for x in [-0.9, -0.2, 0.0, 0.4, 0.97] {
            let (mut values, mut slopes) = ([0.0; 12], [0.0; 12]);
            derivatives(x, 0, &mut values);
            derivatives(x, 1, &mut slopes);
            for n in 0..12 {
                let (own, slope) = value_and_slope(n, x);
                assert_eq!((own, value(n, x)), (values[n], values[n]));
                assert!((slope - slopes[n]).abs() < 1e-12 * (1.0 + slope.abs()));
            }
        }
    }
}
