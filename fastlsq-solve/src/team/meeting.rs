//! What members say to each other before they do something together.

use super::Team;

/// What is exchanged at a meeting: of every word, all members learn the largest.
pub type Words = [u64; 8];

/// What a member is about to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// It joins the job.
    Greeting = 1,
    /// It looks at the clock.
    Clock = 2,
    /// It factors a system.
    Factor = 3,
    /// It has reduced its rows.
    Reduced = 4,
    /// It solves for other right-hand sides.
    Solve = 5,
    /// It has factored its leaves and fronts.
    Patches = 6,
    /// It has ended.
    Farewell = 7,
}

impl Purpose {
    fn describe(word: u64) -> &'static str {
        match word {
            1 => "joined the job",
            2 => "checked the clock",
            3 => "began to factor a system",
            4 => "reduced the rows",
            5 => "began to solve for other right-hand sides",
            6 => "factored the patches",
            7 => "ended",
            _ => "ran another version",
        }
    }
}

/// All members meet for the same purpose with the same fingerprint of what they have, and learn the largest of every value;
/// otherwise the job ends.
pub fn meet(team: &dyn Team, purpose: Purpose, fingerprint: u64, values: [u64; 4]) -> [u64; 4] {
    let purpose = purpose as u64;
    let [a, b, c, d] = values;
    let mut words = [purpose, !purpose, fingerprint, !fingerprint, a, b, c, d];
    team.tally().met();
    team.maximum(&mut words);
    let [purposes, not_purposes, prints, not_prints, a, b, c, d] = words;
    // The largest of the complements belongs to the smallest: equal if all are.
    if purposes != !not_purposes {
        let all = of_all_members(team, purpose);
        let lines = groups(&all, |word| Purpose::describe(word).to_owned());
        team.end(&format!(
            "the members of the job do different things: {lines}"
        ));
    }
    if prints != !not_prints {
        let all = of_all_members(team, fingerprint);
        let lines = groups(&all, |word| format!("found fingerprint {word:016x}"));
        team.end(&format!(
            "not all members {}: {lines}; start the same program with the same input on processors of the same kind",
            match purpose {
                1 => "run the same version of the program in the same way",
                3 => "state the same problem",
                _ => "go on with the same numbers",
            }
        ));
    }
    [a, b, c, d]
}

/// One word of every member.
fn of_all_members(team: &dyn Team, own: u64) -> Vec<u64> {
    let mut all = Vec::with_capacity(team.size());
    while all.len() < team.size() {
        let mut words = Words::default();
        if let Some(word) = team
            .rank()
            .checked_sub(all.len())
            .and_then(|place| words.get_mut(place))
        {
            *word = own;
        }
        team.maximum(&mut words);
        all.extend(words);
    }
    all.truncate(team.size());
    all
}

/// Who says what, those of one opinion together.
fn groups(all: &[u64], describe: impl Fn(u64) -> String) -> String {
    let mut seen: Vec<u64> = Vec::new();
    for word in all {
        if !seen.contains(word) {
            seen.push(*word);
        }
    }
    let line = |word: &u64| {
        let ranks: Vec<String> = (0..all.len())
            .filter(|&rank| all[rank] == *word)
            .map(|rank| rank.to_string())
            .collect();
        let noun = if ranks.len() == 1 { "rank" } else { "ranks" };
        format!("{noun} {} {}", ranks.join(", "), describe(*word))
    };
    seen.iter().map(line).collect::<Vec<_>>().join("; ")
}

/// A number that tells sequences of words apart.
#[must_use]
pub fn fingerprint(words: impl IntoIterator<Item = u64>) -> u64 {
    // The finaliser of SplitMix64, chained.
    words.into_iter().fold(0x9e37_79b9_7f4a_7c15, |hash, word| {
        let mut z = (hash ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_tell_order_length_and_values_apart() {
        let prints = [
            fingerprint([]),
            fingerprint([0]),
            fingerprint([0, 0]),
            fingerprint([1, 2]),
            fingerprint([2, 1]),
        ];
        for (i, a) in prints.iter().enumerate() {
            assert!(prints[i + 1..].iter().all(|b| a != b));
        }
    }

    #[test]
    fn members_of_one_opinion_are_named_together() {
        let lines = groups(&[2, 7, 2], |word| Purpose::describe(word).to_owned());
        assert_eq!(lines, "ranks 0, 2 checked the clock; rank 1 ended");
    }
}
