//! Every kind of condition, each with an exact solution.

use std::f64::consts::PI;

use fastlsq_solve::ndarray::array;
use fastlsq_solve::patches::Patching;
use fastlsq_solve::{
    Ball, BoundaryPart, BoundaryPoints, BoundingBox, BoxDomain, Condition, Domain, DomainError,
    DomainExt, Expr, Interval, LinearProblem, Options, Solution, T, UnitSampler, WALLS, X, Y,
    coordinate, cos, exp, laplacian, normal_derivative, sin, unknown, unknowns,
};

use super::{error_of, grid_error};

#[test]
fn periodic_in_any_order_of_the_calls() {
    let (u, exact) = (unknown("u"), exp(sin(2.0 * PI * X)));
    let source = &exact - laplacian(&exact);
    let before = LinearProblem::on(Interval::unit())
        .periodic(X)
        .equation(u - laplacian(u), &source);
    let after = LinearProblem::on(Interval::unit())
        .equation(u - laplacian(u), &source)
        .periodic(X);
    for problem in [before, after] {
        let u = problem.solve().unwrap();
        assert!(grid_error(&u, &exact) < 1e-11, "{}", u.report());
        assert_eq!(u.report().blocks.len(), 3);
        let (a, b) = (u.gradient(&[0.0]).unwrap(), u.gradient(&[1.0]).unwrap());
        assert!((a[0] - b[0]).abs() < 1e-8);
    }
}

#[test]
fn periodic_in_space_and_moving_in_time() {
    // The profile moves once around the circle.
    let (u, exact) = (unknown("u"), sin(2.0 * PI * (X - T)));
    let u = LinearProblem::on(Interval::unit().over(0.0, 1.0).unwrap())
        .equation(u.d(T) + u.d(X), 0.0)
        .initial_value(sin(2.0 * PI * X))
        .periodic(X)
        .solve()
        .unwrap();
    assert!(grid_error(&u, exact) < 1e-10, "{}", u.report());
}

/// The largest difference from a harmonic function at points of the unit disc.
fn error_in_the_disc(solution: &Solution, exact: &Expr) -> f64 {
    let points = array![[0.0, 0.0], [0.5, -0.3], [-0.6, 0.7]];
    let errors = solution.evaluate(unknown("u") - exact, &points).unwrap();
    errors.into_iter().fold(0.0, |m: f64, e| m.max(e.abs()))
}

#[test]
fn robin() {
    let (u, exact) = (unknown("u"), exp(X) * cos(Y));
    let solution = LinearProblem::on(Ball::unit(2))
        .equation(laplacian(u), 0.0)
        .robin(1.0, 2.0, &exact + 2.0 * normal_derivative(&exact))
        .solve()
        .unwrap();
    assert!(
        error_in_the_disc(&solution, &exact) < 1e-11,
        "{}",
        solution.report()
    );
}

#[test]
fn robin_with_coefficients_that_are_expressions() {
    let (u, exact) = (unknown("u"), exp(X) * cos(Y));
    let (a, b) = (2.0 + X * Y, exp(Y));
    let right = &a * &exact + &b * normal_derivative(&exact);
    let solution = LinearProblem::on(Ball::unit(2))
        .equation(laplacian(u), 0.0)
        .robin(a, b, right)
        .solve()
        .unwrap();
    assert!(
        error_in_the_disc(&solution, &exact) < 1e-10,
        "{}",
        solution.report()
    );
}

#[test]
fn neumann_with_a_pinned_point() {
    // Without the pin the constant is free.
    let (u, exact) = (unknown("u"), cos(PI * X) * cos(PI * Y) + 3.0);
    let u = LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(u), -laplacian(&exact))
        .neumann(0.0)
        .data(array![[0.25, 0.75]], &[2.5])
        .solve()
        .unwrap();
    assert!(grid_error(&u, exact) < 1e-10, "{}", u.report());
}

