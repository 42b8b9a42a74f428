//! Samples as a table.

use std::path::Path;

use super::GridSamples;
use crate::saved::{SaveError, write_file};

impl GridSamples {
    /// Writes a table with the coordinates and functions as columns and one line per point of the domain.
    ///
    /// The file appears complete or not at all, as all files of this library do.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn save_csv(&self, path: impl AsRef<Path>) -> Result<(), SaveError> {
        write_file(path.as_ref(), self.csv().as_bytes())
    }

    fn csv(&self) -> String {
        let coordinates = self.space.names().into_iter().map(quoted);
        let functions = self.names.iter().map(|name| quoted(name));
        let mut text = coordinates.chain(functions).collect::<Vec<_>>().join(",");
        text.push('\n');
        let Some(first) = self.values.first() else {
            return text;
        };
        for (index, _) in first.indexed_iter() {
            let values: Vec<f64> = self.values.iter().map(|values| values[&index]).collect();
            if values.iter().all(|value| value.is_nan()) {
                continue;
            }
            let place = self
                .axes
                .iter()
                .enumerate()
                .map(|(axis, places)| places[index[axis]]);
            // As many digits as it takes to read back the very same number.
            let line: Vec<String> = place
                .chain(values)
                .map(|number| number.to_string())
                .collect();
            text += &line.join(",");
            text.push('\n');
        }
        text
    }
}

/// A name as a field of a table.
fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}
