//! Which problems are evolutions in several space dimensions.

use std::sync::Arc;

use fastlsq_basis::sampling::{Sequence, UnitSampler};
use fastlsq_solve::space::is_box;
use fastlsq_solve::space::product::{EndRow, FaceCondition};
use fastlsq_solve::{
    BoundaryPoints, ConcreteCondition, ConcretePlace, ConcreteProblem, Domain, Residual, Sites,
};
use ndarray::{Array2, ArrayView2};

use crate::NewtonError;
use crate::evolution::form::{Form, LOOKS, Refusal, orders, refuse, slope_in_time};
use crate::evolution::lines::needed;

/// Points of a wall at which a condition is inspected.
const SEEN: usize = 24;
/// Coefficients that differ by less, relative to the largest, are the same.
const SAME: f64 = 1e-12;

/// A condition on one part of the boundary, about one unknown.
#[derive(Debug, Clone)]
pub(crate) struct Wall {
    /// The name in reports.
    pub(crate) label: String,
    /// The part of the boundary of space, by number and by name.
    pub(crate) part: (usize, String),
    pub(crate) unknown: usize,
    pub(crate) residual: Residual,
    /// The derivatives in space that it contains.
    pub(crate) jets: Vec<Vec<u32>>,
    /// Whether the data do not change, as far as can be seen.
    pub(crate) constant: bool,
}

/// An evolution in several space dimensions.
#[derive(Debug, Clone)]
pub(crate) struct FieldProblem {
    pub(crate) form: Form,
    pub(crate) space: Arc<dyn Domain>,
    pub(crate) periodic: Vec<bool>,
    pub(crate) walls: Vec<Wall>,
    /// For each wall its condition along the axis that it is across, if space is a box and each condition is the same all
    /// over its face.
    pub(crate) faces: Option<Vec<FaceCondition>>,
}

impl FieldProblem {
    /// The problem as an evolution, or the reason why it is not one.
    pub(crate) fn recognise(problem: &ConcreteProblem) -> Result<Self, Refusal> {
        let form = Form::recognise(problem)?;
        let domain = problem.domain.as_ref();
        if form.dim < 2 {
            return refuse("space has one dimension");
        }
        let Some(space) = domain.at_one_time() else {
            return refuse("its domain is not the product of space and an interval of time");
        };
        let mut this = Self {
            periodic: vec![false; form.dim],
            form,
            walls: Vec::new(),
            faces: None,
            space,
        };
        for condition in &problem.conditions {
            this.take(domain, condition)?;
        }
        this.form.check_initial()?;
        let is_box = is_box(this.space.as_ref()).map_err(|e| e.to_string())?;
        if this.periodic.contains(&true) && !is_box {
            return refuse("only boxes can be periodic");
        }
        if is_box {
            this.faces = this.walls.iter().map(|wall| this.face(wall)).collect();
            if this.faces.is_none() && this.periodic.contains(&true) {
                return refuse(
                    "beside a periodic axis, a condition must be the same all over its face",
                );
            }
        }
        this.check_counts()?;
        this.check_signs()?;
        Ok(this)
    }

    fn take(&mut self, domain: &dyn Domain, condition: &ConcreteCondition) -> Result<(), Refusal> {
        let label = &condition.label;
        if !condition.statement.is_linear() {
            return refuse(format!("the condition {label} is not linear"));
        }
        let selector = match &condition.place {
            ConcretePlace::Opposite { axis }
                if *axis < self.form.dim && condition.stated.is_none() =>
            {
                self.periodic[*axis] = true;
                return Ok(());
            }
            ConcretePlace::Part(selector) => selector,
            _ => {
                return refuse(format!(
                    "the condition {label} holds neither at the start nor on a wall"
                ));
            }
        };
        for part in self.form.walls_of(domain, condition, selector)? {
            let name = self.space.parts().get(part).map(|own| own.name.clone());
            let Some(name) = name else {
                return refuse("a wall of its domain is not a part of the boundary of space");
            };
            self.wall(label, (part, name), &condition.statement.residual())?;
        }
        Ok(())
    }

