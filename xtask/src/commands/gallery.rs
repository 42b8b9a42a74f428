//! `cargo xtask gallery`: every example with its picture, as a site of plain files.
//!
//! The site needs no network and no program: `target/gallery/index.html` shows the pictures by topic, and each example has a
//! page with its pictures, its text and what it printed. Which example belongs to which topic is in `xtask/data/gallery.json`.

mod abort;
mod browser;
mod examples;
mod links;
mod page;

use std::fs;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::{format, workspace::Workspace};
pub(crate) use examples::Shown;

/// Run every example and write a site with their pictures, under target/gallery
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The examples to run and show [default: all]
    #[arg(value_name = "EXAMPLE")]
    examples: Vec<String>,

    /// Go on with the other examples where one fails
    #[arg(long)]
    keep_going: bool,
}

/// Examples that belong together.
#[derive(Debug, Deserialize)]
pub(crate) struct Topic {
    /// The heading.
    pub(crate) topic: String,
    /// The names of the examples, in the order of the page.
    pub(crate) examples: Vec<String>,
}

impl Args {
    /// Makes the site and says where it is.
    pub(crate) fn run(self) -> Result<()> {
        let workspace = Workspace::load()?;
        println!("{}", make(&workspace, &self.examples, self.keep_going)?);
        println!(
            "open {}",
            workspace.target.join("gallery/index.html").display()
        );
        Ok(())
    }
}

/// Runs the examples, all or the chosen ones, writes the pages, and follows their links; returns what was done. Examples that
/// failed and were passed over have no page; the error names them.
pub(crate) fn make(workspace: &Workspace, chosen: &[String], keep_going: bool) -> Result<String> {
    let topics = topics(workspace)?;
    let site = workspace.target.join("gallery");
    if site.exists() {
        fs::remove_dir_all(&site).with_context(|| format!("cannot clear {}", site.display()))?;
    }
    let examples::Ran {
        shown,
        failures,
        build_only,
    } = examples::run(workspace, chosen, &site, keep_going)?;
    fs::write(
        site.join("gallery.css"),
        include_str!("../../assets/gallery.css"),
    )?;
    fs::write(site.join("index.html"), page::index(&topics, &shown))?;
    for (example, neighbours) in page::with_neighbours(&topics, &shown) {
        let path = site.join(&example.name).join("index.html");
        fs::write(path, page::example(example, neighbours))?;
    }
    let links = links::follow(&site)?;
    let seen = browser::look(&site, &shown)?;
    if !failures.is_empty() {
        bail!("{}", failures.join("\n      "));
    }
    let pictures: usize = shown.iter().map(|example| example.pictures.len()).sum();
    let mut remark = format!(
        "{} run, {} drawn, {links} links; {seen}",
        shown.len(),
        format::count(pictures, "picture")
    );
    if build_only > 0 {
        remark += &format!("; {build_only} built only");
    }
    Ok(remark)
}

/// The topics; each example that is run belongs to exactly one.
fn topics(workspace: &Workspace) -> Result<Vec<Topic>> {
    let text = include_str!("../../data/gallery.json");
    let topics: Vec<Topic> =
        serde_json::from_str(text).context("cannot read xtask/data/gallery.json")?;
    let (to_run, _) = examples::split(workspace)?;
    let listed: Vec<&String> = topics.iter().flat_map(|topic| &topic.examples).collect();
    for (_, example) in &to_run {
        let times = listed.iter().filter(|name| ***name == example.name).count();
        if times != 1 {
            bail!(
                "the example `{}` is {times} times in xtask/data/gallery.json",
                example.name
            );
        }
    }
    let known = |name: &String| to_run.iter().any(|(_, example)| example.name == *name);
    match listed.into_iter().find(|name| !known(name)) {
        Some(stale) => {
            bail!("xtask/data/gallery.json names `{stale}`, which is not an example that is run")
        }
        None => Ok(topics),
    }
}

#[cfg(test)]
mod tests {
    use crate::workspace::Workspace;

    #[test]
    fn every_example_has_its_topic() {
        super::topics(&Workspace::load().unwrap()).unwrap();
    }
}
