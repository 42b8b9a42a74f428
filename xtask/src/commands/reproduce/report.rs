//! `report.html`: one page with everything, without any other file or the network.

use std::fmt::Write as _;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::bars::Verdict;
use super::figure::Figure;
use super::results::{Results, Row};
use super::table::{Cell, Table};
use crate::format;

/// One item of the report.
pub(crate) struct Section {
    /// The name on the command line.
    pub(crate) name: &'static str,
    /// What it shows.
    pub(crate) shows: &'static str,
    /// The paper's table or figure.
    pub(crate) source: &'static str,
    /// How it was set up.
    pub(crate) settings: String,
    /// Its tables.
    pub(crate) tables: Vec<Table>,
    /// Its figures, each with its SVG text.
    pub(crate) figures: Vec<(Figure, String)>,
    /// Rows that lack numbers, each with the reason.
    pub(crate) shortcomings: Vec<(String, String)>,
}

/// The rows that lack numbers, each with the reason.
pub(crate) fn shortcomings(rows: &[&Row]) -> Vec<(String, String)> {
    let of_row = |row: &&Row| Some((row.id.clone(), row.shortcoming()?));
    rows.iter().filter_map(of_row).collect()
}

/// Tables longer than this are folded.
const LONG_TABLE: usize = 40;

/// Where the paper is wrong or cannot be reproduced.
#[derive(Deserialize)]
struct Discrepancies {
    groups: Vec<Group>,
}

#[derive(Deserialize)]
struct Group {
    title: String,
    /// Subject and finding.
    entries: Vec<(String, String)>,
}

/// The whole page.
pub(crate) fn page(
    results: &Results,
    sections: &[Section],
    verdicts: &[Verdict],
) -> Result<String> {
    let mut html = String::new();
    let style = include_str!("../../../assets/report.css");
    write!(
        html,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>FastLSQ: reproduction of the paper</title>\n<style>\n{style}</style>\n</head>\n<body>\n\
         <h1>FastLSQ: reproduction of the paper</h1>\n\
         <p>This page repeats the experiments of the paper “FastLSQ: Solving PDEs in One Shot via Fourier Features with \
         Exact Analytical Derivatives”: each table has the number that the paper publishes and, beside it, the number \
         that this library finds (“ours”). Most of them are errors, relative to the size of the solution, so that smaller is \
         better; ratios are paper / ours: <span class=\"soft\">above one, this library is better.</span> Sections that go beyond \
         the paper have no published number; a quick run has fewer features and seeds than a full one.</p>\n"
    )?;
    contents(&mut html, sections)?;
    machine(&mut html, results)?;
    writeln!(html, "<p><a href=\"#bars\">{}</a></p>", outcome(verdicts))?;
    for section in sections {
        item(&mut html, section)?;
    }
    discrepancies(&mut html)?;
    bars(&mut html, verdicts)?;
    html += "</body>\n</html>\n";
    Ok(html)
}

fn contents(html: &mut String, sections: &[Section]) -> Result<()> {
    *html += "<nav><ul>\n";
    for section in sections {
        writeln!(html, "<li><a href=\"#{0}\">{0}</a></li>", section.name)?;
    }
    *html += "<li><a href=\"#discrepancies\">what is wrong in the paper</a></li>\n</ul></nav>\n";
    Ok(())
}

fn machine(html: &mut String, results: &Results) -> Result<()> {
    let meta = &results.meta;
    let machine = &meta.machine;
    let mut entries = vec![
        (
            "run",
            format!("{}, {}", meta.mode, format::count(meta.seeds, "seed")),
        ),
        ("date", machine.date.clone()),
        ("processor", machine.cpu.clone()),
        ("threads", machine.threads.to_string()),
        ("systems solved on", meta.backend.name().to_owned()),
        ("system", machine.system.clone()),
    ];
    for (name, version) in &machine.versions {
        entries.push((name, version.clone()));
    }
    let commits = results.commits();
    if commits.len() > 1 {
        let commits = commits
            .iter()
            .map(|(commit, rows)| format!("{} of {commit}", format::count(*rows, "row")));
        entries.push(("made with", commits.collect::<Vec<_>>().join(", ")));
    }
    *html += "<dl>\n";
    for (name, text) in entries {
        writeln!(html, "<dt>{}</dt><dd>{}</dd>", escape(name), escape(&text))?;
    }
    *html += "</dl>\n";
    Ok(())
}

/// How many bars there are, and how many are missed.
fn outcome(verdicts: &[Verdict]) -> String {
    let missed = verdicts.iter().filter(|verdict| !verdict.holds).count();
    format!("{}: {missed} missed", format::count(verdicts.len(), "bar"))
}

/// What must hold, and whether it does.
fn bars(html: &mut String, verdicts: &[Verdict]) -> Result<()> {
    let mut table = Table::new(
        "bars",
        "Bars",
        vec!["row", "figure", "value", "limit", "result", "reason"],
    );
    for verdict in verdicts {
        table.rows.push(vec![
            Cell::words(&verdict.id),
            Cell::words(&verdict.figure),
            Cell::words(
                verdict
                    .value
                    .map_or_else(|| "–".to_owned(), format::scientific),
            ),
            Cell::words(&verdict.limit),
            Cell::Verdict(verdict.holds),
            Cell::words(&verdict.reason),
        ]);
    }
    let missed = verdicts.iter().any(|verdict| !verdict.holds);
    let open = if missed { " open" } else { "" };
    writeln!(
        html,
        "<h2 id=\"bars\">Bars: limits that the rows must keep</h2>\n<details{open}><summary>{}</summary>",
        outcome(verdicts)
    )?;
    write_table(html, &table)?;
    *html += "</details>\n";
    Ok(())
}

