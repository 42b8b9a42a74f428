//! From a statement to a concrete problem: every equation and condition becomes rows and data, or a mistake.

use fastlsq_ops::{EquationRow, Expr, Field, Frame, Parameter, Statement};

use super::concrete::{ConcreteCondition, ConcreteEquation, ConcretePlace, ConcreteProblem};
use super::condition::{Condition, Left, Place};
use super::mistake::{Mistake, MistakeReason};
use super::statement::ProblemStatement;
use crate::SolveError;
use crate::domain::{Domain, DomainExt, PartSelector};

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
