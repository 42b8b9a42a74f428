//! Fields measured on grids: one or several trajectories, missing values allowed.

use ndarray::{Array2, ArrayView, Dimension};

use super::axis::Axis;
use super::fill::fill_gaps;
use crate::{DiscoveryError, Samples};

/// Fields on evenly spaced tensor grids, of one trajectory or of several.
///
/// NaN marks a missing value; short gaps are interpolated, windows that touch long ones are left out.
///
/// ```
/// use fastlsq_discovery::{Samples, ndarray::Array2};
/// let x: Vec<f64> = (0..64).map(|i| 0.1 * i as f64).collect();
/// let t: Vec<f64> = (0..50).map(|i| 0.02 * i as f64).collect();
/// let u = Array2::from_shape_fn((64, 50), |(i, j)| (x[i] - t[j]).sin());
/// let data = Samples::on_grid(&[&x, &t], u.view())?;
/// assert_eq!((data.fields(), data.shape(0)), (["u".to_owned()].as_slice(), Some(vec![64, 50])));
/// # Ok::<(), fastlsq_discovery::DiscoveryError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct GridData {
    fields: Vec<String>,
    trajectories: Vec<Trajectory>,
}

/// The fields of one run of an experiment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Trajectory {
    pub(crate) axes: Vec<Axis>,
    /// One array for each field, the last axis fastest; NaN where a gap was too long to fill.
    pub(crate) values: Vec<Vec<f64>>,
    missing: usize,
}

impl Trajectory {
    pub(crate) fn shape(&self) -> Vec<usize> {
        self.axes.iter().map(|axis| axis.count).collect()
    }
}

/// Root mean squares outside this range are refused: cubes of the values, or their products with
/// derivatives of test functions, would overflow or vanish.
const SCALES: std::ops::Range<f64> = 1e-60..1e60;

impl GridData {
    /// One field, called u, at every combination of the coordinates along its axes.
    ///
    /// # Errors
    /// As [`GridData::of_fields`].
    pub fn new<D: Dimension>(
        axes: &[&[f64]],
        u: ArrayView<'_, f64, D>,
    ) -> Result<Self, DiscoveryError> {
        Self::of_fields(axes, &[("u", u)])
    }

