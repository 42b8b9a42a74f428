//! Rows are the same however they are asked for.

use faer::{Mat, MatMut};
use ndarray::{Array2, s};

use super::{Verdict, largest, points, require, require_close, require_identical};
use crate::form::{Action, Coefficient, Form};
use crate::{Basis, BasisError, MultiIndex};

/// Numbers of points around the sizes at which blocks and vector registers end.
const SIZES: [usize; 11] = [0, 1, 3, 4, 5, 255, 256, 257, 2047, 2048, 2049];
/// Reordered sums and fused operations may differ in the last digits.
const ROUNDING: f64 = 1e-13;

/// A form with constant and varying coefficients, of mixed orders.
struct Mixed {
    actions: Vec<Action>,
    varying: Vec<Vec<f64>>,
}

impl Mixed {
    fn new(basis: &dyn Basis, points: &Array2<f64>) -> Result<Self, BasisError> {
        let dim = basis.dim();
        let mut actions = vec![Action::identity(dim)];
        for axis in 0..dim {
            let next = (axis + 1) % dim;
            let first = MultiIndex::along(dim, axis, 1)?;
            actions.push(Action::derivative(
                &first + &MultiIndex::along(dim, next, 1)?,
            ));
            actions.push(Action::derivative(first));
        }
        let varying = (0..2)
            .map(|k| {
                let wave = |x: f64| (3.0 * x + f64::from(k)).cos();
                points
                    .rows()
                    .into_iter()
                    .map(|x| x.iter().map(|x| wave(*x)).sum())
                    .collect()
            })
            .collect();
        Ok(Self { actions, varying })
    }

    fn form(&self) -> Form<'_> {
        let mut form = Form::new();
        for (t, action) in self.actions.iter().enumerate() {
            match t % 3 {
                0 => form.push(Coefficient::Constant(1.5 - t as f64), action),
                k => form.push(Coefficient::PerPoint(&self.varying[k - 1]), action),
            }
        }
        form
    }
}

/// There are features and axes, and outputs have one row per point and one column per feature.
///
/// # Errors
/// The first [`Violation`](super::Violation).
pub fn shapes(basis: &dyn Basis) -> Verdict {
    let property = "shapes";
    require(basis.dim() > 0, property, || "the dimension is 0".into())?;
    let len = basis.len();
    require(basis.is_empty() == (len < 1), property, || {
        "is_empty contradicts len".into()
    })?;
    for count in SIZES {
        let values = basis.values(points(basis, count).view())?;
        require(values.shape() == (count, basis.len()), property, || {
            format!("{count} points give a matrix of shape {:?}", values.shape())
        })?;
    }
    let nothing = basis.assemble(points(basis, 5).view(), &Form::new())?;
    require(largest(nothing.as_ref()) == 0.0, property, || {
        "the empty form is not zero".into()
    })
}

/// Any number of points gives the rows that the points give one by one, over stale output.
///
/// # Errors
/// The first [`Violation`](super::Violation).
pub fn row_blocks(basis: &dyn Basis) -> Verdict {
    for count in SIZES {
        let points = points(basis, count);
        let mixed = Mixed::new(basis, &points)?;
        let form = mixed.form();
        let mut block = Mat::full(count, basis.len(), f64::NAN);
        basis.write_rows(points.view(), &form, block.as_mut())?;
        let mut single = Mat::full(count, basis.len(), f64::NAN);
        for i in 0..count {
            let row = single.as_mut().subrows_mut(i, 1);
            basis.write_rows(points.slice(s![i..=i, ..]), &form.restrict(i, 1), row)?;
        }
        require_close(
            "rows in blocks and one by one",
            block.as_ref(),
            single.as_ref(),
            ROUNDING,
        )?;
    }
    // Points may be stored in any layout.
    let flipped = points(basis, 9).reversed_axes();
    let copy = flipped.t().as_standard_layout().to_owned();
    require_identical(
        "points in column-major order",
        &basis.values(flipped.t())?,
        &basis.values(copy.view())?,
    )
}

