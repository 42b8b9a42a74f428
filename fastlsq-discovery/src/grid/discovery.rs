//! From fields on grids to their laws, without a fit of the fields.

use super::assembly::{Evaluated, Tiled};
use super::column::{Prepared, known_rms};
use super::conclude::conclude;
use super::law::GridLaws;
use super::library::GridLibrary;
use super::moments::Moments;
use super::noise::{corner, noise_level};
use super::options::GridOptions;
use super::samples::GridSamples;
use super::select::{Judge, Judged};
use super::term::GridTerm;
use super::windows::{NARROWEST, Windows, exponent, spread};
use crate::DiscoveryError;

/// Noise is never taken for smaller than this share of a field.
const CLEANEST: f64 = 1e-10;
/// ψ̂ falls to e^{−τ²/2} at the corner of the spectrum.
const TAU: f64 = 2.0;
/// Share of the signal's energy below the corner.
const ENERGY: f64 = 0.95;
/// Windows reach at most over this part of a record to each side, with several axes and with one.
const WIDEST: usize = 6;
const WIDEST_ALONE: usize = 16;
/// Ratio of neighbouring half-widths that are tried.
const RATIO: f64 = std::f64::consts::SQRT_2;
/// Other half-widths must narrow the coefficients by this factor, in the geometric mean.
const GAIN: f64 = 0.97;
/// Rounds over the laws of a system that take those of the others into account.
const TOGETHER: usize = 2;
/// A residual beyond this many times what noise leaves is not noise.
const NOISY: f64 = 3.0;
/// A residual below this many times what noise leaves is noise.
const SOUND: f64 = 1.5;
/// Supports that are compared by likelihood: at most so many, with criteria within so much.
const FINALISTS: usize = 4;
const CONTENDER: f64 = 8.0;
/// Rounds of weights from the last law.
const ROUNDS: usize = 4;

/// A question about fields on grids: which few terms make up the law of each target?
///
/// Both sides of the law are integrated against test functions (1 − s²)^p over windows of the grid,
/// with all derivatives moved onto them, so that nothing is ever differentiated.
///
/// ```
/// use fastlsq_discovery::{GridDiscovery, GridLibrary, Samples, ndarray::Array2};
/// // Two waves of u_t = −u_x + 0.1 u_xx
/// let x: Vec<f64> = (0..100).map(|i| 0.1 * i as f64).collect();
/// let t: Vec<f64> = (0..80).map(|i| 0.05 * i as f64).collect();
/// let wave = |k: f64, x: f64, t: f64| (-0.1 * k * k * t).exp() * (k * (x - t)).sin();
/// let u = Array2::from_shape_fn((100, 80), |(i, j)| wave(1.0, x[i], t[j]) + wave(2.5, x[i], t[j]));
/// let library = GridLibrary::parse(&["x", "t"], &["u"], &["u", "u^2", "u_x", "u u_x", "u_xx"])?;
/// let found = GridDiscovery::new(library, &["u_t"])?.run(&Samples::on_grid(&[&x, &t], u.view())?)?;
/// assert_eq!(found.to_string(), "u_t = −1.00 u_x + 0.100 u_xx");
/// # Ok::<(), fastlsq_discovery::DiscoveryError>(())
/// ```
#[derive(Debug, Clone)]
pub struct GridDiscovery {
    library: GridLibrary,
    targets: Vec<GridTerm>,
    options: GridOptions,
}

impl GridDiscovery {
    /// The laws of the derivatives `targets`, such as `u_t` and `v_t`, over one library.
    ///
    /// # Errors
    /// Targets that cannot be read, are not a derivative of one field or are terms themselves; an
    /// empty library.
    pub fn new(library: GridLibrary, targets: &[&str]) -> Result<Self, DiscoveryError> {
        let mut read = Vec::new();
        for text in targets {
            let term = library.read(text)?;
            if !term.linear().is_some_and(|(_, outer)| outer.iter().any(|n| *n > 0)) {
                return Err(DiscoveryError::Term {
                    text: (*text).to_owned(),
                    reason: "a target is a derivative of one field, as u_t".to_owned(),
                });
            }
            if library.terms().iter().any(|t| term.ratio(t).is_some()) {
                return Err(DiscoveryError::TargetInDictionary { name: term.name });
            }
            read.push(term);
        }
        if library.is_empty() || read.is_empty() {
            return Err(DiscoveryError::EmptyDictionary {
                target: targets.first().map_or(String::new(), |&t| t.to_owned()),
            });
        }
        Ok(Self {
            library,
            targets: read,
            options: GridOptions::default(),
        })
    }

