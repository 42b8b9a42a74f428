//! The answer put together from the best supports and the bootstrap.

use fastlsq_ops::Expr;
use fastlsq_solve::Control;

use super::contest::sum;
use super::moments::Moments;
use super::replicates::{Replicates, resample};
use super::select::Judged;
use crate::DiscoveryError;
use crate::verdict::{Status, Warning};
use crate::written::{LawTerm, equation};

/// A rival whose criterion is within this of the best makes the answer ambiguous; one that only has
/// more terms must come closer.
const CLOSE: f64 = 6.0;
const CLOSE_LONGER: f64 = 2.0;
/// A law that leaves more than this of the target does not explain it.
const UNEXPLAINED: f64 = 0.2;
/// One that leaves more than this share, and more than this many times what noise leaves, is in doubt: something is missing
/// that the noise does not hide.
const SYSTEMATIC: (f64, f64) = (5e-3, 2.0);
/// A law without terms that leaves less than this many times what noise leaves says that there is only noise.
const NOISY: f64 = 1.5;
/// Terms that others reproduce to this 1 − R² are named.
const INDEPENDENCE: f64 = 1e-8;
/// Groups of blocks that are left out in turn.
const FOLDS: usize = 5;

/// What was asked: the left-hand side, the terms by place, name and expression, and the bootstrap.
pub(crate) struct Question<'q> {
    pub(crate) left: Expr,
    pub(crate) terms: usize,
    pub(crate) entry: &'q dyn Fn(usize) -> (usize, &'q str, Expr),
    pub(crate) largest: usize,
    pub(crate) replicates: usize,
    pub(crate) seed: u64,
    pub(crate) control: &'q Control,
}

/// The law, and how far to trust it.
pub(crate) struct Answered {
    pub(crate) status: Status,
    pub(crate) terms: Vec<LawTerm>,
    /// Share of the target left on rows that the law was not fitted to, without the part of noise.
    pub(crate) unexplained: f64,
    /// Residual sum of squares over that of noise.
    pub(crate) reduced: f64,
    pub(crate) rows: f64,
    pub(crate) frequencies: Vec<f64>,
    /// Other laws with the differences of their criteria.
    pub(crate) rivals: Vec<(String, f64)>,
    pub(crate) warnings: Vec<Warning>,
}

/// The answer from supports judged on the moments of the rows, best first.
///
/// # Errors
/// No support at all.
pub(crate) fn answer(
    question: &Question<'_>,
    blocks: &[Moments],
    judged: &[Judged],
) -> Result<Answered, DiscoveryError> {
    let Some(best) = judged.first() else {
        return Err(DiscoveryError::VanishingDictionary);
    };
    let total = sum(blocks, question.terms);
    let (support, c) = (&best.support, &best.fit.coefficients);
    let noise = total.noise_of(support, c);
    let reduced = (total.residual_of(support, c) / noise.max(f64::MIN_POSITIVE)).max(0.0);
    let rivals: Vec<Vec<usize>> = judged.iter().take(40).map(|j| j.support.clone()).collect();
    let settings = (question.replicates, question.seed, question.control);
    let replicates = resample(blocks, support, &rivals, question.largest, settings);
    let terms = law_terms(question, best, &replicates, reduced.max(1.0).sqrt());
    let (unexplained, significant) = held_out(blocks, support, &total);
    let mut warnings = collinear(question, &total, support);
    let name = |judged: &Judged| {
        let terms = judged.support.iter().zip(&judged.fit.coefficients);
        equation(
            &question.left,
            terms.map(|(&k, c)| (*c, (question.entry)(k).2)),
        )
    };
    let mut others: Vec<(String, f64)> = judged
        .iter()
        .skip(1)
        .take(5)
        .map(|rival| (name(rival), rival.criterion - best.criterion))
        .collect();
    others.sort_by(|a, b| a.1.total_cmp(&b.1));
    let rival = judged.iter().skip(1).find(|rival| {
        let longer = support.iter().all(|k| rival.support.contains(k));
        let limit = if longer { CLOSE_LONGER } else { CLOSE };
        rival.criterion - best.criterion < limit
    });
    if let Some(rival) = rival {
        warnings.push(Warning::Rival {
            law: name(rival),
            difference: rival.criterion - best.criterion,
        });
    }
    let told = terms.iter().any(LawTerm::has_sign);
    let explained = told && (unexplained <= UNEXPLAINED || !significant);
    if !told && reduced < NOISY {
        warnings.push(Warning::OnlyNoise);
    } else if !explained || (unexplained > SYSTEMATIC.0 && reduced > SYSTEMATIC.1) {
        warnings.push(Warning::Unexplained {
            held_out: unexplained,
        });
    }
    let steady = terms.iter().all(LawTerm::is_steady);
    let status = if !explained {
        Status::NotExplained
    } else if warnings.is_empty() && steady {
        Status::Explained
    } else {
        Status::Ambiguous
    };
    Ok(Answered {
        status,
        terms,
        unexplained,
        reduced,
        rows: total.rows,
        frequencies: replicates.frequencies,
        rivals: others,
        warnings,
    })
}

