//! One front by one process and by all members of a team.

use super::Violation;
use crate::patches::joint_front_seconds;
use crate::team::Team;

/// How long a front of this many eliminated unknowns and of those they are tied to takes by this member's clock: by the first
/// member alone, and by all of them together.
///
/// # Errors
/// The members together do not compute the bits of one.
pub fn joint_front(
    team: &dyn Team,
    eliminated: usize,
    open: usize,
    clock: impl Fn() -> f64,
) -> Result<[f64; 2], Violation> {
    joint_front_seconds(team, eliminated, open, clock).ok_or_else(|| Violation::Broken {
        property: "a front factored by several members or by one",
        detail: format!(
            "{eliminated} unknowns tied to {open} others, on {} members",
            team.size()
        ),
    })
}
