//! Where an operator is applied: points, and what is known at each of them.

use fastlsq_basis::{require_dim, require_size};
use ndarray::{Array2, ArrayView2, s};

use crate::OperatorError;

/// Points (one row per point), with their normals and tabulated coefficients where there are any.
///
/// Views only: cheap to copy and to cut into blocks. Every call that applies an operator takes
/// `impl Into<Sites>`, so a plain point set, or a pair of points and optional normals, will do.
///
/// ```
/// use fastlsq_ops::Sites;
/// use ndarray::array;
/// let points = array![[0.0, 0.5], [1.0, 0.5]];
/// let normals = array![[-1.0, 0.0], [1.0, 0.0]];
/// let sites = Sites::new(points.view()).with_normals(normals.view());
/// assert_eq!((sites.len(), sites.dim()), (2, 2));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Sites<'a> {
    points: ArrayView2<'a, f64>,
    normals: Option<ArrayView2<'a, f64>>,
    table: Option<ArrayView2<'a, f64>>,
}

impl<'a> Sites<'a> {
    /// Points without normals or tabulated coefficients.
    #[must_use]
    pub fn new(points: ArrayView2<'a, f64>) -> Self {
        Self {
            points,
            normals: None,
            table: None,
        }
    }

    /// The same points with a normal each, one row per point.
    #[must_use]
    pub fn with_normals(mut self, normals: ArrayView2<'a, f64>) -> Self {
        self.normals = Some(normals);
        self
    }

    /// The same points with values of tabulated coefficients: one row per point, one column per
    /// coefficient (see [`Field::tabulated`](crate::Field::tabulated)).
    #[must_use]
    pub fn with_table(mut self, table: ArrayView2<'a, f64>) -> Self {
        self.table = Some(table);
        self
    }

    /// The number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.points.nrows()
    }

    /// Whether there are no points.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The dimension of the points.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.points.ncols()
    }

    /// The points, one row per point.
    #[must_use]
    pub fn points(&self) -> ArrayView2<'a, f64> {
        self.points
    }

    /// The normals, one row per point.
    #[must_use]
    pub fn normals(&self) -> Option<ArrayView2<'a, f64>> {
        self.normals
    }

    /// The tabulated coefficients, one row per point.
    #[must_use]
    pub fn table(&self) -> Option<ArrayView2<'a, f64>> {
        self.table
    }

    /// The points `start .. start + count` with what belongs to them, cut off at the end.
    #[must_use]
    pub fn block(&self, start: usize, count: usize) -> Self {
        let rows = |view: ArrayView2<'a, f64>| {
            let start = start.min(view.nrows());
            let end = start.saturating_add(count).min(view.nrows());
            view.slice_move(s![start..end, ..])
        };
        Self {
            points: rows(self.points),
            normals: self.normals.map(rows),
            table: self.table.map(rows),
        }
    }

    /// The mirror image under x_axis ↦ 2·mirror − x_axis: points and normals; a table is not mirrored.
    ///
    /// An axis that does not exist leaves everything in place.
    #[must_use]
    pub fn mirrored(&self, axis: usize, mirror: f64) -> MirroredSites {
        let mut points = self.points.to_owned();
        let mut normals = self.normals.map(|normals| normals.to_owned());
        if axis < points.ncols() {
            points.column_mut(axis).mapv_inplace(|x| 2.0 * mirror - x);
        }
        if let Some(normals) = normals.as_mut().filter(|normals| axis < normals.ncols()) {
            normals.column_mut(axis).mapv_inplace(|n| -n);
        }
        MirroredSites { points, normals }
    }

    /// Checks that everything has the same number of rows, and the dimension.
    ///
    /// # Errors
    /// Points of another dimension than `dim`, normals or a table that do not fit the points.
    pub fn validate(&self, dim: usize) -> Result<(), OperatorError> {
        require_dim("the point set", dim, self.dim())?;
        if let Some(normals) = self.normals {
            require_size("the set of normals", self.len(), normals.nrows())?;
            require_dim("the set of normals", dim, normals.ncols())?;
        }
        if let Some(table) = self.table {
            require_size("the table of coefficients", self.len(), table.nrows())?;
        }
        Ok(())
    }
}

/// The mirror image of some [`Sites`], which owns its points and normals.
#[derive(Debug, Clone)]
pub struct MirroredSites {
    points: Array2<f64>,
    normals: Option<Array2<f64>>,
}

impl MirroredSites {
    /// The image as sites.
    #[must_use]
    pub fn sites(&self) -> Sites<'_> {
        let normals = self.normals.as_ref().map(Array2::view);
        Sites::from((self.points.view(), normals))
    }
}

impl<'a> From<ArrayView2<'a, f64>> for Sites<'a> {
    fn from(points: ArrayView2<'a, f64>) -> Self {
        Self::new(points)
    }
}

impl<'a> From<&'a Array2<f64>> for Sites<'a> {
    fn from(points: &'a Array2<f64>) -> Self {
        Self::new(points.view())
    }
}

impl<'a> From<(ArrayView2<'a, f64>, Option<ArrayView2<'a, f64>>)> for Sites<'a> {
    fn from((points, normals): (ArrayView2<'a, f64>, Option<ArrayView2<'a, f64>>)) -> Self {
        Self {
            points,
            normals,
            table: None,
        }
    }
}

impl<'a> From<&Sites<'a>> for Sites<'a> {
    fn from(sites: &Sites<'a>) -> Self {
        *sites
    }
}
