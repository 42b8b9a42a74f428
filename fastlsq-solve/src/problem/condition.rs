//! Conditions: any expression on any part of the boundary, between opposite faces, or at given points.

use fastlsq_ops::{Coordinate, Expr, T, Unknown, normal_derivative};
use ndarray::Array2;

use crate::domain::Motion;
use crate::domain::PartSelector;

/// Where a condition holds.
#[derive(Debug, Clone)]
pub enum Place {
    /// On a part of the boundary, sampled there.
    Part(PartSelector),
    /// Between opposite faces: the left side at the lower point minus that at the upper point.
    Opposite(Coordinate),
    /// At given points (one row per point), with given values.
    Points {
        /// The points.
        points: Array2<f64>,
        /// The values of the left side there.
        values: Vec<f64>,
    },
    /// On average over space, at all times.
    Mean,
    /// Between a part of the boundary and its image: the left side here minus that there.
    Identified(PartSelector, Motion),
}

impl Place {
    /// What it is called in reports and errors.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Part(part) => part.to_string(),
            Self::Opposite(coordinate) => format!("periodic {coordinate}"),
            Self::Points { .. } => "data".to_owned(),
            Self::Mean => "mean".to_owned(),
            Self::Identified(part, _) => format!("identified {part}"),
        }
    }
}

/// How a condition is imposed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum Imposition {
    /// As rows with the solver's default weight.
    #[default]
    Default,
    /// As rows with this factor.
    Weighted(f64),
    /// As equality constraints: the data hold to rounding at the condition's points.
    Exact,
}

/// What stands on the left of a condition.
#[derive(Debug, Clone)]
pub(crate) enum Left {
    /// What the user wrote.
    Expression(Expr),
    /// Something of the only unknown, whatever its name.
    OnlyUnknown(Trace),
}

/// What a condition that names no unknown is about.
#[derive(Debug, Clone)]
pub(crate) enum Trace {
    Value,
    NormalDerivative,
    /// a u + b ∂u/∂n.
    Mixed(Expr, Expr),
    TimeDerivative,
}

impl Trace {
    pub(crate) fn of(&self, u: Unknown) -> Expr {
        match self {
            Self::Value => u.into(),
            Self::NormalDerivative => normal_derivative(u),
            Self::Mixed(a, b) => a * u + b * normal_derivative(u),
            Self::TimeDerivative => u.d(T),
        }
    }

    /// As it stands in a program.
    pub(crate) fn as_written(&self, u: Unknown) -> String {
        let factor = |e: &Expr| match e.terms().len() {
            1 => e.to_string(),
            _ => format!("({e})"),
        };
        match self {
            Self::Value => u.to_string(),
            Self::NormalDerivative => format!("normal_derivative({u})"),
            Self::Mixed(a, b) => format!(
                "{} * {u} + {} * normal_derivative({u})",
                factor(a),
                factor(b)
            ),
            Self::TimeDerivative => format!("{u}.d(T)"),
        }
    }
}

/// One condition: left = right at some place.
///
/// ```
/// use fastlsq_solve::{BoxDomain, Condition, LinearProblem, X, laplacian, unknown};
/// let u = unknown("u");
/// let problem = LinearProblem::on(BoxDomain::unit(2))
///     .equation(laplacian(u), 0.0)
///     .dirichlet(1.0)
///     // on one face, with a weight of its own and more points than usual
///     .with(Condition::on(X.hi(), u.d(X) + u, 0.0).weight(3.0).rows(200).named("outlet"));
/// # let _ = problem;
/// ```
#[derive(Debug, Clone)]
pub struct Condition {
    pub(crate) label: Option<String>,
    pub(crate) left: Left,
    pub(crate) right: Expr,
    pub(crate) place: Place,
    pub(crate) imposition: Imposition,
    pub(crate) rows: Option<usize>,
    /// The standard deviation of each value of a table, if the values are noisy.
    pub(crate) deviations: Option<Vec<f64>>,
}

impl Condition {
    pub(crate) fn new(place: Place, left: Left, right: Expr) -> Self {
        Self {
            label: None,
            left,
            right,
            place,
            imposition: Imposition::Default,
            rows: None,
            deviations: None,
        }
    }