    /// Sets the options.
    #[must_use]
    pub fn with(mut self, options: GridOptions) -> Self {
        self.options = options;
        self
    }

    /// The candidate terms.
    #[must_use]
    pub fn library(&self) -> &GridLibrary {
        &self.library
    }

    /// Finds the laws.
    ///
    /// # Errors
    /// Data with other fields or axes than the library, options out of range, terms that are not
    /// defined on the data, records without room for enough windows.
    pub fn run(&self, samples: &GridSamples) -> Result<GridLaws, DiscoveryError> {
        let dim = self.library.axes().len();
        self.options.validate(self.library.fields().len(), dim)?;
        if samples.fields() != self.library.fields() || samples.dim() != dim {
            return Err(DiscoveryError::OtherTrajectory {
                expected: self.library.fields().to_vec(),
                found: samples.fields().to_vec(),
                dims: (dim, samples.dim()),
            });
        }
        let source = self.evaluate(samples)?;
        let start = self.windows(&source);
        let mut answers = Vec::new();
        let mut windows = start;
        for target in 0..self.targets.len() {
            let answer = self.alone(&source, target, windows)?;
            windows = answer.windows.clone();
            answers.push(answer);
        }
        // What the other laws leave over is noise: it sharpens the law of each.
        let rounds = if answers.len() > 1 { TOGETHER } else { 1 };
        for round in 1..=rounds {
            for target in 0..answers.len() {
                let others: Vec<KnownLaw> = (0..answers.len())
                    .filter(|&k| k != target && answers[k].sound())
                    .map(|k| (k, answers[k].law()))
                    .collect();
                let tiled = self.tile(&source, &answers[target].windows)?;
                let start = answers[target].law();
                let (mut blocks, mut judged) = self.weigh(&tiled, target, start, &others);
                if round == rounds {
                    (blocks, judged) = self.finals(&tiled, target, &others, blocks, judged);
                }
                answers[target].blocks = blocks;
                answers[target].judged = judged;
            }
        }
        let mut laws = Vec::new();
        let mut half_widths = Vec::new();
        for (target, answer) in self.targets.iter().zip(answers) {
            laws.push(conclude(
                &self.library,
                &target.name,
                &answer.blocks,
                &answer.judged,
                &self.options,
            )?);
            half_widths.push(answer.windows.half);
        }
        Ok(GridLaws {
            laws,
            noise: source.data.iter().map(|data| data.noise.clone()).collect(),
            half_widths,
        })
    }

