//! Arrays of several indices, the first of which runs fastest, and matrices along their axes.

use faer::linalg::matmul::matmul;
use faer::traits::ComplexField;
use faer::{Accum, MatMut, MatRef, Par};

/// (A₁ ⊗ … ⊗ A_d) x: the matrix A_k along axis k, one axis after the other, so that the work is that of d products with
/// small matrices. An axis without a matrix is left as it is.
///
/// Each product turns the array, X ↦ XᵀA_kᵀ, so that the axis in work is always the first; after d turns every axis is
/// where it was.
///
/// Arrays and matrices that do not fit give an empty array.
#[must_use]
pub fn along_axes<T: ComplexField>(
    matrices: &[Option<MatRef<'_, T>>],
    array: &[T],
    sizes: &[usize],
) -> Vec<T> {
    let fits = matrices.len() == sizes.len()
        && array.len() == sizes.iter().product::<usize>()
        && matrices
            .iter()
            .zip(sizes)
            .all(|(matrix, size)| matrix.is_none_or(|matrix| matrix.ncols() == *size));
    if !fits {
        return Vec::new();
    }
    let mut current = array.to_vec();
    for (matrix, &size) in matrices.iter().zip(sizes) {
        let rest = current.len().checked_div(size).unwrap_or(0);
        let x = MatRef::from_column_major_slice(&current, size, rest);
        let height = matrix.map_or(size, |matrix| matrix.nrows());
        let mut next = vec![T::zero_impl(); rest * height];
        let mut turned = MatMut::from_column_major_slice_mut(&mut next, rest, height);
        match matrix {
            Some(matrix) => matmul(
                turned,
                Accum::Replace,
                x.transpose(),
                matrix.transpose(),
                T::one_impl(),
                Par::Seq,
            ),
            None => turned.copy_from(x.transpose()),
        }
        current = next;
    }
    current
}

/// The sum over one index with a vector: what remains has one axis less.
pub(super) fn contracted(vector: &[f64], array: &[f64], sizes: &[usize], axis: usize) -> Vec<f64> {
    let inner: usize = sizes[..axis].iter().product();
    let outer: usize = sizes[axis + 1..].iter().product();
    let mut out = vec![0.0; inner * outer];
    for o in 0..outer {
        for (k, factor) in vector.iter().enumerate() {
            let from = (o * vector.len() + k) * inner;
            let to = o * inner;
            for (out, x) in out[to..to + inner]
                .iter_mut()
                .zip(&array[from..from + inner])
            {
                *out += factor * x;
            }
        }
    }
    out
}

/// Adds the product of a vector along one axis and an array over the others.
pub(super) fn add_outer(
    vector: &[f64],
    others: &[f64],
    sizes: &[usize],
    axis: usize,
    array: &mut [f64],
) {
    let inner: usize = sizes[..axis].iter().product();
    let outer: usize = sizes[axis + 1..].iter().product();
    for o in 0..outer {
        for (k, factor) in vector.iter().enumerate() {
            let to = (o * vector.len() + k) * inner;
            let from = o * inner;
            for (out, x) in array[to..to + inner]
                .iter_mut()
                .zip(&others[from..from + inner])
            {
                *out += factor * x;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::Mat;

    #[test]
    fn matrices_along_axes_are_kronecker_products() {
        let sizes = [2, 3, 2];
        let a = Mat::from_fn(3, 2, |i, j| (i + 2 * j) as f64 - 1.0);
        let c = Mat::from_fn(4, 2, |i, j| (i * j) as f64 + 0.5);
        let x: Vec<f64> = (0..12).map(|k| f64::from(k * k) - 7.0).collect();
        let found = along_axes(&[Some(a.as_ref()), None, Some(c.as_ref())], &x, &sizes);
        for i in 0..3 {
            for j in 0..3 {
                for k in 0..4 {
                    let mut sum = 0.0;
                    for p in 0..2 {
                        for q in 0..2 {
                            sum += a[(i, p)] * c[(k, q)] * x[p + 2 * (j + 3 * q)];
                        }
                    }
                    assert!((found[i + 3 * (j + 3 * k)] - sum).abs() < 1e-12);
                }
            }
        }
        assert!(along_axes(&[None::<MatRef<'_, f64>>], &x, &[5]).is_empty());
    }

    #[test]
    fn sums_and_products_along_one_axis() {
        let sizes = [2, 3, 2];
        let x: Vec<f64> = (0..12).map(f64::from).collect();
        let v = [1.0, -2.0, 0.5];
        let sum = contracted(&v, &x, &sizes, 1);
        for (k, i) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let expected: f64 = (0..3).map(|j| v[j] * x[i + 2 * (j + 3 * k)]).sum();
            assert_eq!(sum[i + 2 * k], expected);
        }
        let mut back = vec![0.0; 12];
        add_outer(&v, &sum, &sizes, 1, &mut back);
        assert_eq!(back[1 + 2 * (2 + 3)], 0.5 * sum[1 + 2]);
    }
}
