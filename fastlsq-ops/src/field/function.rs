//! One coefficient function: a closure, a coordinate, or values that come with the points.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::Field;
use crate::typography::subscript;
use crate::{OperatorError, Sites};

type Closure = dyn Fn(&[f64]) -> f64 + Send + Sync;

/// Where the values of a function come from.
#[derive(Clone)]
pub(crate) enum Source {
    /// A closure of the point, with its name.
    Closure(Arc<str>, Arc<Closure>),
    /// The coordinate x_axis.
    Coordinate(usize),
    /// The component of the normal that comes with the point.
    Normal(usize),
    /// A column of the table that comes with the points, with its name.
    Column(Arc<str>, usize),
    /// A product of functions taken as one, so that its derivative can be set.
    Product(Arc<Field>),
}

/// A function with the derivatives that are known of it.
#[derive(Clone)]
pub(crate) struct Function {
    pub(crate) source: Source,
    derivatives: Arc<BTreeMap<usize, Field>>,
}

impl Function {
    pub(crate) fn new(source: Source) -> Self {
        Self {
            source,
            derivatives: Arc::default(),
        }
    }

    /// Whether both take the same values by construction.
    pub(crate) fn same(&self, other: &Self) -> bool {
        match (&self.source, &other.source) {
            (Source::Closure(_, a), Source::Closure(_, b)) => Arc::ptr_eq(a, b),
            (Source::Coordinate(a), Source::Coordinate(b))
            | (Source::Normal(a), Source::Normal(b))
            | (Source::Column(_, a), Source::Column(_, b)) => a == b,
            (Source::Product(a), Source::Product(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// The name for messages.
    pub(crate) fn label(&self) -> String {
        match &self.source {
            Source::Closure(name, _) | Source::Column(name, _) => name.to_string(),
            Source::Coordinate(axis) => format!("x{}", subscript(*axis)),
            Source::Normal(axis) => format!("n{}", subscript(*axis)),
            Source::Product(field) => format!("({field})"),
        }
    }

    /// The name as printed within a product.
    pub(crate) fn name(&self) -> String {
        let argument = match &self.source {
            Source::Closure(..) | Source::Column(..) => "(x)",
            Source::Coordinate(_) | Source::Normal(_) | Source::Product(_) => "",
        };
        self.label() + argument
    }

    pub(crate) fn set_derivative(&mut self, axis: usize, derivative: Field) {
        Arc::make_mut(&mut self.derivatives).insert(axis, derivative);
    }

    /// The derivative along an axis, if it is known.
    pub(crate) fn derivative(&self, axis: usize) -> Option<Field> {
        match self.source {
            Source::Coordinate(own) => Some(Field::constant(if own == axis { 1.0 } else { 0.0 })),
            _ => self.derivatives.get(&axis).cloned(),
        }
    }

    /// The largest axis that is needed, plus one.
    pub(crate) fn least_dim(&self) -> usize {
        match &self.source {
            Source::Coordinate(axis) | Source::Normal(axis) => axis.saturating_add(1),
            Source::Closure(..) | Source::Column(..) => 0,
            Source::Product(field) => field.least_dim(),
        }
    }

    /// Whether the value depends on the point alone.
    pub(crate) fn is_closed(&self) -> bool {
        match &self.source {
            Source::Closure(..) | Source::Coordinate(_) => true,
            Source::Normal(_) | Source::Column(..) => false,
            Source::Product(field) => field.is_closed(),
        }
    }

    pub(crate) fn needs_normals(&self) -> bool {
        match &self.source {
            Source::Normal(_) => true,
            Source::Closure(..) | Source::Coordinate(_) | Source::Column(..) => false,
            Source::Product(field) => field.needs_normals(),
        }
    }

    /// The values at all points; the first that is not finite is an error.
    pub(crate) fn evaluate(&self, sites: &Sites<'_>) -> Result<Vec<f64>, OperatorError> {
        let values: Vec<f64> = match &self.source {
            Source::Closure(_, f) => {
                let mut copy = Vec::with_capacity(sites.dim());
                sites
                    .points()
                    .rows()
                    .into_iter()
                    .map(|point| match point.to_slice() {
                        Some(point) => f(point),
                        None => {
                            copy.clear();
                            copy.extend(point.iter().copied());
                            f(&copy)
                        }
                    })
                    .collect()
            }
            Source::Coordinate(axis) => column(sites.points(), *axis).ok_or(self.no_axis(sites))?,
            Source::Normal(axis) => {
                let normals = sites.normals().ok_or(OperatorError::MissingNormals)?;
                column(normals, *axis).ok_or(self.no_axis(sites))?
            }
            Source::Column(name, index) => sites
                .table()
                .and_then(|table| column(table, *index))
                .ok_or_else(|| OperatorError::MissingColumn {
                    field: name.to_string(),
                    column: *index,
                    available: sites.table().map_or(0, |table| table.ncols()),
                })?,
            Source::Product(field) => field.evaluate(sites)?,
        };
        require_finite_values(&self.label(), &values, sites)?;
        Ok(values)
    }

    fn no_axis(&self, sites: &Sites<'_>) -> OperatorError {
        OperatorError::Axis {
            axis: self.least_dim().saturating_sub(1),
            dim: sites.dim(),
        }
    }
}

/// Checks the values of a field at all points; the first that is not finite is an error.
pub(crate) fn require_finite_values(
    field: &str,
    values: &[f64],
    sites: &Sites<'_>,
) -> Result<(), OperatorError> {
    match values.iter().position(|v| !v.is_finite()) {
        Some(i) => Err(OperatorError::FieldValue {
            field: field.to_owned(),
            value: values[i],
            point: sites.points().row(i).to_vec(),
        }),
        None => Ok(()),
    }
}

fn column(table: ndarray::ArrayView2<'_, f64>, index: usize) -> Option<Vec<f64>> {
    (index < table.ncols()).then(|| table.column(index).to_vec())
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}
