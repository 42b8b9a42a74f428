//! Shapes that are not boxes: smooth boundaries, corners and holes, solved with nothing given but a tolerance.

use std::sync::Arc;

use anyhow::Result;
use fastlsq_solve::problems::shapes::{self, Solved};
use fastlsq_solve::problems::{self, Benchmark};
use fastlsq_solve::{
    Basis, Draw, FrequencyLaw, InputMap, JoinedBasis, LinearProblem, Options, SinusoidalBasis,
    Solution, corner_functions, harmonic_polynomials, hole_functions,
};

use super::solving::{TEST_POINTS, measured, of_report};
use super::standard_tables;
use crate::backend::on_backend;
use crate::commands::reproduce::figure::Figure;
use crate::commands::reproduce::item::{Context, Item, Job, Plan};
use crate::commands::reproduce::paper::Paper;
use crate::commands::reproduce::results::{Row, Run};
use crate::commands::reproduce::table::Table;

pub(super) struct Geometry;

const ITEM: &str = "geometry";

/// What the error of a row is measured against.
enum Truth {
    /// A formula.
    Known(Benchmark),
    /// The value at one point.
    Value(LinearProblem, [f64; 2], f64),
    /// Values at points.
    Exact(Solved),
    /// A solution of the same problem with many more functions.
    Finer(LinearProblem),
}

/// A problem and the tolerance that is asked for.
struct Case {
    name: &'static str,
    tolerance: f64,
    truth: Truth,
}

fn cases() -> Result<Vec<Case>> {
    let known = |benchmark: Benchmark, tolerance: f64| Case {
        name: benchmark.name,
        tolerance,
        truth: Truth::Known(benchmark),
    };
    let exact = |solved: Solved, tolerance: f64| Case {
        name: solved.name,
        tolerance,
        truth: Truth::Exact(solved),
    };
    let (lightning, point, value) = shapes::l_shape_lightning()?;
    Ok(vec![
        known(shapes::flower()?, 1e-11),
        known(shapes::ellipse_ring()?, 1e-11),
        known(shapes::bean()?, 1e-11),
        Case {
            name: "l-shape-lightning",
            tolerance: 1e-9,
            truth: Truth::Value(lightning, point, value),
        },
        Case {
            name: "polygon-12",
            tolerance: 1e-8,
            truth: Truth::Finer(shapes::polygon_12()?),
        },
        known(shapes::mixed_corner()?, 1e-9),
        Case {
            name: "four-holes",
            tolerance: 1e-7,
            truth: Truth::Finer(shapes::four_holes()?),
        },
        exact(shapes::disc_in_square()?, 1e-9),
        known(shapes::ball_with_hole()?, 1e-8),
        known(shapes::torus()?, 1e-8),
        exact(shapes::scatter_disc()?, 1e-7),
        known(shapes::tokamak()?, 1e-11),
    ])
}

impl Item for Geometry {
    fn name(&self) -> &'static str {
        ITEM
    }

    fn shows(&self) -> &'static str {
        "shapes other than boxes: smooth boundaries, corners, holes, solids"
    }

    fn source(&self) -> &'static str {
        "beyond the paper"
    }

    fn settings(&self, _plan: &Plan) -> String {
        "Nothing given but the seed and the tolerance. The reference value on the L-shape is that of Gopal and Trefethen; the star and the \
         four holes are measured against solves with far more functions of corners and holes."
            .to_owned()
    }

    fn jobs(&self, plan: &Plan) -> Vec<Job> {
        let Ok(cases) = cases() else {
            return Vec::new();
        };
        cases
            .into_iter()
            .map(|case| {
                let id = format!("{ITEM}/{}/auto", case.name);
                let effort = plan.seeds as f64;
                Job::new(id, effort, move |context| solve(&case, context))
            })
            .collect()
    }

    fn tables(&self, rows: &[&Row], _paper: &Paper) -> Vec<Table> {
        vec![
            standard_tables::accuracy(ITEM, "Shapes: accuracy", rows),
            standard_tables::details("geometry-details", "Shapes: how", rows),
        ]
    }

    fn figures(&self, _rows: &[&Row], _paper: &Paper) -> Vec<Figure> {
        Vec::new()
    }
}

fn solve(case: &Case, context: &Context<'_>) -> Result<Row> {
    let reference = match &case.truth {
        Truth::Finer(problem) => Some(finer(problem)?),
        Truth::Known(_) | Truth::Value(..) | Truth::Exact(_) => None,
    };
    let runs = context.each_seed(|seed| -> Result<Run> {
        let options = on_backend(Options::new().seed(seed).tolerance(case.tolerance));
        match &case.truth {
            Truth::Known(benchmark) => {
                let solution = benchmark.problem.solve_with(&options)?;
                measured(benchmark, &solution, seed)
            }
            Truth::Exact(solved) => {
                let solution = solved.problem.solve_with(&options)?;
                let mut run = of_report(solution.report(), seed);
                run.value_error = Some(solved.error(&solution, TEST_POINTS)?);
                Ok(run)
            }
            Truth::Value(problem, point, value) => {
                let solution = problem.solve_with(&options)?;
                let mut run = of_report(solution.report(), seed);
                let error = (solution.value(point)? - value).abs() / value.abs();
                run.value_error = Some(error);
                Ok(run)
            }
            Truth::Finer(problem) => {
                let solution = problem.solve_with(&options)?;
                let mut run = of_report(solution.report(), seed);
                let reference = reference
                    .as_ref()
                    .ok_or_else(|| anyhow::anyhow!("no reference"))?;
                run.value_error = Some(distance(problem, &solution, reference)?);
                Ok(run)
            }
        }
    });
    Ok(Row::of_runs(ITEM, case.name, "auto", runs))
}

/// A solution with many functions of corners and holes beside waves, all given.
pub(crate) fn finer(problem: &LinearProblem) -> Result<Solution> {
    let domain = problem.domain();
    let bounds = domain.bounding_box()?;
    let waves = SinusoidalBasis::builder(2, 300)
        .law(FrequencyLaw::Isotropic(6.0))
        .draw(Draw::Ball)
        .map(InputMap::from_box(bounds.lo(), bounds.hi())?)
        .seed(4711)
        .build()?;
    let mut parts: Vec<Arc<dyn Basis>> = vec![Arc::new(waves)];
    let singular = [
        corner_functions(domain, 16.0, |_| false)?,
        hole_functions(domain, 28)?,
        harmonic_polynomials(domain, 70)?,
    ];
    for basis in singular.into_iter().flatten() {
        parts.push(Arc::new(basis));
    }
    let basis: Arc<dyn Basis> = Arc::new(JoinedBasis::new(parts)?);
    let options = Options::new().basis(basis).rows(3_000, 1_200).seed(4711);
    Ok(problem.solve_with(&options)?)
}

/// The relative difference of two solutions in L².
pub(crate) fn distance(problem: &LinearProblem, one: &Solution, other: &Solution) -> Result<f64> {
    let points = problems::test_points(problem.domain(), TEST_POINTS)?;
    let (a, b) = (one.values(points.view())?, other.values(points.view())?);
    let squares = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>();
    let difference = squares(&mut a.iter().zip(&b).map(|(a, b)| a - b));
    Ok((difference / squares(&mut b.iter().copied())).sqrt())
}
