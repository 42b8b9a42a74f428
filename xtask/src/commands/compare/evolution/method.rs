//! What the peers of an evolution do.

use serde_json::{Value, json};

use super::cases::{Rung, TIMES};

/// One method with its settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// With its points and steps.
    Etdrk4(Rung),
    /// With the exponent of the tolerance.
    Radau(i32),
    /// The same.
    Dop853(i32),
}

pub(super) const RADAU: &[Method] = &[
    Method::Radau(-4),
    Method::Radau(-6),
    Method::Radau(-8),
    Method::Radau(-10),
];
/// Its steps are as short as stability demands, whatever the tolerance.
pub(super) const DOP853: &[Method] = &[Method::Dop853(-6)];

impl Method {
    pub(super) fn name(self) -> String {
        match self {
            Self::Etdrk4((points, steps)) => {
                format!("ETDRK4, {points} points, {} steps", TIMES * steps)
            }
            Self::Radau(exponent) => format!("Radau, tolerance 1e{exponent}"),
            Self::Dop853(exponent) => format!("DOP853, tolerance 1e{exponent}"),
        }
    }

    /// What the peer is told about it.
    pub(super) fn request(self) -> Value {
        match self {
            Self::Etdrk4((points, steps)) => {
                json!({ "method": "ETDRK4", "points": points, "steps": steps })
            }
            Self::Radau(exponent) => {
                json!({ "method": "Radau", "tolerance": 10.0_f64.powi(exponent) })
            }
            Self::Dop853(exponent) => {
                json!({ "method": "DOP853", "tolerance": 10.0_f64.powi(exponent) })
            }
        }
    }

    /// Whether answers are coefficients in the trial space, not values.
    pub(super) fn in_trial_space(self) -> bool {
        !matches!(self, Self::Etdrk4(_))
    }
}

#[cfg(test)]
mod tests {
    use super::Method;

    #[test]
    fn methods_say_what_they_take() {
        let method = Method::Etdrk4((256, 50));
        assert_eq!(method.name(), "ETDRK4, 256 points, 1000 steps");
        assert_eq!(method.request()["steps"], 50);
        let method = Method::Radau(-6);
        assert_eq!(method.name(), "Radau, tolerance 1e-6");
        assert!((method.request()["tolerance"].as_f64().unwrap() - 1e-6).abs() < 1e-20);
    }
}
