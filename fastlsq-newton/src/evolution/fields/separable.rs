//! Linear evolutions on boxes whose coefficients vary neither in space nor in time: axis by axis.
//!
//! If every term differentiates along one axis only, and along each axis that is not periodic all terms are multiples of one operator,
//! the eigenvectors of the small matrices along the axes decompose the whole matrix: for each combination of
//! eigenvalues there remains a matrix over the states. Along periodic axes the eigenvectors are complex waves, on which every
//! derivative acts by a number. No matrix over all coefficients is ever formed.
//!
//! The same, with means of reactions that vary in space, serves implicit steps of semilinear equations: what is not
//! stiff is left to Newton's iteration.

use std::sync::Arc;

use faer::{Mat, c64};
use fastlsq_solve::dense::{Lu, eigen, symmetric_eigen};
use fastlsq_solve::space::product::{ProductSpace, along_axes};

use super::space::FieldSpace;
use super::system::System;
use crate::evolution::ode::{Linearised, Shifted, flow, phi};

/// Coefficients that differ by less, relative to the largest, are the same.
const SAME: f64 = 1e-13;
/// A matrix this close to symmetric, relative to its largest entry, is symmetric but for rounding.
const SYMMETRIC: f64 = 1e-11;
/// Condition of eigenvectors up to which they are used.
const CONDITION: f64 = 100.0;

/// The eigenvectors along each axis, and what is left for each combination of them.
#[derive(Debug)]
pub(crate) struct Separable {
    sizes: Vec<usize>,
    states: usize,
    vectors: Vec<Mat<c64>>,
    inverses: Vec<Mat<c64>>,
    /// For each combination: the matrix over the states, row by row.
    matrices: Vec<c64>,
    /// For each state: the constant part of the rate in these coordinates.
    constant: Vec<Vec<c64>>,
}

/// The terms of a separable operator.
struct Terms {
    states: usize,
    /// Without derivatives: row by row over the states.
    plain: Vec<f64>,
    /// For each axis, for each pair of states row by row: coefficients by the order of the derivative.
    along: Vec<Vec<Vec<f64>>>,
}

impl Terms {
    /// The terms of the equation linearised at y, if they are constant and each along one axis; those without derivatives may vary if
    /// their means are good enough.
    fn new(
        system: &System<'_>,
        space: &ProductSpace,
        slopes: &[(usize, usize, Vec<f64>)],
        means: bool,
    ) -> Option<Self> {
        let form = &system.problem.form;
        let states = form.states.len();
        if (1..states).any(|state| !space.alike(0, state)) {
            return None;
        }
        let mut terms = Self {
            states,
            plain: vec![0.0; states * states],
            along: vec![vec![vec![0.0; form.order + 1]; states * states]; form.dim],
        };
        let volume: f64 = space.weights().iter().sum();
        for (of, sample, values) in slopes {
            let (by, alpha) = &form.samples[*sample];
            let pair = of * states + by;
            let axes: Vec<usize> = (0..form.dim).filter(|k| alpha[*k] > 0).collect();
            let mut first = *values.first()?;
            let largest = values.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
            if values.iter().any(|v| (v - first).abs() > SAME * largest) {
                if !means || !axes.is_empty() {
                    return None;
                }
                let pairs = values.iter().zip(space.weights());
                first = pairs.map(|(v, w)| v * w).sum::<f64>() / volume;
            }
            match axes[..] {
                [] => terms.plain[pair] += first,
                [axis] => terms.along[axis][pair][alpha[axis] as usize] += first,
                _ => return None,
            }
        }
        Some(terms)
    }

    /// Along one axis: an operator and, for each pair of states, the multiple of it that occurs.
    fn multiples(&self, axis: usize) -> Option<(Vec<f64>, Vec<f64>)> {
        let pairs = &self.along[axis];
        let Some(reference) = pairs.iter().find(|own| own.iter().any(|c| *c != 0.0)) else {
            return Some((vec![0.0], vec![0.0; pairs.len()]));
        };
        let square: f64 = reference.iter().map(|c| c * c).sum();
        let mut factors = Vec::with_capacity(pairs.len());
        for own in pairs {
            let factor = own.iter().zip(reference).map(|(a, b)| a * b).sum::<f64>() / square;
            let mut entries = own.iter().zip(reference);
            if !entries.all(|(a, b)| (a - factor * b).abs() <= SAME * a.abs().max(b.abs())) {
                return None;
            }
            factors.push(factor);
        }
        Some((reference.clone(), factors))
    }
}

impl Separable {
    /// A linear equation with this constant part of the rate, taken apart.
    pub(crate) fn new(system: &System<'_>, constant: &[f64]) -> Option<Self> {
        let zero = vec![0.0; constant.len()];
        let slopes = system.slopes(system.problem.form.times.0, &zero)?;
        let mut this = Self::linearised(system, &slopes, false)?;
        this.constant = this.transformed(constant);
        Some(this)
    }

