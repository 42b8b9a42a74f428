//! A statement made concrete: rows and data over the axes of the domain, or all mistakes in it at once.

use std::sync::Arc;

use fastlsq_ops::{
    Coordinate, EquationRow, Expr, Field, Frame, Parameter, Space, Statement, Unknown, integral,
};
use ndarray::Array2;

use super::condition::{Condition, Imposition, Left, Place};
use super::mistake::{Mistake, MistakeReason};
use super::statement::ProblemStatement;
use crate::SolveError;
use crate::domain::Motion;
use crate::domain::{Domain, DomainExt, PartSelector, Region};
use crate::patches::boxes_of;

/// One equation of a [`ConcreteProblem`].
#[derive(Debug, Clone)]
pub struct ConcreteEquation {
    /// The name in reports and errors.
    pub label: String,
    /// How it was written.
    pub text: String,
    /// L in L u = f; without operators if the equation is not linear.
    pub operator: EquationRow,
    /// f in L u = f; zero if the equation is not linear.
    pub source: Field,
    /// Left − right.
    pub expression: Expr,
    /// One component of it.
    pub statement: Statement,
    /// Where it holds, if not everywhere.
    pub region: Option<Region>,
}

/// Where a concrete condition holds.
#[derive(Debug, Clone)]
pub enum ConcretePlace {
    /// On a part of the boundary.
    Part(PartSelector),
    /// Between opposite faces across an axis.
    Opposite {
        /// The axis.
        axis: usize,
    },
    /// At given points (one row per point), with given values.
    Points {
        /// The points.
        points: Array2<f64>,
        /// The values there.
        values: Vec<f64>,
    },
    /// Between a part of the boundary and its image.
    Identified {
        /// The part.
        part: PartSelector,
        /// What takes it to its image.
        motion: Motion,
    },
}

/// One condition of a [`ConcreteProblem`].
#[derive(Debug, Clone)]
pub struct ConcreteCondition {
    /// The name in reports and errors.
    pub label: String,
    /// How it was written.
    pub text: String,
    /// B in B u = g; without operators if the condition is not linear.
    pub operator: EquationRow,
    /// g in B u = g.
    pub data: Field,
    /// Left − right.
    pub expression: Expr,
    /// One component of it.
    pub statement: Statement,
    /// Which of the stated conditions it is; `None` for a periodic axis.
    pub stated: Option<usize>,
    /// Where it holds.
    pub place: ConcretePlace,
    /// How it is imposed.
    pub imposition: Imposition,
    /// The number of points, if it is given.
    pub rows: Option<usize>,
    /// The standard deviation of each value of a table.
    pub deviations: Option<Vec<f64>>,
    /// What a condition on a mean takes the mean of, if that is linear.
    pub mean: Option<EquationRow>,
}

/// A problem as rows and data: the form in which candidates are solved.
#[derive(Debug, Clone)]
pub struct ConcreteProblem {
    /// The domain.
    pub domain: Arc<dyn Domain>,
    /// Its coordinates.
    pub space: Space,
    /// The unknowns.
    pub unknowns: Vec<Unknown>,
    /// The equations, one for each component.
    pub equations: Vec<ConcreteEquation>,
    /// The conditions, one for each component, periodic ones spelt out.
    pub conditions: Vec<ConcreteCondition>,
    /// The region that each unknown lives in; `None` for everywhere.
    pub homes: Vec<Option<Region>>,
    /// The numbers of the unknowns that are the real and imaginary parts of outgoing waves.
    pub outgoing: Vec<[usize; 2]>,
}

impl ProblemStatement {
    /// The problem with all parameters at their values; every equation and condition must be linear.
    ///
    /// # Errors
    /// All mistakes in the statement at once.
    pub fn linear(&self) -> Result<ConcreteProblem, SolveError> {
        self.lowered(&[], true)
    }

    fn frame(&self, free: &[Parameter]) -> Frame {
        let known = self.parameters.iter().copied();
        Frame::new(self.domain.coordinates(), self.unknowns())
            .with_values(known.filter(|(parameter, _)| !free.contains(parameter)))
            .with_free(free.iter().copied())
    }

