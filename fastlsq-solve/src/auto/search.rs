//! The search: bandwidths at a small size, then growth until the tolerance is met.

use std::time::Instant;

use fastlsq_basis::{FrequencyLaw, InputMap, Parity};

use super::estimate::{self, Witness};
use super::rows::{RowCounts, TableShare, sample_blocks};
use super::trial::{Bench, Features, Trial};
use crate::SolveError;
use crate::options::FeatureChoice;
use crate::report::{Probe, Status};
use crate::system::RowBlock;

/// What a search found.
pub(crate) struct Found {
    pub(crate) best: Trial,
    pub(crate) estimate: f64,
    pub(crate) status: Status,
    pub(crate) probes: Vec<Probe>,
    /// How the choice was made, in a sentence.
    pub(crate) choice: String,
}

/// Bandwidths of the first sweep, on the box mapped to [−1, 1]^d.
const SWEEP: [f64; 4] = [0.5, 2.0, 8.0, 32.0];
/// Factor between neighbouring bandwidths along one axis.
const AXIS_STEP: f64 = 1.6;
/// Factor for all axes together when the number of features has grown.
const RETUNE_STEP: f64 = 1.25;
/// Growth of the number of features from level to level.
const GROWTH: f64 = 1.7;
/// A level that improves the score by less than this factor is the last.
const WORTHWHILE: f64 = 2.0;
/// The score is compared with the tolerance after this factor for safety.
const SCORE_MARGIN: f64 = 0.5;

pub(crate) fn search(
    bench: &Bench<'_>,
    parity: &[Vec<Parity>],
    begin: Instant,
) -> Result<Found, SolveError> {
    let mut search = Search { bench, parity, begin, best: None, witnesses: Vec::new(), probes: Vec::new() };
    match &bench.options.choice {
        FeatureChoice::Basis(basis) => {
            search.fixed(basis.len(), "the given basis", |_, _| Ok(Features::Given(basis.clone())))
        }
        FeatureChoice::Law(law) => search.explicit(law),
        FeatureChoice::Grid { bandwidths, trials } => search.grid(bandwidths, *trials),
        FeatureChoice::Automatic => search.automatic(),
    }
}

struct Search<'a> {
    bench: &'a Bench<'a>,
    parity: &'a [Vec<Parity>],
    begin: Instant,
    best: Option<Trial>,
    witnesses: Vec<Witness>,
    probes: Vec<Probe>,
}

/// A family of frequency laws with one scale for each axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Dense,
    /// Features of at most two coordinates.
    LowOrder,
    /// Half low-order, half dense.
    Mixed,
}

impl Family {
    fn law(self, sigmas: &[f64]) -> FrequencyLaw {
        let law = FrequencyLaw::PerAxis(sigmas.to_vec());
        match self {
            Self::Dense => law,
            Self::LowOrder => FrequencyLaw::LowOrder { order: 2, law: Box::new(law) },
            Self::Mixed => FrequencyLaw::low_order_mix(&law),
        }
    }
}

