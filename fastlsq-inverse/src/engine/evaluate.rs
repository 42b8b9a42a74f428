//! One set of parameters: the solution there, its observations, and their derivatives.

use std::fmt;
use std::sync::Arc;

use faer::Mat;
use fastlsq_solve::dense;
use fastlsq_solve::{Control, Factored, LsqInfo, Options, RowBlock, RowSource, System};

use super::Prepared;
use super::blocks::EvaluatedBlocks;
use crate::InverseError;

/// What is known at one set of parameters.
pub(super) struct State {
    parameters: Vec<f64>,
    evaluated: EvaluatedBlocks,
    /// Present if the operator depends on the parameters.
    own: Option<Own>,
}

/// The solve of a problem whose operator depends on the parameters.
struct Own {
    /// The system with the rows of the ridge, factored.
    factored: Box<dyn Factored>,
    beta: Vec<f64>,
    /// Rows of the factored system.
    rows: usize,
    /// ρ = b − Aβ in fitted rows; minus the multiplier in rows that hold exactly.
    residual: Vec<f64>,
    /// Weighted (T u)(xᵢ) of every dependent term.
    applied: Vec<Vec<f64>>,
    /// Rows that hold exactly.
    exact: Vec<std::ops::Range<usize>>,
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State")
            .field("parameters", &self.parameters)
            .finish_non_exhaustive()
    }
}

/// The observations and the solution as linear functions of the parameters, near one set of them.
#[derive(Debug, Clone)]
pub struct Linearisation {
    /// The observations there.
    pub predicted: Vec<f64>,
    /// Their derivatives: observations by parameters.
    pub jacobian: Mat<f64>,
    /// The coefficients β of the solution there.
    pub coefficients: Vec<f64>,
    /// Their derivatives: features by parameters.
    pub coefficient_jacobian: Mat<f64>,
}

impl State {
    /// The factorisation of a problem whose operator depends on the parameters.
    pub(super) fn factorisation(&self) -> Option<&LsqInfo> {
        self.own.as_ref().map(|own| own.factored.info())
    }

    /// The coefficients of the solution.
    pub(super) fn beta(&self, prepared: &Prepared) -> Result<Vec<f64>, InverseError> {
        match (&self.own, &prepared.fixed) {
            (Some(own), _) => Ok(own.beta.clone()),
            (None, Some(fixed)) => Ok(column(&fixed.factored.solve(self.evaluated.rhs.as_ref())?)),
            (None, None) => Err(InverseError::NoParameters),
        }
    }

    /// The observations.
    pub(super) fn predicted(&self, prepared: &Prepared) -> Result<Vec<f64>, InverseError> {
        if let Some(map) = prepared.fixed.as_ref().and_then(|f| f.sensor_map.as_ref()) {
            return Ok(prepared.with_offsets(column(&(map.transpose() * &self.evaluated.rhs))));
        }
        let beta = self.beta(prepared)?;
        Ok(prepared.with_offsets(column(&(&prepared.rows * one_column(&beta)))))
    }

    /// Σᵢ cᵢ ∂dᵢ/∂θₖ for the observations dᵢ: the gradient of a functional with these derivatives c.
    pub(super) fn pull_back(
        &self,
        prepared: &Prepared,
        covector: &[f64],
    ) -> Result<Vec<f64>, InverseError> {
        let mut gradient = vec![0.0; self.parameters.len()];
        let covector = one_column(covector);
        if let Some(fixed) = &prepared.fixed {
            let w = match &fixed.sensor_map {
                Some(map) => map * &covector,
                None => {
                    let v = prepared.rows.transpose() * &covector;
                    fixed.factored.adjoint(v.as_ref())?
                }
            };
            self.evaluated.add_data_slopes(w.as_ref(), &mut gradient);
        } else if let Some(own) = &self.own {
            let v = prepared.rows.transpose() * &covector;
            let mut w = own.factored.adjoint(v.as_ref())?;
            self.evaluated.add_data_slopes(w.as_ref(), &mut gradient);
            self.evaluated
                .add_term_slopes(-1.0, |row| w[(row, 0)], &own.applied, &mut gradient);
            zero_rows(&mut w, &own.exact);
            let z = own.factored.solve(w.as_ref())?;
            let bases = prepared.system.basis_refs();
            let applied = prepared.dependences.apply_terms(&bases, &column(&z))?;
            self.evaluated
                .add_term_slopes(1.0, |row| own.residual[row], &applied, &mut gradient);
        }
        Ok(gradient)
    }

