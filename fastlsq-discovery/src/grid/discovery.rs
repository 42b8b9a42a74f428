//! From fields on grids to their laws, without a fit of the fields.

use std::sync::Arc;

use fastlsq_solve::Stage;

use super::assembly::{EvaluatedTerms, KnownLaw, Tiled};
use super::column::{Prepared, known_rms};
use super::conclude::{conclude, doubt_transport, take_refit};
use super::law::GridLaws;
use super::library::GridLibrary;
use super::noise::{corner, noise_level};
use super::options::GridOptions;
use super::refine::TargetRows;
use super::samples::GridData;
use super::term::GridTerm;
use super::units::check_units;
use super::windows::{NARROWEST, Windows, exponent, spread};
use crate::DiscoveryError;
use crate::evidence::{Judged, Law, Moments, law_of};
use crate::verdict::Status;

/// Noise is never taken to be smaller than this share of a field.
const CLEANEST: f64 = 1e-10;
/// ψ̂ falls to e^{−τ²/2} at the corner of the spectrum.
const TAU: f64 = 2.0;
/// Share of the signal's energy below the corner.
const ENERGY: f64 = 0.95;
/// Windows reach over at most this part of a record on each side, with several axes and with one.
const WIDEST: usize = 6;
const WIDEST_ALONE: usize = 16;
/// Rounds over the laws of a system that take those of the others into account.
const TOGETHER: usize = 2;
/// Arrays of the size of the data that carry the noise of one part of a term, on average.
const COPIES: usize = 2;
/// A residual below this many times what noise leaves is noise.
const SOUND: f64 = 1.5;

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
    pub(super) library: GridLibrary,
    targets: Vec<GridTerm>,
    pub(super) options: GridOptions,
}

