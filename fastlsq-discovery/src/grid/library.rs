//! The candidate terms for fields on grids.

use std::sync::Arc;

use fastlsq_basis::MultiIndex;

use super::term::{Factor, GridTerm, Inside, Part};
use fastlsq_ops::{Expr, Vocabulary, parameter};

use crate::DiscoveryError;

/// Candidate terms over several fields, each D^α g(u, v, …) or a product that can be brought near it.
///
/// Terms are written like `u`, `u^2 v`, `u u_x`, `(u^2)_x`, `v_xx`, `1`; a conserved form and the
/// product it stands for are the same term.
///
/// ```
/// use fastlsq_discovery::GridLibrary;
/// let library = GridLibrary::parse(&["x", "t"], &["u"], &["u", "u u_x", "u_xx"])?;
/// assert_eq!(library.names(), ["u", "u u_x", "u_xx"]);
/// assert!(library.with("(u^2)_x").is_err()); // = 2 u u_x: there already
/// # Ok::<(), fastlsq_discovery::DiscoveryError>(())
/// ```
#[derive(Debug, Clone)]
pub struct GridLibrary {
    axes: Vec<char>,
    fields: Vec<String>,
    terms: Vec<GridTerm>,
}

impl GridLibrary {
    /// A text of a term or target as an expression; a name for what is given as code, which has no value.
    pub(crate) fn expression(&self, text: &str) -> Expr {
        let axes: Vec<String> = self.axes.iter().map(ToString::to_string).collect();
        let own = axes.iter().map(String::as_str);
        let own = own.filter(|name| !matches!(*name, "x" | "y" | "z" | "t"));
        let vocabulary = Vocabulary::empty()
            .with_unknowns(self.fields.iter().map(String::as_str))
            .with_coordinates(own);
        Expr::parse_with(text, &vocabulary).unwrap_or_else(|_| parameter(text).into())
    }

    /// A law as text without the quotes around fields such as x: here they cannot be coordinates.
    pub(super) fn unquoted(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for field in &self.fields {
            text = text.replace(&format!("`{field}`"), field);
        }
        text
    }

    /// No terms yet: coordinates with one-letter names and fields by name.
    ///
    /// # Errors
    /// Names that repeat, no names, coordinates of more than one letter, fields that do not start with a letter
    /// or contain anything but letters and digits.
    pub fn new(axes: &[&str], fields: &[&str]) -> Result<Self, DiscoveryError> {
        let refuse = || DiscoveryError::GridNames {
            axes: axes.iter().map(|&name| name.to_owned()).collect(),
            fields: fields.iter().map(|&name| name.to_owned()).collect(),
        };
        let mut letters = Vec::new();
        for name in axes {
            let mut chars = name.chars();
            match (chars.next(), chars.next()) {
                (Some(c), None) if c.is_alphabetic() && !letters.contains(&c) => letters.push(c),
                _ => return Err(refuse()),
            }
        }
        let sound = |name: &&str| {
            name.starts_with(char::is_alphabetic)
                && name
                    .chars()
                    .all(|c| c.is_alphabetic() || c.is_ascii_digit())
        };
        let twice = (0..fields.len())
            .any(|k| fields[..k].contains(&fields[k]) || axes.contains(&fields[k]));
        if letters.is_empty() || fields.is_empty() || twice || !fields.iter().all(sound) {
            return Err(refuse());
        }
        Ok(Self {
            axes: letters,
            fields: fields.iter().map(|&f| f.to_owned()).collect(),
            terms: Vec::new(),
        })
    }

    /// These terms.
    ///
    /// # Errors
    /// Names as in [`GridLibrary::new`]; a term that cannot be read, or appears twice.
    pub fn parse(axes: &[&str], fields: &[&str], terms: &[&str]) -> Result<Self, DiscoveryError> {
        terms
            .iter()
            .try_fold(Self::new(axes, fields)?, |library, text| library.with(text))
    }

