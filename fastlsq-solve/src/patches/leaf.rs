//! One leaf: coefficients from traces and sources, c = S λ + P f, and the flux that they cause.

use std::sync::Arc;

use faer::{Mat, MatRef};
use fastlsq_ops::Sites;
use ndarray::Array2;

use super::PatchError;
use super::coefficients::{LocalRow, are_elliptic, place};
use super::grid::{Cell, Grid};
use super::outer::OuterSide;
use super::problem::PatchProblem;
use super::reference::{LeastSquares, PointSet, Reference, times};
use crate::lsq::add_product;

/// What leaves with the same operator in their own coordinates have in common.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum LeafClass {
    /// Constant coefficients, these numbers.
    Shared(Vec<u64>),
    /// Coefficients that vary: a class of its own.
    Own(Cell),
}

/// The maps of one class of leaves. Traces and fluxes are ordered by side, unknown, node.
#[derive(Debug)]
pub(super) struct LeafOperator {
    /// S: traces → coefficients.
    pub(super) solve: Mat<f64>,
    /// P: source at the inner points → coefficients; only of shared classes.
    pub(super) source: Option<SourceMap>,
    /// Coefficients → the equations' left-hand sides at the inner points; only of shared classes.
    pub(super) equation: Option<Mat<f64>>,
    /// Coefficients → fluxes through the sides.
    pub(super) flux: Mat<f64>,
    /// Traces → fluxes: the Dirichlet-to-Neumann map.
    pub(super) steklov: Mat<f64>,
    /// Coefficients → the equations' left-hand sides at the check points.
    pub(super) residual: Mat<f64>,
}

impl LeafOperator {
    pub(super) fn bytes(&self) -> usize {
        let size = |m: &Mat<f64>| m.nrows() * m.ncols();
        let numbers = size(&self.solve)
            + size(&self.flux)
            + size(&self.steklov)
            + size(&self.residual)
            + self.source.as_ref().map_or(0, SourceMap::numbers)
            + self.equation.as_ref().map_or(0, size);
        numbers * size_of::<f64>()
    }
}

/// More rows of the equation than this, and P is not formed.
const EXPLICIT_ROWS: usize = 1000;

/// P as a matrix, or as the factors that it is made of, where forming it would cost more than using it.
#[derive(Debug)]
pub(super) enum SourceMap {
    Matrix(Mat<f64>),
    Factors(LeastSquares),
}

impl SourceMap {
    /// P·F for sources side by side.
    pub(super) fn apply(&self, f: Mat<f64>, reference: &Reference) -> Mat<f64> {
        match self {
            Self::Matrix(p) => times(p.as_ref(), f.as_ref()),
            Self::Factors(inside) => expand_kernel(inside.solve(f).as_ref(), reference),
        }
    }

