//! A reference by entirely different means: Fourier modes and exponential time differencing.

use std::f64::consts::PI;

use faer::c64;

/// u_t = L u + ∂(g(u)) on a circle, in Fourier modes: û_t = ℓ(k) û + m(k) ĝ(u).
#[derive(Debug, Clone, Copy)]
pub struct Semilinear {
    /// The circle.
    pub interval: (f64, f64),
    /// ℓ(k), real.
    pub symbol: fn(f64) -> f64,
    /// m(k).
    pub multiplier: fn(f64) -> c64,
    /// g(u).
    pub reaction: fn(f64) -> f64,
    /// u(x, 0).
    pub initial: fn(f64) -> f64,
}

/// Samples of the initial value for each point.
const OVERSAMPLING: usize = 64;

/// A reference solution at some times, as Fourier modes.
#[derive(Debug, Clone)]
pub struct SpectralReference {
    interval: (f64, f64),
    times: Vec<f64>,
    modes: Vec<Vec<c64>>,
}

impl Semilinear {
    /// The solution at `count` equidistant times up to `end`: with 2^`level` points, and `steps` steps between two of them.
    ///
    /// Steps are those of order 4 of Cox and Matthews with the coefficients as contour means (Kassam and Trefethen 2005). Modes in
    /// the upper third are removed, so that quadratic reactions do not alias.
    #[must_use]
    pub fn reference(&self, end: f64, count: usize, level: u32, steps: usize) -> SpectralReference {
        let n = 1_usize << level;
        let (lo, hi) = self.interval;
        let h = end / (count * steps) as f64;
        let waves: Vec<f64> = (0..n)
            .map(|j| {
                let signed = if 2 * j < n {
                    j as f64
                } else {
                    j as f64 - n as f64
                };
                2.0 * PI / (hi - lo) * signed
            })
            .collect();
        let kept = |j: usize| 3 * j.min(n - j) < n;
        let weights: Vec<Weights> = waves
            .iter()
            .map(|k| Weights::new((self.symbol)(*k), h))
            .collect();
        // Initial values need not be smooth: many samples keep their high modes from hiding among the low ones.
        let many = OVERSAMPLING * n;
        let mut all: Vec<c64> = (0..many)
            .map(|j| c64::new((self.initial)(lo + (hi - lo) * j as f64 / many as f64), 0.0))
            .collect();
        transform(&mut all, false);
        let mut u: Vec<c64> = (0..n)
            .map(|j| match (kept(j), 2 * j < n) {
                (false, _) => c64::new(0.0, 0.0),
                (true, true) => all[j] / OVERSAMPLING as f64,
                (true, false) => all[many - (n - j)] / OVERSAMPLING as f64,
            })
            .collect();
        let rate = |u: &[c64]| {
            let mut values = u.to_vec();
            transform(&mut values, true);
            for value in &mut values {
                *value = c64::new((self.reaction)(value.re), 0.0);
            }
            transform(&mut values, false);
            for (j, (value, k)) in values.iter_mut().zip(&waves).enumerate() {
                *value = if kept(j) {
                    *value * (self.multiplier)(*k)
                } else {
                    c64::new(0.0, 0.0)
                };
            }
            values
        };
        let combine = |f: &dyn Fn(usize, &Weights) -> c64| -> Vec<c64> {
            weights.iter().enumerate().map(|(j, w)| f(j, w)).collect()
        };
        let mut reference = SpectralReference {
            interval: self.interval,
            times: Vec::new(),
            modes: Vec::new(),
        };
        for k in 1..=count {
            for _ in 0..steps {
                let nu = rate(&u);
                let a = combine(&|j, w| w.half * u[j] + w.middle * nu[j]);
                let na = rate(&a);
                let b = combine(&|j, w| w.half * u[j] + w.middle * na[j]);
                let nb = rate(&b);
                let c = combine(&|j, w| w.half * a[j] + w.middle * (2.0 * nb[j] - nu[j]));
                let nc = rate(&c);
                u = combine(&|j, w| {
                    w.full * u[j] + w.first * nu[j] + w.second * (na[j] + nb[j]) + w.third * nc[j]
                });
            }
            reference.times.push(end * k as f64 / count as f64);
            reference
                .modes
                .push(u.iter().map(|v| v / n as f64).collect());
        }
        reference
    }
}

/// The coefficients of one mode.
pub(super) struct Weights {
    pub(super) half: f64,
    pub(super) full: f64,
    pub(super) middle: f64,
    pub(super) first: f64,
    pub(super) second: f64,
    pub(super) third: f64,
}

