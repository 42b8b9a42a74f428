//! Pictures of solutions, with settings that suit most.

use std::path::Path;
use std::sync::Arc;

use fastlsq_plot::{Figure, Look, PlotError, Series};

use super::picture::{LARGE, MOMENTS, SMALL, brief, extremes};
use super::{Quantities, SampleError, even_axes};
use crate::domain::Domain;
use crate::patches::LeafBox;
use crate::space::{SpaceError, Spectrum};
use crate::{Solution, SolveError};

/// Points of a curve, and of a map along each side.
const CURVE: usize = 401;
const SIDE: usize = 161;
/// Moments and slices have smaller maps.
const SMALL_SIDE: usize = 101;
/// Frames of a film per second.
const FRAMES_PER_SECOND: u16 = 15;

impl Quantities<'_> {
    /// Writes the picture of [`figure`](Self::figure), as SVG or PNG by the extension.
    ///
    /// # Errors
    /// As [`Solution::plot`].
    pub fn plot(&self, path: impl AsRef<Path>) -> Result<(), SolveError> {
        Ok(self.figure()?.save(path)?)
    }

    /// Writes a film, as [`Solution::plot_film`] does of the unknowns.
    ///
    /// # Errors
    /// As [`Solution::plot_film`].
    pub fn plot_film(&self, path: impl AsRef<Path>, frames: usize) -> Result<(), SolveError> {
        let space = self.solution.space();
        let side = if space.space_axes() == 1 {
            CURVE
        } else {
            SMALL_SIDE
        };
        let mut counts = vec![side; space.dim()];
        if let Some(last) = counts.last_mut() {
            *last = frames.max(2);
        }
        Ok(self.on_grid(&counts)?.film(FRAMES_PER_SECOND)?.save(path)?)
    }

    /// A picture, as [`Solution::figure`] makes it of the unknowns.
    ///
    /// # Errors
    /// As [`Solution::plot`].
    pub fn figure(&self) -> Result<Figure, SolveError> {
        let domain = self.solution.domain().ok_or(SampleError::NoDomain)?;
        let space = self.solution.space();
        let samples = match (space.space_axes(), space.has_time()) {
            (0 | 1, false) | (0, true) => self.on_grid(&vec![CURVE; space.dim()])?,
            (1, true) | (2, false) => self.on_grid(&[SIDE; 2])?,
            (2, true) => self.on_grid(&[SMALL_SIDE, SMALL_SIDE, MOMENTS])?,
            (3, false) => return self.slices(&**domain),
            (count, _) => {
                // The first two coordinates, through the middle of the others and at the last time.
                let mut counts = vec![1; space.dim()];
                for wide in counts.iter_mut().take(2.min(count)) {
                    *wide = SIDE;
                }
                let mut axes = even_axes(&**domain, &counts)?;
                if space.has_time()
                    && let (Some(last), Some(end)) =
                        (axes.last_mut(), domain.bounding_box()?.hi().last())
                {
                    *last = vec![*end];
                }
                self.on_axes(axes)?
            }
        };
        Ok(samples.figure()?)
    }

    /// Maps through the middle of each coordinate of space, sampled there only.
    fn slices(&self, domain: &dyn Domain) -> Result<Figure, SolveError> {
        let dim = domain.dim();
        let mut cuts = Vec::new();
        for axis in (0..dim).rev() {
            let mut counts = vec![SMALL_SIDE; dim];
            counts[axis] = 1;
            cuts.push((axis, self.on_axes(even_axes(domain, &counts)?)?));
        }
        let mut figure = Figure::new("").columns(cuts.len());
        for function in 0..self.named.len() {
            let range = extremes(cuts.iter().flat_map(|(_, cut)| &cut.values[function]));
            for (axis, cut) in &cuts {
                if let [first, second] = cut.wide()[..] {
                    let name = self.solution.space().names()[*axis];
                    let heading = format!("{name} = {}", brief(cut.axes[*axis][0]));
                    let panel = cut.map_panel(function, [first, second], range, SMALL)?;
                    figure = figure.panel(panel.heading(heading));
                }
            }
        }
        Ok(figure)
    }
}

