//! A solution as a function of time.

use super::stepper::StepFailure;
use faer::Mat;
use std::sync::Arc;

/// How an integration ended.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum OdeStatus {
    /// At the end that was asked for.
    Finished,
    /// After as many steps as were allowed.
    StepLimit,
    /// Where no step met the tolerance: a solution that blows up, or a tolerance below rounding.
    Stalled(StepFailure),
}

/// The solution over one step, as a polynomial in time.
#[derive(Debug, Clone)]
pub struct Segment {
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) first: Vec<f64>,
    pub(super) last: Vec<f64>,
    /// The estimated error of the step relative to the size of y.
    pub(super) error: f64,
    pub(super) form: Form,
}

#[derive(Debug, Clone)]
pub(super) enum Form {
    /// y₀ + θ(f₀ + (1 − θ)(f₁ + θ(f₂ + (1 − θ)(f₃ + …)))), one column per f.
    Nested(Mat<f64>),
    /// The polynomial through y₀ at θ = 0 and y₀ + zᵢ at the nodes cᵢ, one column per z.
    Collocation(Arc<[f64]>, Mat<f64>),
}

impl Segment {
    /// Where the step starts.
    #[must_use]
    pub fn start(&self) -> f64 {
        self.start
    }

    /// The estimated error of the step, relative to the size of the solution.
    #[must_use]
    pub fn error(&self) -> f64 {
        self.error
    }

    /// Where the step ends.
    #[must_use]
    pub fn end(&self) -> f64 {
        self.end
    }

    /// The solution at the start.
    #[must_use]
    pub fn first(&self) -> &[f64] {
        &self.first
    }

    /// The solution at the end.
    #[must_use]
    pub fn last(&self) -> &[f64] {
        &self.last
    }

    /// The solution at a time, meant for times within the step.
    #[must_use]
    pub fn at(&self, t: f64) -> Vec<f64> {
        if t == self.end {
            return self.last.clone();
        }
        let theta = (t - self.start) / (self.end - self.start);
        match &self.form {
            Form::Nested(terms) => {
                let weights = nested_weights(theta, terms.ncols());
                self.combined(terms, &weights)
            }
            Form::Collocation(nodes, increments) => {
                self.combined(increments, &lagrange(nodes, theta))
            }
        }
    }

    /// y₀ plus the columns with these weights.
    fn combined(&self, columns: &Mat<f64>, weights: &[f64]) -> Vec<f64> {
        let mut y = self.first.clone();
        for (j, weight) in weights.iter().enumerate() {
            for (i, y) in y.iter_mut().enumerate() {
                *y += weight * columns[(i, j)];
            }
        }
        y
    }
}

/// The factor of each term of the nested form.
fn nested_weights(theta: f64, count: usize) -> Vec<f64> {
    let mut factor = 1.0;
    (0..count)
        .map(|k| {
            factor *= if k % 2 == 0 { theta } else { 1.0 - theta };
            factor
        })
        .collect()
}

/// Lagrange polynomials of the nodes cᵢ, together with a node at 0 where the value is 0.
pub(super) fn lagrange(nodes: &[f64], theta: f64) -> Vec<f64> {
    nodes
        .iter()
        .enumerate()
        .map(|(i, &own)| {
            let others = nodes.iter().enumerate().filter(|(j, _)| *j != i);
            others.fold(theta / own, |product, (_, &node)| {
                product * (theta - node) / (own - node)
            })
        })
        .collect()
}

/// A solution from its start to the time that was reached.
#[derive(Debug, Clone)]
pub struct Trajectory {
    start: f64,
    first: Vec<f64>,
    segments: Vec<Segment>,
    status: OdeStatus,
}

impl Trajectory {
    pub(crate) fn new(start: f64, first: Vec<f64>) -> Self {
        Self {
            start,
            first,
            segments: Vec::new(),
            status: OdeStatus::Finished,
        }
    }

    pub(crate) fn push(&mut self, segment: Segment) {
        self.segments.push(segment);
    }

    pub(crate) fn set_status(&mut self, status: OdeStatus) {
        self.status = status;
    }

    /// How the integration ended.
    #[must_use]
    pub fn status(&self) -> OdeStatus {
        self.status
    }

    /// The steps.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The time reached.
    #[must_use]
    pub fn end(&self) -> f64 {
        self.segments
            .last()
            .map_or(self.start, |segment| segment.end)
    }

    /// The solution at the time reached.
    #[must_use]
    pub fn last(&self) -> &[f64] {
        self.segments
            .last()
            .map_or(&self.first, |segment| &segment.last)
    }

    /// The solution at a time between start and end; the nearest of the two outside.
    #[must_use]
    pub fn at(&self, t: f64) -> Vec<f64> {
        if t <= self.start || t.is_nan() {
            return self.first.clone();
        }
        let after = self.segments.partition_point(|segment| segment.end < t);
        match self.segments.get(after) {
            Some(segment) => segment.at(t),
            None => self.last().to_vec(),
        }
    }
}
