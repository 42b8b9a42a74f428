//! What is asked: boxes with their equations, and conditions on the outer boundary.

use std::fmt;
use std::sync::Arc;

use fastlsq_ops::{EquationRow, Operator, Term};

use super::{Data, Functional, Interface, PatchError, PointEquations};

/// A box with the equations that hold in it, one for each unknown.
#[derive(Debug, Clone)]
pub struct Piece {
    pub(super) lo: Vec<f64>,
    pub(super) hi: Vec<f64>,
    pub(super) equations: Equations,
}

/// The equations of a box.
#[derive(Debug, Clone)]
pub(super) enum Equations {
    /// Σ L u = f.
    Linear {
        rows: Vec<EquationRow>,
        sources: Vec<Data>,
    },
    /// N(x, u, ∇u, …) = 0, point by point.
    Pointwise(Arc<dyn PointEquations>),
}

impl Piece {
    /// L u = f in the box between two opposite corners.
    #[must_use]
    pub fn new(lo: &[f64], hi: &[f64], operator: Operator, source: Data) -> Self {
        Self::system(lo, hi, vec![(EquationRow::from(operator), source)])
    }

    /// As many equations as there are unknowns, in the box between two opposite corners.
    #[must_use]
    pub fn system(lo: &[f64], hi: &[f64], equations: Vec<(EquationRow, Data)>) -> Self {
        let (rows, sources) = equations.into_iter().unzip();
        Self {
            lo: lo.to_vec(),
            hi: hi.to_vec(),
            equations: Equations::Linear { rows, sources },
        }
    }

    /// Equations that need not be linear, in the box between two opposite corners.
    #[must_use]
    pub fn pointwise(lo: &[f64], hi: &[f64], equations: Arc<dyn PointEquations>) -> Self {
        Self {
            lo: lo.to_vec(),
            hi: hi.to_vec(),
            equations: Equations::Pointwise(equations),
        }
    }

    /// Equations, which are as many as unknowns.
    fn count(&self) -> usize {
        match &self.equations {
            Equations::Linear { rows, .. } => rows.len(),
            Equations::Pointwise(equations) => equations.count(),
        }
    }
}

type Selector = dyn Fn(&[f64], &[f64]) -> bool + Send + Sync;

/// What holds on a piece of the outer boundary.
#[derive(Clone)]
pub struct FaceCondition {
    pub(super) selector: Arc<Selector>,
    /// Operators of first order, one row for each unknown; values are given without them.
    pub(super) rows: Option<Vec<EquationRow>>,
    pub(super) data: Vec<Data>,
}

impl FaceCondition {
    /// u = g for every unknown.
    #[must_use]
    pub fn values(data: impl IntoIterator<Item = Data>) -> Self {
        Self {
            selector: Arc::new(|_, _| true),
            rows: None,
            data: data.into_iter().collect(),
        }
    }

    /// B u = g with an operator of values and first derivatives; normals come with the points.
    #[must_use]
    pub fn operator(operator: Operator, data: Data) -> Self {
        Self::system(vec![(EquationRow::from(operator), data)])
    }

    /// One such row for each unknown.
    #[must_use]
    pub fn system(rows: Vec<(EquationRow, Data)>) -> Self {
        let (rows, data): (_, Vec<Data>) = rows.into_iter().unzip();
        Self {
            selector: Arc::new(|_, _| true),
            rows: Some(rows),
            data,
        }
    }

    /// Only where `selector` says so, given a point of the boundary and the outward normal.
    #[must_use]
    pub fn only(
        mut self,
        selector: impl Fn(&[f64], &[f64]) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.selector = Arc::new(selector);
        self
    }
}

impl fmt::Debug for FaceCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FaceCondition")
            .field("rows", &self.rows)
            .finish_non_exhaustive()
    }
}

/// A boundary-value problem on a union of boxes: linear, or by Newton's method
/// ([`solve_by_newton`](Self::solve_by_newton)).
///
/// Boxes may touch and may overlap; where they overlap, the first one's equations hold. Across faces between boxes u
/// and the flux n·a∇u are continuous, where a are the coefficients of the second derivatives: with ∇·(ν∇u) that is
/// ν ∂u/∂n, so that ν may jump from box to box. Equations of neighbours must have the same sign. An [`Interface`] says by
/// how much u and the flux jump where they do, and a [`Functional`] fixes what the equations leave free.
#[derive(Debug, Clone)]
pub struct PatchProblem {
    pub(super) dim: usize,
    pub(super) unknowns: usize,
    pub(super) pieces: Vec<Piece>,
    pub(super) conditions: Vec<FaceCondition>,
    pub(super) periodic: Vec<bool>,
    pub(super) interfaces: Vec<Interface>,
    pub(super) functionals: Vec<Functional>,
}

impl PatchProblem {
    /// The problem with these boxes and conditions; where several conditions apply, the first one holds.
    ///
    /// # Errors
    /// Boxes of different or unsupported dimension, equations that are not of second order, conditions that are not of
    /// first order, numbers of unknowns that do not agree.
    pub fn new(pieces: Vec<Piece>, conditions: Vec<FaceCondition>) -> Result<Self, PatchError> {
        let first = pieces.first().ok_or(PatchError::Statement {
            what: "there are no boxes",
            requirement: "give at least one",
        })?;
        let (dim, unknowns) = (first.lo.len(), first.count());
        if !(1..=3).contains(&dim) {
            return Err(PatchError::Box {
                index: 0,
                reason: "has no axis or more than three; patches live in up to three dimensions",
            });
        }
        for (index, piece) in pieces.iter().enumerate() {
            check_piece(index, piece, dim, unknowns)?;
        }
        for (index, condition) in conditions.iter().enumerate() {
            check_condition(index, condition, dim, unknowns)?;
        }
        Ok(Self {
            dim,
            unknowns,
            pieces,
            conditions,
            periodic: vec![false; dim],
            interfaces: Vec::new(),
            functionals: Vec::new(),
        })
    }

