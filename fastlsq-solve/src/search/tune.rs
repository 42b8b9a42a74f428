//! Everything that is searched for: the kind of features, a bandwidth for each axis, the number of features.
//!
//! On the box mapped to [−1, 1]^d, a few isotropic bandwidths are tried at a small size; then each
//! axis is raised and lowered on its own; then the number of features grows, with a look at
//! neighbouring scales at each size, since the best bandwidth rises with the number of features.

use fastlsq_basis::InputMap;

use super::candidate::CandidateMaker;
use super::exchanged;
use super::features::Features;
use super::particular;
use super::ridge::Ridge;
use super::shape::{Family, HIGH_DIMENSION, Shape, correlation_factor, directed};
use super::state::{Ending, Rows, Search, is_unresolved};
use super::structured;
use crate::SolveError;
use crate::report::Status;

/// Bandwidths of the first sweep, in the order in which they are tried.
const SWEEP: [f64; 4] = [2.0, 8.0, 0.5, 32.0];
/// Bandwidths of one axis and of the others, where equal ones fail.
const UNEQUAL: [(f64, f64); 3] = [(8.0, 2.0), (32.0, 2.0), (32.0, 8.0)];
/// Factor between neighbouring bandwidths along one axis.
const AXIS_STEP: f64 = 1.6;
/// Factor for all axes together when the number of features has grown.
const RETUNE_STEP: f64 = 1.25;
/// The most steps in one direction: a factor of ten thousand and more.
const MOST_STEPS: usize = 40;
/// Twice the rows must improve the score by this factor to be kept.
const ROWS_GAIN: f64 = 1.5;
/// The first ridges that are tried where there are only data: one that is the same for all frequencies, and one that rises.
const FIRST_RIDGES: [Ridge; 2] = [Ridge::new(1e-6, 0.0), Ridge::new(1e-7, 10.0)];
/// How many powers of ten from there.
const RIDGES: usize = 6;
/// A level that improves the score by this factor with the same bandwidth has no use for a smaller one.
const MUCH_GAINED: f64 = 100.0;

/// Features per unknown to begin with: about the numerical rank of a smooth function's features.
pub(super) fn first_size(dim: usize) -> usize {
    match dim {
        0 | 1 => 80,
        2 => 250,
        _ => 400,
    }
}

/// The present choice and the rows of the present level.
struct Tuner<'s, 'a, W: CandidateMaker> {
    search: &'s mut Search<'a, W>,
    map: InputMap,
    shape: Shape,
    score: f64,
    /// The score of the level before.
    last: f64,
    count: usize,
    level: u64,
    rows: Rows,
    /// Scores of this level, so that nothing is tried twice.
    tried: Vec<(Shape, f64)>,
    /// The ridge of the candidates.
    ridge: Ridge,
    /// How many entries of [`NARROWING`] the present correlation has used up.
    narrowed: usize,
}

/// Runs the whole search.
pub(super) fn automatic<W: CandidateMaker>(search: &mut Search<'_, W>) -> Result<Ending, W::Error> {
    let bounds = search.maker.bounding_box()?;
    let dim = search.dim();
    let begin = search.options().begin_with.clone();
    let begin = begin.and_then(|(count, law)| Some((count, Shape::of(&law, dim)?)));
    let map = InputMap::from_box(bounds.lo(), bounds.hi()).map_err(SolveError::from)?;
    let open = begin.is_none() && search.options().features.is_none();
    if (open || !search.maker.may_use_waves())
        && let Some(status) = particular::run(search)?
    {
        return settled(search, status);
    }
    if begin.is_none() {
        let ended = match search.maker.structure() {
            Some(structure) => {
                let ended = structured::run(search, &structure, &map)?;
                if ended.is_none() {
                    search.say(format!("the data alone: {}", structure.words));
                }
                ended
            }
            None => None,
        };
        if let Some(status) = ended {
            return settled(search, status);
        }
        if dim >= HIGH_DIMENSION
            && let Some(classes) = search.maker.exchangeable()
            && let Some(status) = exchanged::run(search, &classes, &map)?
        {
            return settled(search, status);
        }
    }
    let first = begin.as_ref().map_or(first_size(dim), |(count, _)| *count);
    let count = first.max(1).min(search.limit());
    let rows = search.rows(count, 0)?;
    let swept = begin.is_some();
    let shape = begin.map_or_else(
        || Shape::isotropic(Family::Dense, SWEEP[0], dim),
        |(_, shape)| shape,
    );
    let mut tuner = Tuner {
        map,
        shape,
        score: f64::INFINITY,
        last: f64::INFINITY,
        count,
        level: 0,
        rows,
        tried: Vec::new(),
        ridge: Ridge::default(),
        narrowed: 0,
        search,
    };
    let status = tuner.run(swept)?;
    settled(search, status)
}

