//! Polynomials along one axis of a pane: orthonormal on the samples, with derivatives at nodes of quadrature.

use faer::Mat;
use fastlsq_basis::legendre::derivatives;

use crate::rows::gauss_legendre;

/// Nodes for each degree: products of two polynomials are integrated exactly against a third of half the degree.
const NODES: f64 = 1.5;

/// One axis of a pane.
#[derive(Debug)]
pub(super) struct Line {
    /// At the samples: an orthonormal column for each degree.
    pub(super) at_samples: Mat<f64>,
    /// The derivative of each order at the nodes.
    pub(super) at_nodes: Vec<Mat<f64>>,
    /// Rows that take values at the nodes to the moments of their derivative of each order.
    pub(super) tests: Vec<Mat<f64>>,
}

impl Line {
    /// For evenly spaced samples: polynomials up to a degree, tests up to one that is lower by the order of the law.
    ///
    /// `inner` and `outer` are the highest derivatives of fields and of products of them. `None` if the samples do not
    /// tell the polynomials apart.
    pub(super) fn new(
        samples: usize,
        step: f64,
        degree: usize,
        order: usize,
        (inner, outer): (usize, usize),
    ) -> Option<Self> {
        let half = 0.5 * step * (samples.checked_sub(1)?) as f64;
        let place = |i: usize| 2.0 * i as f64 / (samples - 1) as f64 - 1.0;
        let plain = Mat::from_fn(samples, degree + 1, |i, k| legendre(k, place(i), 0));
        let factors = plain.qr();
        let triangle = factors.thin_R().to_owned();
        let least = (0..=degree).map(|k| triangle[(k, k)].abs());
        if samples <= degree || least.fold(f64::INFINITY, f64::min) < 1e-9 {
            return None;
        }
        let count = (NODES * degree as f64).ceil() as usize + 3;
        let (nodes, weights) = gauss_legendre(count);
        let at_nodes = (0..=inner)
            .map(|order| {
                let scale = half.powi(i32::try_from(order).unwrap_or(i32::MAX));
                let raw = Mat::from_fn(degree + 1, count, |k, q| {
                    legendre(k, nodes[q], order) / scale
                });
                // Rows of R⁻ᵀ V.
                let mut solved = raw;
                faer::linalg::triangular_solve::solve_lower_triangular_in_place(
                    triangle.transpose(),
                    solved.as_mut(),
                    faer::Par::Seq,
                );
                solved.transpose().to_owned()
            })
            .collect();
        // Values at the nodes to those of the derivative of the polynomial through them.
        let slope = Mat::from_fn(count, count, |p, q| {
            let each = (0..count).map(|k| {
                let share = (k as f64 + 0.5) * weights[q];
                legendre(k, nodes[p], 1) * legendre(k, nodes[q], 0) * share / half
            });
            each.sum::<f64>()
        });
        let mut tests = vec![Mat::from_fn(
            (degree + 1).checked_sub(order)?,
            count,
            |k, q| (k as f64 + 0.5).sqrt() * legendre(k, nodes[q], 0) * weights[q],
        )];
        for order in 0..outer {
            let next = &tests[order] * &slope;
            tests.push(next);
        }
        Some(Self {
            at_samples: factors.compute_thin_Q(),
            at_nodes,
            tests,
        })
    }

    /// Number of polynomials.
    pub(super) fn functions(&self) -> usize {
        self.at_samples.ncols()
    }

    /// Number of tests.
    pub(super) fn equations(&self) -> usize {
        self.tests.first().map_or(0, Mat::nrows)
    }

    /// Number of nodes.
    pub(super) fn nodes(&self) -> usize {
        self.tests.first().map_or(0, Mat::ncols)
    }
}

/// The derivative of the given order of the Legendre polynomial P_degree.
fn legendre(degree: usize, s: f64, order: usize) -> f64 {
    let mut values = vec![0.0; degree + 1];
    derivatives(s, u32::try_from(order).unwrap_or(u32::MAX), &mut values);
    values[degree]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_and_moments_of_polynomials_are_exact() {
        let line = Line::new(30, 0.1, 8, 2, (2, 2)).unwrap();
        assert_eq!((line.functions(), line.equations()), (9, 7));
        let gram = line.at_samples.transpose() * &line.at_samples;
        for i in 0..9 {
            for j in 0..9 {
                let expected = f64::from(u8::from(i == j));
                assert!((gram[(i, j)] - expected).abs() < 1e-12);
            }
        }
        // x⁵ on samples at 0, 0.1, …
        let samples = Mat::from_fn(30, 1, |i, _| (0.1 * i as f64).powi(5));
        let c = line.at_samples.transpose() * &samples;
        let (nodes, _) = gauss_legendre(line.nodes());
        let x = |q: usize| 1.45 * (nodes[q] + 1.0);
        let second = &line.at_nodes[2] * &c;
        for q in 0..line.nodes() {
            assert!((second[(q, 0)] - 20.0 * x(q).powi(3)).abs() < 1e-8);
        }
        // The same derivative through the tests.
        let values = &line.at_nodes[0] * &c;
        let moved = &line.tests[2] * &values;
        let direct = &line.tests[0] * &second;
        for k in 0..line.equations() {
            assert!((moved[(k, 0)] - direct[(k, 0)]).abs() < 1e-8);
        }
    }
}
