//! Supports worth considering: from the LASSO path, thresholding and exhaustive search.

use super::{PathPoint, Regression};

/// The maximum number of subsets that exhaustive search will look at.
const MOST_SUBSETS: usize = 20_000;

/// Sequential thresholded least squares: fit, drop terms whose contribution cₖ‖Tₖ‖ is below
/// `threshold` times the largest, repeat until nothing changes.
#[must_use]
pub fn thresholded(regression: &Regression, threshold: f64) -> Vec<usize> {
    let mut support: Vec<usize> = (0..regression.terms())
        .filter(|&k| regression.scales()[k] > 0.0)
        .collect();
    loop {
        let solution = regression.on_support(&support);
        let sizes: Vec<f64> = support
            .iter()
            .zip(&solution.coefficients)
            .map(|(&k, c)| c.abs() * regression.scales()[k])
            .collect();
        let largest = sizes.iter().fold(0.0_f64, |a, v| a.max(*v));
        let kept: Vec<usize> = support
            .iter()
            .zip(&sizes)
            .filter(|(_, size)| **size > 0.0 && **size >= threshold * largest)
            .map(|(&k, _)| k)
            .collect();
        if kept.len() == support.len() {
            return support;
        }
        support = kept;
    }
}

/// Every support of at most `size` terms, if there are not too many.
#[must_use]
pub fn all_subsets(terms: usize, size: usize) -> Option<Vec<Vec<usize>>> {
    let mut all: Vec<Vec<usize>> = Vec::new();
    let mut last: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..size.min(terms) {
        let mut next = Vec::new();
        for set in &last {
            for k in set.last().map_or(0, |k| k + 1)..terms {
                let mut longer = set.clone();
                longer.push(k);
                next.push(longer);
            }
        }
        if all.len() + next.len() > MOST_SUBSETS {
            return None;
        }
        all.extend(next.iter().cloned());
        last = next;
    }
    Some(all)
}

/// Distinct supports from all sources: the path, thresholds from 1e-6 to 0.5, nested backward
/// elimination, and all subsets of up to `size` terms where that is affordable.
#[must_use]
pub fn candidate_supports(
    regression: &Regression,
    path: &[PathPoint],
    size: usize,
) -> Vec<Vec<usize>> {
    let mut supports: Vec<Vec<usize>> = path.iter().map(|point| point.support.clone()).collect();
    supports
        .extend((0..24).map(|i| thresholded(regression, 10f64.powf(-6.0 + 0.25 * f64::from(i)))));
    supports.extend(backward(regression));
    if let Some(all) = all_subsets(regression.terms(), size) {
        supports.extend(all);
    }
    supports.retain(|support| !support.is_empty());
    supports.sort();
    supports.dedup();
    supports
}

/// Backward elimination: from all terms, each time without the one that is missed least.
fn backward(regression: &Regression) -> Vec<Vec<usize>> {
    let mut support: Vec<usize> = (0..regression.terms())
        .filter(|&k| regression.scales()[k] > 0.0)
        .collect();
    let mut nested = Vec::new();
    while support.len() > 1 {
        nested.push(support.clone());
        let least = (0..support.len())
            .map(|place| {
                let mut rest = support.clone();
                rest.remove(place);
                (regression.on_support(&rest).residual_square, place)
            })
            .min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((_, place)) = least {
            support.remove(place);
        }
    }
    nested.push(support);
    nested
}
