//! Expressions in files: their text, with the names it uses.

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Expr, Vocabulary};
use crate::Coordinate;

/// What is written: the text, and what its names stand for.
#[derive(Serialize, Deserialize)]
struct Written {
    text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    unknowns: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parameters: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    coordinates: Vec<String>,
}

impl Written {
    fn read(&self) -> Result<Expr, super::ParseError> {
        let vocabulary = Vocabulary::empty()
            .with_unknowns(self.unknowns.iter().map(String::as_str))
            .with_parameters(self.parameters.iter().map(String::as_str))
            .with_coordinates(self.coordinates.iter().map(String::as_str))
            .printed();
        Expr::parse_with(&self.text, &vocabulary)
    }
}

impl Serialize for Expr {
    /// Fails for expressions with closures, and where a name stands for two things.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.has_closures() {
            return Err(S::Error::custom(format!(
                "{self} contains functions given as code, which cannot be written down"
            )));
        }
        let written = Written {
            text: self.to_string(),
            unknowns: self.unknowns().iter().map(ToString::to_string).collect(),
            parameters: self.parameters().iter().map(ToString::to_string).collect(),
            coordinates: self
                .named_coordinates()
                .iter()
                .map(Coordinate::to_string)
                .collect(),
        };
        match written.read() {
            Ok(read) if read == *self => written.serialize(serializer),
            _ => Err(S::Error::custom(format!(
                "{self} would read back as something else; is one name used for two things?"
            ))),
        }
    }
}

impl<'de> Deserialize<'de> for Expr {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = Written::deserialize(deserializer)?;
        written.read().map_err(D::Error::custom)
    }
}
