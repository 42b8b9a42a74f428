//! Truncated singular value decomposition.

use super::orthogonal::reveal;
use super::{Parts, Task};
use crate::lsq::block::{BlockReflectors, Shape, reduce_block};
use crate::lsq::error::LsqError;
use crate::lsq::options::Method;
use crate::lsq::solution_map::SolutionMap;
use crate::lsq::triangle::{clear_below_diagonal, triangle_condition};
use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::svd::{ComputeSvdVectors, SvdParams, svd, svd_scratch};
use faer::{Auto, Mat, MatRef, Par, Spec};

/// Operations of a singular value decomposition with vectors, per cube of the size.
const SVD_FLOPS: f64 = 20.0;
/// How much slower they are than those of the pivoted QR.
const SVD_SLOWNESS: f64 = 2.0;

/// Truncated SVD of A: singular values up to the threshold are dropped, the solution has minimum norm.
///
/// Pivoted QR first removes what is zero to working accuracy, so the decomposition is one of an r×r matrix:
/// A = Q₁·T, Tᵀ = Z·R, Rᵀ = U·Σ·Vᵀ, hence A = (Q₁U)·Σ·(ZV)ᵀ. If it does not converge, the least-norm
/// solution of the pivoted QR is returned instead, and the record says so.
pub(crate) fn truncated_svd(task: Task<'_>) -> Result<Parts, LsqError> {
    let revealed = reveal(task)?;
    let size = revealed.qr.rank();
    let ridge = task.options.ridge;
    let mut z = revealed.right_factor_transposed();
    let mut r = Mat::zeros(size, size);
    let panels = reduce_block(Shape::Dense, r.as_mut(), z.as_mut(), size, task.work);
    task.check()?;
    // The decomposition cannot be interrupted; its operations are about this much slower than those before.
    let flops = SVD_FLOPS * (size as f64).powi(3);
    task.allow_flops(flops, revealed.rate() / SVD_SLOWNESS)?;
    let z = BlockReflectors::new(Shape::Dense, panels, z);
    clear_below_diagonal(r.as_mut());

    let Some(Singular { u, values, v }) = decompose(r.transpose()) else {
        let map = SolutionMap::least_norm(revealed.right_factor_transposed(), ridge, task.work);
        let condition = triangle_condition(revealed.qr.r11());
        let pivots = revealed.qr.pivots();
        let mut parts = revealed.finish(task, None, map, &pivots, condition);
        parts.fallback = Some((
            Method::RankRevealingQr,
            "the singular value iteration did not converge: this is the least-norm solution of the \
             rank-revealing QR"
                .to_owned(),
        ));
        return Ok(parts);
    };
    let cut =
        task.options.threshold_for(task.source.ncols()) * values.first().copied().unwrap_or(0.0);
    let rank = values.iter().take_while(|&&value| value > cut).count();
    let kept = &values[..rank];
    let mut top = v.as_ref().subcols(0, rank).to_owned();
    let mut right = Mat::zeros(z.nrows(), rank);
    z.apply(top.as_mut(), right.as_mut());
    let condition = kept.first().zip(kept.last()).map_or(1.0, |(a, b)| a / b);
    let map = SolutionMap::Singular {
        v: right,
        values: kept.to_vec(),
        ridge,
    };
    let mut parts = revealed.finish(
        task,
        Some(u.as_ref().subcols(0, rank).to_owned()),
        map,
        kept,
        condition,
    );
    if let Some(&dropped) = values.get(rank) {
        parts.largest_dropped = dropped;
    }
    parts.flops += flops;
    Ok(parts)
}

/// A = U·diag(values)·Vᵀ.
struct Singular {
    u: Mat<f64>,
    values: Vec<f64>,
    v: Mat<f64>,
}

/// Singular value decomposition of a square matrix; `None` if the iteration fails.
fn decompose(a: MatRef<'_, f64>) -> Option<Singular> {
    let n = a.nrows();
    let mut u = Mat::zeros(n, n);
    let mut v = Mat::zeros(n, n);
    let mut s = Diag::zeros(n);
    if n > 0 {
        let mut params = <SvdParams as Auto<f64>>::auto();
        // Never through the unpivoted QR that skips columns.
        params.qr_ratio_threshold = f64::INFINITY;
        let params: Spec<SvdParams, f64> = params.into();
        let full = ComputeSvdVectors::Full;
        let mut memory =
            MemBuffer::try_new(svd_scratch::<f64>(n, n, full, full, Par::Seq, params)).ok()?;
        svd(
            a,
            s.as_mut(),
            Some(u.as_mut()),
            Some(v.as_mut()),
            Par::Seq,
            MemStack::new(&mut memory),
            params,
        )
        .ok()?;
    }
    let values: Vec<f64> = s.column_vector().iter().copied().collect();
    values
        .iter()
        .all(|value| value.is_finite())
        .then_some(Singular { u, values, v })
}
