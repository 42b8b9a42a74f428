//! Systems with blocks that must hold exactly.

use std::ops::Range;

use faer::{Mat, MatRef};

use super::Factored;
use crate::SolveError;
use crate::lsq::{
    ConstrainedFactorisation, Constraints, Input, LsqError, LsqInfo, LsqOptions, Method, RowSource,
    factor_constrained, factor_constrained_shared,
};
use crate::system::System;

/// min ‖Aβ − b‖ over the fitted rows, subject to the exact rows.
#[derive(Debug)]
pub(super) struct ConstrainedFactored {
    factorisation: ConstrainedFactorisation,
    /// Rows of the whole system.
    rows: usize,
    /// Those of them that are constraints.
    exact: Vec<Range<usize>>,
    info: LsqInfo,
}

impl ConstrainedFactored {
    pub(super) fn boxed(
        system: &System,
        free: &System,
        exact: &System,
        options: &LsqOptions,
        shared: bool,
    ) -> Result<Box<dyn Factored>, SolveError> {
        let mut matrix = Mat::zeros(exact.nrows(), exact.ncols());
        exact.write_rows(0, matrix.as_mut())?;
        let values = exact.right_hand_side();
        let constraints = Constraints {
            matrix: matrix.as_ref(),
            values: values.as_ref(),
        };
        let rhs = free.right_hand_side();
        let factor = if shared {
            factor_constrained_shared
        } else {
            factor_constrained
        };
        let factorisation = factor(free, rhs.as_ref(), constraints, options)?;
        let info = describe(&factorisation, system, options);
        Ok(Box::new(Self {
            factorisation,
            rows: system.nrows(),
            exact: system.exact_rows(),
            info,
        }))
    }

    /// For each row of the system whether it is a constraint.
    fn is_exact(&self) -> Vec<bool> {
        let mut exact = vec![false; self.rows];
        for range in &self.exact {
            exact[range.clone()].fill(true);
        }
        exact
    }
}

impl Factored for ConstrainedFactored {
    fn solution(&self) -> Result<Mat<f64>, SolveError> {
        Ok(self.factorisation.solution().to_owned())
    }

    fn solve(&self, right_hand_sides: MatRef<'_, f64>) -> Result<Mat<f64>, SolveError> {
        if right_hand_sides.nrows() != self.rows {
            return Err(LsqError::Shape {
                input: Input::RightHandSide,
                each: "row of the system",
                expected: self.rows,
                found: right_hand_sides.nrows(),
            }
            .into());
        }
        let exact = self.is_exact();
        let part = |wanted: bool| {
            let rows: Vec<usize> = (0..self.rows).filter(|&i| exact[i] == wanted).collect();
            Mat::from_fn(rows.len(), right_hand_sides.ncols(), |i, j| {
                right_hand_sides[(rows[i], j)]
            })
        };
        let (fitted, values) = (part(false), part(true));
        Ok(self.factorisation.solve(fitted.as_ref(), values.as_ref())?)
    }

    fn adjoint(&self, covectors: MatRef<'_, f64>) -> Result<Mat<f64>, SolveError> {
        let (fitted, values) = self.factorisation.adjoint(covectors)?;
        let mut all = Mat::zeros(self.rows, covectors.ncols());
        let (mut next_fitted, mut next_value) = (0, 0);
        for (row, exact) in self.is_exact().into_iter().enumerate() {
            let (source, next) = if exact {
                (&values, &mut next_value)
            } else {
                (&fitted, &mut next_fitted)
            };
            for j in 0..covectors.ncols() {
                all[(row, j)] = source[(*next, j)];
            }
            *next += 1;
        }
        Ok(all)
    }

    fn info(&self) -> &LsqInfo {
        &self.info
    }
}

/// The record of the whole: the constraints count towards rows and rank.
fn describe(
    factorisation: &ConstrainedFactorisation,
    system: &System,
    options: &LsqOptions,
) -> LsqInfo {
    let fixed = factorisation.constraint_rank();
    let mut info = factorisation.info().cloned().unwrap_or_else(|| {
        let mut info = LsqInfo::new(
            Method::RankRevealingQr,
            "no free coefficients are left",
            0,
            0,
        );
        info.threshold = options.threshold_for(system.ncols());
        info
    });
    (info.rows, info.cols) = (system.nrows(), system.ncols());
    info.rank += fixed;
    info.reason = format!("{}; constraints of rank {fixed} eliminated", info.reason);
    info
}
