//! Which rows depend on the parameters, and how.

use std::ops::Range;

use faer::{Mat, MatRef};
use fastlsq_basis::Basis;
use fastlsq_solve::{
    ConcretePlace, ConcreteProblem, Dependent, EquationRow, Field, Operator, RowBlock, Sites,
    Statement, System, Term,
};
use ndarray::Array2;

use crate::InverseError;

/// What depends on the parameters, by block of rows.
#[derive(Debug)]
pub(super) struct Dependences {
    parameters: usize,
    data: Vec<DependentData>,
    terms: Vec<DependentTerm>,
    operators: Vec<DependentOperator>,
}

#[derive(Debug)]
struct DependentData {
    block: usize,
    first_row: usize,
    function: Dependent,
    /// Values of a table, to which the function is added.
    table: Option<Vec<f64>>,
}

#[derive(Debug)]
struct DependentTerm {
    first_row: usize,
    /// T at the block's points.
    rows: RowBlock,
    coefficient: Dependent,
}

/// The operator of a block, with the coefficients of its dependent terms in the columns of a table.
#[derive(Debug)]
struct DependentOperator {
    block: usize,
    terms: Range<usize>,
    operator: EquationRow,
}

/// A function of the parameters at the points of a block: values, and slopes with respect to all parameters.
struct Samples {
    values: Vec<f64>,
    slopes: Mat<f64>,
}

/// c(xᵢ; θ) of one term at the points of its block.
struct TermSamples {
    samples: Samples,
    first_row: usize,
}

/// Everything that depends on the parameters, evaluated.
pub(super) struct EvaluatedBlocks {
    /// The weighted right-hand side of the system.
    pub(super) rhs: Mat<f64>,
    /// Its derivatives with respect to the parameters: first row and slopes of each dependent block.
    data: Vec<(usize, Mat<f64>)>,
    terms: Vec<TermSamples>,
}

impl Dependences {
    /// The parts of the problem that depend on the sought parameters, with these free; `system` is that of the start.
    pub(super) fn new(
        problem: &ConcreteProblem,
        system: &System,
        start: &[f64],
    ) -> Result<Self, InverseError> {
        let equations = problem.equations.iter().map(|e| (&e.statement, false));
        let conditions = problem.conditions.iter();
        let conditions = conditions.map(|c| {
            let is_table = matches!(c.place, ConcretePlace::Points { .. });
            (&c.statement, is_table)
        });
        let statements: Vec<(&Statement, bool)> = equations.chain(conditions).collect();
        if statements.len() != system.blocks().len() {
            return Err(InverseError::Unsupported {
                what: "a start at which terms of the highest order vanish",
                hint: "start elsewhere",
            });
        }
        let mut all = Self {
            parameters: start.len(),
            data: Vec::new(),
            terms: Vec::new(),
            operators: Vec::new(),
        };
        let mut first_row = 0;
        for (index, (block, (statement, is_table))) in
            system.blocks().iter().zip(statements).enumerate()
        {
            all.add_data(
                index,
                block,
                first_row,
                statement,
                is_table.then_some(start),
            )?;
            all.add_terms(index, block, first_row, statement)?;
            first_row += block.len();
        }
        Ok(all)
    }

    /// The source of a block, if it depends on the parameters; `table_at` is the start for a block of
    /// given values.
    fn add_data(
        &mut self,
        index: usize,
        block: &RowBlock,
        first_row: usize,
        statement: &Statement,
        table_at: Option<&[f64]>,
    ) -> Result<(), InverseError> {
        let Some(function) = statement.dependent_source()? else {
            return Ok(());
        };
        refuse_partners(block)?;
        let table = match table_at {
            Some(start) => {
                let at_start = sample(&function, "right-hand side", block, start)?.values;
                let pairs = block.data.iter().zip(at_start);
                Some(pairs.map(|(data, own)| data - own).collect())
            }
            None => None,
        };
        self.data.push(DependentData {
            block: index,
            first_row,
            function,
            table,
        });
        Ok(())
    }

