//! Options are obeyed.

use fastlsq_solve::patches::Patching;
use fastlsq_solve::{
    BoxDomain, Condition, FrequencyLaw, LinearProblem, Options, Sequence, Status, X, Y, laplacian,
    problems, unknown,
};

#[test]
fn explicit_choices_switch_the_search_off() {
    let options = Options::new()
        .features(100)
        .bandwidth(5.0)
        .rows(333, 111)
        .weight(50.0)
        .seed(3);
    let u = problems::poisson_2d().problem.solve_with(&options).unwrap();
    let report = u.report();
    assert_eq!(report.status, Status::Explicit);
    assert_eq!((report.features, report.rows, report.seed), (100, 444, 3));
    assert_eq!(report.bandwidths, [5.0, 5.0]);
    assert_eq!(
        (report.blocks[0].weight, report.blocks[1].weight),
        (1.0, 50.0)
    );
    // Symmetry was not switched off.
    assert_eq!(report.symmetry, "u even in x, y");
}

#[test]
fn a_bandwidth_that_is_given_replaces_the_search_for_one_and_nothing_else() {
    // With the bandwidths and the number of features that an
    // automatic solve reports, symmetry and draw stay, and so does the accuracy.
    let benchmark = problems::helmholtz_2d(10.0);
    let error = |options: &Options| -> (f64, fastlsq_solve::Report) {
        let u = benchmark.problem.solve_with(options).unwrap();
        let value = benchmark.errors(&u, 1000).unwrap().value;
        (value, u.report().clone())
    };
    let options = Options::new().patches(Patching::Never).tolerance(1e-9);
    let (found, report) = error(&options);
    let given = options
        .clone()
        .bandwidths(&report.bandwidths)
        .features(report.features);
    let (again, repeated) = error(&given);
    assert_eq!(report.symmetry, repeated.symmetry);
    assert!(again < 1e2 * found.max(1e-12), "{again:e} after {found:e}");
}

#[test]
fn a_law_alone_lets_the_features_grow() {
    let options = Options::new().bandwidths(&[4.0, 4.0]).tolerance(1e-7);
    let u = problems::poisson_2d().problem.solve_with(&options).unwrap();
    assert_eq!(u.report().status, Status::ToleranceMet, "{}", u.report());
    let law = FrequencyLaw::Blocks(vec![
        (0.5, FrequencyLaw::Isotropic(2.0)),
        (0.5, FrequencyLaw::Isotropic(6.0)),
    ]);
    let options = Options::new().law(law).features(200);
    let u = problems::poisson_2d().problem.solve_with(&options).unwrap();
    assert!(u.report().law.contains('|'), "{}", u.report().law);
}

#[test]
fn oversampling_adds_rows_but_no_constraints() {
    let u = unknown("u");
    let problem = LinearProblem::on(BoxDomain::unit(2))
        .equation(laplacian(u), 0.0)
        .condition(X.lo(), u, Y)
        .condition(Y.hi(), u, 1.0)
        .with(Condition::on(X.hi(), u, Y).exact())
        .with(Condition::on(Y.lo(), u, 0.0).rows(17));
    let rows = |options: &Options| -> Vec<usize> {
        let solved = problem.solve_with(options).unwrap();
        let blocks = solved.report().blocks.iter();
        blocks.map(|block| block.rows).collect()
    };
    let options = Options::new().features(120).bandwidth(3.0);
    let (once, twice) = (rows(&options), rows(&options.clone().oversampling(2.0)));
    assert_eq!(once, [180, 24, 24, 24, 17]);
    assert_eq!(twice, [360, 48, 48, 24, 17]);
    // What is kept for other right-hand sides has them too, and given numbers stay.
    let kept = problem
        .factor_with(&options.clone().oversampling(2.0))
        .unwrap();
    assert_eq!(kept.solution().report().rows, 360 + 48 + 48 + 24 + 17);
    let given = rows(&options.rows(200, 40).oversampling(2.0));
    assert_eq!(given, [200, 40, 40, 40, 17]);
}

#[test]
fn the_limit_on_features_holds() {
    for limit in [1, 7, 50] {
        let options = Options::new().max_features(limit).patches(Patching::Never);
        let u = problems::helmholtz_2d(10.0)
            .problem
            .solve_with(&options)
            .unwrap();
        assert!(
            u.report()
                .candidates
                .iter()
                .all(|probe| probe.features <= limit)
        );
        assert_eq!(u.report().status, Status::LimitReached, "{}", u.report());
        assert!(u.report().error_estimate > 1e-3, "{}", u.report());
    }
}

#[test]
fn independent_points_and_plain_features_work_too() {
    let options = Options::new()
        .points(Sequence::Independent)
        .normalised(false)
        .features(250)
        .bandwidth(4.0);
    let benchmark = problems::poisson_2d();
    let u = benchmark.problem.solve_with(&options).unwrap();
    assert!(benchmark.errors(&u, 300).unwrap().value < 1e-8);
}
