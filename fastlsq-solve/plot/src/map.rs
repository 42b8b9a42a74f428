//! Functions of two variables in colour.

use std::fmt;
use std::sync::Arc;

use crate::PlotError;
use crate::colour::ColourScale;
use crate::contour::{self, Segment};

/// Whether a point belongs to the region that is shown.
type Inside = Arc<dyn Fn(f64, f64) -> bool + Send + Sync>;

/// Values on a grid, shown in colour with lines of equal value; a region that is not a rectangle is shown with its outline.
#[derive(Clone)]
pub struct Map {
    x: Vec<f64>,
    y: Vec<f64>,
    /// One row for each place along x.
    values: Vec<f64>,
    inside: Option<Inside>,
    range: Option<(f64, f64)>,
    label: String,
    contours: bool,
}

impl fmt::Debug for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Map")
            .field("columns", &self.x.len())
            .field("rows", &self.y.len())
            .field("label", &self.label)
            .finish_non_exhaustive()
    }
}

impl Map {
    /// The value at (x\[i\], y\[j\]) is `values[i * y.len() + j]`; NaN is not shown.
    ///
    /// # Errors
    /// Places that do not increase, or a wrong number of values.
    pub fn new(x: Vec<f64>, y: Vec<f64>, values: Vec<f64>) -> Result<Self, PlotError> {
        for (axis, places) in [("x", &x), ("y", &y)] {
            let rising = places.windows(2).all(|pair| pair[0] < pair[1]);
            let finite = places.iter().all(|place| place.is_finite());
            if places.len() < 2 || !rising || !finite {
                return Err(PlotError::Places { axis });
            }
        }
        if values.len() != x.len() * y.len() {
            return Err(PlotError::Shape {
                columns: x.len(),
                rows: y.len(),
                found: values.len(),
            });
        }
        Ok(Self {
            x,
            y,
            values,
            inside: None,
            range: None,
            label: String::new(),
            contours: true,
        })
    }

    /// Only points for which this holds are shown, and the edge of their region is drawn. Values on the grid reach up to that edge.
    #[must_use]
    pub fn inside(mut self, inside: impl Fn(f64, f64) -> bool + Send + Sync + 'static) -> Self {
        self.inside = Some(Arc::new(inside));
        self
    }

    /// The values of the first and the last colour; by default those that occur.
    #[must_use]
    pub fn range(mut self, lo: f64, hi: f64) -> Self {
        self.range = Some((lo, hi));
        self
    }

    /// What is written at the scale of colours.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// No lines of equal value.
    #[must_use]
    pub fn without_contours(mut self) -> Self {
        self.contours = false;
        self
    }

    pub(crate) fn name(&self) -> &str {
        &self.label
    }

