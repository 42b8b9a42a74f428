//! Evolutions in several space dimensions, against exact solutions and on wrong input.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::f64::consts::PI;

use fastlsq_newton::problems::{self, NonlinearBenchmark};
use fastlsq_newton::{
    Ball, BoxDomain, DomainExt, Ellipse, Expr, INITIAL, NewtonError, NewtonOptions,
    NonlinearProblem, NonlinearSolution, Status, T, WALLS, X, Y, cos, exp, laplacian,
    normal_derivative, sin, unknown, unknowns,
};

/// Evolves, and checks error and estimate against the tolerance and against each other.
fn hold(benchmark: &NonlinearBenchmark, tolerance: f64) -> NonlinearSolution {
    let options = NewtonOptions::new().tolerance(tolerance);
    let solution = benchmark.problem.evolve_with(&options).unwrap();
    let error = benchmark.worst_error(&solution).unwrap();
    let estimate = solution.report().error_estimate;
    let name = benchmark.name;
    println!("{name}: error {error:.1e}, estimate {estimate:.1e}");
    assert_eq!(solution.report().status, Status::ToleranceMet, "{solution}");
    assert!(error < 3.0 * tolerance, "{name}: {error:.1e}\n{solution}");
    assert!(
        estimate > error / 10.0 || error < 1e-12,
        "{name}: error {error:.1e}, estimate {estimate:.1e}\n{solution}"
    );
    solution
}

fn known(name: &'static str, problem: NonlinearProblem, exact: &[Expr]) -> NonlinearBenchmark {
    NonlinearBenchmark::new(name, name, problem, exact)
}

fn square(end: f64) -> NonlinearProblem {
    NonlinearProblem::on(BoxDomain::unit(2).over(0.0, end).unwrap())
}

#[test]
fn linear_ones_by_the_exponential() {
    for benchmark in [problems::wave_disc(), problems::heat_box_3d()] {
        let solution = hold(&benchmark, 1e-9);
        assert!(solution.report().method.contains("exponential"));
    }
    // Advection and diffusion on a torus, over many turns.
    let u = unknown("u");
    let decay = exp(-0.04 * PI * PI * T);
    let exact = &decay * sin(2.0 * PI * (X - T)) * 1.0 + decay * cos(2.0 * PI * (Y + 0.5 * T));
    let problem = square(5.0)
        .equation(u.d(T) + u.d(X) - 0.5 * u.d(Y), 0.01 * laplacian(u))
        .initial_value(sin(2.0 * PI * X) + cos(2.0 * PI * Y))
        .periodic(X)
        .periodic(Y);
    hold(&known("torus", problem, &[exact]), 1e-10);
    // A constant source and data on the walls: the rest state x + y and a mode that decays towards it.
    let exact = X * X + exp(-2.0 * PI * PI * T) * sin(PI * X) * sin(PI * Y);
    let problem = square(0.3)
        .equation(u.d(T), laplacian(u) - 2.0)
        .initial_value(X * X + sin(PI * X) * sin(PI * Y))
        .dirichlet(X * X);
    let solution = hold(&known("source", problem, &[exact]), 1e-10);
    assert!(solution.report().method.contains("exponential"));
}

/// 1 + 0.3 e^{−t} sin(x + 2y), and the source that makes it a solution of u_t = Δu + u − u³.
fn made() -> (Expr, Expr) {
    let exact = 1.0 + 0.3 * exp(-T) * sin(X + 2.0 * Y);
    let rest = exact.d(T) - laplacian(&exact) - &exact + exact.powi(3);
    (exact, rest)
}

#[test]
fn data_that_move_on_the_faces_of_a_box() {
    let u = unknown("u");
    let (exact, rest) = made();
    let problem = square(1.0)
        .equation(u.d(T), laplacian(u) + u - u.powi(3) + rest)
        .initial_value(1.0 + 0.3 * sin(X + 2.0 * Y))
        .condition(X.lo(), u, &exact)
        .condition(X.hi(), u.d(X), exact.d(X))
        .condition(Y.lo(), u, &exact)
        .condition(Y.hi(), u + u.d(Y), &exact + exact.d(Y));
    hold(&known("faces", problem, &[exact]), 1e-8);
}

#[test]
fn domains_of_other_shapes() {
    let u = unknown("u");
    let (exact, rest) = made();
    let ellipse = Ellipse::new([0.2, 0.0], [1.0, 0.7]).unwrap();
    let problem = NonlinearProblem::on(ellipse.over(0.0, 0.5).unwrap())
        .equation(u.d(T), laplacian(u) + u - u.powi(3) + rest)
        .initial_value(1.0 + 0.3 * sin(X + 2.0 * Y))
        .dirichlet(&exact);
    hold(&known("ellipse", problem, &[exact]), 1e-7);
    // A membrane with a free rim: the mean of u keeps its velocity.
    let problem = NonlinearProblem::on(Ball::unit(2).over(0.0, 2.0).unwrap())
        .equation(u.d(T).d(T), laplacian(u))
        .initial_value(0.0)
        .initial_velocity(1.0)
        .condition(WALLS, normal_derivative(u), 0.0);
    hold(&known("free", problem, &[Expr::from(T)]), 1e-9);
}

#[test]
fn systems_and_explicit_steps() {
    // Two species on a circle u² + v² = w² that turns while it is carried round: no stiffness, explicit steps.
    let [u, v] = unknowns(["u", "v"]);
    let wave = 2.0 + sin(2.0 * PI * (X - T));
    let angle = wave.powi(2) * T;
    let exact = [&wave * cos(&angle), &wave * sin(&angle)];
    let speed = || u * u + v * v;
    let problem = square(0.5)
        .equation(u.d(T), -u.d(X) - v * speed())
        .equation(v.d(T), -v.d(X) + u * speed())
        .condition(INITIAL, u, 2.0 + sin(2.0 * PI * X))
        .condition(INITIAL, v, 0.0)
        .periodic(X)
        .periodic(Y);
    let solution = hold(&known("carried", problem, &exact), 1e-8);
    let method = &solution.report().method;
    assert!(method.contains("Dormand"), "{method}");
}

#[test]
fn what_is_wrong_is_said() {
    let u = unknown("u");
    let refused = |problem: NonlinearProblem| match problem.evolve_with(&NewtonOptions::new()) {
        Err(NewtonError::NoEvolution { reason }) => reason,
        other => panic!("{other:?}"),
    };
    let heat = || {
        square(1.0)
            .equation(u.d(T), laplacian(u))
            .initial_value(0.0)
    };
    let missing = refused(heat().condition(X.lo(), u, 0.0).condition(X.hi(), u, 0.0));
    assert!(missing.contains("0 conditions are given on"), "{missing}");
    let backwards = refused(
        square(1.0)
            .equation(u.d(T), -laplacian(u))
            .initial_value(0.0)
            .dirichlet(0.0),
    );
    assert!(backwards.contains("without bound"), "{backwards}");
    // Walls at one while the start is zero: solved all the same, with a remark.
    let options = NewtonOptions::new().tolerance(1e-3);
    let solution = heat().dirichlet(1.0).evolve_with(&options).unwrap();
    let remarks = solution.evolution().unwrap().remarks.join("\n");
    assert!(remarks.contains("contradicts"), "{remarks}");
}
