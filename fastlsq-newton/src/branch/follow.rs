//! The walk along a branch: steps, their length, and features that grow where they are needed.

use std::sync::Arc;

use fastlsq_basis::Basis;
use fastlsq_solve::rows::rms;
use fastlsq_solve::search::{CandidateMaker, Features};
use fastlsq_solve::{Parameter, Report, RowBlock, Solution, Stage};

use super::scale::Scale;
use super::{Branch, BranchEnd, BranchOptions, BranchPoint};
use crate::iteration::Iteration;
use crate::options::{NewtonOptions, Start};
use crate::problem::{Concrete, NonlinearProblem};
use crate::search::NewtonMaker;
use crate::{NewtonError, NewtonStatus};

/// With this many Newton steps or fewer, the next step along the branch is longer.
const EASY: usize = 4;
/// The shortest step, in units of the first.
const SHORTEST: f64 = 1e-4;
/// The longest step, in units of the first.
const LONGEST: f64 = 4.0;
/// The cosine between two directions in a row is at least this: a sharper turn is taken in shorter steps.
const STRAIGHT: f64 = 0.8;
/// With a held-out residual larger than this, more features are tried.
const UNRESOLVED: f64 = 1e-9;
/// How many more.
const GROWTH: f64 = 1.5;
/// Factors on their frequencies that are tried.
const STRETCHES: [f64; 2] = [1.25, 1.0];

impl NonlinearProblem {
    /// Follows the branch of solutions from the value that its parameter was given, past folds.
    ///
    /// # Errors
    /// No parameter, or several and none chosen; a first step that is zero or not finite, and as [`solve`](Self::solve)
    /// for the first point.
    pub fn follow(&self, options: &BranchOptions) -> Result<Branch, NewtonError> {
        let moving = self.moving(options.newton.moving)?;
        if !(options.first_step.is_finite() && options.first_step != 0.0) {
            return Err(NewtonError::Option {
                option: "first_step",
                value: options.first_step,
                requirement: "finite and not zero",
            });
        }
        let newton = &options.newton.started();
        let start = self.solve_with(newton)?;
        let mut follower = Follower {
            moving: moving.0,
            options: newton,
            maker: NewtonMaker::new(self, Concrete::new(self, Some(moving))?, newton)?,
            features: start.features().clone(),
            bases: start.solution().bases().to_vec(),
            blocks: Vec::new(),
        };
        follower.blocks = follower.rows(start.features().count())?;
        follower.follow(options, moving.1, start.into_solution())
    }
}

/// A branch has points of its own, used by no candidate.
const BRANCH_POINTS: u64 = 0xB4A;

/// Features and points that stay the same along a branch, until they no longer resolve it.
pub(super) struct Follower<'a> {
    moving: Parameter,
    pub(super) options: &'a NewtonOptions,
    pub(super) maker: NewtonMaker<'a>,
    features: Features,
    pub(super) bases: Vec<Arc<dyn Basis>>,
    pub(super) blocks: Vec<RowBlock>,
}

impl Branch {
    /// A branch that was stopped at its first point.
    fn stopped(first: BranchPoint) -> Self {
        Self {
            points: vec![first],
            folds: Vec::new(),
            end: BranchEnd::Stopped,
        }
    }
}

