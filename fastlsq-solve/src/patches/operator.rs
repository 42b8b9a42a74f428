//! The maps of a leaf: coefficients from traces and sources, c = S λ + P f, and the flux that they cause.

use faer::{Mat, MatRef};

use super::PatchError;
use super::frame::{LeafClass, LeafFrame};
use super::harmonic::OwnInside;
use super::leaf::each_trace;
use super::problem::PatchProblem;
use super::reference::{LeastSquares, Reference, times};
use crate::lsq::add_product;

/// The maps of one class of leaves. Traces and fluxes are ordered by side, unknown, node.
#[derive(Debug)]
pub(super) struct LeafOperator {
    /// S: traces → coefficients.
    pub(super) solve: Mat<f64>,
    /// P: source at the inner points → coefficients.
    pub(super) source: SourceMap,
    /// Coefficients → the equations' left-hand sides at the inner points; only where they are linear and the class is
    /// shared.
    pub(super) equation: Option<Mat<f64>>,
    /// Coefficients → fluxes through the sides.
    pub(super) flux: Mat<f64>,
    /// Traces → fluxes: the Dirichlet-to-Neumann map.
    pub(super) steklov: Mat<f64>,
    /// Coefficients → the equations' left-hand sides at the check points; only where they are linear.
    pub(super) residual: Option<Mat<f64>>,
}

impl LeafOperator {
    pub(super) fn bytes(&self) -> usize {
        let size = |m: &Mat<f64>| m.nrows() * m.ncols();
        let numbers = size(&self.solve)
            + size(&self.flux)
            + size(&self.steklov)
            + self.residual.as_ref().map_or(0, size)
            + self.source.numbers()
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
    Own(OwnInside),
}

impl SourceMap {
    /// P·F for sources side by side.
    pub(super) fn apply(&self, f: Mat<f64>, reference: &Reference) -> Mat<f64> {
        match self {
            Self::Matrix(p) => times(p.as_ref(), f.as_ref()),
            Self::Factors(inside) => expand_kernel(inside.solve(f).as_ref(), reference),
            Self::Own(inside) => inside.apply(f, reference),
        }
    }

    /// Pᵀ·C for coefficients side by side.
    pub(super) fn apply_transposed(&self, c: MatRef<'_, f64>, reference: &Reference) -> Mat<f64> {
        match self {
            Self::Matrix(p) => times(p.transpose(), c),
            Self::Factors(inside) => inside.solve_transposed(&restrict(c, reference)),
            Self::Own(inside) => inside.apply_transposed(c, reference),
        }
    }