    /// The left side of a condition with its unknown filled in, and left − right.
    fn residual_of(&self, condition: &Condition) -> Result<(Expr, Expr), MistakeReason> {
        let left = match &condition.left {
            Left::Expression(left) => left.clone(),
            Left::OnlyUnknown(trace) => match self.unknowns().as_slice() {
                [only] => trace.of(*only),
                several => {
                    let example = several.first().map_or_else(String::new, |first| {
                        let (left, right) = (trace.as_written(*first), &condition.right);
                        match &condition.place {
                            Place::Part(part) => {
                                format!(".condition({}, {left}, {right})", part.as_written())
                            }
                            Place::Mean => format!(".with(Condition::mean({right}).of({left}))"),
                            Place::Identified(..) => {
                                format!(".with(Condition::identified(part, motion, {left}))")
                            }
                            Place::Opposite(_) | Place::Points { .. } => {
                                format!(".with(Condition::at(points, {left}, values))")
                            }
                        }
                    });
                    return Err(MistakeReason::UnnamedUnknown {
                        unknowns: several.iter().map(ToString::to_string).collect(),
                        example,
                    });
                }
            },
        };
        let left = match condition.place {
            Place::Mean => self.mean_of(&left)?,
            _ => left,
        };
        let residual = &left - &condition.right;
        Ok((left, residual))
    }

    /// The mean of an expression over the space of a box, or of a union of boxes.
    fn mean_of(&self, expression: &Expr) -> Result<Expr, MistakeReason> {
        let bounds = self.domain.bounding_box()?;
        let volume = self.domain.volume()?;
        let one = vec![(bounds.lo().to_vec(), bounds.hi().to_vec())];
        let boxes = if (volume - bounds.volume()).abs() <= 1e-12 * volume {
            one
        } else {
            let found = boxes_of(self.domain.as_ref());
            let few = found.filter(|boxes| boxes.len() <= MEAN_BOXES);
            few.ok_or(MistakeReason::MeanOfShape)?
        };
        let axes = self.domain.coordinates().space_axes();
        let measure =
            |(lo, hi): &(Vec<f64>, Vec<f64>)| -> f64 { (0..axes).map(|k| hi[k] - lo[k]).product() };
        let whole: f64 = boxes.iter().map(measure).sum();
        let over = |own: &(Vec<f64>, Vec<f64>)| {
            let mut mean = match boxes.len() {
                1 => expression.clone(),
                _ => measure(own) / whole * expression.clone(),
            };
            for k in 0..axes {
                let (lo, hi) = (own.0[k], own.1[k]);
                mean = integral(mean, Coordinate::Axis(k), lo, hi) / (hi - lo);
            }
            mean
        };
        let mut each = boxes.iter().map(over);
        let first = each.next().ok_or(MistakeReason::MeanOfShape)?;
        Ok(each.fold(first, |sum, own| sum + own))
    }

