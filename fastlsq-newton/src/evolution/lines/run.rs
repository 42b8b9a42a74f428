//! From a statement to an evolution.

use super::adapt::{Sizes, coarsened, refined, tails, unresolved};
use super::law::{Law, LineUnknown};
use super::options::{LineError, LineOptions, LineReport, LineStatus, Mismatch};
use super::semidiscrete::Semidiscrete;
use super::solution::{Epoch, Evolution};
use crate::evolution::ode::{Method, Ode, OdeOptions, Propagator, Segment, Stepper, Trajectory};
use faer::Mat;
use fastlsq_solve::dense::times;
use fastlsq_solve::space::{Modes, Sampled, SpaceBuilder, SpaceError, Target, TrialSpace};
use ndarray::Array2;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Shares of the tolerance: of one step in time, of the fit of a space, of the tail that starts a refinement.
const STEP: f64 = 0.05;
const FIT: f64 = 0.001;
const TAIL: f64 = 0.005;
/// What a tail does to the solution, relative to its own size: a first derivative multiplies the weakest of n
/// modes on an interval of length h by about n²/h, for the time h/|u| that it takes to cross the interval.
const AMPLIFICATION: f64 = 100.0;
/// No fit is asked to be better than this: rounding of the compression.
const FINEST_FIT: f64 = 3e-13;
/// Steps per unit of ‖u_t‖/‖u‖ that accuracy asks for.
const STEPS_PER_SCALE: f64 = 10.0;
/// Intervals next to a kink of the initial value are halved so often at most.
const KINK_HALVINGS: usize = 12;
/// Steps after which intervals are looked at for some that could be joined.
const COARSEN_EVERY: usize = 25;
/// What an explicit step of order 8 reaches on the spectrum.
const REACH: f64 = 5.0;

/// Unknowns on a domain that evolve by a law, from initial values, over a time.
pub struct Lines {
    builder: SpaceBuilder,
    law: Arc<dyn Law>,
    unknowns: Arc<[LineUnknown]>,
    start: f64,
    end: f64,
}

impl std::fmt::Debug for Lines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lines")
            .field("builder", &self.builder)
            .field("unknowns", &self.unknowns)
            .field("times", &(self.start, self.end))
            .finish_non_exhaustive()
    }
}

impl Lines {
    /// The statement; the builder says domain, periodic axes and order in space (its tolerance is
    /// replaced).
    pub fn new(
        builder: SpaceBuilder,
        law: Arc<dyn Law>,
        unknowns: Vec<LineUnknown>,
        start: f64,
        end: f64,
    ) -> Self {
        Self {
            builder,
            law,
            unknowns: unknowns.into(),
            start,
            end,
        }
    }

    /// The solution.
    ///
    /// # Errors
    /// What cannot be started at all; an evolution that ends early is returned with its status.
    pub fn evolve(&self, options: &LineOptions) -> Result<Evolution, LineError> {
        self.evolve_observed(options, &mut |_, _| ControlFlow::Continue(()))
    }

    /// The solution; `observe` is called after each step with the time reached and the number of functions, and
    /// may stop the evolution.
    ///
    /// # Errors
    /// As [`evolve`](Self::evolve).
    pub fn evolve_observed(
        &self,
        options: &LineOptions,
        observe: &mut dyn FnMut(f64, usize) -> ControlFlow<()>,
    ) -> Result<Evolution, LineError> {
        self.check(options)?;
        let fit = (FIT * options.tolerance).max(FINEST_FIT);
        let builder = self.builder.clone().tolerance(fit);
        let modes = Arc::new(self.first_modes(&builder, options)?);
        let mut run = Run {
            lines: self,
            options,
            builder,
            allowed: TAIL * options.tolerance,
            epochs: Vec::new(),
            report: LineReport {
                status: LineStatus::Finished,
                error_estimate: 0.0,
                time_error: 0.0,
                projection_error: 0.0,
                tail: 0.0,
                steps: 0,
                spaces: Vec::new(),
                mismatches: self.mismatches(&modes, options.tolerance)?,
            },
            explicit_error: 0.0,
            implicit_error: 0.0,
        };
        let mut ode = run.semidiscrete(&modes)?;
        let start = |ode: &Semidiscrete| {
            ode.project(self.start, &|k, of_rate, points| {
                Ok(self.initial(k, of_rate, points))
            })
        };
        let mut y = start(&ode)?;
        let given = |k: usize, points: &Array2<f64>| self.initial(k, false, points);
        for _ in 0..KINK_HALVINGS {
            let Some(finer) = unresolved(&ode, self.start, &y, run.allowed, &given)? else {
                break;
            };
            if finer.len() > run.builder.mode_limit() {
                break;
            }
            ode = run.semidiscrete(&Arc::new(finer))?;
            y = start(&ode)?;
        }
        run.report.projection_error +=
            lost(&ode, self.start, &y, &|k, points| Ok(given(k, points)))?;
        run.go(ode, y, observe)?;
        Ok(run.finish())
    }

