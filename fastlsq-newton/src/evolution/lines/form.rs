//! Which problems are evolutions on a line: u_t = F(u), u_tt = F(u, u_t), and systems of these, found by structure.

use std::collections::BTreeSet;

use fastlsq_basis::sampling::{Sequence, UnitSampler};
use fastlsq_solve::space::line::EndCondition;
use fastlsq_solve::{
    ConcreteCondition, ConcretePlace, ConcreteProblem, Domain, DomainExt, Jet, PartKind, Residual,
    Sites,
};
use ndarray::{Array2, ShapeBuilder};

use super::compatibility::needed;
use crate::NewtonError;

/// A derivative of a state along the line.
pub(crate) type Sample = (usize, usize);

/// Where a column of an equation's table comes from.
#[derive(Debug, Clone, Copy)]
enum Column {
    /// A number in the list of samples.
    Sample(usize),
    /// The highest derivative in time of an unknown.
    Rate(usize),
}

#[derive(Debug, Clone)]
struct Equation {
    residual: Residual,
    columns: Vec<Column>,
}

/// A condition at an end.
#[derive(Debug, Clone)]
pub(crate) struct End {
    /// The name in reports.
    pub(crate) label: String,
    pub(crate) upper: bool,
    residual: Residual,
    /// The derivative of data in time that this one is about: 0, or 1 for the velocity.
    level: u32,
    /// Whether the data do not change, as far as can be seen.
    pub(crate) constant: bool,
}

/// Initial values: rows over the states at each point.
#[derive(Debug, Clone)]
struct InitialRow {
    residual: Residual,
    states: Vec<usize>,
}

/// An evolution on an interval or a circle.
#[derive(Debug, Clone)]
pub(crate) struct LineProblem {
    pub(crate) interval: (f64, f64),
    pub(crate) times: (f64, f64),
    /// For each state: its unknown, and how often it is differentiated in time.
    pub(crate) states: Vec<(usize, u32)>,
    /// The highest derivative along the line.
    pub(crate) order: usize,
    /// What of the states the equations need.
    pub(crate) samples: Vec<Sample>,
    pub(crate) periodic: bool,
    pub(crate) ends: Vec<End>,
    pub(crate) conditions: Vec<EndCondition>,
    /// Whether everything is linear in the unknowns.
    pub(crate) linear: bool,
    unknowns: usize,
    equations: Vec<Equation>,
    initial: Vec<InitialRow>,
}

/// Rates of the states, and their slopes by the samples.
#[derive(Debug)]
pub(crate) struct Rates {
    /// For each state, at each point.
    pub(crate) values: Vec<Vec<f64>>,
    /// (state, sample, ∂rate/∂sample at each point), where it was asked for.
    pub(crate) slopes: Vec<(usize, usize, Vec<f64>)>,
}

/// Why a problem is not an evolution on a line.
pub(crate) type Refusal = String;

fn refuse<T>(reason: impl Into<String>) -> Result<T, Refusal> {
    Err(reason.into())
}

/// Derivatives of order (along the line, in time) of a jet.
fn orders(jet: &Jet) -> Result<(usize, u32), Refusal> {
    let orders = jet.action.derivative.orders();
    match (jet.action.is_derivative(), orders) {
        (true, &[x, t]) => Ok((x as usize, t)),
        _ => refuse("it contains integrals or multipliers"),
    }
}