    fn numbers(&self) -> usize {
        match self {
            Self::Matrix(p) => p.nrows() * p.ncols(),
            Self::Factors(inside) => inside.numbers(),
            Self::Own(inside) => inside.numbers(),
        }
    }
}

/// The operator of a leaf's class.
pub(super) fn leaf_operator(
    frame: &LeafFrame,
    problem: &PatchProblem,
    reference: &Reference,
) -> Result<LeafOperator, PatchError> {
    let linear = problem.pointwise(frame.piece).is_none();
    let shared = matches!(frame.class, LeafClass::Shared(_));
    let (solve, source, equation) = if linear && shared {
        let inside = SharedInside::new(frame, problem.unknowns, reference)?;
        (inside.solve, inside.source, Some(inside.equation))
    } else {
        let (inside, solve) = OwnInside::new(&frame.rows, reference)?;
        (solve, SourceMap::Own(inside), None)
    };
    let flux = flux(frame, problem, reference)?;
    let residual = linear.then(|| residual(frame, problem, reference));
    let steklov = times(flux.as_ref(), solve.as_ref());
    Ok(LeafOperator {
        solve,
        source,
        equation,
        flux,
        steklov,
        residual: residual.transpose()?,
    })
}

/// Coefficients → fluxes through the sides.
fn flux(
    frame: &LeafFrame,
    problem: &PatchProblem,
    reference: &Reference,
) -> Result<Mat<f64>, PatchError> {
    let (unknowns, nodes) = (problem.unknowns, reference.side_nodes());
    let columns = unknowns * reference.rank();
    let mut flux = Mat::zeros(2 * reference.dim * unknowns * nodes, columns);
    for (side, at_side) in reference.sides.iter().enumerate() {
        let rows = frame.rows_on_side(side, problem, reference)?;
        for (e, row) in rows.iter().enumerate() {
            let conormal = row.conormal(side / 2, side % 2 == 1, reference);
            let mut at_nodes = Mat::zeros(at_side.len(), columns);
            reference.add_rows(&conormal, at_side, at_nodes.as_mut())?;
            flux.as_mut()
                .subrows_mut((side * unknowns + e) * nodes, nodes)
                .copy_from(reference.rule.trace(at_nodes));
        }
    }
    Ok(flux)
}

/// Coefficients → the equations' left-hand sides at the check points.
fn residual(
    frame: &LeafFrame,
    problem: &PatchProblem,
    reference: &Reference,
) -> Result<Mat<f64>, PatchError> {
    let (unknowns, checks) = (problem.unknowns, reference.check.len());
    let mut residual = Mat::zeros(unknowns * checks, unknowns * reference.rank());
    let rows = frame.rows_at(&reference.check, problem, reference)?;
    for (e, row) in rows.iter().enumerate() {
        let part = residual.as_mut().subrows_mut(e * checks, checks);
        reference.add_rows(row, &reference.check, part)?;
    }
    Ok(residual)
}

/// The equation inside leaves whose constant coefficients many share.
struct SharedInside {
    solve: Mat<f64>,
    source: SourceMap,
    equation: Mat<f64>,
}

impl SharedInside {
    fn new(frame: &LeafFrame, unknowns: usize, reference: &Reference) -> Result<Self, PatchError> {
        let columns = unknowns * reference.rank();
        let points = reference.inner.len();
        let rows = unknowns * points;
        let mut equation = Mat::zeros(rows, columns);
        for (e, row) in frame.rows.iter().enumerate() {
            let part = equation.as_mut().subrows_mut(e * points, points);
            reference.add_rows(row, &reference.inner, part)?;
        }
        let lift = lift(reference, unknowns);
        // The equation in the kernel of the traces, for the residuals that the lifts and the sources leave.
        let inside = LeastSquares::of_equation(restrict_to_kernel(equation.as_ref(), reference));
        let lifted = times(equation.as_ref(), lift.as_ref());
        let traces = lifted.ncols();
        let sources = if rows <= EXPLICIT_ROWS { rows } else { 0 };
        let mut rhs = Mat::zeros(rows, traces + sources);
        rhs.as_mut().subcols_mut(0, traces).copy_from(&lifted);
        for i in 0..sources {
            rhs[(i, traces + i)] = 1.0;
        }
        let corrections = expand_kernel(inside.solve(rhs).as_ref(), reference);
        let solve = &lift - corrections.as_ref().subcols(0, traces);
        let source = match sources {
            0 => SourceMap::Factors(inside),
            _ => SourceMap::Matrix(corrections.as_ref().subcols(traces, sources).to_owned()),
        };
        Ok(Self {
            solve,
            source,
            equation,
        })
    }
}

/// The lift of the traces of all unknowns.
fn lift(reference: &Reference, unknowns: usize) -> Mat<f64> {
    let (rank, nodes) = (reference.rank(), reference.side_nodes());
    let mut all = Mat::zeros(unknowns * rank, 2 * reference.dim * unknowns * nodes);
    for v in 0..unknowns {
        each_trace(reference, unknowns, v, |from, to| {
            all.as_mut()
                .submatrix_mut(v * rank, to, rank, nodes)
                .copy_from(reference.lift.as_ref().subcols(from, nodes));
        });
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

/// (I ⊗ Z)ᵀ·C.
fn restrict(c: MatRef<'_, f64>, reference: &Reference) -> Mat<f64> {
    restrict_to_kernel(c.transpose(), reference)
        .transpose()
        .to_owned()
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
