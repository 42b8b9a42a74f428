//! New data on kept factors.

use std::f64::consts::PI;

use fastlsq_solve::{
    BoxDomain, FactoredProblem, LinearProblem, Options, RowSource, SolveError, laplacian, problems,
};

use super::grid_error;

/// −Δu = 0 with u = 0 on the boundary, waiting for data.
fn poisson(options: &Options) -> FactoredProblem {
    LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(2), |x| x[0] + x[1])
        .dirichlet(|_| 0.0)
        .factor_with(options)
        .unwrap()
}

fn exact(k: f64) -> impl Fn(&[f64]) -> f64 + Copy + Send + Sync + 'static {
    move |x| (k * x[0]).sin() * (k * x[1]).cos()
}

fn source(k: f64) -> impl Fn(&[f64]) -> f64 + Copy + Send + Sync + 'static {
    move |x| 2.0 * k * k * exact(k)(x)
}

#[test]
fn new_data_are_solved_as_well_as_by_a_fresh_solve() {
    let options = Options::new().features(300).bandwidth(6.0);
    let cache = poisson(&options);
    for k in [PI, 4.0, 1.3] {
        let fresh = LinearProblem::on(BoxDomain::unit(2))
            .equation(-laplacian(2), source(k))
            .dirichlet(exact(k))
            .solve_with(&options)
            .unwrap();
        let data = cache.new_data().source(0, source(k)).unwrap();
        let cached = data.data("walls", exact(k)).unwrap().solve().unwrap();
        let (fresh_error, error) = (grid_error(&fresh, exact(k)), grid_error(&cached, exact(k)));
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
    assert!(grid_error(&again, |x| cache.solution().value(x).unwrap()) < 1e-11);
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
        let at = |label: &str, f: &dyn Fn(&[f64]) -> f64| -> Vec<f64> {
            let points = cache.points(label).unwrap();
            points.rows().into_iter().map(|x| f(&x.to_vec())).collect()
        };
        let (f, g) = (at("equation 1", &source(k)), at("walls", &exact(k)));
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
    let error = cache.new_data().source(1, |_| 0.0).unwrap_err();
    assert!(matches!(error, SolveError::Block { .. }), "{error}");
    let error = cache
        .new_data()
        .data("wall", |_| 0.0)
        .unwrap_err()
        .to_string();
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
    let nan = cache.new_data().source(0, |_| f64::NAN).unwrap_err();
    assert!(matches!(nan, SolveError::DataNotFinite { .. }));
    let infinite = cache
        .new_data()
        .values("walls", &[f64::INFINITY; 40])
        .unwrap_err();
    assert!(matches!(infinite, SolveError::DataNotFinite { .. }));
    assert!(cache.points("equation 2").is_err());
}
