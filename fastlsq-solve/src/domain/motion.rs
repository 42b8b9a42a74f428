//! Motions of space: they move domains, and take one part of a boundary to another.

use ndarray::Array2;

use super::DomainError;
use super::checks::check_finite;

/// x ↦ Q x + b with an orthogonal Q: what moves a domain, and glues two congruent parts of a boundary together.
///
/// ```
/// use fastlsq_solve::{BoundingBox, Motion};
/// // The two straight sides of a sixth of a ring.
/// let turn = Motion::rotation(2, [0, 1], std::f64::consts::FRAC_PI_3)?;
/// // Opposite sides of a parallelogram.
/// let shift = Motion::translation(&[1.0, 0.25])?;
/// assert_eq!(shift.image(&[0.0, 0.5]), [1.0, 0.75]);
/// assert_eq!(shift.preimage(&[1.0, 0.75]), [0.0, 0.5]);
/// # let _ = turn;
/// # Ok::<(), fastlsq_solve::DomainError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Motion {
    turn: Array2<f64>,
    shift: Vec<f64>,
}

impl Motion {
    /// x ↦ x + b.
    ///
    /// # Errors
    /// A vector without entries or not finite.
    pub fn translation(shift: &[f64]) -> Result<Self, DomainError> {
        Self {
            turn: Array2::eye(shift.len()),
            shift: shift.to_vec(),
        }
        .checked()
    }

    /// The rotation about the origin in `dim` dimensions, from one axis towards another.
    ///
    /// # Errors
    /// Axes that do not exist or are the same, an angle that is not finite.
    pub fn rotation(dim: usize, [from, to]: [usize; 2], angle: f64) -> Result<Self, DomainError> {
        if let Some(&axis) = [from, to].iter().find(|axis| **axis >= dim) {
            return Err(DomainError::AxisIndex { axis, dim });
        }
        if from == to || !angle.is_finite() {
            return Err(DomainError::BadDirection {
                direction: vec![from as f64, to as f64, angle],
            });
        }
        let mut turn = Array2::eye(dim);
        let (sin, cos) = angle.sin_cos();
        turn[(from, from)] = cos;
        turn[(to, to)] = cos;
        turn[(to, from)] = sin;
        turn[(from, to)] = -sin;
        Self {
            turn,
            shift: vec![0.0; dim],
        }
        .checked()
    }

    /// The reflection x ↦ −x of one axis.
    ///
    /// # Errors
    /// An axis that does not exist.
    pub fn reflection(dim: usize, axis: usize) -> Result<Self, DomainError> {
        if axis >= dim {
            return Err(DomainError::AxisIndex { axis, dim });
        }
        let mut turn = Array2::eye(dim);
        turn[(axis, axis)] = -1.0;
        Self {
            turn,
            shift: vec![0.0; dim],
        }
        .checked()
    }

    /// First this motion, then the other.
    ///
    /// # Errors
    /// Motions of different dimensions.
    pub fn then(&self, other: &Self) -> Result<Self, DomainError> {
        if self.dim() != other.dim() {
            return Err(DomainError::DimensionMismatch {
                what: "the second motion",
                expected: self.dim(),
                found: other.dim(),
            });
        }
        Self {
            turn: other.turn.dot(&self.turn),
            shift: other.image(&self.shift),
        }
        .checked()
    }

    fn checked(self) -> Result<Self, DomainError> {
        if self.shift.is_empty() {
            return Err(DomainError::ZeroDimension);
        }
        check_finite("the shift", &self.shift)?;
        Ok(self)
    }

    /// The number of axes.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.shift.len()
    }

    /// Q x + b; axes that are missing count as zero.
    #[must_use]
    pub fn image(&self, point: &[f64]) -> Vec<f64> {
        let turned = self.turned(point);
        turned.iter().zip(&self.shift).map(|(x, b)| x + b).collect()
    }

    /// Qᵀ(x − b), the point that goes to x; axes that are missing count as zero.
    #[must_use]
    pub fn preimage(&self, point: &[f64]) -> Vec<f64> {
        let column = |k: usize| {
            let centred = point.iter().zip(&self.shift).map(|(x, b)| x - b);
            let entries = self.turn.column(k).into_iter().zip(centred);
            entries.map(|(q, x)| q * x).sum()
        };
        (0..self.dim()).map(column).collect()
    }

    /// Q v.
    #[must_use]
    pub fn turned(&self, vector: &[f64]) -> Vec<f64> {
        let row = |k: usize| {
            let entries = self.turn.row(k).into_iter().zip(vector);
            entries.map(|(q, v)| q * v).sum()
        };
        (0..self.dim()).map(row).collect()
    }

    /// Q.
    pub(super) fn matrix(&self) -> &Array2<f64> {
        &self.turn
    }

    /// b.
    pub(super) fn shift(&self) -> &[f64] {
        &self.shift
    }

    /// Whether every axis keeps its direction.
    pub(super) fn keeps_axes(&self) -> bool {
        self.turn == Array2::<f64>::eye(self.dim())
    }

    /// Q x + b, or Q x alone, for one point per row.
    pub(crate) fn applied(&self, points: &Array2<f64>, shifted: bool) -> Array2<f64> {
        let mut moved = points.dot(&self.turn.t());
        if shifted {
            moved += &ndarray::ArrayView1::from(&self.shift);
        }
        moved
    }
}
