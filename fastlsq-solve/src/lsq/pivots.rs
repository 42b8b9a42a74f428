//! Choosing the pivots of a panel on a random sketch.

use super::kernels::{column, column_mut, downdate, norm, scale, times};
use super::products::transpose_product;
use super::triangle::solve_upper_transpose;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Extra rows of the sketch: makes its choice of pivots reliable.
const OVERSAMPLING: usize = 8;
/// Squared norms that fell by this factor are computed anew: their differences are mostly rounding.
const TRUSTED_DROP: f64 = 1e-9;
/// Panels whose pivots differ by more than this need a new sketch.
const TRUSTED_GRADING: f64 = 1e-9;

/// The random image Y = G·A of the columns of A that are still to be eliminated.
///
/// Stored transposed, one row for each column of A, so that all work runs down long columns.
pub(crate) struct Sketch {
    y: Mat<f64>,
    /// Rows of `y` that belong to eliminated columns.
    done: usize,
}

impl Sketch {
    /// Sketches `a`, to choose `width` pivots at a time.
    pub(crate) fn new(a: MatRef<'_, f64>, width: usize, parallel: bool) -> Self {
        let g = random_signs(a.nrows(), (width + OVERSAMPLING).min(a.nrows()));
        let y = transpose_product(a, g.as_ref(), parallel);
        Self { y, done: 0 }
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

    /// Brings the sketch past a panel: `r11` is its triangle and `r12` its rows of R behind it.
    ///
    /// With A = Q·[R₁₁ R₁₂; 0 A₂₂] and G·Q = [G₁ G₂], the sketch of A₂₂ is G₂·A₂₂ = Y₂ − G₁·R₁₂, where
    /// G₁ = Y₁·R₁₁⁻¹. Fails (and changes nothing) if R₁₁ is so graded that this would be mostly rounding.
    pub(crate) fn follow(&mut self, r11: MatRef<'_, f64>, r12: MatRef<'_, f64>) -> bool {
        let width = r11.ncols();
        let pivots = (0..width).map(|i| r11[(i, i)].abs());
        let (largest, smallest) = pivots.fold((0.0, f64::INFINITY), |(a, b): (f64, f64), p| {
            (a.max(p), b.min(p))
        });
        if smallest < TRUSTED_GRADING * largest {
            return false;
        }
        // G₁ᵀ = R₁₁⁻ᵀ·Y₁ᵀ
        let mut g = self.y.as_ref().subrows(self.done, width).to_owned();
        solve_upper_transpose(r11, g.as_mut());
        self.done += width;
        let rows = self.y.nrows() - self.done;
        let y = self.y.as_mut().subrows_mut(self.done, rows);
        matmul(y, Accum::Add, r12.transpose(), &g, -1.0, Par::Seq);
        true
    }
}

/// A matrix of random signs from a fixed seed.
fn random_signs(rows: usize, columns: usize) -> Mat<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(0x5eed_0f51_6e1d);
    let mut signs = Mat::zeros(rows, columns);
    for j in 0..columns {
        for chunk in column_mut(signs.as_mut(), j).chunks_mut(64) {
            let mut bits = rng.next_u64();
            for sign in chunk {
                *sign = if bits & 1 == 0 { 1.0 } else { -1.0 };
                bits >>= 1;
            }
        }
    }
    signs
}

/// The rows of `y` that pivoted QR of its transpose would take first.
///
/// An orthonormal basis of the chosen rows is built; the norms of what is left of the others are
/// brought up to date by subtraction, and computed anew when too much has cancelled.
fn choose(y: MatRef<'_, f64>, width: usize) -> Vec<usize> {
    let (count, size) = y.shape();
    let width = width.min(count);
    let mut chosen = Vec::with_capacity(width);
    // Orthonormal vectors as columns, and the products of all rows of y with them.
    let mut basis = Mat::zeros(size, width.min(size));
    let mut products = Mat::zeros(count, width.min(size));
    let mut known = 0;
    let mut squares = row_squares(y);
    let mut reference = squares[largest(&squares)];
    let mut projection = vec![0.0; size];
    for _ in 0..width {
        let mut best = largest(&squares);
        if squares[best] < TRUSTED_DROP * reference {
            squares = row_squares(remainder(y, basis.as_ref().subcols(0, known)).as_ref());
            for &taken in &chosen {
                squares[taken] = f64::NEG_INFINITY;
            }
            best = largest(&squares);
            reference = squares[best];
        }
        chosen.push(best);
        if known < basis.ncols() {
            let coordinates: Vec<f64> = (0..known).map(|l| products[(best, l)]).collect();
            times(
                basis.as_ref().subcols(0, known),
                &coordinates,
                &mut projection,
            );
            let q = column_mut(basis.as_mut(), known);
            for (l, (entry, part)) in q.iter_mut().zip(&projection).enumerate() {
                *entry = y[(best, l)] - part;
            }
            let length = norm(q);
            if length > 0.0 {
                scale(1.0 / length, q);
                let product = column_mut(products.as_mut(), known);
                times(y, q, product);
                downdate(&mut squares, product);
                known += 1;
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
        for (s, v) in squares.iter_mut().zip(column(y, l).iter()) {
            *s += v * v;
        }
    }
    squares
}

/// y minus its projection on the basis.
fn remainder(y: MatRef<'_, f64>, basis: MatRef<'_, f64>) -> Mat<f64> {
    let mut rest = y.to_owned();
    let mut products = Mat::zeros(y.nrows(), basis.ncols());
    for _ in 0..2 {
        matmul(
            products.as_mut(),
            Accum::Replace,
            &rest,
            basis,
            1.0,
            Par::Seq,
        );
        matmul(
            rest.as_mut(),
            Accum::Add,
            &products,
            basis.transpose(),
            -1.0,
            Par::Seq,
        );
    }
    rest
}
