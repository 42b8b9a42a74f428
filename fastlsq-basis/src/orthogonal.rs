//! Polynomials that are orthonormal over the points of a rule, on a domain of any shape.
//!
//! Products of Legendre polynomials are orthogonal on a box. Restricted to another domain they are nearly dependent, the more so the
//! higher their degree, and compressing them costs as many digits. Here every polynomial is instead made orthogonal as soon
//! as it is made (the method of Arnoldi): q = (x_k q_j − Σ hᵢqᵢ)/‖…‖, with q_j of one degree less. Since multiplication by x_k is
//! symmetric in the inner product, only polynomials of the last three degrees occur in the sum. Values and derivatives at
//! other points follow the same recurrence, D^β(x_k q) = x_k D^β q + β_k D^{β−e_k} q.

use faer::linalg::matmul::matmul;
use faer::prelude::{IntoConst, Reborrow, ReborrowMut};
use faer::{Accum, Mat, MatMut, MatRef, Par};
use ndarray::ArrayView2;

use crate::basis::{Basis, validate_request};
use crate::error::{require_derivative, require_finite, require_size, require_some};
use crate::form::Form;
use crate::polynomial::count_of;
use crate::saved::SavedBasis;
use crate::{BasisError, MultiIndex};

/// A polynomial whose new part is smaller than this, relative to the whole, counts as dependent.
const DEPENDENT: f64 = 1e-9;
/// Points of one block.
const BLOCK: usize = 512;

/// How one polynomial follows from earlier ones.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
struct Recurrence {
    axis: usize,
    from: usize,
    /// The first polynomial of the sum.
    start: usize,
    h: Vec<f64>,
    norm: f64,
}

/// All polynomials up to a total degree in d variables, orthonormal over the points and weights of a rule, by rising degree.
///
/// ```
/// use fastlsq_basis::{Basis, OrthogonalPolynomials};
/// // Over the points −1, 0, 1 with equal weights: 1/√3 and x/√2
/// let points = ndarray::array![[-1.0], [0.0], [1.0]];
/// let basis = OrthogonalPolynomials::new(points.view(), &[1.0; 3], 1)?;
/// assert!((basis.value_at(&[1.0])?[1] - 0.5_f64.sqrt()).abs() < 1e-15);
/// # Ok::<(), fastlsq_basis::BasisError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Stored")
)]
pub struct OrthogonalPolynomials {
    dim: usize,
    degree: u32,
    constant: f64,
    steps: Vec<Recurrence>,
}

/// Recurrences as they may stand in a file, not yet checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    dim: usize,
    degree: u32,
    constant: f64,
    steps: Vec<Recurrence>,
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for OrthogonalPolynomials {
    type Error = BasisError;

    fn try_from(stored: Stored) -> Result<Self, BasisError> {
        require_some("the space", stored.dim)?;
        require_finite("the constant polynomial", &[stored.constant])?;
        let count = count_of(stored.dim, stored.degree);
        if stored.steps.len() as f64 + 1.0 != count {
            return Err(BasisError::Shape {
                what: "the list of recurrences",
                expected: count as usize - 1,
                found: stored.steps.len(),
            });
        }
        for (k, step) in stored.steps.iter().enumerate() {
            let bad = |what: &'static str, value: f64, requirement: &'static str| {
                Err(BasisError::Parameter {
                    what,
                    value,
                    requirement,
                })
            };
            if step.axis >= stored.dim {
                return Err(BasisError::Axis {
                    axis: step.axis,
                    dim: stored.dim,
                });
            }
            if step.from > k || step.start > k {
                let value = step.from.max(step.start) as f64;
                return bad("a polynomial", value, "made of earlier ones");
            }
            require_size("the sum of a recurrence", k + 1 - step.start, step.h.len())?;
            require_finite("the sum of a recurrence", &step.h)?;
            if !(step.norm.is_finite() && step.norm > 0.0) {
                return bad("the norm of a polynomial", step.norm, "positive and finite");
            }
        }
        let Stored {
            dim,
            degree,
            constant,
            steps,
        } = stored;
        Ok(Self {
            dim,
            degree,
            constant,
            steps,
        })
    }
}

