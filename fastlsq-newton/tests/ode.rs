//! Integration of ordinary differential equations: orders, classics, control of errors.

#![allow(clippy::unwrap_used)]

use faer::{Mat, MatMut};
use fastlsq_newton::evolution::ode::{
    Closure, Method, Ode, OdeError, OdeOptions, OdeStatus, Propagator, integrate,
};
use fastlsq_newton::{Frame, Interval, Space, WALLS, X, unknown};
use fastlsq_solve::space::{SpaceBuilder, SpaceCondition};
use std::sync::Arc;

fn kepler() -> impl Ode {
    // Eccentricity 0.5: y(2πk) = y(0).
    Closure::new(
        4,
        |_, y: &[f64], rate: &mut [f64]| {
            let cube = y[0].hypot(y[1]).powi(3);
            rate.copy_from_slice(&[y[2], y[3], -y[0] / cube, -y[1] / cube]);
        },
        |_, y: &[f64], mut j: MatMut<'_, f64>| {
            let r = y[0].hypot(y[1]);
            let (cube, fifth) = (r.powi(3), r.powi(5));
            j[(0, 2)] = 1.0;
            j[(1, 3)] = 1.0;
            j[(2, 0)] = 3.0 * y[0] * y[0] / fifth - 1.0 / cube;
            j[(3, 1)] = 3.0 * y[1] * y[1] / fifth - 1.0 / cube;
            j[(2, 1)] = 3.0 * y[0] * y[1] / fifth;
            j[(3, 0)] = 3.0 * y[0] * y[1] / fifth;
        },
    )
}

fn circle() -> impl Ode {
    Closure::new(
        2,
        |_, y: &[f64], rate: &mut [f64]| rate.copy_from_slice(&[y[1], -y[0]]),
        |_, _: &[f64], mut j: MatMut<'_, f64>| {
            j[(0, 1)] = 1.0;
            j[(1, 0)] = -1.0;
        },
    )
}

fn van_der_pol(epsilon: f64) -> impl Ode {
    Closure::new(
        2,
        move |_, y: &[f64], rate: &mut [f64]| {
            rate[0] = y[1];
            rate[1] = ((1.0 - y[0] * y[0]) * y[1] - y[0]) / epsilon;
        },
        move |_, y: &[f64], mut j: MatMut<'_, f64>| {
            j[(0, 1)] = 1.0;
            j[(1, 0)] = (-2.0 * y[0] * y[1] - 1.0) / epsilon;
            j[(1, 1)] = (1.0 - y[0] * y[0]) / epsilon;
        },
    )
    // The velocity jumps to a million times the position.
    .with_parts(vec![0, 1])
}

fn robertson() -> impl Ode {
    Closure::new(
        3,
        |_, y: &[f64], rate: &mut [f64]| {
            let (a, b, c) = (0.04 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] * y[1]);
            rate.copy_from_slice(&[-a + b, a - b - c, c]);
        },
        |_, y: &[f64], mut j: MatMut<'_, f64>| {
            let rows = [
                [-0.04, 1e4 * y[2], 1e4 * y[1]],
                [0.04, -1e4 * y[2] - 6e7 * y[1], -1e4 * y[1]],
                [0.0, 6e7 * y[1], 0.0],
            ];
            for (i, row) in rows.iter().enumerate() {
                for (k, entry) in row.iter().enumerate() {
                    j[(i, k)] = *entry;
                }
            }
        },
    )
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| (a - b).powi(2))
        .sum::<f64>()
        .sqrt()
}

/// Largest errors at the ends of steps and between them, with steps of one length.
fn errors_on_the_circle(method: Method, relative: f64, step: f64, end: f64) -> (f64, f64, usize) {
    let mut options = OdeOptions::new(relative).method(method);
    // The tolerance only chooses the order; the step is given.
    options.absolute = Some(1e6);
    options.first_step = Some(step);
    options.largest_step = step;
    let path = integrate(&circle(), 0.0, &[0.0, 1.0], end, &options).unwrap();
    let exact = |t: f64| [t.sin(), t.cos()];
    let mut worst = (0.0_f64, 0.0_f64);
    for segment in path.segments() {
        worst.0 = worst.0.max(distance(segment.last(), &exact(segment.end())));
        for k in 1..8 {
            let t = segment.start() + (segment.end() - segment.start()) * f64::from(k) / 8.0;
            worst.1 = worst.1.max(distance(&segment.at(t), &exact(t)));
        }
    }
    (worst.0, worst.1, path.segments().len())
}

#[test]
fn explicit_steps_have_order_eight_and_their_extension_order_seven() {
    let coarse = errors_on_the_circle(Method::Explicit, 0.5, 1.0, 16.0);
    let fine = errors_on_the_circle(Method::Explicit, 0.5, 0.5, 16.0);
    assert_eq!((coarse.2, fine.2), (16, 32));
    assert!((coarse.0 / fine.0).log2() > 7.5, "{coarse:?} {fine:?}");
    assert!((coarse.1 / fine.1).log2() > 6.5, "{coarse:?} {fine:?}");
    assert!(fine.0 < 1e-8);
}

