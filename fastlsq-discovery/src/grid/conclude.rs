//! The answer of the rows as the law of a grid, and refitted laws in its place.

use super::law::GridLaw;
use super::library::GridLibrary;
use super::options::GridOptions;
use super::refit::SystemFit;
use super::term::GridTerm;
use crate::DiscoveryError;
use crate::evidence::{Judged, Moments, Question, answer};
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
    let mut found = answer(&question, blocks, judged)?;
    let doubted = found.warnings.iter_mut().filter_map(|w| match w {
        Warning::Rival { law, .. } => Some(law),
        _ => None,
    });
    for text in found.rivals.iter_mut().map(|(law, _)| law).chain(doubted) {
        *text = library.unquoted(text);
    }
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
        law.status = if !law.terms.iter().any(LawTerm::has_sign) {
            law.warnings.push(Warning::OnlyNoise);
            Status::NotExplained
        } else if law.warnings.is_empty() && law.terms.iter().all(LawTerm::is_steady) {
            Status::Explained
        } else {
            Status::Ambiguous
        };
    }
}

/// Names what follows from u_t = −v·∇u: the data do not tell this law from others that let the same wave travel.
pub(crate) fn doubt_transport(law: &mut GridLaw, target: &GridTerm) {
    if law.status == Status::NotExplained {
        return;
    }
    if let Some(velocity) = velocity(law, target) {
        law.warnings.push(Warning::TravellingWave {
            velocity,
            residual: law.unexplained,
        });
        law.status = Status::Ambiguous;
    }
}

/// The velocity along each axis but that of the target, if the law is transport and nothing else.
fn velocity(law: &GridLaw, target: &GridTerm) -> Option<Vec<f64>> {
    let slope = |term: &GridTerm| {
        let (field, outer) = term.linear()?;
        let axis = outer.iter().position(|&n| n > 0)?;
        (outer.iter().sum::<u32>() == 1).then_some((field, axis))
    };
    let (field, time) = slope(target)?;
    let mut velocity = vec![0.0; law.library.axes().len()];
    for term in &law.terms {
        let (own, axis) = slope(&law.library.terms()[term.index])?;
        if own != field {
            return None;
        }
        velocity[axis] = -term.coefficient;
    }
    velocity.remove(time);
    Some(velocity)
}