/// The end of a search, with the number of features that was asked for.
fn settled<W: CandidateMaker>(
    search: &mut Search<'_, W>,
    status: Status,
) -> Result<Ending, W::Error> {
    if let Some(count) = search.options().features {
        search.settle_on(count)?;
    }
    let choice = match search.probe_count() {
        1 => "the first candidate was good enough".to_owned(),
        candidates => format!("best of {candidates} candidates by held-out residual"),
    };
    Ok((status, choice))
}

impl<W: CandidateMaker> Tuner<'_, '_, W> {
    /// `swept`: the present shape was given, so there is no need for a sweep unless it fails.
    ///
    /// Both loops end at the latest with the limit on features, since every level has more of them.
    fn run(&mut self, mut swept: bool) -> Result<Status, W::Error> {
        loop {
            if swept {
                self.try_out(self.shape.clone())?;
            }
            if !swept || is_unresolved(self.score) {
                self.sweep()?;
                self.anisotropic_sweep()?;
            }
            swept = false;
            self.coordinate_steps()?;
            self.correlate_axes()?;
            self.add_rows()?;
            if let Some(status) = self.ended(f64::INFINITY)? {
                return Ok(status);
            }
            if !is_unresolved(self.score) {
                break;
            }
            // Too few features to tell bandwidths apart: sweep again with more.
            self.grow()?;
        }
        loop {
            let (fewer, shape) = (self.count, self.shape.clone());
            self.grow()?;
            self.settle_level()?;
            if let Some(status) = self.ended(self.last)? {
                if self.search.maker.only_data() {
                    if self.score > self.last {
                        self.step_back(fewer, shape)?;
                    }
                } else if matches!(status, Status::LimitReached | Status::Saturated)
                    && !self.search.maker.may_give_up()
                {
                    while self.search.more_rows_at_last() && self.with_more_rows()? {}
                }
                return Ok(status);
            }
        }
    }

    /// Everything but the number of features, once that has changed.
    fn settle_level(&mut self) -> Result<(), W::Error> {
        self.retune()?;
        self.correlate_axes()?;
        if self.search.maker.only_data() && self.last < MUCH_GAINED * self.score {
            self.coordinate_steps()?;
            self.steady()?;
        }
        self.add_rows()
    }

    /// With samples as they are, more features can be worse: then a number between the last two is tried.
    fn step_back(&mut self, fewer: usize, shape: Shape) -> Result<(), W::Error> {
        let between = (fewer as f64 * self.count as f64).sqrt() as usize;
        if between <= fewer || self.done()? {
            return Ok(());
        }
        (self.count, self.shape, self.level) = (between, shape, self.level + 1);
        self.rows = self.search.rows(self.count, self.level)?;
        self.tried.clear();
        self.score = f64::INFINITY;
        self.settle_level()
    }

    fn ended(&mut self, last: f64) -> Result<Option<Status>, W::Error> {
        self.search.should_stop(self.score, last, self.count)
    }

    fn done(&mut self) -> Result<bool, W::Error> {
        Ok(self.search.is_over() || self.search.tolerance_met()?)
    }

    /// Moves on to more features, at fresh points.
    fn grow(&mut self) -> Result<(), W::Error> {
        self.count = self.search.grown(self.count, self.score, self.last);
        self.level += 1;
        self.rows = self.search.rows(self.count, self.level)?;
        self.tried.clear();
        self.last = std::mem::replace(&mut self.score, f64::INFINITY);
        Ok(())
    }

    /// The present shape on more rows, where it follows noise between those it has. Rows that gain nothing are not kept:
    /// every later level would pay for them.
    fn add_rows(&mut self) -> Result<(), W::Error> {
        while !self.done()? && self.search.more_rows() && self.with_more_rows()? {}
        Ok(())
    }

    /// The present shape on as many rows as there are to be now; tells whether that helped.
    fn with_more_rows(&mut self) -> Result<bool, W::Error> {
        self.rows = self.search.rows(self.count, self.level)?;
        self.tried.clear();
        let before = std::mem::replace(&mut self.score, f64::INFINITY);
        self.try_out(self.shape.clone())?;
        let helped = ROWS_GAIN * self.score < before;
        self.search.rows_helped(helped);
        if !helped {
            self.score = self.score.min(before);
        }
        Ok(helped && !self.done()?)
    }

