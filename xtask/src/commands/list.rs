//! `cargo xtask list`: what can be reproduced, compared and measured.

use anyhow::Result;
use comfy_table::{ContentArrangement, Table, presets};

use super::{bench, compare, reproduce};

/// List the experiments, comparisons and benchmarks, what each shows, and the paper's table or figure
#[derive(clap::Args)]
pub(crate) struct Args {}

impl Args {
    /// Prints the lists.
    pub(crate) fn run(self) -> Result<()> {
        let items = reproduce::items::registry();
        let rows = items
            .iter()
            .map(|item| [item.name(), item.shows(), item.source()]);
        println!(
            "cargo xtask reproduce [ITEM…]\n{}\n",
            table(["item", "shows", "paper"], rows)
        );
        let comparisons = compare::registry();
        let rows = comparisons.iter().map(|item| [item.name, item.shows, ""]);
        println!(
            "cargo xtask compare [ITEM…]\n{}\n",
            table(["item", "compares with", ""], rows)
        );
        let benches = bench::registry();
        let rows = benches.iter().map(|bench| [bench.name, bench.shows, ""]);
        println!(
            "cargo xtask bench [ITEM…]\n{}",
            table(["item", "measures", ""], rows)
        );
        Ok(())
    }
}

fn table<'a>(head: [&'a str; 3], rows: impl Iterator<Item = [&'a str; 3]>) -> Table {
    let mut table = Table::new();
    table
        .load_preset(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(head)
        .add_rows(rows);
    table
}
