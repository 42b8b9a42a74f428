//! Weak form: the law integrated against compactly supported test functions, in closed form.
//!
//! With ψ(x) = Πₖ(1 − sₖ²)^p, sₖ = (xₖ − aₖ)/hₖ, and u = Σ βⱼ sin(wⱼ·x + bⱼ)·scale,
//!
//! ∫ψ D^αu = Σⱼ βⱼ wⱼ^α Φ_{|α| mod 4}(wⱼ·a + bⱼ) Πₖ hₖ I_p(wⱼₖhₖ),
//!
//! I_p being the transform of the bump: exact for every linear term and every order. Products are
//! integrated by Gauss–Legendre quadrature of the smooth fit, whose integrands are analytic.

use faer::Mat;
use fastlsq_basis::sampling::UnitSampler;
use fastlsq_basis::{Basis, InputMap, MultiIndex, SinusoidalBasis};
use ndarray::{Array2, ArrayView2};

use super::{Rows, bump_transform, folds_of, gauss_legendre};
use crate::dictionary::{Dictionary, Jets, evaluate};
use crate::fit::expansion;
use crate::{DiscoveryError, FieldFit};

/// Frequency of a product of two waves in bandwidths of one wave; nodes beyond half that frequency, and their maximum number.
const PRODUCT: f64 = 4.0;
const SPARE_NODES: usize = 6;
const MOST_NODES: f64 = 40.0;

/// A set of test functions that differ only in their centres.
#[derive(Debug, Clone, PartialEq)]
pub struct TestFunctions {
    /// Centres, one per row.
    pub centres: Array2<f64>,
    /// Half-width of the support along each axis.
    pub half: Vec<f64>,
    /// Exponent p of (1 − s²)^p.
    pub power: u32,
    /// Gauss–Legendre nodes along each axis, for products.
    pub nodes: usize,
}

impl TestFunctions {
    /// Test functions spread over a box; each reaches over `reach` of its half-width.
    #[must_use]
    pub fn spread(map: &InputMap, count: usize, reach: f64) -> Self {
        let dim = map.dim();
        let reach = reach.clamp(1e-3, 1.0);
        let unit = UnitSampler::halton(1).points(count, dim);
        let centres = Array2::from_shape_fn((count, dim), |(i, k)| {
            map.center()[k] + map.half()[k] * (1.0 - reach) * (2.0 * unit[(i, k)] - 1.0)
        });
        Self {
            centres,
            half: map.half().iter().map(|h| h * reach).collect(),
            power: 6,
            nodes: match dim {
                1 => 40,
                2 => 14,
                _ => 7,
            },
        }
    }

    /// The same test functions with at least as many nodes as products of two waves of the fit need: Gauss–Legendre
    /// quadrature follows cos κs with a little more than κ/2 nodes.
    pub(crate) fn resolving(mut self, fit: &FieldFit) -> Self {
        let basis = fit.basis();
        let along = |axis: usize| -> f64 {
            let squares = (0..basis.len()).map(|j| basis.frequency(j)[axis].powi(2));
            (squares.sum::<f64>() / basis.len().max(1) as f64).sqrt()
        };
        let fastest = (0..self.half.len())
            .map(|axis| PRODUCT * along(axis) * self.half[axis])
            .fold(0.0, f64::max);
        let needed = (0.5 * fastest).min(MOST_NODES) as usize + SPARE_NODES;
        self.nodes = self.nodes.max(needed);
        self
    }

    /// ∫ψ D^αφⱼ / ∫ψ for every test function and feature.
    #[must_use]
    pub fn linear_rows(&self, basis: &SinusoidalBasis, alpha: &MultiIndex) -> Mat<f64> {
        let mass = bump_transform(self.power, 0.0);
        let features: Vec<(f64, &[f64])> = (0..basis.len())
            .map(|j| {
                let w = basis.frequency(j);
                let damping: f64 = w
                    .iter()
                    .zip(&self.half)
                    .map(|(w, h)| bump_transform(self.power, w * h) / mass)
                    .product();
                (basis.scale() * damping * alpha.monomial(w), w)
            })
            .collect();
        let quarter = f64::from(alpha.order() % 4) * std::f64::consts::FRAC_PI_2;
        Mat::from_fn(self.centres.nrows(), basis.len(), |i, j| {
            let (factor, w) = features[j];
            let phase: f64 = w.iter().zip(self.centres.row(i)).map(|(w, a)| w * a).sum();
            factor * (phase + basis.phases()[j] + quarter).sin()
        })
    }

