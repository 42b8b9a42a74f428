//! `cargo xtask readme`: the README's results, taken from a run of `cargo xtask reproduce`.
//!
//! The rows are kept in `xtask/data/readme-results.json`. The README shows some of them, `xtask/RESULTS.md` all, with a picture
//! and beside peers; `cargo xtask check readme` sees to it that these files are current.

mod peers;

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, anyhow, bail};

use self::peers::Peers;
use super::reproduce::bars;
use super::reproduce::item::Plan;
use super::reproduce::items;
use super::reproduce::paper::Paper;
use super::reproduce::results::{Results, Row, write_atomically};
use crate::{format, workspace::Workspace};

/// Take the README's results from a run of `cargo xtask reproduce`, preferably a full one
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The directory of the run [default: target/reproduction]
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,

    /// The directory of a run of `cargo xtask compare`; without it the table of peers stays as it is
    #[arg(long, value_name = "DIR")]
    compare: Option<PathBuf>,
}

const SNAPSHOT: &str = "xtask/data/readme-results.json";
const PEERS: &str = "xtask/data/readme-compare.json";
const PICTURE: &str = "xtask/assets/linear-value.svg";
/// The figure that is the README's picture.
const PICTURE_NAME: &str = "linear-value";
/// All results.
const ALL: &str = "xtask/RESULTS.md";
const BEGIN: &str = "<!-- results: made by `cargo xtask readme`, not by hand -->\n";
const END: &str = "<!-- end of results -->";

/// The items in the README.
const SHOWN: [Shown; 3] = [
    Shown {
        item: "linear",
        heading: "Linear problems",
        published: "value",
        paper: "paper",
    },
    Shown {
        item: "newton",
        heading: "Nonlinear problems",
        published: "value",
        paper: "paper",
    },
    Shown {
        item: "solved",
        heading: "Solved; the paper only fits them",
        published: "fit_value",
        paper: "paper's fit",
    },
];

/// The rows in the README: some of each kind, hard ones among them.
const SELECTED: [(&str, &str); 8] = [
    ("linear", "poisson-5d"),
    ("linear", "helmholtz-2d"),
    ("linear", "wave-1d"),
    ("linear", "maxwell-2d-tm"),
    ("newton", "nl-poisson-2d"),
    ("newton", "bratu-2d"),
    ("solved", "burgers-shock"),
    ("solved", "kdv-soliton"),
];

struct Shown {
    item: &'static str,
    heading: &'static str,
    /// The number of the paper to show, and the head of its column.
    published: &'static str,
    paper: &'static str,
}

impl Args {
    /// Takes the rows, and rewrites table and picture.
    pub(crate) fn run(self) -> Result<()> {
        let workspace = Workspace::load()?;
        let from = self
            .from
            .unwrap_or_else(|| workspace.target.join("reproduction"));
        let path = from.join("results.json");
        let results = Results::load(&path)?.ok_or_else(|| {
            anyhow!(
                "{} is missing; make it with `cargo xtask reproduce`",
                path.display()
            )
        })?;
        require_bars(&results)?;
        let snapshot = snapshot(results)?;
        if let Some(directory) = &self.compare {
            Peers::of_run(directory)?.save(&workspace.root.join(PEERS))?;
        }
        snapshot.save(&workspace.root.join(SNAPSHOT))?;
        println!("taken from a {} run: {SNAPSHOT}", snapshot.meta.mode);
        for change in rewrite(&workspace.root)? {
            println!("{change}");
        }
        Ok(())
    }
}

/// Fails if the run misses a bar: what it shows would not be what the library promises.
fn require_bars(results: &Results) -> Result<()> {
    let plan = Plan::new(results.meta.mode != "full", Some(results.meta.seeds));
    let verdicts = bars::judge(&bars::load()?, &plan, &results.rows);
    let missed: Vec<_> = verdicts.iter().filter(|verdict| !verdict.holds).collect();
    if let Some(first) = missed.first() {
        bail!(
            "the run misses {}, the first at {}: nothing was changed",
            format::count(missed.len(), "bar"),
            first.id
        );
    }
    Ok(())
}

/// The rows that the README shows, without the single runs.
fn snapshot(mut results: Results) -> Result<Results> {
    results
        .rows
        .retain(|row| SHOWN.iter().any(|shown| shown.item == row.item));
    for row in &mut results.rows {
        row.runs.clear();
        row.median.series.clear();
    }
    for shown in SHOWN {
        if !results.rows.iter().any(|row| row.item == shown.item) {
            bail!("the run has no rows of `{}`", shown.item);
        }
    }
    Ok(results)
}

