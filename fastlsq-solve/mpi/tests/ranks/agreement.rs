//! Whole solves beside those of one process.

use std::sync::Arc;

use fastlsq_inverse::{InverseProblem, Observations, Sought};
use fastlsq_mpi::Mpi;
use fastlsq_mpi::fastlsq_solve::patches::PatchOptions;
use fastlsq_mpi::fastlsq_solve::problems::local::{l_shape, l_shape_source};
use fastlsq_mpi::fastlsq_solve::problems::{
    helmholtz_2d, maxwell_2d_tm, poisson_2d, poisson_5d, test_points, wave_1d,
};
use fastlsq_mpi::fastlsq_solve::{
    BoxDomain, LinearProblem, Options, Solution, TeamBackend, X, Y, exp, laplacian, parameters,
    sin, unknown,
};
use fastlsq_newton::{NewtonOptions, problems::bratu_2d};
use ndarray::{Array2, array};

use crate::inclined::Inclined;
use crate::say;

/// How much a solve by several ranks may differ from that by one, relative to its size.
const AGREEMENT: f64 = 1e-12;

pub(crate) fn problems(mpi: &Mpi) {
    for case in [
        poisson_2d(),
        helmholtz_2d(10.0),
        wave_1d(),
        maxwell_2d_tm(),
        poisson_5d(),
    ] {
        compare(mpi, case.name, &case.problem, &Options::new());
    }
    // Enough rows that there is something to share.
    let many = Options::new().features(250).rows(15_000, 3_000);
    for case in [helmholtz_2d(10.0), wave_1d()] {
        compare(
            mpi,
            &format!("{}, many rows", case.name),
            &case.problem,
            &many,
        );
    }
    let corner = l_shape_source().unwrap();
    compare(
        mpi,
        "l-shape on patches",
        &corner,
        &Options::new().tolerance(1e-8),
    );
    let u = unknown("u");
    let vary = LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(u) + (1.0 + 30.0 * sin(9.0 * X) * Y) * u, 1.0)
        .dirichlet(0.0);
    compare(
        mpi,
        "varying coefficients on patches",
        &vary,
        &Options::new().tolerance(1e-8),
    );
    joint_fronts(mpi, &vary);
    newton(mpi);
    inverse(mpi);
    inverse_on_patches(mpi);
}

/// Fronts near the root by several ranks, whether or not that is worth it.
fn joint_fronts(mpi: &Mpi, problem: &LinearProblem) {
    let patches = PatchOptions::new().first_grid([8, 8]).max_rounds(1);
    let options = Options::new().tolerance(1e-6).patches(patches);
    let team = Arc::new(Inclined::to_share(mpi.as_team()));
    let shared = options.clone().backend(TeamBackend::new(team));
    let together = problem.solve_with(&shared).unwrap();
    if mpi.rank() == 0 {
        let alone = problem.solve_with(&options).unwrap();
        let points = test_points(problem.domain(), 300).unwrap();
        let off = difference(&together, &alone, &points);
        note(mpi, "patches with joint fronts", off);
    }
}

/// Solves on all ranks together, and on rank 0 alone.
fn compare(mpi: &Mpi, name: &str, problem: &LinearProblem, options: &Options) {
    let together = problem
        .solve_with(&options.clone().backend(mpi.clone()))
        .unwrap();
    if mpi.rank() == 0 {
        let alone = problem.solve_with(options).unwrap();
        let points = test_points(problem.domain(), 300).unwrap();
        note(mpi, name, difference(&together, &alone, &points));
        assert_eq!(together.report().status, alone.report().status, "{name}");
    }
}

/// The largest difference of values at these points over the largest value.
fn difference(a: &Solution, b: &Solution, points: &Array2<f64>) -> f64 {
    let values = |u: &Solution| -> Vec<f64> {
        let of = |unknown| u.unknown(unknown).unwrap().values(points.view()).unwrap();
        u.unknowns().iter().cloned().flat_map(of).collect()
    };
    let (a, b) = (values(a), values(b));
    let largest = b.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let off = a
        .iter()
        .zip(&b)
        .fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
    off / largest
}

fn note(mpi: &Mpi, name: &str, off: f64) {
    say(mpi, name, format!("{off:.1e}"));
    assert!(off <= AGREEMENT, "{name} is off by {off:e}");
}

fn newton(mpi: &Mpi) {
    let case = bratu_2d();
    let options = NewtonOptions::new();
    let shared = Options::new().backend(mpi.clone());
    let together = case
        .problem
        .solve_with(&options.clone().solve_options(shared))
        .unwrap();
    if mpi.rank() == 0 {
        let alone = case.problem.solve_with(&options).unwrap();
        let points = test_points(case.problem.domain(), 300).unwrap();
        note(
            mpi,
            "bratu-2d by Newton",
            difference(&together, &alone, &points),
        );
    }
}

/// Where is the source, from four readings? Gradients go through the shared solve and its adjoint.
fn inverse(mpi: &Mpi) {
    let position = |options: Options| -> Vec<f64> {
        let u = unknown("u");
        let [s1, s2] = parameters(["s1", "s2"]);
        let sensors = array![[0.3, 0.3], [0.7, 0.7], [0.3, 0.7], [0.7, 0.3]];
        let readings = [0.02258, 0.02258, 0.03097, 0.01733];
        let source = exp(-((X - s1).powi(2) + (Y - s2).powi(2)) / 0.1);
        let problem = InverseProblem::on(BoxDomain::unit(2))
            .equation(-laplacian(u), source)
            .dirichlet(0.0)
            .find(Sought::new(s1, 0.5).within(0.1, 0.9))
            .find(Sought::new(s2, 0.5).within(0.1, 0.9))
            .observe(Observations::of(u, sensors, &readings).deviation(1e-4))
            .options(options.features(120).bandwidth(5.0).rows(6_000, 1_000));
        problem.fit().unwrap().parameters
    };
    compare_fits(mpi, "source by an inverse fit", position);
}

/// How strong are source and boundary values on an L? Patches are factored once, and gradients come from their adjoint.
fn inverse_on_patches(mpi: &Mpi) {
    let strengths = |options: Options| -> Vec<f64> {
        let u = unknown("u");
        let [q, g] = parameters(["q", "g"]);
        let sensors = array![[-0.6, 0.3], [0.5, 0.5], [0.5, -0.6], [0.1, 0.1]];
        let problem = InverseProblem::on(l_shape().unwrap())
            .equation(-laplacian(u), q)
            .dirichlet(g * X)
            .find(Sought::new(q, 1.0))
            .find(Sought::new(g, 0.0))
            .observe(Observations::of(u, sensors, &[-0.2, 0.5, 0.4, 0.2]).deviation(1e-2))
            .options(options.tolerance(1e-6).patches(PatchOptions::new()));
        problem.fit().unwrap().parameters
    };
    compare_fits(mpi, "strengths by a fit on patches", strengths);
}

/// Fits on all ranks together, and on rank 0 alone.
fn compare_fits(mpi: &Mpi, name: &str, fit: impl Fn(Options) -> Vec<f64>) {
    let before = mpi.counts().messages;
    let together = fit(Options::new().backend(mpi.clone()));
    let shared = mpi.counts().messages > before;
    assert_eq!(shared, mpi.size() > 1, "{name}: nothing is shared");
    if mpi.rank() == 0 {
        let alone = fit(Options::new());
        let pairs = together.iter().zip(&alone);
        let off = pairs.map(|(a, b)| (a - b).abs() / b.abs());
        note(mpi, name, off.fold(0.0, f64::max));
    }
}
