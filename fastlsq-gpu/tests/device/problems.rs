//! The paper's linear problems, small, from statement to solution.

use fastlsq_basis::sampling::UnitSampler;
use fastlsq_gpu::Cuda;
use fastlsq_solve::problems::{self, Benchmark};
use fastlsq_solve::{Options, Solution};

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
    cases.push(Case::new("problems::automatic_choices", automatic));
    cases.push(Case::new("problems::other_data", other_data));
    cases
}

/// Both backends give the same function, to ten digits.
fn solved_alike(benchmark: &Benchmark) -> Verdict {
    let sigma = match benchmark.name {
        "helmholtz-2d" => 8.0,
        "wave-1d" => 14.0,
        _ => 2.0,
    };
    let options = Options::new()
        .features(220)
        .bandwidth(sigma)
        .rows(700, 220)
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
    let off = difference(benchmark, &ours, &theirs)?;
    let (error, theirs) = (
        benchmark.errors(&ours, 500).map_err(text)?.value,
        benchmark.errors(&theirs, 500).map_err(text)?.value,
    );
    eprintln!(
        "{}: off by {off:.1e}, error {error:.1e} against {theirs:.1e}",
        benchmark.name
    );
    require(off < 1e-10, || format!("off by {off:.1e}"))?;
    require(error < 2.0 * theirs + 1e-10, || {
        format!("the error is {error:.1e} against {theirs:.1e}")
    })
}

fn difference(benchmark: &Benchmark, a: &Solution, b: &Solution) -> Result<f64, String> {
    let domain = benchmark.problem.domain();
    let mut sampler = UnitSampler::independent(4);
    let points = domain.sample_interior(300, &mut sampler).map_err(text)?;
    let (a, b) = (
        a.values(points.view()).map_err(text)?,
        b.values(points.view()).map_err(text)?,
    );
    let size: f64 = b.iter().map(|y| y * y).sum();
    let off: f64 = a.iter().zip(&b).map(|(x, y)| (x - y) * (x - y)).sum();
    Ok((off / size).sqrt())
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
    let benchmark = problems::helmholtz_2d(5.0);
    let cuda = Cuda::new().map_err(text)?;
    let options = Options::new()
        .features(150)
        .bandwidth(6.0)
        .rows(400, 150)
        .backend(cuda);
    let factored = benchmark.problem.factor_with(&options).map_err(text)?;
    let u = factored
        .new_data()
        .source(0, |_| 1.0)
        .map_err(text)?
        .solve()
        .map_err(text)?;
    let residual = u.report().held_out_residual;
    require(residual.is_finite(), || u.report().to_string())?;
    let laplacian = u.laplacian(&[0.4, 0.6]).map_err(text)?;
    let value = u.value(&[0.4, 0.6]).map_err(text)?;
    let off = (laplacian + 25.0 * value - 1.0).abs();
    require(off < 1e-4, || format!("Δu + 25u is off by {off:.1e}"))
}
