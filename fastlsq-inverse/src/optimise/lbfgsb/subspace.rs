//! Minimisation of the quadratic model over the variables that the Cauchy point leaves free
//! (Byrd, Lu, Nocedal and Zhu 1995, section 5.1, with the projection of Morales and Nocedal 2011).

use super::cauchy::CauchyPoint;
use super::compact::CompactMemory;
use crate::optimise::bounds::Bounds;
use crate::optimise::cholesky::Cholesky;
use crate::optimise::vector::{add_scaled, difference, dot};

/// Rounding has made the memory indefinite: it has to be forgotten.
#[derive(Debug)]
pub(super) struct MemorySpoiled;

/// The point to which the line search aims: the minimiser of the model over the free variables,
/// brought back into the box.
pub(super) fn subspace_minimiser(
    x: &[f64],
    gradient: &[f64],
    bounds: &Bounds,
    memory: &CompactMemory,
    cauchy: CauchyPoint,
) -> Result<Vec<f64>, MemorySpoiled> {
    let free: Vec<bool> = cauchy
        .point
        .iter()
        .zip(bounds.sides())
        .map(|(&z, (l, u))| l < z && z < u)
        .collect();
    if memory.is_empty() || !free.contains(&true) {
        return Ok(cauchy.point);
    }
    let residual = reduced_descent(x, gradient, memory, &cauchy, &free);
    let step = newton_step(&residual, memory, &free)?;
    Ok(return_to_box(x, gradient, bounds, &cauchy.point, &step))
}

/// −∇q at the Cauchy point on the free variables, zero elsewhere:
/// −(g + θ(z − x) − W M c).
fn reduced_descent(
    x: &[f64],
    gradient: &[f64],
    memory: &CompactMemory,
    cauchy: &CauchyPoint,
    free: &[bool],
) -> Vec<f64> {
    let middle = memory.middle_times(&cauchy.projection);
    let (on_changes, on_steps) = middle.split_at(memory.len());
    let theta = memory.theta();
    let mut descent: Vec<f64> = gradient
        .iter()
        .zip(cauchy.point.iter().zip(x))
        .map(|(g, (z, start))| -g - theta * (z - start))
        .collect();
    add_columns(&mut descent, 1.0, memory.changes(), on_changes);
    add_columns(&mut descent, theta, memory.steps(), on_steps);
    zero_fixed(&mut descent, free);
    descent
}

/// (ZᵀBZ)⁻¹ r for Z the columns of the identity of the free variables, by the
/// Sherman–Morrison–Woodbury formula: r/θ + ZᵀW K⁻¹ WᵀZ r / θ², where
/// ```text
/// K = M⁻¹ − WᵀZZᵀW/θ = ⎡ −A  Bᵀ ⎤   A = D + YᵀZZᵀY/θ,   C = θ Sᵀ(I − ZZᵀ)S,
///                      ⎣  B  C  ⎦   B = lower part of Sᵀ(I − ZZᵀ)Y − upper part of SᵀZZᵀY
/// ```
/// (the diagonal counts as upper). The sums over free and fixed variables are formed separately,
/// so nothing cancels.
fn newton_step(
    residual: &[f64],
    memory: &CompactMemory,
    free: &[bool],
) -> Result<Vec<f64>, MemorySpoiled> {
    let pairs = memory.len();
    let theta = memory.theta();
    let (steps, changes) = (memory.steps(), memory.changes());
    let over_free = |a: &[f64], b: &[f64]| masked_dot(a, b, free, true);
    let over_fixed = |a: &[f64], b: &[f64]| masked_dot(a, b, free, false);

    let upper_left = Cholesky::factor(pairs, |i, j| {
        let diagonal = if i == j { memory.curvature(i) } else { 0.0 };
        diagonal + over_free(&changes[i], &changes[j]) / theta
    })
    .ok_or(MemorySpoiled)?;

    // Row i: A^{-1/2} Bᵀ eᵢ.
    let half: Vec<Vec<f64>> = steps
        .iter()
        .enumerate()
        .map(|(i, s)| {
            let mut row: Vec<f64> = changes
                .iter()
                .enumerate()
                .map(|(j, y)| {
                    if i > j {
                        over_fixed(s, y)
                    } else {
                        -over_free(s, y)
                    }
                })
                .collect();
            upper_left.solve_lower(&mut row);
            row
        })
        .collect();
    let schur = Cholesky::factor(pairs, |i, j| {
        theta * over_fixed(&steps[i], &steps[j]) + dot(&half[i], &half[j])
    })
    .ok_or(MemorySpoiled)?;

    // K v = WᵀZ r by block elimination.
    let projected = memory.w_transpose_times(residual);
    let (b1, b2) = projected.split_at(pairs);
    let mut h = b1.to_vec();
    upper_left.solve_lower(&mut h);
    let mut v2: Vec<f64> = b2
        .iter()
        .zip(&half)
        .map(|(b, row)| b + dot(row, &h))
        .collect();
    schur.solve_lower(&mut v2);
    schur.solve_upper(&mut v2);
    let mut v1: Vec<f64> = h.iter().map(|entry| -entry).collect();
    for (row, weight) in half.iter().zip(&v2) {
        for (target, entry) in v1.iter_mut().zip(row) {
            *target += weight * entry;
        }
    }
    upper_left.solve_upper(&mut v1);

    let mut step: Vec<f64> = residual.iter().map(|r| r / theta).collect();
    add_columns(&mut step, 1.0 / (theta * theta), changes, &v1);
    add_columns(&mut step, 1.0 / theta, steps, &v2);
    zero_fixed(&mut step, free);
    Ok(step)
}

