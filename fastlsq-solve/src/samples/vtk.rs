//! Samples for ParaView and whatever else reads the files of VTK.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::Path;

use super::GridSamples;
use crate::saved::{SaveError, write_file};

/// Numbers of VTK for cells of 0, 1, 2 and 3 dimensions: point, line, quadrilateral, hexahedron.
const CELLS: [u8; 4] = [1, 3, 9, 12];

impl GridSamples {
    /// Writes an unstructured grid (`.vtu`) of the cells that lie in the domain with all their corners, with the functions as
    /// point data. All coordinates, time among them, are axes of space; [`save_pvd`](Self::save_pvd) makes a series in time.
    ///
    /// # Errors
    /// More than three coordinates, or a file that cannot be written.
    pub fn save_vtu(&self, path: impl AsRef<Path>) -> Result<(), SaveError> {
        write_file(path.as_ref(), &self.vtu()?)
    }

    /// Writes one `.vtu` file for each time beside a `.pvd` file that lists them: open the latter.
    ///
    /// # Errors
    /// Samples without time, more than three coordinates of space, or a file that cannot be written.
    pub fn save_pvd(&self, path: impl AsRef<Path>) -> Result<(), SaveError> {
        let path = path.as_ref();
        let times = match self.axes.last() {
            Some(times) if self.space.has_time() => times,
            _ => return Err(SaveError::NoTime),
        };
        let stem = path.file_stem().and_then(OsStr::to_str).unwrap_or("series");
        let mut list = String::from(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n<Collection>\n",
        );
        for (number, time) in times.iter().enumerate() {
            let name = format!("{stem}-{number:04}.vtu");
            self.at_last(number).save_vtu(path.with_file_name(&name))?;
            let name = escaped(&name);
            let _ = writeln!(
                list,
                "<DataSet timestep=\"{time}\" part=\"0\" file=\"{name}\"/>"
            );
        }
        list += "</Collection>\n</VTKFile>\n";
        write_file(path, list.as_bytes())
    }

    fn vtu(&self) -> Result<Vec<u8>, SaveError> {
        if self.axes.len() > 3 {
            return Err(SaveError::Axes {
                found: self.axes.len(),
            });
        }
        let shape = self.shape();
        let strides: Vec<usize> = (0..shape.len())
            .map(|axis| shape[axis + 1..].iter().product())
            .collect();
        let flat: Vec<Vec<f64>> = self
            .values
            .iter()
            .map(|values| values.iter().copied().collect())
            .collect();
        let holds = |place: usize| flat.iter().any(|values| values[place].is_finite());
        // A grid is as wide as it has more than one place: a slice of space is a surface.
        let wide: Vec<usize> = (0..shape.len()).filter(|axis| shape[*axis] > 1).collect();
        let corners = corner_order(wide.len());

        let mut numbers = vec![None; shape.iter().product()];
        let (mut places, mut connectivity): (Vec<usize>, Vec<i64>) = (Vec::new(), Vec::new());
        for place in 0..numbers.len() {
            let first = wide
                .iter()
                .all(|axis| (place / strides[*axis]) % shape[*axis] + 1 < shape[*axis]);
            let cell: Vec<usize> = corners
                .iter()
                .map(|corner| {
                    let steps = wide.iter().enumerate();
                    place
                        + steps
                            .map(|(k, axis)| usize::from(corner[k]) * strides[*axis])
                            .sum::<usize>()
                })
                .collect();
            if !first || !cell.iter().all(|corner| holds(*corner)) {
                continue;
            }
            for corner in cell {
                let number = *numbers[corner].get_or_insert_with(|| {
                    places.push(corner);
                    places.len() - 1
                });
                connectivity.push(i64::try_from(number).unwrap_or(i64::MAX));
            }
        }
        let cells = connectivity.len() / corners.len();

        let mut data = Appended::default();
        let point = |place: &usize| {
            let own = |axis: usize| {
                self.axes
                    .get(axis)
                    .map_or(0.0, |own| own[(place / strides[axis]) % shape[axis]])
            };
            [own(0), own(1), own(2)]
        };
        let points: Vec<f64> = places.iter().flat_map(point).collect();
        let mut text = String::from(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n",
        );
        let _ = writeln!(
            text,
            "<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{cells}\">\n<Points>",
            places.len()
        );
        text += &data.array(
            "Float64",
            "points",
            3,
            points.iter().map(|x| x.to_le_bytes()),
        );
        text += "</Points>\n<Cells>\n";
        text += &data.array(
            "Int64",
            "connectivity",
            1,
            connectivity.iter().map(|n| n.to_le_bytes()),
        );
        let corners = i64::try_from(corners.len()).unwrap_or(1);
        let ends = (1..=cells)
            .map(|cell| (i64::try_from(cell).unwrap_or(i64::MAX) * corners).to_le_bytes());
        text += &data.array("Int64", "offsets", 1, ends);
        text += &data.array(
            "UInt8",
            "types",
            1,
            (0..cells).map(|_| [CELLS[wide.len().min(3)]]),
        );
        text += "</Cells>\n<PointData>\n";
        for (name, values) in self.names.iter().zip(&flat) {
            let values = places.iter().map(|place| values[*place].to_le_bytes());
            text += &data.array("Float64", name, 1, values);
        }
        text += "</PointData>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_";
        let mut bytes = text.into_bytes();
        bytes.extend(data.0);
        bytes.extend(b"\n</AppendedData>\n</VTKFile>\n");
        Ok(bytes)
    }
}

/// Corners of a cell as steps along its axes, in VTK's order: around the bottom, then around the top.
fn corner_order(dim: usize) -> Vec<[u8; 3]> {
    match dim {
        0 => vec![[0; 3]],
        1 => vec![[0; 3], [1, 0, 0]],
        _ => {
            let around = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]];
            let levels: &[u8] = if dim == 2 { &[0] } else { &[0, 1] };
            let level = |top: &u8| around.map(|[a, b, _]| [a, b, *top]);
            levels.iter().flat_map(level).collect()
        }
    }
}

/// Binary data after the text, each array behind its length.
#[derive(Default)]
struct Appended(Vec<u8>);

impl Appended {
    /// Adds an array; returns the element that refers to it.
    fn array<const N: usize>(
        &mut self,
        kind: &str,
        name: &str,
        components: usize,
        items: impl Iterator<Item = [u8; N]>,
    ) -> String {
        let offset = self.0.len();
        let bytes: Vec<u8> = items.flatten().collect();
        self.0.extend((bytes.len() as u64).to_le_bytes());
        self.0.extend(bytes);
        let name = escaped(name);
        format!(
            "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" format=\"appended\" offset=\"{offset}\"/>\n"
        )
    }
}

/// A text as an attribute of XML.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}
