//! Pseudo-random primitives with a fixed meaning: every bit follows from the key.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A ChaCha8 generator whose 256-bit key is (seed, stream, purpose, tag): generators with different
/// labels are independent of one another.
pub(super) fn keyed(seed: u64, stream: u64, purpose: u64) -> ChaCha8Rng {
    let mut key = [0_u8; 32];
    let words = [seed, stream, purpose, u64::from_le_bytes(*b"unitcube")];
    for (bytes, word) in key.chunks_exact_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    ChaCha8Rng::from_seed(key)
}

/// A uniform number in the open interval (0, 1): an odd multiple of 2⁻⁵³, symmetric about ½.
pub(super) fn open_unit(rng: &mut ChaCha8Rng) -> f64 {
    const CELL: f64 = 1.0 / (1_u64 << 53) as f64;
    let cell = rng.next_u64() >> 12;
    (2 * cell + 1) as f64 * CELL
}

/// A uniform integer in 0..bound, free of bias (multiply and shift, rejecting the short cells);
/// 0 if `bound` is 0.
fn below(rng: &mut ChaCha8Rng, bound: u32) -> u32 {
    let rejected = bound.wrapping_neg().checked_rem(bound).unwrap_or(0);
    loop {
        let product = u64::from(rng.next_u32()) * u64::from(bound);
        if (product & 0xffff_ffff) >= u64::from(rejected) {
            return (product >> 32) as u32;
        }
    }
}

/// A uniformly distributed permutation of 0..size (Fisher–Yates).
pub(super) fn permutation(rng: &mut ChaCha8Rng, size: u32) -> Vec<u32> {
    let mut values: Vec<u32> = (0..size).collect();
    for last in (1..size).rev() {
        let chosen = below(rng, last + 1);
        values.swap(last as usize, chosen as usize);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn permutations_hold_each_value_once(seed: u64, size in 0_u32..500) {
            let mut values = permutation(&mut keyed(seed, 0, 0), size);
            values.sort_unstable();
            prop_assert!(values.into_iter().eq(0..size));
        }
    }

    #[test]
    fn all_permutations_of_four_are_equally_likely() {
        let mut rng = keyed(5, 0, 0);
        let mut counts = std::collections::BTreeMap::new();
        let draws = 24_000;
        for _ in 0..draws {
            *counts.entry(permutation(&mut rng, 4)).or_insert(0_u32) += 1;
        }
        assert_eq!(counts.len(), 24);
        // χ² with 23 degrees of freedom exceeds 58 with probability below 1e-4.
        let expected = f64::from(draws) / 24.0;
        let chi_square: f64 = counts
            .values()
            .map(|&n| (f64::from(n) - expected).powi(2) / expected)
            .sum();
        assert!(chi_square < 58.0, "{chi_square}");
    }

    #[test]
    fn labels_separate_the_streams() {
        let first = |seed, stream, purpose| keyed(seed, stream, purpose).next_u64();
        let base = first(1, 2, 3);
        assert_ne!(base, first(2, 2, 3));
        assert_ne!(base, first(1, 3, 3));
        assert_ne!(base, first(1, 2, 4));
        assert_eq!(base, first(1, 2, 3));
    }
}
