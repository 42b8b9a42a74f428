//! Following a branch of solutions past folds: pseudo-arclength continuation.
//!
//! Beside a fold the parameter p cannot be prescribed, so it becomes an unknown of its own (one constant
//! feature), and one row takes its place. With the direction (u̇, ṗ) of the branch through the last two
//! points and the predicted point (û, p̂) at distance ds, the row is
//! u̇(x*)(u(x*) − û(x*)) + ṗ(p − p̂) = 0, at the point x* where the branch moves most. Newton's method
//! solves for all new coefficients and p together: J β + R_p p = J β_k + R_p p_k − R.

use std::sync::Arc;

use fastlsq_basis::{Basis, InputMap, PolynomialBasis};
use fastlsq_solve::auto::{Features, Workbench, block_weights, rms};
use fastlsq_solve::{EquationRow, Field, Report, RowBlock, Solution, SolveError, System, identity};
use ndarray::{Array2, Axis};

use crate::NewtonError;
use crate::bench::NewtonBench;
use crate::function::Function;
use crate::iteration::Iteration;
use crate::options::{NewtonOptions, Start, StepForm};
use crate::problem::NonlinearProblem;

/// How a branch is followed.
///
/// ```
/// use fastlsq_newton::{BranchOptions, Interval, NonlinearProblem};
/// // Bratu's problem u″ + λ eᵘ = 0: two solutions below λ = 3.5138…, none above.
/// let branch = NonlinearProblem::on(Interval::unit())
///     .parameter("λ", 1.0)
///     .equation(|u, _| u.partial_order(0, 2) + u.parameter() * u.value().exp())
///     .dirichlet(|_| 0.0)
///     .follow(&BranchOptions::new().first_step(0.5).within(0.9, 4.0))?;
/// assert!((branch.folds()[0].parameter - 3.513_830_719).abs() < 1e-6);
/// # Ok::<(), fastlsq_newton::NewtonError>(())
/// ```
#[derive(Debug, Clone)]
pub struct BranchOptions {
    /// The first change of the parameter, with its sign: it sets the direction and the scale.
    pub first_step: f64,
    /// The branch ends where the parameter leaves this interval.
    pub within: (f64, f64),
    /// The most points.
    pub max_points: usize,
    /// Options of the solves. The features are those that solve the first point, unless they are given.
    pub newton: NewtonOptions,
}

impl Default for BranchOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl BranchOptions {
    /// A first step of 0.1, any value of the parameter, at most 100 points.
    #[must_use]
    pub fn new() -> Self {
        Self {
            first_step: 0.1,
            within: (f64::NEG_INFINITY, f64::INFINITY),
            max_points: 100,
            newton: NewtonOptions::new(),
        }
    }

    /// The first change of the parameter, with its sign.
    #[must_use]
    pub fn first_step(mut self, step: f64) -> Self {
        self.first_step = step;
        self
    }

    /// The branch ends where the parameter leaves \[lo, hi\].
    #[must_use]
    pub fn within(mut self, lo: f64, hi: f64) -> Self {
        self.within = (lo, hi);
        self
    }

    /// The most points.
    #[must_use]
    pub fn max_points(mut self, points: usize) -> Self {
        self.max_points = points;
        self
    }

    /// Options of the solves.
    #[must_use]
    pub fn newton(mut self, options: NewtonOptions) -> Self {
        self.newton = options;
        self
    }
}

/// One solution on a branch.
#[derive(Debug, Clone)]
pub struct BranchPoint {
    /// The parameter.
    pub parameter: f64,
    /// The solution there.
    pub solution: Solution,
    /// Distance along the branch from its beginning, in units of the first step.
    pub arclength: f64,
    /// Newton steps that were needed.
    pub iterations: usize,
    /// The worst relative residual of equations and conditions at held-out points.
    pub held_out_residual: f64,
    /// u where changes are measured, all unknowns one after the other.
    values: Vec<f64>,
}

/// Why a branch ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BranchEnd {
    /// The parameter left the interval.
    LeftInterval,
    /// As many points as were allowed.
    PointLimit,
    /// Newton's method fails even for the shortest steps.
    StepTooShort,
}

/// A branch of solutions.
#[derive(Debug, Clone)]
pub struct Branch {
    points: Vec<BranchPoint>,
    folds: Vec<BranchPoint>,
    end: BranchEnd,
}

impl Branch {
    /// The solutions, in the order in which they were reached.
    #[must_use]
    pub fn points(&self) -> &[BranchPoint] {
        &self.points
    }