    fn check(&self, options: &LineOptions) -> Result<(), LineError> {
        if self.unknowns.is_empty() {
            return Err(LineError::NoUnknowns);
        }
        if !(options.tolerance > 0.0 && options.tolerance < 1.0) {
            return Err(LineError::Option {
                what: "tolerance",
                value: options.tolerance,
                requirement: "between 0 and 1",
            });
        }
        if !(self.start.is_finite() && self.end.is_finite() && self.start < self.end) {
            return Err(LineError::Option {
                what: "duration",
                value: self.end - self.start,
                requirement: "positive and finite",
            });
        }
        Ok(())
    }

    fn initial(&self, unknown: usize, of_rate: bool, points: &Array2<f64>) -> Vec<f64> {
        let own = &self.unknowns[unknown];
        let f = match (&own.initial_rate, of_rate) {
            (Some(rate), true) => rate,
            _ => &own.initial,
        };
        points.rows().into_iter().map(|x| f(&x.to_vec())).collect()
    }

    fn first_modes(
        &self,
        builder: &SpaceBuilder,
        options: &LineOptions,
    ) -> Result<Modes, SpaceError> {
        let functions: Vec<Box<Sampled<'_>>> = (0..self.unknowns.len())
            .flat_map(|k| [(k, false), (k, true)])
            .filter(|&(k, of_rate)| !of_rate || self.unknowns[k].initial_rate.is_some())
            .map(|(k, of_rate)| {
                let f = move |points: &Array2<f64>| Ok(self.initial(k, of_rate, points));
                Box::new(f) as Box<Sampled<'_>>
            })
            .collect();
        let functions: Vec<Target<'_>> = functions.iter().map(|f| (&**f, 0.0)).collect();
        builder.fitted(&functions, options.bandwidth)
    }

    /// Conditions that the initial values miss by more than the tolerance.
    fn mismatches(&self, modes: &Arc<Modes>, tolerance: f64) -> Result<Vec<Mismatch>, SpaceError> {
        let order = self.builder.equation_order();
        let free = TrialSpace::new(Arc::clone(modes), &[], order)?;
        let mut mismatches = Vec::new();
        for (k, unknown) in self.unknowns.iter().enumerate() {
            let modal = free.modal(
                &free.project(&self.initial(k, false, modes.nodes()), &[])?,
                &[],
            )?;
            let size = modal.iter().map(|c| c * c).sum::<f64>().sqrt();
            let space = TrialSpace::new(Arc::clone(modes), &unknown.conditions, order)?;
            for (number, (condition, points, normals)) in space.data_sites().enumerate() {
                let sites = fastlsq_solve::Sites::new(points.view()).with_normals(normals.view());
                let values = modes.apply(&condition.operator, &modal, sites)?;
                let wanted = |x: &[f64]| {
                    let boundary = unknown.boundary.as_ref();
                    boundary.map_or(0.0, |g| g(number, self.start, x))
                };
                let worst = points
                    .rows()
                    .into_iter()
                    .zip(values)
                    .map(|(x, value)| (x.to_vec(), (value - wanted(&x.to_vec())).abs()))
                    .max_by(|a, b| a.1.total_cmp(&b.1));
                // Derivatives on the boundary are less accurate than values: a generous factor.
                if let Some((point, amount)) = worst.filter(|w| w.1 > 1e3 * tolerance * size) {
                    mismatches.push(Mismatch {
                        unknown: k,
                        condition: condition.label.clone(),
                        point,
                        amount,
                    });
                }
            }
        }
        Ok(mismatches)
    }
}

