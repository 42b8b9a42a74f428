//! A least-squares system as a description: features, blocks of rows, weights and data.

mod block;
mod sharing;
mod written;

use std::ops::Range;
use std::sync::Arc;

use faer::{Mat, MatMut};
use fastlsq_basis::Basis;
use ndarray::Array2;

use crate::SolveError;
use crate::lsq::{LsqError, RowSource};

pub use block::RowBlock;
pub use written::WrittenRows;

use block::check_block;
use sharing::Sharing;

/// Bases (one for each unknown) and blocks of rows: the matrix is never formed as a whole.
#[derive(Debug, Clone)]
pub struct System {
    bases: Vec<Arc<dyn Basis>>,
    blocks: Vec<RowBlock>,
    /// For each block, its rows where they are there already.
    written: Vec<Option<WrittenRows>>,
    /// The first row of each block, and the number of rows of all blocks at the end.
    starts: Vec<usize>,
    /// √μ, if the rows √μ I follow the blocks.
    ridge_root: Option<f64>,
    /// Unknowns that share their coefficients, if any do.
    sharing: Option<Sharing>,
}

impl System {
    /// A system of these blocks over these bases.
    ///
    /// # Errors
    /// An operator or points that do not fit the bases, tables of the wrong length, points, weights
    /// or data that are not finite, no rows, no features.
    pub fn new(bases: Vec<Arc<dyn Basis>>, blocks: Vec<RowBlock>) -> Result<Self, SolveError> {
        let Some(dim) = bases.first().map(Basis::dim) else {
            return Err(SolveError::NothingToSolve);
        };
        for block in &blocks {
            check_block(block, &bases, dim)?;
        }
        let starts = first_rows(blocks.iter().map(RowBlock::len));
        if starts.last() == Some(&0) || bases.iter().all(Basis::is_empty) {
            return Err(SolveError::NothingToSolve);
        }
        Ok(Self {
            bases,
            written: vec![None; blocks.len()],
            blocks,
            starts,
            ridge_root: None,
            sharing: None,
        })
    }

    /// Adds the rows √μ I with the data 0 below the blocks: the ridge μ as part of the matrix, so that right-hand
    /// sides and residuals reach it too. Leave [`LsqOptions::ridge`](crate::LsqOptions::ridge) at 0 then: the two would
    /// add up.
    ///
    /// Derivatives of a regularised solution need this: with S = [A; √μ I], (AᵀA + μI)⁻¹ = S⁺(S⁺)ᵀ, one adjoint and
    /// one solve (as long as √μ is above the threshold at which columns are cut).
    ///
    /// # Errors
    /// A ridge that is negative or not finite.
    pub fn with_ridge_rows(mut self, mu: f64) -> Result<Self, SolveError> {
        if !(mu >= 0.0 && mu.is_finite()) {
            return Err(SolveError::Option {
                option: "ridge",
                value: mu,
                requirement: "it must be finite and not negative",
            });
        }
        self.ridge_root = (mu > 0.0).then_some(mu.sqrt());
        Ok(self)
    }

    /// Lets unknowns share their coefficients: those of unknown k are those of unknown `owners[k]`, which is its own owner.
    /// The j-th columns of both become one, their sum.
    ///
    /// A complex wave Σ cₙ Hₙ as a pair of real unknowns has such coefficients.
    ///
    /// # Errors
    /// A number of owners that is not that of the unknowns, owners that are not their own, bases of different length.
    pub fn with_shared_coefficients(mut self, owners: &[usize]) -> Result<Self, SolveError> {
        self.sharing = Sharing::new(&self.bases, owners)?;
        Ok(self)
    }

    /// Whether some unknowns share their coefficients.
    #[must_use]
    pub fn shares_coefficients(&self) -> bool {
        self.sharing.is_some()
    }

    /// The coefficients of all unknowns, one after the other, from those of the columns.
    #[must_use]
    pub fn spread(&self, columns: Vec<f64>) -> Vec<f64> {
        match &self.sharing {
            Some(sharing) => sharing.spread(&columns),
            None => columns,
        }
    }

