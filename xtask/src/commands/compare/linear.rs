//! The linear problems.

use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use fastlsq_solve::problems::{self, Benchmark};
use fastlsq_solve::{FrequencyLaw, Options, SinusoidalBasis, Solution};
use serde_json::json;

use super::fem::{self, Elements, Meshes};
use super::sample::{Answer, Sample, Side, take_turns};
use super::{Record, Scope};
use crate::commands::reproduce::items::TEST_POINTS;
use crate::commands::reproduce::paper::Paper;

/// Finite elements for the one problem on the square.
const ELEMENTS: &[Elements] = &[
    Elements::p2(4),
    Elements::p2(5),
    Elements::p2(6),
    Elements::q8(2),
    Elements::q12(2),
];
const QUICK_ELEMENTS: &[Elements] = &[Elements::p2(4), Elements::p2(5), Elements::q8(2)];
/// The tolerance of the automatic solve where the last digits take minutes, in a quick run.
const QUICK_TOLERANCE: f64 = 1e-6;

pub(super) fn run(scope: &Scope, record: &mut Record) -> Result<()> {
    let paper = Paper::load()?;
    let package = scope.launcher.start("package")?;
    let kansa = scope.launcher.start("kansa")?;
    let elements = scope.launcher.start("finite_elements")?;
    let features = scope.pick(600, 1500);
    let share = scope.pick(2, 1);
    for benchmark in problems::paper() {
        let case = benchmark.name;
        eprintln!("  {case} …");
        let truth = scope.exchange.truth(
            case,
            benchmark.problem.domain(),
            |x| benchmark.exact(x),
            |x| benchmark.exact_gradient(x),
        )?;
        // What the paper's figures show as the best for its package.
        let Some((sigma, _)) = paper.best_bandwidth(case) else {
            continue;
        };
        let conditions: Vec<usize> = benchmark.condition_rows.iter().map(|n| n / share).collect();
        let given = benchmark.clone().protocol_rows(
            benchmark.interior_rows / share,
            &conditions,
            benchmark.weight,
        );
        // Without numbers of its own, each condition has 2000 rows in the protocol.
        let given_conditions = conditions.first().copied().unwrap_or(2_000);
        let same = format!("ours, {features} features, σ = {sigma}");
        let sides = vec![
            Side::ours(fem::AUTOMATIC, |seed| {
                automatic(&benchmark, None, scope, seed)
            }),
            Side::ours(&same, |seed| with_settings(&given, features, sigma, seed)),
            Side::peer("Python fastlsq, the same settings", &same, |seed| {
                let answer: Answer = package.ask(&json!({
                    "kind": "linear", "case": case, "truth": truth, "seed": seed, "sigma": sigma, "features": features,
                    "interior": given.interior_rows, "conditions": given_conditions,
                }))?;
                Ok(answer.into())
            }),
            Side::peer("Kansa, multiquadrics", fem::AUTOMATIC, |seed| {
                let answer: Answer = kansa.ask(&fem::kansa_request(case, &truth, scope, seed))?;
                Ok(answer.into())
            }),
        ];
        if case == "helmholtz-2d" {
            let meshes = Meshes {
                item: "linear",
                case,
                sizes: scope.pick(QUICK_ELEMENTS, ELEMENTS),
                truth: &truth,
                peer: &elements,
            };
            let to_tolerance =
                |tolerance, seed| automatic(&benchmark, Some(tolerance), scope, seed);
            record.add(meshes.compare(sides, to_tolerance, scope.repeats))?;
        } else {
            record.add(take_turns("linear", case, &sides, scope.repeats))?;
        }
    }
    Ok(())
}

/// Nothing given but the seed, and the tolerance where one is asked for.
fn automatic(
    benchmark: &Benchmark,
    tolerance: Option<f64>,
    scope: &Scope,
    seed: u64,
) -> Result<Sample> {
    let mut options = Options::new().seed(seed);
    let quick = (scope.quick && benchmark.name == "heat-5d").then_some(QUICK_TOLERANCE);
    if let Some(tolerance) = tolerance.or(quick) {
        options = options.tolerance(tolerance);
    }
    let clock = Instant::now();
    let solution = benchmark.problem.solve_with(&options)?;
    let sample = measured(benchmark, &solution, clock)?;
    Ok(match quick {
        Some(tolerance) => sample.with("tolerance", tolerance),
        None => sample,
    })
}

/// The package's method: its features and rows, one solve.
fn with_settings(benchmark: &Benchmark, features: usize, sigma: f64, seed: u64) -> Result<Sample> {
    let clock = Instant::now();
    let basis = SinusoidalBasis::builder(benchmark.problem.domain().dim(), features)
        .law(FrequencyLaw::Isotropic(sigma))
        .seed(seed)
        .build()?;
    let options = benchmark.protocol().basis(Arc::new(basis)).seed(seed);
    let solution = benchmark.protocol_problem().solve_with(&options)?;
    measured(benchmark, &solution, clock)
}

fn measured(benchmark: &Benchmark, solution: &Solution, clock: Instant) -> Result<Sample> {
    let seconds = clock.elapsed().as_secs_f64();
    let errors = benchmark.errors(solution, TEST_POINTS)?;
    Ok(Sample {
        value_error: Some(errors.value),
        gradient_error: Some(errors.gradient),
        seconds: Some(seconds),
        ..Sample::default()
    }
    .with("features", solution.report().features as f64))
}
