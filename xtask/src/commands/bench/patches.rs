//! How the time of patches grows with their number, on uniform grids with one size of leaf.
//!
//! What is counted is the time of the processors, so that other programs on the machine do not matter; that of a stage is its
//! share of the whole by the clock.

use anyhow::Result;
use fastlsq_solve::patches::{PatchOptions, PatchTimes};
use fastlsq_solve::{BoxDomain, LinearProblem, X, Y, laplacian, unknown};

use super::{Measurement, Scope};
use crate::machine::processor_time;

/// Seconds of one stage.
type Seconds = fn(&PatchTimes) -> f64;

/// A problem on grids of several sizes.
struct Family {
    name: &'static str,
    dim: usize,
    problem: LinearProblem,
    /// Cells along an axis.
    grids: [usize; 3],
    /// The largest exponents of leaves and traces, and of elimination.
    limits: [f64; 2],
}

pub(super) fn run(scope: &Scope) -> Result<Vec<Measurement>> {
    let u = unknown("u");
    let on = |dim: usize| LinearProblem::on(BoxDomain::unit(dim));
    let families = [
        Family {
            name: "plane, one operator",
            dim: 2,
            problem: on(2).equation(-laplacian(u), 1.0).dirichlet(0.0),
            grids: scope.pick([8, 16, 32], [16, 32, 64]),
            // Equal fronts are factored once: what grows is the last separator, n^{1/2} sides and the cube of that.
            limits: [1.1, 1.5],
        },
        Family {
            name: "plane, own operators",
            dim: 2,
            problem: on(2)
                .equation(-laplacian(u) + (1.0 + X + Y * Y) * u, 1.0)
                .dirichlet(0.0),
            grids: scope.pick([4, 8, 16], [8, 16, 32]),
            limits: [1.1, 1.5],
        },
        Family {
            name: "space, one operator",
            dim: 3,
            problem: on(3).equation(-laplacian(u), 1.0).dirichlet(0.0),
            grids: scope.pick([1, 2, 4], [2, 4, 6]),
            // n^{2/3} faces in the last separator.
            limits: [1.1, 2.0],
        },
    ];
    let mut rows = Vec::new();
    for family in families {
        let mut measured = Vec::new();
        for cells in family.grids {
            let options = PatchOptions::new()
                .first_grid(vec![cells; family.dim])
                .max_rounds(1);
            let before = processor_time();
            let found = family.problem.solve_in_patches(&options)?;
            let processors = (processor_time() - before).as_secs_f64();
            let report = found.report();
            let case = format!("{}, {} patches", family.name, report.leaves);
            rows.push(Measurement::new(
                "patches",
                &case,
                "processor seconds",
                processors,
            ));
            let memory = report.memory as f64 / f64::from(1 << 20);
            rows.push(Measurement::new("patches", &case, "mebibytes", memory));
            let by_clock = report.times.total.as_secs_f64();
            measured.push((report.leaves, report.times, processors / by_clock));
        }
        let stages: [(&str, Seconds); 2] = [
            ("growth exponent of leaves and traces", |times| {
                (times.leaves + times.solve + times.indicators).as_secs_f64()
            }),
            ("growth exponent of elimination", |times| {
                times.elimination.as_secs_f64()
            }),
        ];
        for ((figure, stage), limit) in stages.into_iter().zip(family.limits) {
            if let [.., first, last] = measured.as_slice() {
                let time = (last.2 * stage(&last.1) / (first.2 * stage(&first.1))).ln();
                let size = (last.0 as f64 / first.0 as f64).ln();
                let exponent = Measurement::new("patches", family.name, figure, time / size);
                rows.push(exponent.at_most(limit));
            }
        }
    }
    Ok(rows)
}
