//! `results.json`: what was measured, in one flat list of rows.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::backend;
use crate::format::middle;
use crate::machine::Machine;

/// The whole file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Results {
    /// How and where the rows were made.
    pub(crate) meta: Meta,
    /// One row for each case and variant of each item.
    pub(crate) rows: Vec<Row>,
}

/// How and where the rows were made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Meta {
    /// `quick` or `full`.
    pub(crate) mode: String,
    /// Independent repetitions behind each median.
    pub(crate) seeds: usize,
    /// Where the systems were solved.
    #[serde(default)]
    pub(crate) backend: backend::Choice,
    /// Machine and versions.
    #[serde(flatten)]
    pub(crate) machine: Machine,
}

/// One case solved in one way: medians over the seeds, the worst beside them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// Item, case and variant, and the point of a sweep: `--resume` goes by it.
    pub(crate) id: String,
    /// The experiment.
    pub(crate) item: String,
    /// The problem, named as in the paper's tables.
    pub(crate) case: String,
    /// The way of solving it.
    pub(crate) variant: String,
    /// The commit that it was made with, where git knows it.
    #[serde(default)]
    pub(crate) commit: String,
    /// Medians over the runs; whole numbers and words are those of the run in the middle.
    #[serde(flatten)]
    pub(crate) median: Run,
    /// The largest value error of all runs.
    pub(crate) value_error_worst: Option<f64>,
    /// The largest gradient error of all runs.
    pub(crate) gradient_error_worst: Option<f64>,
    /// Runs that gave no number; medians and worst are those of the others.
    #[serde(default)]
    pub(crate) failures: usize,
    /// What the paper says, by name.
    pub(crate) paper: BTreeMap<String, Value>,
    /// Every run.
    pub(crate) runs: Vec<Run>,
}

/// One solve, or one figure of another kind, with one seed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Run {
    /// ‖u − u*‖/‖u*‖ at independent points.
    pub(crate) value_error: Option<f64>,
    /// ‖∇u − ∇u*‖/‖∇u*‖ at independent points.
    pub(crate) gradient_error: Option<f64>,
    /// The worst relative residual at points that the fit has not seen.
    pub(crate) held_out_residual: Option<f64>,
    /// The library's own estimate of the value error.
    pub(crate) estimate: Option<f64>,
    /// Wall-clock time, choices included.
    pub(crate) seconds: Option<f64>,
    /// Wall-clock time of the final solve alone.
    pub(crate) solve_seconds: Option<f64>,
    /// Features for each unknown.
    pub(crate) features: Option<usize>,
    /// Rows of the least-squares system.
    pub(crate) rows: Option<usize>,
    /// Its numerical rank.
    pub(crate) rank: Option<usize>,
    /// The bandwidth.
    pub(crate) sigma: Option<Sigma>,
    /// Newton or optimiser steps.
    pub(crate) iterations: Option<usize>,
    /// How it ended.
    pub(crate) status: String,
    /// Why there is no number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// The seed of everything random.
    pub(crate) seed: u64,
    /// Further figures of this item, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) more: BTreeMap<String, f64>,
    /// Histories of this item, by name, such as the residual after each step.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) series: BTreeMap<String, Vec<f64>>,
}

/// The status of a run that could not be made.
const FAILED: &str = "failed";
/// The status of rows that need something which was not given.
const SKIPPED: &str = "skipped";

/// One bandwidth for all axes, or one for each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Sigma {
    /// The same along every axis.
    Isotropic(f64),
    /// One for each axis.
    PerAxis(Vec<f64>),
}

impl Sigma {
    /// From a list with one entry for each axis; `None` for an empty one.
    pub(crate) fn of(bandwidths: &[f64]) -> Option<Self> {
        let (first, rest) = bandwidths.split_first()?;
        let same = rest
            .iter()
            .all(|sigma| (sigma - first).abs() <= 1e-12 * first.abs());
        Some(if same {
            Self::Isotropic(*first)
        } else {
            Self::PerAxis(bandwidths.to_vec())
        })
    }

    /// As people read it.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Isotropic(sigma) => short(*sigma),
            Self::PerAxis(sigmas) => {
                let parts: Vec<String> = sigmas.iter().map(|sigma| short(*sigma)).collect();
                format!("({})", parts.join(", "))
            }
        }
    }
}