#[test]
fn neumann_without_a_pin_is_a_solution_up_to_a_constant() {
    let (u, exact) = (unknown("u"), cos(PI * X) * cos(PI * Y));
    let solution = LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(u), -laplacian(&exact))
        .neumann(0.0)
        .solve_with(&Options::new().features(200).bandwidth(4.0))
        .unwrap();
    let error = solution.at(u.d(X) - exact.d(X), &[0.3, 0.4]).unwrap();
    assert!(error.abs() < 1e-6, "{error}");
}

#[test]
fn faces_with_weights_and_rows_of_their_own() {
    // Values left and right, fluxes below and above.
    let (u, exact) = (unknown("u"), X * X - Y * Y);
    let u = LinearProblem::on(BoxDomain::unit(2))
        .equation(laplacian(u), 0.0)
        .condition(X.lo(), u, &exact)
        .with(
            Condition::on(X.hi(), u, &exact)
                .weight(30.0)
                .rows(77)
                .named("right"),
        )
        .condition(Y.lo(), normal_derivative(u), 0.0)
        .condition(Y.hi(), u.d(Y), -2.0)
        .solve()
        .unwrap();
    assert!(grid_error(&u, exact) < 1e-10, "{}", u.report());
    let mut blocks = u.report().blocks.iter();
    assert_eq!(blocks.find(|b| b.label == "right").unwrap().rows, 77);
    let labels: Vec<&str> = u.report().blocks.iter().map(|b| b.label.as_str()).collect();
    assert_eq!(
        labels,
        ["equation 1", "x=lo", "right", "y=lo n·∇u", "y=hi u_y"]
    );
}

#[test]
fn coordinates_by_the_names_that_the_domain_gives_them() {
    // Axial symmetry: (r u_r)_r / r + u_zz = 0 for u = r² − 2z², away from the axis.
    let (u, r, z) = (unknown("u"), coordinate("r"), coordinate("z"));
    let exact = r * r - 2.0 * z * z;
    let section = BoxDomain::new(&[1.0, 0.0], &[2.0, 1.0]).unwrap();
    let solution = LinearProblem::on(section.with_coordinates(["r", "z"]))
        .equation((r * u.d(r)).d(r) / r + u.d(z).d(z), 0.0)
        .condition(r.lo(), u, &exact)
        .condition(r.hi(), u.d(r), 4.0)
        .condition(z.lo(), u.d(z), 0.0)
        .condition(z.hi(), u, &exact)
        .solve()
        .unwrap();
    for point in [[1.5, 0.5], [1.9, 0.1], [1.0, 1.0]] {
        let error = solution.at(u - &exact, &point).unwrap();
        assert!(error.abs() < 1e-10, "{error:.1e}\n{}", solution.report());
    }
}

#[test]
fn conditions_between_vectors() {
    // Two oscillators, coupled: u_tt = v − 2u and its mirror image; modes with ω² = 1 and 3.
    let (t, [u, v]) = (coordinate("t"), unknowns(["u", "v"]));
    let (slow, fast) = (cos(t), sin(3_f64.sqrt() * t));
    let exact = [&slow + &fast, &slow - &fast];
    let solution = LinearProblem::on(Interval::unit().with_coordinates(["t"]))
        .equation(u.d(t).d(t), v - 2.0 * u)
        .equation(v.d(t).d(t), u - 2.0 * v)
        .condition(t.lo(), [u, v], [1.0, 1.0])
        .condition(t.lo(), [u.d(t), v.d(t)], [3_f64.sqrt(), -(3_f64.sqrt())])
        .solve()
        .unwrap();
    for (unknown, exact) in [u, v].into_iter().zip(exact) {
        let error = error_of(&solution, unknown, exact);
        assert!(
            error < 1e-10,
            "{unknown}: {error:.1e}\n{}",
            solution.report()
        );
    }
}

#[test]
fn the_wave_equation_with_initial_velocity() {
    let (u, exact) = (unknown("u"), sin(PI * X) * sin(PI * T) / PI);
    let u = LinearProblem::on(Interval::unit().over(0.0, 1.0).unwrap())
        .equation(u.d(T).d(T), laplacian(u))
        .initial_value(0.0)
        .initial_velocity(sin(PI * X))
        .dirichlet(0.0)
        .solve()
        .unwrap();
    assert!(grid_error(&u, exact) < 1e-10, "{}", u.report());
}

