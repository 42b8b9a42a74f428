//! Weak rows over all windows, in blocks, and their whitened moments.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Mat, MatRef, Par, Side};
use fastlsq_solve::{Control, Limit};
use rayon::prelude::*;

use super::carried::{Stack, covariance, noise_moments};
use super::column::{Column, Prepared};
use super::simulated::{Lagged, Simulated};
use super::windows::Windows;
use crate::evidence::{Law, Moments, steady};

/// The maximum number of windows of a block, which are whitened together, with one axis and with several.
const TOGETHER_ALONE: usize = 400;
const TOGETHER: usize = 64;
/// Fewest parts that are wanted, for the bootstrap, and the fewest rows of a part.
const PARTS: usize = 16;
const PART: usize = 4;
/// The maximum number of windows over two axes for which kernels are summed exactly, at about a millisecond each in the end;
/// with three axes a block already needs thousands of points.
const EXACT: usize = 5000;

/// A target and the law that was found for it.
pub(crate) type KnownLaw = (usize, Law);
/// What moments depend on: the target, its law so far, and the laws of other targets.
type Question = (usize, Law, Vec<KnownLaw>);

/// The columns of the library, then the targets, on every trajectory.
#[derive(Debug)]
pub(crate) struct EvaluatedTerms<'a> {
    pub(crate) data: Vec<Prepared<'a>>,
    /// `columns[run][column]`.
    pub(crate) columns: Vec<Vec<Arc<Column>>>,
    pub(crate) terms: usize,
}

impl EvaluatedTerms<'_> {
    /// The same data with some of the terms and one target only.
    pub(crate) fn of_terms(&self, terms: &[usize], target: usize) -> Self {
        let kept = terms.iter().copied().chain([self.terms + target]);
        let pick = |columns: &Vec<Arc<Column>>| {
            let kept = kept.clone();
            kept.filter_map(|k| columns.get(k).map(Arc::clone))
                .collect()
        };
        Self {
            data: self.data.clone(),
            columns: self.columns.iter().map(pick).collect(),
            terms: terms.len(),
        }
    }
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
    source: &'e EvaluatedTerms<'a>,
    control: Control,
    windows: Vec<Windows>,
    /// `rows[run][column][window]`.
    rows: Vec<Vec<Vec<f64>>>,
    blocks: Vec<Block>,
    /// Drawn noise of each trajectory, where exact sums would cost too much.
    simulated: Option<Vec<Simulated>>,
    /// Moments that are known already.
    asked: Mutex<Vec<(Question, Arc<Vec<Moments>>)>>,
}

