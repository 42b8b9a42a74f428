//! How noise is carried into the rows where exact sums over kernels would cost too much: by drawing it.
//!
//! To first order the noise of a row is linear in that of the data, so that drawn noise goes through the
//! same windows as the data do, along one axis after the other. Over thousands of windows a few draws
//! determine second moments to a percent of what noise adds to them.

use faer::Mat;
use fastlsq_basis::sampling::{Sequence, UnitSampler};
use rayon::prelude::*;

use super::column::{Column, Prepared, Weight};
use super::windows::Windows;
use crate::evidence::Law;

/// Draws of the noise of all fields.
const DRAWS: u64 = 4;

/// What drawn noise adds to every column in every window of a trajectory.
#[derive(Debug)]
pub(crate) struct Simulated {
    /// Windows along each axis.
    counts: Vec<usize>,
    /// `draws[draw][column][window]`.
    draws: Vec<Vec<Vec<f64>>>,
}

impl Simulated {
    /// Draws noise and carries it into the rows.
    pub(crate) fn new(
        data: &Prepared<'_>,
        windows: &Windows,
        columns: &[std::sync::Arc<Column>],
    ) -> Self {
        let points: usize = data.shape.iter().product();
        let counts: Vec<usize> = (0..data.shape.len())
            .map(|axis| windows.centres(axis, data.shape[axis]).len())
            .collect();
        let count: usize = counts.iter().product();
        let draws = (0..DRAWS)
            .map(|draw| {
                let fields = data.noise.iter().enumerate();
                let noise: Vec<Vec<f64>> = fields
                    .map(|(field, level)| {
                        let stream = DRAWS * field as u64 + draw;
                        let mut sampler = UnitSampler::on_stream(Sequence::Independent, 0, stream);
                        let normals = sampler.normals(points, 1);
                        normals.iter().map(|e| level * e).collect()
                    })
                    .collect();
                columns
                    .par_iter()
                    .map(|column| {
                        let mut rows = vec![0.0; count];
                        for part in &column.noise {
                            let own = &noise[part.field];
                            let weighted: Vec<f64> = match &part.weight {
                                Weight::Constant(c) => own.iter().map(|n| c * n).collect(),
                                Weight::Grid(w) => own.iter().zip(w).map(|(n, w)| n * w).collect(),
                            };
                            let carried = windows.average(data, &weighted, &part.outer);
                            for (row, value) in rows.iter_mut().zip(carried) {
                                *row += value;
                            }
                        }
                        rows
                    })
                    .collect()
            })
            .collect();
        Self { counts, draws }
    }

    /// Number of draws.
    pub(crate) fn draws(&self) -> usize {
        self.draws.len()
    }

    /// The place of a window along each axis.
    fn place(&self, window: usize) -> Vec<usize> {
        let mut rest = window;
        let mut place = vec![0; self.counts.len()];
        for axis in (0..place.len()).rev() {
            place[axis] = rest % self.counts[axis];
            rest /= self.counts[axis];
        }
        place
    }

    /// The noise of a law in every window of the first draw.
    fn of_law(&self, law: &Law) -> Vec<f64> {
        let columns = self.draws.first().map_or(&[][..], Vec::as_slice);
        let mut sum = vec![0.0; self.counts.iter().product()];
        for &(k, c) in law {
            for (s, v) in sum.iter_mut().zip(&columns[k]) {
                *s += c * v;
            }
        }
        sum
    }

    /// Covariances of the noise of several laws by the distance of the windows, at most `reach` apart
    /// along each axis: the mean over the whole trajectory.
    pub(crate) fn covariances(&self, laws: &[Law], reach: usize) -> Lagged {
        let noise: Vec<Vec<f64>> = laws.iter().map(|law| self.of_law(law)).collect();
        let (dim, total) = (self.counts.len(), noise.first().map_or(0, Vec::len));
        let side = 2 * reach + 1;
        let size = side.pow(u32::try_from(dim).unwrap_or(u32::MAX));
        let places: Vec<Vec<usize>> = (0..total).map(|window| self.place(window)).collect();
        let pairs: Vec<(usize, usize)> = (0..laws.len())
            .flat_map(|a| (0..laws.len()).map(move |b| (a, b)))
            .collect();
        let tables = (0..size)
            .into_par_iter()
            .map(|index| {
                let lag: Vec<isize> = (0..dim)
                    .map(|axis| {
                        let digit = index / side.pow(u32::try_from(axis).unwrap_or(0)) % side;
                        digit as isize - reach as isize
                    })
                    .collect();
                let mut sums = vec![0.0; pairs.len()];
                for (window, place) in places.iter().enumerate() {
                    let Some(other) = self.moved(place, &lag) else {
                        continue;
                    };
                    for (sum, &(a, b)) in sums.iter_mut().zip(&pairs) {
                        *sum += noise[a][window] * noise[b][other];
                    }
                }
                // Over all windows, whatever the lag: that keeps the matrix positive.
                sums.into_iter().map(|s| s / total.max(1) as f64).collect()
            })
            .collect();
        Lagged {
            laws: laws.len(),
            reach,
            side,
            tables,
        }
    }

    /// The window at a distance from another, if there is one.
    fn moved(&self, place: &[usize], lag: &[isize]) -> Option<usize> {
        let mut index = 0;
        for ((&p, &l), &count) in place.iter().zip(lag).zip(&self.counts) {
            let there = p.checked_add_signed(l).filter(|t| *t < count)?;
            index = index * count + there;
        }
        Some(index)
    }

    /// The covariance of the rows of some windows, those of each law after those of the one before.
    pub(crate) fn covariance(&self, lagged: &Lagged, windows: &[usize]) -> Mat<f64> {
        let places: Vec<Vec<usize>> = windows.iter().map(|&w| self.place(w)).collect();
        let count = windows.len();
        Mat::from_fn(lagged.laws * count, lagged.laws * count, |i, j| {
            lagged.at(i / count, j / count, &places[i % count], &places[j % count])
        })
    }

    /// The noise of each draw in the rows of some windows: of the other laws in the column of the target,
    /// of every column below.
    pub(crate) fn rows(&self, windows: &[usize], others: &[Law], own: &[usize]) -> Vec<Mat<f64>> {
        let count = windows.len();
        let each = self.draws.iter();
        each.map(|columns| {
            Mat::from_fn((others.len() + 1) * count, own.len(), |i, j| {
                let window = windows[i % count];
                match others.get(i / count) {
                    None => columns[own[j]][window],
                    Some(law) if j + 1 == own.len() => -law
                        .iter()
                        .map(|&(k, c)| c * columns[k][window])
                        .sum::<f64>(),
                    Some(_) => 0.0,
                }
            })
        })
        .collect()
    }
}

/// Covariances by distance.
pub(crate) struct Lagged {
    laws: usize,
    reach: usize,
    side: usize,
    tables: Vec<Vec<f64>>,
}

impl Lagged {
    fn at(&self, a: usize, b: usize, from: &[usize], to: &[usize]) -> f64 {
        let (mut index, mut scale) = (0, 1);
        for (&f, &t) in from.iter().zip(to) {
            index += (t + self.reach).saturating_sub(f) * scale;
            scale *= self.side;
        }
        let table = self.tables.get(index);
        table.map_or(0.0, |table| table[a * self.laws + b])
    }
}
