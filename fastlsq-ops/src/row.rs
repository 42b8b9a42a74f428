//! One equation of a system: an operator for each unknown that appears in it.

use std::sync::Arc;

use faer::MatMut;
use fastlsq_basis::{Basis, require_dim, require_size};

use crate::operator::apply_all;
use crate::{Action, MultiIndex, Operator, OperatorError, Sites, Term};

/// One equation Σₖ Lₖ uₖ of a system in the unknowns u₀, u₁, …
///
/// Its rows stand over all unknowns side by side: first the features of u₀, then those of u₁, and
/// so on; unknowns that do not appear get zeros. The coefficient vector β is laid out likewise.
#[derive(Debug, Clone)]
pub struct EquationRow {
    unknowns: usize,
    /// One entry for each unknown that appears, by rising number.
    blocks: Vec<(usize, Operator)>,
    mistake: Option<Arc<OperatorError>>,
}

impl Operator {
    /// The equation row in which this operator acts on one of several unknowns.
    #[must_use]
    pub fn on(&self, unknown: usize, unknowns: usize) -> EquationRow {
        EquationRow::zero(unknowns).with(unknown, self.clone())
    }
}

impl EquationRow {
    /// The row without any operator; add them with [`with`](EquationRow::with).
    #[must_use]
    pub fn zero(unknowns: usize) -> Self {
        Self {
            unknowns,
            blocks: Vec::new(),
            mistake: None,
        }
    }

    /// The row that gives one unknown itself.
    #[must_use]
    pub fn value(dim: usize, unknown: usize, unknowns: usize) -> Self {
        Operator::from_terms(dim, [Term::new(1.0, Action::identity(dim))]).on(unknown, unknowns)
    }

    /// The row that gives the derivative of one unknown along an axis.
    #[must_use]
    pub fn slope(dim: usize, axis: usize, unknown: usize, unknowns: usize) -> Self {
        let action = match MultiIndex::along(dim, axis, 1) {
            Ok(alpha) => Action::derivative(alpha),
            Err(error) => return Self::zero(unknowns).failed(error.into()),
        };
        Operator::from_terms(dim, [Term::new(1.0, action)]).on(unknown, unknowns)
    }

    /// The row with an operator for each unknown in turn; `None` where an unknown is absent.
    pub fn new(operators: impl IntoIterator<Item: Into<Option<Operator>>>) -> Self {
        let operators: Vec<Option<Operator>> = operators.into_iter().map(Into::into).collect();
        let unknowns = operators.len();
        operators
            .into_iter()
            .enumerate()
            .filter_map(|(unknown, operator)| operator.map(|operator| (unknown, operator)))
            .fold(Self::zero(unknowns), |row, (k, operator)| {
                row.with(k, operator)
            })
    }

    /// The row with one more operator on one of the unknowns.
    #[must_use]
    pub fn with(mut self, unknown: usize, operator: Operator) -> Self {
        if unknown >= self.unknowns {
            let unknowns = self.unknowns;
            return self.failed(OperatorError::Unknown { unknown, unknowns });
        }
        match self.blocks.binary_search_by_key(&unknown, |(k, _)| *k) {
            Ok(found) => self.blocks[found].1 = self.blocks[found].1.plus(&operator),
            Err(place) => self.blocks.insert(place, (unknown, operator)),
        }
        self
    }

    fn failed(mut self, error: OperatorError) -> Self {
        self.mistake.get_or_insert_with(|| Arc::new(error));
        self
    }

    /// The number of unknowns of the system.
    #[must_use]
    pub fn unknowns(&self) -> usize {
        self.unknowns
    }

    /// The operators with the number of the unknown each acts on, by rising number.
    #[must_use]
    pub fn blocks(&self) -> &[(usize, Operator)] {
        &self.blocks
    }

    /// The operator on one unknown, if it appears.
    #[must_use]
    pub fn block(&self, unknown: usize) -> Option<&Operator> {
        let place = self
            .blocks
            .binary_search_by_key(&unknown, |(k, _)| *k)
            .ok()?;
        self.blocks.get(place).map(|(_, operator)| operator)
    }