#[test]
fn data_inside_instead_of_an_initial_value() {
    // No initial value, nothing on the walls: measurements anywhere determine the temperature everywhere.
    let (u, exact) = (unknown("u"), exp(-T) * sin(X));
    let points = UnitSampler::halton(1).points(60, 2);
    let measured: Vec<f64> = points
        .rows()
        .into_iter()
        .map(|p| (-p[1]).exp() * p[0].sin())
        .collect();
    let solution = LinearProblem::on(Interval::unit().over(0.0, 1.0).unwrap())
        .equation(u.d(T), laplacian(u))
        .data(points, &measured)
        .solve()
        .unwrap();
    assert!(grid_error(&solution, exact) < 1e-8, "{}", solution.report());
}

#[test]
fn data_of_any_expression_at_points() {
    // The slope at one point, and how much u exceeds x at another: u″ = 0 is then 3x − 1.
    let u = unknown("u");
    let solution = LinearProblem::on(Interval::unit())
        .equation(u.d(X).d(X), 0.0)
        .with(Condition::at(array![[0.2]], u.d(X), &[3.0]).named("slope"))
        .with(Condition::at(array![[0.75]], u - X, &[0.5]).named("excess"))
        .solve()
        .unwrap();
    assert!(
        grid_error(&solution, 3.0 * X - 1.0) < 1e-10,
        "{}",
        solution.report()
    );
}

/// The triangle below the diagonal of the unit square.
#[derive(Debug)]
struct Triangle;

const CORNERS: [[f64; 2]; 3] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]];

impl Domain for Triangle {
    fn dim(&self) -> usize {
        2
    }

    fn bounding_box(&self) -> Result<BoundingBox, DomainError> {
        BoundingBox::new(&[0.0, 0.0], &[1.0, 1.0])
    }

    fn contains(&self, x: &[f64]) -> bool {
        0.0 <= x[1] && x[1] <= x[0] && x[0] <= 1.0
    }

    fn parts(&self) -> Vec<BoundaryPart> {
        let lengths = [1.0, 1.0, 2_f64.sqrt()];
        let names = ["bottom", "right", "diagonal"];
        let both = names.into_iter().zip(lengths);
        both.map(|(name, length)| BoundaryPart::wall(name, length))
            .collect()
    }

