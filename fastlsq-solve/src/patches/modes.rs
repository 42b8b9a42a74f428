//! Eigenfunctions on a tree of patches.
//!
//! With the factors of L − σM, A = (L − σM)⁻¹M can be applied to any function on the tree, and L u = λ M u is
//! A u = θ u with θ = 1/(λ − σ): eigenvalues near the shift σ are the largest of A. A block of functions is mapped again and
//! again, and A is restricted to all that it has passed through, orthonormal in L2 (a block Krylov space).
//!
//! What the tree loses in one solve, relative to u, is the relative change of θ that it causes: λ is wrong by the same share
//! of λ − σ.

use std::collections::HashMap;

use faer::prelude::ReborrowMut;
use faer::{Mat, c64};
use fastlsq_ops::{EquationRow, Operator, Sites};

use super::coefficients::{LocalRow, place};
use super::indicator::measure;
use super::judgement::Judgement;
use super::kept::FactoredPatches;
use super::leaf::{Leaf, LeafData};
use super::reference::{PointSet, Reference, times};
use super::report::PatchReport;
use super::solution::PatchSolution;
use super::step::State;
use super::{PatchError, PatchStatus};
use crate::dense::{eigen, symmetric_eigen};

/// Functions in a block beyond those that are wanted.
const MORE: usize = 2;
/// The most functions that A is restricted to.
const MOST: usize = 240;
/// Steps of iterative refinement at the end.
const REFINEMENTS: usize = 2;
/// A u − θu over θu that counts as nothing.
const CONVERGED: f64 = 1e-13;
/// A direction that loses this much when made orthogonal to the others is one of them.
const DEPENDENT: f64 = 1e-12;

/// An eigenvalue θ of A, and A u of its function.
type Image = (f64, Vec<f64>);

/// What is asked of A.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ModeRequest<'a> {
    /// M, or the identity.
    pub(crate) mass: Option<&'a Operator>,
    /// σ, which is part of the equations that were factored.
    pub(crate) shift: f64,
    /// How many eigenvalues.
    pub(crate) count: usize,
    /// Whether L and M are known to be symmetric.
    pub(crate) symmetric: bool,
    /// A wave number of the functions that are looked for.
    pub(crate) waves: f64,
    /// The relative error that is asked for.
    pub(crate) tolerance: f64,
}

/// An eigenvalue with its function on patches.
#[derive(Debug, Clone)]
pub(crate) struct Mode {
    pub(crate) value: f64,
    /// Of norm 1 in L2.
    pub(crate) function: PatchSolution,
    /// The estimated error of λ.
    pub(crate) error: f64,
}

/// A on the functions of a tree: coefficients times the root of each leaf's measure, so that sums of squares are L2 norms.
struct Inverse<'a> {
    patches: &'a FactoredPatches,
    leaves: Vec<&'a Leaf>,
    /// M at the inner and at the check points, and the leaves where it is that.
    masses: Vec<([Mat<f64>; 2], Vec<usize>)>,
    roots: Vec<f64>,
}

impl FactoredPatches {
    /// The eigenvalues of L u = λ M u that are nearest to the shift, for one unknown whose conditions and source are
    /// homogeneous but for the source of the first solve; none if they are not all real.
    pub(crate) fn modes(&self, request: &ModeRequest<'_>) -> Result<Option<Vec<Mode>>, PatchError> {
        let inverse = Inverse::new(self, request.mass)?;
        let Some(found) = inverse.largest(request)? else {
            return Ok(None);
        };
        let modes = found.into_iter().map(|(theta, image)| {
            let value = request.shift + 1.0 / theta;
            inverse.mode(value, theta, &image)
        });
        modes.collect::<Result<_, _>>().map(Some)
    }
}

