//! Integration in time and spectral derivatives behind the gridded data sets.

use std::f64::consts::PI;

/// Classical Runge–Kutta steps of u′ = f(u), each interval of `every` divided into `substeps`; the
/// states at the ends of the intervals, the first included.
pub(super) fn runge_kutta(
    mut u: Vec<f64>,
    every: f64,
    count: usize,
    substeps: usize,
    f: impl Fn(&[f64]) -> Vec<f64>,
) -> Vec<Vec<f64>> {
    let h = every / substeps as f64;
    let plus = |u: &[f64], k: &[f64], h: f64| -> Vec<f64> {
        u.iter().zip(k).map(|(u, k)| u + h * k).collect()
    };
    let mut states = vec![u.clone()];
    while states.len() < count {
        for _ in 0..substeps {
            let a = f(&u);
            let b = f(&plus(&u, &a, 0.5 * h));
            let c = f(&plus(&u, &b, 0.5 * h));
            let d = f(&plus(&u, &c, h));
            for i in 0..u.len() {
                u[i] += h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]);
            }
        }
        states.push(u.clone());
    }
    states
}

/// The second-derivative matrix of trigonometric interpolation on an even number of points of a
/// period, row by row.
pub(super) fn periodic_second_derivative(count: usize, period: f64) -> Vec<Vec<f64>> {
    let scale = (2.0 * PI / period).powi(2);
    let n = count as f64;
    (0..count)
        .map(|i| {
            (0..count)
                .map(|j| {
                    if i == j {
                        return -scale * (n * n / 12.0 + 1.0 / 6.0);
                    }
                    let lag = i.abs_diff(j) as f64;
                    let sign = if i.abs_diff(j) % 2 == 0 { -1.0 } else { 1.0 };
                    scale * sign * 0.5 / (PI * lag / n).sin().powi(2)
                })
                .collect()
        })
        .collect()
}

/// The first-derivative matrix of trigonometric interpolation, as [`periodic_second_derivative`].
pub(super) fn periodic_first_derivative(count: usize, period: f64) -> Vec<Vec<f64>> {
    let n = count as f64;
    let entry = |i: usize, j: usize| {
        if i == j {
            return 0.0;
        }
        let lag = i as f64 - j as f64;
        let sign = if i.abs_diff(j).is_multiple_of(2) {
            1.0
        } else {
            -1.0
        };
        PI / period * sign / (PI * lag / n).tan()
    };
    (0..count)
        .map(|i| (0..count).map(|j| entry(i, j)).collect())
        .collect()
}

/// A row of a matrix times a vector.
pub(super) fn dot(row: &[f64], u: &[f64]) -> f64 {
    row.iter().zip(u).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waves_are_differentiated_exactly() {
        let matrix = periodic_second_derivative(16, 3.0);
        let k = 2.0 * PI * 5.0 / 3.0;
        let wave: Vec<f64> = (0..16)
            .map(|i| (k * 3.0 * f64::from(i) / 16.0).sin())
            .collect();
        let slopes = periodic_first_derivative(16, 3.0);
        for (i, (row, u)) in matrix.iter().zip(&wave).enumerate() {
            assert!((dot(row, &wave) + k * k * u).abs() < 1e-11 * k * k);
            let slope = k * (k * 3.0 * i as f64 / 16.0).cos();
            assert!((dot(&slopes[i], &wave) - slope).abs() < 1e-11 * k);
        }
    }

    #[test]
    fn the_time_steps_are_of_fourth_order() {
        let error = |substeps| {
            let states = runge_kutta(vec![1.0, 0.0], 0.5, 5, substeps, |u| vec![u[1], -u[0]]);
            (states[4][0] - 2f64.cos()).abs()
        };
        let ratio = error(4) / error(8);
        assert!((12.0..20.0).contains(&ratio), "{ratio}");
    }
}
