//! Which rows depend on the parameters, and how.

use faer::{Mat, MatRef};
use fastlsq_basis::Basis;
use fastlsq_solve::{Field, RowBlock, SolveError, System};
use ndarray::Array2;

use crate::InverseError;
use crate::problem::{Function, InverseProblem, Samples};

/// The dependences on the parameters, by block of rows.
#[derive(Debug)]
pub(super) struct Dependences<const K: usize> {
    data: Vec<DependentData<K>>,
    terms: Vec<DependentTerm<K>>,
}

#[derive(Debug)]
struct DependentData<const K: usize> {
    block: usize,
    first_row: usize,
    function: Function<K>,
}

#[derive(Debug)]
struct DependentTerm<const K: usize> {
    block: usize,
    first_row: usize,
    /// T at the block's points.
    rows: RowBlock,
    coefficient: Function<K>,
}

/// c(xᵢ; θ) of one term at the points of its block.
struct TermSamples {
    samples: Samples,
    first_row: usize,
}

/// Everything that depends on the parameters, evaluated.
pub(super) struct Evaluated {
    /// The weighted right-hand side of the system.
    pub(super) rhs: Mat<f64>,
    /// Its derivatives by the parameters: first row and slopes of each dependent block.
    data: Vec<(usize, Mat<f64>)>,
    terms: Vec<TermSamples>,
}

impl<const K: usize> Dependences<K> {
    pub(super) fn new(problem: &InverseProblem<K>, system: &System) -> Result<Self, InverseError> {
        let blocks = system.blocks();
        let find = |label: &str| {
            let index = blocks.iter().position(|block| block.label == label);
            index.ok_or_else(|| SolveError::Block {
                name: label.to_owned(),
                known: blocks.iter().map(|block| block.label.clone()).collect(),
            })
        };
        let first_row = |index: usize| blocks.iter().take(index).map(RowBlock::len).sum();
        let mut data = Vec::new();
        for dependence in &problem.data {
            let block = find(&dependence.label)?;
            data.push(DependentData {
                block,
                first_row: first_row(block),
                function: dependence.function.clone(),
            });
        }
        let mut terms = Vec::new();
        for dependence in &problem.terms {
            let block = find(&dependence.label)?;
            let mut rows = blocks[block].clone();
            if rows.partners.is_some() {
                return Err(InverseError::Unsupported {
                    what: "a periodic condition with a term that depends on the parameters",
                    hint: "put the term into the equation",
                });
            }
            rows.operator = dependence.operator.clone();
            terms.push(DependentTerm {
                block,
                first_row: first_row(block),
                rows,
                coefficient: dependence.coefficient.clone(),
            });
        }
        Ok(Self { data, terms })
    }

    pub(super) fn evaluate(
        &self,
        system: &System,
        parameters: &[f64; K],
    ) -> Result<Evaluated, InverseError> {
        let mut rhs = system.right_hand_side();
        let mut data = Vec::with_capacity(self.data.len());
        for dependent in &self.data {
            let block = &system.blocks()[dependent.block];
            let points = block.points.view();
            let mut samples =
                dependent
                    .function
                    .sample("data", &block.label, points, parameters)?;
            for (i, value) in samples.values.iter().enumerate() {
                let factor = block.factor(i);
                rhs[(dependent.first_row + i, 0)] = factor * value;
                for k in 0..K {
                    samples.slopes[(i, k)] *= factor;
                }
            }
            data.push((dependent.first_row, samples.slopes));
        }
        let mut terms = Vec::with_capacity(self.terms.len());
        for term in &self.terms {
            let points = term.rows.points.view();
            let label = &term.rows.label;
            let samples = term
                .coefficient
                .sample("coefficient", label, points, parameters)?;
            terms.push(TermSamples {
                samples,
                first_row: term.first_row,
            });
        }
        Ok(Evaluated { rhs, data, terms })
    }

    /// The system with the terms of these parameters in it.
    pub(super) fn system(
        &self,
        start: &System,
        problem: &InverseProblem<K>,
        evaluated: &Evaluated,
    ) -> Result<System, InverseError> {
        let mut blocks = start.blocks().to_vec();
        for (index, block) in blocks.iter_mut().enumerate() {
            let own: Vec<usize> = (0..self.terms.len())
                .filter(|&t| self.terms[t].block == index)
                .collect();
            if own.is_empty() {
                continue;
            }
            if let Some(row) = problem.forward.row(&block.label) {
                block.operator = row.clone();
            }
            let mut table = Array2::zeros((block.len(), own.len()));
            for (column, &t) in own.iter().enumerate() {
                let values = &evaluated.terms[t].samples.values;
                for (target, value) in table.column_mut(column).iter_mut().zip(values) {
                    *target = *value;
                }
                let field = Field::tabulated(format!("c{t}"), column);
                block.operator = &block.operator + &field * &self.terms[t].rows.operator;
            }
            block.table = Some(table);
        }
        for (index, block) in blocks.iter_mut().enumerate() {
            let depends = self.data.iter().find(|data| data.block == index);
            if let Some(depends) = depends {
                for i in 0..block.len() {
                    let factor = block.factor(i);
                    block.data[i] = if factor == 0.0 {
                        0.0
                    } else {
                        evaluated.rhs[(depends.first_row + i, 0)] / factor
                    };
                }
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
        let apply = |term: &DependentTerm<K>| {
            let mut values = term.rows.apply(bases, beta)?;
            for (i, value) in values.iter_mut().enumerate() {
                *value *= term.rows.factor(i);
            }
            Ok(values)
        };
        self.terms.iter().map(apply).collect()
    }

    /// dAᵀ_k ρ for every parameter k: features by parameters.
    pub(super) fn transposed_terms(
        &self,
        bases: &[&dyn Basis],
        columns: usize,
        evaluated: &Evaluated,
        residual: &[f64],
    ) -> Result<Mat<f64>, InverseError> {
        const BLOCK: usize = 512;
        let mut out = Mat::zeros(columns, K);
        for (term, sampled) in self.terms.iter().zip(&evaluated.terms) {
            let count = term.rows.len();
            for start in (0..count).step_by(BLOCK) {
                let size = BLOCK.min(count - start);
                let mut rows = Mat::zeros(size, columns);
                let sites = term.rows.sites().block(start, size);
                term.rows
                    .operator
                    .assemble_into(bases, sites, rows.as_mut())?;
                let weighted = Mat::from_fn(size, K, |i, k| {
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

impl Evaluated {
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
