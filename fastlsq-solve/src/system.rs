//! A least-squares system as a description: features, blocks of rows, weights and data.

use std::sync::Arc;

use faer::{Mat, MatMut};
use fastlsq_basis::Basis;
use fastlsq_ops::{EquationRow, Sites};
use ndarray::{Array2, s};

use crate::SolveError;
use crate::lsq::{LsqError, RowSource};

/// Rows of one equation or condition: an operator at points, with weight and data.
#[derive(Debug, Clone)]
pub struct RowBlock {
    /// The name in reports and errors.
    pub label: String,
    /// What stands on the left.
    pub operator: EquationRow,
    /// Where, one row a point.
    pub points: Array2<f64>,
    /// Outward normals, where the operator needs them.
    pub normals: Option<Array2<f64>>,
    /// Coefficients tabulated at the points (see [`fastlsq_ops::Field::tabulated`]).
    pub table: Option<Array2<f64>>,
    /// Points whose rows are subtracted (periodic pairs).
    pub partners: Option<Array2<f64>>,
    /// The values on the right.
    pub data: Vec<f64>,
    /// The factor on every row, and on the data.
    pub weight: f64,
    /// A further factor for each row (1/σᵢ for noisy data).
    pub row_weights: Option<Vec<f64>>,
}

impl RowBlock {
    /// A block at points without normals, with weight 1.
    pub fn new(
        label: impl Into<String>,
        operator: impl Into<EquationRow>,
        points: Array2<f64>,
        data: Vec<f64>,
    ) -> Self {
        Self {
            label: label.into(),
            operator: operator.into(),
            points,
            normals: None,
            table: None,
            partners: None,
            data,
            weight: 1.0,
            row_weights: None,
        }
    }

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.points.nrows()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Points, normals and tabulated coefficients together.
    #[must_use]
    pub fn sites(&self) -> Sites<'_> {
        let mut sites = Sites::new(self.points.view());
        if let Some(normals) = &self.normals {
            sites = sites.with_normals(normals.view());
        }
        if let Some(table) = &self.table {
            sites = sites.with_table(table.view());
        }
        sites
    }

    /// The factor on row `i`.
    #[must_use]
    pub fn factor(&self, i: usize) -> f64 {
        self.weight
            * self
                .row_weights
                .as_ref()
                .and_then(|w| w.get(i))
                .copied()
                .unwrap_or(1.0)
    }

    /// (Bu)(xᵢ), less the partner's value where there is one; without weights.
    ///
    /// # Errors
    /// Bases or coefficients that do not fit.
    pub fn apply(&self, bases: &[&dyn Basis], beta: &[f64]) -> Result<Vec<f64>, SolveError> {
        let mut values = self.operator.apply(bases, beta, self.sites())?;
        if let Some(partners) = &self.partners {
            for (value, other) in values
                .iter_mut()
                .zip(self.operator.apply(bases, beta, partners)?)
            {
                *value -= other;
            }
        }
        Ok(values)
    }

    /// Writes the unweighted rows `start .. start + out.nrows()`.
    fn write_plain(
        &self,
        bases: &[&dyn Basis],
        start: usize,
        mut out: MatMut<'_, f64>,
    ) -> Result<(), SolveError> {
        let count = out.nrows();
        self.operator
            .write_rows(bases, self.sites().block(start, count), out.as_mut())?;
        if let Some(partners) = &self.partners {
            let mut other = Mat::zeros(count, out.ncols());
            let points = partners.slice(s![start..start + count, ..]);
            self.operator.write_rows(bases, points, other.as_mut())?;
            out -= &other;
        }
        Ok(())
    }

    fn write_weighted(
        &self,
        bases: &[&dyn Basis],
        start: usize,
        mut out: MatMut<'_, f64>,
    ) -> Result<(), SolveError> {
        self.write_plain(bases, start, out.as_mut())?;
        if self.row_weights.is_some() {
            for i in 0..out.nrows() {
                let factor = self.factor(start + i);
                for j in 0..out.ncols() {
                    out[(i, j)] *= factor;
                }
            }
        } else if self.weight != 1.0 {
            faer::zip!(out).for_each(|faer::unzip!(entry)| *entry *= self.weight);
        }
        Ok(())
    }
}

/// Bases (one for each unknown) and blocks of rows: the matrix is never formed as a whole.
#[derive(Debug, Clone)]
pub struct System {
    bases: Vec<Arc<dyn Basis>>,
    blocks: Vec<RowBlock>,
    /// The first row of each block, and the number of rows at the end.
    starts: Vec<usize>,
}

