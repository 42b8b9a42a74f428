//! Along which directions data change: h(y) = H(Vy) with fewer rows of V than coordinates.
//!
//! Gradients by differences span the rows of V roughly. A function of Vy does not change along a null direction n of V, over
//! steps of any length, so what it does change over a long step corrects n to rounding: with the slopes D along V,
//! h(y + s(n + Vᵀc)) = h(y) asks for D c = h(y) − h(y + sn) over s. In the end nothing may change along any n.

use fastlsq_basis::sampling::{Sequence, UnitSampler};
use ndarray::{Array1, Array2, ArrayView1, Axis, s};

use super::slice::{SEED, Slice};

/// Points at which gradients are taken, beyond one per coordinate.
const MORE_POINTS: usize = 12;
/// Points from which long steps are taken, beyond one per direction.
const STEP_POINTS: usize = 10;
/// Shares of the largest gradient above which what is left of others is a direction of its own, in the order they are tried.
const SHARES: [f64; 4] = [1e-3, 1e-5, 1e-7, 1e-9];
/// Corrections of the null directions.
const CORRECTIONS: usize = 4;
/// Points of both gradients and long steps stay within this share of the cube.
const INNER: f64 = 0.5;
/// Weights of central differences of sixth order at 1, 2, 3 steps.
const WEIGHTS: [f64; 3] = [45.0 / 60.0, -9.0 / 60.0, 1.0 / 60.0];
/// Change along a null direction, in units of the rounding of the data, that counts as none.
const STILL: f64 = 8.0;
/// Slopes, in units of the rounding of the data, that count as none.
const FLAT: f64 = 1e3;
/// Rows of two faces that are to be one subspace agree to this.
const AGREEMENT: f64 = 1e-9;

