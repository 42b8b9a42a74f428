//! The standard draw behind a sinusoidal basis: ŵⱼ of mean 0 and covariance I (Gaussian, or even over a
//! ball), and bⱼ ~ U(0, 2π).

use super::law::{FrequencyLaw, shares};
use crate::sampling::{Sequence, UnitSampler, normal_quantile};

/// How the standard frequencies and uniform phases are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Draw {
    /// Independent Gaussian frequencies.
    #[default]
    Independent,
    /// Groups of d mutually orthogonal directions with the lengths of Gaussian vectors.
    Orthogonal,
    /// A scrambled Halton sequence through the normal quantile: evenly spread frequencies.
    QuasiRandom,
    /// Evenly spread over the ball of radius √(d + 2), which has unit covariance too: a scrambled
    /// Halton sequence, no crowd in the middle and no tail. In few dimensions it resolves as much as
    /// Gaussian frequencies of about 1.4 times their number.
    Ball,
}

/// The raw numbers, one feature after the other. The first features do not depend on `count`.
pub(super) struct StandardDraw {
    pub(super) normals: Vec<f64>,
    pub(super) phases: Vec<f64>,
}

impl StandardDraw {
    /// The draw that a law acts on. Features of a subspace have a draw of the subspace's dimension, so that they are as
    /// even over its ball as those of any space of that dimension; zeros fill up the rest.
    pub(super) fn of_law(
        law: &FrequencyLaw,
        dim: usize,
        count: usize,
        seed: u64,
        draw: Draw,
    ) -> Self {
        match law {
            FrequencyLaw::Subspace(directions) => {
                Self::new(directions.len(), count, seed, draw).widened(directions.len(), dim)
            }
            FrequencyLaw::Blocks(blocks)
                if blocks
                    .iter()
                    .any(|(_, law)| matches!(law, FrequencyLaw::Subspace(_))) =>
            {
                let mut all = Self {
                    normals: Vec::with_capacity(count * dim),
                    phases: Vec::with_capacity(count),
                };
                let counts = shares(blocks.iter().map(|(share, _)| *share), count);
                for (index, ((_, law), count)) in blocks.iter().zip(counts).enumerate() {
                    // Blocks of one dimension would have the same draw otherwise.
                    let own = seed.wrapping_add((index as u64).wrapping_mul(BLOCK_SEED));
                    let block = Self::of_law(law, dim, count, own, draw);
                    all.normals.extend(block.normals);
                    all.phases.extend(block.phases);
                }
                all
            }
            _ => Self::new(dim, count, seed, draw),
        }
    }

    /// Vectors of `from` components filled up with zeros.
    fn widened(self, from: usize, to: usize) -> Self {
        let mut normals = vec![0.0; self.phases.len() * to];
        let vectors = self.normals.chunks_exact(from.max(1));
        for (wide, vector) in normals.chunks_exact_mut(to.max(1)).zip(vectors) {
            wide[..from].copy_from_slice(vector);
        }
        Self { normals, ..self }
    }

    pub(super) fn new(dim: usize, count: usize, seed: u64, draw: Draw) -> Self {
        let sequence = match draw {
            Draw::Independent | Draw::Orthogonal => Sequence::Independent,
            Draw::QuasiRandom | Draw::Ball => Sequence::Halton,
        };
        // Whole groups of d directions, so that orthogonal features too are the same for any count.
        let padded = if draw == Draw::Orthogonal {
            count.div_ceil(dim.max(1)) * dim
        } else {
            count
        };
        let coordinates = dim + 1 + usize::from(draw == Draw::Ball);
        let unit = UnitSampler::new(sequence, seed).points(padded, coordinates);
        let mut normals = Vec::with_capacity(padded * dim);
        let mut phases = Vec::with_capacity(padded);
        for row in unit.rows() {
            normals.extend(row.iter().take(dim).map(|&p| normal_quantile(p)));
            phases.push(std::f64::consts::TAU * row[dim]);
            if draw == Draw::Ball {
                let filled = normals.len();
                into_ball(&mut normals[filled - dim..], row[dim + 1]);
            }
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

/// Between the seeds of neighbouring blocks.
const BLOCK_SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// Turns a standard normal vector and a uniform number into a point of the ball of radius √(d + 2).
///
/// A point of the sphere in d + 2 dimensions without two of its coordinates is uniform in the ball
/// of d dimensions; the squares of the two, before normalisation, add up to −2 ln p.
fn into_ball(normal: &mut [f64], p: f64) {
    let squared = normal.iter().map(|z| z * z).sum::<f64>();
    // p = 0 has an infinite logarithm: the centre of the ball, as it should be.
    let length = libm::sqrt(squared - 2.0 * libm::log(p));
    let radius = ((normal.len() + 2) as f64).sqrt();
    for z in normal {
        *z = if length > 0.0 {
            radius * *z / length
        } else {
            0.0
        };
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
        for draw in [
            Draw::Independent,
            Draw::Orthogonal,
            Draw::QuasiRandom,
            Draw::Ball,
        ] {
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
    fn points_fill_their_ball_evenly() {
        for dim in [1, 2, 3, 5] {
            let n = 4000;
            let draw = StandardDraw::new(dim, n, 3, Draw::Ball);
            let radius = ((dim + 2) as f64).sqrt();
            // The share of a ball within a fraction q of its radius is q^d.
            for q in [0.3f64, 0.6, 0.9] {
                let inside = draw
                    .normals
                    .chunks_exact(dim)
                    .filter(|w| norm(w) < q * radius);
                let share = inside.count() as f64 / n as f64;
                assert!(
                    (share - q.powi(dim as i32)).abs() < 0.02,
                    "{dim} {q} {share}"
                );
            }
            assert!(draw.normals.chunks_exact(dim).all(|w| norm(w) <= radius));
        }
    }

    #[test]
    fn moments_are_those_of_the_standard_normal() {
        for draw in [
            Draw::Independent,
            Draw::Orthogonal,
            Draw::QuasiRandom,
            Draw::Ball,
        ] {
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
