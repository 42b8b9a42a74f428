//! Gridded data from files: NumPy arrays and tables of comma-separated values.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use ndarray::{ArrayD, IxDyn, ShapeBuilder};
use npyz::{NpyFile, Order};

use super::GridData;
use crate::DiscoveryError;

/// Takes causes as `map_err` hands them over.
#[allow(clippy::needless_pass_by_value)]
fn failure(path: &Path, reason: impl ToString) -> DiscoveryError {
    DiscoveryError::File {
        path: path.display().to_string(),
        reason: reason.to_string(),
    }
}

/// Reads one real array from a NumPy `.npy` file: floats of either size or integers.
///
/// # Errors
/// A file that cannot be opened, is not such an array, or holds other types.
pub fn read_npy(path: impl AsRef<Path>) -> Result<ArrayD<f64>, DiscoveryError> {
    let path = path.as_ref();
    let file = File::open(path).map_err(|cause| failure(path, cause))?;
    array(path, BufReader::new(file))
}

/// Reads every array of a NumPy `.npz` archive, with its name.
///
/// # Errors
/// A file that cannot be opened or is not an archive of real arrays.
pub fn read_npz(path: impl AsRef<Path>) -> Result<Vec<(String, ArrayD<f64>)>, DiscoveryError> {
    let path = path.as_ref();
    let file = File::open(path).map_err(|cause| failure(path, cause))?;
    let mut archive = zip::ZipArchive::new(BufReader::new(file)).map_err(|cause| {
        let hint = "an archive (.npz) was expected; a single array (.npy) is for read_npy";
        failure(path, format!("{cause}: {hint}"))
    })?;
    (0..archive.len())
        .map(|k| {
            let entry = archive.by_index(k).map_err(|cause| failure(path, cause))?;
            let name = entry.name().map_err(|cause| failure(path, cause))?;
            let name = name.into_owned();
            let name = name.strip_suffix(".npy").unwrap_or(&name).to_owned();
            Ok((name, array(path, entry)?))
        })
        .collect()
}

fn array(path: &Path, reader: impl Read) -> Result<ArrayD<f64>, DiscoveryError> {
    let file = NpyFile::new(reader).map_err(|cause| {
        failure(
            path,
            format!("{cause}: an array (.npy) was expected; an archive (.npz) is for read_npz"),
        )
    })?;
    let shape = file
        .shape()
        .iter()
        .map(|&n| usize::try_from(n))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|cause| failure(path, cause))?;
    let order = file.order();
    let values = numbers(file).map_err(|cause| failure(path, cause))?;
    let shape = IxDyn(&shape).set_f(order == Order::Fortran);
    ArrayD::from_shape_vec(shape, values).map_err(|cause| failure(path, cause))
}

/// The entries as f64, whatever real type they are stored as.
fn numbers(file: NpyFile<impl Read>) -> std::io::Result<Vec<f64>> {
    macro_rules! try_types {
        ($file:expr, $($type:ty: $convert:expr),*) => {{
            let mut file = $file;
            $(
                file = match file.try_data::<$type>() {
                    Ok(data) => return data.map(|v| v.map($convert)).collect(),
                    Err(file) => file,
                };
            )*
            file
        }};
    }
    let file = try_types!(
        file,
        f64: |v| v,
        f32: f64::from,
        i64: |v| v as f64,
        i32: f64::from,
        i16: f64::from,
        i8: f64::from,
        u64: |v| v as f64,
        u32: f64::from,
        u16: f64::from,
        u8: f64::from
    );
    Err(std::io::Error::new(
        std::io::ErrorKind::InvalidData,
        format!(
            "entries of type {} are not real numbers",
            file.dtype().descr()
        ),
    ))
}

impl GridData {
    /// Reads a grid from a `.npz` archive by the names of its axes and of its fields; fields are
    /// arrays with one dimension for each axis.
    ///
    /// # Errors
    /// A file that cannot be read or lacks an array; as [`GridData::of_fields`] otherwise.
    pub fn from_npz(
        path: impl AsRef<Path>,
        axes: &[&str],
        fields: &[&str],
    ) -> Result<Self, DiscoveryError> {
        let path = path.as_ref();
        let arrays = read_npz(path)?;
        let find = |name: &str| {
            let found = arrays.iter().find(|(known, _)| known == name);
            found.map(|(_, array)| array).ok_or_else(|| {
                let known: Vec<&str> = arrays.iter().map(|(name, _)| name.as_str()).collect();
                failure(path, format!("there is no array {name}, only {known:?}"))
            })
        };
        let lines = axes
            .iter()
            .map(|name| Ok(find(name)?.iter().copied().collect::<Vec<f64>>()))
            .collect::<Result<Vec<_>, DiscoveryError>>()?;
        let lines: Vec<&[f64]> = lines.iter().map(Vec::as_slice).collect();
        let fields = fields
            .iter()
            .map(|name| Ok((*name, find(name)?.view())))
            .collect::<Result<Vec<_>, DiscoveryError>>()?;
        Self::of_fields(&lines, &fields)
    }

