//! Learning rates of the Adam family.

use std::f64::consts::PI;

use super::error::{OptimiseError, require};

/// The step size α_t as a function of the number t = 0, 1, … of steps already taken.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum LearningRate {
    /// The same always.
    Constant(f64),
    /// initial · factor^t.
    Exponential {
        /// Rate of the first step.
        initial: f64,
        /// Factor from each step to the next, in (0, 1].
        factor: f64,
    },
    /// Half a cosine from `initial` at t = 0 to `last` at t = `steps`, constant afterwards.
    Cosine {
        /// Rate of the first step.
        initial: f64,
        /// Rate after `steps` steps.
        last: f64,
        /// Length of the descent.
        steps: u64,
    },
    /// initial · factor^⌊t / every⌋.
    Stepwise {
        /// Rate of the first steps.
        initial: f64,
        /// Factor at each drop, in (0, 1].
        factor: f64,
        /// Steps between drops.
        every: u64,
    },
}

impl LearningRate {
    /// α_t.
    #[must_use]
    pub fn at(&self, t: u64) -> f64 {
        match *self {
            Self::Constant(rate) => rate,
            Self::Exponential { initial, factor } => initial * factor.powf(t as f64),
            Self::Cosine {
                initial,
                last,
                steps,
            } => {
                let progress = if t >= steps {
                    1.0
                } else {
                    t as f64 / steps as f64
                };
                last + 0.5 * (initial - last) * (1.0 + (PI * progress).cos())
            }
            Self::Stepwise {
                initial,
                factor,
                every,
            } => initial * factor.powf((t / every.max(1)) as f64),
        }
    }

    pub(crate) fn validate(&self) -> Result<(), OptimiseError> {
        let rate = |name, value: f64| {
            require(
                value > 0.0 && value.is_finite(),
                name,
                value,
                "positive and finite",
            )
        };
        let fraction = |value: f64| {
            require(
                value > 0.0 && value <= 1.0,
                "learning_rate factor",
                value,
                "in (0, 1]",
            )
        };
        let at_least_one = |name, value: u64| require(value >= 1, name, value as f64, "at least 1");
        match *self {
            Self::Constant(initial) => rate("learning_rate", initial),
            Self::Exponential { initial, factor } => {
                rate("learning_rate", initial)?;
                fraction(factor)
            }
            Self::Cosine {
                initial,
                last,
                steps,
            } => {
                rate("learning_rate", initial)?;
                require(
                    (0.0..=initial).contains(&last),
                    "learning_rate last",
                    last,
                    "between 0 and the initial rate",
                )?;
                at_least_one("learning_rate steps", steps)
            }
            Self::Stepwise {
                initial,
                factor,
                every,
            } => {
                rate("learning_rate", initial)?;
                fraction(factor)?;
                at_least_one("learning_rate every", every)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_take_their_known_values() {
        assert_eq!(LearningRate::Constant(0.1).at(1000), 0.1);
        assert_eq!(
            LearningRate::Exponential {
                initial: 1.0,
                factor: 0.5
            }
            .at(3),
            0.125
        );
        let cosine = LearningRate::Cosine {
            initial: 1.0,
            last: 0.2,
            steps: 10,
        };
        assert_eq!(cosine.at(0), 1.0);
        assert!((cosine.at(5) - 0.6).abs() < 1e-15);
        assert_eq!(cosine.at(10), 0.2);
        assert_eq!(cosine.at(11), 0.2);
        let steps = LearningRate::Stepwise {
            initial: 1.0,
            factor: 0.1,
            every: 3,
        };
        assert_eq!((steps.at(2), steps.at(3)), (1.0, 0.1));
    }

    #[test]
    fn senseless_rates_are_refused() {
        for rate in [
            LearningRate::Constant(0.0),
            LearningRate::Constant(f64::NAN),
            LearningRate::Exponential {
                initial: 0.1,
                factor: 1.5,
            },
            LearningRate::Cosine {
                initial: 0.1,
                last: 0.2,
                steps: 3,
            },
            LearningRate::Cosine {
                initial: 0.1,
                last: 0.0,
                steps: 0,
            },
            LearningRate::Stepwise {
                initial: 0.1,
                factor: 0.5,
                every: 0,
            },
        ] {
            assert!(
                matches!(rate.validate(), Err(OptimiseError::Option { .. })),
                "{rate:?}"
            );
        }
    }
}