    /// Several fields on the same grid, by name.
    ///
    /// # Errors
    /// Axes that do not increase evenly or are too short, fields of another shape than the axes, of
    /// the same name, with infinite values, without any value, constant, or beyond all scales.
    pub fn of_fields<D: Dimension>(
        axes: &[&[f64]],
        fields: &[(&str, ArrayView<'_, f64, D>)],
    ) -> Result<Self, DiscoveryError> {
        let lines = axes
            .iter()
            .enumerate()
            .map(|(k, x)| Axis::new(k, x))
            .collect::<Result<Vec<_>, _>>()?;
        let expected: Vec<usize> = lines.iter().map(|axis| axis.count).collect();
        if fields.is_empty() || expected.is_empty() {
            return Err(DiscoveryError::Setting {
                what: match fields.is_empty() {
                    true => "number of fields",
                    false => "number of axes",
                },
                value: 0.0,
                requirement: "at least 1",
            });
        }
        let mut names: Vec<String> = Vec::new();
        let (mut values, mut missing) = (Vec::new(), 0);
        for (name, field) in fields {
            if names.iter().any(|known| known == name) {
                return Err(DiscoveryError::DuplicateTerm {
                    name: (*name).to_owned(),
                });
            }
            if field.shape() != expected {
                return Err(DiscoveryError::FieldShape {
                    field: (*name).to_owned(),
                    found: field.shape().to_vec(),
                    expected,
                });
            }
            let raw: Vec<f64> = field.iter().copied().collect();
            check_field(name, &raw)?;
            missing += raw.iter().filter(|v| v.is_nan()).count();
            values.push(fill_gaps(&raw, &expected));
            names.push((*name).to_owned());
        }
        Ok(Self {
            fields: names,
            trajectories: vec![Trajectory {
                axes: lines,
                values,
                missing,
            }],
        })
    }

    /// The samples together with those of further trajectories of the same law.
    ///
    /// # Errors
    /// Other fields, or another number of axes.
    pub fn and(mut self, other: Self) -> Result<Self, DiscoveryError> {
        if other.fields != self.fields || other.dim() != self.dim() {
            return Err(DiscoveryError::OtherTrajectory {
                expected: self.fields.clone(),
                found: other.fields,
                dims: (self.dim(), other.trajectories[0].axes.len()),
            });
        }
        self.trajectories.extend(other.trajectories);
        Ok(self)
    }

    /// Names of the fields.
    #[must_use]
    pub fn fields(&self) -> &[String] {
        &self.fields
    }

    /// Number of axes.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.trajectories.first().map_or(0, |run| run.axes.len())
    }

    /// Points along each axis of a trajectory, `None` if there is no such trajectory.
    #[must_use]
    pub fn shape(&self, trajectory: usize) -> Option<Vec<usize>> {
        self.trajectories.get(trajectory).map(Trajectory::shape)
    }

    /// Number of missing values over all fields and trajectories.
    #[must_use]
    pub fn missing(&self) -> usize {
        self.trajectories.iter().map(|run| run.missing).sum()
    }

    pub(crate) fn trajectories(&self) -> &[Trajectory] {
        &self.trajectories
    }

    /// One field of the first trajectory as scattered samples, for the fit by features.
    ///
    /// # Errors
    /// A field that does not exist; as [`Samples::new`] otherwise.
    pub fn scattered(&self, field: &str) -> Result<Samples, DiscoveryError> {
        let place = self.fields.iter().position(|name| name == field);
        let (Some(place), Some(run)) = (place, self.trajectories.first()) else {
            return Err(DiscoveryError::NoField {
                field: field.to_owned(),
                known: self.fields.clone(),
            });
        };
        let (shape, values) = (run.shape(), &run.values[place]);
        let kept: Vec<usize> = (0..values.len())
            .filter(|&i| values[i].is_finite())
            .collect();
        let points = Array2::from_shape_fn((kept.len(), shape.len()), |(row, k)| {
            let inner: usize = shape[k + 1..].iter().product();
            let axis = &run.axes[k];
            axis.start + axis.step * (kept[row] / inner % axis.count) as f64
        });
        Samples::new(points, kept.iter().map(|&i| values[i]).collect())
    }
}

impl Samples {
    /// A field on an evenly spaced tensor grid, for [`GridDiscovery`](crate::GridDiscovery).
    ///
    /// # Errors
    /// As [`GridData::of_fields`].
    pub fn on_grid<D: Dimension>(
        axes: &[&[f64]],
        u: ArrayView<'_, f64, D>,
    ) -> Result<GridData, DiscoveryError> {
        GridData::new(axes, u)
    }
}

fn check_field(name: &str, values: &[f64]) -> Result<(), DiscoveryError> {
    let field = || name.to_owned();
    if let Some(index) = values.iter().position(|v| v.is_infinite()) {
        return Err(DiscoveryError::InfiniteField {
            field: field(),
            index,
        });
    }
    let known: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
    let Some(&first) = known.first() else {
        return Err(DiscoveryError::AllMissing { field: field() });
    };
    let (lower, upper) = known
        .iter()
        .fold((first, first), |(a, b), v| (a.min(*v), b.max(*v)));
    if upper - lower <= 1e-13 * upper.abs().max(lower.abs()) {
        return Err(DiscoveryError::ConstantField {
            field: field(),
            value: first,
        });
    }
    let size = upper.abs().max(lower.abs());
    if !SCALES.contains(&size) {
        return Err(DiscoveryError::FieldScale {
            field: field(),
            size,
        });
    }
    Ok(())
}