    /// Whether no operator has a term.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.validate().is_ok() && self.blocks.iter().all(|(_, operator)| operator.is_zero())
    }

    /// The highest order of a derivative.
    #[must_use]
    pub fn order(&self) -> u32 {
        let orders = self.blocks.iter().map(|(_, operator)| operator.order());
        orders.max().unwrap_or(0)
    }

    /// Whether points must come with normals.
    #[must_use]
    pub fn needs_normals(&self) -> bool {
        self.blocks
            .iter()
            .any(|(_, operator)| operator.needs_normals())
    }

    /// The dimension of the space; `None` if no unknown appears.
    ///
    /// # Errors
    /// As [`validate`](EquationRow::validate).
    pub fn dim(&self) -> Result<Option<usize>, OperatorError> {
        if let Some(mistake) = &self.mistake {
            return Err(mistake.as_ref().clone());
        }
        let mut dim = None;
        for (_, operator) in &self.blocks {
            let own = operator.dim()?;
            require_dim("an operator of the equation", *dim.get_or_insert(own), own)?;
        }
        Ok(dim)
    }

    /// Checks that every operator is sound and that all act in the same space.
    ///
    /// # Errors
    /// The first mistake that was made.
    pub fn validate(&self) -> Result<(), OperatorError> {
        self.dim().map(|_| ())
    }

    /// Writes the rows over all unknowns on the calling thread: one row per point, Σ Nₖ columns.
    ///
    /// # Errors
    /// A mistake in the row, or bases (one for each unknown), points or an output that do not fit.
    pub fn write_rows<'a>(
        &self,
        bases: &[&dyn Basis],
        sites: impl Into<Sites<'a>>,
        out: MatMut<'_, f64>,
    ) -> Result<(), OperatorError> {
        let sites = sites.into();
        self.each_block(bases, sites.len(), out, |operator, basis, out| {
            operator.write_rows(basis, sites, out)
        })
    }

    /// Writes the rows over all unknowns on all threads of the current pool.
    ///
    /// # Errors
    /// As [`write_rows`](EquationRow::write_rows).
    pub fn assemble_into<'a>(
        &self,
        bases: &[&dyn Basis],
        sites: impl Into<Sites<'a>>,
        out: MatMut<'_, f64>,
    ) -> Result<(), OperatorError> {
        let sites = sites.into();
        self.each_block(bases, sites.len(), out, |operator, basis, out| {
            operator.assemble_into(basis, sites, out)
        })
    }

    /// Σₖ Lₖ uₖ at every point, with the coefficients of all unknowns one after the other in β.
    ///
    /// # Errors
    /// As [`write_rows`](EquationRow::write_rows), or a β of the wrong length.
    pub fn apply<'a>(
        &self,
        bases: &[&dyn Basis],
        beta: &[f64],
        sites: impl Into<Sites<'a>>,
    ) -> Result<Vec<f64>, OperatorError> {
        let sites = sites.into();
        self.sum_over_blocks(bases, beta, sites.len(), |operator, basis, beta| {
            operator.apply(basis, beta, sites)
        })
    }

    /// What several rows make of the same unknowns at the same points, one vector for each row; work that they have
    /// in common (the waves of a function and of its derivatives, say) is done once.
    ///
    /// # Errors
    /// As [`apply`](EquationRow::apply).
    pub fn apply_all<'a>(
        rows: &[Self],
        bases: &[&dyn Basis],
        beta: &[f64],
        sites: impl Into<Sites<'a>>,
    ) -> Result<Vec<Vec<f64>>, OperatorError> {
        let sites = sites.into();
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let mut totals = vec![vec![0.0; sites.len()]; rows.len()];
        for row in rows {
            let columns = row.require_bases(bases)?;
            require_size("the coefficient vector", columns, beta.len())?;
        }
        let mut rest = beta;
        for (unknown, basis) in bases.iter().enumerate() {
            let (own, tail) = rest.split_at(basis.len());
            rest = tail;
            let mut prepared = Vec::new();
            let mut targets = Vec::new();
            for (row, total) in rows.iter().zip(&mut totals) {
                if let Some(operator) = row.block(unknown) {
                    prepared.push(operator.rows(sites)?);
                    targets.push(total);
                }
            }
            for (total, values) in targets.into_iter().zip(apply_all(&prepared, *basis, own)?) {
                total.iter_mut().zip(values).for_each(|(t, v)| *t += v);
            }
        }
        Ok(totals)
    }

    /// The sum of the absolute values of all terms at every point: the scale of a residual.
    ///
    /// # Errors
    /// As [`apply`](EquationRow::apply).
    pub fn term_magnitudes<'a>(
        &self,
        bases: &[&dyn Basis],
        beta: &[f64],
        sites: impl Into<Sites<'a>>,
    ) -> Result<Vec<f64>, OperatorError> {
        let sites = sites.into();
        self.sum_over_blocks(bases, beta, sites.len(), |operator, basis, beta| {
            operator.term_magnitudes(basis, beta, sites)
        })
    }

    /// Hands each unknown's columns to `write`, or fills them with zeros.
    fn each_block(
        &self,
        bases: &[&dyn Basis],
        points: usize,
        out: MatMut<'_, f64>,
        write: impl Fn(&Operator, &dyn Basis, MatMut<'_, f64>) -> Result<(), OperatorError>,
    ) -> Result<(), OperatorError> {
        let columns = self.require_bases(bases)?;
        require_size("the output's row count", points, out.nrows())?;
        require_size("the output's column count", columns, out.ncols())?;
        let mut rest = out;
        for (unknown, basis) in bases.iter().enumerate() {
            let (mut own, tail) = rest.split_at_col_mut(basis.len());
            rest = tail;
            match self.block(unknown) {
                Some(operator) => write(operator, *basis, own)?,
                None => own.fill(0.0),
            }
        }
        Ok(())
    }

    /// Adds up what `evaluate` makes of each unknown's operator and coefficients.
    fn sum_over_blocks(
        &self,
        bases: &[&dyn Basis],
        beta: &[f64],
        points: usize,
        evaluate: impl Fn(&Operator, &dyn Basis, &[f64]) -> Result<Vec<f64>, OperatorError>,
    ) -> Result<Vec<f64>, OperatorError> {
        let columns = self.require_bases(bases)?;
        require_size("the coefficient vector", columns, beta.len())?;
        let mut total = vec![0.0; points];
        let mut rest = beta;
        for (unknown, basis) in bases.iter().enumerate() {
            let (own, tail) = rest.split_at(basis.len());
            rest = tail;
            if let Some(operator) = self.block(unknown) {
                for (total, value) in total.iter_mut().zip(evaluate(operator, *basis, own)?) {
                    *total += value;
                }
            }
        }
        Ok(total)
    }

    /// Checks the row and the number of bases; the answer is the number of columns.
    fn require_bases(&self, bases: &[&dyn Basis]) -> Result<usize, OperatorError> {
        self.validate()?;
        require_size("the list of bases", self.unknowns, bases.len())?;
        Ok(bases.iter().map(|basis| basis.len()).sum())
    }
}

impl From<Operator> for EquationRow {
    /// The equation of a single unknown.
    fn from(operator: Operator) -> Self {
        operator.on(0, 1)
    }
}
