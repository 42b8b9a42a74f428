//! What one sum of waves does not resolve, by the plain call: patches take over, and the result is a solution like any other.

use faer::Mat;
use fastlsq_solve::patches::{PatchOptions, Patching};
use fastlsq_solve::problems::{Benchmark, helmholtz_2d, local};
use fastlsq_solve::{
    BoundingBox, BoxDomain, BoxUnion, Condition, DomainExt, Interval, LinearProblem, Options,
    Solution, SolveError, Status, X, Y, cos, exp, grad, laplacian, normal_derivative, sin, unknown,
};
use ndarray::array;

/// Solves to a tolerance; the error keeps it, and the estimate tells the error within a factor.
fn check(benchmark: &Benchmark, tolerance: f64) -> Solution {
    check_with(benchmark, &Options::new(), tolerance)
}

fn check_with(benchmark: &Benchmark, options: &Options, tolerance: f64) -> Solution {
    let options = options.clone().tolerance(tolerance);
    let solution = benchmark.problem.solve_with(&options).unwrap();
    let error = benchmark.errors(&solution, 2000).unwrap().value;
    let report = solution.report();
    assert!(report.patches.is_some(), "{}: {report}", benchmark.name);
    assert_eq!(report.status, Status::ToleranceMet, "{report}");
    assert!(error < tolerance, "{}: {error:e}", benchmark.name);
    assert!(report.error_estimate > error / 5.0, "{error:e} {report}");
    solution
}

#[test]
fn corners_peaks_layers_jumps_and_waves_meet_the_tolerance() {
    let asked = Options::new().patches(Patching::Always(PatchOptions::new()));
    check_with(&local::l_shape_singular().unwrap(), &asked, 1e-8);
    check(&local::square_source(), 1e-8);
    check(&local::peak_2d(500.0, [0.63, 0.21]), 1e-8);
    check(&local::layer_1d("layer", 1e-3), 1e-9);
    check(&local::helmholtz_waves("waves", 60.0), 1e-9);
    check(&local::interface_square(100.0).unwrap(), 1e-9);
    check(&local::elastic_l().unwrap(), 1e-8);
}

#[test]
fn functions_that_solve_the_equation_come_before_patches() {
    // Around a re-entrant corner they are the singular functions themselves; a source takes them away.
    let singular = local::l_shape_singular().unwrap();
    let options = Options::new().tolerance(1e-10);
    let solution = singular.problem.solve_with(&options).unwrap();
    let report = solution.report();
    assert!(
        report.patches.is_none() && report.features < 100,
        "{report}"
    );
    assert_eq!(report.status, Status::ToleranceMet, "{report}");
    assert!(singular.errors(&solution, 2000).unwrap().value < 1e-10);
    let source = local::l_shape_source().unwrap();
    let solution = source.solve_with(&Options::new().tolerance(1e-4)).unwrap();
    let report = solution.report();
    assert!(report.patches.is_some(), "{report}");
}

#[test]
fn what_one_sum_of_waves_resolves_stays_one() {
    let u = unknown("u");
    let exact = sin(2.0 * X) * exp(Y);
    let smooth = LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(u), -laplacian(&exact))
        .dirichlet(&exact);
    for problem in [smooth, helmholtz_2d(10.0).problem] {
        let solution = problem
            .solve_with(&Options::new().tolerance(1e-11))
            .unwrap();
        assert!(solution.report().patches.is_none());
        assert_eq!(solution.report().status, Status::ToleranceMet);
    }
}

#[test]
fn the_result_is_a_solution_like_any_other() {
    let benchmark = local::peak_2d(500.0, [0.3, 0.7]);
    let solution = check(&benchmark, 1e-7);
    let u = unknown("u");
    let point = [0.31, 0.72];
    // Any expression, gradients, batches.
    let energy = solution.at(grad(u).d(X), &point);
    assert!(energy.is_err(), "a vector is no number");
    let square = solution.at(u.powi(2), &point).unwrap();
    assert!((square - solution.value(&point).unwrap().powi(2)).abs() < 1e-15);
    let exact = benchmark.exact_gradient(&point);
    let slopes = solution.gradient(&point).unwrap();
    assert!((slopes[0] - exact[0][0]).abs() < 1e-4 && (slopes[1] - exact[0][1]).abs() < 1e-4);
    let many = solution
        .values(array![[0.1, 0.1], [0.31, 0.72]].view())
        .unwrap();
    assert_eq!(many[1], solution.value(&point).unwrap());
    // Saved and read back, with the report.
    let mut file = Vec::new();
    solution.to_writer(&mut file).unwrap();
    let read = Solution::from_reader(file.as_slice()).unwrap();
    assert_eq!(read.value(&point).unwrap(), solution.value(&point).unwrap());
    assert_eq!(read.report().patches, solution.report().patches);
    // Outside the domain it says nothing.
    assert!(solution.value(&[1.2, 0.5]).is_err());
    assert!(solution.value(&[1.0, 0.5]).is_ok());
    assert!(solution.report().to_string().contains("patches"));
}

