//! Processes that solve one problem together.
//!
//! Every member of a [`Team`] states the same problem and runs the same program; what is large is shared out, what
//! is small is done by all. Members never exchange opinions: what one of them measures (a clock, a limit, a failure) is
//! made known to all before any of them acts on it, so that all take the same path through the program.
//!
//! Everything that members do together begins with a [`meeting`](meet): each says what it is about to do, and
//! with what. If they do not agree (a member has ended, states another problem, runs another version), the whole job ends
//! with a message that says who differs; nobody waits for a message that will not come.
//!
//! Work that is shared follows a [`Plan`]: pieces whose number depends on the sizes of the problem alone, combined
//! pairwise in a fixed tree. Members differ in which pieces they work on; the operations and their order are those of a
//! single process, and so is the result, to the last bit.
//!
//! This module knows no other. [`TeamBackend`](crate::TeamBackend) puts it to use for rows,
//! [patches](crate::patches) for subtrees. Members that are ranks of an MPI job are in the crate `fastlsq-mpi`; members
//! that are threads of a test in `conformance`.

mod machine;
mod meeting;
mod plan;
mod tally;
mod together;

use std::fmt::Debug;

pub use machine::Machine;
pub use meeting::{Purpose, Words, fingerprint, meet};
pub use plan::{Part, Plan};
pub use tally::{Counts, Tally};
pub(crate) use together::{
    message_of_failure, numbers_to_text, own_parts, rank_of_failure, spread, sum, text_to_numbers,
};

/// The members of a job, as one of them sees it.
///
/// Messages arrive or the job ends: an implementation whose transport fails calls [`end`](Self::end). Calls are made by one
/// thread at a time, and by all members in an order that lets each message be received.
pub trait Team: Debug + Send + Sync {
    /// The number of this member, from 0. Number 0 leads: its clock and its progress callback count.
    fn rank(&self) -> usize;

    /// How many members there are.
    fn size(&self) -> usize;

    /// Bytes that every member may use if no limit is named: what the one with the least has.
    fn memory(&self) -> usize;

    /// What members do and what lies between them, roughly, as all of them agree: decides what is worth sharing.
    fn machine(&self) -> Machine;

    /// Sends numbers to another member, who must [receive](Self::receive) as many.
    fn send(&self, to: usize, numbers: &[f64]);

    /// Receives numbers from another member.
    fn receive(&self, from: usize, numbers: &mut [f64]);

    /// Gives all members what one of them has.
    fn broadcast(&self, from: usize, numbers: &mut [f64]);

    /// Gives all members the largest value of any, word by word.
    fn maximum(&self, words: &mut Words);

    /// What this member has done so far.
    fn tally(&self) -> &Tally;

    /// Ends the job on all members, with a message on standard error.
    fn end(&self, message: &str) -> !;
}
