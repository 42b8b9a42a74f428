//! Samples as pictures.

use std::path::Path;
use std::sync::Arc;

use fastlsq_plot::{Axis, Figure, Film, Look, Map, Panel, PlotError, Series};
use ndarray::Axis as Along;

use super::{GridSamples, even_axes};
use crate::domain::Domain;
use crate::patches::LeafBox;
use crate::samples::SampleError;
use crate::space::{SpaceError, Spectrum};
use crate::{Solution, SolveError};

/// Points of a curve, and of a map along each side.
const CURVE: usize = 401;
const SIDE: usize = 161;
/// Moments and slices have smaller maps.
const SMALL_SIDE: usize = 101;
/// Moments that are shown beside each other.
const MOMENTS: usize = 4;
/// The longer side of a single chart, and of several beside each other.
const LARGE: u32 = 400;
const SMALL: u32 = 230;
/// A function of space and time is shown over both.
const OVER_TIME: (u32, u32) = (420, 320);

/// The smallest and the largest of these values, NaN left out.
fn extremes<'a>(values: impl IntoIterator<Item = &'a f64>) -> (f64, f64) {
    let finite = values.into_iter().filter(|value| value.is_finite());
    let (lo, hi) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), value| {
        (lo.min(*value), hi.max(*value))
    });
    if lo <= hi { (lo, hi) } else { (0.0, 0.0) }
}

/// A number in a heading.
fn brief(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0" } else { text }.to_owned()
}

impl GridSamples {
    /// A picture: curves of one coordinate; maps of two; of three a map through each middle, or, if one is time, maps at up to
    /// four moments. Coordinates with a single place do not count.
    ///
    /// # Errors
    /// More coordinates than that.
    pub fn figure(&self) -> Result<Figure, PlotError> {
        let wide = self.wide();
        match wide[..] {
            [_] => Ok(Figure::of(self.curves(&self.ranges()))),
            [first, second] => {
                let size = if self.names.len() > 1 {
                    SMALL + 70
                } else {
                    LARGE
                };
                let panels = (0..self.names.len()).map(|function| {
                    self.map_panel(function, [first, second], self.ranges()[function], size)
                });
                let panels = panels.collect::<Result<Vec<_>, _>>()?;
                Ok(panels
                    .into_iter()
                    .fold(Figure::new(""), Figure::panel)
                    .columns(3))
            }
            [_, _, time] if self.space.has_time() && time + 1 == self.axes.len() => {
                self.moments(time)
            }
            [_, _, _] => self.middles(&wide),
            _ => Err(PlotError::NoPicture {
                what: format!("samples along {} coordinates", wide.len()),
                hint: "fix all but two or three with a single place each",
            }),
        }
    }

    /// The samples one moment after the other, so many per second, with the same scales throughout.
    ///
    /// # Errors
    /// Samples without time, or along more than two coordinates of space.
    pub fn film(&self, per_second: u16) -> Result<Film, PlotError> {
        let times = match self.axes.last() {
            Some(times) if self.space.has_time() && times.len() > 1 => times,
            _ => {
                return Err(PlotError::NoPicture {
                    what: "samples at one time are no film".to_owned(),
                    hint: "take several times",
                });
            }
        };
        let ranges = self.ranges();
        let decimals = if times.iter().any(|time| time.abs() >= 100.0) {
            1
        } else {
            2
        };
        let mut film = Film::new(per_second);
        for (number, time) in times.iter().enumerate() {
            let moment = self.at_last(number);
            let heading = format!("t = {time:.decimals$}");
            let figure = match moment.wide()[..] {
                [_] => Figure::of(moment.curves(&ranges).heading(heading)),
                [first, second] => {
                    let panels = (0..self.names.len()).map(|function| {
                        let size = if self.names.len() > 1 {
                            SMALL + 70
                        } else {
                            LARGE
                        };
                        let panel =
                            moment.map_panel(function, [first, second], ranges[function], size);
                        Ok(panel?.heading(&heading))
                    });
                    let panels = panels.collect::<Result<Vec<_>, PlotError>>()?;
                    panels.into_iter().fold(Figure::new(""), Figure::panel)
                }
                _ => {
                    return Err(PlotError::NoPicture {
                        what: "a film of that many coordinates of space".to_owned(),
                        hint: "fix all but two with a single place each",
                    });
                }
            };
            film = film.frame(figure);
        }
        Ok(film)
    }