impl OrthogonalPolynomials {
    /// Polynomials up to a degree, orthonormal over these points (one row each) and weights.
    ///
    /// # Errors
    /// No axes, weights of the wrong number or negative, polynomials that depend on each other at the points.
    pub fn new(
        points: ArrayView2<'_, f64>,
        weights: &[f64],
        degree: u32,
    ) -> Result<Self, BasisError> {
        let dim = points.ncols();
        require_some("the space", dim)?;
        require_size("the list of weights", points.nrows(), weights.len())?;
        let roots: Vec<f64> = weights.iter().map(|w| w.sqrt()).collect();
        require_finite("the roots of the weights", &roots)?;
        let failed = BasisError::Parameter {
            what: "degree of the orthogonal polynomials",
            value: f64::from(degree),
            requirement: "so low that they do not depend on each other at the points of the rule",
        };
        // No more of them are independent than there are points.
        if count_of(dim, degree) > points.nrows() as f64 {
            return Err(failed);
        }
        let exponents = MultiIndex::up_to_order(dim, degree);
        let place = |alpha: &[u32]| exponents.iter().position(|own| own.orders() == alpha);
        let volume: f64 = weights.iter().sum();
        let constant = volume.sqrt().recip();
        require_finite("the constant polynomial", &[constant])?;
        // Weighted samples of the polynomials, one column each.
        let mut q = Mat::zeros(roots.len(), exponents.len());
        for (i, root) in roots.iter().enumerate() {
            q[(i, 0)] = constant * root;
        }
        let mut first_of = vec![0; degree as usize + 2];
        for (k, alpha) in exponents.iter().enumerate().rev() {
            first_of[alpha.order() as usize] = k;
        }
        let mut steps = Vec::with_capacity(exponents.len().saturating_sub(1));
        for (n, alpha) in exponents.iter().enumerate().skip(1) {
            let mut lower = alpha.orders().to_vec();
            let axis = lower.iter().position(|o| *o > 0).ok_or(failed.clone())?;
            lower[axis] -= 1;
            let from = place(&lower)
                .filter(|from| *from < n)
                .ok_or(failed.clone())?;
            let start = first_of[(alpha.order() as usize).saturating_sub(2)];
            let (done, mut rest) = q.as_mut().split_at_col_mut(n);
            let done = done.into_const();
            let mut new = rest.rb_mut().subcols_mut(0, 1);
            let mut whole = 0.0;
            for i in 0..roots.len() {
                let value = points[(i, axis)] * done[(i, from)];
                new[(i, 0)] = value;
                whole += value * value;
            }
            let earlier = done.subcols(start, n - start);
            let mut h = vec![0.0; n - start];
            // Twice is enough.
            for _ in 0..2 {
                let mut more = Mat::zeros(n - start, 1);
                let weights = (Accum::Replace, Par::Seq);
                matmul(
                    more.as_mut(),
                    weights.0,
                    earlier.transpose(),
                    new.rb(),
                    1.0,
                    weights.1,
                );
                matmul(
                    new.rb_mut(),
                    Accum::Add,
                    earlier,
                    more.as_ref(),
                    -1.0,
                    Par::Seq,
                );
                for (h, more) in h.iter_mut().zip(more.col(0).iter()) {
                    *h += more;
                }
            }
            let norm = new.rb().norm_l2();
            if norm.is_nan() || norm <= DEPENDENT * whole.sqrt() {
                return Err(failed);
            }
            for i in 0..roots.len() {
                new[(i, 0)] /= norm;
            }
            steps.push(Recurrence {
                axis,
                from,
                start,
                h,
                norm,
            });
        }
        Ok(Self {
            dim,
            degree,
            constant,
            steps,
        })
    }

    /// The largest total degree.
    #[must_use]
    pub fn degree(&self) -> u32 {
        self.degree
    }

    /// D^β of all polynomials for every β of a list that holds, before each, all that are smaller by one along an axis.
    fn jets(&self, points: ArrayView2<'_, f64>, orders: &[Vec<u32>]) -> Vec<Mat<f64>> {
        let count = points.nrows();
        let mut all: Vec<Mat<f64>> = orders
            .iter()
            .map(|_| Mat::zeros(count, self.len()))
            .collect();
        for (beta, values) in orders.iter().zip(&mut all) {
            if beta.iter().all(|o| *o == 0) {
                values.col_mut(0).fill(self.constant);
            }
        }
        // For each β and axis, the place of β − e_k.
        let below: Vec<Vec<Option<usize>>> = orders
            .iter()
            .map(|beta| {
                (0..self.dim)
                    .map(|k| {
                        let mut lower = beta.clone();
                        lower[k] = lower[k].checked_sub(1)?;
                        orders.iter().position(|own| *own == lower)
                    })
                    .collect()
            })
            .collect();
        for (b, beta) in orders.iter().enumerate() {
            let (lower, rest) = all.split_at_mut(b);
            let Some(values) = rest.first_mut() else {
                continue;
            };
            for (n, step) in self.steps.iter().enumerate() {
                let n = n + 1;
                let (done, mut new) = values.as_mut().split_at_col_mut(n);
                let done = done.into_const();
                let mut new = new.rb_mut().subcols_mut(0, 1);
                for i in 0..count {
                    new[(i, 0)] = points[(i, step.axis)] * done[(i, step.from)];
                }
                if let Some(derivative) = below[b][step.axis].and_then(|place| lower.get(place)) {
                    let factor = f64::from(beta[step.axis]);
                    for i in 0..count {
                        new[(i, 0)] += factor * derivative[(i, step.from)];
                    }
                }
                let h = MatRef::from_column_major_slice(&step.h, step.h.len(), 1);
                let earlier = done.subcols(step.start, step.h.len());
                matmul(new.rb_mut(), Accum::Add, earlier, h, -1.0, Par::Seq);
                for i in 0..count {
                    new[(i, 0)] /= step.norm;
                }
            }
        }
        all
    }
}

