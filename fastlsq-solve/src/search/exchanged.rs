//! The search where coordinates can be exchanged: features with that symmetry, and no others.
//!
//! Functions that do not change when coordinates are exchanged are few, in any dimension: as many as there are ways to write
//! the degree as a sum. The largest frequency of each class of coordinates is searched for with a hundred features, then
//! their number grows.

use fastlsq_basis::InputMap;

use super::candidate::CandidateMaker;
use super::features::Features;
use super::state::{Search, is_unresolved};
use crate::report::Status;

/// Features to begin with.
const FIRST: usize = 120;
/// The most features: an entry of a row costs as much as a dozen plain ones.
const MOST: usize = 400;
/// The largest frequency to begin with.
const FIRST_RADIUS: f64 = 1.0;
/// Growth of the number of features.
const GROWTH: f64 = 1.5;
/// Factors on the frequencies in the first level, and in later ones.
const FIRST_STEP: f64 = 2.0;
const LATER_STEP: f64 = 1.4;
/// The most steps in one direction.
const MOST_STEPS: usize = 6;
/// A level that improves the score by less than this factor, with dependent features, is the last.
const WORTHWHILE: f64 = 1.5;
/// A level that improves the score by this factor with the same frequencies has no need for others.
const MUCH_GAINED: f64 = 10.0;
/// With this score features without the symmetry, of which many more are needed, will not do better.
const RESOLVED: f64 = 1e-6;
/// The levels of this stage have points of their own.
const FIRST_LEVEL: u64 = 400;

struct Stage<'s, 'a, 'p, W: CandidateMaker> {
    search: &'s mut Search<'a, W>,
    classes: &'p [usize],
    map: &'p InputMap,
    radii: Vec<f64>,
    score: f64,
    count: usize,
    level: u64,
}

/// Searches with features that do not change when coordinates of one class are exchanged. `None`: they are not good enough,
/// and the search goes on without them.
pub(super) fn run<W: CandidateMaker>(
    search: &mut Search<'_, W>,
    classes: &[usize],
    map: &InputMap,
) -> Result<Option<Status>, W::Error> {
    let number = classes.iter().max().map_or(0, |last| last + 1);
    let limit = search.limit().min(MOST);
    let mut stage = Stage {
        search,
        classes,
        map,
        radii: vec![FIRST_RADIUS; number],
        score: f64::INFINITY,
        count: FIRST.min(limit),
        level: FIRST_LEVEL,
    };
    stage.attempt(stage.radii.clone())?;
    stage.tune(FIRST_STEP)?;
    loop {
        if let Some(status) = stage.search.settled_closely()? {
            return Ok(Some(status));
        }
        if is_unresolved(stage.score) {
            return Ok(None);
        }
        if stage.count >= limit {
            let resolved = stage.score < RESOLVED;
            return Ok(resolved.then_some(Status::LimitReached));
        }
        let last = std::mem::replace(&mut stage.score, f64::INFINITY);
        stage.count = ((stage.count as f64 * GROWTH) as usize).min(limit);
        stage.level += 1;
        stage.attempt(stage.radii.clone())?;
        if MUCH_GAINED * stage.score > last {
            stage.tune(LATER_STEP)?;
        }
        if WORTHWHILE * stage.score > last && stage.search.are_dependent() {
            let resolved = stage.score < RESOLVED;
            return Ok(resolved.then_some(Status::Saturated));
        }
    }
}

impl<W: CandidateMaker> Stage<'_, '_, '_, W> {
    /// Tries frequencies, and takes them if they are better.
    fn attempt(&mut self, radii: Vec<f64>) -> Result<bool, W::Error> {
        let features = Features::Symmetric {
            count: self.count,
            classes: self.classes.to_vec(),
            radii: radii.clone(),
            map: self.map.clone(),
            parity: self.search.maker.parity().to_vec(),
            seed: self.search.options().seed.wrapping_add(self.level),
        };
        let score = loop {
            let blocks = self.search.rows(self.count, self.level)?;
            let score = self.search.consider(features.clone(), &blocks)?;
            if self.search.is_over() || !self.search.more_rows() {
                break score;
            }
        };
        let better = score < self.score;
        if better {
            (self.radii, self.score) = (radii, score);
        }
        Ok(better)
    }

    /// All frequencies up or down, then those of each class.
    fn tune(&mut self, step: f64) -> Result<(), W::Error> {
        let number = self.radii.len();
        let all: Vec<usize> = (0..number).collect();
        let mut sets = vec![all];
        if number > 1 {
            sets.extend((0..number).map(|class| vec![class]));
        }
        for set in sets {
            for factor in [step, 1.0 / step] {
                let mut moved = false;
                for _ in 0..MOST_STEPS {
                    if self.search.is_over() || self.search.tolerance_met()? {
                        return Ok(());
                    }
                    let mut radii = self.radii.clone();
                    set.iter().for_each(|&class| radii[class] *= factor);
                    if !self.attempt(radii)? {
                        break;
                    }
                    moved = true;
                }
                if moved {
                    break;
                }
            }
        }
        Ok(())
    }
}
