//! The choice of modes by what they must represent.

use ndarray::Array2;
use std::fmt;
use std::sync::Arc;

use super::local::{bandwidth_of, expected_rank, polynomial_count};
use super::modes::is_polynomial;
use super::{Modes, SpaceCondition, SpaceError, TrialSpace};
use crate::domain::{Domain, Sequence, UnitSampler, checked_interior};

/// A function given by its values at points, one row per point.
pub type Sampled<'a> = dyn Fn(&Array2<f64>) -> Result<Vec<f64>, SpaceError> + 'a;

/// A function to be represented, and the L2 size that errors are relative to where its own is smaller.
pub type Target<'a> = (&'a Sampled<'a>, f64);

/// Growth of the bandwidth from one attempt to the next.
const GROWTH: f64 = 1.4;
/// The bandwidth up to which one piece is preferred in one dimension: about 120 modes.
const WIDEST: f64 = 160.0;
/// The same for lattice waves, which need no compression: 2·200 + 1 modes.
const WIDEST_PERIODIC: f64 = 630.0;
/// The bandwidth of each of several intervals: about 20 modes, fewest in total for thin layers.
const INTERVAL: f64 = 9.0;
/// Intervals are not halved more often than this: 2⁻⁴⁰ of the whole.
const HALVINGS: usize = 40;
/// Share of the tolerance that a single piece of a fit may use.
const SHARE: f64 = 0.3;

/// Chooses modes for a domain: what is periodic, the order of the equation, and how accurately given
/// functions must be represented.
#[derive(Clone)]
pub struct SpaceBuilder {
    domain: Arc<dyn Domain>,
    periodic: Vec<bool>,
    order: u32,
    tolerance: f64,
    seed: u64,
    limit: usize,
}

impl fmt::Debug for SpaceBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpaceBuilder")
            .field("domain", &self.domain)
            .field("periodic", &self.periodic)
            .field("order", &self.order)
            .field("tolerance", &self.tolerance)
            .finish_non_exhaustive()
    }
}

impl SpaceBuilder {
    /// Modes on this domain; by default for an equation of order 2, to 1e-10, at most 1500 of them.
    pub fn new(domain: Arc<dyn Domain>) -> Self {
        Self {
            periodic: vec![false; domain.dim()],
            domain,
            order: 2,
            tolerance: 1e-10,
            seed: 0,
            limit: 1500,
        }
    }

    /// Functions are periodic along this axis, with the extent of the bounding box as their period.
    #[must_use]
    pub fn periodic(mut self, axis: usize) -> Self {
        if let Some(periodic) = self.periodic.get_mut(axis) {
            *periodic = true;
        }
        self
    }

    /// The order of the equation in space: derivatives below it are continuous across joints, and
    /// the compression is coarser for higher orders, which amplify its rounding.
    #[must_use]
    pub fn order(mut self, order: u32) -> Self {
        self.order = order.max(1);
        self
    }

    /// Relative L2 error to which the given functions are represented.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// The seed of the features.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The largest number of modes.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// The domain.
    #[must_use]
    pub fn domain(&self) -> &Arc<dyn Domain> {
        &self.domain
    }

    /// The largest number of modes.
    #[must_use]
    pub fn mode_limit(&self) -> usize {
        self.limit
    }

    /// The order of the equation in space.
    #[must_use]
    pub fn equation_order(&self) -> u32 {
        self.order
    }

    /// The relative size below which singular values of the features are dropped.
    #[must_use]
    pub fn cut(&self) -> f64 {
        let finest: f64 = match self.order {
            0..=2 => 1e-12,
            3 => 5e-12,
            _ => 1e-11,
        };
        // Every digit costs modes in several dimensions, and rounding ε/cut between the nodes in one.
        let coarsest = if self.domain.dim() == 1 { 1e-10 } else { 1e-7 };
        let share = if self.domain.dim() == 1 { 0.3 } else { 0.01 };
        finest.max((share * self.tolerance).min(coarsest))
    }

    /// One piece with this bandwidth.
    ///
    /// # Errors
    /// More modes than the limit, or a domain that cannot be sampled.
    pub fn global(&self, bandwidth: f64) -> Result<Modes, SpaceError> {
        let dim = self.domain.dim();
        if !self.periodic.iter().all(|&p| p) {
            let needed = if is_polynomial(&self.periodic) {
                polynomial_count(dim, bandwidth)
            } else {
                expected_rank(dim, bandwidth, self.cut())
            };
            if needed > 1.3 * self.limit as f64 {
                return Err(SpaceError::TooLarge {
                    needed: needed as usize,
                    limit: self.limit,
                });
            }
        }
        let modes = Modes::global(
            Arc::clone(&self.domain),
            &self.periodic,
            bandwidth,
            self.cut(),
            self.seed,
        )?;
        if modes.len() > self.limit {
            return Err(SpaceError::TooLarge {
                needed: modes.len(),
                limit: self.limit,
            });
        }
        Ok(modes)
    }

    /// One piece with polynomials up to this degree, or waves of the bandwidth that they would hold.
    ///
    /// # Errors
    /// As [`global`](Self::global).
    pub fn of_degree(&self, degree: usize) -> Result<Modes, SpaceError> {
        self.global(bandwidth_of(self.domain.dim(), degree))
    }