impl System {
    /// A system of these blocks over these bases.
    ///
    /// # Errors
    /// An operator that does not fit the bases, tables of the wrong length, data that are not
    /// finite, no rows, no features.
    pub fn new(bases: Vec<Arc<dyn Basis>>, blocks: Vec<RowBlock>) -> Result<Self, SolveError> {
        let mut starts = vec![0];
        for block in &blocks {
            block.operator.validate()?;
            check_length(block, "values", block.data.len())?;
            if let Some(partners) = &block.partners {
                check_length(block, "partner points", partners.nrows())?;
            }
            if let Some(weights) = &block.row_weights {
                check_length(block, "row weights", weights.len())?;
            }
            if let Some(i) = block.data.iter().position(|v| !v.is_finite()) {
                return Err(SolveError::DataNotFinite {
                    label: block.label.clone(),
                    point: block.points.row(i).to_vec(),
                    value: block.data[i],
                });
            }
            starts.push(starts[starts.len() - 1] + block.len());
        }
        if starts[starts.len() - 1] == 0 || bases.iter().all(|basis| basis.is_empty()) {
            return Err(SolveError::NothingToSolve);
        }
        Ok(Self {
            bases,
            blocks,
            starts,
        })
    }

    /// The bases, one for each unknown.
    #[must_use]
    pub fn bases(&self) -> &[Arc<dyn Basis>] {
        &self.bases
    }

    /// The bases as plain references.
    #[must_use]
    pub fn basis_refs(&self) -> Vec<&dyn Basis> {
        self.bases.iter().map(AsRef::as_ref).collect()
    }

    /// The blocks of rows.
    #[must_use]
    pub fn blocks(&self) -> &[RowBlock] {
        &self.blocks
    }

    /// The weighted right-hand side, one column.
    #[must_use]
    pub fn right_hand_side(&self) -> Mat<f64> {
        let mut rhs = Mat::zeros(self.nrows(), 1);
        for (block, &start) in self.blocks.iter().zip(&self.starts) {
            for (i, value) in block.data.iter().enumerate() {
                rhs[(start + i, 0)] = value * block.factor(i);
            }
        }
        rhs
    }

    /// The root mean square of the entries of a block's unweighted rows, from its first rows.
    ///
    /// # Errors
    /// Whatever keeps the rows from being written.
    pub fn block_scale(&self, block: usize, rows: usize) -> Result<f64, SolveError> {
        let Some(block) = self.blocks.get(block) else {
            return Ok(1.0);
        };
        let count = rows.min(block.len());
        let mut sample = Mat::zeros(count, self.ncols());
        block.write_plain(&self.basis_refs(), 0, sample.as_mut())?;
        // Only the columns of unknowns that take part count.
        let mut width = 0;
        for (unknown, _) in block.operator.blocks() {
            width += self.bases.get(*unknown).map_or(0, |basis| basis.len());
        }
        let entries = (count * width).max(1) as f64;
        Ok((sample.squared_norm_l2() / entries).sqrt())
    }

    /// Sets the weight of every block.
    pub fn set_weights(&mut self, weights: &[f64]) {
        for (block, weight) in self.blocks.iter_mut().zip(weights) {
            block.weight = *weight;
        }
    }
}

fn check_length(block: &RowBlock, what: &'static str, found: usize) -> Result<(), SolveError> {
    if found == block.len() {
        Ok(())
    } else {
        Err(SolveError::Table {
            label: block.label.clone(),
            what,
            expected: block.len(),
            found,
        })
    }
}

impl RowSource for System {
    fn nrows(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    fn ncols(&self) -> usize {
        self.bases.iter().map(|basis| basis.len()).sum()
    }

    fn write_rows(&self, start: usize, out: MatMut<'_, f64>) -> Result<(), LsqError> {
        let bases = self.basis_refs();
        let (mut row, mut rest) = (start, out);
        while rest.nrows() > 0 {
            // The block that holds this row.
            let index = self
                .starts
                .partition_point(|&first| first <= row)
                .saturating_sub(1);
            let Some(block) = self.blocks.get(index) else {
                break;
            };
            let inside = row - self.starts[index];
            let count = rest.nrows().min(block.len() - inside);
            let (own, tail) = rest.split_at_row_mut(count);
            block
                .write_weighted(&bases, inside, own)
                .map_err(|cause| LsqError::Source {
                    row,
                    cause: Box::new(cause),
                })?;
            row += count;
            rest = tail;
        }
        Ok(())
    }
}