    /// Every product of at most `degree` fields, without the constant.
    ///
    /// # Errors
    /// Names as in [`GridLibrary::new`].
    pub fn polynomial(axes: &[&str], fields: &[&str], degree: u32) -> Result<Self, DiscoveryError> {
        let mut library = Self::new(axes, fields)?;
        for powers in MultiIndex::up_to_order(fields.len(), degree) {
            if !powers.is_zero() {
                let factors = library.powers(powers.orders());
                library = library.with_factors(&vec![0; axes.len()], factors)?;
            }
        }
        Ok(library)
    }

    /// The library with every derivative of every field along the named axes, up to an order.
    ///
    /// # Errors
    /// An axis that does not exist; derivatives that are there already.
    pub fn with_derivatives(self, along: &[&str], order: u32) -> Result<Self, DiscoveryError> {
        self.with_derivatives_of(along, order, 1)
    }

    /// The library with D^α of every product of at most `degree` fields, 1 ≤ |α| ≤ `order`, along the
    /// named axes.
    ///
    /// # Errors
    /// An axis that does not exist; derivatives that are there already.
    pub fn with_derivatives_of(
        mut self,
        along: &[&str],
        order: u32,
        degree: u32,
    ) -> Result<Self, DiscoveryError> {
        let places = along
            .iter()
            .map(|name| {
                let letter = name.chars().next().filter(|c| c.len_utf8() == name.len());
                letter
                    .and_then(|c| self.axes.iter().position(|&a| a == c))
                    .ok_or_else(|| self.unreadable(name, "there is no such coordinate"))
            })
            .collect::<Result<Vec<_>, _>>()?;
        for alpha in MultiIndex::up_to_order(places.len(), order) {
            let mut outer = vec![0; self.axes.len()];
            for (&axis, n) in places.iter().zip(alpha.orders()) {
                outer[axis] += n;
            }
            if alpha.is_zero() {
                continue;
            }
            for powers in MultiIndex::up_to_order(self.fields.len(), degree) {
                if !powers.is_zero() {
                    let factors = self.powers(powers.orders());
                    self = self.with_factors(&outer, factors)?;
                }
            }
        }
        Ok(self)
    }

    /// The library with one more term, given as text.
    ///
    /// # Errors
    /// A term that cannot be read, or is there already, possibly in another form.
    pub fn with(self, text: &str) -> Result<Self, DiscoveryError> {
        let term = self.read(text)?;
        self.push(term)
    }

    /// The library with D^α f(u, v, …), α named by its axes as in `"xx"` (empty for none).
    ///
    /// # Errors
    /// A coordinate that does not exist, a name that is there already.
    pub fn with_function(
        self,
        name: &str,
        outer: &str,
        f: impl Fn(&[f64]) -> f64 + Send + Sync + 'static,
    ) -> Result<Self, DiscoveryError> {
        let outer = self.orders(outer, name)?;
        let term = GridTerm {
            name: name.to_owned(),
            parts: vec![Part {
                factor: 1.0,
                outer,
                inside: Inside::Function(Arc::new(f)),
            }],
        };
        self.push(term)
    }