impl LineProblem {
    /// The problem as an evolution, or the reason why it is none.
    pub(crate) fn recognise(problem: &ConcreteProblem) -> Result<Self, Refusal> {
        let domain = problem.domain.as_ref();
        if domain.time_axis().is_none() {
            return refuse("its domain has no time");
        }
        if domain.dim() != 2 {
            return refuse("space has more than one dimension");
        }
        let unknowns = problem.unknowns.len();
        if problem.equations.len() != unknowns {
            return refuse("the numbers of equations and of unknowns differ");
        }
        let bounds = domain.bounding_box().map_err(|error| error.to_string())?;
        let interval = (bounds.lo()[0], bounds.hi()[0]);
        let times = (bounds.lo()[1], bounds.hi()[1]);

        let mut top = vec![0u32; unknowns];
        for jet in problem.equations.iter().flat_map(|e| e.statement.jets()) {
            let (_, t) = orders(jet)?;
            top[jet.unknown] = top[jet.unknown].max(t);
        }
        if let Some(k) = top.iter().position(|t| !(1..=2).contains(t)) {
            let name = &problem.unknowns[k];
            return refuse(format!("{name} is differentiated {} times in time", top[k]));
        }
        let mut states = Vec::new();
        for (unknown, top) in top.iter().enumerate() {
            states.extend((0..*top).map(|t| (unknown, t)));
        }
        let state_of = |unknown: usize, t: u32| states.iter().position(|s| *s == (unknown, t));

        let mut wanted = BTreeSet::new();
        let mut order = 1;
        for jet in problem.equations.iter().flat_map(|e| e.statement.jets()) {
            let (x, t) = orders(jet)?;
            match state_of(jet.unknown, t) {
                Some(state) => {
                    wanted.insert((state, x));
                    order = order.max(x);
                }
                None if x > 0 => {
                    return refuse("the highest derivative in time is differentiated in space");
                }
                None => {}
            }
        }
        // The rate of a position is its velocity.
        for (state, (unknown, t)) in states.iter().enumerate() {
            if *t + 1 < top[*unknown] {
                wanted.insert((state + 1, 0));
            }
        }
        let samples: Vec<Sample> = wanted.into_iter().collect();
        let mut equations = Vec::new();
        for equation in &problem.equations {
            let residual = equation.statement.residual();
            let mut columns = Vec::new();
            for jet in residual.jets() {
                let (x, t) = orders(jet)?;
                let sample = state_of(jet.unknown, t)
                    .and_then(|state| samples.iter().position(|s| *s == (state, x)));
                columns.push(sample.map_or(Column::Rate(jet.unknown), Column::Sample));
            }
            equations.push(Equation { residual, columns });
        }
        let mut this = Self {
            interval,
            times,
            states,
            order,
            samples,
            periodic: false,
            ends: Vec::new(),
            conditions: Vec::new(),
            linear: problem.equations.iter().all(|e| e.statement.is_linear()),
            unknowns,
            equations,
            initial: Vec::new(),
        };
        this.check_rates()?;
        for condition in &problem.conditions {
            this.take(domain, condition, &top)?;
        }
        if this.periodic && !this.ends.is_empty() {
            return refuse("it is periodic and has conditions at the ends");
        }
        if this.initial.len() != this.states.len() {
            return refuse(format!(
                "{} initial values are given where {} are needed",
                this.initial.len(),
                this.states.len()
            ));
        }
        this.check_counts()?;
        Ok(this)
    }

    /// Whether a single unknown has as many conditions at each end as its equation takes.
    fn check_counts(&self) -> Result<(), Refusal> {
        if self.unknowns != 1 {
            return Ok(());
        }
        let (lo, hi) = self.interval;
        let inside = [0.001, 0.5, 0.999].map(|share| lo + share * (hi - lo));
        let values = self.initial(&inside).map_err(|e| e.to_string())?;
        let samples: Vec<Vec<f64>> = self
            .samples
            .iter()
            .map(|(state, d)| {
                if *d == 0 {
                    values[*state].clone()
                } else {
                    vec![0.0; inside.len()]
                }
            })
            .collect();
        let rates = self
            .rates(self.times.0, &inside, &samples, true)
            .map_err(|e| e.to_string())?;
        let last = self.states.len() - 1;
        let leading = rates.slopes.iter().find(|(of, sample, _)| {
            *of == last
                && self.samples[*sample].1 == self.order
                && self.states[self.samples[*sample].0].1 == 0
        });
        let Some((_, _, slopes)) = leading else {
            return Ok(());
        };
        if slopes
            .iter()
            .any(|c| *c == 0.0 || !c.is_finite() || c.signum() != slopes[0].signum())
        {
            return Ok(());
        }
        let needed = needed(self.order, self.states.len() == 2, slopes[0])?;
        let Some(needed) = needed.filter(|_| !self.periodic) else {
            return Ok(());
        };
        for (upper, needed) in [false, true].into_iter().zip(needed) {
            let given = self
                .ends
                .iter()
                .filter(|end| end.upper == upper && end.level == 0)
                .count();
            if given != needed {
                let end = if upper { "upper" } else { "lower" };
                return refuse(format!(
                    "{given} conditions are given at the {end} end, where the equation takes {needed}"
                ));
            }
        }
        Ok(())
    }

