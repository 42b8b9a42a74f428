//! Samples of a field at points of R^d.

use ndarray::{Array2, ArrayView2};

use crate::DiscoveryError;

/// Measured values uᵢ at points xᵢ, scattered or on a grid, in any dimension.
///
/// ```
/// use fastlsq_discovery::Samples;
/// let x: Vec<f64> = (0..50).map(|i| 0.1 * i as f64).collect();
/// let u: Vec<f64> = x.iter().map(|x| x.sin()).collect();
/// let samples = Samples::on_line(&x, &u)?;
/// assert_eq!((samples.len(), samples.dim()), (50, 1));
/// # Ok::<(), fastlsq_discovery::DiscoveryError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Samples {
    points: Array2<f64>,
    values: Vec<f64>,
}

/// Fewer samples than this are refused outright.
const FEWEST: usize = 8;

impl Samples {
    /// Samples at `points`, one row per point.
    ///
    /// # Errors
    /// Different lengths, values that are not finite, fewer than 8 samples, an axis or a field
    /// that does not vary.
    pub fn new(points: Array2<f64>, values: Vec<f64>) -> Result<Self, DiscoveryError> {
        let (count, dim) = points.dim();
        if count != values.len() {
            return Err(DiscoveryError::Lengths {
                points: count,
                values: values.len(),
            });
        }
        if count < FEWEST || dim == 0 {
            return Err(DiscoveryError::TooFewPoints {
                found: if dim == 0 { 0 } else { count },
                needed: FEWEST,
            });
        }
        for (index, row) in points.rows().into_iter().enumerate() {
            if let Some(&value) = row.iter().find(|v| !v.is_finite()) {
                return Err(DiscoveryError::NotFinite {
                    what: "the point of sample",
                    index,
                    value,
                });
            }
        }
        if let Some(index) = values.iter().position(|v| !v.is_finite()) {
            return Err(DiscoveryError::NotFinite {
                what: "the value of sample",
                index,
                value: values[index],
            });
        }
        for (axis, column) in points.columns().into_iter().enumerate() {
            let (lower, upper) = range(column.iter().copied());
            if upper <= lower {
                return Err(DiscoveryError::FlatAxis {
                    axis: format!("coordinate {axis}"),
                    value: lower,
                });
            }
        }
        let (lower, upper) = range(values.iter().copied());
        if upper - lower <= 1e-13 * upper.abs().max(lower.abs()) {
            return Err(DiscoveryError::ConstantData { value: lower });
        }
        Ok(Self { points, values })
    }

    /// Samples of a function of one variable.
    ///
    /// # Errors
    /// As [`Samples::new`].
    pub fn on_line(x: &[f64], values: &[f64]) -> Result<Self, DiscoveryError> {
        Self::new(
            Array2::from_shape_fn((x.len(), 1), |(i, _)| x[i]),
            values.to_vec(),
        )
    }

    /// Some of the samples.
    ///
    /// # Errors
    /// As [`Samples::new`].
    pub(crate) fn subset(&self, places: &[usize]) -> Result<Self, DiscoveryError> {
        let points = self.points.select(ndarray::Axis(0), places);
        Self::new(points, places.iter().map(|&i| self.values[i]).collect())
    }

    /// Number of samples.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Always false: empty sets are refused.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Dimension of the points.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.points.ncols()
    }

    /// The points, one per row.
    #[must_use]
    pub fn points(&self) -> ArrayView2<'_, f64> {
        self.points.view()
    }

    /// The values.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Root mean square of the values.
    #[must_use]
    pub fn rms(&self) -> f64 {
        rms(&self.values)
    }

    /// Corners of the smallest box that holds the points.
    #[must_use]
    pub fn bounds(&self) -> (Vec<f64>, Vec<f64>) {
        self.points
            .columns()
            .into_iter()
            .map(|column| range(column.iter().copied()))
            .unzip()
    }
}

/// Smallest and largest of the numbers.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(lower, upper), v| {
        (lower.min(v), upper.max(v))
    })
}

/// Root mean square.
pub(crate) fn rms(values: &[f64]) -> f64 {
    (values.iter().map(|v| v * v).sum::<f64>() / values.len().max(1) as f64).sqrt()
}
