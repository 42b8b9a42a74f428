//! The length along a path.

use super::path::Path;
use crate::domain::quadrature::gauss_legendre;

/// Panels of a smooth path to begin with, and at most.
const FEWEST: usize = 16;
const MOST: usize = 4096;
/// Relative change of the length at which the panels are fine enough.
const CONVERGED: f64 = 1e-12;

/// Length from the start to each end of a panel, panels being equal parts of the parameter.
#[derive(Debug, Clone)]
pub(super) struct Lengths {
    /// One more than there are panels, from 0 to the length of the path.
    ends: Vec<f64>,
    /// |dx/dt| at the beginning and at the end of each panel.
    speeds: Vec<[f64; 2]>,
}

impl Lengths {
    pub(super) fn of(path: &dyn Path) -> Self {
        let pieces = path.panels().max(1);
        if path.is_straight() {
            return Self::with_panels(path, pieces);
        }
        let mut panels = pieces * FEWEST.div_ceil(pieces);
        let mut lengths = Self::with_panels(path, panels);
        while 2 * panels <= MOST.max(pieces) {
            panels *= 2;
            let finer = Self::with_panels(path, panels);
            let change = (finer.total() - lengths.total()).abs();
            lengths = finer;
            if change <= CONVERGED * lengths.total() {
                break;
            }
        }
        lengths
    }

    fn with_panels(path: &dyn Path, panels: usize) -> Self {
        let rule = gauss_legendre(6);
        let width = 1.0 / panels as f64;
        let speed = |t: f64| {
            let (_, [x, y]) = path.at(t);
            x.hypot(y)
        };
        let (mut ends, mut speeds) = (vec![0.0], Vec::with_capacity(panels));
        let mut total = 0.0;
        for panel in 0..panels {
            let start = panel as f64 * width;
            let inside = |x: f64| start + 0.5 * (1.0 + x) * width;
            let length: f64 = rule.iter().map(|(x, w)| w * speed(inside(*x))).sum();
            total += 0.5 * width * length;
            ends.push(total);
            // Just inside the panel, so that a kink at its end belongs to the next one.
            let nearly = width * (1.0 - 1e-9);
            speeds.push([speed(start), speed(start + nearly)]);
        }
        Self { ends, speeds }
    }

    pub(super) fn total(&self) -> f64 {
        self.ends.last().copied().unwrap_or(0.0)
    }

    pub(super) fn panels(&self) -> usize {
        self.speeds.len()
    }

    pub(super) fn scaled(&self, factor: f64) -> Self {
        Self {
            ends: self.ends.iter().map(|s| s * factor).collect(),
            speeds: self
                .speeds
                .iter()
                .map(|ends| ends.map(|v| v * factor))
                .collect(),
        }
    }

    /// The length from the start to the end of panel `panel − 1`.
    pub(super) fn end(&self, panel: usize) -> f64 {
        self.ends
            .get(panel)
            .copied()
            .unwrap_or_else(|| self.total())
    }

    /// The parameter at a length from the start: a monotone cubic between the ends of the panel.
    pub(super) fn parameter(&self, s: f64) -> f64 {
        let panels = self.panels();
        let panel = self
            .ends
            .partition_point(|&end| end <= s)
            .saturating_sub(1)
            .min(panels.saturating_sub(1));
        let (start, end) = (self.end(panel), self.end(panel + 1));
        let length = end - start;
        if length <= 0.0 {
            return panel as f64 / panels as f64;
        }
        let u = ((s - start) / length).clamp(0.0, 1.0);
        // Slopes of the share of the panel's parameter against the share of its length.
        let [first, last] = self.speeds[panel].map(|speed| length * panels as f64 / speed);
        let monotone = |slope: f64| (0.0..=3.0).contains(&slope);
        let share = if monotone(first) && monotone(last) {
            let v = 1.0 - u;
            u * u * (3.0 - 2.0 * u) + first * u * v * v - last * u * u * v
        } else {
            u
        };
        (panel as f64 + share) / panels as f64
    }
}
