//! Writing rows of the matrix on the device.
//!
//! Points, coefficients and row weights travel; the entries are computed there. Two kinds of columns are
//! computed by the host instead and sent over: features that are not sinusoidal, and waves whose arguments
//! exceed 2²⁷, where the kernel's reduction would lose digits.

use faer::{Mat, MatMut};
use fastlsq_basis::sinusoidal::WavePass;
use fastlsq_basis::{Basis, Form, Parity, REDUCTION_LIMIT, SinusoidalBasis, UpperLimit};
use fastlsq_ops::PreparedRows;
use fastlsq_solve::lsq::Input;
use fastlsq_solve::{LsqError, RowBlock, RowSource as _, SolveError, System};
use ndarray::{ArrayView2, s};

use crate::device::{Part, Work};
use crate::error::CudaError;
use crate::features::{Columns, DeviceFeatures, DeviceWaves};
use crate::kernels::{NotFinite, Waves};

/// Writes rows `start .. start + out.rows()` of the weighted matrix into `out`.
fn write_rows(
    work: &Work<'_>,
    system: &System,
    columns: &[Columns],
    start: usize,
    out: &Part<'_>,
) -> Result<(), SolveError> {
    let (mut first, rows) = (0, out.rows());
    for block in system.blocks() {
        let (from, to) = (start.max(first), (start + rows).min(first + block.len()));
        if from < to {
            let segment = Segment {
                block,
                start: from - first,
                count: to - from,
            };
            for own in columns {
                let out = out.inside(from - start..to - start, own.range.clone())?;
                segment.write(work, own, &out)?;
            }
        }
        first += block.len();
    }
    if let Some(root) = system.ridge_root() {
        let (from, to) = (start.max(first), start + rows);
        if from < to {
            let out = out.inside(from - start..to - start, 0..system.ncols())?;
            let diagonal = Mat::from_fn(to - from, system.ncols(), |i, j| {
                if j == from - first + i { root } else { 0.0 }
            });
            send(work, &diagonal, &out)?;
        }
    }
    Ok(())
}

/// As [`write_rows`]; fails on the first entry that is NaN or infinite.
pub(crate) fn write_finite_rows(
    work: &Work<'_>,
    system: &System,
    columns: &[Columns],
    start: usize,
    out: &Part<'_>,
) -> Result<(), SolveError> {
    write_rows(work, system, columns, start, out)?;
    match work.find_not_finite(out)? {
        None => Ok(()),
        Some(NotFinite { row, column, value }) => Err(LsqError::NotFinite {
            input: Input::Matrix,
            row: start + row,
            column,
            value,
        }
        .into()),
    }
}

/// Consecutive rows of one block.
struct Segment<'a> {
    block: &'a RowBlock,
    start: usize,
    count: usize,
}

impl Segment<'_> {
    fn write(&self, work: &Work<'_>, own: &Columns, out: &Part<'_>) -> Result<(), SolveError> {
        let factors: Vec<f64> = (self.start..self.start + self.count)
            .map(|i| self.block.factor(i))
            .collect();
        let Some(operator) = self.block.operator.block(own.unknown) else {
            return Ok(work.clear_block(out)?);
        };
        let sites = self.block.sites().block(self.start, self.count);
        let here = operator.rows(sites)?;
        let partners = self.block.partner_sites();
        let there = match partners.map(|sites| sites.block(self.start, self.count)) {
            Some(sites) => Some((operator.rows(sites)?, sites.points())),
            None => None,
        };
        let mut sides = vec![Side {
            points: sites.points(),
            rows: here,
            factors: factors.clone(),
        }];
        if let Some((rows, points)) = there {
            let factors = factors.iter().map(|factor| -factor).collect();
            sides.push(Side {
                points,
                rows,
                factors,
            });
        }
        if let DeviceFeatures::Waves(waves) = &own.features {
            let mut passes = Vec::new();
            for side in &sides {
                passes.push(waves.basis.collapsed(&side.form(), self.count)?);
            }
            let regular = sides
                .iter()
                .zip(&passes)
                .all(|(side, passes)| is_regular(&waves.basis, side.points, passes));
            if regular {
                let mut accumulate = false;
                for (side, passes) in sides.iter().zip(&passes) {
                    side.evaluate(work, waves, passes, &mut accumulate, out)?;
                }
                if !accumulate {
                    work.clear_block(out)?;
                }
                return Ok(());
            }
        }
        let basis: &dyn Basis = match &own.features {
            DeviceFeatures::Waves(waves) => &waves.basis,
            DeviceFeatures::Host(basis) => basis.as_ref(),
        };
        let mut sum = Mat::<f64>::zeros(self.count, basis.len());
        for side in &sides {
            let mut rows = Mat::<f64>::zeros(self.count, basis.len());
            side.write_on_host(basis, rows.as_mut())?;
            for j in 0..rows.ncols() {
                for (i, factor) in side.factors.iter().enumerate() {
                    sum[(i, j)] += factor * rows[(i, j)];
                }
            }
        }
        Ok(send(work, &sum, out)?)
    }
}

