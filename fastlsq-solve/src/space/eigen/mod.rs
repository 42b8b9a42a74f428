//! Eigenvalues: L u = λ M u under homogeneous conditions.
//!
//! In a trial space V the problem is A c = λ B c with A = P L V, B = P M V, a matrix problem of the
//! dimension of V. If A is symmetric up to what quadrature and conditions leave, its symmetric part
//! is taken, so that real eigenvalues stay real. Each real pair is then polished by a Newton step in
//! (u, λ) for the residual L u − λ M u at all nodes in the least-squares sense, and kept if that makes the
//! residual smaller.
//!
//! The residual ρ = ‖L u − λ M u‖/‖M u‖ bounds the error of a symmetric problem by ρ, and by ρ²/gap where the
//! next eigenvalue is further away than ρ; in other problems ρ is multiplied by the condition 1/|yᴴu| of the
//! eigenvalue, y being the left eigenvector.
//!
//! Where eigenvalues of a trial space converge slowly, as on an L, patches take over (`on_patches`).

mod matrix;
mod on_patches;
mod polish;
mod problem;

pub use problem::Eigenproblem;

use faer::c64;
use fastlsq_ops::Operator;
use ndarray::Array2;
use std::fmt;
use std::sync::Arc;

use super::{SpaceError, TrialSpace};
use crate::patches::PatchSolution;
use crate::samples::{GridSamples, even_axes};

/// Which eigenvalues are wanted.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Wanted {
    /// This many with the smallest real part.
    Smallest(usize),
    /// This many nearest to a number.
    Nearest(f64, usize),
}

impl Wanted {
    fn count(self) -> usize {
        match self {
            Self::Smallest(count) | Self::Nearest(_, count) => count,
        }
    }

    /// Smaller comes first.
    fn rank(self, value: c64) -> (f64, f64) {
        match self {
            Self::Smallest(_) => (value.re, value.im),
            Self::Nearest(shift, _) => ((value - shift).norm(), value.im),
        }
    }
}

/// A ratio of successive changes from space to space that is above the first of these says nothing about what is to come; none
/// below the second is trusted.
const MOST_RATIO: f64 = 0.3;
const LEAST_RATIO: f64 = 0.05;

/// The relative rounding of an eigenvalue, where the largest one of the matrix is not much larger; it grows with the root of
/// their ratio.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// One eigenvalue with its function.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Eigenpair {
    /// λ.
    pub value: c64,
    /// The coefficients of u in the trial space, of norm 1; none where u is a function on patches.
    pub coefficients: Vec<c64>,
    /// ‖L u − λ M u‖/‖M u‖ in L2.
    pub residual: f64,
    /// The estimated error of λ.
    pub error_estimate: f64,
    /// How many of the eigenvalues found agree with this one, itself included.
    pub multiplicity: usize,
    /// Whether the least-squares step made the residual smaller.
    pub polished: bool,
    /// How far the value is from that in the space before, where there was one.
    change: Option<f64>,
}

/// Eigenpairs in the order that was asked for, with the space of their functions.
#[derive(Debug, Clone)]
pub struct Spectrum {
    space: Arc<TrialSpace>,
    pairs: Vec<Eigenpair>,
    symmetric: bool,
    scale: f64,
    /// The functions, where the trial space only showed where the eigenvalues are.
    functions: Option<Vec<PatchSolution>>,
}

impl Spectrum {
    /// The pairs.
    #[must_use]
    pub fn pairs(&self) -> &[Eigenpair] {
        &self.pairs
    }

    /// The eigenfunctions on patches, where one trial space did not resolve them: one for each pair.
    #[must_use]
    pub fn on_patches(&self) -> Option<&[PatchSolution]> {
        self.functions.as_deref()
    }

    /// The trial space; where there are [patches](Self::on_patches), the one that showed where the eigenvalues are.
    #[must_use]
    pub fn space(&self) -> &Arc<TrialSpace> {
        &self.space
    }

    /// Whether the problem was taken as symmetric, so that eigenvalues are real by construction.
    #[must_use]
    pub fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    /// The largest estimated error relative to the size of its eigenvalue.
    #[must_use]
    pub fn worst_estimate(&self) -> f64 {
        let largest = self
            .pairs
            .iter()
            .map(|pair| pair.value.norm())
            .fold(0.0, f64::max);
        self.pairs
            .iter()
            .map(|pair| {
                pair.error_estimate / pair.value.norm().max(1e-3 * largest).max(f64::MIN_POSITIVE)
            })
            .fold(0.0, f64::max)
    }

    /// The change from another space to this one, where it is smaller than the estimate by the residual: residuals of high
    /// order are dominated by components that hardly move the eigenvalue. Where the change before is known and changes
    /// shrink by a factor r, what is left to come is r/(1 − r) of the last.
    fn compare(&mut self, other: &Self) {
        for (pair, before) in self.pairs.iter_mut().zip(&other.pairs) {
            let change = (pair.value - before.value).norm();
            pair.change = Some(change);
            let ratio = before.change.map_or(1.0, |last| change / last);
            let left = if ratio < MOST_RATIO {
                change * ratio.max(LEAST_RATIO) / (1.0 - ratio)
            } else {
                change
            };
            pair.error_estimate = pair.error_estimate.min(left);
        }
        self.share_among_equals();
        self.raise_to_rounding();
    }

