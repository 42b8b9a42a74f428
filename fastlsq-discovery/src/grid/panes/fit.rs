//! Laws fitted to all panes together.

use std::collections::BTreeMap;
use std::sync::Arc;

use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{Mat, Par};
use fastlsq_solve::Control;
use rayon::prelude::*;

use super::pane::{Pair, Pane, Shape};
use super::polynomials::Line;
use super::rows::{OnNodes, pair};
use crate::grid::assembly::EvaluatedTerms;
use crate::grid::column::Prepared;
use crate::grid::library::GridLibrary;
use crate::grid::likely::{Place, Shot, Solutions};
use crate::grid::noise::corner;
use crate::grid::shooting::solve;
use crate::grid::term::{GridTerm, Inside};

/// Phase of the fastest signal (with this share of the energy below it) from the middle of a pane to its edge.
const PHASE: f64 = 7.0;
const ENERGY: f64 = 0.99;
/// Polynomials reach the degree f(1.5 φ + 5) for the phase φ; these f are tried.
const FINENESS: [f64; 3] = [1.3, 1.6, 2.0];
/// A coarser f must leave at most this many times what the finest leaves of the samples.
const RESOLVED: f64 = 1.02;
/// Samples for each degree: fewer do not hold a polynomial between them.
const SAMPLES: f64 = 1.6;
/// The maximum number of functions of all fields on a pane: the cost of a step grows with their square.
const MOST: usize = 700;
/// The maximum number of Gauss–Newton steps with the coefficients held, and with all free.
const SETTLING: usize = 4;
const STEPS: usize = 12;
/// Coefficients that move by less than this share of their deviations stay; beyond this many they have not converged.
const STILL: f64 = 0.03;
const RESTLESS: f64 = 0.5;
/// Relative change of the squared distance below which solutions have settled.
const SETTLED: f64 = 1e-3;
/// What solutions leave, over what is left by polynomials that need not solve anything: 1 up to chance for the true law.
const MISFIT: f64 = 1.05;
/// Deviations of that ratio that are chance.
const CHANCE: f64 = 3.0;

/// The data on panes, and the terms of candidate laws.
pub(in crate::grid) struct Panes<'a> {
    terms: &'a [GridTerm],
    targets: &'a [GridTerm],
    data: &'a [Prepared<'a>],
    /// Highest derivatives along each axis: of the laws, of fields inside products, of products.
    order: Pair,
    inner: Pair,
    outer: Pair,
    /// Phase of the fastest signal between two samples.
    turn: [f64; 2],
    fineness: f64,
    control: Control,
}

/// Panes of one size, this many along each axis of each trajectory.
type Counts = Vec<Pair>;

impl<'a> Panes<'a> {
    /// The data and the terms; panes are laid by [`first`](Self::first).
    pub(in crate::grid) fn new(
        library: &'a GridLibrary,
        targets: &'a [GridTerm],
        source: &'a EvaluatedTerms<'_>,
        control: &Control,
    ) -> Self {
        let terms = library.terms();
        let [mut order, mut inner, mut outer] = [[0; 2]; 3];
        for part in terms.iter().chain(targets).flat_map(|term| &term.parts) {
            let within = match &part.inside {
                Inside::Product(factors) => factors.iter().map(|f| pair(&f.inner)).collect(),
                Inside::Function(_) => Vec::new(),
            };
            for axis in 0..2 {
                let own = pair(&part.outer)[axis];
                let most = within
                    .iter()
                    .map(|beta: &Pair| beta[axis])
                    .max()
                    .unwrap_or(0);
                outer[axis] = outer[axis].max(own);
                inner[axis] = inner[axis].max(most);
                order[axis] = order[axis].max(own + most);
            }
        }
        let turn = [0, 1].map(|axis: usize| {
            let corners = source.data.iter().flat_map(|data| {
                let fields = data.run.values.iter().zip(&data.noise);
                fields.map(move |(values, &noise)| corner(values, &data.shape, axis, noise, ENERGY))
            });
            corners.fold(0.0, f64::max)
        });
        Self {
            terms,
            targets,
            data: &source.data,
            order,
            inner,
            outer,
            turn,
            fineness: 1.0,
            control: control.clone(),
        }
    }

