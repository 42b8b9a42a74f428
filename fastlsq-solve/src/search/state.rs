//! The search: bandwidths at a small size, then growth until the tolerance is met.

use fastlsq_basis::sampling::{Sequence, UnitSampler};
use fastlsq_basis::{Basis, FrequencyLaw, InputMap, Parity};
use fastlsq_ops::EquationRow;
use ndarray::Array2;

use super::candidate::{Candidate, CandidateMaker, Features, square_bytes};
use super::estimate::{self, Witness};
use super::repeated::{Choices, PointChoice};
use super::shape::usual_draw;
use super::trend::Trend;
use super::tune;
use crate::SolveError;
use crate::control::Stage;
use crate::options::{FeatureChoice, Options};
use crate::posed::{CONTRADICTION, Posedness};
use crate::report::{CandidateReport, Status};
use crate::system::RowBlock;

/// What a search found.
#[derive(Debug)]
pub struct Found<X> {
    /// The winning candidate.
    pub best: Candidate<X>,
    /// Its estimated relative error.
    pub estimate: f64,
    /// How well the question was posed.
    pub posedness: Posedness,
    /// Why the search ended.
    pub status: Status,
    /// Every candidate that was tried.
    pub candidates: Vec<CandidateReport>,
    /// How the choice was made, in a sentence.
    pub choice: String,
    /// Why the search gave up although more features were allowed, if it did.
    pub unpromising: Option<String>,
    /// The structure that was found in the data, in words; empty if there is none.
    pub structure: String,
}

impl<X> Found<X> {
    /// Whether something else might do better: the tolerance is not met, and not because of rounding.
    #[must_use]
    pub fn is_wanting(&self) -> bool {
        let searched = matches!(self.status, Status::Saturated | Status::LimitReached);
        let at_rounding = self.best.score.worst < ROUNDING_SCORE && self.unpromising.is_none();
        searched && !at_rounding
    }
}

impl<X> Found<X> {
    /// The same where no more is asked for than by these options.
    pub(super) fn judged_by(mut self, options: &Options) -> Self {
        let searched = matches!(self.status, Status::Saturated | Status::LimitReached);
        if searched && self.estimate <= options.tolerance && self.posedness.is_fine() {
            self.status = Status::ToleranceMet;
        }
        self
    }
}

/// Growth of the number of features from level to level.
const GROWTH: f64 = 1.7;
/// The smallest growth that is worth a level.
const SMALLEST_GROWTH: f64 = 1.25;
/// Growth beyond what the trend of the scores asks for.
const MARGIN: f64 = 1.1;
/// Rows are for this many times the rank that is expected, if that is less than the number of features.
const COLUMNS_FOR_RANK: f64 = 1.5;
/// How much the rank may rise from one level to the next.
const RANK_GROWTH: f64 = 1.3;
/// A level that improves the score by less than this factor is the last.
const WORTHWHILE: f64 = 2.0;
/// Scores below this are near rounding.
const ROUNDING_SCORE: f64 = 1e-12;
/// Features are dependent if their rank is less than this share of their number.
const DEPENDENT: f64 = 0.85;
/// With this score and above nothing is resolved yet, and stagnation means nothing.
const UNRESOLVED: f64 = 3e-2;

/// Solves a problem as far as its options leave something to choose. The options are those of a call that was
/// [started](Options::started).
///
/// # Errors
/// Whatever a candidate cannot be solved for, and a limit that is reached before there is one.
pub fn search<W: CandidateMaker>(maker: &mut W) -> Result<Found<W::Extra>, W::Error> {
    let choice = maker.options().choice.clone();
    let dim = maker.bounding_box()?.dim();
    let mut search = Search {
        maker,
        dim,
        best: None,
        companion: None,
        witnesses: Vec::new(),
        candidates: Vec::new(),
        misfits: Vec::new(),
        row_factor: 1.0,
        rows_in_vain: 0.0,
        judged: None,
        refused: None,
        trend: Trend::default(),
        unpromising: None,
        given_up: None,
        structure: String::new(),
    };
    let ended = match &choice {
        FeatureChoice::Basis(basis) => search.single(Features::Given(basis.clone()), None),
        FeatureChoice::Repeated(choices) => search.repeat(choices),
        FeatureChoice::Law(law) => search.explicit(law),
        FeatureChoice::Grid { bandwidths, trials } => search.grid(bandwidths, *trials),
        FeatureChoice::Automatic => tune::automatic(&mut search),
    };
    search.finish(ended)
}

