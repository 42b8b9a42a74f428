//! `cargo xtask reproduce`: the paper's experiments, beside the paper's numbers.

pub(crate) mod bars;
pub(crate) mod figure;
pub(crate) mod item;
pub(crate) mod items;
pub(crate) mod output;
pub(crate) mod paper;
mod progress;
mod report;
pub(crate) mod results;
pub(crate) mod table;

use std::path::PathBuf;

use anyhow::{Result, bail};

use super::selection;
use crate::{backend, format, machine::Machine, workspace::Workspace};
use bars::Verdict;
use item::{Context, Item, Job, Plan};
use output::Output;
use paper::Paper;
use progress::Progress;
use results::{Meta, Results};

/// Run the paper's experiments and write tables, figures and a report beside its numbers
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The experiments to run (see `cargo xtask list`), whole or in part, as `linear/wave-1d/auto`; rows of others that
    /// are already there stay [default: all, from the beginning]
    #[arg(value_name = "ITEM")]
    items: Vec<String>,

    /// Fewer seeds and features: minutes instead of hours
    #[arg(long)]
    quick: bool,

    /// Independent repetitions behind each median [default: 5, quick: 1]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    seeds: Option<u64>,

    /// Where results, tables, figures and the report go [default: target/reproduction, with --quick
    /// target/reproduction-quick]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Where the linear, nonlinear and fitted problems are solved; the other items use the processor
    #[arg(long, value_enum, default_value = "cpu")]
    backend: backend::Choice,

    /// The directory of published data for the discovery of laws (`ks_u.npy` and so on); without it, rows that need them
    /// are skipped
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,

    /// Keep all rows that are there from an earlier run with the same options (each names the commit it was made with)
    #[arg(long)]
    resume: bool,
}

impl Args {
    /// Runs the chosen experiments; fails if a row misses its bar.
    pub(crate) fn run(self) -> Result<()> {
        let items = chosen(&self.items)?;
        let seeds = self.seeds.and_then(|seeds| usize::try_from(seeds).ok());
        let plan = Plan {
            data: self.data,
            ..Plan::new(self.quick, seeds)
        };
        for item in &items {
            item.check(&plan)?;
        }
        let jobs = jobs(&items, &plan, &self.items)?;
        backend::choose(self.backend)?;
        let workspace = Workspace::load()?;
        let out = self
            .out
            .unwrap_or_else(|| workspace.target.join(plan.directory()));
        let output = Output::create(&out)?;
        let meta = Meta {
            mode: plan.mode().to_owned(),
            seeds: plan.seeds,
            backend: self.backend,
            machine: Machine::here(&workspace.root),
        };
        let earlier = output.load()?;
        let mut results = if self.items.is_empty() && !self.resume {
            if let Some(earlier) = earlier {
                let rows = format::count(earlier.rows.len(), "row");
                eprintln!("replacing {rows} of an earlier run in {}", out.display());
            }
            Results::new(meta)
        } else {
            resume(earlier, meta, &output)?
        };
        if !self.resume {
            let asked = |id: &str| jobs.iter().flatten().any(|job| job.id == id);
            results.rows.retain(|row| !asked(&row.id));
        }
        let paper = Paper::load()?;
        let verdicts = measure(&items, &jobs, &plan, &paper, &mut results, &output)?;
        println!("\n{}", output.summary());
        conclude(&verdicts)
    }
}

