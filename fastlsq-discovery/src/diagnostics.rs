//! Doubts about data and dictionary, found before any law is believed.

use fastlsq_basis::MultiIndex;

use crate::dictionary::Dictionary;
use crate::regression::Regression;
use crate::regression::thin::{norm, solve};
use crate::rows::Rows;
use crate::verdict::Warning;
use crate::{DiscoveryError, FieldFit, Samples};

/// Terms that the others reproduce to this 1 − R² are named.
const INDEPENDENCE: f64 = 1e-5;

/// Groups of terms that are dependent on the data.
pub(crate) fn collinear_terms(regression: &Regression, library: &Dictionary) -> Vec<Warning> {
    let columns = regression.columns();
    let mut named = vec![false; columns.len()];
    let mut warnings = Vec::new();
    for k in 0..columns.len() {
        let square = norm(&columns[k]).powi(2);
        if named[k] || square == 0.0 {
            continue;
        }
        let others: Vec<usize> = (0..columns.len())
            .filter(|&j| j != k && norm(&columns[j]) > 0.0)
            .collect();
        let views: Vec<&[f64]> = others.iter().map(|&j| columns[j].as_slice()).collect();
        let solution = solve(&views, &columns[k]);
        let independence = solution.residual_square / square;
        if independence >= INDEPENDENCE {
            continue;
        }
        let mut group = vec![k];
        for (&j, c) in others.iter().zip(&solution.coefficients) {
            if c.abs() * norm(&columns[j]) > 0.05 * square.sqrt() {
                group.push(j);
            }
        }
        for &j in &group {
            named[j] = true;
        }
        warnings.push(Warning::Collinear {
            terms: group
                .iter()
                .map(|&j| library.terms()[j].name().to_owned())
                .collect(),
            independence,
        });
    }
    warnings
}

/// Whether u_τ = −v·∇u explains the field: then no other law can be told from pure transport.
pub(crate) fn travelling_wave(
    fit: &FieldFit,
    samples: &Samples,
    target: &MultiIndex,
    weights: &[f64],
    law_residual: f64,
) -> Result<Option<Warning>, DiscoveryError> {
    let dim = samples.dim();
    let Some(time) = target
        .orders()
        .iter()
        .position(|&n| n > 0)
        .filter(|_| dim > 1)
    else {
        return Ok(None);
    };
    let slope = |axis: usize| -> Result<Vec<f64>, DiscoveryError> {
        let values = fit.derivative(samples.points(), &MultiIndex::along(dim, axis, 1)?)?;
        Ok(values.iter().zip(weights).map(|(v, w)| v * w).collect())
    };
    let others = (0..dim)
        .filter(|&axis| axis != time)
        .map(slope)
        .collect::<Result<Vec<_>, _>>()?;
    let in_time = slope(time)?;
    let views: Vec<&[f64]> = others.iter().map(Vec::as_slice).collect();
    let solution = solve(&views, &in_time);
    let residual = solution.residual_square.sqrt() / norm(&in_time).max(f64::MIN_POSITIVE);
    let convincing = residual < 0.02 || (residual < 0.1 && residual < 1.5 * law_residual);
    Ok(convincing.then(|| Warning::TravellingWave {
        velocity: solution.coefficients.iter().map(|c| -c).collect(),
        residual,
    }))
}

/// Warnings about the fit itself.
pub(crate) fn doubtful_fit(
    fit: &FieldFit,
    samples: &Samples,
    relative_noise: f64,
) -> Option<Warning> {
    let dof = fit.degrees_of_freedom();
    (relative_noise > 1e-6 && dof > 0.5 * samples.len() as f64).then_some(Warning::Overfit {
        degrees_of_freedom: dof,
        samples: samples.len(),
    })
}

/// Whether every column of the rows vanishes.
pub(crate) fn all_vanish(rows: &Rows) -> bool {
    (0..rows.columns.ncols()).all(|k| rows.columns.col(k).norm_max() == 0.0)
}
