//! The paper's linear problems, small, from statement to solution.

use std::f64::consts::PI;

use fastlsq_basis::sampling::UnitSampler;
use fastlsq_gpu::{Backend, Cuda};
use fastlsq_inverse::{InverseProblem, Observations, Parameter};
use fastlsq_newton::{Interval, NewtonOptions, NonlinearProblem};
use fastlsq_solve::problems::{self, Benchmark};
use fastlsq_solve::{
    BoxDomain, CpuBackend, LinearProblem, LsqOptions, Options, Solution, System, identity,
    laplacian, partial,
};
use ndarray::array;

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
    cases.push(Case::new("problems::newton", newton));
    cases.push(Case::new("problems::unknown_source", unknown_source));
    cases.push(Case::new("problems::unknown_coefficient", || {
        unknown_coefficient(0.0)
    }));
    cases.push(Case::new("problems::unknown_coefficient_ridge", || {
        unknown_coefficient(1e-10)
    }));
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
        identity(2).apply(basis[0], &beta, &points).map_err(text)
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
    // −Δu = 5π² sin πx sin 2πy has the solution sin πx sin 2πy.
    let exact = |x: &[f64]| (PI * x[0]).sin() * (2.0 * PI * x[1]).sin();
    let u = factored
        .new_data()
        .source(0, move |x| 5.0 * PI * PI * exact(x))
        .and_then(fastlsq_solve::NewData::solve)
        .map_err(text)?;
    for x in [[0.4, 0.6], [0.1, 0.9], [0.5, 0.25]] {
        let off = (u.value(&x).map_err(text)? - exact(&x)).abs();
        require(off < 1e-8, || format!("off by {off:.1e} at {x:?}"))?;
    }
    Ok(())
}

/// Newton's method, whose steps are linear systems: u″ + eᵘ = 0 on [0, 1], u = 0 at both ends.
fn newton() -> Verdict {
    let options = Options::new()
        .features(60)
        .bandwidth(3.0)
        .rows(200, 2)
        .backend(Cuda::new().map_err(text)?);
    let u = NonlinearProblem::on(Interval::unit())
        .equation(|u, _| u.partial_order(0, 2) + u.value().exp())
        .dirichlet(|_| 0.0)
        .solve_with(&NewtonOptions::new().solve_options(options))
        .map_err(text)?;
    // u = 2 ln(cosh θ / cosh(θ(1 − 2x))) with θ = cosh θ / √8.
    let theta: f64 = 0.379_291_149_762_688_6;
    for x in [0.1, 0.5, 0.8] {
        let exact = 2.0 * (theta.cosh() / (theta * (1.0 - 2.0 * x)).cosh()).ln();
        let off = (u.value(&[x]).map_err(text)? - exact).abs();
        require(off < 1e-11, || format!("off by {off:.1e} at {x}"))?;
    }
    Ok(())
}

/// A rod with ends at 0, and the options of its small systems.
fn rod() -> Result<(LinearProblem, Options), String> {
    let problem = LinearProblem::on(BoxDomain::unit(1))
        .equation(-laplacian(1), |_| 1.0)
        .dirichlet(|_| 0.0);
    let options = Options::new()
        .features(40)
        .bandwidth(3.0)
        .rows(120, 2)
        .backend(Cuda::new().map_err(text)?);
    Ok((problem, options))
}

/// An inverse problem whose data depend on the parameter: one factorisation on the device, then adjoint solves.
/// With −u″ = p sin πx, u(½) = p/π².
fn unknown_source() -> Verdict {
    let (rod, options) = rod()?;
    let fit = InverseProblem::of(rod, [Parameter::new("strength", 1.0)])
        .source(0, |x, p| p[0] * (PI * x[0]).sin())
        .observe(Observations::of_values(array![[0.5]], &[0.3]).deviation(1e-3))
        .options(options)
        .fit()
        .map_err(text)?;
    let off = (fit.parameters[0] / (0.3 * PI * PI) - 1.0).abs();
    require(off < 1e-8, || format!("off by {off:.1e}"))
}

/// One whose operator depends on the parameter: a factorisation on the device for each value tried.
/// With −((1 + p x) u′)′ = 1, u(½) = (ln(1 + p/2)/ln(1 + p) − ½)/p.
fn unknown_coefficient(ridge: f64) -> Verdict {
    let (rod, options) = rod()?;
    let fit = InverseProblem::of(rod, [Parameter::new("p", 0.1).within(-0.5, 5.0)])
        .term(0, -laplacian(1), |x, p| p[0] * x[0])
        .term(0, -partial(1, 0), |_, p| p[0])
        .observe(Observations::of_values(array![[0.5]], &[0.085]).deviation(1e-3))
        .options(options.lsq(LsqOptions::new().ridge(ridge)))
        .fit()
        .map_err(text)?;
    let p = fit.parameters[0];
    let off = (((1.0 + p / 2.0).ln() / (1.0 + p).ln() - 0.5) / p - 0.085).abs();
    require(off < 1e-6, || format!("off by {off:.1e} at p = {p}"))
}