    fn add_terms(
        &mut self,
        index: usize,
        block: &RowBlock,
        first_row: usize,
        statement: &Statement,
    ) -> Result<(), InverseError> {
        let terms = statement.dependent_terms()?;
        if terms.is_empty() {
            return Ok(());
        }
        refuse_partners(block)?;
        let first = self.terms.len();
        let mut operator = statement.fixed_row();
        for (column, (row, coefficient)) in terms.into_iter().enumerate() {
            for (unknown, own) in row.blocks() {
                let field = Field::tabulated(format!("c{column}"), column);
                let with_field = |term: &Term| Term::new(field.clone(), term.action().clone());
                let terms: Vec<Term> = own.terms().iter().map(with_field).collect();
                operator = operator.with(*unknown, Operator::from_terms(own.dim()?, terms));
            }
            let mut rows = block.clone();
            rows.operator = row;
            self.terms.push(DependentTerm {
                first_row,
                rows,
                coefficient,
            });
        }
        self.operators.push(DependentOperator {
            block: index,
            terms: first..self.terms.len(),
            operator,
        });
        Ok(())
    }

    /// Whether any operator depends on the parameters.
    pub(super) fn has_terms(&self) -> bool {
        !self.terms.is_empty()
    }

    pub(super) fn evaluate(
        &self,
        system: &System,
        parameters: &[f64],
    ) -> Result<EvaluatedBlocks, InverseError> {
        let mut rhs = system.right_hand_side();
        let mut data = Vec::with_capacity(self.data.len());
        for dependent in &self.data {
            let block = &system.blocks()[dependent.block];
            let mut samples = sample(&dependent.function, "right-hand side", block, parameters)?;
            for (i, value) in samples.values.iter().enumerate() {
                let given = dependent.table.as_ref().map_or(0.0, |table| table[i]);
                rhs[(dependent.first_row + i, 0)] = block.factor(i) * (given + value);
            }
            for column in samples.slopes.as_mut().col_iter_mut() {
                for (i, slope) in column.iter_mut().enumerate() {
                    *slope *= block.factor(i);
                }
            }
            data.push((dependent.first_row, samples.slopes));
        }
        let mut terms = Vec::with_capacity(self.terms.len());
        for term in &self.terms {
            terms.push(TermSamples {
                samples: sample(&term.coefficient, "coefficient", &term.rows, parameters)?,
                first_row: term.first_row,
            });
        }
        Ok(EvaluatedBlocks { rhs, data, terms })
    }

    /// The system with the terms of these parameters in it.
    pub(super) fn system(
        &self,
        start: &System,
        evaluated: &EvaluatedBlocks,
    ) -> Result<System, InverseError> {
        let mut blocks = start.blocks().to_vec();
        for dependent in &self.operators {
            let block = &mut blocks[dependent.block];
            let terms = &evaluated.terms[dependent.terms.clone()];
            let mut table = Array2::zeros((block.len(), terms.len()));
            for (mut column, term) in table.columns_mut().into_iter().zip(terms) {
                for (target, value) in column.iter_mut().zip(&term.samples.values) {
                    *target = *value;
                }
            }
            block.operator = dependent.operator.clone();
            block.table = Some(table);
        }
        for dependent in &self.data {
            let block = &mut blocks[dependent.block];
            for i in 0..block.len() {
                let factor = block.factor(i);
                block.data[i] = if factor == 0.0 {
                    0.0
                } else {
                    evaluated.rhs[(dependent.first_row + i, 0)] / factor
                };
            }
        }
        Ok(System::new(start.bases().to_vec(), blocks)?)
    }

    /// Weighted (T u)(xᵢ) of every term, for u with these coefficients.
    pub(super) fn apply_terms(
        &self,
        bases: &[&dyn Basis],
        beta: &[f64],
    ) -> Result<Vec<Vec<f64>>, InverseError> {
        let mut all = Vec::with_capacity(self.terms.len());
        for dependent in &self.operators {
            // Terms of one block are at the same points, and have waves in common.
            let terms = &self.terms[dependent.terms.clone()];
            let Some(first) = terms.first() else {
                continue;
            };
            let rows: Vec<EquationRow> = terms.iter().map(|t| t.rows.operator.clone()).collect();
            for mut values in EquationRow::apply_all(&rows, bases, beta, first.rows.sites())? {
                for (i, value) in values.iter_mut().enumerate() {
                    *value *= first.rows.factor(i);
                }
                all.push(values);
            }
        }
        Ok(all)
    }

