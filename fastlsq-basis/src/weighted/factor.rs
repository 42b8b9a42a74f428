//! What a basis can be multiplied by.

use std::fmt;
use std::sync::Arc;

use ndarray::{ArrayView2, ArrayViewMut2};

use crate::MultiIndex;
use crate::saved::SavedFactor;
use crate::taylor::{Taylor, variables};

/// A known function w on R^d with partial derivatives of every order.
///
/// Singular functions, layers, kinks and windows are factors of smooth features, or features of their own
/// (see [`Weighted`](crate::Weighted)). A closed form is an implementation of this trait; a closure over
/// [`Taylor`] numbers becomes one through [`SmoothFactor`].
pub trait Factor: fmt::Debug + Send + Sync {
    /// The dimension d of the space.
    fn dim(&self) -> usize;

    /// Writes D^γ w(xᵢ) into `out[(k, i)]` for γ = `orders[k]`: one row for each derivative, one column for each
    /// point.
    ///
    /// The caller has checked that all shapes fit. Where a derivative does not exist, what is written is not finite.
    fn write_derivatives(
        &self,
        points: ArrayView2<'_, f64>,
        orders: &[MultiIndex],
        out: ArrayViewMut2<'_, f64>,
    );

    /// A plain description of the parameters, for saving; `None` if this kind cannot be saved.
    fn to_saved(&self) -> Option<SavedFactor> {
        None
    }
}

impl<F: Factor + ?Sized> Factor for Arc<F> {
    fn dim(&self) -> usize {
        (**self).dim()
    }

    fn write_derivatives(
        &self,
        points: ArrayView2<'_, f64>,
        orders: &[MultiIndex],
        out: ArrayViewMut2<'_, f64>,
    ) {
        (**self).write_derivatives(points, orders, out);
    }

    fn to_saved(&self) -> Option<SavedFactor> {
        (**self).to_saved()
    }
}

/// A function of the coordinates that comes with all its derivatives.
pub type TaylorFunction = dyn Fn(&[Taylor]) -> Taylor + Send + Sync;

/// A factor given by a closure, differentiated by Taylor arithmetic to whatever order is asked for.
///
/// ```
/// use fastlsq_basis::{Basis, SmoothFactor, Weighted};
/// use std::sync::Arc;
/// // A layer at x₀ = 0.
/// let layer = SmoothFactor::new(2, |x| (20.0 * &x[0]).tanh());
/// let basis = Weighted::functions([Arc::new(layer) as _])?;
/// assert_eq!(basis.gradient_at(&[0.0, 0.3])?[(0, 0)], 20.0);
/// # Ok::<(), fastlsq_basis::BasisError>(())
/// ```
#[derive(Clone)]
pub struct SmoothFactor {
    dim: usize,
    function: Arc<TaylorFunction>,
}

impl SmoothFactor {
    /// The function of `dim` coordinates that the closure computes.
    pub fn new(dim: usize, function: impl Fn(&[Taylor]) -> Taylor + Send + Sync + 'static) -> Self {
        Self {
            dim,
            function: Arc::new(function),
        }
    }
}

impl fmt::Debug for SmoothFactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SmoothFactor")
            .field("dim", &self.dim)
            .finish_non_exhaustive()
    }
}

impl Factor for SmoothFactor {
    fn dim(&self) -> usize {
        self.dim
    }

    fn write_derivatives(
        &self,
        points: ArrayView2<'_, f64>,
        orders: &[MultiIndex],
        mut out: ArrayViewMut2<'_, f64>,
    ) {
        let mut highest = vec![0; self.dim];
        for order in orders {
            for (most, n) in highest.iter_mut().zip(order.orders()) {
                *most = *n.max(most);
            }
        }
        let start = variables(&highest);
        let mut x = Vec::with_capacity(self.dim);
        for (i, point) in points.rows().into_iter().enumerate() {
            x.clear();
            let moved = start.iter().zip(point).map(|(variable, x)| variable + *x);
            x.extend(moved);
            let value = (self.function)(&x);
            for (k, order) in orders.iter().enumerate() {
                out[(k, i)] = value.derivative(order);
            }
        }
    }
}
