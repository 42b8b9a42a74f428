//! The machine and the versions behind a measurement.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::Command,
    time::{Duration, SystemTime},
};

use serde::{Deserialize, Serialize};

/// Where and with what something was measured.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Machine {
    /// The processor's name.
    pub(crate) cpu: String,
    /// Threads that the computations may use.
    pub(crate) threads: usize,
    /// The operating system and architecture.
    pub(crate) system: String,
    /// Versions of this workspace, the compiler, and the commit where git knows it.
    pub(crate) versions: BTreeMap<String, String>,
    /// The day of the run (UTC).
    pub(crate) date: String,
}

impl Machine {
    /// This machine, now.
    pub(crate) fn here(root: &Path) -> Self {
        let mut versions = BTreeMap::new();
        versions.insert("fastlsq".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
        if let Some(rustc) = output(root, "rustc", &["--version"]) {
            versions.insert("rustc".to_owned(), rustc);
        }
        if let Some(commit) = output(root, "git", &["describe", "--always", "--dirty"]) {
            versions.insert("commit".to_owned(), commit);
        }
        Self {
            cpu: cpu().unwrap_or_else(|| "unknown".to_owned()),
            threads: rayon::current_num_threads(),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            versions,
            date: today(),
        }
    }

    /// The commit, where git knows it.
    pub(crate) fn commit(&self) -> String {
        self.versions.get("commit").cloned().unwrap_or_default()
    }
}

fn cpu() -> Option<String> {
    let info = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = info.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The first line that a program prints, if it can be run.
fn output(root: &Path, program: &str, args: &[&str]) -> Option<String> {
    let output = Command::new(program)
        .args(args)
        .current_dir(root)
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().next().map(str::to_owned)
}

fn today() -> String {
    let seconds = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |elapsed| elapsed.as_secs());
    civil_date(seconds / 86_400)
}

/// The Gregorian date of a day counted from 1970-01-01.
fn civil_date(day: u64) -> String {
    // Years that begin in March put the leap day last.
    let shifted = day + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Processor time of this process so far, in hundredths of a second; nothing where the system does not tell.
pub(crate) fn processor_time() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program, in parentheses, may hold blanks.
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks: u64 = fields
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse::<u64>().ok())
        .sum();
    Duration::from_millis(10 * ticks)
}

/// The largest resident size that this process has had, in bytes; Linux only.
pub(crate) fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes << 10)
}

#[cfg(test)]
mod tests {
    use super::civil_date;

    #[test]
    fn days_become_dates() {
        for (day, date) in [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (789, "1972-02-29"),
            (11_016, "2000-02-29"),
            (20_454, "2026-01-01"),
        ] {
            assert_eq!(civil_date(day), date);
        }
    }
}
