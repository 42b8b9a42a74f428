//! The border of the skeleton's system: functionals that fix what the equations leave free.
//!
//! With m functionals ℓⱼ(u) = vⱼ, the equations become L u + Σ μₖ sₖ = f with m numbers μ, which vanish where the data have
//! a solution, and smooth sources sₖ. A leaf's coefficients are c = S λ + P f − Σ μₖ wₖ, wₖ = P sₖ, and the system is
//!
//! K λ + Q μ = r,  R λ + E μ = v,
//!
//! where Q has the fluxes of −wₖ, R = ℓ S and E = −ℓ w. K itself may be singular, but only in its last front: all others have
//! a boundary with given traces. So that front is factored with m random rows and columns added, K′ = K + A Bᵀ, and with
//! τ = Bᵀλ the system in λ, μ and τ is bordered by 2m rows and columns around a matrix that is not singular. All
//! fronts but the last stay what they are, and are shared as before.

use faer::Mat;
use fastlsq_basis::sampling::UnitSampler;

use super::PatchError;
use super::coefficients::place;
use super::front::{FrontMatrix, Lu};
use super::groups::groups;
use super::leaf::{Leaf, LeafData, apply};
use super::problem::PatchProblem;
use super::reference::{PointSet, times};
use super::step::Factored;

/// The random columns A and B of the last front, one for each functional.
fn random_columns(rows: usize, count: usize) -> [Mat<f64>; 2] {
    let numbers = UnitSampler::independent(0xB0_4DE4).points(rows.max(1), 2 * count.max(1));
    [0, 1].map(|half| {
        Mat::from_fn(rows, count, |i, k| {
            // The first one is positive on average: constants are what is left free most often.
            let shift = if k == 0 { 0.0 } else { -0.5 };
            2.0 * (numbers[(i, half * count + k)] + shift)
        })
    })
}

/// Adds A Bᵀ to K_ee of the last front.
pub(super) fn perturb(matrix: &mut FrontMatrix, count: usize) {
    let mut target = matrix.eliminated();
    let [a, b] = random_columns(target.ncols(), count);
    target += &a * b.transpose();
}

/// A source that comes with a functional: (d·ξ)ⁿ in the coordinates of the whole domain, in one equation.
#[derive(Debug)]
struct Multiplier {
    equation: usize,
    direction: Vec<f64>,
    power: i32,
}

/// Functionals, what they do to the leaves, and the factors of what is left of the border.
#[derive(Debug)]
pub(super) struct Border {
    multipliers: Vec<Multiplier>,
    /// Centre and half-widths of the domain.
    whole: (Vec<f64>, Vec<f64>),
    /// The size of a source that changes u by about 1 over the whole domain.
    unit: f64,
    /// For each functional and leaf, the weights of the coefficients; empty where it has none.
    weights: Vec<Vec<Vec<f64>>>,
    /// For each functional and leaf of this process, w.
    responses: Vec<Vec<Vec<f64>>>,
    /// R and Bᵀ: rows over the skeleton.
    pub(super) rows: Vec<Vec<f64>>,
    /// −K′⁻¹ Q and K′⁻¹ A.
    pub(super) columns: Vec<Vec<f64>>,
    pub(super) small: Lu,
    /// What the rows of the small system are divided by.
    pub(super) scales: Vec<f64>,
}

impl Border {
    /// The border of a problem's functionals around factors that were made for them; `None` if there are no functionals.
    pub(super) fn new(
        factored: &Factored<'_>,
        problem: &PatchProblem,
    ) -> Result<Option<Self>, PatchError> {
        let count = problem.functionals.len();
        if count == 0 {
            return Ok(None);
        }
        let (leaves, reference) = (&factored.leaves, factored.reference);
        let multipliers = multipliers(problem);
        let whole = extent(leaves, problem.dim);
        let mut border = Self {
            unit: unit_source(leaves, &whole.1),
            whole,
            weights: problem
                .functionals
                .iter()
                .map(|functional| functional.weights(leaves, reference))
                .collect::<Result<_, _>>()?,
            responses: vec![vec![Vec::new(); leaves.len()]; count],
            rows: Vec::new(),
            columns: Vec::new(),
            small: Lu::new(Mat::identity(1, 1))?,
            scales: vec![1.0; 2 * count],
            multipliers,
        };
        let length = factored.elimination.unknowns();
        let mut defects = vec![vec![0.0; length]; count];
        let mut rows = vec![vec![0.0; length]; count];
        let nothing = LeafData::default();
        for group in groups(leaves) {
            for k in 0..count {
                let points = reference.inner.len();
                let sources: Vec<Vec<f64>> = group
                    .places
                    .iter()
                    .map(|&place| {
                        let mut own = vec![0.0; problem.unknowns * points];
                        border.add_source(k, 1.0, &mut own, leaves[place], &reference.inner);
                        own
                    })
                    .collect();
                let f = Mat::from_fn(problem.unknowns * points, sources.len(), |i, j| {
                    sources[j][i]
                });
                let w = group.operator.source.apply(f, reference);
                let flux = times(group.operator.flux.as_ref(), w.as_ref());
                for (j, &place) in group.places.iter().enumerate() {
                    let (w, flux) = (w.col_as_slice(j), flux.col_as_slice(j));
                    border.responses[k][place] = w.to_vec();
                    factored.skeleton.add_defect(
                        place,
                        leaves[place],
                        (w, flux),
                        &nothing,
                        reference,
                        &mut defects[k],
                    );
                    let weights = &border.weights[k][place];
                    if !weights.is_empty() {
                        let traces = apply(group.operator.solve.transpose(), weights);
                        let target = &mut rows[k];
                        factored
                            .skeleton
                            .add_traces_transposed(place, reference, &traces, target);
                    }
                }
            }
        }
        border.rows = rows.into_iter().map(|r| factored.sharing.sum(r)).collect();
        border.close(factored, defects)?;
        Ok(Some(border))
    }

