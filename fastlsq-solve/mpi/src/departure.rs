//! A rank that exits while the job goes on: not every `mpirun` says so, or takes it for a failure.

use std::sync::atomic::{AtomicUsize, Ordering};

/// One more than the number of this rank, as long as it may not exit.
static UNDER_WAY: AtomicUsize = AtomicUsize::new(0);

/// From now on this rank, if it exits, says so and is ended like one that has crashed, which ends the job on all ranks.
pub(crate) fn watch(rank: usize) {
    UNDER_WAY.store(rank + 1, Ordering::Relaxed);
    // Where no hook can be installed, what mpirun says must do.
    let _ = shutdown_hooks::add_shutdown_hook(on_exit);
}

/// This rank may exit.
pub(crate) fn allow() {
    UNDER_WAY.store(0, Ordering::Relaxed);
}

extern "C" fn on_exit() {
    if let Some(rank) = UNDER_WAY.load(Ordering::Relaxed).checked_sub(1) {
        eprintln!("fastlsq-mpi: rank {rank} exits in the middle of the job");
        std::process::abort();
    }
}