    /// The space of one piece with this bandwidth.
    ///
    /// # Errors
    /// As [`global`](Self::global) and [`TrialSpace::new`].
    pub fn space(
        &self,
        bandwidth: f64,
        conditions: &[SpaceCondition],
    ) -> Result<TrialSpace, SpaceError> {
        TrialSpace::new(Arc::new(self.global(bandwidth)?), conditions, self.order)
    }

    /// The smallest modes that represent all functions to the tolerance, with a bandwidth of at least
    /// `least`: one piece, or in one dimension intervals where one piece would be too large.
    ///
    /// # Errors
    /// More modes than the limit, functions that are not finite.
    pub fn fitted(&self, functions: &[Target<'_>], least: f64) -> Result<Modes, SpaceError> {
        let line = self.domain.dim() == 1;
        let periodic = self.periodic.iter().all(|&p| p);
        let widest = match (line, periodic) {
            (true, true) => WIDEST_PERIODIC,
            (true, false) => WIDEST,
            _ => f64::INFINITY,
        };
        let mut bandwidth = least.max(if periodic {
            8.0 * std::f64::consts::PI
        } else if line {
            8.0
        } else {
            4.0
        });
        while bandwidth <= widest {
            let modes = self.global(bandwidth)?;
            if self.represents(&modes, functions)? {
                return Ok(modes);
            }
            bandwidth *= GROWTH;
        }
        self.fitted_intervals(functions)
    }

    /// Whether every function is represented at fresh points.
    fn represents(&self, modes: &Modes, functions: &[Target<'_>]) -> Result<bool, SpaceError> {
        if functions.is_empty() {
            return Ok(true);
        }
        let space = TrialSpace::new(Arc::new(modes.clone()), &[], self.order)?;
        let mut sampler = UnitSampler::on_stream(Sequence::Halton, self.seed, 92);
        let count = (2 * modes.len()).clamp(100, 1500);
        let fresh = checked_interior(&*self.domain, count, &mut sampler)?;
        let share = self.domain.volume()? / fresh.nrows().max(1) as f64;
        for &(f, least) in functions {
            let coefficients = space.project(&finite(modes.nodes(), f)?, &[])?;
            let fitted = space.values(&coefficients, &[], &fresh)?;
            let truth = finite(&fresh, f)?;
            let size: f64 = truth.iter().map(|v| v * v).sum();
            let error: f64 = truth
                .iter()
                .zip(&fitted)
                .map(|(t, q)| (t - q).powi(2))
                .sum();
            let size = (share * size).sqrt().max(least);
            if (share * error).sqrt() > self.tolerance * size {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Intervals, halved until each represents all functions.
    ///
    /// # Errors
    /// As [`fitted`](Self::fitted), or a domain of several dimensions.
    pub fn fitted_intervals(&self, functions: &[Target<'_>]) -> Result<Modes, SpaceError> {
        let bounds = self.domain.bounding_box()?;
        if bounds.dim() != 1 {
            return Err(SpaceError::Option {
                option: "dimension of joined intervals",
                value: bounds.dim() as f64,
                requirement: "1; use one piece in several dimensions",
            });
        }
        let (lo, hi) = (bounds.lo()[0], bounds.hi()[0]);
        let periodic = self.periodic[0];
        let mut modes = Modes::intervals(
            &[lo, 0.5 * (lo + hi), hi],
            periodic,
            INTERVAL,
            self.cut(),
            self.seed,
        )?;
        for _ in 0..HALVINGS {
            let mut split = vec![false; modes.breaks().len() - 1];
            for &(f, least) in functions {
                let values = finite(modes.nodes(), f)?;
                let size = values
                    .iter()
                    .zip(modes.weights())
                    .map(|(v, w)| w * v * v)
                    .sum::<f64>()
                    .sqrt();
                let allowed = SHARE * self.tolerance * size.max(least);
                for (split, misfit) in split.iter_mut().zip(modes.misfits(f)?) {
                    *split |= misfit > allowed;
                }
            }
            if !split.contains(&true) {
                break;
            }
            let added = split.iter().filter(|split| **split).count();
            let size = modes.len() / split.len() * (split.len() + added);
            if size > self.limit {
                return Err(SpaceError::TooLarge {
                    needed: size,
                    limit: self.limit,
                });
            }
            modes = modes.halved(&split)?;
        }
        Ok(modes)
    }
}

/// Values of a function, all finite.
fn finite(points: &Array2<f64>, f: &Sampled<'_>) -> Result<Vec<f64>, SpaceError> {
    let values = f(points)?;
    if values.len() != points.nrows() {
        return Err(SpaceError::Size {
            what: "the list of values of a function",
            expected: points.nrows(),
            found: values.len(),
        });
    }
    match points
        .rows()
        .into_iter()
        .zip(&values)
        .find(|(_, v)| !v.is_finite())
    {
        None => Ok(values),
        Some((point, &value)) => Err(SpaceError::NotFinite {
            point: point.to_vec(),
            value,
        }),
    }
}
