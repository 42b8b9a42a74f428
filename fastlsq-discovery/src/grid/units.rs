//! Whether the units of fields and axes let every term be written as a number.

use super::library::GridLibrary;
use super::samples::Trajectory;
use super::term::{GridTerm, Inside, Part};
use crate::DiscoveryError;

/// Sizes of terms lie between 10 to minus this power and 10 to this power: their squares are summed.
pub(crate) const MOST_DECADES: f64 = 130.0;

/// Refuses terms whose size overflows or vanishes, and names the field or axis whose unit is to blame.
pub(crate) fn check_units(
    library: &GridLibrary,
    terms: &[&GridTerm],
    run: &Trajectory,
) -> Result<(), DiscoveryError> {
    let fields: Vec<f64> = run.values.iter().map(|v| largest(v).log10()).collect();
    let steps: Vec<f64> = run.axes.iter().map(|axis| axis.step.log10()).collect();
    for term in terms {
        for part in &term.parts {
            let (orders, powers) = exponents(part, steps.len(), fields.len());
            let of_axes = steps.iter().zip(&orders).map(|(s, n)| -s * f64::from(*n));
            let of_fields = fields.iter().zip(&powers).map(|(f, n)| f * f64::from(*n));
            let decades: Vec<f64> = of_axes.chain(of_fields).collect();
            let whole: f64 = decades.iter().sum();
            if whole.abs() <= MOST_DECADES {
                continue;
            }
            let worst = (0..decades.len())
                .max_by(|&a, &b| decades[a].abs().total_cmp(&decades[b].abs()))
                .unwrap_or(0);
            let (culprit, size) = match worst.checked_sub(steps.len()) {
                Some(field) => (format!("field {}", library.fields()[field]), fields[field]),
                None => (format!("axis {}", library.axes()[worst]), steps[worst]),
            };
            return Err(DiscoveryError::Units {
                term: term.name.clone(),
                decades: whole,
                culprit,
                size: 10f64.powf(size),
            });
        }
    }
    Ok(())
}

/// Orders of all derivatives of a part, and powers of the fields; functions are taken as they are.
fn exponents(part: &Part, axes: usize, fields: usize) -> (Vec<u32>, Vec<u32>) {
    let mut orders = part.outer.clone();
    orders.resize(axes, 0);
    let mut powers = vec![0; fields];
    if let Inside::Product(factors) = &part.inside {
        for factor in factors {
            powers[factor.field] += factor.power;
            for (order, n) in orders.iter_mut().zip(&factor.inner) {
                *order += n * factor.power;
            }
        }
    }
    (orders, powers)
}

fn largest(values: &[f64]) -> f64 {
    let known = values.iter().filter(|v| v.is_finite());
    known.fold(0.0_f64, |most, v| most.max(v.abs()))
}
