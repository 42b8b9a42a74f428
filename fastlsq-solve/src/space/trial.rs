//! Modes with conditions built in.

use faer::{Mat, MatRef};
use fastlsq_basis::Action;
use fastlsq_ops::{Operator, Sites, Term};
use ndarray::{Array2, ArrayView2};
use std::fmt;
use std::sync::Arc;

use super::condition::SampledCondition;
use super::elimination::{Elimination, few, many};
use super::local::scale_rows;
use super::{Modes, SpaceCondition, SpaceError};
use crate::dense::{cholesky, cholesky_solve, product, times};

/// Functions on a domain that satisfy homogeneous conditions, orthonormal in L2.
///
/// Coefficients c stand for u = Σ cⱼ vⱼ + lift(g), where g are the values of the conditions at their
/// points: the lift is linear in g and orthogonal to every vⱼ. So ‖c‖ is the L2 norm of the homogeneous
/// part, and the rate of change of c does not see the rate of change of g.
#[derive(Debug, Clone)]
pub struct TrialSpace {
    modes: Arc<Modes>,
    conditions: Vec<(SpaceCondition, SampledCondition)>,
    null: Mat<f64>,
    /// Modes by values of the conditions, in their order.
    lift: Mat<f64>,
    /// The modes at the nodes.
    values: Mat<f64>,
    projection: Mat<f64>,
    report: SpaceReport,
}

/// How a trial space turned out.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SpaceReport {
    /// Functions in the space.
    pub dim: usize,
    /// Modes before conditions.
    pub modes: usize,
    /// Independent conditions, joints between intervals included.
    pub conditions: usize,
    /// Pieces: intervals that are joined, or 1.
    pub pieces: usize,
    /// Nodes of the quadrature.
    pub nodes: usize,
    /// The largest frequency, for a piece mapped to [−1, 1]^d.
    pub bandwidth: f64,
    /// The smallest singular value kept, relative to the largest.
    pub cut: f64,
    /// How far the sampled functions are from orthonormal, the largest entry of VᵀV − 1.
    pub orthonormality: f64,
    /// For each condition, the root mean square of its values over the functions of the space at
    /// fresh points, relative to that over all modes.
    pub conformance: Vec<(String, f64)>,
}

impl fmt::Display for SpaceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            dim,
            modes,
            conditions,
            pieces,
            nodes,
            bandwidth,
            cut,
            ..
        } = self;
        write!(
            f,
            "{dim} functions: {modes} modes on {pieces} pieces less {conditions} conditions; bandwidth {bandwidth:.3}, cut {cut:.0e}, {nodes} nodes"
        )?;
        for (label, value) in &self.conformance {
            write!(f, "; {label} holds to {value:.1e}")?;
        }
        Ok(())
    }
}

/// The identity on functions of `dim` variables.
fn identity(dim: usize) -> Operator {
    Operator::from_terms(dim, [Term::new(1.0, Action::identity(dim))])
}

/// The part of the cut that conditions on surfaces are resolved to: their rows hold the rounding of the
/// compression, amplified by 1/cut in the weakest modes, which a finer cut would take for conditions.
fn condition_cut(cut: f64) -> f64 {
    cut.powf(0.75).clamp(1e-10, 1e-4)
}

impl TrialSpace {
    /// The functions among the modes that satisfy the conditions and, where intervals meet, have
    /// continuous derivatives below `order`, the order of the equation in space.
    ///
    /// # Errors
    /// Conditions that do not fit the domain, or leave nothing.
    pub fn new(
        modes: Arc<Modes>,
        conditions: &[SpaceCondition],
        order: u32,
    ) -> Result<Self, SpaceError> {
        let dim = modes.domain().dim();
        let sampled: Vec<(SpaceCondition, SampledCondition)> = conditions
            .iter()
            .enumerate()
            .map(|(k, condition)| {
                let rows = SampledCondition::new(&modes, condition, 200 + k as u64)?;
                Ok((condition.clone(), rows))
            })
            .collect::<Result<_, SpaceError>>()?;
        let joints = if dim == 1 {
            modes.joints(order)?
        } else {
            Mat::zeros(0, modes.len())
        };
        let all = stacked(&joints, &sampled, modes.len());
        let Elimination {
            null,
            pseudo_inverse,
            independent,
        } = if dim == 1 {
            few(&all)
        } else {
            many(&all, condition_cut(modes.cut()))?
        };
        if null.ncols() == 0 {
            return Err(SpaceError::Empty {
                conditions: independent,
                modes: modes.len(),
            });
        }
        let values = modes.at_nodes(&identity(dim))?;
        let mut samples = product(values.as_ref(), null.as_ref());
        scale_rows(&mut samples, modes.weights());
        let gram = product(samples.transpose(), samples.as_ref());
        let size = gram.nrows();
        let orthonormality = (0..size)
            .flat_map(|j| (0..size).map(move |i| (i, j)))
            .map(|(i, j)| (gram[(i, j)] - f64::from(u8::from(i == j))).abs())
            .fold(0.0, f64::max);
        // The pseudo-inverse of what was sampled, not its transpose: rounding in the compression, times
        // 1/cut, separates the two. The Gram matrix is near 1, so nothing is lost by forming it.
        let factor = cholesky(gram).ok_or(SpaceError::Numerical {
            what: "the Gram matrix of the trial space",
        })?;
        let mut projection = samples.transpose().to_owned();
        cholesky_solve(factor.as_ref(), projection.as_mut());
        for (j, weight) in modes.weights().iter().enumerate() {
            for i in 0..size {
                projection[(i, j)] *= weight.sqrt();
            }
        }
        let lift = lift(&sampled, &pseudo_inverse, joints.nrows());
        let mut space = Self {
            report: SpaceReport {
                dim: null.ncols(),
                modes: modes.len(),
                conditions: independent,
                pieces: modes.pieces.len(),
                nodes: modes.weights().len(),
                bandwidth: modes.bandwidth(),
                cut: modes.cut(),
                orthonormality,
                conformance: Vec::new(),
            },
            conditions: sampled,
            modes,
            null,
            lift,
            values,
            projection,
        };
        space.make_lift_orthogonal();
        space.report.conformance = space.conformance()?;
        Ok(space)
    }

