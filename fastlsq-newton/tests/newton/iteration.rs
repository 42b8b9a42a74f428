//! Newton's method on problems with known solutions, and on problems without any.

#![allow(clippy::unwrap_used)]

use std::f64::consts::PI;

use fastlsq_newton::problems::{self, NonlinearBenchmark};
use fastlsq_newton::{
    BoxDomain, Condition, Continuation, DomainExt, Expr, INITIAL, Interval, LinearProblem,
    NewtonError, NewtonOptions, NewtonStatus, NonlinearProblem, NonlinearSolution, Options, Slabs,
    SolveError, SpaceTime, Start, Status, StepForm, T, WALLS, X, Y, axis, cos, exp, laplacian,
    normal_derivative, parameter, sech, sin, sqrt, unknown, unknowns, vector,
};

fn error_of(benchmark: &NonlinearBenchmark, options: &NewtonOptions) -> (f64, NewtonStatus, usize) {
    let u = benchmark.problem.solve_with(options).unwrap();
    let error = benchmark.errors(&u, 1000).unwrap().value;
    (error, u.newton().status, u.newton().iterations())
}

#[test]
fn the_papers_five_problems_to_twelve_digits() {
    for benchmark in problems::paper() {
        let (error, status, iterations) = error_of(&benchmark, &NewtonOptions::new());
        assert!(error < 1e-12, "{}: {error:.1e}", benchmark.name);
        assert_eq!(status, NewtonStatus::Converged, "{}", benchmark.name);
        assert!(iterations <= 8, "{}: {iterations} steps", benchmark.name);
    }
}

#[test]
fn the_estimate_is_honest() {
    for benchmark in problems::paper() {
        let u = benchmark.problem.solve().unwrap();
        let error = benchmark.errors(&u, 1000).unwrap().value;
        let ratio = u.report().error_estimate / error;
        assert!(
            (0.2..20.0).contains(&ratio),
            "{}: estimate/error {ratio:.2}",
            benchmark.name
        );
    }
}

#[test]
fn convergence_is_quadratic() {
    let options = NewtonOptions::new()
        .solve_options(Options::new().features(60).bandwidth(4.0))
        .start(Start::Zero);
    let u = problems::steady_burgers_1d()
        .problem
        .solve_with(&options)
        .unwrap();
    let changes: Vec<f64> = u.newton().history.iter().map(|step| step.change).collect();
    // Small changes square from step to step.
    let steps: Vec<f64> = changes
        .iter()
        .copied()
        .filter(|c| (1e-10..0.3).contains(c))
        .collect();
    let squares = steps
        .windows(2)
        .filter(|pair| pair[1] < 10.0 * pair[0] * pair[0])
        .count();
    assert!(squares >= 2, "{changes:?}");
}

#[test]
fn increments_with_a_ridge_stop_early_new_coefficients_do_not() {
    let benchmark = problems::nl_poisson_2d();
    let solve = Options::new()
        .features(200)
        .bandwidth(3.0)
        .rows(600, 200)
        .weight(100.0);
    let paper = NewtonOptions::new()
        .solve_options(solve.clone())
        .form(StepForm::Increment)
        .start(Start::LinearPart)
        .ridge(1e-10)
        .max_iterations(10);
    let (plateau, _, _) = error_of(&benchmark, &paper);
    let (full, _, _) = error_of(&benchmark, &NewtonOptions::new().solve_options(solve));
    assert!(
        plateau > 1e-10 && plateau < 1e-4,
        "increments: {plateau:.1e}"
    );
    assert!(
        full < 1e-3 * plateau,
        "new coefficients: {full:.1e} against {plateau:.1e}"
    );
}

