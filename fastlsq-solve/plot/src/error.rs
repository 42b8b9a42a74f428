//! What can go wrong when something is drawn.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A figure that cannot be drawn or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PlotError {
    /// The drawing library refused.
    #[error("the figure cannot be drawn: {reason}")]
    Drawing {
        /// Its own words.
        reason: String,
    },
    /// The file system refused.
    #[error("could not write {}: {cause}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        cause: io::Error,
    },
    /// A file name that does not say what to write.
    #[error("{} should end in {known}", path.display())]
    Extension {
        /// The file.
        path: PathBuf,
        /// The endings there are.
        known: &'static str,
    },
    /// Values that do not fill the grid of a map.
    #[error("a map over {columns} × {rows} points has {found} values")]
    Shape {
        /// Places along x.
        columns: usize,
        /// Places along y.
        rows: usize,
        /// The number of values.
        found: usize,
    },
    /// A map needs two places along each axis, in rising order.
    #[error("the places of a map along {axis} must be two or more, finite, and in rising order")]
    Places {
        /// The axis.
        axis: &'static str,
    },
    /// Nothing to draw.
    #[error("there is nothing to draw: a figure needs a panel, a film a frame")]
    Empty,
    /// Frames of a film that differ in size.
    #[error("all frames of a film must have the same size, here {first:?} and {other:?} pixels")]
    FrameSizes {
        /// The size of the first frame.
        first: (u32, u32),
        /// Another size.
        other: (u32, u32),
    },
    /// Something that has no picture.
    #[error("{what}: {hint}")]
    NoPicture {
        /// What it is.
        what: String,
        /// What to do.
        hint: &'static str,
    },
}

impl PlotError {
    pub(crate) fn drawing(reason: &impl ToString) -> Self {
        Self::Drawing {
            reason: reason.to_string(),
        }
    }

    pub(crate) fn io(path: &Path, cause: io::Error) -> Self {
        Self::Io {
            path: path.to_owned(),
            cause,
        }
    }
}