impl<'a> Inverse<'a> {
    fn new(patches: &'a FactoredPatches, mass: Option<&Operator>) -> Result<Self, PatchError> {
        let leaves = patches.leaves();
        let reference = &patches.mesh.reference;
        let row = mass.map(|mass| EquationRow::from(mass.clone()));
        let mut known: HashMap<Vec<u64>, usize> = HashMap::new();
        let mut masses: Vec<([Mat<f64>; 2], Vec<usize>)> = Vec::new();
        for (place, leaf) in leaves.iter().enumerate() {
            let rows = MassRows::new(leaf, row.as_ref(), reference)?;
            let found = rows.key().and_then(|key| known.get(&key).copied());
            if let Some(found) = found {
                masses[found].1.push(place);
                continue;
            }
            if let Some(key) = rows.key() {
                known.insert(key, masses.len());
            }
            masses.push((rows.tables(reference)?, vec![place]));
        }
        let volume = |leaf: &&Leaf| leaf.frame.half.iter().map(|h| 2.0 * h).product::<f64>();
        Ok(Self {
            roots: leaves.iter().map(|leaf| volume(leaf).sqrt()).collect(),
            patches,
            leaves,
            masses,
        })
    }

    fn rank(&self) -> usize {
        self.patches.mesh.reference.rank()
    }

    /// The source M u of a function, times a factor, in every leaf.
    fn sources(&self, function: &[f64], factor: f64) -> Vec<LeafData> {
        let rank = self.rank();
        let mut data = vec![LeafData::default(); self.leaves.len()];
        // Leaves with the same tables at once.
        for (tables, places) in &self.masses {
            let own = Mat::from_fn(rank, places.len(), |i, j| {
                let place = places[j];
                let scale = factor / (self.roots[place] * self.leaves[place].frame.scale);
                scale * function[place * rank + i]
            });
            let [inner, check] = tables
                .each_ref()
                .map(|table| times(table.as_ref(), own.as_ref()));
            for (j, &place) in places.iter().enumerate() {
                data[place] = LeafData {
                    inner: inner.col_as_slice(j).to_vec(),
                    check: check.col_as_slice(j).to_vec(),
                    sides: self.leaves[place].data.sides.clone(),
                };
            }
        }
        data
    }

    /// A u, with steps of iterative refinement.
    fn apply(&self, function: &[f64], refinements: usize) -> Result<Vec<f64>, PatchError> {
        let data = self.sources(function, 1.0);
        let factored = self.patches.with_data(&data, Vec::new());
        let mut state = factored.step(None)?;
        for _ in 0..refinements {
            state = factored.step(Some(&state))?;
        }
        Ok(self.flat(&state))
    }

    /// A of every column.
    fn apply_to(&self, block: &Mat<f64>, refinements: usize) -> Result<Mat<f64>, PatchError> {
        let columns = (0..block.ncols()).map(|j| self.apply(block.col_as_slice(j), refinements));
        let columns: Vec<Vec<f64>> = columns.collect::<Result<_, _>>()?;
        Ok(Mat::from_fn(block.nrows(), columns.len(), |i, j| {
            columns[j][i]
        }))
    }

    fn flat(&self, state: &State) -> Vec<f64> {
        let leaves = state.coefficients.iter().zip(&self.roots);
        leaves
            .flat_map(|(own, root)| own.iter().map(move |c| root * c))
            .collect()
    }

    /// Waves of all directions with lengths like those of the wanted functions, to begin with.
    fn start(&self, count: usize, waves: f64) -> Mat<f64> {
        let mesh = &self.patches.mesh;
        let reference = &mesh.reference;
        let mut block = Mat::zeros(self.leaves.len() * self.rank(), count);
        for (at, (leaf, root)) in self.leaves.iter().zip(&self.roots).enumerate() {
            let points = place(reference.grid.view(), &leaf.frame.center, &leaf.frame.half);
            for wave in 0..count {
                let number = 1.0 + wave as f64;
                // Angles that are never multiples of each other.
                let angle = 2.4 * number;
                let along = [angle.cos(), angle.sin(), (1.7 * number).cos()];
                let length = waves * (0.25 + 0.75 * number / count as f64);
                let values: Vec<f64> = points
                    .rows()
                    .into_iter()
                    .map(|x| {
                        let turn: f64 = x.iter().zip(along).map(|(x, d)| x * d).sum();
                        (length * turn + number).cos()
                    })
                    .collect();
                let own = reference.project(&values);
                let target = block.as_mut().subrows_mut(at * own.len(), own.len());
                for (target, c) in target.col_mut(wave).iter_mut().zip(own) {
                    *target = root * c;
                }
            }
        }
        block
    }

