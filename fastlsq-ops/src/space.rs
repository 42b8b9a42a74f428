//! The coordinates of a domain: how many, their names, and whether the last one is time.

use crate::{Coordinate, Name, StatementError};
use fastlsq_basis::typography::subscript;

/// The axes that expressions refer to.
///
/// ```
/// use fastlsq_ops::{Space, T, X, Y};
/// let strip = Space::new(1).with_time(); // x and t
/// assert_eq!((strip.axis_of(X)?, strip.axis_of(T)?), (0, 1));
/// // Two axes, but no y.
/// assert!(strip.axis_of(Y).is_err());
/// # Ok::<(), fastlsq_ops::StatementError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Space {
    names: Vec<Name>,
    time: bool,
}

impl Space {
    /// This many axes of space: x, y, z, or x₀, x₁, … if there are more than three.
    #[must_use]
    pub fn new(axes: usize) -> Self {
        let names = (0..axes).map(|k| match (axes, k) {
            (1..=3, 0) => Name::new("x"),
            (1..=3, 1) => Name::new("y"),
            (1..=3, 2) => Name::new("z"),
            _ => Name::new(&format!("x{}", subscript(k))),
        });
        Self {
            names: names.collect(),
            time: false,
        }
    }

    /// The same space with time as one more axis.
    #[must_use]
    pub fn with_time(mut self) -> Self {
        if !self.time {
            self.names.push(Name::new("t"));
            self.time = true;
        }
        self
    }

    /// Axes of these names; a last one called t is time.
    #[must_use]
    pub fn named<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let names: Vec<Name> = names.into_iter().map(Name::new).collect();
        let time = names.last().is_some_and(|name| name.as_str() == "t");
        Self { names, time }
    }

    /// The same axes under other names, as far as there are names; whether there is time does not change.
    #[must_use]
    pub fn renamed<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> Self {
        for (own, name) in self.names.iter_mut().zip(names) {
            *own = Name::new(name);
        }
        self
    }

    /// The number of axes, time included.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.names.len()
    }

    /// The number of axes of space.
    #[must_use]
    pub fn space_axes(&self) -> usize {
        self.names.len() - usize::from(self.time)
    }

    /// Whether the last axis is time.
    #[must_use]
    pub fn has_time(&self) -> bool {
        self.time
    }

    /// The names of the axes.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.names.iter().map(Name::as_str).collect()
    }

    /// The number of the axis that is meant.
    ///
    /// # Errors
    /// A coordinate that does not exist here.
    pub fn axis_of(&self, coordinate: Coordinate) -> Result<usize, StatementError> {
        let found = match coordinate {
            Coordinate::X => self.space_axis(0),
            Coordinate::Y => self.space_axis(1),
            Coordinate::Z => self.space_axis(2),
            // An axis called t will do where there is no time.
            Coordinate::Time if self.time => Some(self.names.len() - 1),
            Coordinate::Time => self.names.iter().position(|own| own.as_str() == "t"),
            Coordinate::Axis(k) => (k < self.dim()).then_some(k),
            Coordinate::Named(name) => self.names.iter().position(|own| *own == name),
        };
        found.ok_or_else(|| StatementError::NoSuchCoordinate {
            coordinate: coordinate.to_string(),
            known: self.names.iter().map(ToString::to_string).collect(),
        })
    }

    /// x, y and z are the axes of these names, wherever they stand; else the first, the second and the third of space,
    /// unless those have another of these names.
    fn space_axis(&self, number: usize) -> Option<usize> {
        let own = self.names.get(..self.space_axes())?;
        let letters = ["x", "y", "z"];
        let by_name = letters
            .get(number)
            .and_then(|letter| own.iter().position(|name| name.as_str() == *letter));
        let in_place = || {
            let free = |name: &Name| !letters.contains(&name.as_str());
            own.get(number).is_some_and(free).then_some(number)
        };
        by_name.or_else(in_place)
    }
}

#[cfg(test)]
mod tests {
    use super::Space;
    use crate::{T, X, Y, Z, axis, coordinate};

    #[test]
    fn letters_are_names_first_and_places_second() {
        let axes = |space: &Space| [X, Y, Z, T].map(|c| space.axis_of(c).ok());
        assert_eq!(axes(&Space::new(3)), [Some(0), Some(1), Some(2), None]);
        assert_eq!(
            axes(&Space::new(1).with_time()),
            [Some(0), None, None, Some(1)]
        );
        assert_eq!(axes(&Space::new(5)), [Some(0), Some(1), Some(2), None]);
        assert_eq!(
            axes(&Space::named(["r", "theta", "t"])),
            [Some(0), Some(1), None, Some(2)]
        );
        // The height over the radius: z is the second axis, and nothing else is.
        let cylinder = Space::named(["r", "z"]);
        assert_eq!(axes(&cylinder), [Some(0), None, Some(1), None]);
        assert_eq!(cylinder.axis_of(coordinate("z")), Ok(1));
        assert_eq!(
            axes(&Space::named(["y", "x"])),
            [Some(1), Some(0), None, None]
        );
        assert!(Space::new(2).axis_of(axis(2)).is_err());
    }
}
