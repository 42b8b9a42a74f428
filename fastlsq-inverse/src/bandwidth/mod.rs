//! Learning the bandwidth: the law of the frequencies by gradient descent (paper, Algorithm 2).
//!
//! The features stay sin(wⱼ·x + bⱼ) with wⱼ = L ŵⱼ and a frozen standard draw ŵ. For each L the
//! coefficients β* minimise ‖A(L)β − b‖² + μ‖β‖², so the loss
//! ```text
//! loss(L) = (‖A(L)β* − b‖² + μ‖β*‖²)/M
//! ```
//! has the exact gradient 2 rᵀ(∂A/∂L)β*/M with β* held fixed (envelope theorem): nothing is
//! differentiated through the solve. L = σ I, or L = U·diag(e^ℓ) with U unit lower triangular: for a
//! travelling profile g(x − vt) the entry of U that couples t to x is −v.

mod objective;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use fastlsq_basis::{Basis, FrequencyLaw, InputMap, SinusoidalBasis};
use fastlsq_solve::rows::{HeldOut, RowCounts, TableShare, block_weights, sample_blocks};
use fastlsq_solve::{ConcreteProblem, LinearProblem, Options, RowBlock, Solution, Stage, System};

use crate::InverseError;
use crate::optimise::{
    Bounds, MinimiseOptions, Minimum, OptimiseError, Progress, minimise_with_progress,
};

pub use objective::BandwidthLoss;

/// What is learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// One bandwidth σ for all axes.
    Isotropic,
    /// One bandwidth for each axis.
    PerAxis,
    /// A full covariance L Lᵀ.
    Full,
}

/// A bandwidth to be learned for a linear problem (or a fit of data).
///
/// ```
/// use fastlsq_inverse::{BandwidthLearner, Shape};
/// use fastlsq_inverse::optimise::MinimiseOptions;
/// use fastlsq_solve::{Options, problems};
///
/// let helmholtz = problems::helmholtz_2d(6.0);
/// let options = Options::new().features(120).rows(400, 80).weight(100.0);
/// let learner = BandwidthLearner::new(&helmholtz.problem, Shape::Isotropic, 2.0, &options)?;
/// let learned = learner.learn(&MinimiseOptions::new().max_iterations(20))?;
/// assert!(learned.losses.last() < learned.losses.first());
/// let u = learned.solution;                      // solved with the learned law
/// assert!(helmholtz.errors(&u, 500)?.value < 1e-3);
/// # Ok::<(), fastlsq_inverse::InverseError>(())
/// ```
#[derive(Debug)]
pub struct BandwidthLearner {
    problem: LinearProblem,
    concrete: ConcreteProblem,
    options: Options,
    loss: BandwidthLoss,
    start: Vec<f64>,
}

/// A learned law, and how it was found.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LearnedBandwidth {
    /// The law of the frequencies, in the coordinates of the features' map.
    pub law: FrequencyLaw,
    /// Its factor L, row by row, all d² entries.
    pub factor: Vec<f64>,
    /// The loss at the start and after each step; for gradual learning, one level after the other, each with its
    /// own ridge.
    pub losses: Vec<f64>,
    /// The factor L that belongs to each of them.
    pub factors: Vec<Vec<f64>>,
    /// The solution with the learned law.
    pub solution: Solution,
    /// Its relative residual at held-out points.
    pub held_out: f64,
    /// The least loss, which belongs to `law`; the last of `losses` may be larger. For gradual learning, that of the
    /// winning level, with its ridge.
    pub loss: f64,
    /// The ridge the solution was computed with: that of the options, or of the winning level.
    pub ridge: f64,
    /// Steps in all.
    pub iterations: u64,
    /// Evaluations of the loss in all.
    pub evaluations: u64,
    /// The record of the optimisation, for gradual learning that of the winning level; its values are logarithms of the
    /// loss unless the loss itself was [asked for](BandwidthLearner::plain).
    pub minimum: Minimum,
    /// Seconds for everything.
    pub seconds: f64,
}

impl LearnedBandwidth {
    /// The geometric mean of the diagonal of L: σ itself for an isotropic law.
    #[must_use]
    pub fn sigma(&self) -> f64 {
        geometric_mean(&self.factor)
    }

    /// σ at the start and after each step.
    #[must_use]
    pub fn sigmas(&self) -> Vec<f64> {
        self.factors.iter().map(|l| geometric_mean(l)).collect()
    }

