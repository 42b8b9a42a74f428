//! The problems that the paper only fits, solved from their initial and boundary data.

use std::time::Duration;

use fastlsq_newton::NewtonOptions;
use fastlsq_newton::problems::{self, NonlinearBenchmark};

use super::{nonlinear, standard_tables};
use crate::backend::newton_on_backend;
use crate::commands::reproduce::figure::Figure;
use crate::commands::reproduce::item::{Context, Item, Job, Plan};
use crate::commands::reproduce::paper::Paper;
use crate::commands::reproduce::results::Row;
use crate::commands::reproduce::table::{Cell, Style, Table};

/// These problems take long to the last digit: a quick run asks for fewer.
const QUICK_TOLERANCE: f64 = 1e-4;
/// After this time a quick run begins no further candidate.
const QUICK_TIME: Duration = Duration::from_secs(10);

pub(super) struct Solved;

impl Item for Solved {
    fn name(&self) -> &'static str {
        "solved"
    }

    fn shows(&self) -> &'static str {
        "the problems that the paper only fits, solved as equations"
    }

    fn source(&self) -> &'static str {
        "beyond Table 5"
    }

    fn settings(&self, plan: &Plan) -> String {
        let given = if plan.quick {
            let seconds = QUICK_TIME.as_secs();
            format!("the seed, the tolerance {QUICK_TOLERANCE:e} and a limit of about {seconds} s")
        } else {
            "the seed".to_owned()
        };
        format!(
            "Nothing given but {given}: initial and boundary data, no values of the solution inside. The pulse solves \
             an advection–diffusion equation with source, Kovasznay flow the steady Navier–Stokes system."
        )
    }

    fn jobs(&self, plan: &Plan) -> Vec<Job> {
        problems::solved()
            .into_iter()
            .chain(problems::beyond())
            .map(|benchmark| {
                let id = format!("solved/{}/auto", benchmark.name);
                let effort = plan.seeds as f64 * 15.0;
                Job::new(id, effort, move |context| Ok(solve(&benchmark, context)))
            })
            .collect()
    }

    fn tables(&self, rows: &[&Row], _paper: &Paper) -> Vec<Table> {
        vec![
            beside_fits(rows),
            standard_tables::details("solved-details", "Solved: how", rows),
        ]
    }

    fn figures(&self, _rows: &[&Row], _paper: &Paper) -> Vec<Figure> {
        Vec::new()
    }
}

fn solve(benchmark: &NonlinearBenchmark, context: &Context<'_>) -> Row {
    let runs = context.each_seed(|seed| {
        let mut options = newton_on_backend(NewtonOptions::new().seed(seed));
        if context.plan.quick {
            let fewer = options.solve.clone().time_limit(QUICK_TIME);
            options = options.solve_options(fewer).tolerance(QUICK_TOLERANCE);
        }
        nonlinear::solve(benchmark, &options, seed)
    });
    let entry = |column| context.paper.entry("regression", benchmark.name, column);
    Row::of_runs("solved", benchmark.name, "auto", runs)
        .with_paper("fit_value", entry("fastlsq_value"))
        .with_paper("fit_gradient", entry("fastlsq_gradient"))
}

/// Errors of solutions beside the paper's errors of fits.
fn beside_fits(rows: &[&Row]) -> Table {
    let mut table = Table::new(
        "solved",
        "Solved as equations",
        vec![
            "problem",
            "fit: paper",
            "solved: ours",
            "worst",
            "paper's fit / our solution",
            "gradient: ours",
            "worst",
            "steps",
            "status",
        ],
    )
    .note("The paper's errors are for fitting the known solution; ours are for finding it.");
    for row in rows {
        let fit = row.paper_number("fit_value");
        table.rows.push(vec![
            Cell::words(&row.case),
            Cell::Paper(fit, Style::Scientific),
            Cell::ours(row, "value_error", Style::Scientific),
            Cell::ours(row, "value_error_worst", Style::Scientific),
            Cell::ratio(fit, row.median.value_error),
            Cell::ours(row, "gradient_error", Style::Scientific),
            Cell::ours(row, "gradient_error_worst", Style::Scientific),
            Cell::ours(row, "iterations", Style::Count),
            Cell::words(&row.median.status),
        ]);
    }
    table
}
