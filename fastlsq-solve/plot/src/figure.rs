//! Panels beside each other, as one picture.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use plotters::element::Text;
use plotters::prelude::DrawingBackend;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{IntoTextStyle, WHITE};

use crate::canvas::{self, Area, Drawn, FONT, Pen};
use crate::{Panel, PlotError};

/// A picture: panels in rows, with a title above.
#[derive(Debug, Clone, Default)]
pub struct Figure {
    title: String,
    panels: Vec<Panel>,
    columns: Option<usize>,
}

/// Height of the title.
const TITLE: u32 = 44;
/// Panels beside each other, unless said otherwise.
const COLUMNS: usize = 4;
/// Pixels of a PNG per unit of length: sharp on fine screens and on paper.
const SHARPNESS: u32 = 2;

impl Figure {
    /// A picture without panels so far.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            ..Self::default()
        }
    }

    /// A picture of one panel.
    #[must_use]
    pub fn of(panel: Panel) -> Self {
        Self::new("").panel(panel)
    }

    /// One more panel, to the right of the last or in the next row.
    #[must_use]
    pub fn panel(mut self, panel: Panel) -> Self {
        self.panels.push(panel);
        self
    }

    /// The number of panels beside each other; by default up to four.
    #[must_use]
    pub fn columns(mut self, columns: usize) -> Self {
        self.columns = Some(columns.max(1));
        self
    }

    /// The title.
    #[must_use]
    pub fn titled(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// The panels, so that more can be added to them.
    pub fn panels_mut(&mut self) -> &mut [Panel] {
        &mut self.panels
    }

    fn rows(&self) -> impl Iterator<Item = &[Panel]> {
        let columns = self.columns.unwrap_or(COLUMNS);
        self.panels.chunks(columns.max(1))
    }

    fn title_height(&self) -> u32 {
        if self.title.is_empty() { 0 } else { TITLE }
    }

    /// Width and height in units of length; a PNG has two pixels per unit.
    #[must_use]
    pub fn extent(&self) -> (u32, u32) {
        let (mut width, mut height) = (0, self.title_height());
        for row in self.rows() {
            let sizes: Vec<(u32, u32)> = row.iter().map(Panel::extent).collect();
            width = width.max(sizes.iter().map(|size| size.0).sum());
            height += sizes.iter().map(|size| size.1).max().unwrap_or(0);
        }
        (width, height)
    }

    fn draw<B: DrawingBackend>(&self, area: &Area<B>, pen: &mut Pen) -> Drawn<B> {
        area.fill(&WHITE)?;
        let (width, _) = self.extent();
        if !self.title.is_empty() {
            let centred = Pos::new(HPos::Center, VPos::Top);
            let style = (FONT, pen.size(22)).into_text_style(area).pos(centred);
            let at = (pen.size(width).cast_signed() / 2, pen.length(14));
            area.draw(&Text::new(self.title.clone(), at, style))?;
        }
        let mut top = self.title_height();
        for row in self.rows() {
            let sizes: Vec<(u32, u32)> = row.iter().map(Panel::extent).collect();
            let row_width: u32 = sizes.iter().map(|size| size.0).sum();
            let mut left = (width - row_width) / 2;
            for (panel, (panel_width, panel_height)) in row.iter().zip(&sizes) {
                let size = (pen.size(*panel_width), pen.size(*panel_height));
                let corner = (pen.size(left), pen.size(top));
                panel.draw(&area.clone().shrink(corner, size), pen)?;
                left += panel_width;
            }
            top += sizes.iter().map(|size| size.1).max().unwrap_or(0);
        }
        Ok(())
    }

    /// The picture as SVG text, the same for the same figure.
    ///
    /// # Errors
    /// No panels.
    pub fn svg(&self) -> Result<String, PlotError> {
        if self.panels.is_empty() {
            return Err(PlotError::Empty);
        }
        canvas::to_svg(self.extent(), |area, pen| self.draw(area, pen))
    }

    /// The picture as the bytes of a PNG file, with two pixels per unit of length.
    ///
    /// # Errors
    /// No panels.
    pub fn png(&self) -> Result<Vec<u8>, PlotError> {
        let (size, pixels) = self.pixels(SHARPNESS)?;
        canvas::encode(size, &pixels)
    }

    /// Its pixels, row by row.
    pub(crate) fn pixels(&self, sharpness: u32) -> Result<((u32, u32), Vec<u8>), PlotError> {
        if self.panels.is_empty() {
            return Err(PlotError::Empty);
        }
        canvas::to_pixels(self.extent(), sharpness, |area, pen| self.draw(area, pen))
    }

    /// Writes the picture to a file whose name ends in `.svg` or `.png`.
    ///
    /// # Errors
    /// Another ending, no panels, a file that cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), PlotError> {
        let path = path.as_ref();
        let bytes = match path.extension().and_then(OsStr::to_str) {
            Some("svg") => self.svg()?.into_bytes(),
            Some("png") => self.png()?,
            _ => {
                return Err(PlotError::Extension {
                    path: path.to_owned(),
                    known: ".svg or .png",
                });
            }
        };
        fs::write(path, bytes).map_err(|cause| PlotError::io(path, cause))
    }
}

