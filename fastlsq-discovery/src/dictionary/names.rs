//! The field and its coordinates, as the language of equations knows them.

use fastlsq_basis::MultiIndex;
use fastlsq_ops::{
    Action, Coordinate, Expr, Frame, Space, Statement, StatementError, T, Unknown, Vocabulary, X,
    Y, Z, coordinate, unknown,
};

use super::term::Affine;
use crate::DiscoveryError;

/// The name of the field.
const FIELD: &str = "u";

/// What may stand in a law: the field u and its coordinates, such as x and t.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    vocabulary: Vocabulary,
    frame: Frame,
    coordinates: Vec<Coordinate>,
}

impl Names {
    /// Coordinates with these one-letter names, in the order of a point's entries.
    pub(crate) fn new(axes: &[&str]) -> Result<Self, DiscoveryError> {
        let one_letter = |name: &str| {
            let mut letters = name.chars();
            letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none()
        };
        let mut seen = vec![FIELD];
        for name in axes {
            if !one_letter(name) || seen.contains(name) {
                seen.clear();
                break;
            }
            seen.push(name);
        }
        if seen.len() <= 1 {
            return Err(DiscoveryError::AxisNames {
                axes: axes.iter().map(|&name| name.to_owned()).collect(),
                dim: axes.len(),
            });
        }
        let space = Space::named(axes.iter().copied());
        let coordinates: Vec<Coordinate> = axes
            .iter()
            .enumerate()
            .map(|(axis, name)| usual(&space, axis).unwrap_or_else(|| coordinate(name)))
            .collect();
        // Letters that mean no usual coordinate here are names of axes, or of nothing.
        let own = axes.iter().copied().chain(["x", "y", "z", "t"]);
        let own = own.filter(|name| !coordinates.iter().any(|c| is_usual(*c, name)));
        Ok(Self {
            vocabulary: Vocabulary::empty()
                .with_unknowns([FIELD])
                .with_coordinates(own),
            frame: Frame::new(space, [unknown(FIELD)]),
            coordinates,
        })
    }

    pub(crate) fn frame(&self) -> &Frame {
        &self.frame
    }

    pub(crate) fn dim(&self) -> usize {
        self.coordinates.len()
    }

    fn field(&self) -> Unknown {
        unknown(FIELD)
    }

    /// D^α u, such as u_xxt.
    pub(crate) fn derivative(&self, alpha: &MultiIndex) -> Expr {
        let along = self.coordinates.iter().zip(alpha.orders());
        along.fold(self.field().into(), |of: Expr, (coordinate, &order)| {
            (0..order).fold(of, |of, _| of.d(*coordinate))
        })
    }

    /// Π (D^α u)^k; without factors the constant 1.
    pub(crate) fn product(&self, factors: &[(MultiIndex, u32)]) -> Expr {
        let powers = factors.iter().filter(|(_, power)| *power > 0);
        powers
            .map(|(alpha, power)| self.derivative(alpha).powf(f64::from(*power)))
            .product()
    }

    /// Reads a text.
    pub(crate) fn read(&self, text: &str) -> Result<Expr, DiscoveryError> {
        Expr::parse_with(text, &self.vocabulary).map_err(|error| DiscoveryError::Term {
            text: text.to_owned(),
            reason: error.reason,
            advice: ADVICE,
        })
    }

    /// Reads a single derivative, such as `u_t`.
    pub(crate) fn read_derivative(&self, text: &str) -> Result<MultiIndex, DiscoveryError> {
        let expression = self.read(text)?;
        let alpha = self.derivative_of(&expression)?;
        alpha.ok_or_else(|| refused(&text, &"it is not one derivative of u, such as u_t"))
    }

    /// α if the expression is D^α u and nothing else.
    pub(crate) fn derivative_of(
        &self,
        expression: &Expr,
    ) -> Result<Option<MultiIndex>, DiscoveryError> {
        let affine = Affine::of(&self.lower(expression)?);
        Ok(affine.and_then(|affine| affine.derivative().cloned()))
    }

    /// The expression made concrete.
    pub(crate) fn lower(&self, expression: &Expr) -> Result<Statement, DiscoveryError> {
        let lowered = self.frame.lower_scalar(expression);
        lowered.map_err(|error: StatementError| refused(expression, &error))
    }
}

/// What can be written.
const ADVICE: &str = "write terms such as `u u_x`, `u^2`, `u_xx`, `sin(u)`, or 1 for a constant";

/// A refusal of a term, with the reason.
pub(super) fn refused(text: &dyn ToString, reason: &dyn ToString) -> DiscoveryError {
    DiscoveryError::Term {
        text: text.to_string(),
        reason: reason.to_string(),
        advice: ADVICE,
    }
}

/// The order of a plain derivative; `None` for integrals and multipliers.
pub(super) fn plain(action: &Action) -> Option<&MultiIndex> {
    let is_plain = action.integrals.is_empty() && action.multiplier.is_none();
    is_plain.then_some(&action.derivative)
}

/// The coordinate that an axis is on every domain, so that laws can be solved there as they are: x, y, z and t by
/// their names.
fn usual(space: &Space, axis: usize) -> Option<Coordinate> {
    let coordinate = match *space.names().get(axis)? {
        "x" => X,
        "y" => Y,
        "z" => Z,
        "t" => T,
        _ => return None,
    };
    (space.axis_of(coordinate) == Ok(axis)).then_some(coordinate)
}

fn is_usual(coordinate: Coordinate, name: &str) -> bool {
    !matches!(coordinate, Coordinate::Named(_)) && coordinate.to_string() == name
}
