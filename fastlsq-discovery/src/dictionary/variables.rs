//! Names of the field and of its coordinates, and derivatives written with them.

use fastlsq_basis::MultiIndex;

use crate::DiscoveryError;

/// The letters of an equation: the field u and its coordinates, such as x and t.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variables {
    axes: Vec<char>,
}

/// The letter of the field.
const FIELD: char = 'u';

impl Variables {
    /// Coordinates with these one-letter names, in the order of a point's entries.
    ///
    /// # Errors
    /// Names that are not one letter, repeat, or collide with the field's u.
    pub fn new(axes: &[&str]) -> Result<Self, DiscoveryError> {
        let refuse = || DiscoveryError::AxisNames {
            axes: axes.iter().map(|&a| a.to_owned()).collect(),
            dim: axes.len(),
        };
        let mut letters = Vec::with_capacity(axes.len());
        for name in axes {
            let mut chars = name.chars();
            match (chars.next(), chars.next()) {
                (Some(letter), None)
                    if letter.is_alphabetic() && letter != FIELD && !letters.contains(&letter) =>
                {
                    letters.push(letter);
                }
                _ => return Err(refuse()),
            }
        }
        if letters.is_empty() {
            return Err(refuse());
        }
        Ok(Self { axes: letters })
    }

    /// Number of coordinates.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.axes.len()
    }

    /// The letters of the coordinates.
    #[must_use]
    pub fn axes(&self) -> &[char] {
        &self.axes
    }

    /// D^α u as printed: `u`, `u_x`, `u_xxt`.
    #[must_use]
    pub fn derivative_name(&self, alpha: &MultiIndex) -> String {
        let mut name = String::from(FIELD);
        if !alpha.is_zero() {
            name.push('_');
        }
        for (&axis, &order) in self.axes.iter().zip(alpha.orders()) {
            name.extend(std::iter::repeat_n(axis, order as usize));
        }
        name
    }

    /// Reads `u`, `u_x`, `u_tt`, `u_xxt`.
    ///
    /// # Errors
    /// A text of another form, or a coordinate that does not exist.
    pub fn parse_derivative(&self, text: &str) -> Result<MultiIndex, DiscoveryError> {
        let fail = |reason: String| DiscoveryError::Term {
            text: text.to_owned(),
            reason,
        };
        let rest = text
            .trim()
            .strip_prefix(FIELD)
            .ok_or_else(|| fail(format!("a derivative starts with {FIELD}")))?;
        let mut orders = vec![0; self.dim()];
        if rest.is_empty() {
            return Ok(MultiIndex::new(orders));
        }
        let letters = rest
            .strip_prefix('_')
            .filter(|letters| !letters.is_empty())
            .ok_or_else(|| fail("coordinates follow an underscore, as in u_xx".to_owned()))?;
        for letter in letters.chars() {
            let axis = self.axes.iter().position(|&axis| axis == letter);
            let axis = axis.ok_or_else(|| {
                fail(format!(
                    "there is no coordinate {letter}, only {:?}",
                    self.axes
                ))
            })?;
            orders[axis] += 1;
        }
        Ok(MultiIndex::new(orders))
    }
}
