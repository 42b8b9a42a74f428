//! Questions without an answer are named, and the others are answered: ill-posed and well-posed problems as data.

use anyhow::Result;
use fastlsq_solve::random_problems::{IllPosed, RandomProblem, controls, ill_posed};
use fastlsq_solve::{Options, Report, Status};

use crate::backend::on_backend;
use crate::commands::reproduce::figure::Figure;
use crate::commands::reproduce::item::{Context, Item, Job, Plan};
use crate::commands::reproduce::paper::Paper;
use crate::commands::reproduce::results::{Row, Run};
use crate::commands::reproduce::table::{Cell, Style, Table};

pub(super) struct Posed;

const ITEM: &str = "posed";
/// The tolerances asked for, and their names as variants.
const TOLERANCES: [(f64, &str); 3] = [(1e-8, "1e-8"), (1e-12, "1e-12"), (1e-4, "1e-4")];
/// How a row is made.
type Work = Box<dyn Fn(&Context<'_>) -> Result<Row>>;
/// Summaries, after the rows that they sum up.
const ALL_ILL: &str = "all ill-posed";
const ALL_WELL: &str = "all well-posed";
const ALL_RANDOM: &str = "all random";
/// Random problems that are only counted, their number, how many to a row, and the number of the first: no constant was chosen on them.
const COUNTED: u64 = 900;
const BATCH: u64 = 50;
const FIRST: u64 = 900;
/// What is counted of a well-posed problem.
const COUNTS: [&str; 3] = ["alarm", "met_wrongly", "within"];
/// Errors below this are rounding; estimates there are compared with it.
const ROUNDING: f64 = 1e-14;
/// Estimates are good within these factors of the error.
const WITHIN: std::ops::RangeInclusive<f64> = 0.2..=20.0;

impl Item for Posed {
    fn name(&self) -> &'static str {
        ITEM
    }

    fn shows(&self) -> &'static str {
        "ill-posed problems are recognised, well-posed ones raise no alarm, estimates hold"
    }

    fn source(&self) -> &'static str {
        "beyond the paper"
    }

    fn settings(&self, plan: &Plan) -> String {
        format!(
            "defaults but the tolerance ({}) and at most {} features; well-posed: fixed controls and {} random problems \
             with exact solutions in one to four dimensions, and {} more that are counted.",
            tolerances(plan)
                .iter()
                .map(|(_, name)| *name)
                .collect::<Vec<_>>()
                .join(", "),
            most_features(plan),
            random_problems(plan),
            batches(plan).len() as u64 * BATCH,
        )
    }

    fn jobs(&self, plan: &Plan) -> Vec<Job> {
        let mut jobs = Vec::new();
        let (Ok(ill), Ok(well)) = (ill_posed(), well_posed(plan)) else {
            return jobs;
        };
        for &(tolerance, variant) in tolerances(plan) {
            let mut add = |case: &str, work: Work| {
                let id = format!("{ITEM}/{case}/{variant}");
                jobs.push(Job::new(id, 0.3, work));
            };
            for problem in ill.clone() {
                let case = problem.name.clone();
                let work = move |context: &Context<'_>| {
                    let run = ill_run(&problem, &options(&context.plan, tolerance));
                    Ok(Row::of_runs(ITEM, &problem.name, variant, vec![run]))
                };
                add(&case, Box::new(work));
            }
            for problem in well.clone() {
                let case = problem.name.clone();
                let work = move |context: &Context<'_>| {
                    let run = well_run(&problem, &options(&context.plan, tolerance), tolerance)?;
                    Ok(Row::of_runs(ITEM, &problem.name, variant, vec![run]))
                };
                add(&case, Box::new(work));
            }
            let batches = batches(plan);
            for first in batches.clone() {
                let work = move |context: &Context<'_>| {
                    let run = batch_run(first, &options(&context.plan, tolerance), tolerance)?;
                    Ok(Row::of_runs(ITEM, &batch_name(first), variant, vec![run]))
                };
                add(&batch_name(first), Box::new(work));
            }
            let batches: Vec<String> = batches.into_iter().map(batch_name).collect();
            let ill: Vec<String> = ill.iter().map(|problem| problem.name.clone()).collect();
            let well: Vec<String> = well.iter().map(|problem| problem.name.clone()).collect();
            for (case, names, figures) in [
                (ALL_ILL, ill, &["recognised"][..]),
                (ALL_WELL, well, &COUNTS[..]),
                (ALL_RANDOM, batches, &COUNTS[..]),
            ] {
                if names.is_empty() {
                    continue;
                }
                let work = move |context: &Context<'_>| {
                    Ok(summary(context, case, variant, &names, figures))
                };
                add(case, Box::new(work));
            }
        }
        jobs
    }

    fn tables(&self, rows: &[&Row], _paper: &Paper) -> Vec<Table> {
        let mut summaries = Table::new(
            "posed",
            "How well questions are judged",
            vec!["problems", "tolerance", "number", "recognised", "alarms", "met wrongly", "estimates within"],
        )
        .note(
            "Shares of all problems. Met wrongly: \"tolerance met\" with an error above ten times the tolerance. Estimates \
             within 1/5 … 20 of the error (of 1e-14 where the error is less).",
        );
        let mut each = Table::new(
            "posed-problems",
            "What the report says about each problem",
            vec!["problem", "tolerance", "error", "estimate", "the report"],
        )
        .note("Errors are relative, at 2000 independent points; ill-posed problems have none.");
        for row in rows {
            if row.number("problems").is_some() {
                summaries.rows.push(vec![
                    Cell::words(&row.case),
                    Cell::words(&row.variant),
                    Cell::ours(row, "problems", Style::Count),
                    Cell::ours(row, "recognised", Style::Plain),
                    Cell::ours(row, "alarm", Style::Plain),
                    Cell::ours(row, "met_wrongly", Style::Plain),
                    Cell::ours(row, "within", Style::Plain),
                ]);
            } else {
                each.rows.push(vec![
                    Cell::words(&row.case),
                    Cell::words(&row.variant),
                    Cell::ours(row, "value_error", Style::Scientific),
                    Cell::ours(row, "estimate", Style::Scientific),
                    Cell::words(&row.median.status),
                ]);
            }
        }
        vec![summaries, each]
    }

    fn figures(&self, _rows: &[&Row], _paper: &Paper) -> Vec<Figure> {
        Vec::new()
    }
}

