//! Laws of several fields by likelihood: their solutions against the samples, changed term by term.
//!
//! Whatever solves the laws ([`Solutions`]) cuts the data into pieces, in each of which a solution is free to start
//! anew; coefficients are common to all pieces. Terms are exchanged while a criterion falls, and pieces made longer while
//! solutions still follow the samples.

use fastlsq_solve::Control;

use super::shooting::solve;
use crate::evidence::neighbours;
use crate::regression::multiplicity;

/// Laws with one term more, less or other that are fitted in each round.
const TRIED: usize = 4;
/// The maximum number of changes of terms at one length of the pieces.
const ROUNDS: usize = 8;

/// One coefficient: which law it belongs to, and which term it multiplies.
pub(super) type Place = (usize, usize);

/// Coefficients, pieces with what is free in them, and how far the solutions are from the samples.
#[derive(Debug, Clone)]
pub(super) struct Shot<P> {
    pub(super) pieces: Vec<P>,
    pub(super) law: Vec<(Place, f64)>,
    /// Squared distances in units of the noise, by field or all together, and the number of samples.
    pub(super) squares: Vec<f64>,
    pub(super) samples: f64,
}

impl<P> Shot<P> {
    /// Squared distance over all fields.
    pub(super) fn square(&self) -> f64 {
        self.squares.iter().sum()
    }
}

/// A way to solve candidate laws beside the samples.
pub(super) trait Solutions {
    /// A stretch of the data, and a solution on it.
    type Piece: Clone;

    /// Longer pieces may raise the mean squared distance by this factor.
    const STRAIN: f64;
    /// Laws are fitted only if their criterion is expected to be worse by no more than this.
    const HOPEFUL: f64;

    /// Number of laws.
    fn laws(&self) -> usize;

    fn control(&self) -> &Control;

    /// The law that comes nearest to the samples, from a first guess; `None` if its solutions run away.
    fn fit(&self, pieces: Vec<Self::Piece>, law: Vec<(Place, f64)>) -> Option<Shot<Self::Piece>>;

    /// The normal equations of these coefficients, which need not all be in the law: matrix and right-hand side.
    fn curvature(&self, shot: &Shot<Self::Piece>, places: &[Place])
    -> Option<(Vec<f64>, Vec<f64>)>;

    /// How many numbers are free in the pieces.
    fn free(&self, pieces: &[Self::Piece]) -> f64;

    /// Fewer and longer pieces, if there can be any.
    fn longer(&self, pieces: &[Self::Piece]) -> Option<Vec<Self::Piece>>;

    /// Time over which the solutions of all pieces follow the samples.
    fn horizon(&self, pieces: &[Self::Piece]) -> f64;

    /// Whether the solutions leave no more than noise, given the mean squared distance in units of it.
    fn follows(&self, shot: &Shot<Self::Piece>, reduced: f64) -> bool;
}

/// A system with a first guess of its coefficients, and how much worse its criterion is.
type Neighbour = (Vec<(Place, f64)>, f64);

/// A search for the likeliest laws.
pub(super) struct Search<S> {
    pub(super) solutions: S,
    /// Terms of the library, and the most that a law may have.
    pub(super) terms: usize,
    pub(super) largest: usize,
}

/// The likeliest laws.
pub(super) struct Found {
    pub(super) law: Vec<(Place, f64)>,
    pub(super) deviations: Vec<f64>,
    /// Probability of every term in each law, among the laws next to this one.
    pub(super) inclusion: Vec<f64>,
    pub(super) horizon: f64,
    pub(super) reduced: f64,
}

impl<S: Solutions> Search<S> {
    /// Changes terms while that helps, then makes the pieces longer while solutions still follow the samples.
    pub(super) fn run(&self, pieces: Vec<S::Piece>, start: Vec<(Place, f64)>) -> Option<Found> {
        let mut best = self.solutions.fit(pieces, start)?;
        // Where pieces are so long that neighbouring solutions diverge beyond rounding, the last length counts
        // at which deviations could still be computed.
        let mut found = None;
        loop {
            best = self.improve(best)?;
            match self.conclude(&best) {
                Some(better) => found = Some(better),
                None => break,
            }
            let Some(longer) = self.solutions.longer(&best.pieces) else {
                break;
            };
            if self.solutions.control().is_over() {
                break;
            }
            match self.solutions.fit(longer, best.law.clone()) {
                Some(longer) if self.reduced(&longer) <= S::STRAIN * self.reduced(&best) => {
                    best = longer;
                }
                _ => break,
            }
        }
        // Solutions that never followed the samples say nothing about the terms.
        found
            .filter(|(_, follows)| *follows)
            .map(|(found, _)| found)
    }

