//! One solve with given factors: from nothing, or as a step of iterative refinement or of Newton's method.

use std::sync::Arc;

use faer::Mat;
use rayon::prelude::*;

use super::PatchError;
use super::border::Border;
use super::elimination::Elimination;
use super::groups::{Group, groups};
use super::judgement::Judgement;
use super::leaf::{Leaf, LeafData};
use super::pointwise;
use super::problem::PatchProblem;
use super::reference::{Reference, times};
use super::sharing::Sharing;
use super::skeleton::Skeleton;

/// Sources that make up more than this share of u contradict the data.
const CONTRADICTION: f64 = 1e-3;

/// The traces of the skeleton and the coefficients of all leaves.
#[derive(Debug, Clone)]
pub(super) struct State {
    pub(super) traces: Vec<f64>,
    pub(super) coefficients: Vec<Vec<f64>>,
    /// The sources that functionals ask for.
    pub(super) multipliers: Vec<f64>,
}

impl State {
    /// A function whose traces are still to be taken.
    pub(super) fn of(coefficients: Vec<Vec<f64>>, problem: &PatchProblem) -> Self {
        Self {
            traces: Vec::new(),
            coefficients,
            multipliers: vec![0.0; problem.functionals.len()],
        }
    }

    /// The way from here to there, as far as `share`.
    pub(super) fn towards(&self, goal: &Self, share: f64) -> Self {
        let mix = |a: &[f64], b: &[f64]| -> Vec<f64> {
            let pairs = a.iter().zip(b);
            pairs.map(|(a, b)| a + share * (b - a)).collect()
        };
        let leaves = self.coefficients.iter().zip(&goal.coefficients);
        Self {
            traces: mix(&self.traces, &goal.traces),
            coefficients: leaves.map(|(a, b)| mix(a, b)).collect(),
            multipliers: mix(&self.multipliers, &goal.multipliers),
        }
    }
}

/// The leaves of a tree, tied together and factored.
pub(super) struct Factored<'a> {
    pub(super) problem: &'a PatchProblem,
    pub(super) reference: &'a Reference,
    pub(super) leaves: Vec<&'a Leaf>,
    /// What is given in each of them.
    pub(super) data: Vec<&'a LeafData>,
    /// The numbers that functionals must have.
    pub(super) values: Vec<f64>,
    /// The processes that share the leaves, and which has which.
    pub(super) sharing: Sharing,
    pub(super) owners: Vec<usize>,
    pub(super) skeleton: Arc<Skeleton>,
    pub(super) elimination: Arc<Elimination>,
    /// Around the skeleton's system, where there are functionals.
    pub(super) border: Option<Arc<Border>>,
}