fn short(sigma: f64) -> String {
    let text = format!("{sigma:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl Run {
    /// A run that gave no number.
    pub(crate) fn failed(seed: u64, reason: impl Into<String>) -> Self {
        Self {
            status: FAILED.to_owned(),
            reason: Some(reason.into()),
            seed,
            ..Self::default()
        }
    }
}

impl Row {
    /// The medians of these runs.
    pub(crate) fn of_runs(item: &str, case: &str, variant: &str, runs: Vec<Run>) -> Self {
        let mut order: Vec<&Run> = runs.iter().filter(|run| run.reason.is_none()).collect();
        let failures = runs.len() - order.len();
        if order.is_empty() {
            order.extend(&runs);
        }
        order.sort_by(|a, b| rank_of(a).total_cmp(&rank_of(b)));
        let mut median = order
            .get(order.len().saturating_sub(1) / 2)
            .map_or_else(Run::default, |&run| run.clone());
        let of = |field: fn(&Run) -> Option<f64>| middle(runs.iter().filter_map(field).collect());
        median.value_error = of(|run| run.value_error);
        median.gradient_error = of(|run| run.gradient_error);
        median.held_out_residual = of(|run| run.held_out_residual);
        median.estimate = of(|run| run.estimate);
        median.seconds = of(|run| run.seconds);
        median.solve_seconds = of(|run| run.solve_seconds);
        for (name, value) in &mut median.more {
            let all = runs.iter().filter_map(|run| run.more.get(name).copied());
            *value = middle(all.collect()).unwrap_or(*value);
        }
        let worst =
            |field: fn(&Run) -> Option<f64>| runs.iter().filter_map(field).max_by(f64::total_cmp);
        Self {
            id: format!("{item}/{case}/{variant}"),
            item: item.to_owned(),
            case: case.to_owned(),
            variant: variant.to_owned(),
            commit: String::new(),
            failures,
            value_error_worst: worst(|run| run.value_error),
            gradient_error_worst: worst(|run| run.gradient_error),
            median,
            paper: BTreeMap::new(),
            runs,
        }
    }

    /// A row that was not asked for in a way that could answer it.
    pub(crate) fn skipped(item: &str, case: &str, variant: &str, reason: &str) -> Self {
        let run = Run {
            status: SKIPPED.to_owned(),
            ..Run::failed(0, reason)
        };
        Self::of_runs(item, case, variant, vec![run])
    }

    /// Whether the row was skipped: no bar applies then.
    pub(crate) fn is_skipped(&self) -> bool {
        self.median.status == SKIPPED
    }

    /// Why this row could not be made, if no run of it could.
    pub(crate) fn fault(&self) -> Option<&str> {
        let failed = |run: &Run| run.status == FAILED;
        let all = !self.runs.is_empty() && self.runs.iter().all(failed);
        self.median.reason.as_deref().filter(|_| all)
    }

    /// Why numbers of this row are missing, if any are.
    pub(crate) fn shortcoming(&self) -> Option<String> {
        let reason = self.runs.iter().find_map(|run| run.reason.as_deref());
        let reason = self.median.reason.as_deref().or(reason)?;
        Some(match self.runs.len() {
            0 | 1 => reason.to_owned(),
            all => format!("{} of {all} runs: {reason}", self.failures.max(1)),
        })
    }

    /// Adds a number of the paper, where it has one.
    pub(crate) fn with_paper(mut self, name: &str, value: Option<Value>) -> Self {
        if let Some(value) = value.filter(|value| !value.is_null()) {
            self.paper.insert(name.to_owned(), value);
        }
        self
    }

    /// A number of the paper.
    pub(crate) fn paper_number(&self, name: &str) -> Option<f64> {
        self.paper.get(name).and_then(Value::as_f64)
    }

    /// A number of this row by the name it has in the file; `more` is searched as well.
    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        let row = serde_json::to_value(self).ok()?;
        row.get(name)
            .and_then(Value::as_f64)
            .or_else(|| self.median.more.get(name).copied())
    }
}

/// Runs are ordered by value error; those without one come last.
fn rank_of(run: &Run) -> f64 {
    run.value_error.unwrap_or(f64::INFINITY)
}

impl Results {
    /// No rows yet.
    pub(crate) fn new(meta: Meta) -> Self {
        Self {
            meta,
            rows: Vec::new(),
        }
    }

