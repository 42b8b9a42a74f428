//! Known solutions, and how far others are from them.

use fastlsq_ops::{EquationRow, Expr, Field, Frame, Space, axis};
use ndarray::Array2;

use crate::solution::Solution;
use crate::{Domain, SolveError};
use fastlsq_basis::sampling::UnitSampler;

/// A known solution: one expression of the coordinates for each unknown, with its slopes by the rules of calculus.
#[derive(Debug, Clone)]
pub struct Exact {
    values: Vec<Field>,
    /// For each unknown, along each axis.
    slopes: Vec<Vec<Field>>,
}

/// Relative L² errors at independent points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Errors {
    /// ‖u − u*‖/‖u*‖ over all unknowns.
    pub value: f64,
    /// ‖∇u − ∇u*‖/‖∇u*‖ over all unknowns and axes.
    pub gradient: f64,
}

/// Applies an equation row to a function at many points.
pub type Applied<'a> = dyn Fn(&EquationRow, &Array2<f64>) -> Result<Vec<f64>, SolveError> + 'a;

impl Exact {
    /// These expressions in this space.
    ///
    /// # Errors
    /// Expressions with unknowns, with coordinates that do not exist, or that cannot be differentiated.
    pub fn new(space: &Space, expressions: &[Expr]) -> Result<Self, SolveError> {
        let frame = Frame::new(space.clone(), []);
        let mut exact = Self {
            values: Vec::new(),
            slopes: Vec::new(),
        };
        for expression in expressions {
            exact.values.push(frame.field(expression)?);
            let slopes = (0..space.dim()).map(|k| frame.field(expression.d(axis(k))));
            exact.slopes.push(slopes.collect::<Result<_, _>>()?);
        }
        Ok(exact)
    }

    /// The values at points, a vector for each unknown.
    ///
    /// # Errors
    /// Values that are not finite.
    pub fn values(&self, points: &Array2<f64>) -> Result<Vec<Vec<f64>>, SolveError> {
        let values = self.values.iter().map(|field| field.evaluate(points));
        Ok(values.collect::<Result<_, _>>()?)
    }

    /// The value of each unknown at one point; nothing where it cannot be evaluated.
    #[must_use]
    pub fn at(&self, point: &[f64]) -> Vec<f64> {
        let points = Array2::from_shape_fn((1, point.len()), |(_, k)| point[k]);
        match self.values(&points) {
            Ok(values) => values.into_iter().flatten().collect(),
            Err(_) => Vec::new(),
        }
    }

    /// The gradient of each unknown at one point; nothing where it cannot be evaluated.
    #[must_use]
    pub fn gradient_at(&self, point: &[f64]) -> Vec<Vec<f64>> {
        let points = Array2::from_shape_fn((1, point.len()), |(_, k)| point[k]);
        let gradient = |slopes: &Vec<Field>| -> Option<Vec<f64>> {
            let along = slopes.iter().map(|field| field.evaluate(&points));
            along.map(|slope| slope.ok()?.first().copied()).collect()
        };
        let all: Option<_> = self.slopes.iter().map(gradient).collect();
        all.unwrap_or_default()
    }

    /// Relative L² errors of a solution at `count` independent points of a domain, over as many unknowns as the solution has
    /// (a fit may have the first of several alone).
    ///
    /// # Errors
    /// A domain that cannot be sampled, or a solution on another space.
    pub fn errors(
        &self,
        solution: &Solution,
        domain: &dyn Domain,
        count: usize,
    ) -> Result<Errors, SolveError> {
        let apply = |row: &EquationRow, points: &Array2<f64>| solution.apply_row(row, points);
        self.errors_of(&apply, solution.unknowns().len(), domain, count)
    }

    /// As [`errors`](Self::errors), for anything that equation rows can be applied to.
    ///
    /// # Errors
    /// As [`errors`](Self::errors).
    pub fn errors_of(
        &self,
        apply: &Applied<'_>,
        unknowns: usize,
        domain: &dyn Domain,
        count: usize,
    ) -> Result<Errors, SolveError> {
        let points = test_points(domain, count)?;
        let dim = domain.dim();
        let (mut value, mut gradient) = (Relative::default(), Relative::default());
        let exact = self.values.iter().zip(&self.slopes).take(unknowns);
        for (unknown, (exact, slopes)) in exact.enumerate() {
            let found = apply(&EquationRow::value(dim, unknown, unknowns), &points)?;
            value.add(&found, &exact.evaluate(&points)?);
            for (axis, exact) in slopes.iter().enumerate() {
                let found = apply(&EquationRow::slope(dim, axis, unknown, unknowns), &points)?;
                gradient.add(&found, &exact.evaluate(&points)?);
            }
        }
        Ok(Errors {
            value: value.get(),
            gradient: gradient.get(),
        })
    }
}

/// The points at which errors are measured: the same for everything that is compared.
///
/// # Errors
/// No points.
pub fn test_points(domain: &dyn Domain, count: usize) -> Result<Array2<f64>, SolveError> {
    Ok(domain.sample_interior(count, &mut UnitSampler::independent(TEST_SEED))?)
}

/// The seed of [`test_points`], the paper's.
const TEST_SEED: u64 = 999;

/// Accumulates ‖a − b‖/‖b‖.
#[derive(Debug, Default)]
struct Relative {
    difference: f64,
    norm: f64,
}

impl Relative {
    fn add(&mut self, found: &[f64], exact: &[f64]) {
        for (found, exact) in found.iter().zip(exact) {
            self.difference += (found - exact).powi(2);
            self.norm += exact.powi(2);
        }
    }

    fn get(&self) -> f64 {
        (self.difference / self.norm.max(f64::MIN_POSITIVE)).sqrt()
    }
}