    /// The smallest and the largest value, NaN left out.
    #[must_use]
    pub fn extremes(&self) -> (f64, f64) {
        self.values
            .iter()
            .filter(|value| value.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), value| {
                (lo.min(*value), hi.max(*value))
            })
    }

    pub(crate) fn scale(&self) -> ColourScale {
        let (lo, hi) = self.range.unwrap_or_else(|| self.extremes());
        ColourScale::between(lo, hi)
    }

    /// The corners of the grid.
    pub(crate) fn corners(&self) -> [(f64, f64); 2] {
        let last = |places: &[f64]| places.last().copied().unwrap_or(0.0);
        [(self.x[0], self.y[0]), (last(&self.x), last(&self.y))]
    }

    /// Lines of equal value at these levels, inside the region.
    pub(crate) fn lines(&self, levels: &[f64]) -> Vec<Segment> {
        if !self.contours {
            return Vec::new();
        }
        let values = self.continued();
        let shown = |[a, b]: &Segment| {
            let middle = (0.5 * (a.0 + b.0), 0.5 * (a.1 + b.1));
            self.inside
                .as_ref()
                .is_none_or(|inside| inside(middle.0, middle.1))
        };
        let lines = levels
            .iter()
            .flat_map(|level| contour::segments(&self.x, &self.y, &values, *level));
        lines.filter(shown).collect()
    }

    /// The values, continued linearly by two places beyond where they end: cells that the edge of the region crosses then
    /// have all their corners.
    fn continued(&self) -> Vec<f64> {
        let mut values = self.values.clone();
        if self.inside.is_none() {
            return values;
        }
        let (columns, rows) = (self.x.len(), self.y.len());
        for _ in 0..2 {
            let known = values.clone();
            let at = |i: isize, j: isize| {
                let (i, j) = (usize::try_from(i).ok()?, usize::try_from(j).ok()?);
                let value = (i < columns && j < rows).then(|| known[i * rows + j])?;
                value.is_finite().then_some(value)
            };
            for i in 0..columns {
                for j in 0..rows {
                    if known[i * rows + j].is_finite() {
                        continue;
                    }
                    let (i, j) = (i.cast_signed(), j.cast_signed());
                    let around = [-1, 0, 1]
                        .into_iter()
                        .flat_map(|a| [-1, 0, 1].map(|b| (a, b)));
                    let estimates: Vec<f64> = around
                        .filter_map(|(a, b)| {
                            let near = at(i + a, j + b)?;
                            Some(at(i + 2 * a, j + 2 * b).map_or(near, |far| 2.0 * near - far))
                        })
                        .collect();
                    if !estimates.is_empty() {
                        let mean = estimates.iter().sum::<f64>() / estimates.len() as f64;
                        values[i.cast_unsigned() * rows + j.cast_unsigned()] = mean;
                    }
                }
            }
        }
        values
    }

    /// The map as pixels, row by row from the top, between two corners; `pen` is the width of the outline.
    pub(crate) fn pixels(
        &self,
        (width, height): (u32, u32),
        [lower, upper]: [(f64, f64); 2],
        pen: u32,
    ) -> Vec<u8> {
        let (columns, rows) = (width as usize, height as usize);
        let along = |k: usize, count: usize, lo: f64, hi: f64| {
            lo + (hi - lo) * (k as f64 + 0.5) / count as f64
        };
        let x: Vec<f64> = (0..columns)
            .map(|k| along(k, columns, lower.0, upper.0))
            .collect();
        let y: Vec<f64> = (0..rows)
            .map(|k| along(k, rows, upper.1, lower.1))
            .collect();
        let inside = self.inside_pixels(&x, &y);
        let (values, scale) = (self.continued(), self.scale());
        let x_cells: Vec<_> = x.iter().map(|x| cell(&self.x, *x)).collect();
        let y_cells: Vec<_> = y.iter().map(|y| cell(&self.y, *y)).collect();
        let mut pixels = vec![255_u8; 3 * columns * rows];
        for (row, y_cell) in y_cells.iter().enumerate() {
            for (column, x_cell) in x_cells.iter().enumerate() {
                let place = row * columns + column;
                let (Some((i, u)), Some((j, v)), true) = (x_cell, y_cell, inside[place]) else {
                    continue;
                };
                let corners = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(a, b)| {
                    let share = if a == 0 { 1.0 - u } else { *u };
                    let weight = share * if b == 0 { 1.0 - v } else { *v };
                    (weight, values[(i + a) * self.y.len() + j + b])
                });
                let known = corners.iter().filter(|(_, value)| value.is_finite());
                let weight: f64 = known.clone().map(|(weight, _)| weight).sum();
                if weight > 0.25 {
                    let value = known.map(|(weight, value)| weight * value).sum::<f64>() / weight;
                    pixels[3 * place..3 * place + 3].copy_from_slice(&scale.colour(value));
                }
            }
        }
        if self.inside.is_some() {
            outline(&mut pixels, &inside, columns, pen);
        }
        pixels
    }

    /// Whether the pixels are in the region and in the grid. Blocks of pixels whose corners and centre agree are taken as
    /// one.
    fn inside_pixels(&self, x: &[f64], y: &[f64]) -> Vec<bool> {
        let [(x_lo, y_lo), (x_hi, y_hi)] = self.corners();
        let holds = |i: usize, j: usize| {
            let (x, y) = (x[i], y[j]);
            let in_grid = (x_lo..=x_hi).contains(&x) && (y_lo..=y_hi).contains(&y);
            in_grid && self.inside.as_ref().is_none_or(|inside| inside(x, y))
        };
        let mut found = vec![false; x.len() * y.len()];
        for top in (0..y.len()).step_by(BLOCK) {
            for left in (0..x.len()).step_by(BLOCK) {
                let (bottom, right) = ((top + BLOCK).min(y.len()), (left + BLOCK).min(x.len()));
                let (j, i) = ((top + bottom) / 2, (left + right) / 2);
                let centre = holds(i, j);
                let corners = [
                    (left, top),
                    (right - 1, top),
                    (left, bottom - 1),
                    (right - 1, bottom - 1),
                ];
                let even = corners.iter().all(|(i, j)| holds(*i, *j) == centre);
                for j in top..bottom {
                    for i in left..right {
                        found[j * x.len() + i] = if even { centre } else { holds(i, j) };
                    }
                }
            }
        }
        found
    }
}

