//! Evolutions followed in time, against exact solutions and on wrong input.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::f64::consts::PI;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use fastlsq_newton::problems::{self, NonlinearBenchmark};
use fastlsq_newton::{
    DomainExt, Expr, INITIAL, Interval, NewtonError, NewtonOptions, NonlinearProblem,
    NonlinearSolution, Status, T, X, cos, exp, laplacian, sin, tanh, unknown, unknowns,
};

fn on(a: f64, b: f64, end: f64) -> NonlinearProblem {
    NonlinearProblem::on(Interval::new(a, b).unwrap().over(0.0, end).unwrap())
}

/// Solves, and checks error and estimate against the tolerance and against each other.
fn hold(benchmark: &NonlinearBenchmark, tolerance: f64) -> NonlinearSolution {
    let options = NewtonOptions::new().tolerance(tolerance);
    let solution = benchmark.problem.solve_with(&options).unwrap();
    let error = benchmark.worst_error(&solution).unwrap();
    let estimate = solution.report().error_estimate;
    let name = benchmark.name;
    println!("{name}: error {error:.1e}, estimate {estimate:.1e}");
    assert!(
        solution.evolution().is_some(),
        "{name} was solved in space-time"
    );
    assert!(
        error < 3.0 * tolerance,
        "{name}: error {error:.1e}\n{solution}"
    );
    assert!(
        estimate > error / 5.0 && (estimate < 20.0 * error || estimate < 1e-12),
        "{name}: error {error:.1e}, estimate {estimate:.1e}\n{solution}"
    );
    solution
}

fn known(name: &'static str, problem: NonlinearProblem, exact: &[Expr]) -> NonlinearBenchmark {
    NonlinearBenchmark::new(name, name, problem, exact)
}

#[test]
fn benchmarks_are_evolved_to_their_tolerance() {
    for (benchmark, tolerance) in [
        (problems::burgers_shock(), 1e-9),
        (problems::fisher_front(), 1e-10),
        (problems::klein_gordon(), 1e-9),
        (problems::gray_scott_pulse(), 1e-9),
        (problems::kdv_soliton(), 1e-8),
        (problems::heat_rod_long(), 1e-10),
        (problems::advection_long(), 1e-9),
    ] {
        hold(&benchmark, tolerance);
    }
}

#[test]
fn a_thin_layer_is_followed_by_small_pieces() {
    let solution = hold(&problems::burgers_thin_layer(), 1e-8);
    let runs = &solution.evolution().unwrap().runs;
    let (fewest, most) = runs.last().unwrap().pieces;
    assert!(most > fewest, "{fewest} to {most} pieces");
}

#[test]
fn problems_of_other_kinds() {
    let u = unknown("u");
    // Coefficients and data that depend on time, a Robin condition: u = e^{−t} cos x + t.
    let exact = exp(-T) * cos(X) + T;
    let rate = exact.d(T) - (1.0 + T) * laplacian(&exact) - sin(X) * exact.d(X);
    let variable = on(0.0, 2.0, 1.5)
        .equation(u.d(T), (1.0 + T) * laplacian(u) + sin(X) * u.d(X) + rate)
        .initial_value(cos(X))
        .condition(X.lo(), u - u.d(X), &exact - exact.d(X))
        .condition(X.hi(), u.d(X), exact.d(X));
    hold(&known("variable", variable, &[exact]), 1e-9);

    // A damped wave with moving ends: the rate contains the velocity.
    let exact = exp(-0.5 * T) * sin(2.0 * X + T) + X;
    let rate = exact.d(T).d(T) + exact.d(T) - laplacian(&exact);
    let damped = on(-1.0, 1.0, 2.0)
        .equation(u.d(T).d(T) + u.d(T), laplacian(u) + rate)
        .initial_value(&exact)
        .initial_velocity(exact.d(T))
        .dirichlet(&exact);
    hold(&known("damped", damped, &[exact]), 1e-9);

    // A vibrating beam, hinged at both ends: fourth order, second in time.
    let exact = sin(PI * X) * cos(PI * PI * T) + 0.2 * sin(2.0 * PI * X) * cos(4.0 * PI * PI * T);
    let fourth = u.d(X).d(X).d(X).d(X);
    let beam = on(0.0, 1.0, 0.4)
        .equation(u.d(T).d(T) + fourth, 0.0)
        .initial_value(&exact)
        .initial_velocity(0.0)
        .dirichlet(0.0)
        .condition(X.lo(), u.d(X).d(X), 0.0)
        .condition(X.hi(), u.d(X).d(X), 0.0);
    hold(&known("beam", beam, &[exact]), 1e-8);

    // A first-order system with a condition that mixes the unknowns: waves that run out on the right.
    let [p, v] = unknowns(["p", "v"]);
    let wave = exp(-20.0 * (X - T).powi(2));
    let system = on(-1.0, 1.0, 1.5)
        .equation(p.d(T), -v.d(X))
        .equation(v.d(T), -p.d(X))
        .condition(INITIAL, p, &wave)
        .condition(INITIAL, v, &wave)
        .condition(X.lo(), p + v, 2.0 * &wave)
        .condition(X.hi(), p - v, 0.0);
    hold(&known("waves", system, &[wave.clone(), wave]), 1e-8);

    // The rate is given implicitly: (1 + u²) u_t = u_xx + f.
    let exact = sin(X) * exp(-T) + 2.0;
    let rate = (1.0 + exact.powi(2)) * exact.d(T) - laplacian(&exact);
    let implicit = on(0.0, PI, 1.0)
        .equation((1.0 + u * u) * u.d(T), laplacian(u) + rate)
        .initial_value(&exact)
        .dirichlet(2.0);
    hold(&known("implicit", implicit, &[exact]), 1e-9);
}

