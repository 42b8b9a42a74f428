//! The paper's linear problems, small, from statement to solution.

use std::f64::consts::PI;

use fastlsq_basis::sampling::UnitSampler;
use fastlsq_gpu::{Backend, Cuda};
use fastlsq_solve::problems::{self, Benchmark};
use fastlsq_solve::{
    CpuBackend, EquationRow, LsqOptions, Options, Solution, System, X, Y, laplacian, sin, unknown,
};

use crate::case::{Case, Verdict, require, text};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = problems::paper()
        .into_iter()
        .map(|benchmark| {
            Case::new(format!("problems::{}", benchmark.name), move || {
                solved_alike(&benchmark)
            })
        })
        .collect();
    cases.push(Case::new("problems::to_rounding", to_rounding));
    cases.push(Case::new("problems::rank_deficient", rank_deficient));
    cases.push(Case::new("problems::automatic_choices", automatic));
    cases.push(Case::new("problems::other_data", other_data));
    cases
}

/// Both backends give the same function, to ten digits.
///
/// Bandwidths and features are such that this is a fair question: with smoother features the systems become
/// so dependent that the order of the rows alone changes more digits; see `rank_deficient`.
fn solved_alike(benchmark: &Benchmark) -> Verdict {
    let (sigma, features) = match benchmark.name {
        "helmholtz-2d" => (14.0, 150),
        "wave-1d" => (20.0, 120),
        "maxwell-2d-tm" => (3.0, 150),
        _ => (2.0, 220),
    };
    let options = Options::new()
        .features(features)
        .bandwidth(sigma)
        .rows(3 * features, features)
        .seed(1);
    let cuda = Cuda::new().map_err(text)?;
    let ours = benchmark
        .problem
        .solve_with(&options.clone().backend(cuda))
        .map_err(text)?;
    let theirs = benchmark.problem.solve_with(&options).map_err(text)?;
    let report = ours.report();
    require(report.backend.starts_with("cuda"), || {
        report.backend.clone()
    })?;
    require(report.rank == theirs.report().rank, || report.to_string())?;
    let off = difference(benchmark, &ours, &theirs)?;
    require(off < 1e-10, || format!("off by {off:.1e}"))
}

/// A problem that these few features solve to rounding is solved to rounding.
fn to_rounding() -> Verdict {
    let benchmark = problems::poisson_2d();
    let cuda = Cuda::new().map_err(text)?;
    let options = Options::new().features(220).bandwidth(4.0).rows(660, 220);
    let u = benchmark
        .problem
        .solve_with(&options.backend(cuda))
        .map_err(text)?;
    let errors = benchmark.errors(&u, 500).map_err(text)?;
    require(errors.value < 1e-12 && errors.gradient < 1e-11, || {
        format!("{errors:?}")
    })
}

/// Where columns depend on each other to rounding, the device differs from the processor no more than the
/// processor from itself when the rows come in another order.
fn rank_deficient() -> Verdict {
    let benchmark = problems::helmholtz_2d(10.0);
    let options = Options::new().features(220).bandwidth(8.0).rows(660, 220);
    let factored = benchmark.problem.factor_with(&options).map_err(text)?;
    let system = factored.system();
    let mut blocks = system.blocks().to_vec();
    blocks.reverse();
    let reversed = System::new(system.bases().to_vec(), blocks).map_err(text)?;
    let mut sampler = UnitSampler::independent(4);
    let domain = benchmark.problem.domain();
    let points = domain.sample_interior(300, &mut sampler).map_err(text)?;
    let values = |backend: &dyn Backend, system: &System| -> Result<Vec<f64>, String> {
        let beta = backend
            .factor(system, &LsqOptions::new())
            .and_then(|factored| factored.solution())
            .map_err(text)?;
        let beta: Vec<f64> = (0..beta.nrows()).map(|j| beta[(j, 0)]).collect();
        let basis = system.basis_refs();
        EquationRow::value(2, 0, 1)
            .apply(&basis, &beta, &points)
            .map_err(text)
    };
    let there = values(&CpuBackend, system)?;
    let here = values(&Cuda::new().map_err(text)?, system)?;
    let turned = values(&CpuBackend, &reversed)?;
    let (off, allowed) = (relative(&here, &there), relative(&turned, &there));
    require(off < 1e-5 && off <= 10.0 * allowed, || {
        format!("off by {off:.1e}, where the processor is off by {allowed:.1e}")
    })
}

fn relative(a: &[f64], b: &[f64]) -> f64 {
    let size: f64 = b.iter().map(|y| y * y).sum();
    let off: f64 = a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum();
    (off / size).sqrt()
}

fn difference(benchmark: &Benchmark, a: &Solution, b: &Solution) -> Result<f64, String> {
    let domain = benchmark.problem.domain();
    let mut sampler = UnitSampler::independent(4);
    let points = domain.sample_interior(300, &mut sampler).map_err(text)?;
    let (a, b) = (
        a.values(points.view()).map_err(text)?,
        b.values(points.view()).map_err(text)?,
    );
    Ok(relative(&a, &b))
}

/// Bandwidth, features, rows and weights chosen with the device's help.
fn automatic() -> Verdict {
    let benchmark = problems::poisson_2d();
    let cuda = Cuda::new().map_err(text)?;
    let options = Options::new()
        .backend(cuda)
        .tolerance(1e-6)
        .max_features(150);
    let u = benchmark.problem.solve_with(&options).map_err(text)?;
    let error = benchmark.errors(&u, 300).map_err(text)?.value;
    require(error < 1e-6, || {
        format!("the error is {error:.1e}: {}", u.report())
    })
}

/// A factored problem keeps its factors on the device for other data.
fn other_data() -> Verdict {
    let benchmark = problems::poisson_2d();
    let cuda = Cuda::new().map_err(text)?;
    let options = Options::new().features(220).bandwidth(4.0).rows(660, 220);
    let factored = benchmark
        .problem
        .factor_with(&options.backend(cuda))
        .map_err(text)?;
    let exact = sin(PI * X) * sin(2.0 * PI * Y);
    let solution = factored
        .new_data()
        .right("equation 1", -laplacian(&exact))
        .and_then(fastlsq_solve::NewData::solve)
        .map_err(text)?;
    for x in [[0.4, 0.6], [0.1, 0.9], [0.5, 0.25]] {
        let off = solution.at(unknown("u") - &exact, &x).map_err(text)?.abs();
        require(off < 1e-8, || format!("off by {off:.1e} at {x:?}"))?;
    }
    Ok(())
}
