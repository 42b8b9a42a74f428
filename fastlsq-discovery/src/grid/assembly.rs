//! Weak rows over all windows, in blocks, and their whitened moments.

use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Mat, Par, Side};
use rayon::prelude::*;

use super::carried::{Stack, covariance, noise_moments};
use super::column::{Column, Prepared};
use super::moments::Moments;
use super::windows::Windows;

/// Most windows of a block, which are whitened together, with one axis and with several.
const TOGETHER_ALONE: usize = 400;
const TOGETHER: usize = 64;
/// Fewest parts that are wanted, for the bootstrap, and the fewest rows of a part.
const PARTS: usize = 16;
const PART: usize = 4;

/// The columns of the library, then the targets, on every trajectory.
#[derive(Debug)]
pub(crate) struct Evaluated<'a> {
    pub(crate) data: Vec<Prepared<'a>>,
    /// `columns[run][column]`.
    pub(crate) columns: Vec<Vec<Column>>,
    pub(crate) terms: usize,
}

/// A group of neighbouring windows of one trajectory.
#[derive(Debug, Clone)]
struct Block {
    run: usize,
    /// Row of each window and its middle.
    windows: Vec<(usize, Vec<usize>)>,
}

/// All windows of one shape over the data.
#[derive(Debug)]
pub(crate) struct Tiled<'e, 'a> {
    source: &'e Evaluated<'a>,
    windows: Vec<Windows>,
    /// `rows[run][column][window]`.
    rows: Vec<Vec<Vec<f64>>>,
    blocks: Vec<Block>,
}

impl<'e, 'a> Tiled<'e, 'a> {
    /// Lays windows with these half-widths (in points of the first trajectory) over the data.
    pub(crate) fn new(source: &'e Evaluated<'a>, shape: &Windows) -> Self {
        let steps: Vec<f64> = source.data.first().map_or(Vec::new(), |first| {
            first.run.axes.iter().map(|axis| axis.step).collect()
        });
        let windows: Vec<Windows> = source
            .data
            .iter()
            .map(|data| Windows {
                half: (0..steps.len())
                    .map(|k| {
                        let half = shape.half[k] as f64 * steps[k] / data.run.axes[k].step;
                        (half.round() as usize).max(super::windows::NARROWEST)
                    })
                    .collect(),
                power: shape.power,
            })
            .collect();
        let rows: Vec<Vec<Vec<f64>>> = source
            .data
            .iter()
            .zip(&source.columns)
            .zip(&windows)
            .map(|((data, columns), windows)| {
                columns
                    .par_iter()
                    .map(|column| windows.integrate(data, column))
                    .collect()
            })
            .collect();
        let mut blocks = Vec::new();
        for (run, data) in source.data.iter().enumerate() {
            blocks.extend(blocks_of(run, &data.shape, &windows[run], &rows[run]));
        }
        Self {
            source,
            windows,
            rows,
            blocks,
        }
    }

    /// Number of windows without missing values.
    pub(crate) fn count(&self) -> usize {
        self.blocks.iter().map(|block| block.windows.len()).sum()
    }

    /// The whitened moments for one target, in parts that are independent up to the edges of blocks.
    ///
    /// The weights follow from the noise that the law leaves in the rows. `others` are laws of other
    /// targets that are known well: their residuals are noise that the same data carry, and what they
    /// tell about the noise of this target's rows is taken out of them.
    pub(crate) fn moments(
        &self,
        target: usize,
        law: &[(usize, f64)],
        others: &[(usize, Vec<(usize, f64)>)],
    ) -> Vec<Moments> {
        let part = (self.count() / PARTS).clamp(PART, TOGETHER);
        self.blocks
            .par_iter()
            .flat_map_iter(|block| self.block_moments(block, target, law, others, part))
            .collect()
    }

