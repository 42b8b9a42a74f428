//! One basis on each of many boxes: functions that are known piece by piece.

mod integrals;
mod search;

use std::sync::Arc;

use faer::{Mat, MatMut};
use ndarray::{Array2, ArrayView2};

use crate::basis::{Basis, validate_request, validate_sums};
use crate::error::{require_derivative, require_dim, require_some};
use crate::form::{Action, Coefficient, Form};
use crate::saved::{SavedBasis, SavedPiecewise};
use crate::{BasisError, InputMap};
use search::BoxSearch;

/// The features of a local basis in the coordinates of each of several boxes, and zero outside that box:
///
/// φ_{kj}(x) = ψⱼ((x − cₖ)/hₖ) for x in box k.
///
/// Boxes should not overlap; where two meet, either may answer. A point in none of them is an error: the expansion
/// says nothing there. Features are ordered box by box.
///
/// ```
/// use std::sync::Arc;
/// use fastlsq_basis::{Basis, BasisError, InputMap, PiecewiseBasis, PolynomialBasis};
/// let linear = Arc::new(PolynomialBasis::monomials(InputMap::identity(1), 1)?);
/// let boxes = vec![InputMap::from_box(&[0.0], &[1.0])?, InputMap::from_box(&[1.0], &[3.0])?];
/// let basis = PiecewiseBasis::new(linear, boxes)?;
/// // x̂ = (2.5 − 2)/1 in the second box
/// assert_eq!(basis.value_at(&[2.5])?, [0.0, 0.0, 1.0, 0.5]);
/// assert!(matches!(basis.value_at(&[3.5]), Err(BasisError::Outside { .. })));
/// # Ok::<(), fastlsq_basis::BasisError>(())
/// ```
#[derive(Debug, Clone)]
pub struct PiecewiseBasis {
    local: Arc<dyn Basis>,
    boxes: Arc<[InputMap]>,
    search: Arc<BoxSearch>,
}

impl PiecewiseBasis {
    /// A local basis, written in the coordinates [−1, 1]^d of every box.
    ///
    /// # Errors
    /// No boxes, or boxes of another dimension than the basis.
    pub fn new(local: Arc<dyn Basis>, boxes: Vec<InputMap>) -> Result<Self, BasisError> {
        check(local.dim(), &boxes)?;
        Ok(Self::from_checked(local, boxes))
    }

    pub(crate) fn from_checked(local: Arc<dyn Basis>, boxes: Vec<InputMap>) -> Self {
        Self {
            search: Arc::new(BoxSearch::new(&boxes)),
            boxes: boxes.into(),
            local,
        }
    }

    /// The basis of each box.
    #[must_use]
    pub fn local(&self) -> &Arc<dyn Basis> {
        &self.local
    }

    /// The boxes, as maps to [−1, 1]^d.
    #[must_use]
    pub fn boxes(&self) -> &[InputMap] {
        &self.boxes
    }

    /// The number of the box that holds a point.
    ///
    /// # Errors
    /// A point of another dimension, or in none of the boxes.
    pub fn box_at(&self, point: &[f64]) -> Result<usize, BasisError> {
        require_dim("the point", self.dim(), point.len())?;
        let found = self.search.find(&self.boxes, point);
        found.ok_or_else(|| BasisError::Outside {
            point: point.to_vec(),
        })
    }

    /// The points sorted by boxes: pairs of box and point, boxes ascending.
    fn sorted(&self, points: ArrayView2<'_, f64>) -> Result<Vec<(usize, usize)>, BasisError> {
        let mut pairs = Vec::with_capacity(points.nrows());
        for (i, point) in points.rows().into_iter().enumerate() {
            pairs.push((self.box_at(&point.to_vec())?, i));
        }
        pairs.sort_unstable();
        Ok(pairs)
    }
}

pub(crate) fn check(dim: usize, boxes: &[InputMap]) -> Result<(), BasisError> {
    require_some("the list of boxes", boxes.len())?;
    boxes
        .iter()
        .try_for_each(|own| require_dim("a box", dim, own.dim()))
}

