//! Householder panels: a few columns at a time, reduced to triangular form.
//!
//! Two shapes occur.
//!
//! * **Stacked**: an upper-triangular W×W block R on top of a dense p×W block B. The reflectors are
//!   Hⱼ = I − τⱼ [eⱼ; vⱼ][eⱼ; vⱼ]ᵀ: their upper part is a unit vector, so only vⱼ is stored.
//! * **Dense**: an ordinary p×W panel. The reflectors are unit lower trapezoidal.
//!
//! In both the product H₁⋯H_W = I − Y T Yᵀ is kept in compact form: T is upper triangular and Y is
//! [I; V] or V. Panels split in halves down to [`LEAF`] columns, so nearly all of the work is
//! matrix products. V comes out clean (explicit ones and zeros in the dense case), so it can be used
//! in products without further care.

use super::kernels::{axpy, column, column_mut, dot, norm, scale};
use faer::linalg::matmul::matmul;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Accum, Mat, MatMut, MatRef, Par};

/// Width at which the recursion stops and columns are reflected one by one.
const LEAF: usize = 16;

/// β and τ of the reflector that maps [α; x] to [β; 0], and the factor that turns x into v.
///
/// `None` when x is zero (or too small to matter): the reflector is then the identity.
fn reflector(alpha: f64, tail: f64) -> Option<(f64, f64, f64)> {
    if tail == 0.0 || tail < f64::EPSILON * 1e-3 * alpha.abs() || tail < f64::MIN_POSITIVE * 1e10 {
        return None;
    }
    let beta = -alpha.signum() * alpha.hypot(tail);
    Some((beta, (beta - alpha) / beta, 1.0 / (alpha - beta)))
}

/// T₁₂ = −T₁ (V₁ᵀV₂) T₂: joins the compact forms of two neighbouring groups of reflectors.
fn join_t(t: MatMut<'_, f64>, w1: usize, v1: MatRef<'_, f64>, v2: MatRef<'_, f64>) {
    let w2 = t.ncols() - w1;
    let mut product = Mat::zeros(w1, w2);
    matmul(
        product.as_mut(),
        Accum::Replace,
        v1.transpose(),
        v2,
        1.0,
        Par::Seq,
    );
    let mut half = Mat::zeros(w1, w2);
    matmul(
        half.as_mut(),
        Accum::Replace,
        t.rb().submatrix(0, 0, w1, w1),
        &product,
        -1.0,
        Par::Seq,
    );
    let t2 = t.rb().submatrix(w1, w1, w2, w2).to_owned();
    matmul(
        t.submatrix_mut(0, w1, w1, w2),
        Accum::Replace,
        &half,
        &t2,
        1.0,
        Par::Seq,
    );
}

/// One more column of T: T[..j, j] = −τ T[..j, ..j] (V[.., ..j]ᵀ vⱼ), T[j, j] = τ.
fn extend_t(mut t: MatMut<'_, f64>, v: MatRef<'_, f64>, j: usize, tau: f64) {
    let mut products = [0.0; LEAF];
    for (i, p) in products.iter_mut().enumerate().take(j) {
        *p = dot(&column(v, i), &column(v, j));
    }
    for i in 0..j {
        let sum: f64 = (i..j).map(|l| t[(i, l)] * products[l]).sum();
        t[(i, j)] = -tau * sum;
    }
    t[(j, j)] = tau;
}

/// Reduces [R; B] for upper-triangular R: R is updated, B becomes V, T is filled.
///
/// `r` is W×W (entries below the diagonal are not touched), `b` is p×W, `t` is W×W and zero.
pub(crate) fn stacked_panel(
    mut r: MatMut<'_, f64>,
    mut b: MatMut<'_, f64>,
    mut t: MatMut<'_, f64>,
) {
    let w = b.ncols();
    if w <= LEAF {
        for j in 0..w {
            let (left, mut right) = b.rb_mut().split_at_col_mut(j + 1);
            let v = column_mut(left, j);
            let Some((beta, tau, factor)) = reflector(r[(j, j)], norm(v)) else {
                v.fill(0.0);
                continue;
            };
            scale(factor, v);
            r[(j, j)] = beta;
            for c in 0..right.ncols() {
                let other = column_mut(right.rb_mut(), c);
                let s = tau * (r[(j, j + 1 + c)] + dot(v, other));
                r[(j, j + 1 + c)] -= s;
                axpy(-s, v, other);
            }
            extend_t(t.rb_mut(), b.rb(), j, tau);
        }
        return;
    }
    let w1 = split(w);
    let w2 = w - w1;
    let (mut left, mut right) = b.split_at_col_mut(w1);
    stacked_panel(
        r.rb_mut().submatrix_mut(0, 0, w1, w1),
        left.rb_mut(),
        t.rb_mut().submatrix_mut(0, 0, w1, w1),
    );
    apply_stacked_transpose(
        left.rb(),
        t.rb().submatrix(0, 0, w1, w1),
        r.rb_mut().submatrix_mut(0, w1, w1, w2),
        right.rb_mut(),
    );
    stacked_panel(
        r.submatrix_mut(w1, w1, w2, w2),
        right.rb_mut(),
        t.rb_mut().submatrix_mut(w1, w1, w2, w2),
    );
    join_t(t, w1, left.rb(), right.rb());
}

