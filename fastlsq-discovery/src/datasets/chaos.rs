//! Scattered samples of a chaotic field, richer than one sum of waves can hold.

use std::f64::consts::PI;

use fastlsq_basis::sampling::{Sequence, UnitSampler};
use ndarray::Array2;

use super::flows::{dot, periodic_first_derivative, periodic_second_derivative, runge_kutta};
use crate::samples::rms;
use crate::{Dictionary, DiscoveryError, Samples};

/// Points of a period and its length; distance between stored times, and Runge–Kutta steps in it.
const POINTS: usize = 64;
const PERIOD: f64 = 40.0;
const EVERY: f64 = 0.02;
const SUBSTEPS: usize = 6;
/// Time before the first sample: the transient from the smooth beginning.
const TRANSIENT: f64 = 60.0;

/// u_t = −u u_x − u_xx − u_xxxx (Kuramoto–Sivashinsky) over a period of 40 in x, by trigonometric interpolation in x
/// and Runge–Kutta steps in t.
#[derive(Debug, Clone)]
pub struct ScatteredChaos {
    states: Vec<Vec<f64>>,
}

impl ScatteredChaos {
    /// The field over a length of time, once its chaos has developed.
    #[must_use]
    pub fn new(duration: f64) -> Self {
        let first = periodic_first_derivative(POINTS, PERIOD);
        let second = periodic_second_derivative(POINTS, PERIOD);
        let linear: Vec<Vec<f64>> = (0..POINTS)
            .map(|i| {
                let entry = |j: usize| {
                    let twice = second[i].iter().zip(&second).map(|(a, row)| a * row[j]);
                    -second[i][j] - twice.sum::<f64>()
                };
                (0..POINTS).map(entry).collect()
            })
            .collect();
        let start = (0..POINTS)
            .map(|i| {
                let s = 2.0 * PI * i as f64 / POINTS as f64;
                s.cos() * (1.0 + (3.0 * s).sin()) + 0.5 * (5.0 * s).cos()
            })
            .collect();
        let before = (TRANSIENT / EVERY) as usize;
        let count = before + (duration.max(0.0) / EVERY) as usize + 1;
        let mut states = runge_kutta(start, EVERY, count, SUBSTEPS, |u| {
            let energy: Vec<f64> = u.iter().map(|u| -0.5 * u * u).collect();
            let rows = linear.iter().zip(&first);
            rows.map(|(l, d)| dot(l, u) + dot(d, &energy)).collect()
        });
        Self {
            states: states.split_off(before),
        }
    }

    /// Samples at random places and (stored) times, with normal noise as a share of their root mean square.
    ///
    /// # Errors
    /// Fewer samples than [`Samples::new`] takes.
    pub fn sample(&self, count: usize, noise: f64, seed: u64) -> Result<Samples, DiscoveryError> {
        let unit = UnitSampler::independent(seed).points(count, 2);
        let errors = UnitSampler::on_stream(Sequence::Independent, seed, 1).normals(count, 1);
        let time = |i: usize| (unit[(i, 1)] * self.states.len() as f64) as usize;
        let points = Array2::from_shape_fn((count, 2), |(i, k)| match k {
            0 => PERIOD * unit[(i, 0)],
            _ => EVERY * time(i) as f64,
        });
        let mut values: Vec<f64> = (0..count)
            .map(|i| interpolate(&self.states[time(i)], unit[(i, 0)]))
            .collect();
        let size = rms(&values);
        for (value, error) in values.iter_mut().zip(&errors) {
            *value += noise * size * error;
        }
        Samples::new(points, values)
    }

    /// The ten terms of the published measurements on one field.
    ///
    /// # Errors
    /// None.
    pub fn library(&self) -> Result<Dictionary, DiscoveryError> {
        Dictionary::parse(&["x", "t"], &super::grids::ONE_FIELD)
    }
}

/// Trigonometric interpolation at a share of the period: Σ uᵢ sin(πN(s − i/N)) / (N tan π(s − i/N)).
fn interpolate(u: &[f64], share: f64) -> f64 {
    let n = u.len() as f64;
    let weight = |i: usize| {
        let lag = PI * (share - i as f64 / n);
        match lag.sin().abs() < 1e-14 {
            true => 1.0,
            false => (n * lag).sin() / (n * lag.tan()),
        }
    };
    (0..u.len()).map(|i| weight(i) * u[i]).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_between_the_points_are_those_of_a_smooth_field() {
        let wave = |s: f64| (2.0 * PI * 7.0 * s).sin() + 0.3 * (2.0 * PI * s).cos();
        let u: Vec<f64> = (0..POINTS)
            .map(|i| wave(i as f64 / POINTS as f64))
            .collect();
        for share in [0.0, 0.123, 0.5, 0.77, 0.999] {
            assert!((interpolate(&u, share) - wave(share)).abs() < 1e-12);
        }
    }

    #[test]
    fn the_highest_waves_carry_nothing() {
        let field = ScatteredChaos::new(2.0);
        let size = rms(&field.states[100]);
        assert!((0.8..2.0).contains(&size), "{size}");
        let saw: f64 = (0..POINTS)
            .map(|i| field.states[100][i] * if i.is_multiple_of(2) { 1.0 } else { -1.0 })
            .sum();
        assert!((saw / POINTS as f64).abs() < 1e-6 * size, "{saw}");
    }
}
