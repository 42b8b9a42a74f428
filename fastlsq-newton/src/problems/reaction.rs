//! Two species that react and diffuse on a periodic square, by entirely different means: Fourier modes and exponential
//! time differencing.

use std::f64::consts::PI;

use faer::c64;

use super::spectral::{Weights, transform};

/// u_t = D_u Δu − a u + f(u, v), v_t = D_v Δv − b v + g(u, v).
#[derive(Debug, Clone, Copy)]
pub struct PlaneReaction {
    /// The side of the square.
    pub side: f64,
    /// D_u and D_v.
    pub diffusion: [f64; 2],
    /// a and b.
    pub decay: [f64; 2],
    /// f and g.
    pub reaction: fn(f64, f64) -> [f64; 2],
    /// u and v at the start.
    pub initial: fn(f64, f64) -> [f64; 2],
}

/// A reference solution at some times, by its values on a grid.
#[derive(Debug, Clone)]
pub struct PlaneReference {
    side: f64,
    points: usize,
    times: Vec<f64>,
    /// u + iv, x running fastest.
    values: Vec<Vec<c64>>,
}

/// A pair of species in Fourier modes.
type Pair = [Vec<c64>; 2];

impl PlaneReaction {
    /// The solution at `count` equidistant times up to `end`: with 2^`level` points along each axis, and `steps` steps between
    /// two of them.
    ///
    /// Steps are those of order 4 of Cox and Matthews; modes in the upper third along either axis are removed. Both
    /// species travel through one complex transform as u + iv.
    #[must_use]
    pub fn reference(&self, end: f64, count: usize, level: u32, steps: usize) -> PlaneReference {
        let n = 1_usize << level;
        let h = end / (count * steps) as f64;
        let signed = |j: usize| j.min(n - j) as f64;
        let kept = |j: usize| 3 * j.min(n - j) < n;
        let mut weights: [Vec<Weights>; 2] = [Vec::new(), Vec::new()];
        for (own, (diffusion, decay)) in weights
            .iter_mut()
            .zip(self.diffusion.iter().zip(&self.decay))
        {
            for k in 0..n * n {
                let waves = [signed(k % n), signed(k / n)].map(|w| 2.0 * PI / self.side * w);
                let square: f64 = waves.iter().map(|w| w * w).sum();
                own.push(Weights::new(-diffusion * square - decay, h));
            }
        }
        let modes = |mut grid: Vec<c64>| -> Pair {
            transform_plane(&mut grid, n, false);
            let mut pair = [
                vec![c64::new(0.0, 0.0); n * n],
                vec![c64::new(0.0, 0.0); n * n],
            ];
            for k in 0..n * n {
                let (i, j) = (k % n, k / n);
                if kept(i) && kept(j) {
                    let mirror = grid[(n - i) % n + n * ((n - j) % n)].conj();
                    pair[0][k] = 0.5 * (grid[k] + mirror);
                    pair[1][k] = c64::new(0.0, -0.5) * (grid[k] - mirror);
                }
            }
            pair
        };
        let grid = |pair: &Pair| -> Vec<c64> {
            let imaginary = c64::new(0.0, 1.0);
            let both = pair[0].iter().zip(&pair[1]);
            let mut grid: Vec<c64> = both.map(|(u, v)| u + imaginary * v).collect();
            transform_plane(&mut grid, n, true);
            grid
        };
        let rate = |pair: &Pair| -> Pair {
            let mut values = grid(pair);
            for value in &mut values {
                let [f, g] = (self.reaction)(value.re, value.im);
                *value = c64::new(f, g);
            }
            modes(values)
        };
        let combine = |f: &dyn Fn(usize, usize, &Weights) -> c64| -> Pair {
            [0, 1].map(|s| {
                let own = weights[s].iter().enumerate();
                own.map(|(k, w)| f(s, k, w)).collect()
            })
        };
        let step = self.side / n as f64;
        let start = (0..n * n).map(|k| {
            let [u, v] = (self.initial)(step * (k % n) as f64, step * (k / n) as f64);
            c64::new(u, v)
        });
        let mut y = modes(start.collect());
        let mut reference = PlaneReference {
            side: self.side,
            points: n,
            times: Vec::new(),
            values: Vec::new(),
        };
        for k in 1..=count {
            for _ in 0..steps {
                let ny = rate(&y);
                let a = combine(&|s, k, w| w.half * y[s][k] + w.middle * ny[s][k]);
                let na = rate(&a);
                let b = combine(&|s, k, w| w.half * y[s][k] + w.middle * na[s][k]);
                let nb = rate(&b);
                let c =
                    combine(&|s, k, w| w.half * a[s][k] + w.middle * (2.0 * nb[s][k] - ny[s][k]));
                let nc = rate(&c);
                y = combine(&|s, k, w| {
                    w.full * y[s][k]
                        + w.first * ny[s][k]
                        + w.second * (na[s][k] + nb[s][k])
                        + w.third * nc[s][k]
                });
            }
            reference.times.push(end * k as f64 / count as f64);
            reference.values.push(grid(&y));
        }
        reference
    }
}

