//! What the user sees while the experiments run.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::bars::Verdict;
use super::item::Job;
use super::results::Row;
use crate::format;

/// Steps of the bar for one second of expected work.
const STEPS_PER_SECOND: f64 = 100.0;

/// A bar with item, case and remaining time; plain lines where there is no terminal.
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar for this much work, in expected seconds.
    pub(crate) fn new(effort: f64) -> Self {
        let bar = ProgressBar::new(steps(effort));
        let style = ProgressStyle::with_template(
            "{spinner} {prefix} {msg} [{wide_bar}] {elapsed} gone, about {eta} left",
        );
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { bar }
    }

    /// A job begins.
    pub(crate) fn begin(&self, id: &str) {
        self.bar.set_prefix(id.to_owned());
        self.bar.set_message("");
    }

    /// The job has come this far.
    pub(crate) fn detail(&self, message: &str) {
        self.bar.set_message(message.to_owned());
    }

    /// A job has given its row.
    pub(crate) fn finish(&self, job: &Job, row: &Row, verdicts: &[Verdict]) {
        self.bar.inc(steps(job.effort));
        let number = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), format::scientific);
        let mut line = format!("{:<40} value {:>8}", row.id, number(row.median.value_error));
        if row.median.gradient_error.is_some() {
            line += &format!("  gradient {:>8}", number(row.median.gradient_error));
        }
        if let Some(paper) = row.paper_number("value") {
            line += &format!("  paper {:>8}", format::scientific(paper));
        }
        if let Some(reason) = row.shortcoming() {
            line += &format!("  {reason}");
        }
        for missed in verdicts.iter().filter(|verdict| !verdict.holds) {
            line += &format!("  MISSED: {} {}", missed.figure, missed.limit);
        }
        self.note(&line);
    }

    /// Prints a result.
    pub(crate) fn say(&self, text: &str) {
        self.bar.suspend(|| println!("{text}"));
    }

    /// Prints a remark.
    fn note(&self, text: &str) {
        self.bar.suspend(|| eprintln!("{text}"));
    }

    /// Removes the bar.
    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

fn steps(effort: f64) -> u64 {
    (effort * STEPS_PER_SECOND).max(1.0) as u64
}