#[test]
fn a_linear_residual_is_recognised() {
    let u = unknown("u");
    let source = 2.0 * PI * PI * sin(PI * X) * sin(PI * Y);
    let problem = NonlinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(u), &source)
        .dirichlet(0.0);
    let u = problem.solve().unwrap();
    // The same statement as a linear problem is the same solve.
    let linear = LinearProblem::of(problem.statement().clone())
        .solve()
        .unwrap();
    assert_eq!(linear.report().features, u.report().features);
    assert!(u.newton().linear);
    assert_eq!(u.newton().iterations(), 1);
    assert!((u.value(&[0.5, 0.5]).unwrap() - 1.0).abs() < 1e-12);
}

#[test]
fn evolution_problems_from_their_data() {
    for (benchmark, bar) in [
        (problems::klein_gordon(), 1e-10),
        (problems::fisher_front(), 1e-9),
    ] {
        let options = NewtonOptions::new().tolerance(1e-11);
        let (error, status, _) = error_of(&benchmark, &options);
        assert!(error < bar, "{}: {error:.1e}", benchmark.name);
        assert_eq!(status, NewtonStatus::Converged);
    }
}

#[test]
fn nonlinear_conditions_hold() {
    // u″ = 0 with u(0) = 1 and u′ = −u² at 1: u = 1 − s x with s = (1 − s)².
    let s = 0.5 * (3.0 - 5f64.sqrt());
    let u = unknown("u");
    let u = NonlinearProblem::on(Interval::unit())
        .equation(u.d(X).d(X), 0.0)
        .condition(X.lo(), u, 1.0)
        .condition(X.hi(), normal_derivative(u), -u.powi(2))
        .solve_with(&NewtonOptions::new().solve_options(Options::new().features(40).bandwidth(2.0)))
        .unwrap();
    assert!((u.value(&[0.7]).unwrap() - (1.0 - 0.7 * s)).abs() < 1e-11);
}

#[test]
fn continuation_reaches_what_a_plain_start_does_not_need() {
    let benchmark = problems::steady_burgers_1d();
    for continuation in [
        Continuation::Through(vec![1.0, 0.5, 0.2]),
        Continuation::From(1.0),
    ] {
        let options = NewtonOptions::new().continuation(continuation.clone());
        let u = benchmark.problem.solve_with(&options).unwrap();
        let error = benchmark.errors(&u, 1000).unwrap().value;
        assert!(error < 1e-12, "{continuation:?}: {error:.1e}");
    }
}

#[test]
fn slabs_keep_the_symmetry_and_the_conditions_of_the_first() {
    // A wave that oscillates about zero, even in x.
    let exact = |x: &[f64]| (2.0 * x[0]).cos() * (5f64.sqrt() * x[1]).cos();
    let space = Interval::new(-1.0, 1.0).unwrap();
    let u = unknown("u");
    let wave = cos(2.0 * X) * cos(5f64.sqrt() * T);
    let problem = NonlinearProblem::on(SpaceTime::new(space, 0.0, 4.0).unwrap())
        .equation(u.d(T).d(T) - laplacian(u) + u, 0.0)
        .with(Condition::on(INITIAL, u, &wave).rows(37))
        .initial_velocity(0.0)
        .dirichlet(&wave);
    let options = NewtonOptions::new().tolerance(1e-9);
    let slabs = problem.solve_in_slabs(Slabs::Count(6), &options).unwrap();
    for (piece, start) in slabs.pieces().iter().zip(slabs.times()) {
        let report = piece.solution().report();
        assert!(report.symmetry.contains("even in x"), "{start}: {report}");
        assert_eq!(report.blocks[1].rows, 37, "{start}: {report}");
    }
    for point in [[0.3, 0.7], [-0.8, 1.9], [0.0, 3.9]] {
        let difference = slabs.value(&point).unwrap() - exact(&point);
        assert!(difference.abs() < 1e-8, "{point:?}: {difference}");
    }
}

