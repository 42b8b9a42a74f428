//! Fits of known solutions.

use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use fastlsq_newton::problems::{self, NonlinearBenchmark};
use fastlsq_solve::{FrequencyLaw, LinearProblem, Options, SinusoidalBasis, Symmetry, UnitSampler};
use serde_json::json;

use super::sample::{Answer, Sample, Side, take_turns};
use super::{Record, Scope};
use crate::commands::reproduce::items::TEST_POINTS;
use crate::commands::reproduce::paper::Paper;

pub(super) fn run(scope: &Scope, record: &mut Record) -> Result<()> {
    let paper = Paper::load()?;
    let package = scope.launcher.start("package")?;
    let features = scope.pick(600, 1500);
    let points = scope.pick(2_500, 5_000);
    for benchmark in problems::solved() {
        let case = benchmark.name;
        // What the paper's figures show as the best for its package.
        let Some((sigma, _)) = paper.best_bandwidth(case) else {
            continue;
        };
        eprintln!("  {case} …");
        let truth = scope.exchange.truth(
            &format!("fit-{case}"),
            benchmark.problem.domain(),
            |x| benchmark.exact(x),
            |x| benchmark.exact_gradient(x),
        )?;
        let same = format!("ours, {features} features, σ = {sigma}");
        let sides = [
            Side::ours("ours, automatic", |seed| {
                fit(&benchmark, None, points, seed)
            }),
            Side::ours(&same, |seed| {
                fit(&benchmark, Some((features, sigma)), points, seed)
            }),
            Side::peer("Python fastlsq, the same settings", &same, |seed| {
                let answer: Answer = package.ask(&json!({
                    "kind": "regression", "case": case, "truth": truth, "seed": seed, "sigma": sigma,
                    "features": features, "interior": points, "conditions": 0,
                }))?;
                Ok(answer.into())
            }),
        ];
        record.add(take_turns("regression", case, &sides, scope.repeats))?;
    }
    Ok(())
}

/// Fits the first unknown at random points.
fn fit(
    benchmark: &NonlinearBenchmark,
    settings: Option<(usize, f64)>,
    count: usize,
    seed: u64,
) -> Result<Sample> {
    let domain = benchmark.problem.domain();
    let points = domain.sample_interior(count, &mut UnitSampler::independent(seed))?;
    let first = |x: Vec<f64>| benchmark.exact(&x).first().copied().unwrap_or(f64::NAN);
    let values: Vec<f64> = points
        .rows()
        .into_iter()
        .map(|x| first(x.to_vec()))
        .collect();
    let clock = Instant::now();
    let mut options = Options::new().seed(seed);
    if let Some((features, sigma)) = settings {
        let basis = SinusoidalBasis::builder(domain.dim(), features)
            .law(FrequencyLaw::Isotropic(sigma))
            .seed(seed)
            .build()?;
        options = options.basis(Arc::new(basis)).symmetry(Symmetry::Ignore);
    }
    let solution = LinearProblem::fit(points.view(), &values)?.solve_with(&options)?;
    let seconds = clock.elapsed().as_secs_f64();
    let errors = benchmark.errors(&solution, TEST_POINTS)?;
    Ok(Sample {
        value_error: Some(errors.value),
        gradient_error: Some(errors.gradient),
        seconds: Some(seconds),
        ..Sample::default()
    }
    .with("features", solution.report().features as f64))
}
