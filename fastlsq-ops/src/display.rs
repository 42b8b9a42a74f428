//! Operators as mathematics: "∂²/∂x₀² + ∂²/∂x₁² + 100".

use std::fmt;

use fastlsq_basis::{Action, AxisIntegral, UpperLimit};

use crate::operator::Term;
use crate::typography::number;
use crate::{EquationRow, Operator};
use fastlsq_basis::typography::{subscript, superscript};

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.validate() {
            Err(error) => write!(f, "(invalid operator: {error})"),
            Ok(()) => f.write_str(&sum(self.terms().iter().map(signed))),
        }
    }
}

impl fmt::Display for EquationRow {
    /// The unknowns print as u₀, u₁, …; for names see [`EquationRow::named`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.named(&[]))
    }
}

impl EquationRow {
    /// The equation with these names for the unknowns; where names run out, u₀, u₁, … follow.
    #[must_use]
    pub fn named(&self, names: &[&str]) -> String {
        if let Err(error) = self.validate() {
            return format!("(invalid equation: {error})");
        }
        let default = |k: usize| match self.unknowns() {
            1 => "u".to_owned(),
            _ => format!("u{}", subscript(k)),
        };
        let blocks = self
            .blocks()
            .iter()
            .filter(|(_, operator)| !operator.is_zero());
        sum(blocks.map(|(k, operator)| {
            let name = names
                .get(*k)
                .map_or_else(|| default(*k), |name| (*name).to_owned());
            match operator.terms() {
                [term] => {
                    let (negative, text) = signed(term);
                    if text == "1" {
                        (negative, name)
                    } else {
                        (negative, format!("{text} {name}"))
                    }
                }
                _ => (false, format!("({operator}) {name}")),
            }
        }))
    }
}

/// A sum of texts, each with its sign.
fn sum(parts: impl IntoIterator<Item = (bool, String)>) -> String {
    let mut out = String::new();
    for (negative, text) in parts {
        out.push_str(match (out.is_empty(), negative) {
            (true, false) => "",
            (true, true) => "−",
            (false, false) => " + ",
            (false, true) => " − ",
        });
        out.push_str(&text);
    }
    if out.is_empty() { "0".to_owned() } else { out }
}

/// Whether a term is negative, and its text without the sign.
fn signed(term: &Term) -> (bool, String) {
    let action = (term.action() != &Action::identity(term.action().derivative.dim()))
        .then(|| action_text(term.action()));
    let (negative, coefficient) = match term.coefficient().as_constant() {
        Some(value) => (value < 0.0, number(value.abs())),
        None => match term.coefficient().to_string() {
            text if text.contains(" + ") || text.contains(" − ") => (false, format!("({text})")),
            text => match text.strip_prefix('−') {
                Some(rest) => (true, rest.to_owned()),
                None => (false, text),
            },
        },
    };
    let text = match action {
        Some(action) if coefficient == "1" => action,
        Some(action) => format!("{coefficient} {action}"),
        None => coefficient,
    };
    (negative, text)
}

/// What is done to the function: "∂²/∂x₀²", "(−Δ)^0.5 ∂/∂x₀", "∫₀^{x₁} ∂/∂x₀ · dx₁".
fn action_text(action: &Action) -> String {
    let mut parts = Vec::new();
    if let Some(multiplier) = &action.multiplier {
        parts.push(multiplier.name().to_owned());
    }
    if !action.derivative.is_zero() {
        parts.push(action.derivative.to_string());
    }
    if action.integrals.is_empty() {
        return if parts.is_empty() {
            "1".to_owned()
        } else {
            parts.join(" ")
        };
    }
    parts.push("·".to_owned());
    let inner = parts.join(" ");
    // The integral that comes first is the innermost.
    action
        .integrals
        .iter()
        .fold(inner, |inner, i| integral_text(i, &inner))
}

/// "∫₀^{x₁} … dx₁".
fn integral_text(integral: &AxisIntegral, integrand: &str) -> String {
    let axis = subscript(integral.axis);
    let from = match whole(integral.from) {
        Some(n) => subscript(n),
        None => format!("_{{{}}}", number(integral.from)),
    };
    let to = match integral.to {
        UpperLimit::Coordinate => format!("^{{x{axis}}}"),
        UpperLimit::Fixed(to) => match whole(to) {
            Some(n) => superscript(n),
            None => format!("^{{{}}}", number(to)),
        },
    };
    format!("∫{from}{to} {integrand} dx{axis}")
}

/// A small non-negative whole number, which has sub- and superscript digits.
fn whole(value: f64) -> Option<usize> {
    (value.fract() == 0.0 && (0.0..1000.0).contains(&value)).then_some(value as usize)
}
