//! Factoring and solving.

use super::error::{Input, LsqError};
use super::info::{LsqInfo, StageSeconds};
use super::memory::check_memory;
use super::methods::gram::{GramOutcome, normal_equations};
use super::methods::orthogonal::{plain, rank_revealing};
use super::methods::sketch::{column_sketch, sketch_rows};
use super::methods::svd::truncated_svd;
use super::methods::{Parts, Task};
use super::options::{LsqOptions, Method};
use super::products::add_product;
use super::range_map::{RangeMap, add_squares};
use super::row_blocks::for_each_block;
use super::solution_map::SolutionMap;
use super::source::{RowSource, check_finite};
use super::streamed::Layout;
use super::work::Work;
use faer::{Mat, MatRef};
use web_time::Instant;

/// A factored least-squares problem: the map from right-hand sides b to the solutions x of
/// min ‖Ax − b‖² + μ‖x‖².
///
/// The solutions of the right-hand sides that were streamed along with A are always there
/// ([`solution`](Self::solution)). New right-hand sides ([`solve`](Self::solve)), the transposed map
/// ([`adjoint`](Self::adjoint)) and the cache ([`cached`](Self::cached)) need the orthogonal factor: set
/// [`keep_q`](LsqOptions::keep_q). The rows of A are never asked for again after [`factor`] returns.
#[derive(Clone, Debug)]
pub struct Factorisation {
    rows: usize,
    cols: usize,
    pub(super) range: Option<RangeMap>,
    pub(super) map: SolutionMap,
    solution: Mat<f64>,
    residual_norms: Vec<f64>,
    info: LsqInfo,
    pub(super) parallel: bool,
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
    factor_rows(source, rhs, options, false)
}

/// As [`factor`], by all members of the [team](crate::Control::team) of the options' control at the same time.
pub(crate) fn factor_shared(
    source: &dyn RowSource,
    rhs: MatRef<'_, f64>,
    options: &LsqOptions,
) -> Result<Factorisation, LsqError> {
    factor_rows(source, rhs, options, true)
}

pub(super) fn factor_rows(
    source: &dyn RowSource,
    rhs: MatRef<'_, f64>,
    options: &LsqOptions,
    shared: bool,
) -> Result<Factorisation, LsqError> {
    options.validate()?;
    let (m, n) = (source.nrows(), source.ncols());
    if m == 0 || n == 0 {
        return Err(LsqError::Empty { rows: m, cols: n });
    }
    check_memory(m, n, rhs.ncols(), options, shared)?;
    expect_rows(rhs, m, Input::RightHandSide, "row of A")?;
    with_threads(options, |work| {
        let task = Task {
            source,
            rhs,
            options,
            work,
            shared,
        };
        let (parts, method, reason, fallbacks) = run(task)?;
        task.check()?;
        assemble(task, parts, method, reason, fallbacks)
    })
}

/// Calls `compute` on the requested number of threads; its argument says whether to use tasks at all, and until when.
pub(super) fn with_threads<T: Send>(
    options: &LsqOptions,
    compute: impl FnOnce(Work<'_>) -> Result<T, LsqError> + Send,
) -> Result<T, LsqError> {
    let control = options.control.started();
    let work = |parallel| Work {
        parallel,
        control: &control,
    };
    match options.threads {
        // In a pool of this size already.
        Some(threads) if threads > 1 && threads == rayon::current_num_threads() => {
            compute(work(true))
        }
        None => compute(work(true)),
        Some(1) => compute(work(false)),
        Some(threads) => rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| LsqError::Threads {
                threads,
                reason: error.to_string(),
            })?
            .install(|| compute(work(true))),
    }
}

/// Fails unless `input` has as many rows as needed.
pub(super) fn expect_rows(
    a: MatRef<'_, f64>,
    expected: usize,
    input: Input,
    each: &'static str,
) -> Result<(), LsqError> {
    if a.nrows() == expected {
        return Ok(());
    }
    Err(LsqError::Shape {
        input,
        each,
        expected,
        found: a.nrows(),
    })
}

/// Picks the method and runs it: the parts, the method that delivered them, why, and what gave up before.
fn run(task: Task<'_>) -> Result<(Parts, Method, String, Vec<String>), LsqError> {
    let (method, reason) = match task.options.method {
        Method::Auto => choose(task.source.nrows(), task.source.ncols()),
        asked => (asked, "as asked for".to_owned()),
    };
    let mut parts = match method {
        Method::Auto | Method::RankRevealingQr => rank_revealing(task)?,
        Method::Svd => truncated_svd(task)?,
        Method::Qr => plain(task)?,
        Method::NormalEquations => match normal_equations(task)? {
            GramOutcome::Solved(parts) => *parts,
            GramOutcome::Indefinite(pivot) => {
                let mut parts = rank_revealing(task)?;
                let cause = format!(
                    "AᵀA is not positive definite to working accuracy (pivot {pivot}): solved by rank-revealing QR"
                );
                parts.fallback = Some((Method::RankRevealingQr, cause));
                parts
            }
        },
        Method::Sketch if task.source.nrows() <= sketch_rows(task.source.ncols()) => {
            let mut parts = rank_revealing(task)?;
            let cause =
                "a sketch would have as many rows as A: solved by rank-revealing QR".to_owned();
            parts.fallback = Some((Method::RankRevealingQr, cause));
            parts
        }
        Method::Sketch => column_sketch(task)?,
    };
    Ok(match parts.fallback.take() {
        Some((used, cause)) => (parts, used, reason, vec![cause]),
        None => (parts, method, reason, Vec::new()),
    })
}

