//! Choosing between supports without a hand-set threshold.

use super::Regression;

/// How a support is judged when rows of derivatives are all there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ModelChoice {
    /// Extended Bayesian information criterion m log(RSS/n) + k log m + 2 log C(p, k) for k of p
    /// terms, with m the number of effectively independent rows.
    #[default]
    InformationCriterion,
    /// Mean squared error on held-out blocks of rows, with the one-standard-error rule.
    CrossValidation,
}

/// A support with its least-squares coefficients and scores.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The terms.
    pub support: Vec<usize>,
    /// Their coefficients.
    pub coefficients: Vec<f64>,
    /// Relative residual ‖y − Xc‖/‖y‖.
    pub residual: f64,
    /// Relative error on held-out blocks.
    pub held_out: f64,
    /// The information criterion; smaller is better.
    pub criterion: f64,
}

/// −2 log of the prior probability of one law with `chosen` of `terms` terms, up to a constant, when
/// every number of terms is equally likely and so are all laws with the same number: 2 log C(p, k).
///
/// Without it a criterion forgets how many laws it compares: each absent term is one more chance for
/// noise to look like a term.
pub(crate) fn multiplicity(terms: usize, chosen: usize) -> f64 {
    let few = chosen.min(terms.saturating_sub(chosen));
    let ways: f64 = (0..few)
        .map(|i| ((terms - i) as f64 / (i + 1) as f64).ln())
        .sum();
    2.0 * ways
}

/// Scores every support and sorts from best to worst.
///
/// Supports with terms that the regression does not have, and folds with other terms, are left out.
/// `folds` are disjoint blocks of the rows behind `regression`; `independent` is the number of rows
/// that count as independent (neighbouring rows of a smooth fit do not). `floor` is the relative
/// residual below which differences are rounding.
#[must_use]
pub fn rank_supports(
    regression: &Regression,
    folds: &[Regression],
    supports: &[Vec<usize>],
    independent: f64,
    floor: f64,
    choice: ModelChoice,
) -> Vec<Candidate> {
    let total = regression.target_square().max(f64::MIN_POSITIVE);
    let folds: Vec<&Regression> = folds
        .iter()
        .filter(|fold| fold.terms() == regression.terms())
        .collect();
    let trainings: Vec<Regression> = (0..folds.len())
        .map(|out| {
            let rest = folds.iter().enumerate().filter(|(k, _)| *k != out);
            Regression::stacked(rest.map(|(_, fold)| *fold), regression.terms())
        })
        .collect();
    let mut candidates: Vec<(Candidate, f64)> = supports
        .iter()
        .filter(|support| support.iter().all(|&k| k < regression.terms()))
        .map(|support| {
            let solution = regression.on_support(support);
            let relative = (solution.residual_square / total).sqrt();
            let errors: Vec<f64> = trainings
                .iter()
                .zip(&folds)
                .map(|(training, held)| {
                    let c = training.on_support(support).coefficients;
                    held.misfit(support, &c) / held.target_square().max(f64::MIN_POSITIVE)
                })
                .collect();
            let count = errors.len().max(1) as f64;
            let mean = errors.iter().sum::<f64>() / count;
            let spread = errors.iter().map(|e| (e - mean).powi(2)).sum::<f64>();
            let deviation = (spread / (count - 1.0).max(1.0) / count).sqrt();
            let k = support.len() as f64;
            let m = independent.max(4.0);
            let penalty = if solution.dependent { 1e12 } else { 0.0 };
            let candidate = Candidate {
                support: support.clone(),
                coefficients: solution.coefficients,
                residual: relative,
                held_out: mean.sqrt(),
                criterion: m * (relative.powi(2) + floor * floor).ln()
                    + k * m.ln()
                    + multiplicity(regression.terms(), support.len())
                    + penalty,
            };
            (candidate, deviation)
        })
        .collect();
    if choice == ModelChoice::CrossValidation {
        let best = candidates
            .iter()
            .map(|(c, deviation)| (c.held_out.powi(2), *deviation))
            .min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((least, deviation)) = best {
            // Among all within one standard error of the best, the shortest law comes first.
            let limit = least + deviation;
            candidates.sort_by(|(a, _), (b, _)| {
                let key = |c: &Candidate| {
                    let within = c.held_out.powi(2) <= limit;
                    (!within, if within { c.support.len() } else { 0 })
                };
                key(a).cmp(&key(b)).then(a.held_out.total_cmp(&b.held_out))
            });
        }
    } else {
        candidates.sort_by(|(a, _), (b, _)| a.criterion.total_cmp(&b.criterion));
    }
    candidates
        .into_iter()
        .map(|(candidate, _)| candidate)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::multiplicity;

    #[test]
    fn counts_the_laws_of_each_size() {
        for (terms, chosen, ways) in [
            (10, 0, 1.0_f64),
            (10, 2, 45.0),
            (10, 8, 45.0),
            (6, 3, 20.0),
            (5, 5, 1.0),
        ] {
            let error = multiplicity(terms, chosen) - 2.0 * ways.ln();
            assert!(error.abs() < 1e-12, "{chosen} of {terms}");
        }
    }
}
