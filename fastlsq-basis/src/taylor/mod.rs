//! Numbers that carry all their partial derivatives up to a chosen order.
//!
//! A truncated Taylor polynomial Σ c_γ h^γ around a point. A function written for ordinary numbers, evaluated with these,
//! returns D^γ f = γ! c_γ for every γ that is kept, to rounding.

mod arithmetic;
mod functions;
mod layout;

use std::sync::Arc;

use crate::MultiIndex;
use layout::Layout;

/// A number with partial derivatives of every order that its user needs.
///
/// Closures given to [`SmoothFactor`](crate::SmoothFactor) compute with them. Methods and operators take references, so
/// that a coordinate can be used more than once: `(&x[0] * &x[1] + x[1].powi(2)).sqrt()`.
#[derive(Debug, Clone)]
pub struct Taylor {
    /// Which derivatives are kept; nothing for a constant.
    layout: Option<Arc<Layout>>,
    /// c_γ in the order of the layout, the value first.
    coefficients: Vec<f64>,
}

impl Taylor {
    /// A number without derivatives.
    #[must_use]
    pub fn constant(value: f64) -> Self {
        Self {
            layout: None,
            coefficients: vec![value],
        }
    }

    /// The value.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.coefficients.first().copied().unwrap_or(f64::NAN)
    }

    /// D^γ of the number as a function of the variables; zero for a constant, NaN if this derivative was not kept.
    #[must_use]
    pub fn derivative(&self, gamma: &MultiIndex) -> f64 {
        let Some(layout) = &self.layout else {
            return if gamma.is_zero() { self.value() } else { 0.0 };
        };
        let factorial: f64 = gamma
            .orders()
            .iter()
            .map(|&n| (1..=n).map(f64::from).product::<f64>())
            .product();
        let coefficient = layout
            .position(gamma)
            .and_then(|k| self.coefficients.get(k));
        coefficient.map_or(f64::NAN, |c| factorial * c)
    }
}

impl From<f64> for Taylor {
    fn from(value: f64) -> Self {
        Self::constant(value)
    }
}

/// The coordinates at the origin, with all derivatives up to `highest` along each axis.
pub(crate) fn variables(highest: &[u32]) -> Vec<Taylor> {
    let layout = Arc::new(Layout::new(highest));
    (0..highest.len())
        .map(|axis| {
            let mut coefficients = vec![0.0; layout.len()];
            if let Some(place) = layout.first_along(axis) {
                coefficients[place] = 1.0;
            }
            Taylor {
                layout: Some(Arc::clone(&layout)),
                coefficients,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dual;
    use proptest::prelude::*;

    fn at(point: &[f64], highest: &[u32]) -> Vec<Taylor> {
        let start = variables(highest);
        start.iter().zip(point).map(|(h, x)| h + *x).collect()
    }

    #[test]
    fn derivatives_of_a_product_of_powers() {
        let x = at(&[1.5, -2.0], &[3, 4]);
        let f = x[0].powi(3) * x[1].powi(4);
        // ∂₀²∂₁³ x³y⁴ = 6x · 24y
        let found = f.derivative(&MultiIndex::new([2, 3]));
        assert!((found - 6.0 * 1.5 * 24.0 * -2.0).abs() < 1e-10, "{found}");
        assert!(f.derivative(&MultiIndex::new([4, 0])).is_nan());
        assert_eq!(
            Taylor::constant(2.0).derivative(&MultiIndex::new([0, 0])),
            2.0
        );
    }

    #[test]
    fn high_orders_of_elementary_functions() {
        let x = at(&[0.7], &[12]);
        let order = |n: u32| MultiIndex::new([n]);
        for n in 0..=12 {
            let phase = f64::from(n) * std::f64::consts::FRAC_PI_2;
            assert!((x[0].sin().derivative(&order(n)) - (0.7 + phase).sin()).abs() < 1e-12);
            assert!((x[0].exp().derivative(&order(n)) - 0.7_f64.exp()).abs() < 1e-9);
        }
        // ln⁽ⁿ⁾ = (−1)^{n−1}(n−1)!/xⁿ
        let found = x[0].ln().derivative(&order(6));
        assert!((found / (-120.0 / 0.7_f64.powi(6)) - 1.0).abs() < 1e-12);
        let identity = x[0].sin() * x[0].sin() + x[0].cos() * x[0].cos();
        assert!(identity.derivative(&order(7)).abs() < 1e-8);
        let ratio = x[0].sinh() / x[0].cosh() - x[0].tanh();
        assert!(ratio.derivative(&order(5)).abs() < 1e-8);
        let inverse = x[0].tan().atan();
        assert!(inverse.derivative(&order(4)).abs() < 1e-8);
        assert!((inverse.derivative(&order(1)) - 1.0).abs() < 1e-12);
    }

    proptest! {
        /// The first derivatives are those of dual numbers.
        #[test]
        fn first_derivatives_are_those_of_dual_numbers(a in 0.5..2.0_f64, b in 0.5..2.0_f64) {
            let x = at(&[a, b], &[2, 1]);
            let found = (&x[0] * &x[1]).sin() / (1.0 + x[1].sqrt()) - 2.0 * x[0].powf(1.5)
                + (-&x[1]).tanh() * x[0].recip() + (&x[0] - &x[1] + 3.0).ln();
            let (x, y) = (Dual::<2>::variable(a, 0), Dual::<2>::variable(b, 1));
            let dual = (x * y).sin() / (1.0 + y.sqrt()) - 2.0 * x.powf(1.5)
                + (-y).tanh() * x.recip() + (x - y + 3.0).ln();
            prop_assert!((found.value() - dual.value()).abs() < 1e-13);
            for (axis, orders) in [[1, 0], [0, 1]].into_iter().enumerate() {
                let slope = found.derivative(&MultiIndex::new(orders));
                prop_assert!((slope - dual.slope(axis)).abs() < 1e-12);
            }
        }
    }
}
