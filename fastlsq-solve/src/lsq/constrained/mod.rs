//! Equality constraints: min ‖Ax − b‖ subject to Cx = d, by the null-space method.
//!
//! Pivoted QR of Cᵀ gives an orthogonal Z = [Z₁ Z₂] with C·Z₂ = 0 up to a threshold. With x = Z₁y₁ + Z₂y₂ the
//! constraints fix y₁ and the rest is an ordinary problem min ‖(A·Z₂)y₂ − (b − A·Z₁y₁)‖. Row blocks of A are
//! multiplied by the reflectors of Z as they stream by.
//!
//! Values of smooth features at many points depend on each other to rounding. Forcing such constraints one by
//! one would magnify the rounding errors of d by the inverse of the threshold, so only those that are
//! clearly independent are eliminated; what the others say beyond them is added to the rows of A, as heavy
//! as all of these together. If the result does not hold them to rounding (because A and b disagree with the
//! constraints), more of them are eliminated.

mod split;

use crate::lsq::error::{Input, LsqError};
use crate::lsq::factor::{Factorisation, expect_rows, factor_rows, with_threads};
use crate::lsq::info::LsqInfo;
use crate::lsq::kernels::{column, column_mut, dot, scale};
use crate::lsq::memory::check_memory;
use crate::lsq::options::LsqOptions;
use crate::lsq::products::{add_product, product};
use crate::lsq::row_blocks::for_each_block;
use crate::lsq::source::{RowSource, check_finite};
use crate::lsq::triangle::{column_norms, solve_upper};
use crate::lsq::work::Work;
use faer::{Mat, MatRef};
use split::{NullSpaceRows, Split, stack};

/// Constraints (scaled to unit length) that differ from the ones before by at least this much are eliminated.
/// The smaller numbers are tried when the remaining constraints do not hold as they should.
const INDEPENDENT: [f64; 4] = [1e-3, 1e-6, 1e-9, 1e-12];

/// Weight of each remaining constraint beside all rows of A together.
const WEIGHT: f64 = 1.0;

/// Copies of C that are in memory at once.
const COPIES: usize = 5;

/// The matrix C of equality constraints Cx = d, and the values d.
#[derive(Clone, Copy, Debug)]
pub struct Constraints<'a> {
    /// C: one row for each constraint, one column for each unknown. Rows may depend on each other.
    pub matrix: MatRef<'a, f64>,
    /// d: one row for each constraint, one column for each right-hand side.
    pub values: MatRef<'a, f64>,
}

/// A factored problem min ‖Ax − b‖ subject to Cx = d.
#[derive(Clone, Debug)]
pub struct ConstrainedFactorisation {
    rows: usize,
    space: Split,
    /// The problem in the null space; `None` if the constraints leave no freedom.
    free: Option<Factorisation>,
    /// A·Z₁, if the orthogonal factor is kept.
    fixed_columns: Option<Mat<f64>>,
    solution: Mat<f64>,
    residual_norms: Vec<f64>,
    constraint_residuals: Vec<f64>,
}

/// Factors A on the null space of the constraints and solves for the right-hand sides.
///
/// # Errors
/// Those of [`factor`](super::factor), shapes of C and d that do not fit, and [`LsqError::InconsistentConstraints`].
///
/// ```
/// use faer::mat;
/// use fastlsq_solve::lsq::{Constraints, LsqOptions, factor_constrained};
/// # fn main() -> Result<(), fastlsq_solve::lsq::LsqError> {
/// // The point of the line x + y = 1 that is nearest to (3, 1).
/// let (a, b) = (mat![[1.0, 0.0], [0.0, 1.0]], mat![[3.0], [1.0]]);
/// let (c, d) = (mat![[1.0, 1.0]], mat![[1.0]]);
/// let constraints = Constraints { matrix: c.as_ref(), values: d.as_ref() };
/// let solved = factor_constrained(&a, b.as_ref(), constraints, &LsqOptions::new())?;
/// assert!((solved.solution()[(0, 0)] - 1.5).abs() < 1e-14);
/// assert!((solved.solution()[(1, 0)] + 0.5).abs() < 1e-14);
/// # Ok(())
/// # }
/// ```
pub fn factor_constrained(
    source: &dyn RowSource,
    rhs: MatRef<'_, f64>,
    constraints: Constraints<'_>,
    options: &LsqOptions,
) -> Result<ConstrainedFactorisation, LsqError> {
    factor_in_null_space(source, rhs, constraints, options, false)
}

