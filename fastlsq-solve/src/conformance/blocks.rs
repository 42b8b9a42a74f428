//! Every kind of row block reaches the matrix as it is meant.

use faer::Mat;
use ndarray::{Array2, s};

use super::reference::least_squares;
use super::systems::{basis, inside, matrix, row, sides, spread, wave};
use super::{Verdict, require, require_close};
use crate::backend::Backend;
use crate::dense::column;
use crate::lsq::{LsqOptions, RowSource};
use crate::system::{RowBlock, System};
use crate::{
    Action, EquationRow, Field, MultiIndex, Operator, SolveError, Term, X, Y, given, laplacian,
    normal_derivative, sin, unknown, unknowns,
};

/// The backend's coefficients are the reference's for the matrix that the system describes.
fn require_reference(property: &'static str, backend: &dyn Backend, system: &System) -> Verdict {
    let (a, b) = (matrix(system)?, system.right_hand_side());
    let x = backend.factor(system, &LsqOptions::new())?.solution()?;
    let expected = least_squares(a.as_ref(), b.as_ref(), 0.0)?;
    require_close(property, x.as_ref(), expected.as_ref(), 1e-8)
}

fn coefficients(backend: &dyn Backend, system: &System) -> Result<Vec<f64>, SolveError> {
    let x = backend.factor(system, &LsqOptions::new())?.solution()?;
    Ok(column(x.as_ref(), 0))
}

/// A row with weight 2 counts as much as four copies of it; a row with weight 0 not at all.
///
/// # Errors
/// What does not hold.
pub fn row_weights(backend: &dyn Backend) -> Verdict {
    let basis = basis(30, 12.0, 1)?;
    let points = inside(100, 1);
    let mut values = wave(&points);
    values[0] += 1.0;
    values[1] = 1e6;
    let mut block = RowBlock::new("values", row(unknown("u"))?, points.clone(), values.clone());
    let mut weights = vec![1.0; 100];
    (weights[0], weights[1]) = (2.0, 0.0);
    block.row_weights = Some(weights);
    let weighted = System::new(vec![basis.clone()], vec![block])?;
    require_reference("rows with weights of their own", backend, &weighted)?;

    let copies: Vec<usize> = [0, 0, 0, 0].into_iter().chain(2..100).collect();
    let block = RowBlock::new(
        "values",
        row(unknown("u"))?,
        points.select(ndarray::Axis(0), &copies),
        copies.iter().map(|&i| values[i]).collect(),
    );
    let copied = System::new(vec![basis], vec![block])?;
    let column = |beta: Vec<f64>| Mat::from_fn(beta.len(), 1, |i, _| beta[i]);
    require_close(
        "weights 2 and 0 against copies",
        column(coefficients(backend, &weighted)?).as_ref(),
        column(coefficients(backend, &copied)?).as_ref(),
        1e-8,
    )
}

/// Rows at partner points are subtracted.
///
/// # Errors
/// What does not hold.
pub fn periodic_partners(backend: &dyn Backend) -> Verdict {
    let basis = basis(60, 10.0, 1)?;
    let (left, right, _) = sides(40);
    let points = inside(200, 1);
    let data = wave(&points);
    let values = RowBlock::new("values", row(unknown("u"))?, points, data);
    let mut periodic = RowBlock::new("periodic", row(unknown("u"))?, left, vec![0.0; 40]);
    periodic.partners = Some(right);
    periodic.weight = 3.0;
    let system = System::new(vec![basis.clone()], vec![values, periodic])?;
    require_reference("periodic rows", backend, &system)?;
    // With a large weight the difference is driven to zero.
    let mut blocks = system.blocks().to_vec();
    blocks[1].weight = 1e6;
    let system = System::new(vec![basis], blocks)?;
    let beta = coefficients(backend, &system)?;
    let difference = system.blocks()[1].apply(&system.basis_refs(), &beta)?;
    let worst = difference.iter().fold(0.0, |w: f64, d| w.max(d.abs()));
    require(worst < 1e-6, "periodic rows with a large weight", || {
        format!("the sides differ by {worst:.1e}")
    })
}

/// Two unknowns with bases of different sizes, coupled by an equation.
///
/// # Errors
/// What does not hold.
pub fn systems_of_unknowns(backend: &dyn Backend) -> Verdict {
    let bases = vec![basis(30, 12.0, 1)?, basis(45, 9.0, 2)?];
    let points = inside(300, 1);
    let (left, _, normals) = sides(50);
    let [u, v] = unknowns(["u", "v"]);
    let coupled = row(u.d(X) - v.d(Y))?;
    let mut flux = RowBlock::new("flux", row(normal_derivative(v))?, left, vec![0.5; 50]);
    flux.normals = Some(normals);
    let data = wave(&points);
    let mut equation = RowBlock::new("coupling", coupled, points.clone(), data.clone());
    equation.weight = 0.1;
    let first = RowBlock::new("first", EquationRow::value(2, 0, 2), points.clone(), data);
    let half = points.slice(s![..150, ..]).to_owned();
    let other: Vec<f64> = wave(&half).iter().map(|value| 1.0 - value).collect();
    let second = RowBlock::new("second", row(v)?, half, other);
    let system = System::new(bases, vec![equation, first, second, flux])?;
    require_reference("two coupled unknowns", backend, &system)
}