fn item(html: &mut String, section: &Section) -> Result<()> {
    let source = match section.source {
        "beyond the paper" => "Beyond the paper".to_owned(),
        source => format!("{source} of the paper"),
    };
    write!(
        html,
        "<h2 id=\"{0}\">{0}: {1}</h2>\n<p class=\"soft\">{2}. \
         <code>cargo xtask reproduce {0}</code></p>\n<p>{3}</p>\n",
        section.name,
        escape(section.shows),
        escape(&source),
        escape(&section.settings),
    )?;
    for table in &section.tables {
        let long = table.rows.len() > LONG_TABLE;
        if long {
            writeln!(
                html,
                "<details><summary>{} ({})</summary>",
                escape(&table.title),
                format::count(table.rows.len(), "row")
            )?;
        } else {
            writeln!(html, "<h3>{}</h3>", escape(&table.title))?;
        }
        if !table.note.is_empty() {
            writeln!(html, "<p class=\"soft\">{}</p>", escape(&table.note))?;
        }
        write_table(html, table)?;
        if long {
            *html += "</details>\n";
        }
    }
    if !section.shortcomings.is_empty() {
        *html += "<h3>Numbers that are missing, and why</h3>\n<ul class=\"list\">\n";
        for (id, reason) in &section.shortcomings {
            writeln!(html, "<li><b>{}.</b> {}</li>", escape(id), escape(reason))?;
        }
        *html += "</ul>\n";
    }
    for (figure, svg) in &section.figures {
        // An SVG inside a page has no prologue.
        let svg = svg
            .find("<svg")
            .and_then(|start| svg.get(start..))
            .unwrap_or(svg);
        write!(
            html,
            "<figure id=\"figure-{}\">\n{svg}\n<figcaption>{}</figcaption>\n</figure>\n",
            figure.name,
            escape(&figure.caption)
        )?;
    }
    Ok(())
}

fn write_table(html: &mut String, table: &Table) -> Result<()> {
    write!(
        html,
        "<div class=\"wide\"><table data-table=\"{}\">\n<thead><tr>",
        table.name
    )?;
    for (index, name) in table.columns.iter().enumerate() {
        let numbers = table.rows.iter().filter_map(|row| row.get(index));
        let class = if numbers.clone().count() > 0 && numbers.into_iter().all(Cell::is_number) {
            " class=\"n\""
        } else {
            ""
        };
        write!(html, "<th{class}>{}</th>", escape(name))?;
    }
    *html += "</tr></thead>\n<tbody>\n";
    for row in &table.rows {
        *html += "<tr>";
        for cell in row {
            write_cell(html, cell)?;
        }
        *html += "</tr>\n";
    }
    *html += "</tbody></table></div>\n";
    Ok(())
}

fn write_cell(html: &mut String, cell: &Cell) -> Result<()> {
    let text = escape(&cell.text());
    match cell {
        Cell::Text(words) => {
            let class = match words.chars().count() {
                41.. => " class=\"long\"",
                ..=12 => " class=\"short\"",
                _ => "",
            };
            write!(html, "<td{class}>{text}</td>")?;
        }
        Cell::Ours {
            id, field, value, ..
        } => {
            let value = value.map_or_else(|| "null".to_owned(), |value| format!("{value:?}"));
            write!(
                html,
                "<td class=\"n\" data-row=\"{}\" data-field=\"{field}\" data-value=\"{value}\">{text}</td>",
                escape(id)
            )?;
        }
        Cell::Paper(..) => write!(html, "<td class=\"n paper\">{text}</td>")?,
        Cell::Ratio(ratio) => {
            let class = match ratio {
                None => "",
                Some(ratio) if *ratio >= 1.0 => " better",
                Some(_) => " worse",
            };
            write!(html, "<td class=\"n{class}\">{text}</td>")?;
        }
        Cell::Verdict(holds) => {
            let class = if *holds { "better" } else { "worse" };
            write!(html, "<td class=\"{class}\">{text}</td>")?;
        }
    }
    Ok(())
}

fn discrepancies(html: &mut String) -> Result<()> {
    let text = include_str!("../../../data/discrepancies.json");
    let list: Discrepancies = serde_json::from_str(text).context("data/discrepancies.json")?;
    *html +=
        "<h2 id=\"discrepancies\">What is wrong in the paper, or could not be reproduced</h2>\n";
    for group in list.groups {
        writeln!(
            html,
            "<h3>{}</h3>\n<ul class=\"list\">",
            escape(&group.title)
        )?;
        for (subject, finding) in group.entries {
            writeln!(
                html,
                "<li><b>{}.</b> {}</li>",
                escape(&subject),
                escape(&finding)
            )?;
        }
        *html += "</ul>\n";
    }
    Ok(())
}

/// Text as HTML shows it.
fn escape(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests;