/// As [`factor_constrained`], by all members of the [team](crate::Control::team) of the options' control at the same
/// time. The one pass over the rows that prepares the right-hand side is made by all; the factorisation is shared.
pub(crate) fn factor_constrained_shared(
    source: &dyn RowSource,
    rhs: MatRef<'_, f64>,
    constraints: Constraints<'_>,
    options: &LsqOptions,
) -> Result<ConstrainedFactorisation, LsqError> {
    factor_in_null_space(source, rhs, constraints, options, true)
}

fn factor_in_null_space(
    source: &dyn RowSource,
    rhs: MatRef<'_, f64>,
    constraints: Constraints<'_>,
    options: &LsqOptions,
    shared: bool,
) -> Result<ConstrainedFactorisation, LsqError> {
    options.validate()?;
    let (m, n) = (source.nrows(), source.ncols());
    if m == 0 || n == 0 {
        return Err(LsqError::Empty { rows: m, cols: n });
    }
    check_memory(m, n, rhs.ncols(), options, shared)?;
    let copies = constraints.matrix.nrows().checked_mul(n);
    let copies = copies.and_then(|entries| entries.checked_mul(COPIES * size_of::<f64>()));
    options.control.allow_bytes(copies)?;
    expect_rows(rhs, m, Input::RightHandSide, "row of A")?;
    expect_rows(
        constraints.matrix.transpose(),
        n,
        Input::Constraints,
        "column of A (counting columns of C)",
    )?;
    expect_rows(
        constraints.values,
        constraints.matrix.nrows(),
        Input::ConstraintValues,
        "constraint",
    )?;
    expect_rows(
        constraints.values.transpose(),
        rhs.ncols(),
        Input::ConstraintValues,
        "right-hand side (counting columns of d)",
    )?;
    check_finite(constraints.matrix, 0, Input::Constraints)?;
    check_finite(constraints.values, 0, Input::ConstraintValues)?;
    with_threads(options, |work| {
        // The inner factorisations share the deadline.
        let options = &LsqOptions {
            control: work.control.clone(),
            ..options.clone()
        };
        let mut best: Option<ConstrainedFactorisation> = None;
        for independent in INDEPENDENT {
            let space = Split::new(constraints.matrix, independent, work);
            work.control.check()?;
            let complete = space.qr.rank() == constraints.matrix.nrows().min(n);
            let how = (options, work, shared);
            let solved = solve_in_null_space(source, rhs, constraints, space, how)?;
            let done = complete || solved.holds(constraints.values);
            if best
                .as_ref()
                .is_none_or(|best| solved.worst_violation() < best.worst_violation())
            {
                best = Some(solved);
            }
            if done {
                break;
            }
        }
        let best = best.ok_or(LsqError::Empty { rows: m, cols: n })?;
        best.space
            .contradiction(best.solution.as_ref(), constraints.values)?;
        Ok(best)
    })
}