    fn block_moments(
        &self,
        block: &Block,
        target: usize,
        law: &[(usize, f64)],
        others: &[(usize, Vec<(usize, f64)>)],
        part: usize,
    ) -> Vec<Moments> {
        let terms = self.source.terms;
        let size = terms + 1;
        let data = &self.source.data[block.run];
        let columns = &self.source.columns[block.run];
        let count = block.windows.len();
        let middles: Vec<&[usize]> = block.windows.iter().map(|(_, c)| c.as_slice()).collect();
        let mut stack = Stack::new(data, &self.windows[block.run], middles, others.len() + 1);
        // Residuals of the other laws stand above the rows of this one, as part of its target.
        for (above, (other, known)) in others.iter().enumerate() {
            for &(k, c) in known {
                stack.add(&columns[k], terms, above, -c);
            }
            stack.add(&columns[terms + other], terms, above, 1.0);
        }
        for (k, column) in columns.iter().enumerate().take(terms) {
            stack.add(column, k, others.len(), 1.0);
        }
        stack.add(&columns[terms + target], terms, others.len(), 1.0);
        let mut coefficients = vec![0.0; size];
        for &(k, c) in law {
            coefficients[k] = c;
        }
        coefficients[terms] = -1.0;
        let variances: Vec<f64> = data
            .noise
            .iter()
            .map(|noise| noise * noise * stack.place.cell)
            .collect();
        let covariance = covariance(&stack.parts, &stack.matrices(), &coefficients, &variances);
        let all = &self.rows[block.run];
        let mut rows = Mat::from_fn(covariance.nrows(), size, |i, j| {
            let window = block.windows[i % count].0;
            match others.get(i / count) {
                Some(_) if j < terms => 0.0,
                Some((other, known)) => {
                    let model: f64 = known.iter().map(|&(k, c)| c * all[k][window]).sum();
                    all[terms + other][window] - model
                }
                None if j < terms => all[j][window],
                None => all[terms + target][window],
            }
        });
        let Ok(factor) = covariance.llt(Side::Lower) else {
            return Vec::new();
        };
        solve_lower_triangular_in_place(factor.L(), rows.as_mut(), Par::Seq);
        let kernels: Vec<Mat<f64>> = stack
            .matrices()
            .into_iter()
            .map(|mut kernel| {
                solve_lower_triangular_in_place(factor.L(), kernel.as_mut(), Par::Seq);
                kernel
            })
            .collect();
        // Whitened rows are independent, so that a block may be cut anywhere.
        let pieces = count.div_ceil(part).max(1);
        let first = others.len() * count;
        (0..pieces)
            .map(|k| {
                let range = first + k * count / pieces..first + (k + 1) * count / pieces;
                let some = rows.get(range.clone(), ..);
                let gram = some.transpose() * some;
                Moments {
                    size,
                    gram: (0..size * size)
                        .map(|k| gram[(k / size, k % size)])
                        .collect(),
                    noise: noise_moments(&stack.parts, &kernels, &variances, size, range.clone()),
                    rows: range.len() as f64,
                    log_det: range.map(|i| 2.0 * factor.L()[(i, i)].ln()).sum(),
                }
            })
            .collect()
    }
}

/// Groups of neighbouring windows that hold no missing value.
fn blocks_of(run: usize, shape: &[usize], windows: &Windows, rows: &[Vec<f64>]) -> Vec<Block> {
    let centres: Vec<Vec<usize>> = (0..shape.len())
        .map(|axis| windows.centres(axis, shape[axis]))
        .collect();
    let dim = shape.len();
    let count: usize = centres.iter().map(Vec::len).product();
    let side = match dim {
        1 => TOGETHER_ALONE,
        _ => (TOGETHER as f64).powf(1.0 / dim as f64).round() as usize,
    };
    // Tiles of nearly equal size.
    let tiles: Vec<usize> = centres
        .iter()
        .map(|c| c.len().div_ceil(side).max(1))
        .collect();
    let mut blocks = vec![
        Block {
            run,
            windows: Vec::new(),
        };
        tiles.iter().product()
    ];
    for window in 0..count {
        if rows.iter().any(|column| !column[window].is_finite()) {
            continue;
        }
        let (mut rest, mut tile, mut inner) = (window, 0, 1);
        let mut middle = vec![0; dim];
        for axis in (0..dim).rev() {
            let index = rest % centres[axis].len();
            rest /= centres[axis].len();
            middle[axis] = centres[axis][index];
            tile += index * tiles[axis] / centres[axis].len() * inner;
            inner *= tiles[axis];
        }
        blocks[tile].windows.push((window, middle));
    }
    blocks.retain(|block| !block.windows.is_empty());
    blocks
}
