//! Where parameters may stand, what may be observed, and what a statement must not say.

#![allow(clippy::unwrap_used)]

use std::f64::consts::PI;

use fastlsq_inverse::{
    BoxDomain, Condition, Expr, Fit, Interval, InverseError, InverseProblem, MistakeReason,
    Observations, Options, SolveError, Sought, SpaceTime, StatementError, T, X, cos, laplacian,
    parameter, parameters, sin, unknown, unknowns,
};
use ndarray::{Array2, array};

fn places(count: usize) -> Array2<f64> {
    Array2::from_shape_fn((count, 1), |(i, _)| (i as f64 + 0.5) / count as f64)
}

/// u = g x + q x (1 − x)/2: the solution of −u″ = q, u(0) = 0, u(1) = g.
fn exact(q: f64, g: f64, x: f64) -> f64 {
    g * x + 0.5 * q * x * (1.0 - x)
}

fn few() -> Options {
    Options::new().features(40).bandwidth(2.0)
}

fn line() -> InverseProblem {
    let [q, g] = parameters(["q", "g"]);
    InverseProblem::on(BoxDomain::unit(1))
        .equation(-laplacian(unknown("u")), q)
        .dirichlet(g * X)
        .find(Sought::new(q, 1.0))
        .find(Sought::new(g, 0.0))
        .options(few())
}

/// Readings of the line for q = 3, g = ½, each off by a known amount.
fn readings(points: &Array2<f64>) -> Vec<f64> {
    let off = |i: usize| if i.is_multiple_of(2) { 0.01 } else { -0.01 };
    let values = points.iter().enumerate();
    values.map(|(i, x)| exact(3.0, 0.5, *x) + off(i)).collect()
}

fn agree(a: &Fit, b: &Fit, tolerance: f64) {
    for (a, b) in a.parameters.iter().zip(&b.parameters) {
        assert!((a - b).abs() < tolerance, "{a} {b}");
    }
    for (a, b) in a.posterior.deviations.iter().zip(&b.posterior.deviations) {
        assert!((a / b - 1.0).abs() < tolerance, "{a} {b}");
    }
}

/// −u″ = Σ qₖ (kπ)² sin kπx has u = Σ qₖ sin kπx, for as many terms as one likes.
#[test]
fn the_number_of_parameters_is_a_number() {
    for count in [1_usize, 3, 6] {
        let names: Vec<_> = (1..=count).map(|k| parameter(&format!("q{k}"))).collect();
        let wave = |k: usize| sin(PI * (k + 1) as f64 * X);
        let term = |(k, q): (usize, _)| (PI * (k + 1) as f64).powi(2) * wave(k) * Expr::from(q);
        let source: Expr = names.iter().copied().enumerate().map(term).sum();
        let truth: Vec<f64> = (0..count).map(|k| 1.0 / (k + 1) as f64 - 0.4).collect();
        let points = places(20);
        let u = |x: &f64| -> f64 {
            let waves = truth.iter().enumerate();
            waves
                .map(|(k, q)| q * (PI * (k + 1) as f64 * x).sin())
                .sum()
        };
        let values: Vec<f64> = points.iter().map(u).collect();
        let mut problem = InverseProblem::on(BoxDomain::unit(1))
            .equation(-laplacian(unknown("u")), source)
            .dirichlet(0.0)
            .observe(Observations::of(unknown("u"), points, &values).deviation(1e-3))
            .options(Options::new().features(80).bandwidth(12.0));
        for q in &names {
            problem = problem.find(Sought::new(*q, 0.0));
        }
        let fit = problem.fit().unwrap();
        for (q, truth) in names.iter().zip(&truth) {
            assert!((fit.value(*q).unwrap() - truth).abs() < 1e-6, "{fit}");
        }
        assert!(fit.value("p").is_none());
    }
}

