//! What pictures are drawn on: pixels or SVG text, in one scale.

use std::sync::Once;

use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters::element::BitMapElement;
use plotters::prelude::{BitMapBackend, DrawingBackend, IntoDrawingArea, SVGBackend};
use plotters::style::{FontStyle, register_font};

use crate::PlotError;

/// The family name under which the bundled font is known; any SVG viewer has its own.
pub(crate) const FONT: &str = "sans-serif";

/// An area of a drawing.
pub(crate) type Area<B> = DrawingArea<B, Shift>;
/// What drawing on it may say.
pub(crate) type Drawn<B> = Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

/// An image inside a drawing: where, how large, its pixels.
#[derive(Debug)]
pub(crate) struct Image {
    pub(crate) corner: (i32, i32),
    pub(crate) size: (u32, u32),
    pub(crate) pixels: Vec<u8>,
}

/// How large everything is drawn, and where images go: into the pixels, or into the text once that is written.
#[derive(Debug)]
pub(crate) struct Pen {
    /// Pixels per unit of length.
    pub(crate) scale: i32,
    images: Option<Vec<Image>>,
}

impl Pen {
    /// A length in pixels.
    pub(crate) fn length(&self, length: i32) -> i32 {
        self.scale * length
    }

    /// A size that must not be negative.
    pub(crate) fn size(&self, length: u32) -> u32 {
        self.scale.unsigned_abs() * length
    }

    /// Puts an image into a drawing, of which `area` is the part that it covers.
    pub(crate) fn image<B: DrawingBackend>(&mut self, area: &Area<B>, image: Image) -> Drawn<B> {
        if let Some(images) = &mut self.images {
            images.push(image);
            return Ok(());
        }
        match BitMapElement::with_owned_buffer((0, 0), image.size, image.pixels) {
            Some(element) => area.draw(&element),
            None => Ok(()),
        }
    }
}

/// Draws into pixels, each the mean of two by two; returns them row by row.
pub(crate) fn to_pixels(
    (width, height): (u32, u32),
    scale: u32,
    draw: impl FnOnce(&Area<BitMapBackend<'_>>, &mut Pen) -> Drawn<BitMapBackend<'static>>,
) -> Result<((u32, u32), Vec<u8>), PlotError> {
    register();
    let fine = 2 * scale;
    let size = (width * fine, height * fine);
    let mut buffer = vec![255_u8; 3 * size.0 as usize * size.1 as usize];
    let mut pen = Pen {
        scale: fine.cast_signed(),
        images: None,
    };
    {
        let area = BitMapBackend::with_buffer(&mut buffer, size).into_drawing_area();
        draw(&area, &mut pen).map_err(|error| PlotError::drawing(&error))?;
        area.present().map_err(|error| PlotError::drawing(&error))?;
    }
    let (columns, rows) = ((width * scale) as usize, (height * scale) as usize);
    let line = 6 * columns;
    let mut pixels = Vec::with_capacity(3 * columns * rows);
    for row in 0..rows {
        for column in 0..columns {
            for channel in 0..3 {
                let first = 2 * row * line + 6 * column + channel;
                let parts = [first, first + 3, first + line, first + line + 3];
                let sum: u32 = parts.iter().map(|part| u32::from(buffer[*part])).sum();
                pixels.push(((sum + 2) / 4) as u8);
            }
        }
    }
    Ok(((width * scale, height * scale), pixels))
}

/// Draws as SVG text; images are part of it.
pub(crate) fn to_svg(
    (width, height): (u32, u32),
    draw: impl FnOnce(&Area<SVGBackend<'_>>, &mut Pen) -> Drawn<SVGBackend<'static>>,
) -> Result<String, PlotError> {
    register();
    let mut text = String::new();
    let mut pen = Pen {
        scale: 1,
        images: Some(Vec::new()),
    };
    {
        let area = SVGBackend::with_string(&mut text, (width, height)).into_drawing_area();
        draw(&area, &mut pen).map_err(|error| PlotError::drawing(&error))?;
        area.present().map_err(|error| PlotError::drawing(&error))?;
    }
    for image in pen.images.unwrap_or_default() {
        // Above the background, below everything else.
        let Some(place) = text.find("/>").map(|place| place + 2) else {
            break;
        };
        let ((x, y), (w, h)) = (image.corner, image.size);
        let (w, h) = (w / IMAGE_SCALE, h / IMAGE_SCALE);
        let data = base64(&encode(image.size, &image.pixels)?);
        let tag = format!(
            "\n<image x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" href=\"data:image/png;base64,{data}\"/>"
        );
        text.insert_str(place, &tag);
    }
    Ok(text)
}

/// Pixels of images per unit of an SVG drawing.
pub(crate) const IMAGE_SCALE: u32 = 2;

impl Pen {
    /// How much finer images are than the drawing, and the width of a line in them.
    pub(crate) fn fineness(&self) -> (u32, u32) {
        match self.images {
            Some(_) => (IMAGE_SCALE, IMAGE_SCALE),
            None => (1, self.size(1) * 3 / 2),
        }
    }
}

/// Pixels as PNG.
pub(crate) fn encode((width, height): (u32, u32), pixels: &[u8]) -> Result<Vec<u8>, PlotError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_adaptive_filter(png::AdaptiveFilterType::Adaptive);
    encoder
        .write_header()
        .and_then(|mut writer| writer.write_image_data(pixels))
        .map_err(|error| PlotError::drawing(&error))?;
    Ok(bytes)
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk
            .iter()
            .chain(&[0, 0])
            .take(3)
            .fold(0_u32, |word, byte| (word << 8) | u32::from(*byte));
        for k in 0..4 {
            if k <= chunk.len() {
                text.push(char::from(DIGITS[(word >> (18 - 6 * k)) as usize & 63]));
            } else {
                text.push('=');
            }
        }
    }
    text
}

/// Makes the bundled font known to the drawing library.
fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let font = include_bytes!("../assets/DejaVuSans.ttf");
        // The file is a part of this program, so that it cannot be a wrong one.
        let _ = register_font(FONT, FontStyle::Normal, font);
    });
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_as_in_rfc_4648() {
        for (plain, coded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }
}
