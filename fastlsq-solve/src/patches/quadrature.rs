//! Gauss–Legendre nodes on sides, the traces that are taken there, and the maps between a side and its halves.

use std::f64::consts::PI;

use faer::Mat;
use fastlsq_basis::legendre;

/// Nodes in (−1, 1) in rising order and weights of the n-point Gauss–Legendre rule.
pub(super) fn gauss_legendre(n: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut nodes, mut weights) = (vec![0.0; n], vec![0.0; n]);
    for i in 0..n {
        // Newton from the usual asymptotic guess; three steps reach rounding, the others cost nothing.
        let mut x = -(PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
        let mut slope = 1.0;
        for _ in 0..10 {
            let (value, derivative) = legendre::value_and_slope(n, x);
            slope = derivative;
            x -= value / derivative;
        }
        nodes[i] = x;
        weights[i] = 2.0 / ((1.0 - x * x) * slope * slope);
    }
    (nodes, weights)
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
    /// The trace on the coarse side → that on the fine one.
    pub(super) refine: Mat<f64>,
    /// Fluxes on the fine side → their part of the L2 projection on the coarse side.
    pub(super) collect: Mat<f64>,
}

/// The nodes of a side, tensor products of Gauss nodes along its axes, what a trace is, and its 2^axes parts.
///
/// On a point or a line a trace is the values at the nodes. On a square it is the coefficients of polynomials of total
/// degree n − 1, orthonormal on the square: half as many numbers as values at n² nodes, for the same order.
#[derive(Debug, Clone)]
pub(super) struct SideRule {
    /// Nodes in [−1, 1]^axes; the first axis runs fastest.
    pub(super) nodes: Vec<Vec<f64>>,
    /// Values at the nodes → the trace, if it is not these values.
    modes: Option<Mat<f64>>,
    /// For each part, numbered by the bits of its halves along the axes.
    pub(super) transfers: Vec<Transfer>,
}

/// More nodes along an axis than polynomials, so that coefficients are not disturbed by what is of higher degree.
const MORE_NODES: usize = 2;

impl SideRule {
    /// Traces of `count` nodes, or of polynomials of lower degree than `count`; a point has no axis and one node.
    pub(super) fn new(axes: usize, count: usize) -> Self {
        if axes == 2 {
            return Self::of_modes(count);
        }
        let (x, w) = gauss_legendre(count);
        let total = if axes == 0 { 1 } else { count };
        let nodes = (0..total).map(|i| x[i..].iter().take(axes).copied().collect());
        let nodes = nodes.collect();
        let transfers = [-0.5, 0.5].iter().take(1 << axes).map(|shift| {
            let targets: Vec<f64> = x.iter().map(|x| 0.5 * x + shift).collect();
            let refine = match axes {
                0 => Mat::identity(1, 1),
                _ => interpolation(&x, &targets),
            };
            let scale = if axes == 0 { 1.0 } else { 0.5 };
            let collect = Mat::from_fn(total, total, |coarse, fine| {
                scale * refine[(fine, coarse)] * w[fine] / w[coarse]
            });
            Transfer { refine, collect }
        });
        Self {
            nodes,
            modes: None,
            transfers: transfers.collect(),
        }
    }

    fn of_modes(count: usize) -> Self {
        let (x, w) = gauss_legendre(count + MORE_NODES);
        let along = x.len();
        let nodes: Vec<Vec<f64>> = (0..along * along)
            .map(|i| vec![x[i % along], x[i / along]])
            .collect();
        let degrees: Vec<(usize, usize)> = (0..count)
            .flat_map(|sum| (0..=sum).map(move |second| (sum - second, second)))
            .collect();
        let mode = |(a, b): (usize, usize), s: f64, t: f64| orthonormal(a, s) * orthonormal(b, t);
        let weight = |k: usize| w[k % along] * w[k / along];
        let total = degrees.len();
        let modes = Mat::from_fn(total, nodes.len(), |i, k| {
            weight(k) * mode(degrees[i], nodes[k][0], nodes[k][1])
        });
        let transfers = (0..4).map(|part: usize| {
            let shift = |bit: usize| if part >> bit & 1 == 1 { 0.5 } else { -0.5 };
            let coarse = Mat::from_fn(nodes.len(), total, |k, j| {
                let (s, t) = (0.5 * nodes[k][0] + shift(0), 0.5 * nodes[k][1] + shift(1));
                mode(degrees[j], s, t)
            });
            let refine = &modes * &coarse;
            let collect = refine.transpose() * faer::Scale(0.25);
            Transfer { refine, collect }
        });
        let transfers = transfers.collect();
        Self {
            nodes,
            modes: Some(modes),
            transfers,
        }
    }

    /// Numbers in a trace.
    pub(super) fn size(&self) -> usize {
        self.modes.as_ref().map_or(self.nodes.len(), Mat::nrows)
    }

    /// The traces of functions whose values at the nodes are these columns.
    pub(super) fn trace(&self, values: Mat<f64>) -> Mat<f64> {
        match &self.modes {
            Some(modes) => modes * values,
            None => values,
        }
    }

    /// The traces of functions given one after the other by their values at the nodes.
    pub(super) fn traces_of(&self, values: &[f64]) -> Vec<f64> {
        match &self.modes {
            Some(modes) => {
                let each = values.chunks_exact(self.nodes.len());
                each.flat_map(|own| super::leaf::apply(modes.as_ref(), own))
                    .collect()
            }
            None => values.to_vec(),
        }
    }

    /// The transpose of [`traces_of`](Self::traces_of).
    pub(super) fn transposed(&self, traces: &[f64]) -> Vec<f64> {
        match &self.modes {
            Some(modes) => {
                let each = traces.chunks_exact(modes.nrows());
                each.flat_map(|own| super::leaf::apply(modes.transpose(), own))
                    .collect()
            }
            None => traces.to_vec(),
        }
    }
}

/// √(n + 1/2) Pₙ(x): orthonormal on [−1, 1].
fn orthonormal(n: usize, x: f64) -> f64 {
    (n as f64 + 0.5).sqrt() * legendre::value(n, x)
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
            let total = rule.size();
            let coarse = rule.trace(Mat::from_fn(rule.nodes.len(), 1, |i, _| f(&rule.nodes[i])));
            let mut collected = Mat::<f64>::zeros(total, 1);
            for transfer in &rule.transfers {
                collected += &transfer.collect * (&transfer.refine * &coarse);
            }
            assert!((&collected - &coarse).norm_max() < 1e-13);
        }
    }
}