/// u_t = k u_xx with u = e^{−kπ²t} sin πx: a coefficient of a space-time problem.
#[test]
fn a_diffusivity_from_temperatures() {
    let (u, k) = (unknown("u"), parameter("k"));
    let points = Array2::from_shape_fn((9, 2), |(i, axis)| match axis {
        0 => (i % 3) as f64 * 0.25 + 0.25,
        _ => (i / 3) as f64 * 0.4 + 0.1,
    });
    let truth = 0.3;
    let at = |p: ndarray::ArrayView1<'_, f64>| (-truth * PI * PI * p[1]).exp() * (PI * p[0]).sin();
    let values: Vec<f64> = points.rows().into_iter().map(at).collect();
    let fit = InverseProblem::on(SpaceTime::new(Interval::unit(), 0.0, 1.0).unwrap())
        .equation(u.d(T), k * laplacian(u))
        .initial_value(sin(PI * X))
        .dirichlet(0.0)
        .find(Sought::new(k, 0.6).within(0.05, 2.0))
        .observe(Observations::of(u, points, &values).deviation(1e-3))
        .options(Options::new().features(200).bandwidth(4.0))
        .fit()
        .unwrap();
    assert!((fit.parameters[0] - truth).abs() < 1e-5, "{fit}");
}

/// s = k u′, −s′ = 1, u(0) = u(1) = 0: u = x (1 − x)/(2k), s = (1 − 2x)/2.
#[test]
fn a_system_with_a_parameter() {
    let [u, s] = unknowns(["u", "s"]);
    let k = parameter("k");
    let fit = InverseProblem::on(Interval::unit())
        .equation(s - k * u.d(X), 0.0)
        .equation(-s.d(X), 1.0)
        .condition(X.lo(), u, 0.0)
        .condition(X.hi(), u, 0.0)
        .find(Sought::new(k, 1.0).within(0.1, 10.0))
        .observe(Observations::of(u, array![[0.5], [0.25]], &[0.05, 0.0375]).deviation(1e-3))
        .options(few())
        .fit()
        .unwrap();
    assert!((fit.parameters[0] - 2.5).abs() < 1e-5, "{fit}");
    let flux = fit.solution.at(s, &[0.25]).unwrap();
    assert!((flux - 0.25).abs() < 1e-6);
}

/// What is observed may contain known parts and known parameters; a table may contain sought ones.
#[test]
fn parts_of_observations_and_tables() {
    let u = unknown("u");
    let points = places(9);
    let values = readings(&points);
    let plain = line()
        .observe(Observations::of(u, points.clone(), &values).deviation(0.02))
        .fit()
        .unwrap();

    let gain = parameter("gain");
    let shifted: Vec<f64> = points
        .iter()
        .zip(&values)
        .map(|(x, v)| 2.0 * v + x + 1.0)
        .collect();
    let observed = Observations::of(gain * u + X + 1.0, points.clone(), &shifted);
    let affine = line()
        .parameter(gain, 2.0)
        .observe(observed.deviation(0.04))
        .fit()
        .unwrap();
    agree(&plain, &affine, 1e-6);
    for (own, shifted) in plain
        .predicted
        .iter()
        .zip(&affine.predicted)
        .zip(&points)
        .map(|((own, shifted), x)| (2.0 * own + x + 1.0, shifted))
    {
        assert!((own - shifted).abs() < 1e-6);
    }

    let [q, g] = parameters(["q", "g"]);
    let ends = array![[0.0], [1.0]];
    let tabulated = InverseProblem::on(BoxDomain::unit(1))
        .equation(-laplacian(u), q)
        .with(Condition::at(ends, u - g * X + 0.25, &[0.25, 0.25]))
        .find(Sought::new(q, 1.0))
        .find(Sought::new(g, 0.7))
        .observe(Observations::of(u, points, &values).deviation(0.02))
        .options(few())
        .fit()
        .unwrap();
    agree(&plain, &tabulated, 1e-6);
}

/// Bands of any expression of unknowns and parameters: here q u and u², with derivatives by hand.
#[test]
fn bands_of_expressions_that_are_not_linear() {
    let (u, q) = (unknown("u"), parameter("q"));
    let points = places(9);
    let values = readings(&points);
    let fit = line()
        .observe(Observations::of(u, points, &values).deviation(0.02))
        .fit()
        .unwrap();
    let (best, x) = ([fit.value("q").unwrap(), fit.value("g").unwrap()], 0.3);
    let value = exact(best[0], best[1], x);
    let (by_q, by_g) = (0.5 * x * (1.0 - x), x);
    for (expression, at, slopes) in [
        (
            q * u,
            best[0] * value,
            [value + best[0] * by_q, best[0] * by_g],
        ),
        (
            u.powi(2),
            value * value,
            [2.0 * value * by_q, 2.0 * value * by_g],
        ),
        (Expr::from(q), best[0], [1.0, 0.0]),
    ] {
        let band = fit.band(expression, &array![[x]], 0.9).unwrap()[0];
        assert!((band.value - at).abs() < 1e-6);
        let deviation = fit.posterior.deviation_of(&slopes);
        assert!((band.deviation / deviation - 1.0).abs() < 1e-6);
    }
    assert!(fit.band(parameter("p") * u, &array![[x]], 0.9).is_err());
}

