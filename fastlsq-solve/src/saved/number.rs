//! Numbers of a report: JSON has no NaN and no infinity, so these are written as words.

use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Number {
    Finite(f64),
    Word(String),
}

// The signature that serde's `with` asks for.
#[allow(clippy::trivially_copy_pass_by_ref)]
pub(crate) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    encode(*value).serialize(serializer)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    decode(Number::deserialize(deserializer)?)
}

fn encode(value: f64) -> Number {
    if value.is_finite() {
        Number::Finite(value)
    } else {
        Number::Word(value.to_string())
    }
}

fn decode<E: Error>(number: Number) -> Result<f64, E> {
    match number {
        Number::Finite(value) => Ok(value),
        Number::Word(word) => match word.as_str() {
            "NaN" => Ok(f64::NAN),
            "inf" => Ok(f64::INFINITY),
            "-inf" => Ok(f64::NEG_INFINITY),
            other => Err(E::invalid_value(
                Unexpected::Str(other),
                &"a number, \"NaN\", \"inf\" or \"-inf\"",
            )),
        },
    }
}

/// The same for lists.
pub(crate) mod list {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::{Number, decode, encode};

    pub(crate) fn serialize<S: Serializer>(
        values: &[f64],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(|&value| encode(value)))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<f64>, D::Error> {
        let numbers = Vec::<Number>::deserialize(deserializer)?;
        numbers.into_iter().map(decode).collect()
    }
}