fn tolerances(plan: &Plan) -> &'static [(f64, &'static str)] {
    plan.pick(&TOLERANCES[..1], &TOLERANCES[..])
}

fn most_features(plan: &Plan) -> usize {
    plan.pick(430, 1000)
}

fn random_problems(plan: &Plan) -> usize {
    plan.pick(20, 100)
}

/// The first numbers of the rows of problems that are only counted.
fn batches(plan: &Plan) -> Vec<u64> {
    let count = plan.pick(0, COUNTED / BATCH);
    (0..count).map(|k| FIRST + k * BATCH).collect()
}

fn batch_name(first: u64) -> String {
    format!("random {first} to {}", first + BATCH - 1)
}

fn options(plan: &Plan, tolerance: f64) -> Options {
    let options = Options::new().tolerance(tolerance);
    on_backend(options.max_features(most_features(plan)))
}

/// The controls, then random problems with their numbers.
fn well_posed(plan: &Plan) -> Result<Vec<RandomProblem>> {
    let mut all = controls()?;
    for number in 0..random_problems(plan) as u64 {
        let mut drawn = RandomProblem::draw(number)?;
        drawn.name = format!("{number}: {}", drawn.name);
        all.push(drawn);
    }
    Ok(all)
}

/// What the report says, in a line.
fn says(report: &Report) -> String {
    format!("{}; {}", report.status, report.posedness)
}