/// h^{−α}.
fn chain_factor(map: &InputMap, action: &Action) -> f64 {
    let orders = action.derivative.orders().iter().zip(map.half());
    let factor = |(&n, h): (&u32, &f64)| h.powi(-i32::try_from(n).unwrap_or(i32::MAX));
    orders.map(factor).product()
}

/// Some of the points, in the coordinates of a box.
fn local_points(
    map: &InputMap,
    points: ArrayView2<'_, f64>,
    chosen: &[(usize, usize)],
) -> Array2<f64> {
    Array2::from_shape_fn((chosen.len(), points.ncols()), |(row, axis)| {
        map.apply(axis, points[(chosen[row].1, axis)])
    })
}

impl Basis for PiecewiseBasis {
    fn dim(&self) -> usize {
        self.local.dim()
    }

    fn len(&self) -> usize {
        self.boxes.len() * self.local.len()
    }

    fn write_rows(
        &self,
        points: ArrayView2<'_, f64>,
        form: &Form<'_>,
        mut out: MatMut<'_, f64>,
    ) -> Result<(), BasisError> {
        validate_request(self, points, form, &out)?;
        out.fill(0.0);
        let (plain, integrals) = split(form)?;
        for (coefficient, action) in integrals {
            for (i, point) in points.rows().into_iter().enumerate() {
                let add = |j: usize, value: f64| out[(i, j)] += value;
                self.add_integral(&point.to_vec(), action, coefficient.at(i), add)?;
            }
        }
        if plain.terms().is_empty() {
            return Ok(());
        }
        let form = &plain;
        let count = self.local.len();
        for chosen in self.sorted(points)?.chunk_by(|a, b| a.0 == b.0) {
            let index = chosen[0].0;
            let map = &self.boxes[index];
            let own = local_points(map, points, chosen);
            let coefficients: Vec<Vec<f64>> = form
                .terms()
                .iter()
                .map(|term| {
                    let factor = chain_factor(map, term.action);
                    let each = chosen.iter().map(|(_, i)| term.coefficient.at(*i));
                    each.map(|c| c * factor).collect()
                })
                .collect();
            let mut inner = Form::new();
            for (term, each) in form.terms().iter().zip(&coefficients) {
                inner.push(Coefficient::PerPoint(each), term.action);
            }
            let mut rows = Mat::zeros(chosen.len(), count);
            self.local.write_rows(own.view(), &inner, rows.as_mut())?;
            for (row, (_, i)) in chosen.iter().enumerate() {
                for j in 0..count {
                    out[(*i, index * count + j)] += rows[(row, j)];
                }
            }
        }
        Ok(())
    }

