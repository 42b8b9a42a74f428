//! Methods by orthogonal reflections: rank-revealing QR and plain QR.

use super::{Parts, Task};
use crate::lsq::error::{Input, LsqError};
use crate::lsq::options::LsqOptions;
use crate::lsq::pivoted::{PivotedQr, pivoted_qr};
use crate::lsq::range_map::{InnerMap, RangeMap};
use crate::lsq::row_blocks::write_parallel;
use crate::lsq::shared::{RowFactor, stream_task};
use crate::lsq::solution_map::SolutionMap;
use crate::lsq::source::check_finite;
use crate::lsq::streamed::Layout;
use crate::lsq::triangle::{column_norms, inverse_or_one, scale_columns, triangle_condition};
use crate::lsq::work::Work;
use faer::Mat;
use web_time::Instant;

/// Rows brought to a small matrix with the same rank, and its pivoted factorisation.
pub(super) struct Revealed {
    /// Pivoted QR of the equilibrated small matrix.
    pub(super) qr: PivotedQr,
    /// Factors that made the columns comparable.
    pub(super) scaling: Vec<f64>,
    /// The right-hand sides in the coordinates of the small matrix.
    rhs: Mat<f64>,
    /// Squared norms of the part of b outside its range.
    outside: Vec<f64>,
    /// Reflectors of the streamed reduction, if there was one and they were kept.
    q: Option<RowFactor>,
    streamed: bool,
    flops: f64,
    reduction_seconds: f64,
    clock: Instant,
}

/// Streams A into a triangle and reveals the rank there; for so few rows that they make up one block the rank
/// is revealed on A itself, because pivoting then costs no more than the reduction would.
pub(super) fn reveal(task: Task<'_>) -> Result<Revealed, LsqError> {
    let clock = Instant::now();
    let (m, n) = (task.source.nrows(), task.source.ncols());
    let streamed = !Layout::new(m, n).is_one_block(m);
    let (mut matrix, rhs, outside, q);
    if streamed {
        let result = stream_task(task)?;
        (matrix, rhs) = result.triangle_and_carried(n);
        outside = result.residual_squares;
        q = result.q;
    } else {
        matrix = Mat::zeros(m, n);
        write_parallel(task.source, 0, matrix.as_mut(), task.work)?;
        check_finite(task.rhs, 0, Input::RightHandSide)?;
        rhs = task.rhs.to_owned();
        outside = vec![0.0; rhs.ncols()];
        q = None;
    }
    let reduction_seconds = clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    let rows = matrix.nrows();
    let (qr, scaling) = equilibrated_pivoted_qr(matrix, task.options, n, task.work);
    task.check()?;
    let flops = pivoted_flops(rows, n, qr.rank())
        + if streamed {
            householder_flops(m, n)
        } else {
            0.0
        };
    Ok(Revealed {
        qr,
        scaling,
        rhs,
        outside,
        q,
        streamed,
        flops,
        reduction_seconds,
        clock,
    })
}

/// Scales the columns (if asked) and factors; the threshold is that for `n` unknowns.
pub(crate) fn equilibrated_pivoted_qr(
    mut matrix: Mat<f64>,
    options: &LsqOptions,
    n: usize,
    work: Work<'_>,
) -> (PivotedQr, Vec<f64>) {
    let norms = column_norms(matrix.as_ref());
    let scaling = if options.equilibrate {
        inverse_or_one(&norms)
    } else {
        vec![1.0; norms.len()]
    };
    scale_columns(matrix.as_mut(), &scaling);
    let largest = norms
        .iter()
        .zip(&scaling)
        .map(|(a, b)| a * b)
        .fold(0.0, f64::max);
    (
        pivoted_qr(matrix, options.threshold_for(n) * largest, work),
        scaling,
    )
}

/// Operations of a QR of an m×n matrix.
fn householder_flops(m: usize, n: usize) -> f64 {
    pivoted_flops(m, n, n.min(m))
}

/// Operations of a pivoted QR of an m×n matrix stopped at rank r.
pub(super) fn pivoted_flops(m: usize, n: usize, r: usize) -> f64 {
    let (m, n, r) = (m as f64, n as f64, r as f64);
    4.0 * (m * n * r - 0.5 * (m + n) * r * r + r * r * r / 3.0)
}

impl Revealed {
    /// Operations per second that it took.
    pub(super) fn rate(&self) -> f64 {
        let seconds = self.reduction_seconds + self.clock.elapsed().as_secs_f64();
        self.flops / seconds.max(f64::MIN_POSITIVE)
    }