    /// Derivatives of the coefficients: features by parameters.
    fn coefficient_jacobian(&self, prepared: &Prepared) -> Result<Mat<f64>, InverseError> {
        if let Some(fixed) = &prepared.fixed {
            let rows = prepared.system.nrows();
            let slopes = self
                .evaluated
                .right_hand_slopes(rows, self.parameters.len(), &[]);
            return Ok(fixed.factored.solve(slopes.as_ref())?);
        }
        let Some(own) = &self.own else {
            return Err(InverseError::NoParameters);
        };
        let count = self.parameters.len();
        let mut slopes = self
            .evaluated
            .right_hand_slopes(own.rows, count, &own.applied);
        let bases = prepared.system.basis_refs();
        let turned = prepared.dependences.transposed_terms(
            &bases,
            prepared.system.ncols(),
            &self.evaluated,
            &own.residual,
        )?;
        let mut carried = own.factored.adjoint(turned.as_ref())?;
        zero_rows(&mut carried, &own.exact);
        slopes += carried;
        Ok(own.factored.solve(slopes.as_ref())?)
    }

    /// Derivatives of the observations: observations by parameters.
    pub(super) fn jacobian(&self, prepared: &Prepared) -> Result<Mat<f64>, InverseError> {
        if let Some(map) = prepared.fixed.as_ref().and_then(|f| f.sensor_map.as_ref()) {
            let count = self.parameters.len();
            let slopes = self.evaluated.right_hand_slopes(map.nrows(), count, &[]);
            return Ok(map.transpose() * slopes);
        }
        Ok(&prepared.rows * self.coefficient_jacobian(prepared)?)
    }
}

impl Prepared {
    /// Evaluates everything that depends on the parameters, and solves if the operator does.
    pub(super) fn state(&self, parameters: &[f64]) -> Result<Arc<State>, InverseError> {
        self.state_within(
            parameters,
            &self.problem.options.control().without_deadline(),
        )
    }

    /// As [`state`](Self::state), under a control.
    pub(super) fn state_within(
        &self,
        parameters: &[f64],
        control: &Control,
    ) -> Result<Arc<State>, InverseError> {
        if parameters.len() != self.start.len() {
            return Err(InverseError::Shape {
                label: "the parameters".to_owned(),
                what: "values",
                expected: self.start.len(),
                found: parameters.len(),
            });
        }
        if self.operator_depends()
            && let Ok(last) = self.last.lock()
            && let Some(state) = last.as_ref()
            && state.parameters == parameters
        {
            return Ok(state.clone());
        }
        let evaluated = self.dependences.evaluate(&self.system, parameters)?;
        let own = if self.operator_depends() {
            Some(self.own_solve(&evaluated, control)?)
        } else {
            None
        };
        let state = Arc::new(State {
            parameters: parameters.to_vec(),
            evaluated,
            own,
        });
        if self.operator_depends()
            && let Ok(mut last) = self.last.lock()
        {
            *last = Some(state.clone());
        }
        Ok(state)
    }

