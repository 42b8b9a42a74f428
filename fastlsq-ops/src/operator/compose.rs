//! One operator after the other: products of symbols, and the product rule where coefficients vary.

use fastlsq_basis::{Action, AxisIntegral, MultiIndex, Multiplier, UpperLimit};

use super::{Operator, Term};
use crate::display::{integral_text, term_text};
use crate::error::require_dim;
use crate::{Field, OperatorError};

impl Operator {
    /// The composition u ↦ self(inner(u)).
    ///
    /// Derivatives meet constant coefficients as products of symbols, and fields by Leibniz' rule,
    /// D^α(c v) = Σ_{γ≤α} (α over γ) D^γc D^{α−γ}v, for which the derivatives of c must be known
    /// ([`Field::with_derivative`]). A derivative undoes an antiderivative along its axis. A
    /// composition without a closed form (a multiplier after a field or an integral, two
    /// antiderivatives along one axis) gives an operator that reports so when it is used.
    ///
    /// ```
    /// use fastlsq_ops::{antiderivative, biharmonic, laplacian, partial};
    /// let twice = laplacian(2).compose(&laplacian(2));
    /// assert_eq!(twice.to_string(), biharmonic(2).to_string());
    /// assert_eq!(partial(1, 0).of(&antiderivative(1, 0, 0.0)).to_string(), "1");
    /// ```
    #[must_use]
    pub fn compose(&self, inner: &Self) -> Self {
        let composed = || {
            let (outer, inner) = (self.body()?, inner.body()?);
            require_dim("the inner operator", outer.dim, inner.dim)?;
            let mut sum = Vec::new();
            for term in outer.terms.iter() {
                sum.extend(after(term, &inner.terms)?);
            }
            super::collect(outer.dim, sum)
        };
        Self::checked(composed())
    }

    /// [`compose`](Operator::compose), read aloud: `partial(2, 0).of(&flux)`.
    #[must_use]
    pub fn of(&self, inner: &Self) -> Self {
        self.compose(inner)
    }
}

/// One outer term after a sum: its derivative, then its multiplier, its integrals, its coefficient.
fn after(outer: &Term, inner: &[Term]) -> Result<Vec<Term>, OperatorError> {
    let mut sum = inner.to_vec();
    for (axis, &times) in outer.action.derivative.orders().iter().enumerate() {
        sum = for_each(&sum, |term| differentiate(term, axis, times))?;
    }
    if let Some(multiplier) = &outer.action.multiplier {
        sum = for_each(&sum, |term| Ok(vec![multiply(term, multiplier)?]))?;
    }
    for integral in &outer.action.integrals {
        sum = for_each(&sum, |term| integrate(term, integral))?;
    }
    for term in &mut sum {
        term.coefficient = &outer.coefficient * &term.coefficient;
    }
    Ok(sum)
}

fn for_each(
    sum: &[Term],
    change: impl Fn(&Term) -> Result<Vec<Term>, OperatorError>,
) -> Result<Vec<Term>, OperatorError> {
    let changed: Vec<Vec<Term>> = sum.iter().map(change).collect::<Result<_, _>>()?;
    Ok(changed.into_iter().flatten().collect())
}

/// ∂ⁿ(c Tu) = Σ_γ (n over γ) ∂^γc ∂^{n−γ}Tu along one axis.
fn differentiate(term: &Term, axis: usize, times: u32) -> Result<Vec<Term>, OperatorError> {
    let mut sum = Vec::new();
    let mut derivatives = vec![term.coefficient.clone()];
    let mut binomial = 1.0;
    for gamma in 0..=times {
        if gamma > 0 {
            derivatives = derivative_of_sum(&derivatives, axis)?;
            binomial *= f64::from(times - gamma + 1) / f64::from(gamma);
        }
        // All further derivatives of the coefficient vanish too.
        if derivatives.is_empty() {
            break;
        }
        if let Some(action) = raise(&term.action, axis, times - gamma)? {
            let products = derivatives.iter().map(|c| Term {
                coefficient: c * binomial,
                action: action.clone(),
            });
            sum.extend(products);
        }
    }
    Ok(sum)
}