/// An evolution under way.
struct Run<'a> {
    lines: &'a Lines,
    options: &'a LineOptions,
    builder: SpaceBuilder,
    allowed: f64,
    epochs: Vec<Epoch>,
    report: LineReport,
    explicit_error: f64,
    implicit_error: f64,
}

/// Why one space is left.
enum Leave {
    Done,
    Refine {
        t: f64,
        y: Vec<f64>,
        tails: Vec<f64>,
    },
    Coarsen {
        t: f64,
        y: Vec<f64>,
        modes: Modes,
    },
}

impl Run<'_> {
    fn semidiscrete(&self, modes: &Arc<Modes>) -> Result<Semidiscrete, SpaceError> {
        Semidiscrete::new(
            &self.lines.law,
            &self.lines.unknowns,
            modes,
            self.builder.equation_order(),
            self.lines.end - self.lines.start,
        )
    }

    /// Epoch after epoch.
    fn go(
        &mut self,
        mut ode: Semidiscrete,
        mut y: Vec<f64>,
        observe: &mut dyn FnMut(f64, usize) -> ControlFlow<()>,
    ) -> Result<(), LineError> {
        let mut t = self.lines.start;
        let mut sizes = Sizes::new(&ode, t, &y, self.lines.end - t)?;
        let mut step = None;
        loop {
            let (path, leave, last_step) = self.epoch(&ode, t, &y, (step, &mut sizes), observe)?;
            step = last_step;
            let (next, from, state) = match leave {
                Leave::Done => {
                    self.epochs.push(Epoch {
                        ode,
                        start: t,
                        path,
                    });
                    return Ok(());
                }
                Leave::Coarsen {
                    t: reached,
                    y: state,
                    modes,
                } => (Arc::new(modes), reached, state),
                Leave::Refine {
                    t: reached,
                    y: state,
                    tails,
                } => match refined(
                    &self.builder,
                    &ode,
                    reached,
                    &state,
                    &tails,
                    (self.allowed, &sizes),
                ) {
                    Ok(modes) => (Arc::new(modes), reached, state),
                    Err(SpaceError::TooLarge { .. }) => {
                        self.report.status = LineStatus::SpaceLimit { time: reached };
                        self.epochs.push(Epoch {
                            ode,
                            start: t,
                            path,
                        });
                        return Ok(());
                    }
                    Err(other) => return Err(other.into()),
                },
            };
            let finer = self.semidiscrete(&next)?;
            y = self.carry(&ode, &finer, from, &state)?;
            self.epochs.push(Epoch {
                ode,
                start: t,
                path,
            });
            t = from;
            ode = finer;
        }
    }

    /// The state on another space, and what the projection lost.
    fn carry(
        &mut self,
        old: &Semidiscrete,
        new: &Semidiscrete,
        t: f64,
        y: &[f64],
    ) -> Result<Vec<f64>, SpaceError> {
        let value = |k: usize, of_rate: bool, points: &Array2<f64>| {
            let modal = old.modal(k, of_rate, t, y)?;
            let dim = points.ncols();
            let identity = fastlsq_solve::Operator::from_terms(
                dim,
                [fastlsq_solve::Term::new(
                    1.0,
                    fastlsq_solve::Action::identity(dim),
                )],
            );
            old.spaces[k].modes().apply(&identity, &modal, points)
        };
        let carried = new.project(t, &value)?;
        self.report.projection_error +=
            lost(new, t, &carried, &|k, points| value(k, false, points))?;
        Ok(carried)
    }

    /// Steps on one space until the end, a refinement, or a failure.
    #[expect(
        clippy::type_complexity,
        reason = "path, reason and last step of one epoch"
    )]
    fn epoch(
        &mut self,
        ode: &Semidiscrete,
        start: f64,
        y: &[f64],
        (step, sizes): (Option<f64>, &mut Sizes),
        observe: &mut dyn FnMut(f64, usize) -> ControlFlow<()>,
    ) -> Result<(Trajectory, Leave, Option<f64>), LineError> {
        let mut path = Trajectory::new(start, y.to_vec());
        let end = self.lines.end;
        let may_refine = self.report.spaces.len() < self.options.refinements;
        if self.lines.law.is_linear_and_constant() {
            self.note(ode, start, None);
            let segment = exponential(ode, start, y, end)?;
            let middle = segment.at(0.5 * (start + end));
            let later = worst(&[
                tails(ode, end, segment.last(), sizes)?,
                tails(ode, end, &middle, sizes)?,
            ]);
            if may_refine && over(&later, self.allowed) {
                let leave = Leave::Refine {
                    t: start,
                    y: y.to_vec(),
                    tails: later,
                };
                return Ok((path, leave, None));
            }
            self.see(&later);
            self.report.steps += 1;
            path.push(segment);
            return Ok((path, Leave::Done, None));
        }
        let method = self
            .options
            .method
            .unwrap_or_else(|| choose(ode, start, y, end));
        self.note(ode, start, Some(method));
        let mut options =
            OdeOptions::new((STEP * self.options.tolerance).max(1e-13)).method(method);
        // After a refinement the solution goes on as before; only the very first step is unknown.
        options.first_step = step.map(|step| 0.5 * step);
        let mut stepper = Stepper::new(ode, start, y, end, &options)?;
        while stepper.time() < end {
            if self.report.steps >= self.options.steps {
                self.report.status = LineStatus::StepLimit {
                    time: stepper.time(),
                };
                break;
            }
            let segment = match stepper.step(ode) {
                Ok(segment) => segment,
                Err(failure) => {
                    self.report.status = LineStatus::Stalled {
                        time: failure.time,
                        not_finite: failure.not_finite,
                    };
                    break;
                }
            };
            let found = tails(ode, segment.end(), segment.last(), sizes)?;
            if may_refine && over(&found, self.allowed) {
                let leave = Leave::Refine {
                    t: segment.start(),
                    y: segment.first().to_vec(),
                    tails: found,
                };
                return Ok((path, leave, Some(segment.end() - segment.start())));
            }
            self.see(&found);
            self.report.steps += 1;
            match method {
                Method::Explicit => self.explicit_error += segment.error(),
                Method::Implicit => self.implicit_error = self.implicit_error.max(segment.error()),
            }
            let reached = segment.end();
            let length = reached - segment.start();
            path.push(segment);
            let taken = path.segments().len();
            if may_refine && taken.is_multiple_of(COARSEN_EVERY) && reached < end {
                let state = path.last().to_vec();
                if let Some(modes) = coarsened(&self.builder, ode, reached, &state, sizes)? {
                    let leave = Leave::Coarsen {
                        t: reached,
                        y: state,
                        modes,
                    };
                    return Ok((path, leave, Some(length)));
                }
            }
            if observe(reached, ode.dim()).is_break() {
                self.report.status = LineStatus::Interrupted { time: reached };
                break;
            }
        }
        Ok((path, Leave::Done, None))
    }

    fn note(&mut self, ode: &Semidiscrete, start: f64, method: Option<Method>) {
        let report = ode.spaces[0].report().clone();
        self.report.spaces.push((start, method, report));
    }

    fn see(&mut self, tails: &[f64]) {
        self.report.tail = tails.iter().fold(self.report.tail, |a, &b| a.max(b));
    }

    fn finish(mut self) -> Evolution {
        self.report.time_error = self.explicit_error + self.implicit_error;
        self.report.error_estimate = self.report.time_error
            + self.report.projection_error
            + AMPLIFICATION * self.report.tail;
        Evolution {
            epochs: self.epochs,
            report: self.report,
        }
    }
}

