//! An evolution as a function of space and time.

use super::options::{LineError, LineReport};
use super::semidiscrete::Semidiscrete;
use crate::evolution::ode::{Ode, Trajectory};
use fastlsq_solve::space::TrialSpace;
use fastlsq_solve::{Action, Operator, Sites, Term};
use ndarray::Array2;
use std::sync::Arc;

/// A stretch of time over which one space was used.
pub(super) struct Epoch {
    pub(super) ode: Semidiscrete,
    pub(super) start: f64,
    pub(super) path: Trajectory,
}

/// The solution: every unknown as a function of space and time.
pub struct Evolution {
    pub(super) epochs: Vec<Epoch>,
    pub(super) report: LineReport,
}

impl std::fmt::Debug for Evolution {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Evolution")
            .field("epochs", &self.epochs.len())
            .field("report", &self.report)
            .finish()
    }
}

impl Evolution {
    /// What was chosen on the way, and how accurate it is.
    #[must_use]
    pub fn report(&self) -> &LineReport {
        &self.report
    }

    /// The time reached.
    #[must_use]
    pub fn end(&self) -> f64 {
        self.epochs
            .last()
            .map_or(f64::NAN, |epoch| epoch.path.end())
    }

    /// Ends of the steps in time.
    #[must_use]
    pub fn step_times(&self) -> Vec<f64> {
        self.epochs
            .iter()
            .flat_map(|epoch| epoch.path.segments())
            .map(crate::evolution::ode::Segment::end)
            .collect()
    }

    /// The space that is used at a time, for one unknown.
    #[must_use]
    pub fn space(&self, unknown: usize, t: f64) -> Option<&Arc<TrialSpace>> {
        self.epoch(t)?.ode.spaces.get(unknown)
    }

    fn epoch(&self, t: f64) -> Option<&Epoch> {
        let after = self.epochs.partition_point(|epoch| epoch.path.end() < t);
        self.epochs.get(after).or(self.epochs.last())
    }

    /// An unknown at a time and points, one row per point; times outside the run count as its ends.
    ///
    /// # Errors
    /// An unknown that does not exist, points of another dimension.
    pub fn values(
        &self,
        unknown: usize,
        t: f64,
        points: &Array2<f64>,
    ) -> Result<Vec<f64>, LineError> {
        let dim = points.ncols();
        let identity = Operator::from_terms(dim, [Term::new(1.0, Action::identity(dim))]);
        self.apply(&identity, unknown, t, points)
    }

    /// An operator in space on an unknown, at a time and points.
    ///
    /// # Errors
    /// As [`values`](Self::values), or an operator that does not fit.
    pub fn apply<'a>(
        &self,
        operator: &Operator,
        unknown: usize,
        t: f64,
        sites: impl Into<Sites<'a>>,
    ) -> Result<Vec<f64>, LineError> {
        let epoch = self.checked(unknown, t)?;
        let t = t.clamp(epoch.start, epoch.path.end());
        let modal = epoch.ode.modal(unknown, false, t, &epoch.path.at(t))?;
        let space = &epoch.ode.spaces[unknown];
        Ok(space.modes().apply(operator, &modal, sites)?)
    }

    /// An operator in space on the rate ∂u/∂t of an unknown, from the equation itself.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    pub fn apply_to_rate<'a>(
        &self,
        operator: &Operator,
        unknown: usize,
        t: f64,
        sites: impl Into<Sites<'a>>,
    ) -> Result<Vec<f64>, LineError> {
        let epoch = self.checked(unknown, t)?;
        let t = t.clamp(epoch.start, epoch.path.end());
        let y = epoch.path.at(t);
        let mut rate = vec![0.0; y.len()];
        epoch.ode.rate(t, &y, &mut rate);
        let space = &epoch.ode.spaces[unknown];
        let own = rate[epoch.ode.part(unknown, false)].to_vec();
        let modal = space.modal(&own, &epoch.ode.data_rates(unknown, t))?;
        Ok(space.modes().apply(operator, &modal, sites)?)
    }

    fn checked(&self, unknown: usize, t: f64) -> Result<&Epoch, LineError> {
        let epoch = self.epoch(t).ok_or(LineError::NoUnknowns)?;
        if unknown >= epoch.ode.spaces.len() {
            return Err(LineError::Option {
                what: "unknown",
                value: unknown as f64,
                requirement: "smaller than the number of unknowns",
            });
        }
        Ok(epoch)
    }
}
