//! The box l ≤ x ≤ u in which parameters live.

use thiserror::Error;

/// A box l ≤ x ≤ u, one pair of sides per parameter.
///
/// A side may be infinite (no bound there), and a lower side may equal the upper one (a fixed
/// parameter). What a value of this type promises: both sides have the same length, no side is
/// NaN, no lower side exceeds its upper side, and every interval contains at least one finite
/// number.
///
/// ```
/// use fastlsq_inverse::optimise::Bounds;
/// let bounds = Bounds::new(vec![0.0, f64::NEG_INFINITY], vec![1.0, 5.0])?;
/// let mut point = [2.0, -7.0];
/// assert_eq!(bounds.project(&mut point)?, [0]); // the first coordinate had to move
/// assert_eq!(point, [1.0, -7.0]);
/// # Ok::<(), fastlsq_inverse::optimise::BoundsError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "stored::OptionalSides", into = "stored::OptionalSides")
)]
pub struct Bounds {
    lower: Vec<f64>,
    upper: Vec<f64>,
}

/// Why a box, or a point for it, cannot be used.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum BoundsError {
    /// The two sides have different lengths.
    #[error(
        "{lower} lower bounds but {upper} upper bounds: give one of each for every parameter \
         (infinite where there is none)"
    )]
    SideLengths {
        /// Number of lower bounds.
        lower: usize,
        /// Number of upper bounds.
        upper: usize,
    },
    /// The interval of a parameter contains no finite number.
    #[error(
        "the bounds of parameter {index} are crossed or empty: lower {lower}, upper {upper}; \
         swap them, or make them equal to fix the parameter"
    )]
    Crossed {
        /// Index of the parameter.
        index: usize,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
    },
    /// A bound is NaN.
    #[error("a bound of parameter {index} is NaN; use ±∞ for a side without a bound")]
    NanSide {
        /// Index of the parameter.
        index: usize,
    },
    /// A point has another number of coordinates than the box.
    #[error("the box has {expected} parameters but the point has {found}")]
    PointLength {
        /// Dimension of the box.
        expected: usize,
        /// Length of the point.
        found: usize,
    },
    /// A coordinate of a point is NaN.
    #[error("coordinate {index} of the point is NaN")]
    NanPoint {
        /// Index of the coordinate.
        index: usize,
    },
    /// An operation that needs finite sides met an infinite one.
    #[error(
        "parameter {index} has an infinite bound; give finite bounds to spread points over the box"
    )]
    Infinite {
        /// Index of the parameter.
        index: usize,
    },
}

impl Bounds {
    /// The box with these lower and upper sides.
    pub fn new(lower: Vec<f64>, upper: Vec<f64>) -> Result<Self, BoundsError> {
        if lower.len() != upper.len() {
            return Err(BoundsError::SideLengths {
                lower: lower.len(),
                upper: upper.len(),
            });
        }
        for (index, (&l, &u)) in lower.iter().zip(&upper).enumerate() {
            if l.is_nan() || u.is_nan() {
                return Err(BoundsError::NanSide { index });
            }
            if l > u || l == f64::INFINITY || u == f64::NEG_INFINITY {
                return Err(BoundsError::Crossed {
                    index,
                    lower: l,
                    upper: u,
                });
            }
        }
        Ok(Self { lower, upper })
    }

    /// The box from one (lower, upper) pair per parameter.
    pub fn from_pairs(pairs: &[(f64, f64)]) -> Result<Self, BoundsError> {
        let (lower, upper) = pairs.iter().copied().unzip();
        Self::new(lower, upper)
    }

    /// The same interval for every parameter.
    pub fn uniform(dimension: usize, lower: f64, upper: f64) -> Result<Self, BoundsError> {
        Self::new(vec![lower; dimension], vec![upper; dimension])
    }

    /// The whole space R^dimension.
    #[must_use]
    pub fn unbounded(dimension: usize) -> Self {
        Self {
            lower: vec![f64::NEG_INFINITY; dimension],
            upper: vec![f64::INFINITY; dimension],
        }
    }

