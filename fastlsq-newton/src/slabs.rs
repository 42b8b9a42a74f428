//! Long time intervals, slab by slab: each slab starts from the end of the one before.
//!
//! Equations that give the rates of all unknowns are followed in time ([`evolution`](crate::evolution)) and need no slabs.
//! Slabs are for problems over long times whose equations do not give them: where the highest derivative in time is itself
//! differentiated in space, as in the equation of Benjamin, Bona and Mahony, u_t + u_x + u uₓ − u_xxt = 0. Its solitary
//! wave, over a time of 20 on an interval of length 60, is lost in one sum of waves (0.4 off after a minute) and found in
//! six slabs to 2e-6.

mod carried;

use fastlsq_solve::samples::{GridSamples, SampleError, even_axes};
use fastlsq_solve::search::Features;
use fastlsq_solve::{DomainExt, EquationRow, Expr, Limit, Sites, SolveError, Stage, given, vector};
use ndarray::Axis;

use crate::NewtonError;
use crate::options::NewtonOptions;
use crate::problem::NonlinearProblem;
use crate::solution::NonlinearSolution;
use carried::{Carried, is_initial};

/// How a time interval is cut into slabs.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum Slabs {
    /// As long as the tolerance allows with at most a thousand features; the first slab decides, and
    /// later ones are shortened only where they fail.
    #[default]
    Automatic,
    /// This many slabs of equal length.
    Count(usize),
    /// Slabs of this length (the last may be shorter).
    Length(f64),
}

/// Slabs an automatic cut begins with.
const FIRST_SLABS: f64 = 8.0;
/// The shortest slab of an automatic cut, as a share of the whole interval.
const SHORTEST: f64 = 1.0 / 256.0;
/// An automatic cut redoes a slab whose estimated error exceeds its tolerance by this factor.
const TOO_FAR: f64 = 3.0;

/// The maximum number of features an automatic cut gives to a slab: a shorter slab is cheaper than more of them.
const AUTOMATIC_FEATURES: usize = 1000;

/// What a slab takes over from the one before is not quite a solution's data: more rows keep the solution from
/// following their errors. The first slab has them too, since its error is carried through all others.
const OVERSAMPLING: f64 = 2.0;
/// The loosest tolerance of a slab, however inaccurate those before are: beyond it, nothing would be resolved.
const WORST_TOLERANCE: f64 = 1e-2;

/// How far a slab reaches back, as a share of its length. The end of a slab is where its error is
/// largest, most of all in the derivatives; carrying over from well inside keeps errors from growing
/// from slab to slab.
const OVERLAP: f64 = 0.3;

/// A solution in pieces, one for each slab of time.
#[derive(Debug, Clone)]
pub struct SlabSolution {
    /// Ends of the slabs, from the initial to the final time.
    times: Vec<f64>,
    pieces: Vec<NonlinearSolution>,
    /// What ended it before the final time.
    stopped: Option<Limit>,
}

