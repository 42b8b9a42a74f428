//! The linear problems in solver mode: values and gradients, four ways of solving.

use fastlsq_solve::problems::{self, Benchmark};

use super::solving::{self, Variant};
use super::standard_tables;
use crate::commands::reproduce::figure::{Axis, Figure, Look, Series};
use crate::commands::reproduce::item::{Context, Item, Job, Plan};
use crate::commands::reproduce::paper::Paper;
use crate::commands::reproduce::results::Row;
use crate::commands::reproduce::table::Table;
use crate::format;

pub(super) struct Linear;

impl Item for Linear {
    fn name(&self) -> &'static str {
        "linear"
    }

    fn shows(&self) -> &'static str {
        "linear PDEs in one least-squares solve: errors of values and gradients"
    }

    fn source(&self) -> &'static str {
        "Tables 1 and 4"
    }

    fn settings(&self, plan: &Plan) -> String {
        let rows = plan.pick("half the rows", "the rows");
        let trials = plan.pick("one trial", "three trials");
        let tanh = plan.pick(" of every other value", "");
        let auto = if plan.quick {
            format!(
                ", except the tolerance {:e} for {}",
                solving::QUICK_TOLERANCE,
                solving::LONG.join(", ")
            )
        } else {
            String::new()
        };
        format!(
            "protocol: {} features, {rows} of the paper's scripts and their weights, σ the best of the paper's \
             nine values by held-out residual ({trials} each); auto: nothing given but the seed{auto}; tanh: the \
             protocol with tanh features, weights and biases normal with standard deviation σ, one trial each{tanh}; kansa: the \
             protocol with as many multiquadrics, the shape parameter by held-out residual from {:?}; {} for the last two.",
            solving::features(plan),
            solving::SHAPES,
            format::count(plan.few_seeds(), "seed"),
        )
    }

    fn jobs(&self, plan: &Plan) -> Vec<Job> {
        let mut jobs = Vec::new();
        for (index, benchmark) in problems::all().into_iter().enumerate() {
            for variant in Variant::ALL {
                // Problems beyond the paper have no protocol there, so that only `auto` is of interest.
                if variant != Variant::Auto && index >= problems::paper().len() {
                    continue;
                }
                let (id, effort) = (id(&benchmark, variant), effort(&benchmark, variant, plan));
                let benchmark = benchmark.clone();
                jobs.push(Job::new(id, effort, move |context| {
                    Ok(solve(&benchmark, variant, context))
                }));
            }
        }
        jobs
    }

    fn tables(&self, rows: &[&Row], _paper: &Paper) -> Vec<Table> {
        vec![
            standard_tables::accuracy("linear", "Linear problems: accuracy", rows),
            standard_tables::details("linear-details", "Linear problems: how", rows),
        ]
    }

    fn figures(&self, rows: &[&Row], _paper: &Paper) -> Vec<Figure> {
        let mut cases: Vec<String> = Vec::new();
        for row in rows {
            if row.paper_number("value").is_some() && !cases.contains(&row.case) {
                cases.push(row.case.clone());
            }
        }
        [("value", "value_error"), ("gradient", "gradient_error")]
            .map(|(quantity, field)| {
                let points = |variants: &[&str], number: &dyn Fn(&Row) -> Option<f64>| {
                    let of_case = |(index, case): (usize, &String)| {
                        let row = rows.iter().find(|row| {
                            &row.case == case && variants.contains(&row.variant.as_str())
                        })?;
                        Some((index as f64, number(row)?))
                    };
                    cases.iter().enumerate().filter_map(of_case).collect()
                };
                // The rows of ours that stand beside the paper's own method.
                let ours = [Variant::Protocol.name(), Variant::Auto.name()];
                let mut series = vec![Series {
                    label: "paper".to_owned(),
                    points: points(&ours, &|row| row.paper_number(quantity)),
                    look: Look::ReferenceMarks,
                }];
                for (colour, variant) in Variant::ALL.into_iter().enumerate() {
                    series.push(Series {
                        label: variant.name().to_owned(),
                        points: points(&[variant.name()], &|row| row.number(field)),
                        look: Look::Dots(colour),
                    });
                }
                Figure {
                    name: format!("linear-{quantity}"),
                    title: format!("Linear PDEs: relative {quantity} error, lower is better"),
                    caption: "The paper's published error and this library's: with the paper's settings, with none \
                              at all, with tanh features, and with multiquadrics."
                        .to_owned(),
                    x: Axis::names(cases.clone()),
                    y: Axis::log(format!("relative {quantity} error")),
                    series,
                }
            })
            .into()
    }
}

fn id(benchmark: &Benchmark, variant: Variant) -> String {
    format!("linear/{}/{}", benchmark.name, variant.name())
}

/// Solves for every seed. Other experiments that need the same row take it from here.
pub(super) fn solve(benchmark: &Benchmark, variant: Variant, context: &Context<'_>) -> Row {
    if let Some(row) = context.results.find(&id(benchmark, variant)) {
        return row.clone();
    }
    let seeds = variant.seeds(&context.plan);
    let runs = context.seeds(seeds, |seed| variant.run(benchmark, &context.plan, seed));
    let row = Row::of_runs("linear", benchmark.name, variant.name(), runs);
    match variant.paper_columns() {
        None => row,
        Some([value, gradient, time]) => {
            let entry = |column| context.paper.entry("linear", benchmark.name, column);
            row.with_paper("value", entry(value))
                .with_paper("gradient", entry(gradient))
                .with_paper("time", entry(time))
        }
    }
}

/// About how long a row takes on two cores.
pub(super) fn effort(benchmark: &Benchmark, variant: Variant, plan: &Plan) -> f64 {
    let dim = benchmark.problem.domain().dim() as f64;
    let one = match variant {
        Variant::Auto => plan.pick(0.3, 1.0) * dim,
        Variant::Protocol => plan.pick(1.5, 30.0),
        Variant::Tanh => plan.pick(3.0, 20.0),
        Variant::Kansa => plan.pick(1.0, 8.0) * dim,
    };
    variant.seeds(plan) as f64 * one
}
