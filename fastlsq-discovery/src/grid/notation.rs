//! How terms are written: `u^2 v`, `u u_x`, `(u^2)_x`, and back.

use super::library::GridLibrary;
use super::term::{Factor, GridTerm};
use crate::DiscoveryError;
use fastlsq_basis::typography::{exponent, superscript_digit};

impl GridLibrary {
    /// Reads a term.
    pub(crate) fn read(&self, text: &str) -> Result<GridTerm, DiscoveryError> {
        let trimmed = text.trim();
        let (inside, outer) = match trimmed.strip_prefix('(') {
            Some(rest) => {
                let (inside, tail) = rest
                    .split_once(')')
                    .ok_or_else(|| self.unreadable(text, "a parenthesis is not closed"))?;
                let letters = match tail.strip_prefix('_') {
                    Some(letters) if !letters.is_empty() => letters,
                    _ if tail.is_empty() => "",
                    _ => return Err(self.unreadable(text, "coordinates must follow an underscore")),
                };
                (inside, self.orders(letters, text)?)
            }
            None => (trimmed, vec![0; self.axes().len()]),
        };
        let mut factors = Vec::new();
        let mut constant = false;
        for word in inside.split(|c: char| c.is_whitespace() || c == '*' || c == '·') {
            if word.is_empty() {
                continue;
            }
            if word == "1" {
                constant = true;
                continue;
            }
            let (base, power) = split_power(word)
                .ok_or_else(|| self.unreadable(text, "powers must be whole numbers from 1 to 9"))?;
            let (name, letters) = base.split_once('_').unwrap_or((base, ""));
            let field = self.fields().iter().position(|f| f == name);
            let field = field.ok_or_else(|| self.unreadable(text, "there is no such field"))?;
            if letters.is_empty() && base.contains('_') {
                return Err(self.unreadable(text, "coordinates must follow an underscore"));
            }
            factors.push(Factor {
                field,
                inner: self.orders(letters, text)?,
                power,
            });
        }
        if factors.is_empty() && !constant {
            return Err(self.unreadable(text, "it is empty"));
        }
        Ok(self.named(&outer, factors))
    }

    pub(super) fn named(&self, outer: &[u32], factors: Vec<Factor>) -> GridTerm {
        let kept: Vec<Factor> = factors.into_iter().filter(|f| f.power > 0).collect();
        let single = kept.len() == 1 && kept.iter().all(|f| f.power == 1);
        let names: Vec<String> = kept
            .iter()
            .map(|f| {
                self.fields()[f.field].clone()
                    + &self.suffix(&f.inner)
                    + &exponent(f.power as usize)
            })
            .collect();
        let body = if names.is_empty() {
            "1".to_owned()
        } else {
            names.join(" ")
        };
        let name = match (outer.iter().any(|n| *n > 0), single) {
            (false, _) => body,
            (true, true) => body + &self.suffix(outer),
            (true, false) => format!("({body}){}", self.suffix(outer)),
        };
        GridTerm::product(name, outer, kept)
    }

    fn suffix(&self, alpha: &[u32]) -> String {
        let letters: String = self
            .axes()
            .iter()
            .zip(alpha)
            .flat_map(|(&c, &n)| std::iter::repeat_n(c, n as usize))
            .collect();
        if letters.is_empty() {
            letters
        } else {
            format!("_{letters}")
        }
    }

    pub(super) fn orders(&self, letters: &str, text: &str) -> Result<Vec<u32>, DiscoveryError> {
        let mut orders = vec![0; self.axes().len()];
        for letter in letters.chars() {
            match self.axes().iter().position(|&a| a == letter) {
                Some(axis) => orders[axis] += 1,
                None => return Err(self.unreadable(text, "there is no such coordinate")),
            }
        }
        Ok(orders)
    }
}

fn split_power(word: &str) -> Option<(&str, u32)> {
    let (base, power) = match word.split_once('^') {
        Some((base, digits)) => (base, digits.parse().ok()?),
        None => {
            let last = word.chars().next_back()?;
            match superscript_digit(last) {
                Some(power) => (word.strip_suffix(last)?, u32::try_from(power).ok()?),
                None => (word, 1),
            }
        }
    };
    (1..=9).contains(&power).then_some((base, power))
}
