//! Spectral sensitivity: the error against the bandwidth.

use anyhow::Result;
use fastlsq_newton::problems::NonlinearBenchmark;
use fastlsq_solve::problems::{self, Benchmark};

use super::regression::{self, FitFeatures};
use super::solving;
use crate::backend::on_backend;
use crate::commands::reproduce::figure::{Axis, Figure, Look, Series};
use crate::commands::reproduce::item::{Context, Item, Job, Plan};
use crate::commands::reproduce::paper::Paper;
use crate::commands::reproduce::results::{Row, Run, Sigma};
use crate::commands::reproduce::table::{Cell, Style, Table};
use crate::format;

/// The fifteen bandwidths of the paper's figures; its text names nine of them.
const SWEEP: [f64; 15] = [
    0.1, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 8.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0,
];
const QUICK_SWEEP: [f64; 7] = [0.5, 1.0, 2.0, 4.0, 8.0, 12.0, 15.0];
const FEATURES: [&str; 2] = ["sin", "tanh"];

pub(super) struct Spectral;

/// A problem whose error can be measured at a given bandwidth.
///
/// Linear problems are solved; of the others the exact solution is fitted.
trait Swept {
    fn name(&self) -> &'static str;
    fn run(&self, features: &str, sigma: f64, plan: &Plan, seed: u64) -> Result<Run>;
}

impl Swept for Benchmark {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&self, features: &str, sigma: f64, plan: &Plan, seed: u64) -> Result<Run> {
        let sized = solving::sized(self, plan);
        let count = count(plan);
        let options = on_backend(sized.protocol().features(count).seed(seed));
        let options = if features == "sin" {
            options.bandwidth(sigma)
        } else {
            options.basis(solving::tanh_basis(
                self.problem.domain().dim(),
                count,
                sigma,
                seed,
            )?)
        };
        let solution = sized.protocol_problem().solve_with(&options)?;
        let mut run = solving::measured(self, &solution, seed)?;
        run.sigma = Some(Sigma::Isotropic(sigma));
        Ok(run)
    }
}

impl Swept for NonlinearBenchmark {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&self, features: &str, sigma: f64, plan: &Plan, seed: u64) -> Result<Run> {
        let features = if features == "sin" {
            FitFeatures::Sine(sigma)
        } else {
            FitFeatures::Tanh(sigma)
        };
        regression::fit(self, features, count(plan), plan, seed)
    }
}

/// The twelve problems of the paper's figures: five solved, seven fitted.
fn swept() -> Vec<Box<dyn Swept>> {
    let linear = problems::paper().into_iter();
    let linear = linear.map(|problem| Box::new(problem) as Box<dyn Swept>);
    let fitted = fastlsq_newton::problems::solved().into_iter();
    linear
        .chain(fitted.map(|problem| Box::new(problem) as Box<dyn Swept>))
        .collect()
}

/// The number of features.
fn count(plan: &Plan) -> usize {
    plan.pick(500, 1500)
}

fn sweep(plan: &Plan) -> &'static [f64] {
    plan.pick(&QUICK_SWEEP, &SWEEP)
}

impl Item for Spectral {
    fn name(&self) -> &'static str {
        "spectral"
    }

    fn shows(&self) -> &'static str {
        "error against the bandwidth σ, sine and tanh features, values and gradients"
    }

    fn source(&self) -> &'static str {
        "Figures 7 to 12"
    }

    fn settings(&self, plan: &Plan) -> String {
        format!(
            "The protocol with {} features at σ = {:?}, {}. The paper's curve is read off the figures of its earlier \
             version: single precision, plain least squares.",
            count(plan),
            sweep(plan),
            format::count(plan.few_seeds(), "seed"),
        )
    }

    fn jobs(&self, plan: &Plan) -> Vec<Job> {
        let mut jobs = Vec::new();
        for problem in swept() {
            let problem = std::rc::Rc::new(problem);
            for features in FEATURES {
                for &sigma in sweep(plan) {
                    let id = format!("spectral/{}/{features}/σ={sigma}", problem.name());
                    let effort = plan.few_seeds() as f64 * plan.pick(0.2, 1.0);
                    let problem = problem.clone();
                    jobs.push(Job::new(id, effort, move |context| {
                        Ok(point(&**problem, features, sigma, context))
                    }));
                }
            }
        }
        jobs
    }

    fn tables(&self, rows: &[&Row], paper: &Paper) -> Vec<Table> {
        vec![best(rows, paper), curves(rows)]
    }

    fn figures(&self, rows: &[&Row], paper: &Paper) -> Vec<Figure> {
        cases(rows)
            .into_iter()
            .map(|case| {
                let mut series = Vec::new();
                for (colour, features) in FEATURES.into_iter().enumerate() {
                    for (quantity, field, look) in [
                        ("value", "value_error", Look::Line(colour)),
                        ("gradient", "gradient_error", Look::Thin(colour)),
                    ] {
                        series.push(Series {
                            label: format!("{features}, {quantity}"),
                            points: of(rows, case, features)
                                .filter_map(|row| Some((sigma_of(row)?, row.number(field)?)))
                                .collect(),
                            look,
                        });
                    }
                }
                series.push(Series {
                    label: "paper: sin, value".to_owned(),
                    points: paper.sensitivity(case),
                    look: Look::Reference,
                });
                Figure {
                    name: format!("spectral-{case}"),
                    title: format!("{case}: error against the bandwidth"),
                    caption: "Where the curve of the paper is flat, it shows the floor of single precision.".to_owned(),
                    x: Axis::log("bandwidth σ"),
                    y: Axis::log("relative error"),
                    series,
                }
            })
            .collect()
    }
}

