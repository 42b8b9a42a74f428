//! How noise is carried from the data into the rows of a block, and what it adds to their moments.

use faer::Mat;

use super::column::{Column, Prepared, Weight};
use super::windows::Windows;
use crate::evidence::steady;

/// Noise parts of several equations over one block, and the kernels that they need.
pub(crate) struct Stack<'p> {
    pub(crate) place: Place<'p>,
    equations: usize,
    /// Outer derivative and equation of each kernel.
    kernels: Vec<(Vec<u32>, usize)>,
    pub(crate) parts: Vec<Gathered>,
}

impl<'p> Stack<'p> {
    /// Nothing yet, over windows with these middles.
    pub(crate) fn new(
        data: &'p Prepared<'p>,
        windows: &'p Windows,
        middles: Vec<&'p [usize]>,
        equations: usize,
    ) -> Self {
        Self {
            place: Place::new(data, windows, middles),
            equations,
            kernels: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// Adds a multiple of what noise does to a term in one of the equations.
    pub(crate) fn add(&mut self, term: &Column, column: usize, equation: usize, factor: f64) {
        for part in &term.noise {
            let key = (part.outer.clone(), equation);
            let kernel = self.kernels.iter().position(|k| *k == key);
            let kernel = kernel.unwrap_or_else(|| {
                self.kernels.push(key);
                self.kernels.len() - 1
            });
            let mut weight = self.place.gather(&part.weight);
            for w in &mut weight {
                *w *= factor;
            }
            self.parts.push(Gathered {
                column,
                kernel,
                field: part.field,
                weight,
            });
        }
    }

    /// Each kernel in the rows of its equation.
    pub(crate) fn matrices(&self) -> Vec<Mat<f64>> {
        self.kernels
            .iter()
            .map(|(outer, equation)| self.place.kernels(outer, *equation, self.equations))
            .collect()
    }
}

/// A noise part with its weights at the points of a block.
pub(crate) struct Gathered {
    column: usize,
    kernel: usize,
    field: usize,
    weight: Vec<f64>,
}

/// The covariance of the rows of a law: Σ_f σ_f² L_f L_fᵀ with L_f = Σ c Kₐ diag(w).
pub(crate) fn covariance(
    parts: &[Gathered],
    kernels: &[Mat<f64>],
    coefficients: &[f64],
    variances: &[f64],
) -> Mat<f64> {
    let (rows, points) = kernels.first().map_or((0, 0), |k| (k.nrows(), k.ncols()));
    let mut total = Mat::<f64>::zeros(rows, rows);
    for (field, variance) in variances.iter().enumerate() {
        let mut carried = Mat::<f64>::zeros(rows, points);
        let mut any = false;
        for part in parts.iter().filter(|p| p.field == field) {
            let c = coefficients[part.column];
            if c == 0.0 {
                continue;
            }
            any = true;
            for (i, w) in part.weight.iter().enumerate() {
                let from = kernels[part.kernel].col_as_slice(i);
                for (to, k) in carried.col_as_slice_mut(i).iter_mut().zip(from) {
                    *to += c * w * k;
                }
            }
        }
        if any {
            total += faer::Scale(*variance) * (&carried * carried.transpose());
        }
    }
    steady(&mut total);
    total
}

/// Σ_f σ_f² tr(L_jᵀ W L_l) for every pair of columns over some rows; the kernels are already whitened.
pub(crate) fn noise_moments(
    parts: &[Gathered],
    kernels: &[Mat<f64>],
    variances: &[f64],
    size: usize,
    rows: std::ops::Range<usize>,
) -> Vec<f64> {
    let points = kernels.first().map_or(0, Mat::ncols);
    let mut noise = vec![0.0; size * size];
    for first in 0..kernels.len() {
        for second in 0..=first {
            let product: Vec<f64> = (0..points)
                .map(|i| {
                    let a = &kernels[first].col_as_slice(i)[rows.clone()];
                    let b = &kernels[second].col_as_slice(i)[rows.clone()];
                    a.iter().zip(b).map(|(a, b)| a * b).sum()
                })
                .collect();
            for a in parts.iter().filter(|p| p.kernel == first) {
                for b in parts
                    .iter()
                    .filter(|p| p.kernel == second && p.field == a.field)
                {
                    let sum: f64 = (0..points)
                        .map(|i| product[i] * a.weight[i] * b.weight[i])
                        .sum();
                    let value = variances[a.field] * sum;
                    noise[a.column * size + b.column] += value;
                    if first != second {
                        noise[b.column * size + a.column] += value;
                    }
                }
            }
        }
    }
    noise
}

/// The points of a block at which sums over noise are taken.
pub(crate) struct Place<'p> {
    data: &'p Prepared<'p>,
    windows: &'p Windows,
    middles: Vec<&'p [usize]>,
    /// Points along each axis.
    lines: Vec<Vec<usize>>,
    /// Points of the grid that each of them stands for.
    pub(crate) cell: f64,
}

impl<'p> Place<'p> {
    fn new(data: &'p Prepared<'p>, windows: &'p Windows, middles: Vec<&'p [usize]>) -> Self {
        let mut cell = 1.0;
        let lines = (0..data.shape.len())
            .map(|axis| {
                let along = middles.iter().map(|centre| centre[axis]);
                let (low, high) = along.fold((usize::MAX, 0), |(a, b), c| (a.min(c), b.max(c)));
                let coarse = windows.coarse(axis);
                cell *= coarse as f64;
                let half = windows.half[axis];
                (low.saturating_sub(half)..=(high + half).min(data.shape[axis] - 1))
                    .step_by(coarse)
                    .collect()
            })
            .collect();
        Self {
            data,
            windows,
            middles,
            lines,
            cell,
        }
    }