#[test]
fn implicit_steps_have_orders_five_nine_and_thirteen() {
    // The relative tolerance picks the number of stages s: order 2s − 1 at the ends of steps, and an
    // extension of order s. Newton's iteration is exact here, since the equation is linear.
    for (relative, stages, steps) in [
        (1e-3, 3, (0.25, 0.125)),
        (1e-6, 5, (1.0, 0.5)),
        (1e-9, 7, (2.0, 1.0)),
    ] {
        let coarse = errors_on_the_circle(Method::Implicit, relative, steps.0, 16.0);
        let fine = errors_on_the_circle(Method::Implicit, relative, steps.1, 16.0);
        assert_eq!(fine.2, 2 * coarse.2, "steps were not kept");
        let order = (coarse.0 / fine.0).log2();
        assert!(
            (order - f64::from(2 * stages - 1)).abs() < 0.5,
            "{stages}: {order} {coarse:?} {fine:?}"
        );
        let between = (coarse.1 / fine.1).log2();
        assert!(between > f64::from(stages) - 0.5, "{stages}: {between}");
    }
}

#[test]
fn errors_follow_the_tolerance_over_ten_orbits() {
    let start = [0.5, 0.0, 0.0, 3.0_f64.sqrt()];
    for method in [Method::Explicit, Method::Implicit] {
        let mut most = 0;
        for relative in [1e-6, 1e-8, 1e-10, 1e-12] {
            let options = OdeOptions::new(relative).method(method);
            let end = 20.0 * std::f64::consts::PI;
            let path = integrate(&kepler(), 0.0, &start, end, &options).unwrap();
            assert_eq!(path.status(), OdeStatus::Finished);
            let error = distance(path.last(), &start);
            let steps = path.segments().len();
            // Errors of steps add up along the orbit and grow like t².
            assert!(
                error < 1e4 * relative,
                "{method:?} {relative}: {error:e} in {steps}"
            );
            most = most.max(steps);
        }
        assert!(most < 2000, "{method:?} took {most} steps");
    }
}

#[test]
fn van_der_pol_at_its_turning_times() {
    // Reference: y(2) of the test set for initial value problems, ε = 1e-6, y(0) = (2, 0).
    let known = [1.706_167_732_170_483_2, -0.892_809_701_024_794_6];
    for (relative, allowed) in [(1e-6, 1e-5), (1e-9, 1e-7)] {
        let options = OdeOptions::new(relative).method(Method::Implicit);
        let path = integrate(&van_der_pol(1e-6), 0.0, &[2.0, 0.0], 2.0, &options).unwrap();
        assert_eq!(path.status(), OdeStatus::Finished);
        let error = distance(path.last(), &known);
        assert!(
            error < allowed,
            "{relative}: {error:e} in {} steps",
            path.segments().len()
        );
        assert!(
            path.segments().len() < 1500,
            "{} steps",
            path.segments().len()
        );
    }
}

#[test]
fn robertson_over_eleven_decades() {
    // Reference values of the test set for initial value problems at t = 1e11.
    let known = [
        2.083_340_149_701_255e-8,
        8.333_360_770_334_713e-14,
        0.999_999_979_166_505,
    ];
    let mut options = OdeOptions::new(1e-9).method(Method::Implicit);
    options.absolute = Some(1e-16);
    let path = integrate(&robertson(), 0.0, &[1.0, 0.0, 0.0], 1e11, &options).unwrap();
    assert_eq!(path.status(), OdeStatus::Finished);
    assert!(path.segments().len() < 400, "{}", path.segments().len());
    let total: f64 = path.last().iter().sum();
    assert!((total - 1.0).abs() < 1e-12, "mass {total}");
    assert!(
        (path.last()[0] / known[0] - 1.0).abs() < 1e-2,
        "{:?}",
        path.last()
    );
    assert!((path.last()[2] - known[2]).abs() < 1e-9);
}

