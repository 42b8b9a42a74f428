//! Where a leaf is, and its equations in its own coordinates.

use fastlsq_ops::Sites;
use ndarray::Array2;

use super::PatchError;
use super::coefficients::{LocalRow, are_elliptic, place};
use super::grid::{Cell, Grid};
use super::pointwise::{Placed, slopes};
use super::problem::{Equations, PatchProblem};
use super::reference::{PointSet, Reference};

/// What leaves with the same operator in their own coordinates have in common.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum LeafClass {
    /// Constant coefficients, these numbers.
    Shared(Vec<u64>),
    /// Coefficients that vary: a class of its own.
    Own(Cell),
}

/// How equations that are not linear are linearised.
#[derive(Debug, Clone, Copy)]
pub(super) struct Linearisation {
    /// Only their second derivatives.
    pub(super) leading_only: bool,
    /// Coefficients may be wrong by this share of the largest one in the leaf.
    pub(super) slack: f64,
    /// What is subtracted from the coefficient of u where that of second derivatives is positive, and added where it is
    /// negative: one over the length of an implicit step along the flow.
    pub(super) shift: f64,
}

impl Linearisation {
    /// All terms, with coefficients that may be off by this much.
    pub(super) fn near(slack: f64) -> Self {
        Self {
            leading_only: false,
            slack,
            shift: 0.0,
        }
    }
}

/// A leaf before its operator is known: where it is and its coefficients.
#[derive(Debug)]
pub(super) struct LeafFrame {
    pub(super) cell: Cell,
    pub(super) piece: usize,
    pub(super) center: Vec<f64>,
    pub(super) half: Vec<f64>,
    /// The largest coefficient of a second derivative in the leaf's coordinates: a/h².
    pub(super) scale: f64,
    /// The largest coefficient of all, over `scale`.
    pub(super) stiffness: f64,
    /// k·h, where the equation is Δu + k²u = f; zero where solutions do not oscillate.
    pub(super) oscillation: f64,
    pub(super) class: LeafClass,
    /// The equations at the inner points, over `scale`.
    pub(super) rows: Vec<LocalRow>,
    /// Their leading terms at the nodes of every side, over `scale`, where the equations were linearised.
    sides: Option<Vec<Vec<LocalRow>>>,
}

impl LeafFrame {
    pub(super) fn new(
        cell: Cell,
        grid: &Grid,
        problem: &PatchProblem,
        reference: &Reference,
    ) -> Result<Self, PatchError> {
        let (center, half) = grid.frame(&cell);
        let piece = grid.owner(&cell).unwrap_or(0);
        let inner = place(reference.inner.points.view(), &center, &half);
        let rows = local_rows(problem, piece, &inner, &half, reference)?;
        Self::of_rows((cell, piece), (center, half), rows, reference)
    }

    /// The frame of equations linearised at the function with these coefficients.
    pub(super) fn linearised(
        cell: Cell,
        grid: &Grid,
        problem: &PatchProblem,
        reference: &Reference,
        c: &[f64],
        how: Linearisation,
    ) -> Result<Self, PatchError> {
        let piece = grid.owner(&cell).unwrap_or(0);
        let Some(equations) = problem.pointwise(piece) else {
            return Self::new(cell, grid, problem, reference);
        };
        let (center, half) = grid.frame(&cell);
        let at = Placed {
            center: &center,
            half: &half,
        };
        let mut rows = slopes(equations, at, c, &reference.inner, reference)?;
        if how.leading_only {
            let leading = |row: LocalRow| row.of_order(2, reference);
            rows = rows.into_iter().map(leading).collect();
        }
        if how.shift > 0.0 {
            for (unknown, row) in rows.iter_mut().enumerate() {
                row.shift(unknown, how.shift, reference);
            }
        }
        let mut sides = Vec::with_capacity(reference.sides.len());
        for nodes in &reference.sides {
            let own = slopes(equations, at, c, nodes, reference)?;
            let leading = |row: LocalRow| row.of_order(2, reference);
            sides.push(own.into_iter().map(leading).collect::<Vec<LocalRow>>());
        }
        let mut frame = Self::of_rows((cell, piece), (center, half), rows, reference)?;
        let sides_over = sides.iter_mut().flatten();
        sides_over.for_each(|row| row.divide(frame.scale));
        frame.sides = Some(sides);
        // A power of two, so that leaves of all kinds agree on it.
        let quantum = (how.slack * frame.stiffness).log2().floor().exp2();
        let rounded = |row: LocalRow| row.rounded(quantum, reference);
        frame.rows = frame.rows.into_iter().map(rounded).collect();
        frame.class = class_of(cell, &frame.rows);
        Ok(frame)
    }

