//! What a front costs one process and several.
//!
//! The front of e unknowns that are tied to b others, n = e + b, by q processes ([how](super::joint)), to leading order:
//!
//! | | on the longest path | in all |
//! |---|---|---|
//! | operations | (⅔e³ + 2e²b + 2eb²)/q + ce² (1 − 1/q) | ⅔e³ + 2e²b + 2eb² |
//! | numbers | (e² + 2nb)(1 − 1/q) + ne log₂ q | (e² + 2nb)(1 − 1/q) + ne (q − 1) |
//! | messages | 2(q − 1) + (1 + e/c) log₂ q | (3 + e/c)(q − 1) |
//!
//! c = 96 is the number of columns of a panel, which one process factors while the others wait. The numbers that leave the
//! owner and come back to it do not become fewer with q: however many processes there are, the gain is below
//! (⅔e³ + 2e²b + 2eb²) / ((e² + 2nb) w), where w is the number of operations that a process does while one number travels.

use std::ops::Range;

use super::front::CHUNK;
use crate::team::Machine;

/// Which columns of a front belong to whom: chunks dealt out in turn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deal {
    /// Eliminated unknowns, and those they are tied to.
    pub(super) size: (usize, usize),
    pub(super) members: usize,
}

impl Deal {
    /// Panels of the eliminated unknowns.
    fn panels(&self) -> usize {
        self.size.0.div_ceil(CHUNK)
    }

    /// The place of the member that has a panel.
    pub(super) fn place_of(&self, panel: usize) -> usize {
        panel % self.members
    }

    fn chunks(&self, columns: usize, first: usize, place: usize) -> Vec<Range<usize>> {
        let starts = (0..columns).step_by(CHUNK).enumerate();
        let own = starts.filter(|(chunk, _)| self.place_of(first + chunk) == place);
        own.map(|(_, start)| start..columns.min(start + CHUNK))
            .collect()
    }

    /// Columns of K_ee that a member has.
    pub(super) fn inner(&self, place: usize) -> Vec<Range<usize>> {
        self.chunks(self.size.0, 0, place)
    }

    /// Columns of K_eb and K_bb that a member has.
    pub(super) fn outer(&self, place: usize) -> Vec<Range<usize>> {
        self.chunks(self.size.1, self.panels(), place)
    }

    /// Numbers that go to a member before the work and come back after it.
    fn numbers(&self, place: usize) -> (usize, usize) {
        let (e, b) = self.size;
        let back = (e + b) * width(&self.outer(place));
        (e * width(&self.inner(place)) + back, back)
    }

    /// Operations of a member.
    pub(super) fn flops(&self, place: usize) -> f64 {
        let (e, b) = (self.size.0 as f64, self.size.1 as f64);
        // Column c of K_ee takes 2ec − c² of them, with what is done in its panel.
        let before = |column: usize| {
            let c = column as f64;
            e * c * c - c * c * c / 3.0
        };
        let inner = self.inner(place).into_iter();
        let inner: f64 = inner.map(|own| before(own.end) - before(own.start)).sum();
        inner + 2.0 * e * (e + b) * width(&self.outer(place)) as f64
    }
}

/// All columns of some chunks.
pub(super) fn width(chunks: &[Range<usize>]) -> usize {
    chunks.iter().map(ExactSizeIterator::len).sum()
}

/// The costs of one front that several processes factor together.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct FrontCost {
    /// Eliminated unknowns.
    pub eliminated: usize,
    /// Those that they are tied to.
    pub open: usize,
    /// How many processes there are.
    pub members: usize,
    /// Operations of the process with the most.
    pub most_flops: f64,
    /// Operations of all of them.
    pub all_flops: f64,
    /// Messages.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Operations, numbers and messages one after the other on the longest path.
    pub longest: [f64; 3],
}

