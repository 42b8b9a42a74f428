//! The regression target ≈ Σ cₖ Tₖ, compressed to as many rows as it has terms.

use faer::MatRef;

use super::thin::{SmallSolution, norm, solve, triangularise};

/// Rows of a regression y ≈ X c, kept as the triangle of [X y].
///
/// Everything that follows (LASSO, subsets, thresholding, refits) sees at most p + 1 rows instead
/// of thousands and gives the same answer.
#[derive(Debug, Clone)]
pub struct Regression {
    /// Columns of the triangle of X.
    columns: Vec<Vec<f64>>,
    /// The same rows of y.
    target: Vec<f64>,
    /// ‖column‖/√n of the original columns.
    scales: Vec<f64>,
    /// Number of rows before the compression.
    rows: usize,
}

impl Regression {
    /// Compresses the rows (X, y).
    #[must_use]
    pub fn new(columns: MatRef<'_, f64>, target: &[f64]) -> Self {
        let rows = columns.nrows().min(target.len());
        let work = (0..columns.ncols())
            .map(|k| columns.col(k).iter().take(rows).copied().collect())
            .chain([target[..rows].to_vec()])
            .collect();
        Self::from_columns(work, rows)
    }

    /// Several regressions stacked on one another; all have the same terms.
    pub(crate) fn stacked<'a>(parts: impl Iterator<Item = &'a Self>, terms: usize) -> Self {
        let mut work: Vec<Vec<f64>> = vec![Vec::new(); terms + 1];
        let mut rows = 0;
        for part in parts {
            rows += part.rows;
            for (column, piece) in work
                .iter_mut()
                .zip(part.columns.iter().chain([&part.target]))
            {
                column.extend(piece);
            }
        }
        Self::from_columns(work, rows)
    }

    /// The last of the columns is the target.
    fn from_columns(mut work: Vec<Vec<f64>>, rows: usize) -> Self {
        let root = (rows.max(1) as f64).sqrt();
        let terms = work.len().saturating_sub(1);
        let scales = work.iter().take(terms).map(|c| norm(c) / root).collect();
        triangularise(&mut work);
        let target = work.pop().unwrap_or_default();
        Self {
            columns: work,
            target,
            scales,
            rows,
        }
    }

    /// Number of terms.
    #[must_use]
    pub fn terms(&self) -> usize {
        self.columns.len()
    }

    /// Number of rows before the compression.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Root mean square of each column.
    #[must_use]
    pub fn scales(&self) -> &[f64] {
        &self.scales
    }

    /// ‖y‖².
    #[must_use]
    pub fn target_square(&self) -> f64 {
        self.target.iter().map(|v| v * v).sum()
    }

    pub(crate) fn columns(&self) -> &[Vec<f64>] {
        &self.columns
    }

    pub(crate) fn target(&self) -> &[f64] {
        &self.target
    }

    /// Ordinary least squares on a support.
    pub(crate) fn on_support(&self, support: &[usize]) -> SmallSolution {
        let columns: Vec<&[f64]> = support
            .iter()
            .map(|&k| self.columns[k].as_slice())
            .collect();
        solve(&columns, &self.target)
    }

    /// ‖y − X c‖² for coefficients on a support.
    pub(crate) fn misfit(&self, support: &[usize], coefficients: &[f64]) -> f64 {
        (0..self.target.len())
            .map(|i| {
                let model: f64 = support
                    .iter()
                    .zip(coefficients)
                    .map(|(&k, c)| c * self.columns[k][i])
                    .sum();
                (self.target[i] - model).powi(2)
            })
            .sum()
    }
}