#[test]
fn mistakes_of_statement_have_names() {
    let (u, p) = (unknown("u"), parameter("p"));
    let seen = || Observations::of(u, array![[0.5], [0.7]], &[0.4, 0.3]).deviation(0.01);
    let error = |problem: InverseProblem| problem.prepare().unwrap_err();

    // Neither sought nor given.
    let open = error(line().condition(X.lo(), p * u, 0.0).observe(seen()));
    let InverseError::Solve(SolveError::Statement(mistakes)) = &open else {
        panic!("{open}");
    };
    assert!(matches!(
        &mistakes[0].reason,
        MistakeReason::Expression(StatementError::FreeParameter { name }) if name == "p"
    ));
    // Sought, but nowhere.
    let idle = error(line().find(Sought::new(p, 1.0)).observe(seen()));
    assert!(matches!(&idle, InverseError::NothingDepends { name } if name == "p"));
    assert!(idle.to_string().contains("p is sought"));
    let twice = error(line().find(Sought::new("q", 1.0)).observe(seen()));
    assert!(matches!(twice, InverseError::SoughtTwice { name } if name == "q"));
    let known = error(line().parameter("q", 2.0).observe(seen()));
    assert!(matches!(known, InverseError::GivenAndSought { name, value: 2.0 } if name == "q"));

    let curved = error(
        line()
            .equation(u.powi(2) + laplacian(u), 0.0)
            .observe(seen()),
    );
    assert!(
        matches!(&curved, InverseError::Nonlinear { label, term } if label == "equation 2" && term == "u²"),
        "{curved}"
    );
    let square = error(line().observe(Observations::of(u * u, array![[0.5]], &[0.1])));
    assert!(matches!(
        square,
        InverseError::Observed {
            source: StatementError::Nonlinear { .. },
            ..
        }
    ));
    let other = error(line().observe(Observations::of(unknown("w"), array![[0.5]], &[0.1])));
    assert!(matches!(other, InverseError::Observed { .. }));
    let gain = error(line().observe(Observations::of(parameter("q") * u, array![[0.5]], &[0.1])));
    assert!(matches!(gain, InverseError::SoughtInObservations { name, .. } if name == "q"));

    let prepared = line().observe(seen()).prepare().unwrap();
    for wrong in [&[1.0][..], &[1.0, 2.0, 3.0]] {
        assert!(matches!(
            prepared.predict(wrong),
            Err(InverseError::Shape { expected: 2, .. })
        ));
        assert!(prepared.misfit(wrong).is_err() && prepared.solution(wrong).is_err());
    }
}

/// A forward problem that leaves a constant undetermined says so; a mean fixes it.
#[test]
fn a_forward_problem_is_judged_and_fixed_as_any_other() {
    let q = parameter("q");
    let open = InverseProblem::on(BoxDomain::unit(1))
        .equation(-laplacian(unknown("u")), q * PI * PI * cos(PI * X))
        .neumann(0.0)
        .find(Sought::new(q, 1.0))
        .options(few());
    let points = places(9);
    let values: Vec<f64> = points.iter().map(|x| 3.0 * (PI * x).cos()).collect();
    let observed = Observations::of(unknown("u"), points, &values);
    let prepared = open.clone().observe(observed.clone()).prepare().unwrap();
    let report = prepared.solution(&[1.0]).unwrap().report().clone();
    assert!(!report.posedness.is_fine(), "{report}");
    let fixed = open.mean(0.0).observe(observed).prepare().unwrap();
    let report = fixed.solution(&[1.0]).unwrap().report().clone();
    assert!(report.posedness.is_fine(), "{report}");
}
