//! Which coordinates the features of a low-order law depend on.

/// The number of non-empty sets of at most `order` axes.
pub(super) fn count_up_to(dim: usize, order: usize) -> f64 {
    let mut binomial = 1.0;
    (1..=order.min(dim))
        .map(|size| {
            binomial *= (dim + 1 - size) as f64 / size as f64;
            binomial
        })
        .sum()
}

/// Every non-empty set of at most `order` axes, the smaller ones first.
pub(super) fn subsets_up_to(dim: usize, order: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = Vec::new();
    let mut last: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..order {
        last = last
            .iter()
            .flat_map(|set| {
                let first = set.last().map_or(0, |&axis| axis + 1);
                (first..dim).map(move |axis| set.iter().copied().chain([axis]).collect())
            })
            .collect();
        all.extend(last.iter().cloned());
    }
    all
}

/// The set that each of `count` features depends on: every round uses each set once.
///
/// The first round goes in order, the smaller sets first; later ones are shuffled. Taking plain turns
/// would tie the set to the position modulo the number of sets, and with it to the leading digits
/// of quasi-random points.
pub(super) fn turns(sets: usize, count: usize) -> Vec<usize> {
    let mut turns = Vec::with_capacity(count);
    let mut round: Vec<usize> = (0..sets).collect();
    let mut state = 0;
    while turns.len() < count && sets > 0 {
        turns.extend(round.iter().take(count - turns.len()));
        for last in (1..sets).rev() {
            let chosen = (mixed(&mut state) % (last as u64 + 1)) as usize;
            round.swap(last, chosen);
        }
    }
    turns
}

/// The next output of the SplitMix64 generator.
fn mixed(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_round_uses_each_set_once() {
        let all = turns(6, 6 * 50 + 4);
        assert_eq!(all.len(), 304);
        assert_eq!(all[..6], [0, 1, 2, 3, 4, 5]);
        for round in all.chunks_exact(6) {
            let mut round = round.to_vec();
            round.sort_unstable();
            assert_eq!(round, [0, 1, 2, 3, 4, 5]);
        }
        assert_eq!(turns(6, 10), all[..10]);
        assert!(turns(0, 10).is_empty());
    }

    #[test]
    fn sets_are_counted_as_they_are_listed() {
        for dim in 1..8 {
            for order in 1..=dim {
                assert_eq!(
                    subsets_up_to(dim, order).len() as f64,
                    count_up_to(dim, order)
                );
            }
        }
    }
}
