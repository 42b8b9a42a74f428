//! Right-hand sides: functions of the point.

use std::fmt;
use std::sync::Arc;

use fastlsq_ops::Field;
use ndarray::ArrayView2;

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

    /// The values at points, one row per point; not a number where the function cannot be evaluated.
    pub(super) fn values(&self, points: ArrayView2<'_, f64>) -> Vec<f64> {
        match &self.0 {
            Kind::Closure(function) => {
                let rows = points.rows().into_iter();
                rows.map(|row| function(&row.to_vec())).collect()
            }
            Kind::Field(field) => match field.evaluate(points) {
                Ok(values) => values,
                // One by one, so that the point at fault is found.
                Err(_) => (0..points.nrows())
                    .map(|i| {
                        let one = points.slice(ndarray::s![i..=i, ..]);
                        let value = field.evaluate(one).ok();
                        value.and_then(|v| v.first().copied()).unwrap_or(f64::NAN)
                    })
                    .collect(),
            },
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