    /// Whether the equations are affine in the highest derivatives in time, and determine them.
    fn check_rates(&self) -> Result<(), Refusal> {
        let count = 7;
        let mut sampler = UnitSampler::on_stream(Sequence::Independent, 5, 17);
        let draw = sampler.points(count, 2 + self.samples.len() + self.unknowns);
        let x: Vec<f64> = (0..count)
            .map(|i| self.interval.0 + draw[(i, 0)] * (self.interval.1 - self.interval.0))
            .collect();
        let t = self.times.0 + draw[(0, 1)] * (self.times.1 - self.times.0);
        let columns: Vec<Vec<f64>> = (0..self.samples.len())
            .map(|k| (0..count).map(|i| 0.5 + draw[(i, 2 + k)]).collect())
            .collect();
        let points = self.points(t, &x);
        let first = 2 + self.samples.len();
        for equation in &self.equations {
            let slopes = |rates: &[Vec<f64>]| {
                let table = equation.table(count, &columns, rates);
                equation
                    .residual
                    .evaluate(table.view(), &Sites::new(points.view()), &[])
            };
            let zero = slopes(&vec![vec![0.0; count]; self.unknowns]).map_err(|e| e.to_string())?;
            let some: Vec<Vec<f64>> = (0..self.unknowns)
                .map(|u| (0..count).map(|i| 1.0 + draw[(i, first + u)]).collect())
                .collect();
            let some = slopes(&some).map_err(|e| e.to_string())?;
            for (k, column) in equation.columns.iter().enumerate() {
                if matches!(column, Column::Rate(_))
                    && zero.slopes.column(k) != some.slopes.column(k)
                    && zero.slopes.column(k).iter().all(|v| v.is_finite())
                {
                    return refuse("the highest derivatives in time do not occur linearly");
                }
            }
        }
        Ok(())
    }

    fn take(
        &mut self,
        domain: &dyn Domain,
        condition: &ConcreteCondition,
        top: &[u32],
    ) -> Result<(), Refusal> {
        let label = &condition.label;
        if !condition.statement.is_linear() {
            return refuse(format!("the condition {label} is not linear"));
        }
        let residual = condition.statement.residual();
        let selector = match &condition.place {
            ConcretePlace::Opposite { axis: 0 } if condition.stated.is_none() => {
                self.periodic = true;
                return Ok(());
            }
            ConcretePlace::Part(selector) => selector,
            _ => {
                return refuse(format!(
                    "the condition {label} holds neither at the start nor at an end"
                ));
            }
        };
        let parts = domain.parts();
        for part in domain.select(selector).map_err(|e| e.to_string())? {
            match parts.get(part).map(|part| part.kind) {
                Some(PartKind::Initial) => {
                    let states = residual.jets().iter().map(|jet| {
                        let (x, t) = orders(jet)?;
                        let state = self.states.iter().position(|s| *s == (jet.unknown, t));
                        match (x, state) {
                            (0, Some(state)) => Ok(state),
                            _ => refuse(format!("{label} is no initial value")),
                        }
                    });
                    let states = states.collect::<Result<_, _>>()?;
                    self.initial.push(InitialRow {
                        residual: residual.clone(),
                        states,
                    });
                }
                Some(PartKind::Wall) => {
                    let mut sampler = UnitSampler::on_stream(Sequence::Independent, 0, 3);
                    let at = domain
                        .sample_part(part, 1, &mut sampler)
                        .map_err(|e| e.to_string())?;
                    let x = at.points[(0, 0)];
                    let upper = (x - self.interval.1).abs() < (x - self.interval.0).abs();
                    self.end(label, &residual, upper, top)?;
                }
                _ => {
                    return refuse(format!(
                        "the condition {label} holds neither at the start nor at an end"
                    ));
                }
            }
        }
        Ok(())
    }