/// P(z + d) if it is a descent direction from x; otherwise z + αd with the largest α ≤ 1 that
/// stays in the box.
fn return_to_box(
    x: &[f64],
    gradient: &[f64],
    bounds: &Bounds,
    cauchy: &[f64],
    step: &[f64],
) -> Vec<f64> {
    let full: Vec<f64> = cauchy.iter().zip(step).map(|(z, d)| z + d).collect();
    let mut projected = full.clone();
    bounds.clamp(&mut projected);
    if projected == full || dot(&difference(&projected, x), gradient) <= 0.0 {
        return projected;
    }
    let (fraction, blocking) = largest_feasible_fraction(cauchy, step, bounds);
    let mut point: Vec<f64> = cauchy
        .iter()
        .zip(step)
        .map(|(z, d)| z + fraction * d)
        .collect();
    bounds.clamp(&mut point);
    if let Some((index, side)) = blocking {
        point[index] = side;
    }
    point
}

/// The largest α ≤ 1 for which z + αd lies in the box, with the variable and side that block it.
fn largest_feasible_fraction(
    point: &[f64],
    step: &[f64],
    bounds: &Bounds,
) -> (f64, Option<(usize, f64)>) {
    let mut fraction = 1.0;
    let mut blocking = None;
    for (index, ((&z, &d), (lower, upper))) in
        point.iter().zip(step).zip(bounds.sides()).enumerate()
    {
        if d == 0.0 {
            continue;
        }
        let side = if d < 0.0 { lower } else { upper };
        let reach = (side - z) / d;
        if reach < fraction {
            fraction = reach.max(0.0);
            blocking = Some((index, side));
        }
    }
    (fraction, blocking)
}

/// target ← target + α Σ wⱼ columnⱼ.
fn add_columns(target: &mut [f64], alpha: f64, columns: &[Vec<f64>], weights: &[f64]) {
    for (column, weight) in columns.iter().zip(weights) {
        add_scaled(target, alpha * weight, column);
    }
}

fn zero_fixed(values: &mut [f64], free: &[bool]) {
    for (value, free) in values.iter_mut().zip(free) {
        if !free {
            *value = 0.0;
        }
    }
}

fn masked_dot(a: &[f64], b: &[f64], mask: &[bool], wanted: bool) -> f64 {
    a.iter()
        .zip(b)
        .zip(mask)
        .filter(|&(_, &m)| m == wanted)
        .map(|((x, y), _)| x * y)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(n: usize) -> CompactMemory {
        let mut memory = CompactMemory::new(3);
        for k in 1..=3 {
            let step: Vec<f64> = (0..n)
                .map(|i| (f64::from(k) * (1.0 + i as f64)).sin())
                .collect();
            let change: Vec<f64> = step
                .iter()
                .enumerate()
                .map(|(i, s)| s * (0.5 + i as f64))
                .collect();
            memory.update(step, change);
        }
        memory
    }

    /// B v by the compact form.
    fn product(memory: &CompactMemory, v: &[f64]) -> Vec<f64> {
        let middle = memory.middle_times(&memory.w_transpose_times(v));
        (0..v.len())
            .map(|i| memory.theta() * v[i] - dot(&memory.w_row(i), &middle))
            .collect()
    }

    #[test]
    fn the_step_solves_the_reduced_system() {
        let n = 7;
        let memory = memory(n);
        for free in [
            [true; 7],
            [true, false, true, true, false, false, true],
            [false, false, false, true, false, false, false],
        ] {
            let mut residual: Vec<f64> = (0..n).map(|i| (2.0 + i as f64).cos()).collect();
            zero_fixed(&mut residual, &free);
            let step = newton_step(&residual, &memory, &free).unwrap();
            let image = product(&memory, &step);
            for i in 0..n {
                if free[i] {
                    assert!(
                        (image[i] - residual[i]).abs() < 1e-12,
                        "{image:?} {residual:?}"
                    );
                } else {
                    assert_eq!(step[i], 0.0);
                }
            }
        }
    }

    #[test]
    fn without_active_sides_the_minimiser_is_the_newton_point() {
        let n = 5;
        let memory = memory(n);
        let bounds = Bounds::uniform(n, -1e3, 1e3).unwrap();
        let x = vec![0.5; n];
        let gradient: Vec<f64> = (0..n).map(|i| (i as f64).sin() - 0.3).collect();
        let cauchy = super::super::cauchy::cauchy_point(&x, &gradient, &bounds, &memory);
        let target = subspace_minimiser(&x, &gradient, &bounds, &memory, cauchy).unwrap();
        let image = product(&memory, &difference(&target, &x));
        for (b, g) in image.iter().zip(&gradient) {
            assert!((b + g).abs() < 1e-12, "B s = −g");
        }
    }

    #[test]
    fn a_projection_that_would_ascend_is_replaced_by_a_shorter_step() {
        let bounds = Bounds::uniform(2, 0.0, 1.0).unwrap();
        let (x, cauchy) = ([0.5, 0.5], [0.5, 0.5]);
        // Within the box the step is taken whole.
        let point = return_to_box(&x, &[-1.0, 0.0], &bounds, &cauchy, &[0.25, 0.25]);
        assert_eq!(point, [0.75, 0.75]);
        // P(x + d) = (1, 1) still descends along (−1, ½).
        let point = return_to_box(&x, &[-1.0, 0.5], &bounds, &cauchy, &[5.0, 1.0]);
        assert_eq!(point, [1.0, 1.0]);
        // P(x + d) = (1, 1) would ascend along (−1, 2): the step ends where it meets the side.
        let point = return_to_box(&x, &[-1.0, 2.0], &bounds, &cauchy, &[5.0, 1.0]);
        assert_eq!(point, [1.0, 0.6]);
    }
}
