//! Figures as data, drawn once as SVG and once as PNG.

mod axis;

use std::{path::Path, sync::Once};

use anyhow::{Result, anyhow};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontStyle, register_font};

pub(crate) use axis::Axis;
use axis::Scale;

/// The family name under which the bundled font is known; any SVG viewer has its own.
const FONT: &str = "sans-serif";
const SIZE: (u32, u32) = (760, 470);

/// Blue, orange, green, red, violet, brown: told apart by readers with colour blindness as well.
const COLOURS: [RGBColor; 6] = [
    RGBColor(31, 119, 180),
    RGBColor(230, 120, 0),
    RGBColor(0, 140, 90),
    RGBColor(200, 40, 60),
    RGBColor(120, 80, 170),
    RGBColor(120, 90, 70),
];
const GREY: RGBColor = RGBColor(110, 110, 110);
const PALE: RGBColor = RGBColor(214, 211, 204);

/// A chart with curves or marks over a common pair of axes.
#[derive(Debug, Clone)]
pub(crate) struct Figure {
    /// The name of its files, without extension.
    pub(crate) name: String,
    /// The heading.
    pub(crate) title: String,
    /// What to see in it.
    pub(crate) caption: String,
    /// The horizontal axis.
    pub(crate) x: Axis,
    /// The vertical axis.
    pub(crate) y: Axis,
    /// The curves.
    pub(crate) series: Vec<Series>,
}

/// One curve or set of marks.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    /// The name in the legend; a curve without one is not in it.
    pub(crate) label: String,
    /// The points; those that an axis cannot show are left out.
    pub(crate) points: Vec<(f64, f64)>,
    /// Its look.
    pub(crate) look: Look,
}

/// The look of a curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// Line and dots in the n-th colour.
    Line(usize),
    /// Thin line and small dots in the n-th colour.
    Thin(usize),
    /// Dots alone in the n-th colour.
    Dots(usize),
    /// A line alone in the n-th colour.
    Stroke(usize),
    /// The cells of a regular grid around the points, in a pale grey: the ground of a map.
    Ground,
    /// The paper: grey, with open marks.
    Paper,
    /// The paper, marks alone.
    PaperMarks,
}

impl Figure {
    /// The figure as SVG text.
    pub(crate) fn svg(&self) -> Result<String> {
        let mut text = String::new();
        self.draw(&SVGBackend::with_string(&mut text, SIZE).into_drawing_area())?;
        Ok(text)
    }

    /// Writes the figure as PNG.
    pub(crate) fn png(&self, path: &Path) -> Result<()> {
        self.draw(&BitMapBackend::new(path, SIZE).into_drawing_area())
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, plotters::coord::Shift>) -> Result<()> {
        register();
        self.draw_on(area)
            .map_err(|error| anyhow!("cannot draw the figure {}: {error}", self.name))
    }

    /// The points of a curve that both axes can show; over names, curves stand beside each other.
    fn places(&self, index: usize, series: &Series) -> Vec<(f64, f64)> {
        let aside = match self.x.scale {
            Scale::Names(_) => BESIDE * (index as f64 - 0.5 * (self.series.len() as f64 - 1.0)),
            Scale::Linear | Scale::Log => 0.0,
        };
        series
            .points
            .iter()
            .filter_map(|(x, y)| Some((self.x.place(*x)? + aside, self.y.place(*y)?)))
            .collect()
    }

    fn draw_on<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, plotters::coord::Shift>,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        area.fill(&WHITE)?;
        let (head, body) = area.split_vertically(HEAD);
        let centred = Pos::new(HPos::Center, VPos::Top);
        let title = (FONT, 20).into_text_style(&head).pos(centred);
        head.draw(&Text::new(
            self.title.clone(),
            (SIZE.0.cast_signed() / 2, 12),
            title,
        ))?;
        self.draw_legend(&head)?;

