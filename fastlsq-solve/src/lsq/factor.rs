//! Factoring and solving.

use super::core_map::{LeftMap, SolutionMap, column_scaling, scale_columns, triangle_condition};
use super::error::{Input, LsqError};
use super::info::{LsqInfo, StageSeconds};
use super::kernels::{column, column_mut, dot, norm};
use super::memory::check_memory;
use super::options::{LsqOptions, Method};
use super::pivoted::pivoted_qr;
use super::source::{RowSource, check_finite};
use super::streamed::{QNode, stream_qr};
use faer::{Mat, MatRef};
use std::time::Instant;

/// A factored least-squares problem: the map from right-hand sides b to the solutions x of
/// min ‖Ax − b‖² + μ‖x‖².
///
/// The solutions of the right-hand sides that were streamed along with A are always there
/// ([`solution`](Self::solution)). New right-hand sides ([`solve`](Self::solve)), the transposed map
/// ([`adjoint`](Self::adjoint)) and the cache need the orthogonal factor: set
/// [`keep_q`](LsqOptions::keep_q). The rows of A are not asked for again.
#[derive(Clone, Debug)]
pub struct Factorisation {
    rows: usize,
    cols: usize,
    q: Option<QNode>,
    left: LeftMap,
    map: SolutionMap,
    solution: Mat<f64>,
    residual_norms: Vec<f64>,
    info: LsqInfo,
    parallel: bool,
}

/// Factors A and solves for the right-hand sides `rhs` (M×k; k may be 0) on the way.
///
/// # Errors
/// Bad sizes and options, values that are not finite (with their row), problems that do not fit into
/// the memory limit, and whatever the source itself reports.
///
/// ```
/// use faer::{Mat, mat};
/// use fastlsq_solve::lsq::{LsqOptions, factor};
/// # fn main() -> Result<(), fastlsq_solve::lsq::LsqError> {
/// let a = mat![[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]];
/// let b = mat![[1.0], [3.0], [5.0]];
/// let x = factor(&a, b.as_ref(), &LsqOptions::new())?.into_solution();
/// assert!((x[(0, 0)] - 1.0).abs() < 1e-14 && (x[(1, 0)] - 2.0).abs() < 1e-14);
/// # Ok(())
/// # }
/// ```
pub fn factor(
    source: &dyn RowSource,
    rhs: MatRef<'_, f64>,
    options: &LsqOptions,
) -> Result<Factorisation, LsqError> {
    options.validate()?;
    let (m, n) = (source.nrows(), source.ncols());
    if m == 0 || n == 0 {
        return Err(LsqError::Empty { rows: m, cols: n });
    }
    if rhs.nrows() != m {
        return Err(LsqError::Shape {
            input: Input::RightHandSide,
            each: "row of A",
            expected: m,
            found: rhs.nrows(),
        });
    }
    check_memory(m, n, rhs.ncols(), options)?;
    match options.threads {
        Some(1) => factor_here(source, rhs, options, false),
        Some(threads) => {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .map_err(|cause| LsqError::Threads { threads, cause })?;
            // The solution map outlives this pool: later calls run on the caller's.
            pool.install(|| factor_here(source, rhs, options, true))
        }
        None => factor_here(source, rhs, options, true),
    }
}

