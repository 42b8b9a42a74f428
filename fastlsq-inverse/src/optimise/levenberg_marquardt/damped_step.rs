//! The damped least-squares step in a box:
//! minimise ½‖J s + r‖² + ½‖Λ s‖² over lower ≤ s ≤ upper, with Λ diagonal and positive.
//!
//! A primal active-set method: solve for the free components; if that leaves the box, go as far as
//! allowed and fix what blocks; otherwise free the fixed component that pulls inwards hardest. The
//! objective is strictly convex, so in exact arithmetic no set repeats.

use super::householder::{Columns, least_squares};
use crate::optimise::vector::{add_scaled, dot};

/// J (as columns), r, Λ and the box of the step; 0 lies in the box.
#[derive(Debug)]
pub(super) struct DampedStep<'a> {
    pub(super) jacobian: &'a Columns,
    pub(super) residuals: &'a [f64],
    pub(super) damping: &'a [f64],
    pub(super) lower: &'a [f64],
    pub(super) upper: &'a [f64],
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Free,
    Lower,
    Upper,
}

impl DampedStep<'_> {
    /// The minimising step.
    pub(super) fn solve(&self) -> Vec<f64> {
        let n = self.jacobian.len();
        let mut step = vec![0.0; n];
        let pull = self.gradient(&step);
        let mut places: Vec<Place> = (0..n)
            .map(|k| match (self.lower[k] == 0.0, self.upper[k] == 0.0) {
                (true, _) if pull[k] >= 0.0 => Place::Lower,
                (_, true) if pull[k] <= 0.0 => Place::Upper,
                _ => Place::Free,
            })
            .collect();
        // Rounding could make sets repeat; every intermediate step is feasible and no worse.
        for _ in 0..10 * (n + 1) {
            let target = self.solve_free(&step, &places);
            let (fraction, blocking) = self.first_block(&step, &target, &places);
            for ((s, t), place) in step.iter_mut().zip(&target).zip(&places) {
                if *place == Place::Free {
                    *s = if blocking.is_none() {
                        *t
                    } else {
                        *s + fraction * (t - *s)
                    };
                }
            }
            if let Some((k, place)) = blocking {
                places[k] = place;
                step[k] = if place == Place::Lower {
                    self.lower[k]
                } else {
                    self.upper[k]
                };
            } else if let Some(k) = self.pulling_inwards(&step, &places) {
                places[k] = Place::Free;
            } else {
                break;
            }
        }
        step
    }

    /// ∇ = Jᵀ(J s + r) + Λ² s.
    fn gradient(&self, step: &[f64]) -> Vec<f64> {
        let mut misfit = self.residuals.to_vec();
        for (column, s) in self.jacobian.iter().zip(step) {
            add_scaled(&mut misfit, *s, column);
        }
        self.jacobian
            .iter()
            .zip(self.damping.iter().zip(step))
            .map(|(column, (lambda, s))| dot(column, &misfit) + lambda * lambda * s)
            .collect()
    }

    /// The minimiser over the free components, the others staying where they are.
    fn solve_free(&self, step: &[f64], places: &[Place]) -> Vec<f64> {
        let free: Vec<usize> = places
            .iter()
            .enumerate()
            .filter(|(_, p)| **p == Place::Free)
            .map(|(k, _)| k)
            .collect();
        let mut rhs: Vec<f64> = self.residuals.iter().map(|r| -r).collect();
        for (k, place) in places.iter().enumerate() {
            if *place != Place::Free {
                add_scaled(&mut rhs, -step[k], &self.jacobian[k]);
            }
        }
        rhs.resize(rhs.len() + free.len(), 0.0);
        let rows = self.residuals.len();
        let columns = free
            .iter()
            .enumerate()
            .map(|(position, &k)| {
                let mut column = self.jacobian[k].clone();
                column.resize(rows + free.len(), 0.0);
                column[rows + position] = self.damping[k];
                column
            })
            .collect();
        let mut target = step.to_vec();
        for (&k, value) in free.iter().zip(least_squares(columns, rhs)) {
            target[k] = value;
        }
        target
    }

    /// How far one can go from `step` to `target`, and the component that is first to leave.
    fn first_block(
        &self,
        step: &[f64],
        target: &[f64],
        places: &[Place],
    ) -> (f64, Option<(usize, Place)>) {
        let mut first = (1.0, None);
        for (k, place) in places.iter().enumerate() {
            let (s, t) = (step[k], target[k]);
            let (side, blocked) = if t < self.lower[k] {
                (self.lower[k], Place::Lower)
            } else if t > self.upper[k] {
                (self.upper[k], Place::Upper)
            } else {
                continue;
            };
            let fraction = ((side - s) / (t - s)).clamp(0.0, 1.0);
            if *place == Place::Free && (fraction < first.0 || first.1.is_none()) {
                first = (fraction, Some((k, blocked)));
            }
        }
        first
    }

    /// The fixed component whose release would decrease the objective fastest.
    fn pulling_inwards(&self, step: &[f64], places: &[Place]) -> Option<usize> {
        let gradient = self.gradient(step);
        let inwards = |k: usize| match places[k] {
            Place::Lower if self.lower[k] < self.upper[k] => -gradient[k],
            Place::Upper if self.lower[k] < self.upper[k] => gradient[k],
            Place::Free | Place::Lower | Place::Upper => 0.0,
        };
        let scale = dot(self.residuals, self.residuals).sqrt();
        (0..places.len())
            .filter(|&k| {
                let column = dot(&self.jacobian[k], &self.jacobian[k]).sqrt() + self.damping[k];
                inwards(k) > 1e-14 * column * scale
            })
            .max_by(|&a, &b| inwards(a).total_cmp(&inwards(b)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The step is feasible and satisfies the optimality conditions of the box.
        #[test]
        fn steps_satisfy_the_optimality_conditions(
            n in 1_usize..7,
            entries in prop::collection::vec(-1.0..1.0_f64, 8 * 9 + 8),
            sides in prop::collection::vec((-0.3..0.1_f64, -0.1..0.3_f64), 7),
            damping in 1e-4..1.0_f64,
        ) {
            let (matrix, residuals) = entries.split_at(8 * 9);
            let jacobian: Columns = matrix.chunks_exact(8).take(n).map(<[f64]>::to_vec).collect();
            let lower: Vec<f64> = sides[..n].iter().map(|s| s.0.min(0.0)).collect();
            let upper: Vec<f64> = sides[..n].iter().map(|s| s.1.max(0.0)).collect();
            let damping = vec![damping; n];
            let problem = DampedStep {
                jacobian: &jacobian,
                residuals: &residuals[..8],
                damping: &damping,
                lower: &lower,
                upper: &upper,
            };
            let step = problem.solve();
            let gradient = problem.gradient(&step);
            for k in 0..n {
                prop_assert!(lower[k] <= step[k] && step[k] <= upper[k]);
                let tolerance = 1e-11;
                if step[k] > lower[k] {
                    prop_assert!(gradient[k] < tolerance, "{gradient:?} {step:?}");
                }
                if step[k] < upper[k] {
                    prop_assert!(gradient[k] > -tolerance, "{gradient:?} {step:?}");
                }
            }
        }
    }
}
