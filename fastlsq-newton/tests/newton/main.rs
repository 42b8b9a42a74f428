//! Newton's method: slopes, steps, starts, continuation, branches, limits, and what it refuses.

mod branch;
mod continuation;
mod iteration;
mod jacobian;
mod limits;
mod manufactured;
mod patches;
