//! Figures as data, drawn once as SVG and once as PNG.

use std::{path::Path, sync::Once};

use anyhow::{Result, anyhow};
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontStyle, register_font};

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

/// An axis.
#[derive(Debug, Clone)]
pub(crate) struct Axis {
    /// What it shows.
    pub(crate) label: String,
    /// How numbers are placed.
    pub(crate) scale: Scale,
}

/// How numbers are placed along an axis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Scale {
    /// Evenly.
    Linear,
    /// By their logarithm.
    Log,
    /// Named places at 0, 1, 2, …
    Names(Vec<String>),
}

/// One curve or set of marks.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    /// The name in the legend.
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
    /// The paper: grey, with open marks.
    Paper,
    /// The paper, marks alone.
    PaperMarks,
}

impl Axis {
    /// An axis with evenly placed numbers.
    pub(crate) fn linear(label: impl Into<String>) -> Self {
        Self::new(label, Scale::Linear)
    }

    /// A logarithmic axis.
    pub(crate) fn log(label: impl Into<String>) -> Self {
        Self::new(label, Scale::Log)
    }

    /// An axis of named places.
    pub(crate) fn names(names: Vec<String>) -> Self {
        Self::new("", Scale::Names(names))
    }

    fn new(label: impl Into<String>, scale: Scale) -> Self {
        Self {
            label: label.into(),
            scale,
        }
    }

    /// Where a number lies: its logarithm on a logarithmic axis.
    fn place(&self, value: f64) -> Option<f64> {
        let place = match self.scale {
            Scale::Log => (value > 0.0).then(|| value.log10())?,
            Scale::Linear | Scale::Names(_) => value,
        };
        place.is_finite().then_some(place)
    }

    /// The range that shows all these places, with a margin.
    fn range(&self, places: impl Iterator<Item = f64> + Clone) -> Ticks {
        if let Scale::Names(names) = &self.scale {
            return Ticks::new(self, -0.5, names.len() as f64 - 0.5);
        }
        let lo = places.clone().fold(f64::INFINITY, f64::min);
        let hi = places.fold(f64::NEG_INFINITY, f64::max);
        if lo > hi {
            return Ticks::new(self, 0.0, 1.0);
        }
        let margin = (0.04 * (hi - lo)).max(0.05);
        Ticks::new(self, lo - margin, hi + margin)
    }
}

/// A linear range with ticks that suit the axis: whole powers of ten, names, or round numbers.
#[derive(Debug, Clone)]
struct Ticks {
    lo: f64,
    hi: f64,
    scale: Scale,
}

impl Ticks {
    fn new(axis: &Axis, lo: f64, hi: f64) -> Self {
        Self {
            lo,
            hi,
            scale: axis.scale.clone(),
        }
    }

    /// The places of the ticks, at most about `count`.
    fn places(&self, count: usize) -> Vec<f64> {
        let span = self.hi - self.lo;
        let step = match self.scale {
            Scale::Names(_) => 1.0,
            Scale::Log if span <= 1.3 => {
                let factors = [1.0f64, 2.0, 5.0];
                let (first, last) = (self.lo.floor() as i32, self.hi.ceil() as i32);
                return (first..=last)
                    .flat_map(|power| factors.map(|f| f.log10() + f64::from(power)))
                    .filter(|place| (self.lo..=self.hi).contains(place))
                    .collect();
            }
            Scale::Log => (span / count.max(2) as f64).ceil().max(1.0),
            Scale::Linear => {
                let rough = span / count.max(2) as f64;
                let power = 10f64.powf(rough.log10().floor());
                let factor = [1.0, 2.0, 5.0, 10.0]
                    .into_iter()
                    .find(|factor| factor * power >= rough)
                    .unwrap_or(10.0);
                factor * power
            }
        };
        let (first, last) = (
            (self.lo / step).ceil() as i64,
            (self.hi / step).floor() as i64,
        );
        (first..=last).map(|k| k as f64 * step).collect()
    }
}

impl Ranged for Ticks {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let share = (value - self.lo) / (self.hi - self.lo);
        let pixel = f64::from(limit.0) + share * f64::from(limit.1 - limit.0);
        pixel.round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        self.places(hint.bold_points().min(12))
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.lo..self.hi
    }
}

impl ValueFormatter<f64> for Ticks {
    fn format_ext(&self, place: &f64) -> String {
        match &self.scale {
            Scale::Names(names) => {
                let index = place.round();
                let inside = index >= 0.0 && (place - index).abs() < 1e-9;
                let name = inside.then(|| names.get(index as usize)).flatten();
                name.cloned().unwrap_or_default()
            }
            Scale::Log => {
                let power = place.floor();
                let factor = 10f64.powf(place - power).round();
                if (-2.0..=3.0).contains(&power) {
                    trimmed(factor * 10f64.powf(power))
                } else {
                    format!("{factor:.0}e{power:.0}")
                }
            }
            Scale::Linear => trimmed(*place),
        }
    }
}

/// Up to three decimals, without zeros at the end.
fn trimmed(value: f64) -> String {
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0" } else { text }.to_owned()
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
            chart.draw_series(points.into_iter().flat_map(|at| series.look.marks(at)))?;
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
        let widths = self
            .series
            .iter()
            .map(|series| {
                Ok(head
                    .estimate_text_size(&series.label, &style)?
                    .0
                    .cast_signed())
            })
            .collect::<Result<Vec<i32>, DrawingAreaErrorKind<B::ErrorType>>>()?;
        let total: i32 = widths.iter().map(|width| width + KEY + GAP).sum();
        let (mut x, y) = ((SIZE.0.cast_signed() - total + GAP) / 2, 48);
        for (series, width) in self.series.iter().zip(widths) {
            let (colour, line, ..) = series.look.parts();
            if line > 0 {
                let stroke = colour.stroke_width(line);
                head.draw(&PathElement::new([(x, y), (x + 24, y)], stroke))?;
            }
            for mark in series.look.marks((x + 12, y)) {
                head.draw(&mark)?;
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
            Self::Paper => (GREY, 1, 4, true),
            Self::PaperMarks => (GREY, 0, 6, true),
        }
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

/// Makes the bundled font known to the drawing library.
fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let font = include_bytes!("../../../assets/DejaVuSans.ttf");
        // The file is a part of this program, so that it cannot be a wrong one.
        let _ = register_font(FONT, FontStyle::Normal, font);
    });
}
