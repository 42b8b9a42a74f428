//! Saving and loading a [`Solution`].

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use super::format::MOST_BYTES;
use super::{SaveError, atomic, format};
use crate::solution::Solution;

impl Solution {
    /// Writes the solution to a file, in the format of [`saved`](crate::saved).
    ///
    /// The file appears complete or not at all: a full disk or a crash leaves what was there before.
    ///
    /// ```
    /// # use fastlsq_solve::{Interval, LinearProblem, Solution, X, sin, unknown};
    /// // u″ + u = 0, u(0) = 0, u(1) = sin 1
    /// let u = unknown("u");
    /// let u = LinearProblem::on(Interval::unit())
    ///     .equation(u.d(X).d(X) + u, 0.0)
    ///     .dirichlet(sin(X))
    ///     .solve()?;
    /// let path = std::env::temp_dir().join(format!("fastlsq-save-{}.json", std::process::id()));
    /// u.save(&path)?;
    /// assert_eq!(Solution::load(&path)?.value(&[0.3])?, u.value(&[0.3])?);
    ///
    /// // Any program can read it: u(x) = scale Σ βⱼ sin(Wⱼ x + bⱼ).
    /// let file: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&path)?)?;
    /// let (own, arrays) = (&file["unknowns"][0], &file["unknowns"][0]["arrays"]);
    /// let number = |value: &serde_json::Value| value.as_f64().unwrap();
    /// let sum: f64 = (0..own["beta"].as_array().unwrap().len())
    ///     .map(|j| number(&own["beta"][j]) * (number(&arrays["W"][j][0]) * 0.3 + number(&arrays["b"][j])).sin())
    ///     .sum();
    /// assert_eq!(arrays["parity"][0], "none");
    /// assert!((number(&arrays["scale"]) * sum - 0.3_f64.sin()).abs() < 1e-11);
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A basis of the user's own that does not say how to be saved, an evolution that takes too many numbers, coefficients that
    /// are not finite, or a file that cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), SaveError> {
        let text = format::encode(self)?;
        atomic::write(path.as_ref(), text.as_bytes())
    }

    /// Reads a solution that [`save`](Self::save) wrote.
    ///
    /// # Errors
    /// A file that cannot be read, is larger than a gibibyte, is of another kind or version, was cut off or damaged.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, SaveError> {
        let path = path.as_ref();
        let file = File::open(path).map_err(|cause| SaveError::io("read", path, cause))?;
        Self::from_reader(file).map_err(|error| match error {
            SaveError::Stream { cause } => SaveError::io("read", path, cause),
            other => other,
        })
    }

    /// Writes the solution in the format of [`saved`](crate::saved).
    ///
    /// # Errors
    /// As [`save`](Self::save).
    pub fn to_writer(&self, mut writer: impl Write) -> Result<(), SaveError> {
        let text = format::encode(self)?;
        writer
            .write_all(text.as_bytes())
            .and_then(|()| writer.flush())
            .map_err(|cause| SaveError::Stream { cause })
    }

    /// Reads a solution in the format of [`saved`](crate::saved).
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn from_reader(reader: impl Read) -> Result<Self, SaveError> {
        let mut bytes = Vec::new();
        reader
            .take(MOST_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|cause| SaveError::Stream { cause })?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(SaveError::TooLarge { limit: MOST_BYTES });
        }
        format::decode(&bytes)
    }
}