    /// The speed v of the travelling profile g(x − vt) that the covariance C = L Lᵀ of the
    /// frequencies belongs to, for time and space axes in the coordinates of the map: the line
    /// k_t = −v k_x along which they lie, v = −C_tx/C_xx.
    #[must_use]
    pub fn speed(&self, space: usize, time: usize) -> f64 {
        let dim = (self.factor.len() as f64).sqrt() as usize;
        if space >= dim || time >= dim {
            return f64::NAN;
        }
        let covariance = |a: usize, b: usize| -> f64 {
            (0..dim)
                .map(|k| self.factor[a * dim + k] * self.factor[b * dim + k])
                .sum()
        };
        -covariance(time, space) / covariance(space, space)
    }
}

fn geometric_mean(factor: &[f64]) -> f64 {
    let dim = (factor.len() as f64).sqrt() as usize;
    let logs: f64 = (0..dim).map(|k| factor[k * dim + k].abs().ln()).sum();
    (logs / dim.max(1) as f64).exp()
}

impl BandwidthLearner {
    /// Learns in physical coordinates, from an isotropic law with this σ. The options' features (500 unless given),
    /// rows, oversampling, weight, sequence, seed, scaling, backend, memory limit and least-squares options are used.
    ///
    /// # Errors
    /// A σ that is not positive, a problem that cannot be sampled.
    pub fn new(
        problem: &LinearProblem,
        shape: Shape,
        sigma: f64,
        options: &Options,
    ) -> Result<Self, InverseError> {
        let map = InputMap::identity(problem.domain().dim());
        Self::with_map(problem, shape, sigma, map, options)
    }

