//! A law as an expression, as an equation on paper, and with all that is known about its terms.

use fastlsq_ops::Expr;
use fastlsq_solve::Limit;

use crate::verdict::{STEADY, Status, Warning};

/// One term of the law that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct LawTerm {
    /// Its place in the dictionary.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// The term itself.
    pub expression: Expr,
    /// Its coefficient.
    pub coefficient: f64,
    /// An interval that holds the coefficient with about 95 % probability, if the law is right.
    pub interval: (f64, f64),
    /// The Cramér–Rao standard deviation at the estimated noise: no unbiased estimate does better.
    /// `None` without a likelihood refit.
    pub cramer_rao: Option<f64>,
    /// Probability that the term belongs to the law: from the information criteria of all laws that
    /// were fitted, or the bootstrap frequency without a likelihood refit.
    pub inclusion: f64,
}

impl LawTerm {
    /// A term with a normal estimate of its coefficient.
    pub(crate) fn estimated(
        (index, name, expression): (usize, &str, Expr),
        (coefficient, deviation): (f64, f64),
        inclusion: f64,
    ) -> Self {
        let reach = 1.96 * deviation;
        Self {
            index,
            name: name.to_owned(),
            expression,
            coefficient,
            interval: (coefficient - reach, coefficient + reach),
            cramer_rao: None,
            inclusion: inclusion.min(1.0),
        }
    }

    /// Whether the interval of the coefficient lies on one side of zero.
    pub(crate) fn has_sign(&self) -> bool {
        self.interval.0 > 0.0 || self.interval.1 < 0.0
    }

    /// Whether the term is there in most replicates, and with the same sign.
    pub(crate) fn is_steady(&self) -> bool {
        self.inclusion >= STEADY && self.has_sign()
    }

    /// The same term; no unbiased estimate has a smaller deviation than this.
    pub(crate) fn bounded(mut self, deviation: f64) -> Self {
        self.cramer_rao = Some(deviation);
        self
    }
}

/// The coefficient of what is r times the term at a place of the dictionary; 0 for what is not found, or not in the law.
pub(crate) fn coefficient(terms: &[LawTerm], found: Option<(usize, f64)>) -> f64 {
    found.map_or(0.0, |(place, ratio)| {
        let term = terms.iter().find(|term| term.index == place);
        term.map_or(0.0, |term| term.coefficient / ratio)
    })
}

/// Left − right: what vanishes.
pub(crate) fn vanishing(left: Expr, terms: &[LawTerm]) -> Expr {
    terms.iter().fold(left, |rest, term| {
        rest - term.coefficient * &term.expression
    })
}

/// The law as it stands on paper.
pub(crate) fn law(left: &Expr, terms: &[LawTerm]) -> String {
    let terms = terms.iter();
    equation(left, terms.map(|t| (t.coefficient, t.expression.clone())))
}

/// Status and law in the first line, then every term, facts, and doubts.
pub(crate) fn account(
    status: Status,
    law: &str,
    terms: &[LawTerm],
    facts: &str,
    warnings: &[Warning],
) -> String {
    let mut text = format!("{status}: {law}\n");
    for term in terms {
        text += &format!(
            "  {:<10} {} in [{}, {}], inclusion {:.3}",
            term.name,
            significant(term.coefficient, 5),
            significant(term.interval.0, 5),
            significant(term.interval.1, 5),
            term.inclusion
        );
        if let Some(bound) = term.cramer_rao {
            text += &format!(", Cramér–Rao {bound:.1e}");
        }
        text.push('\n');
    }
    text += &format!("  {facts}\n");
    for warning in warnings {
        text += &format!("  warning: {warning}\n");
    }
    text
}

/// What is said of a call that was stopped.
pub(crate) fn ending(stopped: Option<Limit>) -> String {
    stopped.map_or(String::new(), |limit| format!("  stopped early: {limit}\n"))
}

/// `u_t = −0.998 u u_x + 0.0201 u_xx`.
pub(crate) fn equation(target: &Expr, terms: impl Iterator<Item = (f64, Expr)>) -> String {
    let mut text = format!("{target} =");
    let mut first = true;
    for (c, term) in terms {
        let sign = match (first, c < 0.0) {
            (true, true) => " −",
            (true, false) => " ",
            (false, true) => " − ",
            (false, false) => " + ",
        };
        text += sign;
        text += &significant(c.abs(), 3);
        let name = term.to_string();
        if term.terms().len() > 1 || (name != "1" && name.starts_with(|c: char| c.is_ascii_digit()))
        {
            // Neither "2 u + u_x" nor "2 1/u" is meant.
            text += &format!(" ({name})");
        } else if name != "1" {
            text.push(' ');
            text += &name;
        }
        first = false;
    }
    if first {
        text += " 0";
    }
    text
}

/// The number to some significant digits, in plain notation where that is short.
pub(crate) fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    // The exponent after rounding: 0.9999 to three digits is 1.00.
    let scientific = format!("{value:.*e}", digits.saturating_sub(1));
    let size: i32 = scientific
        .split_once('e')
        .and_then(|(_, exponent)| exponent.parse().ok())
        .unwrap_or(0);
    if !(-4..6).contains(&size) {
        return scientific.replace('-', "−");
    }
    let decimals = (digits as i32 - 1 - size).max(0) as usize;
    format!("{value:.decimals$}").replace('-', "−")
}

#[cfg(test)]
mod tests {
    use fastlsq_ops::Expr;

    fn equation<const N: usize>(target: &str, terms: [(f64, &str); N]) -> String {
        let read = |text: &str| Expr::parse(text).unwrap_or_else(|_| 0.0.into());
        let terms = terms.into_iter().map(|(c, text)| (c, read(text)));
        super::equation(&read(target), terms)
    }

    #[test]
    fn prints_as_on_paper() {
        assert_eq!(
            equation("u_t", [(-0.998, "u u_x"), (0.0201, "u_xx")]),
            "u_t = −0.998 u u_x + 0.0201 u_xx"
        );
        assert_eq!(
            equation("u_xx", [(-4.25, "u"), (-1.0, "1")]),
            "u_xx = −4.25 u − 1.00"
        );
        assert_eq!(equation("u_t", [(2e-7, "u")]), "u_t = 2.00e−7 u");
        assert_eq!(equation("u_t", [(0.99999, "u")]), "u_t = 1.00 u");
        assert_eq!(equation("u_t", []), "u_t = 0");
        assert_eq!(
            equation("u_t", [(2.0, "u - u_xx"), (-3.0, "1/(1 + u)")]),
            "u_t = 2.00 (u − u_xx) − 3.00 (1/(1 + u))"
        );
    }
}