    /// The first panes, on smoothed data, with polynomials as fine as the data ask for.
    pub(in crate::grid) fn first(&mut self) -> Option<Vec<Pane>> {
        let smooth: Vec<Vec<Vec<f64>>> = self
            .data
            .iter()
            .map(|data| {
                let fields = data.run.values.iter().zip(&data.smoothers);
                fields
                    .map(|(values, smoother)| smoother.derivative(values, &data.shape, &[0, 0]))
                    .collect()
            })
            .collect();
        let counts: Counts = self
            .data
            .iter()
            .map(|data| {
                [0, 1].map(|axis: usize| {
                    let wanted = 2.0 * PHASE / self.turn[axis].max(1e-6);
                    (data.shape[axis] as f64 / wanted).ceil().max(1.0) as usize
                })
            })
            .collect();
        let mut tried = Vec::new();
        for fineness in FINENESS {
            self.fineness = fineness;
            if let Some(panes) = self.lay(&counts, &smooth) {
                let (left, free) = self.outside(&panes);
                tried.push((left / free, fineness, panes));
            }
        }
        let least = tried.iter().map(|t| t.0).fold(f64::INFINITY, f64::min);
        let (_, fineness, panes) = tried.into_iter().find(|t| t.0 <= RESOLVED * least)?;
        self.fineness = fineness;
        Some(panes)
    }

    /// Panes of these numbers with solutions near `start[run][field]`.
    fn lay(&self, counts: &Counts, start: &[Vec<Vec<f64>>]) -> Option<Vec<Pane>> {
        let mut panes = Vec::new();
        for (run, (data, count)) in self.data.iter().zip(counts).enumerate() {
            if count.contains(&0) {
                continue;
            }
            let samples = [0, 1].map(|axis: usize| data.shape[axis] / count[axis]);
            let shape = Arc::new(self.shape(data, samples)?);
            let place = |axis: usize, k: usize| k * data.shape[axis] / count[axis];
            for i in 0..count[0] {
                for j in 0..count[1] {
                    let first = [place(0, i), place(1, j)];
                    panes.extend(Pane::new(data, run, first, &shape, &start[run]));
                }
            }
        }
        (!panes.is_empty()).then_some(panes)
    }

    fn shape(&self, data: &Prepared<'_>, samples: Pair) -> Option<Shape> {
        let mut degrees = [0; 2];
        for (axis, &count) in samples.iter().enumerate() {
            let phase = 0.5 * self.turn[axis] * count as f64;
            let wanted = (self.fineness * (1.5 * phase + 5.0)).ceil() as usize;
            let most = (count as f64 / SAMPLES) as usize;
            degrees[axis] = wanted.max(self.order[axis] + 3).min(most);
            if degrees[axis] < self.order[axis] + 3 {
                return None;
            }
        }
        // Before tables are made: those of long axes are large.
        let functions: usize = degrees.iter().map(|degree| degree + 1).product();
        if functions.saturating_mul(data.noise.len()) > MOST {
            return None;
        }
        let mut lines = Vec::new();
        for (axis, &count) in samples.iter().enumerate() {
            let orders = (self.inner[axis], self.outer[axis]);
            let step = data.run.axes[axis].step;
            lines.push(Line::new(
                count,
                step,
                degrees[axis],
                self.order[axis],
                orders,
            )?);
        }
        let lines: [Line; 2] = lines.try_into().ok()?;
        Some(Shape::new(samples, lines))
    }

    /// Squared distance of all polynomials from the samples, and its mean for pure noise.
    fn outside(&self, panes: &[Pane]) -> (f64, f64) {
        let fields = self.fields() as f64;
        let each = panes.iter().map(|pane| {
            let samples = pane.shape.samples[0] * pane.shape.samples[1];
            let free = samples - pane.shape.functions();
            (pane.outside, fields * free as f64)
        });
        each.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    }

    fn fields(&self) -> usize {
        self.data.first().map_or(0, |data| data.noise.len())
    }

    /// Gauss–Newton steps over the solutions and the coefficients at `places`: all of the law, or none.
    fn descend(
        &self,
        mut panes: Vec<Pane>,
        mut law: Vec<(Place, f64)>,
        places: &[Place],
        steps: usize,
    ) -> Option<Shot<Pane>> {
        let p = places.len();
        let outside: f64 = panes.iter().map(|pane| pane.outside).sum();
        let fields = self.fields();
        let samples: usize = panes
            .iter()
            .map(|pane| fields * pane.shape.samples[0] * pane.shape.samples[1])
            .sum();
        let (mut last, mut moved) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..steps {
            if self.control.is_over() {
                return None;
            }
            let (normal, moves) = self.normal(&panes, &law, places)?;
            let delta = match p {
                0 => Vec::new(),
                _ => solve(p, &normal.matrix, &normal.right, 1e-12)?,
            };
            moved = 0.0;
            let mut inside = normal.square;
            for k in 0..p {
                let unit: Vec<f64> = (0..p).map(|j| f64::from(u8::from(j == k))).collect();
                let variance = solve(p, &normal.matrix, &unit, 1e-12)?[k];
                moved = f64::max(moved, delta[k].abs() / variance.max(0.0).sqrt());
                inside -= delta[k] * normal.right[k];
                law[k].1 += delta[k];
            }
            if !inside.is_finite() || law.iter().any(|(_, c)| !c.is_finite()) {
                return None;
            }
            panes.par_iter_mut().zip(&moves).for_each(|(pane, moves)| {
                pane.follow(self.data[pane.run].noise.as_slice(), moves, &delta);
            });
            let settled = (last - inside).abs() < SETTLED * inside;
            last = inside;
            if settled && moved < STILL {
                break;
            }
        }
        (p == 0 || moved < RESTLESS).then(|| Shot {
            pieces: panes,
            law,
            squares: vec![outside + last],
            samples: samples as f64,
        })
    }

