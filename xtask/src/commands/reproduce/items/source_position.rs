//! The position of a source from four sensors: what the data can tell, and whether the fits keep to it.

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::Result;
use fastlsq_inverse::FitOptions;
use fastlsq_inverse::applications::SourcePosition as Experiment;

use super::shared::{curve, named};
use crate::commands::reproduce::figure::{Axis, Figure, Look};
use crate::commands::reproduce::item::{Context, Item, Job, Plan};
use crate::commands::reproduce::paper::Paper;
use crate::commands::reproduce::results::{Row, Run, Sigma};
use crate::commands::reproduce::table::{Cell, Style, Table};

const CASE: &str = "source-position";
/// Draws of the noise for each seed of the plan.
const DRAWS: usize = 8;
/// The names of the variants and the noise: the published one, and a tenth of it.
const NOISES: [(&str, f64); 2] = [("noise-0.01", 0.01), ("noise-0.001", 0.001)];
/// The published discretisation.
const FEATURES: usize = 800;
const BANDWIDTH: f64 = 5.0;

pub(super) struct SourcePosition;

impl Item for SourcePosition {
    fn name(&self) -> &'static str {
        "source-position"
    }

    fn shows(&self) -> &'static str {
        "where a source is, from four sensors, within the Cramér–Rao deviation"
    }

    fn source(&self) -> &'static str {
        "Appendix, code listing"
    }

    fn settings(&self, plan: &Plan) -> String {
        format!(
            "−Δu = exp(−|x − s|²/0.1) on the unit square, u = 0 around it; s = (0.4, 0.6) from four readings of u, start \
             (0.5, 0.5), box [0.1, 0.9]². Readings come from the sine series of u, not from the features that explain \
             them. {FEATURES} features with σ = {BANDWIDTH}, 3000 + 400 rows, one factorisation for all fits; L-BFGS-B with \
             adjoint gradients; {} draws of the noise. noise-0.01: as published; noise-0.001: a tenth of it. The value \
             error is the distance |ŝ − s|. The paper prints no result.",
            DRAWS * plan.seeds
        )
    }

    fn jobs(&self, plan: &Plan) -> Vec<Job> {
        let effort = 2.0 + 0.5 * plan.seeds as f64;
        NOISES
            .map(|(variant, noise)| {
                Job::new(
                    format!("source-position/{CASE}/{variant}"),
                    effort,
                    move |context| locate(variant, noise, context),
                )
            })
            .into()
    }

    fn tables(&self, rows: &[&Row], _paper: &Paper) -> Vec<Table> {
        let mut table = Table::new(
            "source-position",
            "Source position",
            vec![
                "variant",
                "distance",
                "worst",
                "Cramér–Rao s₁",
                "Cramér–Rao s₂",
                "within 3",
                "draws",
                "seconds",
                "the data",
            ],
        )
        .note(
            "Distance of the fitted from the true position, median and worst draw; the smallest deviations that any \
             unbiased estimate can have; the share of draws with both coordinates within three of them (at the large noise the box of the search alone \
             sees to that).",
        );
        for row in rows {
            table.rows.push(vec![
                Cell::words(&row.variant),
                Cell::ours(row, "value_error", Style::Plain),
                Cell::ours(row, "value_error_worst", Style::Plain),
                Cell::ours(row, "deviation_1", Style::Plain),
                Cell::ours(row, "deviation_2", Style::Plain),
                Cell::ours(row, "share_within_three", Style::Plain),
                Cell::ours(row, "draws", Style::Count),
                Cell::ours(row, "seconds", Style::Plain),
                Cell::words(&row.median.status),
            ]);
        }
        vec![table]
    }

    fn figures(&self, rows: &[&Row], _paper: &Paper) -> Vec<Figure> {
        rows.iter().map(|row| errors_by_draw(row)).collect()
    }
}

/// Errors in units of the Cramér–Rao deviation.
fn errors_by_draw(row: &Row) -> Figure {
    let of = |name: &str| -> Vec<(f64, f64)> {
        let ratio = |run: &Run| Some((run.seed as f64 + 1.0, *run.more.get(name)?));
        row.runs.iter().filter_map(ratio).collect()
    };
    let last = row.runs.len().max(1) as f64;
    let level = |height: f64| vec![(1.0, height), (last, height)];
    Figure {
        name: format!("source-position-{}", row.variant),
        title: format!("Source position, {}", row.variant.replace('-', " ")),
        caption: "Error of each coordinate over its Cramér–Rao deviation, draw by draw, and three deviations. Where the \
                  noise is large, the box of the search holds the errors below what the data alone would leave."
            .to_owned(),
        x: Axis::linear("draw of the noise"),
        y: Axis::linear("error / deviation"),
        series: vec![
            curve("s₁", of("normalised_error_1"), Look::Dots(0)),
            curve("s₂", of("normalised_error_2"), Look::Dots(1)),
            curve("three deviations", level(3.0), Look::Reference),
            curve("", level(-3.0), Look::Reference),
        ],
    }
}

fn locate(variant: &str, noise: f64, context: &Context<'_>) -> Result<Row> {
    let experiment = Experiment::paper(noise);
    let clock = Instant::now();
    let mut prepared = experiment.problem(&experiment.readings(0)).prepare()?;
    let preparation = clock.elapsed().as_secs_f64();
    let bound = prepared.identifiability_at(&experiment.truth)?;
    // The judgement of a user, who knows the start only.
    let judged = prepared.identifiability()?;
    let status = if judged.is_identifiable() {
        "determine the position"
    } else {
        "do not determine the position"
    };
    let draws = DRAWS * context.plan.seeds;
    let (mut runs, mut inside) = (Vec::with_capacity(draws), 0);
    for seed in 0..draws as u64 {
        (context.progress)(&format!("draw {}/{draws}", seed + 1));
        prepared = prepared.with_values(&experiment.readings(seed))?;
        let fit = prepared.fit_with(&FitOptions::new().lbfgsb())?;
        let [first, second] =
            [0, 1].map(|k: usize| (fit.parameters[k] - experiment.truth[k], bound.deviations[k]));
        inside += usize::from(
            [first, second]
                .iter()
                .all(|(error, deviation)| error.abs() <= 3.0 * deviation),
        );
        runs.push(Run {
            value_error: Some(first.0.hypot(second.0)),
            seconds: Some(fit.seconds),
            solve_seconds: Some(preparation),
            features: Some(prepared.feature_count()),
            rows: Some(prepared.row_count()),
            rank: prepared.factorisation().map(|info| info.rank),
            sigma: Some(Sigma::Isotropic(BANDWIDTH)),
            iterations: Some(fit.minimum.iterations as usize),
            status: status.to_owned(),
            seed,
            more: named([
                ("s_1", fit.parameters[0]),
                ("s_2", fit.parameters[1]),
                ("deviation_1", first.1),
                ("deviation_2", second.1),
                ("normalised_error_1", first.0 / first.1),
                ("normalised_error_2", second.0 / second.1),
                ("at_bounds", fit.minimum.at_bounds.len() as f64),
                ("draws", draws as f64),
            ]),
            series: BTreeMap::new(),
            ..Run::default()
        });
    }
    for run in &mut runs {
        let share = inside as f64 / draws as f64;
        run.more.insert("share_within_three".to_owned(), share);
    }
    Ok(Row::of_runs("source-position", CASE, variant, runs))
}
