//! Frequency laws: how a standard normal draw ŵ becomes a frequency w = L ŵ.

use super::low_order::{count_up_to, subsets_up_to, turns};
use crate::BasisError;
use crate::error::{require_dim, require_finite, require_size};

/// A limit on the sets of coordinates that a low-order law may take turns in.
const MAX_SUBSETS: f64 = 1e6;

/// The distribution of the frequencies wⱼ, in the coordinates of the [`InputMap`](crate::InputMap).
///
/// Every law acts on the same standard normal draw ŵⱼ, wⱼ = L ŵⱼ, so that the scale can be changed
/// (or learned) while the draw stays (paper, reparameterisation of the bandwidth).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FrequencyLaw {
    /// w ~ N(0, σ² I).
    Isotropic(f64),
    /// w ~ N(0, diag σₖ²).
    PerAxis(Vec<f64>),
    /// w ~ N(0, L Lᵀ): the lower-triangular factor L, row by row (d(d+1)/2 numbers).
    Cholesky(Vec<f64>),
    /// Features of a few directions only: w = Σₖ ŵₖ aₖ, where the aₖ (d numbers each) carry the scale. The standard draw is
    /// one of as many dimensions as there are directions.
    Subspace(Vec<Vec<f64>>),
    /// Several blocks of features, each with its share and its own law (the multi-block architecture).
    Blocks(Vec<(f64, FrequencyLaw)>),
    /// Features that depend on at most `order` coordinates; the subsets of coordinates take turns.
    LowOrder {
        /// How many coordinates one feature may depend on.
        order: usize,
        /// The law of the components that are kept.
        law: Box<FrequencyLaw>,
    },
}

impl FrequencyLaw {
    /// Equal blocks of features at these isotropic bandwidths.
    #[must_use]
    pub fn blocks(sigmas: &[f64]) -> Self {
        Self::Blocks(
            sigmas
                .iter()
                .map(|&sigma| (1.0, Self::Isotropic(sigma)))
                .collect(),
        )
    }

    /// A mix for higher dimensions: half of the features depend on one or two coordinates only.
    #[must_use]
    pub fn low_order_mix(law: &FrequencyLaw) -> Self {
        let low = Self::LowOrder {
            order: 2,
            law: Box::new(law.clone()),
        };
        Self::Blocks(vec![(0.5, low), (0.5, law.clone())])
    }

