//! The answer of the rows as the law of a grid, and refitted laws in its place.

use super::law::GridLaw;
use super::library::GridLibrary;
use super::options::GridOptions;
use super::refit::SystemFit;
use crate::DiscoveryError;
use crate::evidence::{Judged, Moments, Question, answer, is_steady};
use crate::verdict::{Status, Warning};
use crate::written::LawTerm;

pub(crate) fn conclude(
    library: &GridLibrary,
    target: &str,
    blocks: &[Moments],
    judged: &[Judged],
    options: &GridOptions,
) -> Result<GridLaw, DiscoveryError> {
    let question = Question {
        left: library.expression(target),
        terms: library.len(),
        entry: &|place| library.entry(place),
        largest: options.largest,
        replicates: options.replicates,
        seed: options.seed,
        control: &options.control,
    };
    let found = answer(&question, blocks, judged)?;
    Ok(GridLaw {
        target: target.to_owned(),
        status: found.status,
        terms: found.terms,
        unexplained: found.unexplained,
        reduced_residual: found.reduced,
        windows: found.rows as usize,
        frequencies: found.frequencies,
        rivals: found.rivals,
        warnings: found.warnings,
        library: library.clone(),
    })
}

/// Puts the refitted laws in the place of those of the rows.
pub(crate) fn take_refit(laws: &mut [GridLaw], fit: &SystemFit, library: &GridLibrary) {
    for (place, law) in laws.iter_mut().enumerate() {
        law.terms = fit.laws[place]
            .iter()
            .map(|&(index, coefficient, deviation)| {
                let inclusion = fit.inclusion[place][index];
                let estimate = (coefficient, deviation);
                LawTerm::estimated(library.entry(index), estimate, inclusion).bounded(deviation)
            })
            .collect();
        law.reduced_residual = fit.reduced;
        law.frequencies.clone_from(&fit.inclusion[place]);
        law.rivals.clear();
        // Solutions follow the samples: doubts of the rows about misfit and rivals are settled.
        law.warnings
            .retain(|w| matches!(w, Warning::Collinear { .. }));
        let steady = law.terms.iter().all(is_steady);
        law.status = match steady && law.warnings.is_empty() && !law.terms.is_empty() {
            true => Status::Explained,
            false => Status::Ambiguous,
        };
    }
}
