//! The matrices of an eigenproblem, and all of their eigenpairs.

use faer::{Mat, c64};
use fastlsq_ops::Operator;

use crate::control::Control;
use crate::dense::{Lu, cholesky, eigen, product, symmetric_eigen};
use crate::lsq::reduce_rows;
use crate::space::local::scale_rows;
use crate::space::{SpaceError, TrialSpace};

/// A matrix this far from symmetric, relative to its size, may be one that should be symmetric: rounding ε/cut in the
/// weakest functions accounts for that much.
const SYMMETRIC: f64 = 1e-2;
/// It is taken as symmetric if the eigenvectors of its symmetric part satisfy its own equation to this, relative to
/// their eigenvalues.
const CONSISTENT: f64 = 1e-6;

/// A and B, and the samples of L and M reduced to a triangle.
pub(super) struct Matrices {
    a: Mat<f64>,
    /// `None` for M = 1.
    b: Option<Mat<f64>>,
    /// R of the weighted samples (L V, M V): residuals at the nodes have the norm of R·(c, −λc).
    pub(super) triangle: Mat<f64>,
}

/// Every eigenvalue, with right eigenvectors of norm 1 and the condition of each.
pub(super) struct Found {
    pub(super) values: Vec<c64>,
    pub(super) vectors: Mat<c64>,
    pub(super) conditions: Vec<f64>,
    pub(super) symmetric: bool,
}

impl Matrices {
    pub(super) fn new(
        space: &TrialSpace,
        operator: &Operator,
        mass: Option<&Operator>,
    ) -> Result<Self, SpaceError> {
        let n = space.dim();
        let identity;
        let left = space.samples(operator)?;
        let right = match mass {
            Some(mass) => space.samples(mass)?,
            None => {
                let dim = operator.dim()?;
                identity = Operator::from_terms(
                    dim,
                    [fastlsq_ops::Term::new(
                        1.0,
                        fastlsq_basis::Action::identity(dim),
                    )],
                );
                space.samples(&identity)?
            }
        };
        let a = product(space.projection(), left.as_ref());
        let b = mass.map(|_| product(space.projection(), right.as_ref()));
        // Zero rows make the stack tall enough for a triangle.
        let mut samples = Mat::zeros(left.nrows().max(2 * n), 2 * n);
        samples
            .as_mut()
            .submatrix_mut(0, 0, left.nrows(), n)
            .copy_from(&left);
        samples
            .as_mut()
            .submatrix_mut(0, n, left.nrows(), n)
            .copy_from(&right);
        scale_rows(&mut samples, space.weights());
        let none = Mat::<f64>::zeros(samples.nrows(), 0);
        let (triangle, _) = reduce_rows(&samples, none.as_ref(), &Control::new())?;
        Ok(Self { a, b, triangle })
    }

    pub(super) fn dim(&self) -> usize {
        self.a.nrows()
    }

    /// All pairs: real by construction if the problem is symmetric as far as the wanted pairs can tell.
    pub(super) fn pairs(
        &self,
        choose: &dyn Fn(&[c64]) -> Vec<usize>,
    ) -> Result<(Found, Vec<usize>), SpaceError> {
        if let Some(found) = self.symmetric_pairs()? {
            let chosen = choose(&found.values);
            if chosen.iter().all(|&k| self.is_consistent(&found, k)) {
                return Ok((found, chosen));
            }
        }
        let found = self.general_pairs()?;
        let chosen = choose(&found.values);
        Ok((found, chosen))
    }

    /// Whether a pair of the symmetric part is one of the whole.
    fn is_consistent(&self, found: &Found, k: usize) -> bool {
        let vector = Mat::from_fn(self.dim(), 1, |i, _| found.vectors[(i, k)].re);
        let left = product(self.a.as_ref(), vector.as_ref());
        let right = self
            .b
            .as_ref()
            .map_or_else(|| vector.clone(), |b| product(b.as_ref(), vector.as_ref()));
        let value = found.values[k].re;
        let largest = found.values.iter().map(|v| v.norm()).fold(0.0, f64::max);
        let residual = Mat::from_fn(self.dim(), 1, |i, _| left[(i, 0)] - value * right[(i, 0)]);
        residual.norm_l2() <= CONSISTENT * value.abs().max(1e-9 * largest) * right.norm_l2()
    }

    fn symmetric_pairs(&self) -> Result<Option<Found>, SpaceError> {
        let failed = SpaceError::Numerical {
            what: "the eigenvalue iteration",
        };
        let definite = self
            .b
            .as_ref()
            .map(|b| (is_symmetric(b), cholesky(symmetric_part(b))));
        match definite {
            None if is_symmetric(&self.a) => {
                let (values, vectors) =
                    symmetric_eigen(symmetric_part(&self.a).as_ref()).ok_or(failed)?;
                Ok(Some(Found::symmetric(&values, &vectors)))
            }
            Some((true, Some(factor))) if is_symmetric(&self.a) => {
                // L⁻¹ A L⁻ᵀ has the same eigenvalues.
                let lower = Mat::from_fn(self.dim(), self.dim(), |i, j| {
                    if i >= j { factor[(i, j)] } else { 0.0 }
                });
                let lu = Lu::new(lower.clone());
                let mut half = symmetric_part(&self.a);
                lu.solve_in_place(half.as_mut());
                let mut both = half.transpose().to_owned();
                lu.solve_in_place(both.as_mut());
                let (values, mut vectors) =
                    symmetric_eigen(symmetric_part(&both).as_ref()).ok_or(failed)?;
                Lu::new(lower.transpose().to_owned()).solve_in_place(vectors.as_mut());
                Ok(Some(Found::symmetric(&values, &normalised(vectors))))
            }
            _ => Ok(None),
        }
    }

    fn general_pairs(&self) -> Result<Found, SpaceError> {
        let mut matrix = self.a.clone();
        if let Some(b) = &self.b {
            Lu::new(b.clone()).solve_in_place(matrix.as_mut());
        }
        let (values, vectors) = eigen(matrix.as_ref()).ok_or(SpaceError::Numerical {
            what: "the eigenvalue iteration",
        })?;
        // Rows of V⁻¹ are left eigenvectors with yᴴx = 1: their norms are the conditions.
        let mut dual = Mat::<c64>::identity(values.len(), values.len());
        Lu::new(vectors.clone()).solve_in_place(dual.as_mut());
        let conditions = (0..values.len()).map(|k| dual.row(k).norm_l2()).collect();
        Ok(Found {
            values,
            vectors,
            conditions,
            symmetric: false,
        })
    }
}

impl Found {
    fn symmetric(values: &[f64], vectors: &Mat<f64>) -> Self {
        Self {
            conditions: vec![1.0; values.len()],
            values: values.iter().map(|&value| c64::new(value, 0.0)).collect(),
            vectors: Mat::from_fn(vectors.nrows(), vectors.ncols(), |i, j| {
                c64::new(vectors[(i, j)], 0.0)
            }),
            symmetric: true,
        }
    }
}

fn symmetric_part(a: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| 0.5 * (a[(i, j)] + a[(j, i)]))
}

fn is_symmetric(a: &Mat<f64>) -> bool {
    (a - a.transpose()).norm_l2() <= SYMMETRIC * a.norm_l2()
}

fn normalised(mut vectors: Mat<f64>) -> Mat<f64> {
    for j in 0..vectors.ncols() {
        let norm = vectors.col(j).norm_l2();
        if norm > 0.0 {
            for i in 0..vectors.nrows() {
                vectors[(i, j)] /= norm;
            }
        }
    }
    vectors
}
