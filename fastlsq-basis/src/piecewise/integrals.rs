//! Integrals along axes of functions that are known piece by piece: the sum of what each box contributes.

use faer::Mat;
use ndarray::ArrayView2;

use super::{PiecewiseBasis, chain_factor};
use crate::basis::Basis;
use crate::form::{Action, AxisIntegral, Form, UpperLimit};
use crate::{BasisError, InputMap};

/// How far outside a box a point may lie, in half-widths of the box.
const SLACK: f64 = 1e-9;

impl PiecewiseBasis {
    /// Adds c (∫…∫ D^α φ)(x) of every feature to a row.
    pub(super) fn add_integral(
        &self,
        point: &[f64],
        action: &Action,
        c: f64,
        mut add: impl FnMut(usize, f64),
    ) -> Result<(), BasisError> {
        let count = self.local.len();
        for (index, map) in self.boxes.iter().enumerate() {
            let Some((own, at, factor)) = self.within(map, point, action) else {
                continue;
            };
            let at =
                ArrayView2::from_shape((1, at.len()), &at).map_err(|_| BasisError::Outside {
                    point: point.to_vec(),
                })?;
            let mut row = Mat::zeros(1, count);
            self.local
                .write_rows(at, &Form::action(&own), row.as_mut())?;
            for j in 0..count {
                add(index * count + j, c * factor * row[(0, j)]);
            }
        }
        Ok(())
    }

    /// The part of the integrals that lies in a box, in its coordinates: the action, the point, and the factor h^{−α}
    /// times the half-widths along the integrals. `None` if there is none.
    fn within(
        &self,
        map: &InputMap,
        point: &[f64],
        action: &Action,
    ) -> Option<(Action, Vec<f64>, f64)> {
        let mut factor = chain_factor(map, action);
        let mut integrals = Vec::with_capacity(action.integrals.len());
        let mut at = Vec::with_capacity(point.len());
        for (axis, &x) in point.iter().enumerate() {
            let local = map.apply(axis, x);
            let Some(integral) = action.integrals.iter().find(|own| own.axis == axis) else {
                // Each point belongs to the box below it, but for the lowest ones.
                let first = self.boxes.iter().all(|other| {
                    let low = |own: &InputMap| own.center()[axis] - own.half()[axis];
                    low(map) <= low(other)
                });
                let above = local > -1.0 || (first && local >= -1.0 - SLACK);
                if !(above && local <= 1.0 + SLACK) {
                    return None;
                }
                at.push(local.clamp(-1.0, 1.0));
                continue;
            };
            let to = match integral.to {
                UpperLimit::Coordinate => x,
                UpperLimit::Fixed(to) => to,
            };
            let clip = |end: f64| map.apply(axis, end).clamp(-1.0, 1.0);
            let (from, to) = (clip(integral.from), clip(to));
            if from == to {
                return None;
            }
            factor *= map.half()[axis];
            integrals.push(AxisIntegral {
                axis,
                from,
                to: UpperLimit::Fixed(to),
            });
            at.push(0.0);
        }
        let own = Action {
            derivative: action.derivative.clone(),
            integrals,
            multiplier: None,
        };
        Some((own, at, factor))
    }
}