#[test]
fn the_result_is_a_function_of_space_and_time() {
    let u = unknown("u");
    let exact = exp(-PI * PI * T) * sin(PI * X);
    for nonlinear in [0.0, 1.0] {
        // Once by the exponential of the matrix, once step by step.
        let source = nonlinear * exact.powi(2);
        let solution = on(0.0, 1.0, 0.3)
            .equation(u.d(T), laplacian(u) + source - nonlinear * u * u)
            .initial_value(sin(PI * X))
            .dirichlet(0.0)
            .solve_with(&NewtonOptions::new().tolerance(1e-10))
            .unwrap();
        for point in [[0.3, 0.0], [0.71, 0.123], [0.5, 0.3]] {
            let value = (-PI * PI * point[1]).exp() * (PI * point[0]).sin();
            let cases: [(Expr, f64, f64); 4] = [
                (u.into(), value, 1e-9),
                (u.d(T), -PI * PI * value, 1e-6),
                (u.d(X).d(X), -PI * PI * value, 1e-6),
                (u.d(T) - laplacian(u), 0.0, 1e-6),
            ];
            for (expression, expected, allowed) in cases {
                let found = solution.at(&expression, &point).unwrap();
                assert!(
                    (found - expected).abs() < allowed,
                    "{expression} at {point:?}: {found} and {expected}"
                );
            }
        }
        assert!(solution.value(&[0.5, 0.31]).unwrap().is_nan());
    }
}

#[test]
fn mass_and_energy_are_conserved_where_the_equation_does() {
    // Korteweg–de Vries on a circle: ∫u and ∫u².
    let u = unknown("u");
    let solution = on(0.0, 2.0 * PI, 1.0)
        .equation(u.d(T) + u * u.d(X) + 0.1 * u.d(X).d(X).d(X), 0.0)
        .initial_value(1.0 + cos(X) + 0.5 * sin(2.0 * X))
        .periodic(X)
        .solve_with(&NewtonOptions::new().tolerance(1e-9))
        .unwrap();
    // The trapezoidal rule on a circle is exact as long as the function is resolved.
    let integral = |power: i32, t: f64| {
        let values = (0..600).map(|i| {
            solution
                .value(&[2.0 * PI * f64::from(i) / 600.0, t])
                .unwrap()
        });
        values.map(|v| v.powi(power)).sum::<f64>() / 600.0
    };
    for power in [1, 2] {
        let start = integral(power, 0.0);
        for t in [0.3, 1.0] {
            let change = integral(power, t) / start - 1.0;
            assert!(
                change.abs() < 1e-9,
                "∫u^{power} changes by {change:.1e} until {t}"
            );
        }
    }
}

#[test]
fn contradictions_are_named_and_solved_on() {
    let u = unknown("u");
    // A rod of temperature 1 between ends at 0: u = Σ 4/(nπ) sin nπx e^{−n²π²t} over odd n.
    let rod = on(0.0, 1.0, 0.2)
        .equation(u.d(T), laplacian(u))
        .initial_value(1.0)
        .dirichlet(0.0)
        .solve_with(&NewtonOptions::new().tolerance(1e-5))
        .unwrap();
    let remarks = &rod.evolution().unwrap().remarks;
    assert_eq!(remarks.len(), 2, "{remarks:?}");
    assert!(
        remarks[0].contains("contradicts") && remarks[0].contains("1.000e0"),
        "{remarks:?}"
    );
    let exact: f64 = (0..50)
        .map(|k| f64::from(2 * k + 1) * PI)
        .map(|n| 4.0 / n * (0.5 * n).sin() * (-n * n * 0.1).exp())
        .sum();
    let value = rod.value(&[0.5, 0.1]).unwrap();
    assert!((value - exact).abs() < 1e-4, "{value} and {exact}");
}

