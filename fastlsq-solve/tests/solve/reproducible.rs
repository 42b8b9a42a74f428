//! The same seed gives the same answer, on any number of threads.

use fastlsq_solve::random_problems::RandomProblem;
use fastlsq_solve::{
    BoxDomain, Expr, LinearProblem, Options, Solution, X, Y, axis, cos, exp, laplacian, problems,
    sin, unknown,
};

use super::grid_error;

fn helmholtz(options: &Options) -> Solution {
    problems::helmholtz_2d(10.0)
        .problem
        .solve_with(options)
        .unwrap()
}

#[test]
fn one_and_two_threads_agree() {
    let options = Options::new().tolerance(1e-8);
    let one = helmholtz(&options.clone().threads(1));
    let two = helmholtz(&options.threads(2));
    assert_eq!((one.report().threads, two.report().threads), (1, 2));
    assert!(grid_error(&one, move |x: &[f64]| two.value(x).unwrap()) < 1e-12);
}

#[test]
fn the_same_seed_gives_the_same_coefficients() {
    let options = Options::new().features(150).bandwidth(10.0);
    let (a, b) = (helmholtz(&options), helmholtz(&options));
    assert_eq!(a.coefficients(), b.coefficients());
    let other = helmholtz(&options.seed(1));
    assert_ne!(a.coefficients(), other.coefficients());
    assert_eq!(other.report().seed, 1);
}

#[test]
fn solutions_can_be_shared_between_threads() {
    fn shared<T: Send + Sync + Clone>(_: &T) {}
    let u = helmholtz(&Options::new().features(60).bandwidth(8.0));
    shared(&u);
    let here = u.value(&[0.3, 0.4]).unwrap();
    let there = std::thread::scope(|scope| scope.spawn(|| u.value(&[0.3, 0.4])).join());
    assert_eq!(there.unwrap().unwrap(), here);
}

/// What a report says was chosen, given as options, is what is solved: twenty random problems, patches among them, and
/// structure in many dimensions.
#[test]
fn the_options_of_a_report_repeat_the_solve_bit_for_bit() {
    let options = Options::new().tolerance(1e-7).max_features(600);
    let mut problems: Vec<LinearProblem> = (0..20)
        .map(|number| RandomProblem::draw(number).unwrap().problem)
        .collect();
    let u = unknown("u");
    let exact = sin(axis(0) + axis(3)) + axis(1) * axis(2);
    problems.push(
        LinearProblem::on(BoxDomain::unit(5))
            .equation(laplacian(u), laplacian(exact.clone()))
            .dirichlet(exact),
    );
    let mut on_patches = 0;
    for problem in &problems {
        let found = problem.solve_with(&options).unwrap();
        on_patches += usize::from(found.report().patches.is_some());
        let again = found.report().options().unwrap();
        let again = problem.solve_with(again).unwrap();
        assert!(
            found.coefficients() == again.coefficients(),
            "{}\n{}",
            found.report(),
            again.report()
        );
    }
    assert!(on_patches > 0, "none of them needs patches");
}

/// Factors are for other data too: no symmetry of these is built into them, and their options give them again.
#[test]
fn a_factored_problem_takes_data_without_the_symmetry_of_the_first() {
    let u = unknown("u");
    let problem = |exact: Expr| {
        LinearProblem::on(BoxDomain::unit(2))
            .equation(-laplacian(u), -laplacian(exact.clone()))
            .dirichlet(exact)
    };
    let even = problem(cos(2.0 * X - 1.0) * cos(2.0 * Y - 1.0));
    let options = Options::new().tolerance(1e-10);
    let factored = even.factor_with(&options).unwrap();
    let skew = exp(X) * sin(2.0 * Y);
    let data = factored.new_data();
    let data = data.right("equation 1", -laplacian(skew.clone())).unwrap();
    let solution = data.right("walls", skew.clone()).unwrap().solve().unwrap();
    let error = grid_error(&solution, skew);
    assert!(error < 1e-8, "{error:e}");
    let again = factored.solution().report().options().unwrap().clone();
    let again = even.factor_with(&again).unwrap();
    assert_eq!(
        factored.solution().coefficients(),
        again.solution().coefficients()
    );
}