#[test]
fn parts_are_measured_each_against_its_own_size() {
    // y₂ is a millionth of y₁ and would be ignored in a common norm.
    struct Pair;
    impl Ode for Pair {
        fn dim(&self) -> usize {
            2
        }
        fn rate(&self, t: f64, _: &[f64], rate: &mut [f64]) {
            rate.copy_from_slice(&[0.0, 1e-6 * (30.0 * t).cos() * 30.0]);
        }
        fn jacobian(&self, _: f64, _: &[f64], _: MatMut<'_, f64>) {}
        fn parts(&self) -> Vec<usize> {
            vec![0, 1]
        }
    }
    for method in [Method::Explicit, Method::Implicit] {
        let options = OdeOptions::new(1e-5).method(method);
        let path = integrate(&Pair, 0.0, &[1.0, 0.0], 3.0, &options).unwrap();
        let worst = (0..300)
            .map(|k| 3.0 * f64::from(k) / 300.0)
            .map(|t| (path.at(t)[1] - 1e-6 * (30.0 * t).sin()).abs())
            .fold(0.0, f64::max);
        assert!(worst < 1e-7, "{method:?}: {worst:e}");
    }
}

#[test]
fn a_solution_that_blows_up_comes_back_until_then() {
    // y′ = y², y = 1/(1 − t).
    let blowup = Closure::new(
        1,
        |_, y: &[f64], rate: &mut [f64]| rate[0] = y[0] * y[0],
        |_, y: &[f64], mut j: MatMut<'_, f64>| j[(0, 0)] = 2.0 * y[0],
    );
    for method in [Method::Explicit, Method::Implicit] {
        let options = OdeOptions::new(1e-9).method(method);
        let path = integrate(&blowup, 0.0, &[1.0], 2.0, &options).unwrap();
        let OdeStatus::Stalled(failure) = path.status() else {
            panic!("{method:?} went past the pole: {:?}", path.status());
        };
        assert!((failure.time - 1.0).abs() < 1e-6, "{method:?} {failure:?}");
        assert!((path.at(0.5)[0] - 2.0).abs() < 1e-7);
    }
}

#[test]
fn impossible_requests_are_named() {
    let options = OdeOptions::new(1e-6);
    let circle = circle();
    assert_eq!(
        integrate(&circle, 0.0, &[1.0], 1.0, &options).unwrap_err(),
        OdeError::Dimension {
            expected: 2,
            found: 1
        }
    );
    assert!(matches!(
        integrate(&circle, 0.0, &[f64::NAN, 0.0], 1.0, &options),
        Err(OdeError::NotFinite { .. })
    ));
    assert!(matches!(
        integrate(&circle, 0.0, &[1.0, 0.0], f64::INFINITY, &options),
        Err(OdeError::NotFinite { .. })
    ));
    for relative in [0.0, -1.0, f64::NAN, 2.0] {
        assert!(matches!(
            integrate(&circle, 0.0, &[1.0, 0.0], 1.0, &OdeOptions::new(relative)),
            Err(OdeError::Option { .. })
        ));
    }
}

#[test]
fn strings_and_rods_in_a_trial_space() {
    // u = 0 at both ends of [0, 1]: sin(kπx) decays by e^(−k²π²t), or oscillates as cos(kπt).
    let pi = std::f64::consts::PI;
    let u = unknown("u");
    let frame = Frame::new(Space::new(1), [u]);
    let operator = |row: fastlsq_newton::EquationRow| row.block(0).unwrap().clone();
    let ends = SpaceCondition::new("u", WALLS, operator(frame.row(u).unwrap()));
    let space = SpaceBuilder::new(Arc::new(Interval::unit()))
        .space(24.0, &[ends])
        .unwrap();
    let a = space
        .matrix(&operator(frame.row(u.d(X).d(X)).unwrap()))
        .unwrap();
    let n = space.dim();
    let a = Mat::from_fn(n, n, |i, j| 0.5 * (a[(i, j)] + a[(j, i)]));
    let sum = |first: f64, third: f64| -> Vec<f64> {
        let at = |x: f64| first * (pi * x).sin() + third * (3.0 * pi * x).sin();
        space.nodes().column(0).iter().map(|&x| at(x)).collect()
    };
    let none = vec![0.0; space.data_len()];
    let start = space.project(&sum(1.0, 0.3), &none).unwrap();
    let check = |c: &[f64], first: f64, third: f64, allowed: f64| {
        let values = space.at_nodes(c, &none).unwrap();
        let error = distance(&values, &sum(first, third)) / (values.len() as f64).sqrt();
        assert!(error < allowed, "{error:e}");
    };
    let t = 0.1;
    let (slow, fast) = ((-pi * pi * t).exp(), (-9.0 * pi * pi * t).exp());
    let rod = Propagator::new(&a, &vec![0.0; n]).unwrap();
    check(&rod.apply(t, &start), slow, 0.3 * fast, 1e-12);
    let equation = Closure::new(
        n,
        |_, y: &[f64], rate: &mut [f64]| fastlsq_solve::dense::times(a.as_ref(), y, rate),
        |_, _: &[f64], mut j: MatMut<'_, f64>| j.copy_from(&a),
    );
    let options = OdeOptions::new(1e-11).method(Method::Implicit);
    let path = integrate(&equation, 0.0, &start, t, &options).unwrap();
    assert!(path.segments().len() < 60, "{}", path.segments().len());
    check(path.last(), slow, 0.3 * fast, 1e-10);
    // Fifty periods of the slowest wave and a sixth of one.
    let pair = Mat::from_fn(2 * n, 2 * n, |i, j| match (i < n, j < n) {
        (true, false) => f64::from(u8::from(i == j - n)),
        (false, true) => a[(i - n, j)],
        _ => 0.0,
    });
    let string = Propagator::new(&pair, &vec![0.0; 2 * n]).unwrap();
    assert!(string.is_spectral());
    let at_rest: Vec<f64> = start.iter().copied().chain(vec![0.0; n]).collect();
    let t = 100.0 + 1.0 / 3.0;
    let later = string.apply(t, &at_rest);
    check(&later[..n], (pi / 3.0).cos(), 0.3 * pi.cos(), 1e-10);
}
