//! Evolutions, followed in time by lines.

use anyhow::{Context as _, Result};
use fastlsq_newton::problems::{self, NonlinearBenchmark, Referenced, ReferencedPlane};
use fastlsq_newton::{NewtonOptions, NonlinearSolution};

use super::solving::{finite, of_report};
use super::standard_tables;
use crate::commands::reproduce::figure::Figure;
use crate::commands::reproduce::item::{Context, Item, Job, Plan};
use crate::commands::reproduce::paper::Paper;
use crate::commands::reproduce::results::{Row, Run};
use crate::commands::reproduce::table::{Cell, Style, Table};

/// The tolerance asked of each problem: a third of the error that its bar allows.
const TOLERANCES: [(&str, f64); 15] = [
    ("kdv-soliton", 3e-10),
    ("sine-gordon-breather", 3e-11),
    ("burgers-shock", 3e-10),
    ("fisher-front", 3e-12),
    ("klein-gordon", 3e-12),
    ("gray-scott-pulse", 3e-11),
    ("burgers-thin-layer", 3e-9),
    ("allen-cahn", 3e-8),
    ("kuramoto-sivashinsky", 3e-7),
    ("schroedinger-soliton", 3e-10),
    ("advection-long", 3e-11),
    ("heat-rod-long", 3e-11),
    ("wave-disc", 3e-10),
    ("heat-box-3d", 3e-10),
    ("gray-scott", 3e-7),
];

pub(super) struct Evolution;

impl Item for Evolution {
    fn name(&self) -> &'static str {
        "evolution"
    }

    fn shows(&self) -> &'static str {
        "evolutions, followed in time"
    }

    fn source(&self) -> &'static str {
        "beyond the paper"
    }

    fn settings(&self, _plan: &Plan) -> String {
        "Nothing given but the tolerance, a third of what the bar on the error allows. Errors are the worst L² error over \
         20 times at 1000 fresh points each (300 in several dimensions), relative to the largest norm of the solution. Allen–Cahn, \
         Kuramoto–Sivashinsky and Gray–Scott are held against a spectral code with exponential time differencing, whose distance from \
         itself with half the points and steps stands beside."
            .to_owned()
    }

    fn jobs(&self, plan: &Plan) -> Vec<Job> {
        let effort = plan.seeds as f64;
        let known = problems::evolving().into_iter().map(|benchmark| {
            let id = format!("evolution/{}/auto", benchmark.name);
            Job::new(id, effort, move |context| {
                Ok(with_solution(&benchmark, context))
            })
        });
        let referenced = problems::referenced().into_iter().map(|problem| {
            let id = format!("evolution/{}/auto", problem.name);
            Job::new(id, 5.0 + effort, move |context| {
                Ok(with_reference(&problem, context))
            })
        });
        let plane = problems::gray_scott();
        let plane = Job::new(
            format!("evolution/{}/auto", plane.name),
            20.0 + effort,
            move |context| Ok(in_the_plane(&plane, context)),
        );
        known.chain(referenced).chain([plane]).collect()
    }

    fn tables(&self, rows: &[&Row], _paper: &Paper) -> Vec<Table> {
        vec![
            table(rows),
            standard_tables::details("evolution-details", "Evolution: how", rows),
        ]
    }

    fn figures(&self, _rows: &[&Row], _paper: &Paper) -> Vec<Figure> {
        Vec::new()
    }
}

/// Nothing given but the seed and the tolerance.
pub(crate) fn options(name: &str, seed: u64) -> Result<NewtonOptions> {
    let found = TOLERANCES.iter().find(|(own, _)| *own == name);
    let (_, tolerance) = found.with_context(|| format!("no tolerance for {name}"))?;
    Ok(NewtonOptions::new().tolerance(*tolerance).seed(seed))
}

fn with_solution(benchmark: &NonlinearBenchmark, context: &Context<'_>) -> Row {
    let runs = context.each_seed(|seed| {
        let solution = benchmark
            .problem
            .solve_with(&options(benchmark.name, seed)?)?;
        record(&solution, benchmark.worst_error(&solution)?, seed)
    });
    Row::of_runs("evolution", benchmark.name, "auto", runs)
}

fn with_reference(problem: &Referenced, context: &Context<'_>) -> Row {
    (context.progress)("reference");
    let reference = problem.reference(false);
    let refined = reference.distance(&problem.reference(true));
    let runs = context.each_seed(|seed| {
        let solution = problem.problem.solve_with(&options(problem.name, seed)?)?;
        let mut run = record(&solution, problem.worst_error(&solution, &reference)?, seed)?;
        run.more.insert("reference_change".to_owned(), refined);
        Ok(run)
    });
    Row::of_runs("evolution", problem.name, "auto", runs)
}

fn in_the_plane(problem: &ReferencedPlane, context: &Context<'_>) -> Row {
    (context.progress)("reference");
    let reference = problem.reference(false);
    let refined = reference.distance(&problem.reference(true));
    let runs = context.each_seed(|seed| {
        let solution = problem.problem.solve_with(&options(problem.name, seed)?)?;
        let mut run = record(&solution, problem.worst_error(&solution, &reference)?, seed)?;
        run.more.insert("reference_change".to_owned(), refined);
        Ok(run)
    });
    Row::of_runs("evolution", problem.name, "auto", runs)
}

fn record(solution: &NonlinearSolution, error: f64, seed: u64) -> Result<Run> {
    let evolution = solution
        .evolution()
        .context("it was solved in space-time")?;
    let mut run = of_report(solution.report(), seed);
    run.value_error = finite(error);
    if run.value_error.is_none() {
        run.reason = Some("the solution is not finite".to_owned());
    }
    run.iterations = evolution.runs.last().map(|last| last.steps);
    run.more
        .insert("runs".to_owned(), evolution.runs.len() as f64);
    Ok(run)
}

fn table(rows: &[&Row]) -> Table {
    let mut table = Table::new(
        "evolution",
        "Evolution by lines",
        vec!["problem", "worst error", "worst of all runs", "estimate", "estimate / error", "seconds", "steps", "coefficients", "status"],
    )
    .note("Steps and coefficients are those of the finest run; no steps: the exponential of the matrix.");
    for row in rows {
        table.rows.push(vec![
            Cell::words(&row.case),
            Cell::ours(row, "value_error", Style::Scientific),
            Cell::ours(row, "value_error_worst", Style::Scientific),
            Cell::ours(row, "estimate", Style::Scientific),
            Cell::ratio(row.median.estimate, row.median.value_error),
            Cell::ours(row, "seconds", Style::Plain),
            Cell::ours(row, "iterations", Style::Count),
            Cell::ours(row, "features", Style::Count),
            Cell::words(&row.median.status),
        ]);
    }
    table
}