    fn make_lift_orthogonal(&mut self) {
        let seen = product(self.values.as_ref(), self.lift.as_ref());
        let within = product(self.projection.as_ref(), seen.as_ref());
        self.lift -= product(self.null.as_ref(), within.as_ref());
    }

    fn conformance(&self) -> Result<Vec<(String, f64)>, SpaceError> {
        let mut all = Vec::with_capacity(self.conditions.len());
        for (k, (condition, _)) in self.conditions.iter().enumerate() {
            let fresh = SampledCondition::new(&self.modes, condition, 400 + k as u64)?;
            let whole = fresh.rows.norm_l2() / (fresh.rows.ncols().max(1) as f64).sqrt();
            let left = product(fresh.rows.as_ref(), self.null.as_ref());
            let left = left.norm_l2() / (left.ncols().max(1) as f64).sqrt();
            let ratio = if whole > 0.0 { left / whole } else { 0.0 };
            all.push((condition.label.clone(), ratio));
        }
        Ok(all)
    }

    /// The number of functions.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.null.ncols()
    }

    /// The modes without conditions.
    #[must_use]
    pub fn modes(&self) -> &Arc<Modes> {
        &self.modes
    }

    /// The points at which functions are sampled, one row per point.
    #[must_use]
    pub fn nodes(&self) -> ArrayView2<'_, f64> {
        self.modes.nodes().view()
    }

    /// The weights of the nodes in integrals.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        self.modes.weights()
    }

    /// How the space turned out.
    #[must_use]
    pub fn report(&self) -> &SpaceReport {
        &self.report
    }

    /// The number of values g that the lift takes.
    #[must_use]
    pub fn data_len(&self) -> usize {
        self.lift.ncols()
    }

    /// For each condition, the points at which its values g are asked for, in the order of the lift.
    pub fn data_points(&self) -> impl Iterator<Item = (&SpaceCondition, &Array2<f64>)> {
        self.conditions
            .iter()
            .map(|(condition, sampled)| (condition, &sampled.points.points))
    }

    /// The same points with their outward normals.
    pub fn data_sites(
        &self,
    ) -> impl Iterator<Item = (&SpaceCondition, &Array2<f64>, &Array2<f64>)> {
        self.conditions.iter().map(|(condition, sampled)| {
            (condition, &sampled.points.points, &sampled.points.normals)
        })
    }

    /// The coefficients of the functions over the modes, modes by functions.
    #[must_use]
    pub fn null(&self) -> MatRef<'_, f64> {
        self.null.as_ref()
    }

    /// L vⱼ at the nodes, points by functions.
    ///
    /// # Errors
    /// An operator that does not fit, or holds more than derivatives.
    pub fn samples(&self, operator: &Operator) -> Result<Mat<f64>, SpaceError> {
        let rows = self.modes.at_nodes(operator)?;
        Ok(product(rows.as_ref(), self.null.as_ref()))
    }

    /// L applied to the lift of each value g, at the nodes.
    ///
    /// # Errors
    /// As [`samples`](Self::samples).
    pub fn lift_samples(&self, operator: &Operator) -> Result<Mat<f64>, SpaceError> {
        let rows = self.modes.at_nodes(operator)?;
        Ok(product(rows.as_ref(), self.lift.as_ref()))
    }

    /// The matrix that takes values at the nodes to coefficients: the L2 projection.
    #[must_use]
    pub fn projection(&self) -> MatRef<'_, f64> {
        self.projection.as_ref()
    }

    /// The matrix of the L2 projection of L on the space.
    ///
    /// # Errors
    /// As [`samples`](Self::samples).
    pub fn matrix(&self, operator: &Operator) -> Result<Mat<f64>, SpaceError> {
        let samples = self.samples(operator)?;
        Ok(product(self.projection.as_ref(), samples.as_ref()))
    }

    /// The coefficients of the projection of values at the nodes, less the lift of g.
    ///
    /// # Errors
    /// Wrong numbers of values.
    pub fn project(&self, values: &[f64], data: &[f64]) -> Result<Vec<f64>, SpaceError> {
        self.check(
            "the list of values at the nodes",
            self.weights().len(),
            values.len(),
        )?;
        let lifted = self.modal(&vec![0.0; self.dim()], data)?;
        let mut rest = vec![0.0; values.len()];
        times(self.values.as_ref(), &lifted, &mut rest);
        for (rest, value) in rest.iter_mut().zip(values) {
            *rest = value - *rest;
        }
        let mut coefficients = vec![0.0; self.dim()];
        times(self.projection.as_ref(), &rest, &mut coefficients);
        Ok(coefficients)
    }

    /// The coefficients over the modes of u = Σ cⱼ vⱼ + lift(g).
    ///
    /// # Errors
    /// Wrong numbers of coefficients or values.
    pub fn modal(&self, coefficients: &[f64], data: &[f64]) -> Result<Vec<f64>, SpaceError> {
        self.check("the list of coefficients", self.dim(), coefficients.len())?;
        self.check("the list of boundary values", self.data_len(), data.len())?;
        let mut modal = vec![0.0; self.null.nrows()];
        times(self.null.as_ref(), coefficients, &mut modal);
        let mut lifted = vec![0.0; modal.len()];
        times(self.lift.as_ref(), data, &mut lifted);
        for (modal, lifted) in modal.iter_mut().zip(lifted) {
            *modal += lifted;
        }
        Ok(modal)
    }

    /// u at the nodes.
    ///
    /// # Errors
    /// As [`modal`](Self::modal).
    pub fn at_nodes(&self, coefficients: &[f64], data: &[f64]) -> Result<Vec<f64>, SpaceError> {
        let modal = self.modal(coefficients, data)?;
        let mut values = vec![0.0; self.values.nrows()];
        times(self.values.as_ref(), &modal, &mut values);
        Ok(values)
    }

    /// L u at any points of the domain.
    ///
    /// # Errors
    /// As [`samples`](Self::samples) and [`modal`](Self::modal).
    pub fn apply<'a>(
        &self,
        operator: &Operator,
        coefficients: &[f64],
        data: &[f64],
        sites: impl Into<Sites<'a>>,
    ) -> Result<Vec<f64>, SpaceError> {
        let modal = self.modal(coefficients, data)?;
        self.modes.apply(operator, &modal, sites)
    }

    /// u at any points of the domain.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    pub fn values<'a>(
        &self,
        coefficients: &[f64],
        data: &[f64],
        sites: impl Into<Sites<'a>>,
    ) -> Result<Vec<f64>, SpaceError> {
        let dim = self.modes.domain().dim();
        self.apply(&identity(dim), coefficients, data, sites)
    }

    /// √∫ f² by the rule of the space, for values at the nodes.
    #[must_use]
    pub fn norm(&self, values: &[f64]) -> f64 {
        let squares = self.weights().iter().zip(values).map(|(w, v)| w * v * v);
        squares.sum::<f64>().sqrt()
    }

    fn check(&self, what: &'static str, expected: usize, found: usize) -> Result<(), SpaceError> {
        if expected == found {
            Ok(())
        } else {
            Err(SpaceError::Size {
                what,
                expected,
                found,
            })
        }
    }
}