    /// Solves with the fronts for all columns, and factors the rest.
    fn close(&mut self, factored: &Factored<'_>, defects: Vec<Vec<f64>>) -> Result<(), PatchError> {
        let count = self.multipliers.len();
        let (elimination, sharing) = (&factored.elimination, &factored.sharing);
        let last = elimination.last_unknowns();
        let [a, b] = random_columns(last.len(), count);
        let spread = |columns: &Mat<f64>, k: usize, here: bool| {
            let mut out = vec![0.0; elimination.unknowns()];
            let own = last.iter().enumerate().filter(|_| here);
            own.for_each(|(row, &unknown)| out[unknown] = columns[(row, k)]);
            out
        };
        for defect in defects {
            let mut solved = elimination.solve(defect, sharing);
            solved.iter_mut().for_each(|x| *x = -*x);
            self.columns.push(solved);
        }
        for k in 0..count {
            let here = elimination.last_owner() == sharing.rank();
            let rhs = spread(&a, k, here);
            self.columns.push(elimination.solve(rhs, sharing));
        }
        for k in 0..count {
            self.rows.push(spread(&b, k, true));
        }
        let mut small = Mat::zeros(2 * count, 2 * count);
        for (i, row) in self.rows.iter().enumerate() {
            for (k, column) in self.columns.iter().enumerate() {
                small[(i, k)] = dot(row, column);
            }
        }
        let mut own = vec![0.0; count * count];
        for j in 0..count {
            for k in 0..count {
                let leaves = self.weights[j].iter().zip(&self.responses[k]);
                own[j * count + k] = leaves.map(|(l, w)| dot(l, w)).sum();
            }
        }
        let own = sharing.sum(own);
        for j in 0..count {
            for k in 0..count {
                small[(j, k)] -= own[j * count + k];
            }
            small[(count + j, count + j)] -= 1.0;
        }
        for (i, scale) in self.scales.iter_mut().enumerate() {
            *scale = small.row(i).norm_max().max(f64::MIN_POSITIVE);
            for k in 0..2 * count {
                small[(i, k)] /= *scale;
            }
        }
        self.small = Lu::new(small)?;
        Ok(())
    }

    /// How many functionals there are.
    pub(super) fn count(&self) -> usize {
        self.multipliers.len()
    }

