//! The rows of a comparison: medians with their spread, ratios, the table and the files.

use std::{collections::BTreeMap, path::Path};

use anyhow::Result;
use comfy_table::{CellAlignment, Table, presets};
use serde::{Deserialize, Serialize};

use super::sample::Sample;
use crate::commands::reproduce::{results::write_atomically, table::csv_line};
use crate::{format, machine::Machine};

/// The median of several figures, the least and the largest.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Spread {
    /// `None` without figures.
    pub(super) fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let values: Vec<f64> = values.into_iter().filter(|v| v.is_finite()).collect();
        Some(Self {
            low: values.iter().copied().reduce(f64::min)?,
            high: values.iter().copied().reduce(f64::max)?,
            median: format::middle(values)?,
        })
    }

    /// `0.38 (0.35–0.44)`, or the median alone where nothing is spread.
    fn text(self, write: impl Fn(f64) -> String) -> String {
        let (median, low, high) = (write(self.median), write(self.low), write(self.high));
        if low == high {
            median
        } else {
            format!("{median} ({low}–{high})")
        }
    }
}

/// One side of one case.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Row {
    pub(super) item: &'static str,
    pub(super) case: String,
    pub(super) side: String,
    /// The side of ours that the ratios refer to.
    pub(super) against: Option<String>,
    pub(super) value_error: Option<Spread>,
    pub(super) gradient_error: Option<Spread>,
    pub(super) seconds: Option<Spread>,
    /// Its error over ours, turn by turn: above one ours is more accurate.
    pub(super) error_ratio: Option<Spread>,
    /// Its time over ours, turn by turn: above one ours is faster.
    pub(super) time_ratio: Option<Spread>,
    /// Runs without a number.
    pub(super) failures: usize,
    pub(super) status: String,
    /// What to know about this row.
    pub(super) note: String,
    /// Medians of further figures.
    pub(super) more: BTreeMap<String, f64>,
    pub(super) runs: Vec<Sample>,
}

impl Row {
    pub(super) fn new(item: &'static str, case: &str, side: &str, runs: Vec<Sample>) -> Self {
        let spread = |field: fn(&Sample) -> Option<f64>| {
            Spread::of(runs.iter().filter(|run| !run.failed).filter_map(field))
        };
        let mut figures: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for (name, value) in runs.iter().flat_map(|run| &run.more) {
            figures.entry(name.clone()).or_default().push(*value);
        }
        // A failure says more than the runs that went well.
        let status = runs.iter().find(|run| run.failed).or_else(|| runs.first());
        Self {
            item,
            case: case.to_owned(),
            side: side.to_owned(),
            against: None,
            value_error: spread(|run| run.value_error),
            gradient_error: spread(|run| run.gradient_error),
            seconds: spread(|run| run.seconds),
            error_ratio: None,
            time_ratio: None,
            failures: runs.iter().filter(|run| run.failed).count(),
            status: status.map_or_else(String::new, |run| run.status.clone()),
            note: String::new(),
            more: figures
                .into_iter()
                .filter_map(|(name, values)| Some((name, format::middle(values)?)))
                .collect(),
            runs,
        }
    }

    /// Adds the ratios to a row of ours.
    pub(super) fn compare_with(&mut self, ours: &Self) {
        let ratio = |field: fn(&Sample) -> Option<f64>| {
            let pairs = self.runs.iter().zip(&ours.runs);
            let both = pairs.filter(|(theirs, ours)| !theirs.failed && !ours.failed);
            let ratios: Vec<f64> = both
                .filter_map(|(theirs, ours)| Some(field(theirs)? / field(ours)?))
                .collect();
            Spread::of(ratios)
        };
        self.error_ratio = ratio(|run| run.value_error);
        self.time_ratio = ratio(|run| run.seconds);
        self.against = Some(ours.side.clone());
    }

    /// The further figures as words, the note, and the status where runs failed.
    fn remarks(&self) -> String {
        let mut parts: Vec<String> = self
            .more
            .iter()
            .map(|(name, value)| format!("{name} {}", number(*value)))
            .collect();
        if !self.note.is_empty() {
            parts.push(self.note.clone());
        }
        if self.failures == 0 && !settled(&self.status) {
            parts.push(self.status.clone());
        }
        if self.failures > 0 {
            let (failed, all) = (self.failures, self.runs.len());
            parts.push(format!("{failed} of {all} failed: {}", self.status));
        }
        parts.join("; ")
    }
}

/// Whether a run ended as it should, so that no remark is needed.
fn settled(status: &str) -> bool {
    status.is_empty() || status.to_lowercase().contains("converge")
}

/// Whole numbers as such.
fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        format!("{value:.0}")
    } else {
        format::significant(value)
    }
}

