//! Everything searched for: the kind of features, a bandwidth for each axis, the number of features.
//!
//! On the box mapped to [−1, 1]^d, a few isotropic bandwidths are tried at a small size; then each
//! axis is raised and lowered on its own; then the number of features grows, with a look at
//! neighbouring scales at each size, since the best bandwidth rises with the number of features.

use fastlsq_basis::{FrequencyLaw, InputMap};

use super::search::{Found, Search, is_unresolved};
use super::trial::Features;
use crate::SolveError;
use crate::report::Status;
use crate::system::RowBlock;

/// Bandwidths of the first sweep, in the order of trial.
const SWEEP: [f64; 4] = [2.0, 8.0, 0.5, 32.0];
/// Factor between neighbouring bandwidths along one axis.
const AXIS_STEP: f64 = 1.6;
/// Factor for all axes together when the number of features has grown.
const RETUNE_STEP: f64 = 1.25;
/// From this dimension on, features of few coordinates are tried as well.
const HIGH_DIMENSION: usize = 4;

/// Features an unknown to begin with: about the numerical rank of a smooth function's features.
pub(super) fn first_size(dim: usize) -> usize {
    match dim {
        0 | 1 => 80,
        2 => 250,
        _ => 400,
    }
}

/// A family of frequency laws with one scale for each axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    /// Every feature depends on every coordinate.
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
            Self::LowOrder => FrequencyLaw::LowOrder {
                order: 2,
                law: Box::new(law),
            },
            Self::Mixed => FrequencyLaw::low_order_mix(&law),
        }
    }
}

/// The present choice and the rows of the present level.
struct Tuner<'s, 'a> {
    search: &'s mut Search<'a>,
    map: InputMap,
    family: Family,
    sigmas: Vec<f64>,
    score: f64,
    count: usize,
    level: u64,
    blocks: Vec<RowBlock>,
    /// Scores of this level, so that nothing is tried twice.
    tried: Vec<(Family, Vec<f64>, f64)>,
}

/// Runs the whole search.
pub(super) fn automatic(mut search: Search<'_>) -> Result<Found, SolveError> {
    let bounds = search.bench.problem.domain.bounding_box()?;
    let count = first_size(search.dim()).min(search.limit());
    let blocks = search.rows(count, 0)?;
    let dim = search.dim();
    let mut tuner = Tuner {
        map: InputMap::from_box(bounds.lo(), bounds.hi())?,
        family: Family::Dense,
        sigmas: vec![SWEEP[0]; dim],
        score: f64::INFINITY,
        count,
        level: 0,
        blocks,
        tried: Vec::new(),
        search: &mut search,
    };
    let status = tuner.run()?;
    let probes = search.probe_count();
    search.finish(
        status,
        match probes {
            1 => "the first candidate was good enough".to_owned(),
            _ => format!("best of {probes} candidates by held-out residual"),
        },
    )
}

impl Tuner<'_, '_> {
    fn run(&mut self) -> Result<Status, SolveError> {
        loop {
            self.sweep()?;
            self.coordinate_steps()?;
            if let Some(status) = self.ended(f64::INFINITY) {
                return Ok(status);
            }
            if !is_unresolved(self.score) {
                break;
            }
            // Too few features to tell bandwidths apart: sweep again with more.
            self.grow()?;
        }
        loop {
            let last = self.score;
            self.grow()?;
            self.retune()?;
            if let Some(status) = self.ended(last) {
                return Ok(status);
            }
        }
    }

    fn ended(&self, last: f64) -> Option<Status> {
        self.search.should_stop(self.score, last, self.count)
    }

    fn done(&self) -> bool {
        self.search.tolerance_met() || self.search.out_of_time()
    }

    /// Moves on to more features, at fresh points.
    fn grow(&mut self) -> Result<(), SolveError> {
        self.count = self.search.grown(self.count);
        self.level += 1;
        self.blocks = self.search.rows(self.count, self.level)?;
        self.tried.clear();
        self.score = f64::INFINITY;
        Ok(())
    }

    /// The score of these bandwidths at the present level.
    fn score_of(&mut self, family: Family, sigmas: &[f64]) -> Result<f64, SolveError> {
        let known = self
            .tried
            .iter()
            .find(|(f, s, _)| *f == family && s == sigmas);
        if let Some((_, _, score)) = known {
            return Ok(*score);
        }
        let features = Features::Random {
            count: self.count,
            law: family.law(sigmas),
            map: self.map.clone(),
            parity: self.search.parity.to_vec(),
            seed: self.search.bench.options.seed.wrapping_add(self.level),
        };
        let score = self.search.consider(features, &self.blocks)?;
        self.tried.push((family, sigmas.to_vec(), score));
        Ok(score)
    }

    /// Tries these bandwidths and takes them if they are better.
    fn try_out(&mut self, family: Family, sigmas: Vec<f64>) -> Result<bool, SolveError> {
        let score = self.score_of(family, &sigmas)?;
        let better = score < self.score;
        if better {
            (self.family, self.sigmas, self.score) = (family, sigmas, score);
        }
        Ok(better)
    }

    /// Isotropic bandwidths for each family, then the neighbours of the best.
    fn sweep(&mut self) -> Result<(), SolveError> {
        let dim = self.search.dim();
        let families: &[Family] = if dim >= HIGH_DIMENSION {
            &[Family::LowOrder, Family::Mixed, Family::Dense]
        } else {
            &[Family::Dense]
        };
        for &family in families {
            let (mut at, mut here) = (SWEEP[0], f64::INFINITY);
            for (index, &sigma) in SWEEP.iter().enumerate() {
                // Once something is resolved, the far side of the worse neighbour cannot win.
                let hopeless = !is_unresolved(here)
                    && ((index == 2 && at == SWEEP[1]) || (index == 3 && at != SWEEP[1]));
                if hopeless || self.done() {
                    continue;
                }
                self.try_out(family, vec![sigma; dim])?;
                let score = self.score_of(family, &vec![sigma; dim])?;
                if score < here {
                    (here, at) = (score, sigma);
                }
            }
            for factor in [2.0, 0.5] {
                if self.done() {
                    break;
                }
                self.try_out(family, vec![at * factor; dim])?;
                if self.score_of(family, &vec![at * factor; dim])? < here {
                    break;
                }
            }
            if self.done() {
                break;
            }
        }
        Ok(())
    }

    /// Raises and lowers one axis at a time while that helps.
    fn coordinate_steps(&mut self) -> Result<(), SolveError> {
        let dim = self.search.dim();
        for _round in 0..2 {
            let before = self.score;
            for axis in 0..if dim == 1 { 0 } else { dim } {
                for step in [AXIS_STEP, 1.0 / AXIS_STEP] {
                    let mut moved = false;
                    while !self.done() {
                        let mut sigmas = self.sigmas.clone();
                        sigmas[axis] *= step;
                        if !self.try_out(self.family, sigmas)? {
                            break;
                        }
                        moved = true;
                    }
                    if moved {
                        break;
                    }
                }
            }
            if self.score > 0.5 * before {
                break;
            }
        }
        Ok(())
    }

    /// The present bandwidths at a new size, and their neighbours.
    fn retune(&mut self) -> Result<(), SolveError> {
        self.try_out(self.family, self.sigmas.clone())?;
        for step in [RETUNE_STEP, 1.0 / RETUNE_STEP] {
            let mut moved = false;
            while !self.done() {
                let sigmas = self.sigmas.iter().map(|sigma| sigma * step).collect();
                if !self.try_out(self.family, sigmas)? {
                    break;
                }
                moved = true;
            }
            if moved {
                break;
            }
        }
        Ok(())
    }
}