    /// left = right on a part of the boundary.
    pub fn on(
        part: impl Into<PartSelector>,
        left: impl Into<Expr>,
        right: impl Into<Expr>,
    ) -> Self {
        let place = Place::Part(part.into());
        Self::new(place, Left::Expression(left.into()), right.into())
    }

    /// The expression has the same value on the lower and the upper face across a coordinate.
    pub fn opposite(across: Coordinate, expression: impl Into<Expr>) -> Self {
        let left = Left::Expression(expression.into());
        Self::new(Place::Opposite(across), left, 0.0.into())
    }

    /// The expression has the same value on a part of the boundary and on its image; normals there are turned with it.
    pub fn identified(
        part: impl Into<PartSelector>,
        motion: Motion,
        expression: impl Into<Expr>,
    ) -> Self {
        let left = Left::Expression(expression.into());
        Self::new(Place::Identified(part.into(), motion), left, 0.0.into())
    }

    /// The expression (a number) has given values at given points (one row per point).
    pub fn at(points: Array2<f64>, left: impl Into<Expr>, values: &[f64]) -> Self {
        let place = Place::Points {
            points,
            values: values.to_vec(),
        };
        Self::new(place, Left::Expression(left.into()), 0.0.into())
    }

    /// The expression (a number) has this value at one point.
    ///
    /// ```
    /// use fastlsq_solve::{BoxDomain, Condition, LinearProblem, WALLS, Y, div, grad, laplacian, unknowns, vector};
    /// // The pressure of a flow is determined up to a constant: it is 0 in a corner.
    /// let [u, v, p] = unknowns(["u", "v", "p"]);
    /// let stokes = LinearProblem::on(BoxDomain::unit(2))
    ///     .equation(-laplacian([u, v]) + grad(p), Y * vector([1.0, 0.0]))
    ///     .equation(div([u, v]), 0.0)
    ///     .condition(WALLS, [u, v], 0.0)
    ///     .with(Condition::value_at(&[0.0, 0.0], 0.0).of(p));
    /// # let _ = stokes;
    /// ```
    #[must_use]
    pub fn value_at(point: &[f64], value: f64) -> Self {
        let points = Array2::from_shape_fn((1, point.len()), |(_, k)| point[k]);
        let place = Place::Points {
            points,
            values: vec![value],
        };
        Self::new(place, Left::OnlyUnknown(Trace::Value), 0.0.into()).named("value at a point")
    }

    /// The mean over space of something has this value, at all times where there is time. For domains that are boxes or
    /// unions of boxes, where integrals of features have a closed form.
    #[must_use]
    pub fn mean(value: f64) -> Self {
        let left = Left::OnlyUnknown(Trace::Value);
        Self::new(Place::Mean, left, value.into())
    }

    /// The same condition about this expression instead of the only unknown.
    #[must_use]
    pub fn of(mut self, left: impl Into<Expr>) -> Self {
        self.left = Left::Expression(left.into());
        self
    }

    /// Where the condition holds.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The name in reports and errors.
    #[must_use]
    pub fn named(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// The same condition with something else on the right.
    #[must_use]
    pub fn with_right(mut self, right: impl Into<Expr>) -> Self {
        self.right = right.into();
        if let Place::Points { values, .. } = &mut self.place {
            values.fill(0.0);
        }
        self
    }

    /// The factor on the rows of this condition.
    #[must_use]
    pub fn weight(mut self, weight: f64) -> Self {
        self.imposition = Imposition::Weighted(weight);
        self
    }

    /// Imposes the condition as equality constraints at its points.
    #[must_use]
    pub fn exact(mut self) -> Self {
        self.imposition = Imposition::Exact;
        self
    }

    /// The number of points this condition is sampled at.
    #[must_use]
    pub fn rows(mut self, rows: usize) -> Self {
        self.rows = Some(rows);
        self
    }

    /// The standard deviation of each value of a condition [`at`](Self::at) given points: rows are
    /// divided by it.
    #[must_use]
    pub fn deviations(mut self, sigmas: &[f64]) -> Self {
        self.deviations = Some(sigmas.to_vec());
        self
    }
}
