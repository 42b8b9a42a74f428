//! Solutions of a system u′ = Σ cₖTₖ(u) through pieces of noisy records: multiple shooting.
//!
//! A record is cut into pieces; each has a free initial state, all share the coefficients. Classical
//! Runge–Kutta steps carry the state and its slopes with respect to both; Gauss–Newton steps with the
//! initial states eliminated minimise the distance from the samples, which is the likelihood of the
//! law under normal noise.

use fastlsq_solve::Control;
use rayon::prelude::*;

use super::flow::Flow;
use super::likely::{Place, Shot, Solutions};
use super::samples::Trajectory;
use super::term::GridTerm;
use crate::evidence::{cholesky, cholesky_solve};

/// The maximum number of Gauss–Newton steps, and the relative gain below which they end.
const STEPS: usize = 15;
const ENOUGH: f64 = 1e-6;
/// A step that needs more damping than this is not taken.
const STIFFEST: f64 = 1e4;
/// Pivots of scaled matrices below this are rounding: neighbouring solutions of a chaotic system diverge by
/// many orders of magnitude, so that sound matrices are far from well conditioned.
const ROUNDING: f64 = 1e-15;
/// A state this many times larger than the data has left them.
const RUNAWAY: f64 = 1e3;

/// Solutions whose squared distance from the samples is this many times that of noise do not follow them.
const MISFIT: f64 = 1.5;

/// The records and the candidate terms.
pub(super) struct Shooting<'a> {
    pub(super) runs: Vec<&'a Trajectory>,
    pub(super) terms: Vec<&'a GridTerm>,
    /// Noise levels by which residuals are divided.
    pub(super) noise: Vec<f64>,
    /// Smoothed records, for the first states: `start[run][field]`.
    pub(super) start: Vec<Vec<Vec<f64>>>,
    /// Runge–Kutta steps between samples.
    pub(super) substeps: usize,
    pub(super) control: Control,
}

/// A stretch of one record with its initial state.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    run: usize,
    first: usize,
    last: usize,
    state: Vec<f64>,
}

/// Normal equations of all coefficients with the initial states eliminated, and what it takes to find
/// those again.
struct Normal {
    matrix: Vec<f64>,
    right: Vec<f64>,
    squares: Vec<f64>,
    samples: f64,
}