    fn sums(
        &self,
        points: ArrayView2<'_, f64>,
        forms: &[Form<'_>],
        beta: &[f64],
        mut out: MatMut<'_, f64>,
    ) -> Result<(), BasisError> {
        validate_sums(self, points, forms, beta, &out)?;
        out.fill(0.0);
        let mut plain = Vec::with_capacity(forms.len());
        for (column, form) in forms.iter().enumerate() {
            let (own, integrals) = split(form)?;
            plain.push(own);
            for (coefficient, action) in integrals {
                for (i, point) in points.rows().into_iter().enumerate() {
                    let add = |j: usize, value: f64| out[(i, column)] += value * beta[j];
                    self.add_integral(&point.to_vec(), action, coefficient.at(i), add)?;
                }
            }
        }
        let forms = plain.as_slice();
        // Every derivative that occurs, once.
        let mut actions: Vec<&Action> = Vec::new();
        for term in forms.iter().flat_map(Form::terms) {
            if !actions.contains(&term.action) {
                actions.push(term.action);
            }
        }
        if actions.is_empty() {
            return Ok(());
        }
        let place = |action: &Action| actions.iter().position(|own| *own == action).unwrap_or(0);
        let single: Vec<Form<'_>> = actions.iter().map(|action| Form::action(action)).collect();
        let count = self.local.len();
        for chosen in self.sorted(points)?.chunk_by(|a, b| a.0 == b.0) {
            let index = chosen[0].0;
            let map = &self.boxes[index];
            let own = local_points(map, points, chosen);
            let beta = &beta[index * count..(index + 1) * count];
            let mut values = Mat::zeros(chosen.len(), single.len());
            self.local
                .sums(own.view(), &single, beta, values.as_mut())?;
            for (column, form) in forms.iter().enumerate() {
                for term in form.terms() {
                    let (factor, source) = (chain_factor(map, term.action), place(term.action));
                    for (row, (_, i)) in chosen.iter().enumerate() {
                        let c = factor * term.coefficient.at(*i);
                        out[(*i, column)] += c * values[(row, source)];
                    }
                }
            }
        }
        Ok(())
    }

    fn to_saved(&self) -> Option<SavedBasis> {
        Some(SavedBasis::Piecewise(SavedPiecewise {
            local: Box::new(self.local.to_saved()?),
            boxes: self.boxes.to_vec(),
        }))
    }
}

const KIND: &str = "piecewise basis";

/// Terms with integrals: coefficients and what they multiply.
type Integrals<'f> = Vec<(&'f Coefficient<'f>, &'f Action)>;