impl NonlinearProblem {
    /// Solves over a long time interval slab by slab. Conditions at the initial time are carried
    /// over: each slab's are those of the slab before, at its end.
    ///
    /// The tolerance of the options is that of one slab; [`SlabSolution::error_estimate`] adds up the errors. A slab after one
    /// that missed the tolerance is only asked for the accuracy that that one reached. Slabs have twice the usual rows, and keep
    /// the symmetry of the first.
    ///
    /// A time limit applies to the whole call: where it is reached, or the call is cancelled, the slabs finished until then
    /// are returned ([`SlabSolution::stopped`]).
    ///
    /// # Errors
    /// A domain without time, a slab length that is not positive or so short that there would be more than 100 000 slabs, a
    /// nonlinear initial condition, and as [`solve`](Self::solve).
    pub fn solve_in_slabs(
        &self,
        slabs: Slabs,
        options: &NewtonOptions,
    ) -> Result<SlabSolution, NewtonError> {
        let options = &options.started();
        let control = options.solve.control();
        let axis = self.domain().time_axis().ok_or(NewtonError::NoTime)?;
        let bounds = self.domain().bounding_box()?;
        let (start, end) = (bounds.lo()[axis], bounds.hi()[axis]);
        let whole = end - start;
        let mut length = match slabs {
            Slabs::Automatic => whole / FIRST_SLABS,
            Slabs::Count(0) => return Err(bad_length(0.0)),
            Slabs::Count(count) => whole / count as f64,
            Slabs::Length(length) if length > 0.0 && length.is_finite() => length,
            Slabs::Length(length) => return Err(bad_length(length)),
        };
        if length * MOST_SLABS < whole {
            return Err(bad_length(length));
        }
        // A single slab has nothing to carry over.
        let several = length < whole;
        if several {
            let frame = self.statement().concrete(&[])?;
            let nonlinear = frame.conditions.iter().find(|condition| {
                let stated = condition
                    .stated
                    .and_then(|k| self.statement().conditions().get(k));
                !condition.statement.is_linear() && stated.is_some_and(is_initial)
            });
            if let Some(condition) = nonlinear {
                return Err(NewtonError::NonlinearInitialCondition {
                    label: condition.label.clone(),
                });
            }
        }
        let tolerance = options.solve.tolerance;
        let mut solution = SlabSolution {
            times: vec![start],
            pieces: Vec::new(),
            stopped: None,
        };
        let mut now = start;
        // Every round completes a slab or, down to the shortest, halves its length.
        while now < end {
            // A remainder that is only rounding, or a sliver, joins the last slab.
            let next = if end - now < 1.001 * length {
                end
            } else {
                now + length
            };
            // A slab reaches back into the one before, away from the ends where errors are largest.
            let from = match solution.pieces.last() {
                None => now,
                Some(_) => {
                    now - OVERLAP * length.min(now - solution.times[solution.times.len() - 2])
                }
            };
            let slab = self.slab(from, next, solution.pieces.last())?;
            // What served the slab before is likely to serve this one.
            let mut own = options.clone();
            own.solve.oversampling *= OVERSAMPLING;
            own.evolve = false;
            if slabs == Slabs::Automatic {
                own.solve.max_features = own.solve.max_features.min(AUTOMATIC_FEATURES);
            }
            if let Some(Features::Random { count, law, .. }) =
                solution.pieces.last().map(NonlinearSolution::features)
            {
                own.solve = own.solve.begin_with(*count, law.clone());
            }
            // A slab cannot be better than the data it starts from. Asked for more, it would resolve their
            // errors, with ever finer features, and hand them on.
            own.solve.tolerance = tolerance.max(solution.largest_estimate().min(WORST_TOLERANCE));
            let piece = control
                .enter(Stage::Slab {
                    from: now,
                    to: next,
                })
                .map_err(NewtonError::from)
                .and_then(|()| slab.solve_with(&own));
            let piece = match piece {
                Ok(piece) => piece,
                Err(error) => match error.limit() {
                    Some(limit) if !solution.pieces.is_empty() => {
                        solution.stopped = Some(limit);
                        break;
                    }
                    _ => return Err(error),
                },
            };
            let estimate = piece.report().error_estimate;
            let missed = estimate.is_nan() || estimate > TOO_FAR * own.solve.tolerance;
            let shorter = slabs == Slabs::Automatic && missed && length > SHORTEST * whole;
            if shorter && control.check().is_ok() {
                length *= 0.5;
                continue;
            }
            solution.times.push(next);
            solution.pieces.push(piece);
            now = next;
        }
        Ok(solution)
    }