    /// The largest eigenvalues of A with the images A u of their functions.
    ///
    /// Rounding of one solve is the same for all, and what it does to θ is undone at the end, where only the functions that
    /// were found are mapped once more.
    fn largest(&self, request: &ModeRequest<'_>) -> Result<Option<Vec<Image>>, PatchError> {
        let width = request.count + MORE;
        let mut block = self.start(width, request.waves);
        let mut basis = Mat::<f64>::zeros(block.nrows(), 0);
        let mut images = Mat::<f64>::zeros(block.nrows(), 0);
        let least = (0.03 * request.tolerance).max(CONVERGED);
        let found = loop {
            let fresh = orthonormal(&basis, &block);
            block = self.apply_to(&fresh, 0)?;
            basis = beside(&basis, &fresh);
            images = beside(&images, &block);
            let Some(ritz) = Ritz::of(&basis, &images, width, request.symmetric) else {
                return Ok(None);
            };
            let enough = ritz.thetas.len() >= request.count;
            let converged = ritz.residuals.iter().take(request.count);
            let done = enough && converged.clone().all(|own| *own <= least);
            let last = fresh.ncols() == 0 || basis.ncols() + width > MOST;
            if done || (last && enough) {
                break ritz.images;
            }
            if last {
                return Ok(None);
            }
        };
        let functions = orthonormal(&Mat::zeros(found.nrows(), 0), &found);
        let images = self.apply_to(&functions, REFINEMENTS)?;
        let ritz = Ritz::of(&functions, &images, request.count, request.symmetric);
        Ok(ritz.map(|ritz| {
            let pairs = ritz.thetas.iter().enumerate();
            pairs
                .map(|(k, theta)| (*theta, ritz.images.col_as_slice(k).to_vec()))
                .collect()
        }))
    }

    /// The eigenfunction u with A u = θu that an image belongs to, and what its residual says of λ.
    fn mode(&self, value: f64, theta: f64, image: &[f64]) -> Result<Mode, PatchError> {
        let norm = image.iter().map(|v| v * v).sum::<f64>().sqrt();
        let function: Vec<f64> = image.iter().map(|v| v / norm).collect();
        let mesh = &self.patches.mesh;
        let data = self.sources(&function, 1.0 / theta);
        let factored = self.patches.with_data(&data, Vec::new());
        let coefficients: Vec<Vec<f64>> = function
            .chunks(self.rank())
            .zip(&self.roots)
            .map(|(own, root)| own.iter().map(|c| c / root).collect())
            .collect();
        let state = State::of(coefficients, factored.problem);
        let qualities = measure(&factored, &state, None)?;
        let judged = Judgement::new(&qualities, &[], false, mesh.grid.dim);
        let estimate = self.patches.estimate_of(&judged);
        let report = PatchReport {
            status: PatchStatus::OtherData,
            error_estimate: estimate,
            indicator: judged.indicator,
            ..self.patches.solution().report().clone()
        };
        Ok(Mode {
            value,
            function: PatchSolution::new(
                &mesh.snapshot(state.coefficients),
                &mesh.grid,
                1,
                report,
            )?,
            error: (estimate / theta.abs()).max(f64::EPSILON * value.abs()),
        })
    }
}

/// Eigenvalues of A restricted to a space, nearest to the shift first.
struct Ritz {
    thetas: Vec<f64>,
    /// A u for each.
    images: Mat<f64>,
    /// ‖A u − θu‖/|θ|.
    residuals: Vec<f64>,
}