    /// The coordinates with more than one place.
    fn wide(&self) -> Vec<usize> {
        (0..self.axes.len())
            .filter(|axis| self.axes[*axis].len() > 1)
            .collect()
    }

    /// The extremes of each function.
    fn ranges(&self) -> Vec<(f64, f64)> {
        self.values.iter().map(extremes).collect()
    }

    /// All functions over the only coordinate that has several places, within ranges of values.
    fn curves(&self, ranges: &[(f64, f64)]) -> Panel {
        let axis = self.wide().first().copied().unwrap_or(0);
        let several = self.names.len() > 1;
        let (lo, hi) = extremes(ranges.iter().flat_map(|(lo, hi)| [lo, hi]));
        let margin = 0.05 * if hi > lo { hi - lo } else { 1.0 };
        let label = match &self.names[..] {
            [only] => only.clone(),
            _ => String::new(),
        };
        let y = Axis::linear(label).within(lo - margin, hi + margin);
        let mut panel = Panel::new(Axis::linear(self.space.names()[axis]), y).size(560, 320);
        for (index, (name, values)) in self.names.iter().zip(&self.values).enumerate() {
            let points = self.axes[axis].iter().copied().zip(values.iter().copied());
            let name = if several { name.as_str() } else { "" };
            panel = panel.series(Series::new(name, points.collect(), Look::Bold(index)));
        }
        panel
    }

    /// One function over two coordinates, the others being fixed.
    fn map_panel(
        &self,
        function: usize,
        [first, second]: [usize; 2],
        (lo, hi): (f64, f64),
        size: u32,
    ) -> Result<Panel, PlotError> {
        let values = self.values[function].iter().copied().collect();
        let (x, y) = (self.axes[first].clone(), self.axes[second].clone());
        let mut map = Map::new(x, y, values)?
            .range(lo, hi)
            .label(&self.names[function]);
        if let Some(domain) = self.domain.clone() {
            let fixed: Vec<f64> = self.axes.iter().map(|places| places[0]).collect();
            map = map.inside(move |x, y| {
                let mut point = fixed.clone();
                (point[first], point[second]) = (x, y);
                domain.contains(&point)
            });
        }
        let names = self.space.names();
        let panel = Panel::new(Axis::linear(names[first]), Axis::linear(names[second])).map(map);
        let over_time = self.space.has_time() && second + 1 == self.axes.len();
        Ok(if over_time {
            panel.size(OVER_TIME.0, OVER_TIME.1)
        } else {
            panel.equal_scales().size(size, size)
        })
    }

    /// The samples at one place along an axis, which stays as a coordinate with that single place.
    fn fixed(&self, axis: usize, place: usize) -> Self {
        let mut fixed = self.clone();
        fixed.axes[axis] = vec![self.axes[axis][place]];
        for values in &mut fixed.values {
            *values = values.select(Along(axis), &[place]);
        }
        fixed
    }

    /// Maps at moments from the first to the last, with one row of panels for each function.
    fn moments(&self, time: usize) -> Result<Figure, PlotError> {
        let count = self.axes[time].len();
        let shown = MOMENTS.min(count);
        let places = (0..shown).map(|k| k * (count - 1) / (shown - 1).max(1));
        self.maps(&places.map(|place| (time, place)).collect::<Vec<_>>())
    }