#[test]
fn waves_that_cannot_be_followed_in_time_are_found_in_slabs() {
    // u_t + u_x + u uₓ − u_xxt = 0 and its wave u = 3c sech²(½ √(c/(1 + c)) (x − (1 + c)t)).
    let (u, c) = (unknown("u"), 0.5_f64);
    let width = 0.5 * (c / (1.0 + c)).sqrt();
    let exact = 3.0 * c * sech(width * (X + 10.0 - (1.0 + c) * T)).powi(2);
    let domain = Interval::new(-30.0, 30.0).unwrap().over(0.0, 20.0).unwrap();
    let problem = NonlinearProblem::on(domain)
        .equation(u.d(T) + u.d(X) + u * u.d(X) - u.d(X).d(X).d(T), 0.0)
        .initial_value(&exact)
        .dirichlet(&exact);
    let options = NewtonOptions::new().tolerance(1e-4);
    assert!(matches!(
        problem.evolve_with(&options),
        Err(NewtonError::NoEvolution { .. })
    ));
    let slabs = problem.solve_in_slabs(Slabs::Count(6), &options).unwrap();
    for k in 0..40 {
        let point = [-29.0 + 1.45 * f64::from(k), 20.0 * f64::from(k % 11) / 10.0];
        let difference = slabs.at(u - &exact, &point).unwrap();
        assert!(difference.abs() < 1e-2, "{point:?}: {difference:.1e}");
    }
}

#[test]
fn slabs_agree_with_one_solve() {
    let domain = SpaceTime::new(Interval::unit(), 0.0, 0.5).unwrap();
    let exact = |x: &[f64]| (PI * x[0]).sin() * (-x[1]).exp();
    let u = unknown("u");
    let decay = sin(PI * X) * exp(-T);
    let problem = NonlinearProblem::on(domain)
        .equation(
            u.d(T) - laplacian(u) + u.powi(3),
            (PI * PI - 1.0) * &decay + decay.powi(3),
        )
        .initial_value(&decay)
        .dirichlet(0.0);
    let options = NewtonOptions::new().tolerance(1e-10);
    let whole = problem.solve_with(&options).unwrap();
    let slabs = problem.solve_in_slabs(Slabs::Count(2), &options).unwrap();
    assert_eq!(slabs.times(), [0.0, 0.25, 0.5]);
    for point in [[0.3, 0.1], [0.5, 0.25], [0.7, 0.45]] {
        let (a, b) = (whole.value(&point).unwrap(), slabs.value(&point).unwrap());
        assert!((a - exact(&point)).abs() < 1e-9, "whole {a}");
        assert!((b - exact(&point)).abs() < 1e-8, "slabs {b}");
    }
}

#[test]
fn a_problem_without_solution_ends_with_a_status() {
    // u″ + 10 eᵘ = 0 with u = 0 at both ends has no solution beyond λ = 3.5138.
    let u = unknown("u");
    let u = NonlinearProblem::on(Interval::unit())
        .equation(u.d(X).d(X) + 10.0 * exp(u), 0.0)
        .dirichlet(0.0)
        .solve_with(&NewtonOptions::new().solve_options(Options::new().features(40).bandwidth(4.0)))
        .unwrap();
    assert_ne!(u.newton().status, NewtonStatus::Converged);
    assert!(u.report().held_out_residual > 1e-3);
}

