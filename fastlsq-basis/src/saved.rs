//! Bases as plain data, so that a solution can be written to a file and read back.

use std::sync::Arc;

use crate::sinusoidal::Parity;
use crate::{
    Basis, ComplexPower, CylinderBasis, EvolvedBasis, EvolvedSpan, Factor, InputMap, JoinedBasis,
    MultiquadricBasis, OrthogonalPolynomials, PiecewiseBasis, PolynomialBasis, ProductBasis,
    SinusoidalBasis, SymmetrisedBasis, TanhBasis, TensorBasis, Weighted,
};

/// One of the bases of this crate, by value.
///
/// With the feature `serde` it can be stored; what is read back is checked, so that a damaged file is
/// an error there and never a surprise later.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum SavedBasis {
    /// Sinusoidal features.
    Sinusoidal(SinusoidalBasis),
    /// Hyperbolic tangents.
    Tanh(TanhBasis),
    /// Multiquadric radial functions.
    Multiquadric(MultiquadricBasis),
    /// Polynomials.
    Polynomial(PolynomialBasis),
    /// Products over the axes that do not change when axes are exchanged.
    Product(ProductBasis),
    /// Several bases side by side.
    Joined(SavedJoined),
    /// A basis made even or odd.
    Symmetrised(SavedSymmetrised),
    /// Known factors, alone or times a basis.
    Weighted(SavedWeighted),
    /// One basis on each of many boxes.
    Piecewise(SavedPiecewise),
    /// Cylinder waves.
    Cylinder(CylinderBasis),
    /// All products of functions along axes.
    Tensor(TensorBasis),
    /// Polynomials that are orthonormal over the points of a rule.
    Orthogonal(OrthogonalPolynomials),
    /// A function of space and time, span by span.
    Evolved(SavedEvolved),
}

/// One of the factors of this crate, by value.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum SavedFactor {
    /// A power or a logarithm of a complex variable.
    ComplexPower(ComplexPower),
}

impl SavedFactor {
    /// The factor, ready for use.
    #[must_use]
    pub fn into_factor(self) -> Arc<dyn Factor> {
        match self {
            Self::ComplexPower(power) => Arc::new(power),
        }
    }

    fn dim(&self) -> usize {
        match self {
            Self::ComplexPower(power) => power.dim(),
        }
    }
}

/// A [`Weighted`] basis as data; made by [`Basis::to_saved`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "serial::WeightedParts", into = "serial::WeightedParts")
)]
pub struct SavedWeighted {
    /// At least one, all of one dimension.
    pub(crate) factors: Vec<SavedFactor>,
    /// Of the same dimension.
    pub(crate) inner: Option<Box<SavedBasis>>,
}

/// A [`JoinedBasis`] as data; made by [`Basis::to_saved`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "serial::Joined", into = "serial::Joined")
)]
pub struct SavedJoined {
    /// At least one part, all of one dimension.
    pub(crate) parts: Vec<SavedBasis>,
}

/// A [`SymmetrisedBasis`] as data; made by [`Basis::to_saved`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "serial::Symmetrised", into = "serial::Symmetrised")
)]
pub struct SavedSymmetrised {
    pub(crate) inner: Box<SavedBasis>,
    /// As many as the inner basis has axes.
    pub(crate) parity: Vec<Parity>,
    pub(crate) center: Vec<f64>,
}

/// A [`PiecewiseBasis`] as data; made by [`Basis::to_saved`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "serial::Piecewise", into = "serial::Piecewise")
)]
pub struct SavedPiecewise {
    pub(crate) local: Box<SavedBasis>,
    /// At least one, all of the local basis's dimension.
    pub(crate) boxes: Vec<InputMap>,
}

/// An [`EvolvedBasis`] as data; made by [`Basis::to_saved`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "serial::Evolved", into = "serial::Evolved")
)]
pub struct SavedEvolved {
    /// At least one, all of one dimension.
    pub(crate) spaces: Vec<SavedBasis>,
    /// At least one, with as many coefficients as their spaces require.
    pub(crate) spans: Vec<EvolvedSpan>,
}