/// Sampled rows, and where they come from.
#[derive(Debug)]
pub(super) struct Rows {
    blocks: Vec<RowBlock>,
    points: PointChoice,
}

/// Why a search ended, and how the choice was made.
pub(super) type Ending = (Status, String);

/// The state of a search: what was tried, and the best of it.
pub(super) struct Search<'a, W: CandidateMaker> {
    pub(super) maker: &'a mut W,
    dim: usize,
    best: Option<Candidate<W::Extra>>,
    /// A candidate that serves the estimate only, unless there is nothing else to return.
    companion: Option<Candidate<W::Extra>>,
    witnesses: Vec<Witness>,
    candidates: Vec<CandidateReport>,
    /// For each candidate its features per unknown and what it leaves of the data.
    misfits: Vec<(usize, f64)>,
    /// How many times the usual rows are taken.
    row_factor: f64,
    /// The overfit at which more rows were tried and did not help.
    rows_in_vain: f64,
    /// How well the question was posed, once it was judged.
    judged: Option<Posedness>,
    /// Why the last candidate that could not be solved could not.
    refused: Option<W::Error>,
    trend: Trend,
    unpromising: Option<String>,
    /// Why more features were too dear for what they promise, if they were.
    given_up: Option<String>,
    structure: String,
}

impl<W: CandidateMaker> Search<'_, W> {
    pub(super) fn dim(&self) -> usize {
        self.dim
    }

    pub(super) fn options(&self) -> &Options {
        self.maker.options()
    }

    /// Whether no further candidate may begin.
    pub(super) fn is_over(&self) -> bool {
        self.options().control().is_over()
    }

    /// The most features an unknown may get.
    pub(super) fn limit(&self) -> usize {
        self.options()
            .features
            .unwrap_or(self.options().max_features)
    }

    /// The next number of features, after `count` of them brought the score from `last` to `score`.
    ///
    /// With score ∝ Nᵖ through the last two levels, the estimate needs N·(estimate/tolerance)^(−1/p);
    /// it gets a little more than that, and never more than the usual growth.
    pub(super) fn grown(&self, count: usize, score: f64, last: f64) -> usize {
        let missing = self.estimate() / self.options().tolerance;
        let gained = last / score;
        let growth = if missing > 1.0 && gained > 1.0 && gained.is_finite() {
            let needed = (missing.ln() / gained.ln() * GROWTH.ln()).exp();
            (MARGIN * needed).clamp(SMALLEST_GROWTH, GROWTH)
        } else {
            GROWTH
        };
        let more = (count as f64 * growth) as usize;
        more.max(count.saturating_add(1)).min(self.limit())
    }

    /// Rows for this many features an unknown; each level has points of its own.
    pub(super) fn rows(&self, features: usize, level: u64) -> Result<Rows, W::Error> {
        self.rows_for(self.independent(features), level)
    }

    /// Rows for this many independent features an unknown.
    pub(super) fn rows_for(&self, features: usize, level: u64) -> Result<Rows, W::Error> {
        let options = self.options();
        let seed = options
            .seed
            .wrapping_mul(0x1_0000_0001)
            .wrapping_add(level * 7919);
        let wanted = features as f64 * self.row_factor;
        self.rows_at(PointChoice {
            features: wanted as usize,
            given: options.rows,
            seed,
        })
    }

    /// Rows at these points.
    pub(super) fn rows_at(&self, points: PointChoice) -> Result<Rows, W::Error> {
        let blocks = self
            .maker
            .rows(points.features, points.given, points.seed)?;
        Ok(Rows { blocks, points })
    }

    /// Whether the best candidate's residual is so much larger between the rows than on them that more rows are called
    /// for; then there will be. Where they did not help before, it must be larger still.
    pub(super) fn more_rows(&mut self) -> bool {
        let Some(best) = &self.best else {
            return false;
        };
        let wanted = best.overfit > OVERFIT.max(OVERFIT_AGAIN * self.rows_in_vain)
            && best.score.worst > ROUNDING_SCORE
            && self.row_factor < MOST_ROWS
            && self.options().rows.is_none();
        if wanted {
            self.row_factor *= 2.0;
            self.rows_in_vain = best.overfit;
        }
        wanted
    }

    /// Says whether the rows that were added helped: from then on as many are taken, or as few as before.
    pub(super) fn rows_helped(&mut self, helped: bool) {
        if helped {
            self.rows_in_vain = 0.0;
        } else {
            self.row_factor *= 0.5;
        }
    }

    /// Ends with this many features, whatever the number that was enough.
    pub(super) fn settle_on(&mut self, count: usize) -> Result<(), W::Error> {
        let Some(best) = &self.best else {
            return Ok(());
        };
        if best.features.count() == count || best.features.rows().is_some() {
            return Ok(());
        }
        let features = best.features.with_count(count);
        let blocks = self.rows(count, SETTLED_LEVEL)?;
        let before = self.best.take();
        let settled = self.consider(features, &blocks);
        if self.best.is_none() {
            self.best = before;
        }
        settled.map(|_| ())
    }

    /// About how many of this many features an unknown are independent, with a reserve: redundant
    /// features need no rows of their own.
    pub(super) fn independent(&self, features: usize) -> usize {
        let Some(best) = &self.best else {
            return features;
        };
        let rank = best.info.rank as f64 / best.bases.len().max(1) as f64;
        let expected = COLUMNS_FOR_RANK * RANK_GROWTH * rank;
        if is_unresolved(best.score.worst) {
            features
        } else {
            features.min(expected.ceil() as usize)
        }
    }

    /// Runs a candidate, keeps it if it is the best, and returns its score.
    pub(super) fn consider(&mut self, features: Features, rows: &Rows) -> Result<f64, W::Error> {
        let stage = Stage::Candidate {
            features: features.count(),
        };
        let control = self.options().control().clone();
        control.enter(stage).map_err(SolveError::from)?;
        // Less than this no solve can do with: what cannot be had is not drawn either.
        let least = square_bytes(features.count(), self.maker.parity().len().max(1));
        control.allow_bytes(least).map_err(SolveError::from)?;
        let mut candidate = match self.maker.run(features, &rows.blocks) {
            Ok(candidate) => candidate,
            Err(error) if W::refuses_features(&error) => {
                self.refused = Some(error);
                return Ok(f64::INFINITY);
            }
            Err(error) => return Err(error),
        };
        candidate.points = Some(rows.points);
        // A candidate and the best so far are compared on one scale.
        let mut standing = f64::INFINITY;
        if let Some(best) = &self.best {
            standing = best.score.beside(&candidate.score);
            candidate.score.worst = candidate.score.beside(&best.score);
        }
        let score = candidate.score.worst;
        control.note_score(score);
        self.candidates.push(CandidateReport::of(&candidate));
        self.misfits
            .push((candidate.features.count(), candidate.score.misfit()));
        self.witnesses.push(Witness {
            score,
            values: candidate.score.values.clone(),
            draw: candidate.features.draw(),
        });
        if self.best.is_none() || score < standing {
            self.best = Some(candidate);
        }
        Ok(score)
    }

    /// ⟨∇u ∇uᵀ⟩ of the best candidate in the coordinates of the map, row by row: the second moments
    /// of its spectrum. Axes of declared parity do not mix with others.
    pub(super) fn spectral_moments(&self, map: &InputMap) -> Result<Option<Vec<f64>>, W::Error> {
        let Some(best) = &self.best else {
            return Ok(None);
        };
        let dim = self.dim;
        let mut sampler = UnitSampler::new(Sequence::Halton, 0);
        let unit = sampler.points(MOMENT_POINTS, dim);
        let points = Array2::from_shape_fn(unit.dim(), |(i, k)| {
            map.center()[k] + (2.0 * unit[(i, k)] - 1.0) * map.half()[k]
        });
        let bases: Vec<&dyn Basis> = best.bases.iter().map(AsRef::as_ref).collect();
        let mut moments = vec![0.0; dim * dim];
        for unknown in 0..bases.len() {
            let mut slopes = Vec::with_capacity(dim);
            for axis in 0..dim {
                let row = EquationRow::slope(dim, axis, unknown, bases.len());
                let values = row
                    .apply(&bases, &best.beta, &points)
                    .map_err(SolveError::from)?;
                slopes.push(
                    values
                        .into_iter()
                        .map(|v| v * map.half()[axis])
                        .collect::<Vec<_>>(),
                );
            }
            let parity = self.maker.parity().get(unknown);
            let mixes = |a: usize, b: usize| {
                a == b || parity.is_none_or(|p| p[a] == Parity::None && p[b] == Parity::None)
            };
            for a in 0..dim {
                for b in (0..dim).filter(|&b| mixes(a, b)) {
                    moments[a * dim + b] += slopes[a]
                        .iter()
                        .zip(&slopes[b])
                        .map(|(x, y)| x * y)
                        .sum::<f64>();
                }
            }
        }
        Ok(moments.iter().all(|m| m.is_finite()).then_some(moments))
    }

    /// How many candidates were tried.
    pub(super) fn probe_count(&self) -> usize {
        self.candidates.len()
    }

    /// The estimated relative error of the best candidate so far.
    pub(super) fn estimate(&self) -> f64 {
        self.best.as_ref().map_or(f64::INFINITY, |best| {
            estimate::relative_error(&best.score, best.features.draw(), &self.witnesses)
        })
    }

    /// Whether the best candidate so far is good enough.
    ///
    /// Candidates of one draw err alike, so before the answer is yes, a companion of the best with
    /// features and points of its own is asked too.
    pub(super) fn tolerance_met(&mut self) -> Result<bool, W::Error> {
        if self.estimate() > self.options().tolerance {
            return Ok(false);
        }
        self.call_a_twin(false)?;
        Ok(self.estimate() <= self.options().tolerance)
    }

    /// Tries the best candidate's features once more from another draw, unless some candidate of
    /// another draw was tried already. Unless the best is to be kept, the companion takes its place if it is better.
    fn call_a_twin(&mut self, keep: bool) -> Result<(), W::Error> {
        let Some(best) = &self.best else {
            return Ok(());
        };
        let draw = best.features.draw();
        let Some(seed) = draw else {
            return Ok(());
        };
        if self
            .witnesses
            .iter()
            .any(|witness| estimate::is_independent(witness, draw))
        {
            return Ok(());
        }
        let companion = best.features.with_seed(seed.wrapping_add(0x7717));
        let blocks = self.rows(best.features.count(), TWIN_LEVEL)?;
        let kept = if keep { self.best.take() } else { None };
        let called = self.consider(companion, &blocks);
        if kept.is_some() {
            self.best = kept;
        }
        called.map(|_| ())
    }

    /// Notes what was found in the data.
    pub(super) fn say(&mut self, structure: String) {
        self.structure = structure;
    }

    /// Whether nothing more is to be done, and why: the question was wrong, the tolerance is met, a limit is reached.
    pub(super) fn settled(&mut self) -> Result<Option<Status>, W::Error> {
        Ok(if !self.judge().is_fine() {
            Some(Status::IllPosed)
        } else if self.tolerance_met()? {
            Some(Status::ToleranceMet)
        } else {
            self.is_over().then_some(Status::LimitReached)
        })
    }

    /// As [`settled`](Self::settled), with a close look at the data before the tolerance is said to be met: where they have
    /// detail between the rows, more features are worth trying.
    pub(super) fn settled_closely(&mut self) -> Result<Option<Status>, W::Error> {
        let settled = self.settled()?;
        let tolerance = self.options().tolerance;
        let unseen = match (&settled, &self.best) {
            (Some(Status::ToleranceMet), Some(best)) => self.maker.unseen(best).ok().flatten(),
            _ => None,
        };
        Ok(settled.filter(|_| unseen.is_none_or(|unseen| unseen.share <= tolerance)))
    }

    /// Whether growth ends at this level, and why. `last` is the score of the level before.
    pub(super) fn should_stop(
        &mut self,
        score: f64,
        last: f64,
        count: usize,
    ) -> Result<Option<Status>, W::Error> {
        self.trend.push(count, score);
        let settled = self.settled()?;
        Ok(if settled.is_some() {
            settled
        } else if count >= self.limit() {
            Some(Status::LimitReached)
        } else if self.at_rounding(score)
            || (score < UNRESOLVED && self.are_dependent() && last < WORTHWHILE * score)
        {
            Some(Status::Saturated)
        } else if self.maker.may_give_up() {
            let missing = self.estimate() / self.options().tolerance;
            self.unpromising = self.trend.objection(missing, self.limit());
            self.unpromising.as_ref().map(|_| Status::Saturated)
        } else if self.is_expensive(self.grown(count, score, last)) {
            self.given_up = self.trend.stagnation();
            self.given_up.as_ref().map(|_| Status::Saturated)
        } else {
            None
        })
    }

    /// Whether a level with this many features per unknown takes so long that it needs a reason.
    fn is_expensive(&self, features: usize) -> bool {
        features.saturating_mul(self.maker.parity().len().max(1)) > CHEAP_COLUMNS
    }

    /// How well the question was posed, judged once. A judgement that fails (for want of memory, say) is none.
    fn judge(&mut self) -> Posedness {
        if let Some(judged) = &self.judged {
            return judged.clone();
        }
        let Some(best) = &self.best else {
            return Posedness::NotExamined;
        };
        let judged = self.maker.posedness(best).unwrap_or_default();
        self.judged = Some(judged.clone());
        judged
    }

    /// Equations and conditions that do not hold together: what is left of the data does not fall with the number of
    /// features.
    fn contradiction(&self) -> Option<(f64, Vec<usize>)> {
        let best = self.best.as_ref()?;
        let misfit = best.score.misfit();
        let fewest = self.misfits.iter().map(|(count, _)| *count).min()? as f64;
        let smallest = |more: bool| {
            let own = self
                .misfits
                .iter()
                .filter(|(count, _)| (*count as f64 >= MORE_FEATURES * fewest) == more);
            own.map(|(_, misfit)| *misfit).reduce(f64::min)
        };
        let stays = smallest(true)? > STAYS * smallest(false)?;
        (stays && misfit > CONTRADICTION).then(|| (misfit, best.score.misfits()))
    }

    /// Whether the score is a matter of rounding: about as small as scores get, and features that are numerically
    /// dependent, so that more of them span nothing new.
    fn at_rounding(&self, score: f64) -> bool {
        score < ROUNDING_SCORE && self.are_dependent()
    }

    /// Whether the features of the best candidate are numerically dependent.
    pub(super) fn are_dependent(&self) -> bool {
        self.best.as_ref().is_some_and(|best| {
            let columns: usize = best.bases.iter().map(Basis::len).sum();
            (best.info.rank as f64) < DEPENDENT * columns as f64
        })
    }

    /// The map of features with a law in physical coordinates. Parity is about the centre of the box.
    fn physical_map(&self) -> Result<InputMap, W::Error> {
        if self
            .maker
            .parity()
            .iter()
            .flatten()
            .all(|p| *p == Parity::None)
        {
            return Ok(InputMap::identity(self.dim()));
        }
        let bounds = self.maker.bounding_box()?;
        let centre = bounds.lo().iter().zip(bounds.hi());
        let centre: Vec<f64> = centre.map(|(lo, hi)| 0.5 * lo + 0.5 * hi).collect();
        let lower: Vec<f64> = centre.iter().map(|c| c - 1.0).collect();
        let upper: Vec<f64> = centre.iter().map(|c| c + 1.0).collect();
        Ok(InputMap::from_box(&lower, &upper).map_err(SolveError::from)?)
    }

    /// Ends the search with its best candidate.
    ///
    /// If there is no candidate of another draw to compare with, one is made, so that the error
    /// estimate rests on something. A limit that was reached ends the search like any other end: only without any
    /// candidate is it an error.
    fn finish(mut self, ended: Result<Ending, W::Error>) -> Result<Found<W::Extra>, W::Error> {
        let ended = ended.and_then(|ending| {
            // What was asked for is what is returned, however well its companion does.
            let keep = ending.0 == Status::Explicit;
            self.call_a_twin(keep).map(|()| ending)
        });
        let (status, choice) = match ended {
            Ok(ending) => ending,
            Err(error) => match W::limit(&error) {
                Some(limit) => {
                    self.best = self.best.or(self.companion.take());
                    if self.best.is_none() {
                        return Err(self.refused.unwrap_or(error));
                    }
                    (limit.into(), format!("cut short: {limit}"))
                }
                None => return Err(error),
            },
        };
        let mut posedness = self.judge();
        if posedness.is_fine()
            && let Some((misfit, blocks)) = self.contradiction()
        {
            let labels = self.maker.labels();
            let blocks = blocks
                .into_iter()
                .filter_map(|index| labels.get(index).cloned());
            posedness = Posedness::Contradictory {
                misfit,
                blocks: blocks.collect(),
            };
        }
        let mut estimate = self.estimate();
        let mut choice = choice;
        if let Some(reason) = self.given_up.take() {
            choice = format!("{choice}; {reason}");
        }
        if let Some(best) = &self.best {
            if best.ridge > 0.0 {
                choice = format!("{choice}, with a ridge of {:.0e}", best.ridge);
            }
            estimate = posedness.estimate(estimate, best.score.worst);
            // Before a tolerance is said to be met, the data are looked at more closely than rows can; where they cannot
            // be (they need not be finite where no row is), nothing more is known.
            if estimate <= self.options().tolerance
                && let Some(unseen) = self.maker.unseen(best).ok().flatten()
                && unseen.share > estimate
            {
                estimate = unseen.share;
                choice = format!(
                    "{choice}; the data of {} have detail near {:.4?} that no row has seen",
                    unseen.label, unseen.point
                );
            }
        }
        let tolerance = self.options().tolerance;
        let stopped = self.options().control().check().err();
        let none = self.refused.unwrap_or_else(|| {
            let reason = stopped.map_or(SolveError::NothingToSolve, SolveError::from);
            reason.into()
        });
        let best = self.best.ok_or(none)?;
        let status = match status {
            Status::Explicit | Status::Cancelled => status,
            // A misfit that stays may be that of a singular solution, which is not the question's fault.
            _ if matches!(posedness, Posedness::Contradictory { .. }) => match status {
                Status::LimitReached => Status::LimitReached,
                _ => Status::Saturated,
            },
            _ if !posedness.is_fine() => Status::IllPosed,
            _ if estimate <= tolerance => Status::ToleranceMet,
            Status::ToleranceMet => Status::LimitReached,
            other => other,
        };
        Ok(Found {
            best,
            estimate,
            posedness,
            status,
            candidates: self.candidates,
            choice,
            unpromising: self.unpromising,
            structure: self.structure,
        })
    }

    /// One candidate; a companion of half the size, where there can be one, tells its error.
    fn single(
        &mut self,
        features: Features,
        points: Option<PointChoice>,
    ) -> Result<Ending, W::Error> {
        let count = features.count();
        if let Some(draw) = features.draw()
            && count >= 2 * SMALLEST_COMPANION
        {
            let companion = features.with_seed(draw.wrapping_add(1));
            let companion = companion.with_count(count / 2);
            let blocks = self.companion_rows(count / 2, companion.rows())?;
            self.consider(companion, &blocks)?;
            self.companion = self.best.take();
        }
        let rows = match points {
            Some(points) => self.rows_at(points)?,
            None => self.rows(count, 0)?,
        };
        self.consider(features, &rows)?;
        let choice = "everything given; nothing was searched for";
        Ok((Status::Explicit, choice.to_owned()))
    }

    /// The winner of an earlier search.
    fn repeat(&mut self, choices: &Choices) -> Result<Ending, W::Error> {
        self.maker.set_ridge(choices.ridge);
        self.single(choices.features.clone(), Some(choices.points))
    }

    /// As many rows as the companion's features need, whatever the user asked for the solve itself.
    fn companion_rows(
        &self,
        features: usize,
        given: Option<(usize, usize)>,
    ) -> Result<Rows, W::Error> {
        self.rows_at(PointChoice {
            features,
            given,
            seed: self.options().seed.wrapping_add(0x1003),
        })
    }

    fn random(&self, law: FrequencyLaw, count: usize, draw: u64) -> Result<Features, W::Error> {
        Ok(Features::Random {
            count,
            law,
            map: self.physical_map()?,
            parity: self.maker.parity().to_vec(),
            draw: self.options().draw.unwrap_or(usual_draw(self.dim)),
            seed: self.options().seed.wrapping_add(draw),
            beside: self.maker.beside().cloned(),
        })
    }

    /// The user's law; the number of features is given or grows.
    fn explicit(&mut self, law: &FrequencyLaw) -> Result<Ending, W::Error> {
        if let Some(count) = self.options().features {
            let features = self.random(law.clone(), count, 0)?;
            return self.single(features, None);
        }
        let mut count = tune::first_size(self.dim()).min(self.limit());
        let (mut level, mut last) = (0, f64::INFINITY);
        loop {
            let blocks = self.rows(count, level)?;
            let score = self.consider(self.random(law.clone(), count, level)?, &blocks)?;
            // Every level has more features than the one before, up to the limit.
            if let Some(status) = self.should_stop(score, last, count)? {
                return Ok((status, "law given, features grown".to_owned()));
            }
            (last, level, count) = (score, level + 1, self.grown(count, score, last));
        }
    }

    /// The best of a list of bandwidths, each with several draws, by held-out residual.
    fn grid(&mut self, bandwidths: &[f64], trials: usize) -> Result<Ending, W::Error> {
        let count = self
            .options()
            .features
            .unwrap_or(2 * tune::first_size(self.dim()))
            .min(self.limit());
        for draw in 0..trials as u64 {
            let blocks = self.rows(count, draw)?;
            for &sigma in bandwidths {
                let features = self.random(FrequencyLaw::Isotropic(sigma), count, draw)?;
                self.consider(features, &blocks)?;
            }
        }
        let tried = bandwidths.len();
        let choice = format!("best of {tried} bandwidths, {trials} trials each");
        Ok((Status::Explicit, choice))
    }
}

/// Systems with more columns than this are not tried where the last levels brought nothing.
const CHEAP_COLUMNS: usize = 2000;
/// Residuals that are so many times larger between the rows than on them call for more rows.
const OVERFIT: f64 = 100.0;
/// Where more rows did not help, they are tried again once the residuals differ so many times more.
const OVERFIT_AGAIN: f64 = 10.0;
/// The most rows, as a multiple of the usual number.
const MOST_ROWS: f64 = 4.0;
/// The points of a final number of features are those of no level.
const SETTLED_LEVEL: u64 = 600;
/// With so many times the first number of features a misfit must be about what it was to count as a contradiction.
const MORE_FEATURES: f64 = 1.5;
/// A misfit above this share of the one with few features has stayed.
const STAYS: f64 = 0.6;
/// Points of the bounding box at which gradients are averaged.
const MOMENT_POINTS: usize = 200;
/// The points of a companion are those of no level.
const TWIN_LEVEL: u64 = 500;
/// Companions smaller than this say nothing.
pub(super) const SMALLEST_COMPANION: usize = 16;

/// Whether a score says that nothing is resolved yet.
pub(super) fn is_unresolved(score: f64) -> bool {
    score.is_nan() || score >= UNRESOLVED
}
