//! The scrambled Halton sequence.
//!
//! Point n has as its coordinate j the radical inverse of n in the j-th prime base b: the digits of
//! n mirrored at the radix point, each digit first sent through a random permutation of 0..b of its
//! own (one for each base and digit position). The zeros in front of n's leading digit are permuted
//! like all others, down to the last digit that a double can hold: without that, every point would
//! end in zeros and the first ones would sit at the origin. Each point is then uniformly distributed
//! on its own, while n of them together fill the cube with discrepancy O((ln n)^d / n).

use super::random::{keyed, permutation};

/// Points are (2v + 1)/(2 bᴰ) with bᴰ ≤ 2⁵², so that numerator and denominator are exact doubles.
const FINEST: u64 = 1 << 52;

/// The first purpose label that belongs to digit permutations; smaller ones serve other draws.
const PERMUTATION_LABELS: u64 = 1 << 32;

/// Scrambled radical inverse in one prime base.
#[derive(Clone, Debug)]
struct Coordinate {
    base: u64,
    /// Row k: πₖ(digit) · b^(D−1−k) for each digit, k = 0 the least significant digit of n.
    mirrored: Vec<u64>,
    /// Entry k: what the permuted zeros at positions k, k + 1, …, D − 1 add up to.
    zeros_from: Vec<u64>,
    /// 2 bᴰ.
    denominator: f64,
}

impl Coordinate {
    fn new(base: u32, axis: usize, seed: u64, stream: u64) -> Self {
        let mut rng = keyed(seed, stream, PERMUTATION_LABELS + axis as u64);
        let base = u64::from(base);
        let mut places = vec![1_u64];
        let mut cells = base;
        while cells <= FINEST / base {
            places.push(cells);
            cells *= base;
        }
        let mut mirrored = Vec::with_capacity(places.len() * base as usize);
        for place in places.iter().rev() {
            let digits = permutation(&mut rng, base as u32);
            mirrored.extend(digits.iter().map(|&digit| u64::from(digit) * place));
        }
        let mut zeros_from = vec![0; places.len() + 1];
        for (k, row) in mirrored.chunks_exact(base as usize).enumerate().rev() {
            zeros_from[k] = zeros_from[k + 1] + row[0];
        }
        Self {
            base,
            mirrored,
            zeros_from,
            denominator: (2 * cells) as f64,
        }
    }

    /// The coordinate of point `index`, in (0, 1).
    fn at(&self, index: u64) -> f64 {
        let mut rest = index;
        let mut position = 0;
        let mut cell = 0;
        for row in self.mirrored.chunks_exact(self.base as usize) {
            if rest == 0 {
                break;
            }
            cell += row[(rest % self.base) as usize];
            rest /= self.base;
            position += 1;
        }
        cell += self.zeros_from[position];
        (2 * cell + 1) as f64 / self.denominator
    }
}

/// A scrambled Halton sequence, the index of its next point and the coordinates of a point already
/// handed out.
#[derive(Clone, Debug)]
pub(super) struct Halton {
    seed: u64,
    stream: u64,
    next: u64,
    skip: usize,
    coordinates: Vec<Coordinate>,
}

impl Halton {
    pub(super) fn new(seed: u64, stream: u64) -> Self {
        Self {
            seed,
            stream,
            next: 0,
            skip: 0,
            coordinates: Vec::new(),
        }
    }

    /// Makes the scramblings for `dim` coordinates; those already there stay as they are.
    pub(super) fn prepare(&mut self, dim: usize) {
        let mut candidate = self
            .coordinates
            .last()
            .map_or(2, |last| last.base as u32 + 1);
        while self.coordinates.len() < self.skip.saturating_add(dim) {
            while !is_prime(candidate) {
                candidate += 1;
            }
            let axis = self.coordinates.len();
            self.coordinates
                .push(Coordinate::new(candidate, axis, self.seed, self.stream));
            candidate += 1;
        }
    }

