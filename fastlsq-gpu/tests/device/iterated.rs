//! Newton's method and inverse problems, which solve on the device again and again.

use std::f64::consts::PI;

use fastlsq_gpu::Cuda;
use fastlsq_inverse::{InverseProblem, Observations, Sought};
use fastlsq_newton::{NewtonOptions, NonlinearProblem};
use fastlsq_solve::{
    Interval, LsqOptions, Options, X, div, exp, grad, laplacian, parameter, sin, unknown,
};
use ndarray::array;

use crate::case::{Case, Verdict, require, text};

pub(crate) fn cases() -> Vec<Case> {
    vec![
        Case::new("problems::newton", newton),
        Case::new("problems::unknown_source", unknown_source),
        Case::new("problems::unknown_coefficient", || unknown_coefficient(0.0)),
        Case::new("problems::unknown_coefficient_ridge", || {
            unknown_coefficient(1e-10)
        }),
    ]
}

/// Newton's method, whose steps are linear systems: u″ + eᵘ = 0 on [0, 1], u = 0 at both ends.
fn newton() -> Verdict {
    let options = Options::new()
        .features(60)
        .bandwidth(3.0)
        .rows(200, 2)
        .backend(Cuda::new().map_err(text)?);
    let u = unknown("u");
    let u = NonlinearProblem::on(Interval::unit())
        .equation(laplacian(u) + exp(u), 0.0)
        .dirichlet(0.0)
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

/// The options of the small systems of a rod.
fn options() -> Result<Options, String> {
    Ok(Options::new()
        .features(40)
        .bandwidth(3.0)
        .rows(120, 2)
        .backend(Cuda::new().map_err(text)?))
}

/// An inverse problem whose data depend on the parameter: one factorisation on the device, then adjoint solves.
/// With −u″ = p sin πx, u(½) = p/π².
fn unknown_source() -> Verdict {
    let (u, p) = (unknown("u"), parameter("p"));
    let fit = InverseProblem::on(Interval::unit())
        .equation(-laplacian(u), p * sin(PI * X))
        .dirichlet(0.0)
        .find(Sought::new(p, 1.0))
        .observe(Observations::of(u, array![[0.5]], &[0.3]).deviation(1e-3))
        .options(options()?)
        .fit()
        .map_err(text)?;
    let off = (fit.parameters[0] / (0.3 * PI * PI) - 1.0).abs();
    require(off < 1e-8, || format!("off by {off:.1e}"))
}

/// One whose operator depends on the parameter: a factorisation on the device for each value tried.
/// With −((1 + p x) u′)′ = 1, u(½) = (ln(1 + p/2)/ln(1 + p) − ½)/p.
fn unknown_coefficient(ridge: f64) -> Verdict {
    let (u, p) = (unknown("u"), parameter("p"));
    let fit = InverseProblem::on(Interval::unit())
        .equation(-div((1.0 + p * X) * grad(u)), 1.0)
        .dirichlet(0.0)
        .find(Sought::new(p, 0.1).within(-0.5, 5.0))
        .observe(Observations::of(u, array![[0.5]], &[0.085]).deviation(1e-3))
        .options(options()?.lsq(LsqOptions::new().ridge(ridge)))
        .fit()
        .map_err(text)?;
    let p = fit.parameters[0];
    let off = (((1.0 + p / 2.0).ln() / (1.0 + p).ln() - 0.5) / p - 0.085).abs();
    require(off < 1e-6, || format!("off by {off:.1e} at p = {p}"))
}
