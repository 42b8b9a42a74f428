//! Laws by likelihood: which solutions are set against the samples, and what comes out of it.

use super::assembly::EvaluatedTerms;
use super::discovery::GridDiscovery;
use super::likely::{Found, Place, Search, Solutions};
use super::noise::corner;
use super::panes::Panes;
use super::samples::GridData;
use super::shooting::Shooting;
use super::term::{GridTerm, Inside};
use crate::LikelihoodRefit;
use crate::evidence::Law;

/// Noise below this share of a field counts as none, with one axis and with two: there is nothing to average, or
/// polynomials hold a solution less exactly than the samples show it.
const CLEAN: f64 = 1e-6;
const CLEAN_IN_SPACE: f64 = 3e-3;
/// Samples of the shortest pieces for each state that they have to determine.
const SHORTEST: usize = 8;
/// Runge–Kutta steps turn the fastest signal (with this share of the energy below it) by at most this many
/// radians, and there are at most this many between two samples.
const TURN: f64 = 0.25;
const ENERGY: f64 = 0.95;
const FINEST: f64 = 8.0;

/// The laws that make their own solutions follow the samples best.
#[derive(Debug, Clone)]
pub(crate) struct SystemFit {
    /// Terms of each law with coefficient and Cramér–Rao deviation.
    pub(crate) laws: Vec<Vec<(usize, f64, f64)>>,
    /// Probability of every term of the library in each law, among the systems next to this one.
    pub(crate) inclusion: Vec<Vec<f64>>,
    /// Time over which solutions followed the samples without a new start.
    pub(crate) horizon: f64,
    /// Mean squared distance from the samples in units of the noise.
    pub(crate) reduced: f64,
}

impl GridDiscovery {
    /// Refits the laws of all fields together by their own solutions: ordinary systems by shooting, laws in one dimension
    /// and time on panes. `None` where that is not asked for, or not possible: more axes, ordinary laws for other derivatives
    /// than the first of every field, solutions that run away or do not follow the samples.
    pub(super) fn refit(
        &self,
        samples: &GridData,
        source: &EvaluatedTerms<'_>,
        laws: &[Law],
        doubtful: bool,
    ) -> Option<SystemFit> {
        let alone = samples.dim() == 1;
        let clean = if alone { CLEAN } else { CLEAN_IN_SPACE };
        let noisy = source.data.iter().all(|data| {
            let mut fields = data.run.values.iter().zip(&data.noise);
            fields.all(|(v, n)| *n > clean * super::column::known_rms(v))
        });
        let wanted = match self.options.refit {
            LikelihoodRefit::Never => false,
            LikelihoodRefit::Always => true,
            LikelihoodRefit::Auto => noisy && (alone || doubtful),
        };
        match samples.dim() {
            _ if !wanted => None,
            1 => self.by_shooting(samples, source, laws),
            2 if laws.len() <= samples.fields().len() => self.on_panes(source, laws),
            _ => None,
        }
    }

    fn by_shooting(
        &self,
        samples: &GridData,
        source: &EvaluatedTerms<'_>,
        laws: &[Law],
    ) -> Option<SystemFit> {
        let fields = samples.fields().len();
        let order: Option<Vec<usize>> = (0..fields)
            .map(|field| {
                let own = |t: &GridTerm| t.linear() == Some((field, &[1][..]));
                self.targets().iter().position(own)
            })
            .collect();
        let order = order.filter(|_| self.targets().len() == fields)?;
        let plain = |term: &GridTerm| {
            term.parts.iter().all(|part| {
                let inner = match &part.inside {
                    Inside::Product(factors) => factors.iter().all(|f| f.inner == [0]),
                    Inside::Function(_) => true,
                };
                part.outer == [0] && inner
            })
        };
        if !self.library.terms().iter().all(plain) {
            return None;
        }
        let search = self.search(shooting(self, source));
        let start: Vec<(Place, f64)> = order
            .iter()
            .enumerate()
            .flat_map(|(field, &target)| laws[target].iter().map(move |&(k, c)| ((field, k), c)))
            .collect();
        let shortest = SHORTEST * (fields + start.len());
        let found = search.run(search.solutions.pieces(shortest), start)?;
        Some(self.system(&found, &order))
    }

    fn on_panes(&self, source: &EvaluatedTerms<'_>, laws: &[Law]) -> Option<SystemFit> {
        let start: Vec<(Place, f64)> = laws
            .iter()
            .enumerate()
            .flat_map(|(target, law)| law.iter().map(move |&(k, c)| ((target, k), c)))
            .collect();
        let mut panes = Panes::new(
            self.library(),
            self.targets(),
            source,
            &self.options.control,
        );
        let pieces = panes.first()?;
        let found = self.search(panes).run(pieces, start)?;
        let order: Vec<usize> = (0..laws.len()).collect();
        Some(self.system(&found, &order))
    }

    fn search<S: Solutions>(&self, solutions: S) -> Search<S> {
        Search {
            solutions,
            terms: self.library.len(),
            largest: self.options.largest,
        }
    }

    /// The laws as they were found, in the order of the targets.
    fn system(&self, found: &Found, order: &[usize]) -> SystemFit {
        let terms = self.library.len();
        let mut fit = SystemFit {
            laws: vec![Vec::new(); order.len()],
            inclusion: vec![Vec::new(); order.len()],
            horizon: found.horizon,
            reduced: found.reduced,
        };
        for (one, &target) in order.iter().enumerate() {
            let own = found.law.iter().zip(&found.deviations);
            fit.laws[target] = own
                .filter(|((place, _), _)| place.0 == one)
                .map(|((place, c), deviation)| (place.1, *c, *deviation))
                .collect();
            fit.inclusion[target] = found.inclusion[one * terms..(one + 1) * terms].to_vec();
        }
        fit
    }
}

fn shooting<'a>(discovery: &'a GridDiscovery, source: &EvaluatedTerms<'a>) -> Shooting<'a> {
    let mut fastest = 0.0_f64;
    let mut start = Vec::new();
    let fields = discovery.library.fields().len();
    let mut noise = vec![0.0_f64; fields];
    for data in &source.data {
        let mut smooth = Vec::new();
        for (field, values) in data.run.values.iter().enumerate() {
            smooth.push(data.smoothers[field].derivative(values, &data.shape, &[0]));
            fastest = fastest.max(corner(values, &data.shape, 0, data.noise[field], ENERGY));
            noise[field] += data.noise[field].powi(2) / source.data.len() as f64;
        }
        start.push(smooth);
    }
    Shooting {
        runs: source.data.iter().map(|data| data.run).collect(),
        terms: discovery.library.terms().iter().collect(),
        noise: noise.into_iter().map(f64::sqrt).collect(),
        start,
        substeps: (fastest / TURN).ceil().clamp(1.0, FINEST) as usize,
        control: discovery.options.control.clone(),
    }
}