fn stacked(
    joints: &Mat<f64>,
    sampled: &[(SpaceCondition, SampledCondition)],
    size: usize,
) -> Mat<f64> {
    let count = joints.nrows() + sampled.iter().map(|(_, s)| s.rows.nrows()).sum::<usize>();
    let mut all = Mat::zeros(count, size);
    all.as_mut()
        .subrows_mut(0, joints.nrows())
        .copy_from(joints);
    let mut start = joints.nrows();
    for (_, condition) in sampled {
        let rows = condition.rows.nrows();
        all.as_mut()
            .subrows_mut(start, rows)
            .copy_from(&condition.rows);
        start += rows;
    }
    all
}

/// The columns of B⁺ that belong to values of the conditions, in their own units.
fn lift(
    sampled: &[(SpaceCondition, SampledCondition)],
    pseudo_inverse: &Mat<f64>,
    joints: usize,
) -> Mat<f64> {
    let mut lift = pseudo_inverse
        .as_ref()
        .subcols(joints, pseudo_inverse.ncols() - joints)
        .to_owned();
    let mut start = 0;
    for (_, condition) in sampled {
        for j in start..start + condition.rows.nrows() {
            for i in 0..lift.nrows() {
                lift[(i, j)] *= condition.factor;
            }
        }
        start += condition.rows.nrows();
    }
    lift
}
