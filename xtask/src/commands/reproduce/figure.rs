//! Figures of the report: charts with a name and a caption.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use fastlsq_solve::plot::{self, Panel};
pub(crate) use fastlsq_solve::plot::{Axis, Look, Series};

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

impl Figure {
    fn picture(&self) -> plot::Figure {
        let panel = Panel::new(self.x.clone(), self.y.clone()).heading(&self.title);
        let series = self.series.iter().cloned();
        plot::Figure::of(series.fold(panel, Panel::series))
    }

    /// The figure as SVG text.
    pub(crate) fn svg(&self) -> Result<String> {
        let drawn = self.picture().svg();
        drawn.with_context(|| format!("cannot draw the figure {}", self.name))
    }

    /// Writes the figure as PNG.
    pub(crate) fn png(&self, path: &Path) -> Result<()> {
        let drawn = self.picture().png();
        let bytes = drawn.with_context(|| format!("cannot draw the figure {}", self.name))?;
        fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
    }
}
