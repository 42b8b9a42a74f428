//! Figures one after the other.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use crate::{Figure, PlotError};

/// Figures of one size, shown one after the other again and again: an animated PNG, which browsers play and other programs show
/// as its first frame.
#[derive(Debug, Clone, Default)]
pub struct Film {
    frames: Vec<Figure>,
    per_second: u16,
}

impl Film {
    /// A film of this many frames per second.
    #[must_use]
    pub fn new(per_second: u16) -> Self {
        Self {
            frames: Vec::new(),
            per_second: per_second.max(1),
        }
    }

    /// One more frame.
    #[must_use]
    pub fn frame(mut self, figure: Figure) -> Self {
        self.frames.push(figure);
        self
    }

    /// The bytes of an animated PNG.
    ///
    /// # Errors
    /// No frames, or frames of different sizes.
    pub fn png(&self) -> Result<Vec<u8>, PlotError> {
        let first = self.frames.first().ok_or(PlotError::Empty)?.extent();
        let count = u32::try_from(self.frames.len()).unwrap_or(u32::MAX);
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, first.0, first.1);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_adaptive_filter(png::AdaptiveFilterType::Adaptive);
        let failed = |error: png::EncodingError| PlotError::drawing(&error);
        encoder.set_animated(count, 0).map_err(failed)?;
        encoder
            .set_frame_delay(1, self.per_second)
            .map_err(failed)?;
        let mut writer = encoder.write_header().map_err(failed)?;
        for frame in &self.frames {
            let (size, pixels) = frame.pixels(1)?;
            if size != first {
                return Err(PlotError::FrameSizes { first, other: size });
            }
            writer.write_image_data(&pixels).map_err(failed)?;
        }
        writer.finish().map_err(failed)?;
        Ok(bytes)
    }

    /// Writes it to a file whose name ends in `.png` or `.apng`.
    ///
    /// # Errors
    /// Another ending, no frames, a file that cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), PlotError> {
        let path = path.as_ref();
        if !matches!(
            path.extension().and_then(OsStr::to_str),
            Some("png" | "apng")
        ) {
            return Err(PlotError::Extension {
                path: path.to_owned(),
                known: ".png or .apng",
            });
        }
        fs::write(path, self.png()?).map_err(|cause| PlotError::io(path, cause))
    }
}

#[cfg(test)]
mod tests {
    use super::Film;
    use crate::{Axis, Figure, Look, Panel, PlotError, Series};

    fn frame(phase: f64, width: u32) -> Figure {
        let wave = (0..50)
            .map(|k| 0.1 * f64::from(k))
            .map(|x| (x, (x - phase).sin()));
        let panel = Panel::new(Axis::linear("x"), Axis::linear("u")).size(width, 120);
        Figure::of(panel.series(Series::new("", wave.collect(), Look::Stroke(0))))
    }

    #[test]
    fn every_frame_is_in_the_file() {
        let film = (0..3).fold(Film::new(10), |film, k| {
            film.frame(frame(f64::from(k), 200))
        });
        let bytes = film.png().unwrap();
        let count = |name: &[u8]| bytes.windows(4).filter(|window| *window == name).count();
        assert_eq!((count(b"acTL"), count(b"fcTL")), (1, 3));
    }

    #[test]
    fn frames_of_other_sizes_are_refused() {
        let film = Film::new(10).frame(frame(0.0, 200)).frame(frame(0.0, 210));
        assert!(matches!(film.png(), Err(PlotError::FrameSizes { .. })));
        assert!(matches!(Film::new(1).png(), Err(PlotError::Empty)));
    }
}
