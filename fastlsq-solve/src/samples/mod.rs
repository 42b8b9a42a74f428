//! Functions on grids: what comes out of a solve, for other programs and for the eye.
//!
//! Whatever is a function of the domain (solutions of every kind, eigenfunctions, points of a branch) becomes [`GridSamples`] by
//! its `on_grid`, as does any expression of the unknowns ([`Quantities`]), and every format is written from there, once:
//!
//! | | |
//! |---|---|
//! | [`GridSamples::array`] | an `ndarray`, NaN outside the domain |
//! | [`GridSamples::save_csv`] | a table with one line per point of the domain |
//! | `GridSamples::save_npy`, `save_npz` (feature `npz`) | NumPy |
//! | [`GridSamples::save_vtu`], [`save_pvd`](GridSamples::save_pvd) | ParaView; a series in time |
//! | `GridSamples::figure`, `film` (feature `plot`) | SVG, PNG, animated PNG |
//!
//! ```
//! use fastlsq_solve::{Ball, LinearProblem, laplacian, unknown};
//! // −Δu = 4 on the disc, u = 0 on its rim: u = 1 − x² − y².
//! let u = LinearProblem::on(Ball::unit(2))
//!     .equation(-laplacian(unknown("u")), 4.0)
//!     .dirichlet(0.0)
//!     .solve()?;
//! let samples = u.on_grid(&[21, 21])?;
//! let values = samples.array("u")?;
//! assert!((values[[10, 10]] - 1.0).abs() < 1e-9 && values[[0, 0]].is_nan());
//!
//! let path = std::env::temp_dir().join(format!("disc-{}.vtu", std::process::id()));
//! samples.save_vtu(&path)?;
//! # std::fs::remove_file(&path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod csv;
mod error;
#[cfg(feature = "npz")]
mod numpy;
#[cfg(feature = "plot")]
mod picture;
mod quantities;
#[cfg(feature = "plot")]
mod solution_picture;
mod vtk;

use std::sync::Arc;

use fastlsq_ops::Space;
use ndarray::{Array2, ArrayD, IxDyn};

pub use error::SampleError;
pub use quantities::Quantities;

use crate::domain::Domain;

/// Values of one or several functions on a grid of points, NaN outside the domain.
#[derive(Debug, Clone)]
pub struct GridSamples {
    space: Space,
    axes: Vec<Vec<f64>>,
    names: Vec<String>,
    values: Vec<ArrayD<f64>>,
    domain: Option<Arc<dyn Domain>>,
}

/// More values than this are not sampled at once: eight gibibytes would be too much for most machines, one is not.
const MOST_VALUES: usize = 1 << 27;
/// Points that are evaluated at once.
const BLOCK: usize = 1 << 14;

impl GridSamples {
    /// Samples functions at all points of a grid that lie in the domain, some thousand at a time. `evaluate` returns the values of
    /// each function at points that are given one per row.
    ///
    /// # Errors
    /// Axes that do not fit the space or the memory, and those of `evaluate`.
    pub fn take<E: From<SampleError>>(
        space: Space,
        names: Vec<String>,
        domain: Option<Arc<dyn Domain>>,
        axes: Vec<Vec<f64>>,
        evaluate: impl Fn(&Array2<f64>) -> Result<Vec<Vec<f64>>, E>,
    ) -> Result<Self, E> {
        check(&space, &axes, names.len())?;
        let shape: Vec<usize> = axes.iter().map(Vec::len).collect();
        let count: usize = shape.iter().product();
        let point = |index: usize| {
            let mut rest = index;
            let mut point = vec![0.0; axes.len()];
            for (axis, places) in axes.iter().enumerate().rev() {
                point[axis] = places[rest % places.len()];
                rest /= places.len();
            }
            point
        };
        let mut flat = vec![vec![f64::NAN; count]; names.len()];
        let mut next = 0;
        while next < count {
            let mut places = Vec::with_capacity(BLOCK);
            let mut points = Vec::with_capacity(BLOCK * axes.len());
            while next < count && places.len() < BLOCK {
                let own = point(next);
                if domain.as_ref().is_none_or(|domain| domain.contains(&own)) {
                    places.push(next);
                    points.extend(own);
                }
                next += 1;
            }
            if places.is_empty() {
                continue;
            }
            let points = Array2::from_shape_fn((places.len(), axes.len()), |(i, k)| {
                points[i * axes.len() + k]
            });
            for (flat, values) in flat.iter_mut().zip(evaluate(&points)?) {
                for (place, value) in places.iter().zip(values) {
                    flat[*place] = value;
                }
            }
        }
        let values = flat.into_iter().map(|values| {
            ArrayD::from_shape_vec(IxDyn(&shape), values)
                .unwrap_or_else(|_| ArrayD::from_elem(IxDyn(&shape), f64::NAN))
        });
        Ok(Self {
            space,
            names,
            values: values.collect(),
            axes,
            domain,
        })
    }

