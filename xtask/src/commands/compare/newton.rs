//! The nonlinear problems.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use fastlsq_newton::problems::{self, NonlinearBenchmark};
use fastlsq_newton::{FrequencyLaw, NewtonOptions, SinusoidalBasis};
use fastlsq_solve::{Sequence, Symmetry};
use serde_json::json;

use super::fem::{self, Elements, Meshes};
use super::sample::{Answer, Sample, Side, take_turns};
use super::{Record, Scope};
use crate::commands::reproduce::items::TEST_POINTS;

/// Finite elements for the problems on the square.
const ELEMENTS: &[Elements] = &[
    Elements::p2(2),
    Elements::p2(3),
    Elements::p2(4),
    Elements::p2(5),
    Elements::p2(6),
    Elements::q8(1),
];
const QUICK_ELEMENTS: &[Elements] = &[Elements::p2(3), Elements::p2(4), Elements::p2(5)];

pub(super) fn run(scope: &Scope, record: &mut Record) -> Result<()> {
    let package = scope.launcher.start("package")?;
    let kansa = scope.launcher.start("kansa")?;
    let elements = scope.launcher.start("finite_elements")?;
    let boundary_value = scope.launcher.start("boundary_value")?;
    let features = scope.pick(300, 1500);
    let share = scope.pick(3, 1);
    for benchmark in problems::paper() {
        let case = benchmark.name;
        eprintln!("  {case} …");
        let domain = benchmark.problem.domain();
        let truth = scope.exchange.truth(
            case,
            domain,
            |x| benchmark.exact(x),
            |x| benchmark.exact_gradient(x),
        )?;
        let protocol = benchmark
            .protocol
            .as_ref()
            .with_context(|| format!("the paper has no settings for {case}"))?;
        let sigma = protocol.sigma;
        let (interior, conditions) = (protocol.rows.0 / share, protocol.rows.1 / share);
        let same = format!("ours, {features} features, σ = {sigma}");
        let mut sides = vec![
            Side::ours(fem::AUTOMATIC, |seed| {
                solved(&benchmark, &NewtonOptions::new().seed(seed))
            }),
            // Our own Newton method, not the paper's increments with a ridge.
            Side::ours(&same, |seed| {
                let basis = SinusoidalBasis::builder(domain.dim(), features)
                    .law(FrequencyLaw::Isotropic(sigma))
                    .seed(seed)
                    .build()?;
                let options = NewtonOptions::new().seed(seed);
                let solve = options.solve.clone().basis(Arc::new(basis));
                let solve = solve
                    .rows(interior, conditions)
                    .weight(protocol.weight)
                    .points(Sequence::Independent)
                    .symmetry(Symmetry::Ignore);
                solved(&benchmark, &options.solve_options(solve))
            }),
            Side::peer("Python fastlsq, the same settings", &same, |seed| {
                let answer: Answer = package.ask(&json!({
                    "kind": "newton", "case": case, "truth": truth, "seed": seed, "sigma": sigma, "features": features,
                    "interior": interior, "conditions": conditions,
                }))?;
                Ok(answer.into())
            }),
            Side::peer("Kansa, multiquadrics", fem::AUTOMATIC, |seed| {
                let answer: Answer = kansa.ask(&fem::kansa_request(case, &truth, scope, seed))?;
                Ok(answer.into())
            }),
        ];
        if domain.dim() == 1 {
            sides.push(Side::peer(
                "SciPy solve_bvp, tolerance 1e-10",
                fem::AUTOMATIC,
                |_| {
                    let answer: Answer =
                        boundary_value.ask(&json!({ "case": case, "truth": truth }))?;
                    Ok(answer.into())
                },
            ));
            record.add(take_turns("newton", case, &sides, scope.repeats))?;
            continue;
        }
        let meshes = Meshes {
            item: "newton",
            case,
            sizes: scope.pick(QUICK_ELEMENTS, ELEMENTS),
            truth: &truth,
            peer: &elements,
        };
        let to_tolerance = |tolerance, seed| {
            let options = NewtonOptions::new().seed(seed).tolerance(tolerance);
            solved(&benchmark, &options)
        };
        record.add(meshes.compare(sides, to_tolerance, scope.repeats))?;
    }
    Ok(())
}

fn solved(benchmark: &NonlinearBenchmark, options: &NewtonOptions) -> Result<Sample> {
    let clock = Instant::now();
    let solution = benchmark.problem.solve_with(options)?;
    let seconds = clock.elapsed().as_secs_f64();
    let errors = benchmark.errors(&solution, TEST_POINTS)?;
    let newton = solution.newton();
    let (steps, features) = (newton.iterations(), solution.report().features);
    Ok(Sample {
        value_error: Some(errors.value),
        gradient_error: Some(errors.gradient),
        seconds: Some(seconds),
        status: newton.status.to_string(),
        ..Sample::default()
    }
    .with("iterations", steps as f64)
    .with("features", features as f64))
}
