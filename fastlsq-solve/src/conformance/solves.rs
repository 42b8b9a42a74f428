//! Solutions against the reference, and what must hold between solves.

use faer::{Mat, MatRef};

use super::reference::least_squares;
use super::systems::{basis, doubled, inside, matrix, mixed, spread, wave};
use super::{Verdict, require, require_close};
use crate::backend::Backend;
use crate::dense::column;
use crate::lsq::{LsqOptions, RowSource};
use crate::system::{RowBlock, System};
use crate::{EquationRow, SolveError};

/// ‖Ax − b‖ of a solution is that of the best, up to a share of ‖b‖.
fn require_best_fit(
    property: &'static str,
    a: MatRef<'_, f64>,
    x: MatRef<'_, f64>,
    best: MatRef<'_, f64>,
    b: MatRef<'_, f64>,
) -> Verdict {
    let residual = |x: MatRef<'_, f64>| (a * x - b).norm_l2();
    let (found, least) = (residual(x), residual(best));
    let allowed = least * (1.0 + 1e-8) + 1e-11 * b.norm_l2();
    require(found <= allowed, property, || {
        format!("the residual is {found:.3e}, but {least:.3e} can be had")
    })
}

/// Independent features: the coefficients are those of the reference.
///
/// # Errors
/// What does not hold.
pub fn full_rank(backend: &dyn Backend) -> Verdict {
    let system = mixed(basis(40, 12.0, 1)?, 240)?;
    let (a, b) = (matrix(&system)?, system.right_hand_side());
    let factored = backend.factor(&system, &LsqOptions::new())?;
    let expected = least_squares(a.as_ref(), b.as_ref(), 0.0)?;
    let property = "coefficients of a system of full rank";
    require_close(
        property,
        factored.solution()?.as_ref(),
        expected.as_ref(),
        1e-8,
    )
}

/// Repeated features: the best fit, the right rank, and with `minimum_norm` the least norm.
///
/// # Errors
/// What does not hold.
pub fn rank_deficient(backend: &dyn Backend) -> Verdict {
    let system = mixed(doubled(25, 12.0)?, 200)?;
    let (a, b) = (matrix(&system)?, system.right_hand_side());
    let best = least_squares(a.as_ref(), b.as_ref(), 0.0)?;
    let basic = backend.factor(&system, &LsqOptions::new())?;
    let rank = basic.info().rank;
    require(rank == 25, "the rank of repeated columns", || {
        format!("{rank} instead of 25")
    })?;
    require_best_fit(
        "the fit of a rank-deficient system",
        a.as_ref(),
        basic.solution()?.as_ref(),
        best.as_ref(),
        b.as_ref(),
    )?;
    let least = backend.factor(&system, &LsqOptions::new().minimum_norm(true))?;
    let property = "the minimum-norm solution of a rank-deficient system";
    require_close(property, least.solution()?.as_ref(), best.as_ref(), 1e-8)
}

/// Fewer rows than features: all rows hold, with the least coefficients.
///
/// # Errors
/// What does not hold.
pub fn wide(backend: &dyn Backend) -> Verdict {
    let points = inside(20, 1);
    let data = wave(&points);
    let block = RowBlock::new("values", EquationRow::value(2, 0, 1), points, data);
    let system = System::new(vec![basis(60, 12.0, 1)?], vec![block])?;
    let (a, b) = (matrix(&system)?, system.right_hand_side());
    let x = backend.factor(&system, &LsqOptions::new())?.solution()?;
    require_close(
        "the rows of a wide system",
        (&a * &x).as_ref(),
        b.as_ref(),
        1e-11,
    )?;
    let expected = least_squares(a.as_ref(), b.as_ref(), 0.0)?;
    let property = "the minimum-norm solution of a wide system";
    require_close(property, x.as_ref(), expected.as_ref(), 1e-8)
}

/// min ‖Ax − b‖² + μ‖x‖².
///
/// # Errors
/// What does not hold.
pub fn ridge(backend: &dyn Backend) -> Verdict {
    for mu in [1e-6, 1e-2, 1.0] {
        let system = mixed(basis(50, 3.0, 1)?, 200)?;
        let (a, b) = (matrix(&system)?, system.right_hand_side());
        let x = backend
            .factor(&system, &LsqOptions::new().ridge(mu))?
            .solution()?;
        let expected = least_squares(a.as_ref(), b.as_ref(), mu)?;
        require_close("the ridge solution", x.as_ref(), expected.as_ref(), 1e-7)?;
    }
    Ok(())
}

/// The ridge as rows of the system: the same solution, and (AᵀA + μI)⁻¹ as a solve after an adjoint.
///
/// # Errors
/// What does not hold.
pub fn ridge_rows(backend: &dyn Backend) -> Verdict {
    let keep = LsqOptions::new().keep_q(true);
    for mu in [1e-4, 1.0] {
        let plain = mixed(basis(50, 3.0, 1)?, 200)?;
        let (a, b) = (matrix(&plain)?, plain.right_hand_side());
        let expected = least_squares(a.as_ref(), b.as_ref(), mu)?;
        let system = plain.with_ridge_rows(mu)?;
        require(
            system.nrows() == a.nrows() + a.ncols(),
            "one row of the ridge for each column",
            || format!("{} rows", system.nrows()),
        )?;
        let factored = backend.factor(&system, &keep)?;
        let x = factored.solution()?;
        require_close("the ridge as rows", x.as_ref(), expected.as_ref(), 1e-7)?;

        let v = spread(a.ncols(), 2, 5);
        let z = factored.solve(factored.adjoint(v.as_ref())?.as_ref())?;
        let back = a.transpose() * (&a * &z) + mu * &z;
        require_close(
            "(AᵀA + μI)⁻¹ by an adjoint and a solve",
            back.as_ref(),
            v.as_ref(),
            1e-8,
        )?;
    }
    // Nothing but exact rows: the ridge picks the smallest of the solutions.
    let few = mixed(basis(40, 12.0, 1)?, 10)?;
    let mut blocks = few.blocks().to_vec();
    blocks.iter_mut().for_each(|block| block.exact = true);
    let exact = System::new(few.bases().to_vec(), blocks)?;
    let (a, b) = (matrix(&exact)?, exact.right_hand_side());
    let expected = least_squares(a.as_ref(), b.as_ref(), 0.0)?;
    let factored = backend.factor(&exact.with_ridge_rows(1e-2)?, &keep)?;
    let x = factored.solution()?;
    require_close(
        "exact rows and a ridge",
        x.as_ref(),
        expected.as_ref(),
        1e-7,
    )
}

