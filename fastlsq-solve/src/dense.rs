//! Dense factorisations of small matrices, on one thread.
//!
//! Trial spaces and their evolution work with matrices of a few hundred rows, where a second thread
//! gains little and would make the last digits depend on the number of threads. Every routine here
//! runs on the calling thread: the same input gives the same bits on any machine of the same kind.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::evd::{
    ComputeEigenvectors, evd_real, evd_scratch, self_adjoint_evd, self_adjoint_evd_scratch,
};
use faer::linalg::lu::partial_pivoting as lu;
use faer::linalg::matmul::matmul;
use faer::linalg::svd::{ComputeSvdVectors, SvdParams, svd, svd_scratch};
use faer::perm::PermRef;
use faer::traits::ComplexField;
use faer::{Accum, Auto, Conj, Mat, MatMut, MatRef, Par, Spec, c64};

/// A·B, or zeros if the sizes do not fit.
#[must_use]
pub fn product(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    let mut c = Mat::zeros(a.nrows(), b.ncols());
    if a.ncols() == b.nrows() {
        matmul(c.as_mut(), Accum::Replace, a, b, 1.0, Par::Seq);
    }
    c
}

/// Column k, or nothing where there is none.
#[must_use]
pub fn column(a: MatRef<'_, f64>, k: usize) -> Vec<f64> {
    if k < a.ncols() {
        a.col(k).iter().copied().collect()
    } else {
        Vec::new()
    }
}

/// y = A·x; entries and columns beyond the shorter of two sizes are left out.
pub fn times(a: MatRef<'_, f64>, x: &[f64], y: &mut [f64]) {
    crate::lsq::times(a, x, y);
}

/// An LU factorisation with row exchanges.
#[derive(Debug, Clone)]
pub struct Lu<T> {
    factors: Mat<T>,
    forward: Vec<usize>,
    inverse: Vec<usize>,
}

impl<T: ComplexField> Lu<T> {
    /// Factors a square matrix. A singular one gives solutions that are not finite.
    #[must_use]
    pub fn new(mut a: Mat<T>) -> Self {
        let n = a.nrows().min(a.ncols());
        a.truncate(n, n);
        let (mut forward, mut inverse) = (vec![0; n], vec![0; n]);
        if n > 0 {
            let request =
                lu::factor::lu_in_place_scratch::<usize, T>(n, n, Par::Seq, Spec::default());
            lu::factor::lu_in_place(
                a.as_mut(),
                &mut forward,
                &mut inverse,
                Par::Seq,
                MemStack::new(&mut MemBuffer::new(request)),
                Spec::default(),
            );
        }
        Self {
            factors: a,
            forward,
            inverse,
        }
    }

    /// Replaces B by A⁻¹·B; leaves a B of the wrong height as it is.
    pub fn solve_in_place(&self, b: MatMut<'_, T>) {
        let n = self.forward.len();
        if n == 0 || b.nrows() != n {
            return;
        }
        let request = lu::solve::solve_in_place_scratch::<usize, T>(n, b.ncols(), Par::Seq);
        lu::solve::solve_in_place_with_conj(
            self.factors.as_ref(),
            self.factors.as_ref(),
            PermRef::new_checked(&self.forward, &self.inverse, n),
            Conj::No,
            b,
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(request)),
        );
    }
}

/// The lower Cholesky factor of a symmetric positive definite matrix; `None` if it is not.
#[must_use]
pub fn cholesky(mut a: Mat<f64>) -> Option<Mat<f64>> {
    let n = a.nrows();
    if a.ncols() != n || !a.is_all_finite() {
        return None;
    }
    let request = llt::factor::cholesky_in_place_scratch::<f64>(n, Par::Seq, Spec::default());
    llt::factor::cholesky_in_place(
        a.as_mut(),
        Default::default(),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(request)),
        Spec::default(),
    )
    .ok()?;
    Some(a)
}

/// Replaces B by (L·Lᵀ)⁻¹·B for a lower Cholesky factor L; leaves a B of the wrong height as it is.
pub fn cholesky_solve(l: MatRef<'_, f64>, b: MatMut<'_, f64>) {
    if l.nrows() != b.nrows() || l.ncols() != l.nrows() || l.nrows() == 0 {
        return;
    }
    let request = llt::solve::solve_in_place_scratch::<f64>(l.nrows(), b.ncols(), Par::Seq);
    let mut memory = MemBuffer::new(request);
    llt::solve::solve_in_place(l, b, Par::Seq, MemStack::new(&mut memory));
}

