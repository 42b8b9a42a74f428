//! Coefficient functions c(x): named, multiplied, and differentiated where that is possible.

mod arithmetic;
mod function;

use function::Source;
pub(crate) use function::{Function, require_finite_values};

use crate::{OperatorError, Sites};

/// A coefficient c(x): a number times a product of named functions of the point.
///
/// Functions are told apart by identity, not by name: clones of one field are the same function,
/// so like terms add up and each function is evaluated once at each point.
///
/// ```
/// use fastlsq_ops::{Field, partial};
/// let nu = Field::new("ν", |x| 1.0 + x[0] * x[0])
///     .with_gradient([2.0 * Field::coordinate(0), Field::constant(0.0)]);
/// // ∂/∂x₀ (ν ∂u/∂x₀) by the product rule
/// let flux = partial(2, 0).of(&(&nu * partial(2, 0)));
/// assert_eq!(flux.to_string(), "ν(x) ∂²/∂x₀² + 2 x₀ ∂/∂x₀");
/// ```
#[derive(Debug, Clone)]
pub struct Field {
    factor: f64,
    functions: Vec<Function>,
}

impl Field {
    /// A function of the point, with a name for printing and for messages.
    pub fn new(
        name: impl AsRef<str>,
        function: impl Fn(&[f64]) -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self::single(Source::Closure(
            name.as_ref().into(),
            std::sync::Arc::new(function),
        ))
    }

    /// The same number everywhere.
    #[must_use]
    pub fn constant(value: f64) -> Self {
        Self {
            factor: value,
            functions: Vec::new(),
        }
    }

    /// The coordinate x_axis.
    #[must_use]
    pub fn coordinate(axis: usize) -> Self {
        Self::single(Source::Coordinate(axis))
    }

    /// The component along `axis` of the normal that comes with each point.
    #[must_use]
    pub fn normal(axis: usize) -> Self {
        Self::single(Source::Normal(axis))
    }

    /// A coefficient whose values come with the points, as a column of
    /// [`Sites::with_table`](crate::Sites::with_table).
    pub fn tabulated(name: impl AsRef<str>, column: usize) -> Self {
        Self::single(Source::Column(name.as_ref().into(), column))
    }

    fn single(source: Source) -> Self {
        Self {
            factor: 1.0,
            functions: vec![Function::new(source)],
        }
    }

    /// The same function with its derivative along one axis made known.
    ///
    /// A product of fields needs this only if the derivatives of its factors are not known; it then
    /// counts as one function. The derivative of a number stays zero.
    #[must_use]
    pub fn with_derivative(mut self, axis: usize, derivative: Field) -> Self {
        if self.is_constant() {
            return self;
        }
        if self.functions.len() > 1 {
            self = Self::single(Source::Product(self.into()));
        }
        let factor = self.factor;
        if let [function] = self.functions.as_mut_slice() {
            function.set_derivative(axis, derivative / factor);
        }
        self
    }

    /// The same function with its gradient made known, one entry for each axis.
    #[must_use]
    pub fn with_gradient(self, gradient: impl IntoIterator<Item = Field>) -> Self {
        gradient
            .into_iter()
            .enumerate()
            .fold(self, |field, (axis, d)| field.with_derivative(axis, d))
    }

    /// The number in front of the functions.
    #[must_use]
    pub fn factor(&self) -> f64 {
        self.factor
    }

    /// Whether this is a number.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        self.functions.is_empty() || self.factor == 0.0
    }

    /// Whether the value depends on the point alone, not on normals or tables.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.functions.iter().all(Function::is_closed)
    }

    /// Whether a component of the normal is among the functions.
    #[must_use]
    pub fn needs_normals(&self) -> bool {
        self.functions.iter().any(Function::needs_normals)
    }

    /// The smallest dimension that has all the axes named here.
    pub(crate) fn least_dim(&self) -> usize {
        let dims = self.functions.iter().map(Function::least_dim);
        dims.max().unwrap_or(0)
    }

    /// The names of the functions in the product, as they print.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.functions.iter().map(Function::name).collect()
    }

    pub(crate) fn functions(&self) -> &[Function] {
        &self.functions
    }

    pub(crate) fn with_factor(&self, factor: f64) -> Self {
        Self {
            factor,
            functions: self.functions.clone(),
        }
    }

    /// Whether both are the same product of functions, up to the number in front.
    pub(crate) fn same_functions(&self, other: &Self) -> bool {
        let count = |list: &[Function], f: &Function| list.iter().filter(|g| g.same(f)).count();
        self.functions.len() == other.functions.len()
            && self
                .functions
                .iter()
                .all(|f| count(&self.functions, f) == count(&other.functions, f))
    }

    /// The derivative along an axis by the product rule, as a sum.
    pub(crate) fn derivative(&self, axis: usize) -> Result<Vec<Field>, OperatorError> {
        let mut sum = Vec::new();
        for (i, function) in self.functions.iter().enumerate() {
            let derivative =
                function
                    .derivative(axis)
                    .ok_or_else(|| OperatorError::MissingDerivative {
                        field: function.label(),
                        axis,
                    })?;
            if derivative.factor == 0.0 {
                continue;
            }
            let mut others = self.clone();
            others.functions.remove(i);
            sum.push(others * derivative);
        }
        Ok(sum)
    }

    /// The values at all points; the first that is not finite is an error.
    pub(crate) fn evaluate(&self, sites: &Sites<'_>) -> Result<Vec<f64>, OperatorError> {
        let mut values = vec![self.factor; sites.len()];
        for function in &self.functions {
            multiply(&mut values, &function.evaluate(sites)?);
        }
        require_finite_values(&self.to_string(), &values, sites)?;
        Ok(values)
    }

    /// Whether the field is known not to change along an axis.
    pub(crate) fn is_independent_of(&self, axis: usize) -> bool {
        self.functions.iter().all(|function| {
            function
                .derivative(axis)
                .is_some_and(|derivative| derivative.factor == 0.0)
        })
    }
}

/// Multiplies values by others, one by one.
pub(crate) fn multiply(values: &mut [f64], by: &[f64]) {
    for (value, by) in values.iter_mut().zip(by) {
        *value *= by;
    }
}

impl From<f64> for Field {
    fn from(value: f64) -> Self {
        Self::constant(value)
    }
}

impl From<&Field> for Field {
    fn from(field: &Field) -> Self {
        field.clone()
    }
}
