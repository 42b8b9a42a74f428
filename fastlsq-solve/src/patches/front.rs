//! A dense front: unknowns that are eliminated, and the Schur complement that is left on the others.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch};
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_unit_lower_triangular_in_place,
    solve_unit_upper_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Mat, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::PatchError;
use crate::lsq::add_product;

/// Columns of a panel of the blocked LU, and of the chunks that are one task each. Chunks begin where panels do, so that a
/// [joint front](super::joint) can be dealt out by chunks and computes the same numbers.
pub(super) const CHUNK: usize = 96;
/// Below this many rows a front is the work of one thread.
const PARALLEL_ROWS: usize = 192;

/// P·A = L·U, with rows below A that are left as they are.
#[derive(Debug)]
pub(super) struct Lu {
    /// L and U in the place of A, above the other rows.
    factors: Mat<f64>,
    /// Row i of P·A is this row of A.
    order: Vec<usize>,
}

/// Who works on which columns of a matrix that is being factored.
pub(super) trait Share: Sync {
    /// Whether this process keeps a panel up to date.
    fn has(&self, panel: usize) -> bool;

    /// Called when a panel is final on the process that has it, with its columns and the order of the rows that it begins with:
    /// after the call all processes have both.
    fn complete(&self, panel: usize, columns: MatMut<'_, f64>, order: &mut [usize]);
}

/// One process has all columns.
struct Alone;

impl Share for Alone {
    fn has(&self, _panel: usize) -> bool {
        true
    }

    fn complete(&self, _panel: usize, _columns: MatMut<'_, f64>, _order: &mut [usize]) {}
}

impl Lu {
    /// Factors a square matrix by panels, with the trailing matrix updated in chunks of fixed width: the result does not
    /// depend on the number of threads.
    pub(super) fn new(a: Mat<f64>) -> Result<Self, PatchError> {
        let largest = a.norm_max();
        Self::by_panels(a, largest, &Alone)
    }

    /// Factors the square at the top of a matrix whose largest entry is known and of which this process has some panels at
    /// first, and all of them in the end. The processes that share it all fail, or none.
    pub(super) fn by_panels(
        mut a: Mat<f64>,
        largest: f64,
        share: &impl Share,
    ) -> Result<Self, PatchError> {
        let n = a.ncols();
        let mut order: Vec<usize> = (0..n).collect();
        let mut square = a.as_mut().subrows_mut(0, n);
        for (panel, start) in (0..n).step_by(CHUNK).enumerate() {
            let width = CHUNK.min(n - start);
            let (end, rows) = (start + width, n - start);
            let mut moves = vec![0; rows];
            if share.has(panel) {
                factor_panel(
                    square.rb_mut().submatrix_mut(start, start, rows, width),
                    &mut moves,
                );
            }
            let columns = square.rb_mut().subcols_mut(start, width);
            share.complete(panel, columns, &mut moves);
            let old = order[start..].to_vec();
            for (place, &from) in order[start..].iter_mut().zip(&moves) {
                *place = old[from];
            }
            let (mut left, right) = square.rb_mut().split_at_col_mut(end);
            permute(left.rb_mut().subcols_mut(0, start), start, &moves);
            let left = left.rb();
            let l11 = left.submatrix(start, start, width, width);
            let l21 = left.submatrix(end, start, n - end, width);
            let own = chunks(right).enumerate();
            let own = own.filter(|(later, _)| share.has(panel + 1 + later));
            let own = own.map(|(_, chunk)| chunk).collect();
            each_of(own, rows > PARALLEL_ROWS, |mut chunk| {
                permute(chunk.rb_mut(), start, &moves);
                let (_, below) = chunk.split_at_row_mut(start);
                let (mut top, bottom) = below.split_at_row_mut(width);
                solve_unit_lower_triangular_in_place(l11, top.rb_mut(), Par::Seq);
                add_product(bottom, -1.0, l21, top.rb(), false);
            });
        }
        // Sound problems, layers and jumps included, keep their pivots above 1e-5 of the largest entry; where a constant is
        // left free, rounding leaves 1e-13 of it.
        let tiny = 1e-11 * largest;
        let vanishes = |pivot: f64| pivot.is_nan() || pivot.abs() <= tiny;
        if (0..n).any(|i| vanishes(a[(i, i)])) {
            return Err(PatchError::Singular);
        }
        Ok(Self { factors: a, order })
    }

