//! Sinusoidal features as a [`Basis`]: forms collapse once, tiles of the output are written in parallel.

use std::sync::Arc;

use faer::{Mat, MatMut};
use ndarray::{ArrayView2, s};
use rayon::prelude::*;

use super::{SinusoidalBasis, collapse, kernel};
use crate::BasisError;
use crate::basis::{Basis, PARALLEL_ENTRIES, row_blocks, validate_request, validate_sums};
use crate::form::Form;

/// Columns of a tile of parallel work.
const TILE_COLUMNS: usize = 64;
/// Rows that go through a copy together where the output has no contiguous columns.
const COPIED_ROWS: usize = 256;

impl SinusoidalBasis {
    /// The form as a few numbers per feature: what [`write_rows`](Basis::write_rows) evaluates, for
    /// code that does so elsewhere (on another device).
    ///
    /// ```
    /// use fastlsq_basis::{Action, Form, FrequencyLaw, MultiIndex, SinusoidalBasis};
    /// let basis = SinusoidalBasis::random(1, 5, &FrequencyLaw::Isotropic(3.0), 0)?;
    /// let second = Action::derivative(MultiIndex::new([2]));
    /// let passes = basis.collapsed(&Form::action(&second), 10)?;
    /// // φ″ = −w² φ: one group without cosines.
    /// let group = &passes[0].groups[0];
    /// let w = basis.frequency(4)[0];
    /// assert!((group.p[4] + w * w * basis.scale()).abs() < 1e-14 && group.q[4] == 0.0);
    /// # Ok::<(), fastlsq_basis::BasisError>(())
    /// ```
    ///
    /// # Errors
    /// A form that does not fit the dimension or the number of points, symbols that are not finite.
    pub fn collapsed<'a>(
        &self,
        form: &Form<'a>,
        points: usize,
    ) -> Result<Vec<collapse::WavePass<'a>>, BasisError> {
        form.validate(self.dim, points)?;
        Ok(self.collapse(form)?.into_iter().map(Into::into).collect())
    }

    fn collapse<'a>(&self, form: &Form<'a>) -> Result<Vec<collapse::Pass<'a>>, BasisError> {
        let features = collapse::CollapsedFeatures {
            dim: self.dim,
            frequencies: &self.frequencies,
            parity: &self.parity,
            scale: self.scale(),
        };
        collapse::collapse(&features, form)
    }

    /// Writes a collapsed form into a tile of the whole matrix of rows.
    fn write_tile(
        &self,
        points: ArrayView2<'_, f64>,
        passes: &[collapse::Pass<'_>],
        tile: Tile<'_>,
    ) {
        let Tile { row, column, out } = tile;
        if out.row_stride() != 1 {
            // The kernel writes contiguous columns: a few rows at a time go through a copy.
            let mut columns = Mat::zeros(COPIED_ROWS.min(out.nrows()), out.ncols());
            for (start, mut block) in row_blocks(out, COPIED_ROWS) {
                let mut columns = columns.as_mut().subrows_mut(0, block.nrows());
                let tile = Tile {
                    row: row + start,
                    column,
                    out: columns.as_mut(),
                };
                self.write_tile(points, passes, tile);
                block.copy_from(&columns);
            }
            return;
        }
        pulp::Arch::new().dispatch(self.kernel(
            points.reborrow(),
            passes,
            Tile { row, column, out },
        ));
    }

    /// The kernel's view of a tile with contiguous columns.
    fn kernel<'a, 'f>(
        &'a self,
        points: ArrayView2<'a, f64>,
        passes: &'a [collapse::Pass<'f>],
        Tile { row, column, out }: Tile<'a>,
    ) -> kernel::Rows<'a, 'f> {
        kernel::Rows {
            dim: self.dim,
            frequencies: &self.frequencies,
            phases: &self.phases,
            first: column,
            parity: &self.parity,
            center: self.map.center(),
            points: points.slice_move(s![row..row + out.nrows(), ..]),
            passes,
            offset: row,
            out,
        }
    }
}

