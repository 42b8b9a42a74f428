//! Features times known factors, with derivatives by Leibniz' rule.

mod complex_power;
mod factor;
mod leibniz;

use std::sync::Arc;

use faer::MatMut;
use ndarray::{Array2, ArrayView2, s};

pub use complex_power::ComplexPower;
pub use factor::{Factor, SmoothFactor, TaylorFunction};

use crate::BasisError;
use crate::basis::{Basis, row_blocks, validate_request};
use crate::error::{require_dim, require_some};
use crate::form::{Coefficient, Form};
use crate::saved::{SavedBasis, SavedWeighted};
use leibniz::Plan;

/// Points handled together: the factors' derivatives are held for this many.
const BLOCK: usize = 256;

/// The products wₖφⱼ of factors with the features of a basis, all of the first factor first:
///
/// D^α(wφ) = Σ_{γ≤α} (α choose γ) D^γw D^{α−γ}φ.
///
/// A form in wφ is a form in φ whose coefficients contain the derivatives of w, so that any basis keeps its own closed
/// forms. With the constant 1 in place of the basis ([`functions`](Self::functions)) the factors themselves are the
/// features.
///
/// ```
/// use fastlsq_basis::{
///     Basis, ComplexPower, FrequencyLaw, JoinedBasis, SinusoidalBasis, Weighted,
/// };
/// use std::sync::Arc;
/// // Smooth features, and smooth features times r^{1/2} cos(θ/2) for the tip of a crack.
/// let waves = Arc::new(SinusoidalBasis::random(2, 50, &FrequencyLaw::Isotropic(2.0), 0)?);
/// let root = ComplexPower::new([0.0, 0.0], 0.5)?;
/// let singular = Weighted::new([Arc::new(root) as _], waves.clone())?;
/// let basis = JoinedBasis::new([waves as Arc<dyn Basis>, Arc::new(singular)])?;
/// let value = basis.value_at(&[0.04, 0.0])?;
/// assert!((value[50] - 0.2 * value[0]).abs() < 1e-15);
/// # Ok::<(), fastlsq_basis::BasisError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Weighted {
    factors: Vec<Arc<dyn Factor>>,
    /// What the factors multiply; nothing for the constant 1.
    inner: Option<Arc<dyn Basis>>,
}

impl Weighted {
    /// Every factor times every feature.
    ///
    /// # Errors
    /// No factors, or factors of another dimension than the basis.
    pub fn new(
        factors: impl IntoIterator<Item = Arc<dyn Factor>>,
        inner: Arc<dyn Basis>,
    ) -> Result<Self, BasisError> {
        let factors = checked(factors, Some(inner.dim()))?;
        Ok(Self {
            factors,
            inner: Some(inner),
        })
    }

    /// The factors alone.
    ///
    /// # Errors
    /// No factors, or factors of different dimensions.
    pub fn functions(
        factors: impl IntoIterator<Item = Arc<dyn Factor>>,
    ) -> Result<Self, BasisError> {
        Ok(Self {
            factors: checked(factors, None)?,
            inner: None,
        })
    }

    pub(crate) fn from_checked(
        factors: Vec<Arc<dyn Factor>>,
        inner: Option<Arc<dyn Basis>>,
    ) -> Self {
        Self { factors, inner }
    }

    /// The factors, in the order of their columns.
    #[must_use]
    pub fn factors(&self) -> &[Arc<dyn Factor>] {
        &self.factors
    }

    /// What the factors multiply; `None` for the constant 1.
    #[must_use]
    pub fn inner(&self) -> Option<&Arc<dyn Basis>> {
        self.inner.as_ref()
    }

    /// The number of columns that belong to each factor.
    fn width(&self) -> usize {
        self.inner.as_ref().map_or(1, Basis::len)
    }
}

fn checked(
    factors: impl IntoIterator<Item = Arc<dyn Factor>>,
    dim: Option<usize>,
) -> Result<Vec<Arc<dyn Factor>>, BasisError> {
    let factors: Vec<_> = factors.into_iter().collect();
    require_some("the list of factors", factors.len())?;
    let dim = dim.unwrap_or_else(|| factors[0].dim());
    require_some("the space", dim)?;
    for factor in &factors {
        require_dim("a factor", dim, factor.dim())?;
    }
    Ok(factors)
}

impl Basis for Weighted {
    fn dim(&self) -> usize {
        self.factors.first().map_or(0, Factor::dim)
    }

    fn len(&self) -> usize {
        self.factors.len().saturating_mul(self.width())
    }

    fn write_rows(
        &self,
        points: ArrayView2<'_, f64>,
        form: &Form<'_>,
        out: MatMut<'_, f64>,
    ) -> Result<(), BasisError> {
        validate_request(self, points, form, &out)?;
        let plan = Plan::new(form, self.inner.is_some())?;
        let width = self.width();
        let mut derivatives =
            Array2::zeros((plan.factor_orders().len(), BLOCK.min(points.nrows())));
        for (start, mut block) in row_blocks(out, BLOCK) {
            let count = block.nrows();
            let points = points.slice(s![start..start + count, ..]);
            let form = form.restrict(start, count);
            for (k, factor) in self.factors.iter().enumerate() {
                let mut derivatives = derivatives.slice_mut(s![.., ..count]);
                factor.write_derivatives(points, plan.factor_orders(), derivatives.view_mut());
                let coefficients = plan.coefficients(&form, derivatives.view());
                let mut own = block.as_mut().subcols_mut(k * width, width);
                let Some(inner) = &self.inner else {
                    write_alone(&coefficients, start, own)?;
                    continue;
                };
                let mut product = Form::new();
                for (values, action) in coefficients.iter().zip(plan.inner_actions()) {
                    product.push(Coefficient::PerPoint(values), action);
                }
                inner.write_rows(points, &product, own.as_mut())?;
            }
        }
        Ok(())
    }

    fn to_saved(&self) -> Option<SavedBasis> {
        let factors = self.factors.iter().map(Factor::to_saved);
        let inner = match &self.inner {
            None => None,
            Some(inner) => Some(Box::new(inner.to_saved()?)),
        };
        Some(SavedBasis::Weighted(SavedWeighted {
            factors: factors.collect::<Option<_>>()?,
            inner,
        }))
    }
}

/// The rows of a factor times 1: the coefficients of the value of 1.
fn write_alone(
    coefficients: &[Vec<f64>],
    start: usize,
    mut out: MatMut<'_, f64>,
) -> Result<(), BasisError> {
    out.fill(0.0);
    for values in coefficients {
        for (i, &value) in values.iter().enumerate() {
            if !value.is_finite() {
                return Err(BasisError::NotFinite {
                    what: "a derivative of a factor (a point may lie on its singularity)",
                    index: start + i,
                    value,
                });
            }
            out[(i, 0)] += value;
        }
    }
    Ok(())
}
