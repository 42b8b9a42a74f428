//! The memory of one solve, measured in a process of its own.

use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use fastlsq_solve::lsq::{LsqOptions, factor};
use serde::{Deserialize, Serialize};

use crate::machine::peak_memory;
use fastlsq_solve::problems::{HelmholtzWaves, PlaneWave, WaveSizes};

/// Solve one Helmholtz system and print time, error and peak memory (used by `bench scaling`)
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Rows
    rows: usize,
    /// Features
    features: usize,
}

/// What the process found about itself.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Footprint {
    pub(super) seconds: f64,
    pub(super) error: f64,
    /// Peak resident size in bytes, where the system tells it.
    pub(super) peak: Option<u64>,
}

impl Args {
    /// Solves and prints.
    pub(crate) fn run(&self) -> Result<()> {
        let setup = HelmholtzWaves::new(WaveSizes::of(self.rows, self.features), 0)?;
        let system = setup.system(PlaneWave::PLAIN)?;
        let rhs = system.right_hand_side();
        let clock = Instant::now();
        let factored = factor(&system, rhs.as_ref(), &LsqOptions::new())?;
        let seconds = clock.elapsed().as_secs_f64();
        let footprint = Footprint {
            seconds,
            error: setup.error(factored.solution(), PlaneWave::PLAIN)?,
            peak: peak_memory(),
        };
        println!("{}", serde_json::to_string(&footprint)?);
        Ok(())
    }
}

/// Runs one solve in a process of its own.
pub(super) fn of_solve(rows: usize, features: usize) -> Result<Footprint> {
    let program = std::env::current_exe().context("this program cannot find itself")?;
    let output = Command::new(program)
        .arg("memory-probe")
        .args([rows, features].map(|number| number.to_string()))
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start this program again")?;
    if !output.status.success() {
        bail!(
            "the solve of {rows} × {features} failed ({})",
            output.status
        );
    }
    serde_json::from_slice(&output.stdout).context("cannot read what the solve printed")
}