    /// A condition at one end, for the unknowns and, where these have velocities, for those.
    fn end(
        &mut self,
        label: &str,
        residual: &Residual,
        upper: bool,
        top: &[u32],
    ) -> Result<(), Refusal> {
        let jets: Vec<(usize, usize)> = residual
            .jets()
            .iter()
            .map(|jet| match orders(jet)? {
                (x, 0) if x < self.order => Ok((jet.unknown, x)),
                (_, 0) => refuse(format!(
                    "{label} contains a derivative of the order of the equation"
                )),
                _ => refuse(format!("{label} contains a derivative in time")),
            })
            .collect::<Result<_, _>>()?;
        let levels: Vec<u32> = jets.iter().map(|(unknown, _)| top[*unknown]).collect();
        let Some(&level) = levels.first() else {
            return refuse(format!("{label} contains no unknown"));
        };
        if levels.iter().any(|own| *own != level) {
            return refuse(format!(
                "{label} connects unknowns of different order in time"
            ));
        }
        let mut end = End {
            label: label.to_owned(),
            upper,
            residual: residual.clone(),
            level: 0,
            constant: true,
        };
        let (start, finish) = self.times;
        let (value, first) = end.evaluate(self, start).map_err(|e| e.to_string())?;
        for share in LOOKS {
            let t = start + share * (finish - start);
            let (later, slopes) = end.evaluate(self, t).map_err(|e| e.to_string())?;
            if slopes != first {
                return refuse(format!("the coefficients of {label} depend on time"));
            }
            end.constant &= later == value;
        }
        for t in 0..level {
            let mut coefficients = vec![vec![0.0; self.order]; self.states.len()];
            for ((unknown, x), slope) in jets.iter().zip(&first) {
                if let Some(state) = self.states.iter().position(|s| *s == (*unknown, t)) {
                    coefficients[state][*x] += slope;
                }
            }
            if coefficients.iter().flatten().all(|c| *c == 0.0) {
                return refuse(format!("{label} says nothing"));
            }
            self.conditions.push(EndCondition {
                upper,
                coefficients,
            });
            self.ends.push(End {
                level: t,
                ..end.clone()
            });
        }
        Ok(())
    }

    /// The data of all conditions at the ends.
    pub(crate) fn data(&self, t: f64) -> Result<Vec<f64>, NewtonError> {
        self.ends.iter().map(|end| end.data(self, t)).collect()
    }

    fn points(&self, t: f64, x: &[f64]) -> Array2<f64> {
        Array2::from_shape_fn((x.len(), 2), |(i, k)| if k == 0 { x[i] } else { t })
    }

    /// The states at the start.
    pub(crate) fn initial(&self, x: &[f64]) -> Result<Vec<Vec<f64>>, NewtonError> {
        let count = self.states.len();
        let points = self.points(self.times.0, x);
        let mut normals = Array2::zeros((x.len(), 2));
        normals.column_mut(1).fill(-1.0);
        let sites = Sites::new(points.view()).with_normals(normals.view());
        let mut rows = Vec::new();
        for row in &self.initial {
            let zero = Array2::zeros((x.len(), row.states.len()));
            rows.push((row, row.residual.evaluate(zero.view(), &sites, &[])?));
        }
        let mut values = vec![vec![0.0; x.len()]; count];
        let mut matrix = vec![0.0; count * count];
        let mut right = vec![0.0; count];
        for i in 0..x.len() {
            matrix.fill(0.0);
            for (k, (row, found)) in rows.iter().enumerate() {
                right[k] = -found.values[i];
                for (column, &state) in row.states.iter().enumerate() {
                    matrix[k * count + state] += found.slopes[(i, column)];
                }
            }
            eliminate(&mut matrix, &mut right);
            for (values, value) in values.iter_mut().zip(&right) {
                values[i] = *value;
            }
        }
        Ok(values)
    }

