//! One pair of axes with everything that is drawn over it.

use plotters::chart::ChartBuilder;
use plotters::element::{PathElement, Polygon, Rectangle, Text};
use plotters::prelude::{DrawingBackend, LineSeries};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{BLACK, Color, IntoTextStyle, RGBColor, TRANSPARENT};

use crate::axis::{Axis, Scale, Ticks};
use crate::bar;
use crate::canvas::{Area, Drawn, FONT, Image, Pen};
use crate::colour::{self, DARK};
use crate::legend::{self, OPACITY};
use crate::map::Map;
use crate::series::{Band, Look, Series, half_cell};

/// A chart: maps below, then bands, boxes and curves, over a pair of axes.
#[derive(Debug, Clone)]
pub struct Panel {
    heading: String,
    x: Axis,
    y: Axis,
    map: Option<Map>,
    pub(crate) bands: Vec<Band>,
    boxes: Vec<[(f64, f64); 2]>,
    pub(crate) series: Vec<Series>,
    equal: bool,
    size: Option<(u32, u32)>,
}

/// Room around the chart, for numbers and names of the axes, and above.
const MARGIN: u32 = 14;
const ABOVE: u32 = 4;
const LEFT: u32 = 68;
const BELOW: u32 = 44;
const BELOW_NAMES: u32 = 26;
/// Height of the heading, and of what is free where there is none.
const HEADING: u32 = 42;
const BARE: u32 = 12;
/// A panel whose size was not given, all in all, and the longer side of a chart with equal scales.
const WHOLE: (u32, u32) = (760, 470);
const SIDE: f64 = 400.0;
/// How far curves over names stand apart.
const BESIDE: f64 = 0.11;
/// Lines of equal value, about.
const CONTOURS: usize = 14;

impl Panel {
    /// An empty chart.
    #[must_use]
    pub fn new(x: Axis, y: Axis) -> Self {
        Self {
            heading: String::new(),
            x,
            y,
            map: None,
            bands: Vec::new(),
            boxes: Vec::new(),
            series: Vec::new(),
            equal: false,
            size: None,
        }
    }

    /// A line of text above.
    #[must_use]
    pub fn heading(mut self, heading: impl Into<String>) -> Self {
        self.heading = heading.into();
        self
    }

    /// The chart of a function of two variables, with a scale of colours beside it.
    #[must_use]
    pub fn map(mut self, map: Map) -> Self {
        self.map = Some(map);
        self
    }

    /// One more band.
    #[must_use]
    pub fn band(mut self, band: Band) -> Self {
        self.bands.push(band);
        self
    }

    /// Outlines of boxes, each by its lower and its upper corner.
    #[must_use]
    pub fn boxes(mut self, boxes: impl IntoIterator<Item = [(f64, f64); 2]>) -> Self {
        self.boxes.extend(boxes);
        self
    }