    /// The equation linearised with these slopes at the nodes, taken apart: exactly, or with the means of what is not
    /// differentiated.
    pub(crate) fn linearised(
        system: &System<'_>,
        slopes: &[(usize, usize, Vec<f64>)],
        means: bool,
    ) -> Option<Self> {
        let FieldSpace::Product(space) = &*system.space else {
            return None;
        };
        let terms = Terms::new(system, space, slopes, means)?;
        let (states, sizes) = (terms.states, space.sizes(0).to_vec());
        let (mut vectors, mut inverses) = (Vec::new(), Vec::new());
        // For each axis, for each eigenvector: the matrix over the states.
        let mut shares: Vec<Vec<Vec<c64>>> = Vec::new();
        for (k, axis) in space.axes().iter().enumerate() {
            if axis.is_periodic() {
                let (lo, hi) = axis.ends();
                let (waves, own) = periodic(axis.count(), 2.0 * std::f64::consts::PI / (hi - lo));
                inverses.push(own.adjoint().to_owned());
                vectors.push(own);
                let share = |wave: &c64| {
                    let pairs = terms.along[k].iter();
                    let sum = |coefficients: &Vec<f64>| {
                        let reversed = coefficients.iter().rev();
                        reversed.fold(c64::new(0.0, 0.0), |sum, c| sum * *wave + *c)
                    };
                    pairs.map(sum).collect()
                };
                shares.push(waves.iter().map(share).collect());
            } else {
                let (operator, factors) = terms.multiples(k)?;
                let (values, own, inverse) = diagonalised(&space.along(0, k, &operator)?)?;
                vectors.push(own);
                inverses.push(inverse);
                let share = |value: &c64| factors.iter().map(|f| *value * *f).collect();
                shares.push(values.iter().map(share).collect());
            }
        }
        let modes: usize = sizes.iter().product();
        let block = states * states;
        let mut matrices = Vec::with_capacity(modes * block);
        for mode in 0..modes {
            let mut matrix: Vec<c64> = terms.plain.iter().map(|c| c64::new(*c, 0.0)).collect();
            let mut rest = mode;
            for (share, size) in shares.iter().zip(&sizes) {
                for (entry, own) in matrix.iter_mut().zip(&share[rest % size]) {
                    *entry += *own;
                }
                rest /= size;
            }
            matrices.extend(matrix);
        }
        Some(Self {
            sizes,
            states,
            vectors,
            inverses,
            matrices,
            constant: Vec::new(),
        })
    }

    /// (λ − hM)⁻¹ for every combination of eigenvectors, row by row.
    fn resolvents(&self, lambda: c64, h: f64) -> Vec<c64> {
        let (n, block) = (self.states, self.states * self.states);
        let mut all = Vec::with_capacity(self.matrices.len());
        for matrix in self.matrices.chunks_exact(block) {
            let mut shifted = Mat::from_fn(n, n, |i, j| -h * matrix[i * n + j]);
            let mut inverse = Mat::<c64>::identity(n, n);
            for i in 0..n {
                shifted[(i, i)] += lambda;
            }
            if n == 1 {
                inverse[(0, 0)] = shifted[(0, 0)].inv();
            } else {
                Lu::new(shifted).solve_in_place(inverse.as_mut());
            }
            all.extend(
                (0..n)
                    .flat_map(|i| (0..n).map(move |j| (i, j)))
                    .map(|(i, j)| inverse[(i, j)]),
            );
        }
        all
    }

    /// Real coefficients of each state in the coordinates of the eigenvectors.
    fn transformed(&self, y: &[f64]) -> Vec<Vec<c64>> {
        let modes: usize = self.sizes.iter().product();
        let matrices: Vec<_> = self.inverses.iter().map(|m| Some(m.as_ref())).collect();
        y.chunks(modes.max(1))
            .map(|own| {
                let own: Vec<c64> = own.iter().map(|v| c64::new(*v, 0.0)).collect();
                along_axes(&matrices, &own, &self.sizes)
            })
            .collect()
    }

    /// The derivative of order k of the solution a time t after y.
    pub(crate) fn apply(&self, t: f64, y: &[f64], k: usize) -> Vec<f64> {
        let mut w = self.transformed(y);
        let (states, block) = (self.states, self.states * self.states);
        let mut own = vec![c64::new(0.0, 0.0); states];
        let mut source = own.clone();
        for (mode, matrix) in self.matrices.chunks_exact(block).enumerate() {
            for state in 0..states {
                own[state] = w[state][mode];
                source[state] = self.constant[state][mode];
            }
            if let [m] = matrix {
                own[0] = (*m * t).exp() * own[0] + t * phi(*m * t) * source[0];
            } else {
                flow(matrix, t, &mut own, &source);
            }
            for order in 0..k {
                let rate = |row: &[c64], extra: c64| {
                    let products = row.iter().zip(&own).map(|(m, w)| *m * *w);
                    products.fold(extra, |sum, p| sum + p)
                };
                let rows = matrix.chunks_exact(states).zip(&source);
                let none = c64::new(0.0, 0.0);
                let next: Vec<c64> = rows
                    .map(|(row, b)| rate(row, if order == 0 { *b } else { none }))
                    .collect();
                own = next;
            }
            for state in 0..states {
                w[state][mode] = own[state];
            }
        }
        let matrices: Vec<_> = self.vectors.iter().map(|m| Some(m.as_ref())).collect();
        w.iter()
            .flat_map(|own| along_axes(&matrices, own, &self.sizes))
            .map(|v| v.re)
            .collect()
    }
}