/// The table for a terminal.
pub(super) fn table(rows: &[Row]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header([
        "case",
        "side",
        "error",
        "gradient",
        "seconds",
        "error: theirs / ours",
        "time: theirs / ours",
        "remarks",
    ]);
    let mut last = "";
    for row in rows {
        let text = |spread: Option<Spread>, write: fn(f64) -> String| {
            spread.map_or_else(|| "–".to_owned(), |spread| spread.text(write))
        };
        let ratio = |spread| match row.against {
            Some(_) => text(spread, format::times),
            None => String::new(),
        };
        table.add_row([
            if row.case == last { "" } else { &row.case },
            &row.side,
            &text(row.value_error, format::scientific),
            &text(row.gradient_error, format::scientific),
            &text(row.seconds, format::significant),
            &ratio(row.error_ratio),
            &ratio(row.time_ratio),
            &row.remarks(),
        ]);
        last = &row.case;
    }
    for index in 2..7 {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// The rows as comma-separated values, numbers in full.
fn csv(rows: &[Row]) -> String {
    const SPREADS: [&str; 5] = [
        "value_error",
        "gradient_error",
        "seconds",
        "error_ratio",
        "time_ratio",
    ];
    let mut head: Vec<String> = ["item", "case", "side", "against"]
        .map(str::to_owned)
        .into();
    for name in SPREADS {
        head.extend(["", "_low", "_high"].map(|part| format!("{name}{part}")));
    }
    head.push("remarks".to_owned());
    let mut text = csv_line(head.into_iter());
    for row in rows {
        let mut line = vec![
            row.item.to_owned(),
            row.case.clone(),
            row.side.clone(),
            row.against.clone().unwrap_or_default(),
        ];
        for spread in [
            row.value_error,
            row.gradient_error,
            row.seconds,
            row.error_ratio,
            row.time_ratio,
        ] {
            let of = |part: fn(Spread) -> f64| {
                spread.map_or_else(String::new, |spread| format!("{:e}", part(spread)))
            };
            line.extend([of(|s| s.median), of(|s| s.low), of(|s| s.high)]);
        }
        line.push(row.remarks());
        text += &csv_line(line.into_iter());
    }
    text
}

/// How the rows were made.
#[derive(Debug, Serialize)]
pub(super) struct Meta {
    pub(super) mode: &'static str,
    pub(super) repeats: usize,
    /// The Python packages, with their versions.
    pub(super) peers: Vec<String>,
    #[serde(flatten)]
    pub(super) machine: Machine,
}

/// Writes `compare.json` and `compare.csv`.
pub(super) fn save(directory: &Path, meta: &Meta, rows: &[Row]) -> Result<()> {
    #[derive(Serialize)]
    struct File<'a> {
        meta: &'a Meta,
        rows: &'a [Row],
    }
    let json = serde_json::to_string_pretty(&File { meta, rows })? + "\n";
    write_atomically(&directory.join("compare.json"), json.as_bytes())?;
    write_atomically(&directory.join("compare.csv"), csv(rows).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::{Row, Spread, csv, table};
    use crate::commands::compare::sample::Sample;

    fn runs(figures: &[(f64, f64)]) -> Vec<Sample> {
        figures
            .iter()
            .map(|&(error, seconds)| Sample {
                value_error: Some(error),
                seconds: Some(seconds),
                ..Sample::default()
            })
            .collect()
    }

    fn rows() -> Vec<Row> {
        let ours = Row::new(
            "linear",
            "wave-1d",
            "ours, automatic",
            runs(&[(1e-12, 0.1), (2e-12, 0.2), (4e-12, 0.1)]),
        );
        let mut theirs = Row::new(
            "linear",
            "wave-1d",
            "fastlsq, Python",
            runs(&[(1e-10, 2.0), (2e-10, 2.0), (4e-10, 3.0)]),
        );
        theirs.compare_with(&ours);
        let mut failed = Sample {
            failed: true,
            status: "no memory".to_owned(),
            ..Sample::default()
        };
        failed.more.insert("unknowns".to_owned(), 4225.0);
        let mut fem = Row::new("linear", "wave-1d", "finite elements", vec![failed]);
        fem.compare_with(&ours);
        vec![ours, theirs, fem]
    }

    #[test]
    fn spreads_and_ratios_turn_by_turn() {
        assert_eq!(Spread::of([]), None);
        assert_eq!(Spread::of([f64::NAN]), None);
        let rows = rows();
        let ratio = rows[1].time_ratio.unwrap();
        assert!(
            (ratio.low, ratio.median, ratio.high) == (10.0, 20.0, 30.0),
            "{ratio:?}"
        );
        let errors = rows[1].error_ratio.unwrap();
        assert!((errors.low - 100.0).abs() < 1e-9 && (errors.high - 100.0).abs() < 1e-9);
    }

    #[test]
    fn the_table_says_it_in_words() {
        let text = table(&rows()).to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4);
        assert!(lines[1].contains("2.0e-12 (1.0e-12–4.0e-12)"), "{text}");
        assert!(lines[2].contains("20× (10×–30×)"), "{text}");
        assert!(
            lines[2].contains("100×") && !lines[2].contains("wave-1d"),
            "{text}"
        );
        assert!(
            lines[3].contains("unknowns 4225; 1 of 1 failed: no memory"),
            "{text}"
        );
    }

    #[test]
    fn the_file_has_a_field_for_each_column() {
        let text = csv(&rows());
        // Commas inside quotes separate nothing.
        let fields = |line: &str| {
            let outside = line.split('"').step_by(2);
            1 + outside.map(|part| part.matches(',').count()).sum::<usize>()
        };
        let counts: Vec<usize> = text.lines().map(fields).collect();
        assert_eq!(counts, [20; 4], "{text}");
        assert!(text.contains("\"fastlsq, Python\",\"ours, automatic\",2e-10,1e-10,4e-10"));
    }
}
