//! Reflections are used when they are there, and only then.

use std::f64::consts::PI;

use fastlsq_solve::{
    Ball, BoxDomain, DomainExt, Field, Interval, LinearProblem, Options, Parity, Symmetry,
    identity, laplacian, partial, partial_order, problems,
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

fn poisson(source: impl Fn(&[f64]) -> f64 + Send + Sync + 'static) -> LinearProblem {
    LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(2), source)
        .dirichlet(|_| 0.0)
}

#[test]
fn even_and_odd_data_are_seen() {
    let even = poisson(|x| (PI * x[0]).sin() * (PI * x[1]).sin());
    assert_eq!(symmetry_of(&even), "u even in x0, x1");
    let odd = poisson(|x| (2.0 * PI * x[0]).sin() * (PI * x[1]).sin());
    assert_eq!(symmetry_of(&odd), "u even in x1; u odd in x0");
}

#[test]
fn a_tiny_asymmetry_turns_it_off() {
    let tilted = poisson(|x| (PI * x[0]).sin() * (PI * x[1]).sin() * (1.0 + 1e-9 * x[0]));
    assert_eq!(symmetry_of(&tilted), "u even in x1");
    let walls = LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(2), |_| 1.0)
        .dirichlet(|x| 1e-8 * x[1]);
    assert_eq!(symmetry_of(&walls), "u even in x0");
}

#[test]
fn operators_count_as_well() {
    // −Δu + ∂u/∂x mixes parities in x.
    let wind = LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(2) + partial(2, 0), |_| 1.0)
        .dirichlet(|_| 0.0);
    assert_eq!(symmetry_of(&wind), "u even in x1");
    let medium = Field::new("c", |x| 1.0 + x[1]);
    let uneven = LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(2) + medium * identity(2), |_| 1.0)
        .dirichlet(|_| 0.0);
    assert_eq!(symmetry_of(&uneven), "u even in x0");
}

#[test]
fn conditions_on_single_parts_count_as_well() {
    let one_side = LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(2), |_| 1.0)
        .dirichlet_on("x0=lo", |_| 0.0)
        .neumann_on("x0=hi", |_| 0.0)
        .dirichlet_on("x1=lo", |_| 0.0)
        .dirichlet_on("x1=hi", |_| 0.0);
    assert_eq!(symmetry_of(&one_side), "");
}

#[test]
fn neumann_data_in_a_ball() {
    let ball = LinearProblem::on(Ball::unit(2))
        .equation(-laplacian(2) + identity(2), |x| 1.0 + x[0] * x[1])
        .neumann(|_| 0.0);
    assert_eq!(symmetry_of(&ball), "");
    let even = LinearProblem::on(Ball::unit(2))
        .equation(-laplacian(2) + identity(2), |x| 1.0 + x[0] * x[0])
        .neumann(|_| 0.0);
    assert_eq!(symmetry_of(&even), "u even in x0, x1");
}

#[test]
fn time_has_no_mirror() {
    let heat = LinearProblem::on(Interval::unit().over(0.0, 1.0).unwrap())
        .equation(partial(2, 1) - partial_order(2, 0, 2), |_| 0.0)
        .initial_value(|x| (PI * x[0]).sin())
        .dirichlet(|_| 0.0);
    assert_eq!(symmetry_of(&heat), "u even in x0");
}

#[test]
fn unknowns_of_a_system_have_their_own_parity() {
    let elastic = problems::elastic_wave_2d();
    let text = symmetry_of(&elastic.problem);
    assert_eq!(text, "u even in x1; u odd in x0; v even in x0; v odd in x1");
}

#[test]
fn ignoring_symmetry_gives_the_same_solution() {
    let problem = poisson(|x| 2.0 * PI * PI * (PI * x[0]).sin() * (PI * x[1]).sin());
    let exact = |x: &[f64]| (PI * x[0]).sin() * (PI * x[1]).sin();
    for symmetry in [
        Symmetry::Detect,
        Symmetry::Ignore,
        Symmetry::Declared(vec![Parity::Even, Parity::None]),
    ] {
        let u = problem
            .solve_with(&Options::new().symmetry(symmetry.clone()))
            .unwrap();
        assert!(grid_error(&u, exact) < 1e-10, "{symmetry:?}");
    }
    // With an explicit bandwidth, declared symmetry is about the centre of the square.
    let options = Options::new()
        .features(120)
        .bandwidth(4.0)
        .symmetry(Symmetry::Declared(vec![Parity::Even, Parity::Even]));
    let u = problem.solve_with(&options).unwrap();
    assert!(grid_error(&u, exact) < 1e-8);
    assert!((u.value(&[0.2, 0.3]).unwrap() - u.value(&[0.8, 0.7]).unwrap()).abs() < 1e-14);
}