    /// Across the faces between two boxes, u and the flux jump by what is given.
    ///
    /// # Errors
    /// Boxes that do not exist or are the same, data that are not one for each unknown.
    pub fn with_interface(mut self, interface: Interface) -> Result<Self, PatchError> {
        interface.check(self.pieces.len(), self.unknowns)?;
        self.interfaces.push(interface);
        Ok(self)
    }

    /// A number that the solution must have in addition: the value at a point that fixes a constant, or a mean.
    ///
    /// # Errors
    /// A row in other unknowns or another space, with derivatives above the second, with integrals; a value or a point that
    /// is not finite.
    pub fn with_functional(mut self, functional: Functional) -> Result<Self, PatchError> {
        functional.check(self.dim, self.unknowns)?;
        self.functionals.push(functional);
        Ok(self)
    }

    /// Identifies the two ends of the bounding box along an axis.
    #[must_use]
    pub fn periodic_along(mut self, axis: usize) -> Self {
        if let Some(periodic) = self.periodic.get_mut(axis) {
            *periodic = true;
        }
        self
    }

    /// The numbers that functionals must have.
    pub(super) fn functional_values(&self) -> Vec<f64> {
        let each = self.functionals.iter();
        each.map(|functional| functional.value).collect()
    }

    /// The dimension of the space.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The number of unknown functions.
    #[must_use]
    pub fn unknowns(&self) -> usize {
        self.unknowns
    }
}

fn check_piece(index: usize, piece: &Piece, dim: usize, unknowns: usize) -> Result<(), PatchError> {
    let wrong = |reason| Err(PatchError::Box { index, reason });
    if piece.lo.len() != dim || piece.hi.len() != dim {
        return wrong("has a different dimension from the first one");
    }
    let sound = |(lo, hi): (&f64, &f64)| lo.is_finite() && hi.is_finite() && lo < hi;
    if !piece.lo.iter().zip(&piece.hi).all(sound) {
        return wrong("must have finite corners, the lower one below the upper one on every axis");
    }
    if unknowns == 0 || piece.count() != unknowns {
        return wrong("must have one equation for each unknown, as many as the first box");
    }
    let rows = match &piece.equations {
        Equations::Linear { rows, .. } => rows,
        Equations::Pointwise(equations) => {
            return check_pointwise(index, equations.as_ref(), dim, unknowns);
        }
    };
    for (equation, row) in rows.iter().enumerate() {
        if row.unknowns() != unknowns {
            return wrong(
                "has an equation whose number of unknowns is not the number of equations",
            );
        }
        if row.dim()?.is_some_and(|own| own != dim) {
            return wrong("has an equation of the wrong dimension");
        }
        if row.order() != 2 || !derivatives_only(row) {
            return Err(PatchError::NotSecondOrder { index, equation });
        }
    }
    Ok(())
}

fn check_pointwise(
    index: usize,
    equations: &dyn PointEquations,
    dim: usize,
    unknowns: usize,
) -> Result<(), PatchError> {
    for equation in 0..unknowns {
        let jets = equations.jets(equation);
        if jets.iter().any(|jet| jet.unknown >= unknowns) {
            return Err(PatchError::Box {
                index,
                reason: "has an equation in more unknowns than there are equations",
            });
        }
        if jets.iter().any(|jet| jet.derivative.dim() != dim) {
            return Err(PatchError::Box {
                index,
                reason: "has an equation of the wrong dimension",
            });
        }
        if jets.iter().map(|jet| jet.derivative.order()).max() != Some(2) {
            return Err(PatchError::NotSecondOrder { index, equation });
        }
    }
    Ok(())
}

fn check_condition(
    index: usize,
    condition: &FaceCondition,
    dim: usize,
    unknowns: usize,
) -> Result<(), PatchError> {
    let rows = condition.rows.as_deref().unwrap_or(&[]);
    let counts = condition.rows.is_none() || rows.len() == unknowns;
    if condition.data.len() != unknowns || !counts {
        return Err(PatchError::Statement {
            what: "a piece of the boundary has more or fewer conditions than there are unknowns",
            requirement: "state one for each unknown everywhere",
        });
    }
    for row in rows {
        let own = row.dim()?;
        if row.unknowns() != unknowns || own.is_some_and(|own| own != dim) {
            return Err(PatchError::Statement {
                what: "a condition has the wrong unknowns or the wrong dimension",
                requirement: "state it for the unknowns and the dimension of the boxes",
            });
        }
        if row.order() > 1 || !derivatives_only(row) {
            return Err(PatchError::NotFirstOrder { index });
        }
    }
    Ok(())
}

pub(super) fn derivatives_only(row: &EquationRow) -> bool {
    let plain = |term: &Term| term.action().is_derivative();
    row.blocks()
        .iter()
        .all(|(_, operator)| operator.terms().iter().all(plain))
}