        let series = self.series.iter().enumerate();
        let placed: Vec<Vec<(f64, f64)>> = series.map(|(k, s)| self.places(k, s)).collect();
        let points = placed.iter().flatten();
        let mut chart = ChartBuilder::on(&body)
            .margin(14)
            .margin_top(4)
            .x_label_area_size(if self.x.label.is_empty() { 26 } else { 44 })
            .y_label_area_size(68)
            .build_cartesian_2d(
                self.x.range(points.clone().map(|point| point.0)),
                self.y.range(points.map(|point| point.1)),
            )?;
        chart
            .configure_mesh()
            .x_desc(&self.x.label)
            .y_desc(&self.y.label)
            .x_labels(12)
            .y_labels(12)
            .max_light_lines(1)
            .bold_line_style(RGBColor(225, 225, 225))
            .light_line_style(TRANSPARENT)
            .label_style((FONT, 14))
            .axis_desc_style((FONT, 15))
            .draw()?;
        for (series, points) in self.series.iter().zip(placed) {
            let (colour, width, ..) = series.look.parts();
            if width > 0 {
                let line = LineSeries::new(points.iter().copied(), colour.stroke_width(width));
                chart.draw_series(line)?;
            }
            if series.look == Look::Ground {
                let [across, up] = half_cell(&points);
                chart.draw_series(points.into_iter().map(|(x, y)| {
                    Rectangle::new(
                        [(x - across, y - up), (x + across, y + up)],
                        colour.filled(),
                    )
                }))?;
            } else if series.look.has_marks() {
                chart.draw_series(points.into_iter().flat_map(|at| series.look.marks(at)))?;
            }
        }
        area.present()
    }

    /// The names of the curves beside each other, above the chart.
    fn draw_legend<B: DrawingBackend>(
        &self,
        head: &DrawingArea<B, plotters::coord::Shift>,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        let style = (FONT, 14)
            .into_text_style(head)
            .pos(Pos::new(HPos::Left, VPos::Center));
        let shown = |series: &&Series| !series.label.is_empty() && !series.points.is_empty();
        let named = self.series.iter().filter(shown);
        let widths = named
            .clone()
            .map(|series| {
                Ok(head
                    .estimate_text_size(&series.label, &style)?
                    .0
                    .cast_signed())
            })
            .collect::<Result<Vec<i32>, DrawingAreaErrorKind<B::ErrorType>>>()?;
        let total: i32 = widths.iter().map(|width| width + KEY + GAP).sum();
        let (mut x, y) = ((SIZE.0.cast_signed() - total + GAP) / 2, 48);
        for (series, width) in named.zip(widths) {
            let (colour, line, ..) = series.look.parts();
            if line > 0 {
                let stroke = colour.stroke_width(line);
                head.draw(&PathElement::new([(x, y), (x + 24, y)], stroke))?;
            }
            if series.look.has_marks() {
                for mark in series.look.marks((x + 12, y)) {
                    head.draw(&mark)?;
                }
            }
            head.draw(&Text::new(
                series.label.clone(),
                (x + KEY, y),
                style.clone(),
            ))?;
            x += width + KEY + GAP;
        }
        Ok(())
    }
}

/// Height of title and legend, room for a key of the legend, and between its entries.
const HEAD: u32 = 64;
const KEY: i32 = 31;
const GAP: i32 = 22;
/// How far curves over names stand aside of each other.
const BESIDE: f64 = 0.11;

impl Look {
    /// Colour, width of the line (0: none), radius of the marks, and whether these are open.
    fn parts(self) -> (RGBColor, u32, i32, bool) {
        let colour = |index: usize| COLOURS[index % COLOURS.len()];
        match self {
            Self::Line(index) => (colour(index), 2, 4, false),
            Self::Thin(index) => (colour(index), 1, 2, false),
            Self::Dots(index) => (colour(index), 0, 6, false),
            Self::Stroke(index) => (colour(index), 1, 0, false),
            Self::Ground => (PALE, 0, 6, false),
            Self::Paper => (GREY, 1, 4, true),
            Self::PaperMarks => (GREY, 0, 6, true),
        }
    }

    fn has_marks(self) -> bool {
        self.parts().2 > 0
    }

    /// A mark: filled, with a rim.
    fn marks<C>(self, at: C) -> [Circle<C, i32>; 2]
    where
        C: Copy,
    {
        let (colour, _, radius, open) = self.parts();
        let fill = if open { WHITE } else { colour };
        [
            Circle::new(at, radius, fill.filled()),
            Circle::new(at, radius, colour.stroke_width(2)),
        ]
    }
}

/// Half the distance of neighbouring points of a grid along each axis.
fn half_cell(points: &[(f64, f64)]) -> [f64; 2] {
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

/// Makes the bundled font known to the drawing library.
fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let font = include_bytes!("../../../assets/DejaVuSans.ttf");
        // The file is a part of this program, so that it cannot be a wrong one.
        let _ = register_font(FONT, FontStyle::Normal, font);
    });
}

#[cfg(test)]
mod tests {
    use super::{Axis, Figure, Look, Series};

    #[test]
    fn a_ground_is_made_of_the_cells_of_its_grid() {
        let points: Vec<(f64, f64)> = [(0.0, 0.0), (0.1, 0.0), (0.2, 0.5), (0.3, 0.0)].into();
        let [across, up] = super::half_cell(&points);
        assert!((across - 0.05).abs() < 1e-12 && (up - 0.25).abs() < 1e-12);
        assert_eq!(super::half_cell(&[]), [0.0, 0.0]);
    }

    #[test]
    fn points_that_an_axis_cannot_show_are_left_out() {
        let series = Series {
            label: "curve & more".to_owned(),
            points: vec![(0.0, 1.0), (1.0, 0.0), (2.0, f64::NAN), (3.0, 1e-3)],
            look: Look::Line(0),
        };
        let figure = Figure {
            name: "test".to_owned(),
            title: "A title".to_owned(),
            caption: String::new(),
            x: Axis::linear("x"),
            y: Axis::log("y"),
            series: vec![series],
        };
        assert_eq!(
            figure.places(0, &figure.series[0]),
            [(0.0, 0.0), (3.0, -3.0)]
        );
        let svg = figure.svg().unwrap();
        assert!(svg.contains("A title") && svg.contains("curve &amp; more"));
        // Drawing is reproducible: the README's picture is compared byte for byte.
        assert_eq!(svg, figure.svg().unwrap());
    }
}