    /// The coordinates.
    #[must_use]
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The places along each coordinate.
    #[must_use]
    pub fn axes(&self) -> &[Vec<f64>] {
        &self.axes
    }

    /// The names of the functions.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The values of all functions, each with one index per coordinate.
    #[must_use]
    pub fn arrays(&self) -> &[ArrayD<f64>] {
        &self.values
    }

    /// The values of one function, with one index per coordinate; NaN outside the domain.
    ///
    /// # Errors
    /// A function that does not exist.
    pub fn array(&self, name: &str) -> Result<&ArrayD<f64>, SampleError> {
        let index = self.names.iter().position(|own| own == name);
        index
            .and_then(|index| self.values.get(index))
            .ok_or_else(|| SampleError::Name {
                name: name.to_owned(),
                known: self.names.clone(),
            })
    }

    /// The number of points along each coordinate.
    fn shape(&self) -> Vec<usize> {
        self.axes.iter().map(Vec::len).collect()
    }

    /// The samples at one place along the last axis, which is left out.
    fn at_last(&self, place: usize) -> Self {
        let mut axes = self.axes.clone();
        axes.pop();
        let names = self.space.names();
        let last = ndarray::Axis(self.axes.len().saturating_sub(1));
        Self {
            space: Space::new(axes.len()).renamed(names.into_iter().take(axes.len())),
            names: self.names.clone(),
            values: self
                .values
                .iter()
                .map(|values| values.index_axis(last, place).to_owned())
                .collect(),
            axes,
            domain: self
                .domain
                .as_ref()
                .and_then(|domain| domain.as_ref().at_one_time()),
        }
    }
}

/// There must be as many axes as coordinates; they must increase, and not have too many points together.
fn check(space: &Space, axes: &[Vec<f64>], functions: usize) -> Result<(), SampleError> {
    if axes.len() != space.dim() {
        return Err(SampleError::Counts {
            expected: space.dim(),
            found: axes.len(),
        });
    }
    for (axis, places) in axes.iter().enumerate() {
        let rising = places.windows(2).all(|pair| pair[0] < pair[1]);
        if places.is_empty() || !rising || places.iter().any(|place| !place.is_finite()) {
            return Err(SampleError::Places { axis });
        }
    }
    let shape = axes.iter().map(Vec::len);
    let total = shape
        .chain([functions.max(1)])
        .try_fold(1_usize, usize::checked_mul);
    match total {
        Some(total) if total <= MOST_VALUES => Ok(()),
        _ => Err(SampleError::TooLarge { most: MOST_VALUES }),
    }
}

/// This many places along each axis of the box around a domain, evenly from end to end; a single one is in the middle.
///
/// # Errors
/// A number of counts that is not that of the coordinates, a count of zero.
pub fn even_axes(domain: &dyn Domain, counts: &[usize]) -> Result<Vec<Vec<f64>>, SampleError> {
    let bounds = domain.bounding_box()?;
    if counts.len() != bounds.dim() {
        return Err(SampleError::Counts {
            expected: bounds.dim(),
            found: counts.len(),
        });
    }
    if counts.iter().any(|count| *count > MOST_VALUES) {
        return Err(SampleError::TooLarge { most: MOST_VALUES });
    }
    let ends = bounds.lo().iter().zip(bounds.hi());
    let axes = ends.zip(counts).map(|((lo, hi), count)| match count {
        1 => vec![0.5 * (lo + hi)],
        _ => {
            let last = count.saturating_sub(1) as f64;
            let place = |k: usize| (lo + (hi - lo) * (k as f64 / last)).clamp(*lo, *hi);
            (0..*count).map(place).collect()
        }
    });
    Ok(axes.collect())
}