    /// The same law with every frequency multiplied by a factor.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        match self {
            Self::Isotropic(sigma) => Self::Isotropic(sigma * factor),
            Self::PerAxis(sigmas) => Self::PerAxis(sigmas.iter().map(|s| s * factor).collect()),
            Self::Cholesky(lower) => Self::Cholesky(lower.iter().map(|l| l * factor).collect()),
            Self::Subspace(directions) => {
                let scaled = |a: &Vec<f64>| a.iter().map(|a| a * factor).collect();
                Self::Subspace(directions.iter().map(scaled).collect())
            }
            Self::Blocks(blocks) => Self::Blocks(
                blocks
                    .iter()
                    .map(|(share, law)| (*share, law.scaled(factor)))
                    .collect(),
            ),
            Self::LowOrder { order, law } => Self::LowOrder {
                order: *order,
                law: Box::new(law.scaled(factor)),
            },
        }
    }

    /// Checks the parameters against a dimension.
    ///
    /// # Errors
    /// Negative or non-finite scales, wrong lengths, empty or nested blocks.
    pub fn validate(&self, dim: usize) -> Result<(), BasisError> {
        match self {
            Self::Isotropic(sigma) => require_scale(*sigma),
            Self::PerAxis(sigmas) => {
                require_dim("the list of bandwidths", dim, sigmas.len())?;
                sigmas.iter().try_for_each(|&sigma| require_scale(sigma))
            }
            Self::Cholesky(lower) => {
                require_size("the Cholesky factor", dim * (dim + 1) / 2, lower.len())?;
                require_finite("the Cholesky factor", lower)
            }
            Self::Subspace(directions) => {
                if directions.is_empty() || directions.len() > dim {
                    return Err(BasisError::Parameter {
                        what: "number of directions of a subspace",
                        value: directions.len() as f64,
                        requirement: "between 1 and the dimension",
                    });
                }
                directions.iter().try_for_each(|direction| {
                    require_dim("a direction of a subspace", dim, direction.len())?;
                    require_finite("a direction of a subspace", direction)
                })
            }
            Self::Blocks(blocks) => {
                if blocks.is_empty() {
                    return Err(BasisError::Empty {
                        what: "the list of frequency blocks",
                    });
                }
                let total: f64 = blocks.iter().map(|(share, _)| share).sum();
                require_finite("the sum of the block shares", &[total])?;
                blocks.iter().try_for_each(|(share, law)| {
                    if !(share.is_finite() && *share > 0.0) {
                        return Err(BasisError::Parameter {
                            what: "share of a frequency block",
                            value: *share,
                            requirement: "shares must be positive and finite",
                        });
                    }
                    law.validate(dim)
                })
            }
            Self::LowOrder { order, law } => {
                if *order == 0 || *order > dim {
                    return Err(BasisError::Parameter {
                        what: "order of a low-order law",
                        value: *order as f64,
                        requirement: "between 1 and the dimension",
                    });
                }
                if count_up_to(dim, *order) > MAX_SUBSETS {
                    return Err(BasisError::Parameter {
                        what: "order of a low-order law",
                        value: *order as f64,
                        requirement: "so small that there are at most a million sets of coordinates",
                    });
                }
                if matches!(
                    **law,
                    Self::Subspace(_) | Self::Blocks(_) | Self::LowOrder { .. }
                ) {
                    return Err(BasisError::Unsupported {
                        basis: "low-order frequency law",
                        action: "nested laws".into(),
                    });
                }
                law.validate(dim)
            }
        }
    }

    /// The mean of cos(w·r): the characteristic function of the (symmetric) law at r.
    pub(crate) fn characteristic(&self, offset: &[f64]) -> f64 {
        match self {
            Self::Blocks(blocks) => {
                let total: f64 = blocks.iter().map(|(share, _)| share).sum();
                let sum: f64 = blocks
                    .iter()
                    .map(|(share, law)| share * law.characteristic(offset))
                    .sum();
                sum / total
            }
            Self::LowOrder { order, law } => {
                let pulled = law.pull_back(offset);
                let subsets = subsets_up_to(offset.len(), *order);
                let sum: f64 = subsets
                    .iter()
                    .map(|kept| {
                        kept.iter()
                            .map(|&axis| pulled[axis] * pulled[axis])
                            .sum::<f64>()
                    })
                    .map(|squared| (-0.5 * squared).exp())
                    .sum();
                sum / subsets.len() as f64
            }
            Self::Isotropic(_) | Self::PerAxis(_) | Self::Cholesky(_) | Self::Subspace(_) => {
                let squared: f64 = self.pull_back(offset).iter().map(|r| r * r).sum();
                (-0.5 * squared).exp()
            }
        }
    }

    /// Lᵀ r, for laws with one factor L, which need not be square (r itself for the others).
    fn pull_back(&self, offset: &[f64]) -> Vec<f64> {
        match self {
            Self::Isotropic(sigma) => offset.iter().map(|r| sigma * r).collect(),
            Self::PerAxis(sigmas) => offset.iter().zip(sigmas).map(|(r, s)| s * r).collect(),
            Self::Cholesky(lower) => {
                let mut pulled = vec![0.0; offset.len()];
                let mut entries = lower.iter();
                for (row, r) in offset.iter().enumerate() {
                    for (target, l) in pulled.iter_mut().zip(entries.by_ref().take(row + 1)) {
                        *target += l * r;
                    }
                }
                pulled
            }
            Self::Subspace(directions) => {
                let along = |a: &Vec<f64>| a.iter().zip(offset).map(|(a, r)| a * r).sum();
                directions.iter().map(along).collect()
            }
            Self::Blocks(_) | Self::LowOrder { .. } => offset.to_vec(),
        }
    }

    /// Writes w = L ŵ for every feature; both arrays hold one feature after the other.
    pub(super) fn transform(&self, dim: usize, draw: &[f64], frequencies: &mut [f64]) {
        match self {
            Self::Isotropic(sigma) => {
                for (w, z) in frequencies.iter_mut().zip(draw) {
                    *w = sigma * z;
                }
            }
            Self::PerAxis(sigmas) => {
                for (w, z) in frequencies
                    .chunks_exact_mut(dim)
                    .zip(draw.chunks_exact(dim))
                {
                    for ((w, z), sigma) in w.iter_mut().zip(z).zip(sigmas) {
                        *w = sigma * z;
                    }
                }
            }
            Self::Cholesky(lower) => {
                for (w, z) in frequencies
                    .chunks_exact_mut(dim)
                    .zip(draw.chunks_exact(dim))
                {
                    let mut rest = lower.as_slice();
                    for (row, w) in w.iter_mut().enumerate() {
                        let (entries, tail) = rest.split_at(row + 1);
                        *w = entries.iter().zip(z).map(|(l, z)| l * z).sum();
                        rest = tail;
                    }
                }
            }
            Self::Subspace(directions) => {
                for (w, z) in frequencies
                    .chunks_exact_mut(dim)
                    .zip(draw.chunks_exact(dim))
                {
                    w.fill(0.0);
                    for (direction, z) in directions.iter().zip(z) {
                        for (w, a) in w.iter_mut().zip(direction) {
                            *w += z * a;
                        }
                    }
                }
            }
            Self::Blocks(blocks) => {
                let counts = shares(blocks.iter().map(|(share, _)| *share), draw.len() / dim);
                let mut start = 0;
                for ((_, law), count) in blocks.iter().zip(counts) {
                    let range = start * dim..(start + count) * dim;
                    law.transform(dim, &draw[range.clone()], &mut frequencies[range]);
                    start += count;
                }
            }
            Self::LowOrder { order, law } => {
                let subsets = subsets_up_to(dim, *order);
                let turns = turns(subsets.len(), draw.len() / dim);
                let mut masked = draw.to_vec();
                for (z, turn) in masked.chunks_exact_mut(dim).zip(turns) {
                    let kept = &subsets[turn];
                    for (axis, z) in z.iter_mut().enumerate() {
                        if !kept.contains(&axis) {
                            *z = 0.0;
                        }
                    }
                }
                law.transform(dim, &masked, frequencies);
            }
        }
    }
}