impl Ritz {
    /// The first `count`; `None` if one of them is not real.
    fn of(basis: &Mat<f64>, images: &Mat<f64>, count: usize, symmetric: bool) -> Option<Self> {
        let small = times(basis.transpose(), images.as_ref());
        let n = small.nrows();
        let (values, vectors): (Vec<c64>, Mat<c64>) = if symmetric {
            let mean = Mat::from_fn(n, n, |i, j| 0.5 * (small[(i, j)] + small[(j, i)]));
            let (values, vectors) = symmetric_eigen(mean.as_ref())?;
            let values = values.into_iter().map(|v| c64::new(v, 0.0)).collect();
            let vectors = Mat::from_fn(n, n, |i, j| c64::new(vectors[(i, j)], 0.0));
            (values, vectors)
        } else {
            eigen(small.as_ref())?
        };
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| values[b].norm().total_cmp(&values[a].norm()));
        order.truncate(count);
        let real = |k: &usize| values[*k].im.abs() <= 1e-9 * values[*k].norm();
        if !order.iter().all(real) {
            return None;
        }
        let chosen = Mat::from_fn(n, order.len(), |i, j| vectors[(i, order[j])].re);
        let mapped = times(images.as_ref(), chosen.as_ref());
        let functions = times(basis.as_ref(), chosen.as_ref());
        let thetas: Vec<f64> = order.iter().map(|&k| values[k].re).collect();
        let residuals = thetas.iter().enumerate().map(|(k, theta)| {
            let pairs = mapped.col(k).iter().zip(functions.col(k).iter());
            let rest: f64 = pairs.map(|(a, u)| (a - theta * u).powi(2)).sum();
            rest.sqrt() / (theta.abs() * functions.col(k).norm_l2())
        });
        Some(Self {
            residuals: residuals.collect(),
            thetas,
            images: mapped,
        })
    }
}

/// M at the inner and at the check points of a leaf, in its coordinates; nothing for the identity.
struct MassRows(Option<[LocalRow; 2]>);

impl MassRows {
    fn new(
        leaf: &Leaf,
        row: Option<&EquationRow>,
        reference: &Reference,
    ) -> Result<Self, PatchError> {
        let Some(row) = row else {
            return Ok(Self(None));
        };
        let local = |at: &PointSet| {
            let (center, half) = (&leaf.frame.center, &leaf.frame.half);
            let points = place(at.points.view(), center, half);
            LocalRow::new(row, Sites::new(points.view()), half, reference)
        };
        Ok(Self(Some([
            local(&reference.inner)?,
            local(&reference.check)?,
        ])))
    }

    /// What leaves with the same constant coefficients have in common.
    fn key(&self) -> Option<Vec<u64>> {
        match &self.0 {
            Some([inner, _]) => inner.key(),
            None => Some(Vec::new()),
        }
    }

    fn tables(&self, reference: &Reference) -> Result<[Mat<f64>; 2], PatchError> {
        let at = [&reference.inner, &reference.check];
        let Some(rows) = &self.0 else {
            let [inner, check] = at.map(|at| reference.tables(at).map(|tables| tables[0].clone()));
            return Ok([inner?, check?]);
        };
        let table = |row: &LocalRow, at: &PointSet| -> Result<Mat<f64>, PatchError> {
            let mut out = Mat::zeros(at.len(), reference.rank());
            reference.add_rows(row, at, out.as_mut())?;
            Ok(out)
        };
        Ok([table(&rows[0], at[0])?, table(&rows[1], at[1])?])
    }
}

/// Two matrices side by side.
fn beside(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    let mut all = Mat::zeros(a.nrows(), a.ncols() + b.ncols());
    all.as_mut().subcols_mut(0, a.ncols()).copy_from(a);
    let mut rest = all.as_mut();
    rest.rb_mut().subcols_mut(a.ncols(), b.ncols()).copy_from(b);
    all
}

/// An orthonormal basis of what a block has beyond an orthonormal basis.
fn orthonormal(basis: &Mat<f64>, block: &Mat<f64>) -> Mat<f64> {
    let sizes: Vec<f64> = (0..block.ncols()).map(|j| block.col(j).norm_l2()).collect();
    let mut rest = block.clone();
    // Twice is enough.
    for _ in 0..2 {
        let shares = times(basis.transpose(), rest.as_ref());
        rest -= times(basis.as_ref(), shares.as_ref());
    }
    let mut kept = Mat::zeros(block.nrows(), 0);
    for (j, size) in sizes.into_iter().enumerate() {
        let mut column = rest.as_ref().subcols(j, 1).to_owned();
        for _ in 0..2 {
            let shares = times(kept.transpose(), column.as_ref());
            column -= times(kept.as_ref(), shares.as_ref());
        }
        let norm = column.norm_l2();
        if norm > DEPENDENT * size {
            kept = beside(&kept, &(column * faer::Scale(1.0 / norm)));
        }
    }
    kept
}
