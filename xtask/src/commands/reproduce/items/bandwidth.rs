//! Learned bandwidths: the law of the random frequencies by the envelope gradient.

use anyhow::Result;
use fastlsq_inverse::applications::{
    TravellingProfile, anisotropic_error, anisotropic_poisson, helmholtz_learner,
};
use fastlsq_inverse::optimise::{AdamOptions, AdamWOptions, Method, MinimiseOptions};
use fastlsq_inverse::{BandwidthLearner, FrequencyLaw, LearnedBandwidth, Shape};
use fastlsq_solve::{Options, problems};

use super::shared::{curve, named};
use super::solving::TEST_POINTS;
use crate::commands::reproduce::figure::{Axis, Figure, Look};
use crate::commands::reproduce::item::{Context, Item, Job, Plan};
use crate::commands::reproduce::paper::Paper;
use crate::commands::reproduce::results::{Row, Run, Sigma};
use crate::commands::reproduce::table::{Cell, Style, Table};

const HELMHOLTZ: &str = "helmholtz-2d";
/// AdamW on the loss itself, as published.
const PUBLISHED: &str = "adamw-paper";
const SOLITON: &str = "kdv-soliton";
const ANISOTROPIC: &str = "anisotropic-poisson";

pub(super) struct Bandwidth;

impl Item for Bandwidth {
    fn name(&self) -> &'static str {
        "bandwidth"
    }

    fn shows(&self) -> &'static str {
        "the bandwidth, or the covariance of the frequencies, learned by gradient descent"
    }

    fn source(&self) -> &'static str {
        "Algorithm 2 and its figure"
    }

    fn settings(&self, plan: &Plan) -> String {
        let sizes = Sizes::of(plan);
        format!(
            "helmholtz-2d: k = 10, 500 features, σ from 5, 3000 + 600 rows, ridge 1e-10; adamw: {} steps with rate 0.1 (the \
             paper: 80) on the logarithm of the loss; adamw-paper: as many on the loss itself, as in the paper; lbfgsb: at most {} iterations. The loss is the mean of the squared weighted residuals with the \
             ridge term; scales of rows and features differ from the paper's, so that the drop of the loss compares and \
             its values do so only roughly. The best σ of a grid is the one with the least residual at held-out points. \
             kdv-soliton: a full covariance for a fit of {} samples with {} features, at most {} iterations under each of five ridges, from large to small; its paper \
             column is the fit with isotropic features and σ chosen. anisotropic-poisson: sin 12πx sin πy, a full \
             covariance with {} features, at most {} iterations under each ridge, against the best isotropic σ by the exact error. One run \
             each with a fixed draw: the frequencies are learned, not drawn again.",
            sizes.adam_steps,
            sizes.lbfgsb_steps,
            sizes.samples,
            sizes.soliton_features,
            sizes.soliton_steps,
            sizes.anisotropic_features,
            sizes.anisotropic_steps,
        )
    }

    fn jobs(&self, plan: &Plan) -> Vec<Job> {
        let job = |case: &str, variant: &str, effort, work: fn(&Context<'_>) -> Result<Row>| {
            Job::new(format!("bandwidth/{case}/{variant}"), effort, work)
        };
        vec![
            job(HELMHOLTZ, "adamw", plan.pick(6.0, 30.0), |context| {
                helmholtz("adamw", context)
            }),
            job(HELMHOLTZ, PUBLISHED, plan.pick(6.0, 25.0), |context| {
                helmholtz(PUBLISHED, context)
            }),
            job(HELMHOLTZ, "lbfgsb", plan.pick(3.0, 8.0), |context| {
                helmholtz("lbfgsb", context)
            }),
            job(SOLITON, "covariance", plan.pick(3.0, 20.0), soliton),
            job(ANISOTROPIC, "covariance", plan.pick(3.0, 20.0), anisotropic),
        ]
    }

    fn tables(&self, rows: &[&Row], paper: &Paper) -> Vec<Table> {
        vec![losses(rows, paper), outcomes(rows)]
    }

    fn figures(&self, rows: &[&Row], paper: &Paper) -> Vec<Figure> {
        let mut figures = vec![loss_by_step(rows)];
        let learned: Vec<&Row> = rows
            .iter()
            .copied()
            .filter(|row| row.case == HELMHOLTZ)
            .collect();
        if !learned.is_empty() {
            figures.push(sigma_by_step(&learned, paper));
        }
        figures
    }
}