    fn normal(
        &self,
        panes: &[Pane],
        law: &[(Place, f64)],
        places: &[Place],
    ) -> Option<(Normal, Vec<Mat<f64>>)> {
        let parts: Option<Vec<(Mat<f64>, Mat<f64>)>> = panes
            .par_iter()
            .map(|pane| self.pane(pane, law, places))
            .collect();
        let p = places.len();
        let mut normal = Normal {
            matrix: vec![0.0; p * p],
            right: vec![0.0; p],
            square: 0.0,
        };
        let mut moves = Vec::new();
        for (gram, own) in parts? {
            for k in 0..p {
                for l in 0..p {
                    normal.matrix[k * p + l] += gram[(k, l)];
                }
                normal.right[k] += gram[(k, p)];
            }
            normal.square += gram[(p, p)];
            moves.push(own);
        }
        Some((normal, moves))
    }

    /// Products of the whitened rows of a pane, one for each coefficient and last the residual; and how far each
    /// takes the solution from the samples.
    fn pane(
        &self,
        pane: &Pane,
        law: &[(Place, f64)],
        places: &[Place],
    ) -> Option<(Mat<f64>, Mat<f64>)> {
        let (equations, functions) = (pane.shape.equations(), pane.shape.functions());
        let noise = &self.data[pane.run].noise;
        let (laws, p) = (self.targets.len(), places.len());
        let mut nodes = OnNodes::new(&pane.shape, &pane.state);
        let mut known: BTreeMap<usize, Mat<f64>> = BTreeMap::new();
        let mut rows = Mat::<f64>::zeros(laws * equations, p + 1);
        let mut slopes = Mat::<f64>::zeros(laws * equations, noise.len() * functions);
        for (one, target) in self.targets.iter().enumerate() {
            let mut sums = BTreeMap::new();
            nodes.add_slopes(target, 1.0, &mut sums);
            let mut residual = nodes.moments(target);
            for &((_, k), c) in law.iter().filter(|((own, _), _)| *own == one) {
                let term = &self.terms[k];
                nodes.add_slopes(term, -c, &mut sums);
                let moments = known.entry(k).or_insert_with(|| nodes.moments(term));
                residual -= faer::Scale(c) * &*moments;
            }
            let mut put = |column: usize, values: &Mat<f64>| {
                let along = values.ncols();
                for i in 0..equations {
                    rows[(one * equations + i, column)] = values[(i / along, i % along)];
                }
            };
            put(p, &residual);
            for (column, (_, k)) in places
                .iter()
                .enumerate()
                .filter(|(_, place)| place.0 == one)
            {
                let moments = known
                    .entry(*k)
                    .or_insert_with(|| nodes.moments(&self.terms[*k]));
                put(column, moments);
            }
            for ((field, alpha, beta), slope) in sums {
                let block = slopes.as_mut().submatrix_mut(
                    one * equations,
                    field * functions,
                    equations,
                    functions,
                );
                let shape = &pane.shape;
                shape.add_slopes(&slope, (alpha, beta), noise[field], block);
            }
        }
        // d in units of the noise.
        let along = pane.shape.lines[1].functions();
        let away = Mat::from_fn(slopes.ncols(), 1, |i, _| {
            let (field, rest) = (i / functions, i % functions);
            let place = (rest / along, rest % along);
            (pane.nearest[field][place] - pane.state[field][place]) / noise[field]
        });
        let carried = &slopes * &away;
        for i in 0..rows.nrows() {
            rows[(i, p)] += carried[(i, 0)];
        }
        // More equations than numbers (two laws of one field): no solution is near.
        if slopes.ncols() < rows.nrows() {
            return None;
        }
        // J̃ᵀ = QR, so that L = Rᵀ; J̃J̃ᵀ itself would square the condition.
        let factor = slopes.transpose().qr();
        let triangle = factor.thin_R();
        let vanishes = |pivot: f64| pivot.is_nan() || pivot == 0.0;
        if (0..rows.nrows()).any(|i| vanishes(triangle[(i, i)])) {
            return None;
        }
        solve_lower_triangular_in_place(triangle.transpose(), rows.as_mut(), Par::Seq);
        let gram = rows.transpose() * &rows;
        solve_upper_triangular_in_place(triangle, rows.as_mut(), Par::Seq);
        Some((gram, slopes.transpose() * &rows))
    }
}

