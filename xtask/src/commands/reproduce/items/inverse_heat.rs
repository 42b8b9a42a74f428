//! Four heat sources from a few thermometers.

mod figures;

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::Result;
use fastlsq_inverse::Fit;
use fastlsq_inverse::applications::{HeatModel, HeatSources};
use fastlsq_inverse::reference::with_noise;

use super::shared::{Shared, keep_lines, lists, named};
use crate::commands::reproduce::figure::Figure;
use crate::commands::reproduce::item::{Context, Item, Job, Plan};
use crate::commands::reproduce::paper::Paper;
use crate::commands::reproduce::results::{Row, Run};
use crate::commands::reproduce::table::{Cell, Style, Table};

/// Parameters of a source: x, y, I and three of its shape.
const EACH: usize = 6;
const SOURCES: [&str; 4] = ["source-1", "source-2", "source-3", "source-4"];
const FOUR: &str = "four-sensors";
const SIXTEEN: &str = "sixteen-sensors";
/// When the temperature is drawn, as in the paper; the nodes of the map along a side, and its isotherms.
const MAP_TIME: f64 = 0.9;
const NODES: usize = 61;
const ISOTHERMS: usize = 10;

pub(super) struct InverseHeat;

/// The runs of each source.
type RunsByCase = [Vec<Run>; 4];

impl Item for InverseHeat {
    fn name(&self) -> &'static str {
        "inverse-heat"
    }

    fn shows(&self) -> &'static str {
        "position and intensity of four heat sources from a few thermometers, with their widths"
    }

    fn source(&self) -> &'static str {
        "Table of the inverse heat source"
    }

    fn settings(&self, plan: &Plan) -> String {
        let sixteen = plan.pick(
            "",
            " sixteen-sensors: thermometers on a grid, one draw: a set-up in which the data determine everything.",
        );
        format!(
            "u_t − 0.05 Δu = four anisotropic Gaussian sources on the unit square, 0 ≤ t ≤ 1.5, u = 0 on the sides and at \
             the start; 24 unknowns: (x, y, I) and three of the shape of each source. four-sensors: the paper's \
             thermometers, 60 readings of each, noise 0.002, {} draws. Readings come from a sine series, not from the \
             features that explain them, so that the error of the features counts as noise too. \
             Normal priors around the start (deviations 0.2, 2 and 4 for positions, intensities and shapes), since four \
             thermometers do not determine 24 numbers. L-BFGS-B with 150 iterations after five preliminary fits to \
             readings that count less, and once more with the model error of what was found; one factorisation for all \
             draws. Two discretisations with other draws of features and points tell the model error, which adds to the noise \
             and widens the posterior; the true sources have no part in it.{sixteen} The value error is the distance of the \
             fitted from the true position. The cost is that of a whole fit, preliminary fits and both passes, in units of \
             one factorisation.",
            draws(FOUR, plan),
        )
    }

    fn jobs(&self, plan: &Plan) -> Vec<Job> {
        let variants = plan.pick(
            vec![(FOUR, 10.0)],
            vec![(FOUR, 20.0 + 10.0 * plan.seeds as f64), (SIXTEEN, 60.0)],
        );
        let mut jobs = Vec::new();
        for (variant, effort) in variants {
            let shared = Shared::<RunsByCase>::new();
            for (index, case) in SOURCES.into_iter().enumerate() {
                let shared = shared.clone();
                // The first job does the work for all sources.
                let effort = if index == 0 { effort } else { 0.1 };
                jobs.push(Job::new(
                    format!("inverse-heat/{case}/{variant}"),
                    effort,
                    move |context| {
                        let runs = shared.get(|| locate(variant, context))?[index].clone();
                        Ok(row(case, variant, runs, context.paper))
                    },
                ));
            }
        }
        jobs
    }

    fn tables(&self, rows: &[&Row], _paper: &Paper) -> Vec<Table> {
        vec![positions(rows), parameters(rows)]
    }

    fn figures(&self, rows: &[&Row], paper: &Paper) -> Vec<Figure> {
        let mut drawn = Vec::new();
        for variant in [FOUR, SIXTEEN] {
            let of_variant = rows.iter().filter(|row| row.variant == variant);
            let rows: Vec<&Row> = of_variant.copied().collect();
            if rows.is_empty() {
                continue;
            }
            drawn.push(figures::map(variant, &rows, paper));
            drawn.push(figures::paths(variant, &rows));
            drawn.extend(figures::temperatures(variant, &rows));
        }
        drawn
    }
}

fn set_up(variant: &str) -> HeatSources {
    if variant == SIXTEEN {
        HeatSources::well_posed()
    } else {
        HeatSources::paper()
    }
}

