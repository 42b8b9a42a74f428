//! The scale of colours beside a map.

use plotters::element::{PathElement, Rectangle, Text};
use plotters::prelude::DrawingBackend;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, IntoTextStyle, RGBColor};

use crate::axis::{Axis, number};
use crate::canvas::{Area, Drawn, FONT, Pen};
use crate::colour::{ColourScale, DARK};

/// The room it takes, its distance from the map, and its width.
pub(crate) const ROOM: u32 = 88;
const AWAY: i32 = 4;
const WIDTH: i32 = 14;

/// The values at which numbers are written and lines drawn.
pub(crate) fn levels(scale: &ColourScale, count: usize) -> Vec<f64> {
    Axis::linear("").exactly(scale.lo, scale.hi).places(count)
}

/// Draws it into an area, between two heights in pixels.
pub(crate) fn draw<B: DrawingBackend>(
    scale: &ColourScale,
    label: &str,
    area: &Area<B>,
    (top, bottom): (i32, i32),
    pen: &Pen,
) -> Drawn<B> {
    let (left, right) = (pen.length(AWAY), pen.length(AWAY + WIDTH));
    let length = f64::from((bottom - top).max(1));
    let height = |value: f64| {
        let share = (value - scale.lo) / (scale.hi - scale.lo);
        bottom - (share * length).round() as i32
    };
    // One rectangle for each pixel, or for every second unit of a drawing.
    let step = if pen.scale == 1 { 2 } else { 1 };
    let mut y = top;
    while y < bottom {
        let share = (f64::from(bottom - y) - 0.5 * f64::from(step)) / length;
        let [r, g, b] = scale.colour(scale.lo + share * (scale.hi - scale.lo));
        let fill = RGBColor(r, g, b).filled();
        area.draw(&Rectangle::new(
            [(left, y), (right, (y + step).min(bottom))],
            fill,
        ))?;
        y += step;
    }
    let frame = [
        (left, top),
        (right, top),
        (right, bottom),
        (left, bottom),
        (left, top),
    ];
    area.draw(&PathElement::new(frame, DARK.stroke_width(pen.size(1))))?;
    let style = (FONT, pen.size(14))
        .into_text_style(area)
        .color(&DARK)
        .pos(Pos::new(HPos::Left, VPos::Center));
    for value in levels(scale, 6) {
        let y = height(value);
        let tick = [(right, y), (right + pen.length(4), y)];
        area.draw(&PathElement::new(tick, DARK.stroke_width(pen.size(1))))?;
        let text = number(value, scale.hi - scale.lo);
        area.draw(&Text::new(text, (right + pen.length(7), y), style.clone()))?;
    }
    let style = (FONT, pen.size(15))
        .into_text_style(area)
        .pos(Pos::new(HPos::Left, VPos::Bottom));
    area.draw(&Text::new(
        label.to_owned(),
        (left, top - pen.length(6)),
        style,
    ))
}