    /// Maps through the middle of each of three coordinates.
    fn middles(&self, wide: &[usize]) -> Result<Figure, PlotError> {
        let places = wide
            .iter()
            .rev()
            .map(|axis| (*axis, self.axes[*axis].len() / 2));
        self.maps(&places.collect::<Vec<_>>())
    }

    /// A row of maps for each function, each at one place of one coordinate, with common colours.
    fn maps(&self, cuts: &[(usize, usize)]) -> Result<Figure, PlotError> {
        let ranges = self.ranges();
        let mut figure = Figure::new("").columns(cuts.len());
        for (function, range) in ranges.iter().enumerate() {
            for (axis, place) in cuts {
                let cut = self.fixed(*axis, *place);
                let [first, second] = cut.wide()[..] else {
                    continue;
                };
                let name = self.space.names()[*axis];
                let heading = format!("{name} = {}", brief(self.axes[*axis][*place]));
                let panel = cut.map_panel(function, [first, second], *range, SMALL)?;
                figure = figure.panel(panel.heading(heading));
            }
        }
        Ok(figure)
    }
}

impl Solution {
    /// A picture with settings that suit most: a curve in one dimension, a map with contours and the outline of the domain in
    /// two, over space and time, or at four moments; slices through the middle in three. Of a system, every unknown.
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
        Ok(self.figure()?.save(path)?)
    }

    /// Writes a film of a solution in time as an animated PNG.
    ///
    /// # Errors
    /// A solution without time, with more than two coordinates of space, or a file that cannot be written.
    pub fn plot_film(&self, path: impl AsRef<Path>, frames: usize) -> Result<(), SolveError> {
        let side = if self.space().space_axes() == 1 {
            CURVE
        } else {
            SMALL_SIDE
        };
        let mut counts = vec![side; self.dim()];
        if let Some(last) = counts.last_mut() {
            *last = frames.max(2);
        }
        Ok(self.on_grid(&counts)?.film(FRAMES_PER_SECOND)?.save(path)?)
    }

    /// The picture that [`plot`](Self::plot) writes, for what is to be added to it.
    ///
    /// # Errors
    /// As [`plot`](Self::plot).
    pub fn figure(&self) -> Result<Figure, SolveError> {
        let domain = self.domain().ok_or(SampleError::NoDomain)?;
        let space = self.space();
        let samples = match (space.space_axes(), space.has_time()) {
            (0 | 1, false) | (0, true) => self.on_grid(&vec![CURVE; self.dim()])?,
            (1, true) | (2, false) => self.on_grid(&[SIDE; 2])?,
            (2, true) => self.on_grid(&[SMALL_SIDE, SMALL_SIDE, MOMENTS])?,
            (3, false) => return self.slices(&**domain),
            (count, _) => {
                // The first two coordinates, through the middle of the others and at the last time.
                let mut counts = vec![1; self.dim()];
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
        let mut cuts = Vec::new();
        for axis in (0..self.dim()).rev() {
            let mut counts = vec![SMALL_SIDE; self.dim()];
            counts[axis] = 1;
            cuts.push((axis, self.on_axes(even_axes(domain, &counts)?)?));
        }
        let mut figure = Figure::new("").columns(cuts.len());
        for function in 0..self.unknowns().len() {
            let range = extremes(cuts.iter().flat_map(|(_, cut)| &cut.values[function]));
            for (axis, cut) in &cuts {
                if let [first, second] = cut.wide()[..] {
                    let heading = format!(
                        "{} = {}",
                        self.space().names()[*axis],
                        brief(cut.axes[*axis][0])
                    );
                    let panel = cut.map_panel(function, [first, second], range, SMALL)?;
                    figure = figure.panel(panel.heading(heading));
                }
            }
        }
        Ok(figure)
    }
}

/// Frames of a film per second.
const FRAMES_PER_SECOND: u16 = 15;

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
                what: "there are no patches of a line or the plane".to_owned(),
                hint: "ask for them with Options::patches, or use plot",
            })?;
        Ok(figure.save(path)?)
    }
}
