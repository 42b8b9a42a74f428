//! Tables that most experiments show: errors beside the paper's, and how they came about.

use crate::commands::reproduce::results::{Row, Sigma};
use crate::commands::reproduce::table::{Cell, Style, Table};

/// Value and gradient errors beside the paper's `value` and `gradient`.
pub(super) fn accuracy(name: &str, title: &str, rows: &[&Row]) -> Table {
    let mut table = Table::new(
        name,
        title,
        vec![
            "problem", "variant", "value: paper", "ours", "worst", "paper / ours",
            "gradient: paper", "ours", "worst", "paper / ours",
        ],
    )
    .note(
        "Relative L² errors at 5000 independent points: the median over the seeds and the worst of them. \
         A ratio above one means that this library is more accurate.",
    );
    for row in rows {
        let mut cells = vec![Cell::words(&row.case), Cell::words(&row.variant)];
        for (paper, ours, worst) in [
            ("value", "value_error", "value_error_worst"),
            ("gradient", "gradient_error", "gradient_error_worst"),
        ] {
            let published = row.paper_number(paper);
            cells.extend([
                Cell::Paper(published, Style::Scientific),
                Cell::ours(row, ours, Style::Scientific),
                Cell::ours(row, worst, Style::Scientific),
                Cell::ratio(published, row.number(ours)),
            ]);
        }
        table.rows.push(cells);
    }
    table
}

/// Residuals, estimates, sizes, times and how it ended.
pub(super) fn details(name: &str, title: &str, rows: &[&Row]) -> Table {
    let mut table = Table::new(
        name,
        title,
        vec![
            "problem", "variant", "held-out residual", "estimated error", "features", "rows",
            "rank", "σ", "seconds in all", "final solve", "paper's seconds", "paper / final solve",
            "status",
        ],
    )
    .note(
        "The residual is relative, at points that the fit has not seen. The estimate is the library's own, \
         made without the exact solution. The paper's times are for one solve on a T4 GPU, without the search for σ.",
    );
    for row in rows {
        let sigma = row
            .median
            .sigma
            .as_ref()
            .map_or_else(String::new, Sigma::text);
        let shape = row.median.more.get("shape").map(|c| format!("c = {c}"));
        let status = row.shortcoming().map_or_else(
            || row.median.status.clone(),
            |reason| format!("{}: {reason}", row.median.status),
        );
        table.rows.push(vec![
            Cell::words(&row.case),
            Cell::words(&row.variant),
            Cell::ours(row, "held_out_residual", Style::Scientific),
            Cell::ours(row, "estimate", Style::Scientific),
            Cell::ours(row, "features", Style::Count),
            Cell::ours(row, "rows", Style::Count),
            Cell::ours(row, "rank", Style::Count),
            Cell::words(shape.unwrap_or(sigma)),
            Cell::ours(row, "seconds", Style::Plain),
            Cell::ours(row, "solve_seconds", Style::Plain),
            Cell::Paper(row.paper_number("time"), Style::Plain),
            Cell::ratio(row.paper_number("time"), row.median.solve_seconds),
            Cell::words(status),
        ]);
    }
    table
}
