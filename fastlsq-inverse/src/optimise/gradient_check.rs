//! A gradient against differences of the value.

use super::error::OptimiseError;
use super::objective::Objective;

/// How well a gradient agrees with differences.
#[derive(Clone, Debug, PartialEq)]
pub struct GradientCheck {
    /// max |g − differences| / max |differences| over the components (absolute where all
    /// differences vanish).
    pub relative_error: f64,
    /// The component that is worst.
    pub worst: usize,
    /// The gradient by differences.
    pub differences: Vec<f64>,
}

/// Compares the gradient at x with fourth-order central differences of the value (four
/// evaluations a component, step ε^{1/5} max(1, |xᵢ|)). The points may leave any box around x.
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
    let mut point = x.to_vec();
    let mut ignored = vec![0.0; x.len()];
    let mut differences = Vec::with_capacity(x.len());
    for (i, &centre) in x.iter().enumerate() {
        let step = f64::EPSILON.powf(0.2) * centre.abs().max(1.0);
        let mut value = |offset: f64| {
            point[i] = centre + offset;
            let value = objective
                .value_and_gradient(&point, &mut ignored)
                .map_err(|source| OptimiseError::Evaluation {
                    point: point[..].into(),
                    source,
                });
            point[i] = centre;
            value
        };
        let near = value(step)? - value(-step)?;
        let far = value(2.0 * step)? - value(-2.0 * step)?;
        differences.push((8.0 * near - far) / (12.0 * step));
    }
    let mut gradient = ignored;
    objective
        .value_and_gradient(x, &mut gradient)
        .map_err(|source| OptimiseError::Evaluation {
            point: x.into(),
            source,
        })?;

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
    })
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
        assert!(check_gradient(&objective, &[0.0]).is_err());
    }
}
