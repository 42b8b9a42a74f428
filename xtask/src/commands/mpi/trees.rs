//! What patches on a uniform grid cost several ranks, before anything is solved.
//!
//! A box of patches is halved along its longest axis, down to single patches; the front of a box has e unknowns on the cut and
//! b on the open part of its surface. Patches are dealt out in runs along the halves, a front belongs to the rank that
//! has its first patch, and where the two halves have different owners the b² numbers of a Schur complement travel. Large
//! fronts are factored by all ranks that have patches below ([`FrontCost`]).

use fastlsq_solve::patches::FrontCost;
use fastlsq_solve::team::Machine;

/// A box of equal patches with Dirichlet conditions all around.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patches {
    /// Patches along each axis: powers of two.
    pub(super) cells: [usize; 3],
    /// Unknowns on a side of a patch.
    pub(super) side: usize,
}

/// Counts of one elimination.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TreeCost {
    /// Operations of all fronts.
    pub(super) all_flops: f64,
    /// Operations of the rank with the most.
    pub(super) most_flops: f64,
    /// Merges whose halves have different owners.
    pub(super) crossings: u64,
    /// Unknowns on the surface of the halves that travel, b.
    pub(super) open: u64,
    /// Numbers of their Schur complements, b².
    pub(super) schur: u64,
    /// Messages and numbers for fronts that several ranks factor.
    pub(super) joint: [u64; 2],
}

/// Who works on a front.
#[derive(Debug, Clone, Copy)]
pub(super) enum By<'a> {
    /// Its owner.
    One,
    /// As many of those that have patches below as are fastest on a machine.
    Several(&'a Machine),
}

/// A part of the box.
#[derive(Debug, Clone, Copy)]
struct Part {
    cells: [usize; 3],
    /// Whether there are patches beyond its lower and its upper end, along each axis.
    open: [[bool; 2]; 3],
    /// The number of its first patch.
    first: usize,
}

impl Part {
    fn patches(&self) -> usize {
        self.cells.iter().product()
    }

    /// Sides of patches across an axis.
    fn section(&self, axis: usize) -> usize {
        self.patches() / self.cells[axis]
    }

    fn longest(&self) -> usize {
        let axes = (0..3).rev();
        axes.max_by_key(|&axis| self.cells[axis]).unwrap_or(0)
    }

    /// Eliminated and remaining unknowns of its front.
    fn front(&self, side: usize) -> (usize, usize) {
        let around = |axis: usize| {
            let ends = self.open[axis].iter().filter(|open| **open).count();
            ends * self.section(axis)
        };
        let remaining = (0..3).map(around).sum::<usize>() * side;
        let cut = self.section(self.longest()) * side;
        (cut, remaining)
    }

    fn halves(&self) -> [Self; 2] {
        let axis = self.longest();
        let (mut low, mut high) = (*self, *self);
        low.cells[axis] = self.cells[axis] / 2;
        high.cells[axis] = self.cells[axis] - low.cells[axis];
        low.open[axis][1] = true;
        high.open[axis][0] = true;
        high.first += low.patches();
        [low, high]
    }
}

impl Patches {
    fn all(&self) -> Part {
        Part {
            cells: self.cells,
            open: [[false; 2]; 3],
            first: 0,
        }
    }

    fn owner(&self, patch: usize, ranks: usize) -> usize {
        patch * ranks / self.all().patches()
    }

    /// Unknowns of the skeleton.
    pub(super) fn unknowns(&self) -> usize {
        let all = self.all();
        let inner = |axis: usize| (self.cells[axis] - 1) * all.section(axis);
        (0..3).map(inner).sum::<usize>() * self.side
    }

    /// Ranks that have patches of a part, from its owner on.
    fn ranks_of(&self, part: &Part, ranks: usize) -> (usize, usize) {
        let first = self.owner(part.first, ranks);
        let last = self.owner(part.first + part.patches() - 1, ranks);
        (first, last - first + 1)
    }

    /// The front of a part.
    fn front(&self, part: &Part, ranks: usize, by: By<'_>) -> FrontCost {
        let (e, b) = part.front(self.side);
        match by {
            By::One => FrontCost::new(e, b, 1),
            By::Several(machine) => FrontCost::fastest(e, b, self.ranks_of(part, ranks).1, machine),
        }
    }

