//! Time, memory, cancellation: limits hold, the best so far comes back, and nothing runs on for ever.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fastlsq_solve::patches::Patching;
use fastlsq_solve::{
    BoxDomain, CandidateReport, Condition, Expr, FrequencyLaw, Interval, Limit, LinearProblem,
    LsqError, LsqOptions, Method, Options, SolveError, Stage, Status, Unknown, X, Y, exp,
    laplacian, lsq, parameter, problems, unknown,
};

fn u() -> Unknown {
    unknown("u")
}

fn poisson(source: impl Into<Expr>) -> LinearProblem {
    LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(u()), source.into())
        .dirichlet(0.0)
}

/// Data that no few hundred waves resolve.
fn hard() -> LinearProblem {
    poisson(exp(-2000.0 * ((X - 0.3).powi(2) + (Y - 0.6).powi(2))))
}

/// Limits are kept to a fifth on a calm machine; a loaded one gets far more, and still less than the work would take.
const PATIENCE: Duration = Duration::from_secs(4);

#[test]
fn an_explicit_solve_stops_inside_its_factorisation() {
    for method in [
        Method::Auto,
        Method::Svd,
        Method::NormalEquations,
        Method::Qr,
    ] {
        // A fast machine factors the companion of half the size in a seventh of a second.
        let limit = Duration::from_millis(30);
        let options = Options::new()
            .features(4000)
            .bandwidth(3.0)
            .lsq(LsqOptions::new().method(method))
            .time_limit(limit);
        let begin = Instant::now();
        let error = poisson(1.0).solve_with(&options).unwrap_err();
        assert_eq!(
            error.limit(),
            Some(Limit::Time { limit }),
            "{method}: {error}"
        );
        assert!(
            begin.elapsed() < PATIENCE,
            "{method}: {:?}",
            begin.elapsed()
        );
        assert!(error.to_string().contains("before there was a result"));
    }
}

#[test]
fn an_explicit_solve_that_is_stopped_returns_its_companion() {
    // The companion of half the size has a tenth of a second at most, whatever the machine; the solve itself
    // would take many rows.
    let options = Options::new()
        .features(100)
        .bandwidth(3.0)
        .rows(60_000_000, 100)
        .time_limit(Duration::from_millis(700));
    let begin = Instant::now();
    let solution = poisson(1.0).solve_with(&options).unwrap();
    assert!(begin.elapsed() < PATIENCE);
    assert_eq!(solution.report().status, Status::LimitReached);
    assert_eq!(solution.report().features, 50);
}

#[test]
fn a_search_that_is_stopped_returns_its_best() {
    let options = Options::new()
        .max_features(20_000)
        .patches(Patching::Never)
        .time_limit(Duration::from_millis(800));
    let begin = Instant::now();
    let solution = hard().solve_with(&options).unwrap();
    assert!(begin.elapsed() < PATIENCE);
    let report = solution.report();
    assert_eq!(report.status, Status::LimitReached, "{report}");
    // Candidates are compared on one scale, so that a smaller score of a larger u need not win.
    let is_one_of_them = |probe: &CandidateReport| probe.score == report.held_out_residual;
    assert!(report.candidates.iter().any(is_one_of_them), "{report}");
}

#[test]
fn without_a_candidate_the_limit_is_an_error() {
    for options in [
        Options::new(),
        Options::new().bandwidth_grid(&[1.0, 2.0], 3).features(30),
        Options::new().bandwidth(2.0),
    ] {
        let error = poisson(1.0)
            .solve_with(&options.time_limit(Duration::ZERO))
            .unwrap_err();
        assert!(
            matches!(error, SolveError::Stopped(Limit::Time { .. })),
            "{error}"
        );
    }
}

#[test]
fn growth_beyond_the_memory_limit_returns_what_was_solved() {
    let options = Options::new().memory_limit(4 << 20);
    let solution = hard().solve_with(&options).unwrap();
    assert_eq!(solution.report().status, Status::LimitReached);
    assert!(solution.report().features >= 200, "{}", solution.report());
}

#[test]
fn points_and_data_count_as_memory() {
    for options in [
        Options::new().oversampling(1e6).memory_limit(256 << 20),
        Options::new().rows(10_000_000, 50).memory_limit(1 << 20),
        Options::new().rows(usize::MAX / 2, 10),
        Options::new().features(usize::MAX / 2).bandwidth(1.0),
    ] {
        let error = poisson(1.0).solve_with(&options).unwrap_err();
        assert!(
            matches!(error.limit(), Some(Limit::Memory { .. })),
            "{error:?}"
        );
    }
}

#[test]
fn many_rows_stop_while_they_are_sampled() {
    let options = Options::new()
        .rows(100_000_000, 50)
        .features(20)
        .bandwidth(2.0)
        .time_limit(Duration::from_millis(100));
    let begin = Instant::now();
    let error = poisson(1.0).solve_with(&options).unwrap_err();
    assert!(error.limit().is_some(), "{error}");
    assert!(begin.elapsed() < PATIENCE);
}

