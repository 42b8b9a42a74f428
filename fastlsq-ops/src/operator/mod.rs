//! The [`Operator`]: a sum of coefficients times derivatives, integrals and multipliers.

mod rows;
mod symbol;
mod symmetry;

use std::sync::Arc;

pub use rows::PreparedRows;
pub(crate) use rows::apply_all;

use fastlsq_basis::{Action, require_dim};

use crate::error::require_finite;
use crate::{Field, OperatorError};

/// One term c(x) T of an operator.
#[derive(Debug, Clone)]
pub struct Term {
    coefficient: Field,
    action: Action,
}

impl Term {
    /// The term c(x) T.
    #[must_use]
    pub fn new(coefficient: impl Into<Field>, action: Action) -> Self {
        Self {
            coefficient: coefficient.into(),
            action,
        }
    }

    /// c.
    #[must_use]
    pub fn coefficient(&self) -> &Field {
        &self.coefficient
    }

    /// T: what is done to the function.
    #[must_use]
    pub fn action(&self) -> &Action {
        &self.action
    }
}

/// A linear operator Σ c(x) T on functions of d variables, where each T is a derivative D^α, an
/// integral along axes, a Fourier multiplier, or one after the other.
///
/// Users write expressions; an operator is what a linear one becomes (see
/// [`Statement::row`](crate::Statement::row)). Cheap to clone. What was put together wrongly is
/// remembered and returned as an error by [`validate`](Operator::validate) and by every call that
/// applies the operator.
#[derive(Debug, Clone)]
pub struct Operator {
    body: Result<Body, Arc<OperatorError>>,
}

#[derive(Debug, Clone)]
struct Body {
    dim: usize,
    terms: Arc<[Term]>,
}

impl Operator {
    /// The sum of these terms; like terms are added up, terms that cancel are left out.
    #[must_use]
    pub fn from_terms(dim: usize, terms: impl IntoIterator<Item = Term>) -> Self {
        Self::checked(collect(dim, terms))
    }

    /// The operator that answers every use with this error.
    pub(crate) fn invalid(error: OperatorError) -> Self {
        Self {
            body: Err(Arc::new(error)),
        }
    }

    pub(crate) fn checked(terms: Result<(usize, Vec<Term>), OperatorError>) -> Self {
        match terms {
            Ok((dim, terms)) => Self {
                body: Ok(Body {
                    dim,
                    terms: terms.into(),
                }),
            },
            Err(error) => Self::invalid(error),
        }
    }

    fn body(&self) -> Result<&Body, OperatorError> {
        self.body.as_ref().map_err(|error| error.as_ref().clone())
    }

    /// The sum of two operators, or the first mistake in either.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let sum = || {
            let (a, b) = (self.body()?, other.body()?);
            require_dim("the second operand of a sum", a.dim, b.dim)?;
            collect(a.dim, a.terms.iter().chain(b.terms.iter()).cloned())
        };
        Self::checked(sum())
    }

    /// Checks that the operator was put together without a mistake.
    ///
    /// # Errors
    /// The first mistake that was made.
    pub fn validate(&self) -> Result<(), OperatorError> {
        self.body().map(|_| ())
    }

    /// The dimension d of the space.
    ///
    /// # Errors
    /// As [`validate`](Operator::validate).
    pub fn dim(&self) -> Result<usize, OperatorError> {
        self.body().map(|body| body.dim)
    }

    /// The terms; none if the operator is zero or was put together wrongly.
    #[must_use]
    pub fn terms(&self) -> &[Term] {
        self.body.as_ref().map_or(&[], |body| &body.terms)
    }

    /// The highest order of a derivative; multipliers and integrals do not count.
    #[must_use]
    pub fn order(&self) -> u32 {
        let order = |term: &Term| term.action.derivative.order();
        self.terms().iter().map(order).max().unwrap_or(0)
    }

    /// Whether all coefficients are numbers.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        self.validate().is_ok() && self.terms().iter().all(|t| t.coefficient.is_constant())
    }

    /// Whether every function is mapped to zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.validate().is_ok() && self.terms().is_empty()
    }

    /// Whether points must come with normals.
    #[must_use]
    pub fn needs_normals(&self) -> bool {
        self.terms()
            .iter()
            .any(|term| term.coefficient.needs_normals())
    }
}

/// Adds up like terms and checks each.
fn collect(
    dim: usize,
    terms: impl IntoIterator<Item = Term>,
) -> Result<(usize, Vec<Term>), OperatorError> {
    if dim == 0 {
        return Err(OperatorError::EmptySpace);
    }
    let mut sum: Vec<Term> = Vec::new();
    for mut term in terms {
        require_dim("a term", dim, term.action.derivative.dim())?;
        term.action.validate(dim)?;
        // Integrals along distinct axes commute; one order makes like terms equal.
        term.action.integrals.sort_by_key(|integral| integral.axis);
        let number = term.coefficient.as_constant();
        if let Some(number) = number {
            require_finite("a coefficient", number)?;
        }
        // Numbers in front of like terms add up; functions are summed where the expression is made concrete.
        let like = sum
            .iter_mut()
            .filter(|other| other.action == term.action)
            .find_map(|other| other.coefficient.as_constant().map(|c| (other, c)));
        match (like, number) {
            (Some((other, present)), Some(number)) => {
                require_finite("a coefficient", present + number)?;
                other.coefficient = Field::constant(present + number);
            }
            _ => sum.push(term),
        }
    }
    sum.retain(|term| term.coefficient.as_constant() != Some(0.0));
    Ok((dim, sum))
}