impl SavedJoined {
    /// The joined bases, in the order of their columns.
    #[must_use]
    pub fn parts(&self) -> &[SavedBasis] {
        &self.parts
    }
}

impl SavedBasis {
    /// The basis, ready for use.
    #[must_use]
    pub fn into_basis(self) -> Arc<dyn Basis> {
        match self {
            Self::Sinusoidal(basis) => Arc::new(basis),
            Self::Tanh(basis) => Arc::new(basis),
            Self::Multiquadric(basis) => Arc::new(basis),
            Self::Polynomial(basis) => Arc::new(basis),
            Self::Product(basis) => Arc::new(basis),
            Self::Joined(saved) => {
                let parts = saved.parts.into_iter().map(Self::into_basis).collect();
                Arc::new(JoinedBasis::from_checked(parts))
            }
            Self::Symmetrised(saved) => Arc::new(SymmetrisedBasis::from_checked(
                saved.inner.into_basis(),
                saved.parity,
                saved.center,
            )),
            Self::Weighted(saved) => {
                let factors = saved.factors.into_iter().map(SavedFactor::into_factor);
                let inner = saved.inner.map(|inner| inner.into_basis());
                Arc::new(Weighted::from_checked(factors.collect(), inner))
            }
            Self::Piecewise(saved) => Arc::new(PiecewiseBasis::from_checked(
                saved.local.into_basis(),
                saved.boxes,
            )),
            Self::Cylinder(basis) => Arc::new(basis),
            Self::Tensor(basis) => Arc::new(basis),
            Self::Orthogonal(basis) => Arc::new(basis),
            Self::Evolved(saved) => {
                let spaces = saved.spaces.into_iter().map(Self::into_basis).collect();
                Arc::new(EvolvedBasis::from_checked(spaces, saved.spans))
            }
        }
    }

    /// The dimension of the space.
    #[must_use]
    pub fn dim(&self) -> usize {
        match self {
            Self::Sinusoidal(basis) => basis.dim(),
            Self::Tanh(basis) => basis.dim(),
            Self::Multiquadric(basis) => basis.dim(),
            Self::Polynomial(basis) => basis.dim(),
            Self::Product(basis) => basis.dim(),
            Self::Joined(saved) => saved.parts.first().map_or(0, Self::dim),
            Self::Symmetrised(saved) => saved.inner.dim(),
            Self::Weighted(saved) => saved.factors.first().map_or(0, SavedFactor::dim),
            Self::Piecewise(saved) => saved.local.dim(),
            Self::Cylinder(basis) => basis.dim(),
            Self::Tensor(basis) => basis.dim(),
            Self::Orthogonal(basis) => basis.dim(),
            Self::Evolved(saved) => saved.spaces.first().map_or(0, Self::dim) + 1,
        }
    }

    /// The number of features.
    #[cfg(feature = "serde")]
    fn len(&self) -> usize {
        match self {
            Self::Sinusoidal(basis) => basis.len(),
            Self::Tanh(basis) => basis.len(),
            Self::Multiquadric(basis) => basis.len(),
            Self::Polynomial(basis) => basis.len(),
            Self::Product(basis) => basis.len(),
            Self::Joined(saved) => saved.parts.iter().map(Self::len).sum(),
            Self::Symmetrised(saved) => saved.inner.len(),
            Self::Weighted(saved) => {
                saved.factors.len() * saved.inner.as_ref().map_or(1, |inner| inner.len())
            }
            Self::Piecewise(saved) => saved.boxes.len() * saved.local.len(),
            Self::Cylinder(basis) => basis.len(),
            Self::Tensor(basis) => basis.len(),
            Self::Orthogonal(basis) => basis.len(),
            Self::Evolved(_) => 1,
        }
    }
}

