//! What is asked of a basis: a sum of actions with coefficients that may vary from point to point.

use std::fmt;
use std::sync::Arc;

use crate::error::{require_dim, require_finite, require_size};
use crate::{BasisError, MultiIndex};

/// The upper limit of an integral along an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum UpperLimit {
    /// The point's own coordinate: ∫ₐ^{xₖ} (Volterra type).
    Coordinate,
    /// A fixed number: ∫ₐᵇ (Fredholm type).
    Fixed(f64),
}

/// An integral along one axis, ∫_from^to · dx_axis.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AxisIntegral {
    /// The axis that is integrated over.
    pub axis: usize,
    /// The lower limit.
    pub from: f64,
    /// The upper limit.
    pub to: UpperLimit,
}

type Symbol = dyn Fn(&[f64]) -> f64 + Send + Sync;

/// A real even function m(ω) of the frequency that multiplies each Fourier mode.
///
/// Sinusoids are its eigenfunctions: sin(ω·x + b) ↦ m(ω) sin(ω·x + b). With features of declared
/// parity, m must not change when the sign of a single component of ω does; radial symbols
/// (the fractional Laplacian) are of that kind.
#[derive(Clone)]
pub struct Multiplier {
    name: Arc<str>,
    symbol: Arc<Symbol>,
}

impl Multiplier {
    /// A multiplier with a name for printing.
    pub fn new(
        name: impl Into<String>,
        symbol: impl Fn(&[f64]) -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into().into(),
            symbol: Arc::new(symbol),
        }
    }

    /// m(ω).
    #[must_use]
    pub fn symbol(&self, frequency: &[f64]) -> f64 {
        (self.symbol)(frequency)
    }

    /// The name it prints as.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The product of two multipliers: one after the other.
    #[must_use]
    pub fn then(&self, other: &Self) -> Self {
        let (first, second) = (self.clone(), other.clone());
        Self::new(format!("{}{}", other.name, self.name), move |w| {
            first.symbol(w) * second.symbol(w)
        })
    }
}

impl fmt::Debug for Multiplier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Multiplier").field(&self.name).finish()
    }
}

impl PartialEq for Multiplier {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.symbol, &other.symbol)
    }
}

/// What is done to a feature: first a derivative, then a multiplier, then integrals along axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Action {
    /// The derivative D^α.
    pub derivative: MultiIndex,
    /// Integrals along distinct axes, applied after the derivative.
    pub integrals: Vec<AxisIntegral>,
    /// A Fourier multiplier.
    pub multiplier: Option<Multiplier>,
}

impl Action {
    /// The plain derivative D^α.
    #[must_use]
    pub fn derivative(alpha: MultiIndex) -> Self {
        Self {
            derivative: alpha,
            integrals: Vec::new(),
            multiplier: None,
        }
    }

    /// The function itself.
    #[must_use]
    pub fn identity(dim: usize) -> Self {
        Self::derivative(MultiIndex::zero(dim))
    }

    /// Whether this is nothing but a derivative.
    #[must_use]
    pub fn is_derivative(&self) -> bool {
        self.integrals.is_empty() && self.multiplier.is_none()
    }

    /// Checks dimension, axes and limits.
    ///
    /// # Errors
    /// A wrong dimension, a derivative of an order beyond 256, an axis that does not exist or is integrated twice, a limit
    /// that is not finite.
    pub fn validate(&self, dim: usize) -> Result<(), BasisError> {
        require_dim("a multi-index", dim, self.derivative.dim())?;
        let order = self.derivative.order();
        if order > MOST_ORDER {
            return Err(BasisError::Parameter {
                what: "the order of a derivative",
                value: f64::from(order),
                requirement: "at most 256",
            });
        }
        let mut seen = vec![false; dim];
        for integral in &self.integrals {
            let axis = integral.axis;
            let seen = seen.get_mut(axis).ok_or(BasisError::Axis { axis, dim })?;
            if std::mem::replace(seen, true) {
                return Err(BasisError::Parameter {
                    what: "integration axis",
                    value: axis as f64,
                    requirement: "an axis can be integrated over once in one action",
                });
            }
            let to = match integral.to {
                UpperLimit::Coordinate => 0.0,
                UpperLimit::Fixed(to) => to,
            };
            require_finite("an integration limit", &[integral.from, to])?;
        }
        Ok(())
    }
}

/// Derivatives of a higher order are taken for a mistake: they have no correct digit, and recurrences for them no end.
const MOST_ORDER: u32 = 256;

/// The coefficient of one term: one number, or one for each point of the block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Coefficient<'a> {
    /// The same everywhere.
    Constant(f64),
    /// cₜ(xᵢ) for each point xᵢ.
    PerPoint(&'a [f64]),
}

impl Coefficient<'_> {
    /// The coefficient at a point of the block.
    pub(crate) fn at(&self, point: usize) -> f64 {
        match self {
            Self::Constant(c) => *c,
            Self::PerPoint(each) => each[point],
        }
    }
}

/// One term cₜ(x) Tₜ of a [`Form`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FormTerm<'a> {
    /// cₜ.
    pub coefficient: Coefficient<'a>,
    /// Tₜ.
    pub action: &'a Action,
}

/// Σₜ cₜ(xᵢ) Tₜ at a block of points: what [`Basis::write_rows`](crate::Basis::write_rows) evaluates.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Form<'a> {
    terms: Vec<FormTerm<'a>>,
}

impl<'a> Form<'a> {
    /// The empty sum, which evaluates to zero.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A single action with coefficient 1.
    #[must_use]
    pub fn action(action: &'a Action) -> Self {
        Self::new().with(Coefficient::Constant(1.0), action)
    }

    /// The form with one more term.
    #[must_use]
    pub fn with(mut self, coefficient: Coefficient<'a>, action: &'a Action) -> Self {
        self.push(coefficient, action);
        self
    }

    /// Adds a term.
    pub fn push(&mut self, coefficient: Coefficient<'a>, action: &'a Action) {
        self.terms.push(FormTerm {
            coefficient,
            action,
        });
    }

    /// The terms, in the order they were added.
    #[must_use]
    pub fn terms(&self) -> &[FormTerm<'a>] {
        &self.terms
    }

    /// The same form restricted to the points `start .. start + count` of its block.
    #[must_use]
    pub fn restrict(&self, start: usize, count: usize) -> Self {
        let terms = self
            .terms
            .iter()
            .map(|term| FormTerm {
                coefficient: match term.coefficient {
                    Coefficient::PerPoint(values) => Coefficient::PerPoint(
                        values
                            .get(start..start.saturating_add(count))
                            .unwrap_or(&[]),
                    ),
                    constant @ Coefficient::Constant(_) => constant,
                },
                action: term.action,
            })
            .collect();
        Self { terms }
    }

    /// Checks every term against the dimension and the number of points.
    ///
    /// # Errors
    /// A wrong dimension, axis or length, or a coefficient that is NaN or infinite.
    pub fn validate(&self, dim: usize, points: usize) -> Result<(), BasisError> {
        for term in &self.terms {
            term.action.validate(dim)?;
            match term.coefficient {
                Coefficient::Constant(c) => require_finite("a constant coefficient", &[c])?,
                Coefficient::PerPoint(values) => {
                    require_size("a coefficient vector", points, values.len())?;
                    require_finite("a coefficient vector", values)?;
                }
            }
        }
        Ok(())
    }
}