impl GridDiscovery {
    /// The laws of the derivatives `targets`, such as `u_t` and `v_t`, over one library.
    ///
    /// # Errors
    /// No target, or targets that cannot be read, are not a derivative of one field or are terms
    /// themselves; an empty library.
    pub fn new(library: GridLibrary, targets: &[&str]) -> Result<Self, DiscoveryError> {
        let mut read = Vec::new();
        for text in targets {
            let term = library.read(text)?;
            if !term
                .linear()
                .is_some_and(|(_, outer)| outer.iter().any(|n| *n > 0))
            {
                let reason = "a target must be a derivative of one field, such as u_t";
                return Err(library.unreadable(text, reason));
            }
            if library.terms().iter().any(|t| term.ratio(t).is_some()) {
                return Err(DiscoveryError::TargetInDictionary { name: term.name });
            }
            read.push(term);
        }
        let Some(first) = read.first() else {
            return Err(DiscoveryError::Setting {
                what: "number of targets",
                value: 0.0,
                requirement: "at least 1",
            });
        };
        if library.is_empty() {
            return Err(DiscoveryError::EmptyDictionary {
                target: first.name.clone(),
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

    pub(super) fn targets(&self) -> &[GridTerm] {
        &self.targets
    }

    /// Finds the laws.
    ///
    /// # Errors
    /// Data with other fields or axes than the library, options out of range, terms that are not
    /// defined on the data, records without room for enough windows.
    pub fn run(&self, samples: &GridData) -> Result<GridLaws, DiscoveryError> {
        let dim = self.library.axes().len();
        self.options.validate(self.library.fields().len(), dim)?;
        if samples.fields() != self.library.fields() || samples.dim() != dim {
            return Err(DiscoveryError::OtherTrajectory {
                expected: self.library.fields().to_vec(),
                found: samples.fields().to_vec(),
                dims: (dim, samples.dim()),
            });
        }
        let mut running = self.clone();
        running.options.control = running.options.control.started();
        running.options.control.enter(Stage::Preparing)?;
        running.find(samples)
    }

    /// The laws, under a control that was started.
    fn find(&self, samples: &GridData) -> Result<GridLaws, DiscoveryError> {
        let control = &self.options.control;
        let _held = control.hold(self.bytes(samples))?;
        let source = self.evaluate(samples)?;
        let mut windows = self.windows(&source);
        let mut answers = Vec::new();
        for target in 0..self.targets.len() {
            control.enter(Stage::Law { fitted: target })?;
            let answer = self.alone(&source, target, windows)?;
            windows = answer.windows.clone();
            answers.push(answer);
        }
        // From here on there are laws, and a limit ends only what would make them better.
        if let Err(error) = self.together(&source, &mut answers)
            && error.limit().is_none()
        {
            return Err(error);
        }
        let known: Vec<Law> = answers.iter().map(Answer::law).collect();
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
        let doubtful = laws.iter().any(|law| law.status != Status::Explained);
        let refit = match control.is_over() {
            true => None,
            false => self.refit(samples, &source, &known, doubtful),
        };
        if let Some(fit) = &refit {
            take_refit(&mut laws, fit, &self.library);
        }
        for (law, target) in laws.iter_mut().zip(&self.targets) {
            doubt_transport(law, target);
        }
        Ok(GridLaws {
            laws,
            horizon: refit.map(|fit| fit.horizon),
            noise: source.data.iter().map(|data| data.noise.clone()).collect(),
            half_widths,
            stopped: control.check().err(),
        })
    }

    /// What the other laws leave over is noise: it sharpens the law of each.
    fn together(
        &self,
        source: &EvaluatedTerms<'_>,
        answers: &mut [Answer],
    ) -> Result<(), DiscoveryError> {
        let rounds = if answers.len() > 1 { TOGETHER } else { 1 };
        for round in 1..=rounds {
            for target in 0..answers.len() {
                let others: Vec<KnownLaw> = (0..answers.len())
                    .filter(|&k| k != target && answers[k].sound())
                    .map(|k| (k, answers[k].law()))
                    .collect();
                let tiled = self.tile(source, &answers[target].windows)?;
                let start = answers[target].law();
                let rows = TargetRows {
                    tiled: &tiled,
                    target,
                    others: &others,
                };
                let contest = self.contest(&rows);
                let (blocks, judged) = if round == rounds {
                    contest.run(&start)?
                } else {
                    contest.weigh(start, true)?
                };
                answers[target].blocks = blocks;
                answers[target].judged = judged;
            }
        }
        Ok(())
    }

    /// What the columns take: every term with its values and the weights of its noise.
    fn bytes(&self, samples: &GridData) -> Option<usize> {
        let points = samples
            .trajectories()
            .iter()
            .try_fold(0_usize, |sum, run| {
                let points = run
                    .shape()
                    .iter()
                    .try_fold(1_usize, |n, k| n.checked_mul(*k));
                sum.checked_add(points?)
            })?;
        let parts = |term: &GridTerm| term.parts.len() * (1 + COPIES);
        let terms = self.library.terms().iter().chain(&self.targets);
        points.checked_mul(size_of::<f64>() * terms.map(parts).sum::<usize>())
    }

    /// Noise levels, smoothers and all columns.
    fn evaluate<'a>(&self, samples: &'a GridData) -> Result<EvaluatedTerms<'a>, DiscoveryError> {
        let mut data = Vec::new();
        let mut columns = Vec::new();
        let terms: Vec<&GridTerm> = self.library.terms().iter().chain(&self.targets).collect();
        for run in samples.trajectories() {
            check_units(&self.library, &terms, run)?;
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
            let all = terms.iter();
            columns.push(
                all.map(|term| {
                    self.options.control.check()?;
                    prepared.column(term).map(Arc::new)
                })
                .collect::<Result<Vec<_>, _>>()?,
            );
            data.push(prepared);
        }
        Ok(EvaluatedTerms {
            data,
            columns,
            terms: self.library.len(),
        })
    }

    /// Test functions whose spectrum ends where that of the data does.
    fn windows(&self, source: &EvaluatedTerms<'_>) -> Windows {
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
    pub(super) fn within(&self, source: &EvaluatedTerms<'_>, axis: usize, points: f64) -> usize {
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
        source: &EvaluatedTerms<'_>,
        target: usize,
        start: Windows,
    ) -> Result<Answer, DiscoveryError> {
        let mut windows = start;
        let tiled = self.tile(source, &windows)?;
        let rows = TargetRows::alone(&tiled, target);
        let (mut blocks, mut judged) = self.contest(&rows).run(&[])?;
        let first = judged.first().filter(|best| !best.support.is_empty());
        if let (None, Some(best)) = (&self.options.half_widths, first) {
            let law = law_of(best);
            let better = self.refine(source, target, &windows, &law);
            if better != windows {
                let tiled = self.tile(source, &better);
                let again = tiled.and_then(|tiled| {
                    let found = self
                        .contest(&TargetRows::alone(&tiled, target))
                        .weigh(law, false);
                    Ok(found?)
                });
                match again {
                    Ok(found) => ((blocks, judged), windows) = (found, better),
                    // The first windows will do.
                    Err(error) if error.limit().is_some() => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(Answer {
            windows,
            blocks,
            judged,
        })
    }

    pub(super) fn tile<'e, 'a>(
        &self,
        source: &'e EvaluatedTerms<'a>,
        windows: &Windows,
    ) -> Result<Tiled<'e, 'a>, DiscoveryError> {
        let tiled = Tiled::new(source, windows, &self.options.control)?;
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
}

/// What is known about one target.
struct Answer {
    windows: Windows,
    blocks: Arc<Vec<Moments>>,
    judged: Vec<Judged>,
}

impl Answer {
    fn law(&self) -> Law {
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

fn step_of(source: &EvaluatedTerms<'_>, axis: usize) -> f64 {
    source
        .data
        .first()
        .map_or(1.0, |data| data.run.axes[axis].step)
}
