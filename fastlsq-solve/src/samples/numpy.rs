//! Samples for NumPy.

use std::io::{self, Cursor, Write};
use std::path::Path;

use npyz::WriterBuilder;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::GridSamples;
use crate::saved::{SaveError, write_file};

impl GridSamples {
    /// Writes the values as one array: with one index per coordinate, and, where there are several functions, with their
    /// number as the first index.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn save_npy(&self, path: impl AsRef<Path>) -> Result<(), SaveError> {
        let path = path.as_ref();
        let mut shape = self.shape();
        if self.values.len() != 1 {
            shape.insert(0, self.values.len());
        }
        let values = self.values.iter().flatten().copied();
        let bytes = npy(&shape, values).map_err(|cause| SaveError::io("write", path, cause))?;
        write_file(path, &bytes)
    }

    /// Writes an archive of arrays: the places along each coordinate and the values of each function, under their names.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn save_npz(&self, path: impl AsRef<Path>) -> Result<(), SaveError> {
        let path = path.as_ref();
        let bytes = self
            .npz()
            .map_err(|cause| SaveError::io("write", path, cause))?;
        write_file(path, &bytes)
    }

    fn npz(&self) -> io::Result<Vec<u8>> {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default();
        let mut add = |name: &str, bytes: &[u8]| {
            archive.start_file(format!("{name}.npy"), options)?;
            archive.write_all(bytes)
        };
        for (name, places) in self.space.names().into_iter().zip(&self.axes) {
            add(name, &npy(&[places.len()], places.iter().copied())?)?;
        }
        for (name, values) in self.names.iter().zip(&self.values) {
            add(name, &npy(&self.shape(), values.iter().copied())?)?;
        }
        Ok(archive.finish()?.into_inner())
    }
}

/// Numbers in row-major order as an array file.
fn npy(shape: &[usize], values: impl IntoIterator<Item = f64>) -> io::Result<Vec<u8>> {
    let shape: Vec<u64> = shape.iter().map(|length| *length as u64).collect();
    let mut bytes = Vec::new();
    let mut writer = npyz::WriteOptions::new()
        .default_dtype()
        .shape(&shape)
        .writer(&mut bytes)
        .begin_nd()?;
    writer.extend(values)?;
    writer.finish()?;
    Ok(bytes)
}