/// The rows at one set of points, each to be multiplied by its factor.
struct Side<'a> {
    points: ArrayView2<'a, f64>,
    rows: PreparedRows<'a>,
    factors: Vec<f64>,
}

/// Rows that one thread of the host writes at least.
const HOST_ROWS: usize = 256;

impl Side<'_> {
    fn form(&self) -> Form<'_> {
        self.rows.form()
    }

    /// Writes the rows, without their factors, on plain threads.
    ///
    /// Not on rayon's: while they wait they take up other work, which may ask for this very device, and the
    /// device is claimed here.
    fn write_on_host(&self, basis: &dyn Basis, out: MatMut<'_, f64>) -> Result<(), SolveError> {
        let form = self.form();
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let each = out.nrows().div_ceil(threads).max(HOST_ROWS);
        std::thread::scope(|scope| {
            let mut workers = Vec::new();
            let (mut start, mut rest) = (0, out);
            while rest.nrows() > 0 {
                let count = each.min(rest.nrows());
                let (block, tail) = rest.split_at_row_mut(count);
                let points = self.points.slice(s![start..start + count, ..]);
                let form = form.restrict(start, count);
                workers.push(scope.spawn(move || basis.write_rows(points, &form, block)));
                (start, rest) = (start + count, tail);
            }
            for worker in workers {
                match worker.join() {
                    Ok(written) => written?,
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            Ok(())
        })
    }

    /// Runs the passes of the collapsed form on the device; the first overwrites unless told to add.
    fn evaluate(
        &self,
        work: &Work<'_>,
        features: &DeviceWaves,
        passes: &[WavePass<'_>],
        accumulate: &mut bool,
        out: &Part<'_>,
    ) -> Result<(), CudaError> {
        let row_factors = work.upload(&self.factors)?;
        for pass in passes {
            let mut groups: Vec<_> = pass.groups.iter().collect();
            groups.sort_by_key(|group| group.flipped);
            let mut amplitudes = Vec::with_capacity(2 * groups.len() * out.columns());
            let (mut sources, mut tables): (Vec<i32>, Vec<&[f64]>) = (Vec::new(), Vec::new());
            for group in &groups {
                amplitudes.extend_from_slice(&group.p);
                amplitudes.extend_from_slice(&group.q);
                sources.push(match group.source {
                    None => -1,
                    Some(table) => {
                        let known = tables.iter().position(|other| std::ptr::eq(*other, table));
                        let place = known.unwrap_or_else(|| {
                            tables.push(table);
                            tables.len() - 1
                        });
                        crate::device::to_int("the coefficients", place)?
                    }
                });
            }
            let flipped: Vec<u64> = groups.iter().map(|group| group.flipped).collect();
            let axes: Vec<u32> = pass.integrals.iter().map(|i| i.axis as u32).collect();
            let (points, spans) = coordinates(self.points, pass);
            let waves = Waves {
                dim: self.points.ncols(),
                points: &work.upload(&points)?,
                frequencies: &features.frequencies,
                phases: &features.phases,
                parity: &features.parity,
                center: &features.center,
                amplitudes: &work.upload(&amplitudes)?,
                flipped: &work.upload(&flipped)?,
                sources: &work.upload(&sources)?,
                coefficients: &work.upload(&tables.concat())?,
                integral_axes: &work.upload(&axes)?,
                spans: &work.upload(&spans)?,
                row_factors: &row_factors,
                accumulate: *accumulate,
            };
            work.assemble_waves(&waves, out)?;
            // The buffers of this pass are given back after this: the kernel must have read them.
            work.synchronise()?;
            *accumulate = true;
        }
        Ok(())
    }
}

/// Coordinates axis by axis (midpoints along integrated axes), and the spans of the integrals.
fn coordinates(points: ArrayView2<'_, f64>, pass: &WavePass<'_>) -> (Vec<f64>, Vec<f64>) {
    let (count, dim) = points.dim();
    let mut all = Vec::with_capacity(count * dim);
    for axis in 0..dim {
        all.extend(points.column(axis).iter().copied());
    }
    let mut spans = Vec::with_capacity(count * pass.integrals.len());
    for integral in &pass.integrals {
        let start = integral.axis * count;
        for x in &mut all[start..start + count] {
            let to = match integral.to {
                UpperLimit::Coordinate => *x,
                UpperLimit::Fixed(to) => to,
            };
            spans.push(to - integral.from);
            *x = 0.5 * to + 0.5 * integral.from;
        }
    }
    (all, spans)
}

/// Whether every argument of a sine lies where the kernel's reduction is accurate.
fn is_regular(
    basis: &SinusoidalBasis,
    points: ArrayView2<'_, f64>,
    passes: &[WavePass<'_>],
) -> bool {
    let dim = points.ncols();
    let largest = |values: &[f64]| values.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    passes.iter().all(|pass| {
        let (all, spans) = coordinates(points, pass);
        let count = points.nrows().max(1);
        let reach: Vec<f64> = all.chunks(count).map(largest).collect();
        let spans: Vec<f64> = spans.chunks(count).map(largest).collect();
        let center = basis.map().center();
        basis.phases().iter().enumerate().all(|(j, phase)| {
            let w = basis.frequency(j);
            let mut ridge = phase.abs();
            let mut apart = 0.0_f64;
            for axis in 0..dim {
                match basis.parity()[axis] {
                    Parity::None => ridge += w[axis].abs() * reach[axis],
                    Parity::Even | Parity::Odd => {
                        apart = apart.max(w[axis].abs() * (reach[axis] + center[axis].abs()));
                    }
                }
            }
            let integrals = pass.integrals.iter().zip(&spans);
            let half_turns = integrals.map(|(i, span)| 0.5 * w[i.axis].abs() * span);
            let half_turns = half_turns.fold(0.0, f64::max);
            ridge <= REDUCTION_LIMIT && apart.max(half_turns) <= REDUCTION_LIMIT
        })
    })
}

/// Puts a matrix of the host in its place on the device.
fn send(work: &Work<'_>, matrix: &Mat<f64>, out: &Part<'_>) -> Result<(), CudaError> {
    let values = to_columns(matrix.as_ref());
    let sent = work.upload(&values)?;
    work.copy_block(&sent.matrix(matrix.nrows(), matrix.ncols())?, out)?;
    work.synchronise()
}

/// The entries column by column.
pub(crate) fn to_columns(matrix: faer::MatRef<'_, f64>) -> Vec<f64> {
    let mut values = Vec::with_capacity(matrix.nrows() * matrix.ncols());
    for j in 0..matrix.ncols() {
        values.extend((0..matrix.nrows()).map(|i| matrix[(i, j)]));
    }
    values
}
