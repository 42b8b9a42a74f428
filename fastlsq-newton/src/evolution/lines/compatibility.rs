//! Whether initial values agree with the conditions, and whether there are as many conditions as the equation takes.

use fastlsq_solve::space::line::LineSpace;

use super::form::LineProblem;
use crate::NewtonError;

/// A mismatch that is larger than this share of the terms is worth a remark.
const NOTABLE: f64 = 1e-7;

/// Conditions that the initial values contradict: where, and by how much.
pub(crate) fn remarks(
    problem: &LineProblem,
    space: &LineSpace,
    values: &[Vec<f64>],
    scales: &[f64],
) -> Result<Vec<String>, NewtonError> {
    let free = space.unjoined(values);
    let (lo, hi) = problem.interval;
    let length = hi - lo;
    let typical = |state: usize, d: usize| scales[state] / length.sqrt() / length.powi(d as i32);
    let mut remarks = Vec::new();
    if problem.periodic {
        for state in 0..problem.states.len() {
            for d in 0..problem.order {
                let jump = space.value(&free, state, d, lo) - space.value(&free, state, d, hi);
                // Derivatives of a resolved function are less certain than its values.
                if jump.abs() > NOTABLE * 100_f64.powi(d as i32) * typical(state, d) {
                    remarks.push(format!(
                        "the initial value is not periodic: its derivative of order {d} jumps by {:.3e} at x = {lo}",
                        -jump
                    ));
                    break;
                }
            }
        }
        return Ok(remarks);
    }
    let data = problem.data(problem.times.0)?;
    for ((end, condition), g) in problem.ends.iter().zip(&problem.conditions).zip(data) {
        let x = if end.upper { hi } else { lo };
        let (mut sum, mut size, mut order) = (-g, g.abs(), 0);
        for (state, own) in condition.coefficients.iter().enumerate() {
            for (d, b) in own.iter().enumerate().filter(|(_, b)| **b != 0.0) {
                sum += b * space.value(&free, state, d, x);
                size += (b * typical(state, d)).abs();
                order = order.max(d);
            }
        }
        if sum.abs() > NOTABLE * 100_f64.powi(order as i32) * size {
            let what = if end.is_velocity() {
                "the initial velocity"
            } else {
                "the initial value"
            };
            remarks.push(format!(
                "{what} contradicts the condition {} at x = {x}, t = {}: they differ by {:.3e}",
                end.label,
                problem.times.0,
                sum.abs()
            ));
        }
    }
    Ok(remarks)
}

/// How many conditions each end of the interval takes, where the energy argument tells.
///
/// For u_t = c ∂ᵐu + … the rate of ½‖u‖² has boundary terms that m conditions in all can control: m/2 at each end for
/// even m; for odd m = 2k + 1, k at each end and one more at the lower end if c(−1)ᵏ < 0, at the upper end otherwise. For
/// u_tt = c ∂ᵐu, m/2 at each end. Even orders need a sign, without which short waves grow without bound.
pub(crate) fn needed(
    order: usize,
    second_in_time: bool,
    leading: f64,
) -> Result<Option<[usize; 2]>, String> {
    let k = order / 2;
    let sign = if k.is_multiple_of(2) {
        leading
    } else {
        -leading
    };
    match (order % 2, second_in_time) {
        (0, _) if sign > 0.0 => Err(
            "short waves grow without bound: the equation runs backwards in time, or this axis is not time".to_owned(),
        ),
        (0, _) => Ok(Some([k, k])),
        (_, true) => Ok(None),
        (_, false) => Ok(Some(if sign < 0.0 { [k + 1, k] } else { [k, k + 1] })),
    }
}

#[cfg(test)]
mod tests {
    use super::needed;

    #[test]
    fn the_energy_argument_names_the_ends() {
        // u_t = −u_x, u_t = u_x, heat, u_t = −u_xxx, u_t = u_xxx, a plate and a beam.
        let cases = [
            (1, false, -1.0, [1, 0]),
            (1, false, 1.0, [0, 1]),
            (2, false, 1.0, [1, 1]),
            (3, false, -1.0, [1, 2]),
            (3, false, 1.0, [2, 1]),
            (4, false, -1.0, [2, 2]),
            (4, true, -1.0, [2, 2]),
        ];
        for (order, second, leading, expected) in cases {
            assert_eq!(needed(order, second, leading), Ok(Some(expected)));
        }
        // Heat backwards, and Laplace's equation in disguise.
        assert!(needed(2, false, -1.0).is_err() && needed(2, true, -1.0).is_err());
    }
}