/// The derivative of a sum of fields, with like terms added up.
fn derivative_of_sum(fields: &[Field], axis: usize) -> Result<Vec<Field>, OperatorError> {
    let mut sum: Vec<Field> = Vec::new();
    for field in fields {
        for term in field.derivative(axis)? {
            match sum.iter_mut().find(|other| other.same_functions(&term)) {
                Some(other) => *other = other.with_factor(other.factor() + term.factor()),
                None => sum.push(term),
            }
        }
    }
    sum.retain(|field| field.factor() != 0.0);
    Ok(sum)
}

/// ∂ⁿ after an action along one axis; `None` if the result vanishes.
fn raise(action: &Action, axis: usize, times: u32) -> Result<Option<Action>, OperatorError> {
    let mut action = action.clone();
    let mut times = times;
    if times == 0 {
        return Ok(Some(action));
    }
    if let Some(place) = action.integrals.iter().position(|i| i.axis == axis) {
        match action.integrals.remove(place).to {
            UpperLimit::Coordinate => times -= 1,
            UpperLimit::Fixed(_) => return Ok(None),
        }
    }
    let raised = MultiIndex::along(action.derivative.dim(), axis, times)?;
    action.derivative = action
        .derivative
        .checked_add(&raised)
        .ok_or(OperatorError::Parameter {
            what: "order of a derivative",
            value: f64::from(times),
            requirement: "orders along an axis must add up to less than 2³²",
        })?;
    Ok(Some(action))
}

fn multiply(term: &Term, multiplier: &Multiplier) -> Result<Term, OperatorError> {
    let refuse = |reason| OperatorError::NoClosedForm {
        outer: multiplier.name().to_owned(),
        inner: term_text(term),
        reason,
    };
    if !term.coefficient.is_constant() {
        return Err(refuse(
            "a Fourier multiplier can only follow operators with constant coefficients",
        ));
    }
    if !term.action.integrals.is_empty() {
        return Err(refuse(
            "a Fourier multiplier cannot follow an integral, whose value at the lower limit \
             has other frequencies; integrate last",
        ));
    }
    let mut term = term.clone();
    term.action.multiplier = Some(match &term.action.multiplier {
        Some(first) => first.then(multiplier),
        None => multiplier.clone(),
    });
    Ok(term)
}

fn integrate(term: &Term, integral: &AxisIntegral) -> Result<Vec<Term>, OperatorError> {
    let axis = integral.axis;
    let refuse = |reason| {
        Err(OperatorError::NoClosedForm {
            outer: integral_text(integral, "·"),
            inner: term_text(term),
            reason,
        })
    };
    if !term.coefficient.is_independent_of(axis) {
        return refuse(
            "the coefficient is not known to be independent of the axis of integration; \
             if it is, say so with Field::with_derivative(axis, Field::constant(0.0))",
        );
    }
    let own = term.action.integrals.iter().find(|i| i.axis == axis);
    let scaled = |factor: Field| Term {
        coefficient: factor * term.coefficient.clone(),
        action: term.action.clone(),
    };
    match (own.map(|own| own.to), integral.to) {
        (None, _) => {
            let mut term = term.clone();
            term.action.integrals.push(*integral);
            Ok(vec![term])
        }
        (Some(UpperLimit::Coordinate), _) => {
            refuse("an antiderivative cannot be integrated again along its axis")
        }
        // The inner integral no longer depends on the axis: only the length remains.
        (Some(UpperLimit::Fixed(_)), UpperLimit::Fixed(to)) => {
            Ok(vec![scaled(Field::constant(to - integral.from))])
        }
        (Some(UpperLimit::Fixed(_)), UpperLimit::Coordinate) => Ok(vec![
            scaled(Field::coordinate(axis)),
            scaled(Field::constant(-integral.from)),
        ]),
    }
}