impl Shooting<'_> {
    fn fields(&self) -> usize {
        self.noise.len()
    }

    /// Pieces of at most this many samples, with initial states from the smoothed records.
    pub(super) fn pieces(&self, length: usize) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for (run, record) in self.runs.iter().enumerate() {
            let count = record.values.first().map_or(0, Vec::len);
            let number = (count / length.max(2)).max(1);
            for k in 0..number {
                let first = k * count / number;
                let state = self.start[run].iter().map(|v| v[first]).collect();
                pieces.push(Piece {
                    run,
                    first,
                    last: (k + 1) * count / number - 1,
                    state,
                });
            }
        }
        pieces.retain(|piece| piece.state.iter().all(|s: &f64| s.is_finite()));
        pieces
    }

    /// Neighbouring pieces of one record joined in pairs.
    pub(super) fn joined(pieces: &[Piece]) -> Vec<Piece> {
        let mut joined: Vec<Piece> = Vec::new();
        let mut open = false;
        for piece in pieces {
            match joined
                .last_mut()
                .filter(|last| open && last.run == piece.run)
            {
                Some(last) => {
                    last.last = piece.last;
                    open = false;
                }
                None => {
                    joined.push(piece.clone());
                    open = true;
                }
            }
        }
        joined
    }

    /// Damped Gauss–Newton steps over initial states and the coefficients at `places`: all of the law, or none.
    fn descend(
        &self,
        pieces: Vec<Piece>,
        law: Vec<(Place, f64)>,
        places: &[Place],
    ) -> Option<Shot<Piece>> {
        let mut now = Shot {
            pieces,
            law,
            squares: Vec::new(),
            samples: 0.0,
        };
        let mut damping = 1e-3;
        let mut normal = self.normal(&now, places)?;
        (now.squares, now.samples) = (normal.0.squares.clone(), normal.0.samples);
        for _ in 0..STEPS {
            if self.control.is_over() {
                break;
            }
            let mut better = None;
            while better.is_none() && damping < STIFFEST {
                let next = self.step(&now, &normal, damping);
                better = next
                    .and_then(|next| self.normal(&next, places).map(|n| (next, n)))
                    .filter(|(_, (n, _))| n.squares.iter().sum::<f64>() <= now.square());
                damping *= if better.is_some() { 0.1 } else { 10.0 };
            }
            let Some((mut next, found)) = better else {
                break;
            };
            (next.squares, next.samples) = (found.0.squares.clone(), found.0.samples);
            let gain = now.square() - next.square();
            (now, normal) = (next, found);
            if gain < ENOUGH * now.square() {
                break;
            }
        }
        Some(now)
    }

    fn step(
        &self,
        now: &Shot<Piece>,
        (normal, states): &(Normal, Vec<Elimination>),
        damping: f64,
    ) -> Option<Shot<Piece>> {
        let p = normal.right.len();
        let delta = solve(p, &normal.matrix, &normal.right, damping)?;
        let mut next = now.clone();
        for ((_, c), d) in next.law.iter_mut().zip(&delta) {
            *c += d;
        }
        for (piece, own) in next.pieces.iter_mut().zip(states) {
            for (f, s) in piece.state.iter_mut().enumerate() {
                let carried: f64 = (0..p).map(|k| own.slopes[f * p + k] * delta[k]).sum();
                *s += own.shift[f] - carried;
            }
        }
        Some(next)
    }

    fn normal(&self, shot: &Shot<Piece>, places: &[Place]) -> Option<(Normal, Vec<Elimination>)> {
        let (d, p) = (self.fields(), places.len());
        let parts: Option<Vec<(Elimination, Normal)>> = shot
            .pieces
            .par_iter()
            .map(|piece| self.piece(piece, &shot.law, places))
            .collect();
        let mut total = Normal {
            matrix: vec![0.0; p * p],
            right: vec![0.0; p],
            squares: vec![0.0; d],
            samples: 0.0,
        };
        let mut states = Vec::new();
        for (elimination, part) in parts? {
            let add = |to: &mut [f64], from: &[f64]| {
                for (t, f) in to.iter_mut().zip(from) {
                    *t += f;
                }
            };
            add(&mut total.matrix, &part.matrix);
            add(&mut total.right, &part.right);
            add(&mut total.squares, &part.squares);
            total.samples += part.samples;
            states.push(elimination);
        }
        Some((total, states))
    }

    /// Normal equations of one piece.
    fn piece(
        &self,
        piece: &Piece,
        law: &[(Place, f64)],
        places: &[Place],
    ) -> Option<(Elimination, Normal)> {
        let (d, p) = (self.fields(), places.len());
        let record = self.runs[piece.run];
        let h = record.axes[0].step / self.substeps as f64;
        let width = 1 + d + p;
        // Rows: fields; columns: the state, its slopes with respect to the initial state, to the coefficients.
        let mut y = vec![0.0; d * width];
        for f in 0..d {
            y[f * width] = piece.state[f];
            y[f * width + 1 + f] = 1.0;
        }
        let mut flow = Flow::new(&self.terms, d, law, places);
        let n = d + p;
        let mut gram = vec![0.0; n * n];
        let mut right = vec![0.0; n];
        let mut squares = vec![0.0; d];
        let mut samples = 0.0;
        let size: Vec<f64> = record
            .values
            .iter()
            .map(|v| super::column::known_rms(v))
            .collect();
        for sample in piece.first..=piece.last {
            if sample > piece.first {
                for _ in 0..self.substeps {
                    flow.step(&mut y, h);
                }
            }
            for f in 0..d {
                let state = y[f * width];
                if state.is_nan() || state.abs() >= RUNAWAY * size[f] {
                    return None;
                }
                let seen = record.values[f][sample];
                if !seen.is_finite() {
                    continue;
                }
                let weight = 1.0 / self.noise[f];
                let residual = (seen - state) * weight;
                squares[f] += residual * residual;
                samples += 1.0;
                let slopes = &y[f * width + 1..(f + 1) * width];
                for i in 0..n {
                    let slope = slopes[i] * weight;
                    right[i] += slope * residual;
                    for j in 0..=i {
                        gram[i * n + j] += slope * slopes[j] * weight;
                    }
                }
            }
        }
        let at = |i: usize, j: usize| gram[i.max(j) * n + i.min(j)];
        // The initial state is eliminated: s = s₀ + shift − slopes · δc.
        let scale: Vec<f64> = (0..d)
            .map(|i| at(i, i).sqrt().max(f64::MIN_POSITIVE))
            .collect();
        let factor = cholesky(d, ROUNDING, |i, j| {
            at(i, j) / (scale[i] * scale[j]) + if i == j { 1e-13 } else { 0.0 }
        })?;
        let unscaled = |b: Vec<f64>| -> Vec<f64> {
            let b: Vec<f64> = b.iter().zip(&scale).map(|(b, s)| b / s).collect();
            let x = cholesky_solve(&factor, &b);
            x.iter().zip(&scale).map(|(x, s)| x / s).collect()
        };
        let shift = unscaled(right[..d].to_vec());
        let mut slopes = vec![0.0; d * p];
        for k in 0..p {
            let column = unscaled((0..d).map(|f| at(f, d + k)).collect());
            for f in 0..d {
                slopes[f * p + k] = column[f];
            }
        }
        let mut matrix = vec![0.0; p * p];
        for k in 0..p {
            for l in 0..p {
                let taken: f64 = (0..d).map(|f| at(f, d + k) * slopes[f * p + l]).sum();
                matrix[k * p + l] = at(d + k, d + l) - taken;
            }
        }
        let own: Vec<f64> = (0..p)
            .map(|k| right[d + k] - (0..d).map(|f| at(f, d + k) * shift[f]).sum::<f64>())
            .collect();
        let normal = Normal {
            matrix,
            right: own,
            squares,
            samples,
        };
        Some((Elimination { shift, slopes }, normal))
    }
}