impl FrontCost {
    /// Of e unknowns that are tied to b others.
    #[must_use]
    pub fn new(eliminated: usize, open: usize, members: usize) -> Self {
        let members = members.max(1);
        let size = (eliminated, open);
        let deal = Deal { size, members };
        let flops: Vec<f64> = (0..members).map(|place| deal.flops(place)).collect();
        let most_flops = flops.iter().copied().fold(0.0, f64::max);
        let mut cost = Self {
            eliminated,
            open,
            members,
            most_flops,
            all_flops: flops.iter().sum(),
            messages: 0,
            bytes: 0,
            longest: [most_flops, 0.0, 0.0],
        };
        if members == 1 {
            return cost;
        }
        let (mut there_and_back, mut messages) = (0, 0);
        for (there, back) in (1..members).map(|place| deal.numbers(place)) {
            there_and_back += there + back;
            messages += usize::from(there > 0) + usize::from(back > 0);
        }
        // K_be with one number, and panels with the order of their rows.
        let e = eliminated;
        let rows = (0..e).step_by(CHUNK).map(|start| e - start);
        let to_all = e * open + 1 + e * e + rows.sum::<usize>();
        let others = members - 1;
        cost.messages = (messages + others * (1 + deal.panels())) as u64;
        cost.bytes = ((there_and_back + others * to_all) * size_of::<f64>()) as u64;
        let levels = f64::from(members.next_power_of_two().ilog2());
        let waiting = (CHUNK * e * e) as f64 * others as f64 / members as f64;
        cost.longest = [
            most_flops + waiting,
            there_and_back as f64 + levels * to_all as f64,
            messages as f64 + levels * (1 + deal.panels()) as f64,
        ];
        cost
    }

    /// Operations of each process, that of the owner first.
    pub fn flops(&self) -> impl Iterator<Item = f64> {
        let deal = Deal {
            size: (self.eliminated, self.open),
            members: self.members,
        };
        (0..self.members).map(move |place| deal.flops(place))
    }

    /// Seconds on a machine.
    #[must_use]
    pub fn seconds(&self, machine: &Machine) -> f64 {
        let [flops, numbers, messages] = self.longest;
        machine.seconds(flops, numbers, messages)
    }

    /// With as many processes as are fastest: one, all that there are, or a power of two between.
    #[must_use]
    pub fn fastest(eliminated: usize, open: usize, at_most: usize, machine: &Machine) -> Self {
        let own = |members| Self::new(eliminated, open, members);
        let counts = (1..=at_most.max(1).ilog2()).map(|power| 1 << power);
        let counts = counts.chain((!at_most.is_power_of_two()).then_some(at_most));
        counts.map(own).fold(own(1), |best, next| {
            if next.seconds(machine) < best.seconds(machine) {
                next
            } else {
                best
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_columns_are_dealt_out_and_all_operations_done() {
        for (e, b) in [(1, 0), (95, 3), (96, 96), (1000, 0), (333, 1234)] {
            let (x, y) = (e as f64, b as f64);
            let all = 2.0 * x * (x * x / 3.0 + x * y + y * y);
            for members in 1..9 {
                let size = (e, b);
                let deal = Deal { size, members };
                let inner: Vec<_> = (0..members).map(|place| deal.inner(place)).collect();
                let outer: Vec<_> = (0..members).map(|place| deal.outer(place)).collect();
                assert_eq!(inner.iter().map(|own| width(own)).sum::<usize>(), e);
                assert_eq!(outer.iter().map(|own| width(own)).sum::<usize>(), b);
                let cost = FrontCost::new(e, b, members);
                assert!((cost.all_flops / all - 1.0).abs() < 1e-12);
                assert!(cost.most_flops * members as f64 >= 0.999_999 * all);
            }
        }
    }

    #[test]
    fn large_fronts_are_shared_and_small_ones_are_not() {
        let machine = Machine {
            flop_rate: 2e10,
            latency: 1e-6,
            bandwidth: 4e9,
        };
        let members = |e, at_most| FrontCost::fastest(e, 2 * e, at_most, &machine).members;
        assert_eq!((members(20, 16), members(20, 1)), (1, 1));
        assert_eq!((members(5000, 2), members(5000, 3)), (2, 3));
        assert!(members(5000, 1024) > 8);
        // The owner's part does not shrink.
        assert!(members(5000, 1024) < 1024);
    }
}
