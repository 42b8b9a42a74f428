//! Shapes that are not boxes: holes and a corner that re-enters, against finite elements.

use std::time::Instant;

use anyhow::Result;
use fastlsq_solve::problems::shapes;
use fastlsq_solve::{LinearProblem, Options, Solution};

use super::fem::{self, Elements, Meshes};
use super::sample::{Sample, Side};
use super::{Record, Scope};
use crate::commands::reproduce::items::geometry::{distance, finer};

const ELEMENTS: &[Elements] = &[
    Elements::p2(3),
    Elements::p2(4),
    Elements::p2(5),
    Elements::p4(3),
    Elements::p4(4),
];
const QUICK_ELEMENTS: &[Elements] = &[Elements::p2(3), Elements::p2(4), Elements::p4(3)];
/// The tolerance of the run that the others are measured against, where functions of corners alone will not do.
const REFERENCE: f64 = 1e-12;

pub(super) fn run(scope: &Scope, record: &mut Record) -> Result<()> {
    let elements = scope.launcher.start("shapes")?;
    let (l_shape, _, _) = shapes::l_shape_lightning()?;
    let four_holes = shapes::four_holes()?;
    let cases = [
        ("four-holes", finer(&four_holes)?, four_holes, 1e-7),
        (
            "l-shape",
            l_shape.solve_with(&Options::new().tolerance(REFERENCE))?,
            l_shape,
            1e-9,
        ),
    ];
    for (case, reference, problem, tolerance) in &cases {
        eprintln!("  {case} …");
        let value = |x: &[f64]| reference.value(x).into_iter().collect();
        let gradient = |x: &[f64]| reference.gradient(x).into_iter().collect();
        let truth = scope
            .exchange
            .truth(case, problem.domain(), value, gradient)?;
        let to_tolerance = |tolerance, seed| automatic(problem, reference, tolerance, seed);
        let sides = vec![Side::ours(fem::AUTOMATIC, |seed| {
            to_tolerance(*tolerance, seed)
        })];
        let meshes = Meshes {
            item: "shapes",
            case,
            sizes: scope.pick(QUICK_ELEMENTS, ELEMENTS),
            truth: &truth,
            peer: &elements,
        };
        record.add(meshes.compare(sides, to_tolerance, scope.repeats))?;
    }
    Ok(())
}

/// Nothing given but the seed and the tolerance.
fn automatic(
    problem: &LinearProblem,
    reference: &Solution,
    tolerance: f64,
    seed: u64,
) -> Result<Sample> {
    let options = Options::new().seed(seed).tolerance(tolerance);
    let clock = Instant::now();
    let solution = problem.solve_with(&options)?;
    let seconds = clock.elapsed().as_secs_f64();
    Ok(Sample {
        value_error: Some(distance(problem, &solution, reference)?),
        seconds: Some(seconds),
        ..Sample::default()
    }
    .with("features", solution.report().features as f64))
}
