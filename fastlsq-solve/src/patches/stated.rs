//! From the statement of a linear problem to patches.

use std::sync::Arc;

use fastlsq_ops::{EquationRow, Sites};
use ndarray::Array2;

use super::rectilinear::Rectilinear;
use super::{
    Data, FaceCondition, Functional, PatchError, PatchOptions, PatchProblem, PatchSolution, Piece,
    PointEquations,
};
use crate::domain::DomainExt;
use crate::problem::{ConcreteCondition, ConcretePlace, ConcreteProblem, LinearProblem};

impl LinearProblem {
    /// Solves on a tree of patches, refined where the residual calls for it: for what one sum of waves does not
    /// resolve, such as peaks, layers and corners. The domain must be an interval, or a union of boxes.
    ///
    /// [`solve`](Self::solve) does so automatically where it is needed.
    ///
    /// ```
    /// use fastlsq_solve::patches::PatchOptions;
    /// use fastlsq_solve::{BoxDomain, LinearProblem, X, Y, exp, laplacian, unknown};
    /// // A peak of width 1/30 off the centre.
    /// let u = unknown("u");
    /// let peak = exp(-1000.0 * ((X - 0.37).powi(2) + (Y - 0.61).powi(2)));
    /// let solution = LinearProblem::on(BoxDomain::unit(2))
    ///     .equation(-laplacian(u), -laplacian(&peak))
    ///     .dirichlet(&peak)
    ///     .solve_in_patches(&PatchOptions::new().tolerance(1e-6))?;
    /// assert!((solution.value(&[0.37, 0.61])? - 1.0).abs() < 1e-5);
    /// # Ok::<(), fastlsq_solve::patches::PatchError>(())
    /// ```
    ///
    /// # Errors
    /// A statement with mistakes, a domain that is not a union of boxes, conditions at points or at times, and those of
    /// [`PatchProblem::solve`].
    pub fn solve_in_patches(&self, options: &PatchOptions) -> Result<PatchSolution, PatchError> {
        PatchProblem::of(&self.statement().linear()?)?.solve(options)
    }
}

impl PatchProblem {
    /// The problem on patches that a linear problem on a union of boxes states.
    ///
    /// # Errors
    /// A domain that is not a union of boxes, more or fewer equations or conditions than unknowns somewhere, conditions at
    /// points or at times.
    pub fn of(problem: &ConcreteProblem) -> Result<Self, PatchError> {
        Ok(Self::of_with_origins(problem)?.0)
    }

    /// The same, with what tells where each condition comes from.
    pub(crate) fn of_with_origins(
        problem: &ConcreteProblem,
    ) -> Result<(Self, Origins), PatchError> {
        let equations = problem.equations.iter();
        let equations: Vec<(EquationRow, Data)> = equations
            .map(|e| (e.operator.clone(), Data::from(e.source.clone())))
            .collect();
        Self::of_pieces(problem, |lo, hi| Piece::system(lo, hi, equations.clone()))
    }

    /// The problem on patches that a nonlinear problem on a union of boxes states, with these equations; its conditions must be
    /// linear.
    ///
    /// # Errors
    /// As [`of`](Self::of); a condition that is not linear.
    pub fn pointwise_of(
        problem: &ConcreteProblem,
        equations: &Arc<dyn PointEquations>,
    ) -> Result<Self, PatchError> {
        if let Some(other) = problem.conditions.iter().find(|c| !c.statement.is_linear()) {
            return Err(PatchError::NonlinearCondition {
                label: other.label.clone(),
            });
        }
        let whole = Self::of_pieces(problem, |lo, hi| {
            Piece::pointwise(lo, hi, Arc::clone(equations))
        })?;
        Ok(whole.0)
    }

