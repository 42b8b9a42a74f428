//! A gradient against differences of the value.

use super::error::OptimiseError;
use super::objective::Objective;

/// How well a gradient agrees with differences.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GradientCheck {
    /// max |g − differences| / max |differences| over the components (absolute where all
    /// differences vanish).
    pub relative_error: f64,
    /// The component that is worst.
    pub worst: usize,
    /// The gradient by differences.
    pub differences: Vec<f64>,
    /// How far the differences themselves may be off, in the units of `relative_error`: a gradient
    /// cannot be tested more sharply than this.
    pub uncertainty: f64,
}

/// The widest step of the differences, in units of max(1, |xᵢ|).
const WIDEST_STEP: f64 = 4e-3;
/// How often the step is halved, and one more than that the columns of the extrapolation.
const HALVINGS: usize = 4;

/// Compares the gradient at x with differences of the value, extrapolated to step zero. The points
/// may leave any box around x.
///
/// Central differences D(h) = f′ + c₂h² + c₄h⁴ + … at five steps from 0.004 max(1, |xᵢ|) downwards,
/// each half of the one before, are combined by Richardson's extrapolation. Long steps suffer from
/// truncation and short ones from rounding, so of all combinations the one that agrees best with its
/// two predecessors is taken (Ridders), and that agreement, with the rounding of the values, is its
/// [uncertainty](GradientCheck::uncertainty). Ten evaluations per component.
///
/// Expect about 1e-10 for a smooth objective of moderate size, and a number near 1 for a wrong
/// gradient.
pub fn check_gradient<O: Objective + ?Sized>(
    objective: &O,
    x: &[f64],
) -> Result<GradientCheck, OptimiseError> {
    let (expected, found) = (objective.dimension(), x.len());
    if expected != found {
        return Err(OptimiseError::Length {
            what: "parameter vector",
            expected,
            found,
        });
    }
    let mut gradient = vec![0.0; x.len()];
    let evaluate = |point: &[f64], gradient: &mut [f64]| {
        objective
            .value_and_gradient(point, gradient)
            .map_err(|source| OptimiseError::Evaluation {
                point: point.into(),
                source,
            })
    };
    let mut point = x.to_vec();
    let mut differences = Vec::with_capacity(x.len());
    let mut uncertainty = 0.0_f64;
    for (i, &centre) in x.iter().enumerate() {
        let widest = WIDEST_STEP * centre.abs().max(1.0);
        let mut central = |step: f64| {
            point[i] = centre + step;
            let above = evaluate(&point, &mut gradient);
            point[i] = centre - step;
            let below = evaluate(&point, &mut gradient);
            point[i] = centre;
            let (above, below) = (above?, below?);
            Ok(Central {
                slope: (above - below) / (2.0 * step),
                rounding: f64::EPSILON * above.abs().max(below.abs()) / step,
            })
        };
        let (slope, error) = extrapolate(widest, &mut central)?;
        differences.push(slope);
        uncertainty = uncertainty.max(error);
    }
    evaluate(x, &mut gradient)?;

    let scale = differences
        .iter()
        .fold(0.0, |scale: f64, d| scale.max(d.abs()));
    let scale = if scale > 0.0 { scale } else { 1.0 };
    let mut worst = (0, 0.0);
    for (i, (g, d)) in gradient.iter().zip(&differences).enumerate() {
        let error = (g - d).abs() / scale;
        if error > worst.1 || error.is_nan() {
            worst = (i, error);
        }
    }
    Ok(GradientCheck {
        relative_error: worst.1,
        worst: worst.0,
        differences,
        uncertainty: uncertainty / scale,
    })
}

/// A central difference and what rounding of the values adds to it.
struct Central {
    slope: f64,
    rounding: f64,
}

/// Richardson's table of central differences: its most reliable entry, and how far that entry is
/// from its predecessors.
fn extrapolate(
    widest: f64,
    central: &mut dyn FnMut(f64) -> Result<Central, OptimiseError>,
) -> Result<(f64, f64), OptimiseError> {
    let mut step = widest;
    let first = central(step)?.slope;
    let mut previous = vec![first];
    let mut best = (first, f64::INFINITY);
    for _ in 0..HALVINGS {
        step *= 0.5;
        let Central { slope, rounding } = central(step)?;
        let mut row = vec![slope];
        let mut power = 1.0;
        for (column, coarse) in previous.iter().enumerate() {
            // One more term c h^(2(column + 1)) falls away.
            power *= 4.0;
            let fine = row[column];
            let entry = (power * fine - coarse) / (power - 1.0);
            let error = (entry - fine).abs().max((entry - coarse).abs()) + rounding;
            if error < best.1 {
                best = (entry, error);
            }
            row.push(entry);
        }
        previous = row;
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimise::FnObjective;

    #[test]
    fn a_wrong_component_is_found() {
        let objective = FnObjective::new(3, |x: &[f64], g: &mut [f64]| {
            g.copy_from_slice(&[x[0].cos(), 2.0 * x[1], 3.5 * x[2] * x[2]]);
            x[0].sin() + x[1] * x[1] + x[2].powi(3)
        });
        let check = check_gradient(&objective, &[0.3, -1.0, 2.0]).unwrap();
        assert_eq!(check.worst, 2);
        assert!((check.relative_error - 2.0 / 12.0).abs() < 1e-9);
        assert!((check.differences[0] - 0.3_f64.cos()).abs() < 1e-11);
        assert!(check.uncertainty < 1e-9);
        assert!(check_gradient(&objective, &[0.0]).is_err());
    }

    /// The uncertainty bounds the true error of the differences where derivatives of high order are
    /// large beside the first, near a stationary point.
    #[test]
    fn the_uncertainty_bounds_the_error() {
        for frequency in [1.0, 30.0, 200.0, 2000.0] {
            for phase in [0.0, 0.7, 1.57] {
                let objective = FnObjective::new(1, move |x: &[f64], g: &mut [f64]| {
                    let z = frequency * x[0] + phase;
                    g[0] = frequency * z.cos();
                    z.sin()
                });
                let check = check_gradient(&objective, &[0.0]).unwrap();
                assert!(
                    check.relative_error <= check.uncertainty,
                    "{frequency} {phase}: {check:?}"
                );
            }
        }
    }

    #[test]
    fn an_undefined_neighbour_makes_the_check_undefined_not_good() {
        let objective = FnObjective::new(1, |x: &[f64], g: &mut [f64]| {
            g[0] = 0.5 / x[0].sqrt();
            x[0].sqrt()
        });
        let check = check_gradient(&objective, &[1e-5]).unwrap();
        assert!(!(check.relative_error < 1e-6 && check.uncertainty < 1e-6));
    }
}