    /// Writes the next point's coordinates; `prepare(point.len())` must have been called.
    pub(super) fn next_point<'a>(&mut self, point: impl Iterator<Item = &'a mut f64>) {
        for (value, coordinate) in point.zip(self.coordinates.iter().skip(self.skip)) {
            *value = coordinate.at(self.next);
        }
        self.next = self.next.wrapping_add(1);
    }

    /// The index of the next point.
    pub(super) fn position(&self) -> u64 {
        self.next
    }

    /// Goes back to `position` for the coordinates after the next `dim`.
    pub(super) fn enter_piece(&mut self, position: u64, dim: usize) {
        self.next = position;
        self.skip += dim;
    }

    /// Undoes [`Halton::enter_piece`], at least `count` points further on.
    pub(super) fn leave_piece(&mut self, position: u64, count: usize, dim: usize) {
        self.next = self.next.max(position.wrapping_add(count as u64));
        self.skip -= dim;
    }
}

/// Trial division: the bases are small.
fn is_prime(n: u32) -> bool {
    n >= 2
        && (2..)
            .take_while(|d| d * d <= n)
            .all(|d| !n.is_multiple_of(d))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bases_are_the_primes_in_order() {
        let mut halton = Halton::new(0, 0);
        halton.prepare(3);
        halton.prepare(64);
        let bases: Vec<u64> = halton.coordinates.iter().map(|c| c.base).collect();
        assert_eq!(bases[..10], [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]);
        assert_eq!(bases[63], 311);
    }

    #[test]
    fn scrambling_does_not_depend_on_when_a_coordinate_is_added() {
        let mut at_once = Halton::new(9, 1);
        at_once.prepare(7);
        let mut in_steps = Halton::new(9, 1);
        for dim in [1, 4, 2, 7] {
            in_steps.prepare(dim);
        }
        for (a, b) in at_once.coordinates.iter().zip(&in_steps.coordinates) {
            assert_eq!(a.mirrored, b.mirrored);
        }
    }

    proptest! {
        /// Elementary intervals: any bᵏ successive points have exactly one in each cell of width b⁻ᵏ.
        #[test]
        fn every_cell_is_hit_once(seed: u64, axis in 0_usize..12, start in 0_u64..1 << 40) {
            let mut halton = Halton::new(seed, 0);
            halton.prepare(axis + 1);
            let coordinate = &halton.coordinates[axis];
            let base = coordinate.base;
            let cells = if base < 10 { base * base * base } else { base };
            let mut hit = vec![0_u32; cells as usize];
            for index in start..start + cells {
                let x = coordinate.at(index);
                prop_assert!(0.0 < x && x < 1.0);
                hit[(x * cells as f64) as usize] += 1;
            }
            prop_assert!(hit.iter().all(|&count| count == 1));
        }

        /// Every digit position of every base is permuted by a permutation.
        #[test]
        fn rows_are_permutations(seed: u64, axis in 0_usize..64) {
            let mut halton = Halton::new(seed, 3);
            halton.prepare(axis + 1);
            let coordinate = &halton.coordinates[axis];
            let base = coordinate.base;
            let mut place = coordinate.denominator as u64 / 2;
            prop_assert!(place <= FINEST && place > FINEST / base);
            for row in coordinate.mirrored.chunks_exact(base as usize) {
                place /= base;
                let mut digits: Vec<u64> = row.iter().map(|value| value / place).collect();
                digits.sort_unstable();
                prop_assert!(digits.into_iter().eq(0..base));
            }
            prop_assert_eq!(place, 1);
        }
    }

    #[test]
    fn first_points_do_not_cluster_at_the_origin() {
        // Without scrambled leading zeros point 0 is the origin for every seed.
        let mean: f64 = (0..200)
            .map(|seed| {
                let mut halton = Halton::new(seed, 0);
                halton.prepare(1);
                halton.coordinates[0].at(0)
            })
            .sum::<f64>()
            / 200.0;
        // Standard error 0.29/√200 = 0.02.
        assert!((mean - 0.5).abs() < 0.08, "{mean}");
    }
}