    /// Number of parameters.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.lower.len()
    }

    /// Lower sides (−∞ where there is none).
    #[must_use]
    pub fn lower(&self) -> &[f64] {
        &self.lower
    }

    /// Upper sides (+∞ where there is none).
    #[must_use]
    pub fn upper(&self) -> &[f64] {
        &self.upper
    }

    /// Whether at least one side is finite.
    #[must_use]
    pub fn is_constrained(&self) -> bool {
        self.sides().any(|(l, u)| l.is_finite() || u.is_finite())
    }

    /// Whether every side is finite.
    #[must_use]
    pub fn is_boxed(&self) -> bool {
        self.sides().all(|(l, u)| l.is_finite() && u.is_finite())
    }

    /// Whether the point has the right length and lies in the box (sides included).
    #[must_use]
    pub fn contains(&self, point: &[f64]) -> bool {
        point.len() == self.dimension()
            && point
                .iter()
                .zip(self.sides())
                .all(|(&x, (l, u))| l <= x && x <= u)
    }

    /// Moves the point to the nearest point of the box; returns the indices that moved.
    pub fn project(&self, point: &mut [f64]) -> Result<Vec<usize>, BoundsError> {
        self.check_length(point.len())?;
        if let Some(index) = point.iter().position(|x| x.is_nan()) {
            return Err(BoundsError::NanPoint { index });
        }
        let mut moved = Vec::new();
        for (index, (x, (l, u))) in point.iter_mut().zip(self.sides()).enumerate() {
            let projected = x.max(l).min(u);
            if projected != *x {
                *x = projected;
                moved.push(index);
            }
        }
        Ok(moved)
    }

    /// Indices of the coordinates that lie exactly on a side.
    #[must_use]
    pub fn active(&self, point: &[f64]) -> Vec<usize> {
        point
            .iter()
            .zip(self.sides())
            .enumerate()
            .filter(|&(_, (&x, (l, u)))| x <= l || x >= u)
            .map(|(index, _)| index)
            .collect()
    }

    /// ‖P(x − g) − x‖∞, the first-order optimality measure in a box: zero exactly at points where
    /// no feasible direction decreases the objective to first order.
    #[must_use]
    pub fn projected_gradient_norm(&self, point: &[f64], gradient: &[f64]) -> f64 {
        point
            .iter()
            .zip(gradient)
            .zip(self.sides())
            .fold(0.0, |norm: f64, ((&x, &g), (l, u))| {
                let feasible = if g < 0.0 { g.max(x - u) } else { g.min(x - l) };
                norm.max(feasible.abs())
            })
    }

    /// max |gᵢ| over the coordinates that may move along −g: all but those that lie on a side and
    /// are pushed against it. Unlike the projected gradient it scales with the objective, but it
    /// does not tend to zero where a coordinate approaches its side without reaching it.
    #[must_use]
    pub fn free_gradient_norm(&self, point: &[f64], gradient: &[f64]) -> f64 {
        point
            .iter()
            .zip(gradient)
            .zip(self.sides())
            .fold(0.0, |norm: f64, ((&x, &g), (l, u))| {
                let blocked = (x <= l && g > 0.0) || (x >= u && g < 0.0);
                if blocked { norm } else { norm.max(g.abs()) }
            })
    }

    /// The sides, one (lower, upper) pair per parameter.
    pub(crate) fn sides(&self) -> impl ExactSizeIterator<Item = (f64, f64)> + '_ {
        self.lower.iter().copied().zip(self.upper.iter().copied())
    }

    /// Moves every coordinate into its interval; NaN stays NaN.
    pub(crate) fn clamp(&self, point: &mut [f64]) {
        for (x, (l, u)) in point.iter_mut().zip(self.sides()) {
            if *x < l {
                *x = l;
            } else if *x > u {
                *x = u;
            }
        }
    }

    pub(crate) fn check_length(&self, found: usize) -> Result<(), BoundsError> {
        if found == self.dimension() {
            Ok(())
        } else {
            Err(BoundsError::PointLength {
                expected: self.dimension(),
                found,
            })
        }
    }
}

/// Storage.
#[cfg(feature = "serde")]
mod stored {
    use super::{Bounds, BoundsError};

