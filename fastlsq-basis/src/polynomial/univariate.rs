//! Derivatives and antiderivatives of the polynomials of one variable.

use super::PolynomialFamily;
use crate::legendre;

/// Which function of one variable stands along an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Degree {
    /// An antiderivative.
    Antiderivative,
    /// The derivative of this order.
    Derivative(u32),
}

impl PolynomialFamily {
    /// Writes the derivative (or an antiderivative) of p₀, p₁, … at x.
    pub(super) fn write(self, x: f64, what: Degree, values: &mut [f64]) {
        match (self, what) {
            (Self::Monomial, Degree::Derivative(order)) => monomials(x, order, values),
            (Self::Legendre, Degree::Derivative(order)) => legendre::derivatives(x, order, values),
            (Self::Monomial, Degree::Antiderivative) => {
                // xⁿ⁺¹/(n + 1)
                let mut power = 1.0;
                for (n, value) in values.iter_mut().enumerate() {
                    power *= x;
                    *value = power / (n + 1) as f64;
                }
            }
            (Self::Legendre, Degree::Antiderivative) => legendre::antiderivatives(x, values),
        }
    }
}

/// n!/(n−k)! x^{n−k}.
fn monomials(x: f64, order: u32, values: &mut [f64]) {
    values.fill(0.0);
    let Some(rest) = values.get_mut(order as usize..) else {
        return;
    };
    let mut falling: f64 = (1..=order).map(f64::from).product();
    let mut power = 1.0;
    for (excess, value) in rest.iter_mut().enumerate() {
        *value = falling * power;
        power *= x;
        let n = (excess + 1 + order as usize) as f64;
        falling *= n / (excess + 1) as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn low_degrees_match_the_textbook() {
        let x = 0.3;
        let mut p = [0.0; 5];
        PolynomialFamily::Legendre.write(x, Degree::Derivative(0), &mut p);
        let exact = [
            1.0,
            x,
            1.5 * x * x - 0.5,
            2.5 * x.powi(3) - 1.5 * x,
            (35.0 * x.powi(4) - 30.0 * x * x + 3.0) / 8.0,
        ];
        for (p, e) in p.iter().zip(exact) {
            assert_relative_eq!(*p, e, epsilon = 1e-15);
        }
        PolynomialFamily::Legendre.write(x, Degree::Derivative(2), &mut p);
        let exact = [0.0, 0.0, 3.0, 15.0 * x, (420.0 * x * x - 60.0) / 8.0];
        for (p, e) in p.iter().zip(exact) {
            assert_relative_eq!(*p, e, epsilon = 1e-14);
        }
        PolynomialFamily::Monomial.write(x, Degree::Derivative(3), &mut p);
        for (p, e) in p.iter().zip([0.0, 0.0, 0.0, 6.0, 24.0 * x]) {
            assert_relative_eq!(*p, e, epsilon = 1e-15);
        }
        for family in [PolynomialFamily::Monomial, PolynomialFamily::Legendre] {
            family.write(x, Degree::Derivative(5), &mut p);
            assert_eq!(p, [0.0; 5]);
            family.write(x, Degree::Derivative(u32::MAX), &mut p);
            assert_eq!(p, [0.0; 5]);
        }
    }

    #[test]
    fn antiderivatives_integrate_from_minus_one_to_one() {
        let (mut upper, mut lower) = ([0.0; 4], [0.0; 4]);
        for (family, exact) in [
            (PolynomialFamily::Legendre, [2.0, 0.0, 0.0, 0.0]),
            (PolynomialFamily::Monomial, [2.0, 0.0, 2.0 / 3.0, 0.0]),
        ] {
            family.write(1.0, Degree::Antiderivative, &mut upper);
            family.write(-1.0, Degree::Antiderivative, &mut lower);
            for n in 0..4 {
                assert_relative_eq!(upper[n] - lower[n], exact[n], epsilon = 1e-15);
            }
        }
    }
}
