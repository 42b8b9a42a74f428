//! One candidate term: an expression, with the derivatives of u that it depends on.

use fastlsq_basis::MultiIndex;
use fastlsq_basis::sampling::UnitSampler;
use fastlsq_ops::{Expr, Residual, ResidualValues, Sites, Statement};
use ndarray::{Array2, ArrayView2, ShapeBuilder};

use super::names::{Names, plain, refused};
use crate::DiscoveryError;

/// A term T(u) of a law: any expression in derivatives of u and in the coordinates.
#[derive(Debug, Clone)]
pub struct Term {
    name: String,
    expression: Expr,
    arguments: Vec<MultiIndex>,
    residual: Residual,
    affine: Option<Affine>,
    /// Its values on made-up fields, by which it is known in whatever form it is written.
    fingerprint: Vec<f64>,
}

/// Made-up fields behind a fingerprint, and the relative difference that is rounding.
const FIELDS: usize = 24;
const ROUNDING: f64 = 1e-10;

/// c₀ + Σ c D^αu, for terms that are such a sum.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Affine {
    pub(crate) constant: f64,
    pub(crate) derivatives: Vec<(f64, MultiIndex)>,
}

impl Affine {
    pub(super) fn of(statement: &Statement) -> Option<Self> {
        let source = statement.source()?.as_constant()?;
        let mut derivatives = Vec::new();
        for (_, operator) in statement.row()?.blocks() {
            for term in operator.terms() {
                let coefficient = term.coefficient().as_constant()?;
                derivatives.push((coefficient, plain(term.action())?.clone()));
            }
        }
        Some(Self {
            constant: -source,
            derivatives,
        })
    }

    /// α if this is D^αu and nothing else.
    pub(crate) fn derivative(&self) -> Option<&MultiIndex> {
        match self.derivatives.as_slice() {
            [(1.0, alpha)] if self.constant == 0.0 => Some(alpha),
            _ => None,
        }
    }
}

impl Term {
    /// The term that an expression stands for.
    pub(crate) fn new(names: &Names, expression: &Expr) -> Result<Self, DiscoveryError> {
        let expression = in_order(names, expression)?;
        let statement = names.lower(&expression)?;
        let refuse = |reason: &str| refused(&expression, &reason);
        if statement.needs_normals() {
            return Err(refuse("there are no normals away from a boundary"));
        }
        let affine = Affine::of(&statement);
        if affine
            .as_ref()
            .is_some_and(|affine| affine.derivatives.is_empty() && affine.constant != 1.0)
        {
            return Err(refuse("it does not vary, and is not 1"));
        }
        let residual = statement.residual();
        let arguments = residual.jets().iter().map(|jet| {
            let alpha = plain(&jet.action);
            alpha
                .cloned()
                .ok_or_else(|| refuse("integrals and multipliers of u are not known from samples"))
        });
        let mut term = Self {
            arguments: arguments.collect::<Result<_, _>>()?,
            name: expression.to_string(),
            expression,
            residual,
            affine,
            fingerprint: Vec::new(),
        };
        term.fingerprint = term.on_made_up_fields(names.dim()).unwrap_or_default();
        Ok(term)
    }

    /// T at random points with random derivatives: the same for the same derivative in every term.
    fn on_made_up_fields(&self, dim: usize) -> Result<Vec<f64>, DiscoveryError> {
        let points = UnitSampler::independent(0).points(FIELDS, dim);
        let jets: Vec<Vec<f64>> = self
            .arguments
            .iter()
            .map(|alpha| {
                let orders = alpha.orders().iter();
                let seed = orders.fold(1, |seed, &n| 31 * seed + u64::from(n));
                UnitSampler::independent(seed)
                    .normals(FIELDS, 1)
                    .into_iter()
                    .collect()
            })
            .collect();
        let views: Vec<&[f64]> = jets.iter().map(Vec::as_slice).collect();
        Ok(self.evaluate(points.view(), &views)?.values)
    }

    /// The number r with self = r · other, if the two are the same term up to a factor, as (u²)_x = 2 u u_x.
    pub(crate) fn ratio(&self, other: &Self) -> Option<f64> {
        let pairs = self.fingerprint.iter().zip(&other.fingerprint);
        let pairs: Vec<(f64, f64)> = pairs.map(|(a, b)| (*a, *b)).collect();
        let both = |(a, b): &&(f64, f64)| a.is_finite() && b.is_finite() && *b != 0.0;
        let (a, b) = pairs.iter().find(both)?;
        let ratio = a / b;
        let same = |(a, b): &(f64, f64)| match a.is_finite() && b.is_finite() {
            true => (a - ratio * b).abs() <= ROUNDING * a.abs(),
            false => a.is_finite() == b.is_finite(),
        };
        let known = pairs.iter().filter(both).count();
        (known >= FIELDS / 4 && pairs.iter().all(same)).then_some(ratio)
    }

    /// The name it prints as.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The term as an expression.
    #[must_use]
    pub fn expression(&self) -> &Expr {
        &self.expression
    }

    /// The derivatives it depends on.
    #[must_use]
    pub fn arguments(&self) -> &[MultiIndex] {
        &self.arguments
    }

    /// The sum of derivatives that it is, if it is one.
    pub(crate) fn affine(&self) -> Option<&Affine> {
        self.affine.as_ref()
    }

    /// T and its slopes with respect to the arguments at the points; `jets` holds a column for each argument.
    pub(crate) fn evaluate(
        &self,
        points: ArrayView2<'_, f64>,
        jets: &[&[f64]],
    ) -> Result<ResidualValues, DiscoveryError> {
        let shape = (points.nrows(), jets.len());
        let table = Array2::from_shape_vec(shape.f(), jets.concat()).unwrap_or_default();
        Ok(self
            .residual
            .evaluate(table.view(), &Sites::new(points), &[])?)
    }

    /// The value, if it is a number; `index` says where it was found.
    pub(crate) fn defined(&self, value: f64, index: usize) -> Result<f64, DiscoveryError> {
        if value.is_finite() {
            return Ok(value);
        }
        Err(DiscoveryError::TermNotFinite {
            name: self.name.clone(),
            index,
            value,
        })
    }
}

/// The same term as one always writes it: "u u_x" for "u_x u", "u²" for "u u".
fn in_order(names: &Names, expression: &Expr) -> Result<Expr, DiscoveryError> {
    let refuse = |reason| Err(refused(expression, &reason));
    if expression.as_number() == Some(1.0) {
        return Ok(expression.clone());
    }
    let mut derivatives: Vec<(MultiIndex, f64)> = Vec::new();
    let mut others: Vec<Expr> = Vec::new();
    for (factor, exponent) in expression.factors() {
        if factor.as_number().is_some() {
            return refuse("its coefficient is what is sought, so leave out the number");
        }
        if exponent.fract() == 0.0 && !(1.0..=9.0).contains(&exponent) {
            return refuse("whole powers must be from 1 to 9");
        }
        match names.derivative_of(&factor)? {
            None => others.push(factor.powf(exponent)),
            Some(alpha) => match derivatives.iter_mut().find(|(known, _)| *known == alpha) {
                Some((_, known)) => *known += exponent,
                None => derivatives.push((alpha, exponent)),
            },
        }
    }
    derivatives.sort_by(|(a, _), (b, _)| a.order().cmp(&b.order()).then_with(|| b.cmp(a)));
    let powers = derivatives
        .iter()
        .map(|(alpha, power)| names.derivative(alpha).powf(*power));
    Ok(others.into_iter().chain(powers).product())
}
