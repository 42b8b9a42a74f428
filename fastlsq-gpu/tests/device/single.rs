//! Factored in single precision, solved in double precision.

use fastlsq_gpu::{Backend, Cuda};
use fastlsq_solve::conformance::CHECKS;
use fastlsq_solve::problems::poisson_2d;
use fastlsq_solve::{CpuBackend, LsqOptions, Options, RowSource};

use crate::case::{Case, Verdict, require, text};
use crate::suite::system;

/// Checks that ask for more than single precision can tell: least norm to eight digits, and a function that
/// only features dependent to rounding represent to ten.
const TOO_MUCH: [&str; 3] = ["rank_deficient", "wide", "smooth_function"];

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for &(name, check) in CHECKS.iter().filter(|(name, _)| !TOO_MUCH.contains(name)) {
        for rows in [10_000, 48] {
            let name = format!("single::{name}_{rows}_rows_at_a_time");
            cases.push(Case::new(name, move || {
                check(&device()?.block_rows(rows)).map_err(text)
            }));
        }
    }
    cases.push(Case::new("single::as_in_double", as_in_double));
    cases.push(Case::new("single::stated_accuracy", stated_accuracy));
    cases.push(Case::new("single::without_rows", without_rows));
    cases
}

fn device() -> Result<Cuda, String> {
    Ok(Cuda::new().map_err(text)?.single_precision())
}

/// Well-conditioned systems are solved as in double precision, which the factor alone could not do.
fn as_in_double() -> Verdict {
    let system = system(40, 12.0, 200)?;
    let b = faer::Mat::from_fn(system.nrows(), 2, |i, j| ((i * (j + 2)) as f64).cos());
    let v = faer::Mat::from_fn(system.ncols(), 2, |i, j| ((i + 7 * j) as f64).sin());
    for ridge in [0.0, 1e-4] {
        let options = LsqOptions::new().ridge(ridge).keep_q(true);
        let ours = device()?.factor(&system, &options).map_err(text)?;
        let theirs = CpuBackend.factor(&system, &options).map_err(text)?;
        for (what, a, b) in [
            ("the solution", ours.solution(), theirs.solution()),
            ("a solve", ours.solve(b.as_ref()), theirs.solve(b.as_ref())),
            (
                "the adjoint",
                ours.adjoint(v.as_ref()),
                theirs.adjoint(v.as_ref()),
            ),
        ] {
            let (a, b) = (a.map_err(text)?, b.map_err(text)?);
            let off = (&a - &b).norm_l2() / b.norm_l2();
            require(off < 1e-11, || {
                format!("ridge {ridge}: {what} is off by {off:.1e}")
            })?;
        }
        let info = ours.info();
        require(info.reason.contains("single precision"), || {
            info.to_string()
        })?;
        require((info.rows, info.cols, info.rank) == (300, 40, 40), || {
            info.to_string()
        })?;
    }
    Ok(())
}

/// Smooth features that solve a problem to rounding in double precision: six digits or so
/// are promised here.
fn stated_accuracy() -> Verdict {
    let benchmark = poisson_2d();
    let options = Options::new().features(220).bandwidth(4.0).rows(660, 220);
    let options = options.backend(device()?);
    let u = benchmark.problem.solve_with(&options).map_err(text)?;
    let error = benchmark.errors(&u, 500).map_err(text)?.value;
    require(error < 2e-6, || {
        format!("the error is {error:.1e}: {}", u.report())
    })
}

/// Further solves need the rows.
fn without_rows() -> Verdict {
    let system = system(20, 12.0, 80)?;
    let factored = device()?
        .factor(&system, &LsqOptions::new())
        .map_err(text)?;
    let b = faer::Mat::zeros(system.nrows(), 1);
    let v = faer::Mat::zeros(system.ncols(), 1);
    let refused = factored.solve(b.as_ref()).is_err() && factored.adjoint(v.as_ref()).is_err();
    require(refused, || "a solve without rows was answered".to_owned())
}
