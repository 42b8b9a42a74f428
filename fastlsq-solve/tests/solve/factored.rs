//! New data on kept factors.

use std::f64::consts::PI;

use fastlsq_solve::{
    BoxDomain, Expr, FactoredProblem, LinearProblem, Options, RowSource, SolveError, X, Y, cos,
    laplacian, problems, sin, unknown,
};

use super::grid_error;

/// −Δu = x + y with u = 0 on the boundary, waiting for other data.
fn poisson(options: &Options) -> FactoredProblem {
    LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(unknown("u")), X + Y)
        .dirichlet(0.0)
        .factor_with(options)
        .unwrap()
}

fn exact(k: f64) -> Expr {
    sin(k * X) * cos(k * Y)
}

#[test]
fn new_data_are_solved_as_well_as_by_a_fresh_solve() {
    let options = Options::new().features(300).bandwidth(6.0);
    let cache = poisson(&options);
    for k in [PI, 4.0, 1.3] {
        let (exact, source) = (exact(k), -laplacian(exact(k)));
        let fresh = LinearProblem::on(BoxDomain::unit(2))
            .equation(-laplacian(unknown("u")), &source)
            .dirichlet(&exact)
            .solve_with(&options)
            .unwrap();
        let data = cache.new_data().right("equation 1", source).unwrap();
        let cached = data.right("walls", &exact).unwrap().solve().unwrap();
        let (fresh_error, error) = (grid_error(&fresh, &exact), grid_error(&cached, &exact));
        assert!(
            error < 3.0 * fresh_error + 1e-12,
            "{error:.1e} against {fresh_error:.1e}"
        );
        let ratio = cached.report().error_estimate / error;
        assert!((0.05..100.0).contains(&ratio), "estimate/error = {ratio}");
        assert!(cached.report().held_out_residual < 1e-4);
    }
}

#[test]
fn the_problems_own_data_give_the_problems_own_solution() {
    let cache = problems::helmholtz_2d(10.0)
        .problem
        .factor_with(&Options::new())
        .unwrap();
    let again = cache.new_data().solve().unwrap();
    let own = cache.solution().clone();
    assert!(grid_error(&again, move |x: &[f64]| own.value(x).unwrap()) < 1e-11);
    let error = problems::helmholtz_2d(10.0)
        .errors(cache.solution(), 500)
        .unwrap();
    assert!(error.value < 1e-11, "{}", cache.solution().report());
}

#[test]
fn values_at_the_points_and_many_at_once() {
    let cache = poisson(&Options::new().features(250).bandwidth(5.0));
    let mut all = Vec::new();
    for k in [PI, 2.0] {
        let at = |label: &str, expression: Expr| {
            let points = cache.points(label).unwrap();
            cache.solution().evaluate(expression, points).unwrap()
        };
        let (f, g) = (
            at("equation 1", -laplacian(exact(k))),
            at("walls", exact(k)),
        );
        let data = cache.new_data().values("equation 1", &f).unwrap();
        all.push(data.values("walls", &g).unwrap());
    }
    let solutions = cache.solve_many(&all).unwrap();
    assert_eq!(solutions.len(), 2);
    for (u, k) in solutions.iter().zip([PI, 2.0]) {
        assert!(grid_error(u, exact(k)) < 1e-6);
    }
    assert!(cache.solve_many(&[]).unwrap().is_empty());
}

#[test]
fn the_factored_matrix_is_open() {
    let cache = poisson(&Options::new().features(60).bandwidth(3.0).rows(200, 80));
    assert_eq!(cache.system().nrows(), 280);
    assert_eq!(cache.factored().info().cols, 60);
    let rhs = cache.system().right_hand_side();
    let beta = cache.factored().solve(rhs.as_ref()).unwrap();
    assert_eq!(beta.nrows(), cache.solution().coefficients().len());
}

#[test]
fn wrong_data_are_refused() {
    let cache = poisson(&Options::new().features(40).bandwidth(3.0).rows(100, 40));
    let error = cache.new_data().right("equation 2", 0.0).unwrap_err();
    assert!(matches!(error, SolveError::Block { .. }), "{error}");
    let error = cache.new_data().right("wall", 0.0).unwrap_err().to_string();
    assert!(error.contains("\"walls\""), "{error}");
    let error = cache.new_data().values("walls", &[1.0]).unwrap_err();
    assert!(matches!(
        error,
        SolveError::Table {
            expected: 40,
            found: 1,
            ..
        }
    ));
    let nan = cache.new_data().right("equation 1", |_: &[f64]| f64::NAN);
    let nan = nan.unwrap_err();
    assert!(matches!(nan, SolveError::DataNotFinite { .. }));
    let infinite = cache
        .new_data()
        .values("walls", &[f64::INFINITY; 40])
        .unwrap_err();
    assert!(matches!(infinite, SolveError::DataNotFinite { .. }));
    assert!(cache.points("equation 2").is_err());
}
