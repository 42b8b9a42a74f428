//! From right-hand sides to coordinates in the range of A.
//!
//! Every method ends in A ≈ Q₁·T with T (r×N) of full row rank. [`RangeMap`] applies Q₁ᵀ and Q₁.

use super::kernels::{column, dot};
use super::pivoted::PivotedQr;
use super::products::{add_product, product};
use super::shared::RowFactor;
use faer::{Mat, MatRef};

/// Coordinates and what cannot be expressed by them.
pub(crate) struct Projection {
    /// Q₁ᵀb, r×k.
    pub(crate) coordinates: Mat<f64>,
    /// Squared norms of the part of each b that was cut off on the way.
    pub(crate) cut_off: Vec<f64>,
}

/// The part of Q₁ that acts inside the triangle: pivoted QR, then a rotation. Either may be absent.
#[derive(Clone, Debug)]
pub(crate) struct InnerMap {
    pub(crate) pivoted: Option<PivotedQr>,
    pub(crate) rotation: Option<Mat<f64>>,
}

impl InnerMap {
    /// Coordinates of `c`, the rows of Qᵀb that belong to the triangle.
    pub(crate) fn project(&self, mut c: Mat<f64>, parallel: bool) -> Projection {
        let columns = c.ncols();
        let mut cut_off = vec![0.0; columns];
        if let Some(qr) = &self.pivoted {
            qr.apply_transpose(c.as_mut());
            add_squares(
                c.as_ref().subrows(qr.rank(), c.nrows() - qr.rank()),
                &mut cut_off,
            );
            c.truncate(qr.rank(), columns);
        }
        if let Some(u) = &self.rotation {
            let rotated = product(u.as_ref().transpose(), c.as_ref(), parallel);
            let mut rest = c;
            add_product(rest.as_mut(), -1.0, u.as_ref(), rotated.as_ref(), parallel);
            add_squares(rest.as_ref(), &mut cut_off);
            c = rotated;
        }
        Projection {
            coordinates: c,
            cut_off,
        }
    }

    /// The transpose of [`project`](Self::project).
    fn expand(&self, c: MatRef<'_, f64>, parallel: bool) -> Mat<f64> {
        let rotated = match &self.rotation {
            Some(u) => product(u.as_ref(), c, parallel),
            None => c.to_owned(),
        };
        match &self.pivoted {
            Some(qr) => qr.expand(rotated.as_ref(), parallel),
            None => rotated,
        }
    }
}

/// Adds the squared norm of each column.
pub(crate) fn add_squares(a: MatRef<'_, f64>, sums: &mut [f64]) {
    for (j, sum) in sums.iter_mut().enumerate() {
        let entries = column(a, j);
        *sum += dot(&entries, &entries);
    }
}

/// Q₁, as the method at hand left it.
#[derive(Clone, Debug)]
pub(crate) enum RangeMap {
    /// Reflectors of the streamed QR of `n` columns, then the inner map.
    Streamed {
        /// The reflectors.
        q: RowFactor,
        /// Columns of the streamed matrix.
        n: usize,
        /// What acts on the triangle.
        inner: InnerMap,
    },
    /// The inner map acts on the rows of A themselves.
    Direct(InnerMap),
    /// A itself: the coordinates are Aᵀb.
    Matrix(Mat<f64>),
}

impl RangeMap {
    /// Q₁ᵀb for b with M rows.
    pub(crate) fn project(&self, b: MatRef<'_, f64>, parallel: bool) -> Mat<f64> {
        match self {
            Self::Streamed { q, n, inner } => {
                inner
                    .project(q.project(*n, b, parallel), parallel)
                    .coordinates
            }
            Self::Direct(inner) => inner.project(b.to_owned(), parallel).coordinates,
            Self::Matrix(a) => product(a.as_ref().transpose(), b, parallel),
        }
    }

    /// Whether its rows are spread over several processes.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(
            self,
            Self::Streamed {
                q: RowFactor::Shared(_),
                ..
            }
        )
    }

    /// Q₁ as a matrix with `rank` columns.
    pub(crate) fn explicit(&self, rank: usize, parallel: bool) -> Mat<f64> {
        match self {
            Self::Matrix(a) => a.clone(),
            _ => self.expand(Mat::<f64>::identity(rank, rank).as_ref(), parallel),
        }
    }

    /// Q₁·c for c with r rows.
    pub(crate) fn expand(&self, c: MatRef<'_, f64>, parallel: bool) -> Mat<f64> {
        match self {
            Self::Streamed { q, inner, .. } => {
                q.expand(inner.expand(c, parallel).as_ref(), parallel)
            }
            Self::Direct(inner) => inner.expand(c, parallel),
            Self::Matrix(a) => product(a.as_ref(), c, parallel),
        }
    }
}
