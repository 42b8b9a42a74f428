//! Which terms: supports compared by an information criterion on noise-corrected moments.

use super::moments::{Fitted, Moments};
use crate::regression::{all_subsets, candidate_supports, multiplicity};

/// Rows of different blocks overlap: this share of all rows counts as independent.
const INDEPENDENT: f64 = 0.5;
/// Relative residuals below this are rounding and quadrature.
pub(crate) const FLOOR: f64 = 1e-4;
/// All supports of one size are tried if there are at most this many.
const SUBSETS: usize = 2_000;

/// A support with its fit and its criterion.
#[derive(Debug, Clone)]
pub(crate) struct Judged {
    pub(crate) support: Vec<usize>,
    pub(crate) fit: Fitted,
    pub(crate) criterion: f64,
}

/// Judges supports on moments; `reference` is the share of noise in the residual of a law near the
/// true one.
pub(crate) struct Judge<'m> {
    moments: &'m Moments,
    reference: f64,
    largest: usize,
    own_noise: bool,
}

impl<'m> Judge<'m> {
    pub(crate) fn new(moments: &'m Moments, reference: f64, largest: usize) -> Self {
        Self {
            moments,
            reference,
            largest: largest.min(moments.terms()),
            own_noise: false,
        }
    }

    /// A law that lets through more noise than the reference then has its own noise in the criterion:
    /// a misfit that is the small difference of two large numbers is no evidence.
    pub(crate) fn with_own_noise(mut self, own_noise: bool) -> Self {
        self.own_noise = own_noise;
        self
    }

    /// m log(RSS/n) + k log m + 2 log C(p, k), with RSS the corrected misfit plus the noise of the
    /// reference, and k the effective number of terms.
    pub(crate) fn judge(&self, support: Vec<usize>) -> Judged {
        let fit = self.moments.fit(&support);
        let m = (INDEPENDENT * self.moments.rows).max(4.0);
        let whole = self.moments.target().1;
        let mut noise = self.reference;
        if self.own_noise {
            noise = noise.max(self.moments.noise_of(&support, &fit.coefficients));
        }
        let least = 0.5 * noise + FLOOR * FLOOR * whole;
        let left = (fit.misfit + noise + FLOOR * FLOOR * whole).max(least);
        let criterion = if fit.dependent {
            f64::INFINITY
        } else {
            m * left.ln() + fit.weight * m.ln() + multiplicity(self.moments.terms(), support.len())
        };
        Judged {
            support,
            fit,
            criterion,
        }
    }

    /// −2 log of the likelihood of the rows under a law, with the penalties of [`judge`](Self::judge);
    /// the moments are whitened by the covariance of that very law.
    pub(crate) fn likelihood(&self, support: Vec<usize>) -> Judged {
        let fit = self.moments.fit(&support);
        let m = (INDEPENDENT * self.moments.rows).max(4.0);
        let residual = self.moments.residual_of(&support, &fit.coefficients);
        let criterion = INDEPENDENT * (residual + self.moments.log_det)
            + fit.weight * m.ln()
            + multiplicity(self.moments.terms(), support.len());
        Judged {
            support,
            fit,
            criterion,
        }
    }

    /// The best supports from paths, thresholds, small subsets and local changes, best first.
    pub(crate) fn search(&self) -> Vec<Judged> {
        let terms = self.moments.terms();
        let mut supports = match self.moments.regression() {
            Some(regression) => candidate_supports(&regression, &[], 1),
            None => Vec::new(),
        };
        for size in (1..=self.largest.min(4)).rev() {
            if subsets(terms, size) <= SUBSETS {
                supports.extend(all_subsets(terms, size).unwrap_or_default());
                break;
            }
        }
        supports.retain(|support| support.len() <= self.largest);
        supports.push(Vec::new());
        self.improve(supports)
    }

    /// Judges the supports, then changes the best of them term by term while that helps.
    pub(crate) fn improve(&self, mut supports: Vec<Vec<usize>>) -> Vec<Judged> {
        supports.sort();
        supports.dedup();
        let mut judged: Vec<Judged> = supports.into_iter().map(|s| self.judge(s)).collect();
        sort(&mut judged);
        judged.truncate(60);
        for place in 0..judged.len().min(4) {
            let mut best = judged[place].clone();
            while let Some(better) = self.step(&best) {
                judged.push(better.clone());
                best = better;
            }
        }
        sort(&mut judged);
        judged.dedup_by(|a, b| a.support == b.support);
        judged
    }

    /// The best of all supports with one term more, less or other, if it is better.
    fn step(&self, from: &Judged) -> Option<Judged> {
        neighbours(&from.support, self.moments.terms(), self.largest)
            .into_iter()
            .map(|support| self.judge(support))
            .filter(|judged| judged.criterion < from.criterion)
            .min_by(|a, b| a.criterion.total_cmp(&b.criterion))
    }
}

fn sort(judged: &mut [Judged]) {
    judged.sort_by(|a, b| {
        a.criterion
            .total_cmp(&b.criterion)
            .then_with(|| a.support.cmp(&b.support))
    });
}

/// Supports with one term more, less, or another in its place.
pub(crate) fn neighbours(support: &[usize], terms: usize, largest: usize) -> Vec<Vec<usize>> {
    let absent: Vec<usize> = (0..terms).filter(|k| !support.contains(k)).collect();
    let with = |base: &[usize], k: usize| {
        let mut longer = base.to_vec();
        longer.push(k);
        longer.sort_unstable();
        longer
    };
    let mut all = Vec::new();
    if support.len() < largest {
        all.extend(absent.iter().map(|&k| with(support, k)));
    }
    for place in 0..support.len() {
        let mut shorter = support.to_vec();
        shorter.remove(place);
        all.extend(absent.iter().map(|&k| with(&shorter, k)));
        all.push(shorter);
    }
    all
}

/// Number of supports of at most this size.
fn subsets(terms: usize, size: usize) -> usize {
    let mut total = 0_usize;
    let mut ways = 1_usize;
    for k in 0..size.min(terms) {
        ways = ways.saturating_mul(terms - k) / (k + 1);
        total = total.saturating_add(ways);
    }
    total
}
