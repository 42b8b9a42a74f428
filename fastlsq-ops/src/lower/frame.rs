//! Where expressions become concrete: the space, the unknowns, what is known of the parameters.

use super::graph::Graph;
use super::statement::Statement;
use super::tensor::Lowering;
use crate::{EquationRow, Expr, Field, Parameter, Space, StatementError, Unknown};

/// A space, the unknowns in their order, and the parameters: known by value, or free.
///
/// ```
/// use fastlsq_ops::{Frame, Space, T, laplacian, unknown};
/// let u = unknown("u");
/// let frame = Frame::new(Space::new(2).with_time(), [u]);
/// let heat = frame.lower(&(u.d(T) - laplacian(u)))?;
/// // Δ is over x and y only.
/// assert_eq!(heat[0].row().unwrap().to_string(), "(∂/∂x₂ − ∂²/∂x₀² − ∂²/∂x₁²) u");
/// # Ok::<(), fastlsq_ops::StatementError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Frame {
    space: Space,
    unknowns: Vec<Unknown>,
    values: Vec<(Parameter, f64)>,
    free: Vec<Parameter>,
}

impl Frame {
    /// A space with these unknowns.
    pub fn new(space: Space, unknowns: impl IntoIterator<Item = Unknown>) -> Self {
        Self {
            space,
            unknowns: unknowns.into_iter().collect(),
            values: Vec::new(),
            free: Vec::new(),
        }
    }

    /// The frame with values for parameters.
    #[must_use]
    pub fn with_values(mut self, values: impl IntoIterator<Item = (Parameter, f64)>) -> Self {
        self.values.extend(values);
        self
    }

    /// The frame with parameters that stay free, in this order.
    #[must_use]
    pub fn with_free(mut self, free: impl IntoIterator<Item = Parameter>) -> Self {
        self.free.extend(free);
        self
    }

    /// The axes.
    #[must_use]
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The unknowns.
    #[must_use]
    pub fn unknowns(&self) -> &[Unknown] {
        &self.unknowns
    }

    /// The scalar components of an expression: one for a number, as many as there are for a vector.
    ///
    /// # Errors
    /// What cannot be made concrete: see [`StatementError`].
    pub fn lower(&self, expression: &Expr) -> Result<Vec<Statement>, StatementError> {
        if self.space.dim() == 0 {
            return Err(StatementError::EmptySpace);
        }
        if let Some(twice) = self.names_clash() {
            return Err(StatementError::NameClash { name: twice });
        }
        let mut graph = Graph::new(self.space.dim(), self.unknowns.clone(), self.free.clone());
        let roots = Lowering::new(&mut graph, &self.space, &self.values)
            .tensor(expression)?
            .parts;
        Statement::all(graph, &roots)
    }

    /// The only component of an expression that must be a number.
    ///
    /// # Errors
    /// As [`lower`](Self::lower), or several components.
    pub fn lower_scalar(&self, expression: &Expr) -> Result<Statement, StatementError> {
        let mut statements = self.lower(expression)?;
        match (statements.len(), statements.pop()) {
            (1, Some(statement)) => Ok(statement),
            (components, _) => Err(StatementError::Rank {
                expression: expression.to_string(),
                found: format!("a vector or matrix of {components}"),
                needed: "a number".to_owned(),
            }),
        }
    }

    /// The linear operator L of a scalar expression L u without further terms.
    ///
    /// # Errors
    /// As [`lower_scalar`](Self::lower_scalar), or an expression that is not linear.
    pub fn row(&self, expression: impl Into<Expr>) -> Result<EquationRow, StatementError> {
        let expression = expression.into();
        let row = self.lower_scalar(&expression)?.row();
        row.ok_or_else(|| StatementError::Nonlinear {
            expression: expression.to_string(),
        })
    }

    /// An expression without unknowns as a function of the point.
    ///
    /// # Errors
    /// As [`lower_scalar`](Self::lower_scalar).
    pub fn field(&self, expression: impl Into<Expr>) -> Result<Field, StatementError> {
        let bare = Self {
            unknowns: Vec::new(),
            ..self.clone()
        };
        let statement = bare.lower_scalar(&expression.into().negated())?;
        Ok(statement.source().unwrap_or_else(|| Field::constant(0.0)))
    }

    /// The first term of the expression that is not linear in the unknowns.
    ///
    /// ```
    /// use fastlsq_ops::{Frame, Space, T, X, laplacian, unknown};
    /// let u = unknown("u");
    /// let frame = Frame::new(Space::new(1).with_time(), [u]);
    /// let burgers = u.d(T) - (0.01 * laplacian(u) - u * u.d(X));
    /// assert_eq!(frame.first_nonlinear(&burgers).unwrap().to_string(), "−u u_x");
    /// assert!(frame.first_nonlinear(&(u.d(T) - laplacian(u))).is_none());
    /// ```
    #[must_use]
    pub fn first_nonlinear(&self, expression: &Expr) -> Option<Expr> {
        let nonlinear = |e: &Expr| {
            let statements = self.lower(e);
            statements.is_ok_and(|all| all.iter().any(|s| !s.is_linear()))
        };
        let mut found = Some(expression.clone()).filter(nonlinear)?;
        while let Some(part) = found.summands().into_iter().find(nonlinear) {
            found = part;
        }
        Some(found)
    }

    fn names_clash(&self) -> Option<String> {
        let unknowns = self.unknowns.iter().map(Unknown::name);
        let parameters = self.free.iter().chain(self.values.iter().map(|(p, _)| p));
        let mut seen: Vec<&str> = Vec::new();
        for name in unknowns.chain(parameters.map(Parameter::name)) {
            if seen.contains(&name) {
                return Some(name.to_owned());
            }
            seen.push(name);
        }
        let axes = self.space.names();
        let twice =
            |(k, name): (usize, &&str)| axes[..k].contains(name).then(|| (*name).to_owned());
        if let Some(twice) = axes.iter().enumerate().find_map(twice) {
            return Some(twice);
        }
        let taken = self.unknowns.iter().map(Unknown::name);
        let mut taken = taken.filter(|name| axes.contains(name));
        taken.next().map(str::to_owned)
    }
}