fn draws(variant: &str, plan: &Plan) -> usize {
    if variant == SIXTEEN { 1 } else { plan.seeds }
}

/// The fits of every draw of the noise, sorted by source.
fn locate(variant: &str, context: &Context<'_>) -> Result<RunsByCase> {
    let heat = set_up(variant);
    let exact = heat.exact_readings();
    (context.progress)("factorisation");
    let clock = Instant::now();
    let mut model = heat.discretise()?;
    let preparation = clock.elapsed().as_secs_f64();
    // How far the features are from the sine series at the sensors, at the truth: only measured.
    let predicted = model.prepared().predict(&heat.true_parameters())?;
    let squares = predicted.iter().zip(&exact).map(|(p, e)| (p - e).powi(2));
    let true_error = (squares.sum::<f64>() / exact.len() as f64).sqrt();
    let info = model.prepared().factorisation();
    let factorisation = info.as_ref().map_or(f64::NAN, |info| {
        info.seconds.reduction + info.seconds.rank_revealing
    });

    let count = draws(variant, &context.plan);
    let mut outcome = RunsByCase::default();
    for seed in 0..count as u64 {
        (context.progress)(&format!("draw {}/{count}", seed + 1));
        let found = model.fit(&with_noise(&exact, heat.noise, seed))?;
        for (index, runs) in outcome.iter_mut().enumerate() {
            let mut run = run_of(&heat, &found.fit, index, seed);
            run.seconds = Some(found.seconds);
            run.solve_seconds = Some(preparation);
            run.features = Some(model.prepared().feature_count());
            run.rows = Some(model.prepared().row_count());
            run.rank = info.as_ref().map(|info| info.rank);
            run.more.extend(named([
                ("model_error", found.model_error),
                ("model_error_at_truth", true_error),
                ("evaluations", found.evaluations as f64),
                ("factorisation_seconds", factorisation),
                ("fit_per_factorisation", found.seconds / factorisation),
            ]));
            if seed == 0 {
                let step = |k: usize| {
                    found
                        .trajectory
                        .iter()
                        .map(move |step| step[EACH * index + k])
                };
                let path = [("path_x", step(0).collect()), ("path_y", step(1).collect())];
                run.series.extend(lists(path));
            }
            runs.push(run);
        }
        if seed == 0 {
            let lines = isotherms(&heat, &model, &found.fit.parameters)?;
            outcome[0]
                .iter_mut()
                .for_each(|run| run.series.extend(lines.clone()));
        }
    }
    Ok(outcome)
}

/// Isotherms of the true and of the found sources, at levels that they share.
fn isotherms(
    heat: &HeatSources,
    model: &HeatModel,
    parameters: &[f64],
) -> Result<BTreeMap<String, Vec<f64>>> {
    let truth = heat.true_map(MAP_TIME, NODES);
    let found = model.map(parameters, MAP_TIME, NODES)?;
    let levels: Vec<f64> = (1..=ISOTHERMS)
        .map(|k| truth.highest() * (k as f64 - 0.5) / ISOTHERMS as f64)
        .collect();
    let mut lines = keep_lines("true_line", &truth.isotherms(&levels));
    lines.extend(keep_lines("found_line", &found.isotherms(&levels)));
    Ok(lines)
}

/// What a fit says of one source.
fn run_of(heat: &HeatSources, fit: &Fit, index: usize, seed: u64) -> Run {
    let found = HeatSources::sources(&fit.parameters)[index];
    let truth = heat.truth[index];
    let deviation = |k: usize| fit.posterior.deviations[EACH * index + k];
    let [x, y] = found.position;
    let (x_error, y_error) = (x - truth.position[0], y - truth.position[1]);
    let interval = |k: usize| {
        let ends = fit.interval(EACH * index + k, 0.95);
        ends.unwrap_or((f64::NAN, f64::NAN))
    };
    let ((x_low, x_high), (y_low, y_high)) = (interval(0), interval(1));
    let inside = |(low, high): (f64, f64), value: f64| (low..=high).contains(&value);
    let covered = inside((x_low, x_high), truth.position[0])
        && inside((y_low, y_high), truth.position[1])
        && inside(interval(2), truth.intensity);
    Run {
        value_error: Some(heat.position_errors(&fit.parameters)[index]),
        seconds: Some(fit.seconds),
        iterations: Some(fit.minimum.iterations as usize),
        status: fit.minimum.status.to_string(),
        seed,
        more: named([
            ("x", x),
            ("y", y),
            ("intensity", found.intensity),
            ("x_error", x_error.abs()),
            ("y_error", y_error.abs()),
            ("intensity_error", (found.intensity - truth.intensity).abs()),
            ("x_deviation", deviation(0)),
            ("y_deviation", deviation(1)),
            ("intensity_deviation", deviation(2)),
            ("x_normalised_error", x_error / deviation(0)),
            ("y_normalised_error", y_error / deviation(1)),
            (
                "intensity_normalised_error",
                (found.intensity - truth.intensity) / deviation(2),
            ),
            ("x_low", x_low),
            ("x_high", x_high),
            ("y_low", y_low),
            ("y_high", y_high),
            ("covered", f64::from(u8::from(covered))),
        ]),
        ..Run::default()
    }
}

