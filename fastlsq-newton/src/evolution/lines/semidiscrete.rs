//! Columns, projections and lifts on one set of spaces: the equation for the coefficients.

use super::law::{Law, LineUnknown};
use crate::evolution::ode::Ode;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, Par};
use fastlsq_solve::dense::times;
use fastlsq_solve::space::{Modes, SpaceError, TrialSpace};
use ndarray::Array2;
use std::sync::Arc;

/// Part of a unit of time over which boundary values are differenced for their rate.
const DIFFERENCE: f64 = 1e-3;

/// The equation for all coefficients: those of u₀, of its rate if it is of second order, of u₁, …
pub(super) struct Semidiscrete {
    law: Arc<dyn Law>,
    unknowns: Arc<[LineUnknown]>,
    pub(super) spaces: Vec<Arc<TrialSpace>>,
    /// For each unknown, where its coefficients start.
    starts: Vec<usize>,
    dim: usize,
    samples: Vec<ColumnSamples>,
    /// The length of the whole run, the unit of time.
    duration: f64,
}

/// A column on its space: samples of the functions, and of the lift.
struct ColumnSamples {
    functions: Mat<f64>,
    lift: Mat<f64>,
}

impl Semidiscrete {
    pub(super) fn new(
        law: &Arc<dyn Law>,
        unknowns: &Arc<[LineUnknown]>,
        modes: &Arc<Modes>,
        order: u32,
        duration: f64,
    ) -> Result<Self, SpaceError> {
        let mut spaces: Vec<Arc<TrialSpace>> = Vec::with_capacity(unknowns.len());
        for (k, unknown) in unknowns.iter().enumerate() {
            let same = |other: &LineUnknown| Arc::ptr_eq(&other.conditions, &unknown.conditions);
            let space = match unknowns[..k].iter().position(same) {
                Some(known) => Arc::clone(&spaces[known]),
                None => Arc::new(TrialSpace::new(
                    Arc::clone(modes),
                    &unknown.conditions,
                    order,
                )?),
            };
            spaces.push(space);
        }
        let mut starts = Vec::with_capacity(unknowns.len());
        let mut dim = 0;
        for (unknown, space) in unknowns.iter().zip(&spaces) {
            starts.push(dim);
            dim += space.dim() * if unknown.initial_rate.is_some() { 2 } else { 1 };
        }
        let samples = law
            .columns()
            .iter()
            .map(|column| {
                let space = spaces.get(column.unknown).ok_or(SpaceError::Size {
                    what: "the list of unknowns",
                    expected: column.unknown + 1,
                    found: spaces.len(),
                })?;
                if column.of_rate && unknowns[column.unknown].initial_rate.is_none() {
                    return Err(SpaceError::Option {
                        option: "column of a rate, unknown",
                        value: column.unknown as f64,
                        requirement: "rates are known for unknowns of second order in time only",
                    });
                }
                Ok(ColumnSamples {
                    functions: space.samples(&column.operator)?,
                    lift: space.lift_samples(&column.operator)?,
                })
            })
            .collect::<Result<_, SpaceError>>()?;
        Ok(Self {
            law: Arc::clone(law),
            unknowns: Arc::clone(unknowns),
            spaces,
            starts,
            dim,
            samples,
            duration,
        })
    }

    fn nodes(&self) -> &Array2<f64> {
        self.spaces[0].modes().nodes()
    }

    pub(super) fn second_order(&self, unknown: usize) -> bool {
        self.unknowns[unknown].initial_rate.is_some()
    }

    /// The coefficients of an unknown, or of its rate, in the whole vector.
    pub(super) fn part(&self, unknown: usize, of_rate: bool) -> std::ops::Range<usize> {
        let size = self.spaces[unknown].dim();
        let start = self.starts[unknown] + if of_rate { size } else { 0 };
        start..start + size
    }

    /// The values of the conditions of an unknown at a time, in the order of the lift.
    pub(super) fn data(&self, unknown: usize, t: f64) -> Vec<f64> {
        let space = &self.spaces[unknown];
        let Some(boundary) = &self.unknowns[unknown].boundary else {
            return vec![0.0; space.data_len()];
        };
        space
            .data_points()
            .enumerate()
            .flat_map(|(k, (_, points))| {
                points
                    .rows()
                    .into_iter()
                    .map(|point| boundary(k, t, &point.to_vec()))
                    .collect::<Vec<_>>()
            })
            .collect()
    }

    /// Their rates, by central differences of order 6.
    pub(super) fn data_rates(&self, unknown: usize, t: f64) -> Vec<f64> {
        if self.unknowns[unknown].boundary.is_none() {
            return vec![0.0; self.spaces[unknown].data_len()];
        }
        let h = DIFFERENCE * self.duration;
        let mut rates = vec![0.0; self.spaces[unknown].data_len()];
        for (steps, weight) in [(1.0, 0.75), (2.0, -0.15), (3.0, 1.0 / 60.0)] {
            let (ahead, behind) = (
                self.data(unknown, t + steps * h),
                self.data(unknown, t - steps * h),
            );
            for ((rate, ahead), behind) in rates.iter_mut().zip(ahead).zip(behind) {
                *rate += weight * (ahead - behind) / h;
            }
        }
        rates
    }

