//! Reflections are used when they are there, and only then.

use std::f64::consts::PI;

use fastlsq_solve::{
    Ball, BoxDomain, DomainExt, Expr, Interval, LinearProblem, Options, Parity, Symmetry, T, X, Y,
    given, laplacian, normal_derivative, problems, sin, unknown,
};

use super::grid_error;

fn symmetry_of(problem: &LinearProblem) -> String {
    let options = Options::new().tolerance(1e-3).max_features(120);
    problem
        .solve_with(&options)
        .unwrap()
        .report()
        .symmetry
        .clone()
}

fn poisson(source: impl Into<Expr>) -> LinearProblem {
    LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(unknown("u")), source)
        .dirichlet(0.0)
}

#[test]
fn even_and_odd_data_are_seen() {
    let even = poisson(sin(PI * X) * sin(PI * Y));
    assert_eq!(symmetry_of(&even), "u even in x, y");
    let odd = poisson(sin(2.0 * PI * X) * sin(PI * Y));
    assert_eq!(symmetry_of(&odd), "u even in y; u odd in x");
}

#[test]
fn a_tiny_asymmetry_turns_it_off() {
    let tilted = poisson(sin(PI * X) * sin(PI * Y) * (1.0 + 1e-9 * X));
    assert_eq!(symmetry_of(&tilted), "u even in y");
    let walls = LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(unknown("u")), 1.0)
        .dirichlet(1e-8 * Y);
    assert_eq!(symmetry_of(&walls), "u even in x");
}

#[test]
fn operators_count_as_well() {
    // −Δu + ∂u/∂x mixes parities in x.
    let u = unknown("u");
    let wind = LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(u) + u.d(X), 1.0)
        .dirichlet(0.0);
    assert_eq!(symmetry_of(&wind), "u even in y");
    for medium in [1.0 + Y, given("c", |x| 1.0 + x[1])] {
        let uneven = LinearProblem::on(BoxDomain::unit(2))
            .equation(-laplacian(u) + medium * u, 1.0)
            .dirichlet(0.0);
        assert_eq!(symmetry_of(&uneven), "u even in x");
    }
}

#[test]
fn conditions_on_single_parts_count_as_well() {
    let u = unknown("u");
    let one_side = LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(u), 1.0)
        .condition(X.lo(), u, 0.0)
        .condition(X.hi(), normal_derivative(u), 0.0)
        .condition(Y.lo(), u, 0.0)
        .condition(Y.hi(), u, 0.0);
    assert_eq!(symmetry_of(&one_side), "");
}

#[test]
fn neumann_data_in_a_ball() {
    let u = unknown("u");
    let ball = LinearProblem::on(Ball::unit(2))
        .equation(u - laplacian(u), 1.0 + X * Y)
        .neumann(0.0);
    assert_eq!(symmetry_of(&ball), "");
    let even = LinearProblem::on(Ball::unit(2))
        .equation(u - laplacian(u), 1.0 + X * X)
        .neumann(0.0);
    assert_eq!(symmetry_of(&even), "u even in x, y");
}

#[test]
fn time_has_no_mirror() {
    let u = unknown("u");
    let heat = LinearProblem::on(Interval::unit().over(0.0, 1.0).unwrap())
        .equation(u.d(T), laplacian(u))
        .initial_value(sin(PI * X))
        .dirichlet(0.0);
    assert_eq!(symmetry_of(&heat), "u even in x");
}

#[test]
fn unknowns_of_a_system_have_their_own_parity() {
    let elastic = problems::elastic_wave_2d();
    let text = symmetry_of(&elastic.problem);
    assert_eq!(text, "u even in y; u odd in x; v even in x; v odd in y");
}

#[test]
fn ignoring_symmetry_gives_the_same_solution() {
    let exact = sin(PI * X) * sin(PI * Y);
    let problem = poisson(-laplacian(&exact));
    for symmetry in [
        Symmetry::Detect,
        Symmetry::Ignore,
        Symmetry::Declared(vec![Parity::Even, Parity::None]),
    ] {
        let u = problem
            .solve_with(&Options::new().symmetry(symmetry.clone()))
            .unwrap();
        assert!(grid_error(&u, &exact) < 1e-10, "{symmetry:?}");
    }
    // With an explicit bandwidth, declared symmetry is about the centre of the square.
    let options = Options::new()
        .features(120)
        .bandwidth(4.0)
        .symmetry(Symmetry::Declared(vec![Parity::Even, Parity::Even]));
    let u = problem.solve_with(&options).unwrap();
    assert!(grid_error(&u, &exact) < 1e-8);
    assert!((u.value(&[0.2, 0.3]).unwrap() - u.value(&[0.8, 0.7]).unwrap()).abs() < 1e-14);
}

#[test]
fn periodic_conditions_leave_symmetry_alone() {
    let u = unknown("u");
    let problem = LinearProblem::on(BoxDomain::unit(2))
        .equation(
            -laplacian(u) + u,
            sin(PI * Y) * fastlsq_solve::cos(2.0 * PI * X),
        )
        .periodic(X)
        .condition(Y.lo(), u, 0.0)
        .condition(Y.hi(), u, 0.0);
    // Faces by name are not judged.
    assert_eq!(symmetry_of(&problem), "");
    let problem = LinearProblem::on(Interval::unit())
        .equation(-laplacian(u) + u, fastlsq_solve::cos(2.0 * PI * X))
        .periodic(X);
    assert_eq!(symmetry_of(&problem), "u even in x");
    let problem = LinearProblem::on(Interval::unit())
        .equation(-laplacian(u) + u, sin(2.0 * PI * X))
        .periodic(X);
    assert_eq!(symmetry_of(&problem), "u odd in x");
    let solution = problem.solve().unwrap();
    let exact = |x: f64| (2.0 * PI * x).sin() / (1.0 + 4.0 * PI * PI);
    for x in [0.0, 0.2, 0.7] {
        assert!((solution.value(&[x]).unwrap() - exact(x)).abs() < 1e-13);
    }
}
