//! Sums, and failures that all members learn of.

use super::{Part, Plan, Team};

/// The sum of vectors of one length that are spread over the parts of a plan, on all members; added in the plan's order.
pub(crate) fn sum(
    team: &dyn Team,
    plan: &Plan,
    mut parts: Vec<Option<Vec<f64>>>,
    length: usize,
) -> Vec<f64> {
    let me = team.rank();
    for &[left, right] in plan.merges() {
        let (into, from) = (plan.owner(left), plan.owner(right));
        let other = parts[right].take();
        if from == me && into != me {
            team.send(into, &other.unwrap_or_default());
        } else if let Some(sum) = &mut parts[left] {
            let other = other.unwrap_or_else(|| {
                let mut numbers = vec![0.0; length];
                team.receive(from, &mut numbers);
                numbers
            });
            for (sum, other) in sum.iter_mut().zip(other) {
                *sum += other;
            }
        }
    }
    let root = plan.owner(0);
    let own = parts.into_iter().next().flatten();
    let mut numbers = own.unwrap_or_else(|| vec![0.0; length]);
    team.broadcast(root, &mut numbers);
    numbers
}

/// What one of some members has (the one in place `from` of their list), on all of these: along a binary tree, so that none of
/// them sends more than log₂ of their number.
pub(crate) fn spread(team: &dyn Team, members: &[usize], from: usize, numbers: &mut [f64]) {
    let count = members.len();
    let Some(place) = members.iter().position(|&member| member == team.rank()) else {
        return;
    };
    let own = (place + count - from) % count;
    let member = |distance: usize| members[(from + distance) % count];
    let mut reach = count.next_power_of_two() / 2;
    while reach > 0 {
        match own % (2 * reach) {
            0 if own + reach < count => team.send(member(own + reach), numbers),
            step if step == reach => team.receive(member(own - reach), numbers),
            _ => {}
        }
        reach /= 2;
    }
}

/// One thing for each part that belongs to a member, if all could be made.
pub(crate) fn own_parts<T, E>(
    team: &dyn Team,
    plan: &Plan,
    make: impl Fn(&Part) -> Result<T, E>,
) -> Result<Vec<Option<T>>, E> {
    let own = |part: &Part| {
        let own = part.owner == team.rank();
        own.then(|| make(part)).transpose()
    };
    plan.parts().iter().map(own).collect()
}

/// Numbers of a message about a failure.
pub(crate) const MESSAGE: usize = 512;

/// The message of the first member that failed, on all of them; `worst` is the largest of what [`rank_of_failure`] gave.
pub(crate) fn message_of_failure(team: &dyn Team, worst: u64, own: Option<Vec<f64>>) -> Vec<f64> {
    let first = team.size() - usize::try_from(worst).unwrap_or(1).min(team.size());
    let mut numbers = own
        .filter(|_| first == team.rank())
        .unwrap_or_else(|| vec![0.0; MESSAGE]);
    numbers.resize(MESSAGE, 0.0);
    team.broadcast(first, &mut numbers);
    numbers
}

/// What a member says at a meeting: nothing, or that it failed. The largest is that of the first who did.
pub(crate) fn rank_of_failure(team: &dyn Team, failed: bool) -> u64 {
    if failed {
        (team.size() - team.rank()) as u64
    } else {
        0
    }
}

/// A text as numbers.
pub(crate) fn text_to_numbers(text: &str) -> impl Iterator<Item = f64> {
    text.chars().map(|letter| f64::from(u32::from(letter)))
}

/// Numbers as a text, up to the first zero.
pub(crate) fn numbers_to_text(numbers: &[f64]) -> String {
    let letters = numbers.iter().take_while(|letter| **letter > 0.0);
    letters.filter_map(|x| char::from_u32(*x as u32)).collect()
}