/// The automatic choice for an `m`×`n` problem, and its reason.
fn choose(m: usize, n: usize) -> (Method, String) {
    if n >= 400 && m >= 4 * n {
        let reason = format!(
            "{} rows per column: a sketch finds the columns that carry the rank, and only they are factored",
            m / n
        );
        (Method::Sketch, reason)
    } else if Layout::new(m, n).is_one_block(m) {
        let reason = "few rows: the rank is revealed on A itself".to_owned();
        (Method::RankRevealingQr, reason)
    } else {
        let reason =
            "few columns: the rows are merged into a triangle and the rank is revealed there";
        (Method::RankRevealingQr, reason.to_owned())
    }
}

/// Solves for the streamed right-hand sides and writes the record.
fn assemble(
    task: Task<'_>,
    parts: Parts,
    method: Method,
    reason: String,
    fallbacks: Vec<String>,
) -> Result<Factorisation, LsqError> {
    let clock = Instant::now();
    let parallel = task.work.parallel;
    let solution = parts.map.solve(parts.coordinates.as_ref(), parallel);
    let misfit = parts
        .map
        .misfit(parts.coordinates.as_ref(), solution.as_ref());
    let squares = match parts.outside.zip(misfit) {
        Some((mut squares, misfit)) => {
            add_squares(misfit.as_ref(), &mut squares);
            squares
        }
        None => residual_squares(task, solution.as_ref())?,
    };
    let info = LsqInfo {
        method,
        reason,
        fallbacks,
        rows: task.source.nrows(),
        cols: task.source.ncols(),
        rank: parts.rank,
        threshold: task.options.threshold_for(task.source.ncols()),
        largest_pivot: parts.largest_pivot,
        smallest_pivot: parts.smallest_pivot,
        largest_dropped: parts.largest_dropped,
        condition: parts.condition,
        flops: parts.flops,
        seconds: StageSeconds {
            reduction: parts.reduction_seconds,
            rank_revealing: parts.rank_seconds,
            solution: clock.elapsed().as_secs_f64(),
        },
    };
    Ok(Factorisation {
        rows: info.rows,
        cols: info.cols,
        range: parts.range,
        map: parts.map,
        solution,
        residual_norms: squares.into_iter().map(f64::sqrt).collect(),
        info,
        parallel,
    })
}

/// ‖Ax − b‖² by another pass over the rows.
fn residual_squares(task: Task<'_>, x: MatRef<'_, f64>) -> Result<Vec<f64>, LsqError> {
    let mut squares = vec![0.0; x.ncols()];
    for_each_block(task.source, task.work, |row, a| {
        let mut rest = task.rhs.subrows(row, a.nrows()).to_owned();
        add_product(rest.as_mut(), -1.0, a, x, task.work);
        add_squares(rest.as_ref(), &mut squares);
    })?;
    Ok(squares)
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

    /// Rows of A.
    #[must_use]
    pub fn nrows(&self) -> usize {
        self.rows
    }

    /// Columns of A.
    #[must_use]
    pub fn ncols(&self) -> usize {
        self.cols
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

    /// Whether the orthogonal factor is spread over several processes: then all of them solve at the same time.
    pub(crate) fn is_shared(&self) -> bool {
        self.range.as_ref().is_some_and(RangeMap::is_shared)
    }

    /// Solutions for new right-hand sides (M×k), N×k.
    ///
    /// # Errors
    /// [`LsqError::QNotKept`] if the orthogonal factor was not kept, wrong sizes, values that are not finite.
    pub fn solve(&self, rhs: MatRef<'_, f64>) -> Result<Mat<f64>, LsqError> {
        let range = self.range.as_ref().ok_or(LsqError::QNotKept)?;
        expect_rows(rhs, self.rows, Input::RightHandSide, "row of A")?;
        check_finite(rhs, 0, Input::RightHandSide)?;
        let coordinates = range.project(rhs, self.parallel);
        Ok(self.map.solve(coordinates.as_ref(), self.parallel))
    }

    /// w = (A⁺)ᵀ v for v with N rows: the transpose of the linear map from right-hand sides to
    /// solutions (of the regularised map if there is a ridge), M×k.
    ///
    /// For every b: ⟨solve(b), v⟩ = ⟨b, adjoint(v)⟩.
    ///
    /// # Errors
    /// As for [`solve`](Self::solve).
    pub fn adjoint(&self, v: MatRef<'_, f64>) -> Result<Mat<f64>, LsqError> {
        let range = self.range.as_ref().ok_or(LsqError::QNotKept)?;
        expect_rows(v, self.cols, Input::Adjoint, "column of A")?;
        check_finite(v, 0, Input::Adjoint)?;
        let coordinates = self.map.solve_transpose(v, self.parallel);
        Ok(range.expand(coordinates.as_ref(), self.parallel))
    }
}