fn solve_in_null_space(
    source: &dyn RowSource,
    rhs: MatRef<'_, f64>,
    constraints: Constraints<'_>,
    mut space: Split,
    (options, work, shared): (&LsqOptions, Work<'_>, bool),
) -> Result<ConstrainedFactorisation, LsqError> {
    let parallel = work.parallel;
    let (m, n) = (source.nrows(), source.ncols());
    let rank = space.qr.rank();
    let fixed = space.fixed(constraints.values);
    let basis = space.fixed_basis(parallel);
    // b − A·Z₁y₁ needs one pass over the rows, which also tells how large they are.
    let mut rest = rhs.to_owned();
    let mut columns = Mat::zeros(m, if options.keep_q { rank } else { 0 });
    let offset = product(basis.as_ref(), fixed.as_ref(), parallel);
    let mut squares = 0.0;
    for_each_block(source, work, |row, a| {
        for j in 0..n {
            let entries = column(a, j);
            squares += dot(&entries, &entries);
        }
        add_product(
            rest.as_mut().subrows_mut(row, a.nrows()),
            -1.0,
            a,
            offset.as_ref(),
            parallel,
        );
        if options.keep_q {
            let part = product(a, basis.as_ref(), parallel);
            columns
                .as_mut()
                .subrows_mut(row, a.nrows())
                .copy_from(&part);
        }
    })?;
    space.set_weight(WEIGHT * squares.sqrt());
    let free = if rank < n {
        let rows = NullSpaceRows {
            source,
            space: &space,
        };
        let weak = space.weak_values(constraints.values, fixed.as_ref());
        Some(factor_rows(
            &rows,
            stack(rest.as_ref(), weak.as_ref()).as_ref(),
            options,
            shared,
        )?)
    } else {
        None
    };
    let mut solved = ConstrainedFactorisation {
        rows: m,
        space,
        free: None,
        fixed_columns: options.keep_q.then_some(columns),
        solution: Mat::zeros(0, 0),
        residual_norms: Vec::new(),
        constraint_residuals: Vec::new(),
    };
    let y = match &free {
        Some(free) => free.solution().to_owned(),
        None => Mat::zeros(0, rhs.ncols()),
    };
    solved.residual_norms = match &free {
        Some(free) => {
            let mut outside = solved.space.weak_values(constraints.values, fixed.as_ref());
            add_product(
                outside.as_mut(),
                -1.0,
                solved.space.weak.as_ref(),
                y.as_ref(),
                parallel,
            );
            let weak = column_norms(outside.as_ref());
            let all = free.residual_norms().iter().zip(weak);
            all.map(|(all, weak)| ((all - weak) * (all + weak)).max(0.0).sqrt())
                .collect()
        }
        None => column_norms(rest.as_ref()),
    };
    solved.solution =
        solved
            .space
            .combine(fixed.as_ref(), y.as_ref(), constraints.values, parallel);
    solved.constraint_residuals = solved
        .space
        .residuals(solved.solution.as_ref(), constraints.values);
    solved.free = free;
    Ok(solved)
}

impl ConstrainedFactorisation {
    fn worst_violation(&self) -> f64 {
        self.constraint_residuals
            .iter()
            .copied()
            .fold(0.0, f64::max)
    }

    /// Whether all constraints hold as well as rounding allows.
    fn holds(&self, values: MatRef<'_, f64>) -> bool {
        let sizes = self.space.largest(values);
        let norms = column_norms(self.solution.as_ref());
        let allowed = sizes
            .iter()
            .zip(&norms)
            .map(|(d, x)| 1e-13 * d + 10.0 * f64::EPSILON * x);
        self.constraint_residuals
            .iter()
            .zip(allowed)
            .all(|(residual, allowed)| *residual <= allowed)
    }

    /// The solutions, N×k.
    #[must_use]
    pub fn solution(&self) -> MatRef<'_, f64> {
        self.solution.as_ref()
    }

    /// How many constraints are independent.
    #[must_use]
    pub fn constraint_rank(&self) -> usize {
        self.space.qr.rank()
    }

    /// max |Cx − d| for each right-hand side, rows of C scaled to unit length.
    #[must_use]
    pub fn constraint_residuals(&self) -> &[f64] {
        &self.constraint_residuals
    }

    /// ‖Ax − b‖ for each right-hand side.
    #[must_use]
    pub fn residual_norms(&self) -> &[f64] {
        &self.residual_norms
    }

    /// The record of the factorisation in the null space; `None` if the constraints leave no freedom.
    #[must_use]
    pub fn info(&self) -> Option<&LsqInfo> {
        self.free.as_ref().map(Factorisation::info)
    }

    /// Solutions for new right-hand sides and constraint values.
    ///
    /// # Errors
    /// As for [`Factorisation::solve`] and [`factor_constrained`].
    pub fn solve(
        &self,
        rhs: MatRef<'_, f64>,
        values: MatRef<'_, f64>,
    ) -> Result<Mat<f64>, LsqError> {
        let columns = self.fixed_columns.as_ref().ok_or(LsqError::QNotKept)?;
        expect_rows(rhs, self.rows, Input::RightHandSide, "row of A")?;
        expect_rows(
            values,
            self.space.count(),
            Input::ConstraintValues,
            "constraint",
        )?;
        expect_rows(
            values.transpose(),
            rhs.ncols(),
            Input::ConstraintValues,
            "right-hand side (counting columns of d)",
        )?;
        check_finite(values, 0, Input::ConstraintValues)?;
        let fixed = self.space.fixed(values);
        let y = match &self.free {
            Some(free) => {
                let mut rest = rhs.to_owned();
                add_product(
                    rest.as_mut(),
                    -1.0,
                    columns.as_ref(),
                    fixed.as_ref(),
                    free.parallel,
                );
                let weak = self.space.weak_values(values, fixed.as_ref());
                free.solve(stack(rest.as_ref(), weak.as_ref()).as_ref())?
            }
            None => Mat::zeros(0, rhs.ncols()),
        };
        let x = self
            .space
            .combine(fixed.as_ref(), y.as_ref(), values, false);
        self.space.contradiction(x.as_ref(), values)?;
        Ok(x)
    }

    /// The transpose of the map (b, d) → x, applied to v with N rows: the pair (w_b, w_d) with
    /// ⟨x, v⟩ = ⟨b, w_b⟩ + ⟨d, w_d⟩ for all b and all consistent d.
    ///
    /// # Errors
    /// As for [`Factorisation::adjoint`].
    pub fn adjoint(&self, v: MatRef<'_, f64>) -> Result<(Mat<f64>, Mat<f64>), LsqError> {
        let columns = self.fixed_columns.as_ref().ok_or(LsqError::QNotKept)?;
        let n = self.solution.nrows();
        expect_rows(v, n, Input::Adjoint, "column of A")?;
        check_finite(v, 0, Input::Adjoint)?;
        let rank = self.space.qr.rank();
        let mut rotated = v.to_owned();
        self.space.qr.apply_transpose(rotated.as_mut());
        let mut multipliers = rotated.as_ref().subrows(0, rank).to_owned();
        let others = self.space.count() - rank;
        let mut weak = Mat::zeros(others, v.ncols());
        let w = match &self.free {
            Some(free) => {
                let both = free.adjoint(rotated.as_ref().subrows(rank, n - rank))?;
                let w = both.as_ref().subrows(0, self.rows).to_owned();
                weak.copy_from(both.as_ref().subrows(self.rows, others));
                for j in 0..v.ncols() {
                    scale(self.space.weight, column_mut(weak.as_mut(), j));
                }
                let parallel = free.parallel;
                add_product(
                    multipliers.as_mut(),
                    -1.0,
                    columns.transpose(),
                    w.as_ref(),
                    parallel,
                );
                let dependence = self.space.qr.r.as_ref().subcols(rank, others);
                add_product(
                    multipliers.as_mut(),
                    -1.0,
                    dependence,
                    weak.as_ref(),
                    parallel,
                );
                w
            }
            None => Mat::zeros(self.rows, v.ncols()),
        };
        solve_upper(self.space.qr.r11(), multipliers.as_mut());
        let all = stack(multipliers.as_ref(), weak.as_ref());
        let mut values = Mat::zeros(self.space.count(), v.ncols());
        for (place, &row) in self.space.qr.order.iter().enumerate() {
            for j in 0..v.ncols() {
                values[(row, j)] = self.space.scaling[row] * all[(place, j)];
            }
        }
        Ok((w, values))
    }
}