    /// Solutions where the parameter turns back.
    #[must_use]
    pub fn folds(&self) -> &[BranchPoint] {
        &self.folds
    }

    /// Why the branch ended.
    #[must_use]
    pub fn end(&self) -> BranchEnd {
        self.end
    }
}

/// Newton steps for one point, at most.
const CORRECTIONS: usize = 12;
/// With this many or fewer the next step is longer.
const EASY: usize = 4;
/// The shortest step, in units of the first.
const SHORTEST: f64 = 1e-4;
/// The longest step, in units of the first.
const LONGEST: f64 = 4.0;
/// Two directions in a row may differ by this cosine at most: a sharper turn is taken in shorter steps.
const STRAIGHT: f64 = 0.8;
/// How many times a fold is closed in on.
const FOLD_STEPS: usize = 12;
/// With a larger held-out residual more features are tried.
const UNRESOLVED: f64 = 1e-9;
/// How many more.
const GROWTH: f64 = 1.5;
/// Factors on their frequencies that are tried.
const STRETCHES: [f64; 2] = [1.25, 1.0];

impl NonlinearProblem {
    /// Follows the branch of solutions from the declared value of the parameter, past folds.
    ///
    /// # Errors
    /// No declared parameter, a first step that is zero or not finite, and as [`solve`](Self::solve)
    /// for the first point.
    pub fn follow(&self, options: &BranchOptions) -> Result<Branch, NewtonError> {
        let first = match &self.parameter {
            Some((_, value)) => *value,
            None => return Err(NewtonError::NoParameter),
        };
        if !(options.first_step.is_finite() && options.first_step != 0.0) {
            return Err(NewtonError::Option {
                option: "first_step",
                value: options.first_step,
                requirement: "finite and not zero",
            });
        }
        let start = self.solve_with(&options.newton)?;
        let mut follower = Follower {
            problem: self,
            options: &options.newton,
            bench: NewtonBench::new(self, &options.newton)?,
            features: start.features().clone(),
            bases: start.solution().bases().to_vec(),
            blocks: Vec::new(),
        };
        follower.blocks = follower.rows(start.features().count())?;
        follower.follow(options, first, start.into_solution())
    }
}

/// The points of a branch are those of no candidate.
const BRANCH_POINTS: u64 = 0xB4A;

/// Features and points that stay the same along a branch, until they no longer resolve it.
struct Follower<'a> {
    problem: &'a NonlinearProblem,
    options: &'a NewtonOptions,
    bench: NewtonBench<'a>,
    features: Features,
    bases: Vec<Arc<dyn Basis>>,
    blocks: Vec<RowBlock>,
}

/// A direction along the branch.
#[derive(Debug, Clone)]
struct Direction {
    values: Vec<f64>,
    parameter: f64,
}

/// Sizes of a change of u and of the parameter that count as one.
#[derive(Debug, Clone, Copy)]
struct Scale {
    values: f64,
    parameter: f64,
}

impl Scale {
    fn length(&self, values: &[f64], parameter: f64) -> f64 {
        let u = rms(values.iter().copied()) / self.values;
        u.hypot(parameter / self.parameter)
    }

    /// The unit direction from one point to another, and their distance.
    fn direction(&self, from: &BranchPoint, to: &BranchPoint) -> (Direction, f64) {
        let values: Vec<f64> = to
            .values
            .iter()
            .zip(&from.values)
            .map(|(b, a)| b - a)
            .collect();
        let parameter = to.parameter - from.parameter;
        let length = self.length(&values, parameter);
        let direction = Direction {
            values: values.iter().map(|v| v / length).collect(),
            parameter: parameter / length,
        };
        (direction, length)
    }

    fn cosine(&self, a: &Direction, b: &Direction) -> f64 {
        let products = a.values.iter().zip(&b.values).map(|(a, b)| a * b);
        let mean = products.sum::<f64>() / a.values.len().max(1) as f64;
        mean / self.values.powi(2) + a.parameter * b.parameter / self.parameter.powi(2)
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
            if let Some(point) = self.at_parameter(target, first.solution.clone())? {
                break point;
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
            let reached = self.correct(before, last, along, &scale)?;
            let reached = match reached {
                Some(point) if point.held_out_residual > UNRESOLVED => {
                    Some(self.refined(point, before, last, along, &scale)?)
                }
                other => other,
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
                let fold = self.fold([before, last, &next], &scale)?;
                branch.folds.push(fold);
            }
            next.arclength = last.arclength + distance / unit;
            (direction, chord) = (towards, distance);
            branch.points.push(next);
        }
        Ok(branch)
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
                if let Some(found) = self.correct(before, last, along, scale)?
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
        self.bench.rows(features, self.options.solve.rows, seed)
    }

