//! Pictures of samples.

use std::path::Path;

use fastlsq_solve::plot::{Axis, Figure, Look, Panel, PlotError, Series};

use crate::Samples;

impl Samples {
    /// The samples over their first coordinate.
    #[must_use]
    pub fn figure(&self) -> Figure {
        let x = self.points().column(0).to_vec();
        let points = x.into_iter().zip(self.values().iter().copied());
        let panel = Panel::new(Axis::linear("x"), Axis::linear("u"));
        Figure::of(panel.series(Series::new("", points.collect(), Look::Specks(0))))
    }

    /// Draws them to an `.svg` or `.png` file.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn plot(&self, path: impl AsRef<Path>) -> Result<(), PlotError> {
        self.figure().save(path)
    }
}
