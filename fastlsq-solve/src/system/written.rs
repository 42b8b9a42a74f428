//! Rows that are written out once and used in many systems.

use std::sync::Arc;

use faer::{Mat, MatMut, MatRef};
use fastlsq_basis::Basis;

use super::RowBlock;
use crate::SolveError;
use crate::control::Control;
use crate::lsq::{RowSource, reduce_rows};

/// The rows of a block and their data, without the block's weight.
///
/// More rows than columns are reduced to as many by QR: B = QR and g become R and Qᵀg, with
/// ‖Bβ − g‖² = ‖Rβ − Qᵀg‖² + a constant. Systems that differ in other blocks only, as the steps of Newton's method
/// do, share them: see [`System::with_written`](super::System::with_written).
#[derive(Debug, Clone)]
pub struct WrittenRows {
    rows: Arc<Mat<f64>>,
    data: Vec<f64>,
}

impl WrittenRows {
    /// Writes the rows of a block over these bases.
    ///
    /// # Errors
    /// Operators, points or data that do not fit, values that are not finite, a limit of the control.
    pub fn new(
        block: &RowBlock,
        bases: &[Arc<dyn Basis>],
        control: &Control,
    ) -> Result<Self, SolveError> {
        let plain = RowBlock {
            weight: 1.0,
            exact: false,
            ..block.clone()
        };
        let system = super::System::new(bases.to_vec(), vec![plain])?;
        let rhs = system.right_hand_side();
        let (rows, data) = if system.nrows() > system.ncols() {
            reduce_rows(&system, rhs.as_ref(), control)?
        } else {
            let mut rows = Mat::zeros(system.nrows(), system.ncols());
            system.write_rows(0, rows.as_mut())?;
            (rows, rhs)
        };
        Ok(Self {
            rows: Arc::new(rows),
            data: data.col(0).iter().copied().collect(),
        })
    }

    /// The number of rows: at most the number of columns.
    #[must_use]
    pub fn len(&self) -> usize {
        self.data.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// The number of columns.
    #[must_use]
    pub fn ncols(&self) -> usize {
        self.rows.ncols()
    }

    /// The data.
    #[must_use]
    pub fn data(&self) -> &[f64] {
        &self.data
    }

    /// The same rows for the increment δ in β + δ: the data become Qᵀg − Rβ. Entries of β that are missing
    /// count as zero.
    #[must_use]
    pub fn less(&self, beta: &[f64]) -> Self {
        let mut data = self.data.clone();
        for (column, factor) in self.rows.col_iter().zip(beta) {
            for (value, entry) in data.iter_mut().zip(column.iter()) {
                *value -= entry * factor;
            }
        }
        Self {
            rows: Arc::clone(&self.rows),
            data,
        }
    }

    /// Copies the rows from `start` on, times `weight`.
    pub(super) fn write(&self, start: usize, weight: f64, mut out: MatMut<'_, f64>) {
        let rows: MatRef<'_, f64> = self.rows.subrows(start, out.nrows());
        faer::zip!(out.as_mut(), rows)
            .for_each(|faer::unzip!(target, entry)| *target = weight * *entry);
    }
}
