//! Right-hand sides: functions of the point.

use std::fmt;
use std::sync::Arc;

use ndarray::ArrayView2;

use crate::SolveError;

/// A function of the point that can stand on the right-hand side: any closure `|x| …` from
/// `&[f64]` to `f64` that can be shared between threads.
pub trait PointFunction: Fn(&[f64]) -> f64 + Send + Sync + 'static {}

impl<F: Fn(&[f64]) -> f64 + Send + Sync + 'static> PointFunction for F {}

/// A function of the point that stands on the right-hand side of an equation or condition.
#[derive(Clone)]
pub struct Data(Arc<dyn PointFunction>);

impl Data {
    /// Data from a closure.
    pub fn new(function: impl PointFunction) -> Self {
        Self(Arc::new(function))
    }

    /// The value at one point.
    #[must_use]
    pub fn at(&self, point: &[f64]) -> f64 {
        (self.0)(point)
    }

    /// The values at many points; the first one that is not finite is an error.
    pub(crate) fn sample(
        &self,
        label: &str,
        points: ArrayView2<'_, f64>,
    ) -> Result<Vec<f64>, SolveError> {
        let mut point = vec![0.0; points.ncols()];
        points
            .rows()
            .into_iter()
            .map(|row| {
                for (target, source) in point.iter_mut().zip(row) {
                    *target = *source;
                }
                let value = self.at(&point);
                if value.is_finite() {
                    Ok(value)
                } else {
                    Err(SolveError::DataNotFinite {
                        label: label.to_owned(),
                        point: point.clone(),
                        value,
                    })
                }
            })
            .collect()
    }
}

impl fmt::Debug for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Data(closure)")
    }
}
