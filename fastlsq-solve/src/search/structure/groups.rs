//! Which coordinates act together: the sets S of the smallest sum u = Σ_S u_S(x_S).
//!
//! A mixed difference over two disjoint sets of coordinates vanishes if no term contains coordinates of both. Whole halves
//! of the coordinates are therefore tested first, and only what acts together is split further: additive functions of d
//! coordinates take about d tests instead of d²/2.

use std::collections::BTreeSet;

use super::slice::Slice;

/// The most tests before everything is taken to act together.
const MOST_TESTS: usize = 4000;
/// The largest sets that are told apart from sums of smaller ones.
const MOST_TOGETHER: usize = 5;

/// The data, and how many questions they have answered.
pub(super) struct Groups<'s, 'a> {
    slices: &'s [Slice<'a>],
    tests: usize,
}

impl<'s, 'a> Groups<'s, 'a> {
    pub(super) fn new(slices: &'s [Slice<'a>]) -> Self {
        Self { slices, tests: 0 }
    }

    /// `None` once too much was asked.
    fn together(&mut self, sets: &[&[usize]]) -> Option<bool> {
        for slice in self.slices {
            self.tests += 1;
            if self.tests > MOST_TESTS {
                return None;
            }
            if slice.acts_together(sets)? {
                return Some(true);
            }
        }
        Some(false)
    }

    /// The coordinates that the data depend on at all.
    pub(super) fn active(&mut self, axes: &[usize]) -> Option<Vec<usize>> {
        if axes.is_empty() || !self.together(&[axes])? {
            return Some(Vec::new());
        }
        if axes.len() == 1 {
            return Some(axes.to_vec());
        }
        let (left, right) = axes.split_at(axes.len() / 2);
        let mut active = self.active(left)?;
        active.extend(self.active(right)?);
        Some(active)
    }

    /// All pairs of these coordinates that act together.
    pub(super) fn pairs(&mut self, axes: &[usize]) -> Option<BTreeSet<[usize; 2]>> {
        let mut pairs = BTreeSet::new();
        self.within(axes, &mut pairs)?;
        Some(pairs)
    }

    fn within(&mut self, axes: &[usize], pairs: &mut BTreeSet<[usize; 2]>) -> Option<()> {
        if axes.len() < 2 {
            return Some(());
        }
        let (left, right) = axes.split_at(axes.len() / 2);
        self.between(left, right, pairs)?;
        self.within(left, pairs)?;
        self.within(right, pairs)
    }

    fn between(
        &mut self,
        one: &[usize],
        other: &[usize],
        pairs: &mut BTreeSet<[usize; 2]>,
    ) -> Option<()> {
        if !self.together(&[one, other])? {
            return Some(());
        }
        if let ([a], [b]) = (one, other) {
            pairs.insert([*a.min(b), *a.max(b)]);
            return Some(());
        }
        let (long, short) = if one.len() >= other.len() {
            (one, other)
        } else {
            (other, one)
        };
        let (left, right) = long.split_at(long.len() / 2);
        self.between(left, short, pairs)?;
        self.between(right, short, pairs)
    }

    /// The largest sets of more than one coordinate that act together, beginning with these pairs: a set can do so only if
    /// all its subsets do. Sets of [`MOST_TOGETHER`] that still do are joined to what they are connected with.
    pub(super) fn sets(&mut self, pairs: &BTreeSet<[usize; 2]>) -> Option<Vec<Vec<usize>>> {
        let mut level: BTreeSet<Vec<usize>> = pairs.iter().map(|pair| pair.to_vec()).collect();
        let mut largest: Vec<Vec<usize>> = Vec::new();
        for size in 3..=MOST_TOGETHER {
            let mut next = BTreeSet::new();
            for set in &level {
                let last = set.last().copied().unwrap_or(0);
                let axes: BTreeSet<usize> = level.iter().flatten().copied().collect();
                for &axis in axes.range(last + 1..) {
                    let mut larger = set.clone();
                    larger.push(axis);
                    let subset = |skip: usize| -> Vec<usize> {
                        let kept = larger.iter().enumerate().filter(|(k, _)| *k != skip);
                        kept.map(|(_, axis)| *axis).collect()
                    };
                    if (0..size).any(|skip| !level.contains(&subset(skip))) {
                        continue;
                    }
                    let single: Vec<&[usize]> = larger.chunks(1).collect();
                    if self.together(&single)? {
                        next.insert(larger);
                    }
                }
            }
            let covered = |set: &Vec<usize>| {
                let mut larger = next.iter();
                larger.any(|other: &Vec<usize>| set.iter().all(|axis| other.contains(axis)))
            };
            largest.extend(level.iter().filter(|set| !covered(set)).cloned());
            level = next;
        }
        let joined = components(level.iter().map(Vec::as_slice));
        let inside = |set: &Vec<usize>| {
            let mut joined = joined.iter();
            joined.any(|whole: &Vec<usize>| set.iter().all(|axis| whole.contains(axis)))
        };
        largest.retain(|set| !inside(set));
        largest.extend(joined);
        largest.sort();
        Some(largest)
    }
}

/// The sets that are connected through common members, each in order.
pub(super) fn components<'a>(sets: impl Iterator<Item = &'a [usize]>) -> Vec<Vec<usize>> {
    let mut components: Vec<BTreeSet<usize>> = Vec::new();
    for set in sets {
        let mut joined: BTreeSet<usize> = set.iter().copied().collect();
        components.retain(|other| {
            let apart = other.is_disjoint(&joined);
            if !apart {
                joined.extend(other);
            }
            apart
        });
        components.push(joined);
    }
    let mut components: Vec<Vec<usize>> = components
        .into_iter()
        .map(|set| set.into_iter().collect())
        .collect();
    components.sort();
    components
}