/// Whether a row with this identity is asked for by this name: itself, or what it is part of.
fn is_part(id: &str, name: &str) -> bool {
    let rest = id.strip_prefix(name);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The jobs of each item that are asked for.
fn jobs(items: &[Box<dyn Item>], plan: &Plan, names: &[String]) -> Result<Vec<Vec<Job>>> {
    let mut all: Vec<Vec<Job>> = items.iter().map(|item| item.jobs(plan)).collect();
    for name in names {
        if !all.iter().flatten().any(|job| is_part(&job.id, name)) {
            let item = name.split('/').next().unwrap_or_default();
            let own = all.iter().flatten().filter(|job| is_part(&job.id, item));
            let known: Vec<_> = own.map(|job| job.id.as_str()).collect();
            bail!("no rows `{name}`; there are: {}", known.join(", "));
        }
    }
    if !names.is_empty() {
        for jobs in &mut all {
            jobs.retain(|job| names.iter().any(|name| is_part(&job.id, name)));
        }
    }
    Ok(all)
}

/// The items that these names belong to, in the order of the paper; all if there are none.
fn chosen(names: &[String]) -> Result<Vec<Box<dyn Item>>> {
    let first = |name: &String| name.split('/').next().unwrap_or_default().to_owned();
    let names: Vec<String> = names.iter().map(first).collect();
    selection::chosen(items::registry(), |item| item.name(), "item", &names)
}

/// Nothing, or the rows of an earlier run; fails if that was made in another way.
fn resume(earlier: Option<Results>, meta: Meta, output: &Output) -> Result<Results> {
    let mut results = Results::new(meta);
    let Some(earlier) = earlier else {
        return Ok(results);
    };
    let (then, now) = (&earlier.meta, &results.meta);
    let how = |meta: &Meta| {
        (
            meta.mode.clone(),
            meta.seeds,
            meta.backend,
            meta.machine.threads,
        )
    };
    if how(then) != how(now) {
        bail!(
            "{} holds a {} run with {} on the {} ({}); go on with the same options, or choose another --out",
            output.directory().display(),
            then.mode,
            format::count(then.seeds, "seed"),
            then.backend.name(),
            format::count(then.machine.threads, "thread"),
        );
    }
    let commit = then.machine.commit();
    // Rows that failed are tried again.
    let complete = earlier.rows.into_iter().filter(|row| row.failures == 0);
    results.rows = complete
        .map(|mut row| {
            if row.commit.is_empty() {
                row.commit.clone_from(&commit);
            }
            row
        })
        .collect();
    Ok(results)
}

/// Runs all jobs that have no row yet, keeping the files up to date.
fn measure(
    items: &[Box<dyn Item>],
    jobs: &[Vec<Job>],
    plan: &Plan,
    paper: &Paper,
    results: &mut Results,
    output: &Output,
) -> Result<Vec<Verdict>> {
    let bars = bars::load()?;
    let missing = |results: &Results, id: &str| results.find(id).is_none();
    let efforts = jobs.iter().flatten();
    let efforts = efforts
        .filter(|job| missing(results, &job.id))
        .map(|job| job.effort);
    let progress = Progress::new(efforts.sum());
    let everything: Vec<Job> = items::registry()
        .iter()
        .flat_map(|item| item.jobs(plan))
        .collect();
    let order: Vec<&str> = everything.iter().map(|job| job.id.as_str()).collect();
    for (item, jobs) in items.iter().zip(jobs) {
        for job in jobs {
            if !missing(results, &job.id) {
                continue;
            }
            progress.begin(&job.id);
            let mut row = job.run(&Context {
                plan: plan.clone(),
                paper,
                results,
                progress: &|message| progress.detail(message),
            });
            row.commit = results.meta.machine.commit();
            let verdicts = bars::judge(&bars, plan, [&row]);
            progress.finish(job, &row, &verdicts);
            results.rows.push(row);
            results.sort(&order);
            output.save(results)?;
        }
        // After each item, so that an interrupted run leaves a readable report as well.
        let verdicts = bars::judge(&bars, plan, &results.rows);
        output.write(results, plan, paper, &verdicts)?;
        let rows: Vec<_> = results
            .rows
            .iter()
            .filter(|row| row.item == item.name())
            .collect();
        for table in item
            .tables(&rows, paper)
            .iter()
            .filter(|table| table.rows.len() <= 40)
        {
            progress.say(&format!("\n{}\n{}", table.title, table.text()));
        }
    }
    progress.end();
    let asked = results
        .rows
        .iter()
        .filter(|row| jobs.iter().flatten().any(|job| job.id == row.id));
    Ok(bars::judge(&bars, plan, asked))
}

/// Fails, naming every bar that was missed.
fn conclude(verdicts: &[Verdict]) -> Result<()> {
    let missed: Vec<String> = verdicts
        .iter()
        .filter(|verdict| !verdict.holds)
        .map(|v| {
            let value = v
                .value
                .map_or_else(|| "no number".to_owned(), format::scientific);
            format!(
                "{}: {} is {value}, must be {} ({})",
                v.id, v.figure, v.limit, v.reason
            )
        })
        .collect();
    if missed.is_empty() {
        match verdicts.len() {
            0 => println!("no bars for these rows"),
            all => println!("{} held", format::count(all, "bar")),
        }
        return Ok(());
    }
    bail!(
        "{} of {} missed:\n  {}",
        missed.len(),
        format::count(verdicts.len(), "bar"),
        missed.join("\n  ")
    )
}

#[cfg(test)]
mod tests {
    use super::{Plan, chosen, jobs};

    fn ids(names: &[&str]) -> Result<Vec<String>, String> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let items = chosen(&names).map_err(|error| error.to_string())?;
        let jobs = jobs(&items, &Plan::new(true, None), &names);
        let jobs = jobs.map_err(|error| error.to_string())?;
        Ok(jobs.into_iter().flatten().map(|job| job.id).collect())
    }

    #[test]
    fn items_are_run_whole_or_in_part() {
        let linear = ids(&["linear"]).unwrap();
        assert!(linear.len() > 20 && linear.iter().all(|id| id.starts_with("linear/")));
        let wave = ids(&["linear/wave-1d"]).unwrap();
        assert!(wave.contains(&"linear/wave-1d/auto".to_owned()) && wave.len() < 6);
        let one = ids(&["linear/wave-1d/auto", "newton/bratu-2d/auto"]).unwrap();
        assert_eq!(one, ["linear/wave-1d/auto", "newton/bratu-2d/auto"]);
        assert!(ids(&[]).unwrap().len() > linear.len());
        assert!(ids(&["liner"]).unwrap_err().contains("linear"));
        // A name is not a part of a longer one.
        let error = ids(&["linear/wave"]).unwrap_err();
        assert!(error.contains("linear/wave-1d/auto"), "{error}");
    }
}
