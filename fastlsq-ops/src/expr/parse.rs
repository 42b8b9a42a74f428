//! Reading what is printed, and what people write: "u_t + u u_x = 0.01/pi u_xx".
//!
//! ```text
//! equation := sum [ "=" sum ]
//! sum      := ["−"] product { ("+" | "−") product }
//! product  := power { ["*"] power | "/" power | "·" power }      from left to right
//! power    := prefix [ ("^" exponent) | superscripts ]
//! prefix   := ("Δ" | "Δ²" | "∇" | "∇·" | "(−Δ)^s") power | postfix
//! postfix  := atom { "_" coordinates | "ᵀ" }
//! atom     := number | "pi" | name | function "(" sum ")" | "(" sum ")" | "[" sum, … "]" | "∫[a, b](sum) dx" | "n" | "I"
//! ```

use thiserror::Error;

use super::build::elementary;
use super::reader::Reader;
use super::vocabulary::{is_first, subscript_digit};
use super::{
    Elementary, Expr, Vocabulary, antiderivative, div, dot, fractional_laplacian, grad,
    identity_matrix, integral, laplacian, normal, transpose, vector,
};
use crate::Coordinate;

/// A text that is not an expression.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("cannot read “{text}”: {reason} (at “{rest}”)")]
pub struct ParseError {
    /// The text, or its beginning if it is very long.
    pub text: String,
    /// What was expected.
    pub reason: String,
    /// What had not been read.
    pub rest: String,
}

impl Expr {
    /// Reads an expression in the unknowns u, v, w and the coordinates x, y, z, t; an equation a = b is read as a − b.
    ///
    /// Products are written side by side or with `*`, powers as `u^2` or `u²`, derivatives as `u_xx` or `(a u_x)_x`.
    ///
    /// ```
    /// use fastlsq_ops::Expr;
    /// let burgers = Expr::parse("u_t + u u_x = 0.01/pi u_xx")?;
    /// assert_eq!(burgers.unknowns().len(), 1);
    /// assert!(Expr::parse("u_t + k u").is_err()); // who is k?
    /// # Ok::<(), fastlsq_ops::ParseError>(())
    /// ```
    ///
    /// # Errors
    /// A text that is not an expression, or a name that is not known.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        Self::parse_with(text, &Vocabulary::default())
    }

    /// As [`parse`](Self::parse), with other names.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn parse_with(text: &str, vocabulary: &Vocabulary) -> Result<Self, ParseError> {
        let mut reader = Reader::new(text, vocabulary);
        let left = reader.sum()?;
        let expression = if reader.take("=") {
            left - reader.sum()?
        } else {
            left
        };
        reader.blanks();
        if !reader.rest.is_empty() {
            return Err(reader.error("the end was expected"));
        }
        if expression.is_too_deep() {
            return Err(reader.error("its parts are nested too deeply"));
        }
        Ok(expression)
    }
}

/// Parentheses and operators within one another that are still read; what can be printed needs at most three of them
/// for two nodes.
const DEEPEST: usize = 2 * super::DEEPEST;