    /// B ← A⁻¹ B.
    pub(super) fn solve(&self, b: MatMut<'_, f64>) {
        let square = self.square();
        let parallel = square.nrows() > PARALLEL_ROWS;
        each_chunk(b, parallel, |mut chunk| {
            permute(chunk.rb_mut(), 0, &self.order);
            solve_unit_lower_triangular_in_place(square, chunk.rb_mut(), Par::Seq);
            solve_upper_triangular_in_place(square, chunk, Par::Seq);
        });
    }

    /// L and U.
    fn square(&self) -> MatRef<'_, f64> {
        self.factors.as_ref().subrows(0, self.order.len())
    }

    /// The rows below.
    fn below(&self) -> MatRef<'_, f64> {
        let n = self.order.len();
        self.factors.as_ref().subrows(n, self.factors.nrows() - n)
    }
}

impl Lu {
    /// With K_be below K_ee: K_eb ← X = K_ee⁻¹ K_eb, K_bb ← K_bb − K_be X, for some columns of both.
    pub(super) fn eliminate(&self, inward: MatMut<'_, f64>, open: MatMut<'_, f64>) {
        let parallel = inward.nrows() + open.nrows() > PARALLEL_ROWS;
        let columns = chunks(inward).zip(chunks(open)).collect();
        each_of(columns, parallel, |(mut inward, open)| {
            self.solve(inward.rb_mut());
            add_product(open, -1.0, self.below(), inward.rb(), false);
        });
    }

    /// B ← A⁻ᵀ B.
    pub(super) fn solve_transposed(&self, mut b: MatMut<'_, f64>) {
        let factors = self.square().transpose();
        solve_lower_triangular_in_place(factors, b.rb_mut(), Par::Seq);
        solve_unit_upper_triangular_in_place(factors, b.rb_mut(), Par::Seq);
        let mut inverse = vec![0; self.order.len()];
        for (i, &from) in self.order.iter().enumerate() {
            inverse[from] = i;
        }
        permute(b, 0, &inverse);
    }
}

/// L and U of a panel in its place; row i of what they are factors of was row `moves[i]`.
fn factor_panel(panel: MatMut<'_, f64>, moves: &mut [usize]) {
    let (rows, width) = panel.shape();
    let request = lu_in_place_scratch::<usize, f64>(rows, width, Par::Seq, Default::default());
    lu_in_place(
        panel,
        moves,
        &mut vec![0; rows],
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(request)),
        Default::default(),
    );
}

/// Row `start + i` becomes what was row `start + order[i]`. Of the rows below a panel few are moved.
fn permute(mut a: MatMut<'_, f64>, start: usize, order: &[usize]) {
    let places = order.iter().copied().enumerate();
    let moved: Vec<(usize, usize)> = places.filter(|(to, from)| to != from).collect();
    let mut old = vec![0.0; moved.len()];
    for j in 0..a.ncols() {
        let mut column = a.rb_mut().col_mut(j).subrows_mut(start, order.len());
        for (old, &(_, from)) in old.iter_mut().zip(&moved) {
            *old = column[from];
        }
        for (&old, &(to, _)) in old.iter().zip(&moved) {
            column[to] = old;
        }
    }
}