    /// Noise levels, smoothers and all columns.
    fn evaluate<'a>(&self, samples: &'a GridSamples) -> Result<Evaluated<'a>, DiscoveryError> {
        let mut data = Vec::new();
        let mut columns = Vec::new();
        for run in samples.trajectories() {
            let shape = run.shape();
            let noise = run
                .values
                .iter()
                .enumerate()
                .map(|(field, values)| {
                    let given = self.options.noise.as_ref().map(|noise| noise[field]);
                    let level = given.unwrap_or_else(|| noise_level(values, &shape));
                    level.max(CLEANEST * known_rms(values))
                })
                .collect();
            let prepared = Prepared::new(run, noise);
            let all = self.library.terms().iter().chain(&self.targets);
            columns.push(
                all.map(|term| prepared.column(term))
                    .collect::<Result<Vec<_>, _>>()?,
            );
            data.push(prepared);
        }
        Ok(Evaluated {
            data,
            columns,
            terms: self.library.len(),
        })
    }

    /// Test functions whose spectrum ends where that of the data does.
    fn windows(&self, source: &Evaluated<'_>) -> Windows {
        let dim = self.library.axes().len();
        let outers = source.columns.iter().flatten().flat_map(|c| &c.noise);
        let order = outers.flat_map(|part| part.outer.iter().copied()).max();
        let power = exponent(order.unwrap_or(0));
        if let Some(half) = &self.options.half_widths {
            return Windows {
                half: half.clone(),
                power,
            };
        }
        let half = (0..dim)
            .map(|axis| {
                let mut corners = Vec::new();
                for data in &source.data {
                    for (values, &noise) in data.run.values.iter().zip(&data.noise) {
                        let per_point = corner(values, &data.shape, axis, noise, ENERGY);
                        corners.push(per_point / data.run.axes[axis].step);
                    }
                }
                let mean = corners.iter().sum::<f64>() / corners.len().max(1) as f64;
                let points = TAU * spread(power) / (mean * step_of(source, axis));
                self.within(source, axis, points)
            })
            .collect();
        Windows { half, power }
    }

    /// A half-width that leaves room for many windows along the shortest record.
    fn within(&self, source: &Evaluated<'_>, axis: usize, points: f64) -> usize {
        let step = step_of(source, axis);
        let room = source
            .data
            .iter()
            .map(|data| data.shape[axis] as f64 * data.run.axes[axis].step / step)
            .fold(f64::INFINITY, f64::min);
        let share = if source.data.iter().all(|data| data.shape.len() == 1) {
            WIDEST_ALONE
        } else {
            WIDEST
        };
        (points.round() as usize).clamp(NARROWEST, (room as usize / share).max(NARROWEST))
    }

    /// The law of one target by itself: terms, windows that determine it best, and terms again.
    fn alone(
        &self,
        source: &Evaluated<'_>,
        target: usize,
        start: Windows,
    ) -> Result<Answer, DiscoveryError> {
        let mut windows = start;
        let mut tiled = self.tile(source, &windows)?;
        let (mut blocks, mut judged) = self.weigh(&tiled, target, Vec::new(), &[]);
        if self.options.half_widths.is_none() {
            if let Some(best) = judged.first().filter(|best| !best.support.is_empty()) {
                let law = law_of(best);
                let better = self.refine(source, target, &windows, &law);
                if better != windows {
                    windows = better;
                    tiled = self.tile(source, &windows)?;
                    (blocks, judged) = self.weigh(&tiled, target, law, &[]);
                }
            }
        }
        Ok(Answer {
            windows,
            blocks,
            judged,
        })
    }

    /// Compares the best supports by the likelihood of the rows, each under its own covariance.
    ///
    /// One covariance for all, as in [`weigh`](Self::weigh), is near enough to find the few that
    /// count, but favours whichever law it was taken from.
    fn finals(
        &self,
        tiled: &Tiled<'_, '_>,
        target: usize,
        others: &[KnownLaw],
        blocks: Vec<Moments>,
        judged: Vec<Judged>,
    ) -> (Vec<Moments>, Vec<Judged>) {
        let Some(best) = judged.first() else {
            return (blocks, judged);
        };
        let total = self.sum(&blocks);
        let noise = total.noise_of(&best.support, &best.fit.coefficients);
        let residual = total.residual_of(&best.support, &best.fit.coefficients);
        // Without noise to speak of the residual is quadrature, and likelihoods mean nothing.
        if residual > NOISY * noise || judged.len() < 2 {
            return (blocks, judged);
        }
        let limit = best.criterion + CONTENDER;
        let near = judged.iter().take(FINALISTS).filter(|j| j.criterion < limit);
        let mut waiting: Vec<Judged> = near.cloned().collect();
        if waiting.len() < 2 {
            return (blocks, judged);
        }
        let mut finalists: Vec<(Judged, Vec<Moments>)> = Vec::new();
        while let Some(next) = waiting.pop() {
            let mut law = law_of(&next);
            let first = self.sum(&tiled.moments(target, &law, others));
            law = next
                .support
                .iter()
                .copied()
                .zip(first.fit(&next.support).coefficients)
                .collect();
            let own = tiled.moments(target, &law, others);
            let total = self.sum(&own);
            let judge = Judge::new(&total, 0.0, self.options.largest);
            finalists.push((judge.likelihood(next.support), own));
            if waiting.is_empty() && finalists.len() < 3 * FINALISTS {
                // The best law without one of its terms may not have come this far by itself.
                waiting = self.shorter(&finalists);
            }
        }
        finalists.sort_by(|a, b| a.0.criterion.total_cmp(&b.0.criterion));
        let mut ranked: Vec<Judged> = finalists.iter().map(|(j, _)| j.clone()).collect();
        let Some((_, own)) = finalists.into_iter().next() else {
            return (blocks, judged);
        };
        let shift = ranked[0].criterion - best.criterion;
        for rest in judged {
            if ranked.iter().all(|j| j.support != rest.support) {
                ranked.push(Judged {
                    criterion: rest.criterion + shift,
                    ..rest
                });
            }
        }
        (own, ranked)
    }

    /// The best of the finalists without the term that matters least, if that law is not among them.
    fn shorter(&self, finalists: &[(Judged, Vec<Moments>)]) -> Vec<Judged> {
        let best = finalists
            .iter()
            .min_by(|a, b| a.0.criterion.total_cmp(&b.0.criterion));
        let Some((best, own)) = best.filter(|(best, _)| best.support.len() > 1) else {
            return Vec::new();
        };
        let total = self.sum(own);
        let reference = total.noise_of(&best.support, &best.fit.coefficients);
        let judge = Judge::new(&total, reference, self.options.largest);
        (0..best.support.len())
            .map(|place| {
                let mut support = best.support.clone();
                support.remove(place);
                judge.judge(support)
            })
            .min_by(|a, b| a.criterion.total_cmp(&b.criterion))
            .filter(|less| finalists.iter().all(|(known, _)| known.support != less.support))
            .into_iter()
            .collect()
    }

    fn tile<'e, 'a>(
        &self,
        source: &'e Evaluated<'a>,
        windows: &Windows,
    ) -> Result<Tiled<'e, 'a>, DiscoveryError> {
        let tiled = Tiled::new(source, windows);
        let needed = 2 * (self.library.len() + 2);
        if tiled.count() < needed {
            return Err(DiscoveryError::TooFewWindows {
                found: tiled.count(),
                needed,
                half_widths: windows.half.clone(),
            });
        }
        Ok(tiled)
    }

    /// The half-widths, axis by axis, for which the noise leaves the coefficients of the law least
    /// uncertain.
    fn refine(
        &self,
        source: &Evaluated<'_>,
        target: usize,
        start: &Windows,
        law: &[(usize, f64)],
    ) -> Windows {
        let support: Vec<usize> = law.iter().map(|(k, _)| *k).collect();
        let uncertainty = |windows: &Windows| -> f64 {
            let Ok(tiled) = self.tile(source, windows) else {
                return f64::INFINITY;
            };
            let fit = self.sum(&tiled.moments(target, law, &[])).fit(&support);
            let logarithms: f64 = fit.deviations.iter().map(|d| d.ln()).sum();
            if fit.dependent {
                f64::INFINITY
            } else {
                (logarithms / support.len().max(1) as f64).exp()
            }
        };
        let mut best = (uncertainty(start), start.clone());
        for axis in 0..start.half.len() {
            for ratio in [1.0 / RATIO, RATIO] {
                let mut moved = false;
                loop {
                    let mut next = best.1.clone();
                    let points = next.half[axis] as f64 * ratio;
                    next.half[axis] = self.within(source, axis, points);
                    if next == best.1 {
                        break;
                    }
                    let found = uncertainty(&next);
                    if found >= GAIN * best.0 {
                        break;
                    }
                    best = (found, next);
                    moved = true;
                }
                if moved {
                    break;
                }
            }
        }
        best.1
    }

    fn sum(&self, blocks: &[Moments]) -> Moments {
        let mut total = Moments::zero(self.library.len() + 1);
        for block in blocks {
            total.add(block, 1.0);
        }
        total
    }

    /// Weights from the noise under the last law, terms under these weights, until both stay.
    fn weigh(
        &self,
        tiled: &Tiled<'_, '_>,
        target: usize,
        mut law: Vec<(usize, f64)>,
        others: &[KnownLaw],
    ) -> (Vec<Moments>, Vec<Judged>) {
        let mut seen: Vec<Vec<usize>> = vec![law.iter().map(|(k, _)| *k).collect()];
        loop {
            let blocks = tiled.moments(target, &law, others);
            let total = self.sum(&blocks);
            let (support, coefficients): (Vec<usize>, Vec<f64>) = law.iter().copied().unzip();
            let reference = total.noise_of(&support, &coefficients);
            let judged = Judge::new(&total, reference, self.options.largest).search();
            let Some(best) = judged.first() else {
                return (blocks, judged);
            };
            law = law_of(best);
            let again = seen.last() == Some(&best.support);
            seen.push(best.support.clone());
            if again || seen.len() > ROUNDS {
                return (blocks, judged);
            }
        }
    }
}

/// A target and the law that was found for it.
type KnownLaw = (usize, Vec<(usize, f64)>);

/// What is known about one target.
struct Answer {
    windows: Windows,
    blocks: Vec<Moments>,
    judged: Vec<Judged>,
}

impl Answer {
    fn law(&self) -> Vec<(usize, f64)> {
        self.judged.first().map_or(Vec::new(), law_of)
    }

    /// Whether the law leaves nothing but noise.
    fn sound(&self) -> bool {
        let law: (Vec<usize>, Vec<f64>) = self.law().into_iter().unzip();
        let sum = |of: &dyn Fn(&Moments) -> f64| self.blocks.iter().map(of).sum::<f64>();
        let residual = sum(&|m| m.residual_of(&law.0, &law.1));
        let noise = sum(&|m| m.noise_of(&law.0, &law.1));
        !law.0.is_empty() && residual < SOUND * noise
    }
}

fn law_of(judged: &Judged) -> Vec<(usize, f64)> {
    let terms = judged.support.iter().copied();
    terms.zip(judged.fit.coefficients.iter().copied()).collect()
}

fn step_of(source: &Evaluated<'_>, axis: usize) -> f64 {
    source.data.first().map_or(1.0, |data| data.run.axes[axis].step)
}

