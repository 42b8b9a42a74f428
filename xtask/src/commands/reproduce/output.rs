//! The files of a run.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use super::bars::Verdict;
use super::item::Plan;
use super::items;
use super::paper::Paper;
use super::report::{self, Section};
use super::results::{Results, Row, write_atomically};

/// The directory that a run writes to.
#[derive(Debug)]
pub(crate) struct Output {
    directory: PathBuf,
}

impl Output {
    /// The directory, made if necessary.
    pub(crate) fn create(directory: &Path) -> Result<Self> {
        fs::create_dir_all(directory)
            .with_context(|| format!("cannot make the directory {}", directory.display()))?;
        Ok(Self {
            directory: directory.to_owned(),
        })
    }

    /// Where the files are.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// The rows of an earlier run.
    pub(crate) fn load(&self) -> Result<Option<Results>> {
        Results::load(&self.path("results.json"))
    }

    /// Writes the rows.
    pub(crate) fn save(&self, results: &Results) -> Result<()> {
        results.save(&self.path("results.json"))
    }

    /// Writes tables, figures and the report of all items that have rows.
    pub(crate) fn write(
        &self,
        results: &Results,
        plan: &Plan,
        paper: &Paper,
        verdicts: &[Verdict],
    ) -> Result<()> {
        let mut sections = Vec::new();
        for item in items::registry() {
            let rows: Vec<&Row> = results
                .rows
                .iter()
                .filter(|r| r.item == item.name())
                .collect();
            if rows.is_empty() {
                continue;
            }
            let tables = item.tables(&rows, paper);
            for table in &tables {
                let path = self.path(&format!("{}.csv", table.name));
                write_atomically(&path, table.csv().as_bytes())?;
            }
            let mut figures = Vec::new();
            for figure in item.figures(&rows, paper) {
                let svg = figure.svg()?;
                write_atomically(&self.path(&format!("{}.svg", figure.name)), svg.as_bytes())?;
                figure.png(&self.path(&format!("{}.png", figure.name)))?;
                figures.push((figure, svg));
            }
            sections.push(Section {
                name: item.name(),
                shows: item.shows(),
                source: item.source(),
                settings: item.settings(plan),
                tables,
                figures,
                shortcomings: report::shortcomings(&rows),
            });
        }
        let page = report::page(results, &sections, verdicts)?;
        write_atomically(&self.path("report.html"), page.as_bytes())
    }

    /// The files to look at.
    pub(crate) fn summary(&self) -> String {
        let path = |name: &str| self.path(name).display().to_string();
        format!(
            "report   {}\nresults  {}\ntables   {}\nfigures  {}",
            path("report.html"),
            path("results.json"),
            path("*.csv"),
            path("*.svg, *.png"),
        )
    }
}
