//! Pictures of iterations and branches.

use std::path::Path;

use fastlsq_solve::SolveError;
use fastlsq_solve::plot::{Axis, Figure, Look, Panel, Series};

use crate::branch::{Branch, BranchPoint};
use crate::report::NewtonReport;

impl NewtonReport {
    /// The residual after each step and the change of u by it, on a logarithmic scale.
    #[must_use]
    pub fn figure(&self) -> Figure {
        let step = |k: usize| k as f64;
        let residuals = self
            .history
            .iter()
            .map(|own| (step(own.iteration), own.residual));
        let residuals = [(0.0, self.start_residual)].into_iter().chain(residuals);
        let changes = self
            .history
            .iter()
            .map(|own| (step(own.iteration), own.change));
        let panel = Panel::new(Axis::linear("Newton step"), Axis::log(""))
            .series(Series::new(
                "residual (rms)",
                residuals.collect(),
                Look::Line(0),
            ))
            .series(Series::new(
                "change of u (relative)",
                changes.collect(),
                Look::Thin(1),
            ));
        Figure::of(panel.size(560, 320))
    }
}

impl Branch {
    /// The branch, with a measure of each solution plotted over its parameter; folds are marked.
    ///
    /// # Errors
    /// Those of `measure`.
    pub fn figure(
        &self,
        (parameter, label): (&str, &str),
        measure: impl Fn(&BranchPoint) -> Result<f64, SolveError>,
    ) -> Result<Figure, SolveError> {
        let place = |point: &BranchPoint| Ok((point.parameter, measure(point)?));
        let points = self.points().iter().map(place);
        let points = points.collect::<Result<Vec<_>, SolveError>>()?;
        let folds = self.folds().iter().map(place);
        let folds = folds.collect::<Result<Vec<_>, SolveError>>()?;
        let panel = Panel::new(Axis::linear(parameter), Axis::linear(label))
            .series(Series::new("solutions", points, Look::Thin(0)))
            .series(Series::new("fold", folds, Look::Dots(3)));
        Ok(Figure::of(panel.size(560, 320)))
    }

    /// Writes the picture of [`figure`](Self::figure) with max |u| over a grid as the measure.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn plot(&self, parameter: &str, path: impl AsRef<Path>) -> Result<(), SolveError> {
        let figure = self.figure((parameter, "max |u|"), |point| {
            let samples = point
                .solution
                .on_grid(&vec![POINTS; point.solution.dim()])?;
            let values = samples.arrays().first().into_iter().flatten();
            Ok(values.fold(0.0, |most: f64, value| most.max(value.abs())))
        })?;
        Ok(figure.save(path)?)
    }
}

/// Points along each axis at which the largest value is sought.
const POINTS: usize = 61;