    /// Mean squared distance for each sample that is not spent on something free.
    fn reduced(&self, shot: &Shot<S::Piece>) -> f64 {
        let free = self.solutions.free(&shot.pieces) + shot.law.len() as f64;
        shot.square() / (shot.samples - free).max(1.0)
    }

    /// n log of the squared distances + k log n + 2 log C(p, k) for each law.
    fn criterion(&self, squares: &[f64], samples: f64, law: &[(Place, f64)]) -> f64 {
        let each = samples / squares.len() as f64;
        let distance: f64 = squares
            .iter()
            .map(|s| each * s.max(f64::MIN_POSITIVE).ln())
            .sum();
        let choices: f64 = (0..self.solutions.laws())
            .map(|one| {
                let own = law.iter().filter(|(place, _)| place.0 == one);
                multiplicity(self.terms, own.count())
            })
            .sum();
        distance + law.len() as f64 * samples.ln() + choices
    }

    /// Systems with one term more, less or other, by their criterion to second order around a fit: the
    /// first guess of their coefficients, and how much they are worse.
    fn around(&self, shot: &Shot<S::Piece>) -> Option<Vec<Neighbour>> {
        let laws = self.solutions.laws();
        let all: Vec<Place> = (0..laws)
            .flat_map(|one| (0..self.terms).map(move |k| (one, k)))
            .collect();
        let (matrix, right) = self.solutions.curvature(shot, &all)?;
        let size = all.len();
        let mut here = vec![0.0; size];
        for ((one, k), c) in &shot.law {
            here[one * self.terms + k] = *c;
        }
        let scale = shot.square() / shot.samples.max(1.0);
        let mut systems = Vec::new();
        for one in 0..laws {
            let places: Vec<usize> = (0..size).filter(|&i| here[i] != 0.0).collect();
            let own = places.iter().filter(|&&i| all[i].0 == one);
            let own: Vec<usize> = own.map(|&i| all[i].1).collect();
            for support in neighbours(&own, self.terms, self.largest) {
                let rest = places.iter().copied().filter(|&i| all[i].0 != one);
                let kept: Vec<usize> = rest
                    .chain(support.iter().map(|k| one * self.terms + k))
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
                let penalty = |law: &[(Place, f64)]| {
                    self.criterion(&vec![1.0; shot.squares.len()], shot.samples, law)
                };
                let worse = -gain / scale + penalty(&law) - penalty(&shot.law);
                systems.push((law, worse));
            }
        }
        systems.sort_by(|a, b| a.1.total_cmp(&b.1));
        Some(systems)
    }

    fn improve(&self, mut best: Shot<S::Piece>) -> Option<Shot<S::Piece>> {
        for _ in 0..ROUNDS {
            if self.solutions.control().is_over() {
                break;
            }
            let own = self.criterion(&best.squares, best.samples, &best.law);
            let near = self.around(&best)?;
            let hopeful = near.into_iter().take(TRIED);
            let mut hopeful = hopeful.filter(|(_, worse)| *worse <= S::HOPEFUL);
            let better = hopeful.find_map(|(law, _)| {
                let shot = self.solutions.fit(best.pieces.clone(), law)?;
                (self.criterion(&shot.squares, shot.samples, &shot.law) < own).then_some(shot)
            });
            match better {
                Some(better) => best = better,
                None => break,
            }
        }
        Some(best)
    }

    /// The answer, and whether its solutions follow the samples.
    fn conclude(&self, best: &Shot<S::Piece>) -> Option<(Found, bool)> {
        let laws = self.solutions.laws();
        let places: Vec<Place> = best.law.iter().map(|(place, _)| *place).collect();
        let (matrix, _) = self.solutions.curvature(best, &places)?;
        let size = places.len();
        let reduced = self.reduced(best);
        let deviations = (0..size)
            .map(|k| {
                let unit: Vec<f64> = (0..size).map(|j| f64::from(u8::from(j == k))).collect();
                let inverse = solve(size, &matrix, &unit, 1e-12)?;
                Some((reduced * inverse[k].max(0.0)).sqrt())
            })
            .collect::<Option<Vec<f64>>>()?;
        let mut inclusion = vec![0.0; laws * self.terms];
        let near = self.around(best)?;
        let systems = near
            .iter()
            .map(|(law, worse)| (law, (-0.5 * worse.max(0.0)).exp()));
        let mut whole = 0.0;
        for (law, weight) in systems.chain([(&best.law, 1.0)]) {
            whole += weight;
            for ((one, k), _) in law {
                inclusion[one * self.terms + k] += weight;
            }
        }
        for share in &mut inclusion {
            *share /= whole;
        }
        let found = Found {
            law: best.law.clone(),
            deviations,
            inclusion,
            horizon: self.solutions.horizon(&best.pieces),
            reduced,
        };
        Some((found, self.solutions.follows(best, reduced)))
    }
}