#[test]
fn progress_tells_stage_score_and_time_and_may_cancel() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&heard);
    let options = Options::new().progress(move |now| {
        list.lock().unwrap().push(*now);
        match now.best_score {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        }
    });
    let solution = hard().solve_with(&options).unwrap();
    assert_eq!(solution.report().status, Status::Cancelled);
    assert_eq!(solution.report().candidates.len(), 1);
    let heard = heard.lock().unwrap();
    assert_eq!(heard[0].stage, Stage::Preparing);
    assert!(
        heard
            .iter()
            .any(|now| matches!(now.stage, Stage::Candidate { features: 250 }))
    );
    assert!(
        heard
            .windows(2)
            .all(|pair| pair[0].elapsed <= pair[1].elapsed)
    );
    assert!(
        heard
            .iter()
            .rev()
            .skip(1)
            .all(|now| now.best_score.is_none())
    );
}

#[test]
fn a_cancelled_solve_without_a_candidate_says_so() {
    let options = Options::new().progress(|_| ControlFlow::Break(()));
    let error = poisson(1.0).solve_with(&options).unwrap_err();
    assert!(
        matches!(error, SolveError::Stopped(Limit::Cancelled)),
        "{error}"
    );
}

#[test]
fn limits_of_the_least_squares_options_and_of_the_solve_are_the_same_ones() {
    let limit = Duration::from_secs(3);
    let before = Options::new()
        .time_limit(limit)
        .lsq(LsqOptions::new().threshold(1e-10));
    assert_eq!(before.control().time(), Some(limit));
    let within = Options::new().lsq(LsqOptions::new().time_limit(limit).memory_limit(7));
    assert_eq!(within.control().time(), Some(limit));
    assert_eq!(within.control().memory(), Some(7));
    assert_eq!(within.memory_limit(8).lsq.control.memory(), Some(8));
}

#[test]
fn the_least_squares_engine_alone_keeps_its_limits() {
    let a = lsq_matrix(3000, 1500);
    let b = a.subcols(0, 1).to_owned();
    for method in [
        Method::RankRevealingQr,
        Method::Svd,
        Method::Qr,
        Method::Sketch,
        Method::NormalEquations,
    ] {
        let options = LsqOptions::new().method(method).time_limit(Duration::ZERO);
        let error = lsq::factor(&a, b.as_ref(), &options).unwrap_err();
        assert!(
            matches!(error, LsqError::Stopped(Limit::Time { .. })),
            "{method}: {error}"
        );
    }
}

fn lsq_matrix(rows: usize, columns: usize) -> faer::Mat<f64> {
    faer::Mat::from_fn(rows, columns, |i, j| ((i * 7 + j * j) as f64 * 0.1).sin())
}

#[test]
fn a_search_from_one_feature_grows() {
    let options = Options::new()
        .begin_with(1, FrequencyLaw::Isotropic(1.0))
        .tolerance(1e-6);
    let solution = LinearProblem::on(Interval::unit())
        .equation(u().d(X).d(X), 1.0)
        .dirichlet(0.0)
        .solve_with(&options)
        .unwrap();
    assert_eq!(
        solution.report().status,
        Status::ToleranceMet,
        "{}",
        solution.report()
    );
    assert!((solution.value(&[0.5]).unwrap() + 0.125).abs() < 1e-6);
}

#[test]
fn contradictory_exact_conditions_do_not_go_on_for_ever() {
    let contradictory = poisson(1.0)
        .with(Condition::on(X.lo(), u(), 0.0).exact())
        .with(Condition::on(X.lo(), u(), 1.0).exact());
    let begin = Instant::now();
    for options in [
        Options::new()
            .begin_with(1, FrequencyLaw::Isotropic(1.0))
            .max_features(40),
        Options::new()
            .max_features(300)
            .time_limit(Duration::from_secs(2)),
    ] {
        match contradictory.solve_with(&options) {
            Ok(solution) => assert_eq!(solution.report().status, Status::LimitReached),
            Err(SolveError::Lsq(cause)) => {
                assert!(matches!(*cause, LsqError::InconsistentConstraints { .. }));
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert!(begin.elapsed() < 5 * PATIENCE);
}

#[test]
fn unusable_numbers_are_refused_at_once() {
    let threads = poisson(1.0)
        .solve_with(&Options::new().threads(20_000))
        .unwrap_err();
    assert!(
        matches!(
            threads,
            SolveError::Option {
                option: "threads",
                ..
            }
        ),
        "{threads}"
    );
    let k = parameter("k");
    let nan = LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(u()) + k * u(), 1.0)
        .dirichlet(0.0)
        .parameter(k, f64::NAN);
    let error = nan.solve().unwrap_err();
    assert!(
        matches!(
            error,
            SolveError::Option {
                option: "parameter",
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn the_answer_does_not_depend_on_a_limit_that_is_not_reached() {
    let benchmark = problems::poisson_2d();
    let plain = benchmark.problem.solve().unwrap();
    let limited = Options::new()
        .time_limit(Duration::from_secs(600))
        .memory_limit(4 << 30)
        .progress(|_| ControlFlow::Continue(()));
    let watched = benchmark.problem.solve_with(&limited).unwrap();
    assert_eq!(plain.coefficients(), watched.coefficients());
}