/// The largest relative L2 distance of the unknowns from given functions.
fn lost(
    ode: &Semidiscrete,
    t: f64,
    y: &[f64],
    functions: &dyn Fn(usize, &Array2<f64>) -> Result<Vec<f64>, SpaceError>,
) -> Result<f64, SpaceError> {
    let mut lost: f64 = 0.0;
    for (k, space) in ode.spaces.iter().enumerate() {
        let before = functions(k, space.modes().nodes())?;
        let after = space.at_nodes(&y[ode.part(k, false)], &ode.data(k, t))?;
        let change: Vec<f64> = before.iter().zip(&after).map(|(a, b)| a - b).collect();
        let size = space.norm(&before);
        if size > 0.0 {
            lost = lost.max(space.norm(&change) / size);
        }
    }
    Ok(lost)
}

fn over(tails: &[f64], allowed: f64) -> bool {
    tails.iter().any(|tail| *tail > allowed)
}

fn worst(lists: &[Vec<f64>]) -> Vec<f64> {
    let length = lists.iter().map(Vec::len).max().unwrap_or(0);
    (0..length)
        .map(|i| {
            lists
                .iter()
                .filter_map(|list| list.get(i))
                .fold(0.0, |a: f64, &b| a.max(b))
        })
        .collect()
}