    /// ℓ of functions with these coefficients, on the leaves of this process.
    pub(super) fn measure<'b>(&self, of: impl Fn(usize) -> Option<&'b [f64]>) -> Vec<f64> {
        let each = self.weights.iter().map(|weights| {
            let leaves = weights.iter().enumerate();
            leaves
                .filter_map(|(place, weights)| Some(dot(weights, of(place)?)))
                .sum()
        });
        each.collect()
    }

    /// c̄ ← c̄ − Σ v̄ⱼ ℓⱼ in a leaf: the transpose of what [`measure`](Self::measure) takes from what functionals lack.
    pub(super) fn measure_transposed(&self, place: usize, values: &[f64], c: &mut [f64]) {
        for (weights, value) in self.weights.iter().zip(values) {
            let pairs = c.iter_mut().zip(&weights[place]);
            pairs.for_each(|(c, w)| *c -= value * w);
        }
    }

    /// c ← c − Σ μₖ wₖ in a leaf.
    pub(super) fn respond(&self, place: usize, multipliers: &[f64], c: &mut [f64]) {
        for (responses, mu) in self.responses.iter().zip(multipliers) {
            let pairs = c.iter_mut().zip(&responses[place]);
            pairs.for_each(|(c, w)| *c -= mu * w);
        }
    }

    /// The transpose of [`respond`](Self::respond).
    pub(super) fn respond_transposed(&self, place: usize, c: &[f64], multipliers: &mut [f64]) {
        for (responses, mu) in self.responses.iter().zip(multipliers) {
            *mu -= dot(&responses[place], c);
        }
    }

    /// From λ with K′ λ = r and what the functionals lack, λ and μ with K λ + Q μ = r.
    pub(super) fn solve(&self, traces: &mut [f64], lacking: &[f64]) -> Vec<f64> {
        let mut z = Mat::zeros(2 * self.count(), 1);
        for (i, row) in self.rows.iter().enumerate() {
            let given = lacking.get(i).copied().unwrap_or(0.0);
            z[(i, 0)] = (given - dot(row, traces)) / self.scales[i];
        }
        self.small.solve(z.as_mut());
        for (k, column) in self.columns.iter().enumerate() {
            let pairs = traces.iter_mut().zip(column);
            pairs.for_each(|(t, c)| *t += z[(k, 0)] * c);
        }
        (0..self.count()).map(|k| z[(k, 0)]).collect()
    }

    /// The transpose of [`solve`](Self::solve): what is left for K′⁻ᵀ, and the covector of what the functionals lack.
    pub(super) fn solve_transposed(&self, traces: &mut [f64], multipliers: &[f64]) -> Vec<f64> {
        let mut z = Mat::zeros(2 * self.count(), 1);
        for (k, column) in self.columns.iter().enumerate() {
            z[(k, 0)] = dot(column, traces) + multipliers.get(k).copied().unwrap_or(0.0);
        }
        self.small.solve_transposed(z.as_mut());
        for (i, row) in self.rows.iter().enumerate() {
            z[(i, 0)] /= self.scales[i];
            let pairs = traces.iter_mut().zip(row);
            pairs.for_each(|(t, r)| *t -= z[(i, 0)] * r);
        }
        (0..self.count()).map(|k| z[(k, 0)]).collect()
    }

    /// Adds Σ μₖ sₖ at points of a leaf, over its scale.
    pub(super) fn add_sources(&self, to: &mut [f64], leaf: &Leaf, at: &PointSet, mu: &[f64]) {
        for (k, mu) in mu.iter().enumerate() {
            self.add_source(k, *mu, to, leaf, at);
        }
    }

    fn add_source(&self, k: usize, mu: f64, to: &mut [f64], leaf: &Leaf, at: &PointSet) {
        let own = &self.multipliers[k];
        let points = place(at.points.view(), &leaf.frame.center, &leaf.frame.half);
        let start = own.equation * points.nrows();
        for (target, point) in to[start..].iter_mut().zip(points.rows()) {
            let axes = point.iter().zip(&self.whole.0).zip(&self.whole.1);
            let along = axes.zip(&own.direction);
            let sum: f64 = along.map(|(((x, c), h), d)| d * (x - c) / h).sum();
            let value = sum.powi(own.power);
            *target += mu * value * self.unit / leaf.frame.scale;
        }
    }

    /// How much of u the sources make that the equations do not have, relative to its size.
    pub(super) fn misfit(multipliers: &[f64], norm: f64) -> f64 {
        let sum: f64 = multipliers.iter().map(|mu| mu.abs()).sum();
        if norm > 0.0 { sum / norm } else { 0.0 }
    }
}

/// A source for each functional in the equation of its first unknown: a constant, then linear functions in as many directions as
/// there are axes, then their powers. Directions are generic: rigid motions are not orthogonal to them.
fn multipliers(problem: &PatchProblem) -> Vec<Multiplier> {
    let mut used = vec![0_usize; problem.unknowns];
    let mut next = |equation: usize| {
        let number = used[equation];
        used[equation] += 1;
        let turn =
            |axis: usize| (0.7 + 1.9 * axis as f64 + 2.3 * (number * (axis + 1)) as f64).cos();
        let power = number.div_ceil(problem.dim);
        Multiplier {
            equation,
            direction: (0..problem.dim).map(turn).collect(),
            power: i32::try_from(power).unwrap_or(i32::MAX),
        }
    };
    let each = problem.functionals.iter();
    each.map(|functional| next(functional.unknown())).collect()
}

/// The smallest of the equations' coefficients over the whole domain, of half-width H: a/H² for diffusion, b/H where a flow with
/// b H > a makes more of it.
fn unit_source(leaves: &[&Leaf], half: &[f64]) -> f64 {
    let largest = |half: &[f64]| half.iter().copied().fold(0.0, f64::max);
    let of_leaf = |leaf: &&Leaf| {
        let frame = &leaf.frame;
        let share = largest(&frame.half) / largest(half);
        frame.scale * share * share.max(frame.stiffness)
    };
    leaves.iter().map(of_leaf).fold(f64::INFINITY, f64::min)
}

/// Centre and half-widths of all leaves together.
fn extent(leaves: &[&Leaf], dim: usize) -> (Vec<f64>, Vec<f64>) {
    let mut lo = vec![f64::INFINITY; dim];
    let mut hi = vec![f64::NEG_INFINITY; dim];
    for frame in leaves.iter().map(|leaf| &leaf.frame) {
        for k in 0..dim {
            lo[k] = lo[k].min(frame.center[k] - frame.half[k]);
            hi[k] = hi[k].max(frame.center[k] + frame.half[k]);
        }
    }
    let ends = || lo.iter().zip(&hi);
    let center = ends().map(|(a, b)| 0.5 * (a + b)).collect();
    let half = ends().map(|(a, b)| 0.5 * (b - a)).collect();
    (center, half)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
