//! The symbol of an operator with constant coefficients.

use fastlsq_basis::Action;

use super::Operator;

impl Operator {
    /// The symbol p + iq at a frequency ω, defined by L e^{iω·x} = (p + iq) e^{iω·x}.
    ///
    /// These are the two numbers to which an operator collapses on a sinusoidal feature: with
    /// z = ω·x + b, L sin z = p sin z + q cos z (a sum of cases of Eq. 3 of the paper). `None` if
    /// coefficients vary, if there are integrals, or if the dimension differs.
    ///
    /// ```
    /// use fastlsq_ops::{Frame, Space, Y, laplacian, unknown};
    /// let u = unknown("u");
    /// let statement = Frame::new(Space::new(2), [u]).lower_scalar(&(laplacian(u) + 3.0 * u.d(Y)))?;
    /// let row = statement.row().unwrap();
    /// assert_eq!(row.block(0).unwrap().symbol(&[1.0, 2.0]), Some((-5.0, 6.0)));
    /// # Ok::<(), fastlsq_ops::StatementError>(())
    /// ```
    #[must_use]
    pub fn symbol(&self, frequency: &[f64]) -> Option<(f64, f64)> {
        if self.dim().ok()? != frequency.len() || !self.is_constant() {
            return None;
        }
        let (mut p, mut q) = (0.0, 0.0);
        for term in self.terms() {
            let value = term.coefficient.as_constant()? * magnitude(&term.action, frequency)?;
            // i^{|α|}; wrapping keeps |α| modulo 4.
            let orders = term.action.derivative.orders().iter();
            match orders.fold(0, |sum: u32, n| sum.wrapping_add(*n)) % 4 {
                0 => p += value,
                1 => q += value,
                2 => p -= value,
                _ => q -= value,
            }
        }
        Some((p, q))
    }
}

/// m(ω) ω^α; `None` for integrals, which have no symbol.
fn magnitude(action: &Action, frequency: &[f64]) -> Option<f64> {
    if !action.integrals.is_empty() {
        return None;
    }
    let multiplier = action.multiplier.as_ref();
    let multiplier = multiplier.map_or(1.0, |m| m.symbol(frequency));
    Some(multiplier * action.derivative.monomial(frequency))
}
