//! Curves, marks and bands.

use plotters::element::Circle;
use plotters::style::{Color, RGBColor, WHITE};

use crate::colour::{DARK, GREY, PALE, curve};

/// One curve or set of marks.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The name in the legend; a curve without one is not in it.
    pub label: String,
    /// The points; those that an axis cannot show are left out, and a curve is interrupted there.
    pub points: Vec<(f64, f64)>,
    /// Its look.
    pub look: Look,
}

impl Series {
    /// A curve or marks.
    pub fn new(label: impl Into<String>, points: Vec<(f64, f64)>, look: Look) -> Self {
        Self {
            label: label.into(),
            points,
            look,
        }
    }
}

/// The region between two curves, such as a posterior law gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Band {
    /// The name in the legend; a band without one is not in it.
    pub label: String,
    /// x, lower and upper end.
    pub points: Vec<(f64, f64, f64)>,
    /// The number of its colour.
    pub colour: usize,
}

/// The look of a curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Look {
    /// Line and dots in the n-th colour.
    Line(usize),
    /// Thin line and small dots in the n-th colour.
    Thin(usize),
    /// Dots alone in the n-th colour.
    Dots(usize),
    /// Small dots alone in the n-th colour: many measurements.
    Specks(usize),
    /// A line alone in the n-th colour.
    Stroke(usize),
    /// A wide line alone in the n-th colour.
    Bold(usize),
    /// The cells of a regular grid around the points, in a pale grey: the ground of a map.
    Ground,
    /// Something to compare with: a grey line with open marks.
    Reference,
    /// Something to compare with: open grey marks alone.
    ReferenceMarks,
    /// A dark line: an edge.
    Edge,
}

impl Look {
    /// Colour, width of the line (0: none), radius of the marks, and whether these are open.
    pub(crate) fn parts(self) -> (RGBColor, u32, i32, bool) {
        match self {
            Self::Line(index) => (curve(index), 2, 4, false),
            Self::Thin(index) => (curve(index), 1, 2, false),
            Self::Dots(index) => (curve(index), 0, 6, false),
            Self::Specks(index) => (curve(index), 0, 2, false),
            Self::Stroke(index) => (curve(index), 1, 0, false),
            Self::Bold(index) => (curve(index), 2, 0, false),
            Self::Ground => (PALE, 0, 6, false),
            Self::Reference => (GREY, 1, 4, true),
            Self::ReferenceMarks => (GREY, 0, 6, true),
            Self::Edge => (DARK, 1, 0, false),
        }
    }

    pub(crate) fn has_marks(self) -> bool {
        self.parts().2 > 0
    }

    /// A mark: filled, with a rim.
    pub(crate) fn marks<C: Copy>(self, at: C, scale: i32) -> [Circle<C, i32>; 2] {
        let (colour, _, radius, open) = self.parts();
        let fill = if open { WHITE } else { colour };
        let rim = if radius <= 2 { 1 } else { 2 };
        [
            Circle::new(at, radius * scale, fill.filled()),
            Circle::new(
                at,
                radius * scale,
                colour.stroke_width(rim * scale.unsigned_abs()),
            ),
        ]
    }
}

/// Half the distance between neighbouring points of a grid along each axis.
pub(crate) fn half_cell(points: &[(f64, f64)]) -> [f64; 2] {
    let spacing = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        let gaps = values.windows(2).map(|pair| pair[1] - pair[0]);
        let extent = match (values.first(), values.last()) {
            (Some(first), Some(last)) => last - first,
            _ => 0.0,
        };
        // Equal up to rounding is equal.
        let least = gaps.filter(|gap| *gap > 1e-9 * extent).reduce(f64::min);
        0.5 * least.unwrap_or(0.0)
    };
    [
        spacing(points.iter().map(|point| point.0).collect()),
        spacing(points.iter().map(|point| point.1).collect()),
    ]
}

#[cfg(test)]
mod tests {
    use super::half_cell;

    #[test]
    fn a_ground_is_made_of_the_cells_of_its_grid() {
        let points: Vec<(f64, f64)> = [(0.0, 0.0), (0.1, 0.0), (0.2, 0.5), (0.3, 0.0)].into();
        let [across, up] = half_cell(&points);
        assert!((across - 0.05).abs() < 1e-12 && (up - 0.25).abs() < 1e-12);
        assert_eq!(half_cell(&[]), [0.0, 0.0]);
    }
}