    /// Pairs that are taken for one eigenvalue are known no better than they agree, and none is better than the others.
    fn share_among_equals(&mut self) {
        let all: Vec<(c64, f64)> = self
            .pairs
            .iter()
            .filter(|pair| pair.multiplicity > 1)
            .map(|pair| (pair.value, pair.error_estimate))
            .collect();
        for pair in self.pairs.iter_mut().filter(|pair| pair.multiplicity > 1) {
            let own = pair.value;
            let close = |value: &c64| (value - own).norm() <= polish::CLOSE * own.norm();
            for (value, estimate) in all.iter().filter(|(value, _)| close(value)) {
                let spread = (value - own).norm();
                pair.error_estimate = pair.error_estimate.max(*estimate).max(spread);
            }
        }
    }

    /// No estimate is below what rounding in the matrix may have done to the eigenvalue.
    fn raise_to_rounding(&mut self) {
        let scale = self.scale;
        for pair in &mut self.pairs {
            let size = pair.value.norm();
            let rounding = ROUNDING * (size + (scale * size).sqrt());
            pair.error_estimate = pair.error_estimate.max(rounding);
        }
    }

    /// The relative accuracy that rounding allows.
    fn rounding(&self) -> f64 {
        let smallest = self
            .pairs
            .iter()
            .map(|pair| pair.value.norm())
            .fold(f64::INFINITY, f64::min);
        ROUNDING * (1.0 + (self.scale / smallest.max(f64::MIN_POSITIVE)).sqrt())
    }

    /// Real part of an eigenfunction at points of the domain, one row per point.
    ///
    /// # Errors
    /// A pair that does not exist, or points of another dimension.
    pub fn values(&self, pair: usize, points: &Array2<f64>) -> Result<Vec<f64>, SpaceError> {
        if let Some(function) = self.functions.iter().flatten().nth(pair) {
            return Ok(function.values(points.view())?);
        }
        let pair = self.pairs.get(pair).ok_or(SpaceError::Size {
            what: "the list of eigenpairs",
            expected: pair + 1,
            found: self.pairs.len(),
        })?;
        let real: Vec<f64> = pair.coefficients.iter().map(|c| c.re).collect();
        self.space
            .values(&real, &vec![0.0; self.space.data_len()], points)
    }
}

impl Spectrum {
    /// The real parts of all eigenfunctions on a grid, called u1, u2, …; a count of points for each coordinate.
    ///
    /// # Errors
    /// Another number of coordinates, or more points than memory holds.
    pub fn on_grid(&self, counts: &[usize]) -> Result<GridSamples, SpaceError> {
        let domain = self.space.modes().domain();
        let axes = even_axes(&**domain, counts)?;
        let names = (1..=self.pairs.len()).map(|k| format!("u{k}"));
        GridSamples::take(
            domain.coordinates(),
            names.collect(),
            Some(Arc::clone(domain)),
            axes,
            |points| {
                (0..self.pairs.len())
                    .map(|pair| self.values(pair, points))
                    .collect::<Result<_, SpaceError>>()
            },
        )
    }
}

impl fmt::Display for Spectrum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.functions.iter().flatten().next() {
            Some(function) => writeln!(f, "{}", function.report())?,
            None => writeln!(f, "{}", self.space.report())?,
        }
        for pair in &self.pairs {
            write!(f, "{:.15}", pair.value.re)?;
            if pair.value.im != 0.0 {
                write!(f, " {:+.15}i", pair.value.im)?;
            }
            writeln!(
                f,
                "  ± {:.1e}, multiplicity {}",
                pair.error_estimate, pair.multiplicity
            )?;
        }
        Ok(())
    }
}

/// Eigenpairs of L u = λ M u in a given trial space (M = 1 if there is none).
///
/// # Errors
/// Operators that do not fit the space.
pub fn eigenpairs(
    space: &Arc<TrialSpace>,
    operator: &Operator,
    mass: Option<&Operator>,
    wanted: Wanted,
) -> Result<Spectrum, SpaceError> {
    let problem = matrix::Matrices::new(space, operator, mass)?;
    let choose = |values: &[c64]| {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&a, &b| {
            let (a, b) = (wanted.rank(values[a]), wanted.rank(values[b]));
            a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        order.truncate(wanted.count());
        order
    };
    let (found, chosen) = problem.pairs(&choose)?;
    let pairs = polish::polished(&problem, &found, &chosen)?;
    let mut spectrum = Spectrum {
        space: Arc::clone(space),
        pairs,
        symmetric: found.symmetric,
        scale: found
            .values
            .iter()
            .map(|value| value.norm())
            .fold(0.0, f64::max),
        functions: None,
    };
    spectrum.raise_to_rounding();
    Ok(spectrum)
}