#[cfg(test)]
mod tests {
    use super::Figure;
    use crate::{Axis, Band, Look, Map, Panel, PlotError, Series};

    #[test]
    fn points_that_an_axis_cannot_show_are_left_out_and_drawing_is_reproducible() {
        let points = vec![(0.0, 1.0), (1.0, 0.0), (2.0, f64::NAN), (3.0, 1e-3)];
        let panel = Panel::new(Axis::linear("x"), Axis::log("y"))
            .heading("A title")
            .series(Series::new("curve & more", points, Look::Line(0)));
        let figure = Figure::of(panel);
        let svg = figure.svg().unwrap();
        assert!(svg.contains("A title") && svg.contains("curve &amp; more"));
        assert_eq!(svg.matches("<circle").count(), 2 * 2 + 2);
        assert_eq!(svg, figure.svg().unwrap());
    }

    #[test]
    fn maps_are_images_inside_the_text_and_have_the_shape_of_their_grid() {
        let (x, y) = (vec![0.0, 1.0, 2.0, 4.0], vec![0.0, 1.0]);
        let map = Map::new(x, y, vec![0.0, 1.0, 2.0, 3.0, -1.0, 0.0, 1.0, 2.0]).unwrap();
        let panel = Panel::new(Axis::linear("x"), Axis::linear("y"));
        let panel = panel.map(map.label("u")).equal_scales();
        let figure = Figure::new("two").panel(panel.clone()).panel(panel);
        let svg = figure.svg().unwrap();
        assert_eq!(svg.matches("<image").count(), 2);
        let tag = svg.split("<image ").nth(1).unwrap();
        let side = |name: &str| {
            let text = tag.split(&format!("{name}=\"")).nth(1).unwrap();
            text.split('"').next().unwrap().parse::<f64>().unwrap()
        };
        assert!((side("width") / side("height") - 4.0).abs() < 0.1);
        let png = figure.png().unwrap();
        assert!(png.starts_with(b"\x89PNG"));
    }

    #[test]
    fn what_cannot_be_drawn_is_said() {
        assert!(matches!(Figure::new("empty").svg(), Err(PlotError::Empty)));
        let panel = Panel::new(Axis::linear("x"), Axis::linear("y")).band(Band {
            label: "likely".to_owned(),
            points: vec![(0.0, -1.0, 1.0), (1.0, -2.0, 2.0)],
            colour: 0,
        });
        let path = std::env::temp_dir().join("figure.jpeg");
        let error = Figure::of(panel).save(path).unwrap_err();
        assert!(error.to_string().contains(".svg or .png"));
    }
}
