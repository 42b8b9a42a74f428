//! Which law: a stepwise search over supports, judged by the likelihood.

use fastlsq_solve::{Control, Stage};

use super::{LawFit, LawFitter};
use crate::DiscoveryError;

/// Fits the proposed supports, then adds and drops terms while the information criterion falls. The laws
/// are returned best first.
///
/// Terms to add are taken in the order of what the linearised likelihood promises.
pub(super) fn explore(
    fitter: &LawFitter<'_>,
    proposals: &[Vec<usize>],
    most: usize,
    largest: usize,
    singles: bool,
    control: &Control,
) -> Result<Vec<LawFit>, DiscoveryError> {
    let mut walk = Walk {
        fitter,
        laws: Vec::new(),
        tried: Vec::new(),
        most,
        control,
    };
    for support in proposals {
        walk.try_law(support, None)?;
    }
    if singles {
        for k in 0..fitter.library().len() {
            walk.try_law(&[k], None)?;
        }
    }
    let mut finished: Vec<Vec<usize>> = Vec::new();
    // The search goes on from the best law whose neighbours are unknown, among the three best: no law is finished twice,
    // and no more than `most` are tried.
    loop {
        walk.laws
            .sort_by(|a, b| a.criterion.total_cmp(&b.criterion));
        let next = walk
            .laws
            .iter()
            .take(2)
            .find(|law| !finished.contains(&law.support))
            .cloned();
        let Some(law) = next.filter(|_| walk.tried.len() < most && !control.is_over()) else {
            break;
        };
        finished.push(law.support.clone());
        for place in 0..law.support.len() {
            let mut fewer = law.support.clone();
            fewer.remove(place);
            if !fewer.is_empty() {
                walk.try_law(&fewer, Some(&law))?;
            }
        }
        if law.support.len() < largest {
            let needed = 0.3 * (fitter.samples() as f64).ln();
            for (term, _) in law
                .promises
                .iter()
                .filter(|(_, fall)| *fall > needed)
                .take(3)
            {
                let mut more = law.support.clone();
                more.push(*term);
                more.sort_unstable();
                walk.try_law(&more, Some(&law))?;
            }
        }
    }
    let mut laws = walk.laws;
    if let Some(best) = laws.first_mut() {
        match fitter.polish(best) {
            Ok(polished) => *best = polished,
            // The law stands as it is.
            Err(error) if error.limit().is_some() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(laws)
}

/// Laws whose misfit alone exceeds the best criterion by this much are given up early.
const HOPELESS: f64 = 100.0;
/// A law this much worse than one with a term more or less was perhaps not fitted well.
const AGAIN: f64 = 2.0;

struct Walk<'a, 'b> {
    fitter: &'a LawFitter<'b>,
    laws: Vec<LawFit>,
    tried: Vec<Vec<usize>>,
    most: usize,
    control: &'a Control,
}

impl Walk<'_, '_> {
    /// Fits a support, unless it is known well enough. A poor result from one start is tried again
    /// from a better law's field, once.
    fn try_law(&mut self, support: &[usize], from: Option<&LawFit>) -> Result<(), DiscoveryError> {
        let known = self.laws.iter().position(|law| law.support == support);
        let times = self.tried.iter().filter(|tried| *tried == support).count();
        let again = times == 1
            && from.is_some_and(|from| {
                known.is_none_or(|place| self.laws[place].criterion > from.criterion + AGAIN)
            });
        if self.tried.len() >= self.most || (times > 0 && !again) {
            return Ok(());
        }
        let fitted = self.tried.len();
        if self.control.enter(Stage::Law { fitted }).is_err() {
            return Ok(());
        }
        self.tried.push(support.to_vec());
        let best = self
            .laws
            .iter()
            .map(|law| law.criterion)
            .fold(f64::INFINITY, f64::min);
        let law = match self.fitter.fit(support, from, best + HOPELESS) {
            // The laws that were fitted stand.
            Err(error) if error.limit().is_some() => None,
            law => law?,
        };
        let Some(law) = law else {
            return Ok(());
        };
        if !law.criterion.is_finite() {
            return Ok(());
        }
        match known {
            Some(place) if law.criterion < self.laws[place].criterion => self.laws[place] = law,
            Some(_) => {}
            None => self.laws.push(law),
        }
        Ok(())
    }
}