    /// T transposed (N×r) in the original, unscaled unknowns.
    pub(super) fn right_factor_transposed(&self) -> Mat<f64> {
        let undo: Vec<f64> = self.scaling.iter().map(|s| 1.0 / s).collect();
        self.qr.right_factor_transposed(&undo)
    }

    /// The basic solution operator.
    pub(super) fn basic_map(&self) -> SolutionMap {
        SolutionMap::Basic {
            r: self.qr.r11().to_owned(),
            order: self.qr.order.clone(),
            scaling: self.scaling.clone(),
        }
    }

    /// Puts everything together; `spectrum` are the kept pivots or singular values.
    pub(super) fn finish(
        self,
        task: Task<'_>,
        rotation: Option<Mat<f64>>,
        map: SolutionMap,
        spectrum: &[f64],
        condition: f64,
    ) -> Parts {
        let largest_dropped = self.qr.dropped.iter().copied().fold(0.0, f64::max);
        let inner = InnerMap {
            pivoted: Some(self.qr),
            rotation,
        };
        let projection = inner.project(self.rhs, task.work.parallel);
        let outside = self
            .outside
            .iter()
            .zip(&projection.cut_off)
            .map(|(a, b)| a + b)
            .collect();
        let range = if self.streamed {
            self.q.map(|q| RangeMap::Streamed {
                q,
                n: task.source.ncols(),
                inner,
            })
        } else {
            task.options.keep_q.then_some(RangeMap::Direct(inner))
        };
        Parts {
            range,
            map,
            coordinates: projection.coordinates,
            outside: Some(outside),
            rank: spectrum.len(),
            largest_pivot: spectrum.iter().copied().fold(0.0, f64::max),
            smallest_pivot: spectrum.iter().copied().reduce(f64::min).unwrap_or(0.0),
            largest_dropped,
            condition,
            flops: self.flops,
            reduction_seconds: self.reduction_seconds,
            rank_seconds: self.clock.elapsed().as_secs_f64(),
            fallback: None,
        }
    }
}

/// Streamed QR and column-pivoted QR of the triangle, cut at the numerical rank.
pub(crate) fn rank_revealing(task: Task<'_>) -> Result<Parts, LsqError> {
    let (m, n) = (task.source.nrows(), task.source.ncols());
    let revealed = reveal(task)?;
    let wants_least_norm = task.options.minimum_norm || m < n;
    let map = if task.options.ridge > 0.0 || (wants_least_norm && revealed.qr.rank() < n) {
        SolutionMap::least_norm(
            revealed.right_factor_transposed(),
            task.options.ridge,
            task.work,
        )
    } else {
        revealed.basic_map()
    };
    let condition = triangle_condition(revealed.qr.r11());
    let pivots = revealed.qr.pivots();
    Ok(revealed.finish(task, None, map, &pivots, condition))
}

/// Plain QR: the triangle is used as it is.
pub(crate) fn plain(task: Task<'_>) -> Result<Parts, LsqError> {
    let clock = Instant::now();
    let (m, n) = (task.source.nrows(), task.source.ncols());
    let streamed = stream_task(task)?;
    let (r, coordinates) = streamed.triangle_and_carried(n);
    let reduction_seconds = clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    let ridge = task.options.ridge;
    if ridge == 0.0
        && let Some(column) = (0..n).find(|&i| r[(i, i)] == 0.0)
    {
        return Err(LsqError::Singular { column });
    }
    let pivots: Vec<f64> = (0..n).map(|i| r[(i, i)].abs()).collect();
    let condition = triangle_condition(r.as_ref());
    let map = if ridge > 0.0 {
        SolutionMap::least_norm(r.transpose().to_owned(), ridge, task.work)
    } else {
        SolutionMap::Basic {
            r,
            order: (0..n).collect(),
            scaling: vec![1.0; n],
        }
    };
    let inner = InnerMap {
        pivoted: None,
        rotation: None,
    };
    Ok(Parts {
        range: streamed.q.map(|q| RangeMap::Streamed { q, n, inner }),
        map,
        coordinates,
        outside: Some(streamed.residual_squares),
        rank: n.min(m),
        largest_pivot: pivots.iter().copied().fold(0.0, f64::max),
        smallest_pivot: pivots.iter().copied().reduce(f64::min).unwrap_or(0.0),
        largest_dropped: 0.0,
        condition,
        flops: householder_flops(m, n),
        reduction_seconds,
        rank_seconds: clock.elapsed().as_secs_f64(),
        fallback: None,
    })
}
