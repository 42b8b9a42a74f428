//! Features in which laws are solved: how fine they have to be.

use fastlsq_solve::Control;

use super::engine::SETTLED;
use super::{LawFit, LawFitter, explore};
use crate::dictionary::{Dictionary, Jets};
use crate::{DiscoveryError, FieldFit, FitOptions, Samples};

/// The refit's features are finer than the fit's, σ ↦ aσ + b: a solution of a law has finer detail
/// than noisy data show. Too fine ones, in turn, are too few.
const WIDENINGS: [(f64, f64); 3] = [(2.0, 1.5), (3.0, 2.0), (4.5, 3.0)];

/// A question to the likelihood.
pub(crate) struct LawSearch<'a> {
    pub(crate) library: &'a Dictionary,
    pub(crate) jets: &'a Jets,
    pub(crate) samples: &'a Samples,
    /// The smooth fit, and how it was made.
    pub(crate) fit: &'a FieldFit,
    pub(crate) options: &'a FitOptions,
    /// First guess of the coefficients on a support.
    pub(crate) first: &'a dyn Fn(&[usize]) -> Vec<f64>,
    /// The maximum number of laws to fit.
    pub(crate) most: usize,
    /// The maximum number of terms of a law.
    pub(crate) largest: usize,
    pub(crate) control: &'a Control,
}

/// Finer features, and laws solved in them.
struct Space<'a> {
    features: FieldFit,
    fitter: LawFitter<'a>,
}

impl<'a> LawSearch<'a> {
    /// The laws, best first, and the features in which they are solved; `None` if there is no law.
    ///
    /// The search takes place in the coarsest features that hold a solution of the proposed law near
    /// the data, or in those that come nearest to it. If the law that wins is not held there, finer
    /// ones are tried for it.
    pub(crate) fn run(
        &self,
        proposals: &[Vec<usize>],
    ) -> Result<Option<(Vec<LawFit>, FieldFit)>, DiscoveryError> {
        let Some(first) = proposals.first() else {
            return Ok(None);
        };
        let Some((place, space)) = self.space_for(first, 0, f64::INFINITY)? else {
            return Ok(None);
        };
        let laws = self.explore(&space, proposals)?;
        let Some(top) = laws.first() else {
            return Ok(None);
        };
        if !top.enforced
            && let Some((_, finer)) = self.space_for(&top.support, place + 1, top.unrest)?
        {
            let mut again: Vec<Vec<usize>> =
                laws.iter().take(3).map(|law| law.support.clone()).collect();
            again.extend(proposals.iter().cloned());
            let better = self.explore(&finer, &again)?;
            if better.first().is_some_and(|law| law.unrest < top.unrest) {
                return Ok(Some((better, finer.features)));
            }
        }
        Ok(Some((laws, space.features)))
    }

    fn explore(
        &self,
        space: &Space<'_>,
        proposals: &[Vec<usize>],
    ) -> Result<Vec<LawFit>, DiscoveryError> {
        let singles = self.samples.dim() == 1;
        let (most, largest) = (self.most, self.largest);
        explore(
            &space.fitter,
            proposals,
            most,
            largest,
            singles,
            self.control,
        )
    }

    /// The features, from this widening on, that hold the law on this support best, if they hold it
    /// better than `unrest`. The first that hold it well will do.
    fn space_for(
        &self,
        support: &[usize],
        from: usize,
        unrest: f64,
    ) -> Result<Option<(usize, Space<'a>)>, DiscoveryError> {
        let mut best = None;
        let mut least = unrest;
        for (place, widening) in WIDENINGS.into_iter().enumerate().skip(from) {
            let space = self.space(widening)?;
            let unrest = space.fitter.unrest(support)?;
            if unrest < least || (best.is_none() && from == 0) {
                least = unrest;
                best = Some((place, space));
            }
            if least <= SETTLED {
                break;
            }
        }
        Ok(best)
    }

    fn space(&self, (factor, shift): (f64, f64)) -> Result<Space<'a>, DiscoveryError> {
        let sigmas: Vec<f64> = self
            .fit
            .bandwidth()
            .iter()
            .map(|s| factor * s + shift)
            .collect();
        let count = (1.2 * self.fit.basis_len() as f64) as usize;
        let options = FitOptions {
            ridge: None,
            ..self
                .options
                .clone()
                .bandwidth(sigmas)
                .features(count.min(self.samples.len() / 2).max(4))
        };
        let features = FieldFit::within(self.samples, &options, self.control)?;
        let noise = self.fit.noise().max(1e-12 * self.samples.rms());
        let fitter = LawFitter::new(
            self.library,
            self.jets,
            &features,
            self.samples.len(),
            noise,
            self.first,
        )?
        .under(self.control);
        Ok(Space { features, fitter })
    }
}
