//! What patches on a uniform grid cost several ranks, before anything is solved.
//!
//! A box of patches is halved along its longest axis, down to single patches; the front of a box has e unknowns on the cut and
//! b on the open part of its surface. Patches are dealt out in runs along the halves, a front belongs to the rank that
//! has its first patch, and where the two halves have different owners the b² numbers of a Schur complement travel.

use fastlsq_solve::lsq::Machine;

/// Columns of a panel of a front that several ranks would factor.
const PANEL: f64 = 96.0;

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
}

/// Who works on a front.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// Its owner.
    One,
    /// All ranks below it, where that is faster.
    Several,
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
    fn front(&self, side: usize) -> (f64, f64) {
        let around = |axis: usize| {
            let ends = self.open[axis].iter().filter(|open| **open).count();
            ends * self.section(axis)
        };
        let remaining = (0..3).map(around).sum::<usize>() * side;
        let cut = self.section(self.longest()) * side;
        (cut as f64, remaining as f64)
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

/// Operations of eliminating e unknowns that are tied to b others.
fn flops((e, b): (f64, f64)) -> f64 {
    2.0 * e * (e * e / 3.0 + e * b + b * b)
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

    /// Counts on so many ranks.
    pub(super) fn cost(&self, ranks: usize) -> TreeCost {
        let mut cost = TreeCost::default();
        let mut own = vec![0.0; ranks];
        self.count(&self.all(), &mut own, &mut cost);
        cost.all_flops = own.iter().sum();
        cost.most_flops = own.iter().copied().fold(0.0, f64::max);
        cost
    }

    fn count(&self, part: &Part, own: &mut [f64], cost: &mut TreeCost) {
        if part.patches() == 1 {
            return;
        }
        let [low, high] = part.halves();
        self.count(&low, own, cost);
        self.count(&high, own, cost);
        let owner = |part: &Part| self.owner(part.first, own.len());
        let (to, from) = (owner(&low), owner(&high));
        own[to] += flops(part.front(self.side));
        if from != to {
            let open = self.remaining(&high) as u64;
            cost.crossings += 1;
            cost.open += open;
            cost.schur += open * open;
        }
    }

    /// Unknowns on the open surface of a part.
    fn remaining(&self, part: &Part) -> f64 {
        part.front(self.side).1
    }

    /// Seconds until the last front is factored.
    pub(super) fn seconds(&self, ranks: usize, machine: &Machine, by: By) -> f64 {
        self.done(&self.all(), ranks, machine, by)
    }

    fn done(&self, part: &Part, ranks: usize, machine: &Machine, by: By) -> f64 {
        if part.patches() == 1 {
            return 0.0;
        }
        let [low, high] = part.halves();
        let last = self.owner(part.first + part.patches() - 1, ranks);
        let (to, from) = (self.owner(low.first, ranks), self.owner(high.first, ranks));
        let [first_half, second_half] =
            [low, high].map(|half| self.done(&half, ranks, machine, by));
        let front = part.front(self.side);
        let alone = flops(front) / machine.flop_rate;
        if to == last {
            return first_half + second_half + alone;
        }
        let travel = match from == to {
            true => 0.0,
            false => machine.latency + 8.0 * self.remaining(&high).powi(2) / machine.bandwidth,
        };
        let ready = first_half.max(second_half + travel);
        match by {
            By::One => ready + alone,
            By::Several => ready + alone.min(together(front, (last - to + 1) as f64, machine)),
        }
    }
}

/// Seconds for a front whose columns are dealt out among q ranks: they go there and back, and each panel goes to all.
pub(super) fn together((e, b): (f64, f64), q: f64, machine: &Machine) -> f64 {
    let (n, levels) = (e + b, q.log2().ceil());
    let numbers = 2.0 * n * n * (q - 1.0) / q + n * e * levels;
    let messages = 2.0 * (q - 1.0) + (e / PANEL).ceil() * levels;
    flops((e, b)) / (q * machine.flop_rate)
        + 8.0 * numbers / machine.bandwidth
        + messages * machine.latency
}

/// The fewest unknowns on a cut, tied to twice as many, that q ranks eliminate in less time than one.
pub(super) fn pays_from(q: usize, machine: &Machine) -> f64 {
    let pays = |e: f64| {
        together((e, 2.0 * e), q as f64, machine) < flops((e, 2.0 * e)) / machine.flop_rate
    };
    let mut e = 1.0;
    while !pays(e) && e < 1e7 {
        e *= 1.02;
    }
    e.round()
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
        let expected = 2.0 * flops((3.0, 6.0)) + flops((6.0, 0.0));
        let alone = square.cost(1);
        assert_eq!((alone.all_flops, alone.most_flops), (expected, expected));
        assert_eq!((alone.crossings, square.unknowns()), (0, 12));
        let two = square.cost(2);
        assert_eq!((two.crossings, two.open, two.schur), (1, 6, 36));
        assert_eq!(two.all_flops - two.most_flops, flops((3.0, 6.0)));
    }

    #[test]
    fn the_root_limits_what_subtrees_gain_and_several_ranks_go_beyond() {
        let cube = Patches {
            cells: [16; 3],
            side: 66,
        };
        let seconds = |ranks, by| cube.seconds(ranks, &MACHINE, by);
        let alone = seconds(1, By::One);
        assert!((alone * MACHINE.flop_rate / cube.cost(1).all_flops - 1.0).abs() < 1e-12);
        assert!(alone / seconds(1024, By::One) < 5.0);
        assert!(alone / seconds(64, By::Several) > 20.0);
        for ranks in [2, 4, 8, 16] {
            assert!(seconds(ranks, By::Several) <= seconds(ranks, By::One));
        }
    }
}