impl Follower<'_> {
    fn follow(
        mut self,
        options: &BranchOptions,
        parameter: f64,
        start: Solution,
    ) -> Result<Branch, NewtonError> {
        let Some(first) = self.at_parameter(parameter, start)? else {
            return Err(self.lost(parameter));
        };
        let (lo, hi) = options.within;
        let mut step = options.first_step;
        let mut second = loop {
            let target = parameter + step;
            match self.at_parameter(target, first.solution.clone()) {
                Ok(Some(point)) => break point,
                Ok(None) => {}
                Err(error) if error.limit().is_some() => return Ok(Branch::stopped(first)),
                Err(error) => return Err(error),
            }
            step *= 0.5;
            if step.abs() < SHORTEST * options.first_step.abs() {
                return Err(self.lost(target));
            }
        };
        let difference = second.values.iter().zip(&first.values).map(|(b, a)| b - a);
        let scale = Scale {
            values: rms(difference).max(f64::MIN_POSITIVE),
            parameter: step.abs(),
        };
        let (mut direction, unit) = scale.direction(&first, &second);
        let (mut length, mut chord) = (unit, unit);
        second.arclength = 1.0;
        let mut branch = Branch {
            points: vec![first, second],
            folds: Vec::new(),
            end: BranchEnd::PointLimit,
        };
        while branch.points.len() < options.max_points {
            let [.., before, last] = branch.points.as_slice() else {
                break;
            };
            if !(lo..=hi).contains(&last.parameter) {
                branch.end = BranchEnd::LeftInterval;
                break;
            }
            let along = 1.0 + length / chord;
            let number = branch.points.len() + 1;
            let reached = match self.reach(number, before, last, along, &scale) {
                Err(error) if error.limit().is_some() => {
                    branch.end = BranchEnd::Stopped;
                    break;
                }
                reached => reached?,
            };
            let smooth = reached.and_then(|next| {
                let (towards, distance) = scale.direction(last, &next);
                let straight = scale.cosine(&towards, &direction) >= STRAIGHT;
                straight.then_some((next, towards, distance))
            });
            let Some((mut next, towards, distance)) = smooth else {
                length *= 0.5;
                if length < SHORTEST * unit {
                    branch.end = BranchEnd::StepTooShort;
                    break;
                }
                continue;
            };
            if next.iterations <= EASY {
                length = (1.4 * length).min(LONGEST * unit);
            }
            if towards.parameter * direction.parameter < 0.0 {
                match self.fold([before, last, &next], &scale) {
                    Ok(fold) => branch.folds.push(fold),
                    Err(error) if error.limit().is_some() => {
                        branch.end = BranchEnd::Stopped;
                        break;
                    }
                    Err(error) => return Err(error),
                }
            }
            next.arclength = last.arclength + distance / unit;
            (direction, chord) = (towards, distance);
            branch.points.push(next);
        }
        Ok(branch)
    }

    /// The next point, with more features where these do not resolve it; `None` if Newton fails.
    fn reach(
        &mut self,
        number: usize,
        before: &BranchPoint,
        last: &BranchPoint,
        along: f64,
        scale: &Scale,
    ) -> Result<Option<BranchPoint>, NewtonError> {
        let control = self.options.solve.control();
        control.enter(Stage::BranchPoint { number })?;
        match self.correct(before, last, along, scale)? {
            Some(point) if point.held_out_residual > UNRESOLVED => {
                self.refined(point, before, last, along, scale).map(Some)
            }
            other => Ok(other),
        }
    }

    /// The point again with more features and higher frequencies, while that resolves it better.
    fn refined(
        &mut self,
        point: BranchPoint,
        before: &BranchPoint,
        last: &BranchPoint,
        along: f64,
        scale: &Scale,
    ) -> Result<BranchPoint, NewtonError> {
        let mut best = point;
        let limit = self.options.solve.max_features;
        while best.held_out_residual > UNRESOLVED {
            let Features::Random { count, .. } = self.features else {
                break;
            };
            let more = ((GROWTH * count as f64) as usize).min(limit);
            if more <= count {
                break;
            }
            let kept = (
                self.features.clone(),
                self.bases.clone(),
                self.blocks.clone(),
            );
            let mut winner = None;
            for stretch in STRETCHES {
                let features = kept.0.with_count(more).stretched(stretch);
                self.bases = features.build(self.bases.len(), self.options.solve.normalised)?;
                self.blocks = self.rows(more)?;
                self.features = features;
                let found = match self.correct(before, last, along, scale) {
                    // The point found before stands.
                    Err(error) if error.limit().is_some() => None,
                    found => found?,
                };
                if let Some(found) = found
                    && found.held_out_residual < best.held_out_residual
                {
                    winner = Some((
                        self.features.clone(),
                        self.bases.clone(),
                        self.blocks.clone(),
                    ));
                    best = found;
                }
            }
            let better = winner.is_some();
            (self.features, self.bases, self.blocks) = winner.unwrap_or(kept);
            if !better {
                break;
            }
        }
        Ok(best)
    }

    fn rows(&self, features: usize) -> Result<Vec<RowBlock>, NewtonError> {
        let seed = self.options.solve.seed.wrapping_add(BRANCH_POINTS);
        self.maker.rows(features, self.options.solve.rows, seed)
    }

    fn lost(&self, parameter: f64) -> NewtonError {
        NewtonError::BranchLost {
            name: self.moving.to_string(),
            parameter,
        }
    }

    pub(super) fn iteration(&self, parameter: f64) -> Iteration<'_> {
        self.maker
            .iteration(&self.bases, &self.blocks, self.options, parameter)
    }

    /// The solution at a prescribed value, from a solution nearby; `None` if Newton fails.
    fn at_parameter(
        &self,
        parameter: f64,
        start: Solution,
    ) -> Result<Option<BranchPoint>, NewtonError> {
        let mut options = self.options.clone();
        options.start = Start::From(Arc::new(start));
        let outcome = self
            .maker
            .iteration(&self.bases, &self.blocks, &options, parameter)
            .run()?;
        if outcome.status != NewtonStatus::Converged {
            return Ok(None);
        }
        let iterations = outcome.history.len();
        self.point(outcome.beta, parameter, iterations).map(Some)
    }

    pub(super) fn point(
        &self,
        beta: Vec<f64>,
        parameter: f64,
        iterations: usize,
    ) -> Result<BranchPoint, NewtonError> {
        let references: Vec<&dyn Basis> = self.bases.iter().map(AsRef::as_ref).collect();
        let score = self.maker.score_at(&references, &beta, parameter)?;
        let frame = &self.maker.concrete.frame;
        let functions = (frame.space.clone(), frame.unknowns.clone());
        let mut report = Report::empty();
        report.held_out_residual = score.worst;
        report.features = self.bases.first().map_or(0, Basis::len);
        report.rows = self.blocks.iter().map(RowBlock::len).sum();
        Ok(BranchPoint {
            parameter,
            arclength: 0.0,
            iterations,
            held_out_residual: score.worst,
            values: score.values,
            solution: Solution::from_parts(functions, self.bases.clone(), beta, report)?
                .on_domain(frame.domain.clone())?,
        })
    }
}