/// Coefficients that come as a column beside the points are those of the same function.
///
/// # Errors
/// What does not hold.
pub fn tabulated_coefficients(backend: &dyn Backend) -> Verdict {
    let basis = basis(40, 12.0, 1)?;
    let points = inside(250, 1);
    let data = wave(&points);
    let speed = |x: f64, y: f64| 1.0 + x * y;
    let table = Array2::from_shape_fn((250, 2), |(i, column)| {
        f64::from(u8::from(column == 1)) * speed(points[[i, 0]], points[[i, 1]])
    });
    let along = |axis| -> Result<Term, SolveError> {
        let action = Action::derivative(MultiIndex::along(2, axis, 2)?);
        Ok(Term::new(Field::tabulated("c", 1), action))
    };
    let plain = Term::new(1.0, Action::identity(2));
    let tabulated = Operator::from_terms(2, [along(0)?, along(1)?, plain]);
    let mut block = RowBlock::new("table", tabulated, points.clone(), data.clone());
    block.table = Some(table);
    let by_table = System::new(vec![basis.clone()], vec![block])?;
    require_reference("tabulated coefficients", backend, &by_table)?;

    let u = unknown("u");
    let c = given("c", move |x| speed(x[0], x[1]));
    let closed = row(c * laplacian(u) + u)?;
    let block = RowBlock::new("closure", closed, points, data);
    let by_function = System::new(vec![basis], vec![block])?;
    let column = |beta: Vec<f64>| Mat::from_fn(beta.len(), 1, |i, _| beta[i]);
    require_close(
        "a table against a function",
        column(coefficients(backend, &by_table)?).as_ref(),
        column(coefficients(backend, &by_function)?).as_ref(),
        1e-8,
    )
}

/// Coefficients that vary with the point, several in one operator.
///
/// # Errors
/// What does not hold.
pub fn variable_coefficients(backend: &dyn Backend) -> Verdict {
    let basis = basis(40, 12.0, 1)?;
    let points = inside(250, 1);
    let data = wave(&points);
    let u = unknown("u");
    let operator = row((1.0 + X * X) * laplacian(u) + sin(Y) * u.d(X) - 3.0 * u)?;
    let block = RowBlock::new("equation", operator, points, data);
    let system = System::new(vec![basis], vec![block])?;
    require_reference("variable coefficients", backend, &system)
}

/// Exact blocks hold to rounding, also for new right-hand sides, and have an adjoint. A backend may
/// refuse them.
///
/// # Errors
/// What does not hold.
pub fn exact_blocks(backend: &dyn Backend) -> Verdict {
    let points = inside(200, 1);
    let data = wave(&points);
    let fitted = RowBlock::new("equation", row(laplacian(unknown("u")))?, points, data);
    let pins = inside(12, 4);
    let data: Vec<f64> = wave(&pins).iter().map(|value| 2.0 * value + 1.0).collect();
    let mut exact = RowBlock::new("exact", row(unknown("u"))?, pins, data);
    exact.exact = true;
    exact.weight = 3.0;
    let system = System::new(vec![basis(60, 8.0, 1)?], vec![exact, fitted])?;
    let options = LsqOptions::new().keep_q(true);
    let Ok(factored) = backend.factor(&system, &options) else {
        return Ok(());
    };
    let a = matrix(&system)?;
    let rhs = spread(system.nrows(), 1, 3);
    for (b, x) in [
        (system.right_hand_side(), factored.solution()?),
        (rhs.clone(), factored.solve(rhs.as_ref())?),
    ] {
        let held = &a * &x;
        let (held, asked) = (held.as_ref().subrows(0, 12), b.as_ref().subrows(0, 12));
        require_close("rows that must hold exactly", held, asked, 1e-11)?;
    }
    let v = spread(system.ncols(), 1, 5);
    let (x, w) = (factored.solve(rhs.as_ref())?, factored.adjoint(v.as_ref())?);
    let (left, right) = ((x.transpose() * &v)[(0, 0)], (rhs.transpose() * &w)[(0, 0)]);
    let size = x.norm_l2() * v.norm_l2() + rhs.norm_l2() * w.norm_l2();
    let property = "the adjoint of a system with exact rows";
    require((left - right).abs() <= 1e-10 * size, property, || {
        format!("{left:e} against {right:e}")
    })
}
