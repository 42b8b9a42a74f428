//! Conditions on means over space, as conditions at points: the mean is an integral of the unknowns.

use fastlsq_ops::{Coordinate, Expr, integral};
use ndarray::Array2;

use super::condition::{Condition, Left, Place};
use super::mistake::MistakeReason;
use super::statement::ProblemStatement;
use crate::domain::Domain;
use crate::patches::boxes_of;

/// The number of times at which a mean over space is asked for: fewer than in a table that is split for judging.
const MEAN_TIMES: usize = 24;

/// The most boxes that a mean is taken over.
const MEAN_BOXES: usize = 64;

impl ProblemStatement {
    /// The mean of an expression over the space of a box, or of a union of boxes.
    pub(super) fn mean_of(&self, expression: &Expr) -> Result<Expr, MistakeReason> {
        let bounds = self.domain.bounding_box()?;
        let volume = self.domain.volume()?;
        let one = vec![(bounds.lo().to_vec(), bounds.hi().to_vec())];
        let boxes = if (volume - bounds.volume()).abs() <= 1e-12 * volume {
            one
        } else {
            let found = boxes_of(self.domain.as_ref());
            let few = found.filter(|boxes| boxes.len() <= MEAN_BOXES);
            few.ok_or(MistakeReason::MeanOfShape)?
        };
        let axes = self.domain.coordinates().space_axes();
        let measure =
            |(lo, hi): &(Vec<f64>, Vec<f64>)| -> f64 { (0..axes).map(|k| hi[k] - lo[k]).product() };
        let whole: f64 = boxes.iter().map(measure).sum();
        let over = |own: &(Vec<f64>, Vec<f64>)| {
            let mut mean = match boxes.len() {
                1 => expression.clone(),
                _ => measure(own) / whole * expression.clone(),
            };
            for k in 0..axes {
                let (lo, hi) = (own.0[k], own.1[k]);
                mean = integral(mean, Coordinate::Axis(k), lo, hi) / (hi - lo);
            }
            mean
        };
        let mut each = boxes.iter().map(over);
        let first = each.next().ok_or(MistakeReason::MeanOfShape)?;
        Ok(each.fold(first, |sum, own| sum + own))
    }

    /// What the condition of a mean takes the mean of.
    pub(super) fn averaged(&self, condition: &Condition) -> Option<Expr> {
        match (&condition.place, &condition.left) {
            (Place::Mean, Left::Expression(left)) => Some(left.clone()),
            (Place::Mean, Left::OnlyUnknown(trace)) => match self.unknowns().as_slice() {
                [only] => Some(trace.of(*only)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Where a mean over space is asked for: at the middle of space, and at all times.
    pub(super) fn places_of_means(&self) -> Result<Array2<f64>, MistakeReason> {
        let bounds = self.domain.bounding_box()?;
        let (lo, hi) = (bounds.lo(), bounds.hi());
        let space = self.domain.coordinates();
        let times = if space.has_time() { MEAN_TIMES } else { 1 };
        let middle = |k: usize| 0.5 * lo[k] + 0.5 * hi[k];
        Ok(Array2::from_shape_fn((times, lo.len()), |(i, k)| {
            if space.has_time() && k + 1 == lo.len() {
                // Chebyshev points: no interpolation between them overshoots.
                let angle = std::f64::consts::PI * (i as f64 + 0.5) / times as f64;
                middle(k) - 0.5 * (hi[k] - lo[k]) * angle.cos()
            } else {
                middle(k)
            }
        }))
    }
}
