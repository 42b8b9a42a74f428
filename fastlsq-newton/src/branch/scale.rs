//! Lengths and directions along a branch.

use fastlsq_solve::rows::rms;

use super::BranchPoint;

/// A direction along the branch.
#[derive(Debug, Clone)]
pub(super) struct Direction {
    pub(super) values: Vec<f64>,
    pub(super) parameter: f64,
}

/// Sizes of a change of u and of the parameter that count as one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    pub(super) values: f64,
    pub(super) parameter: f64,
}

impl Scale {
    pub(super) fn length(&self, values: &[f64], parameter: f64) -> f64 {
        let u = rms(values.iter().copied()) / self.values;
        u.hypot(parameter / self.parameter)
    }

    /// The unit direction from one point to another, and their distance.
    pub(super) fn direction(&self, from: &BranchPoint, to: &BranchPoint) -> (Direction, f64) {
        let values: Vec<f64> = to
            .values
            .iter()
            .zip(&from.values)
            .map(|(b, a)| b - a)
            .collect();
        let parameter = to.parameter - from.parameter;
        let length = self.length(&values, parameter);
        let direction = Direction {
            values: values.iter().map(|v| v / length).collect(),
            parameter: parameter / length,
        };
        (direction, length)
    }

    pub(super) fn cosine(&self, a: &Direction, b: &Direction) -> f64 {
        let products = a.values.iter().zip(&b.values).map(|(a, b)| a * b);
        let mean = products.sum::<f64>() / a.values.len().max(1) as f64;
        mean / self.values.powi(2) + a.parameter * b.parameter / self.parameter.powi(2)
    }
}