/// A refusal to solve is an answer too.
fn ill_run(problem: &IllPosed, options: &Options) -> Run {
    let mut run = Run::default();
    let recognised = match problem.problem.solve_with(options) {
        Ok(solution) => {
            let report = solution.report();
            run.estimate = Some(report.error_estimate);
            run.seconds = Some(report.seconds);
            run.features = Some(report.features);
            run.status = says(report);
            report.status != Status::ToleranceMet && !report.posedness.is_fine()
        }
        Err(error) => {
            run.status = format!("refused: {error}").replace('\n', " ");
            true
        }
    };
    run.more
        .insert("recognised".to_owned(), f64::from(recognised));
    run
}

fn well_run(problem: &RandomProblem, options: &Options, tolerance: f64) -> Result<Run> {
    let solution = problem.problem.solve_with(options)?;
    let error = problem.error(&solution)?;
    let report = solution.report();
    let ratio = report.error_estimate.max(ROUNDING) / error.max(ROUNDING);
    let met_wrongly = report.status == Status::ToleranceMet && error > 10.0 * tolerance;
    let mut run = Run {
        value_error: Some(error),
        estimate: Some(report.error_estimate),
        held_out_residual: Some(report.held_out_residual),
        seconds: Some(report.seconds),
        features: Some(report.features),
        rows: Some(report.rows),
        rank: Some(report.rank),
        status: says(report),
        ..Run::default()
    };
    for (name, holds) in [
        (COUNTS[0], !report.posedness.is_fine()),
        (COUNTS[1], met_wrongly),
        (COUNTS[2], WITHIN.contains(&ratio)),
    ] {
        run.more.insert(name.to_owned(), f64::from(holds));
    }
    Ok(run)
}

/// Shares of a row of random problems, with the names of those whose estimate is off.
fn batch_run(first: u64, options: &Options, tolerance: f64) -> Result<Run> {
    let mut shares = [0.0; COUNTS.len()];
    let mut run = Run::default();
    let (mut off, mut seconds) = (Vec::new(), 0.0);
    for number in first..first + BATCH {
        let drawn = RandomProblem::draw(number)?;
        let own = well_run(&drawn, options, tolerance)?;
        seconds += own.seconds.unwrap_or(0.0);
        for (share, figure) in shares.iter_mut().zip(COUNTS) {
            *share += own.more.get(figure).copied().unwrap_or(0.0) / BATCH as f64;
        }
        if own.more.get("within") == Some(&0.0) {
            let number_of = |value: Option<f64>| value.unwrap_or(f64::NAN);
            off.push(format!(
                "{number}: {} (error {:.1e}, estimate {:.1e})",
                drawn.name,
                number_of(own.value_error),
                number_of(own.estimate)
            ));
        }
    }
    run.seconds = Some(seconds);
    run.more.insert("problems".to_owned(), BATCH as f64);
    for (figure, share) in COUNTS.into_iter().zip(shares) {
        run.more.insert(figure.to_owned(), share);
    }
    run.status = if off.is_empty() {
        "counted".to_owned()
    } else {
        format!("estimates off: {}", off.join("; "))
    };
    Ok(run)
}

/// The shares of the problems for which figures are 1, or the means of shares, from the rows already there.
fn summary(
    context: &Context<'_>,
    case: &str,
    variant: &str,
    names: &[String],
    figures: &[&str],
) -> Row {
    let rows = names
        .iter()
        .map(|name| context.results.find(&format!("{ITEM}/{name}/{variant}")));
    let rows: Vec<&Row> = rows.flatten().collect();
    let mut run = Run {
        status: "counted".to_owned(),
        ..Run::default()
    };
    if rows.len() < names.len() {
        run.reason = Some(format!(
            "{} of {} problems are missing",
            names.len() - rows.len(),
            names.len()
        ));
    }
    let problems = rows.iter().map(|row| row.number("problems").unwrap_or(1.0));
    run.more.insert("problems".to_owned(), problems.sum());
    for figure in figures {
        let held: f64 = rows.iter().filter_map(|row| row.number(figure)).sum();
        let share = held / names.len().max(1) as f64;
        run.more.insert((*figure).to_owned(), share);
    }
    Row::of_runs(ITEM, case, variant, vec![run])
}
