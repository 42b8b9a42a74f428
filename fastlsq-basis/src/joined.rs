//! Several bases side by side, used as one.

use std::sync::Arc;

use faer::{Mat, MatMut};
use ndarray::ArrayView2;

use crate::BasisError;
use crate::basis::{Basis, validate_request, validate_sums};
use crate::error::{require_dim, require_some};
use crate::form::Form;
use crate::saved::{SavedBasis, SavedJoined};

/// The features of several bases, one after the other: φ = (φ¹, …, φᵏ).
///
/// ```
/// use std::sync::Arc;
/// use fastlsq_basis::{
///     Basis, FrequencyLaw, InputMap, JoinedBasis, PolynomialBasis, SinusoidalBasis,
/// };
/// let waves = SinusoidalBasis::random(2, 50, &FrequencyLaw::Isotropic(3.0), 0)?;
/// let linear = PolynomialBasis::monomials(InputMap::identity(2), 1)?;
/// let basis = JoinedBasis::new([Arc::new(waves) as Arc<dyn Basis>, Arc::new(linear)])?;
/// assert_eq!(basis.len(), 53);
/// assert_eq!(basis.laplacian_at(&[0.1, 0.2])?[50..], [0.0; 3]);
/// # Ok::<(), fastlsq_basis::BasisError>(())
/// ```
#[derive(Debug, Clone)]
pub struct JoinedBasis {
    parts: Vec<Arc<dyn Basis>>,
}

impl JoinedBasis {
    /// Joins bases of one dimension.
    ///
    /// # Errors
    /// No bases, or bases of different dimensions.
    pub fn new(parts: impl IntoIterator<Item = Arc<dyn Basis>>) -> Result<Self, BasisError> {
        let parts: Vec<_> = parts.into_iter().collect();
        require_some("the list of bases to join", parts.len())?;
        for part in &parts {
            require_dim("a basis to join", parts[0].dim(), part.dim())?;
        }
        Ok(Self { parts })
    }

    pub(crate) fn from_checked(parts: Vec<Arc<dyn Basis>>) -> Self {
        Self { parts }
    }

    /// The bases, in the order of their columns.
    #[must_use]
    pub fn parts(&self) -> &[Arc<dyn Basis>] {
        &self.parts
    }

    /// The columns that belong to one of the bases (empty if there is no such basis).
    #[must_use]
    pub fn columns(&self, part: usize) -> std::ops::Range<usize> {
        let start = self.parts.iter().take(part).map(Basis::len).sum();
        start..start + self.parts.get(part).map_or(0, Basis::len)
    }
}

impl Basis for JoinedBasis {
    fn dim(&self) -> usize {
        self.parts.first().map_or(0, Basis::dim)
    }

    fn len(&self) -> usize {
        self.parts.iter().map(Basis::len).sum()
    }

    fn write_rows(
        &self,
        points: ArrayView2<'_, f64>,
        form: &Form<'_>,
        out: MatMut<'_, f64>,
    ) -> Result<(), BasisError> {
        validate_request(self, points, form, &out)?;
        let mut rest = out;
        for part in &self.parts {
            let (columns, tail) = rest.split_at_col_mut(part.len());
            part.write_rows(points, form, columns)?;
            rest = tail;
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
        let mut own = Mat::zeros(out.nrows(), out.ncols());
        let mut rest = beta;
        out.fill(0.0);
        for part in &self.parts {
            let (beta, tail) = rest.split_at(part.len());
            part.sums(points, forms, beta, own.as_mut())?;
            out += &own;
            rest = tail;
        }
        Ok(())
    }

    fn to_saved(&self) -> Option<SavedBasis> {
        let parts = self
            .parts
            .iter()
            .map(Basis::to_saved)
            .collect::<Option<_>>()?;
        Some(SavedBasis::Joined(SavedJoined { parts }))
    }
}
