//! Terms and weights in turn: which law do rows support whose noise depends on the law?

use std::sync::Arc;

use fastlsq_solve::{Control, Limit};

use super::moments::Moments;
use super::select::{FLOOR, Judge, Judged};

/// A residual beyond this many times what noise leaves is not noise.
const NOISY: f64 = 3.0;
/// Supports that are compared by likelihood: at most this many, with criteria at most this far apart.
const FINALISTS: usize = 3;
const CONTENDER: f64 = 8.0;
/// A further term must lower −2 log of the likelihood by this much beyond its penalties: odds of 20.
const STRONG: f64 = 6.0;
/// Rounds of weights from the last law.
const ROUNDS: usize = 4;

/// Terms of a law by their places in the library, with their coefficients.
pub(crate) type Law = Vec<(usize, f64)>;

/// The moments of the rows, and supports judged on them, best first.
pub(crate) type Weighed = (Arc<Vec<Moments>>, Vec<Judged>);

/// Rows of one target whose noise is known for every law.
pub(crate) trait RowMoments {
    /// Moments of the rows, whitened by the covariance of the noise that the law leaves in them, in parts that are
    /// nearly independent.
    ///
    /// # Errors
    /// A limit.
    fn moments(&self, law: &[(usize, f64)]) -> Result<Arc<Vec<Moments>>, Limit>;
}

/// A search for the terms of one target.
pub(crate) struct Contest<'r, R> {
    pub(crate) rows: &'r R,
    /// Terms of the library, and the most that a law may have.
    pub(crate) terms: usize,
    pub(crate) largest: usize,
    pub(crate) control: &'r Control,
}