    /// The rates of all states at the points, given their samples there.
    pub(crate) fn rates(
        &self,
        t: f64,
        x: &[f64],
        samples: &[Vec<f64>],
        with_slopes: bool,
    ) -> Result<Rates, NewtonError> {
        let (count, unknowns) = (x.len(), self.unknowns);
        let points = self.points(t, x);
        let sites = Sites::new(points.view());
        let mut tops = vec![vec![0.0; count]; unknowns];
        let evaluate = |tops: &[Vec<f64>]| {
            let all = self.equations.iter().map(|equation| {
                let table = equation.table(count, samples, tops);
                Ok(equation.residual.evaluate(table.view(), &sites, &[])?)
            });
            all.collect::<Result<Vec<_>, NewtonError>>()
        };
        let mut found = evaluate(&tops)?;
        let rows = |found: &[fastlsq_solve::ResidualValues], i: usize, matrix: &mut [f64]| {
            matrix.fill(0.0);
            for (k, (equation, found)) in self.equations.iter().zip(found).enumerate() {
                for (column, source) in equation.columns.iter().enumerate() {
                    if let Column::Rate(unknown) = source {
                        matrix[k * unknowns + unknown] += found.slopes[(i, column)];
                    }
                }
            }
        };
        let mut matrix = vec![0.0; unknowns * unknowns];
        let mut right = vec![0.0; unknowns];
        for i in 0..count {
            rows(&found, i, &mut matrix);
            for (right, found) in right.iter_mut().zip(&found) {
                *right = -found.values[i];
            }
            eliminate(&mut matrix, &mut right);
            for (top, value) in tops.iter_mut().zip(&right) {
                top[i] = *value;
            }
        }
        let mut slopes = Vec::new();
        if with_slopes {
            // ∂rate/∂sample = −A⁻¹ ∂R/∂sample, at the rates that were found.
            found = evaluate(&tops)?;
            for (k, _) in self.samples.iter().enumerate() {
                let mut own = vec![vec![0.0; count]; unknowns];
                let mut any = false;
                for i in 0..count {
                    right.fill(0.0);
                    for (right, (equation, found)) in
                        right.iter_mut().zip(self.equations.iter().zip(&found))
                    {
                        for (column, source) in equation.columns.iter().enumerate() {
                            if matches!(source, Column::Sample(s) if *s == k) {
                                *right -= found.slopes[(i, column)];
                            }
                        }
                    }
                    if right.iter().all(|v| *v == 0.0) {
                        continue;
                    }
                    any = true;
                    rows(&found, i, &mut matrix);
                    eliminate(&mut matrix, &mut right);
                    for (own, value) in own.iter_mut().zip(&right) {
                        own[i] = *value;
                    }
                }
                if any {
                    for (unknown, own) in own.into_iter().enumerate() {
                        if let Some(state) = self.last_state(unknown)
                            && own.iter().any(|v| *v != 0.0)
                        {
                            slopes.push((state, k, own));
                        }
                    }
                }
            }
        }
        let mut values = Vec::with_capacity(self.states.len());
        for (state, (unknown, _)) in self.states.iter().enumerate() {
            if self.last_state(*unknown) == Some(state) {
                values.push(std::mem::take(&mut tops[*unknown]));
                continue;
            }
            let velocity = self.samples.iter().position(|s| *s == (state + 1, 0));
            values.push(velocity.map_or_else(|| vec![0.0; count], |k| samples[k].clone()));
            if let (true, Some(k)) = (with_slopes, velocity) {
                slopes.push((state, k, vec![1.0; count]));
            }
        }
        Ok(Rates { values, slopes })
    }

    /// The state whose rate is the highest derivative in time of an unknown.
    fn last_state(&self, unknown: usize) -> Option<usize> {
        self.states.iter().rposition(|(own, _)| *own == unknown)
    }
}

