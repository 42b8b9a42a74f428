//! The candidate terms of a law.

mod jets;
mod term;
mod variables;

use fastlsq_basis::MultiIndex;
pub(crate) use jets::Jets;
pub use term::Term;
pub use variables::Variables;

use crate::DiscoveryError;

/// Named candidate terms T₁(u), T₂(u), … in given coordinates.
///
/// ```
/// use fastlsq_discovery::Dictionary;
/// let library = Dictionary::parse(&["x", "t"], &["u", "u u_x", "u^2", "u_xx"])?
///     .with_function("sin u", &["u"], |u| u[0].sin())?;
/// assert_eq!(library.names(), ["u", "u u_x", "u²", "u_xx", "sin u"]);
/// # Ok::<(), fastlsq_discovery::DiscoveryError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Dictionary {
    variables: Variables,
    terms: Vec<Term>,
}

impl Dictionary {
    /// No terms yet, in coordinates with these one-letter names.
    ///
    /// # Errors
    /// Names as in [`Variables::new`].
    pub fn new(axes: &[&str]) -> Result<Self, DiscoveryError> {
        Ok(Self {
            variables: Variables::new(axes)?,
            terms: Vec::new(),
        })
    }

    /// These products of derivatives, written like `u`, `u u_x`, `u^2`, `u_xx`, `1`.
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
            .map(|text| library.variables.parse_derivative(text))
            .collect::<Result<Vec<_>, _>>()?;
        for powers in MultiIndex::up_to_order(factors.len(), degree) {
            let factors: Vec<_> = factors
                .iter()
                .cloned()
                .zip(powers.orders().to_vec())
                .collect();
            let term = Term::product(&library.variables, &factors);
            library = library.with_term(term)?;
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
        let target = library.variables.parse_derivative(target)?;
        let dim = library.variables.dim();
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
            let term = Term::product(&library.variables, &factors);
            library = library.with_term(term)?;
        }
        Ok(library)
    }

    /// The dictionary with one more product, given as text.
    ///
    /// # Errors
    /// A term that cannot be read, or is there already.
    pub fn with(self, text: &str) -> Result<Self, DiscoveryError> {
        let term = Term::parse(&self.variables, text)?;
        self.with_term(term)
    }

    /// The dictionary with one more term f(j), j being the derivatives named by `arguments`.
    ///
    /// # Errors
    /// An argument that cannot be read, or a name that is there already.
    pub fn with_function(
        self,
        name: &str,
        arguments: &[&str],
        f: impl Fn(&[f64]) -> f64 + Send + Sync + 'static,
    ) -> Result<Self, DiscoveryError> {
        self.with_function_of_place(name, arguments, move |_, jet| f(jet))
    }

    /// The dictionary with one more term f(x, j) that also depends on the place x.
    ///
    /// # Errors
    /// An argument that cannot be read, or a name that is there already.
    pub fn with_function_of_place(
        self,
        name: &str,
        arguments: &[&str],
        f: impl Fn(&[f64], &[f64]) -> f64 + Send + Sync + 'static,
    ) -> Result<Self, DiscoveryError> {
        let arguments = arguments
            .iter()
            .map(|text| self.variables.parse_derivative(text))
            .collect::<Result<Vec<_>, _>>()?;
        self.with_term(Term::function(name, arguments, f))
    }

    /// The dictionary with one more term.
    ///
    /// # Errors
    /// A name that is there already.
    pub fn with_term(mut self, term: Term) -> Result<Self, DiscoveryError> {
        if self.terms.iter().any(|known| known.name() == term.name()) {
            return Err(DiscoveryError::DuplicateTerm {
                name: term.name().to_owned(),
            });
        }
        if let Some(wrong) = term
            .arguments()
            .iter()
            .find(|alpha| alpha.dim() != self.variables.dim())
        {
            return Err(DiscoveryError::Term {
                text: term.name().to_owned(),
                reason: format!(
                    "a derivative has {} axes but there are {}",
                    wrong.dim(),
                    self.variables.dim()
                ),
            });
        }
        self.terms.push(term);
        Ok(self)
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

    /// The letters of the equation.
    #[must_use]
    pub fn variables(&self) -> &Variables {
        &self.variables
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