    /// Kₐ of every window (rows) at the points (columns), in the rows of one of several equations.
    fn kernels(&self, outer: &[u32], equation: usize, equations: usize) -> Mat<f64> {
        let dim = self.lines.len();
        let tables: Vec<Vec<f64>> = (0..dim)
            .map(|axis| {
                self.windows
                    .kernel(axis, outer[axis], self.data.run.axes[axis].step)
            })
            .collect();
        let value = |axis: usize, centre: usize, point: usize| -> f64 {
            let offset = (point + self.windows.half[axis]).checked_sub(centre);
            offset
                .and_then(|k| tables[axis].get(k).copied())
                .unwrap_or(0.0)
        };
        // One factor for each axis, window and line; then their products.
        let factors: Vec<Vec<Vec<f64>>> = (0..dim)
            .map(|axis| {
                let along = |&point: &usize| {
                    let each = self.middles.iter();
                    each.map(|centre| value(axis, centre[axis], point))
                        .collect()
                };
                self.lines[axis].iter().map(along).collect()
            })
            .collect();
        let counts: Vec<usize> = self.lines.iter().map(Vec::len).collect();
        let points: usize = counts.iter().product();
        let count = self.middles.len();
        let mut kernels = Mat::<f64>::zeros(equations * count, points);
        for point in 0..points {
            let out = &mut kernels.col_as_slice_mut(point)[equation * count..][..count];
            out.fill(1.0);
            let mut rest = point;
            for axis in (0..dim).rev() {
                let factor = &factors[axis][rest % counts[axis]];
                rest /= counts[axis];
                for (o, f) in out.iter_mut().zip(factor) {
                    *o *= f;
                }
            }
        }
        kernels
    }

    fn gather(&self, weight: &Weight) -> Vec<f64> {
        let counts: Vec<usize> = self.lines.iter().map(Vec::len).collect();
        let points: usize = counts.iter().product();
        match weight {
            Weight::Constant(c) => vec![*c; points],
            Weight::Grid(values) => (0..points)
                .map(|point| {
                    let (mut rest, mut place, mut inner) = (point, 0, 1);
                    for axis in (0..counts.len()).rev() {
                        place += self.lines[axis][rest % counts[axis]] * inner;
                        rest /= counts[axis];
                        inner *= self.data.shape[axis];
                    }
                    values[place]
                })
                .collect(),
        }
    }
}
