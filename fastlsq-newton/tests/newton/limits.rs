//! Time, memory and cancellation of nonlinear solves: the best so far is returned, and nothing runs on for ever.

#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use fastlsq_newton::{
    BoxDomain, BranchEnd, BranchOptions, Continuation, Interval, Limit, NewtonError, NewtonOptions,
    NewtonStatus, NonlinearProblem, Options, Slabs, SolveError, SpaceTime, Stage, Status, T, X,
    exp, laplacian, parameter, sin, unknown,
};
use std::f64::consts::PI;

/// Far less than the work takes, far more than the limits allow.
const PATIENCE: Duration = Duration::from_secs(8);

/// u_t + u u_x = ν u_xx from −sin πx: a layer that no single sum of waves resolves.
fn burgers(nu: f64) -> NonlinearProblem {
    let u = unknown("u");
    let space = Interval::new(-1.0, 1.0).unwrap();
    NonlinearProblem::on(SpaceTime::new(space, 0.0, 1.0).unwrap())
        .equation(u.d(T) + u * u.d(X), nu * u.d(X).d(X))
        .initial_value(-sin(PI * X))
        .dirichlet(0.0)
}

fn bratu(load: f64) -> NonlinearProblem {
    let (u, p) = (unknown("u"), parameter("l"));
    NonlinearProblem::on(Interval::unit())
        .equation(u.d(X).d(X) + p * exp(u), 0.0)
        .dirichlet(0.0)
        .parameter(p, load)
}

#[test]
fn a_solve_that_takes_minutes_ends_in_time_with_its_best() {
    let begin = Instant::now();
    // An evolution in time would take less.
    let options = NewtonOptions::new()
        .evolve(false)
        .time_limit(Duration::from_secs(1));
    let solution = burgers(0.002).solve_with(&options).unwrap();
    assert!(begin.elapsed() < PATIENCE, "{:?}", begin.elapsed());
    assert_eq!(
        solution.report().status,
        Status::LimitReached,
        "{}",
        solution.report()
    );
}

#[test]
fn a_single_iteration_stops_between_or_within_its_steps() {
    let u = unknown("u");
    let problem = NonlinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(u) + u.powi(3), 100.0)
        .dirichlet(0.0);
    let options = NewtonOptions::new()
        .solve_options(Options::new().features(3000).bandwidth(3.0))
        .time_limit(Duration::from_millis(100));
    let begin = Instant::now();
    let error = problem.solve_with(&options).unwrap_err();
    assert!(matches!(error.limit(), Some(Limit::Time { .. })), "{error}");
    assert!(begin.elapsed() < PATIENCE);
    let counted = NewtonOptions::new()
        .solve_options(Options::new().features(30).bandwidth(3.0))
        .progress(|now| match now.stage {
            Stage::NewtonStep { number: 3.. } => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        });
    let stopped = problem.solve_with(&counted).unwrap();
    assert_eq!(stopped.report().status, Status::Cancelled);
    assert_eq!(stopped.newton().status, NewtonStatus::Stopped);
    assert_eq!(stopped.newton().iterations(), 2);
}

#[test]
fn slabs_until_the_limit_come_back() {
    let options = NewtonOptions::new()
        .tolerance(1e-3)
        .progress(|now| match now.stage {
            Stage::Slab { from, .. } if from >= 0.5 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        });
    let solution = burgers(0.2)
        .solve_in_slabs(Slabs::Count(4), &options)
        .unwrap();
    assert_eq!(solution.stopped(), Some(Limit::Cancelled));
    assert_eq!(solution.times(), [0.0, 0.25, 0.5]);
    assert!(solution.value(&[0.3, 0.4]).is_ok());
    assert!(matches!(
        solution.value(&[0.3, 0.7]),
        Err(NewtonError::Solve(SolveError::Option {
            option: "time",
            ..
        }))
    ));
    for endless in [Slabs::Length(1e-300), Slabs::Count(usize::MAX)] {
        let error = burgers(0.2).solve_in_slabs(endless, &options).unwrap_err();
        assert!(
            matches!(
                error,
                NewtonError::Option {
                    option: "slabs",
                    ..
                }
            ),
            "{error}"
        );
    }
}

#[test]
fn a_branch_until_the_limit_comes_back() {
    let newton = NewtonOptions::new().progress(|now| match now.stage {
        Stage::BranchPoint { number: 6.. } => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    let options = BranchOptions::new().first_step(0.2).newton(newton);
    let branch = bratu(1.0).follow(&options).unwrap();
    assert_eq!(branch.end(), BranchEnd::Stopped);
    assert_eq!(branch.points().len(), 5);
}

#[test]
fn values_that_are_not_numbers_are_refused_instead_of_searched_for() {
    for continuation in [
        Continuation::From(f64::NAN),
        Continuation::From(f64::INFINITY),
        Continuation::Through(vec![0.5, f64::NAN]),
    ] {
        let options = NewtonOptions::new().continuation(continuation);
        let error = bratu(1.0).solve_with(&options).unwrap_err();
        assert!(
            matches!(
                error,
                NewtonError::Option {
                    option: "continuation",
                    ..
                }
            ),
            "{error}"
        );
    }
    for options in [
        NewtonOptions::new(),
        NewtonOptions::new().continuation(Continuation::From(0.1)),
    ] {
        let error = bratu(f64::NAN).solve_with(&options).unwrap_err();
        assert!(
            matches!(
                error,
                NewtonError::Solve(SolveError::Option {
                    option: "parameter",
                    ..
                })
            ),
            "{error}"
        );
    }
}

#[test]
fn an_evolution_that_memory_cannot_hold_comes_back_as_far_as_it_got() {
    let options = NewtonOptions::new().memory_limit(200_000);
    let solution = burgers(0.01).solve_with(&options).unwrap();
    let evolution = solution.evolution().unwrap();
    assert!(
        matches!(evolution.stopped, Some(Limit::Memory { .. })),
        "{evolution}"
    );
    assert_eq!(solution.report().status, Status::LimitReached);
    assert!(evolution.reached > 0.0 && evolution.reached < 1.0);
    assert!(solution.value(&[0.5, 0.5 * evolution.reached]).unwrap() < 0.0);
}