    fn numbers(&self) -> usize {
        match self {
            Self::Matrix(p) => p.nrows() * p.ncols(),
            Self::Factors(inside) => inside.numbers(),
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
    rows: Vec<LocalRow>,
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
        let mut rows = local_rows(problem, piece, &inner, &half, reference)?;
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
        let keys: Option<Vec<Vec<u64>>> = rows.iter().map(LocalRow::key).collect();
        let class = match keys {
            Some(keys) => LeafClass::Shared(keys.join(&u64::MAX)),
            None => LeafClass::Own(cell),
        };
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
            class,
            rows,
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

    /// The equations at other points of the leaf, over `scale`.
    fn rows_at(
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

    /// The source of every equation at points of the leaf, over `scale`, one equation after the other.
    pub(super) fn source_at(
        &self,
        at: &PointSet,
        problem: &PatchProblem,
    ) -> Result<Vec<f64>, PatchError> {
        let placed = place(at.points.view(), &self.center, &self.half);
        let piece = &problem.pieces[self.piece];
        let mut values = Vec::with_capacity(at.len() * piece.sources.len());
        let sites = Sites::new(placed.view());
        for (equation, source) in piece.sources.iter().enumerate() {
            let own = match &piece.linearised {
                Some(linearised) => linearised.at(equation, placed.view())?.1,
                None => source.values(|| format!("equation {}", equation + 1), &sites)?,
            };
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
    let piece = &problem.pieces[piece];
    let equations = piece.equations.iter().enumerate();
    equations
        .map(|(equation, row)| match &piece.linearised {
            Some(linearised) => {
                let (table, _) = linearised.at(equation, points.view())?;
                let sites = Sites::new(points.view()).with_table(table.view());
                LocalRow::new(row, sites, half, reference)
            }
            None => LocalRow::new(row, Sites::new(points.view()), half, reference),
        })
        .collect()
}

/// The operator of a leaf's class, and the coefficients for its source where the class is its own.
pub(super) fn leaf_operator(
    frame: &LeafFrame,
    problem: &PatchProblem,
    reference: &Reference,
) -> Result<(LeafOperator, Option<Vec<f64>>), PatchError> {
    let unknowns = problem.unknowns;
    let columns = unknowns * reference.rank();
    let points = reference.inner.len();
    let mut equation = Mat::zeros(unknowns * points, columns);
    for (e, row) in frame.rows.iter().enumerate() {
        let part = equation.as_mut().subrows_mut(e * points, points);
        reference.add_rows(row, &reference.inner, part)?;
    }
    let lift = lift(reference, unknowns);
    // The equation in the kernel of the traces, for what the lifts and the sources leave over.
    let inside = LeastSquares::of_equation(restrict_to_kernel(equation.as_ref(), reference));
    let lifted = times(equation.as_ref(), lift.as_ref());
    let traces = lifted.ncols();
    let shared = matches!(frame.class, LeafClass::Shared(_));
    let rows = unknowns * points;
    let explicit = shared && rows <= EXPLICIT_ROWS;
    let sources = match (shared, explicit) {
        (true, true) => rows,
        (true, false) => 0,
        (false, _) => 1,
    };
    let mut rhs = Mat::zeros(unknowns * points, traces + sources);
    rhs.as_mut().subcols_mut(0, traces).copy_from(&lifted);
    if explicit {
        for i in 0..sources {
            rhs[(i, traces + i)] = 1.0;
        }
    } else if !shared {
        let source = frame.source_at(&reference.inner, problem)?;
        for (i, value) in source.into_iter().enumerate() {
            rhs[(i, traces)] = value;
        }
    }
    let corrections = expand_kernel(inside.solve(rhs).as_ref(), reference);
    let solve = &lift - corrections.as_ref().subcols(0, traces);
    let source = corrections.as_ref().subcols(traces, sources).to_owned();

    let nodes = reference.side_nodes();
    let mut flux = Mat::zeros(2 * reference.dim * unknowns * nodes, columns);
    for (side, at_side) in reference.sides.iter().enumerate() {
        let rows = frame.rows_at(at_side, problem, reference)?;
        for (e, row) in rows.iter().enumerate() {
            let part = flux
                .as_mut()
                .subrows_mut((side * unknowns + e) * nodes, nodes);
            let conormal = row.conormal(side / 2, side % 2 == 1, reference);
            reference.add_rows(&conormal, at_side, part)?;
        }
    }
    let checks = reference.check.len();
    let mut residual = Mat::zeros(unknowns * checks, columns);
    let rows = frame.rows_at(&reference.check, problem, reference)?;
    for (e, row) in rows.iter().enumerate() {
        let part = residual.as_mut().subrows_mut(e * checks, checks);
        reference.add_rows(row, &reference.check, part)?;
    }
    let steklov = times(flux.as_ref(), solve.as_ref());
    let particular = (!shared).then(|| source.col_as_slice(0).to_vec());
    let operator = LeafOperator {
        solve,
        source: shared.then(|| {
            if explicit {
                SourceMap::Matrix(source)
            } else {
                SourceMap::Factors(inside)
            }
        }),
        equation: shared.then_some(equation),
        flux,
        steklov,
        residual,
    };
    Ok((operator, particular))
}

/// The lift of the traces of all unknowns.
fn lift(reference: &Reference, unknowns: usize) -> Mat<f64> {
    let (rank, nodes) = (reference.rank(), reference.side_nodes());
    let sides = 2 * reference.dim;
    let mut all = Mat::zeros(unknowns * rank, sides * unknowns * nodes);
    for side in 0..sides {
        for v in 0..unknowns {
            all.as_mut()
                .submatrix_mut(v * rank, (side * unknowns + v) * nodes, rank, nodes)
                .copy_from(reference.lift.as_ref().subcols(side * nodes, nodes));
        }
    }
    all
}

/// A·(I ⊗ Z): rows for all unknowns, restricted to the kernel of the traces.
fn restrict_to_kernel(a: MatRef<'_, f64>, reference: &Reference) -> Mat<f64> {
    let kernel = reference.kernel.as_ref();
    let (rank, columns) = (kernel.nrows(), kernel.ncols());
    let unknowns = a.ncols() / rank.max(1);
    let mut out = Mat::zeros(a.nrows(), unknowns * columns);
    for v in 0..unknowns {
        let target = out.as_mut().subcols_mut(v * columns, columns);
        add_product(target, 1.0, a.subcols(v * rank, rank), kernel, true);
    }
    out
}

/// (I ⊗ Z)·X: coefficients of all unknowns from those in the kernel of the traces.
fn expand_kernel(x: MatRef<'_, f64>, reference: &Reference) -> Mat<f64> {
    let kernel = reference.kernel.as_ref();
    let (rank, columns) = (kernel.nrows(), kernel.ncols());
    let unknowns = x.nrows() / columns.max(1);
    let mut out = Mat::zeros(unknowns * rank, x.ncols());
    for v in 0..unknowns {
        let target = out.as_mut().subrows_mut(v * rank, rank);
        add_product(target, 1.0, kernel, x.subrows(v * columns, columns), true);
    }
    out
}

/// A leaf with everything that does not change from solve to solve.
#[derive(Debug)]
pub(super) struct Leaf {
    pub(super) frame: LeafFrame,
    pub(super) class: u32,
    pub(super) operator: Arc<LeafOperator>,
    /// P f, where the class is this leaf's own.
    pub(super) particular: Option<Vec<f64>>,
    /// f at the inner points, over the leaf's scale.
    pub(super) inner_source: Vec<f64>,
    /// f at the check points, over the leaf's scale.
    pub(super) check_source: Vec<f64>,
    /// For each side that lies on the outer boundary, what holds there.
    pub(super) outer: Vec<Option<OuterSide>>,
}

impl Leaf {
    pub(super) fn new(
        frame: LeafFrame,
        class: u32,
        operator: Arc<LeafOperator>,
        own: Option<Vec<f64>>,
        grid: &Grid,
        problem: &PatchProblem,
        reference: &Reference,
    ) -> Result<Self, PatchError> {
        let inner_source = frame.source_at(&reference.inner, problem)?;
        let check_source = frame.source_at(&reference.check, problem)?;
        let outer = (0..2 * reference.dim)
            .map(|side| OuterSide::new(&frame, side, grid, problem, reference))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            frame,
            class,
            operator,
            particular: own,
            inner_source,
            check_source,
            outer,
        })
    }
}

/// A·x.
pub(super) fn apply(a: MatRef<'_, f64>, x: &[f64]) -> Vec<f64> {
    let mut y = vec![0.0; a.nrows()];
    faer::linalg::matmul::matmul(
        faer::ColMut::from_slice_mut(&mut y).as_mat_mut(),
        faer::Accum::Replace,
        a,
        faer::ColRef::from_slice(x).as_mat(),
        1.0,
        faer::Par::Seq,
    );
    y
}