#[test]
fn bad_input_is_a_typed_error() {
    let u = unknown("u");
    let empty = NonlinearProblem::on(Interval::unit())
        .dirichlet(0.0)
        .solve();
    assert!(matches!(empty, Err(NewtonError::NoEquation)));

    // All mistakes at once, each with what was written.
    let wrong = NonlinearProblem::on(Interval::unit())
        .equation(u.d(Y) + u * u, 0.0)
        .condition(X.lo(), unknown("w"), 0.0)
        .solve();
    let Err(NewtonError::Solve(SolveError::Statement(mistakes))) = &wrong else {
        panic!("{wrong:?}")
    };
    let text = wrong.as_ref().unwrap_err().to_string();
    assert_eq!(mistakes.len(), 2, "{text}");
    assert!(
        text.contains("no coordinate y") && text.contains("w is not an unknown"),
        "{text}"
    );

    let nan = NonlinearProblem::on(Interval::unit())
        .equation(u * u.d(X).d(X) + sqrt(X - 2.0), 0.0)
        .dirichlet(0.0)
        .solve();
    assert!(
        matches!(nan, Err(NewtonError::ResidualNotFinite { .. })),
        "{nan:?}"
    );

    let parameter = problems::nl_poisson_2d()
        .problem
        .solve_with(&NewtonOptions::new().continuation(Continuation::From(1.0)));
    assert!(matches!(parameter, Err(NewtonError::NoParameter)));

    let damping = problems::allen_cahn_1d()
        .problem
        .solve_with(&NewtonOptions::new().damping(0.0));
    assert!(matches!(damping, Err(NewtonError::Option { .. })));

    let time = problems::allen_cahn_1d()
        .problem
        .solve_in_slabs(Slabs::Automatic, &NewtonOptions::new());
    assert!(matches!(time, Err(NewtonError::NoTime)));

    // What a nonlinear condition at the initial time means at a later one is not known.
    let start = NonlinearProblem::on(SpaceTime::new(Interval::unit(), 0.0, 1.0).unwrap())
        .equation(u.d(T), laplacian(u))
        .condition(INITIAL, u.powi(2), 1.0)
        .dirichlet(1.0)
        .solve_in_slabs(Slabs::Count(2), &NewtonOptions::new());
    assert!(matches!(
        start,
        Err(NewtonError::NonlinearInitialCondition { .. })
    ));
}

#[test]
fn compressed_features_lead_to_the_same_solution() {
    let benchmark = problems::nl_poisson_2d();
    let given = Options::new().features(700).bandwidth(3.0).seed(1);
    let options = NewtonOptions::new().solve_options(given);
    let whole = benchmark.problem.solve_with(&options).unwrap();
    let small = benchmark
        .problem
        .solve_with(&options.compress(true))
        .unwrap();
    let features = |u: &NonlinearSolution| u.bases()[0].len();
    assert_eq!(features(&whole), 700);
    assert!(features(&small) < 400, "{} are left", features(&small));
    for solution in [whole, small] {
        let error = benchmark.errors(&solution, 500).unwrap().value;
        assert!(error < 1e-11, "{error:e}");
    }
}

#[test]
fn steps_from_a_generic_start_are_reported_apart() {
    let benchmark = problems::nl_poisson_2d();
    let solution = benchmark.problem.solve().unwrap();
    let newton = solution.newton();
    let cold = newton.cold_iterations().unwrap();
    assert!((2..=8).contains(&cold), "{cold} steps");
    assert!(newton.candidates.iter().any(|candidate| candidate.warm));
    assert!(newton.to_string().contains("from a generic start took"));
}

#[test]
fn a_system_of_vector_equations_is_carried_from_slab_to_slab() {
    // Two oscillators that rotate into each other: (u, v) = (cos t, sin t) e^{−t} sin πx.
    let [u, v] = unknowns(["u", "v"]);
    let shape = |k: usize| {
        let wave = if k == 0 { cos(T) } else { sin(T) };
        wave * exp(-PI * PI * T) * sin(PI * X)
    };
    let problem = NonlinearProblem::on(SpaceTime::new(Interval::unit(), 0.0, 0.4).unwrap())
        .equation(
            [u, v].map(|w| w.d(T)),
            laplacian([u, v]) + vector([-v, u.into()]),
        )
        .condition(INITIAL, [u, v], [shape(0), shape(1)])
        .condition(WALLS, [u, v], [0.0, 0.0]);
    let options = NewtonOptions::new().tolerance(1e-8);
    let slabs = problem.solve_in_slabs(Slabs::Count(2), &options).unwrap();
    let time: f64 = 0.37;
    let size = (-PI * PI * time).exp() * (0.3 * PI).sin();
    for (unknown, exact) in [(u, time.cos() * size), (v, time.sin() * size)] {
        let value = slabs.at(unknown, &[0.3, time]).unwrap();
        assert!(
            (value - exact).abs() < 1e-7,
            "{unknown}: {value} instead of {exact}"
        );
    }
}