/// What a stored basis says of itself before it is built.
///
/// A few numbers in a file may stand for millions of polynomials. Whoever knows how many features there should be reads
/// this first, and builds nothing that has more.
///
/// ```
/// # #[cfg(feature = "serde")] {
/// use fastlsq_basis::BasisOutline;
/// let stored = r#"{"Polynomial": {"map": {"center": [0, 0], "half": [1, 1]}, "family": "Legendre", "degree": 3}}"#;
/// let outline: BasisOutline = serde_json::from_str(stored)?;
/// assert_eq!(outline.generated(), 10.0);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "serde")]
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(transparent)]
pub struct BasisOutline(serial::Outline);

#[cfg(feature = "serde")]
impl BasisOutline {
    /// The number of features that are not listed in the file but follow from a few numbers in it: at most as many as
    /// the basis has. Infinite where they are beyond any use. For a function that was evolved in time: those of its functions
    /// of space for which no span lists coefficients.
    #[must_use]
    pub fn generated(&self) -> f64 {
        self.0.generated()
    }
}

/// Compound bases as they may stand in a file, not yet checked.
#[cfg(feature = "serde")]
mod serial {
    use serde::de::IgnoredAny;
    use serde::{Deserialize, Serialize};

    use super::{
        EvolvedSpan, Parity, SavedBasis, SavedEvolved, SavedFactor, SavedJoined, SavedPiecewise,
        SavedSymmetrised, SavedWeighted,
    };
    use crate::error::{require_dim, require_some};
    use crate::polynomial::count_of;
    use crate::{BasisError, InputMap, evolved, tensor};

    /// As much of a stored basis as tells its size.
    #[derive(Debug, Clone, Deserialize)]
    pub(super) enum Outline {
        Sinusoidal(IgnoredAny),
        Tanh(IgnoredAny),
        Multiquadric(IgnoredAny),
        Product(IgnoredAny),
        Polynomial {
            map: MapOutline,
            degree: u32,
        },
        Joined {
            parts: Vec<Outline>,
        },
        Symmetrised {
            inner: Box<Outline>,
        },
        Weighted {
            inner: Option<Box<Outline>>,
        },
        Piecewise {
            local: Box<Outline>,
            boxes: Vec<IgnoredAny>,
        },
        Cylinder {
            highest: u32,
        },
        Tensor {
            axes: Vec<AxisOutline>,
        },
        Orthogonal(IgnoredAny),
        Evolved {
            spaces: Vec<Outline>,
            spans: Vec<SpanOutline>,
        },
    }

    #[derive(Debug, Clone, Deserialize)]
    pub(super) struct AxisOutline {
        count: usize,
    }

    #[derive(Debug, Clone, Deserialize)]
    pub(super) struct SpanOutline {
        space: usize,
        coefficients: Vec<IgnoredAny>,
    }

    #[derive(Debug, Clone, Deserialize)]
    pub(super) struct MapOutline {
        center: Vec<IgnoredAny>,
    }

    impl Outline {
        pub(super) fn generated(&self) -> f64 {
            match self {
                Self::Sinusoidal(_)
                | Self::Tanh(_)
                | Self::Multiquadric(_)
                | Self::Product(_)
                | Self::Orthogonal(_) => 0.0,
                Self::Polynomial { map, degree } => count_of(map.center.len(), *degree),
                Self::Joined { parts } => parts.iter().map(Self::generated).sum(),
                Self::Symmetrised { inner } => inner.generated(),
                Self::Weighted { inner } => inner.as_ref().map_or(0.0, |inner| inner.generated()),
                Self::Piecewise { local, boxes } => boxes.len() as f64 * local.generated(),
                Self::Cylinder { highest } => 2.0 * (2.0 * f64::from(*highest) + 1.0),
                Self::Tensor { axes } => tensor::count_of(axes.iter().map(|axis| axis.count)),
                Self::Evolved { spaces, spans } => {
                    // One function, whose coefficients are listed; each space must have some of its own.
                    let mut listed = vec![0; spaces.len()];
                    for span in spans {
                        if let Some(own) = listed.get_mut(span.space) {
                            *own = span.coefficients.len().max(*own);
                        }
                    }
                    let pairs = spaces.iter().map(Self::generated).zip(listed);
                    pairs
                        .filter(|(generated, listed)| *generated > *listed as f64)
                        .map(|(generated, _)| generated)
                        .sum()
                }
            }
        }
    }

