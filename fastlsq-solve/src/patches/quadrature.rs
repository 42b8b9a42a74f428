//! Gauss–Legendre nodes on sides, and the maps between a side and its halves.

use std::f64::consts::PI;

use faer::Mat;

/// Nodes in (−1, 1) in rising order and weights of the n-point Gauss–Legendre rule.
pub(super) fn gauss_legendre(n: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut nodes, mut weights) = (vec![0.0; n], vec![0.0; n]);
    for i in 0..n {
        // Newton from the usual asymptotic guess; three steps reach rounding, the others cost nothing.
        let mut x = -(PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
        let mut slope = 1.0;
        for _ in 0..10 {
            let (value, derivative) = legendre(n, x);
            slope = derivative;
            x -= value / derivative;
        }
        nodes[i] = x;
        weights[i] = 2.0 / ((1.0 - x * x) * slope * slope);
    }
    (nodes, weights)
}

/// Pₙ(x) and Pₙ′(x) inside (−1, 1).
fn legendre(n: usize, x: f64) -> (f64, f64) {
    let (mut before, mut value) = (1.0, x);
    if n == 0 {
        return (1.0, 0.0);
    }
    for k in 1..n {
        let k = k as f64;
        (before, value) = (
            value,
            ((2.0 * k + 1.0) * x * value - k * before) / (k + 1.0),
        );
    }
    let slope = n as f64 * (x * value - before) / (x * x - 1.0);
    (value, slope)
}

/// The matrix that takes values at `nodes` to the values of their interpolating polynomial at `targets`.
pub(super) fn interpolation(nodes: &[f64], targets: &[f64]) -> Mat<f64> {
    let weight = |k: usize| -> f64 {
        let others = nodes.iter().enumerate().filter(|(i, _)| *i != k);
        1.0 / others.map(|(_, x)| nodes[k] - x).product::<f64>()
    };
    let weights: Vec<f64> = (0..nodes.len()).map(weight).collect();
    let mut matrix = Mat::zeros(targets.len(), nodes.len());
    for (row, &target) in targets.iter().enumerate() {
        if let Some(hit) = nodes.iter().position(|&x| x == target) {
            matrix[(row, hit)] = 1.0;
            continue;
        }
        let terms = || nodes.iter().zip(&weights).map(|(x, w)| w / (target - x));
        let sum: f64 = terms().sum();
        for (column, term) in terms().enumerate() {
            matrix[(row, column)] = term / sum;
        }
    }
    matrix
}

/// How a fine side talks to the coarse side that it is a part of.
#[derive(Debug, Clone)]
pub(super) struct Transfer {
    /// Values at the nodes of the coarse side → values at those of the fine one.
    pub(super) refine: Mat<f64>,
    /// Fluxes at the fine nodes → their part of the L2 projection at the coarse nodes.
    pub(super) collect: Mat<f64>,
}

/// The nodes of a side, tensor products of Gauss nodes along its axes, and its 2^axes parts.
#[derive(Debug, Clone)]
pub(super) struct SideRule {
    /// Nodes in [−1, 1]^axes; the first axis runs fastest.
    pub(super) nodes: Vec<Vec<f64>>,
    /// For each part, numbered by the bits of its halves along the axes.
    pub(super) transfers: Vec<Transfer>,
}

impl SideRule {
    /// `count` nodes along each of `axes` axes; a point has no axis and one node.
    pub(super) fn new(axes: usize, count: usize) -> Self {
        let (x, w) = gauss_legendre(count);
        let total = count.pow(u32::try_from(axes).unwrap_or(0));
        let digit =
            |index: usize, axis: usize| index / count.pow(u32::try_from(axis).unwrap_or(0)) % count;
        let nodes = (0..total)
            .map(|i| (0..axes).map(|axis| x[digit(i, axis)]).collect())
            .collect();
        let halves: Vec<Mat<f64>> = [-0.5, 0.5]
            .iter()
            .map(|shift| {
                let targets: Vec<f64> = x.iter().map(|x| 0.5 * x + shift).collect();
                interpolation(&x, &targets)
            })
            .collect();
        let transfers = (0..1_usize << axes)
            .map(|part| {
                let factor = |fine: usize, coarse: usize| -> f64 {
                    (0..axes)
                        .map(|axis| {
                            halves[part >> axis & 1][(digit(fine, axis), digit(coarse, axis))]
                        })
                        .product()
                };
                let weight =
                    |i: usize| -> f64 { (0..axes).map(|axis| w[digit(i, axis)]).product() };
                let scale = 0.5_f64.powi(i32::try_from(axes).unwrap_or(0));
                Transfer {
                    refine: Mat::from_fn(total, total, factor),
                    collect: Mat::from_fn(total, total, |coarse, fine| {
                        scale * factor(fine, coarse) * weight(fine) / weight(coarse)
                    }),
                }
            })
            .collect();
        Self { nodes, transfers }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_integrates_polynomials_of_degree_2n_minus_1() {
        for n in 1..24 {
            let (x, w) = gauss_legendre(n);
            for degree in 0..2 * n {
                let sum: f64 = x
                    .iter()
                    .zip(&w)
                    .map(|(x, w)| w * x.powi(degree as i32))
                    .sum();
                let exact = if degree % 2 == 0 {
                    2.0 / (degree as f64 + 1.0)
                } else {
                    0.0
                };
                assert!((sum - exact).abs() < 1e-14, "{n} {degree} {sum} {exact}");
            }
        }
    }

    #[test]
    fn polynomials_cross_hanging_sides_unchanged() {
        // A polynomial flux on the coarse side, sampled on its parts and collected, is itself.
        for axes in 0..3 {
            let rule = SideRule::new(axes, 6);
            let f = |x: &[f64]| {
                x.iter()
                    .enumerate()
                    .map(|(k, x)| x.powi(5 - k as i32) - 0.3 * x)
                    .sum::<f64>()
                    + 1.0
            };
            let total = rule.nodes.len();
            let coarse = Mat::from_fn(total, 1, |i, _| f(&rule.nodes[i]));
            let mut collected = Mat::<f64>::zeros(total, 1);
            for transfer in &rule.transfers {
                collected += &transfer.collect * (&transfer.refine * &coarse);
            }
            assert!((&collected - &coarse).norm_max() < 1e-13);
        }
    }
}
