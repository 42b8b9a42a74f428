//! Weak rows over all windows, in blocks, and their whitened moments.

use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Mat, Par, Side};
use rayon::prelude::*;

use super::column::{Column, Prepared, Weight};
use super::moments::Moments;
use super::windows::Windows;

/// Most windows of a block, which are whitened together, with one axis and with several.
const TOGETHER_ALONE: usize = 400;
const TOGETHER: usize = 64;
/// Fewest parts that are wanted, for the bootstrap, and the fewest rows of a part.
const PARTS: usize = 16;
const PART: usize = 4;
/// Share of the variance of a row that is added for what the first order of the noise leaves out.
const RIDGE: f64 = 1e-4;

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
        let mut stack = Stack {
            place: Place::new(data, &self.windows[block.run], block),
            equations: others.len() + 1,
            kernels: Vec::new(),
            parts: Vec::new(),
        };
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

/// Noise parts of several equations over one block, and the kernels that they need.
struct Stack<'p> {
    place: Place<'p>,
    equations: usize,
    /// Outer derivative and equation of each kernel.
    kernels: Vec<(Vec<u32>, usize)>,
    parts: Vec<Gathered>,
}

impl Stack<'_> {
    /// Adds a multiple of what noise does to a term in one of the equations.
    fn add(&mut self, term: &Column, column: usize, equation: usize, factor: f64) {
        for part in &term.noise {
            let key = (part.outer.clone(), equation);
            let kernel = self.kernels.iter().position(|k| *k == key);
            let kernel = kernel.unwrap_or_else(|| {
                self.kernels.push(key);
                self.kernels.len() - 1
            });
            let mut weight = self.place.gather(&part.weight);
            for w in &mut weight {
                *w *= factor;
            }
            self.parts.push(Gathered {
                column,
                kernel,
                field: part.field,
                weight,
            });
        }
    }

    /// Each kernel in the rows of its equation.
    fn matrices(&self) -> Vec<Mat<f64>> {
        self.kernels
            .iter()
            .map(|(outer, equation)| self.place.kernels(outer, *equation, self.equations))
            .collect()
    }
}

/// A noise part with its weights at the points of a block.
struct Gathered {
    column: usize,
    kernel: usize,
    field: usize,
    weight: Vec<f64>,
}

/// The covariance of the rows of a law: Σ_f σ_f² L_f L_fᵀ with L_f = Σ c Kₐ diag(w).
fn covariance(
    parts: &[Gathered],
    kernels: &[Mat<f64>],
    coefficients: &[f64],
    variances: &[f64],
) -> Mat<f64> {
    let (rows, points) = kernels.first().map_or((0, 0), |k| (k.nrows(), k.ncols()));
    let mut total = Mat::<f64>::zeros(rows, rows);
    for (field, variance) in variances.iter().enumerate() {
        let mut carried = Mat::<f64>::zeros(rows, points);
        let mut any = false;
        for part in parts.iter().filter(|p| p.field == field) {
            let c = coefficients[part.column];
            if c == 0.0 {
                continue;
            }
            any = true;
            for (i, w) in part.weight.iter().enumerate() {
                let from = kernels[part.kernel].col_as_slice(i);
                for (to, k) in carried.col_as_slice_mut(i).iter_mut().zip(from) {
                    *to += c * w * k;
                }
            }
        }
        if any {
            total += faer::Scale(*variance) * (&carried * carried.transpose());
        }
    }
    let mean = (0..rows).map(|i| total[(i, i)]).sum::<f64>() / rows.max(1) as f64;
    for i in 0..rows {
        total[(i, i)] += RIDGE * total[(i, i)] + 1e-9 * mean;
    }
    total
}

