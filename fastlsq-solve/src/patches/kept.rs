//! Patches that are kept: factored once, solved for any data.

use std::sync::Arc;

use super::adapt::{Refinement, corrected, factor, share};
use super::border::Border;
use super::elimination::Elimination;
use super::indicator::measure;
use super::judgement::Judgement;
use super::leaf::{Leaf, LeafData};
use super::mesh::PatchMesh;
use super::options::PatchOptions;
use super::problem::{Equations, PatchProblem};
use super::report::{PatchReport, PatchStatus};
use super::sharing::Sharing;
use super::skeleton::Skeleton;
use super::solution::PatchSolution;
use super::step::{Factored, State};
use super::store::Store;
use super::{Data, Interface, PatchError};

/// Other data may have less of what this tree resolves: residuals are not taken to mean errors of less than this share of them.
const LEAST_PER_RESIDUAL: f64 = 0.03;

/// A linear problem on a tree of patches with its factors: other sources, boundary values, jumps and numbers of functionals cost
/// one pass over the tree.
///
/// The tree was made for the problem's own data. The estimate for other data comes from the residual that they leave on it.
///
/// ```
/// use fastlsq_solve::patches::{Data, FaceCondition, PatchOptions, PatchProblem, Piece};
/// use fastlsq_solve::{Action, MultiIndex, Operator, Term};
///
/// let second = |axis| MultiIndex::along(2, axis, 2).map(|alpha| Term::new(-1.0, Action::derivative(alpha)));
/// let minus_laplacian = Operator::from_terms(2, [second(0)?, second(1)?]);
/// let square = Piece::new(&[0.0, 0.0], &[1.0, 1.0], minus_laplacian, Data::new(|_| 1.0));
/// let problem = PatchProblem::new(vec![square], vec![FaceCondition::values([Data::new(|_| 0.0)])])?;
/// let plate = problem.factor(&PatchOptions::new().tolerance(1e-6))?;
/// // No source, and x² − y² on the boundary.
/// let data = plate
///     .new_data()
///     .source(0, 0, Data::new(|_| 0.0))?
///     .condition(0, 0, Data::new(|x| x[0] * x[0] - x[1] * x[1]))?;
/// let u = plate.solve(&data)?;
/// assert!((u.value(&[0.7, 0.2])? - 0.45).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct FactoredPatches {
    pub(super) problem: PatchProblem,
    options: PatchOptions,
    pub(super) mesh: PatchMesh,
    store: Store,
    skeleton: Arc<Skeleton>,
    elimination: Arc<Elimination>,
    border: Option<Arc<Border>>,
    sharing: Sharing,
    owners: Vec<usize>,
    solution: PatchSolution,
    /// The estimate of the problem's own solution over its residual.
    per_residual: f64,
}

impl PatchProblem {
    /// Solves on an adaptive tree of patches, and keeps the factors for other data.
    ///
    /// # Errors
    /// As [`solve`](Self::solve); equations that are not linear.
    pub fn factor(&self, options: &PatchOptions) -> Result<FactoredPatches, PatchError> {
        if self.is_pointwise() {
            return Err(PatchError::Statement {
                what: "factors can serve other data only where the equations are linear",
                requirement: "solve a nonlinear problem anew, from its last solution",
            });
        }
        let (mut refinement, mesh, solved, status) = self.refined(options, |tree, _| tree)?;
        let solution = refinement.finish(&mesh, &solved, status, self.unknowns)?;
        // Where a limit ended a finer solve, its leaves are gone again.
        refinement.store.provide(&mesh, self)?;
        let Refinement {
            store, mut cache, ..
        } = refinement;
        let factored = factor(&store, &mut cache, self, &mesh)?;
        let Factored {
            sharing,
            owners,
            skeleton,
            elimination,
            border,
            ..
        } = factored;
        let residual = solved.judged.residual;
        let ratio = if residual > 0.0 {
            solved.estimate / residual
        } else {
            0.0
        };
        Ok(FactoredPatches {
            problem: self.clone(),
            options: options.clone(),
            mesh,
            store,
            skeleton,
            elimination,
            border,
            sharing,
            owners,
            solution,
            per_residual: ratio.max(LEAST_PER_RESIDUAL),
        })
    }
}

impl FactoredPatches {
    /// The solution for the data the problem was stated with.
    #[must_use]
    pub fn solution(&self) -> &PatchSolution {
        &self.solution
    }

    /// The problem's data, to be replaced in part or in whole.
    #[must_use]
    pub fn new_data(&self) -> PatchData {
        PatchData {
            problem: self.problem.clone(),
        }
    }