    /// The same problem over the first part of its time interval.
    ///
    /// # Errors
    /// A domain without time, or a share outside (0, 1].
    pub fn shortened(&self, share: f64) -> Result<NonlinearProblem, NewtonError> {
        if !(share > 0.0 && share <= 1.0) {
            return Err(NewtonError::Option {
                option: "share",
                value: share,
                requirement: "above 0 and at most 1",
            });
        }
        let axis = self.domain().time_axis().ok_or(NewtonError::NoTime)?;
        let bounds = self.domain().bounding_box()?;
        let (start, end) = (bounds.lo()[axis], bounds.hi()[axis]);
        self.slab(start, start + share * (end - start), None)
    }

    /// The problem on one slab.
    fn slab(
        &self,
        start: f64,
        end: f64,
        before: Option<&NonlinearSolution>,
    ) -> Result<NonlinearProblem, NewtonError> {
        let domain = self
            .domain()
            .over_times(start, end)
            .ok_or(NewtonError::NoTime)??;
        let mut slab = self.clone().moved_to(domain.clone());
        let Some(before) = before else {
            return Ok(slab);
        };
        let frame = slab.statement().concrete(&[])?;
        let conditions = slab.statement_mut().conditions_mut().iter_mut();
        for (index, condition) in conditions.enumerate().filter(|(_, own)| is_initial(own)) {
            let components = frame.conditions.iter().filter(|c| c.stated == Some(index));
            let mut carried: Vec<Expr> = Vec::new();
            for component in components {
                let values = Carried::new(component, before, domain.as_ref())?;
                carried.push(given("carried", move |x| values.at(x)));
            }
            let right = match carried.len() {
                1 => carried.swap_remove(0),
                _ => vector(carried),
            };
            *condition = condition.clone().with_right(right);
        }
        Ok(slab)
    }
}

/// More slabs than this are taken to be a mistake.
const MOST_SLABS: f64 = 1e5;

fn bad_length(value: f64) -> NewtonError {
    NewtonError::Option {
        option: "slabs",
        value,
        requirement: "positive, finite, and at most 100 000 slabs",
    }
}

impl SlabSolution {
    /// The ends of the slabs, from the initial to the final time.
    #[must_use]
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The limit that ended the call before the final time, if one did; beyond the last of the
    /// [times](Self::times) the solution then has no values.
    #[must_use]
    pub fn stopped(&self) -> Option<Limit> {
        self.stopped
    }

    /// Fails for a time that the call did not get to.
    fn expect_reached(&self, time: f64) -> Result<(), SolveError> {
        let last = self.times.last().copied().unwrap_or(f64::NAN);
        if self.stopped.is_some() && time > last {
            return Err(SolveError::Option {
                option: "time",
                value: time,
                requirement: "the call was stopped before this time; ask only for times within the slabs",
            });
        }
        Ok(())
    }

    /// The solution on each slab.
    #[must_use]
    pub fn pieces(&self) -> &[NonlinearSolution] {
        &self.pieces
    }

    /// The sum of the slabs' estimated errors. Each is about its own slab: it does not include what an error at the end of
    /// one slab grows to in the next ones.
    #[must_use]
    pub fn error_estimate(&self) -> f64 {
        self.pieces
            .iter()
            .map(|piece| piece.report().error_estimate)
            .sum()
    }

    /// The largest of the slabs' estimated errors.
    fn largest_estimate(&self) -> f64 {
        let estimates = self.pieces.iter().map(|p| p.report().error_estimate);
        estimates.fold(0.0, f64::max)
    }

    /// The slab that holds a time.
    fn piece_at(&self, time: f64) -> Option<&NonlinearSolution> {
        let inner = self.times.get(1..self.times.len().saturating_sub(1))?;
        self.pieces.get(inner.partition_point(|&end| end < time))
    }

    /// u(x), where time is the last coordinate.
    ///
    /// # Errors
    /// A point of another dimension, or not finite.
    pub fn value(&self, point: &[f64]) -> Result<f64, NewtonError> {
        let time = point.last().copied().unwrap_or(f64::NAN);
        self.expect_reached(time)?;
        let piece = self.piece_at(time).ok_or(NewtonError::NoTime)?;
        Ok(piece.value(point)?)
    }