/// A part of the matrix of rows, and where it begins.
struct Tile<'a> {
    row: usize,
    column: usize,
    out: MatMut<'a, f64>,
}

/// Cuts a matrix into tiles for parallel work.
fn tiles(out: MatMut<'_, f64>) -> Vec<Tile<'_>> {
    let mut tiles = Vec::new();
    for (row, block) in row_blocks(out, kernel::BLOCK) {
        let (mut column, mut rest) = (0, block);
        while rest.ncols() > 0 {
            let width = TILE_COLUMNS.min(rest.ncols());
            let (out, tail) = rest.split_at_col_mut(width);
            tiles.push(Tile { row, column, out });
            column += width;
            rest = tail;
        }
    }
    tiles
}

impl Basis for SinusoidalBasis {
    fn dim(&self) -> usize {
        self.dim
    }

    fn len(&self) -> usize {
        self.phases.len()
    }

    fn write_rows(
        &self,
        points: ArrayView2<'_, f64>,
        form: &Form<'_>,
        out: MatMut<'_, f64>,
    ) -> Result<(), BasisError> {
        validate_request(self, points, form, &out)?;
        let passes = self.collapse(form)?;
        let whole = Tile {
            row: 0,
            column: 0,
            out,
        };
        self.write_tile(points, &passes, whole);
        Ok(())
    }

    fn assemble_into(
        &self,
        points: ArrayView2<'_, f64>,
        form: &Form<'_>,
        out: MatMut<'_, f64>,
    ) -> Result<(), BasisError> {
        if out.nrows().saturating_mul(out.ncols()) < PARALLEL_ENTRIES {
            return self.write_rows(points, form, out);
        }
        validate_request(self, points, form, &out)?;
        // The form collapses once for all tiles.
        let passes = self.collapse(form)?;
        tiles(out)
            .into_par_iter()
            .for_each(|tile| self.write_tile(points, &passes, tile));
        Ok(())
    }

    fn sums(
        &self,
        points: ArrayView2<'_, f64>,
        forms: &[Form<'_>],
        beta: &[f64],
        out: MatMut<'_, f64>,
    ) -> Result<(), BasisError> {
        validate_sums(self, points, forms, beta, &out)?;
        let collapsed = forms.iter().map(|form| self.collapse(form));
        let collapsed = collapsed.collect::<Result<Vec<_>, _>>()?;
        pulp::Arch::new().dispatch(kernel::Sums {
            dim: self.dim,
            frequencies: &self.frequencies,
            phases: &self.phases,
            parity: &self.parity,
            center: self.map.center(),
            points: points.reborrow(),
            forms: &collapsed,
            beta,
            out,
        });
        Ok(())
    }

    fn to_saved(&self) -> Option<crate::SavedBasis> {
        Some(crate::SavedBasis::Sinusoidal(self.clone()))
    }

    fn selected(&self, features: &[usize]) -> Option<Arc<dyn Basis>> {
        Some(Arc::new(self.select(features).ok()?))
    }
}

#[cfg(test)]
mod tests {
    use pulp::WithSimd;

    use super::*;
    use crate::{Action, Coefficient, FrequencyLaw, MultiIndex, Parity};

    /// What hardware without vector instructions gets, against what this one gets.
    #[test]
    fn the_scalar_fallback_gives_the_same_rows() {
        let points = crate::sampling::UnitSampler::halton(1).points(300, 2);
        let varying: Vec<f64> = points
            .rows()
            .into_iter()
            .map(|x| x[0] - 2.0 * x[1])
            .collect();
        let actions = [[0, 0], [1, 0], [2, 1]].map(|n| Action::derivative(MultiIndex::new(n)));
        let plain = SinusoidalBasis::random(2, 20, &FrequencyLaw::Isotropic(5.0), 0).unwrap();
        let even = plain.with_parity(&[Parity::Even, Parity::None]).unwrap();
        for basis in [plain, even] {
            for terms in 1..=3 {
                let mut form = Form::new();
                for (t, action) in actions.iter().take(terms).enumerate() {
                    form.push(Coefficient::Constant(1.0 + t as f64), action);
                    form.push(Coefficient::PerPoint(&varying), action);
                }
                let passes = basis.collapse(&form).unwrap();
                let mut scalar = Mat::full(300, 20, f64::NAN);
                let whole = Tile {
                    row: 0,
                    column: 0,
                    out: scalar.as_mut(),
                };
                basis
                    .kernel(points.view(), &passes, whole)
                    .with_simd(pulp::Scalar);
                let vector = basis.assemble(points.view(), &form).unwrap();
                let scale = vector.norm_max();
                assert!((&scalar - &vector).norm_max() <= 1e-14 * scale);
            }
        }
    }

    /// Coefficients that overflow when they are added up spoil the numbers, not the program.
    #[test]
    fn sums_that_overflow_come_to_an_end() {
        let basis = SinusoidalBasis::random(1, 9, &FrequencyLaw::Isotropic(2.0), 0).unwrap();
        let actions = [0, 1].map(|n| Action::derivative(MultiIndex::new([n])));
        let mut form = Form::new();
        for _ in 0..40 {
            for action in &actions {
                form.push(Coefficient::Constant(1e308), action);
            }
        }
        let points = crate::sampling::UnitSampler::halton(1).points(5, 1);
        let mut out = Mat::zeros(5, 1);
        basis
            .sums(points.view(), &[form], &[1.0; 9], out.as_mut())
            .unwrap();
        assert!((0..5).all(|i| !out[(i, 0)].is_finite()));
    }

    /// Sums where the arguments are huge, and on hardware without vector instructions, against the rows.
    #[test]
    fn sums_take_the_other_ways_where_they_have_to() {
        let mut points = crate::sampling::UnitSampler::halton(1).points(600, 2);
        let near = points.clone();
        points.row_mut(555).fill(3e9); // one point beyond the fast reduction, in the second block
        let action = |n: [u32; 2]| Action::derivative(MultiIndex::new(n));
        let actions = [action([0, 0]), action([1, 0]), action([1, 2])];
        let forms = actions.each_ref().map(Form::action);
        let plain = SinusoidalBasis::random(2, 20, &FrequencyLaw::Isotropic(5.0), 0).unwrap();
        let odd = plain.with_parity(&[Parity::None, Parity::Odd]).unwrap();
        let beta: Vec<f64> = (0..20).map(|j| f64::from(j).cos()).collect();
        let column = Mat::from_fn(20, 1, |j, _| beta[j]);
        for basis in [plain, odd] {
            let collapsed: Vec<_> = forms.iter().map(|f| basis.collapse(f).unwrap()).collect();
            for points in [&near, &points] {
                let mut vector = Mat::full(600, 3, f64::NAN);
                basis
                    .sums(points.view(), &forms, &beta, vector.as_mut())
                    .unwrap();
                let mut scalar = Mat::full(600, 3, f64::NAN);
                let sums = kernel::Sums {
                    dim: 2,
                    frequencies: &basis.frequencies,
                    phases: &basis.phases,
                    parity: &basis.parity,
                    center: basis.map.center(),
                    points: points.view(),
                    forms: &collapsed,
                    beta: &beta,
                    out: scalar.as_mut(),
                };
                sums.with_simd(pulp::Scalar);
                for (k, form) in forms.iter().enumerate() {
                    let rows = basis.assemble(points.view(), form).unwrap();
                    let expected = &rows * &column;
                    let size = 1e-13 * (1.0 + rows.norm_max()) * 20.0;
                    for i in 0..600 {
                        let e = expected[(i, 0)];
                        assert!((vector[(i, k)] - e).abs() < size, "{i} {k}");
                        // Huge phases round differently without fused operations.
                        let (found, huge) = (scalar[(i, k)], points[(i, 0)] > 1.0);
                        assert!((found - e).abs() < size || huge, "scalar {i} {k}");
                        assert!(found.is_finite());
                    }
                }
            }
        }
    }
}
