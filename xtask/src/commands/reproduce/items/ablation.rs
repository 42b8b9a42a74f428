//! The ablation: the paper's Newton method with one component left out at a time.

use anyhow::Result;
use fastlsq_newton::problems::{NonlinearBenchmark, nl_poisson_2d, steady_burgers_1d};
use fastlsq_newton::{Continuation, NewtonOptions, Start};

use super::nonlinear::{self, Scaling};
use crate::commands::reproduce::figure::Figure;
use crate::commands::reproduce::item::{Context, Item, Job, Plan};
use crate::commands::reproduce::paper::Paper;
use crate::commands::reproduce::results::{Row, Run};
use crate::commands::reproduce::table::{Cell, Style, Table};
use crate::format::count;

/// A solution that is further off than this does not count as one.
const NO_SOLUTION: f64 = 0.5;

pub(super) struct Ablation;

/// What is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Without {
    Nothing,
    Normalisation,
    Tikhonov,
    WarmStart,
    LineSearch,
    Continuation,
}

impl Without {
    const ALL: [Self; 6] = [
        Self::Nothing,
        Self::Normalisation,
        Self::Tikhonov,
        Self::WarmStart,
        Self::LineSearch,
        Self::Continuation,
    ];

    /// The name in the paper's table.
    fn name(self) -> &'static str {
        match self {
            Self::Nothing => "full",
            Self::Normalisation => "no-normalisation",
            Self::Tikhonov => "no-tikhonov",
            Self::WarmStart => "no-warm-start",
            Self::LineSearch => "no-line-search",
            Self::Continuation => "no-continuation",
        }
    }

    /// The paper's options without it.
    fn options(
        self,
        benchmark: &NonlinearBenchmark,
        plan: &Plan,
        seed: u64,
    ) -> Result<NewtonOptions> {
        let scaling = match self {
            Self::Normalisation => Scaling::Plain,
            _ => Scaling::Normalised,
        };
        let options = nonlinear::paper_options(benchmark, scaling, plan, seed)?;
        Ok(match self {
            Self::Nothing | Self::Normalisation => options,
            Self::Tikhonov => options.ridge(0.0),
            Self::WarmStart => options.start(Start::Zero),
            Self::LineSearch => options.line_search(false),
            Self::Continuation => options.continuation(Continuation::None),
        })
    }
}

impl Item for Ablation {
    fn name(&self) -> &'static str {
        "ablation"
    }

    fn shows(&self) -> &'static str {
        "the paper's Newton method with one component left out at a time"
    }

    fn source(&self) -> &'static str {
        "Table 3"
    }

    fn settings(&self, plan: &Plan) -> String {
        format!(
            "The variant `protocol` of the item `newton` ({} features), {}. A solution whose error is above {NO_SOLUTION} \
             counts as diverged.",
            nonlinear::features(plan),
            count(plan.few_seeds(), "seed")
        )
    }

    fn jobs(&self, plan: &Plan) -> Vec<Job> {
        let mut jobs = Vec::new();
        for benchmark in [nl_poisson_2d(), steady_burgers_1d()] {
            for without in Without::ALL {
                let moves = benchmark
                    .protocol
                    .as_ref()
                    .is_some_and(|p| !p.continuation.is_empty());
                if without == Without::Continuation && !moves {
                    continue;
                }
                let id = format!("ablation/{}/{}", benchmark.name, without.name());
                let effort = plan.few_seeds() as f64 * plan.pick(2.0, 30.0);
                let benchmark = benchmark.clone();
                jobs.push(Job::new(id, effort, move |context| {
                    Ok(solve(&benchmark, without, context))
                }));
            }
        }
        jobs
    }

    fn tables(&self, rows: &[&Row], _paper: &Paper) -> Vec<Table> {
        let mut table = Table::new(
            "ablation",
            "Ablation",
            vec![
                "problem", "variant", "paper", "ours", "worst", "paper / ours", "steps", "residual at the end", "status",
            ],
        )
        .note(
            "The paper gives no script for its table. Steps are solved here by a rank-revealing QR with the ridge, not by normal \
             equations as in its other scripts, so the rows need not agree.",
        );
        for row in rows {
            let published = row.paper_number("value");
            let words = row.paper.get("value").and_then(|value| value.as_str());
            let paper = words.map_or(Cell::Paper(published, Style::Scientific), Cell::words);
            table.rows.push(vec![
                Cell::words(&row.case),
                Cell::words(&row.variant),
                paper,
                Cell::ours(row, "value_error", Style::Scientific),
                Cell::ours(row, "value_error_worst", Style::Scientific),
                Cell::ratio(published, row.median.value_error),
                Cell::ours(row, "iterations", Style::Count),
                Cell::ours(row, "last_residual", Style::Scientific),
                Cell::words(&row.median.status),
            ]);
        }
        vec![table]
    }

    fn figures(&self, _rows: &[&Row], _paper: &Paper) -> Vec<Figure> {
        Vec::new()
    }
}

fn solve(benchmark: &NonlinearBenchmark, without: Without, context: &Context<'_>) -> Row {
    let seeds = context.plan.few_seeds();
    let runs = context.seeds(seeds, |seed| run(benchmark, without, &context.plan, seed));
    let entry = context
        .paper
        .entry("ablation", without.name(), benchmark.name);
    Row::of_runs("ablation", benchmark.name, without.name(), runs).with_paper("value", entry)
}

fn run(benchmark: &NonlinearBenchmark, without: Without, plan: &Plan, seed: u64) -> Result<Run> {
    let options = without.options(benchmark, plan, seed)?;
    let mut run = nonlinear::solve_as_paper(benchmark, &options, seed)?;
    if run.value_error.is_none_or(|error| error > NO_SOLUTION) {
        "diverged".clone_into(&mut run.status);
    }
    let last = run.series.get("residual").and_then(|series| series.last());
    if let Some(last) = last.copied().filter(|last| last.is_finite()) {
        run.more.insert("last_residual".to_owned(), last);
    }
    Ok(run)
}