/// The singular values of a matrix, largest first, and all of its right singular vectors.
#[derive(Debug, Clone)]
pub struct RightSingular {
    /// The singular values, as many as the smaller of the two sizes.
    pub values: Vec<f64>,
    /// V, square.
    pub v: Mat<f64>,
}

/// Singular values and right singular vectors; `None` if the iteration does not converge or an entry is not
/// finite.
#[must_use]
pub fn right_singular(a: MatRef<'_, f64>) -> Option<RightSingular> {
    let (m, n) = a.shape();
    if !a.is_all_finite() {
        return None;
    }
    let mut v = Mat::identity(n, n);
    let mut s = Diag::zeros(m.min(n));
    if m > 0 && n > 0 {
        let mut params = <SvdParams as Auto<f64>>::auto();
        // Never through the unpivoted QR that skips columns of rank-deficient matrices.
        params.qr_ratio_threshold = f64::INFINITY;
        let params: Spec<SvdParams, f64> = params.into();
        let (none, full) = (ComputeSvdVectors::No, ComputeSvdVectors::Full);
        let request = svd_scratch::<f64>(m, n, none, full, Par::Seq, params);
        let mut memory = MemBuffer::try_new(request).ok()?;
        let stack = MemStack::new(&mut memory);
        svd(
            a,
            s.as_mut(),
            None,
            Some(v.as_mut()),
            Par::Seq,
            stack,
            params,
        )
        .ok()?;
    }
    let values: Vec<f64> = s.column_vector().iter().copied().collect();
    values
        .iter()
        .all(|value| value.is_finite())
        .then_some(RightSingular { values, v })
}

/// Eigenvalues of a symmetric matrix (its lower half is read), smallest first, and orthonormal
/// eigenvectors as columns; `None` if the iteration does not converge or an entry is not finite.
#[must_use]
pub fn symmetric_eigen(a: MatRef<'_, f64>) -> Option<(Vec<f64>, Mat<f64>)> {
    let n = a.nrows();
    if a.ncols() != n || !a.is_all_finite() {
        return None;
    }
    let mut u = Mat::zeros(n, n);
    let mut s = Diag::zeros(n);
    if n > 0 {
        let yes = ComputeEigenvectors::Yes;
        let request = self_adjoint_evd_scratch::<f64>(n, yes, Par::Seq, Spec::default());
        let mut memory = MemBuffer::try_new(request).ok()?;
        let stack = MemStack::new(&mut memory);
        self_adjoint_evd(
            a,
            s.as_mut(),
            Some(u.as_mut()),
            Par::Seq,
            stack,
            Spec::default(),
        )
        .ok()?;
    }
    let values = s.column_vector().iter().copied().collect();
    Some((values, u))
}

