//! The matrix cache: factor once, then new right-hand sides for the price of a product.

use crate::cache_experiment::{HALF, PAPER, RIGHT_HAND_SIDES, measure};
use crate::commands::reproduce::figure::{Axis, Figure, Look, Series};
use crate::commands::reproduce::item::{Item, Job, Plan};
use crate::commands::reproduce::paper::Paper;
use crate::commands::reproduce::results::{Row, Run, Sigma};
use crate::commands::reproduce::table::{Cell, Style, Table};
use fastlsq_solve::problems::WaveSizes;

pub(super) struct Caching;

impl Item for Caching {
    fn name(&self) -> &'static str {
        "caching"
    }

    fn shows(&self) -> &'static str {
        "a factored system solves new right-hand sides at the price of a product"
    }

    fn source(&self) -> &'static str {
        "Appendix, matrix caching"
    }

    fn settings(&self, plan: &Plan) -> String {
        let sizes = plan.pick(HALF, PAPER);
        format!(
            "Helmholtz, k = 10, on the unit square: {} features with σ = 10, {} + {} rows. Each of {} right-hand sides \
             belongs to a random plane wave, so that the error of the cached solution is known. The full solve \
             assembles, factors and solves with the method that the library chooses (at this size a randomised sketch), \
             and the same method makes the factors that are kept. Beside it, a full solve by rank-revealing QR.",
            sizes.features, sizes.interior, sizes.boundary, RIGHT_HAND_SIDES
        )
    }

    fn jobs(&self, plan: &Plan) -> Vec<Job> {
        let sizes = plan.pick(HALF, PAPER);
        let effort = plan.seeds as f64 * plan.pick(1.0, 4.0);
        vec![Job::new(
            "caching/helmholtz-2d/auto",
            effort,
            move |context| {
                let runs = context.each_seed(|seed| run(sizes, seed));
                let mut row = Row::of_runs("caching", "helmholtz-2d", "auto", runs);
                for name in ["full_solve_ms", "cached_ms", "speedup"] {
                    row = row.with_paper(name, context.paper.figure("caching", name));
                }
                Ok(row)
            },
        )]
    }

    fn tables(&self, rows: &[&Row], _paper: &Paper) -> Vec<Table> {
        let mut table = Table::new(
            "caching",
            "Matrix cache",
            vec!["problem", "figure", "paper", "ours", "times better"],
        )
        .note(
            "The paper prints 362×; its two times give 348×. The speed-up is that of one method with and without kept factors: a \
             faster full solve makes it smaller.",
        );
        for row in rows {
            for (figure, name, style) in [
                ("full solve, ms", "full_solve_ms", Style::Plain),
                ("full solve by rank-revealing QR, ms", "qr_ms", Style::Plain),
                ("factored to be kept, ms", "factor_ms", Style::Plain),
                ("cached solve, ms", "cached_ms", Style::Plain),
                ("speed-up", "speedup", Style::Plain),
                ("speed-up against QR", "speedup_against_qr", Style::Plain),
                ("fresh solve, worst error", "fresh_error", Style::Scientific),
                (
                    "cached solve, worst error",
                    "cached_error",
                    Style::Scientific,
                ),
            ] {
                let paper = row.paper_number(name);
                let ours = row.number(name);
                // More is better for speed-ups, less for times.
                let ratio = if name == "speedup" {
                    Cell::ratio(ours, paper)
                } else {
                    Cell::ratio(paper, ours)
                };
                table.rows.push(vec![
                    Cell::words(&row.case),
                    Cell::words(figure),
                    Cell::Paper(paper, style),
                    Cell::ours(row, name, style),
                    ratio,
                ]);
            }
        }
        vec![table]
    }

    fn figures(&self, rows: &[&Row], _paper: &Paper) -> Vec<Figure> {
        let of_row = |row: &Row| {
            let full = 1e-3 * row.number("full_solve_ms")?;
            let factor = 1e-3 * row.number("factor_ms")?;
            let cached = 1e-3 * row.number("cached_ms")?;
            let total = |once: f64, each: f64| -> Vec<(f64, f64)> {
                let counts = [1, 2, 5, 10, 20, 30, 40, RIGHT_HAND_SIDES].map(|k| k as f64);
                counts.map(|k| (k, once + k * each)).into()
            };
            let series = |label: &str, points, look| Series {
                label: label.to_owned(),
                points,
                look,
            };
            Some(Figure {
                name: format!("caching-{}", row.case),
                title: format!("{}: time for many right-hand sides", row.case),
                caption: "Computed from the medians of one solve: k full ones, or factors that are kept and k cached ones."
                    .to_owned(),
                x: Axis::linear("right-hand sides"),
                y: Axis::log("seconds in all"),
                series: vec![
                    series("solved afresh", total(0.0, full), Look::Line(3)),
                    series("cached", total(factor, cached), Look::Line(0)),
                ],
            })
        };
        rows.iter().filter_map(|row| of_row(row)).collect()
    }
}

/// One run of the experiment.
fn run(sizes: WaveSizes, seed: u64) -> anyhow::Result<Run> {
    let measured = measure(sizes, seed)?;
    let more = [
        ("full_solve_ms", 1e3 * measured.full_seconds),
        ("qr_ms", 1e3 * measured.qr_seconds),
        ("factor_ms", 1e3 * measured.factor_seconds),
        ("cached_ms", 1e3 * measured.cached_seconds),
        ("speedup", measured.full_seconds / measured.cached_seconds),
        (
            "speedup_against_qr",
            measured.qr_seconds / measured.cached_seconds,
        ),
        ("fresh_error", measured.fresh_error),
        ("cached_error", measured.cached_error),
    ];
    Ok(Run {
        value_error: Some(measured.cached_error),
        seconds: Some(measured.cached_seconds),
        solve_seconds: Some(measured.full_seconds),
        features: Some(sizes.features),
        rows: Some(sizes.rows()),
        rank: Some(measured.rank),
        sigma: Some(Sigma::Isotropic(sizes.bandwidth)),
        status: "explicit".to_owned(),
        seed,
        more: more.map(|(name, value)| (name.to_owned(), value)).into(),
        ..Run::default()
    })
}
