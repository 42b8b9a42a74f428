//! What an experiment is: jobs that each give one row, and how the rows are shown.

use std::path::PathBuf;

use anyhow::Result;

use super::figure::Figure;
use super::paper::Paper;
use super::results::{Results, Row, Run};
use super::table::Table;

/// An experiment of the paper. Each is one file in `items/`, listed in `items::registry`.
pub(crate) trait Item {
    /// The name on the command line.
    fn name(&self) -> &'static str;

    /// What it shows, in a sentence.
    fn shows(&self) -> &'static str;

    /// The table or figure of the paper.
    fn source(&self) -> &'static str;

    /// How it was set up, for the report.
    fn settings(&self, plan: &Plan) -> String;

    /// Whether what the plan names is there: asked before anything runs.
    fn check(&self, _plan: &Plan) -> Result<()> {
        Ok(())
    }

    /// The work, one job per row.
    fn jobs(&self, plan: &Plan) -> Vec<Job>;

    /// The rows as tables beside the paper's numbers.
    fn tables(&self, rows: &[&Row], paper: &Paper) -> Vec<Table>;

    /// The rows as figures.
    fn figures(&self, rows: &[&Row], paper: &Paper) -> Vec<Figure>;
}

/// How much to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Fewer seeds and features.
    pub(crate) quick: bool,
    /// Independent repetitions.
    pub(crate) seeds: usize,
    /// Where published data lie, if the user has them.
    pub(crate) data: Option<PathBuf>,
}

impl Plan {
    /// The plan for these options.
    pub(crate) fn new(quick: bool, seeds: Option<usize>) -> Self {
        let seeds = seeds.unwrap_or(if quick { 1 } else { 5 });
        Self {
            quick,
            seeds,
            data: None,
        }
    }

    /// Repetitions behind rows that only stand beside ours, such as other features and sweeps: at most three, as many
    /// as in the paper.
    pub(crate) fn few_seeds(&self) -> usize {
        self.seeds.min(3)
    }

    /// The name of the mode in files.
    pub(crate) fn mode(&self) -> &'static str {
        self.pick("quick", "full")
    }

    /// Where the files go below the target directory.
    pub(crate) fn directory(&self) -> &'static str {
        self.pick("reproduction-quick", "reproduction")
    }

    /// One of two choices.
    pub(crate) fn pick<T>(&self, quick: T, full: T) -> T {
        if self.quick { quick } else { full }
    }
}

type Work = dyn Fn(&Context<'_>) -> Result<Row>;

/// The work behind one row.
pub(crate) struct Job {
    /// The identity of the row it gives.
    pub(crate) id: String,
    /// About how many seconds it takes: for the estimate of the remaining time.
    pub(crate) effort: f64,
    work: Box<Work>,
}

impl Job {
    /// A job that gives the row with this identity.
    pub(crate) fn new(
        id: impl Into<String>,
        effort: f64,
        work: impl Fn(&Context<'_>) -> Result<Row> + 'static,
    ) -> Self {
        Self {
            id: id.into(),
            effort,
            work: Box::new(work),
        }
    }

    /// Does the work. A failure becomes a row that states its reason.
    pub(crate) fn run(&self, context: &Context<'_>) -> Row {
        let mut row = (self.work)(context).unwrap_or_else(|error| {
            let mut names = self.id.splitn(3, '/');
            let mut name = || names.next().unwrap_or_default();
            let (item, case, variant) = (name(), name(), name());
            Row::of_runs(
                item,
                case,
                variant,
                vec![Run::failed(0, format!("{error:#}"))],
            )
        });
        row.id.clone_from(&self.id);
        row
    }
}

/// What a job may use.
pub(crate) struct Context<'a> {
    /// How much to do.
    pub(crate) plan: Plan,
    /// The paper's numbers.
    pub(crate) paper: &'a Paper,
    /// The rows that are already there.
    pub(crate) results: &'a Results,
    /// Tells the user what is going on.
    pub(crate) progress: &'a dyn Fn(&str),
}

impl Context<'_> {
    /// One run for each seed of the plan; a run that fails states its reason and the others go on.
    pub(crate) fn each_seed(&self, run: impl Fn(u64) -> Result<Run>) -> Vec<Run> {
        self.seeds(self.plan.seeds, run)
    }

    /// One run for each of this many seeds.
    pub(crate) fn seeds(&self, count: usize, run: impl Fn(u64) -> Result<Run>) -> Vec<Run> {
        (0..count as u64)
            .map(|seed| {
                (self.progress)(&format!("seed {}/{count}", seed + 1));
                run(seed).unwrap_or_else(|error| Run::failed(seed, format!("{error:#}")))
            })
            .collect()
    }
}