    /// The score of a shape at the present level.
    fn score_of(&mut self, shape: &Shape) -> Result<f64, W::Error> {
        if let Some((_, score)) = self.tried.iter().find(|(tried, _)| tried == shape) {
            return Ok(*score);
        }
        let features = Features::Random {
            count: self.count,
            law: shape.law(),
            map: self.map.clone(),
            parity: self.search.maker.parity().to_vec(),
            draw: shape.draw(),
            seed: self.search.options().seed.wrapping_add(self.level),
            beside: self.search.maker.beside().cloned(),
        };
        let score = self.search.consider(features, &self.rows)?;
        self.tried.push((shape.clone(), score));
        Ok(score)
    }

    /// Tries a shape and takes it if it is better.
    fn try_out(&mut self, shape: Shape) -> Result<bool, W::Error> {
        let score = self.score_of(&shape)?;
        let better = score < self.score;
        if better {
            (self.shape, self.score) = (shape, score);
        }
        Ok(better)
    }

    /// Repeats a change while it helps, within reason; tells whether it did.
    fn repeat(&mut self, change: impl Fn(&Shape) -> Shape) -> Result<bool, W::Error> {
        let mut moved = false;
        for _step in 0..MOST_STEPS {
            if self.done()? || !self.try_out(change(&self.shape))? {
                break;
            }
            moved = true;
        }
        Ok(moved)
    }

    /// Isotropic bandwidths for each family, then the neighbours of the best.
    fn sweep(&mut self) -> Result<(), W::Error> {
        let dim = self.search.dim();
        let families: &[Family] = if dim >= HIGH_DIMENSION {
            &[Family::LowOrder, Family::Mixed, Family::Dense]
        } else {
            &[Family::Dense]
        };
        for &family in families {
            let between = self.lies_between(family)?;
            if self.done()? {
                break;
            }
            if between {
                continue;
            }
            let (mut at, mut here) = (SWEEP[0], f64::INFINITY);
            for (index, &sigma) in SWEEP.iter().enumerate() {
                // Once something is resolved, the far side of the worse neighbour cannot win.
                let hopeless = !is_unresolved(here)
                    && ((index == 2 && at == SWEEP[1]) || (index == 3 && at != SWEEP[1]));
                if hopeless || self.done()? {
                    continue;
                }
                let shape = Shape::isotropic(family, sigma, dim);
                let score = self.score_of(&shape)?;
                self.try_out(shape)?;
                if score < here {
                    (here, at) = (score, sigma);
                }
            }
            for factor in [2.0, 0.5] {
                if self.done()? {
                    break;
                }
                let shape = Shape::isotropic(family, at * factor, dim);
                let score = self.score_of(&shape)?;
                self.try_out(shape)?;
                if score < here {
                    break;
                }
            }
            if self.done()? {
                break;
            }
        }
        Ok(())
    }

    /// Whether the first two bandwidths of the sweep both resolve something and the one between them does better
    /// than either: then there is no need to look further.
    fn lies_between(&mut self, family: Family) -> Result<bool, W::Error> {
        let dim = self.search.dim();
        let mut scores = [f64::INFINITY; 2];
        for (score, &sigma) in scores.iter_mut().zip(&SWEEP) {
            let shape = Shape::isotropic(family, sigma, dim);
            *score = self.score_of(&shape)?;
            self.try_out(shape)?;
            if is_unresolved(*score) || self.done()? {
                return Ok(false);
            }
        }
        let between = Shape::isotropic(family, (SWEEP[0] * SWEEP[1]).sqrt(), dim);
        let score = self.score_of(&between)?;
        self.try_out(between)?;
        Ok(scores.iter().all(|other| score < *other))
    }

    /// Where no isotropic bandwidth resolves anything: one axis finer or coarser than the others.
    fn anisotropic_sweep(&mut self) -> Result<(), W::Error> {
        let dim = self.search.dim();
        if !(2..HIGH_DIMENSION).contains(&dim) {
            return Ok(());
        }
        for (one, others) in UNEQUAL {
            for axis in 0..dim {
                if !is_unresolved(self.score) || self.done()? {
                    return Ok(());
                }
                let mut shape = Shape::isotropic(Family::Dense, others, dim);
                shape.sigmas[axis] = one;
                self.try_out(shape)?;
            }
        }
        Ok(())
    }

