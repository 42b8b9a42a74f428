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

use std::fmt;

use thiserror::Error;

use super::build::elementary;
use super::{
    Elementary, Expr, antiderivative, div, dot, fractional_laplacian, grad, identity_matrix,
    integral, laplacian, normal, transpose, vector,
};
use crate::{Coordinate, Parameter, T, Unknown, X, Y, Z, axis, coordinate, parameter, unknown};

/// A text that is not an expression.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("cannot read “{text}”: {reason} (at “{rest}”)")]
pub struct ParseError {
    /// The whole text.
    pub text: String,
    /// What was expected.
    pub reason: String,
    /// What had not been read.
    pub rest: String,
}

/// The names that a text may use.
///
/// The default knows the unknowns u, v and w, the coordinates x, y, z, t and x₀, x₁, …, and no parameters.
#[derive(Debug, Clone)]
pub struct Vocabulary {
    unknowns: Vec<Unknown>,
    parameters: Vec<Parameter>,
    coordinates: Vec<Coordinate>,
    functions: Vec<(String, Expr)>,
}

impl Default for Vocabulary {
    fn default() -> Self {
        Self {
            unknowns: ["u", "v", "w"].map(unknown).to_vec(),
            parameters: Vec::new(),
            coordinates: Vec::new(),
            functions: Vec::new(),
        }
    }
}

impl Vocabulary {
    /// No unknowns and no parameters yet.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            unknowns: Vec::new(),
            ..Self::default()
        }
    }

    /// The vocabulary with these unknowns as well.
    #[must_use]
    pub fn with_unknowns<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> Self {
        self.unknowns.extend(names.into_iter().map(unknown));
        self
    }

    /// The vocabulary with these parameters as well.
    #[must_use]
    pub fn with_parameters<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> Self {
        self.parameters.extend(names.into_iter().map(parameter));
        self
    }

    /// The vocabulary with names of axes as well.
    #[must_use]
    pub fn with_coordinates<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> Self {
        self.coordinates.extend(names.into_iter().map(coordinate));
        self
    }

    /// The vocabulary with a name for an expression: a given function, an abbreviation.
    #[must_use]
    pub fn with_function(mut self, name: &str, meaning: impl Into<Expr>) -> Self {
        self.functions.push((name.to_owned(), meaning.into()));
        self
    }

    fn look_up(&self, name: &str) -> Option<Expr> {
        if let Some((_, meaning)) = self.functions.iter().find(|(own, _)| own == name) {
            return Some(meaning.clone());
        }
        if let Some(unknown) = self.unknowns.iter().find(|u| u.name() == name) {
            return Some((*unknown).into());
        }
        if let Some(parameter) = self.parameters.iter().find(|p| p.name() == name) {
            return Some((*parameter).into());
        }
        self.coordinate(name).map(Into::into)
    }

    fn coordinate(&self, name: &str) -> Option<Coordinate> {
        let named = self.coordinates.iter().copied().find(|c| match c {
            Coordinate::Named(own) => own.as_str() == name,
            _ => false,
        });
        named.or_else(|| common_coordinate(name))
    }
}

/// x, y, z, t, and x with a subscript.
pub(crate) fn common_coordinate(name: &str) -> Option<Coordinate> {
    match name {
        "x" => Some(X),
        "y" => Some(Y),
        "z" => Some(Z),
        "t" => Some(T),
        _ => {
            let digits = name.strip_prefix('x')?;
            let mut number: usize = 0;
            for c in digits.chars() {
                number = number.checked_mul(10)?.checked_add(subscript_digit(c)?)?;
            }
            Some(axis(number))
        }
    }
}

fn subscript_digit(c: char) -> Option<usize> {
    let digit = u32::from(c).checked_sub(u32::from('₀'))?;
    (digit < 10).then_some(digit as usize)
}

fn superscript_digit(c: char) -> Option<usize> {
    ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹']
        .iter()
        .position(|digit| *digit == c)
}

/// Whether a text is one word of letters, digits and subscripts.
pub(crate) fn is_identifier(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(is_first) && letters.all(is_further)
}

fn is_first(c: char) -> bool {
    c.is_alphabetic() && c != 'Δ' && c != 'ᵀ'
}

fn is_further(c: char) -> bool {
    is_first(c) || c.is_ascii_digit() || subscript_digit(c).is_some() || c == '\''
}

/// Words that mean something by themselves, so that a name like them is printed in backticks.
pub(crate) fn is_reserved(name: &str) -> bool {
    matches!(name, "pi" | "π" | "n" | "I")
        || common_coordinate(name).is_some()
        || Elementary::ALL.iter().any(|f| f.name() == name)
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
    /// A text of another form, or a name that is not known.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        Self::parse_with(text, &Vocabulary::default())
    }

    /// As [`parse`](Self::parse), with other names.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn parse_with(text: &str, vocabulary: &Vocabulary) -> Result<Self, ParseError> {
        let mut reader = Reader {
            text,
            rest: text,
            vocabulary,
            depth: 0,
        };
        let left = reader.sum()?;
        let expression = if reader.take("=") {
            left - reader.sum()?
        } else {
            left
        };
        reader.blanks();
        if reader.rest.is_empty() {
            Ok(expression)
        } else {
            Err(reader.error("the end was expected"))
        }
    }

    /// The names that occur in the expression, for reading it again.
    #[must_use]
    pub fn vocabulary(&self) -> Vocabulary {
        Vocabulary {
            unknowns: self.unknowns(),
            parameters: self.parameters(),
            coordinates: self.named_coordinates(),
            functions: Vec::new(),
        }
    }
}

