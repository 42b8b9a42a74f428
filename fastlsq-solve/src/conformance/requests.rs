//! Requests that must be refused, and what must be said about those that were answered.

use faer::Mat;

use super::systems::{basis, inside, mixed, row, spread};
use super::{Verdict, require};
use crate::backend::Backend;
use crate::lsq::{LsqOptions, RowSource};
use crate::system::{RowBlock, System};
use crate::{given, unknown};

/// Shapes, values and options that make no sense are errors, not panics or wrong answers.
///
/// # Errors
/// What does not hold.
pub fn wrong_requests(backend: &dyn Backend) -> Verdict {
    let system = mixed(basis(20, 12.0, 1)?, 100)?;
    let (m, n) = (system.nrows(), system.ncols());
    for (property, options) in [
        ("a negative ridge is refused", LsqOptions::new().ridge(-1.0)),
        (
            "a ridge that is NaN is refused",
            LsqOptions::new().ridge(f64::NAN),
        ),
        (
            "a threshold of 2 is refused",
            LsqOptions::new().threshold(2.0),
        ),
        (
            "a limit of one byte is obeyed",
            LsqOptions::new().memory_limit(1),
        ),
    ] {
        require(backend.factor(&system, &options).is_err(), property, || {
            "it was answered".to_owned()
        })?;
    }
    let singular = |x: f64| if x > 0.5 { f64::NAN } else { 1.0 };
    let field = given("singular", move |x| singular(x[0]));
    let operator = row(field * unknown("u"))?;
    let block = RowBlock::new("bad", operator, inside(50, 1), vec![0.0; 50]);
    let bad = System::new(vec![basis(20, 12.0, 1)?], vec![block])?;
    let refused = backend.factor(&bad, &LsqOptions::new()).is_err();
    require(refused, "rows that are NaN are refused", || {
        "they were factored".to_owned()
    })?;

    let factored = backend.factor(&system, &LsqOptions::new().keep_q(true))?;
    let mut not_finite = spread(m, 1, 1);
    not_finite[(m / 2, 0)] = f64::INFINITY;
    let (short, long) = (spread(m - 1, 1, 1), spread(n + 1, 1, 1));
    for (property, refused) in [
        (
            "a short right-hand side is refused",
            factored.solve(short.as_ref()).is_err(),
        ),
        (
            "an infinite right-hand side is refused",
            factored.solve(not_finite.as_ref()).is_err(),
        ),
        (
            "a long covector is refused",
            factored.adjoint(long.as_ref()).is_err(),
        ),
        (
            "a covector that is NaN is refused",
            factored
                .adjoint(Mat::full(n, 1, f64::NAN).as_ref())
                .is_err(),
        ),
    ] {
        require(refused, property, || "it was answered".to_owned())?;
    }
    Ok(())
}

/// Rows, columns, rank and condition are reported.
///
/// # Errors
/// What does not hold.
pub fn information(backend: &dyn Backend) -> Verdict {
    let system = mixed(basis(30, 12.0, 1)?, 120)?;
    let factored = backend.factor(&system, &LsqOptions::new())?;
    let info = factored.info();
    let sizes = (info.rows, info.cols, info.rank);
    let expected = (system.nrows(), system.ncols(), 30);
    require(sizes == expected, "rows, columns and rank", || {
        format!("{sizes:?} instead of {expected:?}")
    })?;
    let condition = info.condition;
    require(
        (1.0..1e12).contains(&condition),
        "the condition estimate",
        || format!("{condition:e}"),
    )?;
    require(!backend.name().is_empty(), "the backend's name", || {
        "it is empty".to_owned()
    })
}

/// A matrix of zeros has rank 0 and the solution 0.
///
/// # Errors
/// What does not hold.
pub fn zero_matrix(backend: &dyn Backend) -> Verdict {
    let mut block = RowBlock::new("nothing", row(unknown("u"))?, inside(40, 1), vec![1.0; 40]);
    block.row_weights = Some(vec![0.0; 40]);
    let system = System::new(vec![basis(10, 3.0, 1)?], vec![block])?;
    let factored = backend.factor(&system, &LsqOptions::new())?;
    let (rank, x) = (factored.info().rank, factored.solution()?);
    require(rank == 0 && x.norm_l2() == 0.0, "a matrix of zeros", || {
        format!("rank {rank}, ‖x‖ = {:e}", x.norm_l2())
    })
}