fn factor_here(
    source: &dyn RowSource,
    rhs: MatRef<'_, f64>,
    options: &LsqOptions,
    parallel: bool,
) -> Result<Factorisation, LsqError> {
    let (m, n) = (source.nrows(), source.ncols());
    let clock = Instant::now();
    let streamed = stream_qr(source, rhs, options.keep_q, parallel)?;
    let reduction = clock.elapsed().as_secs_f64();

    let clock = Instant::now();
    let mut r = streamed.r.as_ref().subcols(0, n).to_owned();
    for j in 0..n {
        column_mut(r.as_mut(), j)[j + 1..].fill(0.0);
    }
    let scaling = column_scaling(r.as_ref(), options.equilibrate);
    scale_columns(r.as_mut(), &scaling);
    let threshold = options.threshold_for(n);
    let largest = (0..n)
        .map(|j| norm(column(r.as_ref(), j)))
        .fold(0.0, f64::max);
    r.truncate(m.min(n), n);
    let qr = pivoted_qr(r, threshold * largest, parallel);
    let rank = qr.rank();
    let pivots = (0..rank).map(|i| qr.r[(i, i)].abs());
    let largest_pivot = pivots.clone().fold(0.0, f64::max);
    let smallest_pivot = if rank == 0 {
        0.0
    } else {
        pivots.fold(f64::INFINITY, f64::min)
    };
    let condition = triangle_condition(qr.r11());
    let least_norm = options.ridge > 0.0 || ((options.minimum_norm || m < n) && rank < n);
    let map = if least_norm {
        let mut transposed = Mat::zeros(n, rank);
        for (place, &unknown) in qr.order.iter().enumerate() {
            for i in 0..rank.min(place + 1) {
                transposed[(unknown, i)] = qr.r[(i, place)] / scaling[unknown];
            }
            if place >= rank {
                for i in 0..rank {
                    transposed[(unknown, i)] = qr.r[(i, place)] / scaling[unknown];
                }
            }
        }
        SolutionMap::least_norm(transposed, options.ridge, parallel)
    } else {
        SolutionMap::Basic {
            r: qr.r11().to_owned(),
            order: qr.order.clone(),
            scaling,
        }
    };
    let rank_revealing = clock.elapsed().as_secs_f64();

    let clock = Instant::now();
    let mut top = streamed.r.as_ref().subcols(n, rhs.ncols()).to_owned();
    top.truncate(m.min(n), rhs.ncols());
    let mut residual_norms = Vec::with_capacity(rhs.ncols());
    let left = LeftMap::Pivoted(qr);
    let before: Vec<f64> = (0..rhs.ncols())
        .map(|j| dot(column(top.as_ref(), j), column(top.as_ref(), j)))
        .collect();
    let coordinates = left.project(top);
    for (j, outside) in streamed.residual_squares.iter().enumerate() {
        let inside = dot(
            column(coordinates.as_ref(), j),
            column(coordinates.as_ref(), j),
        );
        residual_norms.push((outside + (before[j] - inside).max(0.0)).sqrt());
    }
    let solution = map.solve(coordinates.as_ref());
    let (mf, nf, rf) = (m as f64, n as f64, rank as f64);
    let info = LsqInfo {
        method: Method::RankRevealingQr,
        reason: "default".to_owned(),
        fallbacks: Vec::new(),
        rows: m,
        cols: n,
        rank,
        threshold,
        largest_pivot,
        smallest_pivot,
        condition,
        flops: 2.0 * mf * nf * nf + 4.0 * (nf * nf * rf - nf * rf * rf + rf * rf * rf / 3.0),
        seconds: StageSeconds {
            reduction,
            rank_revealing,
            solution: clock.elapsed().as_secs_f64(),
        },
    };
    Ok(Factorisation {
        rows: m,
        cols: n,
        q: streamed.q,
        left,
        map,
        solution,
        residual_norms,
        info,
        parallel,
    })
}

impl Factorisation {
    /// The solutions of the right-hand sides given to [`factor`], N×k.
    #[must_use]
    pub fn solution(&self) -> MatRef<'_, f64> {
        self.solution.as_ref()
    }

    /// The solutions, taken out.
    #[must_use]
    pub fn into_solution(self) -> Mat<f64> {
        self.solution
    }

    /// ‖Ax − b‖ of the solutions given by [`solution`](Self::solution), without the ridge term.
    #[must_use]
    pub fn residual_norms(&self) -> &[f64] {
        &self.residual_norms
    }

    /// Numerical rank.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.info.rank
    }

    /// Estimate of the condition number of the part that was kept.
    #[must_use]
    pub fn condition(&self) -> f64 {
        self.info.condition
    }

    /// What was done and what it cost.
    #[must_use]
    pub fn info(&self) -> &LsqInfo {
        &self.info
    }

    /// Solutions for new right-hand sides (M×k), N×k.
    ///
    /// # Errors
    /// [`LsqError::QNotKept`] if the orthogonal factor was not kept, wrong sizes, values that are not finite.
    pub fn solve(&self, rhs: MatRef<'_, f64>) -> Result<Mat<f64>, LsqError> {
        let q = self.q.as_ref().ok_or(LsqError::QNotKept)?;
        if rhs.nrows() != self.rows {
            return Err(LsqError::Shape {
                input: Input::RightHandSide,
                each: "row of A",
                expected: self.rows,
                found: rhs.nrows(),
            });
        }
        check_finite(rhs, 0, Input::RightHandSide)?;
        let mut top = q.project(self.cols, rhs, self.parallel);
        top.truncate(self.rows.min(self.cols), rhs.ncols());
        Ok(self.map.solve(self.left.project(top).as_ref()))
    }

    /// w = (A⁺)ᵀ v for v with N rows: the transpose of the linear map from right-hand sides to
    /// solutions (of the regularised map if there is a ridge), M×k.
    ///
    /// For every b: ⟨solve(b), v⟩ = ⟨b, adjoint(v)⟩.
    ///
    /// # Errors
    /// As for [`solve`](Self::solve).
    pub fn adjoint(&self, v: MatRef<'_, f64>) -> Result<Mat<f64>, LsqError> {
        let q = self.q.as_ref().ok_or(LsqError::QNotKept)?;
        if v.nrows() != self.cols {
            return Err(LsqError::Shape {
                input: Input::Adjoint,
                each: "column of A",
                expected: self.cols,
                found: v.nrows(),
            });
        }
        check_finite(v, 0, Input::Adjoint)?;
        let short = self.left.expand(self.map.solve_transpose(v).as_ref());
        let mut top = Mat::zeros(self.cols, v.ncols());
        top.as_mut().subrows_mut(0, short.nrows()).copy_from(&short);
        Ok(q.expand(top.as_ref(), self.parallel))
    }
}