fn law_terms(
    question: &Question<'_>,
    best: &Judged,
    replicates: &Replicates,
    inflation: f64,
) -> Vec<LawTerm> {
    best.support
        .iter()
        .enumerate()
        .map(|(place, &index)| {
            let coefficient = best.fit.coefficients[place];
            let values: Vec<f64> = replicates.coefficients.iter().map(|c| c[place]).collect();
            let deviation = if values.len() > 4 {
                let count = values.len() as f64;
                let mean = values.iter().sum::<f64>() / count;
                let square = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
                (square / (count - 1.0)).sqrt()
            } else {
                inflation * best.fit.deviations[place]
            };
            let inclusion = replicates.frequencies.get(index).copied();
            let estimate = (coefficient, deviation);
            LawTerm::estimated((question.entry)(index), estimate, inclusion.unwrap_or(1.0))
        })
        .collect()
}

/// The share of the target that laws fitted to the other blocks leave, and whether it is more than
/// the noise makes uncertain.
fn held_out(blocks: &[Moments], support: &[usize], total: &Moments) -> (f64, bool) {
    let size = total.size;
    let mut left = 0.0;
    for fold in 0..FOLDS {
        let (mut training, mut held) = (Moments::zero(size), Moments::zero(size));
        for (k, block) in blocks.iter().enumerate() {
            // Neighbouring blocks share points: whole stretches are held out.
            let own = k * FOLDS / blocks.len().max(1) == fold;
            if own { &mut held } else { &mut training }.add(block, 1.0);
        }
        let c = training.fit(support).coefficients;
        left += held.residual_of(support, &c) - held.noise_of(support, &c);
    }
    let c = total.fit(support).coefficients;
    let noise = total.noise_of(support, &c);
    let signal = total.target().0.max(f64::MIN_POSITIVE);
    let uncertain = noise * (2.0 / total.rows.max(1.0)).sqrt();
    let share = (left.max(0.0) / signal).sqrt();
    (
        share.min(10.0),
        left > 3.0 * uncertain || signal < 3.0 * uncertain,
    )
}

/// Groups of terms, one of them in the law, that the data cannot tell apart.
fn collinear(question: &Question<'_>, total: &Moments, support: &[usize]) -> Vec<Warning> {
    let terms = total.terms();
    let mut named = vec![false; terms];
    let mut warnings = Vec::new();
    for &k in support {
        if named[k] {
            continue;
        }
        // The column takes the place of the target.
        let order: Vec<usize> = (0..terms).filter(|&j| j != k).chain([k]).collect();
        let size = order.len();
        let pick = |from: &[f64]| -> Vec<f64> {
            (0..size * size)
                .map(|i| from[order[i / size] * total.size + order[i % size]])
                .collect()
        };
        let moved = Moments {
            size,
            gram: pick(&total.gram),
            noise: vec![0.0; size * size],
            rows: total.rows,
            log_det: 0.0,
        };
        let all: Vec<usize> = (0..size - 1)
            .filter(|&j| moved.gram[j * size + j] > 0.0)
            .collect();
        let fit = moved.fit(&all);
        let own = moved.target().1;
        let independence = (fit.misfit / own.max(f64::MIN_POSITIVE)).max(0.0);
        if fit.dependent || independence >= INDEPENDENCE {
            continue;
        }
        let mut group = vec![k];
        for (&j, c) in all.iter().zip(&fit.coefficients) {
            if c.abs() * moved.gram[j * size + j].sqrt() > 0.1 * own.sqrt() {
                group.push(order[j]);
            }
        }
        for &j in &group {
            named[j] = true;
        }
        warnings.push(Warning::Collinear {
            terms: group
                .iter()
                .map(|&j| (question.entry)(j).1.to_owned())
                .collect(),
            independence,
        });
    }
    warnings
}
