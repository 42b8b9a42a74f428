//! Very small linear systems, many of them: w′ = M w + b over a few complex components.

use faer::c64;

/// Terms of the exponential series for a matrix of norm at most ½.
const TERMS: u32 = 14;

/// Replaces w by the solution of w′ = M w + b a time t later; M row by row.
///
/// The exponential of the matrix ((M, b), (0, 0)) by scaling and squaring, balanced first: position and velocity of a fast
/// oscillation differ by its frequency, which would cost as many digits.
pub(crate) fn flow(matrix: &[c64], t: f64, w: &mut [c64], b: &[c64]) {
    let n = w.len();
    let zero = c64::new(0.0, 0.0);
    let mut scales = vec![1.0_f64; n];
    for _ in 0..3 {
        for i in 0..n {
            let others = (0..n).filter(|j| *j != i);
            let (mut row, mut column) = (0.0, 0.0);
            for j in others {
                row += matrix[i * n + j].norm() * scales[j] / scales[i];
                column += matrix[j * n + i].norm() * scales[i] / scales[j];
            }
            if row > 0.0 && column > 0.0 {
                scales[i] *= (row / column).sqrt();
            }
        }
    }
    let sourced = b.iter().any(|v| *v != zero);
    let size = n + usize::from(sourced);
    let mut a = vec![zero; size * size];
    for i in 0..n {
        for j in 0..n {
            a[i * size + j] = t * matrix[i * n + j] * (scales[j] / scales[i]);
        }
        if sourced {
            a[i * size + n] = t * b[i] / scales[i];
        }
    }
    let norm = (0..size)
        .map(|i| (0..size).map(|j| a[i * size + j].norm()).sum::<f64>())
        .fold(0.0, f64::max);
    let squarings = if norm > 0.5 {
        (norm / 0.5).log2().ceil()
    } else {
        0.0
    };
    if squarings.is_nan() || squarings >= 200.0 {
        w.fill(c64::new(f64::NAN, 0.0));
        return;
    }
    let shrink = (-squarings).exp2();
    a.iter_mut().for_each(|v| *v *= shrink);
    // 1 + a(1 + a/2(1 + a/3(…))).
    let identity = |sum: &mut [c64]| {
        for i in 0..size {
            sum[i * size + i] += c64::new(1.0, 0.0);
        }
    };
    let mut sum = vec![zero; size * size];
    identity(&mut sum);
    for k in (1..=TERMS).rev() {
        sum = product(&a, &sum, size);
        sum.iter_mut().for_each(|v| *v /= f64::from(k));
        identity(&mut sum);
    }
    for _ in 0..squarings as usize {
        sum = product(&sum, &sum, size);
    }
    let start: Vec<c64> = w.iter().zip(&scales).map(|(w, s)| w / s).collect();
    for (i, w) in w.iter_mut().enumerate() {
        let constant = if sourced { sum[i * size + n] } else { zero };
        let total = (0..n).fold(constant, |total, j| total + sum[i * size + j] * start[j]);
        *w = total * scales[i];
    }
}

fn product(a: &[c64], b: &[c64], n: usize) -> Vec<c64> {
    let mut c = vec![c64::new(0.0, 0.0); n * n];
    for i in 0..n {
        for k in 0..n {
            let factor = a[i * n + k];
            for j in 0..n {
                c[i * n + j] += factor * b[k * n + j];
            }
        }
    }
    c
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_oscillation_with_a_source() {
        // u″ = −ω²u + 3: u = 3/ω² + (u₀ − 3/ω²) cos ωt + v₀/ω sin ωt.
        let real = |x: f64| c64::new(x, 0.0);
        for omega in [0.1, 40.0, 3000.0_f64] {
            let matrix = [real(0.0), real(1.0), real(-omega * omega), real(0.0)];
            let mut w = [real(0.5), real(-1.0)];
            flow(&matrix, 2.0, &mut w, &[real(0.0), real(3.0)]);
            let rest = 3.0 / (omega * omega);
            let (sin, cos) = (2.0 * omega).sin_cos();
            let exact = rest + (0.5 - rest) * cos - sin / omega;
            assert!((w[0].re - exact).abs() < 1e-12 * (1.0 + omega), "{omega}");
            assert!(w[0].im == 0.0);
        }
    }
}