impl Weights {
    pub(super) fn new(symbol: f64, h: f64) -> Self {
        const POINTS: usize = 32;
        let lambda = symbol * h;
        let mut sums = [0.0; 4];
        for j in 0..POINTS {
            let z =
                c64::new(lambda, 0.0) + c64::new(0.0, PI * (j as f64 + 0.5) / POINTS as f64).exp();
            let (e, cube) = (z.exp(), z * z * z);
            let values = [
                ((0.5 * z).exp() - 1.0) / z,
                (-4.0 - z + e * (4.0 - 3.0 * z + z * z)) / cube,
                2.0 * (2.0 + z + e * (z - 2.0)) / cube,
                (-4.0 - 3.0 * z - z * z + e * (4.0 - z)) / cube,
            ];
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum += h * value.re / POINTS as f64;
            }
        }
        let [middle, first, second, third] = sums;
        Self {
            half: (0.5 * lambda).exp(),
            full: lambda.exp(),
            middle,
            first,
            second,
            third,
        }
    }
}

impl SpectralReference {
    /// The times.
    #[must_use]
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// u(x) at time number k; NaN if there is none.
    #[must_use]
    pub fn value(&self, k: usize, x: f64) -> f64 {
        let Some(modes) = self.modes.get(k) else {
            return f64::NAN;
        };
        let (lo, hi) = self.interval;
        let turn = c64::new(0.0, 2.0 * PI * (x - lo) / (hi - lo)).exp();
        // Real functions: modes beyond the middle are conjugates.
        let mut factor = c64::new(1.0, 0.0);
        let mut sum = modes.first().map_or(0.0, |mean| mean.re);
        for mode in &modes[1..modes.len() / 2] {
            factor *= turn;
            sum += 2.0 * (mode * factor).re;
        }
        sum
    }

    /// The largest L2 distance from another reference over its times, relative to the largest norm.
    #[must_use]
    pub fn distance(&self, other: &Self) -> f64 {
        let points = 2 * self.modes.first().map_or(0, Vec::len);
        let (lo, hi) = self.interval;
        let (mut worst, mut norm) = (0.0_f64, 0.0_f64);
        for k in 0..self.times.len() {
            let (mut error, mut size) = (0.0, 0.0);
            for i in 0..points {
                let x = lo + (hi - lo) * i as f64 / points as f64;
                let value = self.value(k, x);
                error += (value - other.value(k, x)).powi(2);
                size += value * value;
            }
            (worst, norm) = (worst.max(error), norm.max(size));
        }
        (worst / norm).sqrt()
    }
}

/// The discrete Fourier transform of a power of two values, in place; the inverse is normalised.
pub(super) fn transform(values: &mut [c64], inverse: bool) {
    let n = values.len();
    let mut j = 0;
    for i in 1..n {
        let mut bit = n >> 1;
        while j & bit != 0 {
            j ^= bit;
            bit >>= 1;
        }
        j |= bit;
        if i < j {
            values.swap(i, j);
        }
    }
    let sign = if inverse { 1.0 } else { -1.0 };
    let mut length = 2;
    while length <= n {
        let half = length / 2;
        let twiddles: Vec<c64> = (0..half)
            .map(|k| c64::new(0.0, sign * 2.0 * PI * k as f64 / length as f64).exp())
            .collect();
        for block in values.chunks_exact_mut(length) {
            let (low, high) = block.split_at_mut(half);
            for ((a, b), w) in low.iter_mut().zip(high).zip(&twiddles) {
                let turned = *b * w;
                (*a, *b) = (*a + turned, *a - turned);
            }
        }
        length *= 2;
    }
    if inverse {
        for value in values {
            *value /= n as f64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_solves_what_is_known() {
        // u_t = u_xx on the circle, and u_t = −u³ for a constant: u = 1/√(1 + 2t).
        let heat = Semilinear {
            interval: (0.0, 2.0 * PI),
            symbol: |k| -k * k,
            multiplier: |_| c64::new(1.0, 0.0),
            reaction: |_| 0.0,
            initial: |x| (3.0 * x).sin(),
        };
        let u = heat.reference(0.3, 2, 5, 3);
        assert!((u.value(1, 0.4) - (-2.7_f64).exp() * 1.2_f64.sin()).abs() < 1e-14);
        let decay = Semilinear {
            symbol: |k| -k * k - 1.0,
            reaction: |u| u - u * u * u,
            initial: |_| 1.0,
            ..heat
        };
        let (coarse, fine) = (
            decay.reference(1.0, 1, 3, 20),
            decay.reference(1.0, 1, 3, 40),
        );
        let exact = 1.0 / 3.0_f64.sqrt();
        let (one, two) = (coarse.value(0, 1.0) - exact, fine.value(0, 1.0) - exact);
        assert!((one / two).log2() > 3.5, "order {}", (one / two).log2());
        assert!(coarse.distance(&fine) < 1e-6);
    }
}
