//! Eigenvalues in trial spaces, against exact ones.

use std::f64::consts::PI;
use std::time::Instant;

use anyhow::Result;
use fastlsq_solve::space::{Eigenproblem, Wanted};
use fastlsq_solve::{
    Ball, BoxDomain, Interval, Polygon, WALLS, X, biharmonic, laplacian, normal_derivative, unknown,
};

use super::solving::finite;
use crate::commands::reproduce::figure::Figure;
use crate::commands::reproduce::item::{Context, Item, Job, Plan};
use crate::commands::reproduce::paper::Paper;
use crate::commands::reproduce::results::{Row, Run};
use crate::commands::reproduce::table::{Cell, Style, Table};

pub(super) struct Eigen;

/// A problem with its first eigenvalues.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    problem: fn() -> Result<Eigenproblem>,
    pub(crate) exact: fn() -> Vec<f64>,
}

pub(crate) const CASES: [Case; 6] = [
    Case {
        name: "interval",
        problem: || {
            Ok(
                Eigenproblem::new(Interval::unit(), -laplacian(unknown("u")))
                    .condition(WALLS, unknown("u")),
            )
        },
        exact: || (1..=10).map(|k| (PI * f64::from(k)).powi(2)).collect(),
    },
    Case {
        name: "oscillator",
        problem: || {
            let u = unknown("u");
            let line = Interval::new(-10.0, 10.0)?;
            Ok(Eigenproblem::new(line, -u.d(X).d(X) + X * X * u).condition(WALLS, u))
        },
        exact: || (0..10).map(|k| f64::from(2 * k + 1)).collect(),
    },
    Case {
        name: "disc",
        problem: || {
            Ok(Eigenproblem::new(Ball::unit(2), -laplacian(unknown("u")))
                .condition(WALLS, unknown("u")))
        },
        exact: disc,
    },
    Case {
        name: "square",
        problem: || {
            Ok(
                Eigenproblem::new(BoxDomain::unit(2), -laplacian(unknown("u")))
                    .condition(WALLS, unknown("u")),
            )
        },
        exact: || {
            let pairs =
                (1..8).flat_map(|i| (1..8).map(move |j| PI * PI * f64::from(i * i + j * j)));
            smallest(pairs.collect(), 12)
        },
    },
    Case {
        name: "plate",
        problem: || {
            let u = unknown("u");
            let plate = Eigenproblem::new(BoxDomain::unit(2), biharmonic(u)).tolerance(1e-8);
            Ok(plate
                .condition(WALLS, u)
                .condition(WALLS, normal_derivative(u)))
        },
        exact: || vec![1_294.933_979_59],
    },
    Case {
        name: "l-shape",
        problem: || {
            let corners = [
                [0.0, 0.0],
                [2.0, 0.0],
                [2.0, 1.0],
                [1.0, 1.0],
                [1.0, 2.0],
                [0.0, 2.0],
            ];
            let drum = Eigenproblem::new(Polygon::new(&corners)?, -laplacian(unknown("u")));
            Ok(drum.condition(WALLS, unknown("u")).tolerance(1e-9))
        },
        // The first and the second by the method of particular solutions, the third from the square.
        exact: || vec![9.639_723_844_021_9, 15.197_251_926_454_3, 2.0 * PI * PI],
    },
];

fn smallest(mut values: Vec<f64>, count: usize) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values.truncate(count);
    values
}

/// Squares of the zeros of Bessel's functions, twice each but for order 0.
fn disc() -> Vec<f64> {
    let mut values = Vec::new();
    for order in 0..12 {
        for zero in bessel_zeros(order, 15.0) {
            values.extend(vec![zero * zero; if order == 0 { 1 } else { 2 }]);
        }
    }
    smallest(values, 20)
}

