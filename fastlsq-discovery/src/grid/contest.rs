//! Terms, weights and windows in turn: which law, and from which rows.

use std::sync::Arc;

use fastlsq_solve::Limit;

use super::assembly::{EvaluatedTerms, KnownLaw, Law, Tiled};
use super::discovery::GridDiscovery;
use super::moments::Moments;
use super::select::{FLOOR, Judge, Judged};
use super::windows::Windows;

/// Ratio of neighbouring half-widths that are tried.
const RATIO: f64 = std::f64::consts::SQRT_2;
/// Other half-widths must narrow the coefficients by this factor, in the geometric mean.
const GAIN: f64 = 0.97;
/// A residual beyond this many times what noise leaves is not noise.
const NOISY: f64 = 3.0;
/// Supports that are compared by likelihood: at most so many, with criteria within so much.
const FINALISTS: usize = 3;
const CONTENDER: f64 = 8.0;
/// A further term must lower −2 log of the likelihood by this much beyond its penalties: odds of 20.
const STRONG: f64 = 6.0;
/// Rounds of weights from the last law.
const ROUNDS: usize = 4;

/// The moments of the rows, and supports judged on them, best first.
pub(super) type Weighed = (Arc<Vec<Moments>>, Vec<Judged>);

impl GridDiscovery {
    /// The best supports by two criteria under one covariance, then by the likelihood of the rows, each
    /// under its own covariance.
    ///
    /// One covariance for all, as in [`weigh`](Self::weigh), favours whichever law it was taken from:
    /// with their own noise in the criterion noisier laws lose too often, without it too seldom.
    pub(super) fn contest(
        &self,
        tiled: &Tiled<'_, '_>,
        target: usize,
        start: &[(usize, f64)],
        others: &[KnownLaw],
    ) -> Result<Weighed, Limit> {
        let (blocks, judged) = self.weigh(tiled, target, start.to_vec(), others, false)?;
        // What stands stands: a limit ends the contest.
        let found = self.finals(tiled, target, start, others, (&blocks, &judged));
        Ok(found.ok().flatten().unwrap_or((blocks, judged)))
    }

    /// The likeliest law under its own covariance; `None` where likelihoods say nothing.
    fn finals(
        &self,
        tiled: &Tiled<'_, '_>,
        target: usize,
        start: &[(usize, f64)],
        others: &[KnownLaw],
        (blocks, judged): (&[Moments], &[Judged]),
    ) -> Result<Option<Weighed>, Limit> {
        let (_, also) = self.weigh(tiled, target, start.to_vec(), others, true)?;
        let (Some(best), Some(second)) = (judged.first(), also.first()) else {
            return Ok(None);
        };
        let total = sum(blocks, self.library.len());
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
            let first = sum(&tiled.moments(target, &law, others)?, self.library.len());
            law = next
                .support
                .iter()
                .copied()
                .zip(first.fit(&next.support).coefficients)
                .collect();
            let own = tiled.moments(target, &law, others)?;
            let total = sum(&own, self.library.len());
            let judge = Judge::new(&total, 0.0, self.options.largest);
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
        let winner = sum(&own, self.library.len());
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
        let total = sum(own, self.library.len());
        let reference = total.noise_of(&best.support, &best.fit.coefficients);
        let judge = Judge::new(&total, reference, self.options.largest);
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

    /// The half-widths, axis by axis, for which the noise leaves the coefficients of the law least
    /// uncertain.
    pub(super) fn refine(
        &self,
        source: &EvaluatedTerms<'_>,
        target: usize,
        start: &Windows,
        law: &[(usize, f64)],
    ) -> Windows {
        // The other terms play no part.
        let (terms, coefficients): (Vec<usize>, Vec<f64>) = law.iter().copied().unzip();
        let source = &source.of_terms(&terms, target);
        let support: Vec<usize> = (0..terms.len()).collect();
        let law: Law = support.iter().copied().zip(coefficients).collect();
        let uncertainty = |windows: &Windows| -> f64 {
            let Ok(tiled) = self.tile(source, windows) else {
                return f64::INFINITY;
            };
            let Ok(moments) = tiled.moments(0, &law, &[]) else {
                return f64::INFINITY;
            };
            let fit = sum(&moments, support.len()).fit(&support);
            let logarithms: f64 = fit.deviations.iter().map(|d| d.ln()).sum();
            if fit.dependent {
                f64::INFINITY
            } else {
                (logarithms / support.len().max(1) as f64).exp()
            }
        };
        let mut best = (uncertainty(start), start.clone());
        for axis in 0..start.half.len() {
            for ratio in [1.0 / RATIO, RATIO] {
                let mut moved = false;
                loop {
                    let mut next = best.1.clone();
                    let points = next.half[axis] as f64 * ratio;
                    next.half[axis] = self.within(source, axis, points);
                    if next == best.1 {
                        break;
                    }
                    let found = uncertainty(&next);
                    if found >= GAIN * best.0 {
                        break;
                    }
                    best = (found, next);
                    moved = true;
                }
                if moved {
                    break;
                }
            }
        }
        best.1
    }

    /// Weights from the noise under the last law, terms under these weights, until both stay.
    pub(super) fn weigh(
        &self,
        tiled: &Tiled<'_, '_>,
        target: usize,
        mut law: Law,
        others: &[KnownLaw],
        own_noise: bool,
    ) -> Result<Weighed, Limit> {
        let mut seen: Vec<Vec<usize>> = vec![law.iter().map(|(k, _)| *k).collect()];
        loop {
            let blocks = tiled.moments(target, &law, others)?;
            let total = sum(&blocks, self.library.len());
            let (support, coefficients): (Vec<usize>, Vec<f64>) = law.iter().copied().unzip();
            let reference = total.noise_of(&support, &coefficients);
            let judged = Judge::new(&total, reference, self.options.largest)
                .with_own_noise(own_noise)
                .search();
            let Some(best) = judged.first() else {
                return Ok((blocks, judged));
            };
            law = law_of(best);
            let again = seen.last() == Some(&best.support);
            seen.push(best.support.clone());
            if again || seen.len() > ROUNDS || self.options.control.is_over() {
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
fn sum(blocks: &[Moments], terms: usize) -> Moments {
    let mut total = Moments::zero(terms + 1);
    for block in blocks {
        total.add(block, 1.0);
    }
    total
}

pub(super) fn law_of(judged: &Judged) -> Law {
    let terms = judged.support.iter().copied();
    terms.zip(judged.fit.coefficients.iter().copied()).collect()
}