    fn sample_part(
        &self,
        part: usize,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<BoundaryPoints, DomainError> {
        let (a, b) = (CORNERS[part], CORNERS[(part + 1) % 3]);
        let length = (b[0] - a[0]).hypot(b[1] - a[1]);
        let mut points = sampler.points(count, 2);
        let mut normals = points.clone();
        for (mut point, mut normal) in points.rows_mut().into_iter().zip(normals.rows_mut()) {
            let t = point[0];
            for k in 0..2 {
                point[k] = a[k] + t * (b[k] - a[k]);
            }
            normal[0] = (b[1] - a[1]) / length;
            normal[1] = (a[0] - b[0]) / length;
        }
        Ok(BoundaryPoints { points, normals })
    }
}

#[test]
fn a_domain_of_ones_own() {
    let (u, exact) = (unknown("u"), exp(X) * sin(Y));
    let solution = LinearProblem::on(Triangle)
        .equation(laplacian(u), 0.0)
        .condition("bottom", u, 0.0)
        .condition("right", normal_derivative(u), normal_derivative(&exact))
        .condition("diagonal", u, &exact)
        .solve()
        .unwrap();
    for point in [[0.5, 0.25], [0.9, 0.1], [0.99, 0.95]] {
        let error = solution.at(u - &exact, &point).unwrap();
        assert!(error.abs() < 1e-10, "{}", solution.report());
    }
}

#[test]
fn exact_conditions_hold_to_rounding_at_their_points() {
    let (u, exact) = (unknown("u"), exp(X) * sin(3.0 * Y));
    let problem = LinearProblem::on(BoxDomain::unit(2))
        .equation(laplacian(u), laplacian(&exact))
        .with(Condition::on(WALLS, u, &exact).exact());
    let solution = problem.solve().unwrap();
    assert!(
        grid_error(&solution, &exact) < 1e-10,
        "{}",
        solution.report()
    );

    let options = Options::new().features(200).bandwidth(4.0).rows(400, 60);
    let factored = problem.factor_with(&options).unwrap();
    // To rounding: of the data, and of the sum of the terms βⱼφⱼ.
    let require_held = |solution: &Solution, g: &Expr| {
        let largest = |values: &[f64]| values.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        let points = factored.points("walls").unwrap();
        let held = largest(&solution.evaluate(u - g, points).unwrap());
        let size = largest(solution.coefficients());
        let allowed = 1e-12_f64.max(2.0 * f64::EPSILON * size);
        assert!(
            held <= allowed,
            "{held:.1e} with coefficients up to {size:.1e}"
        );
    };
    require_held(factored.solution(), &exact);
    // So do other data on the same factors.
    let other = X * X - Y * Y;
    let data = factored.new_data().right("equation 1", 0.0).unwrap();
    let solution = data.right("walls", &other).unwrap().solve().unwrap();
    require_held(&solution, &other);
    assert!(grid_error(&solution, other) < 1e-7, "{}", solution.report());
}

#[test]
fn exact_values_at_points_with_noisy_data_between() {
    let x = UnitSampler::halton(3).points(200, 1);
    let noisy: Vec<f64> = x
        .iter()
        .enumerate()
        .map(|(i, x)| x + 0.01 * f64::from(i as u32 % 7))
        .collect();
    let ends = Condition::at(array![[0.0], [1.0]], unknown("u"), &[0.0, 1.0]);
    let u = LinearProblem::on(Interval::unit())
        .data(x, &noisy)
        .with(ends.exact().named("ends"))
        .solve_with(&Options::new().features(12).bandwidth(8.0))
        .unwrap();
    assert!(u.value(&[0.0]).unwrap().abs() < 1e-12);
    assert!((u.value(&[1.0]).unwrap() - 1.0).abs() < 1e-12);
}

#[test]
fn contradictory_exact_conditions_are_refused() {
    let u = unknown("u");
    let problem = LinearProblem::on(Interval::unit())
        .equation(laplacian(u), 0.0)
        .with(Condition::at(array![[0.5]], u, &[0.0]).exact())
        .with(Condition::at(array![[0.5]], u, &[1.0]).exact());
    let error = problem
        .solve_with(&Options::new().max_features(40))
        .unwrap_err();
    assert!(error.to_string().contains("contradict"), "{error}");
}

#[test]
fn a_condition_takes_another_right_side_wherever_it_holds() {
    let u = unknown("u");
    let ends = array![[0.0], [1.0]];
    for condition in [
        Condition::on(WALLS, u, 0.0),
        Condition::at(ends, u, &[7.0, 7.0]),
    ] {
        let u = LinearProblem::on(Interval::unit())
            .equation(laplacian(u), 0.0)
            .with(condition.with_right(1.0 + 2.0 * X))
            .solve()
            .unwrap();
        let (value, report) = (u.value(&[0.5]).unwrap(), u.report());
        assert!((value - 2.0).abs() < 1e-9, "{value}: {report}");
    }
}

#[test]
fn zeros_are_never_contradictory() {
    // Large coefficients leave more than rounding of u = 0 at the ends; that is no contradiction.
    let u = unknown("u");
    let problem = LinearProblem::on(Interval::unit())
        .equation(-0.002 * u.d(X).d(X) + u.d(X), 1.0)
        .with(Condition::on(WALLS, u, 0.0).exact());
    let options = Options::new().tolerance(1e-6).patches(Patching::Never);
    for seed in 0..3 {
        let solution = problem.solve_with(&options.clone().seed(seed)).unwrap();
        let half = solution.value(&[0.5]).unwrap();
        let report = solution.report();
        let error = (half - 0.5).abs();
        assert!(error < report.error_estimate.max(1e-4), "{error}: {report}");
    }
}