/// Parentheses within parentheses that are still read.
const DEEPEST: usize = 100;

struct Reader<'a> {
    text: &'a str,
    rest: &'a str,
    vocabulary: &'a Vocabulary,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn error(&self, reason: impl fmt::Display) -> ParseError {
        ParseError {
            text: self.text.to_owned(),
            reason: reason.to_string(),
            rest: self.rest.chars().take(30).collect(),
        }
    }

    fn blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn peek(&mut self) -> Option<char> {
        self.blanks();
        self.rest.chars().next()
    }

    /// Goes past this text if it comes next.
    fn take(&mut self, text: &str) -> bool {
        self.blanks();
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, text: &str) -> Result<(), ParseError> {
        if self.take(text) {
            Ok(())
        } else {
            Err(self.error(format!("“{text}” was expected")))
        }
    }

    fn minus(&mut self) -> bool {
        self.take("−") || self.take("-")
    }

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
        let mut left = self.power()?;
        loop {
            if self.take("/") {
                left = left.over(self.power()?);
            } else if self.take("·") {
                left = dot(left, self.power()?);
            } else if self.take("*") {
                left = Expr::product([left, self.power()?]);
            } else if self.begins_factor() {
                left = Expr::product([left, self.power()?]);
            } else {
                return Ok(left);
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

    /// Digits ² ³ … directly after the base.
    fn superscript(&mut self) -> Option<usize> {
        let mut number: Option<usize> = None;
        while let Some((c, digit)) = self
            .rest
            .chars()
            .next()
            .and_then(|c| superscript_digit(c).map(|digit| (c, digit)))
        {
            number = Some(number.unwrap_or(0).saturating_mul(10).saturating_add(digit));
            self.rest = self.rest.strip_prefix(c).unwrap_or("");
        }
        number
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
            let s = self.number()?;
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
                .coordinate(&name)
                .ok_or_else(|| self.error(format!("{name} is no coordinate")))?;
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
        let (name, _) = self.name()?;
        let found = self.vocabulary.coordinate(&name);
        found.ok_or_else(|| self.error(format!("{name} is no coordinate")))
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
                let mut components = vec![self.sum()?];
                while self.take(",") {
                    components.push(self.sum()?);
                }
                self.expect("]")?;
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
            Err(_) => Err(self.error("the upper limit is a number or the coordinate itself")),
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
        if let Some(found) = self.vocabulary.look_up(&name) {
            return Ok(found);
        }
        match name.as_str() {
            "n" if !quoted => Ok(normal()),
            "I" if !quoted => Ok(identity_matrix()),
            _ => {
                let error = format!(
                    "{name} is neither an unknown nor a parameter nor a coordinate here"
                );
                self.rest = before;
                Err(self.error(error))
            }
        }
    }

    /// A word, or anything in backticks.
    fn name(&mut self) -> Result<(String, bool), ParseError> {
        self.blanks();
        if let Some(rest) = self.rest.strip_prefix('`') {
            let (name, rest) = rest
                .split_once('`')
                .ok_or_else(|| self.error("a closing backtick was expected"))?;
            self.rest = rest;
            return Ok((name.to_owned(), true));
        }
        let end = self
            .rest
            .char_indices()
            .find(|(i, c)| {
                if *i == 0 {
                    !is_first(*c)
                } else {
                    !is_further(*c)
                }
            })
            .map_or(self.rest.len(), |(i, _)| i);
        let (name, rest) = self.rest.split_at(end);
        if name.is_empty() {
            return Err(self.error("a name was expected"));
        }
        self.rest = rest;
        Ok((name.to_owned(), false))
    }

    fn signed_number(&mut self) -> Result<f64, ParseError> {
        let sign = if self.minus() { -1.0 } else { 1.0 };
        Ok(sign * self.number()?)
    }

    fn number(&mut self) -> Result<f64, ParseError> {
        self.blanks();
        let bytes = self.rest.as_bytes();
        let digits = |mut at: usize| {
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            at
        };
        let mut end = digits(0);
        if bytes.get(end) == Some(&b'.') {
            end = digits(end + 1);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = matches!(bytes.get(end + 1), Some(b'-' | b'+'));
            let first = end + 1 + usize::from(sign);
            if bytes.get(first).is_some_and(u8::is_ascii_digit) {
                end = digits(first);
            }
        }
        let (number, rest) = self.rest.split_at(end);
        let value = number
            .parse()
            .map_err(|_| self.error("a number was expected"))?;
        self.rest = rest;
        Ok(value)
    }
}