/// Several right-hand sides at once are the single ones side by side, each the best fit.
///
/// # Errors
/// What does not hold.
pub fn several_right_hand_sides(backend: &dyn Backend) -> Verdict {
    let system = mixed(basis(40, 12.0, 1)?, 200)?;
    let a = matrix(&system)?;
    let rhs = spread(system.nrows(), 3, 7);
    let factored = backend.factor(&system, &LsqOptions::new().keep_q(true))?;
    let together = factored.solve(rhs.as_ref())?;
    let expected = least_squares(a.as_ref(), rhs.as_ref(), 0.0)?;
    require_close(
        "three right-hand sides",
        together.as_ref(),
        expected.as_ref(),
        1e-8,
    )?;
    for j in 0..3 {
        let one = factored.solve(rhs.as_ref().subcols(j, 1))?;
        let of_many = together.as_ref().subcols(j, 1);
        require_close(
            "one of three right-hand sides",
            one.as_ref(),
            of_many,
            1e-10,
        )?;
    }
    let none = factored.solve(Mat::zeros(system.nrows(), 0).as_ref())?;
    require(
        (none.nrows(), none.ncols()) == (system.ncols(), 0),
        "no right-hand sides",
        || format!("a {}×{} answer", none.nrows(), none.ncols()),
    )
}

/// ⟨solve(b), v⟩ = ⟨b, adjoint(v)⟩, also with dependent columns, a ridge, and few rows.
///
/// # Errors
/// What does not hold.
pub fn adjoint_identity(backend: &dyn Backend) -> Verdict {
    let keep = LsqOptions::new().keep_q(true);
    let cases = [
        (mixed(basis(40, 12.0, 1)?, 200)?, keep.clone()),
        (mixed(doubled(25, 12.0)?, 200)?, keep.clone()),
        (
            mixed(doubled(25, 12.0)?, 200)?,
            keep.clone().minimum_norm(true),
        ),
        (mixed(basis(50, 3.0, 1)?, 200)?, keep.clone().ridge(1e-4)),
        (mixed(basis(60, 12.0, 1)?, 20)?, keep),
    ];
    for (system, options) in cases {
        let factored = backend.factor(&system, &options)?;
        let (b, v) = (spread(system.nrows(), 1, 8), spread(system.ncols(), 1, 9));
        let x = factored.solve(b.as_ref())?;
        let w = factored.adjoint(v.as_ref())?;
        let left = (x.transpose() * &v)[(0, 0)];
        let right = (b.transpose() * &w)[(0, 0)];
        let size = x.norm_l2() * v.norm_l2() + b.norm_l2() * w.norm_l2();
        require(
            (left - right).abs() <= 1e-10 * size,
            "the adjoint identity",
            || format!("⟨solve(b), v⟩ = {left:e}, but ⟨b, adjoint(v)⟩ = {right:e}"),
        )?;
    }
    Ok(())
}

/// The system's own right-hand side, solved again from the kept factors: as good as the first time.
///
/// # Errors
/// What does not hold.
pub fn cached_solves(backend: &dyn Backend) -> Verdict {
    for sigma in [3.0, 12.0] {
        let system = mixed(basis(80, sigma, 1)?, 300)?;
        let (a, b) = (matrix(&system)?, system.right_hand_side());
        let factored = backend.factor(&system, &LsqOptions::new().keep_q(true))?;
        let first = factored.solution()?;
        for _ in 0..2 {
            let again = factored.solve(b.as_ref())?;
            let property = "the fit from kept factors";
            require_best_fit(
                property,
                a.as_ref(),
                again.as_ref(),
                first.as_ref(),
                b.as_ref(),
            )?;
        }
    }
    Ok(())
}

/// Smooth features, numerically dependent: the held-out error of a smooth function is at rounding.
///
/// # Errors
/// What does not hold.
pub fn smooth_function(backend: &dyn Backend) -> Verdict {
    let basis = basis(250, 4.0, 2)?;
    let points = inside(700, 1);
    let data = wave(&points);
    let block = RowBlock::new("values", EquationRow::value(2, 0, 1), points, data);
    let system = System::new(vec![basis.clone()], vec![block])?;
    let x = backend.factor(&system, &LsqOptions::new())?.solution()?;
    let beta = column(x.as_ref(), 0);
    let fresh = inside(200, 77);
    let found = EquationRow::value(2, 0, 1)
        .apply(&[basis.as_ref()], &beta, &fresh)
        .map_err(SolveError::from)?;
    let worst = found
        .iter()
        .zip(wave(&fresh))
        .map(|(f, e)| (f - e).abs())
        .fold(0.0, f64::max);
    require(worst <= 1e-10, "a smooth function at fresh points", || {
        format!("the error is {worst:.1e}")
    })
}