fn point(problem: &dyn Swept, features: &str, sigma: f64, context: &Context<'_>) -> Row {
    let seeds = context.plan.few_seeds();
    let runs = context.seeds(seeds, |seed| {
        problem.run(features, sigma, &context.plan, seed)
    });
    let mut row = Row::of_runs("spectral", problem.name(), features, runs);
    row.median.sigma = Some(Sigma::Isotropic(sigma));
    if features == "sin" {
        let published = context.paper.sensitivity(problem.name());
        let published = published.iter().find(|point| point.0 == sigma);
        row = row.with_paper("value", published.map(|point| point.1.into()));
    }
    row
}

fn cases<'a>(rows: &[&'a Row]) -> Vec<&'a str> {
    let mut cases: Vec<&str> = Vec::new();
    for row in rows {
        if !cases.contains(&row.case.as_str()) {
            cases.push(&row.case);
        }
    }
    cases
}

fn of<'a>(rows: &[&'a Row], case: &str, features: &str) -> impl Iterator<Item = &'a Row> {
    rows.iter()
        .copied()
        .filter(move |row| row.case == case && row.variant == features)
}

fn sigma_of(row: &Row) -> Option<f64> {
    match row.median.sigma {
        Some(Sigma::Isotropic(sigma)) => Some(sigma),
        _ => None,
    }
}

/// The best bandwidth of each curve.
fn best(rows: &[&Row], paper: &Paper) -> Table {
    let mut table = Table::new(
        "spectral-best",
        "Best bandwidth of each sweep",
        vec![
            "problem", "features", "σ: paper", "ours", "value: paper", "ours", "paper / ours", "gradient",
        ],
    )
    .note(
        "By exact value error: it shows what a perfect choice of σ could give, not what a user gets. The paper's best is that of \
         its fifteen values.",
    );
    for case in cases(rows) {
        for features in FEATURES {
            let errors =
                of(rows, case, features).filter_map(|row| Some((row, row.median.value_error?)));
            let Some((row, error)) = errors.min_by(|a, b| a.1.total_cmp(&b.1)) else {
                continue;
            };
            let published = paper.best_bandwidth(case);
            let (sigma, value) = published.filter(|_| features == "sin").unzip();
            table.rows.push(vec![
                Cell::words(case),
                Cell::words(features),
                Cell::Paper(sigma, Style::Plain),
                Cell::ours(row, "sigma", Style::Plain),
                Cell::Paper(value, Style::Scientific),
                Cell::ours(row, "value_error", Style::Scientific),
                Cell::ratio(value, Some(error)),
                Cell::ours(row, "gradient_error", Style::Scientific),
            ]);
        }
    }
    table
}

/// Every point of every curve.
fn curves(rows: &[&Row]) -> Table {
    let mut table = Table::new(
        "spectral",
        "All points",
        vec![
            "problem",
            "features",
            "σ",
            "value: paper",
            "ours",
            "paper / ours",
            "gradient",
            "held-out residual",
            "rank",
        ],
    );
    for row in rows {
        let published = row.paper_number("value");
        table.rows.push(vec![
            Cell::words(&row.case),
            Cell::words(&row.variant),
            Cell::ours(row, "sigma", Style::Plain),
            Cell::Paper(published, Style::Scientific),
            Cell::ours(row, "value_error", Style::Scientific),
            Cell::ratio(published, row.median.value_error),
            Cell::ours(row, "gradient_error", Style::Scientific),
            Cell::ours(row, "held_out_residual", Style::Scientific),
            Cell::ours(row, "rank", Style::Count),
        ]);
    }
    table
}
