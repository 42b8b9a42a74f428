//! Jobs in which one rank does what it should not.

use std::time::Duration;

use anyhow::{Result, bail};

use super::launcher::Launcher;
use crate::format;

/// What a rank does, whether its job ends well, and what is said about it; of one that has crashed, whatever `mpirun` says.
const CASES: [(&str, bool, &str); 8] = [
    ("exit", false, "rank 1 exits in the middle"),
    ("leave", false, "rank 1 exits in the middle"),
    ("early", false, "rank 1 ended"),
    ("panic", false, "a rank that panics"),
    ("abort", false, ""),
    ("problem", false, "not all members state the same problem"),
    ("version", false, "run the same version"),
    ("memory", true, "are allowed"),
];

/// A job with a failing rank ends within this time, start included.
const SOON: Duration = Duration::from_secs(60);

/// Every case with two and with three ranks.
pub(super) fn run(launcher: &Launcher) -> Result<String> {
    for ranks in [2, 3] {
        for (how, success, text) in CASES {
            let ended = launcher.start(ranks, &["fail", how])?;
            let said = format!("{}{}", ended.output, ended.errors);
            let lines = || format!("`fail {how}` with {ranks} ranks: ");
            if ended.success != success || said.contains("survived") {
                bail!("{}the job did not end as it should:\n{said}", lines());
            }
            if said.is_empty() || !said.contains(text) {
                bail!("{}nothing is said about “{text}”:\n{said}", lines());
            }
            if ended.time > SOON {
                bail!("{}it took {}", lines(), format::duration(ended.time));
            }
            let all = ended
                .output
                .lines()
                .filter(|line| line.starts_with("refused"));
            if success && all.count() != ranks {
                bail!("{}not all ranks refused:\n{said}", lines());
            }
            eprintln!(
                "      {how} on one of {ranks} ranks: ended after {}",
                format::duration(ended.time)
            );
        }
    }
    Ok(format!(
        "{} of failing ranks",
        format::count(2 * CASES.len(), "job")
    ))
}