    /// Whether the coefficients of another frame of the same leaf are near enough to go on with these.
    pub(super) fn is_near(&self, other: &Self, slack: f64) -> bool {
        let allowed = slack * other.stiffness;
        let ratio = self.scale / other.scale;
        let near = |(own, theirs): (&LocalRow, &LocalRow)| own.distance(theirs) <= 2.0 * allowed;
        (ratio - 1.0).abs() <= slack && self.rows.iter().zip(&other.rows).all(near)
    }

    /// The largest coefficient of an unknown itself.
    pub(super) fn reaction(&self, reference: &Reference) -> f64 {
        let own = self.rows.iter().map(|row| row.reaction(reference));
        self.scale * own.fold(0.0, f64::max)
    }

    fn of_rows(
        (cell, piece): (Cell, usize),
        (center, half): (Vec<f64>, Vec<f64>),
        mut rows: Vec<LocalRow>,
        reference: &Reference,
    ) -> Result<Self, PatchError> {
        let largest = |order: u32| {
            let each = rows.iter().map(|row| row.largest(order, reference));
            each.fold(0.0, f64::max)
        };
        let (scale, all) = (largest(2), largest(0));
        if !(scale > 0.0 && scale.is_finite()) {
            return Err(PatchError::NotSecondOrder {
                index: piece,
                equation: 0,
            });
        }
        rows.iter_mut().for_each(|row| row.divide(scale));
        Ok(Self {
            cell,
            piece,
            center,
            half,
            scale,
            stiffness: all / scale,
            oscillation: rows
                .iter()
                .map(|row| row.oscillation(reference))
                .fold(0.0, f64::max),
            class: class_of(cell, &rows),
            rows,
            sides: None,
        })
    }

    /// Fails where the equations are not elliptic at the first, the middle or the last of the inner points.
    pub(super) fn check_elliptic(&self, reference: &Reference) -> Result<(), PatchError> {
        let last = reference.inner.len().saturating_sub(1);
        for point in [0, last / 2, last] {
            if !are_elliptic(&self.rows, point, reference) {
                let at = reference.inner.points.row(point).to_owned();
                let at = at.insert_axis(ndarray::Axis(0));
                let placed = place(at.view(), &self.center, &self.half);
                return Err(PatchError::NotElliptic {
                    index: self.piece,
                    point: placed.row(0).to_vec(),
                });
            }
        }
        Ok(())
    }

    /// The leading terms of the equations at the nodes of a side, over `scale`.
    pub(super) fn rows_on_side(
        &self,
        side: usize,
        problem: &PatchProblem,
        reference: &Reference,
    ) -> Result<Vec<LocalRow>, PatchError> {
        match &self.sides {
            Some(sides) => Ok(sides[side].clone()),
            None => self.rows_at(&reference.sides[side], problem, reference),
        }
    }

    /// The equations at other points of the leaf, over `scale`.
    pub(super) fn rows_at(
        &self,
        at: &PointSet,
        problem: &PatchProblem,
        reference: &Reference,
    ) -> Result<Vec<LocalRow>, PatchError> {
        if matches!(self.class, LeafClass::Shared(_)) {
            return Ok(self.rows.clone());
        }
        let placed = place(at.points.view(), &self.center, &self.half);
        let mut rows = local_rows(problem, self.piece, &placed, &self.half, reference)?;
        rows.iter_mut().for_each(|row| row.divide(self.scale));
        Ok(rows)
    }

    /// The source of every linear equation at points of the leaf, over `scale`, one equation after the other.
    pub(super) fn source_at(
        &self,
        at: &PointSet,
        problem: &PatchProblem,
    ) -> Result<Vec<f64>, PatchError> {
        let placed = place(at.points.view(), &self.center, &self.half);
        let Equations::Linear { sources, .. } = &problem.pieces[self.piece].equations else {
            return Ok(Vec::new());
        };
        let mut values = Vec::with_capacity(at.len() * sources.len());
        let sites = Sites::new(placed.view());
        for (equation, source) in sources.iter().enumerate() {
            let own = source.values(|| format!("equation {}", equation + 1), &sites)?;
            values.extend(own.into_iter().map(|value| value / self.scale));
        }
        Ok(values)
    }
}

fn local_rows(
    problem: &PatchProblem,
    piece: usize,
    points: &Array2<f64>,
    half: &[f64],
    reference: &Reference,
) -> Result<Vec<LocalRow>, PatchError> {
    let Equations::Linear { rows, .. } = &problem.pieces[piece].equations else {
        return Ok(Vec::new());
    };
    let sites = Sites::new(points.view());
    rows.iter()
        .map(|row| LocalRow::new(row, sites, half, reference))
        .collect()
}

fn class_of(cell: Cell, rows: &[LocalRow]) -> LeafClass {
    let keys: Option<Vec<Vec<u64>>> = rows.iter().map(LocalRow::key).collect();
    match keys {
        Some(keys) => LeafClass::Shared(keys.join(&u64::MAX)),
        None => LeafClass::Own(cell),
    }
}