/// Fails unless table and picture are those of the snapshot.
pub(super) fn check(root: &Path) -> Result<String> {
    let files = expected(root)?;
    for (name, text) in &files {
        let found = read(root, name)?;
        if found != *text {
            bail!("{name} is not current; to repair: cargo xtask check --fix readme");
        }
    }
    Ok(format::count(files.len(), "file"))
}

/// Rewrites table and picture from the snapshot; returns what was changed.
pub(super) fn rewrite(root: &Path) -> Result<Vec<String>> {
    let mut changes = Vec::new();
    for (name, text) in expected(root)? {
        let path = root.join(&name);
        if fs::read_to_string(&path).is_ok_and(|found| found == text) {
            continue;
        }
        write_atomically(&path, text.as_bytes())?;
        changes.push(format!("rewritten: {name}"));
    }
    Ok(changes)
}

/// What the files should hold.
fn expected(root: &Path) -> Result<Vec<(String, String)>> {
    let path = root.join(SNAPSHOT);
    let snapshot = Results::load(&path)?.with_context(|| format!("{SNAPSHOT} is missing"))?;
    let mut all = format!("{ALL_HEAD}{}", block(&snapshot));
    if let Some(peers) = Peers::kept(&root.join(PEERS))? {
        all += "## Beside peers\n";
        all += &peers.table();
    }
    let readme = with_results(&read(root, "README.md")?, &selection(&snapshot)?)?;
    Ok(vec![
        ("README.md".to_owned(), readme),
        (ALL.to_owned(), all.trim_end().to_owned() + "\n"),
        (PICTURE.to_owned(), picture(&snapshot)?),
    ])
}

fn read(root: &Path, name: &str) -> Result<String> {
    fs::read_to_string(root.join(name)).with_context(|| format!("cannot read {name}"))
}

/// The README with this text between the markers.
fn with_results(readme: &str, block: &str) -> Result<String> {
    let parts = readme.split_once(BEGIN).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(END)?;
        Some(format!("{before}{BEGIN}{block}{END}{after}"))
    });
    parts.with_context(|| format!("README.md has no {} … {END}", BEGIN.trim_end()))
}

/// The README's picture: a figure of the reproduction, drawn from the snapshot.
fn picture(snapshot: &Results) -> Result<String> {
    let paper = Paper::load()?;
    for item in items::registry() {
        let rows: Vec<&Row> = of_item(snapshot, item.name()).collect();
        let figures = item.figures(&rows, &paper);
        if let Some(figure) = figures.iter().find(|figure| figure.name == PICTURE_NAME) {
            return figure.svg();
        }
    }
    bail!("no item draws {PICTURE_NAME}")
}

fn of_item<'a>(results: &'a Results, name: &'a str) -> impl Iterator<Item = &'a Row> {
    results.rows.iter().filter(move |row| row.item == name)
}

/// The beginning of the file with all results.
const ALL_HEAD: &str = "# Results\n\n\
    <!-- made by `cargo xtask readme`, not by hand -->\n\n\
    ![Errors on the paper's linear problems: published, and ours](assets/linear-value.svg)\n\n\
    *auto* is `solve()` without any settings; the others follow the paper's protocol.\n";

/// The README's table.
fn selection(snapshot: &Results) -> Result<String> {
    let full = snapshot.meta.mode == "full";
    let mut text = "\n| problem | paper | ours, no settings |".to_owned();
    text += if full {
        " time |\n|---|---|---|---|\n"
    } else {
        "\n|---|---|---|\n"
    };
    for (item, case) in SELECTED {
        let Some(shown) = SHOWN.iter().find(|shown| shown.item == item) else {
            bail!("`{item}` is not among the items that are kept");
        };
        let row = snapshot.find(&format!("{item}/{case}/auto"));
        let row = row.with_context(|| format!("the run has no row {item}/{case}/auto"))?;
        let published = snapshot
            .find(&format!("{item}/{case}/protocol"))
            .unwrap_or(row);
        let published = scientific(published.paper_number(shown.published));
        let remark = if shown.paper == "paper" {
            ""
        } else {
            " (a fit)"
        };
        text += &format!(
            "| {case} | {published}{remark} | **{}** |",
            scientific(row.median.value_error)
        );
        if full {
            let seconds = row
                .median
                .seconds
                .map(|s| format!("{} s", format::significant(s)));
            text += &format!(" {} |", seconds.unwrap_or_else(|| "–".to_owned()));
        }
        text += "\n";
    }
    Ok(text + &provenance(snapshot))
}