/// Pixels along the side of a block.
const BLOCK: usize = 6;

/// The cell of rising places that holds a number, and where in the cell.
fn cell(places: &[f64], at: f64) -> Option<(usize, f64)> {
    let (first, last) = (places.first()?, places.last()?);
    if !(*first..=*last).contains(&at) {
        return None;
    }
    let left = places.partition_point(|place| *place <= at);
    let left = left.saturating_sub(1).min(places.len() - 2);
    Some((
        left,
        (at - places[left]) / (places[left + 1] - places[left]),
    ))
}

/// Darkens the pixels beside the edge of the region.
fn outline(pixels: &mut [u8], inside: &[bool], columns: usize, pen: u32) {
    let rows = inside.len() / columns.max(1);
    let reach = (pen as usize).div_ceil(2);
    for row in 0..rows {
        for column in 0..columns {
            let place = row * columns + column;
            let right = column + 1 < columns && inside[place + 1] != inside[place];
            let below = row + 1 < rows && inside[place + columns] != inside[place];
            if !right && !below {
                continue;
            }
            for j in row.saturating_sub(reach)..(row + reach).min(rows) {
                for i in column.saturating_sub(reach)..(column + reach).min(columns) {
                    let place = 3 * (j * columns + i);
                    pixels[place..place + 3].fill(40);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Map;

    fn disc() -> Map {
        let axis: Vec<f64> = (0..=40).map(|k| -1.0 + f64::from(k) / 20.0).collect();
        let values = axis
            .iter()
            .flat_map(|x| {
                axis.iter().map(move |y| {
                    if x.hypot(*y) <= 1.0 {
                        3.0 * x - y
                    } else {
                        f64::NAN
                    }
                })
            })
            .collect();
        Map::new(axis.clone(), axis, values)
            .unwrap()
            .inside(|x, y| x.hypot(y) <= 1.0)
    }

    #[test]
    fn a_linear_function_is_continued_exactly() {
        let (map, edge) = (disc(), 41);
        let values = map.continued();
        let mut beyond = 0;
        for i in 0..edge {
            for j in 0..edge {
                let (x, y) = (map.x[i], map.y[j]);
                if values[i * edge + j].is_finite() && x.hypot(y) > 1.0 {
                    beyond += 1;
                    assert!(
                        (values[i * edge + j] - (3.0 * x - y)).abs() < 0.2,
                        "{x} {y}"
                    );
                }
            }
        }
        assert!(beyond > 100);
    }

    #[test]
    fn the_whole_region_is_coloured_and_nothing_else() {
        let map = disc();
        let size = 300_u32;
        let pixels = map.pixels((size, size), [(-1.0, -1.0), (1.0, 1.0)], 1);
        let coloured = pixels
            .chunks(3)
            .filter(|pixel| *pixel != [255, 255, 255])
            .count();
        let share = coloured as f64 / f64::from(size * size);
        // The outline is a pixel wider: 2π · 150 of 300² pixels.
        let excess = share - std::f64::consts::FRAC_PI_4;
        assert!((0.0..0.015).contains(&excess), "{share}");
    }

    #[test]
    fn places_and_values_must_fit() {
        assert!(Map::new(vec![0.0, 1.0], vec![0.0], vec![0.0, 0.0]).is_err());
        assert!(Map::new(vec![0.0, 0.0], vec![0.0, 1.0], vec![0.0; 4]).is_err());
        assert!(Map::new(vec![0.0, 1.0], vec![0.0, 1.0], vec![0.0; 3]).is_err());
    }
}
