//! Every kind of condition, each with an exact solution.

use std::f64::consts::PI;

use fastlsq_solve::ndarray::array;
use fastlsq_solve::{
    Ball, BoundaryPart, BoundaryPoints, BoundingBox, BoxDomain, Condition, Domain, DomainError,
    DomainExt, Interval, LinearProblem, Options, PartSelector, UnitSampler, identity, laplacian,
    partial, partial_order,
};

use super::grid_error;

#[test]
fn periodic_in_any_order_of_the_calls() {
    // −u″ + u = f with u = exp(sin 2πx).
    let exact = |x: &[f64]| (2.0 * PI * x[0]).sin().exp();
    let source = move |x: &[f64]| {
        let (s, c) = (2.0 * PI * x[0]).sin_cos();
        exact(x) * (1.0 - 4.0 * PI * PI * (c * c - s))
    };
    let operator = identity(1) - laplacian(1);
    let before = LinearProblem::on(Interval::unit())
        .periodic(0)
        .equation(operator.clone(), source);
    let after = LinearProblem::on(Interval::unit())
        .equation(operator, source)
        .periodic(0);
    for problem in [before, after] {
        let u = problem.solve().unwrap();
        assert!(grid_error(&u, exact) < 1e-11, "{}", u.report());
        assert_eq!(u.report().blocks.len(), 3);
        let (a, b) = (u.gradient(&[0.0]).unwrap(), u.gradient(&[1.0]).unwrap());
        assert!((a[0] - b[0]).abs() < 1e-8);
    }
}

#[test]
fn periodic_in_space_and_moving_in_time() {
    // u_t + u_x = 0 on the circle: the profile moves once around.
    let exact = |x: &[f64]| (2.0 * PI * (x[0] - x[1])).sin();
    let u = LinearProblem::on(Interval::unit().over(0.0, 1.0).unwrap())
        .equation(partial(2, 1) + partial(2, 0), |_| 0.0)
        .initial_value(move |x| exact(&[x[0], 0.0]))
        .periodic(0)
        .solve()
        .unwrap();
    assert!(grid_error(&u, exact) < 1e-10, "{}", u.report());
}

#[test]
fn robin() {
    // u = eˣ cos y is harmonic; u + 2 ∂u/∂n on the circle |x| = 1 with n = x.
    let exact = |x: &[f64]| x[0].exp() * x[1].cos();
    let u = LinearProblem::on(Ball::unit(2))
        .equation(laplacian(2), |_| 0.0)
        .robin(1.0, 2.0, move |x| {
            let slope = exact(x) * x[0] - x[0].exp() * x[1].sin() * x[1];
            exact(x) + 2.0 * slope
        })
        .solve()
        .unwrap();
    for point in [[0.0, 0.0], [0.5, -0.3], [-0.6, 0.7]] {
        assert!(
            (u.value(&point).unwrap() - exact(&point)).abs() < 1e-11,
            "{}",
            u.report()
        );
    }
}

#[test]
fn neumann_with_a_pinned_point() {
    // Without the pin the constant is free.
    let exact = |x: &[f64]| (PI * x[0]).cos() * (PI * x[1]).cos() + 3.0;
    let u = LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(2), move |x| 2.0 * PI * PI * (exact(x) - 3.0))
        .neumann(|_| 0.0)
        .data(array![[0.25, 0.75]], &[exact(&[0.25, 0.75])])
        .solve()
        .unwrap();
    assert!(grid_error(&u, exact) < 1e-10, "{}", u.report());
}

#[test]
fn neumann_without_a_pin_is_a_solution_up_to_a_constant() {
    let u = LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(2), |x| {
            2.0 * PI * PI * (PI * x[0]).cos() * (PI * x[1]).cos()
        })
        .neumann(|_| 0.0)
        .solve_with(&Options::new().features(200).bandwidth(4.0))
        .unwrap();
    let slope = u.gradient(&[0.3, 0.4]).unwrap();
    let exact = -PI * (0.3 * PI).sin() * (0.4 * PI).cos();
    assert!((slope[0] - exact).abs() < 1e-6, "{} {exact}", slope[0]);
}

#[test]
fn parts_by_name_with_weights_and_rows_of_their_own() {
    // u = x² − y²: values left and right, fluxes below and above.
    let exact = |x: &[f64]| x[0] * x[0] - x[1] * x[1];
    let problem = LinearProblem::on(BoxDomain::unit(2))
        .equation(laplacian(2), |_| 0.0)
        .dirichlet_on("x0=lo", exact)
        .with(
            Condition::on("x0=hi".into(), identity(2), exact)
                .weight(30.0)
                .rows(77)
                .named("right"),
        )
        .neumann_on("x1=lo", |_| 0.0)
        .condition(
            PartSelector::Named("x1=hi".to_owned()),
            partial(2, 1),
            |_| -2.0,
        );
    let u = problem.solve().unwrap();
    assert!(grid_error(&u, exact) < 1e-10, "{}", u.report());
    let right = u
        .report()
        .blocks
        .iter()
        .find(|b| b.label == "right")
        .unwrap();
    assert_eq!(right.rows, 77);
}

