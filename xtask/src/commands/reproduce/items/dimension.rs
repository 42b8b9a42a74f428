//! Many dimensions: what the data tell about the solution is found before any solve.

use anyhow::Result;
use fastlsq_newton::NewtonOptions;
use fastlsq_newton::problems::nonlinear_8d;
use fastlsq_solve::Options;
use fastlsq_solve::problems::{Benchmark, high};

use super::nonlinear;
use super::solving::measured;
use super::standard_tables;
use crate::backend::on_backend;
use crate::commands::reproduce::figure::Figure;
use crate::commands::reproduce::item::{Item, Job, Plan};
use crate::commands::reproduce::paper::Paper;
use crate::commands::reproduce::results::{Row, Run};
use crate::commands::reproduce::table::Table;

pub(super) struct Dimension;

const ITEM: &str = "dimension";

/// The tolerance asked of each problem: a third of the error that its bar allows.
const TOLERANCES: [(&str, f64); 10] = [
    ("ridge-10d", 3e-12),
    ("pairs-10d", 3e-13),
    ("product-6d", 3e-10),
    ("two-ridges-8d", 3e-11),
    ("additive-20d", 3e-10),
    ("additive-100d", 3e-10),
    ("heat-10d", 3e-9),
    ("heat-5d", 3e-9),
    ("nonlinear-8d", 3e-10),
    ("dense-5d", 3e-13),
];

fn tolerance(name: &str) -> f64 {
    let known = TOLERANCES.iter().find(|(own, _)| *own == name);
    known.map_or(1e-8, |(_, tolerance)| *tolerance)
}

impl Item for Dimension {
    fn name(&self) -> &'static str {
        ITEM
    }

    fn shows(&self) -> &'static str {
        "many dimensions: sets of coordinates and directions found in the data"
    }

    fn source(&self) -> &'static str {
        "beyond the paper"
    }

    fn settings(&self, _plan: &Plan) -> String {
        "Nothing given but the seed and the tolerance, a third of the error that the bar allows."
            .to_owned()
    }

    fn jobs(&self, plan: &Plan) -> Vec<Job> {
        let effort = plan.seeds as f64;
        let mut jobs: Vec<Job> = high::all()
            .into_iter()
            .map(|benchmark| {
                let id = format!("{ITEM}/{}/auto", benchmark.name);
                Job::new(id, effort, move |context| {
                    let runs = context.each_seed(|seed| solve(&benchmark, seed));
                    Ok(Row::of_runs(ITEM, benchmark.name, "auto", runs))
                })
            })
            .collect();
        let benchmark = nonlinear_8d();
        let id = format!("{ITEM}/{}/auto", benchmark.name);
        jobs.push(Job::new(id, effort, move |context| {
            let runs = context.each_seed(|seed| {
                let solve = Options::new().tolerance(tolerance(benchmark.name));
                let options = NewtonOptions::new().solve_options(on_backend(solve));
                nonlinear::solve(&benchmark, &options.seed(seed), seed)
            });
            Ok(Row::of_runs(ITEM, benchmark.name, "auto", runs))
        }));
        jobs
    }

    fn tables(&self, rows: &[&Row], _paper: &Paper) -> Vec<Table> {
        vec![
            standard_tables::accuracy(ITEM, "Many dimensions: accuracy", rows),
            standard_tables::details("dimension-details", "Many dimensions: how", rows),
        ]
    }

    fn figures(&self, _rows: &[&Row], _paper: &Paper) -> Vec<Figure> {
        Vec::new()
    }
}

fn solve(benchmark: &Benchmark, seed: u64) -> Result<Run> {
    let options = Options::new()
        .seed(seed)
        .tolerance(tolerance(benchmark.name));
    let solution = benchmark.problem.solve_with(&on_backend(options))?;
    measured(benchmark, &solution, seed)
}