fn row(case: &str, variant: &str, runs: Vec<Run>, paper: &Paper) -> Row {
    let entry = |column| paper.entry("inverse-heat", case, column);
    let distance = entry("x_error").zip(entry("y_error")).and_then(|(x, y)| {
        let distance = x.as_f64()?.hypot(y.as_f64()?);
        Some(distance.into())
    });
    let mut row = Row::of_runs("inverse-heat", case, variant, runs);
    // The paper has no run with sixteen thermometers.
    if variant == FOUR {
        row = row.with_paper("value_error", distance);
    }
    for (ours, theirs) in [
        ("x", "x_recovered"),
        ("y", "y_recovered"),
        ("intensity", "intensity_recovered"),
        ("x_error", "x_error"),
        ("y_error", "y_error"),
        ("intensity_error", "intensity_error"),
        ("x_true", "x_true"),
        ("y_true", "y_true"),
        ("intensity_true", "intensity_true"),
    ] {
        if variant == FOUR || ours.ends_with("_true") {
            row = row.with_paper(ours, entry(theirs));
        }
    }
    row
}

fn positions(rows: &[&Row]) -> Table {
    let mut table = Table::new(
        "inverse-heat",
        "Heat sources: distance from the true position",
        vec![
            "source",
            "variant",
            "paper",
            "ours",
            "worst draw",
            "paper / ours",
            "intensity: paper",
            "ours",
            "paper / ours",
            "seconds",
            "evaluations",
            "factorisations",
        ],
    )
    .note(
        "Distance of the fitted from the true position and error of the intensity, medians over the draws of the noise. \
         The paper inverts data of its own discretisation, so that it has no model error; here the readings are \
         independent of it. Seconds and evaluations of a whole fit, and its time in units of one factorisation.",
    );
    for row in rows {
        table.rows.push(vec![
            Cell::words(&row.case),
            Cell::words(&row.variant),
            Cell::Paper(row.paper_number("value_error"), Style::Plain),
            Cell::ours(row, "value_error", Style::Plain),
            Cell::ours(row, "value_error_worst", Style::Plain),
            Cell::ratio(row.paper_number("value_error"), row.median.value_error),
            Cell::Paper(row.paper_number("intensity_error"), Style::Plain),
            Cell::ours(row, "intensity_error", Style::Plain),
            Cell::ratio(
                row.paper_number("intensity_error"),
                row.number("intensity_error"),
            ),
            Cell::ours(row, "seconds", Style::Plain),
            Cell::ours(row, "evaluations", Style::Count),
            Cell::ours(row, "fit_per_factorisation", Style::Plain),
        ]);
    }
    table
}

fn parameters(rows: &[&Row]) -> Table {
    let mut table = Table::new(
        "inverse-heat-parameters",
        "Heat sources: what was found",
        vec![
            "source", "variant", "figure", "true", "paper", "ours", "error: paper", "ours", "paper / ours", "deviation",
            "error / deviation",
        ],
    )
    .note(
        "Medians over the draws of the noise; the deviation is that of the posterior, priors included, widened by what the \
         estimated error of the discretisation does to the parameters.",
    );
    for row in rows {
        for (name, truth, error, deviation, normalised) in [
            (
                "x",
                "x_true",
                "x_error",
                "x_deviation",
                "x_normalised_error",
            ),
            (
                "y",
                "y_true",
                "y_error",
                "y_deviation",
                "y_normalised_error",
            ),
            (
                "intensity",
                "intensity_true",
                "intensity_error",
                "intensity_deviation",
                "intensity_normalised_error",
            ),
        ] {
            table.rows.push(vec![
                Cell::words(&row.case),
                Cell::words(&row.variant),
                Cell::words(name),
                Cell::Paper(row.paper_number(truth), Style::Plain),
                Cell::Paper(row.paper_number(name), Style::Plain),
                Cell::ours(row, name, Style::Plain),
                Cell::Paper(row.paper_number(error), Style::Plain),
                Cell::ours(row, error, Style::Plain),
                Cell::ratio(row.paper_number(error), row.number(error)),
                Cell::ours(row, deviation, Style::Plain),
                Cell::ours(row, normalised, Style::Plain),
            ]);
        }
    }
    table
}
