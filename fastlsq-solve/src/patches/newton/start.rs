//! Functions that Newton's method begins with.

use ndarray::Array2;
use rayon::prelude::*;

use super::{FIRST_SLACK, Newton, PatchStart};
use crate::control::Stage;
use crate::patches::PatchError;
use crate::patches::adapt::{Refinement, factor, share};
use crate::patches::cache::FrontCache;
use crate::patches::coefficients::place;
use crate::patches::frame::{LeafFrame, Linearisation};
use crate::patches::mesh::PatchMesh;
use crate::patches::problem::PatchProblem;
use crate::patches::solution::Snapshot;
use crate::patches::step::State;

/// The first tree has at most this many leaves.
const FIRST_LEAVES: usize = 600;
/// The most steps along the flow.
const FLOW_STEPS: usize = 60;
/// The flow is at rest when a step that is this many times longer than the first one changes u by hardly anything.
const LONGEST: f64 = 1e6;
const AT_REST: f64 = 1e-3;
/// How far coefficients may be off, as a share of what is subtracted from them.
const ACCURACY: f64 = 0.05;
/// A step that changes u by more than this share is not followed by a longer one.
const FAST: f64 = 0.3;

impl Refinement {
    /// The function to begin with, on a tree that resolves the waves of the equations linearised there.
    pub(super) fn first_function(
        &mut self,
        problem: &PatchProblem,
        mesh: &mut PatchMesh,
        start: Option<&PatchStart<'_>>,
    ) -> Result<Vec<Vec<f64>>, PatchError> {
        loop {
            let coefficients = match start {
                Some(start) => project(start, mesh),
                None => self.leading_part(problem, mesh)?,
            };
            let coarse = mesh
                .tree
                .leaves
                .par_iter()
                .zip(&coefficients)
                .map(|(cell, c)| {
                    let (grid, reference) = (&mesh.grid, &mesh.reference);
                    let how = Linearisation::near(FIRST_SLACK);
                    let frame = LeafFrame::linearised(*cell, grid, problem, reference, c, how)?;
                    Ok(frame.oscillation > reference.resolution)
                })
                .collect::<Result<Vec<bool>, PatchError>>()?;
            let marked: Vec<usize> = (0..coarse.len()).filter(|&place| coarse[place]).collect();
            let after = mesh.tree.leaves.len() + (marked.len() << problem.dim);
            if marked.is_empty() || after > FIRST_LEAVES.min(self.options.max_leaves) {
                return Ok(coefficients);
            }
            *mesh = mesh.split(&marked);
        }
    }

    /// The solution of the equations' leading part, with what they are at u = 0 as source.
    fn leading_part(
        &mut self,
        problem: &PatchProblem,
        mesh: &PatchMesh,
    ) -> Result<Vec<Vec<f64>>, PatchError> {
        let zero = vec![0.0; problem.unknowns * mesh.reference.rank()];
        let zero = vec![zero; mesh.tree.leaves.len()];
        let how = Linearisation {
            leading_only: true,
            ..Linearisation::near(FIRST_SLACK)
        };
        self.store.provide_linearised(mesh, problem, &zero, how)?;
        let mut cache = FrontCache::new(&self.options);
        let factored = factor(&self.store, &mut cache, problem, mesh)?;
        for leaf in &factored.leaves {
            leaf.frame.check_elliptic(&mesh.reference)?;
        }
        let found = factored.step(None)?.coefficients;
        let sound = found.iter().flatten().all(|c| c.is_finite());
        Ok(if sound { found } else { zero })
    }

    /// Where the flow u_t = ±N(u) comes to rest, roughly, followed by implicit steps that grow.
    pub(super) fn at_rest(
        &mut self,
        problem: &PatchProblem,
        mesh: &PatchMesh,
        start: Snapshot,
        newton: &mut Newton,
    ) -> Result<Vec<Vec<f64>>, PatchError> {
        let mut state = State::of(start.coefficients, problem);
        let reaction = |leaf: &crate::patches::leaf::Leaf| leaf.frame.reaction(&mesh.reference);
        let how = Linearisation::near(newton.slack);
        self.store
            .provide_linearised(mesh, problem, &state.coefficients, how)?;
        let first = self.store.leaves.values().map(reaction).fold(0.0, f64::max);
        let mut shift = first;
        for _ in 0..FLOW_STEPS {
            // What the flow hardly moves is moved by coefficients that are off.
            let slack = newton.slack.min(ACCURACY * shift / first);
            let how = Linearisation {
                shift,
                ..Linearisation::near(slack)
            };
            let operators =
                self.store
                    .provide_linearised(mesh, problem, &state.coefficients, how)?;
            let factored = factor(&self.store, &mut self.cache, problem, mesh)?;
            if state.traces.is_empty() {
                state.traces = factored.traces_of(&state.coefficients);
            }
            let number = newton.steps.len() + 1;
            if newton.control.enter(Stage::NewtonStep { number }).is_err() {
                break;
            }
            let next = factored.step(Some(&state))?;
            let change = factored.distance(&state, &next);
            if !change.0.is_finite() {
                break;
            }
            newton.note(&factored, change, 1.0, 1.0, operators);
            state = next;
            let long = shift <= first / LONGEST;
            if long || (share(change) <= AT_REST && shift <= first / LONGEST.sqrt()) {
                break;
            }
            shift *= if share(change) > FAST { 1.0 } else { 0.4 };
        }
        Ok(state.coefficients)
    }
}

/// A function's coefficients on every leaf.
fn project(start: &PatchStart<'_>, mesh: &PatchMesh) -> Vec<Vec<f64>> {
    let reference = &mesh.reference;
    let of_cell = |cell| {
        let (center, half) = mesh.grid.frame(cell);
        let points: Array2<f64> = place(reference.grid.view(), &center, &half);
        let values = start(points.view());
        let own = values.iter().flat_map(|own| reference.project(own));
        own.collect()
    };
    mesh.tree.leaves.par_iter().map(of_cell).collect()
}

impl Snapshot {
    /// The same function on a finer tree.
    pub(super) fn on(
        &self,
        mesh: &PatchMesh,
        unknowns: usize,
    ) -> Result<Vec<Vec<f64>>, PatchError> {
        let reference = &mesh.reference;
        mesh.tree
            .leaves
            .par_iter()
            .map(|cell| {
                if let Some(same) = self.tree.place(cell) {
                    return Ok(self.coefficients[same].clone());
                }
                let mut own = Vec::with_capacity(unknowns * reference.rank());
                for unknown in 0..unknowns {
                    let values = self.values(cell, unknown, &reference.grid)?;
                    own.extend(reference.project(&values));
                }
                Ok(own)
            })
            .collect()
    }
}