/// The linearised equation as implicit steps use it.
#[derive(Debug)]
pub(crate) struct SeparableJacobian(pub(crate) Arc<Separable>);

impl Linearised for SeparableJacobian {
    fn shifted(&self, lambda: c64, h: f64) -> Box<dyn Shifted> {
        Box::new(SeparableShifted {
            parts: Arc::clone(&self.0),
            resolvents: self.0.resolvents(lambda, h),
        })
    }
}

#[derive(Debug)]
struct SeparableShifted {
    parts: Arc<Separable>,
    resolvents: Vec<c64>,
}

impl Shifted for SeparableShifted {
    fn solve(&self, re: &mut [f64], im: &mut [f64]) {
        let parts = &*self.parts;
        let modes: usize = parts.sizes.iter().product();
        let n = parts.states;
        let real = im.iter().all(|v| *v == 0.0);
        let matrices: Vec<_> = parts.inverses.iter().map(|m| Some(m.as_ref())).collect();
        let mut w: Vec<Vec<c64>> = (0..n)
            .map(|state| {
                let own = state * modes..(state + 1) * modes;
                let pairs = re[own.clone()].iter().zip(&im[own]);
                let own: Vec<c64> = pairs.map(|(re, im)| c64::new(*re, *im)).collect();
                along_axes(&matrices, &own, &parts.sizes)
            })
            .collect();
        let mut own = vec![c64::new(0.0, 0.0); n];
        for (mode, inverse) in self.resolvents.chunks_exact(n * n).enumerate() {
            for (state, own) in own.iter_mut().enumerate() {
                *own = w[state][mode];
            }
            for (state, row) in inverse.chunks_exact(n).enumerate() {
                let products = row.iter().zip(&own).map(|(m, w)| *m * *w);
                w[state][mode] = products.fold(c64::new(0.0, 0.0), |sum, p| sum + p);
            }
        }
        let matrices: Vec<_> = parts.vectors.iter().map(|m| Some(m.as_ref())).collect();
        for (state, own) in w.iter().enumerate() {
            let back = along_axes(&matrices, own, &parts.sizes);
            for (k, value) in back.into_iter().enumerate() {
                re[state * modes + k] = value.re;
                if !real {
                    im[state * modes + k] = value.im;
                }
            }
        }
    }
}

/// Complex waves over 1, cos κx, sin κx, …: on e^{iκx} a derivative is multiplication by iκ. Their numbers, and the unitary
/// matrix with the waves as columns.
fn periodic(count: usize, first: f64) -> (Vec<c64>, Mat<c64>) {
    let mut waves = vec![c64::new(0.0, 0.0)];
    let mut vectors = Mat::zeros(count, count);
    vectors[(0, 0)] = c64::new(1.0, 0.0);
    let half = std::f64::consts::FRAC_1_SQRT_2;
    for k in 1..=count / 2 {
        let wave = c64::new(0.0, first * k as f64);
        for (column, sign) in [(2 * k - 1, 1.0), (2 * k, -1.0)] {
            waves.push(sign * wave);
            vectors[(2 * k - 1, column)] = c64::new(half, 0.0);
            vectors[(2 * k, column)] = c64::new(0.0, sign * half);
        }
    }
    (waves, vectors)
}

/// Eigenvalues, eigenvectors and their inverse, if they are well conditioned.
fn diagonalised(matrix: &Mat<f64>) -> Option<(Vec<c64>, Mat<c64>, Mat<c64>)> {
    let n = matrix.nrows();
    let complex = |m: &Mat<f64>| Mat::from_fn(n, n, |i, j| c64::new(m[(i, j)], 0.0));
    if (matrix - matrix.transpose()).norm_max() <= SYMMETRIC * matrix.norm_max() {
        let mean = Mat::from_fn(n, n, |i, j| 0.5 * (matrix[(i, j)] + matrix[(j, i)]));
        let (values, vectors) = symmetric_eigen(mean.as_ref())?;
        let vectors = complex(&vectors);
        let inverse = vectors.transpose().to_owned();
        let values = values.iter().map(|v| c64::new(*v, 0.0)).collect();
        return Some((values, vectors, inverse));
    }
    let (values, vectors) = eigen(matrix.as_ref())?;
    let mut inverse = Mat::<c64>::identity(n, n);
    Lu::new(vectors.clone()).solve_in_place(inverse.as_mut());
    let condition = inverse.norm_l2() / (n.max(1) as f64).sqrt();
    (condition <= CONDITION).then_some((values, vectors, inverse))
}