    #[derive(Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct Evolved {
        spaces: Vec<SavedBasis>,
        spans: Vec<EvolvedSpan>,
    }

    impl From<SavedEvolved> for Evolved {
        fn from(saved: SavedEvolved) -> Self {
            Self {
                spaces: saved.spaces,
                spans: saved.spans,
            }
        }
    }

    impl TryFrom<Evolved> for SavedEvolved {
        type Error = BasisError;

        fn try_from(Evolved { spaces, spans }: Evolved) -> Result<Self, BasisError> {
            require_some("the list of bases in space", spaces.len())?;
            for space in &spaces {
                require_dim("a basis in space", spaces[0].dim(), space.dim())?;
            }
            let sizes: Vec<usize> = spaces.iter().map(SavedBasis::len).collect();
            evolved::check(&sizes, &spans)?;
            Ok(Self { spaces, spans })
        }
    }

    #[derive(Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct Joined {
        parts: Vec<SavedBasis>,
    }

    #[derive(Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct Piecewise {
        local: Box<SavedBasis>,
        boxes: Vec<InputMap>,
    }

    impl From<SavedPiecewise> for Piecewise {
        fn from(saved: SavedPiecewise) -> Self {
            Self {
                local: saved.local,
                boxes: saved.boxes,
            }
        }
    }

    impl TryFrom<Piecewise> for SavedPiecewise {
        type Error = BasisError;

        fn try_from(Piecewise { local, boxes }: Piecewise) -> Result<Self, BasisError> {
            crate::piecewise::check(local.dim(), &boxes)?;
            Ok(Self { local, boxes })
        }
    }

    #[derive(Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct Symmetrised {
        inner: Box<SavedBasis>,
        parity: Vec<Parity>,
        center: Vec<f64>,
    }

    #[derive(Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct WeightedParts {
        factors: Vec<SavedFactor>,
        inner: Option<Box<SavedBasis>>,
    }

    impl From<SavedWeighted> for WeightedParts {
        fn from(saved: SavedWeighted) -> Self {
            Self {
                factors: saved.factors,
                inner: saved.inner,
            }
        }
    }

    impl TryFrom<WeightedParts> for SavedWeighted {
        type Error = BasisError;

        fn try_from(WeightedParts { factors, inner }: WeightedParts) -> Result<Self, BasisError> {
            require_some("the list of factors", factors.len())?;
            let dim = inner.as_ref().map_or(factors[0].dim(), |basis| basis.dim());
            for factor in &factors {
                require_dim("a factor", dim, factor.dim())?;
            }
            Ok(Self { factors, inner })
        }
    }

    impl From<SavedJoined> for Joined {
        fn from(saved: SavedJoined) -> Self {
            Self { parts: saved.parts }
        }
    }

    impl TryFrom<Joined> for SavedJoined {
        type Error = BasisError;

        fn try_from(Joined { parts }: Joined) -> Result<Self, BasisError> {
            require_some("the list of joined bases", parts.len())?;
            for part in &parts {
                require_dim("a joined basis", parts[0].dim(), part.dim())?;
            }
            Ok(Self { parts })
        }
    }

    impl From<SavedSymmetrised> for Symmetrised {
        fn from(saved: SavedSymmetrised) -> Self {
            Self {
                inner: saved.inner,
                parity: saved.parity,
                center: saved.center,
            }
        }
    }

    impl TryFrom<Symmetrised> for SavedSymmetrised {
        type Error = BasisError;

        fn try_from(stored: Symmetrised) -> Result<Self, BasisError> {
            crate::symmetrised::validate(stored.inner.dim(), &stored.parity, &stored.center)?;
            Ok(Self {
                inner: stored.inner,
                parity: stored.parity,
                center: stored.center,
            })
        }
    }
}