    /// Quadrature points of all supports and the weights that repeat for each.
    pub(crate) fn quadrature(&self) -> (Array2<f64>, Vec<f64>) {
        let dim = self.half.len();
        let (x, w) = gauss_legendre(self.nodes);
        let mass = bump_transform(self.power, 0.0);
        let exponent = i32::try_from(self.power).unwrap_or(i32::MAX);
        let each = self.nodes.pow(u32::try_from(dim).unwrap_or(u32::MAX));
        let digit = |q: usize, k: usize| {
            q / self.nodes.pow(u32::try_from(k).unwrap_or(u32::MAX)) % self.nodes
        };
        let weights = (0..each)
            .map(|q| {
                (0..dim)
                    .map(|k| {
                        let i = digit(q, k);
                        w[i] * (1.0 - x[i] * x[i]).powi(exponent) / mass
                    })
                    .product()
            })
            .collect();
        let points = Array2::from_shape_fn((each * self.centres.nrows(), dim), |(row, k)| {
            self.centres[(row / each, k)] + self.half[k] * x[digit(row % each, k)]
        });
        (points, weights)
    }
}

/// Weak rows of a fitted field.
///
/// # Errors
/// A term that is not finite on the fit.
pub(crate) fn weak_rows_of(
    fit: &FieldFit,
    library: &Dictionary,
    jets: &Jets,
    tests: &TestFunctions,
) -> Result<Rows, DiscoveryError> {
    let linear = |alpha: &MultiIndex| {
        let rows = tests.linear_rows(fit.basis(), alpha) * crate::fit::column_of(fit.beta());
        (0..rows.nrows())
            .map(|i| rows[(i, 0)])
            .collect::<Vec<f64>>()
    };
    let count = tests.centres.nrows();
    let mut columns = Mat::zeros(count, library.len());
    for (k, term) in library.terms().iter().enumerate() {
        let Some(affine) = term.affine() else {
            continue;
        };
        for i in 0..count {
            columns[(i, k)] = affine.constant;
        }
        for (c, alpha) in &affine.derivatives {
            for (i, value) in linear(alpha).iter().enumerate() {
                columns[(i, k)] += c * value;
            }
        }
    }
    let products: Vec<usize> = (0..library.len())
        .filter(|&k| library.terms()[k].affine().is_none())
        .collect();
    if !products.is_empty() {
        let (points, weights) = tests.quadrature();
        let values = needed_derivatives(fit, jets, &products, points.view())?;
        for &k in &products {
            let term = &library.terms()[k];
            let found = evaluate(term, &jets.arguments[k], points.view(), &values)?.values;
            for (row, value) in found.into_iter().enumerate() {
                let (test, node) = (row / weights.len(), row % weights.len());
                columns[(test, k)] += weights[node] * term.defined(value, test)?;
            }
        }
    }
    Ok(Rows {
        target: linear(&jets.alphas[0]),
        columns,
        fold: folds_of(tests.centres.view()),
    })
}

/// Weak rows of a fitted field: ∫ψ·target and ∫ψ·Tₖ over ∫ψ for every test function.
///
/// # Errors
/// An empty dictionary, the target among its terms, a term that is not finite on the fit, or test
/// functions, a target or terms of another dimension than the fit.
pub fn weak_rows(
    fit: &FieldFit,
    library: &Dictionary,
    target: &MultiIndex,
    tests: &TestFunctions,
) -> Result<Rows, DiscoveryError> {
    let dim = fit.basis().dim();
    for (what, found) in [
        ("dimension of the centres", tests.centres.ncols()),
        ("dimension of the test functions", tests.half.len()),
        ("dimension of the target", target.orders().len()),
        ("dimension of the dictionary", library.frame().space().dim()),
    ] {
        if found != dim {
            return Err(DiscoveryError::Setting {
                what,
                value: found as f64,
                requirement: "the dimension of the fit",
            });
        }
    }
    weak_rows_of(fit, library, &Jets::new(library, target)?, tests)
}

/// Derivatives that the products use; the others stay empty.
fn needed_derivatives(
    fit: &FieldFit,
    jets: &Jets,
    products: &[usize],
    points: ArrayView2<'_, f64>,
) -> Result<Vec<Vec<f64>>, DiscoveryError> {
    jets.alphas
        .iter()
        .enumerate()
        .map(|(a, alpha)| {
            if products.iter().any(|&k| jets.arguments[k].contains(&a)) {
                expansion(fit.basis(), fit.beta(), points, alpha)
            } else {
                Ok(Vec::new())
            }
        })
        .collect()
}