/// The exact solution of c′ = J c + b.
fn exponential(ode: &Semidiscrete, start: f64, y: &[f64], end: f64) -> Result<Segment, LineError> {
    let zero = vec![0.0; y.len()];
    let mut constant = vec![0.0; y.len()];
    ode.rate(start, &zero, &mut constant);
    let mut jacobian = Mat::zeros(y.len(), y.len());
    ode.jacobian(start, &zero, jacobian.as_mut());
    let propagator = Arc::new(Propagator::new(&jacobian, &constant)?);
    Ok(Segment::exponential(propagator, start, y.to_vec(), end))
}

/// The cheaper method, by multiplications: explicit steps as long as the spectrum allows, or implicit ones as
/// long as accuracy allows.
fn choose(ode: &Semidiscrete, start: f64, y: &[f64], end: f64) -> Method {
    let n = y.len();
    let mut jacobian = Mat::zeros(n, n);
    ode.jacobian(start, y, jacobian.as_mut());
    let radius = spectral_radius(&jacobian);
    let mut rate = vec![0.0; n];
    ode.rate(start, y, &mut rate);
    let length = |x: &[f64]| x.iter().map(|v| v * v).sum::<f64>().sqrt();
    let scale = if length(y) > 0.0 {
        length(&rate) / length(y)
    } else {
        0.0
    };
    let duration = end - start;
    let accuracy = 20.0 + STEPS_PER_SCALE * duration * scale.min(radius);
    let explicit = 15.0 * ode.work() * (duration * radius / REACH).max(accuracy);
    let size = n as f64;
    // One real and three complex factorisations, a Jacobian, and some four iterations of seven stages.
    let implicit = (13.0 / 3.0 * size.powi(3)
        + ode.jacobian_work()
        + 28.0 * (ode.work() + 13.0 * size * size))
        * 0.5
        * accuracy;
    if explicit <= implicit {
        Method::Explicit
    } else {
        Method::Implicit
    }
}

/// A lower estimate of the largest |λ|, by powers of the matrix.
fn spectral_radius(matrix: &Mat<f64>) -> f64 {
    let n = matrix.nrows();
    let mut x: Vec<f64> = (0..n).map(|i| ((i * i + 1) as f64).sin()).collect();
    let mut product = vec![0.0; n];
    let mut logarithms = Vec::new();
    for _ in 0..30 {
        let norm = x.iter().map(|v| v * v).sum::<f64>().sqrt();
        if !(norm > 0.0 && norm.is_finite()) {
            return 0.0;
        }
        for v in &mut x {
            *v /= norm;
        }
        times(matrix.as_ref(), &x, &mut product);
        std::mem::swap(&mut x, &mut product);
        logarithms.push(x.iter().map(|v| v * v).sum::<f64>().sqrt().ln());
    }
    // Complex pairs make the growth oscillate: its mean over the later steps counts.
    let later = &logarithms[10..];
    (later.iter().sum::<f64>() / later.len() as f64).exp()
}
