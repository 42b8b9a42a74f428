//! The rates of the states, from equations that give them implicitly.

use fastlsq_solve::{Residual, ResidualValues, Sites};
use ndarray::{Array2, ArrayView2, ShapeBuilder};

use super::Form;
use crate::NewtonError;

/// Where a column of an equation's table comes from.
#[derive(Debug, Clone, Copy)]
pub(super) enum Column {
    /// A number in the list of samples.
    Sample(usize),
    /// The highest derivative in time of an unknown.
    Rate(usize),
}

#[derive(Debug, Clone)]
pub(super) struct Equation {
    pub(super) residual: Residual,
    /// The same with slopes with respect to the highest derivatives in time only, which is all that the rates themselves need.
    pub(super) for_rates: Residual,
    pub(super) columns: Vec<Column>,
}

/// Rates of the states, and their slopes with respect to the samples.
#[derive(Debug)]
pub(crate) struct Rates {
    /// For each state, at each point.
    pub(crate) values: Vec<Vec<f64>>,
    /// (state, sample, ∂rate/∂sample at each point), where it was asked for.
    pub(crate) slopes: Vec<(usize, usize, Vec<f64>)>,
}

impl Form {
    /// The rates of all states at the points, given their samples there.
    pub(crate) fn rates(
        &self,
        t: f64,
        x: ArrayView2<'_, f64>,
        samples: &[Vec<f64>],
        with_slopes: bool,
    ) -> Result<Rates, NewtonError> {
        let (count, unknowns) = (x.nrows(), self.unknowns());
        let points = self.points(t, x);
        let sites = Sites::new(points.view());
        let mut tops = vec![vec![0.0; count]; unknowns];
        let evaluate = |tops: &[Vec<f64>], of: fn(&Equation) -> &Residual| {
            let all = self.equations.iter().map(|equation| {
                let table = equation.table(count, samples, tops);
                Ok(of(equation).evaluate(table.view(), &sites, &[])?)
            });
            all.collect::<Result<Vec<_>, NewtonError>>()
        };
        let mut found = evaluate(&tops, |equation| &equation.for_rates)?;
        let rows = |found: &[ResidualValues], i: usize, matrix: &mut [f64]| {
            matrix.fill(0.0);
            for (k, (equation, found)) in self.equations.iter().zip(found).enumerate() {
                for (column, source) in equation.columns.iter().enumerate() {
                    if let Column::Rate(unknown) = source {
                        matrix[k * unknowns + unknown] += found.slopes[(i, column)];
                    }
                }
            }
        };
        let mut matrix = vec![0.0; unknowns * unknowns];
        let mut right = vec![0.0; unknowns];
        for i in 0..count {
            rows(&found, i, &mut matrix);
            for (right, found) in right.iter_mut().zip(&found) {
                *right = -found.values[i];
            }
            eliminate(&mut matrix, &mut right);
            for (top, value) in tops.iter_mut().zip(&right) {
                top[i] = *value;
            }
        }
        let mut slopes = Vec::new();
        if with_slopes {
            // ∂rate/∂sample = −A⁻¹ ∂R/∂sample, at the rates that were found.
            found = evaluate(&tops, |equation| &equation.residual)?;
            for (k, _) in self.samples.iter().enumerate() {
                let mut own = vec![vec![0.0; count]; unknowns];
                let mut any = false;
                for i in 0..count {
                    right.fill(0.0);
                    for (right, (equation, found)) in
                        right.iter_mut().zip(self.equations.iter().zip(&found))
                    {
                        for (column, source) in equation.columns.iter().enumerate() {
                            if matches!(source, Column::Sample(s) if *s == k) {
                                *right -= found.slopes[(i, column)];
                            }
                        }
                    }
                    if right.iter().all(|v| *v == 0.0) {
                        continue;
                    }
                    any = true;
                    rows(&found, i, &mut matrix);
                    eliminate(&mut matrix, &mut right);
                    for (own, value) in own.iter_mut().zip(&right) {
                        own[i] = *value;
                    }
                }
                if any {
                    for (unknown, own) in own.into_iter().enumerate() {
                        if let Some(state) = self.last_state(unknown)
                            && own.iter().any(|v| *v != 0.0)
                        {
                            slopes.push((state, k, own));
                        }
                    }
                }
            }
        }
        let mut values = Vec::with_capacity(self.states.len());
        for (state, (unknown, _)) in self.states.iter().enumerate() {
            if self.last_state(*unknown) == Some(state) {
                values.push(std::mem::take(&mut tops[*unknown]));
                continue;
            }
            let velocity = self
                .samples
                .iter()
                .position(|(own, x)| *own == state + 1 && x.iter().all(|o| *o == 0));
            values.push(velocity.map_or_else(|| vec![0.0; count], |k| samples[k].clone()));
            if let (true, Some(k)) = (with_slopes, velocity) {
                slopes.push((state, k, vec![1.0; count]));
            }
        }
        Ok(Rates { values, slopes })
    }
}

impl Equation {
    pub(super) fn table(
        &self,
        count: usize,
        samples: &[Vec<f64>],
        rates: &[Vec<f64>],
    ) -> Array2<f64> {
        let mut table = Array2::zeros((count, self.columns.len()).f());
        for (mut target, source) in table.columns_mut().into_iter().zip(&self.columns) {
            let values = match source {
                Column::Sample(k) => &samples[*k],
                Column::Rate(unknown) => &rates[*unknown],
            };
            for (target, value) in target.iter_mut().zip(values) {
                *target = *value;
            }
        }
        table
    }
}

/// Solves a small system in place, row by row; a singular one gives numbers that are not finite.
pub(super) fn eliminate(matrix: &mut [f64], right: &mut [f64]) {
    let n = right.len();
    if n == 1 {
        right[0] /= matrix[0];
        return;
    }
    for k in 0..n {
        let pivot = (k..n)
            .max_by(|a, b| matrix[a * n + k].abs().total_cmp(&matrix[b * n + k].abs()))
            .unwrap_or(k);
        if pivot != k {
            for j in 0..n {
                matrix.swap(k * n + j, pivot * n + j);
            }
            right.swap(k, pivot);
        }
        for r in k + 1..n {
            let factor = matrix[r * n + k] / matrix[k * n + k];
            if factor != 0.0 {
                for j in k..n {
                    matrix[r * n + j] -= factor * matrix[k * n + j];
                }
                right[r] -= factor * right[k];
            }
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| matrix[k * n + j] * right[j]).sum();
        right[k] = (right[k] - known) / matrix[k * n + k];
    }
}
