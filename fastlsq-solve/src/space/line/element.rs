//! Polynomials on [−1, 1], split into what the ends see and what they do not.

use faer::Mat;
use fastlsq_basis::legendre::derivatives;

use crate::space::SpaceError;
use crate::space::elimination::few;
use crate::space::quadrature::Line;

/// Polynomials of one degree on [−1, 1] in orthonormal Legendre polynomials, with the derivatives below some order at
/// both ends as coordinates.
///
/// Let B take a polynomial to those derivatives. The columns of B⁺ are the smallest polynomials with one of them 1 and all
/// others 0; the null space of B holds the *bubbles*, which neighbours do not see. The two are orthogonal to each other.
#[derive(Debug, Clone)]
pub struct Element {
    degree: usize,
    order: usize,
    pub(super) nodes: Vec<f64>,
    pub(super) weights: Vec<f64>,
    /// For each order of derivative: nodes by polynomials.
    pub(super) tables: Vec<Mat<f64>>,
    /// Legendre coefficients of B⁺: derivatives at −1, then at 1.
    pub(super) nodal: Mat<f64>,
    /// Legendre coefficients of the bubbles, orthonormal.
    pub(super) bubbles: Mat<f64>,
    /// Inner products of the polynomials of two halves with those of the whole.
    pub(super) halves: [Mat<f64>; 2],
}

impl Element {
    /// Polynomials of this degree whose derivatives below `order` are joined from element to element.
    ///
    /// # Errors
    /// A degree that leaves no bubbles: it must be at least twice the order.
    pub fn new(degree: usize, order: usize) -> Result<Self, SpaceError> {
        let size = degree + 1;
        if order == 0 || size <= 2 * order || degree > 100 {
            return Err(SpaceError::Option {
                option: "degree",
                value: degree as f64,
                requirement: "at least twice the order of the equation, and at most 100",
            });
        }
        // Exact for products of three functions, and more than enough for resolved ones.
        let rule = Line::gauss(-1.0, 1.0, (3 * size) / 2 + 2);
        let tables: Vec<Mat<f64>> = (0..=order)
            .map(|d| {
                let mut table = Mat::zeros(rule.nodes.len(), size);
                for (i, &x) in rule.nodes.iter().enumerate() {
                    for (k, value) in legendre(degree, d, x).into_iter().enumerate() {
                        table[(i, k)] = value;
                    }
                }
                table
            })
            .collect();
        let mut rows = Mat::zeros(2 * order, size);
        let mut norms = vec![0.0; 2 * order];
        for (side, x) in [-1.0, 1.0].into_iter().enumerate() {
            for d in 0..order {
                let values = legendre(degree, d, x);
                let norm = values.iter().map(|v| v * v).sum::<f64>().sqrt();
                norms[side * order + d] = norm;
                for (k, value) in values.into_iter().enumerate() {
                    rows[(side * order + d, k)] = value / norm;
                }
            }
        }
        let split = few(&rows);
        if split.independent < 2 * order {
            return Err(SpaceError::Numerical {
                what: "the end values of polynomials",
            });
        }
        let nodal = Mat::from_fn(size, 2 * order, |i, j| {
            split.pseudo_inverse[(i, j)] / norms[j]
        });
        Ok(Self {
            degree,
            order,
            nodes: rule.nodes,
            weights: rule.weights,
            tables,
            nodal,
            bubbles: split.null,
            halves: [-0.5, 0.5].map(|centre| halves(degree, centre)),
        })
    }

    /// The degree.
    #[must_use]
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// Derivatives below this order are joined.
    #[must_use]
    pub fn order(&self) -> usize {
        self.order
    }

    /// The number of polynomials.
    pub(super) fn size(&self) -> usize {
        self.degree + 1
    }
}

/// ∫ Pₖ(x) Pₗ(2(x − c)) √2 dx over the half around c.
fn halves(degree: usize, centre: f64) -> Mat<f64> {
    let rule = Line::gauss(-1.0, 1.0, degree + 1);
    let mut out = Mat::zeros(degree + 1, degree + 1);
    for (&x, &w) in rule.nodes.iter().zip(&rule.weights) {
        let whole = legendre(degree, 0, centre + 0.5 * x);
        let half = legendre(degree, 0, x);
        for (l, half) in half.iter().enumerate() {
            for (k, whole) in whole.iter().enumerate() {
                out[(k, l)] += w * whole * half * std::f64::consts::FRAC_1_SQRT_2;
            }
        }
    }
    out
}

/// The derivative of order d of the orthonormal Legendre polynomials of degrees 0 … n at x.
pub(super) fn legendre(n: usize, d: usize, x: f64) -> Vec<f64> {
    let mut values = vec![0.0; n + 1];
    derivatives(x, u32::try_from(d).unwrap_or(u32::MAX), &mut values);
    for (k, value) in values.iter_mut().enumerate() {
        *value *= (k as f64 + 0.5).sqrt();
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_and_bubbles_are_apart() {
        for (degree, order) in [(6, 1), (12, 2), (16, 4)] {
            let element = Element::new(degree, order).unwrap();
            let cross = element.nodal.transpose() * &element.bubbles;
            assert!(cross.norm_max() < 1e-13 * element.nodal.norm_max());
            for (side, x) in [-1.0, 1.0].into_iter().enumerate() {
                for d in 0..order {
                    let row = legendre(degree, d, x);
                    let size = row.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
                    let at = |matrix: &Mat<f64>, j: usize| -> f64 {
                        row.iter()
                            .enumerate()
                            .map(|(k, v)| v * matrix[(k, j)])
                            .sum()
                    };
                    for j in 0..element.bubbles.ncols() {
                        assert!(at(&element.bubbles, j).abs() < 1e-13 * size);
                    }
                    for j in 0..2 * order {
                        let expected = f64::from(u8::from(j == side * order + d));
                        let norm = element.nodal.col(j).norm_l2();
                        assert!(
                            (at(&element.nodal, j) - expected).abs()
                                < 1e-12 * size * norm.max(1e-3)
                        );
                    }
                }
            }
        }
        assert!(Element::new(7, 4).is_err());
    }

    #[test]
    fn derivatives_of_polynomials() {
        // P₃ = (5x³ − 3x)/2, with norm √(7/2).
        let x: f64 = 0.3;
        let norm = 3.5_f64.sqrt();
        let expected = [
            (5.0 * x.powi(3) - 3.0 * x) / 2.0,
            (15.0 * x * x - 3.0) / 2.0,
            15.0 * x,
            15.0,
            0.0,
        ];
        for (d, expected) in expected.into_iter().enumerate() {
            assert!((legendre(4, d, x)[3] - norm * expected).abs() < 1e-13);
        }
    }
}
