//! What the tests ask the emulator.

use crate::state::state;

/// Allocations, contexts, streams, modules and handles that were not given back.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn fastlsq_emulator_live() -> u64 {
    state().live()
}

/// Calls that a device would not survive, or would answer with garbage.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn fastlsq_emulator_violations() -> u64 {
    state().violations
}

/// Kernels launched so far.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn fastlsq_emulator_launches() -> u64 {
    state().launches
}

/// Calls so far that can fail.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn fastlsq_emulator_calls() -> u64 {
    state().calls
}

/// Makes the call of this number fail, counted from now; 0 for none.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn fastlsq_emulator_fail_at(number: u64) {
    let mut state = state();
    state.fail_at = (number > 0).then_some(state.calls + number);
}

/// Whether the call that was told to fail was one that makes the context current: the one kind of
/// failure that goes unnoticed when memory is given back.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn fastlsq_emulator_failed_while_entering() -> u64 {
    u64::from(state().failed_while_entering)
}
