//! Laws of ordinary systems by likelihood: solutions of candidate systems against the samples.

use super::assembly::EvaluatedTerms;
use super::discovery::GridDiscovery;
use super::flow::Place;
use super::noise::corner;
use super::samples::GridData;
use super::shooting::{Shooting, Shot, solve};
use super::term::{GridTerm, Inside};
use crate::LikelihoodRefit;
use crate::evidence::{Law, neighbours};
use crate::regression::multiplicity;

/// Noise below this share of a field counts as none: there is nothing to average.
const CLEAN: f64 = 1e-6;
/// Samples of the shortest pieces for each state that they have to determine.
const SHORTEST: usize = 8;
/// Longer pieces may raise the squared distance by this factor beyond what fewer free states explain.
const STRAIN: f64 = 1.05;
/// Solutions whose squared distance from the samples is this many times that of noise do not follow them.
const MISFIT: f64 = 1.5;
/// Systems with one term more, less or other that are fitted in each round.
const TRIED: usize = 4;
/// Most changes of terms at one length of the pieces.
const ROUNDS: usize = 8;
/// Runge–Kutta steps turn the fastest signal (with this share of the energy below it) by at most this many
/// radians, and there are at most so many between two samples.
const TURN: f64 = 0.25;
const ENERGY: f64 = 0.95;
const FINEST: f64 = 8.0;

/// The laws of a system that make their own solutions follow the samples best.
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
    /// Refits the laws of all fields together; `None` where that is not possible: with several axes, with
    /// laws of other derivatives than the first of every field, without noise, with solutions that run away.
    pub(super) fn refit(
        &self,
        samples: &GridData,
        source: &EvaluatedTerms<'_>,
        laws: &[Law],
    ) -> Option<SystemFit> {
        let wanted = match self.options.refit {
            LikelihoodRefit::Never => false,
            LikelihoodRefit::Always => true,
            LikelihoodRefit::Auto => source.data.iter().all(|data| {
                let fields = data.run.values.iter().zip(&data.noise);
                fields
                    .into_iter()
                    .all(|(v, n)| *n > CLEAN * super::column::known_rms(v))
            }),
        };
        let fields = samples.fields().len();
        let order: Option<Vec<usize>> = (0..fields)
            .map(|field| {
                let own = |t: &GridTerm| t.linear() == Some((field, &[1][..]));
                self.targets().iter().position(own)
            })
            .collect();
        let order =
            order.filter(|_| wanted && samples.dim() == 1 && self.targets().len() == fields)?;
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
        let search = Search {
            shooting: shooting(self, source),
            terms: self.library.len(),
            largest: self.options.largest,
        };
        let start: Vec<(Place, f64)> = order
            .iter()
            .enumerate()
            .flat_map(|(field, &target)| laws[target].iter().map(move |&(k, c)| ((field, k), c)))
            .collect();
        let found = search.run(start)?;
        let pick = |field: usize| {
            let own = found.law.iter().zip(&found.deviations);
            own.filter(|((place, _), _)| place.0 == field)
                .map(|((place, c), deviation)| (place.1, *c, *deviation))
                .collect()
        };
        let mut fit = SystemFit {
            laws: vec![Vec::new(); fields],
            inclusion: vec![Vec::new(); fields],
            horizon: found.horizon,
            reduced: found.reduced,
        };
        for (field, &target) in order.iter().enumerate() {
            fit.laws[target] = pick(field);
            let own = field * search.terms..(field + 1) * search.terms;
            fit.inclusion[target] = found.inclusion[own].to_vec();
        }
        Some(fit)
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

/// A system with a first guess of its coefficients, and how much worse its criterion is.
type Neighbour = (Vec<(Place, f64)>, f64);

struct Search<'a> {
    shooting: Shooting<'a>,
    terms: usize,
    largest: usize,
}

struct Found {
    law: Vec<(Place, f64)>,
    deviations: Vec<f64>,
    inclusion: Vec<f64>,
    horizon: f64,
    reduced: f64,
}

