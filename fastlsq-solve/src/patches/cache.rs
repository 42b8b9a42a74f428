//! Fronts that are kept from one solve to the next.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use faer::Mat;

use super::front::Front;
use super::options::PatchOptions;
use super::ordering::Step;
use super::sharing::Sharing;
use super::skeleton::LinkShape;
use crate::control::Limit;

/// What a front depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Shape {
    Leaf {
        class: u32,
        links: Vec<LinkShape>,
        eliminated: u32,
    },
    /// Two fronts and, for each block of the merged front, its place in the first and in the second.
    Merge {
        parts: [u32; 2],
        places: Vec<[Option<u32>; 2]>,
        eliminated: u32,
    },
    /// A last front that this many functionals border.
    Bordered { front: u32, borders: usize },
}

/// Schur complements with more rows than this are not kept: they are made again where they are needed again.
pub(super) const KEPT_ROWS: usize = 512;

/// A front of a shape on a process: each process has its own fronts.
pub(super) type Key = (usize, u32);

/// What is known of a front, wherever it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// Eliminated unknowns and all of them.
    pub(super) size: (usize, usize),
    /// Whether its Schur complement is still there.
    pub(super) schur: bool,
}

impl Entry {
    fn bytes(&self) -> usize {
        let (e, n) = self.size;
        let schur = if self.schur { (n - e) * (n - e) } else { 0 };
        (front_numbers(self.size) + schur).saturating_mul(size_of::<f64>())
    }
}

/// Numbers of a front without its Schur complement.
fn front_numbers((e, n): (usize, usize)) -> usize {
    e.saturating_mul(2 * n - e)
}

/// Fronts by shape, kept between solves.
#[derive(Debug)]
pub(super) struct FrontCache {
    known: HashMap<Shape, u32>,
    /// The fronts of all processes; the same on each of them.
    pub(super) ledger: HashMap<Key, Entry>,
    pub(super) fronts: HashMap<u32, Arc<Front>>,
    /// Schur complements, as long as they are needed or small.
    pub(super) schurs: HashMap<u32, Mat<f64>>,
    next: u32,
    /// Bytes that all fronts of a process may take.
    limit: usize,
    pub(super) sharing: Sharing,
}

impl FrontCache {
    /// No fronts yet, and never more of them than the options allow.
    pub(super) fn new(options: &PatchOptions) -> Self {
        Self {
            known: HashMap::new(),
            ledger: HashMap::new(),
            fronts: HashMap::new(),
            schurs: HashMap::new(),
            next: 0,
            limit: options.memory(),
            sharing: Sharing::new(&options.control),
        }
    }

    /// The number of a shape.
    pub(super) fn number(&mut self, shape: Shape) -> u32 {
        let next = self.next;
        let id = *self.known.entry(shape).or_insert(next);
        if id == next {
            self.next += 1;
        }
        id
    }

    /// The steps to be factored: those with unknown fronts, and those whose Schur complements are gone but needed by these.
    pub(super) fn wanted(&self, steps: &[Step], keys: &[Key]) -> Vec<usize> {
        let mut seen = HashSet::new();
        let first: Vec<usize> = (0..steps.len()).filter(|&i| seen.insert(keys[i])).collect();
        let mut needed: HashSet<Key> = HashSet::new();
        let mut wanted = Vec::new();
        // Parents come after their children.
        for &index in first.iter().rev() {
            let known = self.ledger.get(&keys[index]);
            let gone = needed.contains(&keys[index]) && known.is_some_and(|entry| !entry.schur);
            if gone || known.is_none() {
                let children = steps[index].children.into_iter().flatten();
                needed.extend(children.map(|child| keys[child]));
                wanted.push(index);
            }
        }
        wanted.reverse();
        wanted
    }

    /// Forgets what is not used any more, and makes sure that new fronts of these sizes have room on every process: for good
    /// on the one that keeps a front, and while it is made on those that help.
    pub(super) fn make_room<'a>(
        &mut self,
        used: &HashSet<Key>,
        new: impl Iterator<Item = (&'a [usize], (usize, usize))>,
    ) -> Result<(), Limit> {
        let me = self.sharing.rank();
        self.ledger.retain(|key, _| used.contains(key));
        self.fronts.retain(|id, _| used.contains(&(me, *id)));
        self.schurs.retain(|id, _| used.contains(&(me, *id)));
        let ids: HashSet<u32> = used.iter().map(|(_, id)| *id).collect();
        let within = |shape: &Shape| match shape {
            Shape::Bordered { front, .. } => Some(*front),
            _ => None,
        };
        let bordered: HashSet<u32> = self.known.keys().filter_map(within).collect();
        self.known
            .retain(|_, id| ids.contains(id) || bordered.contains(id));
        // Those that are made anew replace others, so this is somewhat too large.
        let mut sums: HashMap<usize, (usize, usize)> = HashMap::new();
        for (makers, size) in new {
            for (place, &maker) in makers.iter().enumerate() {
                let (numbers, largest) = sums.entry(maker).or_default();
                if place == 0 {
                    *numbers = numbers.saturating_add(front_numbers(size));
                }
                *largest = (*largest).max(size.1.saturating_mul(size.1));
            }
        }
        let needed = sums.into_iter().map(|(owner, (numbers, largest))| {
            numbers
                .saturating_add(largest.saturating_mul(2))
                .saturating_mul(size_of::<f64>())
                .saturating_add(self.bytes_on(owner))
        });
        let (needed, limit) = (needed.max().unwrap_or(0), self.limit);
        match needed > limit {
            true => Err(Limit::Memory { needed, limit }),
            false => Ok(()),
        }
    }

    /// Bytes of all fronts of a process.
    fn bytes_on(&self, owner: usize) -> usize {
        let own = self.ledger.iter().filter(|((rank, _), _)| *rank == owner);
        own.map(|(_, entry)| entry.bytes()).sum()
    }

    /// Bytes of all fronts, on the process with the most.
    pub(super) fn bytes(&self) -> usize {
        let owners: HashSet<usize> = self.ledger.keys().map(|(owner, _)| *owner).collect();
        let all = owners.into_iter().map(|owner| self.bytes_on(owner));
        all.max().unwrap_or(0)
    }

    /// Forgets a Schur complement.
    pub(super) fn forget_schur(&mut self, key: Key) {
        if let Some(entry) = self.ledger.get_mut(&key) {
            entry.schur = false;
        }
        if key.0 == self.sharing.rank() {
            self.schurs.remove(&key.1);
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.ledger.clear();
        self.fronts.clear();
        self.schurs.clear();
    }
}
