//! Right-hand sides: functions of the point.

use std::fmt;
use std::sync::Arc;

use fastlsq_ops::{Field, OperatorError, Sites};

use super::PatchError;

type Closure = dyn Fn(&[f64]) -> f64 + Send + Sync;

/// A function of the point on the right of an equation or condition: a closure, or part of an expression.
#[derive(Clone)]
pub struct Data(Kind);

#[derive(Clone)]
enum Kind {
    Closure(Arc<Closure>),
    Field(Field),
}

impl Data {
    /// Data from a closure.
    pub fn new(function: impl Fn(&[f64]) -> f64 + Send + Sync + 'static) -> Self {
        Self(Kind::Closure(Arc::new(function)))
    }

    /// The values at points; the first that is not finite is an error.
    pub(super) fn values(
        &self,
        label: impl Fn() -> String,
        sites: &Sites<'_>,
    ) -> Result<Vec<f64>, PatchError> {
        let not_finite = |point: Vec<f64>, value: f64| PatchError::DataNotFinite {
            label: label(),
            point,
            value,
        };
        match &self.0 {
            Kind::Closure(function) => {
                let mut values = Vec::with_capacity(sites.len());
                for point in sites.points().rows() {
                    let point = point.to_vec();
                    let value = function(&point);
                    if !value.is_finite() {
                        return Err(not_finite(point, value));
                    }
                    values.push(value);
                }
                Ok(values)
            }
            Kind::Field(field) => field.evaluate(sites).map_err(|error| match error {
                OperatorError::FieldValue { point, value, .. } => not_finite(point, value),
                other => other.into(),
            }),
        }
    }
}

impl From<Field> for Data {
    fn from(field: Field) -> Self {
        Self(Kind::Field(field))
    }
}

impl fmt::Debug for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Closure(_) => f.write_str("Data(closure)"),
            Kind::Field(field) => write!(f, "Data({field})"),
        }
    }
}
