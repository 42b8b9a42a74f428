//! A temperature on a grid over the unit square, and its isotherms.

use ndarray::Array2;

use super::level_lines::{level_lines, on_grid, square_grid};
use crate::InverseError;

/// The temperature on a grid over the unit square, for figures.
#[derive(Debug, Clone)]
pub struct HeatMap {
    /// The coordinates of the nodes along either side.
    pub axis: Vec<f64>,
    /// The temperature at (x, y), by x and y.
    pub temperature: Array2<f64>,
}

impl HeatMap {
    /// Evaluates at the nodes of a grid, one row per point.
    pub(super) fn of(nodes: usize, values: impl FnOnce(&Array2<f64>) -> Vec<f64>) -> Self {
        let (axis, points) = square_grid(0.0, 1.0, nodes);
        let values = values(&points);
        Self::new(axis, &values)
    }

    /// As [`of`](Self::of), where evaluating may fail.
    pub(super) fn try_of(
        nodes: usize,
        values: impl FnOnce(&Array2<f64>) -> Result<Vec<f64>, InverseError>,
    ) -> Result<Self, InverseError> {
        let (axis, points) = square_grid(0.0, 1.0, nodes);
        let values = values(&points)?;
        Ok(Self::new(axis, &values))
    }

    fn new(axis: Vec<f64>, values: &[f64]) -> Self {
        Self {
            temperature: on_grid(values, axis.len()),
            axis,
        }
    }

    /// The highest temperature.
    #[must_use]
    pub fn highest(&self) -> f64 {
        self.temperature.iter().copied().fold(0.0, f64::max)
    }

    /// Lines of equal temperature at these levels.
    #[must_use]
    pub fn isotherms(&self, levels: &[f64]) -> Vec<Vec<[f64; 2]>> {
        let of_level = |level: &f64| level_lines(&self.axis, &self.axis, &self.temperature, *level);
        levels.iter().flat_map(of_level).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::HeatMap;

    #[test]
    fn isotherms_of_a_cone_are_circles() {
        let map = HeatMap::of(41, |points| {
            let rows = points.rows().into_iter();
            rows.map(|p| 1.0 - (p[0] - 0.5).hypot(p[1] - 0.5)).collect()
        });
        assert!((map.highest() - 1.0).abs() < 1e-12);
        let lines = map.isotherms(&[0.7]);
        assert!(!lines.is_empty());
        for [x, y] in lines.iter().flatten() {
            assert!(((x - 0.5).hypot(y - 0.5) - 0.3).abs() < 2e-3);
        }
        assert!(map.isotherms(&[1.5]).is_empty());
    }
}