    /// The commits that rows were made with, each with its number of rows; rows that do not say count as the run's.
    pub(crate) fn commits(&self) -> BTreeMap<String, usize> {
        let mut commits = BTreeMap::new();
        for row in &self.rows {
            let commit = match row.commit.as_str() {
                "" => self.meta.machine.commit(),
                commit => commit.to_owned(),
            };
            *commits.entry(commit).or_insert(0) += 1;
        }
        commits
    }

    /// Reads the file; `None` where there is none.
    pub(crate) fn load(path: &Path) -> Result<Option<Self>> {
        if !path.exists() {
            return Ok(None);
        }
        let text =
            fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_str(&text).map(Some).with_context(|| {
            let path = path.display();
            format!("{path} is not a results file; remove it, or choose another --out")
        })
    }

    /// Writes the file at once or not at all.
    pub(crate) fn save(&self, path: &Path) -> Result<()> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        write_atomically(path, text.as_bytes())
    }

    /// Puts the rows into this order of identities; those that are not in it come last.
    pub(crate) fn sort(&mut self, order: &[&str]) {
        let place = |row: &Row| order.iter().position(|id| *id == row.id);
        self.rows
            .sort_by_cached_key(|row| place(row).unwrap_or(order.len()));
    }

    /// The row with this identity.
    pub(crate) fn find(&self, id: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.id == id)
    }
}

/// Writes beside the target and renames, so that a reader or a crash never sees half a file.
pub(crate) fn write_atomically(path: &Path, bytes: &[u8]) -> Result<()> {
    let beside = path.with_extension("partial");
    fs::write(&beside, bytes).with_context(|| format!("cannot write {}", beside.display()))?;
    fs::rename(&beside, path).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::{Row, Run, Sigma};

    fn run(seed: u64, error: f64, rank: usize) -> Run {
        Run {
            value_error: Some(error),
            rank: Some(rank),
            seed,
            ..Run::default()
        }
    }

    #[test]
    fn medians_and_worst() {
        let runs = vec![run(0, 3.0, 30), run(1, 1.0, 10), run(2, 2.0, 20)];
        let row = Row::of_runs("linear", "wave-1d", "auto", runs);
        assert_eq!(row.median.value_error, Some(2.0));
        assert_eq!((row.median.rank, row.median.seed), (Some(20), 2));
        assert_eq!(row.value_error_worst, Some(3.0));
        assert_eq!(row.gradient_error_worst, None);
    }

    #[test]
    fn failed_runs_are_counted_and_do_not_lend_their_words() {
        let failed = |seed| Run::failed(seed, "no memory");
        let runs = vec![failed(0), run(1, 2.0, 20), failed(2), run(3, 1.0, 10)];
        let row = Row::of_runs("linear", "wave-1d", "auto", runs);
        assert_eq!((row.failures, row.median.rank), (2, Some(10)));
        assert_eq!(row.median.value_error, Some(1.5));
        assert_eq!(row.shortcoming().as_deref(), Some("2 of 4 runs: no memory"));
        let row = Row::of_runs("linear", "wave-1d", "auto", vec![failed(0)]);
        assert_eq!(row.shortcoming().as_deref(), Some("no memory"));
        assert_eq!((row.failures, row.median.value_error), (1, None));
        let row = Row::of_runs("linear", "wave-1d", "auto", vec![run(0, 1.0, 1)]);
        assert_eq!(row.shortcoming(), None);
    }

    #[test]
    fn a_row_survives_the_file() {
        let mut failed = Run::failed(1, "no convergence");
        failed.more.insert("ratio".to_owned(), 0.1);
        let mut good = run(0, 1.234_567_890_123_456_7e-13, 7);
        good.sigma = Sigma::of(&[2.0, 3.0]);
        let row = Row::of_runs("linear", "wave-1d", "auto", vec![good, failed])
            .with_paper("value", Some(serde_json::json!(1.3e-6)));
        let text = serde_json::to_string(&row).unwrap();
        assert_eq!(serde_json::from_str::<Row>(&text).unwrap(), row);
        assert_eq!(row.number("value_error"), Some(1.234_567_890_123_456_7e-13));
        assert_eq!(row.paper_number("value"), Some(1.3e-6));
        assert_eq!(Sigma::of(&[0.5, 0.5]), Some(Sigma::Isotropic(0.5)));
        assert_eq!(Sigma::PerAxis(vec![2.0, 10.25]).text(), "(2, 10.25)");
    }
}