    /// Every column at every node.
    fn columns(&self, t: f64, y: &[f64]) -> Vec<Vec<f64>> {
        self.law
            .columns()
            .iter()
            .zip(&self.samples)
            .map(|(column, samples)| {
                let own = &y[self.part(column.unknown, column.of_rate)];
                let mut values = vec![0.0; samples.functions.nrows()];
                times(samples.functions.as_ref(), own, &mut values);
                if self.unknowns[column.unknown].boundary.is_some() {
                    let data = if column.of_rate {
                        self.data_rates(column.unknown, t)
                    } else {
                        self.data(column.unknown, t)
                    };
                    let mut lifted = vec![0.0; values.len()];
                    times(samples.lift.as_ref(), &data, &mut lifted);
                    for (value, lifted) in values.iter_mut().zip(lifted) {
                        *value += lifted;
                    }
                }
                values
            })
            .collect()
    }

    /// The coefficients of given functions, one for each unknown and one for each rate.
    pub(super) fn project(
        &self,
        t: f64,
        values: &dyn Fn(usize, bool, &Array2<f64>) -> Result<Vec<f64>, SpaceError>,
    ) -> Result<Vec<f64>, SpaceError> {
        let mut y = vec![0.0; self.dim];
        for (k, space) in self.spaces.iter().enumerate() {
            let own = space.project(&values(k, false, self.nodes())?, &self.data(k, t))?;
            y[self.part(k, false)].copy_from_slice(&own);
            if self.second_order(k) {
                let own = space.project(&values(k, true, self.nodes())?, &self.data_rates(k, t))?;
                y[self.part(k, true)].copy_from_slice(&own);
            }
        }
        Ok(y)
    }

    /// The coefficients over the modes of an unknown or its rate.
    pub(super) fn modal(
        &self,
        unknown: usize,
        of_rate: bool,
        t: f64,
        y: &[f64],
    ) -> Result<Vec<f64>, SpaceError> {
        let data = if of_rate {
            self.data_rates(unknown, t)
        } else {
            self.data(unknown, t)
        };
        self.spaces[unknown].modal(&y[self.part(unknown, of_rate)], &data)
    }

    /// Multiplications of one evaluation of the rates.
    pub(super) fn work(&self) -> f64 {
        let columns: usize = self
            .samples
            .iter()
            .map(|s| s.functions.nrows() * s.functions.ncols())
            .sum();
        let projections: usize = self
            .spaces
            .iter()
            .map(|s| s.dim() * s.nodes().nrows())
            .sum();
        (columns + projections) as f64
    }

    /// Multiplications of one Jacobian.
    pub(super) fn jacobian_work(&self) -> f64 {
        let all: usize = self.spaces.iter().map(|s| s.dim()).sum();
        let nodes = self.nodes().nrows();
        (all * all * nodes) as f64
    }
}

impl Ode for Semidiscrete {
    fn dim(&self) -> usize {
        self.dim
    }

    fn rate(&self, t: f64, y: &[f64], rate: &mut [f64]) {
        let nodes = self.nodes();
        let mut rates = vec![vec![0.0; nodes.nrows()]; self.spaces.len()];
        self.law.rates(t, nodes, &self.columns(t, y), &mut rates);
        for (k, space) in self.spaces.iter().enumerate() {
            let second = self.second_order(k);
            if second {
                let velocity = y[self.part(k, true)].to_vec();
                rate[self.part(k, false)].copy_from_slice(&velocity);
            }
            times(
                space.projection(),
                &rates[k],
                &mut rate[self.part(k, second)],
            );
        }
    }

    fn jacobian(&self, t: f64, y: &[f64], mut jacobian: MatMut<'_, f64>) {
        let nodes = self.nodes();
        let columns = self.law.columns();
        let mut slopes = vec![vec![vec![0.0; nodes.nrows()]; columns.len()]; self.spaces.len()];
        self.law.slopes(t, nodes, &self.columns(t, y), &mut slopes);
        for (k, space) in self.spaces.iter().enumerate() {
            let second = self.second_order(k);
            if second {
                for (i, j) in self.part(k, false).zip(self.part(k, true)) {
                    jacobian[(i, j)] = 1.0;
                }
            }
            let rows = self.part(k, second);
            for (other, of_rate) in self.blocks() {
                let mut weighted: Option<Mat<f64>> = None;
                for (j, column) in columns.iter().enumerate() {
                    let slope = &slopes[k][j];
                    let own = column.unknown == other && column.of_rate == of_rate;
                    if !own || slope.iter().all(|s| *s == 0.0) {
                        continue;
                    }
                    let samples = &self.samples[j].functions;
                    let sum = weighted
                        .get_or_insert_with(|| Mat::zeros(samples.nrows(), samples.ncols()));
                    for c in 0..samples.ncols() {
                        for (i, slope) in slope.iter().enumerate() {
                            sum[(i, c)] += slope * samples[(i, c)];
                        }
                    }
                }
                if let Some(weighted) = weighted {
                    let target = self.part(other, of_rate);
                    let block = jacobian.as_mut().submatrix_mut(
                        rows.start,
                        target.start,
                        rows.len(),
                        target.len(),
                    );
                    matmul(
                        block,
                        Accum::Add,
                        space.projection(),
                        weighted.as_ref(),
                        1.0,
                        Par::Seq,
                    );
                }
            }
        }
    }

    fn parts(&self) -> Vec<usize> {
        self.blocks().map(|(k, _)| self.spaces[k].dim()).collect()
    }
}

impl Semidiscrete {
    /// Unknowns and their rates in the order of the coefficients.
    fn blocks(&self) -> impl Iterator<Item = (usize, bool)> + '_ {
        (0..self.spaces.len()).flat_map(|k| {
            [(k, false), (k, true)]
                .into_iter()
                .take(if self.second_order(k) { 2 } else { 1 })
        })
    }
}