    /// Reads a grid from a table of comma-separated values with a header: one row for each point, in
    /// any order, columns for the named axes and fields. Empty cells, `NaN` and absent rows are
    /// missing values.
    ///
    /// # Errors
    /// A file that cannot be read, lacks a column, holds text where numbers belong, rows without
    /// coordinates or two rows for one point; as [`GridData::of_fields`] otherwise.
    pub fn from_csv(
        path: impl AsRef<Path>,
        axes: &[&str],
        fields: &[&str],
    ) -> Result<Self, DiscoveryError> {
        let path = path.as_ref();
        let mut table = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .from_path(path)
            .map_err(|cause| failure(path, cause))?;
        let header = table.headers().map_err(|cause| failure(path, cause))?;
        let places = axes
            .iter()
            .chain(fields)
            .map(|name| {
                header.iter().position(|h| h == *name).ok_or_else(|| {
                    let known: Vec<&str> = header.iter().collect();
                    let reason = "the first line must name the columns, with commas between them";
                    failure(
                        path,
                        format!("there is no column {name}, only {known:?}; {reason}"),
                    )
                })
            })
            .collect::<Result<Vec<_>, _>>()?;
        let (mut rows, mut numbers): (Vec<Vec<f64>>, Vec<u64>) = (Vec::new(), Vec::new());
        for record in table.records() {
            let record = record.map_err(|cause| failure(path, cause))?;
            let line = record.position().map_or(0, csv::Position::line);
            let read = |&place: &usize| {
                match record.get(place).unwrap_or("") {
                "" => Ok(f64::NAN),
                text => text
                    .parse::<f64>()
                    .map_err(|_| failure(path, format!("line {line}: `{text}` is not a number; leave the cell empty or write NaN if the value is missing"))),
            }
            };
            let row: Vec<f64> = places.iter().map(read).collect::<Result<_, _>>()?;
            if let Some(axis) = row[..axes.len()].iter().position(|x| !x.is_finite()) {
                let reason = format!(
                    "line {line}: the coordinate {} is {}, but only values of fields may be missing",
                    axes[axis], row[axis]
                );
                return Err(failure(path, reason));
            }
            rows.push(row);
            numbers.push(line);
        }
        let lines: Vec<Vec<f64>> = (0..axes.len())
            .map(|axis| {
                let mut all: Vec<f64> = rows.iter().map(|row| row[axis]).collect();
                all.sort_by(f64::total_cmp);
                let range = all.last().zip(all.first()).map_or(0.0, |(b, a)| b - a);
                all.dedup_by(|b, a| *b - *a <= 1e-9 * range);
                all
            })
            .collect();
        let shape: Vec<usize> = lines.iter().map(Vec::len).collect();
        let total = shape
            .iter()
            .try_fold(1_usize, |a, b| a.checked_mul(*b))
            .filter(|&n| n <= rows.len().saturating_mul(20).max(1000))
            .ok_or_else(|| {
                failure(
                    path,
                    format!(
                        "{} rows do not lie on a grid of {shape:?} points: use Samples::new for scattered data",
                        rows.len()
                    ),
                )
            })?;
        let mut values = vec![vec![f64::NAN; total]; fields.len()];
        let mut filled: Vec<Option<u64>> = vec![None; total];
        for (row, &line) in rows.iter().zip(&numbers) {
            let place = lines.iter().zip(row).fold(0, |place, (line, x)| {
                let after = line.partition_point(|c| c < x).min(line.len() - 1);
                let before = after.saturating_sub(1);
                let near = (line[before] - x).abs() < (line[after] - x).abs();
                place * line.len() + if near { before } else { after }
            });
            if let Some(earlier) = filled[place].replace(line) {
                let reason = format!("lines {earlier} and {line} are for the same point");
                return Err(failure(path, reason));
            }
            for (field, value) in values.iter_mut().zip(&row[axes.len()..]) {
                field[place] = *value;
            }
        }
        let arrays = values
            .into_iter()
            .map(|v| ArrayD::from_shape_vec(IxDyn(&shape), v))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|cause| failure(path, cause))?;
        let lines: Vec<&[f64]> = lines.iter().map(Vec::as_slice).collect();
        let named: Vec<_> = fields
            .iter()
            .copied()
            .zip(arrays.iter().map(ArrayD::view))
            .collect();
        Self::of_fields(&lines, &named)
    }
}
