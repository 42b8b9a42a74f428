//! The table at the end of `cargo xtask check`.

use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};

use crate::format;

/// What became of one step.
pub(super) struct Row {
    pub(super) step: String,
    outcome: Outcome,
}

/// How a step ended.
pub(super) enum Outcome {
    /// It holds; with a remark, possibly empty.
    Passed { time: Duration, remark: String },
    /// It does not.
    Failed { time: Duration },
    /// An earlier step failed.
    NotRun,
}

impl Outcome {
    pub(super) fn from_result(result: anyhow::Result<String>, time: Duration) -> Self {
        match result {
            Ok(remark) => Self::Passed { time, remark },
            Err(_) => Self::Failed { time },
        }
    }
}

impl Row {
    pub(super) fn new(step: String, outcome: Outcome) -> Self {
        Self { step, outcome }
    }

    pub(super) fn failed(&self) -> bool {
        matches!(self.outcome, Outcome::Failed { .. })
    }

    fn cells(&self) -> [String; 4] {
        let (result, time, remark) = match &self.outcome {
            Outcome::Passed { time, remark } => ("ok", format::duration(*time), remark.clone()),
            Outcome::Failed { time } => {
                let again = format!("cargo xtask check {}", self.step);
                ("FAILED", format::duration(*time), again)
            }
            Outcome::NotRun => ("not run", String::new(), String::new()),
        };
        [self.step.clone(), result.to_owned(), time, remark]
    }
}

/// The table of all steps with the total time.
pub(super) fn table(rows: &[Row], total: Duration) -> Table {
    let verdict = if rows.iter().any(Row::failed) {
        "FAILED"
    } else {
        "ok"
    };
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(["step", "result", "time", ""]);
    table.add_rows(rows.iter().map(Row::cells));
    table.add_row(["total", verdict, &format::duration(total), ""]);
    if let Some(time) = table.column_mut(2) {
        time.set_cell_alignment(CellAlignment::Right);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::{Outcome, Row, table};
    use anyhow::anyhow;
    use std::time::Duration;

    /// The words of the line that starts with `step`.
    fn line(text: &str, step: &str) -> String {
        let line = text.lines().find(|line| line.trim().starts_with(step));
        let words: Vec<_> = line.unwrap().split_whitespace().collect();
        words.join(" ")
    }

    #[test]
    fn names_result_time_and_the_command_to_run_again() {
        let second = Duration::from_secs(1);
        let rows = [
            ("format", Outcome::from_result(Ok(String::new()), second)),
            (
                "features",
                Outcome::from_result(Ok("7 builds".into()), 65 * second),
            ),
            ("docs", Outcome::from_result(Err(anyhow!("no")), 2 * second)),
            ("examples", Outcome::NotRun),
        ];
        let rows = rows.map(|(step, outcome)| Row::new(step.to_owned(), outcome));
        let text = table(&rows, 68 * second).to_string();
        assert_eq!(line(&text, "format"), "format ok 1.00 s");
        assert_eq!(line(&text, "features"), "features ok 1 min 05 s 7 builds");
        assert_eq!(
            line(&text, "docs"),
            "docs FAILED 2.00 s cargo xtask check docs"
        );
        assert_eq!(line(&text, "examples"), "examples not run");
        assert_eq!(line(&text, "total"), "total FAILED 1 min 08 s");
    }

    #[test]
    fn total_is_ok_when_nothing_failed() {
        let passed = Outcome::from_result(Ok(String::new()), Duration::ZERO);
        let text = table(&[Row::new("format".to_owned(), passed)], Duration::ZERO).to_string();
        assert_eq!(line(&text, "total"), "total ok 0.00 s");
    }
}