/// How much is done.
struct Sizes {
    adam_steps: u64,
    lbfgsb_steps: u64,
    grid: &'static [f64],
    samples: usize,
    soliton_features: usize,
    soliton_steps: u64,
    anisotropic_features: usize,
    anisotropic_steps: u64,
    anisotropic_grid: &'static [f64],
}

impl Sizes {
    fn of(plan: &Plan) -> Self {
        let full = Self {
            adam_steps: 80,
            lbfgsb_steps: 8,
            grid: &[5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0],
            samples: 4000,
            soliton_features: 300,
            soliton_steps: 20,
            anisotropic_features: 400,
            anisotropic_steps: 15,
            anisotropic_grid: &[8.0, 12.0, 15.0, 18.0, 22.0, 26.0],
        };
        let quick = Self {
            adam_steps: 24,
            lbfgsb_steps: 4,
            grid: &[6.0, 8.0, 10.0, 12.0],
            samples: 2500,
            soliton_features: 200,
            soliton_steps: 20,
            anisotropic_features: 400,
            anisotropic_steps: 15,
            anisotropic_grid: &[12.0, 15.0, 18.0, 22.0],
        };
        plan.pick(quick, full)
    }
}

fn helmholtz(variant: &str, context: &Context<'_>) -> Result<Row> {
    let sizes = Sizes::of(&context.plan);
    let mut learner = helmholtz_learner(Shape::Isotropic)?;
    if variant == PUBLISHED {
        learner = learner.plain();
    }
    let options = if variant == "lbfgsb" {
        MinimiseOptions::new().max_iterations(sizes.lbfgsb_steps)
    } else {
        let settings = AdamWOptions {
            adam: AdamOptions::with_rate(0.1),
            weight_decay: 0.0,
        };
        MinimiseOptions::new()
            .method(Method::AdamW(settings))
            .max_iterations(sizes.adam_steps)
    };
    let learned = learner.learn(&options)?;
    let mut best = (f64::NAN, f64::INFINITY);
    if variant == "adamw" {
        (context.progress)("grid of bandwidths");
        for sigma in sizes.grid {
            let (_, held_out) = learner.solve_with(&FrequencyLaw::Isotropic(*sigma))?;
            if held_out < best.1 {
                best = (*sigma, held_out);
            }
        }
    }
    let exact = problems::helmholtz_2d(10.0);
    let errors = exact.errors(&learned.solution, TEST_POINTS)?;
    let mut run = run_of(&learned, errors.value);
    run.gradient_error = Some(errors.gradient);
    let start = learned.losses.first().copied().unwrap_or(f64::NAN);
    run.more.extend(named([
        ("loss_drop", start / learned.loss),
        ("sigma_grid_optimum", best.0),
        ("grid_held_out_residual", best.1),
    ]));
    let figure = |name| context.paper.figure("learnable-bandwidth", name);
    let start = figure("loss_start").and_then(|value| value.as_f64());
    let end = figure("loss_end").and_then(|value| value.as_f64());
    let drop = start.zip(end).map(|(start, end)| (start / end).into());
    let row = Row::of_runs("bandwidth", HELMHOLTZ, variant, vec![run])
        .with_paper("loss_drop", drop)
        .with_paper("loss_start", figure("loss_start"))
        .with_paper("loss_end", figure("loss_end"));
    Ok(if variant == "adamw" {
        row.with_paper("sigma_grid_optimum", figure("sigma_grid_optimum"))
    } else {
        row
    })
}

fn soliton(context: &Context<'_>) -> Result<Row> {
    let sizes = Sizes::of(&context.plan);
    let soliton = TravellingProfile::kdv(sizes.samples);
    let options = Options::new().features(sizes.soliton_features);
    let learned = soliton
        .learner(4.0, &options)?
        .learn_gradually(&MinimiseOptions::new().max_iterations(sizes.soliton_steps))?;
    let speed = soliton.physical_speed(learned.speed(0, 1));
    let mut run = run_of(&learned, soliton.error(&learned.solution)?);
    run.more.extend(named([
        ("speed", speed),
        ("speed_error", (speed / soliton.speed - 1.0).abs()),
    ]));
    let paper = context.paper.entry("regression", SOLITON, "fastlsq_value");
    Ok(
        Row::of_runs("bandwidth", SOLITON, "covariance", vec![run])
            .with_paper("value_error", paper),
    )
}

