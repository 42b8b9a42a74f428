//! Eigenfunctions on a tree of patches.
//!
//! With the factors of L − σM, A = (L − σM)⁻¹M can be applied to any function on the tree, and L u = λ M u is
//! A u = θ u with θ = 1/(λ − σ): eigenvalues near the shift σ are the largest of A. A block of functions is mapped again and
//! again, and A is restricted to all that it has passed through, orthonormal in L2 (a block Krylov space).
//!
//! What the tree loses in one solve, relative to u, is the relative change of θ that it causes: λ is wrong by as much of λ − σ.

use std::collections::HashMap;
use std::sync::Arc;

use faer::prelude::ReborrowMut;
use faer::{Mat, c64};
use fastlsq_ops::{EquationRow, Operator, Sites};
use rayon::prelude::*;

use super::coefficients::{LocalRow, place};
use super::indicator::measure;
use super::judgement::Judgement;
use super::kept::FactoredPatches;
use super::leaf::{Leaf, LeafData, apply};
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
/// A u − θu over θu that counts as nothing.
const CONVERGED: f64 = 1e-13;
/// A direction that loses this much when made orthogonal to the others is one of them.
const DEPENDENT: f64 = 1e-12;

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
    /// M at the inner and at the check points of each leaf.
    masses: Vec<Arc<[Mat<f64>; 2]>>,
    roots: Vec<f64>,
}

impl FactoredPatches {
    /// The eigenvalues of L u = λ M u that are nearest to the shift, for one unknown whose conditions and source are
    /// homogeneous but for the source of the first solve; none if they are not all real.
    pub(crate) fn modes(
        &self,
        request: &ModeRequest<'_>,
    ) -> Result<Option<Vec<Mode>>, PatchError> {
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
        let mut known: HashMap<Vec<u64>, Arc<[Mat<f64>; 2]>> = HashMap::new();
        let mut masses = Vec::with_capacity(leaves.len());
        for leaf in &leaves {
            masses.push(mass_of(leaf, row.as_ref(), reference, &mut known)?);
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
        let each = self.leaves.par_iter().enumerate();
        each.map(|(place, leaf)| {
            let own = &function[place * self.rank()..(place + 1) * self.rank()];
            let scale = factor / (self.roots[place] * leaf.frame.scale);
            let at = |table: &Mat<f64>| -> Vec<f64> {
                let values = apply(table.as_ref(), own);
                values.into_iter().map(|value| scale * value).collect()
            };
            let [inner, check] = self.masses[place].as_ref();
            LeafData {
                inner: at(inner),
                check: at(check),
                sides: leaf.data.sides.clone(),
            }
        })
        .collect()
    }

    /// A u.
    fn apply(&self, function: &[f64]) -> Result<Vec<f64>, PatchError> {
        let data = self.sources(function, 1.0);
        let factored = self.patches.with_data(&data, Vec::new());
        let state = factored.step(Some(&factored.step(None)?))?;
        Ok(self.flat(&state))
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
    fn largest(
        &self,
        request: &ModeRequest<'_>,
    ) -> Result<Option<Vec<(f64, Vec<f64>)>>, PatchError> {
        let width = request.count + MORE;
        let mut block = self.start(width, request.waves);
        let mut basis = Mat::<f64>::zeros(block.nrows(), 0);
        let mut images = Mat::<f64>::zeros(block.nrows(), 0);
        let least = (0.03 * request.tolerance).max(CONVERGED);
        loop {
            let fresh = orthonormal(&basis, &block);
            let columns: Vec<Vec<f64>> = (0..fresh.ncols())
                .map(|j| self.apply(fresh.col_as_slice(j)))
                .collect::<Result<_, _>>()?;
            block = Mat::from_fn(fresh.nrows(), columns.len(), |i, j| columns[j][i]);
            basis = beside(&basis, &fresh);
            images = beside(&images, &block);
            let Some(ritz) = Ritz::of(&basis, &images, request) else {
                return Ok(None);
            };
            let enough = ritz.thetas.len() == request.count;
            let done = enough && ritz.residuals.iter().all(|own| *own <= least);
            let last = fresh.ncols() == 0 || basis.ncols() + width > MOST;
            if done || (last && enough) {
                let image = |k: usize| ritz.images.col_as_slice(k).to_vec();
                let pairs = ritz.thetas.iter().enumerate();
                return Ok(Some(pairs.map(|(k, theta)| (*theta, image(k))).collect()));
            }
            if last {
                return Ok(None);
            }
        }
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
    /// `None` if one that is wanted is not real.
    fn of(basis: &Mat<f64>, images: &Mat<f64>, request: &ModeRequest<'_>) -> Option<Self> {
        let small = times(basis.transpose(), images.as_ref());
        let n = small.nrows();
        let (values, vectors): (Vec<c64>, Mat<c64>) = if request.symmetric {
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
        order.truncate(request.count);
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

/// M at the inner and at the check points of a leaf; leaves with the same rows share them.
fn mass_of(
    leaf: &Leaf,
    row: Option<&EquationRow>,
    reference: &Reference,
    known: &mut HashMap<Vec<u64>, Arc<[Mat<f64>; 2]>>,
) -> Result<Arc<[Mat<f64>; 2]>, PatchError> {
    let local = |at: &PointSet| -> Result<Option<LocalRow>, PatchError> {
        let Some(row) = row else { return Ok(None) };
        let points = place(at.points.view(), &leaf.frame.center, &leaf.frame.half);
        let sites = Sites::new(points.view());
        LocalRow::new(row, sites, &leaf.frame.half, reference).map(Some)
    };
    let table = |at: &PointSet, own: Option<&LocalRow>| -> Result<Mat<f64>, PatchError> {
        let Some(own) = own else {
            return Ok(reference.tables(at)?[0].clone());
        };
        let mut out = Mat::zeros(at.len(), reference.rank());
        reference.add_rows(own, at, out.as_mut())?;
        Ok(out)
    };
    let inner = local(&reference.inner)?;
    // Without coefficients that vary, the key tells everything.
    let key = inner.as_ref().map_or(Some(Vec::new()), LocalRow::key);
    if let Some(found) = key.as_ref().and_then(|key| known.get(key)) {
        return Ok(Arc::clone(found));
    }
    let check = local(&reference.check)?;
    let tables = Arc::new([
        table(&reference.inner, inner.as_ref())?,
        table(&reference.check, check.as_ref())?,
    ]);
    if let Some(key) = key {
        known.insert(key, Arc::clone(&tables));
    }
    Ok(tables)
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
    let mut kept = Mat::zeros(block.nrows(), 0);
    for j in 0..block.ncols() {
        let mut column = block.as_ref().subcols(j, 1).to_owned();
        let before = column.norm_l2();
        // Twice is enough.
        for _ in 0..2 {
            for against in [basis, &kept] {
                let shares = times(against.transpose(), column.as_ref());
                column -= times(against.as_ref(), shares.as_ref());
            }
        }
        let norm = column.norm_l2();
        if norm > DEPENDENT * before {
            kept = beside(&kept, &(column * faer::Scale(1.0 / norm)));
        }
    }
    kept
}