impl Solutions for Shooting<'_> {
    type Piece = Piece;
    const STRAIN: f64 = 1.05;
    const HOPEFUL: f64 = f64::INFINITY;

    fn laws(&self) -> usize {
        self.fields()
    }

    fn control(&self) -> &Control {
        &self.control
    }

    /// The initial states are settled first: wrong ones would throw the coefficients far off.
    fn fit(&self, pieces: Vec<Piece>, law: Vec<(Place, f64)>) -> Option<Shot<Piece>> {
        let places: Vec<Place> = law.iter().map(|(place, _)| *place).collect();
        let settled = self.descend(pieces, law, &[])?;
        self.descend(settled.pieces, settled.law, &places)
    }

    fn curvature(&self, shot: &Shot<Piece>, places: &[Place]) -> Option<(Vec<f64>, Vec<f64>)> {
        let (normal, _) = self.normal(shot, places)?;
        Some((normal.matrix, normal.right))
    }

    fn free(&self, pieces: &[Piece]) -> f64 {
        (self.fields() * pieces.len()) as f64
    }

    fn longer(&self, pieces: &[Piece]) -> Option<Vec<Piece>> {
        let joined = Self::joined(pieces);
        (joined.len() < pieces.len()).then_some(joined)
    }

    fn horizon(&self, pieces: &[Piece]) -> f64 {
        let times = pieces.iter().map(|piece| {
            let samples = piece.last - piece.first;
            samples as f64 * self.runs[piece.run].axes[0].step
        });
        times.fold(f64::INFINITY, f64::min)
    }

    fn follows(&self, _: &Shot<Piece>, reduced: f64) -> bool {
        reduced < MISFIT
    }
}

/// What a piece's initial state does when coefficients change.
struct Elimination {
    shift: Vec<f64>,
    slopes: Vec<f64>,
}

/// (H + damping · diag H) x = b.
pub(super) fn solve(size: usize, matrix: &[f64], right: &[f64], damping: f64) -> Option<Vec<f64>> {
    let scale: Vec<f64> = (0..size)
        .map(|k| matrix[k * size + k].max(0.0).sqrt().max(f64::MIN_POSITIVE))
        .collect();
    let factor = cholesky(size, ROUNDING, |i, j| {
        matrix[i * size + j] / (scale[i] * scale[j]) + if i == j { damping } else { 0.0 }
    })?;
    let scaled: Vec<f64> = right.iter().zip(&scale).map(|(b, s)| b / s).collect();
    let x = cholesky_solve(&factor, &scaled);
    Some(x.iter().zip(&scale).map(|(x, s)| x / s).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GridData, GridLibrary};
    use ndarray::Array1;

    #[test]
    fn a_decaying_spiral_is_fitted_exactly_from_far() {
        // u′ = −0.3u + 2v, v′ = −2u − 0.3v
        let t: Vec<f64> = (0..200).map(|i| 0.02 * f64::from(i)).collect();
        let wave = |shift: f64| {
            Array1::from_iter(t.iter().map(|t| (-0.3 * t).exp() * (2.0 * t + shift).cos()))
        };
        let (u, v) = (wave(0.0), wave(std::f64::consts::FRAC_PI_2));
        let data = GridData::of_fields(&[&t], &[("u", u.view()), ("v", v.view())]).unwrap();
        let library = GridLibrary::parse(&["t"], &["u", "v"], &["u", "v"]).unwrap();
        let shooting = Shooting {
            runs: data.trajectories().iter().collect(),
            terms: library.terms().iter().collect(),
            noise: vec![1e-3; 2],
            start: vec![vec![u.to_vec(), v.to_vec()]],
            substeps: 2,
            control: Control::new(),
        };
        let guess = [(0, 0), (0, 1), (1, 0), (1, 1)].into_iter();
        let guess = guess.zip([-0.1, 1.7, -2.4, 0.0]).collect();
        let short = shooting.fit(shooting.pieces(50), guess).unwrap();
        assert_eq!(short.pieces.len(), 4);
        let long = shooting
            .fit(Shooting::joined(&short.pieces), short.law)
            .unwrap();
        assert_eq!((long.pieces.len(), long.samples), (2, 400.0));
        for ((_, c), exact) in long.law.iter().zip([-0.3, 2.0, -2.0, -0.3]) {
            assert!((c - exact).abs() < 1e-6, "{c} {exact}");
        }
    }
}