#[test]
fn the_options_ask_for_patches_and_forbid_them() {
    let u = unknown("u");
    let problem = LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(u), 1.0)
        .dirichlet(0.0);
    let options = Options::new().tolerance(1e-6);
    let asked = options
        .clone()
        .patches(PatchOptions::new().first_grid([3, 2]));
    let solution = problem.solve_with(&asked).unwrap();
    let patches = solution.report().patches.as_ref().unwrap();
    assert!(patches.leaves >= 6);
    assert!(solution.report().choice.contains("asked for"));
    let never = options.clone().max_features(400).patches(Patching::Never);
    let waves = problem.solve_with(&never).unwrap();
    assert!(waves.report().patches.is_none());
    assert_ne!(waves.report().status, Status::ToleranceMet);
    // Features in hand: nothing is changed behind the user's back.
    let given = problem.solve_with(&options.features(200)).unwrap();
    assert!(given.report().patches.is_none());
    // Asked for where they cannot live: an error, not another method.
    let heat = LinearProblem::on(Interval::unit().over(0.0, 1.0).unwrap())
        .equation(u.d(fastlsq_solve::T) - laplacian(u), 0.0)
        .initial_value(sin(X))
        .dirichlet(0.0);
    let answer = heat.solve_with(&Options::new().patches(PatchOptions::new()));
    assert!(matches!(answer, Err(SolveError::Patches(_))), "{answer:?}");
}

#[test]
fn statements_that_patches_cannot_take_are_refused_by_name() {
    let u = unknown("u");
    let asked = Options::new().tolerance(1e-6).patches(PatchOptions::new());
    let square = || LinearProblem::on(BoxDomain::unit(2));
    let refused = |problem: LinearProblem, word: &str| {
        let error = problem.solve_with(&asked).unwrap_err();
        assert!(matches!(error, SolveError::Patches(_)), "{error}");
        assert!(error.to_string().contains(word), "{error}");
    };
    // Two conditions on one side, and none on another.
    let twice = square().equation(laplacian(u), 0.0).dirichlet(0.0);
    refused(twice.condition(X.hi(), u.d(X), 0.0), "conditions");
    let open = square().equation(laplacian(u), 0.0);
    refused(open.condition(X.lo(), u, 0.0), "no condition covers");
    // A jump between opposite faces is not periodicity.
    let jump = square()
        .equation(laplacian(u), 0.0)
        .condition(Y.lo(), u, 0.0);
    let jump = jump.condition(Y.hi(), u, 0.0);
    refused(jump.with(Condition::opposite(X, u + X)), "periodicity");
    // Not elliptic, not of second order.
    let wave = square()
        .equation(u.d(X).d(X) - u.d(Y).d(Y), 0.0)
        .dirichlet(0.0);
    refused(wave, "elliptic");
    let diffusion = square().equation(u.d(X).d(X) - u.d(Y), 0.0).dirichlet(0.0);
    refused(diffusion, "elliptic");
    let plate = square()
        .equation(laplacian(laplacian(u)), 0.0)
        .dirichlet(0.0);
    refused(plate, "second order");
}

#[test]
fn conditions_that_change_along_a_side_and_on_named_parts() {
    let u = unknown("u");
    let exact = exp(X) * cos(Y) + exp(-80.0 * ((X - 1.4).powi(2) + (Y - 0.3).powi(2)));
    let part = |lo: [f64; 2], hi: [f64; 2]| BoundingBox::new(&lo, &hi).unwrap();
    let tee = BoxUnion::new(&[part([0.0, 0.0], [3.0, 1.0]), part([1.0, 1.0], [2.0, 2.0])]).unwrap();
    let domain = tee
        .with_part("inlet", |x| x[1] == 0.0 && x[0] < 0.75)
        .unwrap();
    let names: Vec<String> = {
        use fastlsq_solve::Domain;
        domain.parts().into_iter().map(|part| part.name).collect()
    };
    let mut problem = LinearProblem::on(domain).equation(-laplacian(u), -laplacian(&exact));
    for name in names {
        problem = if name == "inlet" {
            problem.condition("inlet", -u.d(Y) + 2.0 * u, -exact.d(Y) + 2.0 * &exact)
        } else {
            problem.condition(name.as_str(), u, &exact)
        };
    }
    check(&Benchmark::new("tee", "", problem, &[exact]), 1e-8);
}

