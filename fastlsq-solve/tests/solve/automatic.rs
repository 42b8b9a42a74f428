//! Without any settings: the answer is accurate, and the estimate says how accurate.

use fastlsq_solve::problems::{self, Benchmark};
use fastlsq_solve::{DomainExt, Interval, LinearProblem, Options, Status, T, X, exp, unknown};

/// Solves without settings; the error in u must be below the bar and its estimate honest.
fn check(benchmark: &Benchmark, bar: f64) {
    let u = benchmark.problem.solve().unwrap();
    let errors = benchmark.errors(&u, 2000).unwrap();
    let report = u.report();
    let name = benchmark.name;
    assert!(
        errors.value <= bar,
        "{name}: error {:.1e}\n{report}",
        errors.value
    );
    assert!(
        errors.gradient <= 20.0 * bar,
        "{name}: gradient {:.1e}",
        errors.gradient
    );
    let ratio = report.error_estimate / errors.value.max(f64::EPSILON);
    assert!(
        (0.2..=20.0).contains(&ratio),
        "{name}: estimate/error = {ratio:.2}\n{report}"
    );
    assert!(
        report
            .blocks
            .iter()
            .all(|b| b.held_out <= report.held_out_residual)
    );
    assert!(!report.candidates.is_empty() && report.rank <= report.features * u.unknowns().len());
}

#[test]
fn poisson_2d() {
    check(&problems::poisson_2d(), 1e-12);
}

#[test]
fn helmholtz_2d() {
    check(&problems::helmholtz_2d(10.0), 2e-12);
}

#[test]
fn poisson_5d() {
    check(&problems::poisson_5d(), 1e-10);
}

#[test]
fn maxwell_2d_tm() {
    check(&problems::maxwell_2d_tm(), 1e-9);
}

#[test]
fn a_loose_tolerance_is_met_with_less_work() {
    let benchmark = problems::helmholtz_2d(10.0);
    let loose = benchmark
        .problem
        .solve_with(&Options::new().tolerance(1e-4))
        .unwrap();
    let tight = benchmark
        .problem
        .solve_with(&Options::new().tolerance(1e-9))
        .unwrap();
    for (u, tolerance) in [(&loose, 1e-4), (&tight, 1e-9)] {
        assert_eq!(u.report().status, Status::ToleranceMet);
        assert!(u.report().error_estimate <= tolerance);
        let error = benchmark.errors(u, 1000).unwrap().value;
        assert!(error <= 5.0 * tolerance, "{error:.1e} for {tolerance:.0e}");
    }
    assert!(loose.report().candidates.len() <= tight.report().candidates.len());
}

#[test]
fn the_papers_grid_search_is_judged_by_held_out_residuals() {
    let benchmark = problems::helmholtz_2d(10.0);
    let options = Options::new()
        .features(300)
        .rows(900, 300)
        .weight(100.0)
        .bandwidth_grid(&fastlsq_solve::PAPER_GRID, 2);
    let u = benchmark.problem.solve_with(&options).unwrap();
    let report = u.report();
    assert_eq!(report.candidates.len(), 18);
    let best = report
        .candidates
        .iter()
        .map(|p| p.score)
        .fold(f64::INFINITY, f64::min);
    assert_eq!(best, report.held_out_residual);
    assert!(benchmark.errors(&u, 500).unwrap().value < 1e-6, "{report}");
}

#[test]
fn the_report_reads_well() {
    let u = problems::poisson_2d()
        .problem
        .solve_with(&Options::new().tolerance(1e-6))
        .unwrap();
    let text = u.report().to_string();
    for part in [
        "tolerance met",
        "estimated relative error",
        "walls",
        "σ =",
        "symmetry: u even in x, y",
        "seed 0",
        "rank",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

#[test]
fn an_equation_whose_terms_vanish_has_a_scale() {
    // u″ = 0, u = x: every term of the equation is zero, and so is the source.
    let u = unknown("u");
    let u = LinearProblem::on(Interval::unit())
        .equation(u.d(X).d(X), 0.0)
        .dirichlet(X)
        .solve()
        .unwrap();
    assert_eq!(u.report().status, Status::ToleranceMet);
    assert!(u.report().features <= 200, "{}", u.report().features);
    assert!((u.value(&[0.3]).unwrap() - 0.3).abs() < 1e-12);
}

/// A wave that runs for long: one sum of waves in space-time is not enough, and the report names what does.
#[test]
fn long_times_are_referred_to_steps_in_time() {
    let u = unknown("u");
    let options = Options::new().max_features(150);
    let solution = LinearProblem::on(Interval::unit().over(0.0, 10.0).unwrap())
        .equation(u.d(T).d(T), u.d(X).d(X))
        .initial_value(exp(-100.0 * (X - 0.5).powi(2)))
        .initial_velocity(0.0)
        .periodic(X)
        .solve_with(&options)
        .unwrap();
    let report = solution.report();
    assert_ne!(report.status, Status::ToleranceMet);
    assert!(report.choice.contains("NonlinearProblem"), "{report}");
}