    fn of_pieces(
        problem: &ConcreteProblem,
        piece: impl Fn(&[f64], &[f64]) -> Piece,
    ) -> Result<(Self, Origins), PatchError> {
        let domain = problem.domain.as_ref();
        let plain = !domain.is_unbounded() && problem.homes.iter().all(Option::is_none);
        let shape = Rectilinear::of(domain).filter(|_| plain);
        let shape = shape.ok_or(PatchError::NotABox)?;
        let pieces = shape.boxes.iter().map(|(lo, hi)| piece(lo, hi)).collect();
        let mut periodic: Vec<usize> = Vec::new();
        // For each part of the boundary, the conditions that hold there.
        let mut holding: Vec<Vec<usize>> = vec![Vec::new(); domain.parts().len()];
        let mut origins = Origins::default();
        let mut functionals = Vec::new();
        for (index, condition) in problem.conditions.iter().enumerate() {
            match &condition.place {
                ConcretePlace::Part(part) => {
                    for part in domain.select(part).map_err(crate::SolveError::from)? {
                        holding[part].push(index);
                    }
                }
                ConcretePlace::Opposite { axis } if condition.stated.is_none() => {
                    if !periodic.contains(axis) {
                        periodic.push(*axis);
                    }
                }
                ConcretePlace::Points { points, values }
                    if condition.deviations.is_none()
                        && functionals.len() + values.len() <= FUNCTIONALS =>
                {
                    let own = functionals_of(condition, points, values)?;
                    origins.functionals.extend(own.iter().map(|_| index));
                    functionals.extend(own);
                }
                ConcretePlace::Opposite { .. }
                | ConcretePlace::Points { .. }
                | ConcretePlace::Identified { .. } => {
                    return Err(PatchError::Place {
                        label: condition.label.clone(),
                    });
                }
            }
        }
        let mut distinct = holding.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let mut conditions = Vec::new();
        for own in distinct.into_iter().filter(|own| !own.is_empty()) {
            let parts: Vec<bool> = holding.iter().map(|held| *held == own).collect();
            let shape = shape.clone();
            let rows: Vec<&ConcreteCondition> =
                own.iter().map(|&k| &problem.conditions[k]).collect();
            let (condition, order) = face_condition(&rows);
            origins
                .conditions
                .push(order.iter().map(|&k| own[k]).collect());
            conditions.push(condition.only(move |point, normal| {
                shape
                    .part_at(point, normal)
                    .is_some_and(|part| parts.get(part) == Some(&true))
            }));
        }
        let whole = Self::new(pieces, conditions)?;
        let whole = periodic.into_iter().fold(whole, Self::periodic_along);
        let whole = functionals
            .into_iter()
            .try_fold(whole, Self::with_functional)?;
        Ok((whole, origins))
    }
}

/// The most values at points and means: those that fix what is free, not a table of data.
const FUNCTIONALS: usize = 12;

/// The stated conditions that those on patches come from.
#[derive(Debug, Clone, Default)]
pub(crate) struct Origins {
    /// For each condition on faces, that of each of its rows.
    pub(crate) conditions: Vec<Vec<usize>>,
    /// For each functional.
    pub(crate) functionals: Vec<usize>,
}

/// A functional for each point of a condition at points, or for its mean.
fn functionals_of(
    condition: &ConcreteCondition,
    points: &Array2<f64>,
    values: &[f64],
) -> Result<Vec<Functional>, PatchError> {
    let data = Data::from(condition.data.clone());
    let data = data.values(|| condition.label.clone(), &Sites::new(points.view()))?;
    let each = points.rows().into_iter().zip(values).zip(data);
    let each = each.map(|((point, value), data)| match &condition.mean {
        Some(row) => Functional::mean(row.clone(), value + data),
        None => Functional::at(&point.to_vec(), condition.operator.clone(), value + data),
    });
    Ok(each.collect())
}

/// Conditions that hold together, and their order; where each of them gives the value of an unknown, the traces are known.
fn face_condition(rows: &[&ConcreteCondition]) -> (FaceCondition, Vec<usize>) {
    let given: Option<Vec<usize>> = rows.iter().map(|c| only_value(&c.operator)).collect();
    let data = |c: &ConcreteCondition| Data::from(c.data.clone());
    if let Some(given) = given {
        let of = |unknown: usize| given.iter().position(|own| *own == unknown);
        let order: Option<Vec<usize>> = (0..rows.len()).map(of).collect();
        if let Some(order) = order {
            let values = FaceCondition::values(order.iter().map(|&k| data(rows[k])));
            return (values, order);
        }
    }
    let all = rows.iter().map(|c| (c.operator.clone(), data(c))).collect();
    (FaceCondition::system(all), (0..rows.len()).collect())
}

/// The unknown whose value this row is, if it is nothing else.
fn only_value(row: &EquationRow) -> Option<usize> {
    let [(unknown, operator)] = row.blocks() else {
        return None;
    };
    let [term] = operator.terms() else {
        return None;
    };
    let plain = term.action().is_derivative() && term.action().derivative.order() == 0;
    (plain && term.coefficient().as_constant() == Some(1.0)).then_some(*unknown)
}
