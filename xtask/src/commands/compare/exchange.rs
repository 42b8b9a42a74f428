//! Files that both sides read: test points with the truth, and samples of fields. They stay, for whoever wants to
//! try another tool on them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use fastlsq_solve::{Domain, problems::test_points};
use serde::Serialize;

use crate::commands::reproduce::items::TEST_POINTS;
use crate::commands::reproduce::results::write_atomically;

/// The directory of the files.
#[derive(Debug)]
pub(super) struct Exchange {
    directory: PathBuf,
}

#[derive(Serialize)]
struct Truth {
    points: Vec<Vec<f64>>,
    values: Vec<f64>,
    gradients: Vec<Vec<f64>>,
}

impl Exchange {
    /// The subdirectory `data` of an output directory.
    pub(super) fn create(out: &Path) -> Result<Self> {
        let directory = out.join("data");
        fs::create_dir_all(&directory)
            .with_context(|| format!("cannot make the directory {}", directory.display()))?;
        Ok(Self { directory })
    }

    /// Writes something for a peer to read.
    pub(super) fn write(&self, name: &str, content: &impl Serialize) -> Result<PathBuf> {
        let path = self.directory.join(name).with_extension("json");
        write_atomically(&path, serde_json::to_string(content)?.as_bytes())?;
        // Peers have directories of their own.
        fs::canonicalize(&path).with_context(|| format!("cannot find {}", path.display()))
    }

    /// Writes the test points of a problem with values and gradients of its first unknown.
    pub(super) fn truth(
        &self,
        name: &str,
        domain: &dyn Domain,
        exact: impl Fn(&[f64]) -> Vec<f64>,
        gradient: impl Fn(&[f64]) -> Vec<Vec<f64>>,
    ) -> Result<PathBuf> {
        // Where the crates' own problems measure their errors: all sides are judged at the same points.
        let sampled = test_points(domain, TEST_POINTS)?;
        let points: Vec<Vec<f64>> = sampled.rows().into_iter().map(|x| x.to_vec()).collect();
        let first = |x: &Vec<f64>| exact(x).first().copied();
        let first_gradient = |x: &Vec<f64>| gradient(x).into_iter().next();
        let missing = || format!("{name} has no exact solution");
        let truth = Truth {
            values: points
                .iter()
                .map(first)
                .collect::<Option<_>>()
                .with_context(missing)?,
            gradients: points
                .iter()
                .map(first_gradient)
                .collect::<Option<_>>()
                .with_context(missing)?,
            points,
        };
        self.write(name, &truth)
    }
}
