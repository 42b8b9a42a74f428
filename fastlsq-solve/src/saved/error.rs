//! What can go wrong when a solution is saved or loaded.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A solution that cannot be saved, or a file that is not a solution.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SaveError {
    /// The file system refused.
    #[error("could not {action} {}: {cause}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        cause: io::Error,
    },
    /// A reader or writer failed.
    #[error("the stream failed: {cause}")]
    Stream {
        /// What it said.
        #[source]
        cause: io::Error,
    },
    /// A file of another kind.
    #[error(
        "this is not a saved solution: {reason}; only files written by Solution::save can be loaded"
    )]
    Foreign {
        /// Why.
        reason: String,
    },
    /// A version that this library does not know.
    #[error(
        "the file has format version {found}, but this library reads version {supported}; load and save it with the version of the library that belongs to it"
    )]
    Version {
        /// The version of the file.
        found: u64,
        /// The version that can be read.
        supported: u64,
    },
    /// The file ends too early.
    #[error("the file was cut off; save the solution again")]
    Truncated,
    /// More bytes than any solution has.
    #[error("more than {limit} bytes: a saved solution cannot be larger")]
    TooLarge {
        /// The most bytes that are read.
        limit: u64,
    },
    /// The file is damaged.
    #[error("the file is damaged: {reason}; save the solution again")]
    Corrupted {
        /// What is wrong.
        reason: String,
    },
    /// A coefficient that is NaN or infinite.
    #[error(
        "coefficient {index} of unknown {unknown:?} is {value}; only finite coefficients are saved"
    )]
    NotFinite {
        /// The unknown.
        unknown: String,
        /// Its coefficient.
        index: usize,
        /// The value.
        value: f64,
    },
    /// A grid in too many dimensions for the format.
    #[error(
        "VTK files have three coordinates at most, but here there are {found}: fix some at a single value each, or save .npz"
    )]
    Axes {
        /// The number of coordinates.
        found: usize,
    },
    /// A series in time of something without time.
    #[error("a series needs a time axis, and there is none: use save_vtu")]
    NoTime,
    /// A basis of the user's own that does not say how to be saved.
    #[error("the basis of unknown {unknown:?} cannot be saved; implement Basis::to_saved for it")]
    UnsavableBasis {
        /// The unknown.
        unknown: String,
    },
}

impl SaveError {
    pub(crate) fn io(action: &'static str, path: &Path, cause: io::Error) -> Self {
        Self::Io {
            action,
            path: path.to_owned(),
            cause,
        }
    }

    #[cfg(feature = "serde")]
    pub(super) fn corrupted(reason: &impl ToString) -> Self {
        Self::Corrupted {
            reason: reason.to_string(),
        }
    }
}
