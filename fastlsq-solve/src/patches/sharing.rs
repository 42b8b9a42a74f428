//! Leaves and fronts shared out among the members of a team.
//!
//! Leaves are put into the order of a space-filling curve and dealt out in equal runs, so that a member has whole
//! subtrees but for the ends of its run. A merge of two fronts belongs to the member that has both, or else the
//! first; where it is large, all members that have leaves below factor it [together](super::joint). Each member builds the operators of its leaves and factors its fronts; all know who has which. Everything that
//! decides what happens next (indicators, changes, sizes) is completed on all members first.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::PatchError;
use super::front_cost::FrontCost;
use super::grid::Cell;
use super::ordering::Step;
use super::tree::Tree;
use crate::control::Control;
use crate::team::{
    Plan, Purpose, Team, message_of_failure, numbers_to_text, rank_of_failure, sum, text_to_numbers,
};

/// Who works together; without a team, this process alone.
#[derive(Debug, Clone, Default)]
pub(super) struct Sharing {
    control: Control,
    team: Option<Arc<dyn Team>>,
}

impl Sharing {
    pub(super) fn new(control: &Control) -> Self {
        Self {
            control: control.clone(),
            team: control.team().filter(|team| team.size() > 1).cloned(),
        }
    }

    pub(super) fn team(&self) -> Option<&dyn Team> {
        self.team.as_deref()
    }

    /// The number of this member.
    pub(super) fn rank(&self) -> usize {
        self.team().map_or(0, Team::rank)
    }

    fn size(&self) -> usize {
        self.team().map_or(1, Team::size)
    }

    /// The member that has each leaf.
    pub(super) fn of_leaves(&self, tree: &Tree) -> Vec<usize> {
        let count = tree.leaves.len();
        let mut owners = vec![0; count];
        if self.team.is_some() {
            let mut along: Vec<usize> = (0..count).collect();
            along.sort_unstable_by(|&a, &b| along_the_curve(&tree.leaves[a], &tree.leaves[b]));
            for (position, place) in along.into_iter().enumerate() {
                owners[place] = position * self.size() / count;
            }
        }
        owners
    }

    /// The member that has each step of an elimination; the first steps are the leaves.
    pub(super) fn of_steps(&self, leaves: &[usize], steps: &[Step]) -> Vec<usize> {
        let mut owners = Vec::with_capacity(steps.len());
        for (index, step) in steps.iter().enumerate() {
            owners.push(match step.children {
                None => leaves[index],
                Some([first, _]) => owners[first],
            });
        }
        owners
    }

    /// The members that factor each step of an elimination, the one that has it first: those that have leaves below, or as many
    /// of them as are fastest; nobody else where it is not worth the messages.
    pub(super) fn helpers_of_steps(
        &self,
        owners: &[usize],
        steps: &[Step],
        size: usize,
    ) -> Vec<Vec<usize>> {
        let Some(team) = self.team() else {
            return owners.iter().map(|&owner| vec![owner]).collect();
        };
        let machine = team.machine();
        let mut below: Vec<BTreeSet<usize>> = Vec::with_capacity(steps.len());
        let mut all = Vec::with_capacity(steps.len());
        for (step, &owner) in steps.iter().zip(owners) {
            let own = match step.children {
                None => BTreeSet::from([owner]),
                Some([a, b]) => &below[a] | &below[b],
            };
            let open = step.blocks.len() - step.eliminated;
            let cost = FrontCost::fastest(step.eliminated * size, open * size, own.len(), &machine);
            let others = own.iter().copied().filter(|member| *member != owner);
            all.push(
                std::iter::once(owner)
                    .chain(others)
                    .take(cost.members)
                    .collect(),
            );
            below.push(own);
        }
        all
    }

    /// The outcome of what this member did, if none failed; otherwise the failure of the first who did.
    pub(super) fn agree<T>(&self, outcome: Result<T, PatchError>) -> Result<T, PatchError> {
        let Some(team) = self.team() else {
            return outcome;
        };
        let failed = rank_of_failure(team, outcome.is_err());
        let worst = self.control.agree(Purpose::Patches, 0, failed);
        if worst == 0 {
            return outcome;
        }
        let own = outcome.err().map(|error| {
            let singular = matches!(error, PatchError::Singular);
            let kind = std::iter::once(f64::from(u8::from(singular)));
            kind.chain(text_to_numbers(&error.to_string())).collect()
        });
        let numbers = message_of_failure(team, worst, own);
        Err(match numbers.split_first() {
            Some((1.0, _)) => PatchError::Singular,
            Some((_, text)) => PatchError::OnOneProcess {
                message: numbers_to_text(text),
            },
            None => PatchError::Singular,
        })
    }

    /// Makes known to all what each member has for its leaves: vectors of one length, empty for the leaves of others.
    pub(super) fn complete(&self, owners: &[usize], length: usize, values: &mut [Vec<f64>]) {
        let Some(team) = self.team() else { return };
        for member in 0..team.size() {
            let places: Vec<usize> = (0..owners.len())
                .filter(|&place| owners[place] == member)
                .collect();
            let mut numbers = vec![0.0; places.len() * length];
            if member == team.rank() {
                for (part, &place) in numbers.chunks_exact_mut(length.max(1)).zip(&places) {
                    part.copy_from_slice(&values[place]);
                }
            }
            team.broadcast(member, &mut numbers);
            for (part, &place) in numbers.chunks_exact(length.max(1)).zip(&places) {
                values[place] = part.to_vec();
            }
        }
    }

    /// The sum of what all members have.
    pub(super) fn sum(&self, own: Vec<f64>) -> Vec<f64> {
        let Some(team) = self.team() else { return own };
        let plan = Plan::new(team.size(), team.size());
        let length = own.len();
        let mut parts = vec![None; team.size()];
        parts[team.rank()] = Some(own);
        sum(team, &plan, parts, length)
    }

    /// The largest of what members have.
    pub(super) fn largest(&self, own: usize) -> usize {
        match self.team() {
            None => own,
            Some(_) => {
                let largest = self.control.agree(Purpose::Patches, 0, own as u64);
                usize::try_from(largest).unwrap_or(usize::MAX)
            }
        }
    }
}

/// Which of two cells comes first along the curve that visits the halves of a cube one after the other: decided by the axis
/// along which their corners are farthest apart in powers of two, the first of several. That is how an elimination halves
/// a uniform tree, so that its subtrees are runs of the curve.
fn along_the_curve(a: &Cell, b: &Cell) -> std::cmp::Ordering {
    let (mut axis, mut apart) = (0, 0_u64);
    for k in [0, 1, 2] {
        let differ = a.corner[k] ^ b.corner[k];
        if apart < differ && apart < (apart ^ differ) {
            (axis, apart) = (k, differ);
        }
    }
    a.corner[axis].cmp(&b.corner[axis])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_visits_quarters_one_after_the_other() {
        let cells: Vec<Cell> = (0..8)
            .flat_map(|y| (0..8).map(move |x| [x, y, 0]))
            .map(|corner| Cell { corner, size: 1 })
            .collect();
        let mut sorted = cells;
        sorted.sort_unstable_by(along_the_curve);
        // An elimination begins with the first axis.
        assert!(sorted[..32].iter().all(|cell| cell.corner[0] < 4));
        for quarter in sorted.chunks(16) {
            let [x, y, _] = quarter[0].corner;
            assert!(x % 4 == 0 && y % 4 == 0);
            let inside = |c: &Cell| c.corner[0] / 4 == x / 4 && c.corner[1] / 4 == y / 4;
            assert!(quarter.iter().all(inside));
        }
    }
}
