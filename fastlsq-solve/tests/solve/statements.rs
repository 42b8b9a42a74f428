//! What is easily misread or mistyped: it means what it says on paper, or is an error in the words of the user.

use std::f64::consts::PI;

use fastlsq_solve::ndarray::array;
use fastlsq_solve::{
    Ball, BoxDomain, Condition, DomainExt, INITIAL, Interval, LinearProblem, MistakeReason,
    SolveError, T, WALLS, X, Y, Z, axis, coordinate, div, exp, given, grad, laplacian, normal,
    normal_derivative, parameter, sin, unknown, unknowns, vector,
};

use super::grid_error;

/// The words of the refusal, which must be those of the statement.
fn refusal(problem: &LinearProblem) -> String {
    let text = problem.solve().unwrap_err().to_string();
    for foreign in ["basis", "bases", "table", "feature", "column", "block"] {
        assert!(!text.contains(foreign), "{foreign:?} in: {text}");
    }
    text
}

fn assert_says(problem: &LinearProblem, words: &[&str]) {
    let text = refusal(problem);
    for word in words {
        assert!(text.contains(word), "no {word:?} in: {text}");
    }
}

#[test]
fn the_laplacian_never_touches_time() {
    let (u, exact) = (unknown("u"), exp(-PI * PI * T) * sin(PI * X));
    let solution = LinearProblem::on(Interval::unit().over(0.0, 0.3).unwrap())
        .equation(u.d(T) - laplacian(u), 0.0)
        .initial_value(sin(PI * X))
        .dirichlet(0.0)
        .solve()
        .unwrap();
    for point in [[0.5, 0.1], [0.2, 0.3], [0.9, 0.2]] {
        let error = solution.at(u - &exact, &point).unwrap();
        assert!(error.abs() < 1e-9, "{error:.1e}\n{}", solution.report());
        // So it is for what is asked of the solution.
        let second = solution.at(u.d(X).d(X), &point).unwrap();
        assert!((solution.laplacian(&point).unwrap() - second).abs() < 1e-12 * second.abs());
    }
}

#[test]
fn the_dimension_is_that_of_the_domain() {
    let u = unknown("u");
    for dim in 1..=3 {
        let exact = (0..dim)
            .map(|k| exp(0.7 * axis(k)))
            .sum::<fastlsq_solve::Expr>();
        let u = LinearProblem::on(BoxDomain::unit(dim))
            .equation(laplacian(u), laplacian(&exact))
            .dirichlet(&exact)
            .solve()
            .unwrap();
        assert!(grid_error(&u, exact) < 1e-10, "{dim}: {}", u.report());
    }
}

#[test]
fn a_system_must_name_the_unknown_of_a_condition() {
    let [u, v] = unknowns(["u", "v"]);
    let system = || {
        LinearProblem::on(Interval::unit().over(0.0, 1.0).unwrap())
            .equation(u.d(T), laplacian(v))
            .equation(v.d(T), -laplacian(u))
    };
    let cases = [
        (system().dirichlet(0.0), ".condition(WALLS, u, 0)"),
        (
            system().neumann(sin(T)),
            ".condition(WALLS, normal_derivative(u), sin(t))",
        ),
        (
            system().robin(2.0, X, 1.0),
            ".condition(WALLS, 2 * u + x * normal_derivative(u), 1)",
        ),
        (
            system().initial_value(sin(X)),
            ".condition(INITIAL, u, sin(x))",
        ),
        (
            system().initial_velocity(0.0),
            ".condition(INITIAL, u.d(T), 0)",
        ),
        (
            system().data(array![[0.5, 0.5]], &[1.0]),
            ".with(Condition::at(points, u, values))",
        ),
    ];
    for (problem, example) in cases {
        assert_says(&problem, &["which of the unknowns u, v", example]);
    }
    let right = system().condition(WALLS, [u, v], [0.0, 0.0]).condition(
        INITIAL,
        [u, v],
        [sin(PI * X), 0.0 * X],
    );
    assert!(right.statement().linear().is_ok());
}

#[test]
fn coordinates_that_the_domain_does_not_have() {
    let u = unknown("u");
    let square = || LinearProblem::on(BoxDomain::unit(2));
    let steady = square().equation(u.d(T), laplacian(u)).dirichlet(0.0);
    assert_says(
        &steady,
        &["equation 1", "u_t = Δu", "no coordinate t", "x, y"],
    );
    let poisson = || square().equation(-laplacian(u), 1.0);
    assert_says(
        &poisson().dirichlet(sin(Z)),
        &["walls", "sin(z)", "no coordinate z"],
    );
    assert_says(
        &poisson().condition(Z.lo(), u, 0.0),
        &["z=lo", "no coordinate z"],
    );
    assert_says(&poisson().periodic(Z), &["periodic z", "no coordinate z"]);
    assert_says(&poisson().initial_value(0.0), &["initial", "x=lo"]);
    assert_says(
        &poisson().condition("top", u, 0.0),
        &["\"top\"", "\"y=hi\""],
    );
    let r = coordinate("r");
    assert_says(&poisson().dirichlet(r * r), &["walls", "no coordinate r"]);
    // A domain with names of its own, and one without faces.
    let section = LinearProblem::on(BoxDomain::unit(2).with_coordinates(["r", "z"]));
    let misnamed = section.equation(u.d(coordinate("s")), 0.0);
    assert_says(&misnamed, &["no coordinate s", "r, z"]);
    let disc = LinearProblem::on(Ball::unit(2)).equation(laplacian(u), 0.0);
    assert_says(&disc.condition(X.lo(), u, 0.0), &["x=lo", "\"sphere\""]);
}