    /// How a box is stored: `None` for an infinite side, so that formats without infinities
    /// (JSON) keep it.
    #[derive(serde::Serialize, serde::Deserialize)]
    pub(super) struct OptionalSides {
        lower: Vec<Option<f64>>,
        upper: Vec<Option<f64>>,
    }

    impl From<Bounds> for OptionalSides {
        fn from(bounds: Bounds) -> Self {
            let finite = |side: Vec<f64>| {
                side.into_iter()
                    .map(|b| b.is_finite().then_some(b))
                    .collect()
            };
            Self {
                lower: finite(bounds.lower),
                upper: finite(bounds.upper),
            }
        }
    }

    impl TryFrom<OptionalSides> for Bounds {
        type Error = BoundsError;

        fn try_from(sides: OptionalSides) -> Result<Self, BoundsError> {
            let or = |side: Vec<Option<f64>>, infinite: f64| {
                side.into_iter().map(|b| b.unwrap_or(infinite)).collect()
            };
            Self::new(
                or(sides.lower, f64::NEG_INFINITY),
                or(sides.upper, f64::INFINITY),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INF: f64 = f64::INFINITY;

    #[test]
    fn wrong_sides_are_named() {
        assert_eq!(
            Bounds::new(vec![0.0], vec![]),
            Err(BoundsError::SideLengths { lower: 1, upper: 0 })
        );
        assert_eq!(
            Bounds::from_pairs(&[(0.0, 1.0), (3.0, 2.0)]),
            Err(BoundsError::Crossed {
                index: 1,
                lower: 3.0,
                upper: 2.0
            })
        );
        assert_eq!(
            Bounds::from_pairs(&[(0.0, 1.0), (f64::NAN, 2.0)]),
            Err(BoundsError::NanSide { index: 1 })
        );
        assert!(matches!(
            Bounds::from_pairs(&[(INF, INF)]),
            Err(BoundsError::Crossed { index: 0, .. })
        ));
        assert!(Bounds::from_pairs(&[(2.0, 2.0), (-INF, INF)]).is_ok());
    }

    #[test]
    fn projection_reports_what_moved_and_refuses_bad_points() {
        let bounds = Bounds::from_pairs(&[(0.0, 1.0), (-INF, 0.0), (2.0, 2.0)]).unwrap();
        let mut point = [0.5, 3.0, 0.0];
        assert_eq!(bounds.project(&mut point).unwrap(), [1, 2]);
        assert_eq!(point, [0.5, 0.0, 2.0]);
        assert!(bounds.contains(&point));
        assert_eq!(bounds.active(&point), [1, 2]);
        assert_eq!(
            bounds.project(&mut [0.0]),
            Err(BoundsError::PointLength {
                expected: 3,
                found: 1
            })
        );
        assert_eq!(
            bounds.project(&mut [0.0, f64::NAN, 0.0]),
            Err(BoundsError::NanPoint { index: 1 })
        );
        assert!(!bounds.contains(&[0.5, 0.0, f64::NAN]));
    }

    #[test]
    fn projected_gradient_ignores_what_pushes_outwards() {
        let bounds = Bounds::from_pairs(&[(0.0, 1.0), (0.0, 1.0), (-INF, INF)]).unwrap();
        // At the lower side a positive gradient pushes out; at the upper side a negative one.
        assert_eq!(
            bounds.projected_gradient_norm(&[0.0, 1.0, 0.0], &[5.0, -5.0, 0.0]),
            0.0
        );
        // The gradient counts up to the distance to the side that it points to.
        assert_eq!(
            bounds.projected_gradient_norm(&[0.25, 0.5, 0.0], &[5.0, 0.0, -0.1]),
            0.25
        );
    }

    #[cfg(feature = "serde")]
    #[test]
    fn infinite_sides_survive_json() {
        let bounds = Bounds::from_pairs(&[(0.1, INF), (-INF, 0.3), (-INF, INF)]).unwrap();
        let text = serde_json::to_string(&bounds).unwrap();
        assert_eq!(serde_json::from_str::<Bounds>(&text).unwrap(), bounds);
        let crossed = r#"{"lower":[1.0],"upper":[0.0]}"#;
        assert!(serde_json::from_str::<Bounds>(crossed).is_err());
    }
}