/// An L with sides 2 and 1.
fn l_shape() -> BoxUnion {
    let part = |lo: [f64; 2], hi: [f64; 2]| BoundingBox::new(&lo, &hi).unwrap();
    BoxUnion::new(&[part([0.0, 0.0], [2.0, 1.0]), part([0.0, 0.0], [1.0, 2.0])]).unwrap()
}

#[test]
fn normal_derivatives_on_an_l_with_a_mean_or_a_value() {
    let u = unknown("u");
    let exact = cos(X) * exp(0.5 * Y);
    let problem = LinearProblem::on(l_shape())
        .equation(-laplacian(u), -laplacian(&exact))
        .neumann(normal_derivative(&exact));
    let at = |x: f64, y: f64| x.cos() * (0.5 * y).exp();
    // ∫ cos x = sin x, ∫ e^{y/2} = 2 e^{y/2}.
    let up = |a: f64, b: f64| 2.0 * ((0.5 * b).exp() - (0.5 * a).exp());
    let mean = (2.0_f64.sin() * up(0.0, 1.0) + 1.0_f64.sin() * up(1.0, 2.0)) / 3.0;
    for fixed in [
        problem.clone().mean(mean),
        problem.clone().value_at(&[0.3, 1.2], at(0.3, 1.2)),
    ] {
        let solution = fixed.solve_with(&Options::new().tolerance(1e-9)).unwrap();
        let report = solution.report();
        assert!(report.patches.is_some(), "{report}");
        assert_eq!(report.status, Status::ToleranceMet, "{report}");
        for (x, y) in [(0.1, 0.2), (1.9, 0.4), (0.6, 1.95), (1.0, 1.0)] {
            let miss = solution.value(&[x, y]).unwrap() - at(x, y);
            assert!(miss.abs() < 1e-8, "{miss:e}");
        }
    }
    // One sum of waves takes the mean over the same two boxes.
    let waves = Options::new().patches(Patching::Never);
    let solution = problem.mean(mean).solve_with(&waves).unwrap();
    assert!((solution.value(&[1.9, 0.4]).unwrap() - at(1.9, 0.4)).abs() < 1e-6);
}

#[test]
fn factored_patches_take_other_data_and_transposed_solves() {
    let u = unknown("u");
    let on_l = LinearProblem::on(l_shape()).equation(-laplacian(u), 1.0);
    let plain = on_l.dirichlet(0.0);
    let factored = plain.factor_with(&Options::new().tolerance(1e-7)).unwrap();
    assert!(factored.solution().report().patches.is_some());
    // Another source and other boundary values.
    let exact = sin(X) * Y;
    let solution = factored
        .new_data()
        .right("equation 1", -laplacian(&exact))
        .unwrap()
        .right("walls", &exact)
        .unwrap()
        .solve()
        .unwrap();
    let miss = solution.value(&[1.2, 0.7]).unwrap() - 1.2_f64.sin() * 0.7;
    assert!(miss.abs() < 1e-11, "{miss:e}");
    // ⟨solve(b), v⟩ = ⟨b, adjoint(v)⟩ for rough b and v, also with rows of slopes and with a mean in place of values.
    let slopes = LinearProblem::on(l_shape())
        .equation(-laplacian(u) + (1.0 + X) * u, 1.0)
        .neumann(0.0);
    let free = LinearProblem::on(l_shape())
        .equation(-laplacian(u), 0.0)
        .neumann(0.0)
        .mean(1.0);
    for problem in [plain.clone(), slopes, free] {
        let asked = PatchOptions::new().max_rounds(2);
        let options = Options::new().patches(asked).tolerance(1e-6);
        let factored = problem.factor_with(&options).unwrap();
        let factors = factored.factored();
        let (rows, columns) = (factors.info().rows, factors.info().cols);
        let wiggle = |i: usize, f: f64| (f * i as f64).sin();
        let b = Mat::from_fn(rows, 1, |i, _| wiggle(i, 1.3));
        let v = Mat::from_fn(columns, 1, |i, _| wiggle(i, 0.7));
        let solved = factors.solve(b.as_ref()).unwrap();
        let turned = factors.adjoint(v.as_ref()).unwrap();
        let left = (0..columns)
            .map(|i| solved[(i, 0)] * v[(i, 0)])
            .sum::<f64>();
        let right = (0..rows).map(|i| turned[(i, 0)] * b[(i, 0)]).sum::<f64>();
        let size = solved.norm_l2() * v.norm_l2();
        assert!(
            (left - right).abs() < 1e-10 * size,
            "{left:e} {right:e} {size:e}"
        );
        assert!(factors.solve(v.as_ref()).is_err());
    }
}