    /// What the condition of a mean takes the mean of.
    fn averaged(&self, condition: &Condition) -> Option<Expr> {
        match (&condition.place, &condition.left) {
            (Place::Mean, Left::Expression(left)) => Some(left.clone()),
            (Place::Mean, Left::OnlyUnknown(trace)) => match self.unknowns().as_slice() {
                [only] => Some(trace.of(*only)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Where a mean over space is asked for: at the middle of space, and at all times.
    fn places_of_means(&self) -> Result<Array2<f64>, MistakeReason> {
        let bounds = self.domain.bounding_box()?;
        let (lo, hi) = (bounds.lo(), bounds.hi());
        let space = self.domain.coordinates();
        let times = if space.has_time() { MEAN_TIMES } else { 1 };
        let middle = |k: usize| 0.5 * lo[k] + 0.5 * hi[k];
        Ok(Array2::from_shape_fn((times, lo.len()), |(i, k)| {
            if space.has_time() && k + 1 == lo.len() {
                // Chebyshev points: no interpolation between them overshoots.
                let angle = std::f64::consts::PI * (i as f64 + 0.5) / times as f64;
                middle(k) - 0.5 * (hi[k] - lo[k]) * angle.cos()
            } else {
                middle(k)
            }
        }))
    }

    /// The problem with these parameters free and all others at their values; equations and conditions may be
    /// nonlinear, and then have no operators.
    ///
    /// # Errors
    /// All mistakes in the statement at once.
    pub fn concrete(&self, free: &[Parameter]) -> Result<ConcreteProblem, SolveError> {
        self.lowered(free, false)
    }

    fn lowered(&self, free: &[Parameter], linear: bool) -> Result<ConcreteProblem, SolveError> {
        if let Some(mistake) = &self.mistake {
            return Err(mistake.clone());
        }
        if let Some(&(_, value)) = self.parameters.iter().find(|(_, value)| !value.is_finite()) {
            return Err(SolveError::Option {
                option: "parameter",
                value,
                requirement: "values of parameters must be finite",
            });
        }
        let frame = self.frame(free);
        let mut lowering = Lowering {
            statement: self,
            frame: &frame,
            linear,
            problem: ConcreteProblem {
                domain: self.domain.clone(),
                space: frame.space().clone(),
                unknowns: frame.unknowns().to_vec(),
                equations: Vec::new(),
                conditions: Vec::new(),
                homes: Vec::new(),
                outgoing: Vec::new(),
            },
            mistakes: Vec::new(),
        };
        lowering.equations();
        lowering.homes();
        lowering.outgoing();
        lowering.conditions();
        lowering.periodic();
        lowering.identified();
        if lowering.mistakes.is_empty() {
            Ok(lowering.problem)
        } else {
            Err(SolveError::Statement(lowering.mistakes.into()))
        }
    }
}

/// The number of times at which a mean over space is asked for: fewer than in a table that is split for judging.
const MEAN_TIMES: usize = 24;

/// The most boxes that a mean is taken over.
const MEAN_BOXES: usize = 64;

/// "left = right".
fn text_of(left: &Expr, right: &Expr) -> String {
    format!("{left} = {right}")
}

/// A statement on its way to a concrete problem.
pub(super) struct Lowering<'a> {
    pub(super) statement: &'a ProblemStatement,
    frame: &'a Frame,
    /// Whether everything must be linear.
    pub(super) linear: bool,
    pub(super) problem: ConcreteProblem,
    mistakes: Vec<Mistake>,
}

impl Lowering<'_> {
    pub(super) fn mistake(&mut self, label: &str, text: &str, reason: impl Into<MistakeReason>) {
        self.mistakes.push(Mistake {
            label: label.to_owned(),
            text: text.to_owned(),
            reason: reason.into(),
        });
    }

    /// The components of an expression that must say something about the unknowns.
    pub(super) fn lower(
        &mut self,
        label: &str,
        text: &str,
        whole: &Expr,
    ) -> Vec<(String, Statement)> {
        let statements = match self.frame.lower(whole) {
            Ok(statements) => statements,
            Err(error) => {
                self.mistake(label, text, error);
                return Vec::new();
            }
        };
        if statements.iter().any(Statement::is_free_of_unknowns) {
            let unknowns = self.problem.unknowns.iter().map(ToString::to_string);
            let reason = MistakeReason::WithoutUnknown {
                unknowns: unknowns.collect(),
            };
            self.mistake(label, text, reason);
            return Vec::new();
        }
        if self.linear && !statements.iter().all(Statement::is_linear) {
            let term = self.frame.first_nonlinear(whole);
            let term = term.as_ref().unwrap_or(whole).to_string();
            self.mistake(label, text, MistakeReason::Nonlinear { term });
            return Vec::new();
        }
        let several = statements.len() > 1;
        let named = statements.into_iter().enumerate();
        named
            .map(|(k, statement)| {
                let label = if several {
                    format!("{label}, component {}", k + 1)
                } else {
                    label.to_owned()
                };
                (label, statement)
            })
            .collect()
    }

    fn equations(&mut self) {
        for equation in &self.statement.equations {
            let text = text_of(&equation.left, &equation.right);
            let whole = &equation.left - &equation.right;
            for (label, statement) in self.lower(&equation.label, &text, &whole) {
                if statement.needs_normals() {
                    self.mistake(&label, &text, MistakeReason::Normal);
                }
                let (operator, source) = linear_parts(&statement);
                let region = match self.region_of(equation.region.as_deref()) {
                    Ok(region) => region,
                    Err(reason) => {
                        self.mistake(&label, &text, reason);
                        None
                    }
                };
                self.problem.equations.push(ConcreteEquation {
                    label,
                    text: text.clone(),
                    operator,
                    source,
                    expression: whole.clone(),
                    statement,
                    region,
                });
            }
        }
    }

    fn conditions(&mut self) {
        for (index, condition) in self.statement.conditions.iter().enumerate() {
            let (left, whole) = match self.statement.residual_of(condition) {
                Ok(both) => both,
                Err(reason) => {
                    let label = condition.label.clone();
                    let label = label.unwrap_or_else(|| condition.place.name());
                    let text = format!("… = {}", condition.right);
                    self.mistake(&label, &text, reason);
                    continue;
                }
            };
            let label = self.label_of(condition, &left);
            let text = text_of(&left, &condition.right);
            let place = match self.place_of(&condition.place) {
                Ok(place) => place,
                Err(reason) => {
                    self.mistake(&label, &text, reason);
                    continue;
                }
            };
            let on_part = matches!(
                place,
                ConcretePlace::Part(_) | ConcretePlace::Identified { .. }
            );
            let statements = self.lower(&label, &text, &whole);
            if statements.len() > 1 && matches!(place, ConcretePlace::Points { .. }) {
                self.mistake(&label, &text, MistakeReason::VectorAtPoints);
            }
            for (label, statement) in statements {
                if statement.needs_normals() && !on_part {
                    self.mistake(&label, &text, MistakeReason::Normal);
                }
                if let Err(reason) = self.reaches(&place, &statement) {
                    self.mistake(&label, &text, reason);
                }
                let place = (place.clone(), Some(index));
                self.push(condition, (label, &text, &whole), place, statement);
            }
        }
    }

    pub(super) fn push(
        &mut self,
        condition: &Condition,
        (label, text, expression): (String, &str, &Expr),
        (place, stated): (ConcretePlace, Option<usize>),
        statement: Statement,
    ) {
        let (operator, data) = linear_parts(&statement);
        let averaged = self.statement.averaged(condition);
        let mean = averaged.and_then(|left| match self.frame.lower(&left).ok()?.as_slice() {
            [only] => only.row(),
            _ => None,
        });
        // Names are what new data are addressed by: no two are the same.
        let taken = |label: &String| self.problem.conditions.iter().any(|c| c.label == *label);
        let mut own = label.clone();
        let mut number = 2;
        while taken(&own) {
            own = format!("{label} ({number})");
            number += 1;
        }
        self.problem.conditions.push(ConcreteCondition {
            label: own,
            text: text.to_owned(),
            operator,
            data,
            expression: expression.clone(),
            statement,
            stated,
            place,
            imposition: condition.imposition,
            rows: condition.rows,
            deviations: condition.deviations.clone(),
            mean,
        });
    }

    /// The name given, or the place, with the left side where it says more than the place.
    fn label_of(&self, condition: &Condition, left: &Expr) -> String {
        let place = condition.place.name();
        match (&condition.label, &condition.left) {
            (Some(label), _) => label.clone(),
            (None, Left::OnlyUnknown(_)) => place,
            (None, Left::Expression(_)) => match self.problem.unknowns.as_slice() {
                [only] if *left == Expr::from(*only) => place,
                _ => format!("{place} {left}"),
            },
        }
    }

    pub(super) fn place_of(&self, place: &Place) -> Result<ConcretePlace, MistakeReason> {
        Ok(match place {
            Place::Part(PartSelector::Face(face)) => {
                let axis = self.problem.space.axis_of(face.coordinate)?;
                let part = self.problem.domain.face(axis, face.upper)?;
                ConcretePlace::Part(PartSelector::Named(part))
            }
            Place::Part(part) => {
                self.problem.domain.select(part)?;
                ConcretePlace::Part(part.clone())
            }
            Place::Opposite(coordinate) => ConcretePlace::Opposite {
                axis: self.problem.space.axis_of(*coordinate)?,
            },
            Place::Points { points, values } => ConcretePlace::Points {
                points: points.clone(),
                values: values.clone(),
            },
            Place::Identified(part, motion) => self.identification(part, motion)?,
            Place::Mean => {
                let points = self.statement.places_of_means()?;
                let values = vec![0.0; points.nrows()];
                ConcretePlace::Points { points, values }
            }
        })
    }

    /// Each unknown and its derivatives up to one order less than the highest along the axis.
    fn periodic(&mut self) {
        for coordinate in &self.statement.periodic {
            let label = format!("periodic {coordinate}");
            let axis = match self.problem.space.axis_of(*coordinate) {
                Ok(axis) => axis,
                Err(error) => {
                    self.mistake(&label, "opposite faces agree", error);
                    continue;
                }
            };
            let order_along = |equation: &ConcreteEquation| {
                let orders = equation.statement.jets().filter_map(|jet| {
                    let orders = jet.action.derivative.orders();
                    orders.get(axis).copied()
                });
                orders.max().unwrap_or(0)
            };
            let orders = self.problem.equations.iter().map(order_along);
            let order = orders.max().unwrap_or(1).max(1);
            for unknown in self.problem.unknowns.clone() {
                let mut left = Expr::from(unknown);
                for n in 0..order {
                    let text = format!("{left} agrees on opposite faces");
                    let label = format!("{label} {unknown} order {n}");
                    let condition = Condition::opposite(*coordinate, &left);
                    for (label, statement) in self.lower(&label, &text, &left) {
                        let place = ConcretePlace::Opposite { axis };
                        self.push(&condition, (label, &text, &left), (place, None), statement);
                    }
                    left = left.d(*coordinate);
                }
            }
        }
    }
}

/// L and f of a linear statement; nothing of a nonlinear one.
fn linear_parts(statement: &Statement) -> (EquationRow, Field) {
    match (statement.row(), statement.source()) {
        (Some(row), Some(source)) => (row, source),
        _ => (
            EquationRow::zero(statement.unknowns()),
            Field::constant(0.0),
        ),
    }
}

impl ConcreteProblem {
    /// The names of the equations and conditions, in the order of their blocks of rows.
    #[must_use]
    pub fn labels(&self) -> Vec<String> {
        let equations = self.equations.iter().map(|equation| &equation.label);
        let conditions = self.conditions.iter().map(|condition| &condition.label);
        equations.chain(conditions).cloned().collect()
    }

    /// The names of the unknowns.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.unknowns.iter().map(ToString::to_string).collect()
    }
}