/// The terms of a form that are plain derivatives, and those with integrals.
fn split<'f>(form: &'f Form<'f>) -> Result<(Form<'f>, Integrals<'f>), BasisError> {
    let mut plain = Form::new();
    let mut integrals = Vec::new();
    for term in form.terms() {
        if term.action.multiplier.is_some() || term.action.integrals.is_empty() {
            require_derivative(KIND, term.action)?;
            plain.push(term.coefficient, term.action);
        } else {
            integrals.push((&term.coefficient, term.action));
        }
    }
    Ok((plain, integrals))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::{AxisIntegral, UpperLimit};
    use crate::{MultiIndex, PolynomialBasis};
    use ndarray::array;

    /// Four boxes that tile [0, 2] × [0, 1] but for its upper right quarter.
    fn tiled() -> PiecewiseBasis {
        let local = PolynomialBasis::legendre(InputMap::identity(2), 3).unwrap();
        let boxes = [
            ([0.0, 0.0], [1.0, 0.5]),
            ([1.0, 0.0], [2.0, 0.5]),
            ([0.0, 0.5], [0.25, 1.0]),
            ([0.25, 0.5], [1.0, 1.0]),
        ];
        let boxes = boxes.map(|(lo, hi)| InputMap::from_box(&lo, &hi).unwrap());
        PiecewiseBasis::new(Arc::new(local), boxes.to_vec()).unwrap()
    }

    #[test]
    fn rows_and_sums_are_those_of_the_box_that_holds_the_point() {
        let basis = tiled();
        let points = array![[0.3, 0.2], [1.9, 0.1], [0.1, 0.7], [0.9, 0.99], [0.4, 0.4]];
        let homes = [0, 1, 2, 3, 0];
        let beta: Vec<f64> = (0..basis.len()).map(|j| (j as f64).sin()).collect();
        let mixed = Action::derivative(MultiIndex::new([1, 1]));
        let slope = Action::derivative(MultiIndex::new([0, 1]));
        let each = [1.0, -2.0, 3.0, 0.5, 7.0];
        let form = Form::new()
            .with(Coefficient::PerPoint(&each), &mixed)
            .with(Coefficient::Constant(2.0), &slope);
        let rows = basis.assemble(points.view(), &form).unwrap();
        let mut sums = Mat::zeros(5, 1);
        basis
            .sums(
                points.view(),
                std::slice::from_ref(&form),
                &beta,
                sums.as_mut(),
            )
            .unwrap();
        let count = basis.local().len();
        for (i, home) in homes.into_iter().enumerate() {
            let map = basis.boxes()[home].clone();
            let global = PolynomialBasis::legendre(map, 3).unwrap();
            let point = points.row(i).to_vec();
            let a = global.derivative_at(&point, &mixed.derivative).unwrap();
            let b = global.derivative_at(&point, &slope.derivative).unwrap();
            let mut total = 0.0;
            for k in 0..basis.len() {
                let own = (k / count == home).then(|| each[i] * a[k % count] + 2.0 * b[k % count]);
                let expected = own.unwrap_or(0.0);
                assert!((rows[(i, k)] - expected).abs() < 1e-12 * (1.0 + expected.abs()));
                total += expected * beta[k];
            }
            assert!((sums[(i, 0)] - total).abs() < 1e-11 * (1.0 + total.abs()));
        }
    }

    #[test]
    fn integrals_are_sums_over_boxes() {
        let basis = tiled();
        // u = 1 + x y, exactly, in every box.
        let count = basis.local().len();
        let local = basis.local().value_at(&[0.3, -0.4]).unwrap();
        assert_eq!(local.len(), count);
        let mut beta = vec![0.0; basis.len()];
        for (index, map) in basis.boxes().to_vec().iter().enumerate() {
            let global = PolynomialBasis::legendre(map.clone(), 3).unwrap();
            let orders = MultiIndex::up_to_order(2, 3);
            assert_eq!(global.len(), orders.len());
            let (c, h) = (map.center().to_vec(), map.half().to_vec());
            // (c₀ + h₀ s)(c₁ + h₁ t) + 1 in products of P₀ and P₁.
            for (j, n) in orders.iter().enumerate() {
                beta[index * count + j] = match n.orders() {
                    [0, 0] => 1.0 + c[0] * c[1],
                    [1, 0] => h[0] * c[1],
                    [0, 1] => c[0] * h[1],
                    [1, 1] => h[0] * h[1],
                    _ => 0.0,
                };
            }
        }
        let over = |axis: usize, from: f64, to: f64| AxisIntegral {
            axis,
            from,
            to: UpperLimit::Fixed(to),
        };
        let both = Action {
            integrals: vec![over(0, 0.0, 2.0), over(1, 0.0, 0.5)],
            ..Action::identity(2)
        };
        let along = Action {
            integrals: vec![over(0, 0.25, 1.5)],
            ..Action::identity(2)
        };
        let slope = Action::derivative(MultiIndex::new([0, 1]));
        let points = array![[1.1, 0.2]];
        let forms = [
            Form::action(&both),
            Form::action(&along).with(Coefficient::Constant(2.0), &slope),
        ];
        let mut sums = Mat::zeros(1, 2);
        basis
            .sums(points.view(), &forms, &beta, sums.as_mut())
            .unwrap();
        let square = |x: f64| 0.5 * x * x;
        let expected = [
            2.0 * 0.5 + square(2.0) * square(0.5),
            1.25 + 0.2 * (square(1.5) - square(0.25)) + 2.0 * 1.1,
        ];
        for (column, (form, expected)) in forms.iter().zip(expected).enumerate() {
            assert!((sums[(0, column)] - expected).abs() < 1e-13);
            let rows = basis.assemble(points.view(), form).unwrap();
            let row: f64 = (0..basis.len()).map(|j| rows[(0, j)] * beta[j]).sum();
            assert!((row - expected).abs() < 1e-13);
        }
    }

    #[test]
    fn points_outside_are_refused_and_rounding_is_not() {
        let basis = tiled();
        assert!(matches!(
            basis.value_at(&[1.5, 0.75]),
            Err(BasisError::Outside { .. })
        ));
        assert!(basis.value_at(&[2.0 + 1e-15, 0.5]).is_ok());
        assert!(basis.value_at(&[2.0 + 1e-6, 0.5]).is_err());
        assert!(basis.box_at(&[0.5]).is_err());
        assert!(basis.box_at(&[f64::NAN, 0.1]).is_err());
        for corner in [[0.0, 0.0], [2.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.5]] {
            assert!(basis.box_at(&corner).is_ok());
        }
    }
}