impl Reader<'_> {
    fn sum(&mut self) -> Result<Expr, ParseError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error("parentheses are nested too deeply"));
        }
        let mut terms = Vec::new();
        let mut negative = self.minus();
        loop {
            let term = self.product()?;
            terms.push(if negative { term.negated() } else { term });
            negative = if self.take("+") {
                false
            } else if self.minus() {
                true
            } else {
                break;
            };
            // "a + −2 b"
            negative ^= self.minus();
        }
        self.depth -= 1;
        Ok(Expr::sum(terms))
    }

    fn product(&mut self) -> Result<Expr, ParseError> {
        let mut factors = vec![self.power()?];
        loop {
            if self.take("/") {
                let left = Expr::product(factors);
                factors = vec![left.over(self.power()?)];
            } else if self.take("·") {
                let left = Expr::product(factors);
                factors = vec![dot(left, self.power()?)];
            } else if self.take("*") || self.begins_factor() {
                factors.push(self.power()?);
            } else {
                return Ok(Expr::product(factors));
            }
        }
    }

    fn begins_factor(&mut self) -> bool {
        self.peek().is_some_and(|c| {
            is_first(c) || c.is_ascii_digit() || matches!(c, '(' | '[' | '`' | 'Δ' | '∇' | '∫')
        })
    }

    fn power(&mut self) -> Result<Expr, ParseError> {
        let base = self.prefix()?;
        self.raised(base)
    }

    fn raised(&mut self, base: Expr) -> Result<Expr, ParseError> {
        if self.take("^") {
            if self.take("(") {
                let exponent = self.sum()?;
                self.expect(")")?;
                return Ok(match exponent.as_number() {
                    Some(p) => base.powf(p),
                    None => super::exp(exponent * super::ln(base)),
                });
            }
            let sign = if self.minus() { -1.0 } else { 1.0 };
            return Ok(base.powf(sign * self.number()?));
        }
        match self.superscript() {
            Some(n) => Ok(base.powf(n as f64)),
            None => Ok(base),
        }
    }

    fn prefix(&mut self) -> Result<Expr, ParseError> {
        if self.take("Δ²") {
            return Ok(laplacian(laplacian(self.nested_power()?)));
        }
        if self.take("Δ") {
            return Ok(laplacian(self.nested_power()?));
        }
        if self.take("∇·") {
            return Ok(div(self.nested_power()?));
        }
        if self.take("∇") {
            return Ok(grad(self.nested_power()?));
        }
        if self.take("(−Δ)^") || self.take("(-Δ)^") {
            let s = self.signed_number()?;
            return Ok(fractional_laplacian(self.nested_power()?, s));
        }
        self.postfix()
    }

    /// What stands after Δ or ∇, which may go on without parentheses for ever.
    fn nested_power(&mut self) -> Result<Expr, ParseError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error("operators are nested too deeply"));
        }
        let inner = self.power();
        self.depth -= 1;
        inner
    }

    fn postfix(&mut self) -> Result<Expr, ParseError> {
        let mut base = self.atom()?;
        loop {
            if let Some(rest) = self.rest.strip_prefix('_') {
                self.rest = rest;
                base = self.derivatives(base)?;
            } else if let Some(rest) = self.rest.strip_prefix('ᵀ') {
                self.rest = rest;
                base = transpose(base);
            } else {
                return Ok(base);
            }
        }
    }

    /// "xxt" or "{theta,t}" after the underscore.
    fn derivatives(&mut self, mut base: Expr) -> Result<Expr, ParseError> {
        if let Some(rest) = self.rest.strip_prefix('{') {
            self.rest = rest;
            loop {
                let along = self.coordinate()?;
                base = base.d(along);
                if self.take("}") {
                    return Ok(base);
                }
                self.expect(",")?;
            }
        }
        let mut any = false;
        while let Some(letter) = self.rest.chars().next().filter(|c| is_first(*c)) {
            let mut name = letter.to_string();
            self.rest = self.rest.strip_prefix(letter).unwrap_or("");
            while let Some(c) = self
                .rest
                .chars()
                .next()
                .filter(|c| subscript_digit(*c).is_some())
            {
                name.push(c);
                self.rest = self.rest.strip_prefix(c).unwrap_or("");
            }
            let along = self
                .vocabulary
                .coordinate(&name, false)
                .ok_or_else(|| self.error(format!("{name} is not a coordinate")))?;
            base = base.d(along);
            any = true;
        }
        if any {
            Ok(base)
        } else {
            Err(self.error("a coordinate was expected after “_”"))
        }
    }

    fn coordinate(&mut self) -> Result<Coordinate, ParseError> {
        let (name, quoted) = self.name()?;
        let found = self.vocabulary.coordinate(&name, quoted);
        found.ok_or_else(|| self.error(format!("{name} is not a coordinate")))
    }

    fn atom(&mut self) -> Result<Expr, ParseError> {
        match self.peek() {
            Some(c) if c.is_ascii_digit() || c == '.' => Ok(self.number()?.into()),
            Some('(') => {
                self.expect("(")?;
                let inner = self.sum()?;
                self.expect(")")?;
                Ok(inner)
            }
            Some('[') => {
                self.expect("[")?;
                let mut components = Vec::new();
                if !self.take("]") {
                    components.push(self.sum()?);
                    while self.take(",") {
                        components.push(self.sum()?);
                    }
                    self.expect("]")?;
                }
                Ok(vector(components))
            }
            Some('∫') => self.integral(),
            Some(c) if is_first(c) || c == '`' => self.named(),
            _ => Err(self.error("a number, a name or a parenthesis was expected")),
        }
    }

    /// "∫[0, 1](u) dx", "∫[0, x](u) dx".
    fn integral(&mut self) -> Result<Expr, ParseError> {
        self.expect("∫")?;
        self.expect("[")?;
        let from = self.signed_number()?;
        self.expect(",")?;
        let to = match self.peek() {
            Some(c) if is_first(c) || c == '`' => Err(self.coordinate()?),
            _ => Ok(self.signed_number()?),
        };
        self.expect("]")?;
        self.expect("(")?;
        let inner = self.sum()?;
        self.expect(")")?;
        self.expect("d")?;
        let along = self.coordinate()?;
        match to {
            Ok(to) => Ok(integral(inner, along, from, to)),
            Err(up_to) if up_to == along => Ok(antiderivative(inner, along, from)),
            Err(_) => Err(self.error("the upper limit must be a number or the coordinate itself")),
        }
    }

    fn named(&mut self) -> Result<Expr, ParseError> {
        let before = self.rest;
        let (name, quoted) = self.name()?;
        if !quoted {
            match name.as_str() {
                "pi" | "π" => return Ok(std::f64::consts::PI.into()),
                _ => {}
            }
            if let Some(function) = Elementary::ALL.iter().find(|f| f.name() == name) {
                self.expect("(")?;
                let argument = self.sum()?;
                self.expect(")")?;
                return Ok(elementary(*function, argument));
            }
        }
        if let Some(found) = self.vocabulary.look_up(&name, quoted) {
            return Ok(found);
        }
        match name.as_str() {
            "n" if !quoted => Ok(normal()),
            "I" if !quoted => Ok(identity_matrix()),
            _ => {
                let error =
                    format!("{name} is neither an unknown nor a parameter nor a coordinate here");
                self.rest = before;
                Err(self.error(error))
            }
        }
    }
}