    /// The features of all unknowns.
    fn features(&self) -> usize {
        self.bases.iter().map(Basis::len).sum()
    }

    /// √μ, if the rows √μ I [follow the blocks](Self::with_ridge_rows).
    #[must_use]
    pub fn ridge_root(&self) -> Option<f64> {
        self.ridge_root
    }

    /// The rows of all blocks; those of a ridge follow.
    fn block_rows(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Takes the rows and data of some blocks from where they are written out: one entry per block, `None` for blocks
    /// to be assembled. The weights of the blocks stay in force.
    ///
    /// Only for backends that [take written rows](crate::Backend::takes_written_rows).
    ///
    /// # Errors
    /// A number of entries that is not that of the blocks, rows with another number of columns, rows for a block that must
    /// hold exactly.
    pub fn with_written(mut self, written: Vec<Option<WrittenRows>>) -> Result<Self, SolveError> {
        let misfit = |label: &str, what, expected, found| SolveError::Table {
            label: label.to_owned(),
            what,
            expected,
            found,
        };
        if written.len() != self.blocks.len() {
            let (expected, found) = (self.blocks.len(), written.len());
            return Err(misfit("the system", "written blocks", expected, found));
        }
        let pairs = || self.blocks.iter().zip(&written);
        for (block, rows) in pairs().filter_map(|(block, rows)| Some((block, rows.as_ref()?))) {
            if rows.ncols() != self.ncols() {
                let (expected, found) = (self.ncols(), rows.ncols());
                return Err(misfit(&block.label, "columns", expected, found));
            }
            if block.exact {
                let found = rows.len();
                return Err(misfit(
                    &block.label,
                    "written rows of constraints",
                    0,
                    found,
                ));
            }
        }
        let lengths =
            pairs().map(|(block, rows)| rows.as_ref().map_or(block.len(), WrittenRows::len));
        self.starts = first_rows(lengths);
        self.written = written;
        Ok(self)
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

    /// The blocks of rows; those of a [ridge](Self::ridge_root) come after them.
    #[must_use]
    pub fn blocks(&self) -> &[RowBlock] {
        &self.blocks
    }

    /// The rows of the blocks that are equality constraints: ranges of row numbers, in order.
    #[must_use]
    pub fn exact_rows(&self) -> Vec<Range<usize>> {
        let blocks = self.blocks.iter().zip(&self.starts);
        blocks
            .filter(|(block, _)| block.exact && !block.is_empty())
            .map(|(block, &start)| start..start + block.len())
            .collect()
    }

    /// The blocks to be fitted and those to hold exactly, as systems of their own; `None` for
    /// a system without rows.
    #[must_use]
    pub fn split_exact(&self) -> (Option<Self>, Option<Self>) {
        let part = |exact: bool| {
            let pairs = self.blocks.iter().zip(&self.written);
            let (blocks, written): (Vec<_>, Vec<_>) = pairs
                .filter(|(block, _)| block.exact == exact)
                .map(|(block, written)| (block.clone(), written.clone()))
                .unzip();
            let part = Self::new(self.bases.clone(), blocks).map(|part| Self {
                sharing: self.sharing.clone(),
                ..part
            });
            part.and_then(|part| part.with_written(written)).ok()
        };
        let fitted = match self.ridge_root {
            None => part(false),
            // The ridge is fitted too, alone if need be.
            Some(_) => Some(Self {
                ridge_root: self.ridge_root,
                ..part(false).unwrap_or_else(|| self.without_blocks())
            }),
        };
        (fitted, part(true))
    }

    fn without_blocks(&self) -> Self {
        Self {
            bases: self.bases.clone(),
            blocks: Vec::new(),
            written: Vec::new(),
            starts: vec![0],
            ridge_root: self.ridge_root,
            sharing: self.sharing.clone(),
        }
    }

    /// The weighted right-hand side, one column.
    #[must_use]
    pub fn right_hand_side(&self) -> Mat<f64> {
        let mut rhs = Mat::zeros(self.nrows(), 1);
        let blocks = self.blocks.iter().zip(&self.written).zip(&self.starts);
        for ((block, written), &start) in blocks {
            if let Some(written) = written {
                for (i, value) in written.data().iter().enumerate() {
                    rhs[(start + i, 0)] = value * block.weight;
                }
                continue;
            }
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
        let mut sample = Mat::zeros(count, self.features());
        block.write_plain(&self.basis_refs(), 0, sample.as_mut())?;
        // Only the columns of unknowns that take part count.
        let mut width = 0;
        for (unknown, _) in block.operator.blocks() {
            width += self.bases.get(*unknown).map_or(0, Basis::len);
        }
        let entries = (count * width).max(1) as f64;
        Ok((sample.squared_norm_l2() / entries).sqrt())
    }

    /// The root mean square of the entries that the operator of a block has at points of the first block, where boundaries
    /// do not make any vanish; 0 for blocks that need tables.
    ///
    /// # Errors
    /// As [`block_scale`](Self::block_scale).
    pub fn block_terms(&self, block: usize, rows: usize) -> Result<f64, SolveError> {
        let (Some(block), Some(first)) = (self.blocks.get(block), self.blocks.first()) else {
            return Ok(0.0);
        };
        if block.table.is_some() {
            return Ok(0.0);
        }
        let count = rows.min(first.len());
        let points = first.points.slice(ndarray::s![..count, ..]).to_owned();
        let dim = points.ncols().max(1);
        let mut inside = RowBlock::new("", block.operator.clone(), points, vec![0.0; count]);
        inside.normals = Some(Array2::from_elem((count, dim), 1.0 / (dim as f64).sqrt()));
        let mut sample = Mat::zeros(count, self.features());
        inside.write_plain(&self.basis_refs(), 0, sample.as_mut())?;
        let entries = (count * self.features()).max(1) as f64;
        Ok((sample.squared_norm_l2() / entries).sqrt())
    }

    /// Sets the weight of every block.
    pub fn set_weights(&mut self, weights: &[f64]) {
        for (block, weight) in self.blocks.iter_mut().zip(weights) {
            block.weight = *weight;
        }
    }
}

/// Where each block begins, and the end of the last.
fn first_rows(lengths: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut starts = vec![0];
    for length in lengths {
        starts.push(starts.last().copied().unwrap_or(0) + length);
    }
    starts
}

impl RowSource for System {
    fn nrows(&self) -> usize {
        let below = self.ridge_root.map_or(0, |_| self.ncols());
        self.block_rows() + below
    }

    fn ncols(&self) -> usize {
        let sharing = self.sharing.as_ref();
        sharing.map_or_else(|| self.features(), Sharing::columns)
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
            let count = rest.nrows().min(self.starts[index + 1] - row);
            let (own, tail) = rest.split_at_row_mut(count);
            match &self.written[index] {
                Some(written) => written.write(inside, block.weight, own),
                None => {
                    let written = match &self.sharing {
                        None => block.write_weighted(&bases, inside, own),
                        Some(sharing) => {
                            let mut full = Mat::zeros(count, self.features());
                            let written = block.write_weighted(&bases, inside, full.as_mut());
                            written.map(|()| sharing.fold(full.as_ref(), own))
                        }
                    };
                    written.map_err(|cause| LsqError::Source {
                        row,
                        cause: Box::new(cause),
                    })?;
                }
            }
            row += count;
            rest = tail;
        }
        if let Some(root) = self.ridge_root
            && rest.nrows() > 0
        {
            rest.fill(0.0);
            let first = row - self.block_rows();
            for i in 0..rest.nrows().min(self.ncols().saturating_sub(first)) {
                rest[(i, first + i)] = root;
            }
        }
        Ok(())
    }
}