#[test]
fn a_solution_that_blows_up_is_kept_until_then() {
    // u_t = u², constant in space: u = 1/(1 − t).
    let u = unknown("u");
    let solution = on(0.0, 1.0, 2.0)
        .equation(u.d(T), 0.01 * laplacian(u) + u * u)
        .initial_value(1.0)
        .condition(X.lo(), u.d(X), 0.0)
        .condition(X.hi(), u.d(X), 0.0)
        .solve_with(&NewtonOptions::new().tolerance(1e-8))
        .unwrap();
    let evolution = solution.evolution().unwrap();
    let blow_up = evolution.blow_up.unwrap();
    assert!((blow_up.time - 1.0).abs() < 1e-3, "{evolution}");
    assert_ne!(solution.report().status, Status::ToleranceMet);
    assert!((solution.value(&[0.3, 0.5]).unwrap() - 2.0).abs() < 1e-6);
    assert!(solution.value(&[0.3, 1.5]).unwrap().is_nan());
}

#[test]
fn what_is_no_evolution_says_why() {
    let u = unknown("u");
    let reason = |problem: NonlinearProblem| match problem.evolve_with(&NewtonOptions::new()) {
        Err(NewtonError::NoEvolution { reason }) => reason,
        other => panic!("{other:?}"),
    };
    let heat = || on(0.0, 1.0, 1.0).equation(u.d(T), laplacian(u));
    let missing = heat().initial_value(sin(PI * X)).condition(X.lo(), u, 0.0);
    assert!(reason(missing).contains("0 conditions are given at the upper end"));
    let advected = on(0.0, 1.0, 1.0)
        .equation(u.d(T) + u.d(X), 0.0)
        .initial_value(0.0)
        .dirichlet(0.0);
    assert!(
        reason(advected)
            .contains("1 conditions are given at the upper end, where the equation takes 0")
    );
    assert!(reason(heat().dirichlet(0.0)).contains("0 initial values"));
    let backwards = on(0.0, 1.0, 1.0)
        .equation(u.d(T), -laplacian(u))
        .initial_value(sin(PI * X))
        .dirichlet(0.0);
    assert!(reason(backwards).contains("short waves"));
    let mixed = on(0.0, 1.0, 1.0)
        .equation(u.d(T) - laplacian(u.d(T)), laplacian(u))
        .initial_value(sin(PI * X))
        .dirichlet(0.0);
    assert!(reason(mixed.clone()).contains("differentiated in space"));
    // It is solved all the same, in space-time; the report says why.
    let mut options = NewtonOptions::new().tolerance(1e-2);
    options.solve = options.solve.max_features(100);
    let solution = mixed.solve_with(&options).unwrap();
    assert!(solution.evolution().is_none());
    let choice = &solution.report().choice;
    assert!(
        choice.contains("cannot be followed in time") && choice.contains("differentiated in space"),
        "{choice}"
    );
    let steady = NonlinearProblem::on(Interval::unit())
        .equation(laplacian(u), u * u)
        .dirichlet(0.0);
    assert!(reason(steady).contains("no time"));
}

#[test]
fn a_limit_on_time_and_a_watcher_are_heard() {
    let u = unknown("u");
    let counter = AtomicUsize::new(0);
    let mut options = NewtonOptions::new().tolerance(1e-8);
    options.solve = options.solve.progress(move |_| {
        let count = counter.fetch_add(1, Ordering::Relaxed);
        if count > 4 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    let solution = on(-1.0, 1.0, 1.0)
        .equation(u.d(T) + u * u.d(X), 0.01 * laplacian(u))
        .initial_value(-tanh(3.0 * X))
        .condition(X.lo(), u.d(X), 0.0)
        .condition(X.hi(), u.d(X), 0.0)
        .solve_with(&options)
        .unwrap();
    let evolution = solution.evolution().unwrap();
    assert!(
        evolution.stopped.is_some() && evolution.reached < 1.0,
        "{evolution}"
    );
    assert_eq!(solution.report().status, Status::LimitReached);
}