/// Cuts the columns into chunks whose width does not depend on threads, and works on each.
pub(super) fn each_chunk(
    a: MatMut<'_, f64>,
    parallel: bool,
    work: impl Fn(MatMut<'_, f64>) + Sync + Send,
) {
    each_of(chunks(a).collect(), parallel, work);
}

fn chunks(a: MatMut<'_, f64>) -> impl Iterator<Item = MatMut<'_, f64>> {
    let mut rest = Some(a);
    std::iter::from_fn(move || {
        let left = rest.take().filter(|left| left.ncols() > 0)?;
        let width = CHUNK.min(left.ncols());
        let (chunk, tail) = left.split_at_col_mut(width);
        rest = Some(tail);
        Some(chunk)
    })
}

fn each_of<T: Send>(chunks: Vec<T>, parallel: bool, work: impl Fn(T) + Sync + Send) {
    if parallel && chunks.len() > 1 {
        chunks.into_par_iter().for_each(work);
    } else {
        chunks.into_iter().for_each(work);
    }
}

/// The matrix of a front: eliminated unknowns e, and those that stay open, b.
#[derive(Debug)]
pub(super) struct FrontMatrix {
    /// K_ee above K_be.
    pub(super) own: Mat<f64>,
    /// K_eb.
    pub(super) inward: Mat<f64>,
    /// K_bb.
    pub(super) open: Mat<f64>,
}

impl FrontMatrix {
    /// Zeros, for this many eliminated unknowns and open ones.
    pub(super) fn zeros(e: usize, b: usize) -> Self {
        Self {
            own: Mat::zeros(e + b, e),
            inward: Mat::zeros(e, b),
            open: Mat::zeros(b, b),
        }
    }

    /// A square matrix whose first rows and columns are those of the eliminated unknowns.
    pub(super) fn split(k: MatRef<'_, f64>, e: usize) -> Self {
        let (own, others) = k.split_at_col(e);
        let (inward, open) = others.split_at_row(e);
        Self {
            own: own.to_owned(),
            inward: inward.to_owned(),
            open: open.to_owned(),
        }
    }

    /// A block, which has rows of one kind and columns of one kind.
    pub(super) fn block(&mut self, row: usize, column: usize, size: usize) -> MatMut<'_, f64> {
        let e = self.own.ncols();
        let (part, row, column) = match (row.checked_sub(e), column.checked_sub(e)) {
            (_, None) => (&mut self.own, row, column),
            (None, Some(column)) => (&mut self.inward, row, column),
            (Some(row), Some(column)) => (&mut self.open, row, column),
        };
        part.as_mut().submatrix_mut(row, column, size, size)
    }

    /// K_ee.
    pub(super) fn eliminated(&mut self) -> MatMut<'_, f64> {
        let e = self.own.ncols();
        self.own.as_mut().subrows_mut(0, e)
    }
}

/// The factors of the eliminated unknowns e, and how they are tied to the boundary b.
#[derive(Debug)]
pub(super) struct Front {
    /// K_ee, above K_be.
    lu: Lu,
    /// K_ee⁻¹ K_eb.
    inward: Mat<f64>,
}

impl Front {
    /// Eliminates; the second part of the answer is the Schur complement on the others, K_bb − K_be K_ee⁻¹ K_eb.
    pub(super) fn new(k: FrontMatrix) -> Result<(Self, Mat<f64>), PatchError> {
        let FrontMatrix {
            own,
            mut inward,
            mut open,
        } = k;
        let largest = own.as_ref().subrows(0, own.ncols()).norm_max();
        let lu = Lu::by_panels(own, largest, &Alone)?;
        lu.eliminate(inward.as_mut(), open.as_mut());
        Ok((Self { lu, inward }, open))
    }

    /// The front with these factors and K_ee⁻¹ K_eb.
    pub(super) fn of(lu: Lu, inward: Mat<f64>) -> Self {
        Self { lu, inward }
    }

    /// r_e → y = K_ee⁻¹ r_e in place; the answer is K_be y.
    pub(super) fn forward(&self, rhs: MatMut<'_, f64>) -> Mat<f64> {
        let mut rhs = rhs;
        self.lu.solve(rhs.rb_mut());
        let outward = self.lu.below();
        let mut out = Mat::zeros(outward.nrows(), rhs.ncols());
        add_product(out.as_mut(), 1.0, outward, rhs.as_ref(), false);
        out
    }

