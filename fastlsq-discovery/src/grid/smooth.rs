//! Local polynomials over gridded data, as wide as the noise demands.

use super::axis::{Stencil, apply_along};
use crate::regression::thin::gram_solve;

/// Degree of the smoothing polynomials.
const DEGREE: usize = 4;
/// Half-widths that are tried; 0 leaves the data as they are.
const WIDTHS: [usize; 16] = [0, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 20, 24, 29, 35, 42];
/// Share of the widths of least risk that is used. These balance bias and noise at a point; sums over
/// windows average the noise but not the bias, which falls with the sixth power of the width.
const NARROWER: f64 = 0.55;
/// Half-width and degree of derivatives of data that need no smoothing.
const EXACT: (usize, usize) = (4, 8);

/// Stencils of the derivative of the given order at every point of an axis; near its ends the
/// polynomial of the outermost full window is taken off its centre.
///
/// In units of the spacing; `half` = 0 interpolates.
pub(crate) fn polynomial_stencils(count: usize, half: usize, order: usize) -> Vec<Stencil> {
    let (half, degree) = match (half, order) {
        (0, 0) => {
            return (0..count)
                .map(|first| Stencil {
                    first,
                    weights: vec![1.0],
                })
                .collect();
        }
        (0, _) => EXACT,
        (half, order) => (half, (DEGREE + order / 2 * 2).min(2 * half)),
    };
    let half = half.min(count.saturating_sub(1) / 2);
    let degree = degree.min(2 * half);
    let window = 2 * half + 1;
    let mut known: Vec<Option<Vec<f64>>> = vec![None; window];
    (0..count)
        .map(|i| {
            let first = i.saturating_sub(half).min(count - window);
            let weights = known[i - first]
                .get_or_insert_with(|| filter(half, i - first, order, degree))
                .clone();
            Stencil { first, weights }
        })
        .collect()
}

/// The shortest weights on 2 half + 1 points that reproduce the derivative at one of them of every
/// polynomial up to the degree.
fn filter(half: usize, at: usize, order: usize, degree: usize) -> Vec<f64> {
    let scale = half.max(1) as f64;
    let node = |k: usize| (k as f64 - half as f64) / scale;
    // Chebyshev polynomials: well conditioned for every degree in use.
    let columns: Vec<Vec<f64>> = (0..=degree)
        .map(|d| (0..=2 * half).map(|k| chebyshev(d, node(k), 0)).collect())
        .collect();
    let views: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    let exponent = i32::try_from(order).unwrap_or(i32::MAX);
    let wanted: Vec<f64> = (0..=degree)
        .map(|d| chebyshev(d, node(at), order) / scale.powi(exponent))
        .collect();
    let combination = gram_solve(&views, &wanted).unwrap_or_default();
    (0..=2 * half)
        .map(|k| {
            combination
                .iter()
                .zip(&columns)
                .map(|(v, c)| v * c[k])
                .sum()
        })
        .collect()
}

/// The derivative of the given order of the Chebyshev polynomial T_d.
fn chebyshev(degree: usize, s: f64, order: usize) -> f64 {
    // T′ of all orders by differentiating T_{d+1} = 2 s T_d − T_{d−1}.
    let mut before = vec![0.0; order + 1];
    let mut now = vec![0.0; order + 1];
    before[0] = 1.0;
    if degree == 0 {
        return before[order];
    }
    now[0] = s;
    if order > 0 {
        now[1] = 1.0;
    }
    for _ in 1..degree {
        let next: Vec<f64> = (0..=order)
            .map(|q| {
                let lower = if q > 0 { q as f64 * now[q - 1] } else { 0.0 };
                2.0 * (s * now[q] + lower) - before[q]
            })
            .collect();
        before = std::mem::replace(&mut now, next);
    }
    now[order]
}

/// A smoother with one half-width for each axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Smoother {
    pub(crate) half: Vec<usize>,
}

impl Smoother {
    /// The widths with the least estimated risk E‖Su − u‖² = E‖SU − U‖² + 2σ² tr S − Nσ² (Stein),
    /// one axis after the other.
    pub(crate) fn choose(values: &[f64], shape: &[usize], noise: f64) -> Self {
        let mut half = vec![0; shape.len()];
        if noise == 0.0 {
            return Self { half };
        }
        for _ in 0..2 {
            for axis in 0..shape.len() {
                // The other axes are smoothed once; then the widths of this one are compared.
                let mut others = half.clone();
                others[axis] = 0;
                let rest = Self { half: others };
                let base = rest.derivative(values, shape, &vec![0; shape.len()]);
                let trace = rest.trace(shape);
                let mut best = (f64::INFINITY, 0);
                let mut worse = 0;
                for width in WIDTHS {
                    if 4 * width > shape[axis] {
                        break;
                    }
                    let stencils = polynomial_stencils(shape[axis], width, 0);
                    let smooth = apply_along(&base, shape, axis, &stencils);
                    let risk = misfit(&smooth, values)
                        + 2.0 * noise * noise * trace * mean_diagonal(&stencils);
                    if risk < best.0 {
                        best = (risk, width);
                        worse = 0;
                    } else {
                        worse += 1;
                    }
                    if worse > 2 {
                        break;
                    }
                }
                half[axis] = best.1;
            }
        }
        for half in &mut half {
            let narrower = (NARROWER * *half as f64).round() as usize;
            *half = if narrower < 3 { 0 } else { narrower };
        }
        Self { half }
    }