    /// Learns in coordinates in which the domain's bounding box is [−1, 1]ᵈ.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn normalised(
        problem: &LinearProblem,
        shape: Shape,
        sigma: f64,
        options: &Options,
    ) -> Result<Self, InverseError> {
        let bounds = problem.domain().bounding_box()?;
        let map = InputMap::from_box(bounds.lo(), bounds.hi())?;
        Self::with_map(problem, shape, sigma, map, options)
    }

    fn with_map(
        problem: &LinearProblem,
        shape: Shape,
        sigma: f64,
        map: InputMap,
        options: &Options,
    ) -> Result<Self, InverseError> {
        if !(sigma.is_finite() && sigma > 0.0) {
            return Err(InverseError::Option {
                option: "sigma",
                value: sigma,
                requirement: "positive and finite",
            });
        }
        let concrete = problem.statement().linear()?;
        options.validate(&concrete)?;
        let dim = concrete.domain.dim();
        let features = options.features.unwrap_or(500);
        let basis = SinusoidalBasis::builder(dim, features)
            .law(FrequencyLaw::Isotropic(sigma))
            .map(map)
            .seed(options.seed)
            .normalised(options.normalised)
            .build()?;
        let counts = RowCounts::choose(&concrete, options.rows, features, options.oversampling);
        let blocks = sample_blocks(
            &concrete,
            &counts,
            options.sequence,
            options.seed,
            TableShare::Fitted,
            options.control(),
        )?;
        let shared: Arc<dyn Basis> = Arc::new(basis.clone());
        if concrete.unknowns.len() != 1 {
            return Err(InverseError::Unsupported {
                what: "learning the bandwidth of several unknowns at once",
                hint: "learn it for one of them and give the law to the others",
            });
        }
        let mut system = System::new(vec![shared], blocks)?;
        let weights = block_weights(&concrete, options.weight, &system)?;
        system.set_weights(&weights);
        let loss = BandwidthLoss::new(basis, system.blocks().to_vec(), shape, options)?;
        let start = loss.isotropic_parameters(sigma);
        Ok(Self {
            problem: problem.clone(),
            concrete,
            options: options.clone(),
            loss,
            start,
        })
    }

    /// The loss as a function of its parameters, for checks and optimisers of one's own.
    #[must_use]
    pub fn loss(&self) -> &BandwidthLoss {
        &self.loss
    }

    /// The parameters of the start.
    #[must_use]
    pub fn start(&self) -> &[f64] {
        &self.start
    }

    /// The rows that are fitted, with their weights.
    #[must_use]
    pub fn blocks(&self) -> &[RowBlock] {
        self.loss.blocks()
    }

    /// Starts from other parameters, those of an earlier run for instance.
    ///
    /// # Errors
    /// Another number of parameters.
    pub fn from_parameters(mut self, parameters: &[f64]) -> Result<Self, InverseError> {
        if parameters.len() != self.start.len() {
            return Err(InverseError::Shape {
                label: "the bandwidth".to_owned(),
                what: "parameters",
                expected: self.start.len(),
                found: parameters.len(),
            });
        }
        self.start = parameters.to_vec();
        Ok(self)
    }

    /// Descends on the loss itself, as the paper does, instead of its logarithm. The loss falls by many
    /// orders of magnitude, and with it its gradient, which Adam divides by the size of the earlier, larger
    /// ones: its steps die out.
    #[must_use]
    pub fn plain(mut self) -> Self {
        self.loss.make_plain();
        self
    }

    /// Learns the law. The objective handed to the method is the logarithm of the loss, or
    /// [the loss itself](Self::plain).
    ///
    /// # Errors
    /// A loss that cannot be evaluated at the start.
    pub fn learn(&self, options: &MinimiseOptions) -> Result<LearnedBandwidth, InverseError> {
        self.learn_with_progress(options, &mut |_| ControlFlow::Continue(()))
    }

    /// As [`learn`](Self::learn), with a callback that sees every step and may stop.
    ///
    /// # Errors
    /// As [`learn`](Self::learn).
    pub fn learn_with_progress(
        &self,
        options: &MinimiseOptions,
        progress: &mut dyn FnMut(&Progress<'_>) -> ControlFlow<()>,
    ) -> Result<LearnedBandwidth, InverseError> {
        self.learn_under(self.loss.ridge(), &[], options, progress)
    }

    /// Learns under a ridge that is lowered level by level, each starting where the one before ended.
    ///
    /// A covariance has more parameters than one σ, and the loss without a ridge is rugged in them: it falls by
    /// many orders of magnitude in narrow valleys, and close to them it is the rounding of large coefficients.
    /// A ridge smooths it: at first only what small coefficients can fit counts.
    ///
    /// There are five levels, from 1e-3 to 1e-11 of a column's mean squared norm, and the iterations of the options
    /// are those of one level. With a ridge in the options, that ridge takes the place of all levels below it. Of all
    /// levels, solved with their own ridge or that of the options, the one with the least residual at held-out
    /// points is kept.
    ///
    /// ```
    /// use fastlsq_inverse::applications::TravellingProfile;
    /// use fastlsq_inverse::optimise::MinimiseOptions;
    /// use fastlsq_inverse::Options;
    ///
    /// let soliton = TravellingProfile::kdv(1000); // samples of g(x − 30t)
    /// let learner = soliton.learner(4.0, &Options::new().features(80))?;
    /// let learned = learner.learn_gradually(&MinimiseOptions::new().max_iterations(15))?;
    /// let speed = soliton.physical_speed(learned.speed(0, 1));
    /// assert!((speed / 30.0 - 1.0).abs() < 0.1);
    /// # Ok::<(), fastlsq_inverse::InverseError>(())
    /// ```
    ///
    /// # Errors
    /// As [`learn`](Self::learn), at the first level; what fails later ends the descent with the best so far.
    pub fn learn_gradually(
        &self,
        options: &MinimiseOptions,
    ) -> Result<LearnedBandwidth, InverseError> {
        self.learn_gradually_with_progress(options, &mut |_| ControlFlow::Continue(()))
    }

    /// As [`learn_gradually`](Self::learn_gradually), with a callback that sees every step and may stop. Its count of
    /// iterations begins anew at each level.
    ///
    /// # Errors
    /// As [`learn_gradually`](Self::learn_gradually).
    pub fn learn_gradually_with_progress(
        &self,
        options: &MinimiseOptions,
        progress: &mut dyn FnMut(&Progress<'_>) -> ControlFlow<()>,
    ) -> Result<LearnedBandwidth, InverseError> {
        let own = self.loss.ridge();
        let size = self.loss.column_size(&self.start)?;
        let mut levels: Vec<f64> = RIDGE_LEVELS.iter().map(|level| level * size).collect();
        levels.retain(|level| *level > own);
        if own > 0.0 {
            levels.push(own);
        }
        match levels.split_first() {
            Some((first, rest)) => self.learn_under(*first, rest, options, progress),
            None => self.learn_under(own, &[], options, progress),
        }
    }

    /// Learns under one ridge after the other. A failure of the first is an error; a failure of a later one ends
    /// the descent.
    fn learn_under(
        &self,
        first: f64,
        rest: &[f64],
        options: &MinimiseOptions,
        progress: &mut dyn FnMut(&Progress<'_>) -> ControlFlow<()>,
    ) -> Result<LearnedBandwidth, InverseError> {
        let begin = Instant::now();
        let mut control = self.options.started().control().clone();
        if control.time().is_some() {
            // Making a result of the best law takes about as much work as two evaluations.
            let loss = self.loss.with_ridge(first, &control);
            loss.loss_and_gradient(&self.start)?;
            let evaluation = control.agreed(begin.elapsed());
            control = control.reserving(2 * evaluation);
        }
        let mut history = History::default();
        let mut stopped = false;
        let mut level = |ridge: f64, start: &[f64]| -> Result<Level, InverseError> {
            let loss = self.loss.with_ridge(ridge, &control);
            let minimum = descend(&loss, start, options, &mut |step| {
                control.note_score(loss.loss_of(step.value));
                let iteration = step.iteration;
                let flow = match control.enter(Stage::Fit { iteration }) {
                    Ok(()) => progress(step),
                    Err(_) => ControlFlow::Break(()),
                };
                stopped = flow.is_break();
                flow
            })?;
            history.add(&loss, &minimum);
            let judged = self.better_ridge(&self.loss.law(&minimum.parameters), ridge)?;
            Ok(Level {
                judged,
                minimum,
                stopped,
            })
        };
        let mut best = level(first, &self.start)?;
        let (mut at, mut stopped) = (best.minimum.parameters.clone(), best.stopped);
        for &ridge in rest {
            if stopped {
                break;
            }
            let Ok(next) = level(ridge, &at) else {
                break;
            };
            at.clone_from(&next.minimum.parameters);
            stopped = next.stopped;
            if next.judged.held_out < best.judged.held_out {
                best = next;
            }
        }
        let Level {
            judged, minimum, ..
        } = best;
        Ok(LearnedBandwidth {
            law: self.loss.law(&minimum.parameters),
            factor: self.loss.factor(&minimum.parameters),
            losses: history.losses,
            factors: history.factors,
            iterations: history.iterations,
            evaluations: history.evaluations,
            loss: self.loss.loss_of(minimum.value),
            ridge: judged.ridge,
            solution: judged.solution,
            held_out: judged.held_out,
            minimum,
            seconds: begin.elapsed().as_secs_f64(),
        })
    }

    /// A law solved with this ridge, or with that of the options where that does better: without a ridge there may
    /// be no solution.
    fn better_ridge(&self, law: &FrequencyLaw, ridge: f64) -> Result<Judged, InverseError> {
        let judged = self.judge(law, ridge)?;
        let own = self.loss.ridge();
        if ridge == own {
            return Ok(judged);
        }
        Ok(match self.judge(law, own) {
            Ok(other) if other.held_out < judged.held_out => other,
            _ => judged,
        })
    }

    /// The solution with any law and the same draw, and its relative residual at held-out points.
    ///
    /// # Errors
    /// A law that does not fit, a solve that fails.
    pub fn solve_with(&self, law: &FrequencyLaw) -> Result<(Solution, f64), InverseError> {
        let judged = self.judge(law, self.loss.ridge())?;
        Ok((judged.solution, judged.held_out))
    }

    fn judge(&self, law: &FrequencyLaw, ridge: f64) -> Result<Judged, InverseError> {
        let basis: Arc<dyn Basis> = Arc::new(self.loss.basis().with_law(law)?);
        let mut options = self.options.clone().basis(basis);
        options.lsq.ridge = ridge;
        options.lsq.control = options.lsq.control.without_deadline();
        let solution = self.problem.solve_with(&options)?;
        let held_out = HeldOut::new(&self.concrete, self.options.seed)?
            .score(solution.bases(), solution.coefficients())?
            .worst;
        Ok(Judged {
            ridge,
            solution,
            held_out,
        })
    }
}

/// Ridges of gradual learning, as shares of a column's squared norm.
const RIDGE_LEVELS: [f64; 5] = [1e-3, 1e-5, 1e-7, 1e-9, 1e-11];

/// A law that was used for a solve, and how well it did.
struct Judged {
    ridge: f64,
    solution: Solution,
    held_out: f64,
}

/// Where the descent under one ridge ended.
struct Level {
    judged: Judged,
    minimum: Minimum,
    /// Whether the caller asked to stop.
    stopped: bool,
}

/// Every step of one descent or several.
#[derive(Default)]
struct History {
    losses: Vec<f64>,
    factors: Vec<Vec<f64>>,
    iterations: u64,
    evaluations: u64,
}

impl History {
    fn add(&mut self, loss: &BandwidthLoss, minimum: &Minimum) {
        let losses = minimum.history.iter().map(|value| loss.loss_of(*value));
        self.losses.extend(losses);
        let factors = minimum.trajectory.iter().map(|p| loss.factor(p));
        self.factors.extend(factors);
        self.iterations += minimum.iterations;
        self.evaluations += minimum.evaluations;
    }
}

fn descend(
    loss: &BandwidthLoss,
    start: &[f64],
    options: &MinimiseOptions,
    progress: &mut dyn FnMut(&Progress<'_>) -> ControlFlow<()>,
) -> Result<Minimum, InverseError> {
    let sides: Vec<(f64, f64)> = loss.bounds();
    let bounds = Bounds::from_pairs(&sides).map_err(OptimiseError::from)?;
    let options = options.clone().record_trajectory();
    Ok(minimise_with_progress(
        loss, start, &bounds, &options, progress,
    )?)
}