impl<R: RowMoments> Contest<'_, R> {
    /// The best supports by two criteria under one covariance, then by the likelihood of the rows, each
    /// under its own covariance.
    ///
    /// One covariance for all, as in [`weigh`](Self::weigh), favours whichever law it was taken from:
    /// with their own noise in the criterion noisier laws lose too often, without it too seldom.
    pub(crate) fn run(&self, start: &[(usize, f64)]) -> Result<Weighed, Limit> {
        let (blocks, judged) = self.weigh(start.to_vec(), false)?;
        // What was found stands: a limit only ends the contest.
        let found = self.finals(start, (&blocks, &judged));
        Ok(found.ok().flatten().unwrap_or((blocks, judged)))
    }

    /// The likeliest law under its own covariance; `None` where likelihoods say nothing.
    fn finals(
        &self,
        start: &[(usize, f64)],
        (blocks, judged): (&[Moments], &[Judged]),
    ) -> Result<Option<Weighed>, Limit> {
        let (_, also) = self.weigh(start.to_vec(), true)?;
        let (Some(best), Some(second)) = (judged.first(), also.first()) else {
            return Ok(None);
        };
        let total = sum(blocks, self.terms);
        let noise = total.noise_of(&best.support, &best.fit.coefficients);
        // Without noise to speak of the residual is quadrature, and likelihoods mean nothing.
        if noise < FLOOR * FLOOR * total.target().1 {
            return Ok(None);
        }
        let near = |list: &[Judged], most: usize| -> Vec<Judged> {
            let limit = list.first().map_or(0.0, |first| first.criterion) + CONTENDER;
            let close = list.iter().take(most).filter(|j| j.criterion < limit);
            close.cloned().collect()
        };
        let mut waiting = near(judged, FINALISTS);
        let agreed = best.support == second.support;
        for rival in near(&also, if agreed { 1 } else { FINALISTS }) {
            if waiting.iter().all(|j| j.support != rival.support) {
                waiting.push(rival);
            }
        }
        if waiting.len() < 2 {
            return Ok(None);
        }
        let mut finalists: Vec<(Judged, Arc<Vec<Moments>>)> = Vec::new();
        while let Some(next) = waiting.pop() {
            let mut law = law_of(&next);
            let first = sum(&self.rows.moments(&law)?, self.terms);
            law = next
                .support
                .iter()
                .copied()
                .zip(first.fit(&next.support).coefficients)
                .collect();
            let own = self.rows.moments(&law)?;
            let total = sum(&own, self.terms);
            let judge = Judge::new(&total, 0.0, self.largest);
            finalists.push((judge.likelihood(next.support), own));
            if waiting.is_empty() && finalists.len() < 3 * FINALISTS {
                // The best law without one of its terms may not have come this far by itself.
                waiting = self.shorter(&finalists);
            }
        }
        finalists.sort_by(|a, b| a.0.criterion.total_cmp(&b.0.criterion));
        if let Some(place) = favourite(&finalists) {
            finalists[..=place].rotate_right(1);
        }
        let mut ranked: Vec<Judged> = finalists.iter().map(|(j, _)| j.clone()).collect();
        let Some((_, own)) = finalists.into_iter().next() else {
            return Ok(None);
        };
        let law = law_of(&ranked[0]);
        let (support, c): (Vec<usize>, Vec<f64>) = law.into_iter().unzip();
        let winner = sum(&own, self.terms);
        if winner.residual_of(&support, &c) > NOISY * winner.noise_of(&support, &c) {
            return Ok(None);
        }
        let shift = ranked[0].criterion - best.criterion;
        for rest in judged {
            if ranked.iter().all(|j| j.support != rest.support) {
                ranked.push(Judged {
                    criterion: rest.criterion + shift,
                    ..rest.clone()
                });
            }
        }
        Ok(Some((own, ranked)))
    }

    /// The favourite without the term that matters least, if that law is not among the finalists.
    fn shorter(&self, finalists: &[(Judged, Arc<Vec<Moments>>)]) -> Vec<Judged> {
        let best = favourite(finalists).map(|place| &finalists[place]);
        let Some((best, own)) = best.filter(|(best, _)| best.support.len() > 1) else {
            return Vec::new();
        };
        let total = sum(own, self.terms);
        let reference = total.noise_of(&best.support, &best.fit.coefficients);
        let judge = Judge::new(&total, reference, self.largest);
        (0..best.support.len())
            .map(|place| {
                let mut support = best.support.clone();
                support.remove(place);
                judge.judge(support)
            })
            .min_by(|a, b| a.criterion.total_cmp(&b.criterion))
            .filter(|less| {
                finalists
                    .iter()
                    .all(|(known, _)| known.support != less.support)
            })
            .into_iter()
            .collect()
    }

    /// Weights from the noise under the last law, terms under these weights, until both stay the same.
    pub(crate) fn weigh(&self, mut law: Law, own_noise: bool) -> Result<Weighed, Limit> {
        let mut seen: Vec<Vec<usize>> = vec![law.iter().map(|(k, _)| *k).collect()];
        loop {
            let blocks = self.rows.moments(&law)?;
            let total = sum(&blocks, self.terms);
            let (support, coefficients): (Vec<usize>, Vec<f64>) = law.iter().copied().unzip();
            let reference = total.noise_of(&support, &coefficients);
            let judged = Judge::new(&total, reference, self.largest)
                .with_own_noise(own_noise)
                .search();
            let Some(best) = judged.first() else {
                return Ok((blocks, judged));
            };
            law = law_of(best);
            let again = seen.last() == Some(&best.support);
            seen.push(best.support.clone());
            if again || seen.len() > ROUNDS || self.control.is_over() {
                return Ok((blocks, judged));
            }
        }
    }
}

/// The likeliest of the finalists, or the shortest law that it contains and does not beat by strong
/// evidence.
fn favourite(finalists: &[(Judged, Arc<Vec<Moments>>)]) -> Option<usize> {
    let best = &finalists
        .iter()
        .min_by(|a, b| a.0.criterion.total_cmp(&b.0.criterion))?
        .0;
    let within = |judged: &Judged| judged.support.iter().all(|k| best.support.contains(k));
    (0..finalists.len())
        .filter(|&place| {
            let judged = &finalists[place].0;
            within(judged) && judged.criterion <= best.criterion + STRONG
        })
        .min_by(|&a, &b| {
            let key = |place: usize| finalists[place].0.support.len();
            let criterion = |place: usize| finalists[place].0.criterion;
            key(a)
                .cmp(&key(b))
                .then(criterion(a).total_cmp(&criterion(b)))
        })
}

/// The moments of all rows.
pub(crate) fn sum(blocks: &[Moments], terms: usize) -> Moments {
    let mut total = Moments::zero(terms + 1);
    for block in blocks {
        total.add(block, 1.0);
    }
    total
}

pub(crate) fn law_of(judged: &Judged) -> Law {
    let terms = judged.support.iter().copied();
    terms.zip(judged.fit.coefficients.iter().copied()).collect()
}