/// Reduces a dense p×W panel (p ≥ W): R goes to `r`, `b` becomes V, T is filled.
pub(crate) fn dense_panel(mut r: MatMut<'_, f64>, mut b: MatMut<'_, f64>, mut t: MatMut<'_, f64>) {
    let w = b.ncols();
    if w <= LEAF {
        for j in 0..w {
            let (left, mut right) = b.rb_mut().split_at_col_mut(j + 1);
            let v = column_mut(left, j);
            for i in 0..j {
                r[(i, j)] = v[i];
                v[i] = 0.0;
            }
            let (alpha, tail) = (v[j], norm(&v[j + 1..]));
            v[j] = 1.0;
            let Some((beta, tau, factor)) = reflector(alpha, tail) else {
                r[(j, j)] = alpha;
                v[j + 1..].fill(0.0);
                continue;
            };
            scale(factor, &mut v[j + 1..]);
            r[(j, j)] = beta;
            for c in 0..right.ncols() {
                let other = &mut column_mut(right.rb_mut(), c)[j..];
                let s = tau * dot(&v[j..], other);
                axpy(-s, &v[j..], other);
            }
            extend_t(t.rb_mut(), b.rb(), j, tau);
        }
        return;
    }
    let w1 = split(w);
    let w2 = w - w1;
    let p = b.nrows();
    let (mut left, mut right) = b.split_at_col_mut(w1);
    dense_panel(
        r.rb_mut().submatrix_mut(0, 0, w1, w1),
        left.rb_mut(),
        t.rb_mut().submatrix_mut(0, 0, w1, w1),
    );
    apply_dense_transpose(left.rb(), t.rb().submatrix(0, 0, w1, w1), right.rb_mut());
    move_top_rows(right.rb_mut(), r.rb_mut().submatrix_mut(0, w1, w1, w2));
    dense_panel(
        r.submatrix_mut(w1, w1, w2, w2),
        right.rb_mut().subrows_mut(w1, p - w1),
        t.rb_mut().submatrix_mut(w1, w1, w2, w2),
    );
    join_t(
        t,
        w1,
        left.rb().subrows(w1, p - w1),
        right.rb().subrows(w1, p - w1),
    );
}

/// The left part of a split panel: half, rounded to whole leaves.
fn split(w: usize) -> usize {
    (w / 2).next_multiple_of(LEAF)
}

/// Moves the first rows of `from` to `to` and leaves zeros behind.
pub(crate) fn move_top_rows(mut from: MatMut<'_, f64>, mut to: MatMut<'_, f64>) {
    let rows = to.nrows();
    for j in 0..to.ncols() {
        let source = &mut column_mut(from.rb_mut(), j)[..rows];
        column_mut(to.rb_mut(), j).copy_from_slice(source);
        source.fill(0.0);
    }
}

/// [C_top; C] ← (I − Y T Yᵀ)ᵀ [C_top; C] with Y = [I; V].
pub(crate) fn apply_stacked_transpose(
    v: MatRef<'_, f64>,
    t: MatRef<'_, f64>,
    top: MatMut<'_, f64>,
    c: MatMut<'_, f64>,
) {
    stacked(v, t.transpose(), top, c);
}

/// [C_top; C] ← (I − Y T Yᵀ) [C_top; C] with Y = [I; V].
pub(crate) fn apply_stacked(
    v: MatRef<'_, f64>,
    t: MatRef<'_, f64>,
    top: MatMut<'_, f64>,
    c: MatMut<'_, f64>,
) {
    stacked(v, t, top, c);
}

fn stacked(v: MatRef<'_, f64>, t: MatRef<'_, f64>, mut top: MatMut<'_, f64>, c: MatMut<'_, f64>) {
    let mut products = top.rb().to_owned();
    matmul(
        products.as_mut(),
        Accum::Add,
        v.transpose(),
        c.rb(),
        1.0,
        Par::Seq,
    );
    let mut w = Mat::zeros(top.nrows(), top.ncols());
    matmul(w.as_mut(), Accum::Replace, t, &products, 1.0, Par::Seq);
    for j in 0..w.ncols() {
        axpy(-1.0, &column(w.as_ref(), j), column_mut(top.rb_mut(), j));
    }
    matmul(c, Accum::Add, v, &w, -1.0, Par::Seq);
}

/// C ← (I − V T Vᵀ)ᵀ C.
pub(crate) fn apply_dense_transpose(v: MatRef<'_, f64>, t: MatRef<'_, f64>, c: MatMut<'_, f64>) {
    dense(v, t.transpose(), c);
}

/// C ← (I − V T Vᵀ) C.
pub(crate) fn apply_dense(v: MatRef<'_, f64>, t: MatRef<'_, f64>, c: MatMut<'_, f64>) {
    dense(v, t, c);
}

fn dense(v: MatRef<'_, f64>, t: MatRef<'_, f64>, c: MatMut<'_, f64>) {
    let mut products = Mat::zeros(v.ncols(), c.ncols());
    matmul(
        products.as_mut(),
        Accum::Replace,
        v.transpose(),
        c.rb(),
        1.0,
        Par::Seq,
    );
    let mut w = Mat::zeros(v.ncols(), c.ncols());
    matmul(w.as_mut(), Accum::Replace, t, &products, 1.0, Par::Seq);
    matmul(c, Accum::Add, v, &w, -1.0, Par::Seq);
}
