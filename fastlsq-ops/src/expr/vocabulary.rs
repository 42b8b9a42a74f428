//! What the words of a text stand for.

use super::{Elementary, Expr};
use crate::{Coordinate, Parameter, T, Unknown, X, Y, Z, axis, coordinate, parameter, unknown};

/// The names that a text may use.
///
/// The default knows the unknowns u, v and w, the coordinates x, y, z, t and x₀, x₁, …, and no parameters.
#[derive(Debug, Clone)]
pub struct Vocabulary {
    unknowns: Vec<Unknown>,
    parameters: Vec<Parameter>,
    coordinates: Vec<Coordinate>,
    functions: Vec<(String, Expr)>,
    /// Whether the text was printed: then a reserved word keeps its own meaning without backticks.
    printed: bool,
}

impl Default for Vocabulary {
    fn default() -> Self {
        Self {
            unknowns: ["u", "v", "w"].map(unknown).to_vec(),
            parameters: Vec::new(),
            coordinates: Vec::new(),
            functions: Vec::new(),
            printed: false,
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

    /// The vocabulary for texts that were printed: `n` without backticks is the normal even if there is an unknown n.
    #[cfg(feature = "serde")]
    pub(super) fn printed(mut self) -> Self {
        self.printed = true;
        self
    }

    /// What a word stands for, if it is one of these names or a coordinate.
    pub(super) fn look_up(&self, name: &str, quoted: bool) -> Option<Expr> {
        if self.knows(name, quoted) {
            if let Some((_, meaning)) = self.functions.iter().find(|(own, _)| own == name) {
                return Some(meaning.clone());
            }
            if let Some(unknown) = self.unknowns.iter().find(|u| u.name() == name) {
                return Some((*unknown).into());
            }
            if let Some(parameter) = self.parameters.iter().find(|p| p.name() == name) {
                return Some((*parameter).into());
            }
        }
        self.coordinate(name, quoted).map(Into::into)
    }

    pub(super) fn coordinate(&self, name: &str, quoted: bool) -> Option<Coordinate> {
        let mut named = self.coordinates.iter().copied().filter(|c| match c {
            Coordinate::Named(own) => own.as_str() == name,
            _ => false,
        });
        let named = named.next().filter(|_| self.knows(name, quoted));
        named.or_else(|| common_coordinate(name))
    }

    /// Whether a word can be one of the names at all.
    fn knows(&self, name: &str, quoted: bool) -> bool {
        quoted || !self.printed || !is_reserved(name)
    }
}

/// x, y, z, t, and x with a subscript.
fn common_coordinate(name: &str) -> Option<Coordinate> {
    match name {
        "x" => Some(X),
        "y" => Some(Y),
        "z" => Some(Z),
        "t" => Some(T),
        _ => {
            let digits = name.strip_prefix('x')?;
            // One spelling for each number.
            if digits.starts_with('₀') && digits != "₀" {
                return None;
            }
            let mut number: usize = 0;
            for c in digits.chars() {
                number = number.checked_mul(10)?.checked_add(subscript_digit(c)?)?;
            }
            Some(axis(number))
        }
    }
}

pub(super) fn subscript_digit(c: char) -> Option<usize> {
    let digit = u32::from(c).checked_sub(u32::from('₀'))?;
    (digit < 10).then_some(digit as usize)
}

/// Whether a text is one word of letters, digits and subscripts.
pub(super) fn is_identifier(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(is_first) && letters.all(is_further)
}

pub(super) fn is_first(c: char) -> bool {
    c.is_alphabetic() && c != 'Δ' && c != 'ᵀ'
}

pub(super) fn is_further(c: char) -> bool {
    is_first(c) || c.is_ascii_digit() || subscript_digit(c).is_some() || c == '\''
}

/// Words that mean something by themselves, so that a name like them is printed in backticks.
pub(super) fn is_reserved(name: &str) -> bool {
    matches!(name, "pi" | "π" | "n" | "I")
        || common_coordinate(name).is_some()
        || Elementary::ALL.iter().any(|f| f.name() == name)
}

impl Expr {
    /// The names that occur in the expression, for reading it again.
    ///
    /// ```
    /// use fastlsq_ops::{Expr, X, parameter, unknown};
    /// let (c, rho) = (parameter("speed of sound"), unknown("rho"));
    /// let law = rho.d(X) * c;
    /// assert_eq!(law.to_string(), "rho_x `speed of sound`");
    /// assert_eq!(Expr::parse_with(&law.to_string(), &law.vocabulary())?, law);
    /// # Ok::<(), fastlsq_ops::ParseError>(())
    /// ```
    #[must_use]
    pub fn vocabulary(&self) -> Vocabulary {
        Vocabulary {
            unknowns: self.unknowns(),
            parameters: self.parameters(),
            coordinates: self.named_coordinates(),
            functions: Vec::new(),
            printed: true,
        }
    }
}