/// Σ_f σ_f² tr(L_jᵀ W L_l) for every pair of columns over some rows; the kernels are already whitened.
fn noise_moments(
    parts: &[Gathered],
    kernels: &[Mat<f64>],
    variances: &[f64],
    size: usize,
    rows: std::ops::Range<usize>,
) -> Vec<f64> {
    let points = kernels.first().map_or(0, Mat::ncols);
    let mut noise = vec![0.0; size * size];
    for first in 0..kernels.len() {
        for second in 0..=first {
            let product: Vec<f64> = (0..points)
                .map(|i| {
                    let a = &kernels[first].col_as_slice(i)[rows.clone()];
                    let b = &kernels[second].col_as_slice(i)[rows.clone()];
                    a.iter().zip(b).map(|(a, b)| a * b).sum()
                })
                .collect();
            for a in parts.iter().filter(|p| p.kernel == first) {
                for b in parts
                    .iter()
                    .filter(|p| p.kernel == second && p.field == a.field)
                {
                    let sum: f64 = (0..points)
                        .map(|i| product[i] * a.weight[i] * b.weight[i])
                        .sum();
                    let value = variances[a.field] * sum;
                    noise[a.column * size + b.column] += value;
                    if first != second {
                        noise[b.column * size + a.column] += value;
                    }
                }
            }
        }
    }
    noise
}

/// The points of a block that sums over noise are taken at.
struct Place<'p> {
    data: &'p Prepared<'p>,
    windows: &'p Windows,
    block: &'p Block,
    /// Points along each axis.
    lines: Vec<Vec<usize>>,
    /// Points of the grid that each of them stands for.
    cell: f64,
}

impl<'p> Place<'p> {
    fn new(data: &'p Prepared<'_>, windows: &'p Windows, block: &'p Block) -> Self {
        let mut cell = 1.0;
        let lines = (0..data.shape.len())
            .map(|axis| {
                let middles = block.windows.iter().map(|(_, centre)| centre[axis]);
                let (low, high) = middles.fold((usize::MAX, 0), |(a, b), c| (a.min(c), b.max(c)));
                let coarse = windows.coarse(axis);
                cell *= coarse as f64;
                let half = windows.half[axis];
                (low.saturating_sub(half)..=(high + half).min(data.shape[axis] - 1))
                    .step_by(coarse)
                    .collect()
            })
            .collect();
        Self {
            data,
            windows,
            block,
            lines,
            cell,
        }
    }

    /// Kₐ of every window (rows) at the points (columns), in the rows of one of several equations.
    fn kernels(&self, outer: &[u32], equation: usize, equations: usize) -> Mat<f64> {
        let dim = self.lines.len();
        let tables: Vec<Vec<f64>> = (0..dim)
            .map(|axis| {
                self.windows
                    .kernel(axis, outer[axis], self.data.run.axes[axis].step)
            })
            .collect();
        let value = |axis: usize, centre: usize, point: usize| -> f64 {
            let offset = (point + self.windows.half[axis]).checked_sub(centre);
            offset
                .and_then(|k| tables[axis].get(k).copied())
                .unwrap_or(0.0)
        };
        // One factor for each axis, window and line; then their products.
        let factors: Vec<Vec<Vec<f64>>> = (0..dim)
            .map(|axis| {
                let along = |&point: &usize| {
                    let each = self.block.windows.iter();
                    each.map(|(_, centre)| value(axis, centre[axis], point)).collect()
                };
                self.lines[axis].iter().map(along).collect()
            })
            .collect();
        let counts: Vec<usize> = self.lines.iter().map(Vec::len).collect();
        let points: usize = counts.iter().product();
        let count = self.block.windows.len();
        let mut kernels = Mat::<f64>::zeros(equations * count, points);
        for point in 0..points {
            let out = &mut kernels.col_as_slice_mut(point)[equation * count..][..count];
            out.fill(1.0);
            let mut rest = point;
            for axis in (0..dim).rev() {
                let factor = &factors[axis][rest % counts[axis]];
                rest /= counts[axis];
                for (o, f) in out.iter_mut().zip(factor) {
                    *o *= f;
                }
            }
        }
        kernels
    }

    fn gather(&self, weight: &Weight) -> Vec<f64> {
        let counts: Vec<usize> = self.lines.iter().map(Vec::len).collect();
        let points: usize = counts.iter().product();
        match weight {
            Weight::Constant(c) => vec![*c; points],
            Weight::Grid(values) => (0..points)
                .map(|point| {
                    let (mut rest, mut place, mut inner) = (point, 0, 1);
                    for axis in (0..counts.len()).rev() {
                        place += self.lines[axis][rest % counts[axis]] * inner;
                        rest /= counts[axis];
                        inner *= self.data.shape[axis];
                    }
                    values[place]
                })
                .collect(),
        }
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
    let tiles: Vec<usize> = centres.iter().map(|c| c.len().div_ceil(side).max(1)).collect();
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
