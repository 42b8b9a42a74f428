//! From the statement of a linear problem to patches.

use super::{Data, FaceCondition, PatchError, PatchOptions, PatchProblem, PatchSolution, Piece};
use crate::domain::{Domain, DomainExt, PartKind, PartSelector};
use crate::problem::{ConcreteCondition, ConcretePlace, ConcreteProblem, LinearProblem};

impl LinearProblem {
    /// Solves on a tree of patches, refined where the residual asks for it: for what one sum of waves does not
    /// resolve, such as peaks, layers and corners. The domain must be a box.
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
    /// A statement with mistakes, a domain that is no box, conditions at points or at times, and as
    /// [`PatchProblem::solve`].
    pub fn solve_in_patches(&self, options: &PatchOptions) -> Result<PatchSolution, PatchError> {
        PatchProblem::of(&self.statement().linear()?)?.solve(options)
    }
}

impl PatchProblem {
    /// The problem on patches that a linear problem on a box states.
    ///
    /// # Errors
    /// A domain that is no box, conditions at points or at times.
    pub fn of(problem: &ConcreteProblem) -> Result<Self, PatchError> {
        let domain = problem.domain.as_ref();
        let bounds = domain.bounding_box().map_err(crate::SolveError::from)?;
        let (lo, hi) = (bounds.lo(), bounds.hi());
        if !is_box(domain) {
            return Err(PatchError::NotABox);
        }
        let equations = problem.equations.iter();
        let equations = equations.map(|e| (e.operator.clone(), Data::from(e.source.clone())));
        let piece = Piece::system(lo, hi, equations.collect());
        let mut periodic: Vec<usize> = Vec::new();
        // Conditions of all unknowns on the same place stand together.
        let mut groups: Vec<(PartSelector, Vec<&ConcreteCondition>)> = Vec::new();
        for condition in &problem.conditions {
            match &condition.place {
                ConcretePlace::Part(part) => match groups.iter_mut().find(|(own, _)| own == part) {
                    Some((_, group)) => group.push(condition),
                    None => groups.push((part.clone(), vec![condition])),
                },
                ConcretePlace::Opposite { axis } if periodic.contains(axis) => {}
                ConcretePlace::Opposite { axis } => periodic.push(*axis),
                ConcretePlace::Points { .. } => {
                    return Err(PatchError::Place {
                        label: condition.label.clone(),
                    });
                }
            }
        }
        let mut conditions = Vec::new();
        for (part, group) in groups {
            let rows = group.iter();
            let rows = rows.map(|c| (c.operator.clone(), Data::from(c.data.clone())));
            let condition = FaceCondition::system(rows.collect());
            let faces = domain.select(&part).map_err(crate::SolveError::from)?;
            conditions.push(condition.only(move |_, normal| {
                let along = normal.iter().position(|n| n.abs() > 0.5);
                // The faces of a box are numbered lower before upper, axis by axis.
                along.is_some_and(|axis| {
                    faces.contains(&(2 * axis + usize::from(normal[axis] > 0.0)))
                })
            }));
        }
        let whole = Self::new(vec![piece], conditions)?;
        Ok(periodic.into_iter().fold(whole, Self::periodic_along))
    }
}

/// Whether the domain is a box of space: as many faces as a box has, and all of its bounding box.
fn is_box(domain: &dyn Domain) -> bool {
    let parts = domain.parts();
    let walls = parts.iter().all(|part| part.kind == PartKind::Wall);
    let whole = match (domain.bounding_box(), domain.volume()) {
        (Ok(bounds), Ok(volume)) => (bounds.volume() - volume).abs() <= 1e-12 * bounds.volume(),
        _ => false,
    };
    walls && parts.len() == 2 * domain.dim() && whole
}