/// Orthonormal rows V, in all coordinates, along which the data change with these coordinates; `None` if there are as
/// many as coordinates, or if the data do not tell.
///
/// `degrees`: how fine the data are along each coordinate, so that differences can be just as fine.
pub(super) fn directions(
    slices: &[Slice<'_>],
    axes: &[usize],
    degrees: &[usize],
) -> Option<Array2<f64>> {
    let values: Vec<&Slice<'_>> = slices.iter().filter(|slice| !slice.across).collect();
    // Each slice that shows all the coordinates contributes; where a face hides one, two slices contribute together.
    let mut spans: Vec<Array2<f64>> = Vec::new();
    let mut partial: Vec<(usize, Array2<f64>)> = Vec::new();
    for slice in &values {
        let hidden = slice
            .face
            .map(|(axis, _)| axis)
            .filter(|axis| axes.contains(axis));
        let shown: Vec<usize> = axes
            .iter()
            .copied()
            .filter(|axis| Some(*axis) != hidden)
            .collect();
        let span = span(slice, &shown, degrees)?;
        if span.nrows() == shown.len() {
            return None;
        }
        match hidden {
            None => spans.push(span),
            Some(axis) => partial.push((axis, span)),
        }
    }
    if let Some(completed) = completed(&partial) {
        spans.push(completed);
    } else if spans.is_empty() {
        return None;
    }
    let rows: Vec<Array1<f64>> = spans
        .iter()
        .flat_map(|span| span.rows().into_iter().map(|row| row.to_owned()))
        .collect();
    let joint = orthonormal(rows, AGREEMENT);
    let fewer = joint.nrows() > 0 && joint.nrows() < axes.len();
    fewer.then_some(joint)
}

/// The rows along which one slice changes: refined, and verified.
fn span(slice: &Slice<'_>, axes: &[usize], degrees: &[usize]) -> Option<Array2<f64>> {
    let dim = slice.dim();
    let mut sampler = UnitSampler::new(Sequence::Independent, SEED + 1);
    let count = axes.len() + MORE_POINTS;
    let points = sampler.points(count, dim).mapv(|t| INNER * (2.0 * t - 1.0));
    let gradients = gradients(slice, &points, axes, degrees)?;
    let steepest = gradients.iter().fold(0.0f64, |m, slope| m.max(slope.abs()));
    if steepest <= FLAT * slice.rounding {
        // Nothing changes with these coordinates.
        return Some(Array2::zeros((0, dim)));
    }
    let rows = || {
        gradients
            .rows()
            .into_iter()
            .map(|row| row.to_owned())
            .collect()
    };
    let mut last = 0;
    for share in SHARES {
        let rough = orthonormal(rows(), share);
        if rough.nrows() == axes.len() {
            break;
        }
        if rough.nrows() == last {
            continue;
        }
        last = rough.nrows();
        if let Some(exact) = refined(slice, rough, axes, degrees)? {
            return Some(exact);
        }
    }
    let whole = axes.iter().map(|&axis| unit(dim, axis)).collect();
    Some(orthonormal(whole, 0.5))
}

/// ∂h/∂yₖ for these coordinates (0 for the others), one row per point.
fn gradients(
    slice: &Slice<'_>,
    points: &Array2<f64>,
    axes: &[usize],
    degrees: &[usize],
) -> Option<Array2<f64>> {
    let mut gradients = Array2::zeros(points.dim());
    for &axis in axes {
        let step = 0.3 / (degrees.get(axis).copied().unwrap_or(0).max(6) as f64);
        let mut slope = Array1::<f64>::zeros(points.nrows());
        for (k, weight) in WEIGHTS.iter().enumerate() {
            for sign in [1.0, -1.0] {
                let mut moved = points.clone();
                let by = sign * (k + 1) as f64 * step;
                moved.column_mut(axis).mapv_inplace(|y| y + by);
                let values = Array1::from(slice.values(moved)?);
                slope.scaled_add(sign * weight / step, &values);
            }
        }
        gradients.column_mut(axis).assign(&slope);
    }
    Some(gradients)
}

/// V with its null directions corrected, if nothing changes along them then.
fn refined(
    slice: &Slice<'_>,
    rough: Array2<f64>,
    axes: &[usize],
    degrees: &[usize],
) -> Option<Option<Array2<f64>>> {
    let mut rows = rough;
    let rank = rows.nrows();
    let mut sampler = UnitSampler::new(Sequence::Independent, SEED + 2);
    let count = STEP_POINTS + rank;
    let points = sampler
        .points(count, slice.dim())
        .mapv(|t| INNER * (2.0 * t - 1.0));
    let slopes = gradients(slice, &points, axes, degrees)?;
    let before = slice.values(points.clone())?;
    for _ in 0..CORRECTIONS {
        let across = complement(&rows, axes);
        let along = slopes.dot(&rows.t());
        let mut still = true;
        let mut turned = rows.clone();
        for null in across.rows() {
            let longest = null.iter().fold(0.0f64, |m, v| m.max(v.abs()));
            let step = (1.0 - INNER) / longest;
            let mut moved = points.clone();
            for mut row in moved.rows_mut() {
                row.scaled_add(step, &null);
            }
            let after = slice.values(moved)?;
            let change: Vec<f64> = after.iter().zip(&before).map(|(a, b)| a - b).collect();
            if change.iter().all(|c| c.abs() <= STILL * slice.rounding) {
                continue;
            }
            still = false;
            let wanted: Vec<f64> = change.iter().map(|c| -c / step).collect();
            let Some(turn) = least_squares(&along, &wanted) else {
                return Some(None);
            };
            // Rows stay orthogonal to n + Vᵀc where V loses c nᵀ.
            for (mut row, c) in turned.rows_mut().into_iter().zip(&turn) {
                row.scaled_add(-c, &null);
            }
        }
        if still {
            return Some(Some(rows));
        }
        rows = orthonormal(
            turned
                .rows()
                .into_iter()
                .map(|row| row.to_owned())
                .collect(),
            AGREEMENT,
        );
        if rows.nrows() < rank {
            return Some(None);
        }
    }
    Some(None)
}

/// One subspace from what two faces show of it, each without the coordinate across it.
fn completed(partial: &[(usize, Array2<f64>)]) -> Option<Array2<f64>> {
    let (hidden, first) = partial.first()?;
    let (other, second) = partial.iter().find(|(axis, _)| axis != hidden)?;
    if first.nrows() != second.nrows() {
        return None;
    }
    // On the coordinates that both show, each row of the first is a combination of those of the second.
    let common = |rows: &Array2<f64>| {
        let mut rows = rows.clone();
        rows.column_mut(*hidden).fill(0.0);
        rows.column_mut(*other).fill(0.0);
        rows
    };
    let (wanted, given) = (common(first), common(second));
    let mut whole = first.clone();
    for (k, row) in wanted.rows().into_iter().enumerate() {
        let parts = least_squares(&given.t().to_owned(), &row.to_vec())?;
        let parts = Array1::from(parts);
        let missed = &given.t().dot(&parts) - &row;
        if missed.iter().any(|m| m.abs() > AGREEMENT) {
            return None;
        }
        whole[(k, *hidden)] = second.column(*hidden).dot(&parts);
    }
    let rows: Vec<Array1<f64>> = whole.rows().into_iter().map(|row| row.to_owned()).collect();
    let rank = rows.len();
    let whole = orthonormal(rows, AGREEMENT);
    (whole.nrows() == rank).then_some(whole)
}

/// Orthonormal rows that span these up to a share of the largest, taken in the order of what is left of them.
fn orthonormal(mut rows: Vec<Array1<f64>>, share: f64) -> Array2<f64> {
    let dim = rows.first().map_or(0, Array1::len);
    let length = |row: &Array1<f64>| row.dot(row).sqrt();
    let first = rows.iter().map(length).fold(0.0, f64::max);
    let mut found: Vec<Array1<f64>> = Vec::new();
    while found.len() < dim {
        let longest = rows
            .iter()
            .enumerate()
            .max_by(|a, b| length(a.1).total_cmp(&length(b.1)));
        let Some((index, left)) = longest.map(|(k, row)| (k, length(row))) else {
            break;
        };
        if left.is_nan() || left <= share * first {
            break;
        }
        let mut row = rows.swap_remove(index);
        for _ in 0..2 {
            for other in &found {
                let overlap = row.dot(other);
                row.scaled_add(-overlap, other);
            }
            let length = length(&row);
            row /= length;
        }
        for rest in &mut rows {
            let overlap = rest.dot(&row);
            rest.scaled_add(-overlap, &row);
        }
        found.push(row);
    }
    let mut all = Array2::zeros((found.len(), dim));
    for (mut target, row) in all.rows_mut().into_iter().zip(&found) {
        target.assign(row);
    }
    all
}

/// Orthonormal rows that span what these coordinates have beside V.
fn complement(rows: &Array2<f64>, axes: &[usize]) -> Array2<f64> {
    let dim = rows.ncols();
    let rest = axes.iter().map(|&axis| {
        let mut row = unit(dim, axis);
        for other in rows.rows() {
            let overlap = row.dot(&other);
            row.scaled_add(-overlap, &other);
        }
        row
    });
    let all = orthonormal(rest.collect(), AGREEMENT);
    let missing = axes.len().saturating_sub(rows.nrows()).min(all.nrows());
    all.slice(s![..missing, ..]).to_owned()
}

fn unit(dim: usize, axis: usize) -> Array1<f64> {
    Array1::from_shape_fn(dim, |k| if k == axis { 1.0 } else { 0.0 })
}

/// The x that makes A x closest to b, for a few columns, by Gram–Schmidt; `None` if they are dependent.
fn least_squares(matrix: &Array2<f64>, wanted: &[f64]) -> Option<Vec<f64>> {
    let columns = matrix.ncols();
    let mut basis: Vec<Array1<f64>> = Vec::with_capacity(columns);
    let mut upper = Array2::<f64>::zeros((columns, columns));
    for (j, column) in matrix.axis_iter(Axis(1)).enumerate() {
        let mut rest = column.to_owned();
        let before = rest.dot(&rest).sqrt();
        for _ in 0..2 {
            for (i, q) in basis.iter().enumerate() {
                let overlap = q.dot(&rest);
                upper[(i, j)] += overlap;
                rest.scaled_add(-overlap, q);
            }
        }
        let length = rest.dot(&rest).sqrt();
        if length.is_nan() || length <= 1e-10 * before {
            return None;
        }
        upper[(j, j)] = length;
        basis.push(rest / length);
    }
    let wanted = ArrayView1::from(wanted);
    let mut x: Vec<f64> = basis.iter().map(|q| q.dot(&wanted)).collect();
    for j in (0..columns).rev() {
        for k in j + 1..columns {
            x[j] -= upper[(j, k)] * x[k];
        }
        x[j] /= upper[(j, j)];
    }
    Some(x)
}
