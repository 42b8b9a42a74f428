//! Evolutions in files: what was evolved is read back as a function of space and time.

#![cfg(feature = "serde")]
#![allow(clippy::unwrap_used)]

use std::f64::consts::PI;

use fastlsq_newton::{
    Ball, BoxDomain, DomainExt, Expr, INITIAL, Interval, NewtonOptions, NonlinearProblem,
    NonlinearSolution, SaveError, Solution, T, X, Y, cos, exp, laplacian, sin, tanh, unknown,
    unknowns,
};

fn on(a: f64, b: f64, end: f64) -> NonlinearProblem {
    NonlinearProblem::on(Interval::new(a, b).unwrap().over(0.0, end).unwrap())
}

fn evolved(problem: &NonlinearProblem, tolerance: f64) -> NonlinearSolution {
    let options = NewtonOptions::new().tolerance(tolerance);
    problem.evolve_with(&options).unwrap()
}

fn text(u: &Solution) -> String {
    let mut bytes = Vec::new();
    u.to_writer(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn read(text: &str) -> Result<Solution, SaveError> {
    Solution::from_reader(text.as_bytes())
}

/// A layer that small pieces follow.
fn layer() -> NonlinearSolution {
    let u = unknown("u");
    let problem = on(-1.0, 1.0, 0.4)
        .equation(u.d(T) + u * u.d(X), 0.02 * laplacian(u))
        .initial_value(-sin(PI * X))
        .dirichlet(0.0);
    evolved(&problem, 1e-6)
}

/// Checks that values and derivatives from the file are those of the solution, and that a second file equals the first.
fn comes_back(u: &NonlinearSolution, points: &[&[f64]], expressions: &[(Expr, f64)]) -> Solution {
    let written = text(u);
    let back = read(&written).unwrap();
    assert_eq!(text(&back), written);
    // Some of its numbers are NaN, which equals nothing.
    let reports = [back.report(), u.report()].map(|report| format!("{report:?}"));
    assert_eq!(reports[0], reports[1]);
    assert_eq!((back.unknowns(), back.space()), (u.unknowns(), u.space()));
    for point in points {
        for (expression, allowed) in expressions {
            let pair = [
                back.at(expression, point).unwrap(),
                u.at(expression, point).unwrap(),
            ];
            assert!(
                (pair[0] - pair[1]).abs() <= *allowed,
                "{expression} at {point:?}: {pair:?}"
            );
        }
    }
    back
}

#[test]
fn steps_over_joined_pieces_come_back() {
    let u = unknown("u");
    let solution = layer();
    let back = comes_back(
        &solution,
        &[
            &[0.3, 0.0],
            &[-0.01, 0.4],
            &[0.9, 0.123],
            &[-1.0, 0.2],
            &[1.0, 0.4],
        ],
        &[
            (u.into(), 1e-13),
            (u.d(X), 1e-10),
            (u.d(T), 1e-9),
            (u.d(X).d(X), 1e-8),
        ],
    );
    // Beyond the time that was reached nothing is known; on a grid it is.
    assert!(back.value(&[0.0, 0.5]).unwrap().is_nan());
    let grids = [
        back.on_grid(&[41, 9]).unwrap(),
        solution.on_grid(&[41, 9]).unwrap(),
    ];
    let [read, own] = grids.map(|grid| grid.arrays()[0].clone());
    assert!(read.iter().zip(&own).all(|(a, b)| (a - b).abs() < 1e-13));
}

#[test]
fn exponentials_come_back() {
    let u = unknown("u");
    let heat = on(0.0, 1.0, 2.0)
        .equation(u.d(T), laplacian(u) + X)
        .initial_value(sin(PI * X) + 0.1 * sin(9.0 * PI * X))
        .dirichlet(0.0);
    let heat = evolved(&heat, 1e-10);
    assert!(heat.report().method.contains("exponential"));
    comes_back(
        &heat,
        &[&[0.3, 0.0], &[0.71, 1e-4], &[0.5, 0.7], &[0.25, 2.0]],
        &[(u.into(), 1e-13), (u.d(X).d(X), 1e-9), (u.d(T), 1e-7)],
    );
    // A wave on a circle, for ten turns.
    let wave = on(0.0, 1.0, 10.0)
        .equation(u.d(T).d(T), laplacian(u))
        .initial_value(exp(cos(2.0 * PI * X)))
        .initial_velocity(0.0)
        .periodic(X);
    comes_back(
        &evolved(&wave, 1e-8),
        &[&[0.3, 0.0], &[0.71, 3.3], &[0.5, 10.0]],
        &[(u.into(), 1e-12), (u.d(X), 1e-10), (u.d(T), 1e-10)],
    );
}

#[test]
fn fields_come_back() {
    let [u, v] = unknowns(["u", "v"]);
    // A system on a rectangle that is periodic along x, step by step.
    let system = NonlinearProblem::on(BoxDomain::unit(2).over(0.0, 0.2).unwrap())
        .equation(u.d(T), 0.02 * laplacian(u) + u * v - u)
        .equation(v.d(T), 0.01 * laplacian(v) - u * v)
        .condition(INITIAL, u, 1.0 + 0.2 * sin(2.0 * PI * X) * cos(PI * Y))
        .condition(INITIAL, v, 1.0)
        .periodic(X)
        .condition(Y.lo(), u.d(Y), 0.0)
        .condition(Y.hi(), u.d(Y), 0.0)
        .condition(Y.lo(), v.d(Y), 0.0)
        .condition(Y.hi(), v.d(Y), 0.0);
    comes_back(
        &evolved(&system, 1e-5),
        &[&[0.3, 0.1, 0.0], &[0.9, 0.7, 0.11], &[0.0, 1.0, 0.2]],
        &[(u.into(), 1e-13), ((u * v).d(Y), 1e-10), (v.d(T), 1e-10)],
    );
    // On a disc: once by the exponential, once step by step.
    for strength in [0.0, 1.0] {
        let disc = NonlinearProblem::on(Ball::unit(2).over(0.0, 0.2).unwrap())
            .equation(u.d(T), laplacian(u) - strength * u * u)
            .initial_value((1.0 - X * X - Y * Y) * (1.0 + X))
            .dirichlet(0.0);
        comes_back(
            &evolved(&disc, 1e-4),
            &[&[0.3, 0.1, 0.0], &[-0.5, 0.7, 0.11], &[0.0, 0.0, 0.2]],
            &[(u.into(), 1e-12), (u.d(X), 1e-10), (u.d(T), 1e-8)],
        );
    }
}

/// A solution that blew up or was stopped is kept up to that time.
#[test]
fn an_end_before_the_last_time_comes_back() {
    let u = unknown("u");
    let blown = on(0.0, 1.0, 2.0)
        .equation(u.d(T), 0.01 * laplacian(u) + u * u)
        .initial_value(1.0 + 0.0 * tanh(X))
        .condition(X.lo(), u.d(X), 0.0)
        .condition(X.hi(), u.d(X), 0.0);
    let blown = evolved(&blown, 1e-6);
    assert!(blown.evolution().unwrap().blow_up.is_some());
    let back = comes_back(&blown, &[&[0.3, 0.0], &[0.5, 0.9]], &[(u.into(), 1e-12)]);
    assert!(back.value(&[0.5, 1.5]).unwrap().is_nan());
}

#[test]
fn damage_is_noticed() {
    let whole = text(&layer());
    let bytes = whole.as_bytes();
    let mut state = 0x5eed_u64;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as usize) % below
    };
    for round in 0..60 {
        let mut damaged = bytes.to_vec();
        let place = random(bytes.len());
        match round % 3 {
            0 => damaged[place] ^= 1 << random(8),
            1 => damaged.truncate(place),
            _ => drop(damaged.drain(place..bytes.len().min(place + 1 + random(40)))),
        }
        let read = Solution::from_reader(damaged.as_slice());
        assert!(
            matches!(
                read,
                Err(SaveError::Corrupted { .. } | SaveError::Truncated | SaveError::Foreign { .. })
            ),
            "round {round}, place {place}"
        );
    }
}