    fn wall(
        &mut self,
        label: &str,
        part: (usize, String),
        residual: &Residual,
    ) -> Result<(), Refusal> {
        let mut jets = Vec::new();
        let mut unknown = None;
        for jet in residual.jets() {
            let (space, time) = orders(jet)?;
            if time > 0 {
                return refuse(format!("{label} contains a derivative in time"));
            }
            if space.iter().sum::<u32>() as usize >= self.form.order {
                return refuse(format!(
                    "{label} contains a derivative of the order of the equation"
                ));
            }
            if *unknown.get_or_insert(jet.unknown) != jet.unknown {
                return refuse(format!("{label} connects several unknowns"));
            }
            jets.push(space);
        }
        let Some(unknown) = unknown else {
            return refuse(format!("{label} contains no unknown"));
        };
        let mut wall = Wall {
            label: label.to_owned(),
            part,
            unknown,
            residual: residual.clone(),
            jets,
            constant: true,
        };
        let at = self.seen(&wall)?;
        let look = |t: f64| {
            let found = wall.evaluate(&self.form, t, at.points.view(), at.normals.view());
            found.map_err(|e| e.to_string())
        };
        let (start, end) = self.form.times;
        let (values, slopes) = look(start)?;
        let mut constant = true;
        for share in LOOKS {
            let (later, others) = look(start + share * (end - start))?;
            if others != slopes {
                return refuse(format!("the coefficients of {label} depend on time"));
            }
            constant &= later == values;
        }
        wall.constant = constant;
        self.walls.push(wall);
        Ok(())
    }

    /// Some points of a wall.
    fn seen(&self, wall: &Wall) -> Result<BoundaryPoints, Refusal> {
        let mut sampler = UnitSampler::on_stream(Sequence::Halton, 0, 31);
        self.space
            .sample_part(wall.part.0, SEEN, &mut sampler)
            .map_err(|e| e.to_string())
    }

    /// The condition along the axis that the wall is across, if it is the same all over it.
    fn face(&self, wall: &Wall) -> Option<FaceCondition> {
        let at = self.seen(wall).ok()?;
        let normal = at.normals.row(0);
        let axis = normal.iter().position(|n| n.abs() == 1.0)?;
        let upper = normal[axis] > 0.0;
        let (lo, hi) = &self.form.bounds;
        let across = if upper { hi[axis] } else { lo[axis] };
        let flat = at
            .points
            .column(axis)
            .iter()
            .all(|x| (x - across).abs() <= 1e-12 * (hi[axis] - lo[axis]))
            && at.normals.rows().into_iter().all(|row| row == normal);
        if !flat || self.periodic[axis] {
            return None;
        }
        let (_, slopes) = wall
            .evaluate(
                &self.form,
                self.form.times.0,
                at.points.view(),
                at.normals.view(),
            )
            .ok()?;
        let largest = slopes.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        let mut coefficients = vec![0.0; self.form.order.max(1)];
        for (column, jet) in wall.jets.iter().enumerate() {
            let own = slopes.column(column);
            let first = own[0];
            if own.iter().any(|v| (v - first).abs() > SAME * largest) {
                return None;
            }
            if first.abs() <= SAME * largest {
                // A normal component that this face does not have.
                continue;
            }
            if jet.iter().enumerate().any(|(k, o)| k != axis && *o > 0) {
                return None;
            }
            coefficients[jet[axis] as usize] += first;
        }
        let some = coefficients.iter().any(|c| *c != 0.0);
        some.then_some(FaceCondition {
            axis,
            row: EndRow {
                upper,
                coefficients,
            },
        })
    }

    /// The highest derivative of an unknown in its own equation; along one axis, or altogether.
    fn order_of(&self, unknown: usize, axis: Option<usize>) -> u32 {
        let samples = self.form.samples.iter();
        let own = samples.filter(|(state, _)| self.form.states[*state].0 == unknown);
        own.map(|(_, x)| axis.map_or_else(|| x.iter().sum(), |k| x[k]))
            .max()
            .unwrap_or(0)
    }

