//! One candidate term: a product of derivatives, or a function of them.

use std::fmt;
use std::sync::Arc;

use fastlsq_basis::MultiIndex;

use super::Variables;
use crate::DiscoveryError;

type Function = dyn Fn(&[f64], &[f64]) -> f64 + Send + Sync;

/// A term T(u) of a law: Π (D^α u)^k, or any function of the place and of some derivatives of u.
#[derive(Clone)]
pub struct Term {
    name: String,
    arguments: Vec<MultiIndex>,
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    /// The arguments to these powers, multiplied.
    Product(Vec<u32>),
    /// f(x, D^{α₁}u, D^{α₂}u, …).
    Function(Arc<Function>),
}

impl Term {
    /// The product of derivatives to positive powers; the empty product is the constant 1.
    #[must_use]
    pub fn product(variables: &Variables, factors: &[(MultiIndex, u32)]) -> Self {
        let mut merged: Vec<(MultiIndex, u32)> = Vec::new();
        for (alpha, power) in factors.iter().filter(|(_, power)| *power > 0) {
            match merged.iter_mut().find(|(known, _)| known == alpha) {
                Some((_, known)) => *known += power,
                None => merged.push((alpha.clone(), *power)),
            }
        }
        merged.sort_by(|(a, _), (b, _)| a.order().cmp(&b.order()).then_with(|| b.cmp(a)));
        let name = merged
            .iter()
            .map(|(alpha, power)| variables.derivative_name(alpha) + &superscript(*power))
            .collect::<Vec<_>>()
            .join(" ");
        let (arguments, powers) = merged.into_iter().unzip();
        Self {
            name: if name.is_empty() {
                "1".to_owned()
            } else {
                name
            },
            arguments,
            kind: Kind::Product(powers),
        }
    }

    /// Reads a product such as `u u_x`, `u^2 u_xx`, `u³` or `1`.
    ///
    /// # Errors
    /// A text of another form, or a coordinate that does not exist.
    pub fn parse(variables: &Variables, text: &str) -> Result<Self, DiscoveryError> {
        let fail = |reason: &str| DiscoveryError::Term {
            text: text.to_owned(),
            reason: reason.to_owned(),
        };
        let mut factors = Vec::new();
        let mut constant = false;
        for factor in text.split(|c: char| c.is_whitespace() || c == '*' || c == '·') {
            match factor {
                "" => {}
                "1" => constant = true,
                _ => {
                    let (base, power) = split_power(factor)
                        .ok_or_else(|| fail("powers are whole numbers from 1 to 9"))?;
                    factors.push((variables.parse_derivative(base)?, power));
                }
            }
        }
        if factors.is_empty() && !constant {
            return Err(fail("it is empty"));
        }
        Ok(Self::product(variables, &factors))
    }

    /// f(x, j) of the place x and the derivatives j = (D^{α₁}u, D^{α₂}u, …) named by `arguments`.
    pub fn function(
        name: impl Into<String>,
        arguments: Vec<MultiIndex>,
        f: impl Fn(&[f64], &[f64]) -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            arguments,
            kind: Kind::Function(Arc::new(f)),
        }
    }

    /// The name it prints as.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The derivatives it depends on.
    #[must_use]
    pub fn arguments(&self) -> &[MultiIndex] {
        &self.arguments
    }

    /// The derivative D^α if the term is exactly that (so it acts linearly on u).
    #[must_use]
    pub fn linear(&self) -> Option<&MultiIndex> {
        match (&self.kind, self.arguments.as_slice()) {
            (Kind::Product(powers), [alpha]) if powers[0] == 1 => Some(alpha),
            _ => None,
        }
    }

    /// Whether the term is the constant 1.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        matches!(&self.kind, Kind::Product(powers) if powers.is_empty())
    }

    /// T at one place; `jet` holds the arguments in order.
    #[must_use]
    pub fn value(&self, place: &[f64], jet: &[f64]) -> f64 {
        match &self.kind {
            Kind::Product(powers) => powers.iter().zip(jet).map(|(&p, &j)| power(j, p)).product(),
            Kind::Function(f) => f(place, jet),
        }
    }

    /// ∂T/∂j for every argument j; closures are differentiated by a fourth-order difference.
    pub(crate) fn gradient(&self, place: &[f64], jet: &[f64], scales: &[f64], out: &mut [f64]) {
        match &self.kind {
            Kind::Product(powers) => {
                for (k, slot) in out.iter_mut().enumerate() {
                    *slot = powers
                        .iter()
                        .zip(jet)
                        .enumerate()
                        .map(|(i, (&p, &j))| {
                            if i == k {
                                f64::from(p) * power(j, p - 1)
                            } else {
                                power(j, p)
                            }
                        })
                        .product();
                }
            }
            Kind::Function(f) => {
                let mut moved = jet.to_vec();
                for (k, slot) in out.iter_mut().enumerate() {
                    let h = 1e-3 * scales.get(k).copied().unwrap_or(1.0).max(f64::MIN_POSITIVE);
                    let mut at = |offset: f64| {
                        moved[k] = jet[k] + offset;
                        f(place, &moved)
                    };
                    *slot = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
                    moved[k] = jet[k];
                }
            }
        }
    }
}

impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Term").field(&self.name).finish()
    }
}

fn power(base: f64, exponent: u32) -> f64 {
    base.powi(i32::try_from(exponent).unwrap_or(i32::MAX))
}

const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

fn superscript(power: u32) -> String {
    if power == 1 {
        return String::new();
    }
    power
        .to_string()
        .bytes()
        .map(|digit| DIGITS[usize::from(digit - b'0')])
        .collect()
}

/// `u_x^2` or `u_x²` as base and power; no power is 1.
fn split_power(factor: &str) -> Option<(&str, u32)> {
    if let Some((base, digits)) = factor.split_once('^') {
        return digits
            .parse()
            .ok()
            .filter(|power| (1..=9).contains(power))
            .map(|power| (base, power));
    }
    let last = factor.chars().next_back()?;
    match DIGITS.iter().position(|&digit| digit == last) {
        Some(0) => None,
        Some(power) => Some((factor.strip_suffix(last)?, u32::try_from(power).ok()?)),
        None => Some((factor, 1)),
    }
}
