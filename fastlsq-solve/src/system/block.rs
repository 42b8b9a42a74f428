//! Rows of one equation or condition.

use std::sync::Arc;

use faer::{Mat, MatMut};
use fastlsq_basis::Basis;
use fastlsq_ops::{EquationRow, Sites};
use ndarray::Array2;

use crate::SolveError;

/// Rows of one equation or condition: an operator at points, with weight and data.
#[derive(Debug, Clone)]
pub struct RowBlock {
    /// The name in reports and errors.
    pub label: String,
    /// What stands on the left.
    pub operator: EquationRow,
    /// Where, one row per point.
    pub points: Array2<f64>,
    /// Outward normals, where the operator needs them.
    pub normals: Option<Array2<f64>>,
    /// Coefficients tabulated at the points (see [`fastlsq_ops::Field::tabulated`]).
    pub table: Option<Array2<f64>>,
    /// Points whose rows are subtracted (periodic pairs).
    pub partners: Option<Array2<f64>>,
    /// The normals there, where the operator needs them.
    pub partner_normals: Option<Array2<f64>>,
    /// The values on the right.
    pub data: Vec<f64>,
    /// The factor on every row, and on the data.
    pub weight: f64,
    /// A further factor for each row (1/σᵢ for noisy data).
    pub row_weights: Option<Vec<f64>>,
    /// Whether the rows are equality constraints, to hold to rounding.
    pub exact: bool,
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
            partner_normals: None,
            data,
            weight: 1.0,
            row_weights: None,
            exact: false,
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

    /// How many numbers it holds.
    pub(crate) fn numbers(&self) -> usize {
        let tables = [
            &self.normals,
            &self.table,
            &self.partners,
            &self.partner_normals,
        ];
        let tables = tables.into_iter().flatten().map(Array2::len).sum::<usize>();
        let weights = self.row_weights.as_ref().map_or(0, Vec::len);
        self.points.len() + tables + self.data.len() + weights
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

    /// The points whose rows are subtracted, with their normals.
    #[must_use]
    pub fn partner_sites(&self) -> Option<Sites<'_>> {
        let sites = Sites::new(self.partners.as_ref()?.view());
        Some(match &self.partner_normals {
            Some(normals) => sites.with_normals(normals.view()),
            None => sites,
        })
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
        if let Some(partners) = self.partner_sites() {
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
    pub(super) fn write_plain(
        &self,
        bases: &[&dyn Basis],
        start: usize,
        mut out: MatMut<'_, f64>,
    ) -> Result<(), SolveError> {
        let count = out.nrows();
        self.operator
            .write_rows(bases, self.sites().block(start, count), out.as_mut())?;
        if let Some(partners) = self.partner_sites() {
            let mut other = Mat::zeros(count, out.ncols());
            let sites = partners.block(start, count);
            self.operator.write_rows(bases, sites, other.as_mut())?;
            out -= &other;
        }
        Ok(())
    }

    /// Writes the rows `start .. start + out.nrows()` times their weights.
    pub(super) fn write_weighted(
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

/// Fails unless everything in the block fits together, fits the bases, and is finite.
pub(super) fn check_block(
    block: &RowBlock,
    bases: &[Arc<dyn Basis>],
    dim: usize,
) -> Result<(), SolveError> {
    block.operator.validate()?;
    if block.operator.unknowns() != bases.len() {
        return Err(SolveError::Table {
            label: block.label.clone(),
            what: "unknowns",
            expected: bases.len(),
            found: block.operator.unknowns(),
        });
    }
    if let Some(other) = bases.iter().find(|basis| basis.dim() != dim) {
        return Err(SolveError::Dimension {
            basis: other.dim(),
            domain: dim,
        });
    }
    block.sites().validate(dim)?;
    check_points(block, &block.points)?;
    check_length(block, "values", block.data.len())?;
    if let Some(partners) = &block.partners {
        check_length(block, "partner points", partners.nrows())?;
        if let Some(sites) = block.partner_sites() {
            sites.validate(dim)?;
        }
        check_points(block, partners)?;
    }
    if let Some(weights) = &block.row_weights {
        check_length(block, "row weights", weights.len())?;
    }
    let weights = block.row_weights.iter().flatten().chain([&block.weight]);
    if let Some(&value) = weights.into_iter().find(|weight| !weight.is_finite()) {
        return Err(SolveError::Option {
            option: "weight",
            value,
            requirement: "weights of rows must be finite",
        });
    }
    if let Some((point, &value)) = block
        .points
        .rows()
        .into_iter()
        .zip(&block.data)
        .find(|(_, value)| !value.is_finite())
    {
        return Err(SolveError::DataNotFinite {
            label: block.label.clone(),
            point: point.to_vec(),
            value,
        });
    }
    Ok(())
}

fn check_points(block: &RowBlock, points: &Array2<f64>) -> Result<(), SolveError> {
    let bad = points
        .rows()
        .into_iter()
        .find(|point| point.iter().any(|x| !x.is_finite()));
    match bad {
        None => Ok(()),
        Some(point) => Err(SolveError::PointNotFinite {
            label: block.label.clone(),
            point: point.to_vec(),
        }),
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