    /// Whether unknowns with equations of even order have as many conditions on each part as those equations take.
    fn check_counts(&self) -> Result<(), Refusal> {
        for unknown in 0..self.form.unknowns() {
            for (number, part) in self.space.parts().iter().enumerate() {
                let axis = self.faces.as_ref().and_then(|_| self.axis_of(number));
                if axis.is_some_and(|axis| self.periodic[axis]) {
                    continue;
                }
                let order = self.order_of(unknown, axis);
                let own = self.walls.iter();
                let given = own
                    .filter(|wall| wall.unknown == unknown && wall.part.0 == number)
                    .count() as u32;
                if order.is_multiple_of(2) && given != order / 2 {
                    return refuse(format!(
                        "{given} conditions are given on {}, where the equation takes {}",
                        part.name,
                        order / 2
                    ));
                }
            }
        }
        Ok(())
    }

    /// The axis that a part of the boundary of a box is across.
    fn axis_of(&self, part: usize) -> Option<usize> {
        let mut sampler = UnitSampler::on_stream(Sequence::Halton, 0, 31);
        let at = self.space.sample_part(part, 1, &mut sampler).ok()?;
        at.normals.row(0).iter().position(|n| n.abs() == 1.0)
    }

    /// Whether short waves stay bounded: the sign of the leading coefficients of a single unknown.
    fn check_signs(&self) -> Result<(), Refusal> {
        if self.form.unknowns() != 1 {
            return Ok(());
        }
        let mut sampler = UnitSampler::on_stream(Sequence::Halton, 0, 32);
        let inside = self
            .space
            .sample_interior(5, &mut sampler)
            .map_err(|e| e.to_string())?;
        let values = self
            .form
            .initial(inside.view())
            .map_err(|e| e.to_string())?;
        let samples: Vec<Vec<f64>> = self
            .form
            .samples
            .iter()
            .map(|(state, x)| match x.iter().sum::<u32>() {
                0 => values[*state].clone(),
                _ => vec![0.0; inside.nrows()],
            })
            .collect();
        let rates = self
            .form
            .rates(self.form.times.0, inside.view(), &samples, true)
            .map_err(|e| e.to_string())?;
        let last = self.form.states.len() - 1;
        for (of, sample, slopes) in &rates.slopes {
            let (state, x) = &self.form.samples[*sample];
            let along = x.iter().filter(|o| **o > 0).count() == 1;
            let leading = x.iter().sum::<u32>() as usize == self.form.order;
            let one_sign = slopes
                .iter()
                .all(|c| *c != 0.0 && c.signum() == slopes[0].signum());
            if *of == last && self.form.states[*state].1 == 0 && along && leading && one_sign {
                needed(self.form.order, self.form.states.len() == 2, slopes[0])?;
            }
        }
        Ok(())
    }
}

impl Wall {
    /// −g and the coefficients of the derivatives at points of space.
    pub(crate) fn evaluate(
        &self,
        form: &Form,
        t: f64,
        points: ArrayView2<'_, f64>,
        normals: ArrayView2<'_, f64>,
    ) -> Result<(Vec<f64>, Array2<f64>), NewtonError> {
        let places = form.points(t, points);
        let normals = form.points(0.0, normals);
        let sites = Sites::new(places.view()).with_normals(normals.view());
        let zero = Array2::zeros((points.nrows(), self.jets.len()));
        let found = self.residual.evaluate(zero.view(), &sites, &[])?;
        Ok((found.values, found.slopes))
    }

    /// g, or its rate of change for a velocity.
    pub(crate) fn data(
        &self,
        form: &Form,
        t: f64,
        points: ArrayView2<'_, f64>,
        normals: ArrayView2<'_, f64>,
        velocity: bool,
    ) -> Result<Vec<f64>, NewtonError> {
        let values = |t: f64| -> Result<Vec<f64>, NewtonError> {
            let (values, _) = self.evaluate(form, t, points, normals)?;
            Ok(values.into_iter().map(|v| -v).collect())
        };
        match (velocity, self.constant) {
            (false, _) => values(t),
            (true, true) => Ok(vec![0.0; points.nrows()]),
            (true, false) => slope_in_time(form.times, t, values),
        }
    }
}
