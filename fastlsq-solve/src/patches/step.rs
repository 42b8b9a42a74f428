//! One solve with given factors: from nothing, or as a step of iterative refinement.

use faer::Mat;
use rayon::prelude::*;

use super::elimination::Elimination;
use super::groups::{Group, groups};
use super::leaf::Leaf;
use super::reference::{Reference, times};
use super::skeleton::Skeleton;

/// The traces of the skeleton and the coefficients of all leaves.
pub(super) struct State {
    traces: Vec<f64>,
    pub(super) coefficients: Vec<Vec<f64>>,
}

/// Solves for the traces and the coefficients; from an earlier state, a step of iterative refinement.
pub(super) fn solve_step(
    skeleton: &Skeleton,
    elimination: &Elimination,
    leaves: &[&Leaf],
    reference: &Reference,
    unknowns: usize,
    before: Option<&State>,
) -> State {
    let none = vec![0.0; elimination.unknowns()];
    let old = before.map_or(&none, |state| &state.traces);
    let groups = groups(leaves);
    let traces_of = |group: &Group<'_>, from: &[f64], given: bool| {
        let traces: Vec<Vec<f64>> = group
            .places
            .iter()
            .map(|&p| skeleton.traces(p, leaves[p], reference, unknowns, from, given))
            .collect();
        let rows = group.operator.solve.ncols();
        Mat::from_fn(rows, traces.len(), |i, j| traces[j][i])
    };
    let improved: Vec<(Mat<f64>, Mat<f64>)> = groups
        .par_iter()
        .map(|group| {
            let rows = group.operator.solve.nrows();
            let c = before.map(|state| group.columns(rows, |p| &state.coefficients[p]));
            let c = group.improved(leaves, c, &traces_of(group, old, true), reference);
            let flux = times(group.operator.flux.as_ref(), c.as_ref());
            (c, flux)
        })
        .collect();
    let mut where_in = vec![(0, 0); leaves.len()];
    for (g, group) in groups.iter().enumerate() {
        for (j, &place) in group.places.iter().enumerate() {
            where_in[place] = (g, j);
        }
    }
    let mut rhs = none.clone();
    for (place, leaf) in leaves.iter().enumerate() {
        let (g, j) = where_in[place];
        let (c, flux) = &improved[g];
        let (c, flux) = (c.col_as_slice(j), flux.col_as_slice(j));
        skeleton.add_defect(place, leaf, c, flux, reference, &mut rhs);
    }
    let more = elimination.solve(rhs);
    let finished: Vec<Mat<f64>> = groups
        .par_iter()
        .zip(improved)
        .map(|(group, (c, _))| {
            let traces = traces_of(group, &more, false);
            c + times(group.operator.solve.as_ref(), traces.as_ref())
        })
        .collect();
    let coefficients = where_in
        .into_iter()
        .map(|(g, j)| finished[g].col_as_slice(j).to_vec())
        .collect();
    let traces = old.iter().zip(more).map(|(old, more)| old + more).collect();
    State {
        traces,
        coefficients,
    }
}

/// The change of u from one state to the next at the check points, relative in L2.
pub(super) fn difference(
    old: &State,
    new: &State,
    leaves: &[&Leaf],
    reference: &Reference,
    unknowns: usize,
) -> f64 {
    let rank = reference.rank();
    let (mut change, mut size) = (0.0, 0.0);
    for group in groups(leaves) {
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
                let volume: f64 = leaves[place].frame.half.iter().product();
                change += volume * step.col(j).squared_norm_l2();
                size += volume * now.col(j).squared_norm_l2();
            }
        }
    }
    if size > 0.0 {
        f64::sqrt(change / size)
    } else {
        0.0
    }
}