impl Search<'_> {
    fn unknowns(&self) -> usize {
        self.bench.problem.unknowns.len()
    }

    fn dim(&self) -> usize {
        self.bench.problem.domain.dim()
    }

    fn out_of_time(&self) -> bool {
        self.bench.options.time_limit.is_some_and(|limit| self.begin.elapsed() >= limit)
    }

    /// Rows for this many features an unknown; each level has points of its own.
    fn rows(&self, features: usize, level: u64) -> Result<Vec<RowBlock>, SolveError> {
        let options = self.bench.options;
        let counts =
            RowCounts::choose(self.bench.problem, options.rows, features * self.unknowns());
        let seed = options.seed.wrapping_mul(0x0001_0000_0001).wrapping_add(level * 7919);
        sample_blocks(self.bench.problem, &counts, options.sequence, seed, TableShare::Fitted)
    }

    /// Runs a candidate, keeps it if it is the best, and returns its score.
    fn consider(&mut self, features: Features, blocks: &[RowBlock]) -> Result<f64, SolveError> {
        let trial = self.bench.run(features, blocks)?;
        let score = trial.score.worst;
        self.probes.push(Probe::of(&trial));
        self.witnesses.push(Witness { score, values: trial.score.values.clone() });
        if self.best.as_ref().is_none_or(|best| score < best.score.worst) {
            self.best = Some(trial);
        }
        Ok(score)
    }

    fn finish(self, status: Status, choice: String) -> Result<Found, SolveError> {
        let best = self.best.ok_or(SolveError::NothingToSolve)?;
        let estimate = estimate::relative_error(&best.score, &self.witnesses);
        let status = match status {
            Status::Explicit => Status::Explicit,
            _ if estimate <= self.bench.options.tolerance => Status::ToleranceMet,
            other => other,
        };
        Ok(Found { best, estimate, status, probes: self.probes, choice })
    }

    /// Features without any choice left; a companion of half the size calibrates the estimate.
    fn fixed(
        mut self,
        count: usize,
        what: &str,
        make: impl Fn(usize, u64) -> Result<Features, SolveError>,
    ) -> Result<Found, SolveError> {
        let options = self.bench.options;
        let blocks = self.rows(count, 0)?;
        if !matches!(options.choice, FeatureChoice::Basis(_)) && count >= 8 {
            let half = RowCounts::choose(self.bench.problem, None, count / 2 * self.unknowns());
            let companion = sample_blocks(
                self.bench.problem,
                &half,
                options.sequence,
                options.seed.wrapping_add(101),
                TableShare::Fitted,
            )?;
            let features = make(count / 2, options.seed.wrapping_add(1))?;
            self.consider(features, &companion)?;
            self.best = None;
        }
        let features = make(count, options.seed)?;
        self.consider(features, &blocks)?;
        self.finish(Status::Explicit, format!("{what}: nothing was searched for"))
    }

    /// The user's law; the number of features is given or grows.
    fn explicit(mut self, law: &FrequencyLaw) -> Result<Found, SolveError> {
        let map = InputMap::identity(self.dim());
        let parity = self.parity.to_vec();
        let make = |count: usize, seed: u64| {
            Ok(Features::Random {
                count,
                law: law.clone(),
                map: map.clone(),
                parity: parity.clone(),
                seed,
            })
        };
        if let Some(count) = self.bench.options.features {
            return self.fixed(count, "explicit law and size", make);
        }
        let mut count = first_size(self.dim()).min(self.bench.options.max_features);
        let mut level = 0;
        let mut last = f64::INFINITY;
        loop {
            let blocks = self.rows(count, level)?;
            let seed = self.bench.options.seed.wrapping_add(level);
            let score = self.consider(make(count, seed)?, &blocks)?;
            if let Some(status) = self.should_stop(score, last, count) {
                return self.finish(status, "explicit law, features grown".to_owned());
            }
            last = score;
            level += 1;
            count = self.grown(count);
        }
    }

    /// The best of a list of bandwidths, each with several draws, by held-out residual.
    fn grid(mut self, bandwidths: &[f64], trials: usize) -> Result<Found, SolveError> {
        let count = self.bench.options.features.unwrap_or(first_size(self.dim()) * 2);
        let map = InputMap::identity(self.dim());
        for trial in 0..trials as u64 {
            let blocks = self.rows(count, trial)?;
            for &sigma in bandwidths {
                let features = Features::Random {
                    count,
                    law: FrequencyLaw::Isotropic(sigma),
                    map: map.clone(),
                    parity: self.parity.to_vec(),
                    seed: self.bench.options.seed.wrapping_add(trial),
                };
                self.consider(features, &blocks)?;
                if self.out_of_time() {
                    return self.finish(Status::LimitReached, "grid search, cut short".to_owned());
                }
            }
        }
        let tried = bandwidths.len();
        self.finish(Status::Explicit, format!("best of {tried} bandwidths, {trials} trials each"))
    }

    fn grown(&self, count: usize) -> usize {
        ((count as f64 * GROWTH) as usize).min(self.bench.options.max_features)
    }

    /// Whether growth ends at this level, and why.
    fn should_stop(&self, score: f64, last: f64, count: usize) -> Option<Status> {
        let options = self.bench.options;
        if score <= SCORE_MARGIN * options.tolerance {
            Some(Status::ToleranceMet)
        } else if last < WORTHWHILE * score {
            Some(Status::Saturated)
        } else if count >= options.max_features || self.out_of_time() {
            Some(Status::LimitReached)
        } else {
            None
        }
    }

    /// Everything searched for: family and bandwidths at a small size, then growth with retuning.
    fn automatic(mut self) -> Result<Found, SolveError> {
        let options = self.bench.options;
        let bounds = self.bench.problem.domain.bounding_box()?;
        let map = InputMap::from_box(bounds.lo(), bounds.hi())?;
        let limit = options.features.unwrap_or(options.max_features);
        let mut count = first_size(self.dim()).min(limit);
        let mut blocks = self.rows(count, 0)?;
        let parity = self.parity.to_vec();
        let features = |family: Family, sigmas: &[f64], count: usize, level: u64| Features::Random {
            count,
            law: family.law(sigmas),
            map: map.clone(),
            parity: parity.clone(),
            seed: options.seed.wrapping_add(level),
        };
        let goal = SCORE_MARGIN * options.tolerance;
        let families: &[Family] = if self.dim() >= 4 {
            &[Family::LowOrder, Family::Mixed, Family::Dense]
        } else {
            &[Family::Dense]
        };

        // Coarse sweep, then the neighbours of the best.
        let mut family = families[0];
        let mut sigmas = vec![SWEEP[1]; self.dim()];
        let mut score = f64::INFINITY;
        for &candidate in families {
            let mut at = SWEEP[1];
            let mut here = f64::INFINITY;
            for &sigma in &SWEEP {
                let tried = vec![sigma; self.dim()];
                let s = self.consider(features(candidate, &tried, count, 0), &blocks)?;
                if s < here {
                    (here, at) = (s, sigma);
                }
                if s <= goal || self.out_of_time() {
                    break;
                }
            }
            for factor in [0.5, 2.0] {
                if here <= goal || self.out_of_time() {
                    break;
                }
                let tried = vec![at * factor; self.dim()];
                let s = self.consider(features(candidate, &tried, count, 0), &blocks)?;
                if s < here {
                    (here, at) = (s, at * factor);
                    break;
                }
            }
            if here < score {
                (score, family, sigmas) = (here, candidate, vec![at; self.dim()]);
            }
            if score <= goal || self.out_of_time() {
                break;
            }
        }
        // Coordinate steps: each axis has its own scale.
        if self.dim() > 1 {
            score = self.coordinate_steps(&mut sigmas, score, goal, &blocks, |s| {
                features(family, s, count, 0)
            })?;
        }
        // Growth, with a look at neighbouring scales at each size.
        let mut level = 0;
        let mut status = if score <= goal { Some(Status::ToleranceMet) } else { None };
        while status.is_none() {
            if count >= limit || self.out_of_time() {
                status = Some(Status::LimitReached);
                break;
            }
            let last = score;
            level += 1;
            count = ((count as f64 * GROWTH) as usize).min(limit);
            blocks = self.rows(count, level)?;
            score = self.consider(features(family, &sigmas, count, level), &blocks)?;
            for step in [RETUNE_STEP, 1.0 / RETUNE_STEP] {
                let mut improved = false;
                while score > goal && !self.out_of_time() {
                    let tried: Vec<f64> = sigmas.iter().map(|s| s * step).collect();
                    let s = self.consider(features(family, &tried, count, level), &blocks)?;
                    if s >= score {
                        break;
                    }
                    (score, sigmas, improved) = (s, tried, true);
                }
                if improved {
                    break;
                }
            }
            status = self.should_stop(score, last, usize::MAX.min(if count >= limit { usize::MAX } else { 0 }));
        }
        let probes = self.probes.len();
        self.finish(
            status.unwrap_or(Status::LimitReached),
            format!("{probes} candidates judged by held-out residuals"),
        )
    }

    /// Raises and lowers one axis at a time while that helps.
    fn coordinate_steps(
        &mut self,
        sigmas: &mut Vec<f64>,
        mut score: f64,
        goal: f64,
        blocks: &[RowBlock],
        features: impl Fn(&[f64]) -> Features,
    ) -> Result<f64, SolveError> {
        for _round in 0..2 {
            let before = score;
            for axis in 0..self.dim() {
                for step in [AXIS_STEP, 1.0 / AXIS_STEP] {
                    let mut improved = false;
                    while score > goal && !self.out_of_time() {
                        let mut tried = sigmas.clone();
                        tried[axis] *= step;
                        let s = self.consider(features(&tried), blocks)?;
                        if s >= score {
                            break;
                        }
                        score = s;
                        *sigmas = tried;
                        improved = true;
                    }
                    if improved {
                        break;
                    }
                }
            }
            if score > 0.5 * before {
                break;
            }
        }
        Ok(score)
    }
}

/// Features an unknown to begin with: about the numerical rank of a smooth function's features.
fn first_size(dim: usize) -> usize {
    match dim {
        0 | 1 => 80,
        2 => 250,
        3 => 400,
        _ => 400,
    }
}