    /// Counts on this many ranks.
    pub(super) fn cost(&self, ranks: usize, by: By<'_>) -> TreeCost {
        let mut cost = TreeCost::default();
        let mut own = vec![0.0; ranks];
        self.count(&self.all(), by, &mut own, &mut cost);
        cost.all_flops = own.iter().sum();
        cost.most_flops = own.iter().copied().fold(0.0, f64::max);
        cost
    }

    fn count(&self, part: &Part, by: By<'_>, own: &mut [f64], cost: &mut TreeCost) {
        if part.patches() == 1 {
            return;
        }
        let [low, high] = part.halves();
        self.count(&low, by, own, cost);
        self.count(&high, by, own, cost);
        let (to, from) = (
            self.owner(low.first, own.len()),
            self.owner(high.first, own.len()),
        );
        let front = self.front(part, own.len(), by);
        for (own, flops) in own[to..].iter_mut().zip(front.flops()) {
            *own += flops;
        }
        cost.joint[0] += front.messages;
        cost.joint[1] += front.bytes / 8;
        if from != to {
            let open = self.remaining(&high) as u64;
            cost.crossings += 1;
            cost.open += open;
            cost.schur += open * open;
        }
    }

    /// Unknowns on the open surface of a part.
    fn remaining(&self, part: &Part) -> usize {
        part.front(self.side).1
    }

    /// Seconds until the last front is factored.
    pub(super) fn seconds(&self, ranks: usize, machine: &Machine, by: By<'_>) -> f64 {
        self.done(&self.all(), ranks, machine, by)
    }

    fn done(&self, part: &Part, ranks: usize, machine: &Machine, by: By<'_>) -> f64 {
        if part.patches() == 1 {
            return 0.0;
        }
        let [low, high] = part.halves();
        let (to, from) = (self.owner(low.first, ranks), self.owner(high.first, ranks));
        let [first_half, second_half] =
            [low, high].map(|half| self.done(&half, ranks, machine, by));
        let front = self.front(part, ranks, by).seconds(machine);
        if self.ranks_of(part, ranks).1 == 1 {
            return first_half + second_half + front;
        }
        let travel = match from == to {
            true => 0.0,
            false => machine.seconds(0.0, (self.remaining(&high) as f64).powi(2), 1.0),
        };
        first_half.max(second_half + travel) + front
    }
}

/// The fewest unknowns on a cut, tied to `ties` times as many, that q ranks eliminate in less time than one.
pub(super) fn pays_from(q: usize, ties: usize, machine: &Machine) -> Option<usize> {
    let pays = |e: &usize| {
        let seconds = |members| FrontCost::new(*e, ties * e, members).seconds(machine);
        seconds(q) < seconds(1)
    };
    (1..20_000).map(|step| 8 * step).find(pays)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MACHINE: Machine = Machine {
        flop_rate: 1e10,
        latency: 1e-6,
        bandwidth: 1e10,
    };

    #[test]
    fn fronts_of_two_by_two_patches() {
        let square = Patches {
            cells: [2, 2, 1],
            side: 3,
        };
        // Two pairs with a cut of one side and two sides open, then a cut of two sides.
        let flops = |e, b| FrontCost::new(e, b, 1).all_flops;
        let expected = 2.0 * flops(3, 6) + flops(6, 0);
        let alone = square.cost(1, By::One);
        assert_eq!((alone.all_flops, alone.most_flops), (expected, expected));
        assert_eq!((alone.crossings, square.unknowns()), (0, 12));
        let two = square.cost(2, By::One);
        assert_eq!((two.crossings, two.open, two.schur), (1, 6, 36));
        assert_eq!(two.all_flops - two.most_flops, flops(3, 6));
    }

    #[test]
    fn the_root_limits_what_subtrees_gain_and_several_ranks_go_beyond() {
        let cube = Patches {
            cells: [16; 3],
            side: 66,
        };
        let seconds = |ranks, by| cube.seconds(ranks, &MACHINE, by);
        let several = By::Several(&MACHINE);
        let alone = seconds(1, By::One);
        assert!((alone * MACHINE.flop_rate / cube.cost(1, By::One).all_flops - 1.0).abs() < 1e-12);
        assert!(alone / seconds(1024, By::One) < 5.0);
        assert!(alone / seconds(64, several) > 8.0);
        for ranks in [2, 4, 8, 16] {
            assert!(seconds(ranks, several) <= seconds(ranks, By::One));
        }
    }
}
