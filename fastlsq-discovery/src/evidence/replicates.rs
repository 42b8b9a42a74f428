//! Resampling blocks of windows: how stable are terms and coefficients?

use fastlsq_basis::sampling::{Sequence, UnitSampler};
use fastlsq_solve::Control;
use rayon::prelude::*;

use super::moments::Moments;
use super::select::{Judge, neighbours};

/// Frequencies of the terms and the coefficients on the chosen support over all replicates.
#[derive(Debug, Clone, Default)]
pub(crate) struct Replicates {
    pub(crate) frequencies: Vec<f64>,
    pub(crate) coefficients: Vec<Vec<f64>>,
}

/// Draws as many blocks as there are, with replacement, and selects again among the supports that
/// came close and their neighbours.
pub(crate) fn resample(
    blocks: &[Moments],
    support: &[usize],
    rivals: &[Vec<usize>],
    largest: usize,
    (replicates, seed, control): (usize, u64, &Control),
) -> Replicates {
    let Some(size) = blocks.first().map(|block| block.size) else {
        return Replicates::default();
    };
    let mut tried = rivals.to_vec();
    tried.extend(neighbours(support, size - 1, largest));
    tried.push(support.to_vec());
    tried.sort();
    tried.dedup();
    let draws: Vec<(Vec<usize>, Vec<f64>)> = (0..replicates)
        .into_par_iter()
        // Fewer replicates say the same with less certainty.
        .filter(|_| !control.is_over())
        .map(|replicate| {
            let stream = 2000 + replicate as u64;
            let picks =
                UnitSampler::on_stream(Sequence::Independent, seed, stream).points(blocks.len(), 1);
            let mut times = vec![0.0; blocks.len()];
            for pick in &picks {
                times[((pick * blocks.len() as f64) as usize).min(blocks.len() - 1)] += 1.0;
            }
            let mut moments = Moments::zero(size);
            for (block, times) in blocks.iter().zip(times).filter(|(_, t)| *t > 0.0) {
                moments.add(block, times);
            }
            let chosen = moments.fit(support).coefficients;
            let reference = moments.noise_of(support, &chosen);
            let judge = Judge::new(&moments, reference, largest).with_own_noise(true);
            let best = tried
                .iter()
                .map(|support| judge.judge(support.clone()))
                .min_by(|a, b| a.criterion.total_cmp(&b.criterion));
            (best.map_or(Vec::new(), |best| best.support), chosen)
        })
        .collect();
    if draws.is_empty() {
        return Replicates::default();
    }
    let mut frequencies = vec![0.0; size - 1];
    for (support, _) in &draws {
        for &k in support {
            frequencies[k] += 1.0;
        }
    }
    for frequency in &mut frequencies {
        *frequency /= draws.len() as f64;
    }
    Replicates {
        frequencies,
        coefficients: draws.into_iter().map(|(_, c)| c).collect(),
    }
}