#[test]
fn unknowns_and_parameters_that_nothing_determines() {
    let (u, v, k) = (unknown("u"), unknown("v"), parameter("k"));
    let poisson = || LinearProblem::on(BoxDomain::unit(2)).equation(-laplacian(u), 1.0);
    let stray = poisson().condition(WALLS, v, 0.0);
    assert_says(
        &stray,
        &["walls", "v = 0", "v is not an unknown", "unknowns are u"],
    );
    assert_says(
        &poisson().dirichlet(2.0 * k),
        &["walls", "u = 2 k", "parameter k", ".parameter("],
    );
    let silent = poisson().equation(X, 1.0).condition(WALLS, Y, 0.0);
    assert_says(
        &silent,
        &["equation 2 (x = 1)", "none of the unknowns", "(y = 0)"],
    );
    let known = LinearProblem::on(BoxDomain::unit(2))
        .equation(laplacian(u), 0.0)
        .dirichlet(k * X)
        .parameter(k, 1.0)
        .parameter(k, 2.0)
        .solve();
    assert!((known.unwrap().value(&[1.0, 0.5]).unwrap() - 2.0).abs() < 1e-9);
}

#[test]
fn nonlinear_terms_are_named_and_the_way_out_too() {
    let (u, c) = (unknown("u"), parameter("c"));
    let problem = || LinearProblem::on(Interval::unit().over(0.0, 1.0).unwrap());
    let burgers = problem().equation(u.d(T) + u * u.d(X), 0.1 * laplacian(u));
    assert_says(
        &burgers,
        &[
            "equation 1",
            "u_t + u u_x = 0.1 Δu",
            "the term u u_x",
            "NonlinearProblem",
        ],
    );
    let bratu = problem().equation(laplacian(u) + exp(u), 0.0);
    assert_says(&bratu, &["the term exp(u)", "NonlinearProblem"]);
    let radiation = problem().equation(u.d(T), laplacian(u)).condition(
        X.lo(),
        normal_derivative(u),
        -u.powi(4),
    );
    assert_says(&radiation, &["x=lo", "u⁴", "NonlinearProblem"]);
    // Products with what is known are linear, however they are written.
    let linear = problem()
        .equation(
            u.d(T) + (c + X) * u * sin(T) / (2.0 + X),
            div(exp(X) * grad(u)),
        )
        .parameter(c, 2.0);
    assert!(linear.statement().linear().is_ok());
}

#[test]
fn all_mistakes_are_reported_at_once() {
    let (u, v) = (unknown("u"), unknown("v"));
    let problem = LinearProblem::on(BoxDomain::unit(2))
        .equation(laplacian(u) + u.d(T), 0.0)
        .equation(u * u, 1.0)
        .condition("top", u, 0.0)
        .with(Condition::on(X.lo(), v, 3.0).named("inlet"))
        .dirichlet(parameter("k"));
    let text = refusal(&problem);
    for words in [
        "equation 1 (Δu + u_t = 0): there is no coordinate t",
        "equation 2 (u² = 1): the term u²",
        "\"top\"",
        "inlet (v = 3)",
        "parameter k",
    ] {
        assert!(text.contains(words), "no {words:?} in: {text}");
    }
    let SolveError::Statement(mistakes) = problem.solve().unwrap_err() else {
        panic!("{text}")
    };
    assert_eq!((mistakes.len(), text.lines().count()), (5, 6));
    assert!(
        matches!(mistakes[2].reason, MistakeReason::Part(_)),
        "{text}"
    );
}

#[test]
fn vectors_where_numbers_belong() {
    let [u, v] = unknowns(["u", "v"]);
    let problem = LinearProblem::on(BoxDomain::unit(2));
    let short = problem.clone().equation(laplacian([u, v]), 1.0);
    assert_says(&short, &["equation 1", "Δ[u, v] = 1", "a vector of 2"]);
    let uneven = problem
        .clone()
        .condition(WALLS, [u, v], vector([1.0, 2.0, 3.0]));
    assert_says(&uneven, &["walls"]);
    let listed = Condition::at(array![[0.5, 0.5]], [u, v], &[1.0]);
    assert_says(
        &problem.equation(u.d(X), v.d(Y)).with(listed),
        &["data [u, v]", "belong to a number"],
    );
}

#[test]
fn what_cannot_be_said_where_it_stands() {
    let u = unknown("u");
    let square = || LinearProblem::on(BoxDomain::unit(2));
    let inside = square().equation(normal_derivative(u), 0.0).dirichlet(0.0);
    assert_says(&inside, &["equation 1", "normal"]);
    let data = square().equation(laplacian(u), 0.0);
    let data = data.with(Condition::at(
        array![[0.5, 0.5]],
        normal_derivative(u),
        &[1.0],
    ));
    assert_says(&data, &["data", "normal"]);
    let source = square()
        .equation(laplacian(u), div(normal()))
        .dirichlet(0.0);
    assert_says(&source, &["equation 1", "normal"]);
    let medium = given("c", |x| 1.0 + x[0]);
    let unknown_slope = square().equation(div(medium * grad(u)), 0.0).dirichlet(0.0);
    assert_says(
        &unknown_slope,
        &["equation 1", "derivative of c along x", ".with_gradient("],
    );
    let clash = square().equation(laplacian(unknown("x")), 0.0);
    assert_says(&clash, &["name x"]);
}