/// Normal equations of the coefficients, and the squared distance at the present ones.
struct Normal {
    matrix: Vec<f64>,
    right: Vec<f64>,
    square: f64,
}

impl Pane {
    /// The solution nearest to the samples for changed coefficients.
    fn follow(&mut self, noise: &[f64], moves: &Mat<f64>, delta: &[f64]) {
        let (functions, p) = (self.shape.functions(), delta.len());
        let along = self.shape.lines[1].functions();
        for (field, state) in self.state.iter_mut().enumerate() {
            for i in 0..functions {
                let row = field * functions + i;
                let changed: f64 = (0..p).map(|k| moves[(row, k)] * delta[k]).sum();
                let place = (i / along, i % along);
                let shift = moves[(row, p)] - changed;
                state[place] = self.nearest[field][place] - noise[field] * shift;
            }
        }
    }
}

impl Solutions for Panes<'_> {
    type Piece = Pane;
    const STRAIN: f64 = 1.003;
    const HOPEFUL: f64 = 0.5;

    fn laws(&self) -> usize {
        self.targets.len()
    }

    fn control(&self) -> &Control {
        &self.control
    }

    /// Solutions are settled first: wrong ones would throw the coefficients far off.
    fn fit(&self, pieces: Vec<Pane>, law: Vec<(Place, f64)>) -> Option<Shot<Pane>> {
        let places: Vec<Place> = law.iter().map(|(place, _)| *place).collect();
        let settled = self.descend(pieces, law, &[], SETTLING)?;
        self.descend(settled.pieces, settled.law, &places, STEPS)
    }

    fn curvature(&self, shot: &Shot<Pane>, places: &[Place]) -> Option<(Vec<f64>, Vec<f64>)> {
        let (normal, _) = self.normal(&shot.pieces, &shot.law, places)?;
        Some((normal.matrix, normal.right))
    }

    fn free(&self, panes: &[Pane]) -> f64 {
        let each = panes.iter().map(|pane| {
            let functions = self.fields() * pane.shape.functions();
            functions.saturating_sub(self.laws() * pane.shape.equations()) as f64
        });
        each.sum()
    }

    /// Panes of twice the extent along the axis that leaves fewer numbers free.
    fn longer(&self, panes: &[Pane]) -> Option<Vec<Pane>> {
        let mut fields: Vec<Vec<Vec<f64>>> = self
            .data
            .iter()
            .map(|data| data.run.values.clone())
            .collect();
        // A run without panes stays without them.
        let mut counts: Counts = vec![[0, 0]; self.data.len()];
        for pane in panes {
            let data = &self.data[pane.run];
            pane.write(data.shape[1], &mut fields[pane.run]);
            counts[pane.run] =
                [0, 1].map(|axis: usize| data.shape[axis] / pane.shape.samples[axis]);
        }
        let share = |panes: &[Pane]| {
            let samples = panes
                .iter()
                .map(|pane| pane.shape.samples.iter().product::<usize>());
            self.free(panes) / samples.sum::<usize>() as f64
        };
        let both = [0, 1].into_iter().filter_map(|axis: usize| {
            let mut fewer = counts.clone();
            for count in &mut fewer {
                count[axis] = count[axis].div_ceil(2);
            }
            if fewer == counts {
                return None;
            }
            self.lay(&fewer, &fields)
        });
        both.min_by(|a, b| share(a).total_cmp(&share(b)))
    }

    fn horizon(&self, panes: &[Pane]) -> f64 {
        let last = panes.iter().map(|pane| {
            let step = self.data[pane.run].run.axes[1].step;
            (pane.shape.samples[1] - 1) as f64 * step
        });
        last.fold(f64::INFINITY, f64::min)
    }

    fn follows(&self, shot: &Shot<Pane>, _: f64) -> bool {
        let (outside, expected) = self.outside(&shot.pieces);
        let equations: usize = shot
            .pieces
            .iter()
            .map(|pane| self.laws() * pane.shape.equations())
            .sum();
        let inside =
            (shot.square() - outside) / (equations as f64 - shot.law.len() as f64).max(1.0);
        let chance = CHANCE * (2.0 / (equations as f64).max(1.0)).sqrt();
        inside < (MISFIT + chance) * outside / expected
    }
}
