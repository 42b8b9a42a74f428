//! The problems beside the conventional and learned solvers that the paper quotes.

use fastlsq_solve::problems;

use super::solving::Variant;
use super::{linear, newton};
use crate::commands::reproduce::figure::Figure;
use crate::commands::reproduce::item::{Context, Item, Job, Plan};
use crate::commands::reproduce::paper::Paper;
use crate::commands::reproduce::results::Row;
use crate::commands::reproduce::table::{Cell, Style, Table};

/// The competitors in the order of the columns.
const QUOTED: [&str; 4] = ["fastlsq", "pinn", "rfpde", "conventional"];

/// Where the paper has its figures: the table, and the column for each name in our rows.
struct Quotations {
    table: &'static str,
    columns: &'static [(&'static str, &'static str)],
}

const LINEAR: Quotations = Quotations {
    table: "linear",
    columns: &[
        ("fastlsq_value", "fastlsq_value"),
        ("fastlsq_time", "fastlsq_time"),
        ("pinn_value", "pinn_value"),
        ("pinn_time", "pinn_time"),
        ("rfpde_value", "rfpde_value"),
        ("rfpde_time", "rfpde_time"),
        ("conventional_value", "conventional_value"),
        ("conventional_time", "conventional_time"),
    ],
};

const NEWTON: Quotations = Quotations {
    table: "newton",
    columns: &[
        ("fastlsq_value", "value"),
        ("fastlsq_time", "total_time"),
        ("conventional_value", "conventional_value"),
    ],
};

pub(super) struct Baselines;

impl Item for Baselines {
    fn name(&self) -> &'static str {
        "baselines"
    }

    fn shows(&self) -> &'static str {
        "the automatic solve beside the solvers that the paper compares with"
    }

    fn source(&self) -> &'static str {
        "Tables 1 and 7"
    }

    fn settings(&self, _plan: &Plan) -> String {
        "Ours is the automatic solve of the items `linear` and `newton`. The other figures are the paper's: the best of \
         eleven physics-informed networks (quoted there from a benchmark suite), random features with iterative \
         optimisation (quoted, for a nonlinear Poisson problem in four dimensions), P2 finite elements in two dimensions \
         and a collocation solver for boundary-value problems in one."
            .to_owned()
    }

    fn jobs(&self, plan: &Plan) -> Vec<Job> {
        let linear = problems::paper().into_iter().map(|benchmark| {
            let id = format!("baselines/{}/auto", benchmark.name);
            let effort = linear::effort(&benchmark, Variant::Auto, plan);
            Job::new(id, effort, move |context| {
                let row = linear::solve(&benchmark, Variant::Auto, context);
                Ok(beside_the_quoted(row, &LINEAR, context))
            })
        });
        let nonlinear = fastlsq_newton::problems::paper().into_iter();
        let nonlinear = nonlinear.map(|benchmark| {
            let id = format!("baselines/{}/auto", benchmark.name);
            Job::new(id, plan.seeds as f64, move |context| {
                let row = newton::solve(&benchmark, "auto", context);
                Ok(beside_the_quoted(row, &NEWTON, context))
            })
        });
        linear.chain(nonlinear).collect()
    }

    fn tables(&self, rows: &[&Row], _paper: &Paper) -> Vec<Table> {
        let mut table = Table::new(
            "baselines",
            "Beside other solvers",
            vec![
                "problem", "ours", "seconds", "paper: FastLSQ", "seconds", "PINN", "seconds",
                "RF-PDE", "seconds", "FEM or BVP", "seconds", "best quoted / ours",
            ],
        )
        .note(
            "Errors are relative L². The quoted times are from other machines (one T4 GPU for the paper's own). \
             The last column compares with the most accurate figure that the paper quotes.",
        );
        for row in rows {
            let mut cells = vec![
                Cell::words(&row.case),
                Cell::ours(row, "value_error", Style::Scientific),
                Cell::ours(row, "seconds", Style::Plain),
            ];
            let mut best: Option<f64> = None;
            for name in QUOTED {
                let value = row.paper_number(&format!("{name}_value"));
                let time = row.paper_number(&format!("{name}_time"));
                best = [best, value].into_iter().flatten().reduce(f64::min);
                cells.push(Cell::Paper(value, Style::Scientific));
                cells.push(Cell::Paper(time, Style::Plain));
            }
            cells.push(Cell::ratio(best, row.median.value_error));
            table.rows.push(cells);
        }
        vec![table]
    }

    fn figures(&self, _rows: &[&Row], _paper: &Paper) -> Vec<Figure> {
        Vec::new()
    }
}

/// The same measurement as a row of this item, with the paper's quotations.
fn beside_the_quoted(mut row: Row, quoted: &Quotations, context: &Context<'_>) -> Row {
    "baselines".clone_into(&mut row.item);
    row.paper.clear();
    for (name, column) in quoted.columns {
        let entry = context.paper.entry(quoted.table, &row.case, column);
        row = row.with_paper(name, entry);
    }
    row
}