    /// Raises and lowers one axis at a time while that helps.
    fn coordinate_steps(&mut self) -> Result<(), W::Error> {
        let dim = self.search.dim();
        for _round in 0..2 {
            let before = self.score;
            for axis in 0..if dim == 1 { 0 } else { dim } {
                for step in [AXIS_STEP, 1.0 / AXIS_STEP] {
                    let moved = self.repeat(|shape| {
                        let mut shape = shape.clone();
                        shape.sigmas[axis] *= step;
                        shape
                    })?;
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

    /// The present shape at a new size, and its neighbours.
    fn retune(&mut self) -> Result<(), W::Error> {
        self.try_out(self.shape.clone())?;
        // Where more features gained that much, they are not too fine.
        let coarser = self.last < MUCH_GAINED * self.score;
        let steps = [RETUNE_STEP, 1.0 / RETUNE_STEP];
        for step in steps.into_iter().take(if coarser { 2 } else { 1 }) {
            if self.repeat(|shape| shape.scaled(step))? {
                break;
            }
        }
        Ok(())
    }

    /// Raises and lowers the ridge while that helps.
    ///
    /// Data are where they are: with a few samples per feature, coefficients that grow without need make u swing between
    /// them, and the held-out samples see it.
    fn steady(&mut self) -> Result<(), W::Error> {
        for first in FIRST_RIDGES {
            let other_kind = self.ridge.slope != first.slope || self.ridge.size == 0.0;
            if other_kind && (self.done()? || !self.try_ridge(first)?) {
                continue;
            }
            for step in [10.0, 0.1] {
                for _step in 0..RIDGES {
                    let next = Ridge::new(self.ridge.size * step, self.ridge.slope);
                    if self.done()? || !self.try_ridge(next)? {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// The present shape with another ridge, which is taken if it is better.
    fn try_ridge(&mut self, ridge: Ridge) -> Result<bool, W::Error> {
        let before = std::mem::replace(&mut self.ridge, ridge);
        self.search.maker.set_ridge(ridge);
        self.tried.clear();
        let better = self.try_out(self.shape.clone())?;
        if !better {
            self.ridge = before;
            self.search.maker.set_ridge(before);
            self.tried.clear();
        }
        Ok(better)
    }

    /// Takes over the correlation between axes that the best function so far shows.
    ///
    /// The spectrum of a travelling profile g(x − vt) lies on a line; ⟨∇u ∇uᵀ⟩ is the covariance of
    /// the spectrum, so even a rough u tells the direction. How narrow the spectrum is across it is
    /// found by trial.
    fn correlate_axes(&mut self) -> Result<(), W::Error> {
        if self.shape.family != Family::Dense || self.search.dim() == 1 || self.done()? {
            return Ok(());
        }
        let Some(moments) = self.search.spectral_moments(&self.map)? else {
            return Ok(());
        };
        let (mut improved, mut failures) = (false, 0);
        let only_data = self.search.maker.only_data();
        // Each size narrows further from where the last one ended.
        for (index, &shrink) in NARROWING.iter().enumerate().skip(self.narrowed) {
            if self.done()? {
                break;
            }
            let Some(correlation) = correlation_factor(&moments, self.search.dim(), shrink) else {
                break;
            };
            // A narrow spectrum must have the right direction, which is the ratio of the bandwidths: first
            // that of the moments, then the present one. And what it saves across the line can be spent along it.
            // Where an equation is solved, the present one alone: with the others, evolutions in slabs of time
            // ended up to a hundred times worse, perhaps because errors carried over do not lie on the line.
            let correlated = |sigmas: Vec<f64>| Shape {
                family: Family::Dense,
                sigmas,
                correlation: Some(correlation.clone()),
            };
            let directed = correlated(directed(&self.shape.sigmas, &moments));
            let present = correlated(self.shape.sigmas.clone());
            let mut better = false;
            let candidates = if only_data {
                vec![directed.clone(), directed.scaled(LONGER), present]
            } else {
                vec![present]
            };
            for shape in candidates {
                better = better || self.try_out(shape)?;
            }
            if better {
                (improved, failures, self.narrowed) = (true, 0, index + 1);
            } else {
                failures += 1;
            }
            if failures > if only_data { NARROWING_PATIENCE } else { 0 } {
                break;
            }
        }
        if improved {
            for step in [AXIS_STEP, 1.0 / AXIS_STEP] {
                if self.repeat(|shape| shape.scaled(step))? {
                    break;
                }
            }
        }
        Ok(())
    }
}

/// How far the correlation between axes is drawn towards none, in the order in which they are tried.
const NARROWING: [f64; 7] = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7];
/// How much longer a narrower spectrum may be.
const LONGER: f64 = 1.5;
/// Narrower spectra that may fail before an even narrower one is not tried any more: the path is bumpy.
const NARROWING_PATIENCE: usize = 1;
