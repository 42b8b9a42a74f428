//! A random sketch finds the columns that carry the rank; only those are factored.
//!
//! S·A with a sparse sign matrix S (a few entries ±1 in each column) keeps all lengths in the range of A
//! up to a modest factor, so its pivoted QR finds the numerical rank r and r columns that span the rest. The
//! QR of those columns costs 2Mr² instead of 2MN² operations and loses nothing.

use super::orthogonal::{equilibrated_pivoted_qr, pivoted_flops, reveal};
use super::{Parts, Task};
use crate::lsq::block::join;
use crate::lsq::error::LsqError;
use crate::lsq::failure::agree;
use crate::lsq::kernels::{column, column_mut};
use crate::lsq::options::LsqOptions;
use crate::lsq::products::product;
use crate::lsq::row_blocks::for_each_block;
use crate::lsq::shared::{flat, unflat};
use crate::lsq::solution_map::SolutionMap;
use crate::lsq::source::{ColumnSubset, RowRange};
use crate::lsq::triangle::{solve_upper, triangle_condition};
use crate::lsq::work::Work;
use crate::team::{Plan, own_parts, sum};
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Mat, MatMut, MatRef};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use web_time::Instant;

/// Nonzero entries in each column of S.
const NONZEROS: usize = 8;
/// Columns that one task sketches.
const CHUNK: usize = 64;
/// Rows that a section has at least if there are several.
const SECTION_ROWS: usize = 16_384;
/// Most sections.
const MOST_SECTIONS: usize = 1024;

/// Rows of the sketch of a matrix with `n` columns.
pub(crate) fn sketch_rows(n: usize) -> usize {
    n + n / 2 + 64
}

/// Sketch, choose columns, factor them.
pub(crate) fn column_sketch(task: Task<'_>) -> Result<Parts, LsqError> {
    let clock = Instant::now();
    let (n, options) = (task.source.ncols(), task.options);
    let sketch = sparse_sign_sketch(task)?;
    let rows = sketch.nrows();
    let (qr, scaling) = equilibrated_pivoted_qr(sketch, options, n, task.work);
    task.check()?;
    let mut columns = qr.order[..qr.rank()].to_vec();
    if columns.is_empty() {
        // A is zero: any column serves to find that out.
        columns.push(0);
    }
    let probe_seconds = clock.elapsed().as_secs_f64();

    let subset = ColumnSubset {
        source: task.source,
        columns: &columns,
    };
    let inner_options = LsqOptions {
        threshold: Some(options.threshold_for(n)),
        ..options.clone()
    };
    let inner = Task {
        source: &subset,
        options: &inner_options,
        ..task
    };
    let revealed = reveal(inner)?;
    let condition = triangle_condition(revealed.qr.r11());
    let pivots = revealed.qr.pivots();
    let rank = pivots.len();
    let wants_least_norm = options.minimum_norm || task.source.nrows() < n;
    let map = if options.ridge > 0.0 || (wants_least_norm && rank < n) {
        // A ≈ A_J·[I X]: the sketch tells how the other columns depend on the chosen ones.
        let transposed = spread(
            &revealed.right_factor_transposed(),
            &qr,
            &scaling,
            task.work,
        );
        SolutionMap::least_norm(transposed, options.ridge, task.work)
    } else {
        let mut scaling = vec![1.0; n];
        for (place, &unknown) in columns.iter().enumerate() {
            scaling[unknown] = revealed.scaling[place];
        }
        let order = revealed
            .qr
            .order
            .iter()
            .map(|&place| columns[place])
            .collect();
        SolutionMap::Basic {
            r: revealed.qr.r11().to_owned(),
            order,
            scaling,
        }
    };
    let mut parts = revealed.finish(inner, None, map, &pivots, condition);
    parts.flops += pivoted_flops(rows, n, rank);
    parts.reduction_seconds += probe_seconds;
    Ok(parts)
}

/// Tᵀ for all unknowns from Tᵀ for the chosen ones (rows in the order they were chosen).
fn spread(
    chosen: &Mat<f64>,
    qr: &crate::lsq::pivoted::PivotedQr,
    scaling: &[f64],
    work: Work<'_>,
) -> Mat<f64> {
    let (n, rank) = (qr.order.len(), qr.rank());
    if rank == 0 {
        return Mat::zeros(n, chosen.ncols());
    }
    let mut x = qr.r.as_ref().subcols(rank, n - rank).to_owned();
    solve_upper(qr.r11(), x.as_mut());
    // In scaled unknowns: columns A·D. Undo D on both sides of the dependence.
    for (place, &unknown) in qr.order[rank..].iter().enumerate() {
        for i in 0..rank {
            x[(i, place)] *= scaling[qr.order[i]] / scaling[unknown];
        }
    }
    let others = product(x.transpose(), chosen.as_ref(), work);
    let mut out = Mat::zeros(n, chosen.ncols());
    for (place, &unknown) in qr.order.iter().enumerate() {
        let row = if place < rank {
            chosen.row(place)
        } else {
            others.row(place - rank)
        };
        out.row_mut(unknown).copy_from(row);
    }
    out
}