    fn lost(&self, parameter: f64) -> NewtonError {
        let name = self.problem.parameter.as_ref();
        NewtonError::BranchLost {
            name: name.map_or_else(String::new, |(name, _)| name.clone()),
            parameter,
        }
    }

    fn iteration(&self, parameter: f64) -> Iteration<'_> {
        self.bench
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
            .bench
            .iteration(&self.bases, &self.blocks, &options, parameter)
            .run()?;
        if outcome.status != crate::NewtonStatus::Converged {
            return Ok(None);
        }
        let iterations = outcome.history.len();
        self.point(outcome.beta, parameter, iterations).map(Some)
    }

    fn point(
        &self,
        beta: Vec<f64>,
        parameter: f64,
        iterations: usize,
    ) -> Result<BranchPoint, NewtonError> {
        let references: Vec<&dyn Basis> = self.bases.iter().map(AsRef::as_ref).collect();
        let score = self.bench.score_at(&references, &beta, parameter)?;
        let names = self.problem.unknown_names().to_vec();
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
            solution: Solution::from_parts(self.bases.clone(), names, beta, report)?,
        })
    }

    /// The point of the branch beside (1 − α)a + αb; `None` if Newton fails.
    fn correct(
        &self,
        a: &BranchPoint,
        b: &BranchPoint,
        along: f64,
        scale: &Scale,
    ) -> Result<Option<BranchPoint>, NewtonError> {
        let blend = |a: f64, b: f64| a + along * (b - a);
        let (direction, chord) = scale.direction(a, b);
        // Where the branch moves most.
        let anchor = (0..direction.values.len())
            .max_by(|&a, &b| {
                direction.values[a]
                    .abs()
                    .total_cmp(&direction.values[b].abs())
            })
            .unwrap_or(0);
        let mut values: Vec<f64> = a
            .values
            .iter()
            .zip(&b.values)
            .map(|(&a, &b)| blend(a, b))
            .collect();
        let mut parameter = blend(a.parameter, b.parameter);
        let (Some(slope), Some(value)) = (direction.values.get(anchor), values.get(anchor)) else {
            return Ok(None);
        };
        let slope = slope / scale.values.powi(2);
        let parameter_slope = direction.parameter / scale.parameter.powi(2);
        let goal = slope * value + parameter_slope * parameter;

        let unknowns = self.bases.len();
        let points = self.bench.value_points();
        let (unknown, at) = (
            anchor / points.nrows().max(1),
            anchor % points.nrows().max(1),
        );
        let dim = points.ncols();
        let constant = InputMap::identity(dim);
        let constant = PolynomialBasis::monomials(constant, 0).map_err(SolveError::from)?;
        let mut bases = self.bases.clone();
        bases.push(Arc::new(constant));
        let row = EquationRow::zero(unknowns + 1)
            .with(unknown, slope * identity(dim))
            .with(unknowns, parameter_slope * identity(dim));
        let anchor_point = points.row(at).to_owned().insert_axis(Axis(0));

        let mut beta: Option<Vec<f64>> = None;
        let mut last_change = f64::INFINITY;
        for iteration in 1..=CORRECTIONS {
            let newton = self.iteration(parameter);
            let state = match &beta {
                Some(beta) => newton.state_of(&newton.expansion(beta))?,
                None => {
                    let at = |point: &BranchPoint| newton.state_of(&Function::of(&point.solution));
                    at(a)?.blend(&at(b)?, along)
                }
            };
            let linearised = newton.linearise(&state);
            if newton.check_finite(&linearised).is_err() {
                return Ok(None);
            }
            let system =
                newton.system(&state, &linearised, StepForm::NewCoefficients, |_, _| true)?;
            let mut weights =
                block_weights(&self.problem.frame, self.options.solve.weight, &system)?;
            let mut blocks = system.blocks().to_vec();
            for (block, evaluated) in blocks.iter_mut().zip(linearised.evaluated()) {
                block.operator = widened(&block.operator);
                let Some(evaluated) = evaluated else { continue };
                let slopes = &evaluated.parameter_slopes;
                let columns = evaluated.slopes.ncols();
                let table = Array2::from_shape_fn((block.len(), columns + 1), |(i, k)| {
                    if k < columns {
                        evaluated.slopes[(i, k)]
                    } else {
                        slopes[i]
                    }
                });
                block.table = Some(table);
                let moves = Field::tabulated("∂R/∂p", columns);
                block.operator = block
                    .operator
                    .clone()
                    .with(unknowns, &moves * identity(dim));
                for (value, slope) in block.data.iter_mut().zip(slopes) {
                    *value += slope * parameter;
                }
            }
            blocks.push(RowBlock::new(
                "arclength",
                row.clone(),
                anchor_point.clone(),
                vec![goal],
            ));
            let rows: usize = self.blocks.iter().map(RowBlock::len).sum();
            weights.push(ARCLENGTH_WEIGHT * (rows as f64).sqrt() / slope.hypot(parameter_slope));
            let mut bordered = System::new(bases.clone(), blocks)?;
            bordered.set_weights(&weights);
            let factored = self
                .options
                .solve
                .backend
                .factor(&bordered, self.bench.lsq())?;
            let solution = factored.solution()?;
            let mut solved: Vec<f64> = (0..solution.nrows()).map(|j| solution[(j, 0)]).collect();
            let Some(new_parameter) = solved.pop() else {
                return Ok(None);
            };
            let references: Vec<&dyn Basis> = self.bases.iter().map(AsRef::as_ref).collect();
            let new_values = self.bench.values(&references, &solved)?;
            let moved: Vec<f64> = new_values.iter().zip(&values).map(|(b, a)| b - a).collect();
            let change = scale.length(&moved, new_parameter - parameter) / chord;
            if !change.is_finite() || (iteration > 3 && change > 4.0 * last_change) {
                return Ok(None);
            }
            (parameter, values) = (new_parameter, new_values);
            // Quadratic convergence: what is still to come is the square of this change.
            if change < SETTLED || (change < NEARLY && change > 0.5 * last_change) {
                return self.point(solved, parameter, iteration).map(Some);
            }
            (beta, last_change) = (Some(solved), change);
        }
        Ok(None)
    }

    /// The turning point among three points in a row: the extremum of p, by parabolas.
    fn fold(&self, among: [&BranchPoint; 3], scale: &Scale) -> Result<BranchPoint, NewtonError> {
        let mut three = among.map(BranchPoint::clone);
        let sign = (three[1].parameter - three[0].parameter).signum();
        for _ in 0..FOLD_STEPS {
            let (towards, chord) = scale.direction(&three[0], &three[2]);
            // The share of the chord at which each point stands.
            let share = |point: &BranchPoint| {
                let (direction, length) = scale.direction(&three[0], point);
                scale.cosine(&direction, &towards) * length / chord
            };
            let middle = share(&three[1]);
            let Some(top) = vertex([0.0, middle, 1.0], [0, 1, 2].map(|k| three[k].parameter))
            else {
                break;
            };
            if (top - middle).abs() < 1e-7 {
                break;
            }
            let Some(found) = self.correct(&three[0], &three[2], top, scale)? else {
                break;
            };
            let [a, b, c] = three;
            // The extremum lies between the neighbours of the best of the four.
            let better = sign * (found.parameter - b.parameter) > 0.0;
            three = match (top < middle, better) {
                (true, true) => [a, found, b],
                (true, false) => [found, b, c],
                (false, true) => [b, found, c],
                (false, false) => [a, b, found],
            };
        }
        let [_, fold, _] = three;
        Ok(fold)
    }
}

/// The weight of the arclength row, with all rows of unit size.
const ARCLENGTH_WEIGHT: f64 = 10.0;
/// A change that needs no further step, as a share of the step length.
const SETTLED: f64 = 1e-9;
/// A change that may be rounding if it no longer falls.
const NEARLY: f64 = 1e-5;

/// The abscissa of the vertex of the parabola through three points, if it lies among them.
fn vertex([a, b, c]: [f64; 3], p: [f64; 3]) -> Option<f64> {
    let (left, right) = ((p[1] - p[0]) / (b - a), (p[2] - p[1]) / (c - b));
    let curvature = (right - left) / (c - a);
    let top = 0.5 * (a + b) - 0.5 * left / curvature;
    (top.is_finite() && top > a && top < c).then_some(top)
}

/// The same row in a system with one more unknown.
fn widened(row: &EquationRow) -> EquationRow {
    row.blocks().iter().fold(
        EquationRow::zero(row.unknowns() + 1),
        |wide, (unknown, operator)| wide.with(*unknown, operator.clone()),
    )
}