/// The tables as Markdown. What a quick run cannot show is left out, and the text says what it was.
fn block(snapshot: &Results) -> String {
    let full = snapshot.meta.mode == "full";
    let mut text = String::new();
    for shown in SHOWN {
        if of_item(snapshot, shown.item).next().is_none() {
            continue;
        }
        let mut head = vec![shown.heading.to_owned(), shown.paper.to_owned()];
        let has_protocol = of_item(snapshot, shown.item).any(|row| row.variant == "protocol");
        if has_protocol {
            head.push(protocol_heading(snapshot, shown.item));
        }
        head.push("ours, no settings".to_owned());
        if full {
            head.push("time, no settings".to_owned());
        }
        text += &format!(
            "\n| {} |\n|{}\n",
            head.join(" | "),
            "---|".repeat(head.len())
        );
        let mut cases: Vec<&str> = Vec::new();
        for row in of_item(snapshot, shown.item) {
            if !cases.contains(&row.case.as_str()) {
                cases.push(&row.case);
            }
        }
        for case in cases {
            let find = |variant: &str| snapshot.find(&format!("{}/{case}/{variant}", shown.item));
            let error = |row: Option<&Row>| scientific(row.and_then(|r| r.median.value_error));
            let (protocol, auto) = (find("protocol"), find("auto"));
            let paper = protocol.or(auto);
            let paper = paper.and_then(|row| row.paper_number(shown.published));
            let mut cells = vec![case.to_owned(), scientific(paper)];
            if has_protocol {
                cells.push(error(protocol));
            }
            cells.push(format!("**{}**", error(auto)));
            if full {
                let seconds = auto.and_then(|row| row.median.seconds);
                let seconds = seconds.map(|s| format!("{} s", format::significant(s)));
                cells.push(seconds.unwrap_or_else(|| "–".to_owned()));
            }
            text += &format!("| {} |\n", cells.join(" | "));
        }
    }
    text + &provenance(snapshot)
}

/// The column with the paper's settings names the number of features where it is not the paper's.
fn protocol_heading(snapshot: &Results, item: &str) -> String {
    let mut rows = of_item(snapshot, item).filter(|row| row.variant == "protocol");
    match rows.find_map(|row| row.median.features) {
        Some(features) if snapshot.meta.mode != "full" => {
            format!("ours, its settings but {features} features")
        }
        _ => "ours, its settings".to_owned(),
    }
}

/// Where the numbers come from.
fn provenance(snapshot: &Results) -> String {
    let meta = &snapshot.meta;
    let commits: Vec<String> = snapshot.commits().into_keys().collect();
    let commit = match commits.join(" and ") {
        unknown if unknown.is_empty() => unknown,
        known => format!(", commit {known}"),
    };
    let caution = if meta.mode == "full" {
        ""
    } else {
        " This was a quick run: the paper's settings have 1500 features, and times are not shown."
    };
    format!(
        "\nRelative L² errors, {} run, medians of {} ({}, {}; {}{commit}). “No settings” is `solve()`; “its \
         settings” are the paper's rows and weights with σ from its grid by held-out residual. The exact solution is used \
         only to measure.{caution}\n\n",
        meta.mode,
        format::count(meta.seeds, "seed"),
        meta.machine.cpu,
        format::count(meta.machine.threads, "thread"),
        meta.machine.date,
    )
}

fn scientific(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), format::scientific)
}

#[cfg(test)]
mod tests {
    use super::{BEGIN, END, check, with_results};
    use crate::workspace::Workspace;

    #[test]
    fn only_what_is_between_the_markers_changes() {
        let readme = format!("above\n{BEGIN}old\n{END}\nbelow\n");
        let new = with_results(&readme, "new\n").unwrap();
        assert_eq!(new, format!("above\n{BEGIN}new\n{END}\nbelow\n"));
        assert_eq!(with_results(&new, "new\n").unwrap(), new);
        assert!(with_results("no markers", "new").is_err());
    }

    #[test]
    fn the_readme_is_current() {
        check(&Workspace::load().unwrap().root).unwrap();
    }
}
