//! Which problems are evolutions on a line.

use std::ops::Deref;

use fastlsq_basis::sampling::{Sequence, UnitSampler};
use fastlsq_solve::space::line::EndCondition;
use fastlsq_solve::{ConcreteCondition, ConcretePlace, ConcreteProblem, Domain, Residual, Sites};
use ndarray::{Array2, ArrayView2};

use super::compatibility::needed;
use crate::NewtonError;
use crate::evolution::form::{Form, LOOKS, Rates, Refusal, orders, refuse, slope_in_time};

/// A condition at an end.
#[derive(Debug, Clone)]
pub(crate) struct End {
    /// The name in reports.
    pub(crate) label: String,
    pub(crate) upper: bool,
    residual: Residual,
    /// The order in time of the data that this condition prescribes: 0, or 1 for the velocity.
    level: u32,
    /// Whether the data do not change, as far as can be seen.
    pub(crate) constant: bool,
}

/// An evolution on an interval or a circle.
#[derive(Debug, Clone)]
pub(crate) struct LineProblem {
    form: Form,
    pub(crate) interval: (f64, f64),
    /// The derivatives of the states that the equations need: state and order of the derivative.
    pub(crate) samples: Vec<(usize, usize)>,
    pub(crate) periodic: bool,
    pub(crate) ends: Vec<End>,
    pub(crate) conditions: Vec<EndCondition>,
}

impl Deref for LineProblem {
    type Target = Form;

    fn deref(&self) -> &Form {
        &self.form
    }
}

/// Points of a line as rows.
fn column(x: &[f64]) -> ArrayView2<'_, f64> {
    ArrayView2::from_shape((x.len(), 1), x).unwrap_or_else(|_| ArrayView2::from(&[[0.0; 1]; 0]))
}

impl LineProblem {
    /// The problem as an evolution, or the reason why it is not one.
    pub(crate) fn recognise(problem: &ConcreteProblem) -> Result<Self, Refusal> {
        let form = Form::recognise(problem)?;
        if form.dim != 1 {
            return refuse("space has more than one dimension");
        }
        let mut this = Self {
            interval: (form.bounds.0[0], form.bounds.1[0]),
            samples: form
                .samples
                .iter()
                .map(|(state, x)| (*state, x[0] as usize))
                .collect(),
            form,
            periodic: false,
            ends: Vec::new(),
            conditions: Vec::new(),
        };
        for condition in &problem.conditions {
            this.take(problem.domain.as_ref(), condition)?;
        }
        if this.periodic && !this.ends.is_empty() {
            return refuse("it is periodic and has conditions at the ends");
        }
        this.check_initial()?;
        this.check_counts()?;
        Ok(this)
    }

    /// The states at the start.
    pub(crate) fn initial(&self, x: &[f64]) -> Result<Vec<Vec<f64>>, NewtonError> {
        self.form.initial(column(x))
    }

    /// The rates of all states at the points, given their samples there.
    pub(crate) fn rates(
        &self,
        t: f64,
        x: &[f64],
        samples: &[Vec<f64>],
        with_slopes: bool,
    ) -> Result<Rates, NewtonError> {
        self.form.rates(t, column(x), samples, with_slopes)
    }

    /// Whether a single unknown has as many conditions at each end as its equation takes.
    fn check_counts(&self) -> Result<(), Refusal> {
        if self.unknowns() != 1 {
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

    fn take(&mut self, domain: &dyn Domain, condition: &ConcreteCondition) -> Result<(), Refusal> {
        let label = &condition.label;
        if !condition.statement.is_linear() {
            return refuse(format!("the condition {label} is not linear"));
        }
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
        for part in self.form.walls_of(domain, condition, selector)? {
            let mut sampler = UnitSampler::on_stream(Sequence::Independent, 0, 3);
            let at = domain
                .sample_part(part, 1, &mut sampler)
                .map_err(|e| e.to_string())?;
            let x = at.points[(0, 0)];
            let upper = (x - self.interval.1).abs() < (x - self.interval.0).abs();
            self.end(label, &condition.statement.residual(), upper)?;
        }
        Ok(())
    }

    /// A condition at one end, for the unknowns and, where these have velocities, for the velocities.
    fn end(&mut self, label: &str, residual: &Residual, upper: bool) -> Result<(), Refusal> {
        let jets: Vec<(usize, usize)> = residual
            .jets()
            .iter()
            .map(|jet| match orders(jet)? {
                (x, 0) if (x[0] as usize) < self.order => Ok((jet.unknown, x[0] as usize)),
                (_, 0) => refuse(format!(
                    "{label} contains a derivative of the order of the equation"
                )),
                _ => refuse(format!("{label} contains a derivative in time")),
            })
            .collect::<Result<_, _>>()?;
        let levels: Vec<u32> = jets.iter().map(|(unknown, _)| self.top[*unknown]).collect();
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
}

impl End {
    /// Whether it prescribes a velocity.
    pub(crate) fn is_velocity(&self) -> bool {
        self.level > 0
    }

    /// −g and the coefficients at a time.
    fn evaluate(&self, problem: &LineProblem, t: f64) -> Result<(f64, Vec<f64>), NewtonError> {
        let (lo, hi) = problem.interval;
        let points = problem.points(t, column(&[if self.upper { hi } else { lo }]));
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
        let value = |t: f64| Ok(vec![-self.evaluate(problem, t)?.0]);
        let slope = slope_in_time(problem.times, t, value)?;
        Ok(slope.first().copied().unwrap_or(f64::NAN))
    }
}
