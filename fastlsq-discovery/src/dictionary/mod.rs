//! The candidate terms of a law.

mod jets;
mod names;
mod term;

use fastlsq_basis::MultiIndex;
use fastlsq_ops::{Expr, Frame};
pub(crate) use jets::{Jets, evaluate};
use names::Names;
pub use term::Term;

use crate::DiscoveryError;

/// Candidate terms T₁(u), T₂(u), … in given coordinates.
///
/// Terms are expressions, as text or as [`Expr`]; the same term in another form, as `(u^2)_x` for `u u_x`, is refused.
/// ```
/// use fastlsq_discovery::Dictionary;
/// use fastlsq_ops::{T, X, call, sin, unknown};
/// let u = unknown("u");
/// let library = Dictionary::parse(&["x", "t"], &["u", "u u_x", "u^2", "u_xx", "sin(u)"])?
///     .with_term(sin(2.0 * X) * u.d(X))?
///     // What cannot be written is a function of other expressions.
///     .with_term(call("ramp", [u.d(T)], |a| if a[0].value() > 0.0 { a[0] } else { 0.0.into() }))?;
/// let names = ["u", "u u_x", "u²", "u_xx", "sin(u)", "sin(2 x) u_x", "ramp(u_t)"];
/// assert_eq!(library.names(), names);
/// # Ok::<(), fastlsq_discovery::DiscoveryError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Dictionary {
    names: Names,
    terms: Vec<Term>,
}

impl Dictionary {
    /// No terms yet, in coordinates with these one-letter names.
    ///
    /// An axis called t after others is time.
    ///
    /// # Errors
    /// Names that are not one letter, repeat, or collide with the field's u.
    pub fn new(axes: &[&str]) -> Result<Self, DiscoveryError> {
        Ok(Self {
            names: Names::new(axes)?,
            terms: Vec::new(),
        })
    }

    /// These terms, written like `u`, `u u_x`, `u^2`, `u_xx`, `sin(u)`, `1`.
    ///
    /// # Errors
    /// A term that cannot be read, or appears twice.
    pub fn parse(axes: &[&str], terms: &[&str]) -> Result<Self, DiscoveryError> {
        terms
            .iter()
            .try_fold(Self::new(axes)?, |library, text| library.with(text))
    }

    /// Every product of at most `degree` of these derivatives, with the constant 1 first.
    ///
    /// # Errors
    /// A derivative that cannot be read, or appears twice.
    pub fn polynomial(
        axes: &[&str],
        derivatives: &[&str],
        degree: u32,
    ) -> Result<Self, DiscoveryError> {
        let mut library = Self::new(axes)?;
        let factors = derivatives
            .iter()
            .map(|text| library.names.read_derivative(text))
            .collect::<Result<Vec<_>, _>>()?;
        for powers in MultiIndex::up_to_order(factors.len(), degree) {
            let factors: Vec<_> = factors
                .iter()
                .cloned()
                .zip(powers.orders().to_vec())
                .collect();
            let product = library.names.product(&factors);
            library = library.with_term(product)?;
        }
        Ok(library)
    }

    /// The usual suspects for a field with this target derivative: powers of u up to the third,
    /// derivatives along the other axes up to third order (second with more than two axes), lower
    /// ones along the target's own axis, and u times each first and second derivative.
    ///
    /// # Errors
    /// A target that cannot be read.
    pub fn standard(axes: &[&str], target: &str) -> Result<Self, DiscoveryError> {
        let mut library = Self::new(axes)?;
        let target = library.names.read_derivative(target)?;
        let dim = library.names.dim();
        let u = MultiIndex::zero(dim);
        let mut products: Vec<Vec<(MultiIndex, u32)>> =
            (1..=3).map(|power| vec![(u.clone(), power)]).collect();
        for axis in 0..dim {
            let own = target.orders()[axis];
            let highest = if own > 0 {
                own - 1
            } else if dim > 2 {
                2
            } else {
                3
            };
            for order in 1..=highest {
                let along = MultiIndex::along(dim, axis, order)?;
                products.push(vec![(along.clone(), 1)]);
                if order <= 2 {
                    products.push(vec![(u.clone(), 1), (along, 1)]);
                }
            }
        }
        for factors in products {
            let product = library.names.product(&factors);
            library = library.with_term(product)?;
        }
        Ok(library)
    }

    /// The dictionary with one more term, given as text: see [`Expr::parse`].
    ///
    /// # Errors
    /// A term that cannot be read, or is there already.
    pub fn with(self, text: &str) -> Result<Self, DiscoveryError> {
        let term = self.read(text)?;
        self.with_one_more(term)
    }

    /// The dictionary with one more term, given as an expression.
    ///
    /// # Errors
    /// A term in other unknowns or coordinates, with a number in front, with integrals of u, or that
    /// is there already.
    pub fn with_term(self, term: impl Into<Expr>) -> Result<Self, DiscoveryError> {
        let term = Term::new(&self.names, &term.into())?;
        self.with_one_more(term)
    }

    fn with_one_more(mut self, term: Term) -> Result<Self, DiscoveryError> {
        let same = |known: &&Term| known.name() == term.name() || term.ratio(known).is_some();
        if let Some(twin) = self.terms.iter().find(same) {
            return Err(DiscoveryError::duplicate(term.name(), twin.name()));
        }
        self.terms.push(term);
        Ok(self)
    }

    /// The place of a term, and the number r with text = r · that term.
    pub(crate) fn find(&self, text: &str) -> Option<(usize, f64)> {
        if let Some(place) = self.terms.iter().position(|term| term.name() == text) {
            return Some((place, 1.0));
        }
        let wanted = self.read(text).ok()?;
        (0..self.terms.len()).find_map(|place| Some((place, wanted.ratio(&self.terms[place])?)))
    }

    /// A term as it would stand in this dictionary.
    pub(crate) fn read(&self, text: &str) -> Result<Term, DiscoveryError> {
        Term::new(&self.names, &self.names.read(text)?).map_err(|error| match error {
            // In the words it was given in.
            DiscoveryError::Term { reason, advice, .. } => DiscoveryError::Term {
                text: text.to_owned(),
                reason,
                advice,
            },
            other => other,
        })
    }

    /// Reads a single derivative, such as `u_t`.
    pub(crate) fn read_derivative(&self, text: &str) -> Result<MultiIndex, DiscoveryError> {
        self.names.read_derivative(text)
    }

    /// D^αu as an expression.
    pub(crate) fn derivative(&self, alpha: &MultiIndex) -> Expr {
        self.names.derivative(alpha)
    }

    /// The terms, in the order they were added.
    #[must_use]
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// The names of the terms.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.terms.iter().map(Term::name).collect()
    }

    /// The coordinates and the field, in which terms become concrete.
    #[must_use]
    pub fn frame(&self) -> &Frame {
        self.names.frame()
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
}