impl Equation {
    fn table(&self, count: usize, samples: &[Vec<f64>], rates: &[Vec<f64>]) -> Array2<f64> {
        let mut table = Array2::zeros((count, self.columns.len()).f());
        for (mut target, source) in table.columns_mut().into_iter().zip(&self.columns) {
            let values = match source {
                Column::Sample(k) => &samples[*k],
                Column::Rate(unknown) => &rates[*unknown],
            };
            for (target, value) in target.iter_mut().zip(values) {
                *target = *value;
            }
        }
        table
    }
}

/// Shares of the time interval at which it is looked whether something changes in time.
pub(super) const LOOKS: [f64; 5] = [0.0137, 0.2249, 0.4871, 0.7793, 1.0];

/// Points of the formula for the velocity of data, and their distance as a share of the time interval.
const STENCIL: usize = 9;
const SPACING: f64 = 5e-4;

impl End {
    /// Whether it is about a velocity.
    pub(crate) fn is_velocity(&self) -> bool {
        self.level > 0
    }

    /// −g and the coefficients at a time.
    fn evaluate(&self, problem: &LineProblem, t: f64) -> Result<(f64, Vec<f64>), NewtonError> {
        let (lo, hi) = problem.interval;
        let points = problem.points(t, &[if self.upper { hi } else { lo }]);
        let mut normals = Array2::zeros((1, 2));
        normals[(0, 0)] = if self.upper { 1.0 } else { -1.0 };
        let sites = Sites::new(points.view()).with_normals(normals.view());
        let zero = Array2::zeros((1, self.residual.jets().len()));
        let found = self.residual.evaluate(zero.view(), &sites, &[])?;
        Ok((found.values[0], found.slopes.row(0).to_vec()))
    }

    /// g, or its rate of change for a velocity.
    pub(crate) fn data(&self, problem: &LineProblem, t: f64) -> Result<f64, NewtonError> {
        if self.level == 0 {
            return Ok(-self.evaluate(problem, t)?.0);
        }
        if self.constant {
            return Ok(0.0);
        }
        let (start, end) = problem.times;
        let step = SPACING * (end - start);
        let reach = step * (STENCIL / 2) as f64;
        let first = t.clamp(start + reach, end - reach) - reach;
        let nodes: Vec<f64> = (0..STENCIL).map(|k| first + step * k as f64).collect();
        let mut slope = 0.0;
        for (k, node) in nodes.iter().enumerate() {
            let value = -self.evaluate(problem, *node)?.0;
            slope += value * lagrange_slope(&nodes, k, t);
        }
        Ok(slope)
    }
}

/// The derivative at t of the polynomial that is 1 at node k and 0 at the others.
pub(super) fn lagrange_slope(nodes: &[f64], k: usize, t: f64) -> f64 {
    let others = || nodes.iter().enumerate().filter(|(j, _)| *j != k);
    others()
        .map(|(left_out, node)| {
            others()
                .filter(|(j, _)| *j != left_out)
                .fold(1.0 / (nodes[k] - node), |product, (_, node)| {
                    product * (t - node) / (nodes[k] - node)
                })
        })
        .sum()
}

/// Solves a small system in place, row by row; a singular one gives numbers that are not finite.
fn eliminate(matrix: &mut [f64], right: &mut [f64]) {
    let n = right.len();
    if n == 1 {
        right[0] /= matrix[0];
        return;
    }
    for k in 0..n {
        let pivot = (k..n)
            .max_by(|a, b| matrix[a * n + k].abs().total_cmp(&matrix[b * n + k].abs()))
            .unwrap_or(k);
        if pivot != k {
            for j in 0..n {
                matrix.swap(k * n + j, pivot * n + j);
            }
            right.swap(k, pivot);
        }
        for r in k + 1..n {
            let factor = matrix[r * n + k] / matrix[k * n + k];
            if factor != 0.0 {
                for j in k..n {
                    matrix[r * n + j] -= factor * matrix[k * n + j];
                }
                right[r] -= factor * right[k];
            }
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| matrix[k * n + j] * right[j]).sum();
        right[k] = (right[k] - known) / matrix[k * n + k];
    }
}