    fn own_solve(
        &self,
        evaluated: &EvaluatedBlocks,
        control: &Control,
    ) -> Result<Own, InverseError> {
        let system = self.dependences.system(&self.system, evaluated)?;
        let options = &self.problem.options;
        let system = system.with_ridge_rows(options.lsq.ridge)?;
        let factored = factor(&system, options, control)?;
        let rows = system.nrows();
        let mut rhs = Mat::zeros(rows, 1);
        rhs.as_mut()
            .subrows_mut(0, evaluated.rhs.nrows())
            .copy_from(&evaluated.rhs);
        let beta = column(&factored.solve(rhs.as_ref())?);
        let bases = system.basis_refs();

        let mut residual = Vec::with_capacity(rows);
        for block in system.blocks() {
            for (i, applied) in block.apply(&bases, &beta)?.into_iter().enumerate() {
                residual.push(block.factor(i) * (block.data[i] - applied));
            }
        }
        if let Some(root) = system.ridge_root() {
            residual.extend(beta.iter().map(|b| -root * b));
        }

        let exact = system.exact_rows();
        if !exact.is_empty() {
            let multipliers = multipliers(&system, factored.as_ref(), &residual, &exact)?;
            for range in &exact {
                for row in range.clone() {
                    residual[row] = -multipliers[(row, 0)];
                }
            }
        }
        let applied = self.dependences.apply_terms(&bases, &beta)?;
        Ok(Own {
            factored,
            beta,
            rows,
            residual,
            applied,
            exact,
        })
    }

    /// Adds what the observed expressions contain besides the unknowns.
    fn with_offsets(&self, mut observed: Vec<f64>) -> Vec<f64> {
        for (value, offset) in observed.iter_mut().zip(&self.offsets) {
            *value += offset;
        }
        observed
    }

    /// The observations that the forward problem predicts for these parameters.
    ///
    /// # Errors
    /// Functions of the parameters that are not finite, a solve that fails.
    pub fn predict(&self, parameters: &[f64]) -> Result<Vec<f64>, InverseError> {
        self.state(parameters)?.predicted(self)
    }

    /// Solution and observations with their derivatives with respect to the parameters.
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn linearise(&self, parameters: &[f64]) -> Result<Linearisation, InverseError> {
        let state = self.state(parameters)?;
        let coefficients = state.beta(self)?;
        let coefficient_jacobian = state.coefficient_jacobian(self)?;
        Ok(Linearisation {
            predicted: state.predicted(self)?,
            jacobian: &self.rows * &coefficient_jacobian,
            coefficients,
            coefficient_jacobian,
        })
    }

    /// How many rows the forward problem has, over all its blocks.
    #[must_use]
    pub fn row_count(&self) -> usize {
        self.system.blocks().iter().map(RowBlock::len).sum()
    }
}

/// Factors a system whose matrix holds the ridge already.
fn factor(
    system: &System,
    options: &Options,
    control: &Control,
) -> Result<Box<dyn Factored>, InverseError> {
    let mut settings = options.lsq.clone().keep_q(true).ridge(0.0);
    settings.control = control.clone();
    Ok(options.backend.factor(system, &settings)?)
}

/// λ with Aᵀρ = Cᵀλ, where C are the rows that hold exactly: the adjoint of Aᵀρ.
fn multipliers(
    system: &System,
    factored: &dyn Factored,
    residual: &[f64],
    exact: &[std::ops::Range<usize>],
) -> Result<Mat<f64>, InverseError> {
    const BLOCK: usize = 512;
    let mut fitted = one_column(residual);
    zero_rows(&mut fitted, exact);
    let mut turned = Mat::zeros(system.ncols(), 1);
    for start in (0..system.nrows()).step_by(BLOCK) {
        let size = BLOCK.min(system.nrows() - start);
        let mut rows = Mat::zeros(size, system.ncols());
        system.write_rows(start, rows.as_mut())?;
        turned += rows.transpose() * fitted.as_ref().subrows(start, size);
    }
    Ok(factored.adjoint(turned.as_ref())?)
}

pub(super) fn one_column(values: &[f64]) -> Mat<f64> {
    Mat::from_fn(values.len(), 1, |i, _| values[i])
}

/// The only column.
pub(super) fn column(matrix: &Mat<f64>) -> Vec<f64> {
    dense::column(matrix.as_ref(), 0)
}

fn zero_rows(matrix: &mut Mat<f64>, rows: &[std::ops::Range<usize>]) {
    for range in rows {
        for row in range.clone() {
            for j in 0..matrix.ncols() {
                matrix[(row, j)] = 0.0;
            }
        }
    }
}
