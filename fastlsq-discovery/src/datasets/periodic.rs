//! Periodic flows u_t = Lu + f(u)_x in Fourier space, by exponential time differencing.

use std::f64::consts::PI;

use faer::c64;

/// Points of the circle over which the coefficients of the scheme are averaged.
const CIRCLE: usize = 32;

/// u_t = Lu + f(u)_x on a period, L with the real symbol ℓ(k), by the fourth-order exponential
/// Runge–Kutta scheme of Cox and Matthews; the third of the modes that products could alias is left
/// out. The states at intervals of `every`, each divided into `substeps`, the first included.
pub(super) fn periodic_flow(
    start: &[f64],
    period: f64,
    (every, count, substeps): (f64, usize, usize),
    symbol: impl Fn(f64) -> f64,
    flux: impl Fn(f64) -> f64,
) -> Vec<Vec<f64>> {
    let modes = Modes::new(start.len(), period);
    let step = every / substeps.max(1) as f64;
    let scheme: Vec<Scheme> = modes
        .wave_numbers
        .iter()
        .map(|&k| Scheme::new(symbol(k), step))
        .collect();
    let rate = |v: &[c64]| -> Vec<c64> {
        let products: Vec<f64> = modes.values(v).into_iter().map(&flux).collect();
        let transform = modes.transform(&products).into_iter();
        transform
            .zip(&modes.wave_numbers)
            .map(|(f, &k)| c64::new(0.0, k) * f)
            .collect()
    };
    // Combinations of modes, one after the other.
    let combine = |f: &dyn Fn(&Scheme, usize) -> c64| -> Vec<c64> {
        scheme.iter().enumerate().map(|(k, s)| f(s, k)).collect()
    };
    let mut v = modes.transform(start);
    let mut states = vec![start.to_vec()];
    while states.len() < count {
        for _ in 0..substeps {
            let first = rate(&v);
            let a = combine(&|s, k| v[k] * s.half + first[k] * s.quarter);
            let second = rate(&a);
            let b = combine(&|s, k| v[k] * s.half + second[k] * s.quarter);
            let third = rate(&b);
            let c = combine(&|s, k| a[k] * s.half + (third[k] * 2.0 - first[k]) * s.quarter);
            let fourth = rate(&c);
            v = combine(&|s, k| {
                v[k] * s.whole
                    + first[k] * s.weights[0]
                    + (second[k] + third[k]) * (2.0 * s.weights[1])
                    + fourth[k] * s.weights[2]
            });
        }
        states.push(modes.values(&v));
    }
    states
}

/// What the scheme multiplies one mode by.
struct Scheme {
    whole: f64,
    half: f64,
    quarter: f64,
    weights: [f64; 3],
}

impl Scheme {
    /// The coefficients are averages over a circle around hℓ, where their formulas do not cancel.
    fn new(symbol: f64, step: f64) -> Self {
        let centre = step * symbol;
        let mut sums = [0.0; 4];
        for j in 0..CIRCLE {
            let angle = 2.0 * PI * (j as f64 + 0.5) / CIRCLE as f64;
            let z = c64::new(centre + angle.cos(), angle.sin());
            let (whole, half, cube) = (z.exp(), (z * 0.5).exp(), z * z * z);
            let one = c64::new(1.0, 0.0);
            let terms = [
                (half - one) / z,
                (-one * 4.0 - z + whole * (one * 4.0 - z * 3.0 + z * z)) / cube,
                (one * 2.0 + z + whole * (z - one * 2.0)) / cube,
                (-one * 4.0 - z * 3.0 - z * z + whole * (one * 4.0 - z)) / cube,
            ];
            for (sum, term) in sums.iter_mut().zip(terms) {
                *sum += step * term.re / CIRCLE as f64;
            }
        }
        Self {
            whole: centre.exp(),
            half: (0.5 * centre).exp(),
            quarter: sums[0],
            weights: [sums[1], sums[2], sums[3]],
        }
    }
}

/// The modes of a period that products do not alias, by direct sums: a few hundred points at most.
struct Modes {
    wave_numbers: Vec<f64>,
    /// e^{2πij/n}.
    roots: Vec<c64>,
}

impl Modes {
    fn new(points: usize, period: f64) -> Self {
        let turn = |j: usize| 2.0 * PI * j as f64 / points.max(1) as f64;
        Self {
            wave_numbers: (0..=points / 3)
                .map(|k| 2.0 * PI * k as f64 / period)
                .collect(),
            roots: (0..points)
                .map(|j| c64::new(turn(j).cos(), turn(j).sin()))
                .collect(),
        }
    }

    fn root(&self, product: usize) -> c64 {
        self.roots[product % self.roots.len()]
    }

    fn transform(&self, values: &[f64]) -> Vec<c64> {
        let scale = 1.0 / values.len().max(1) as f64;
        (0..self.wave_numbers.len())
            .map(|k| {
                let sum: c64 = values
                    .iter()
                    .enumerate()
                    .map(|(j, u)| self.root(j * k).conj() * *u)
                    .sum();
                sum * scale
            })
            .collect()
    }

    fn values(&self, modes: &[c64]) -> Vec<f64> {
        (0..self.roots.len())
            .map(|j| {
                let each = modes.iter().enumerate().skip(1);
                let pairs: f64 = each.map(|(k, v)| (*v * self.root(j * k)).re).sum();
                modes.first().map_or(0.0, |v| v.re) + 2.0 * pairs
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wave_of_a_linear_law_decays_and_moves_exactly() {
        // u_t = 0.1 u_xx − 2 u_x
        let n = 32;
        let at = |j: usize, t: f64| {
            let x = 3.0 * j as f64 / n as f64;
            let k = 2.0 * PI * 2.0 / 3.0;
            (-0.1 * k * k * t).exp() * (k * (x - 2.0 * t)).sin()
        };
        let start: Vec<f64> = (0..n).map(|j| at(j, 0.0)).collect();
        let states = periodic_flow(&start, 3.0, (0.1, 6, 40), |k| -0.1 * k * k, |u| -2.0 * u);
        for (j, u) in states[5].iter().enumerate() {
            assert!((u - at(j, 0.5)).abs() < 1e-8);
        }
    }

    #[test]
    fn the_scheme_is_of_fourth_order() {
        let start: Vec<f64> = (0..48)
            .map(|j| (2.0 * PI * f64::from(j) / 48.0).sin())
            .collect();
        let end = |substeps: usize| {
            let flow = (0.4, 2, substeps);
            periodic_flow(&start, 6.0, flow, |k| -0.2 * k * k, |u| -0.5 * u * u)[1].clone()
        };
        let fine = end(64);
        let error = |substeps: usize| {
            let differences = end(substeps).into_iter().zip(&fine);
            differences.fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()))
        };
        let ratio = error(4) / error(8);
        assert!((11.0..22.0).contains(&ratio), "{ratio}");
    }
}
