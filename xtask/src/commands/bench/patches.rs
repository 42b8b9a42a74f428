//! How the time of patches grows with their number, on uniform grids with one size of leaf.

use anyhow::Result;
use fastlsq_solve::patches::{PatchOptions, PatchTimes};
use fastlsq_solve::{BoxDomain, LinearProblem, X, Y, laplacian, unknown};

use super::{Measurement, Scope};

/// Seconds of one stage.
type Seconds = fn(&PatchTimes) -> f64;

/// A problem on grids of several sizes.
struct Family {
    name: &'static str,
    dim: usize,
    problem: LinearProblem,
    /// Cells along an axis.
    grids: [usize; 3],
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
        },
        Family {
            name: "plane, own operators",
            dim: 2,
            problem: on(2)
                .equation(-laplacian(u) + (1.0 + X + Y * Y) * u, 1.0)
                .dirichlet(0.0),
            grids: scope.pick([4, 8, 16], [8, 16, 32]),
        },
        Family {
            name: "space, one operator",
            dim: 3,
            problem: on(3).equation(-laplacian(u), 1.0).dirichlet(0.0),
            grids: scope.pick([1, 2, 4], [2, 4, 6]),
        },
    ];
    let mut rows = Vec::new();
    for family in families {
        let mut measured = Vec::new();
        for cells in family.grids {
            let options = PatchOptions::new()
                .first_grid(vec![cells; family.dim])
                .max_rounds(1);
            let found = family.problem.solve_in_patches(&options)?;
            let report = found.report();
            let case = format!("{}, {} patches", family.name, report.leaves);
            let total = report.times.total.as_secs_f64();
            rows.push(Measurement::new("patches", &case, "seconds", total));
            let memory = report.memory as f64 / f64::from(1 << 20);
            rows.push(Measurement::new("patches", &case, "mebibytes", memory));
            measured.push((report.leaves, report.times));
        }
        let stages: [(&str, Seconds); 2] = [
            ("growth exponent of leaves and traces", |times| {
                (times.leaves + times.solve + times.indicators).as_secs_f64()
            }),
            ("growth exponent of elimination", |times| {
                times.elimination.as_secs_f64()
            }),
        ];
        for (figure, stage) in stages {
            if let [first, .., last] = measured.as_slice() {
                let time = (stage(&last.1) / stage(&first.1)).ln();
                let size = (last.0 as f64 / first.0 as f64).ln();
                rows.push(Measurement::new(
                    "patches",
                    family.name,
                    figure,
                    time / size,
                ));
            }
        }
    }
    Ok(rows)
}