impl Factored<'_> {
    /// Solves for the traces and the coefficients; from an earlier state, a step of iterative refinement, or of
    /// Newton's method where equations are not linear.
    pub(super) fn step(&self, before: Option<&State>) -> Result<State, PatchError> {
        let (leaves, skeleton, reference) = (&self.leaves, &self.skeleton, self.reference);
        let data = &self.data;
        let unknowns = self.problem.unknowns;
        let none = vec![0.0; self.elimination.unknowns()];
        let old = before.map_or(&none, |state| &state.traces);
        let mut multipliers = before.map_or_else(Vec::new, |state| state.multipliers.clone());
        multipliers.resize(self.values.len(), 0.0);
        let groups = groups(leaves);
        let residuals = self.inner_residuals(before)?;
        let traces_of = |group: &Group<'_>, from: &[f64], given: bool| {
            let traces: Vec<Vec<f64>> = group
                .places
                .iter()
                .map(|&p| {
                    let given = given.then_some(data[p]);
                    skeleton.traces(p, reference, unknowns, from, given)
                })
                .collect();
            let rows = group.operator.solve.ncols();
            Mat::from_fn(rows, traces.len(), |i, j| traces[j][i])
        };
        let improved = groups
            .par_iter()
            .map(|group| {
                let rows = group.operator.solve.nrows();
                let c = before.map(|state| group.columns(rows, |p| &state.coefficients[p]));
                let traces = traces_of(group, old, true);
                let all = (leaves.as_slice(), data.as_slice());
                let mut c = group.improved(all, c, &traces, &residuals, reference)?;
                self.respond(group, &multipliers, &mut c);
                let flux = self.flux(group, &c)?;
                Ok((c, flux))
            })
            .collect::<Result<Vec<(Mat<f64>, Mat<f64>)>, PatchError>>();
        let improved = self.sharing.agree(improved)?;
        let mut where_in = vec![None; leaves.len()];
        for (g, group) in groups.iter().enumerate() {
            for (j, &place) in group.places.iter().enumerate() {
                where_in[place] = Some((g, j));
            }
        }
        let mut rhs = none.clone();
        for (place, leaf) in leaves.iter().enumerate() {
            let Some((g, j)) = where_in[place] else {
                continue;
            };
            let (c, flux) = &improved[g];
            let own = (c.col_as_slice(j), flux.col_as_slice(j));
            skeleton.add_defect(place, leaf, own, data[place], reference, &mut rhs);
        }
        let mut more = self.elimination.solve(rhs, &self.sharing);
        let mut changes = Vec::new();
        if let Some(border) = &self.border {
            let found = border.measure(|place| {
                let (g, j) = where_in[place]?;
                Some(improved[g].0.col_as_slice(j))
            });
            let found = self.sharing.sum(found);
            let lacking = self.values.iter().zip(found).map(|(v, f)| v - f);
            changes = border.solve(&mut more, &lacking.collect::<Vec<f64>>());
        }
        let finished: Vec<Mat<f64>> = groups
            .par_iter()
            .zip(improved)
            .map(|(group, (c, _))| {
                let traces = traces_of(group, &more, false);
                let mut c = c + times(group.operator.solve.as_ref(), traces.as_ref());
                self.respond(group, &changes, &mut c);
                c
            })
            .collect();
        let mut coefficients: Vec<Vec<f64>> = where_in
            .into_iter()
            .map(|at| at.map_or_else(Vec::new, |(g, j)| finished[g].col_as_slice(j).to_vec()))
            .collect();
        let length = unknowns * reference.rank();
        self.sharing
            .complete(&self.owners, length, &mut coefficients);
        let traces = old.iter().zip(more).map(|(old, more)| old + more).collect();
        let pairs = multipliers.iter_mut().zip(changes);
        pairs.for_each(|(mu, change)| *mu += change);
        Ok(State {
            traces,
            coefficients,
            multipliers,
        })
    }

    /// What sources of functionals make of the coefficients of a group.
    fn respond(&self, group: &Group<'_>, multipliers: &[f64], c: &mut Mat<f64>) {
        if let Some(border) = &self.border {
            for (j, &place) in group.places.iter().enumerate() {
                border.respond(place, multipliers, c.col_as_slice_mut(j));
            }
        }
    }

    /// The share of u that depends on sources that functionals ask for and the equations do not have.
    ///
    /// # Errors
    /// So much of it that the data contradict each other.
    pub(super) fn misfit(&self, state: &State, judged: &Judgement) -> Result<f64, PatchError> {
        let misfit = Border::misfit(&state.multipliers, judged.norm);
        if misfit > CONTRADICTION && misfit > 10.0 * judged.estimate {
            return Err(PatchError::Contradiction { misfit });
        }
        Ok(misfit)
    }

    /// The residuals that a state leaves in equations that are not linear; empty for the others.
    fn inner_residuals(&self, state: Option<&State>) -> Result<Vec<Vec<f64>>, PatchError> {
        if !self.problem.is_pointwise() {
            return Ok(vec![Vec::new(); self.leaves.len()]);
        }
        let (problem, reference) = (self.problem, self.reference);
        let at = &reference.inner;
        match state {
            Some(state) => {
                pointwise::residuals(&self.leaves, &state.coefficients, at, problem, reference)
            }
            None => {
                let zero = vec![vec![0.0; problem.unknowns * reference.rank()]; self.leaves.len()];
                pointwise::residuals(&self.leaves, &zero, at, problem, reference)
            }
        }
    }

    /// The fluxes of a group with these coefficients.
    fn flux(&self, group: &Group<'_>, c: &Mat<f64>) -> Result<Mat<f64>, PatchError> {
        let mut flux = times(group.operator.flux.as_ref(), c.as_ref());
        for (j, &place) in group.places.iter().enumerate() {
            let leaf = self.leaves[place];
            let law = self.problem.pointwise(leaf.frame.piece);
            if let Some(law) = law.filter(|law| !law.leading_part_is_given()) {
                let own = pointwise::flux(law, leaf, c.col_as_slice(j), self.reference)?;
                flux.col_as_slice_mut(j).copy_from_slice(&own);
            }
        }
        Ok(flux)
    }

    /// The traces that functions with these coefficients have on the sides of the skeleton.
    pub(super) fn traces_of(&self, coefficients: &[Vec<f64>]) -> Vec<f64> {
        let mut traces = vec![0.0; self.elimination.unknowns()];
        for (place, c) in coefficients.iter().enumerate() {
            let own = self
                .skeleton
                .own_traces(place, c, self.reference, self.data[place]);
            for (block, values) in own {
                let start = block as usize * values.len();
                traces[start..start + values.len()].copy_from_slice(&values);
            }
        }
        traces
    }

    /// The L2 norm of the difference of two states, and that of the second, at the check points.
    pub(super) fn distance(&self, old: &State, new: &State) -> (f64, f64) {
        let (reference, unknowns) = (self.reference, self.problem.unknowns);
        let rank = reference.rank();
        let (mut change, mut size) = (0.0, 0.0);
        for group in groups(&self.leaves) {
            let rows = unknowns * rank;
            let now = group.columns(rows, |p| &new.coefficients[p]);
            let then = group.columns(rows, |p| &old.coefficients[p]);
            let step = &now - &then;
            for v in 0..unknowns {
                let values = |c: &Mat<f64>| {
                    times(
                        reference.check_values.as_ref(),
                        c.as_ref().subrows(v * rank, rank),
                    )
                };
                let (step, now) = (values(&step), values(&now));
                for (j, &place) in group.places.iter().enumerate() {
                    let volume: f64 = self.leaves[place].frame.half.iter().product();
                    change += volume * step.col(j).squared_norm_l2();
                    size += volume * now.col(j).squared_norm_l2();
                }
            }
        }
        let sums = self.sharing.sum(vec![change, size]);
        (f64::sqrt(sums[0]), f64::sqrt(sums[1]))
    }
}
