//! Shapes of panes, and where they lie on the data.

use std::sync::Arc;

use faer::Mat;

use super::polynomials::Line;
use crate::grid::column::Prepared;

/// Two axes: a value for each.
pub(super) type Pair = [usize; 2];

/// What all panes of one size have in common.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) samples: Pair,
    pub(super) lines: [Line; 2],
    /// `products[axis][outer][inner]`: a row for each test and polynomial, their product at the nodes.
    products: [Vec<Vec<Mat<f64>>>; 2],
}

impl Shape {
    pub(super) fn new(samples: Pair, lines: [Line; 2]) -> Self {
        let products = [0, 1].map(|axis: usize| products_of(&lines[axis]));
        Self {
            samples,
            lines,
            products,
        }
    }

    /// Number of functions of a field.
    pub(super) fn functions(&self) -> usize {
        self.lines[0].functions() * self.lines[1].functions()
    }

    /// Number of equations of a law.
    pub(super) fn equations(&self) -> usize {
        self.lines[0].equations() * self.lines[1].equations()
    }

    /// D^β of a field at the nodes.
    pub(super) fn derivative(&self, state: &Mat<f64>, beta: Pair) -> Mat<f64> {
        let [x, t] = &self.lines;
        &x.at_nodes[beta[0]] * state * t.at_nodes[beta[1]].transpose()
    }

    /// The moments of D^α of values at the nodes.
    pub(super) fn moments(&self, values: &Mat<f64>, alpha: Pair) -> Mat<f64> {
        let [x, t] = &self.lines;
        &x.tests[alpha[0]] * values * t.tests[alpha[1]].transpose()
    }

    /// Adds the moments of D^α(s D^β φ) for every function φ to a block of a matrix, equations by functions.
    pub(super) fn add_slopes(
        &self,
        slope: &Mat<f64>,
        (alpha, beta): (Pair, Pair),
        factor: f64,
        mut block: faer::MatMut<'_, f64>,
    ) {
        let table = |axis: usize| &self.products[axis][alpha[axis]][beta[axis]];
        let product = table(0) * slope * table(1).transpose();
        let [x, t] = &self.lines;
        let (wide, along) = (x.functions(), t.functions());
        for d in 0..along {
            for b in 0..t.equations() {
                let column = product.col_as_slice(b * along + d);
                for a in 0..x.equations() {
                    for c in 0..wide {
                        block[(a * t.equations() + b, c * along + d)] +=
                            factor * column[a * wide + c];
                    }
                }
            }
        }
    }
}

fn products_of(line: &Line) -> Vec<Vec<Mat<f64>>> {
    let functions = line.functions();
    let each = line.tests.iter().map(|tests| {
        let inner = line.at_nodes.iter().map(|values| {
            Mat::from_fn(tests.nrows() * functions, line.nodes(), |row, q| {
                tests[(row / functions, q)] * values[(q, row % functions)]
            })
        });
        inner.collect()
    });
    each.collect()
}

/// A rectangle of samples with a solution on it.
#[derive(Debug, Clone)]
pub(in crate::grid) struct Pane {
    pub(super) run: usize,
    pub(super) first: Pair,
    pub(super) shape: Arc<Shape>,
    /// Coefficients of the polynomials nearest to the samples, a matrix for each field.
    pub(super) nearest: Arc<Vec<Mat<f64>>>,
    /// Squared distance of those from the samples in units of the noise.
    pub(super) outside: f64,
    /// Coefficients of the solution.
    pub(super) state: Vec<Mat<f64>>,
}

impl Pane {
    /// A pane over samples without gaps, with polynomials near `start` as its solution; `None` where values are missing.
    pub(super) fn new(
        data: &Prepared<'_>,
        run: usize,
        first: Pair,
        shape: &Arc<Shape>,
        start: &[Vec<f64>],
    ) -> Option<Self> {
        let width = data.shape[1];
        let cut = |values: &[f64]| {
            Mat::from_fn(shape.samples[0], shape.samples[1], |i, j| {
                values[(first[0] + i) * width + first[1] + j]
            })
        };
        let [x, t] = &shape.lines;
        let project = |values: &Mat<f64>| x.at_samples.transpose() * values * &t.at_samples;
        let (mut nearest, mut outside) = (Vec::new(), 0.0);
        for (values, noise) in data.run.values.iter().zip(&data.noise) {
            let samples = cut(values);
            let c = project(&samples);
            let left = (samples.squared_norm_l2() - c.squared_norm_l2()) / (noise * noise);
            // Missing values are NaN, which `max` would make 0.
            if !left.is_finite() {
                return None;
            }
            outside += left.max(0.0);
            nearest.push(c);
        }
        // Smoothing carries gaps of the neighbours into a pane that has none.
        let smooth = start.iter().zip(&nearest).map(|(values, own)| {
            let state = project(&cut(values));
            if state.squared_norm_l2().is_finite() {
                state
            } else {
                own.clone()
            }
        });
        let state = smooth.collect();
        Some(Self {
            run,
            first,
            shape: Arc::clone(shape),
            nearest: Arc::new(nearest),
            outside,
            state,
        })
    }

    /// Writes the solution of each field to its place among the samples.
    pub(super) fn write(&self, width: usize, fields: &mut [Vec<f64>]) {
        let [x, t] = &self.shape.lines;
        for (state, field) in self.state.iter().zip(fields) {
            let values = &x.at_samples * state * t.at_samples.transpose();
            for i in 0..self.shape.samples[0] {
                for j in 0..self.shape.samples[1] {
                    field[(self.first[0] + i) * width + self.first[1] + j] = values[(i, j)];
                }
            }
        }
    }
}