    /// Any expression of the unknowns at one point.
    ///
    /// # Errors
    /// As [`value`](Self::value), or an expression that cannot be evaluated.
    pub fn at(&self, expression: impl Into<Expr>, point: &[f64]) -> Result<f64, NewtonError> {
        let time = point.last().copied().unwrap_or(f64::NAN);
        self.expect_reached(time)?;
        let piece = self.piece_at(time).ok_or(NewtonError::NoTime)?;
        Ok(piece.at(expression, point)?)
    }

    /// Any expression of the unknowns at many points (one row per point), each in the slab of its time.
    ///
    /// # Errors
    /// As [`at`](Self::at).
    pub fn evaluate<'a>(
        &self,
        expression: impl Into<Expr>,
        sites: impl Into<Sites<'a>>,
    ) -> Result<Vec<f64>, SolveError> {
        let expression = expression.into();
        self.piecewise(sites.into(), |piece, part| {
            piece.evaluate(&expression, part)
        })
    }

    /// Any equation row applied to the unknowns at many points, each in the slab of its time.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    pub fn apply_row<'a>(
        &self,
        row: &EquationRow,
        sites: impl Into<Sites<'a>>,
    ) -> Result<Vec<f64>, SolveError> {
        self.piecewise(sites.into(), |piece, part| piece.apply_row(row, part))
    }

    /// All unknowns on a grid over all slabs, as [`Solution::on_grid`](fastlsq_solve::Solution::on_grid).
    ///
    /// # Errors
    /// Another number of coordinates, more points than memory holds.
    pub fn on_grid(&self, counts: &[usize]) -> Result<GridSamples, SolveError> {
        let first = self.pieces.first().ok_or(SolveError::NothingToSolve)?;
        let own = first.domain().ok_or(SampleError::NoDomain)?;
        let ends = (self.times.first(), self.times.last());
        let whole = match ends {
            (Some(start), Some(end)) => own.over_times(*start, *end),
            _ => None,
        };
        let domain = whole.ok_or(SampleError::NoDomain)??;
        let count = first.unknowns().len();
        let names = first.unknowns().iter().map(ToString::to_string).collect();
        let axes = even_axes(&*domain, counts)?;
        GridSamples::take(first.space().clone(), names, Some(domain), axes, |points| {
            let row = |unknown| EquationRow::value(first.dim(), unknown, count);
            (0..count)
                .map(|unknown| self.apply_row(&row(unknown), points.view()))
                .collect::<Result<_, SolveError>>()
        })
    }

    /// What `evaluate` gives for the points of each slab, put together in their order.
    fn piecewise(
        &self,
        sites: Sites<'_>,
        evaluate: impl Fn(&NonlinearSolution, Sites<'_>) -> Result<Vec<f64>, SolveError>,
    ) -> Result<Vec<f64>, SolveError> {
        for point in sites.points().rows() {
            self.expect_reached(point.last().copied().unwrap_or(f64::NAN))?;
        }
        let mut values = vec![0.0; sites.len()];
        let inner = self
            .times
            .get(1..self.times.len().saturating_sub(1))
            .unwrap_or(&[]);
        for (index, piece) in self.pieces.iter().enumerate() {
            let own: Vec<usize> = (0..sites.len())
                .filter(|&i| {
                    let time = sites.points().row(i).last().copied().unwrap_or(f64::NAN);
                    inner.partition_point(|&end| end < time) == index
                })
                .collect();
            if own.is_empty() {
                continue;
            }
            let points = sites.points().select(Axis(0), &own);
            let normals = sites.normals().map(|normals| normals.select(Axis(0), &own));
            let mut part = Sites::new(points.view());
            if let Some(normals) = &normals {
                part = part.with_normals(normals.view());
            }
            for (&i, value) in own.iter().zip(evaluate(piece, part)?) {
                values[i] = value;
            }
        }
        Ok(values)
    }
}
