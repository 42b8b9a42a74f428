//! Discovery of laws from noisy samples: the paper's damped oscillator, and harder ones.

mod laws;
mod published;

use crate::commands::reproduce::figure::Figure;
use crate::commands::reproduce::item::{Item, Job, Plan};
use crate::commands::reproduce::paper::Paper;
use crate::commands::reproduce::results::Row;
use crate::commands::reproduce::table::{Cell, Style, Table};

/// The case of the paper.
const CASE: &str = "damped-oscillator";
/// Seconds a draw may take in a quick run.
const SLOW: f64 = 5.0;

pub(super) struct Discovery;

impl Item for Discovery {
    fn name(&self) -> &'static str {
        "discovery"
    }

    fn shows(&self) -> &'static str {
        "laws from noisy samples: a damped oscillator, heat, Burgers, Korteweg–de Vries, Klein–Gordon"
    }

    fn source(&self) -> &'static str {
        "Figure 2"
    }

    fn settings(&self, _plan: &Plan) -> String {
        laws::settings()
    }

    fn jobs(&self, plan: &Plan) -> Vec<Job> {
        let draws = plan.pick(1, 2) * plan.seeds;
        let published = Job::new(
            format!("discovery/{CASE}/protocol"),
            plan.seeds as f64,
            |context| Ok(published::row(CASE, context)),
        );
        let cases = laws::cases().unwrap_or_default();
        // Enough cases for a quick run without the slow ones.
        let quick = plan.quick;
        let cases = cases
            .into_iter()
            .filter(|case| !quick || case.effort < SLOW);
        let found = cases.map(|case| {
            Job::new(
                format!("discovery/{}/auto", case.name),
                case.effort * draws as f64,
                move |context| Ok(laws::row(&case, draws, context)),
            )
        });
        std::iter::once(published).chain(found).collect()
    }

    fn tables(&self, rows: &[&Row], _paper: &Paper) -> Vec<Table> {
        vec![table(rows), laws::table(rows)]
    }

    fn figures(&self, rows: &[&Row], _paper: &Paper) -> Vec<Figure> {
        let published = rows.iter().find(|row| row.variant == "protocol");
        published.map_or_else(Vec::new, |row| published::figures(row))
    }
}

/// ‖c − c*‖/‖c*‖.
fn relative_error(found: &[f64], exact: &[f64]) -> f64 {
    let norm = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0_f64, f64::hypot);
    let difference = norm(&mut found.iter().zip(exact).map(|(a, b)| a - b));
    difference / norm(&mut exact.iter().copied())
}

fn table(rows: &[&Row]) -> Table {
    let mut table = Table::new(
        "discovery",
        "The paper's experiment",
        vec![
            "variant", "figure", "true", "paper", "ours", "error: paper / ours", "status",
        ],
    )
    .note(
        "The paper's error of the second derivative, 0.41, is against a wrong reference; against the right one its run \
         has 0.21. The coefficient error is ‖c − c*‖/‖c*‖, in the median.",
    );
    let law = published::law();
    for row in rows.iter().filter(|row| row.case == CASE) {
        for (figure, name, truth, style) in [
            (
                "coefficient of u",
                "coefficient_u",
                law.first().copied(),
                Style::Plain,
            ),
            (
                "coefficient of u′",
                "coefficient_u_x",
                law.get(1).copied(),
                Style::Plain,
            ),
            (
                "error of the coefficients",
                "value_error",
                None,
                Style::Scientific,
            ),
            (
                "u″, root mean square error",
                "derivative_rmse",
                None,
                Style::Plain,
            ),
            (
                "the same, inner 90 %",
                "derivative_rmse_inside",
                None,
                Style::Plain,
            ),
            (
                "u″ by differences, the same",
                "difference_rmse",
                None,
                Style::Plain,
            ),
        ] {
            let Some(ours) = row.number(name) else {
                continue;
            };
            let published = row.paper_number(name);
            // Errors are compared as they are, coefficients by their distance from the truth.
            let off = |value: f64| (value - truth.unwrap_or(0.0)).abs();
            table.rows.push(vec![
                Cell::words(&row.variant),
                Cell::words(figure),
                Cell::words(truth.map_or_else(String::new, |value| format!("{value}"))),
                Cell::Paper(published, style),
                Cell::ours(row, name, style),
                Cell::ratio(published.map(off), Some(off(ours))),
                Cell::words(&row.median.status),
            ]);
        }
    }
    table
}
