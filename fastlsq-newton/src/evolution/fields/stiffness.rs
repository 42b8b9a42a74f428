//! Whether steps are better explicit or implicit.

use super::space::{FieldSpace, MOST_DENSE};
use super::system::System;
use crate::evolution::ode::{Method, Ode};

/// Steps of the power iteration.
const ROUNDS: usize = 14;
/// Explicit steps are stable up to about this times the inverse of the largest eigenvalue.
const STABLE: f64 = 4.0;
/// Evaluations of the rate in one explicit step, continuous extension included.
const EVALUATIONS: f64 = 15.0;
/// What implicit steps take at high accuracy in a typical evolution: steps, evaluations of the rate in each, and the share of
/// steps with new factors.
const STEPS: f64 = 60.0;
const IMPLICIT_EVALUATIONS: f64 = 35.0;
const NEW_FACTORS: f64 = 0.5;
/// Operations of one factorisation, real and three complex ones, over the cube of the size.
const FACTORS: f64 = 9.0;
/// Operations of the equations at one node.
const PER_NODE: f64 = 400.0;

/// The largest eigenvalue of ∂f/∂y, nearly, by powers applied to differences of rates.
fn radius(system: &System<'_>, t: f64, y: &[f64]) -> f64 {
    let dim = y.len();
    let mut base = vec![0.0; dim];
    system.rate(t, y, &mut base);
    let length = |x: &[f64]| x.iter().map(|v| v * v).sum::<f64>().sqrt();
    let step = 1e-6 * length(y).max(1e-3);
    // Some of everything, most of it of high degree.
    let mut direction: Vec<f64> = (0..dim)
        .map(|k| (1.0 + 12.9898 * k as f64).sin() * (1.0 + k as f64).sqrt())
        .collect();
    let mut radius = 0.0;
    for _ in 0..ROUNDS {
        let norm = length(&direction);
        if norm == 0.0 || !norm.is_finite() {
            break;
        }
        let scale = step / norm;
        let ahead: Vec<f64> = y
            .iter()
            .zip(&direction)
            .map(|(y, d)| y + scale * d)
            .collect();
        let mut rate = vec![0.0; dim];
        system.rate(t, &ahead, &mut rate);
        for (rate, base) in rate.iter_mut().zip(&base) {
            *rate -= base;
        }
        radius = length(&rate) / step;
        direction = rate;
    }
    radius
}

/// Operations of one evaluation of the rate, to leading order.
fn rate_cost(system: &System<'_>) -> f64 {
    let form = &system.problem.form;
    let nodes = system.space.weights().len() as f64;
    let transforms = (form.samples.len() + form.states.len()) as f64;
    let each = match &*system.space {
        FieldSpace::Product(space) => {
            let widest = space.axes().iter().map(|axis| axis.count()).max();
            2.0 * nodes * form.dim as f64 * widest.unwrap_or(1) as f64
        }
        FieldSpace::Dense(_) => 2.0 * nodes * system.space.dim() as f64 / form.states.len() as f64,
    };
    transforms * each + PER_NODE * nodes
}

/// The kind of steps that takes less work from here to the end, as far as can be told beforehand, and the longest of them.
///
/// Explicit steps are bounded by the largest eigenvalue, implicit ones by the matrix that they take. An explicit step at the
/// bound of its stability would fill the highest functions with errors of the size of the tolerance, which would be taken for
/// lack of resolution; so steps stay below that bound.
pub(crate) fn choose(system: &System<'_>, t: f64, y: &[f64]) -> (Method, f64) {
    let dim = y.len();
    let separable = system.is_separable(t, y);
    let left = system.problem.form.times.1 - t;
    let rate = rate_cost(system);
    let longest = STABLE / radius(system, t, y).max(f64::MIN_POSITIVE);
    let explicit = (left / longest).max(STEPS) * EVALUATIONS * rate;
    let factors = if separable {
        rate
    } else {
        FACTORS * (dim as f64).powi(3)
    };
    let implicit = STEPS * (IMPLICIT_EVALUATIONS * rate + NEW_FACTORS * factors);
    let possible = separable || dim <= MOST_DENSE;
    if possible && !(explicit.is_finite() && explicit <= implicit) {
        (Method::Implicit, f64::INFINITY)
    } else {
        (Method::Explicit, longest)
    }
}