/// S·A for a sparse sign matrix S drawn from a fixed seed.
///
/// The rows are cut into sections, whose sums are added pairwise in a fixed tree; several processes share them out.
fn sparse_sign_sketch(task: Task<'_>) -> Result<Mat<f64>, LsqError> {
    let (m, n) = (task.source.nrows(), task.source.ncols());
    let rows = sketch_rows(n).min(m);
    let sections = sections(m);
    let Some(team) = task.team() else {
        return add_up(0, sections, &|section| {
            section_sketch(task, sections, section, rows)
        });
    };
    let plan = Plan::new(sections, team.size());
    let apart = task.work.control.apart();
    let own_task = Task {
        work: Work {
            control: &apart,
            ..task.work
        },
        ..task
    };
    let own = own_parts(team.as_ref(), &plan, |part| {
        let one = |section| section_sketch(own_task, sections, section, rows);
        Ok(flat(add_up(part.from, part.to, &one)?.as_ref()))
    });
    let parts = agree(task.work.control, team.as_ref(), own)?;
    let total = sum(team.as_ref(), &plan, parts, rows * n);
    Ok(unflat(&total, rows, n))
}

/// How many sections `m` rows are cut into: a function of the size only.
fn sections(m: usize) -> usize {
    let mut sections = 1;
    while sections < MOST_SECTIONS && m / (2 * sections) >= SECTION_ROWS {
        sections *= 2;
    }
    sections
}

/// The sum over the sections `from .. to`, halved from the top.
fn add_up(
    from: usize,
    to: usize,
    one: &dyn Fn(usize) -> Result<Mat<f64>, LsqError>,
) -> Result<Mat<f64>, LsqError> {
    if to - from == 1 {
        return one(from);
    }
    let middle = usize::midpoint(from, to);
    Ok(add_up(from, middle, one)? + add_up(middle, to, one)?)
}

/// The part of S·A that one section contributes.
fn section_sketch(
    task: Task<'_>,
    sections: usize,
    section: usize,
    rows: usize,
) -> Result<Mat<f64>, LsqError> {
    let cut = |s: usize| task.source.nrows() * s / sections;
    let (first, end) = (cut(section), cut(section + 1));
    let mut rng = ChaCha8Rng::seed_from_u64(0x51c4_e7c4);
    // Each entry takes two words of the generator.
    rng.set_word_pos(2 * (first * NONZEROS) as u128);
    let mut out = Mat::zeros(rows, task.source.ncols());
    let mut targets = Vec::new();
    let source = RowRange {
        source: task.source,
        first,
        rows: end - first,
    };
    for_each_block(&source, task.work, |_, block| {
        targets.clear();
        targets.extend((0..block.nrows() * NONZEROS).map(|_| {
            let bits = rng.random::<u64>();
            let row = ((bits >> 32) * rows as u64) >> 32;
            (row as u32, if bits & 1 == 0 { 1.0 } else { -1.0 })
        }));
        scatter(out.as_mut(), block, &targets, task.work.parallel);
    })
    .map_err(|error| error.moved(first))?;
    Ok(out)
}

/// Adds ± each row of `block` to its targets, column by column.
fn scatter(
    mut out: MatMut<'_, f64>,
    block: MatRef<'_, f64>,
    targets: &[(u32, f64)],
    parallel: bool,
) {
    let columns = out.ncols();
    if columns > CHUNK {
        let half = columns / 2;
        let (out1, out2) = out.split_at_col_mut(half);
        let (block1, block2) = block.split_at_col(half);
        join(
            parallel,
            || scatter(out1, block1, targets, parallel),
            || scatter(out2, block2, targets, parallel),
        );
        return;
    }
    for j in 0..columns {
        let sums = column_mut(out.rb_mut(), j);
        for (value, targets) in column(block.rb(), j)
            .iter()
            .zip(targets.chunks_exact(NONZEROS))
        {
            for &(row, sign) in targets {
                sums[row as usize] += sign * value;
            }
        }
    }
}
