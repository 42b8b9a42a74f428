//! Files that appear complete or not at all.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::SaveError;

/// Writes to a temporary file in the same directory, then renames it.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), SaveError> {
    let temporary = temporary_name(path).ok_or_else(|| {
        let cause = io::Error::new(io::ErrorKind::InvalidInput, "the path names no file");
        SaveError::io("write", path, cause)
    })?;
    let written = create_and_fill(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
    written.map_err(|cause| {
        // The first error is the one that matters; there may be nothing to remove.
        let _ = fs::remove_file(&temporary);
        SaveError::io("write", path, cause)
    })
}

fn create_and_fill(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file: File = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// A name beside the target that no other call uses.
fn temporary_name(path: &Path) -> Option<PathBuf> {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let call = CALLS.fetch_add(1, Ordering::Relaxed);
    let mut name = OsString::from(".");
    name.push(path.file_name()?);
    name.push(format!(".{}-{call}.part", std::process::id()));
    Some(path.with_file_name(name))
}
