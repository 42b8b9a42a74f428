//! What keeps a job from beginning.

use thiserror::Error;

/// MPI cannot be used.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum MpiError {
    /// MPI does not start.
    #[error(
        "MPI does not start ({reason}); start the program with mpirun, and call Mpi::world() only here"
    )]
    Start {
        /// What MPI says.
        reason: String,
    },
    /// An MPI whose calls may not come from different threads.
    #[error(
        "this MPI allows calls from the main thread only; use one that was built with MPI_THREAD_SERIALIZED"
    )]
    Threads,
    /// The launcher belongs to another MPI than the program.
    #[error(
        "mpirun started {launched} processes, but each of them is alone: the program was compiled with a different MPI from \
         that of mpirun; set MPICC to the compiler that belongs to mpirun and build again"
    )]
    OtherMpi {
        /// The processes that were started.
        launched: usize,
    },
}
