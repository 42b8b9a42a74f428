//! Samples as pictures.

use fastlsq_plot::{Axis, Figure, Film, Look, Map, Panel, PlotError, Series};
use ndarray::Axis as Along;

use super::GridSamples;

/// Moments that are shown beside each other.
pub(super) const MOMENTS: usize = 4;
/// The longer side of a single chart, of several functions beside each other, and of several charts of one function.
pub(super) const LARGE: u32 = 400;
const SEVERAL: u32 = 300;
pub(super) const SMALL: u32 = 230;
/// A function of space and time is shown over both.
const OVER_TIME: (u32, u32) = (420, 320);

/// The smallest and the largest of these values, NaN left out.
pub(super) fn extremes<'a>(values: impl IntoIterator<Item = &'a f64>) -> (f64, f64) {
    let finite = values.into_iter().filter(|value| value.is_finite());
    let (lo, hi) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), value| {
        (lo.min(*value), hi.max(*value))
    });
    if lo <= hi { (lo, hi) } else { (0.0, 0.0) }
}

/// A number in a heading.
pub(super) fn brief(value: f64) -> String {
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
                let ranges = self.ranges();
                let panels = (0..self.names.len()).map(|function| {
                    self.map_panel(function, [first, second], ranges[function], self.side())
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
                hint: "fix all but two or three at a single value each",
            }),
        }
    }

    /// The samples, one moment after the other, this many per second, with the same scales throughout.
    ///
    /// # Errors
    /// Samples without time, or along more than two coordinates of space.
    pub fn film(&self, per_second: u16) -> Result<Film, PlotError> {
        let times = match self.axes.last() {
            Some(times) if self.space.has_time() && times.len() > 1 => times,
            _ => {
                return Err(PlotError::NoPicture {
                    what: "samples at a single time do not make a film".to_owned(),
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
                        let (axes, range) = ([first, second], ranges[function]);
                        let panel = moment.map_panel(function, axes, range, self.side());
                        Ok(panel?.heading(&heading))
                    });
                    let panels = panels.collect::<Result<Vec<_>, PlotError>>()?;
                    panels.into_iter().fold(Figure::new(""), Figure::panel)
                }
                _ => {
                    return Err(PlotError::NoPicture {
                        what: "a film of that many coordinates of space".to_owned(),
                        hint: "fix all but two at a single value each",
                    });
                }
            };
            film = film.frame(figure);
        }
        Ok(film)
    }

    /// The longer side of a map in a figure of all functions.
    fn side(&self) -> u32 {
        if self.names.len() > 1 { SEVERAL } else { LARGE }
    }

    /// The coordinates with more than one place.
    pub(super) fn wide(&self) -> Vec<usize> {
        (0..self.axes.len())
            .filter(|axis| self.axes[*axis].len() > 1)
            .collect()
    }

    /// The extremes of each function.
    pub(super) fn ranges(&self) -> Vec<(f64, f64)> {
        self.values.iter().map(extremes).collect()
    }

    /// All functions over the only coordinate that has several places, within ranges of values.
    pub(super) fn curves(&self, ranges: &[(f64, f64)]) -> Panel {
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
    pub(super) fn map_panel(
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