fn anisotropic(context: &Context<'_>) -> Result<Row> {
    let sizes = Sizes::of(&context.plan);
    let features = sizes.anisotropic_features;
    let options = Options::new()
        .features(features)
        .rows(3 * features, features);
    let learner = BandwidthLearner::new(&anisotropic_poisson(), Shape::Full, 20.0, &options)?;
    let descent = MinimiseOptions::new().max_iterations(sizes.anisotropic_steps);
    let learned = learner.learn_gradually(&descent)?;
    let error = anisotropic_error(&learned.solution)?;
    let mut isotropic = (f64::NAN, f64::INFINITY);
    for sigma in sizes.anisotropic_grid {
        let (solution, _) = learner.solve_with(&FrequencyLaw::Isotropic(*sigma))?;
        let error = anisotropic_error(&solution)?;
        if error < isotropic.1 {
            isotropic = (*sigma, error);
        }
    }
    let mut run = run_of(&learned, error);
    run.more.extend(named([
        ("sigma_isotropic", isotropic.0),
        ("isotropic_error", isotropic.1),
        ("gain", isotropic.1 / error),
    ]));
    Ok(Row::of_runs(
        "bandwidth",
        ANISOTROPIC,
        "covariance",
        vec![run],
    ))
}

/// What every learned law has.
fn run_of(learned: &LearnedBandwidth, error: f64) -> Run {
    let start = learned.losses.first().copied().unwrap_or(f64::NAN);
    // Of all steps the one with the least loss is kept, which need not be the last.
    let end = learned.loss;
    let sigmas = learned.sigmas();
    let sigma_last = sigmas.last().copied().unwrap_or(f64::NAN);
    let last = learned.losses.last().copied().unwrap_or(f64::NAN);
    let sigma_start = sigmas.first().copied().unwrap_or(f64::NAN);
    let features = learned.solution.coefficients().len();
    Run {
        value_error: Some(error),
        held_out_residual: Some(learned.held_out),
        seconds: Some(learned.seconds),
        features: Some(features),
        sigma: Some(Sigma::Isotropic(learned.sigma())),
        iterations: Some(learned.iterations as usize),
        status: learned.minimum.status.to_string(),
        more: named([
            ("loss_start", start),
            ("loss_end", end),
            ("sigma_start", sigma_start),
            ("sigma_end", learned.sigma()),
            ("loss_last", last),
            ("sigma_last", sigma_last),
            ("evaluations", learned.evaluations as f64),
            ("ridge", learned.ridge),
        ]),
        series: [("loss", learned.losses.clone()), ("sigma", sigmas)]
            .map(|(name, values)| (name.to_owned(), values))
            .into(),
        ..Run::default()
    }
}

fn losses(rows: &[&Row], paper: &Paper) -> Table {
    let mut table = Table::new(
        "bandwidth",
        "Learned bandwidth",
        vec![
            "problem",
            "variant",
            "paper: loss",
            "paper: at the end",
            "loss",
            "at the end",
            "drop",
            "ours / paper",
            "σ: paper",
            "ours",
            "at the end",
            "steps: paper",
            "ours",
            "seconds",
        ],
    )
    .note(
        "Loss and σ at the start and for the best step, and the ratio of the two losses, which can be compared with the paper's; \
         the losses themselves cannot, since rows and features are scaled differently. A covariance is learned under ridges \
         that are lowered in steps, and its losses contain them. σ is the geometric mean of the diagonal of L for a covariance \
         L Lᵀ.",
    );
    for row in rows {
        let published = |name| match row.paper_number("loss_start") {
            Some(_) => paper.figure("learnable-bandwidth", name)?.as_f64(),
            None => None,
        };
        table.rows.push(vec![
            Cell::words(&row.case),
            Cell::words(&row.variant),
            Cell::Paper(row.paper_number("loss_start"), Style::Scientific),
            Cell::Paper(row.paper_number("loss_end"), Style::Scientific),
            Cell::ours(row, "loss_start", Style::Scientific),
            Cell::ours(row, "loss_end", Style::Scientific),
            Cell::ours(row, "loss_drop", Style::Scientific),
            Cell::ratio(row.number("loss_drop"), row.paper_number("loss_drop")),
            Cell::Paper(published("sigma_start"), Style::Plain),
            Cell::ours(row, "sigma_start", Style::Plain),
            Cell::ours(row, "sigma_end", Style::Plain),
            Cell::Paper(published("steps"), Style::Count),
            Cell::ours(row, "iterations", Style::Count),
            Cell::ours(row, "seconds", Style::Plain),
        ]);
    }
    table
}

