//! The unknown numbers: names, starts, bounds, prior knowledge.

use fastlsq_solve::Parameter;

use crate::InverseError;
use crate::optimise::{Bounds, BoundsError};

/// A parameter that is to be found.
///
/// ```
/// use fastlsq_inverse::{Sought, parameter};
/// let k = parameter("k");
/// let wavenumber = Sought::new(k, 9.5).within(8.0, 12.0);
/// let gain = Sought::new("g", 1.0).prior(1.0, 0.1); // known to 10 % beforehand
/// # let _ = (wavenumber, gain);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Sought {
    pub(crate) parameter: Parameter,
    pub(crate) start: f64,
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    pub(crate) prior: Option<(f64, f64)>,
    pub(crate) unit: Option<f64>,
}

impl Sought {
    /// A parameter (or its name) and the value from which the search starts.
    pub fn new(parameter: impl Into<Parameter>, start: f64) -> Self {
        Self {
            parameter: parameter.into(),
            start,
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            prior: None,
            unit: None,
        }
    }

    /// Bounds; either may be infinite.
    #[must_use]
    pub fn within(mut self, lower: f64, upper: f64) -> Self {
        (self.lower, self.upper) = (lower, upper);
        self
    }

    /// What is known beforehand: a mean and a standard deviation.
    #[must_use]
    pub fn prior(mut self, mean: f64, deviation: f64) -> Self {
        self.prior = Some((mean, deviation));
        self
    }

    /// The unit in which gradient methods take their steps (default: chosen so that all parameters
    /// change the predictions alike at the start). Where the data leave directions open, a small unit
    /// keeps a parameter near its start.
    #[must_use]
    pub fn unit(mut self, unit: f64) -> Self {
        self.unit = Some(unit);
        self
    }

    /// The parameter.
    #[must_use]
    pub fn parameter(&self) -> Parameter {
        self.parameter
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.parameter.name()
    }

    /// Where the search starts.
    #[must_use]
    pub fn start(&self) -> f64 {
        self.start
    }

    /// The bounds.
    #[must_use]
    pub fn bounds(&self) -> (f64, f64) {
        (self.lower, self.upper)
    }

    /// A change of this parameter that counts: the width of its box, its prior deviation, or its size.
    pub(crate) fn scale(&self) -> f64 {
        let width = self.upper - self.lower;
        if width.is_finite() && width > 0.0 {
            width
        } else if let Some((_, deviation)) = self.prior {
            deviation
        } else if self.start != 0.0 {
            self.start.abs()
        } else {
            1.0
        }
    }

    fn validate(&self) -> Result<(), InverseError> {
        let wrong = |what, value, requirement| {
            Err(InverseError::Parameter {
                name: self.name().to_owned(),
                what,
                value,
                requirement,
            })
        };
        if !self.start.is_finite() {
            return wrong("start", self.start, "it must be finite");
        }
        if let Some((mean, deviation)) = self.prior {
            if !mean.is_finite() {
                return wrong("prior mean", mean, "it must be finite");
            }
            if !(deviation.is_finite() && deviation > 0.0) {
                return wrong(
                    "prior deviation",
                    deviation,
                    "it must be positive and finite",
                );
            }
        }
        if let Some(unit) = self.unit
            && !(unit.is_finite() && unit > 0.0)
        {
            return wrong("unit", unit, "it must be positive and finite");
        }
        let named = |source: BoundsError| InverseError::Bounds {
            name: self.name().to_owned(),
            source,
        };
        Bounds::from_pairs(&[(self.lower, self.upper)])
            .map(|_| ())
            .map_err(named)
    }
}

/// Checks what is sought, and gives the box and the start inside it, with the indices of the
/// coordinates that had to be moved there.
pub(crate) fn feasible(sought: &[Sought]) -> Result<(Bounds, Vec<f64>, Vec<usize>), InverseError> {
    if sought.is_empty() {
        return Err(InverseError::NoParameters);
    }
    for parameter in sought {
        parameter.validate()?;
    }
    let sides: Vec<_> = sought.iter().map(Sought::bounds).collect();
    let bounds = Bounds::from_pairs(&sides).map_err(crate::optimise::OptimiseError::from)?;
    let mut start: Vec<f64> = sought.iter().map(|p| p.start).collect();
    let moved = bounds
        .project(&mut start)
        .map_err(crate::optimise::OptimiseError::from)?;
    Ok((bounds, start, moved))
}
