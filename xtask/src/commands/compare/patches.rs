//! A corner that re-enters and a peak: patches against adaptive finite elements.

use std::time::Instant;

use anyhow::Result;
use fastlsq_solve::Options;
use fastlsq_solve::problems::{Benchmark, local};

use super::fem::{self, Elements, Meshes};
use super::sample::{Sample, Side};
use super::{Record, Scope};
use crate::commands::reproduce::items::TEST_POINTS;

/// Here levels are rounds of refinement where the estimate is large.
const ELEMENTS: &[Elements] = &[
    Elements::p2(8),
    Elements::p2(14),
    Elements::p2(18),
    Elements::p4(12),
    Elements::p4(20),
];
const QUICK_ELEMENTS: &[Elements] = &[Elements::p2(8), Elements::p2(12), Elements::p4(10)];

pub(super) fn run(scope: &Scope, record: &mut Record) -> Result<()> {
    let elements = scope.launcher.start("adaptive")?;
    let cases = [
        (local::l_shape_singular()?, 3e-11),
        (local::peak_2d(1000.0, [0.37, 0.61]), 3e-10),
    ];
    for (benchmark, tolerance) in &cases {
        let case = benchmark.name;
        eprintln!("  {case} …");
        let truth = scope.exchange.truth(
            case,
            benchmark.problem.domain(),
            |x| benchmark.exact(x),
            |x| benchmark.exact_gradient(x),
        )?;
        let sides = vec![Side::ours(fem::AUTOMATIC, |seed| {
            automatic(benchmark, *tolerance, seed)
        })];
        let meshes = Meshes {
            item: "patches",
            case,
            sizes: scope.pick(QUICK_ELEMENTS, ELEMENTS),
            truth: &truth,
            peer: &elements,
        };
        let to_tolerance = |tolerance, seed| automatic(benchmark, tolerance, seed);
        record.add(meshes.compare(sides, to_tolerance, scope.repeats))?;
    }
    Ok(())
}

/// Nothing given but the seed and the tolerance.
fn automatic(benchmark: &Benchmark, tolerance: f64, seed: u64) -> Result<Sample> {
    let options = Options::new().seed(seed).tolerance(tolerance);
    let clock = Instant::now();
    let solution = benchmark.problem.solve_with(&options)?;
    let seconds = clock.elapsed().as_secs_f64();
    Ok(Sample {
        value_error: Some(benchmark.errors(&solution, TEST_POINTS)?.value),
        seconds: Some(seconds),
        ..Sample::default()
    }
    .with("features", solution.report().features as f64))
}
