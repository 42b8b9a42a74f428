//! Numbers that the solution must have: values at points and means.

use std::sync::OnceLock;

use faer::Mat;
use fastlsq_ops::{EquationRow, Sites};
use ndarray::Array2;

use super::PatchError;
use super::coefficients::{LocalRow, place};
use super::leaf::{Leaf, apply};
use super::problem::derivatives_only;
use super::quadrature::gauss_legendre;
use super::reference::{Reference, tensor_grid};

/// ℓ(u) = v: what an operator makes of u at a point, or its mean over the domain.
///
/// Such numbers fix what equations and conditions leave free: a constant where only normal derivatives are given, rigid motions
/// of an elastic body. Each of them comes with a number μ that is added to an equation as a source, 0 where the data have a
/// solution.
///
/// ```
/// use fastlsq_solve::patches::{Data, FaceCondition, Functional, PatchOptions, PatchProblem, Piece};
/// use fastlsq_solve::{Action, MultiIndex, Operator, Term};
///
/// // u″ = 2 with slopes 0 and 2 at the ends, and mean 0: u = x² − 1/3.
/// let along = |order| MultiIndex::along(1, 0, order).map(|alpha| Term::new(1.0, Action::derivative(alpha)));
/// let second = Operator::from_terms(1, [along(2)?]);
/// let slope = Operator::from_terms(1, [along(1)?]);
/// let value = Operator::from_terms(1, [along(0)?]);
/// let problem = PatchProblem::new(
///     vec![Piece::new(&[0.0], &[1.0], second, Data::new(|_| 2.0))],
///     vec![FaceCondition::operator(slope, Data::new(|x| 2.0 * x[0]))],
/// )?
/// .with_functional(Functional::mean(value, 0.0))?;
/// let u = problem.solve(&PatchOptions::new())?;
/// assert!((u.value(&[1.0])? - 2.0 / 3.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Functional {
    row: EquationRow,
    point: Option<Vec<f64>>,
    pub(super) value: f64,
}

impl Functional {
    /// The operator has this value at a point.
    #[must_use]
    pub fn at(point: &[f64], operator: impl Into<EquationRow>, value: f64) -> Self {
        Self {
            row: operator.into(),
            point: Some(point.to_vec()),
            value,
        }
    }

    /// The operator has this mean over the domain.
    #[must_use]
    pub fn mean(operator: impl Into<EquationRow>, value: f64) -> Self {
        Self {
            row: operator.into(),
            point: None,
            value,
        }
    }

    /// The first unknown that it speaks of.
    pub(super) fn unknown(&self) -> usize {
        self.row.blocks().first().map_or(0, |(unknown, _)| *unknown)
    }

    pub(super) fn check(&self, dim: usize, unknowns: usize) -> Result<(), PatchError> {
        let point = self.point.as_deref();
        let placed = point.is_none_or(|x| x.len() == dim && x.iter().all(|x| x.is_finite()));
        if !placed || !self.value.is_finite() {
            return Err(PatchError::Statement {
                what: "a value at a point or a mean has a number that is not finite, or a point of the wrong dimension",
                requirement: "give finite numbers and a point of the boxes' dimension",
            });
        }
        let own = self.row.dim()?;
        if self.row.unknowns() != unknowns || own.is_some_and(|own| own != dim) {
            return Err(PatchError::Statement {
                what: "a value at a point or a mean has the wrong unknowns or the wrong dimension",
                requirement: "state it for the unknowns and the dimension of the boxes",
            });
        }
        if self.row.blocks().is_empty() || self.row.order() > 2 || !derivatives_only(&self.row) {
            return Err(PatchError::Statement {
                what: "a value at a point or a mean has no unknown, or contains integrals or derivatives above the second",
                requirement: "use values and derivatives up to the second",
            });
        }
        Ok(())
    }

