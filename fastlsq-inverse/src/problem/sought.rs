//! The unknown numbers: names, starts, bounds, prior knowledge.

use crate::InverseError;
use crate::optimise::{Bounds, BoundsError};

/// One unknown number.
///
/// ```
/// use fastlsq_inverse::Parameter;
/// let wavenumber = Parameter::new("k", 9.5).within(8.0, 12.0);
/// let gain = Parameter::new("g", 1.0).prior(1.0, 0.1); // known to 10 % beforehand
/// # let _ = (wavenumber, gain);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    pub(crate) name: String,
    pub(crate) start: f64,
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    pub(crate) prior: Option<(f64, f64)>,
    pub(crate) unit: Option<f64>,
}

impl Parameter {
    /// A parameter with its name and the value from which the search starts.
    pub fn new(name: impl Into<String>, start: f64) -> Self {
        Self {
            name: name.into(),
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

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
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
                name: self.name.clone(),
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
            name: self.name.clone(),
            source,
        };
        Bounds::from_pairs(&[(self.lower, self.upper)])
            .map(|_| ())
            .map_err(named)
    }
}

/// Checks the parameters, and gives the box and the start inside it, with the indices of the
/// coordinates that had to be moved there.
pub(crate) fn feasible(
    parameters: &[Parameter],
) -> Result<(Bounds, Vec<f64>, Vec<usize>), InverseError> {
    if parameters.is_empty() {
        return Err(InverseError::NoParameters);
    }
    for parameter in parameters {
        parameter.validate()?;
    }
    let sides: Vec<_> = parameters.iter().map(Parameter::bounds).collect();
    let bounds = Bounds::from_pairs(&sides).map_err(crate::optimise::OptimiseError::from)?;
    let mut start: Vec<f64> = parameters.iter().map(|p| p.start).collect();
    let moved = bounds
        .project(&mut start)
        .map_err(crate::optimise::OptimiseError::from)?;
    Ok((bounds, start, moved))
}