    /// y → x_e = y − K_ee⁻¹ K_eb x_b in place.
    pub(super) fn backward(&self, y: MatMut<'_, f64>, boundary: MatRef<'_, f64>) {
        add_product(y, -1.0, self.inward.as_ref(), boundary, false);
    }

    /// The transpose of [`backward`](Self::backward): what x̄_e adds to x̄_b.
    pub(super) fn backward_transposed(&self, own: MatRef<'_, f64>) -> Mat<f64> {
        let mut out = Mat::zeros(self.inward.ncols(), own.ncols());
        add_product(out.as_mut(), -1.0, self.inward.transpose(), own, false);
        out
    }

    /// The transpose of [`forward`](Self::forward): ȳ_e → r̄_e in place.
    pub(super) fn forward_transposed(&self, own: MatMut<'_, f64>, boundary: MatRef<'_, f64>) {
        let mut own = own;
        let outward = self.lu.below().transpose();
        add_product(own.rb_mut(), -1.0, outward, boundary, false);
        self.lu.solve_transposed(own);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "in a test, a panic is the message")]
mod tests {
    use super::*;

    fn matrix(n: usize) -> Mat<f64> {
        Mat::from_fn(n, n, |i, j| {
            let t = ((i * 37 + j * 101) % 89) as f64 / 89.0 - 0.5;
            t + if i == (j + 3) % n { 4.0 } else { 0.0 }
        })
    }

    #[test]
    fn eliminating_some_unknowns_first_changes_nothing() {
        for (n, e) in [(5, 0), (7, 7), (40, 11), (250, 130), (400, 300)] {
            let k = matrix(n);
            let exact = Mat::from_fn(n, 1, |i, _| (i as f64).sin());
            let mut r = &k * &exact;
            let (front, schur) = Front::new(FrontMatrix::split(k.as_ref(), e)).unwrap();
            let (mut inner, outer) = r.as_mut().split_at_row_mut(e);
            let mut outer = outer.to_owned();
            outer -= front.forward(inner.rb_mut());
            if n > e {
                Lu::new(schur).unwrap().solve(outer.as_mut());
            }
            front.backward(inner.rb_mut(), outer.as_ref());
            for i in 0..n {
                let x = if i < e {
                    inner[(i, 0)]
                } else {
                    outer[(i - e, 0)]
                };
                assert!((x - exact[(i, 0)]).abs() < 1e-12, "{n} {e} {i}");
            }
        }
    }

    #[test]
    fn transposed_fronts_solve_the_transposed_system() {
        for (n, e) in [(7, 7), (40, 11), (250, 130)] {
            let k = matrix(n);
            let exact = Mat::from_fn(n, 1, |i, _| (i as f64).cos());
            let mut x = k.transpose() * &exact;
            let (front, schur) = Front::new(FrontMatrix::split(k.as_ref(), e)).unwrap();
            let (mut inner, outer) = x.as_mut().split_at_row_mut(e);
            let mut outer = outer.to_owned();
            outer += front.backward_transposed(inner.rb());
            if n > e {
                Lu::new(schur).unwrap().solve_transposed(outer.as_mut());
            }
            front.forward_transposed(inner.rb_mut(), outer.as_ref());
            for i in 0..n {
                let found = if i < e {
                    inner[(i, 0)]
                } else {
                    outer[(i - e, 0)]
                };
                assert!((found - exact[(i, 0)]).abs() < 1e-12, "{n} {e} {i}");
            }
        }
    }

    #[test]
    fn a_singular_matrix_is_named() {
        let k = Mat::from_fn(6, 6, |i, j| if i == j { 1.0 } else { -0.2 });
        assert!(matches!(Lu::new(k), Err(PatchError::Singular)));
    }
}
