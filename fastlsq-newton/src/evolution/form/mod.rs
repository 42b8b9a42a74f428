//! Which problems are evolutions: u_t = F(u), u_tt = F(u, u_t), and systems of these, found by structure.

mod rates;
mod slope;

use std::collections::BTreeSet;

use fastlsq_basis::sampling::{Sequence, UnitSampler};
use fastlsq_solve::{
    ConcreteCondition, ConcreteProblem, Domain, DomainExt, Jet, PartKind, PartSelector, Residual,
    Sites,
};
use ndarray::{Array2, ArrayView2};

use crate::NewtonError;
pub(crate) use rates::Rates;
use rates::{Column, Equation, eliminate};
pub(crate) use slope::slope_in_time;

/// A derivative of a state in space: its number, and how often it is differentiated along each axis.
pub(crate) type Sample = (usize, Vec<u32>);

/// Why a problem is not an evolution.
pub(crate) type Refusal = String;

pub(crate) fn refuse<T>(reason: impl Into<String>) -> Result<T, Refusal> {
    Err(reason.into())
}

/// Shares of the time interval at which it is checked whether something changes in time.
pub(crate) const LOOKS: [f64; 5] = [0.0137, 0.2249, 0.4871, 0.7793, 1.0];

/// Initial values: rows over the states at each point.
#[derive(Debug, Clone)]
struct InitialRow {
    residual: Residual,
    states: Vec<usize>,
}

/// The equations and initial values of an evolution, whatever its space.
#[derive(Debug, Clone)]
pub(crate) struct Form {
    /// Axes of space.
    pub(crate) dim: usize,
    /// A box around space.
    pub(crate) bounds: (Vec<f64>, Vec<f64>),
    pub(crate) times: (f64, f64),
    /// For each state: its unknown, and how often it is differentiated in time.
    pub(crate) states: Vec<(usize, u32)>,
    /// The highest derivative in time of each unknown.
    pub(crate) top: Vec<u32>,
    /// The highest derivative in space.
    pub(crate) order: usize,
    /// The derivatives of the states that the equations need.
    pub(crate) samples: Vec<Sample>,
    /// Whether everything is linear in the unknowns.
    pub(crate) linear: bool,
    equations: Vec<Equation>,
    initial: Vec<InitialRow>,
}

/// Derivatives (in space, in time) of a jet.
pub(crate) fn orders(jet: &Jet) -> Result<(Vec<u32>, u32), Refusal> {
    match jet.action.derivative.orders() {
        [space @ .., t] if jet.action.is_derivative() => Ok((space.to_vec(), *t)),
        _ => refuse("it contains integrals or multipliers"),
    }
}

