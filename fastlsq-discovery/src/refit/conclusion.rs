//! What a converged law is worth: bounds, criterion, and what other terms promise.

use faer::Mat;
use fastlsq_solve::lsq::Factorisation;

use super::engine::{EvaluatedLaw, Iterate};
use super::gauss_newton::Unknown;
use super::{LawFit, LawFitter};
use crate::DiscoveryError;
use crate::regression::multiplicity;
use crate::samples::rms;

impl LawFitter<'_> {
    /// σ times the square roots of the diagonal of (JᵀJ)⁻¹ that belongs to the coefficients.
    fn coefficient_deviations(
        &self,
        terms: usize,
        factored: &Factorisation,
        noise: f64,
    ) -> Result<Vec<f64>, DiscoveryError> {
        let r = self.singular.len();
        let unit = Mat::from_fn(r + terms, terms, |i, k| if i == r + k { 1.0 } else { 0.0 });
        let adjoint = factored.adjoint(unit.as_ref())?;
        Ok((0..terms)
            .map(|k| noise * adjoint.col(k).norm_l2())
            .collect())
    }

    /// Everything that is reported about a law.
    pub(super) fn conclude(
        &self,
        support: &[usize],
        at: &Iterate,
        weight: f64,
        steps: usize,
        enforced: bool,
    ) -> Result<Option<LawFit>, DiscoveryError> {
        let Some(system) = self.linearise(support, at, weight, Unknown::Both, true)? else {
            return Ok(None);
        };
        let Some(EvaluatedLaw {
            residual, columns, ..
        }) = self.residual(support, at)
        else {
            return Ok(None);
        };
        let (r, m, n) = (self.singular.len(), residual.len(), self.samples as f64);
        // Free initial and boundary data: trace of the map from data to fitted values at fixed
        // coefficients. Every coefficient then counts as one, however little it moves the field.
        let Some(field_only) = self.linearise(support, at, weight, Unknown::Field, true)? else {
            return Ok(None);
        };
        let unit = Mat::from_fn(r, r, |i, k| if i == k { self.singular[k] } else { 0.0 });
        let adjoint = field_only.factored.adjoint(unit.as_ref())?;
        let free: f64 = (0..r).map(|k| adjoint.col(k).squared_norm_l2()).sum();
        let dof = free + support.len() as f64;
        let rss = self.misfit(&at.field);
        let noise = (rss / (n - dof).max(1.0)).sqrt();
        // What every absent term promises: its column, freed from the columns already there.
        let absent: Vec<usize> = (0..self.library.len())
            .filter(|k| !support.contains(k))
            .collect();
        let extra = Mat::from_fn(r + m, absent.len(), |i, k| {
            if i < r {
                0.0
            } else {
                -weight * columns[(i - r, absent[k])]
            }
        });
        let mut promises = Vec::new();
        if !absent.is_empty() {
            let free = &extra - &system.matrix * system.factored.solve(extra.as_ref())?;
            let left = &system.rhs - &system.matrix * system.factored.solution();
            for (k, &term) in absent.iter().enumerate() {
                let square = free.col(k).squared_norm_l2();
                let product = free.col(k).transpose() * left.col(0);
                let fall = if square > 1e-20 * extra.col(k).squared_norm_l2() {
                    product * product / square
                } else {
                    0.0
                };
                promises.push((term, fall / (noise * noise)));
            }
            promises.sort_by(|a, b| b.1.total_cmp(&a.1));
        }
        Ok(Some(LawFit {
            support: support.to_vec(),
            coefficients: at.coefficients.clone(),
            deviations: self.coefficient_deviations(support.len(), &system.factored, noise)?,
            residual_square: rss,
            degrees_of_freedom: dof,
            criterion: n * (rss / n).max(f64::MIN_POSITIVE).ln()
                + n.ln() * dof
                + multiplicity(self.library.len(), support.len()),
            equation_residual: rms(&residual) / self.target_scale,
            steps,
            enforced,
            unrest: f64::INFINITY,
            field: at.field.clone(),
            promises,
        }))
    }
}