#[test]
fn the_wave_equation_with_initial_velocity() {
    let exact = |x: &[f64]| (PI * x[0]).sin() * (PI * x[1]).sin() / PI;
    let u = LinearProblem::on(Interval::unit().over(0.0, 1.0).unwrap())
        .equation(partial_order(2, 1, 2) - partial_order(2, 0, 2), |_| 0.0)
        .initial_value(|_| 0.0)
        .initial_velocity(|x| (PI * x[0]).sin())
        .dirichlet(|_| 0.0)
        .solve()
        .unwrap();
    assert!(grid_error(&u, exact) < 1e-10, "{}", u.report());
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
    let exact = |x: &[f64]| x[0].exp() * x[1].sin();
    let u = LinearProblem::on(Triangle)
        .equation(laplacian(2), |_| 0.0)
        .dirichlet_on("bottom", |_| 0.0)
        .neumann_on("right", exact)
        .dirichlet_on("diagonal", exact)
        .solve()
        .unwrap();
    for point in [[0.5, 0.25], [0.9, 0.1], [0.99, 0.95]] {
        assert!(
            (u.value(&point).unwrap() - exact(&point)).abs() < 1e-10,
            "{}",
            u.report()
        );
    }
}

#[test]
fn exact_conditions_hold_to_rounding_at_their_points() {
    let exact = |x: &[f64]| x[0].exp() * (3.0 * x[1]).sin();
    let problem = LinearProblem::on(BoxDomain::unit(2))
        .equation(laplacian(2), |x| -8.0 * x[0].exp() * (3.0 * x[1]).sin())
        .with(Condition::on(PartSelector::AllWalls, identity(2), exact).exact());
    let u = problem.solve().unwrap();
    assert!(grid_error(&u, exact) < 1e-10, "{}", u.report());

    let options = Options::new().features(200).bandwidth(6.0).rows(400, 60);
    let factored = problem.factor_with(&options).unwrap();
    // To rounding: of the data, and of the sum of the terms βⱼφⱼ.
    let require_held = |u: &fastlsq_solve::Solution, g: &dyn Fn(&[f64]) -> f64| {
        let points = factored.points("walls").unwrap();
        let pairs = points.rows().into_iter().zip(u.values(points).unwrap());
        let held = pairs
            .map(|(x, u)| (u - g(&x.to_vec())).abs())
            .fold(0.0, f64::max);
        let size = u
            .coefficients()
            .iter()
            .fold(0.0, |m: f64, b| m.max(b.abs()));
        let allowed = 1e-12_f64.max(2.0 * f64::EPSILON * size);
        assert!(
            held <= allowed,
            "{held:.1e} with coefficients up to {size:.1e}"
        );
    };
    require_held(factored.solution(), &exact);
    // So do other data on the same factors.
    let other = |x: &[f64]| x[0] * x[0] - x[1] * x[1];
    let data = factored.new_data().source(0, |_| 0.0).unwrap();
    let u = data.data("walls", other).unwrap().solve().unwrap();
    require_held(&u, &other);
    assert!(grid_error(&u, other) < 1e-7, "{}", u.report());
}

#[test]
fn exact_values_at_points_with_noisy_data_between() {
    let x = UnitSampler::halton(3).points(200, 1);
    let noisy: Vec<f64> = x
        .iter()
        .enumerate()
        .map(|(i, x)| x + 0.01 * f64::from(i as u32 % 7))
        .collect();
    let ends = array![[0.0], [1.0]];
    let u = LinearProblem::on(Interval::unit())
        .data(x, &noisy)
        .with(
            Condition::at(ends, identity(1), &[0.0, 1.0])
                .exact()
                .named("ends"),
        )
        .solve_with(&Options::new().features(12).bandwidth(8.0))
        .unwrap();
    assert!(u.value(&[0.0]).unwrap().abs() < 1e-12);
    assert!((u.value(&[1.0]).unwrap() - 1.0).abs() < 1e-12);
}

#[test]
fn contradictory_exact_conditions_are_refused() {
    let problem = LinearProblem::on(Interval::unit())
        .equation(laplacian(1), |_| 0.0)
        .with(Condition::at(array![[0.5]], identity(1), &[0.0]).exact())
        .with(Condition::at(array![[0.5]], identity(1), &[1.0]).exact());
    let error = problem
        .solve_with(&Options::new().max_features(40))
        .unwrap_err();
    assert!(error.to_string().contains("contradict"), "{error}");
}

#[test]
fn a_condition_takes_other_data_wherever_it_holds() {
    let straight = |x: &[f64]| 1.0 + 2.0 * x[0];
    let ends = array![[0.0], [1.0]];
    for condition in [
        Condition::on(PartSelector::AllWalls, identity(1), |_| 0.0),
        Condition::at(ends, identity(1), &[0.0, 0.0]),
    ] {
        let u = LinearProblem::on(Interval::unit())
            .equation(laplacian(1), |_| 0.0)
            .with(condition.with_data(straight))
            .solve()
            .unwrap();
        let (value, label) = (u.value(&[0.5]).unwrap(), u.report());
        assert!((value - 2.0).abs() < 1e-9, "{value}: {label}");
    }
}