    /// The solution for these data, on the same tree.
    ///
    /// # Errors
    /// Data that are not finite, or that contradict each other; data of another problem.
    pub fn solve(&self, data: &PatchData) -> Result<PatchSolution, PatchError> {
        if !data.problem.is_like(&self.problem) {
            return Err(PatchError::Statement {
                what: "these are data of another problem",
                requirement: "begin with new_data() of these factors",
            });
        }
        let (mesh, problem) = (&self.mesh, &data.problem);
        let own = self.leaves().into_iter();
        let own = own.map(|leaf| leaf.data_of(&mesh.grid, problem, &mesh.reference));
        let own = own.collect::<Result<Vec<LeafData>, _>>()?;
        let factored = self.with_data(&own, problem.functional_values());
        let state = factored.step(Some(&factored.step(None)?))?;
        let qualities = measure(&factored, &state, None)?;
        let mut judged = Judgement::new(&qualities, &[], false, mesh.grid.dim);
        judged.estimate = self.estimate_of(&judged);
        let (state, mut estimate) = corrected(&factored, state, &judged)?;
        estimate = estimate.max(factored.misfit(&state, &judged)?);
        let report = PatchReport {
            status: if estimate <= self.options.tolerance {
                PatchStatus::ToleranceMet
            } else {
                PatchStatus::OtherData
            },
            error_estimate: estimate,
            indicator: judged.indicator,
            ..self.solution.report().clone()
        };
        let snapshot = mesh.snapshot(state.coefficients);
        PatchSolution::new(&snapshot, &mesh.grid, problem.unknowns, report)
    }

    /// The leaves in the order of the tree.
    pub(super) fn leaves(&self) -> Vec<&Leaf> {
        let cells = self.mesh.tree.leaves.iter();
        let found = cells.filter_map(|cell| self.store.leaves.get(cell));
        found.collect()
    }

    /// The factors, with these data in every leaf and these numbers for the functionals.
    pub(super) fn with_data<'a>(&'a self, data: &'a [LeafData], values: Vec<f64>) -> Factored<'a> {
        Factored {
            problem: &self.problem,
            reference: &self.mesh.reference,
            leaves: self.leaves(),
            data: data.iter().collect(),
            values,
            sharing: self.sharing.clone(),
            owners: self.owners.clone(),
            skeleton: Arc::clone(&self.skeleton),
            elimination: Arc::clone(&self.elimination),
            border: self.border.clone(),
        }
    }

    /// The relative error that the residual of other data means on this tree.
    pub(super) fn estimate_of(&self, judged: &Judgement) -> f64 {
        self.per_residual * judged.residual
    }

    /// A solve from nothing, refined against rounding.
    pub(super) fn solved(&self, factored: &Factored<'_>) -> Result<State, PatchError> {
        let mut state = factored.step(Some(&factored.step(None)?))?;
        for _ in 0..REFINEMENTS {
            let next = factored.step(Some(&state))?;
            let change = share(factored.distance(&state, &next));
            state = next;
            if change <= f64::EPSILON {
                break;
            }
        }
        Ok(state)
    }
}

/// Steps of iterative refinement for data that nothing else is known of.
const REFINEMENTS: usize = 2;

/// Data for [`FactoredPatches`]: what is not replaced stays as the problem was stated.
#[derive(Debug, Clone)]
pub struct PatchData {
    problem: PatchProblem,
}

impl PatchData {
    /// Another source of an equation of a box.
    ///
    /// # Errors
    /// No such box or equation.
    pub fn source(mut self, piece: usize, equation: usize, data: Data) -> Result<Self, PatchError> {
        let piece = self.problem.pieces.get_mut(piece);
        let sources = piece.map(|piece| &mut piece.equations);
        match sources {
            Some(Equations::Linear { sources, .. }) if equation < sources.len() => {
                sources[equation] = data;
                Ok(self)
            }
            _ => Err(no_such("a source")),
        }
    }

    /// Something else on the right of a row of a condition, both counted from 0.
    ///
    /// # Errors
    /// No such condition or row.
    pub fn condition(mut self, index: usize, row: usize, data: Data) -> Result<Self, PatchError> {
        let condition = self.problem.conditions.get_mut(index);
        let given = condition.and_then(|condition| condition.data.get_mut(row));
        *given.ok_or_else(|| no_such("a condition"))? = data;
        Ok(self)
    }

    /// Another number for a functional.
    ///
    /// # Errors
    /// No such functional, a number that is not finite.
    pub fn functional(mut self, index: usize, value: f64) -> Result<Self, PatchError> {
        let functional = self.problem.functionals.get_mut(index);
        let functional = functional.filter(|_| value.is_finite());
        functional.ok_or_else(|| no_such("a functional"))?.value = value;
        Ok(self)
    }

    /// Other jumps across an interface, which lies between the same boxes.
    ///
    /// # Errors
    /// No such interface, other boxes, or jumps that are not one for each unknown.
    pub fn interface(mut self, index: usize, interface: Interface) -> Result<Self, PatchError> {
        interface.check(self.problem.pieces.len(), self.problem.unknowns)?;
        let known = self.problem.interfaces.get_mut(index);
        let known = known.filter(|known| known.boxes() == interface.boxes());
        *known.ok_or_else(|| no_such("an interface"))? = interface;
        Ok(self)
    }
}

fn no_such(what: &'static str) -> PatchError {
    PatchError::Statement {
        what,
        requirement: "replace only what the problem was stated with, by finite numbers",
    }
}

impl PatchProblem {
    /// Whether boxes, conditions, interfaces and functionals are equal in number and in the same places.
    fn is_like(&self, other: &Self) -> bool {
        let boxes = |problem: &Self| -> Vec<(Vec<f64>, Vec<f64>)> {
            let each = problem.pieces.iter();
            each.map(|piece| (piece.lo.clone(), piece.hi.clone()))
                .collect()
        };
        let counts = |problem: &Self| {
            [
                problem.unknowns,
                problem.conditions.len(),
                problem.interfaces.len(),
                problem.functionals.len(),
            ]
        };
        counts(self) == counts(other) && boxes(self) == boxes(other)
    }
}
