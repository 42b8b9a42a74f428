//! What should be known about a fit besides its numbers.

use std::fmt;

/// Something that a reader of the result should know. None of these is an error.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// There are fewer observations than parameters.
    FewObservations {
        /// Observations, priors included.
        observations: usize,
        /// Parameters.
        parameters: usize,
    },
    /// The data leave a parameter open: its 95 % interval covers more than half of its range.
    NotDetermined {
        /// The parameter.
        name: String,
        /// Its Cramér–Rao deviation.
        deviation: f64,
        /// Its range.
        range: f64,
    },
    /// The start lay outside the box and was moved to its side.
    StartProjected {
        /// The parameter.
        name: String,
        /// The start that was given.
        given: f64,
        /// The start that was used.
        used: f64,
    },
    /// The fit ended on a bound.
    OnBound {
        /// The parameter.
        name: String,
        /// The bound.
        value: f64,
    },
    /// The optimisation did not converge.
    NotConverged {
        /// How it ended.
        status: String,
    },
    /// The residuals are larger than the noise explains: the model, its discretisation or the stated
    /// noise is wrong.
    PoorFit {
        /// Root mean square of the residuals in units of the noise.
        ratio: f64,
    },
    /// Several starts ended at different minima.
    SeveralMinima {
        /// Starts that ended at the best one.
        agreeing: usize,
        /// All starts.
        starts: usize,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FewObservations {
                observations,
                parameters,
            } => write!(
                f,
                "{observations} observations cannot determine {parameters} parameters: measure more, or state what is known by .prior(…)"
            ),
            Self::NotDetermined {
                name,
                deviation,
                range,
            } => write!(
                f,
                "the data do not determine {name}: its deviation {deviation:.2e} is too large for its range of {range:.2e}"
            ),
            Self::StartProjected { name, given, used } => write!(
                f,
                "the start {given} of {name} lies outside its bounds; {used} was used"
            ),
            Self::OnBound { name, value } => write!(f, "{name} ended on its bound {value}"),
            Self::NotConverged { status } => write!(f, "the fit is not final: {status}"),
            Self::PoorFit { ratio } => write!(
                f,
                "the residuals are {ratio:.1} times the stated noise: model, discretisation or noise level is wrong"
            ),
            Self::SeveralMinima { agreeing, starts } => write!(
                f,
                "only {agreeing} of {starts} starts ended at the best minimum"
            ),
        }
    }
}