impl Solution {
    /// A picture with settings that suit most: a curve in one dimension; a map with contours and the outline of the domain in
    /// two, or over space and time; maps at four moments in two over time; slices through the middle in three. For a system,
    /// every unknown. Other functions of the unknowns: [`quantities`](Self::quantities).
    ///
    /// ```no_run
    /// # use fastlsq_solve::{BoxDomain, LinearProblem, laplacian, unknown};
    /// # let problem = LinearProblem::on(BoxDomain::unit(2)).equation(-laplacian(unknown("u")), 1.0).dirichlet(0.0);
    /// problem.solve()?.plot("u.svg")?; // or u.png
    /// # Ok::<(), fastlsq_solve::SolveError>(())
    /// ```
    ///
    /// # Errors
    /// A solution that does not know its domain, or a file that cannot be written.
    pub fn plot(&self, path: impl AsRef<Path>) -> Result<(), SolveError> {
        self.all_unknowns().plot(path)
    }

    /// Writes a film of a solution in time as an animated PNG.
    ///
    /// # Errors
    /// A solution without time, with more than two coordinates of space, or a file that cannot be written.
    pub fn plot_film(&self, path: impl AsRef<Path>, frames: usize) -> Result<(), SolveError> {
        self.all_unknowns().plot_film(path, frames)
    }

    /// The picture that [`plot`](Self::plot) writes, so that more can be added to it.
    ///
    /// # Errors
    /// As [`plot`](Self::plot).
    pub fn figure(&self) -> Result<Figure, SolveError> {
        self.all_unknowns().figure()
    }
}

impl Spectrum {
    /// The eigenfunctions, each below its eigenvalue.
    ///
    /// # Errors
    /// Eigenfunctions of more than two coordinates.
    pub fn figure(&self) -> Result<Figure, SpaceError> {
        let dim = self.space().modes().domain().dim();
        let side = if dim == 1 { CURVE } else { SMALL_SIDE };
        let samples = self.on_grid(&vec![side; dim])?;
        let draw = || -> Result<Figure, PlotError> {
            let wide = samples.wide();
            if wide.len() == 1 {
                return samples.figure();
            }
            let mut figure = Figure::new("");
            for (function, pair) in self.pairs().iter().enumerate() {
                let [first, second] = wide[..] else {
                    return samples.figure();
                };
                let range = samples.ranges()[function];
                let panel = samples.map_panel(function, [first, second], range, SMALL)?;
                figure = figure.panel(panel.heading(format!("λ = {:.6}", pair.value.re)));
            }
            Ok(figure)
        };
        draw().map_err(|error| SpaceError::Plot(Arc::new(error)))
    }
}

/// A solution on patches with the outlines of these, or `None` if it does not live on patches of a line or the plane.
fn mesh_figure(solution: &Solution, leaves: &[LeafBox]) -> Result<Option<Figure>, SolveError> {
    let mut samples = solution.on_grid(&vec![SIDE; solution.dim()])?;
    // One unknown is enough to see where patches are.
    samples.names.truncate(1);
    samples.values.truncate(1);
    let ranges = samples.ranges();
    let (lo, hi) = ranges.first().copied().unwrap_or((0.0, 1.0));
    Ok(match solution.dim() {
        1 => {
            let ends = leaves.iter().flat_map(|leaf| [leaf.lo[0], leaf.hi[0]]);
            let ticks = ends.flat_map(|x| [(x, lo), (x, hi), (f64::NAN, f64::NAN)]);
            let ticks = Series::new("patches", ticks.collect(), Look::Edge);
            Some(Figure::of(samples.curves(&ranges).series(ticks)))
        }
        2 => {
            let corners = leaves
                .iter()
                .map(|leaf| [(leaf.lo[0], leaf.lo[1]), (leaf.hi[0], leaf.hi[1])]);
            let panel = samples
                .map_panel(0, [0, 1], (lo, hi), LARGE)?
                .boxes(corners);
            Some(Figure::of(panel))
        }
        _ => None,
    })
}

impl Solution {
    /// The patches that the solution lives on, over its picture: intervals and boxes in the plane.
    ///
    /// # Errors
    /// A solution without patches, in space, or a file that cannot be written.
    pub fn plot_patches(&self, path: impl AsRef<Path>) -> Result<(), SolveError> {
        let leaves = self
            .report()
            .patches
            .as_ref()
            .map(|report| &report.boxes[..]);
        let figure = mesh_figure(self, leaves.unwrap_or_default())?;
        let figure = figure
            .filter(|_| leaves.is_some())
            .ok_or_else(|| PlotError::NoPicture {
                what: "there are no patches on a line or in the plane".to_owned(),
                hint: "ask for them with Options::patches, or use plot",
            })?;
        Ok(figure.save(path)?)
    }
}
