//! The standard draw behind a sinusoidal basis: ŵⱼ ~ N(0, I) and bⱼ ~ U(0, 2π).

use crate::sampling::{Sequence, UnitSampler, normal_quantile};

/// How the standard normal frequencies and uniform phases are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Draw {
    /// Independent Gaussian frequencies.
    #[default]
    Independent,
    /// Groups of d mutually orthogonal directions with the lengths of Gaussian vectors.
    Orthogonal,
    /// A scrambled Halton sequence through the normal quantile: evenly spread frequencies.
    QuasiRandom,
}

/// The raw numbers, one feature after the other. The first features do not depend on `count`.
pub(super) struct StandardDraw {
    pub(super) normals: Vec<f64>,
    pub(super) phases: Vec<f64>,
}

impl StandardDraw {
    pub(super) fn new(dim: usize, count: usize, seed: u64, draw: Draw) -> Self {
        let sequence = match draw {
            Draw::Independent | Draw::Orthogonal => Sequence::Independent,
            Draw::QuasiRandom => Sequence::Halton,
        };
        // Whole groups of d directions, so that orthogonal features too are the same for any count.
        let padded = if draw == Draw::Orthogonal {
            count.div_ceil(dim.max(1)) * dim
        } else {
            count
        };
        let unit = UnitSampler::new(sequence, seed).points(padded, dim + 1);
        let mut normals = Vec::with_capacity(padded * dim);
        let mut phases = Vec::with_capacity(padded);
        for row in unit.rows() {
            normals.extend(row.iter().take(dim).map(|&p| normal_quantile(p)));
            phases.push(std::f64::consts::TAU * row[dim]);
        }
        if draw == Draw::Orthogonal {
            for group in normals.chunks_exact_mut(dim * dim) {
                orthogonalise(group, dim);
            }
        }
        normals.truncate(count * dim);
        phases.truncate(count);
        Self { normals, phases }
    }
}

/// Makes the d rows of a d×d block orthogonal, each keeping its length.
///
/// Gram–Schmidt twice: directions become uniform on the orthogonal group, and the lengths are
/// those of independent Gaussian vectors.
fn orthogonalise(rows: &mut [f64], dim: usize) {
    for i in 0..dim {
        let (done, rest) = rows.split_at_mut(i * dim);
        let row = &mut rest[..dim];
        let length = norm(row);
        for _ in 0..2 {
            for other in done.chunks_exact(dim) {
                let squared: f64 = other.iter().map(|v| v * v).sum();
                if squared > 0.0 {
                    let overlap = row.iter().zip(other).map(|(a, b)| a * b).sum::<f64>() / squared;
                    for (a, b) in row.iter_mut().zip(other) {
                        *a -= overlap * b;
                    }
                }
            }
        }
        let left = norm(row);
        if left > 0.0 {
            for a in row.iter_mut() {
                *a *= length / left;
            }
        }
    }
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|v| v * v).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_features_do_not_depend_on_the_count() {
        for draw in [Draw::Independent, Draw::Orthogonal, Draw::QuasiRandom] {
            let few = StandardDraw::new(3, 5, 7, draw);
            let many = StandardDraw::new(3, 50, 7, draw);
            assert_eq!(few.normals, many.normals[..15], "{draw:?}");
            assert_eq!(few.phases, many.phases[..5], "{draw:?}");
        }
    }

    #[test]
    fn orthogonal_groups_are_orthogonal() {
        let draw = StandardDraw::new(4, 8, 1, Draw::Orthogonal);
        for group in draw.normals.chunks_exact(16) {
            for i in 0..4 {
                for j in 0..i {
                    let (a, b) = (&group[4 * i..4 * i + 4], &group[4 * j..4 * j + 4]);
                    let dot: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
                    assert!(dot.abs() < 1e-14 * norm(a) * norm(b));
                }
            }
        }
    }

    #[test]
    fn moments_are_those_of_the_standard_normal() {
        for draw in [Draw::Independent, Draw::Orthogonal, Draw::QuasiRandom] {
            let n = 4000;
            let d = StandardDraw::new(3, n, 11, draw);
            let mean = d.normals.iter().sum::<f64>() / (3 * n) as f64;
            let variance = d.normals.iter().map(|z| z * z).sum::<f64>() / (3 * n) as f64;
            // Five standard deviations of the mean and of the variance of 12000 normals.
            assert!(
                mean.abs() < 5.0 / (12_000f64).sqrt(),
                "{draw:?} mean {mean}"
            );
            assert!(
                (variance - 1.0).abs() < 5.0 * (2.0 / 12_000f64).sqrt(),
                "{draw:?} {variance}"
            );
            assert!(
                d.phases
                    .iter()
                    .all(|b| (0.0..std::f64::consts::TAU).contains(b))
            );
        }
    }
}
