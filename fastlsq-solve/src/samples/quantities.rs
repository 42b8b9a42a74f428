//! Functions of the unknowns on grids.

use fastlsq_ops::Expr;

use super::{GridSamples, SampleError, even_axes};
use crate::{Solution, SolveError};

/// Functions of the unknowns of a solution, linear or not, each with a name: to be sampled, saved and drawn like the unknowns
/// themselves. Made by [`Solution::quantities`].
#[derive(Debug, Clone)]
pub struct Quantities<'a> {
    pub(super) solution: &'a Solution,
    pub(super) named: Vec<(String, Expr)>,
}

impl Quantities<'_> {
    /// The functions on a grid, as [`Solution::on_grid`] gives the unknowns.
    ///
    /// # Errors
    /// As [`Solution::on_grid`], and expressions with other unknowns, with parameters or with coordinates that do not exist.
    pub fn on_grid(&self, counts: &[usize]) -> Result<GridSamples, SolveError> {
        let domain = self.solution.domain().ok_or(SampleError::NoDomain)?;
        self.on_axes(even_axes(&**domain, counts)?)
    }

    /// The functions at all combinations of these places along the coordinates.
    ///
    /// # Errors
    /// As [`on_grid`](Self::on_grid), and places that do not increase.
    pub fn on_axes(&self, axes: Vec<Vec<f64>>) -> Result<GridSamples, SolveError> {
        let names = self.named.iter().map(|(name, _)| name.clone()).collect();
        let domain = self.solution.domain().cloned();
        let space = self.solution.space().clone();
        GridSamples::take(space, names, domain, axes, |points| {
            let expressions = self.named.iter();
            expressions
                .map(|(_, expression)| self.solution.evaluate(expression.clone(), points.view()))
                .collect()
        })
    }
}

impl Solution {
    /// Functions of the unknowns under names of their own: the speed of a flow, the flux of heat, what two regions have together.
    ///
    /// ```
    /// use fastlsq_solve::{Interval, LinearProblem, X, sin, unknown};
    /// let u = unknown("u");
    /// let wave = LinearProblem::on(Interval::unit())
    ///     .equation(u.d(X).d(X) + u, 0.0)
    ///     .dirichlet(sin(X))
    ///     .solve()?;
    /// let energy = wave.quantities([("energy", u.d(X).powi(2) + u.powi(2))]).on_grid(&[5])?;
    /// assert!(energy.array("energy")?.iter().all(|value| (value - 1.0).abs() < 1e-10));
    /// # Ok::<(), fastlsq_solve::SolveError>(())
    /// ```
    #[must_use]
    pub fn quantities<N: Into<String>, E: Into<Expr>>(
        &self,
        named: impl IntoIterator<Item = (N, E)>,
    ) -> Quantities<'_> {
        let named = named.into_iter();
        Quantities {
            solution: self,
            named: named.map(|(name, own)| (name.into(), own.into())).collect(),
        }
    }

    /// All unknowns under their own names.
    pub(super) fn all_unknowns(&self) -> Quantities<'_> {
        self.quantities(self.unknowns().iter().map(|own| (own.to_string(), *own)))
    }

    /// All unknowns on a grid with this many points along each coordinate, evenly over the box around the domain; a count
    /// of one is the middle of the axis.
    ///
    /// # Errors
    /// A solution that does not know its domain ([`Solution::on_domain`] tells it), other numbers of coordinates, more points
    /// than memory holds.
    pub fn on_grid(&self, counts: &[usize]) -> Result<GridSamples, SolveError> {
        self.all_unknowns().on_grid(counts)
    }

    /// All unknowns at all combinations of these places along the coordinates.
    ///
    /// # Errors
    /// As [`on_grid`](Self::on_grid), and places that do not increase.
    pub fn on_axes(&self, axes: Vec<Vec<f64>>) -> Result<GridSamples, SolveError> {
        self.all_unknowns().on_axes(axes)
    }
}