impl Form {
    /// The equations of the problem as those of an evolution, or the reason why they are not. Conditions are left to the
    /// caller, who [takes](Self::take_initial) those at the first time.
    pub(crate) fn recognise(problem: &ConcreteProblem) -> Result<Self, Refusal> {
        let domain = problem.domain.as_ref();
        if domain.time_axis().is_none() {
            return refuse("its domain has no time");
        }
        let dim = domain.dim() - 1;
        let unknowns = problem.unknowns.len();
        if problem.equations.len() != unknowns {
            return refuse("the numbers of equations and of unknowns differ");
        }
        let bounds = domain.bounding_box().map_err(|error| error.to_string())?;
        let times = (bounds.lo()[dim], bounds.hi()[dim]);

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
            let own: u32 = x.iter().sum();
            match state_of(jet.unknown, t) {
                Some(state) => {
                    wanted.insert((state, x));
                    order = order.max(own as usize);
                }
                None if own > 0 => {
                    return refuse("the highest derivative in time is differentiated in space");
                }
                None => {}
            }
        }
        // The rate of a position is its velocity.
        for (state, (unknown, t)) in states.iter().enumerate() {
            if *t + 1 < top[*unknown] {
                wanted.insert((state + 1, vec![0; dim]));
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
                    .and_then(|state| samples.iter().position(|s| *s == (state, x.clone())));
                columns.push(sample.map_or(Column::Rate(jet.unknown), Column::Sample));
            }
            let is_rate = |jet: &Jet| {
                let own = residual.jets().iter().position(|other| other == jet);
                own.is_some_and(|k| matches!(columns[k], Column::Rate(_)))
            };
            equations.push(Equation {
                for_rates: equation.statement.residual_with_slopes(is_rate),
                residual,
                columns,
            });
        }
        let this = Self {
            dim,
            bounds: (bounds.lo()[..dim].to_vec(), bounds.hi()[..dim].to_vec()),
            times,
            states,
            top,
            order,
            samples,
            linear: problem.equations.iter().all(|e| e.statement.is_linear()),
            equations,
            initial: Vec::new(),
        };
        this.check_rates()?;
        Ok(this)
    }

    /// The number of unknowns.
    pub(crate) fn unknowns(&self) -> usize {
        self.top.len()
    }

    /// Keeps a linear condition as an initial value.
    fn take_initial(&mut self, condition: &ConcreteCondition) -> Result<(), Refusal> {
        let label = &condition.label;
        let residual = condition.statement.residual();
        let states = residual.jets().iter().map(|jet| {
            let (x, t) = orders(jet)?;
            let state = self.states.iter().position(|s| *s == (jet.unknown, t));
            match (x.iter().all(|o| *o == 0), state) {
                (true, Some(state)) => Ok(state),
                _ => refuse(format!("{label} does not give an initial value")),
            }
        });
        let states = states.collect::<Result<_, _>>()?;
        self.initial.push(InitialRow { residual, states });
        Ok(())
    }

    /// The walls among the parts where a condition holds; initial values are kept.
    pub(crate) fn walls_of(
        &mut self,
        domain: &dyn Domain,
        condition: &ConcreteCondition,
        selector: &PartSelector,
    ) -> Result<Vec<usize>, Refusal> {
        let parts = domain.parts();
        let mut walls = Vec::new();
        for part in domain.select(selector).map_err(|e| e.to_string())? {
            match parts.get(part).map(|part| part.kind) {
                Some(PartKind::Initial) => self.take_initial(condition)?,
                Some(PartKind::Wall) => walls.push(part),
                _ => {
                    return refuse(format!(
                        "the condition {} holds neither at the start nor on a wall",
                        condition.label
                    ));
                }
            }
        }
        Ok(walls)
    }

    /// Whether there is one initial value for each state.
    pub(crate) fn check_initial(&self) -> Result<(), Refusal> {
        if self.initial.len() == self.states.len() {
            return Ok(());
        }
        refuse(format!(
            "{} initial values are given where {} are needed",
            self.initial.len(),
            self.states.len()
        ))
    }

    /// Whether the equations are affine in the highest derivatives in time, and determine them.
    fn check_rates(&self) -> Result<(), Refusal> {
        let count = 7;
        let unknowns = self.unknowns();
        let mut sampler = UnitSampler::on_stream(Sequence::Independent, 5, 17);
        let draw = sampler.points(count, self.dim + 1 + self.samples.len() + unknowns);
        let (lo, hi) = &self.bounds;
        let x = Array2::from_shape_fn((count, self.dim), |(i, k)| {
            lo[k] + draw[(i, k)] * (hi[k] - lo[k])
        });
        let t = self.times.0 + draw[(0, self.dim)] * (self.times.1 - self.times.0);
        let first = self.dim + 1;
        let columns: Vec<Vec<f64>> = (0..self.samples.len())
            .map(|k| (0..count).map(|i| 0.5 + draw[(i, first + k)]).collect())
            .collect();
        let points = self.points(t, x.view());
        let first = first + self.samples.len();
        for equation in &self.equations {
            let slopes = |rates: &[Vec<f64>]| {
                let table = equation.table(count, &columns, rates);
                equation
                    .residual
                    .evaluate(table.view(), &Sites::new(points.view()), &[])
            };
            let zero = slopes(&vec![vec![0.0; count]; unknowns]).map_err(|e| e.to_string())?;
            let some: Vec<Vec<f64>> = (0..unknowns)
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

    /// Points of space at one time.
    pub(crate) fn points(&self, t: f64, x: ArrayView2<'_, f64>) -> Array2<f64> {
        let axes = x.ncols();
        Array2::from_shape_fn(
            (x.nrows(), axes + 1),
            |(i, k)| if k < axes { x[(i, k)] } else { t },
        )
    }

    /// The states at the start.
    pub(crate) fn initial(&self, x: ArrayView2<'_, f64>) -> Result<Vec<Vec<f64>>, NewtonError> {
        let count = self.states.len();
        let points = self.points(self.times.0, x);
        let mut normals = Array2::zeros((x.nrows(), self.dim + 1));
        normals.column_mut(self.dim).fill(-1.0);
        let sites = Sites::new(points.view()).with_normals(normals.view());
        let mut rows = Vec::new();
        for row in &self.initial {
            let zero = Array2::zeros((x.nrows(), row.states.len()));
            rows.push((row, row.residual.evaluate(zero.view(), &sites, &[])?));
        }
        let mut values = vec![vec![0.0; x.nrows()]; count];
        let mut matrix = vec![0.0; count * count];
        let mut right = vec![0.0; count];
        for i in 0..x.nrows() {
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
        for own in &values {
            if let Some(i) = own.iter().position(|v| !v.is_finite()) {
                return Err(NewtonError::ResidualNotFinite {
                    label: "the initial values".to_owned(),
                    point: points.row(i).to_vec(),
                    value: own[i],
                });
            }
        }
        Ok(values)
    }

    /// The state whose rate is the highest derivative in time of an unknown.
    pub(crate) fn last_state(&self, unknown: usize) -> Option<usize> {
        self.states.iter().rposition(|(own, _)| *own == unknown)
    }
}
