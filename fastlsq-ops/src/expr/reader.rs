//! Words, numbers and signs of a text, one after the other.

use fastlsq_basis::typography::superscript_digit;
use std::fmt;

use super::vocabulary::{is_first, is_further};
use super::{ParseError, Vocabulary};

/// How much of a text is repeated in a message.
const SHOWN: usize = 200;

/// The text, or its beginning if it is very long.
fn beginning(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or("")),
        None => text.to_owned(),
    }
}

/// A text, as far as it has been read.
pub(super) struct Reader<'a> {
    text: &'a str,
    pub(super) rest: &'a str,
    pub(super) vocabulary: &'a Vocabulary,
    /// Parentheses and operators that are open.
    pub(super) depth: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, vocabulary: &'a Vocabulary) -> Self {
        Self {
            text,
            rest: text,
            vocabulary,
            depth: 0,
        }
    }

    pub(super) fn error(&self, reason: impl fmt::Display) -> ParseError {
        ParseError {
            text: beginning(self.text),
            reason: beginning(&reason.to_string()),
            rest: self.rest.chars().take(30).collect(),
        }
    }

    pub(super) fn blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    pub(super) fn peek(&mut self) -> Option<char> {
        self.blanks();
        self.rest.chars().next()
    }

    /// Goes past this text if it comes next.
    pub(super) fn take(&mut self, text: &str) -> bool {
        self.blanks();
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    pub(super) fn expect(&mut self, text: &str) -> Result<(), ParseError> {
        if self.take(text) {
            Ok(())
        } else {
            Err(self.error(format!("“{text}” was expected")))
        }
    }

    pub(super) fn minus(&mut self) -> bool {
        self.take("−") || self.take("-")
    }

    /// Digits ² ³ … directly after the base.
    pub(super) fn superscript(&mut self) -> Option<usize> {
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

    /// A word, or anything in backticks.
    pub(super) fn name(&mut self) -> Result<(String, bool), ParseError> {
        self.blanks();
        if let Some(mut rest) = self.rest.strip_prefix('`') {
            let mut name = String::new();
            loop {
                let (part, after) = rest
                    .split_once('`')
                    .ok_or_else(|| self.error("a closing backtick was expected"))?;
                name.push_str(part);
                rest = after;
                // Two backticks stand for one.
                match rest.strip_prefix('`') {
                    Some(after) => {
                        name.push('`');
                        rest = after;
                    }
                    None => break,
                }
            }
            self.rest = rest;
            return Ok((name, true));
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

    pub(super) fn signed_number(&mut self) -> Result<f64, ParseError> {
        let sign = if self.minus() { -1.0 } else { 1.0 };
        Ok(sign * self.number()?)
    }

    pub(super) fn number(&mut self) -> Result<f64, ParseError> {
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