/// The Fourier transform of an n × n grid, in place.
fn transform_plane(grid: &mut [c64], n: usize, inverse: bool) {
    for row in grid.chunks_exact_mut(n) {
        transform(row, inverse);
    }
    let mut column = vec![c64::new(0.0, 0.0); n];
    for i in 0..n {
        for (j, value) in column.iter_mut().enumerate() {
            *value = grid[i + n * j];
        }
        transform(&mut column, inverse);
        for (j, value) in column.iter().enumerate() {
            grid[i + n * j] = *value;
        }
    }
}

impl PlaneReference {
    /// The times.
    #[must_use]
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Points x, y of about `across` by `across` places of the grid with the values of both species there, at time number k.
    pub fn sampled(&self, k: usize, across: usize) -> impl Iterator<Item = (f64, f64, [f64; 2])> {
        let n = self.points;
        let stride = (n / across.clamp(1, n)).max(1);
        let step = self.side / n as f64;
        let values = self.values.get(k);
        let places = (0..n).step_by(stride);
        places
            .flat_map(move |j| (0..n).step_by(stride).map(move |i| (i, j)))
            .filter_map(move |(i, j)| {
                let value = values?.get(i + n * j)?;
                Some((step * i as f64, step * j as f64, [value.re, value.im]))
            })
    }

    /// The largest L2 distance from another reference over its times on common points, relative to the largest norm.
    #[must_use]
    pub fn distance(&self, other: &Self) -> f64 {
        let across = self.points.min(other.points);
        let (mut worst, mut norm) = (0.0_f64, 0.0_f64);
        for k in 0..self.times.len() {
            let (mut error, mut size) = (0.0, 0.0);
            for ((_, _, own), (_, _, others)) in
                self.sampled(k, across).zip(other.sampled(k, across))
            {
                for (a, b) in own.iter().zip(&others) {
                    error += (a - b).powi(2);
                    size += a * a;
                }
            }
            (worst, norm) = (worst.max(error), norm.max(size));
        }
        (worst / norm).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_solves_what_is_known() {
        // Diffusion and decay without reactions: every mode by itself.
        let linear = PlaneReaction {
            side: 2.0,
            diffusion: [0.3, 0.1],
            decay: [0.5, 0.0],
            reaction: |_, _| [0.0, 0.0],
            initial: |x, y| [(PI * x).sin() * (PI * y).cos(), (2.0 * PI * y).sin()],
        };
        let found = linear.reference(1.0, 2, 4, 3);
        let rates = [0.6 * PI * PI + 0.5, 0.4 * PI * PI];
        for (x, y, [u, v]) in found.sampled(1, 8) {
            let [start_u, start_v] = (linear.initial)(x, y);
            assert!((u - (-rates[0]).exp() * start_u).abs() < 1e-13);
            assert!((v - (-rates[1]).exp() * start_v).abs() < 1e-13);
        }
    }
}