/// Outputs may be parts of larger matrices, row-major or reversed; nothing else is touched.
///
/// # Errors
/// The first [`Violation`](super::Violation).
pub fn strided_outputs(basis: &dyn Basis) -> Verdict {
    const GUARD: f64 = 7.25;
    for count in [1, 2, 5, 300] {
        let points = points(basis, count);
        let mixed = Mixed::new(basis, &points)?;
        let form = mixed.form();
        let expected = basis.assemble(points.view(), &form)?;
        let (rows, columns) = expected.shape();
        let write = |out: MatMut<'_, f64>| basis.write_rows(points.view(), &form, out);

        let mut frame = Mat::full(rows + 5, columns + 3, GUARD);
        write(frame.as_mut().submatrix_mut(2, 1, rows, columns))?;
        let inside = frame.as_ref().submatrix(2, 1, rows, columns);
        require_close(
            "output inside a larger matrix",
            inside,
            expected.as_ref(),
            ROUNDING,
        )?;
        frame
            .as_mut()
            .submatrix_mut(2, 1, rows, columns)
            .fill(GUARD);
        let untouched = super::entries(frame.as_ref()).all(|v| v == GUARD);
        require(untouched, "output inside a larger matrix", || {
            "entries around the output were changed".into()
        })?;

        let mut transposed = Mat::full(columns, rows, f64::NAN);
        write(transposed.as_mut().transpose_mut())?;
        let found = transposed.as_ref().transpose();
        require_close("row-major output", found, expected.as_ref(), ROUNDING)?;

        let mut reversed = Mat::full(rows, columns, f64::NAN);
        write(reversed.as_mut().reverse_rows_mut())?;
        let found = reversed.as_ref().reverse_rows();
        require_close(
            "output with reversed rows",
            found,
            expected.as_ref(),
            ROUNDING,
        )?;
    }
    Ok(())
}

/// Rows are linear in the coefficients, and a coefficient function scales each row.
///
/// # Errors
/// The first [`Violation`](super::Violation).
pub fn coefficients(basis: &dyn Basis) -> Verdict {
    let points = points(basis, 11);
    let mixed = Mixed::new(basis, &points)?;
    let whole = basis.assemble(points.view(), &mixed.form())?;
    let mut sum = Mat::<f64>::zeros(points.nrows(), basis.len());
    let mut size = sum.clone();
    for term in mixed.form().terms() {
        let rows = basis.assemble(points.view(), &Form::action(term.action))?;
        for j in 0..basis.len() {
            for i in 0..points.nrows() {
                let factor = match term.coefficient {
                    Coefficient::Constant(c) => c,
                    Coefficient::PerPoint(values) => values[i],
                };
                sum[(i, j)] += factor * rows[(i, j)];
                size[(i, j)] += (factor * rows[(i, j)]).abs();
            }
        }
    }
    let scale = largest(size.as_ref());
    for j in 0..basis.len() {
        for i in 0..points.nrows() {
            let (found, expected) = (whole[(i, j)], sum[(i, j)]);
            require(
                (found - expected).abs() <= ROUNDING * scale,
                "linearity",
                || format!("entry ({i}, {j}) is {found:e}, but its terms add up to {expected:e}"),
            )?;
        }
    }
    let ones = vec![1.0; points.nrows()];
    let identity = Action::identity(basis.dim());
    let constant = Form::new().with(Coefficient::PerPoint(&ones), &identity);
    require_close(
        "a coefficient function that is 1",
        basis.assemble(points.view(), &constant)?.as_ref(),
        basis.values(points.view())?.as_ref(),
        ROUNDING,
    )
}