#[test]
fn robin_conditions_parameters_and_data_are_stated_as_in_linear_problems() {
    // u″ = k u² with u = 6/(1 + x)² for k = 1, from a Robin condition at both ends.
    let (u, k) = (unknown("u"), parameter("k"));
    let exact = 6.0 / (1.0 + X).powi(2);
    let problem = NonlinearProblem::on(Interval::unit())
        .equation(u.d(X).d(X), k * u * u)
        .robin(2.0, 1.0, 2.0 * &exact + normal_derivative(&exact))
        .parameter(k, 1.0);
    let solution = problem.solve().unwrap();
    assert!((solution.value(&[0.5]).unwrap() - 6.0 / 2.25).abs() < 1e-9);
}

/// −Δu + u_x² = f with ∂u/∂n = g says nothing of the size of u.
#[test]
fn what_a_nonlinear_problem_leaves_open_is_named_and_fixed() {
    let u = unknown("u");
    let exact = exp(X) * cos(Y);
    let left = |w: Expr| -laplacian(&w) + w.d(X).powi(2);
    let problem = NonlinearProblem::on(BoxDomain::unit(2))
        .equation(left(u.into()), left(exact.clone()))
        .neumann(normal_derivative(&exact));
    let options = NewtonOptions::new().tolerance(1e-6);
    let open = problem.solve_with(&options).unwrap();
    let text = open.report().to_string();
    assert!(text.contains("determined up to a constant"), "{text}");
    assert_ne!(open.report().status, Status::ToleranceMet);
    let fixed = problem
        .value_at(&[0.0, 0.0], 1.0)
        .solve_with(&options)
        .unwrap();
    assert!(fixed.report().posedness.is_fine(), "{}", fixed.report());
    let value = fixed.value(&[0.7, 0.2]).unwrap();
    assert!(
        (value - 0.7_f64.exp() * 0.2_f64.cos()).abs() < 1e-5,
        "{value}"
    );
}

#[test]
fn coordinates_that_can_be_exchanged_are_found_in_nonlinear_equations() {
    // −Δu + u³ = f in six dimensions: the product of one factor along every axis is dense, but symmetric.
    let u = unknown("u");
    let exact = (0..6)
        .map(|k| cos(0.5 * axis(k)))
        .reduce(|product, factor| product * factor)
        .unwrap();
    let stated = |cube: Expr, own: &Expr| {
        NonlinearProblem::on(BoxDomain::unit(6))
            .equation(-laplacian(u) + cube, 1.5 * &exact + own)
            .dirichlet(&exact)
    };
    let options = NewtonOptions::new().tolerance(1e-8);
    let solution = stated(u.powi(3), &exact.powi(3))
        .solve_with(&options)
        .unwrap();
    let report = solution.report();
    assert_eq!(report.symmetry, "x₀, x₁, x₂, x₃, x₄, x₅ can be exchanged");
    let middle = solution.value(&[0.5, 0.1, 0.9, 0.3, 0.7, 0.2]).unwrap();
    let expected: f64 = [0.5, 0.1, 0.9, 0.3, 0.7, 0.2]
        .iter()
        .map(|x: &f64| (0.5 * x).cos())
        .product();
    assert!((middle - expected).abs() < 1e-7, "{report}");
    // One weight inside the nonlinear term tells a coordinate apart.
    let weighted = stated(
        (1.0 + axis(1)) * u.powi(3),
        &((1.0 + axis(1)) * exact.powi(3)),
    );
    let report = weighted
        .solve_with(&options.tolerance(1e-2))
        .unwrap()
        .report()
        .clone();
    assert_eq!(report.symmetry, "x₀, x₂, x₃, x₄, x₅ can be exchanged");
}
