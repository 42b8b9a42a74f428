//! Expressions as mathematics: "u_t + u u_x − 0.01 Δu".
//!
//! What is printed can be read again ([`Expr::parse`]), closures aside.

use std::fmt;

use super::vocabulary::{is_identifier, is_reserved};
use super::{Expr, Node, whole};
use crate::Coordinate;
use crate::typography::number;
use fastlsq_basis::typography::superscript;

/// How tightly an expression holds together; operands that hold less tightly are put in parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Sum,
    Product,
    /// What a prefix such as Δ or ∇ takes, or a power is taken of.
    Atom,
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Strength::Sum))
    }
}

impl Expr {
    fn strength(&self) -> Strength {
        match self.node() {
            Node::Number(value) if value.is_sign_negative() || value.is_nan() => Strength::Product,
            Node::Sum(_) => Strength::Sum,
            Node::Product(..) | Node::Quotient(..) | Node::Dot(..) => Strength::Product,
            _ => Strength::Atom,
        }
    }

    /// The text, in parentheses unless it holds together at least that tightly.
    fn text(&self, needed: Strength) -> String {
        let text = self.plain();
        if self.strength() < needed {
            format!("({text})")
        } else {
            text
        }
    }

    fn plain(&self) -> String {
        if self.is_long() {
            return "…".to_owned();
        }
        match self.node() {
            Node::TooDeep => "…".to_owned(),
            Node::Number(value) => number(*value),
            Node::Coordinate(coordinate) => coordinate_text(*coordinate),
            Node::Unknown(unknown) => name(unknown.name()),
            Node::Parameter(parameter) => name(parameter.name()),
            Node::Given(given) => name(given.name.as_str()),
            Node::Normal => "n".to_owned(),
            Node::IdentityMatrix => "I".to_owned(),
            Node::Vector(components) => format!("[{}]", list(components)),
            Node::Sum(terms) => sum(terms),
            Node::Product(factor, factors) => product(*factor, factors),
            Node::Quotient(a, b) => {
                let above = match a.node() {
                    // "a b/c" is (a b)/c.
                    Node::Product(number, _) if number.is_sign_positive() => a.plain(),
                    Node::Quotient(..) => a.plain(),
                    // "−a/b" is −(a/b).
                    _ => a.text(Strength::Atom),
                };
                format!("{above}/{}", b.text(Strength::Atom))
            }
            Node::Power(base, exponent) => {
                let base = match base.node() {
                    // "u²²" and "Δu²" would be read otherwise.
                    Node::Power(..)
                    | Node::Laplacian(_)
                    | Node::Gradient(_)
                    | Node::Divergence(_)
                    | Node::FractionalLaplacian(..) => format!("({})", base.plain()),
                    _ => base.text(Strength::Atom),
                };
                match whole(*exponent) {
                    Some(n @ 2..=9) => base + &superscript(n as usize),
                    _ if *exponent < 0.0 => format!("{base}^({})", number(*exponent)),
                    _ => format!("{base}^{}", number(*exponent)),
                }
            }
            Node::Elementary(function, argument) => format!("{}({argument})", function.name()),
            Node::Call(call, arguments) => {
                format!("{}({})", name(call.name.as_str()), list(arguments))
            }
            Node::Derivative(..) => derivative(self),
            Node::Laplacian(inner) => match inner.node() {
                Node::Laplacian(innermost) => format!("Δ²{}", operand(innermost)),
                _ => format!("Δ{}", operand(inner)),
            },
            Node::Gradient(inner) => format!("∇{}", operand(inner)),
            Node::Divergence(inner) => format!("∇·{}", operand(inner)),
            Node::Dot(a, b) => format!("{}·{}", a.text(Strength::Atom), b.text(Strength::Atom)),
            Node::Transpose(inner) => format!("({inner})ᵀ"),
            Node::Integral(inner, along, from, to) => {
                let to = to.map_or_else(|| coordinate_text(*along), number);
                let along = coordinate_text(*along);
                format!("∫[{}, {to}]({inner}) d{along}", number(*from))
            }
            Node::Multiplier(inner, multiplier) => format!("{}({inner})", multiplier.name()),
            Node::FractionalLaplacian(inner, s) => {
                format!("(−Δ)^{} {}", number(*s), operand(inner))
            }
        }
    }
}

/// What stands after Δ or ∇.
fn operand(inner: &Expr) -> String {
    match inner.node() {
        // "Δ²u²" is Δ²(u²): powers bind first; a second Δ after Δ² would not be told apart.
        Node::Laplacian(_) => format!("({inner})"),
        _ => inner.text(Strength::Atom),
    }
}

fn list(items: &[Expr]) -> String {
    let items: Vec<String> = items.iter().map(ToString::to_string).collect();
    items.join(", ")
}

/// The terms with their signs.
fn sum(terms: &[Expr]) -> String {
    let mut out = String::new();
    for (i, term) in terms.iter().enumerate() {
        let text = term.text(Strength::Product);
        if i == 0 {
            out.push_str(&text);
        } else if let Some(rest) = text.strip_prefix('−') {
            out.push_str(" − ");
            out.push_str(rest);
        } else {
            out.push_str(" + ");
            out.push_str(&text);
        }
    }
    out
}

/// The number, unless it is 1, and the factors with spaces between them.
fn product(number_in_front: f64, factors: &[Expr]) -> String {
    let mut parts = Vec::with_capacity(factors.len() + 1);
    let mut sign = "";
    if number_in_front == -1.0 {
        sign = "−";
    } else if number_in_front != 1.0 {
        parts.push(number(number_in_front));
    }
    for (i, factor) in factors.iter().enumerate() {
        let text = match factor.node() {
            // "a b/c" is (a b)/c, so that only a quotient in front can stand by itself.
            Node::Quotient(..) if i == 0 && parts.is_empty() => factor.plain(),
            Node::Quotient(..) | Node::Dot(..) | Node::Sum(_) | Node::Number(_) => {
                format!("({})", factor.plain())
            }
            _ => factor.text(Strength::Atom),
        };
        parts.push(text);
    }
    format!("{sign}{}", parts.join(" "))
}

/// "u_xxt", "(a u_x)_x", "u_{theta}".
fn derivative(expression: &Expr) -> String {
    let mut along = Vec::new();
    let mut inner = expression;
    while let Node::Derivative(next, coordinate) = inner.node() {
        along.push(*coordinate);
        inner = next;
    }
    along.reverse();
    let base = match inner.node() {
        Node::Unknown(_) | Node::Given(_) | Node::Parameter(_) | Node::Coordinate(_) => {
            inner.plain()
        }
        _ => format!("({})", inner.plain()),
    };
    let texts: Vec<String> = along.iter().copied().map(coordinate_text).collect();
    let short = |text: &String| {
        let mut letters = text.chars();
        letters.next().is_some_and(char::is_alphabetic) && letters.all(|c| ('₀'..='₉').contains(&c))
    };
    if texts.iter().all(short) {
        format!("{base}_{}", texts.concat())
    } else {
        format!("{base}_{{{}}}", texts.join(","))
    }
}

fn coordinate_text(coordinate: Coordinate) -> String {
    match coordinate {
        Coordinate::Named(own) => name(own.as_str()),
        other => other.to_string(),
    }
}

/// The name, in backticks where it could be mistaken for something else; backticks in it are doubled.
fn name(text: &str) -> String {
    if is_identifier(text) && !is_reserved(text) {
        text.to_owned()
    } else {
        format!("`{}`", text.replace('`', "``"))
    }
}