/// Whole numbers proportional to the shares that add up to `total`.
pub(super) fn shares(shares: impl Iterator<Item = f64>, total: usize) -> Vec<usize> {
    let shares: Vec<f64> = shares.collect();
    let sum: f64 = shares.iter().sum();
    let mut before = 0.0;
    let mut start = 0;
    shares
        .iter()
        .map(|share| {
            before += share;
            let end = ((before / sum * total as f64).round() as usize).clamp(start, total);
            let count = end - start;
            start = end;
            count
        })
        .collect()
}

fn require_scale(sigma: f64) -> Result<(), BasisError> {
    if sigma.is_finite() && sigma >= 0.0 {
        Ok(())
    } else {
        Err(BasisError::Parameter {
            what: "bandwidth σ",
            value: sigma,
            requirement: "finite and not negative",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up() {
        assert_eq!(shares([1.0, 1.0, 1.0].into_iter(), 10), [3, 4, 3]);
        assert_eq!(shares([0.1, 0.9].into_iter(), 1).iter().sum::<usize>(), 1);
        assert_eq!(shares([2.0].into_iter(), 0), [0]);
    }

    #[test]
    fn cholesky_rows_act_as_a_lower_triangle() {
        let law = FrequencyLaw::Cholesky(vec![2.0, -1.0, 3.0]);
        let mut w = [0.0; 2];
        law.transform(2, &[1.0, 10.0], &mut w);
        assert_eq!(w, [2.0, 29.0]);
    }

    #[test]
    fn low_order_features_use_few_coordinates() {
        let law = FrequencyLaw::LowOrder {
            order: 2,
            law: Box::new(FrequencyLaw::Isotropic(1.0)),
        };
        let mut w = [0.0; 5 * 15];
        law.transform(5, &[1.0; 5 * 15], &mut w);
        let used: Vec<usize> = w
            .chunks(5)
            .map(|w| w.iter().filter(|w| **w != 0.0).count())
            .collect();
        assert_eq!(used.iter().filter(|&&n| n == 1).count(), 5);
        assert_eq!(used.iter().filter(|&&n| n == 2).count(), 10);
    }

    #[test]
    fn bad_parameters_are_named() {
        assert!(FrequencyLaw::Isotropic(-1.0).validate(2).is_err());
        assert!(FrequencyLaw::Isotropic(f64::NAN).validate(2).is_err());
        assert!(FrequencyLaw::PerAxis(vec![1.0]).validate(2).is_err());
        assert!(FrequencyLaw::Cholesky(vec![1.0; 4]).validate(2).is_err());
        assert!(FrequencyLaw::Blocks(vec![]).validate(2).is_err());
        assert!(FrequencyLaw::blocks(&[2.0, 5.0, 9.0]).validate(2).is_ok());
    }
}