impl Basis for OrthogonalPolynomials {
    fn dim(&self) -> usize {
        self.dim
    }

    fn len(&self) -> usize {
        self.steps.len() + 1
    }

    fn write_rows(
        &self,
        points: ArrayView2<'_, f64>,
        form: &Form<'_>,
        mut out: MatMut<'_, f64>,
    ) -> Result<(), BasisError> {
        validate_request(self, points, form, &out)?;
        out.fill(0.0);
        let mut orders: Vec<Vec<u32>> = Vec::new();
        let mut terms = Vec::new();
        for term in form.terms() {
            require_derivative("family of orthogonal polynomials", term.action)?;
            // Higher derivatives are zero.
            if term.action.derivative.order() <= self.degree {
                close_below(term.action.derivative.orders(), &mut orders);
                terms.push(term);
            }
        }
        orders.sort_by_key(|beta| beta.iter().sum::<u32>());
        for begin in (0..points.nrows()).step_by(BLOCK) {
            let end = (begin + BLOCK).min(points.nrows());
            let jets = self.jets(points.slice(ndarray::s![begin..end, ..]), &orders);
            for term in &terms {
                let wanted = term.action.derivative.orders();
                let jet = orders.iter().position(|own| own == wanted);
                let Some(values) = jet.and_then(|k| jets.get(k)) else {
                    continue;
                };
                for j in 0..values.ncols() {
                    for i in begin..end {
                        out[(i, j)] += term.coefficient.at(i) * values[(i - begin, j)];
                    }
                }
            }
        }
        Ok(())
    }

    fn to_saved(&self) -> Option<SavedBasis> {
        Some(SavedBasis::Orthogonal(self.clone()))
    }
}

/// Adds α and all multi-indices below it that are not in the list yet.
fn close_below(alpha: &[u32], list: &mut Vec<Vec<u32>>) {
    if list.iter().any(|own| own == alpha) {
        return;
    }
    list.push(alpha.to_vec());
    for k in 0..alpha.len() {
        if alpha[k] > 0 {
            let mut lower = alpha.to_vec();
            lower[k] -= 1;
            close_below(&lower, list);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::Action;
    use ndarray::Array2;

    #[test]
    fn orthonormal_on_a_disc_and_differentiable() {
        // Points of a grid within the disc, with equal weights.
        let inside: Vec<f64> = (0..60 * 60)
            .map(|k| [k % 60, k / 60].map(|n| (f64::from(n) + 0.5) / 30.0 - 1.0))
            .filter(|[x, y]| x * x + y * y <= 1.0)
            .flatten()
            .collect();
        let count = inside.len() / 2;
        let points = Array2::from_shape_vec((count, 2), inside).unwrap();
        let weight = std::f64::consts::PI / count as f64;
        let basis = OrthogonalPolynomials::new(points.view(), &vec![weight; count], 20).unwrap();
        assert_eq!(basis.len(), 231);
        let samples = basis.values(points.view()).unwrap();
        let gram = samples.transpose() * &samples * faer::Scale(weight);
        assert!((gram - Mat::<f64>::identity(231, 231)).norm_max() < 1e-11);
        // Mixed derivatives by differences.
        let h = 1e-5;
        let at = |x: f64, alpha: [u32; 2]| {
            let points = ndarray::array![[x, 0.4]];
            let action = Action::derivative(MultiIndex::new(alpha));
            basis
                .assemble(points.view(), &Form::action(&action))
                .unwrap()
        };
        let (up, down, here) = (at(0.3 + h, [1, 1]), at(0.3 - h, [1, 1]), at(0.3, [2, 1]));
        for j in 0..basis.len() {
            let difference = (up[(0, j)] - down[(0, j)]) / (2.0 * h);
            let scale = here[(0, j)].abs() + 1e3;
            assert!((here[(0, j)] - difference).abs() < 1e-5 * scale, "{j}");
        }
        assert!(
            OrthogonalPolynomials::new(points.slice(ndarray::s![..5, ..]), &[1.0; 5], 3).is_err()
        );
    }
}
