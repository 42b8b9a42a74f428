//! A problem as rows and data over the axes of the domain.

use std::sync::Arc;

use fastlsq_ops::{EquationRow, Expr, Field, Space, Statement, Unknown};
use ndarray::Array2;

use super::condition::Imposition;
use crate::domain::{Domain, Motion, PartSelector, Region};

/// One equation of a [`ConcreteProblem`].
#[derive(Debug, Clone)]
pub struct ConcreteEquation {
    /// The name in reports and errors.
    pub label: String,
    /// How it was written.
    pub text: String,
    /// L in L u = f; without operators if the equation is not linear.
    pub operator: EquationRow,
    /// f in L u = f; zero if the equation is not linear.
    pub source: Field,
    /// Left − right.
    pub expression: Expr,
    /// One component of it.
    pub statement: Statement,
    /// Where it holds, if not everywhere.
    pub region: Option<Region>,
}

/// Where a concrete condition holds.
#[derive(Debug, Clone)]
pub enum ConcretePlace {
    /// On a part of the boundary.
    Part(PartSelector),
    /// Between opposite faces across an axis.
    Opposite {
        /// The axis.
        axis: usize,
    },
    /// At given points (one row per point), with given values.
    Points {
        /// The points.
        points: Array2<f64>,
        /// The values there.
        values: Vec<f64>,
    },
    /// Between a part of the boundary and its image.
    Identified {
        /// The part.
        part: PartSelector,
        /// What takes it to its image.
        motion: Motion,
    },
}

/// One condition of a [`ConcreteProblem`].
#[derive(Debug, Clone)]
pub struct ConcreteCondition {
    /// The name in reports and errors.
    pub label: String,
    /// How it was written.
    pub text: String,
    /// B in B u = g; without operators if the condition is not linear.
    pub operator: EquationRow,
    /// g in B u = g.
    pub data: Field,
    /// Left − right.
    pub expression: Expr,
    /// One component of it.
    pub statement: Statement,
    /// Which of the stated conditions it is; `None` for a periodic axis.
    pub stated: Option<usize>,
    /// Where it holds.
    pub place: ConcretePlace,
    /// How it is imposed.
    pub imposition: Imposition,
    /// The number of points, if it is given.
    pub rows: Option<usize>,
    /// The standard deviation of each value of a table.
    pub deviations: Option<Vec<f64>>,
    /// What a condition on a mean takes the mean of, if that is linear.
    pub mean: Option<EquationRow>,
}

/// A problem as rows and data: the form in which candidates are solved.
#[derive(Debug, Clone)]
pub struct ConcreteProblem {
    /// The domain.
    pub domain: Arc<dyn Domain>,
    /// Its coordinates.
    pub space: Space,
    /// The unknowns.
    pub unknowns: Vec<Unknown>,
    /// The equations, one for each component.
    pub equations: Vec<ConcreteEquation>,
    /// The conditions, one for each component, periodic ones spelt out.
    pub conditions: Vec<ConcreteCondition>,
    /// The region that each unknown lives in; `None` for everywhere.
    pub homes: Vec<Option<Region>>,
    /// The numbers of the unknowns that are the real and imaginary parts of outgoing waves.
    pub outgoing: Vec<[usize; 2]>,
}

impl ConcreteProblem {
    /// The names of the equations and conditions, in the order of their blocks of rows.
    #[must_use]
    pub fn labels(&self) -> Vec<String> {
        let equations = self.equations.iter().map(|equation| &equation.label);
        let conditions = self.conditions.iter().map(|condition| &condition.label);
        equations.chain(conditions).cloned().collect()
    }

    /// The names of the unknowns.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.unknowns.iter().map(ToString::to_string).collect()
    }
}