fn outcomes(rows: &[&Row]) -> Table {
    let mut table = Table::new(
        "bandwidth-outcome",
        "What the learned law gives",
        vec![
            "problem",
            "variant",
            "figure",
            "paper",
            "ours",
            "paper / ours",
        ],
    )
    .note("Errors are relative, at points that the fit has not seen; the exact solution is used only to measure them.");
    for row in rows {
        for (figure, name, style) in [
            ("value error", "value_error", Style::Scientific),
            ("gradient error", "gradient_error", Style::Scientific),
            ("held-out residual", "held_out_residual", Style::Scientific),
            ("loss of the last step", "loss_last", Style::Scientific),
            ("σ of the last step", "sigma_last", Style::Plain),
            ("best σ of the grid", "sigma_grid_optimum", Style::Plain),
            (
                "held-out residual there",
                "grid_held_out_residual",
                Style::Scientific,
            ),
            ("speed of the wave (true: 30)", "speed", Style::Plain),
            (
                "value error with the best isotropic σ",
                "isotropic_error",
                Style::Scientific,
            ),
            ("times better than that", "gain", Style::Scientific),
        ] {
            if row.number(name).is_none() {
                continue;
            }
            // A bandwidth is neither better nor worse than another.
            let error = row.paper_number(name).filter(|_| name == "value_error");
            table.rows.push(vec![
                Cell::words(&row.case),
                Cell::words(&row.variant),
                Cell::words(figure),
                Cell::Paper(row.paper_number(name), style),
                Cell::ours(row, name, style),
                Cell::ratio(error, row.number(name)),
            ]);
        }
    }
    table
}

/// A history of a row by step.
fn by_step(row: &Row, name: &str) -> Vec<(f64, f64)> {
    let values = row.median.series.get(name).into_iter().flatten();
    values.enumerate().map(|(k, v)| (k as f64, *v)).collect()
}

fn loss_by_step(rows: &[&Row]) -> Figure {
    let label = |row: &Row| match row.case.as_str() {
        HELMHOLTZ => format!("Helmholtz, {}", row.variant),
        SOLITON => "KdV soliton".to_owned(),
        _ => "anisotropic".to_owned(),
    };
    let series = rows.iter().enumerate();
    Figure {
        name: "bandwidth-loss".to_owned(),
        title: "Loss by step".to_owned(),
        caption: "The loss of the least-squares solve while the law of the frequencies is learned, without further draws."
            .to_owned(),
        x: Axis::linear("step"),
        y: Axis::log("loss"),
        series: series
            .map(|(k, row)| curve(&label(row), by_step(row, "loss"), Look::Thin(k)))
            .collect(),
    }
}

fn sigma_by_step(rows: &[&Row], paper: &Paper) -> Figure {
    let mut series: Vec<_> = rows
        .iter()
        .enumerate()
        .map(|(k, row)| curve(&row.variant, by_step(row, "sigma"), Look::Thin(k)))
        .collect();
    let last = rows
        .iter()
        .filter_map(|row| row.median.iterations)
        .max()
        .unwrap_or(1) as f64;
    let level = |sigma: f64| vec![(0.0, sigma), (last, sigma)];
    let published = paper.figure("learnable-bandwidth", "sigma_grid_optimum");
    if let Some(sigma) = published.and_then(|value| value.as_f64()) {
        series.push(curve(
            "paper: best of a grid",
            level(sigma),
            Look::Reference,
        ));
    }
    let ours = rows.iter().find_map(|row| row.number("sigma_grid_optimum"));
    if let Some(sigma) = ours {
        series.push(curve("ours: best of a grid", level(sigma), Look::Thin(3)));
    }
    Figure {
        name: "bandwidth-sigma".to_owned(),
        title: "Helmholtz: σ by step".to_owned(),
        caption: "σ while it is learned from 5, and the best σ of a grid: the paper's by the exact error, ours by the \
                  residual at held-out points. Beyond about 10 the loss is flat at its floor, and the steps of AdamW drift; \
                  the step with the least loss is the one that is kept."
            .to_owned(),
        x: Axis::linear("step"),
        y: Axis::linear("σ"),
        series,
    }
}
