//! Linear problems one after the other, on trees that follow their solutions: what Newton's method needs.

use super::PatchError;
use super::adapt::{Refinement, Solved};
use super::mesh::PatchMesh;
use super::options::PatchOptions;
use super::problem::PatchProblem;
use super::report::PatchStatus;
use super::solution::{PatchSolution, Snapshot};

/// A tree and the last solution on it. Problems may change from solve to solve; their boxes may not.
#[derive(Debug)]
pub struct PatchSequence {
    refinement: Refinement,
    mesh: PatchMesh,
    /// The solution that the present tree was made for.
    before: Option<Snapshot>,
    last: Option<Solved>,
}

impl PatchSequence {
    /// Begins with the first tree for a problem.
    ///
    /// # Errors
    /// As [`PatchProblem::solve`].
    pub fn new(problem: &PatchProblem, options: &PatchOptions) -> Result<Self, PatchError> {
        options.validate()?;
        Ok(Self {
            refinement: Refinement::new(options),
            mesh: PatchMesh::first(problem, options)?,
            before: None,
            last: None,
        })
    }

    /// Solves a problem on the present tree; the answer is its estimated error, relative in L2, apart from what the
    /// problem itself still lacks.
    ///
    /// # Errors
    /// As [`PatchProblem::solve`].
    pub fn solve(&mut self, problem: &PatchProblem) -> Result<PatchSolution, PatchError> {
        self.refinement.forget();
        let before = self.before.as_ref();
        let solved = self
            .refinement
            .solve_on(problem, &self.mesh, before, true)?;
        let status = solved.status.unwrap_or(PatchStatus::RoundLimit);
        let report = self.refinement.report(&self.mesh, &solved, status);
        let unknowns = problem.unknowns();
        let solution = PatchSolution::new(&solved.snapshot, &self.mesh.grid, unknowns, report)?;
        self.last = Some(solved);
        Ok(solution)
    }

    /// Refines the tree where the last solution asks for it, unless that solution is good enough or a limit is reached:
    /// then the answer is why.
    pub fn refine(&mut self) -> Option<PatchStatus> {
        let solved = self.last.take()?;
        self.refinement.rounds.push(solved.round.clone());
        if solved.status.is_none() {
            self.mesh = self.mesh.split(&solved.marked);
            self.before = Some(solved.snapshot);
        }
        solved.status
    }
}
