//! The names of curves beside each other, above a chart.

use plotters::element::{PathElement, Rectangle, Text};
use plotters::prelude::DrawingBackend;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, IntoTextStyle};

use crate::canvas::{Area, Drawn, FONT, Pen};
use crate::colour;
use crate::panel::Panel;
use crate::series::Look;

/// Room for a key, between entries, and for one line of them.
const KEY: i32 = 31;
const GAP: i32 = 22;
const LINE: u32 = 22;
/// How opaque bands are.
pub(crate) const OPACITY: f64 = 0.22;

/// What stands before a name.
enum Key {
    Curve(Look),
    Band(usize),
}

fn entries(panel: &Panel) -> Vec<(Key, &str)> {
    let bands = panel.bands.iter().filter(|band| !band.points.is_empty());
    let bands = bands.map(|band| (Key::Band(band.colour), band.label.as_str()));
    let curves = panel
        .series
        .iter()
        .filter(|series| !series.points.is_empty());
    let curves = curves.map(|series| (Key::Curve(series.look), series.label.as_str()));
    bands
        .chain(curves)
        .filter(|(_, label)| !label.is_empty())
        .collect()
}

/// The lines of a legend within a width, by the numbers of their entries. Characters are taken as equally wide.
fn lines(panel: &Panel, width: u32) -> Vec<usize> {
    let mut lines = Vec::new();
    let mut used = 0;
    for (_, label) in entries(panel) {
        let own = 8 * label.chars().count() + (KEY + GAP).unsigned_abs() as usize;
        match lines.last_mut() {
            Some(count) if used + own <= width as usize => *count += 1,
            _ => {
                lines.push(1);
                used = 0;
            }
        }
        used += own;
    }
    lines
}

/// The height that the legend of a panel takes.
pub(crate) fn height(panel: &Panel, width: u32) -> u32 {
    LINE * u32::try_from(lines(panel, width).len()).unwrap_or(0)
}

/// Draws it; `top` is its upper edge.
pub(crate) fn draw<B: DrawingBackend>(
    panel: &Panel,
    head: &Area<B>,
    (width, top): (u32, i32),
    pen: &Pen,
) -> Drawn<B> {
    let style = (FONT, pen.size(14))
        .into_text_style(head)
        .pos(Pos::new(HPos::Left, VPos::Center));
    let mut rest = entries(panel).into_iter();
    for (number, count) in lines(panel, width).into_iter().enumerate() {
        let line: Vec<(Key, &str)> = rest.by_ref().take(count).collect();
        let mut widths = Vec::with_capacity(line.len());
        for (_, label) in &line {
            widths.push(head.estimate_text_size(label, &style)?.0.cast_signed());
        }
        let step = pen.length(KEY + GAP);
        let total: i32 = widths.iter().map(|width| width + step).sum();
        let mut x = (pen.size(width).cast_signed() - total + pen.length(GAP)) / 2;
        let y = pen.length(top + LINE.cast_signed() * i32::try_from(number).unwrap_or(0) + 6);
        for ((key, label), width) in line.into_iter().zip(widths) {
            let end = x + pen.length(24);
            match key {
                Key::Band(index) => {
                    let half = pen.length(6);
                    let fill = colour::curve(index).mix(OPACITY).filled();
                    head.draw(&Rectangle::new([(x, y - half), (end, y + half)], fill))?;
                }
                Key::Curve(look) => {
                    let (colour, line, ..) = look.parts();
                    if line > 0 {
                        let stroke = colour.stroke_width(pen.size(line));
                        head.draw(&PathElement::new([(x, y), (end, y)], stroke))?;
                    }
                    if look.has_marks() {
                        for mark in look.marks((x + pen.length(12), y), pen.scale) {
                            head.draw(&mark)?;
                        }
                    }
                }
            }
            let at = (x + pen.length(KEY), y);
            head.draw(&Text::new(label.to_owned(), at, style.clone()))?;
            x += width + step;
        }
    }
    Ok(())
}