    /// The names of the terms.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.terms.iter().map(|term| term.name.as_str()).collect()
    }

    /// Number of terms.
    #[must_use]
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there are no terms.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Names of the fields.
    #[must_use]
    pub fn fields(&self) -> &[String] {
        &self.fields
    }

    /// Letters of the coordinates.
    #[must_use]
    pub fn axes(&self) -> &[char] {
        &self.axes
    }

    pub(crate) fn terms(&self) -> &[GridTerm] {
        &self.terms
    }

    /// Place, name and expression of a term.
    pub(crate) fn entry(&self, place: usize) -> (usize, &str, Expr) {
        let name = self.terms[place].name.as_str();
        (place, name, self.expression(name))
    }

    /// The place in the library of a term, and the number r with text = r · that term.
    pub(crate) fn find(&self, text: &str) -> Option<(usize, f64)> {
        if let Some(place) = self.terms.iter().position(|term| term.name == text) {
            return Some((place, 1.0));
        }
        let wanted = self.read(text).ok()?;
        (0..self.terms.len()).find_map(|place| Some((place, wanted.ratio(&self.terms[place])?)))
    }

    pub(super) fn unreadable(&self, text: &str, reason: &str) -> DiscoveryError {
        DiscoveryError::Term {
            text: text.to_owned(),
            reason: format!(
                "{reason} (fields {:?}, coordinates {:?})",
                self.fields, self.axes
            ),
            advice: "write terms such as `u u_x`, `u^2`, `(u^2)_x`, `u_xx`, or 1 for a constant, and give other functions of the fields to GridLibrary::with_function",
        }
    }

    fn powers(&self, powers: &[u32]) -> Vec<Factor> {
        (0..powers.len())
            .map(|field| Factor {
                field,
                inner: vec![0; self.axes.len()],
                power: powers[field],
            })
            .collect()
    }

    fn push(mut self, term: GridTerm) -> Result<Self, DiscoveryError> {
        let known = |t: &&GridTerm| t.name == term.name || term.ratio(t).is_some();
        if let Some(twin) = self.terms.iter().find(known) {
            return Err(DiscoveryError::duplicate(&term.name, &twin.name));
        }
        self.terms.push(term);
        Ok(self)
    }

    fn with_factors(self, outer: &[u32], factors: Vec<Factor>) -> Result<Self, DiscoveryError> {
        let term = self.named(outer, factors);
        self.push(term)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conserved_forms_are_the_same_terms() {
        let library = GridLibrary::parse(
            &["x", "t"],
            &["u", "v"],
            &["u u_x", "u_xx", "u u_xxx", "u^2 v"],
        )
        .unwrap();
        assert_eq!(library.find("(u^2)_x"), Some((0, 2.0)));
        assert_eq!(library.find("(u²)_x"), Some((0, 2.0)));
        assert_eq!(library.find("(u)_xx"), Some((1, 1.0)));
        assert_eq!(library.find("v u^2"), Some((3, 1.0)));
        assert_eq!(library.find("v_xx"), None);
        assert_eq!(library.names(), ["u u_x", "u_xx", "u u_xxx", "u² v"]);
        // u u_xxx = ½(u²)_xxx − 3/2 (u_x²)_x
        let parts = &library.terms()[2].parts;
        let found: Vec<(f64, &[u32])> = parts.iter().map(|p| (p.factor, &p.outer[..])).collect();
        assert_eq!(found, [(0.5, &[3, 0][..]), (-1.5, &[1, 0][..])]);
    }

    #[test]
    fn libraries_are_counted_and_checked() {
        let products = GridLibrary::polynomial(&["x", "t"], &["u", "v"], 3).unwrap();
        assert_eq!(products.len(), 9);
        let all = products.with_derivatives(&["x"], 2).unwrap();
        assert_eq!((all.len(), all.names()[9]), (13, "u_x"));
        for bad in ["w", "u_y", "u^0", "", "(u", "u_", "(u)x", "2 u"] {
            assert!(
                matches!(all.clone().with(bad), Err(DiscoveryError::Term { .. })),
                "{bad}"
            );
        }
        assert!(GridLibrary::new(&["x"], &["u", "u"]).is_err());
        assert!(GridLibrary::new(&["xy"], &["u"]).is_err());
        assert!(GridLibrary::new(&["x"], &["u_1"]).is_err());
        assert!(GridLibrary::new(&["x", "t"], &["u", "x"]).is_err());
        // What is advised can be done.
        let refused = all.clone().with("sin(u)").unwrap_err().to_string();
        assert!(refused.contains("with_function") && !refused.contains("such as `sin"));
        assert!(all.with_function("sin(u)", "", |u| u[0].sin()).is_ok());
    }
}
