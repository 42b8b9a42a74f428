//! Where the parameter turns back.

use super::BranchPoint;
use super::follow::Follower;
use super::scale::Scale;
use crate::NewtonError;

/// How many times the search for a fold is narrowed.
const FOLD_STEPS: usize = 12;

impl Follower<'_> {
    /// The turning point among three points in a row: the extremum of p, by parabolas.
    pub(super) fn fold(
        &self,
        among: [&BranchPoint; 3],
        scale: &Scale,
    ) -> Result<BranchPoint, NewtonError> {
        let mut three = among.map(BranchPoint::clone);
        let sign = (three[1].parameter - three[0].parameter).signum();
        for _ in 0..FOLD_STEPS {
            let (towards, chord) = scale.direction(&three[0], &three[2]);
            // The share of the chord at which each point stands.
            let share = |point: &BranchPoint| {
                let (direction, length) = scale.direction(&three[0], point);
                scale.cosine(&direction, &towards) * length / chord
            };
            let middle = share(&three[1]);
            let Some(top) = vertex([0.0, middle, 1.0], [0, 1, 2].map(|k| three[k].parameter))
            else {
                break;
            };
            if (top - middle).abs() < 1e-7 {
                break;
            }
            let Some(found) = self.correct(&three[0], &three[2], top, scale)? else {
                break;
            };
            let [a, b, c] = three;
            // The extremum lies between the neighbours of the best of the four.
            let better = sign * (found.parameter - b.parameter) > 0.0;
            three = match (top < middle, better) {
                (true, true) => [a, found, b],
                (true, false) => [found, b, c],
                (false, true) => [b, found, c],
                (false, false) => [a, b, found],
            };
        }
        let [_, fold, _] = three;
        Ok(fold)
    }
}

/// The abscissa of the vertex of the parabola through three points, if it lies among them.
fn vertex([a, b, c]: [f64; 3], p: [f64; 3]) -> Option<f64> {
    let (left, right) = ((p[1] - p[0]) / (b - a), (p[2] - p[1]) / (c - b));
    let curvature = (right - left) / (c - a);
    let top = 0.5 * (a + b) - 0.5 * left / curvature;
    (top.is_finite() && top > a && top < c).then_some(top)
}