    /// One more curve.
    #[must_use]
    pub fn series(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// A unit is as long along x as along y.
    #[must_use]
    pub fn equal_scales(mut self) -> Self {
        self.equal = true;
        self
    }

    /// Width and height of the chart itself, numbers and names not counted. With equal scales the chart is at most this large.
    #[must_use]
    pub fn size(mut self, width: u32, height: u32) -> Self {
        self.size = Some((width, height));
        self
    }

    /// The points of a curve, piece by piece where an axis cannot show some; over names, curves stand beside each other.
    fn places(&self, index: usize, series: &Series) -> Vec<Vec<(f64, f64)>> {
        let aside = match self.x.scale {
            Scale::Names(_) => BESIDE * (index as f64 - 0.5 * (self.series.len() as f64 - 1.0)),
            Scale::Linear | Scale::Log => 0.0,
        };
        let mut pieces = vec![Vec::new()];
        for (x, y) in &series.points {
            match (self.x.place(*x), self.y.place(*y), pieces.last_mut()) {
                (Some(x), Some(y), Some(last)) => last.push((x + aside, y)),
                (_, _, Some(last)) if !last.is_empty() => pieces.push(Vec::new()),
                _ => {}
            }
        }
        pieces
    }

    /// The ranges of both axes, as they are placed.
    fn ranges(&self) -> (Ticks, Ticks) {
        let mut points: Vec<(f64, f64)> = Vec::new();
        for (index, series) in self.series.iter().enumerate() {
            points.extend(self.places(index, series).into_iter().flatten());
        }
        for band in &self.bands {
            for (x, lo, hi) in &band.points {
                let places = [self.y.place(*lo), self.y.place(*hi)];
                let x = self.x.place(*x);
                points.extend(places.into_iter().flatten().filter_map(|y| Some((x?, y))));
            }
        }
        if let Some(map) = &self.map {
            // The map fills the chart, but for a line's width.
            let [lower, upper] = map.corners();
            let wide = |k: fn(&(f64, f64)) -> f64, axis: &Axis| {
                let inside = points.iter().map(k);
                let lo = inside.clone().fold(k(&lower), f64::min);
                let hi = inside.fold(k(&upper), f64::max);
                let margin = MAP_MARGIN * (hi - lo);
                axis.exactly(lo - margin, hi + margin)
            };
            return (
                wide(|point| point.0, &self.x),
                wide(|point| point.1, &self.y),
            );
        }
        points.extend(self.boxes.iter().flatten());
        let along_x = points.iter().map(|point| point.0);
        let along_y = points.iter().map(|point| point.1);
        (self.x.range(along_x), self.y.range(along_y))
    }

    /// Width and height of the chart.
    fn chart_size(&self) -> (u32, u32) {
        if !self.equal {
            return self.size.unwrap_or_else(|| {
                let around = self.head(WHOLE.0) + ABOVE + MARGIN + self.below();
                let width = WHOLE.0 - 2 * MARGIN - LEFT;
                (width, WHOLE.1.saturating_sub(around).max(LEAST_SIDE))
            });
        }
        let (x, y) = self.ranges();
        let (width, height) = (x.length(), y.length());
        let (most_x, most_y) = self
            .size
            .map_or((SIDE, SIDE), |(w, h)| (f64::from(w), f64::from(h)));
        let unit = (most_x / width).min(most_y / height);
        let side = |length: f64| ((unit * length).round() as u32).max(LEAST_SIDE);
        (side(width), side(height))
    }

    fn below(&self) -> u32 {
        if self.x.label.is_empty() {
            BELOW_NAMES
        } else {
            BELOW
        }
    }

    /// Height of heading and legend.
    fn head(&self, width: u32) -> u32 {
        let heading = if self.heading.is_empty() {
            BARE
        } else {
            HEADING
        };
        let label = u32::from(self.map.as_ref().is_some_and(|map| !map.name().is_empty()));
        let beside = if self.heading.is_empty() {
            14 * label
        } else {
            0
        };
        heading + beside + legend::height(self, width)
    }

    /// Width and height of everything.
    pub(crate) fn extent(&self) -> (u32, u32) {
        let (width, height) = self.chart_size();
        let bar = if self.map.is_some() { bar::ROOM } else { 0 };
        let width = width + 2 * MARGIN + LEFT + bar;
        (
            width,
            height + self.head(width) + ABOVE + MARGIN + self.below(),
        )
    }

    /// Draws it over a whole area.
    pub(crate) fn draw<B: DrawingBackend>(&self, area: &Area<B>, pen: &mut Pen) -> Drawn<B> {
        let (width, _) = self.extent();
        let head_height = self.head(width);
        let (head, body) = area.split_vertically(pen.size(head_height));
        if !self.heading.is_empty() {
            let centred = Pos::new(HPos::Center, VPos::Top);
            let style = (FONT, pen.size(20)).into_text_style(&head).pos(centred);
            let at = (pen.size(width).cast_signed() / 2, pen.length(12));
            head.draw(&Text::new(self.heading.clone(), at, style))?;
        }
        let top = if self.heading.is_empty() {
            BARE
        } else {
            HEADING
        };
        legend::draw(self, &head, (width, top.cast_signed()), pen)?;

        let bar = if self.map.is_some() { bar::ROOM } else { 0 };
        let (body, beside) = body.split_horizontally(pen.size(width - bar));
        let (x, y) = self.ranges();
        let corners = [(x.lo(), y.lo()), (x.hi(), y.hi())];
        let ticks = |length: u32, apart: u32| ((length / apart) as usize).clamp(3, 12);
        let (chart_width, chart_height) = self.chart_size();
        let mut chart = ChartBuilder::on(&body)
            .margin(pen.size(MARGIN))
            .margin_top(pen.size(ABOVE))
            .x_label_area_size(pen.size(self.below()))
            .y_label_area_size(pen.size(LEFT))
            .build_cartesian_2d(x, y)?;
        if let Some(map) = &self.map {
            let (across, down) = chart.plotting_area().get_pixel_range();
            let (fine, line) = pen.fineness();
            let size =
                |range: &std::ops::Range<i32>| (range.end - range.start).unsigned_abs() * fine;
            let image_size = (size(&across), size(&down));
            let image = Image {
                corner: (across.start, down.start),
                size: image_size,
                pixels: map.pixels(image_size, corners, line),
            };
            pen.image(&chart.plotting_area().strip_coord_spec(), image)?;
            let scale = map.scale();
            let style = BLACK.mix(CONTOUR_OPACITY).stroke_width(pen.size(1));
            let lines = map.lines(&bar::levels(&scale, CONTOURS));
            chart.draw_series(lines.into_iter().map(|line| PathElement::new(line, style)))?;
            let (_, body_top) = body.get_base_pixel();
            let edges = (down.start - body_top, down.end - body_top);
            bar::draw(&scale, map.name(), &beside, edges, pen)?;
        }
        let mut mesh = chart.configure_mesh();
        if self.map.is_some() {
            mesh.disable_mesh();
        }
        mesh.x_desc(&self.x.label)
            .y_desc(&self.y.label)
            .x_labels(ticks(chart_width, 55))
            .y_labels(ticks(chart_height, 28))
            .max_light_lines(1)
            .bold_line_style(RGBColor(225, 225, 225).stroke_width(pen.size(1)))
            .light_line_style(TRANSPARENT)
            .axis_style(BLACK.stroke_width(pen.size(1)))
            .set_all_tick_mark_size(pen.size(5))
            .label_style((FONT, pen.size(14)))
            .axis_desc_style((FONT, pen.size(15)))
            .draw()?;
        for band in &self.bands {
            let place = |x: f64, y: f64| Some((self.x.place(x)?, self.y.place(y)?));
            let lower = band.points.iter().filter_map(|(x, lo, _)| place(*x, *lo));
            let upper = band
                .points
                .iter()
                .rev()
                .filter_map(|(x, _, hi)| place(*x, *hi));
            let around: Vec<(f64, f64)> = lower.chain(upper).collect();
            let fill = colour::curve(band.colour).mix(OPACITY);
            chart.draw_series([Polygon::new(around, fill)])?;
        }
        let edge = DARK.mix(BOX_OPACITY).stroke_width(pen.size(1));
        chart.draw_series(
            self.boxes
                .iter()
                .map(|corners| Rectangle::new(*corners, edge)),
        )?;
        for (index, series) in self.series.iter().enumerate() {
            let (colour, width, ..) = series.look.parts();
            for points in self.places(index, series) {
                if width > 0 {
                    let style = colour.stroke_width(pen.size(width));
                    chart.draw_series(LineSeries::new(points.iter().copied(), style))?;
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
                    let marks = points
                        .into_iter()
                        .flat_map(|at| series.look.marks(at, pen.scale));
                    chart.draw_series(marks)?;
                }
            }
        }
        Ok(())
    }
}

/// What a map leaves free around it, as a share of its length.
const MAP_MARGIN: f64 = 0.012;
/// The least side of a chart with equal scales.
const LEAST_SIDE: u32 = 90;
const CONTOUR_OPACITY: f64 = 0.35;
const BOX_OPACITY: f64 = 0.8;
