//! A basis on a part of space.

use std::fmt;
use std::sync::Arc;

use faer::{Mat, MatMut};
use ndarray::{ArrayView2, Axis};

use crate::BasisError;
use crate::basis::{Basis, validate_request, validate_sums};
use crate::form::{Coefficient, Form};
use crate::saved::SavedBasis;

type Predicate = dyn Fn(&[f64]) -> bool + Send + Sync;

/// The features of another basis where a predicate holds, and zero elsewhere.
///
/// Unknowns that live in one of several regions have such bases: the sum over the regions is the whole function. What is
/// saved is the other basis, without the predicate.
///
/// ```
/// use fastlsq_basis::{Basis, FrequencyLaw, RestrictedBasis, SinusoidalBasis};
/// use std::sync::Arc;
/// let waves = Arc::new(SinusoidalBasis::random(1, 5, &FrequencyLaw::Isotropic(2.0), 0)?);
/// let right = RestrictedBasis::new(waves.clone(), |x| x[0] >= 0.0);
/// assert_eq!(right.value_at(&[0.3])?, waves.value_at(&[0.3])?);
/// assert_eq!(right.value_at(&[-0.3])?, [0.0; 5]);
/// # Ok::<(), fastlsq_basis::BasisError>(())
/// ```
#[derive(Clone)]
pub struct RestrictedBasis {
    inner: Arc<dyn Basis>,
    holds: Arc<Predicate>,
}

impl fmt::Debug for RestrictedBasis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RestrictedBasis")
            .field("inner", &self.inner)
            .finish_non_exhaustive()
    }
}

/// Coefficients of a form's terms, at chosen points only.
type Chosen = Vec<Vec<f64>>;

impl RestrictedBasis {
    /// The features of `inner` where `holds` is true.
    pub fn new(
        inner: Arc<dyn Basis>,
        holds: impl Fn(&[f64]) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self::shared(inner, Arc::new(holds))
    }

    /// As [`new`](Self::new), with a predicate that is already shared.
    #[must_use]
    pub fn shared(inner: Arc<dyn Basis>, holds: Arc<Predicate>) -> Self {
        Self { inner, holds }
    }

    /// The other basis.
    #[must_use]
    pub fn inner(&self) -> &Arc<dyn Basis> {
        &self.inner
    }

    /// The rows of points where the predicate holds.
    fn inside(&self, points: ArrayView2<'_, f64>) -> Vec<usize> {
        let mut scratch = Vec::with_capacity(points.ncols());
        (0..points.nrows())
            .filter(|&i| {
                scratch.clear();
                scratch.extend(points.row(i).iter());
                (self.holds)(&scratch)
            })
            .collect()
    }
}

fn chosen(form: &Form<'_>, rows: &[usize]) -> Chosen {
    let of = |coefficient: &Coefficient<'_>| match coefficient {
        Coefficient::Constant(c) => vec![*c; rows.len()],
        Coefficient::PerPoint(values) => rows.iter().map(|&i| values[i]).collect(),
    };
    form.terms()
        .iter()
        .map(|term| of(&term.coefficient))
        .collect()
}

fn with_coefficients<'a>(form: &Form<'a>, coefficients: &'a Chosen) -> Form<'a> {
    let mut own = Form::new();
    for (term, values) in form.terms().iter().zip(coefficients) {
        let coefficient = match term.coefficient {
            constant @ Coefficient::Constant(_) => constant,
            Coefficient::PerPoint(_) => Coefficient::PerPoint(values),
        };
        own.push(coefficient, term.action);
    }
    own
}

impl Basis for RestrictedBasis {
    fn dim(&self) -> usize {
        self.inner.dim()
    }

    fn len(&self) -> usize {
        self.inner.len()
    }

    fn write_rows(
        &self,
        points: ArrayView2<'_, f64>,
        form: &Form<'_>,
        mut out: MatMut<'_, f64>,
    ) -> Result<(), BasisError> {
        validate_request(self, points, form, &out)?;
        let inside = self.inside(points);
        if inside.len() == points.nrows() {
            return self.inner.write_rows(points, form, out);
        }
        out.fill(0.0);
        if inside.is_empty() {
            return Ok(());
        }
        let coefficients = chosen(form, &inside);
        let mut rows = Mat::zeros(inside.len(), self.len());
        self.inner.write_rows(
            points.select(Axis(0), &inside).view(),
            &with_coefficients(form, &coefficients),
            rows.as_mut(),
        )?;
        for (row, &i) in inside.iter().enumerate() {
            out.as_mut().row_mut(i).copy_from(rows.row(row));
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
        let inside = self.inside(points);
        if inside.len() == points.nrows() {
            return self.inner.sums(points, forms, beta, out);
        }
        out.fill(0.0);
        if inside.is_empty() {
            return Ok(());
        }
        let coefficients: Vec<Chosen> = forms.iter().map(|form| chosen(form, &inside)).collect();
        let own: Vec<Form<'_>> = forms
            .iter()
            .zip(&coefficients)
            .map(|(form, coefficients)| with_coefficients(form, coefficients))
            .collect();
        let mut values = Mat::zeros(inside.len(), forms.len());
        self.inner.sums(
            points.select(Axis(0), &inside).view(),
            &own,
            beta,
            values.as_mut(),
        )?;
        for (row, &i) in inside.iter().enumerate() {
            out.as_mut().row_mut(i).copy_from(values.row(row));
        }
        Ok(())
    }

    fn to_saved(&self) -> Option<SavedBasis> {
        self.inner.to_saved()
    }
}