    /// dAᵀ_k ρ for every parameter k: features by parameters.
    pub(super) fn transposed_terms(
        &self,
        bases: &[&dyn Basis],
        columns: usize,
        evaluated: &EvaluatedBlocks,
        residual: &[f64],
    ) -> Result<Mat<f64>, InverseError> {
        const BLOCK: usize = 512;
        let mut out = Mat::zeros(columns, self.parameters);
        for (term, sampled) in self.terms.iter().zip(&evaluated.terms) {
            let count = term.rows.len();
            for start in (0..count).step_by(BLOCK) {
                let size = BLOCK.min(count - start);
                let mut rows = Mat::zeros(size, columns);
                let sites = term.rows.sites().block(start, size);
                term.rows
                    .operator
                    .assemble_into(bases, sites, rows.as_mut())?;
                let weighted = Mat::from_fn(size, self.parameters, |i, k| {
                    let row = start + i;
                    term.rows.factor(row)
                        * residual[term.first_row + row]
                        * sampled.samples.slopes[(row, k)]
                });
                out += rows.transpose() * weighted;
            }
        }
        Ok(out)
    }
}

impl EvaluatedBlocks {
    /// Adds Σᵢ wᵢ ∂bᵢ/∂θₖ.
    pub(super) fn add_data_slopes(&self, w: MatRef<'_, f64>, gradient: &mut [f64]) {
        for (first, slopes) in &self.data {
            for (k, total) in gradient.iter_mut().enumerate() {
                *total += (0..slopes.nrows())
                    .map(|i| w[(first + i, 0)] * slopes[(i, k)])
                    .sum::<f64>();
            }
        }
    }

    /// Adds sign · Σᵢ wᵢ Σₜ (∂cₜ/∂θₖ)(xᵢ) τₜᵢ, where τ are weighted values of the terms.
    pub(super) fn add_term_slopes(
        &self,
        sign: f64,
        w: impl Fn(usize) -> f64,
        applied: &[Vec<f64>],
        gradient: &mut [f64],
    ) {
        for (term, values) in self.terms.iter().zip(applied) {
            for (k, total) in gradient.iter_mut().enumerate() {
                *total += sign
                    * values
                        .iter()
                        .enumerate()
                        .map(|(i, tau)| w(term.first_row + i) * term.samples.slopes[(i, k)] * tau)
                        .sum::<f64>();
            }
        }
    }

    /// The columns db_k − dA_k β, in `rows` rows.
    pub(super) fn right_hand_slopes(
        &self,
        rows: usize,
        parameters: usize,
        applied: &[Vec<f64>],
    ) -> Mat<f64> {
        let mut out = Mat::zeros(rows, parameters);
        for (first, slopes) in &self.data {
            for k in 0..parameters {
                for i in 0..slopes.nrows() {
                    out[(first + i, k)] += slopes[(i, k)];
                }
            }
        }
        for (term, values) in self.terms.iter().zip(applied) {
            for k in 0..parameters {
                for (i, tau) in values.iter().enumerate() {
                    out[(term.first_row + i, k)] -= term.samples.slopes[(i, k)] * tau;
                }
            }
        }
        out
    }
}

/// A block between opposite faces must not depend on the parameters.
fn refuse_partners(block: &RowBlock) -> Result<(), InverseError> {
    if block.partners.is_none() {
        return Ok(());
    }
    Err(InverseError::Unsupported {
        what: "a condition between opposite faces that depends on a sought parameter",
        hint: "put the parameter into the equation",
    })
}

fn sample(
    function: &Dependent,
    what: &'static str,
    block: &RowBlock,
    parameters: &[f64],
) -> Result<Samples, InverseError> {
    let sites: Sites<'_> = block.sites();
    let sampled = function.sample(&sites, parameters)?;
    let mut columns = sampled.columns().into_iter();
    if let Some(i) = columns.find_map(|c| c.iter().position(|value| !value.is_finite())) {
        return Err(InverseError::NotFinite {
            what,
            label: block.label.clone(),
            point: block.points.row(i).to_vec(),
            parameters: parameters.to_vec(),
        });
    }
    Ok(Samples {
        values: sampled.column(0).to_vec(),
        slopes: Mat::from_fn(sampled.nrows(), parameters.len(), |i, k| {
            sampled[(i, k + 1)]
        }),
    })
}