    /// For each leaf, the weights of its coefficients in ℓ; empty where it has none.
    pub(super) fn weights(
        &self,
        leaves: &[&Leaf],
        reference: &Reference,
    ) -> Result<Vec<Vec<f64>>, PatchError> {
        let Some(point) = &self.point else {
            return self.mean_weights(leaves, reference);
        };
        // A point where several leaves meet belongs to the first of them.
        let slack = 1.0 + 1e-12;
        let within = |leaf: &&Leaf| {
            let frame = &leaf.frame;
            let axes = point.iter().zip(&frame.center).zip(&frame.half);
            let mut local = axes.map(|((x, c), h)| (x - c) / h);
            local.all(|x| x.abs() <= slack)
        };
        let home = leaves.iter().position(within);
        let home = home.ok_or_else(|| PatchError::Outside {
            point: point.clone(),
        })?;
        let frame = &leaves[home].frame;
        let local = Array2::from_shape_fn((1, point.len()), |(_, k)| {
            (point[k] - frame.center[k]) / frame.half[k]
        });
        let mut weights = vec![Vec::new(); leaves.len()];
        let at = Tables::new(local, reference);
        weights[home] = self.of_leaf(leaves[home], &at, &[1.0], reference)?;
        Ok(weights)
    }

    fn mean_weights(
        &self,
        leaves: &[&Leaf],
        reference: &Reference,
    ) -> Result<Vec<Vec<f64>>, PatchError> {
        let (x, w) = gauss_legendre(reference.inner_along + 1);
        let at = Tables::new(tensor_grid(reference.dim, &x), reference);
        let index: Vec<f64> = (0..x.len()).map(|i| i as f64).collect();
        let numbers = tensor_grid(reference.dim, &index);
        let each = numbers.rows().into_iter().map(|row| -> f64 {
            let along = row.iter().map(|i| 0.5 * w[*i as usize]);
            along.product()
        });
        let each: Vec<f64> = each.collect();
        let volume = |leaf: &&Leaf| -> f64 { leaf.frame.half.iter().product() };
        let whole: f64 = leaves.iter().map(volume).sum();
        leaves
            .iter()
            .map(|leaf| {
                let share = volume(leaf) / whole;
                let each: Vec<f64> = each.iter().map(|w| share * w).collect();
                self.of_leaf(leaf, &at, &each, reference)
            })
            .collect()
    }

    /// Σ wᵢ (row)(xᵢ) as weights of a leaf's coefficients.
    fn of_leaf(
        &self,
        leaf: &Leaf,
        at: &Tables,
        weights: &[f64],
        reference: &Reference,
    ) -> Result<Vec<f64>, PatchError> {
        let (frame, rank) = (&leaf.frame, reference.rank());
        let points = place(at.points.view(), &frame.center, &frame.half);
        let sites = Sites::new(points.view());
        let row = LocalRow::new(&self.row, sites, &frame.half, reference)?;
        let mut out = vec![0.0; self.row.unknowns() * rank];
        for term in &row.terms {
            let pairs = weights.iter().enumerate();
            let each: Vec<f64> = pairs.map(|(i, w)| w * term.values.at(i)).collect();
            let features = apply(at.table(term.alpha, reference)?.transpose(), &each);
            let own = reference.compression.covector(&features);
            let target = &mut out[term.unknown * rank..(term.unknown + 1) * rank];
            target.iter_mut().zip(own).for_each(|(t, o)| *t += o);
        }
        Ok(out)
    }
}

/// Derivatives of the features at points of the reference leaf, made where they are needed.
struct Tables {
    points: Array2<f64>,
    tables: Vec<OnceLock<Mat<f64>>>,
}

impl Tables {
    fn new(points: Array2<f64>, reference: &Reference) -> Self {
        let tables = reference.derivatives.iter().map(|_| OnceLock::new());
        Self {
            points,
            tables: tables.collect(),
        }
    }

    fn table(&self, alpha: usize, reference: &Reference) -> Result<&Mat<f64>, PatchError> {
        if let Some(known) = self.tables[alpha].get() {
            return Ok(known);
        }
        let derivative = &reference.derivatives[alpha];
        let made = reference
            .basis
            .derivatives(self.points.view(), derivative)?;
        Ok(self.tables[alpha].get_or_init(|| made))
    }
}