impl Search<'_> {
    /// Changes terms while that helps, then doubles the pieces while solutions still follow the samples.
    fn run(&self, start: Vec<(Place, f64)>) -> Option<Found> {
        let fields = self.shooting.noise.len();
        let shortest = SHORTEST * (fields + start.len());
        let mut best = self.shooting.fit(self.shooting.pieces(shortest), start)?;
        // Where pieces are so long that neighbouring solutions part beyond rounding, the last length counts
        // at which deviations were still to be had.
        let mut found = None;
        loop {
            best = self.improve(best)?;
            match self.conclude(&best) {
                Some(better) => found = Some(better),
                None => break,
            }
            let joined = Shooting::joined(&best.pieces);
            if joined.len() == best.pieces.len() || self.shooting.control.is_over() {
                break;
            }
            let fewer = ((best.pieces.len() - joined.len()) * fields) as f64;
            let limit = STRAIN * (best.square() + fewer);
            match self.shooting.fit(joined, best.law.clone()) {
                Some(longer) if longer.square() <= limit => best = longer,
                _ => break,
            }
        }
        // Solutions that never followed the samples say nothing about the terms.
        found.filter(|found| found.reduced < MISFIT)
    }

    /// n log of the squared distances + k log n + 2 log C(p, k) for each law.
    fn criterion(&self, squares: &[f64], samples: f64, law: &[(Place, f64)]) -> f64 {
        let fields = squares.len();
        let each = samples / fields as f64;
        let distance: f64 = squares
            .iter()
            .map(|s| each * s.max(f64::MIN_POSITIVE).ln())
            .sum();
        let choices: f64 = (0..fields)
            .map(|field| {
                let own = law.iter().filter(|(place, _)| place.0 == field);
                multiplicity(self.terms, own.count())
            })
            .sum();
        distance + law.len() as f64 * samples.ln() + choices
    }

    /// Systems with one term more, less or other, by their criterion to second order around a fit: the
    /// first guess of their coefficients, and how much they are worse.
    fn around(&self, shot: &Shot) -> Option<Vec<Neighbour>> {
        let fields = self.shooting.noise.len();
        let all: Vec<Place> = (0..fields)
            .flat_map(|field| (0..self.terms).map(move |k| (field, k)))
            .collect();
        let (matrix, right) = self.shooting.curvature(shot, &all)?;
        let size = all.len();
        let mut here = vec![0.0; size];
        for ((field, k), c) in &shot.law {
            here[field * self.terms + k] = *c;
        }
        let scale = shot.square() / shot.samples.max(1.0);
        let mut systems = Vec::new();
        for field in 0..fields {
            let places: Vec<usize> = (0..size).filter(|&i| here[i] != 0.0).collect();
            let own = places.iter().filter(|&&i| all[i].0 == field);
            let own: Vec<usize> = own.map(|&i| all[i].1).collect();
            for support in neighbours(&own, self.terms, self.largest) {
                let rest = places.iter().copied().filter(|&i| all[i].0 != field);
                let kept: Vec<usize> = rest
                    .chain(support.iter().map(|k| field * self.terms + k))
                    .collect();
                let gone = places.iter().copied().filter(|i| !kept.contains(i));
                // Terms that leave take their coefficients to zero; the others make up for it.
                let shift: Vec<(usize, f64)> = gone.map(|i| (i, -here[i])).collect();
                let b: Vec<f64> = kept
                    .iter()
                    .map(|&i| {
                        right[i]
                            - shift
                                .iter()
                                .map(|(j, s)| matrix[i * size + j] * s)
                                .sum::<f64>()
                    })
                    .collect();
                let part: Vec<f64> = kept
                    .iter()
                    .flat_map(|&i| kept.iter().map(move |&j| (i, j)))
                    .map(|(i, j)| matrix[i * size + j])
                    .collect();
                let Some(delta) = solve(kept.len(), &part, &b, 1e-10) else {
                    continue;
                };
                let moves = kept.iter().copied().zip(delta.iter().copied());
                let moves: Vec<(usize, f64)> = moves.chain(shift).collect();
                let gain: f64 = moves
                    .iter()
                    .map(|(i, s)| {
                        let bent: f64 = moves.iter().map(|(j, r)| matrix[i * size + j] * r).sum();
                        s * (2.0 * right[*i] - bent)
                    })
                    .sum();
                let law: Vec<(Place, f64)> = kept
                    .iter()
                    .zip(&delta)
                    .map(|(&i, s)| (all[i], here[i] + s))
                    .collect();
                let penalty =
                    |law: &[(Place, f64)]| self.criterion(&vec![1.0; fields], shot.samples, law);
                let worse = -gain / scale + penalty(&law) - penalty(&shot.law);
                systems.push((law, worse));
            }
        }
        systems.sort_by(|a, b| a.1.total_cmp(&b.1));
        Some(systems)
    }

    fn improve(&self, mut best: Shot) -> Option<Shot> {
        for _ in 0..ROUNDS {
            if self.shooting.control.is_over() {
                break;
            }
            let own = self.criterion(&best.squares, best.samples, &best.law);
            let near = self.around(&best)?;
            let better = near.into_iter().take(TRIED).find_map(|(law, _)| {
                let shot = self.shooting.fit(best.pieces.clone(), law)?;
                (self.criterion(&shot.squares, shot.samples, &shot.law) < own).then_some(shot)
            });
            match better {
                Some(better) => best = better,
                None => break,
            }
        }
        Some(best)
    }

    fn conclude(&self, best: &Shot) -> Option<Found> {
        let fields = self.shooting.noise.len();
        let places: Vec<Place> = best.law.iter().map(|(place, _)| *place).collect();
        let (matrix, _) = self.shooting.curvature(best, &places)?;
        let size = places.len();
        let free = best.samples - (size + fields * best.pieces.len()) as f64;
        let reduced = best.square() / free.max(1.0);
        let deviations = (0..size)
            .map(|k| {
                let unit: Vec<f64> = (0..size).map(|j| f64::from(u8::from(j == k))).collect();
                let inverse = solve(size, &matrix, &unit, 1e-12)?;
                Some((reduced * inverse[k].max(0.0)).sqrt())
            })
            .collect::<Option<Vec<f64>>>()?;
        let mut inclusion = vec![0.0; fields * self.terms];
        let near = self.around(best)?;
        let systems = near
            .iter()
            .map(|(law, worse)| (law, (-0.5 * worse.max(0.0)).exp()));
        let mut whole = 0.0;
        for (law, weight) in systems.chain([(&best.law, 1.0)]) {
            whole += weight;
            for ((field, k), _) in law {
                inclusion[field * self.terms + k] += weight;
            }
        }
        for share in &mut inclusion {
            *share /= whole;
        }
        let times = best.pieces.iter().map(|piece| {
            let run = self.shooting.runs[piece.run()];
            piece.length() as f64 * run.axes[0].step
        });
        Some(Found {
            law: best.law.clone(),
            deviations,
            inclusion,
            horizon: times.fold(f64::INFINITY, f64::min),
            reduced,
        })
    }
}