/// Values, gradients, Hessians and Laplacians, at one point and at many, agree with the primitive.
///
/// # Errors
/// The first [`Violation`](super::Violation).
pub fn convenient_calls(basis: &dyn Basis) -> Verdict {
    let dim = basis.dim();
    let points = points(basis, 6);
    let values = basis.values(points.view())?;
    let gradients = basis.gradients(points.view())?;
    require(gradients.len() == dim, "gradients", || {
        "one matrix per axis is expected".into()
    })?;
    let laplacians = basis.laplacians(points.view())?;
    for (i, x) in points.rows().into_iter().enumerate() {
        let x = x.to_vec();
        let gradient = basis.gradient_at(&x)?;
        let hessians = basis.hessian_at(&x)?;
        let trace = |j: usize| (0..dim).map(|k| hessians[j][(k, k)]).sum();
        let rows: [(&'static str, Vec<f64>, Vec<f64>); 4] = [
            ("value_at", basis.value_at(&x)?, row(&values, i)),
            ("laplacian_at", basis.laplacian_at(&x)?, row(&laplacians, i)),
            (
                "gradient_at",
                row(&gradient, dim - 1),
                row(&gradients[dim - 1], i),
            ),
            (
                "hessian_at",
                (0..basis.len()).map(trace).collect(),
                row(&laplacians, i),
            ),
        ];
        for (call, found, expected) in rows {
            let (found, expected) = (as_row(&found), as_row(&expected));
            require_close(call, found.as_ref(), expected.as_ref(), ROUNDING)?;
        }
        let mixed = &MultiIndex::along(dim, 0, 1)? + &MultiIndex::along(dim, dim - 1, 1)?;
        let expected = basis.derivative_at(&x, &mixed)?;
        let found: Vec<f64> = hessians.iter().map(|h| h[(dim - 1, 0)]).collect();
        let (found, expected) = (as_row(&found), as_row(&expected));
        require_close("hessian_at", found.as_ref(), expected.as_ref(), ROUNDING)?;
    }
    Ok(())
}

/// Assembly on any number of threads gives the bits of [`Basis::write_rows`].
///
/// # Errors
/// The first [`Violation`](super::Violation).
pub fn parallel_assembly(basis: &dyn Basis) -> Verdict {
    let property = "parallel assembly";
    let count = 1030 + (1 << 15) / basis.len().max(1);
    let points = points(basis, count);
    let mixed = Mixed::new(basis, &points)?;
    let form = mixed.form();
    let mut expected = Mat::zeros(count, basis.len());
    basis.write_rows(points.view(), &form, expected.as_mut())?;
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| super::broken(property, error.to_string()))?;
        let found = pool.install(|| basis.assemble(points.view(), &form))?;
        require_identical(property, &found, &expected)?;
    }
    Ok(())
}

fn row(matrix: &Mat<f64>, i: usize) -> Vec<f64> {
    (0..matrix.ncols()).map(|j| matrix[(i, j)]).collect()
}

fn as_row(values: &[f64]) -> Mat<f64> {
    Mat::from_fn(1, values.len(), |_, j| values[j])
}

/// Sums over the features are the product of the rows and the coefficients, for several forms at once.
///
/// # Errors
/// The first [`Violation`](super::Violation).
pub fn sums_of_forms(basis: &dyn Basis) -> Verdict {
    let property = "sums over the features";
    // Some coefficients are zero: their features must not matter, and must not be missed.
    let beta: Vec<f64> = (0..basis.len())
        .map(|j| {
            if j % 5 == 3 {
                0.0
            } else {
                (1.7 * j as f64).sin()
            }
        })
        .collect();
    let column = Mat::from_fn(beta.len(), 1, |j, _| beta[j]);
    for count in [0, 1, 5, 511, 513, 1030] {
        let points = points(basis, count);
        let mixed = Mixed::new(basis, &points)?;
        let mut forms: Vec<Form<'_>> = mixed.actions.iter().map(Form::action).collect();
        forms.push(mixed.form());
        forms.push(Form::new());
        // Rows that are not contiguous: every entry is overwritten all the same.
        let mut room = Mat::full(forms.len(), count, f64::NAN);
        basis.sums(points.view(), &forms, &beta, room.as_mut().transpose_mut())?;
        for (k, form) in forms.iter().enumerate() {
            let rows = basis.assemble(points.view(), form)?;
            let expected = &rows * &column;
            let found = room.as_ref().transpose().subcols(k, 1);
            // Relative to what is added up: the sum itself may be small by cancellation.
            let size = largest(rows.as_ref()) * basis.len() as f64;
            for i in 0..count {
                let (f, e) = (found[(i, 0)], expected[(i, 0)]);
                require((f - e).abs() <= ROUNDING * size, property, || {
                    format!("form {k} at point {i} of {count} is {f:e}, but {e:e} is expected")
                })?;
            }
        }
    }
    if basis.is_empty() {
        return Ok(());
    }
    let refused = |beta: &[f64], columns: usize| {
        let points = points(basis, 2);
        let action = Action::identity(basis.dim());
        let mut out = Mat::zeros(2, columns);
        basis
            .sums(points.view(), &[Form::action(&action)], beta, out.as_mut())
            .is_err()
    };
    let mut bad = beta.clone();
    bad[0] = f64::NAN;
    require(
        refused(&bad, 1) && refused(&beta[1..], 1) && refused(&beta, 2),
        property,
        || {
            "coefficients that are not finite, too few of them or an output of the wrong size were accepted".into()
        },
    )
}