impl<'e, 'a> Tiled<'e, 'a> {
    /// Lays windows with these half-widths (in points of the first trajectory) over the data.
    ///
    /// # Errors
    /// A limit.
    pub(crate) fn new(
        source: &'e EvaluatedTerms<'a>,
        shape: &Windows,
        control: &Control,
    ) -> Result<Self, Limit> {
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
                let rows = columns.par_iter().map(|column| {
                    control.check()?;
                    Ok(windows.integrate(data, column))
                });
                rows.collect()
            })
            .collect::<Result<_, Limit>>()?;
        let mut blocks = Vec::new();
        for (run, data) in source.data.iter().enumerate() {
            blocks.extend(blocks_of(run, &data.shape, &windows[run], &rows[run]));
        }
        let count: usize = blocks.iter().map(|block| block.windows.len()).sum();
        let steps = steps.len();
        let simulated = (steps > 2 || count > EXACT).then(|| {
            let runs = source.data.iter().zip(&windows).zip(&source.columns);
            runs.map(|((data, windows), columns)| Simulated::new(data, windows, columns))
                .collect()
        });
        Ok(Self {
            source,
            control: control.clone(),
            windows,
            rows,
            blocks,
            simulated,
            asked: Mutex::default(),
        })
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
    ///
    /// # Errors
    /// A limit.
    pub(crate) fn moments(
        &self,
        target: usize,
        law: &[(usize, f64)],
        others: &[KnownLaw],
    ) -> Result<Arc<Vec<Moments>>, Limit> {
        let question = (target, law.to_vec(), others.to_vec());
        let known = |asked: &[(Question, Arc<Vec<Moments>>)]| {
            let same = asked.iter().find(|(known, _)| *known == question);
            same.map(|(_, answer)| Arc::clone(answer))
        };
        // Without this the several criteria of a contest would whiten the same rows again and again.
        if let Some(answer) = self.asked.lock().ok().and_then(|asked| known(&asked)) {
            return Ok(answer);
        }
        let part = (self.count() / PARTS).clamp(PART, TOGETHER);
        let lagged = self.lagged(target, law, others);
        let blocks = self.blocks.par_iter();
        let answer: Vec<Vec<Moments>> = blocks
            .map(|block| {
                self.control.check()?;
                Ok(match (&self.simulated, lagged.get(block.run)) {
                    (Some(runs), Some(lagged)) => self.simulated_moments(
                        block,
                        (target, others),
                        (&runs[block.run], lagged),
                        part,
                    ),
                    _ => self.block_moments(block, target, law, others, part),
                })
            })
            .collect::<Result<_, Limit>>()?;
        let answer = Arc::new(answer.into_iter().flatten().collect());
        if let Ok(mut asked) = self.asked.lock() {
            asked.push((question, Arc::clone(&answer)));
        }
        Ok(answer)
    }

    fn block_moments(
        &self,
        block: &Block,
        target: usize,
        law: &[(usize, f64)],
        others: &[KnownLaw],
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
        let mut kernels = stack.matrices();
        let covariance = covariance(&stack.parts, &kernels, &coefficients, &variances);
        let mut rows = self.stacked_rows(block, target, others);
        let Ok(factor) = covariance.llt(Side::Lower) else {
            return Vec::new();
        };
        solve_lower_triangular_in_place(factor.L(), rows.as_mut(), Par::Seq);
        for kernel in &mut kernels {
            solve_lower_triangular_in_place(factor.L(), kernel.as_mut(), Par::Seq);
        }
        let first = others.len() * count;
        in_pieces(first..first + count, part)
            .map(|range| {
                let noise = noise_moments(&stack.parts, &kernels, &variances, size, range.clone());
                moments_of(&rows, noise, factor.L(), range)
            })
            .collect()
    }

    /// The rows of a block, with the residuals of the other laws above them as part of the target.
    fn stacked_rows(&self, block: &Block, target: usize, others: &[KnownLaw]) -> Mat<f64> {
        let terms = self.source.terms;
        let count = block.windows.len();
        let all = &self.rows[block.run];
        Mat::from_fn((others.len() + 1) * count, terms + 1, |i, j| {
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
        })
    }

    /// The laws whose noise stands in the rows, over all columns: the others, and this one.
    fn laws(&self, target: usize, law: &[(usize, f64)], others: &[KnownLaw]) -> Vec<Law> {
        let terms = self.source.terms;
        let closed = |law: &[(usize, f64)], target: usize| -> Law {
            let own = law.iter().copied();
            own.chain([(terms + target, -1.0)]).collect()
        };
        let above = others.iter().map(|(other, known)| closed(known, *other));
        above.chain([closed(law, target)]).collect()
    }

    /// Covariances by distance on every trajectory, where noise is drawn.
    fn lagged(&self, target: usize, law: &[(usize, f64)], others: &[KnownLaw]) -> Vec<Lagged> {
        let laws = self.laws(target, law, others);
        let reach = side(self.source.data.first().map_or(1, |data| data.shape.len()));
        let runs = self.simulated.iter().flatten();
        runs.map(|run| run.covariances(&laws, reach)).collect()
    }

    fn simulated_moments(
        &self,
        block: &Block,
        (target, others): (usize, &[KnownLaw]),
        (run, lagged): (&Simulated, &Lagged),
        part: usize,
    ) -> Vec<Moments> {
        let terms = self.source.terms;
        let size = terms + 1;
        let windows: Vec<usize> = block.windows.iter().map(|(window, _)| *window).collect();
        let count = windows.len();
        let mut covariance = run.covariance(lagged, &windows);
        steady(&mut covariance);
        let Ok(factor) = covariance.llt(Side::Lower) else {
            return Vec::new();
        };
        let mut rows = self.stacked_rows(block, target, others);
        solve_lower_triangular_in_place(factor.L(), rows.as_mut(), Par::Seq);
        let above: Vec<Law> = self.laws(target, &[], others);
        let own: Vec<usize> = (0..terms).chain([terms + target]).collect();
        let mut drawn = run.rows(&windows, &above[..others.len()], &own);
        for noise in &mut drawn {
            solve_lower_triangular_in_place(factor.L(), noise.as_mut(), Par::Seq);
        }
        let first = others.len() * count;
        in_pieces(first..first + count, part)
            .map(|range| {
                let mut noise = vec![0.0; size * size];
                for drawn in &drawn {
                    let some = drawn.get(range.clone(), ..);
                    let gram = some.transpose() * some;
                    for (k, slot) in noise.iter_mut().enumerate() {
                        *slot += gram[(k / size, k % size)] / run.draws() as f64;
                    }
                }
                moments_of(&rows, noise, factor.L(), range)
            })
            .collect()
    }
}

/// Whitened rows are independent, so that a block may be cut anywhere: nearly equal pieces.
fn in_pieces(rows: Range<usize>, most: usize) -> impl Iterator<Item = Range<usize>> {
    let (first, count) = (rows.start, rows.len());
    let pieces = count.div_ceil(most).max(1);
    (0..pieces).map(move |k| first + k * count / pieces..first + (k + 1) * count / pieces)
}

/// The moments of some whitened rows.
fn moments_of(
    rows: &Mat<f64>,
    noise: Vec<f64>,
    factor: MatRef<'_, f64>,
    range: Range<usize>,
) -> Moments {
    let size = rows.ncols();
    let some = rows.get(range.clone(), ..);
    let gram = some.transpose() * some;
    Moments {
        size,
        gram: (0..size * size)
            .map(|k| gram[(k / size, k % size)])
            .collect(),
        noise,
        rows: range.len() as f64,
        log_det: range.map(|i| 2.0 * factor[(i, i)].ln()).sum(),
    }
}

/// Windows of a block along each axis.
fn side(dim: usize) -> usize {
    match dim {
        1 => TOGETHER_ALONE,
        _ => (TOGETHER as f64).powf(1.0 / dim as f64).round() as usize,
    }
}

/// Groups of neighbouring windows that hold no missing value.
fn blocks_of(run: usize, shape: &[usize], windows: &Windows, rows: &[Vec<f64>]) -> Vec<Block> {
    let centres: Vec<Vec<usize>> = (0..shape.len())
        .map(|axis| windows.centres(axis, shape[axis]))
        .collect();
    let dim = shape.len();
    let count: usize = centres.iter().map(Vec::len).product();
    let side = side(dim);
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