    /// D^β of the smoothed values, in units of the spacings.
    pub(crate) fn derivative(&self, values: &[f64], shape: &[usize], beta: &[u32]) -> Vec<f64> {
        let mut out = values.to_vec();
        for axis in 0..shape.len() {
            if self.half[axis] > 0 || beta[axis] > 0 {
                let stencils =
                    polynomial_stencils(shape[axis], self.half[axis], beta[axis] as usize);
                out = apply_along(&out, shape, axis, &stencils);
            }
        }
        out
    }

    /// Covariance of D^β and D^γ of smoothed white noise of unit variance, away from the edges.
    pub(crate) fn covariance(&self, shape: &[usize], beta: &[u32], gamma: &[u32]) -> f64 {
        (0..shape.len())
            .map(|axis| {
                let middle = |order: u32| {
                    let mut all = polynomial_stencils(shape[axis], self.half[axis], order as usize);
                    all.swap_remove(shape[axis] / 2)
                };
                let (a, b) = (middle(beta[axis]), middle(gamma[axis]));
                let at = |s: &Stencil, i: usize| {
                    i.checked_sub(s.first)
                        .and_then(|k| s.weights.get(k).copied())
                };
                (0..shape[axis])
                    .filter_map(|i| Some(at(&a, i)? * at(&b, i)?))
                    .sum::<f64>()
            })
            .product()
    }

    fn trace(&self, shape: &[usize]) -> f64 {
        self.half
            .iter()
            .zip(shape)
            .map(|(&half, &count)| mean_diagonal(&polynomial_stencils(count, half, 0)))
            .product()
    }
}

fn mean_diagonal(stencils: &[Stencil]) -> f64 {
    let sum: f64 = stencils
        .iter()
        .enumerate()
        .filter_map(|(i, s)| s.weights.get(i - s.first))
        .sum();
    sum / stencils.len().max(1) as f64
}

/// Mean square difference over the values that are known.
fn misfit(a: &[f64], b: &[f64]) -> f64 {
    let (sum, count) = a
        .iter()
        .zip(b)
        .map(|(a, b)| (a - b).powi(2))
        .filter(|d| d.is_finite())
        .fold((0.0, 0.0), |(s, n), d| (s + d, n + 1.0));
    sum / f64::max(count, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastlsq_basis::sampling::UnitSampler;

    #[test]
    fn stencils_differentiate_polynomials_everywhere() {
        for (half, order) in [(0, 1), (0, 2), (0, 4), (3, 0), (6, 1), (9, 2)] {
            let stencils = polynomial_stencils(30, half, order);
            for (i, s) in stencils.iter().enumerate() {
                let f = |k: usize| (k as f64 / 10.0).powi(4);
                let value: f64 = s
                    .weights
                    .iter()
                    .enumerate()
                    .map(|(k, w)| w * f(s.first + k))
                    .sum();
                let x = i as f64 / 10.0;
                let exact = [x.powi(4), 4.0 * x.powi(3), 12.0 * x * x, 24.0 * x, 24.0][order]
                    / 10f64.powi(i32::try_from(order).unwrap());
                assert!((value - exact).abs() < 1e-8, "{half} {order} {i}");
            }
        }
    }

    #[test]
    fn smoothing_is_chosen_by_the_noise() {
        let errors = UnitSampler::independent(0).normals(120 * 90, 1);
        let exact = |p: usize| (0.15 * (p / 90) as f64).sin() * (0.1 * (p % 90) as f64).cos();
        let error_after = |noise: f64| {
            let values: Vec<f64> = (0..120 * 90)
                .map(|p| exact(p) + noise * errors[(p, 0)])
                .collect();
            let smoother = Smoother::choose(&values, &[120, 90], noise);
            let smooth = smoother.derivative(&values, &[120, 90], &[0, 0]);
            let truth: Vec<f64> = (0..120 * 90).map(exact).collect();
            (misfit(&smooth, &truth).sqrt(), smoother)
        };
        assert_eq!(error_after(0.0).1.half, [0, 0]);
        let (error, smoother) = error_after(0.3);
        assert!(error < 0.3 / 5.0, "{error} {smoother:?}");
        let predicted = 0.3 * smoother.covariance(&[120, 90], &[0, 0], &[0, 0]).sqrt();
        assert!(
            predicted < error && error < 2.0 * predicted,
            "{error} {predicted}"
        );
    }
}
