//! Choosing the pivots of a panel on a random sketch.

use super::kernels::{column, column_mut, downdate, norm, times};
use faer::linalg::matmul::matmul;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Accum, Mat, MatMut, MatRef, Par};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal};

/// Extra rows of the sketch: makes its choice of pivots reliable.
const OVERSAMPLING: usize = 8;
/// Squared norms that fell by this factor are computed anew: their differences are mostly rounding.
const TRUSTED_DROP: f64 = 1e-9;

/// The random image Y = G·A of the columns of A that are still to be eliminated.
///
/// Both factors are stored transposed, so that all work runs down long columns.
pub(crate) struct Sketch {
    /// Gᵀ: one row for each row of A.
    g: Mat<f64>,
    /// Yᵀ: one row for each column of A.
    y: Mat<f64>,
    /// Rows of `g` and `y` that belong to eliminated columns.
    done: usize,
}

impl Sketch {
    /// Sketches `a`, to choose `width` pivots at a time.
    pub(crate) fn new(a: MatRef<'_, f64>, width: usize) -> Self {
        let size = (width + OVERSAMPLING).min(a.nrows());
        let mut rng = ChaCha8Rng::seed_from_u64(0x5eed_0f51_6e1d);
        let g = Mat::from_fn(a.nrows(), size, |_, _| StandardNormal.sample(&mut rng));
        let mut y = Mat::zeros(a.ncols(), size);
        matmul(y.as_mut(), Accum::Replace, a.transpose(), &g, 1.0, Par::Seq);
        Self { g, y, done: 0 }
    }

    /// Moves `width` good pivots to the front of the sketch and returns the swaps that did it:
    /// place i was exchanged with the place in the i-th entry (both counted from the first column left).
    pub(crate) fn bring_pivots_forward(&mut self, width: usize) -> Vec<usize> {
        let count = self.y.nrows() - self.done;
        let chosen = choose(self.y.as_ref().subrows(self.done, count), width);
        let mut place_of: Vec<usize> = (0..count).collect();
        let mut who: Vec<usize> = (0..count).collect();
        let mut swaps = Vec::with_capacity(chosen.len());
        for (i, pivot) in chosen.into_iter().enumerate() {
            let from = place_of[pivot];
            swaps.push(from);
            who.swap(i, from);
            place_of[who[from]] = from;
            place_of[who[i]] = i;
            let (here, there) = (self.done + i, self.done + from);
            for l in 0..self.y.ncols() {
                column_mut(self.y.as_mut(), l).swap(here, there);
            }
        }
        swaps
    }

    /// Brings the sketch past a panel with reflectors I − V T Vᵀ; `behind` are its rows of R behind it.
    pub(crate) fn follow(
        &mut self,
        v: MatRef<'_, f64>,
        t: MatRef<'_, f64>,
        behind: MatRef<'_, f64>,
    ) {
        let (width, size) = (v.ncols(), self.g.ncols());
        let rows = self.g.nrows() - self.done;
        // Gᵀ ← Qᵀ Gᵀ
        let g = self.g.as_mut().subrows_mut(self.done, rows);
        let mut products = Mat::zeros(width, size);
        matmul(
            products.as_mut(),
            Accum::Replace,
            v.transpose(),
            g.rb(),
            1.0,
            Par::Seq,
        );
        let mut w = Mat::zeros(width, size);
        matmul(
            w.as_mut(),
            Accum::Replace,
            t.transpose(),
            &products,
            1.0,
            Par::Seq,
        );
        matmul(g, Accum::Add, v, &w, -1.0, Par::Seq);
        // Yᵀ ← Yᵀ − R₁₂ᵀ G₁ᵀ
        let g1 = self.g.as_ref().subrows(self.done, width);
        self.done += width;
        let rows = self.y.nrows() - self.done;
        let y = self.y.as_mut().subrows_mut(self.done, rows);
        matmul(y, Accum::Add, behind.transpose(), g1, -1.0, Par::Seq);
    }
}

/// The rows of `y` that pivoted QR of its transpose would take first.
///
/// An orthonormal basis of the chosen rows is built; the norms of what is left of the others are
/// brought up to date by subtraction, and computed anew when too much has cancelled.
fn choose(y: MatRef<'_, f64>, width: usize) -> Vec<usize> {
    let (count, size) = y.shape();
    let mut chosen = Vec::with_capacity(width);
    let mut basis: Vec<Vec<f64>> = Vec::with_capacity(width);
    let mut squares = row_squares(y);
    let mut reference = f64::INFINITY;
    let mut products = vec![0.0; count];
    for _ in 0..width.min(count) {
        let mut best = largest(&squares);
        if squares[best] < TRUSTED_DROP * reference {
            squares = row_squares(remainder(y, &basis).as_ref());
            for &taken in &chosen {
                squares[taken] = f64::NEG_INFINITY;
            }
            best = largest(&squares);
            reference = squares[best];
        }
        if reference.is_infinite() {
            reference = squares[best];
        }
        chosen.push(best);
        if basis.len() < size {
            let mut q: Vec<f64> = (0..size).map(|l| y[(best, l)]).collect();
            // Twice, so that the basis stays orthonormal.
            for _ in 0..2 {
                for b in &basis {
                    let s: f64 = q.iter().zip(b).map(|(a, b)| a * b).sum();
                    q.iter_mut().zip(b).for_each(|(a, b)| *a -= s * b);
                }
            }
            let size = norm(&q);
            if size > 0.0 {
                q.iter_mut().for_each(|a| *a /= size);
                times(y, &q, &mut products);
                downdate(&mut squares, &products);
                basis.push(q);
            }
        }
        squares[best] = f64::NEG_INFINITY;
    }
    chosen
}

/// The first place of the largest value.
fn largest(values: &[f64]) -> usize {
    let mut best = 0;
    for (i, &v) in values.iter().enumerate() {
        if v > values[best] {
            best = i;
        }
    }
    best
}

/// Squared norms of the rows.
fn row_squares(y: MatRef<'_, f64>) -> Vec<f64> {
    let mut squares = vec![0.0; y.nrows()];
    for l in 0..y.ncols() {
        for (s, v) in squares.iter_mut().zip(column(y, l)) {
            *s += v * v;
        }
    }
    squares
}

/// y minus its projection on the basis.
fn remainder(y: MatRef<'_, f64>, basis: &[Vec<f64>]) -> Mat<f64> {
    let q = Mat::from_fn(y.ncols(), basis.len(), |l, i| basis[i][l]);
    let mut rest = y.to_owned();
    project_out(q.as_ref(), rest.as_mut());
    project_out(q.as_ref(), rest.as_mut());
    rest
}

fn project_out(q: MatRef<'_, f64>, mut y: MatMut<'_, f64>) {
    let mut products = Mat::zeros(y.nrows(), q.ncols());
    matmul(products.as_mut(), Accum::Replace, y.rb(), q, 1.0, Par::Seq);
    matmul(
        y.rb_mut(),
        Accum::Add,
        &products,
        q.transpose(),
        -1.0,
        Par::Seq,
    );
}