/// Eigenvalues of a square matrix and eigenvectors of norm 1 as columns; `None` if the iteration does
/// not converge or an entry is not finite.
#[must_use]
pub fn eigen(a: MatRef<'_, f64>) -> Option<(Vec<c64>, Mat<c64>)> {
    let n = a.nrows();
    if a.ncols() != n || !a.is_all_finite() {
        return None;
    }
    let mut vectors = Mat::zeros(n, n);
    let (mut re, mut im) = (Diag::zeros(n), Diag::zeros(n));
    if n > 0 {
        let (no, yes) = (ComputeEigenvectors::No, ComputeEigenvectors::Yes);
        let request = evd_scratch::<f64>(n, no, yes, Par::Seq, Spec::default());
        let mut memory = MemBuffer::try_new(request).ok()?;
        evd_real(
            a,
            re.as_mut(),
            im.as_mut(),
            None,
            Some(vectors.as_mut()),
            Par::Seq,
            MemStack::new(&mut memory),
            Spec::default(),
        )
        .ok()?;
    }
    let values: Vec<c64> = re
        .column_vector()
        .iter()
        .zip(im.column_vector().iter())
        .map(|(&re, &im)| c64::new(re, im))
        .collect();
    // A pair re ± i·im shares two real columns: the vectors are first ± i·second.
    let mut complex = Mat::zeros(n, n);
    let mut j = 0;
    while j < n {
        if values[j].im != 0.0 && j + 1 < n {
            for i in 0..n {
                let (first, second) = (vectors[(i, j)], vectors[(i, j + 1)]);
                complex[(i, j)] = c64::new(first, second);
                complex[(i, j + 1)] = c64::new(first, -second);
            }
            j += 2;
        } else {
            for i in 0..n {
                complex[(i, j)] = c64::new(vectors[(i, j)], 0.0);
            }
            j += 1;
        }
    }
    for j in 0..n {
        let norm = complex.col(j).norm_l2();
        if norm > 0.0 {
            for i in 0..n {
                complex[(i, j)] /= norm;
            }
        }
    }
    Some((values, complex))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(n: usize) -> Mat<f64> {
        Mat::from_fn(n, n, |i, j| {
            ((3 * i + 7 * j * j + i * j) as f64).sin() + f64::from(u8::from(i == j))
        })
    }

    #[test]
    fn lu_solves_real_and_complex_systems() {
        for n in [1, 5, 33, 70] {
            let a = sample(n);
            let x = Mat::from_fn(n, 2, |i, j| (i + 3 * j) as f64 - 2.0);
            let mut b = product(a.as_ref(), x.as_ref());
            Lu::new(a.clone()).solve_in_place(b.as_mut());
            assert!((&b - &x).norm_max() < 1e-9, "size {n}");
            let z = Mat::from_fn(n, n, |i, j| c64::new(a[(i, j)], a[(j, i)]));
            let y = Mat::from_fn(n, 1, |i, _| c64::new(i as f64, 1.0));
            let mut b = &z * &y;
            Lu::new(z).solve_in_place(b.as_mut());
            assert!((&b - &y).norm_max() < 1e-9, "size {n}");
        }
    }

    #[test]
    fn eigenvectors_satisfy_their_equation() {
        let a = sample(23);
        let (values, vectors) = eigen(a.as_ref()).unwrap();
        assert!(values.iter().any(|value| value.im != 0.0));
        let a = Mat::from_fn(23, 23, |i, j| c64::new(a[(i, j)], 0.0));
        for (j, &value) in values.iter().enumerate() {
            let v = vectors.col(j);
            let residual = &a * v - faer::Scale(value) * v;
            assert!(residual.norm_l2() < 1e-12, "eigenvalue {value}");
            assert!((v.norm_l2() - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn symmetric_eigenvalues_of_the_second_difference() {
        let n = 12;
        let a = Mat::from_fn(n, n, |i, j| match i.abs_diff(j) {
            0 => 2.0,
            1 => -1.0,
            _ => 0.0,
        });
        let (values, u) = symmetric_eigen(a.as_ref()).unwrap();
        for (k, value) in values.iter().enumerate() {
            let angle = std::f64::consts::PI * (k + 1) as f64 / (n + 1) as f64;
            assert!((value - (2.0 - 2.0 * angle.cos())).abs() < 1e-14);
        }
        assert!((u.transpose() * &u - Mat::<f64>::identity(n, n)).norm_max() < 1e-14);
        let l = cholesky(a.clone()).unwrap();
        let mut x = Mat::from_fn(n, 1, |i, _| i as f64);
        let b = product(a.as_ref(), x.as_ref());
        let expected = std::mem::replace(&mut x, b);
        cholesky_solve(l.as_ref(), x.as_mut());
        assert!((x - expected).norm_max() < 1e-12);
    }

    #[test]
    fn right_singular_vectors_diagonalise_wide_and_tall_matrices() {
        for (m, n) in [(40, 12), (5, 9), (7, 7)] {
            let a = Mat::from_fn(m, n, |i, j| ((i * i + 3 * j) as f64).cos());
            let right = right_singular(a.as_ref()).unwrap();
            let av = product(a.as_ref(), right.v.as_ref());
            let gram = av.transpose() * &av;
            for i in 0..n {
                for j in 0..n {
                    let value = right.values.get(i).map_or(0.0, |s| s * s);
                    let expected = if i == j { value } else { 0.0 };
                    assert!((gram[(i, j)] - expected).abs() < 1e-11, "{m}×{n}");
                }
            }
        }
    }
}