/// Zeros of Jₙ below `end` by bisection; Bessel's integral by the trapezoidal rule, which is exact to rounding here.
fn bessel_zeros(order: u32, end: f64) -> Vec<f64> {
    let j = |x: f64| {
        let angles = (0..200).map(|k| 2.0 * PI * f64::from(k) / 200.0);
        angles
            .map(|a| (f64::from(order) * a - x * a.sin()).cos())
            .sum::<f64>()
    };
    let mut zeros = Vec::new();
    let mut x = 0.5;
    while x < end {
        let (mut lo, mut hi) = (x, x + 0.1);
        if (j(lo) < 0.0) != (j(hi) < 0.0) {
            for _ in 0..60 {
                let middle = 0.5 * (lo + hi);
                if (j(lo) < 0.0) == (j(middle) < 0.0) {
                    lo = middle;
                } else {
                    hi = middle;
                }
            }
            zeros.push(0.5 * (lo + hi));
        }
        x += 0.1;
    }
    zeros
}

impl Item for Eigen {
    fn name(&self) -> &'static str {
        "eigen"
    }

    fn shows(&self) -> &'static str {
        "eigenvalues in trial spaces"
    }

    fn source(&self) -> &'static str {
        "beyond the paper"
    }

    fn settings(&self, _plan: &Plan) -> String {
        "Nothing given but the seed. The error is the largest relative one of all pairs: 10 on the interval [0,1] and for the \
         oscillator −u″ + x²u on [−10,10], 20 on the disc, 12 on the square, with their multiplicities; of the clamped \
         square plate the lowest; three on the L-shape with its corner that re-enters."
            .to_owned()
    }

    fn jobs(&self, plan: &Plan) -> Vec<Job> {
        let effort = plan.seeds as f64;
        CASES
            .iter()
            .map(|case| {
                let id = format!("eigen/{}/auto", case.name);
                Job::new(id, effort, move |context| Ok(row(case, context)))
            })
            .collect()
    }

    fn tables(&self, rows: &[&Row], _paper: &Paper) -> Vec<Table> {
        let columns = vec![
            "problem",
            "worst error",
            "worst of all runs",
            "estimate",
            "estimate / error",
            "seconds",
            "functions",
        ];
        let mut table = Table::new("eigen", "Eigenvalues", columns);
        for row in rows {
            table.rows.push(vec![
                Cell::words(&row.case),
                Cell::ours(row, "value_error", Style::Scientific),
                Cell::ours(row, "value_error_worst", Style::Scientific),
                Cell::ours(row, "estimate", Style::Scientific),
                Cell::ratio(row.median.estimate, row.median.value_error),
                Cell::ours(row, "seconds", Style::Plain),
                Cell::ours(row, "features", Style::Count),
            ]);
        }
        vec![table]
    }

    fn figures(&self, _rows: &[&Row], _paper: &Paper) -> Vec<Figure> {
        Vec::new()
    }
}

fn row(case: &Case, context: &Context<'_>) -> Row {
    let runs = context.each_seed(|seed| case.run(seed));
    Row::of_runs("eigen", case.name, "auto", runs)
}

impl Case {
    /// Nothing given but the seed.
    pub(crate) fn run(&self, seed: u64) -> Result<Run> {
        let exact = (self.exact)();
        let problem = (self.problem)()?.seed(seed);
        let clock = Instant::now();
        let spectrum = problem.solve(Wanted::Smallest(exact.len()))?;
        let seconds = clock.elapsed().as_secs_f64();
        let values: Vec<f64> = spectrum.pairs().iter().map(|pair| pair.value.re).collect();
        Ok(Run {
            value_error: worst(&values, &exact),
            estimate: finite(spectrum.worst_estimate()),
            seconds: Some(seconds),
            features: Some(spectrum.space().report().dim),
            status: if spectrum.is_symmetric() {
                "symmetric"
            } else {
                "general"
            }
            .to_owned(),
            reason: (values.len() != exact.len())
                .then(|| format!("{} pairs instead of {}", values.len(), exact.len())),
            seed,
            ..Run::default()
        })
    }
}

/// The largest relative error; `None` unless there are as many values as there should be, and all are finite.
pub(crate) fn worst(found: &[f64], exact: &[f64]) -> Option<f64> {
    let mut errors = found.iter().zip(exact).map(|(a, b)| (a / b - 1.0).abs());
    let worst = errors.try_fold(0.0, |worst: f64, error| Some(worst.max(finite(error)?)));
    worst.filter(|_| found.len() == exact.len())
}
