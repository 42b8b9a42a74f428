//! Whatever cannot be answered is a typed error that says why; nothing panics.

use std::sync::Arc;

use fastlsq_solve::ndarray::{Array2, array};
use fastlsq_solve::{
    Basis, BoxDomain, Condition, DomainError, DomainExt, EquationRow, FrequencyLaw, Interval,
    Limit, LinearProblem, Options, Parity, RowBlock, SinusoidalBasis, SolveError, Symmetry, System,
    Unknown, X, Z, given, laplacian, problems, unknown,
};

fn u() -> Unknown {
    unknown("u")
}

fn poisson() -> LinearProblem {
    LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(u()), 1.0)
        .dirichlet(0.0)
}

fn refusal(problem: &LinearProblem) -> SolveError {
    problem
        .solve_with(&Options::new().max_features(60))
        .unwrap_err()
}

fn refused_option(options: &Options) -> String {
    match poisson().solve_with(options).unwrap_err() {
        SolveError::Option { option, .. } => option.to_owned(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn data_that_are_not_finite() {
    let source = LinearProblem::on(BoxDomain::unit(2))
        .equation(
            -laplacian(u()),
            |x: &[f64]| if x[0] > 0.9 { f64::NAN } else { 0.0 },
        )
        .dirichlet(0.0);
    let SolveError::DataNotFinite {
        label,
        point,
        value,
    } = refusal(&source)
    else {
        panic!("no word about the source")
    };
    assert!(label == "equation 1" && point[0] > 0.9 && value.is_nan());
    let walls = poisson().condition(X.lo(), u(), 1.0 / X);
    let error = refusal(&walls);
    assert!(
        matches!(&error, SolveError::DataNotFinite { label, .. } if label == "x=lo"),
        "{error}"
    );
    let coefficient = LinearProblem::on(BoxDomain::unit(2))
        .equation(given("c", |_| f64::INFINITY) * laplacian(u()), 0.0)
        .dirichlet(0.0);
    let error = refusal(&coefficient);
    assert!(matches!(error, SolveError::Operator(_)), "{error:?}");
}

#[test]
fn tables_that_do_not_fit() {
    let points = array![[0.1, 0.2], [0.3, 0.4]];
    let short = refusal(&poisson().data(points.clone(), &[1.0]));
    assert!(
        matches!(
            short,
            SolveError::Table {
                expected: 2,
                found: 1,
                ..
            }
        ),
        "{short:?}"
    );
    let nan = refusal(&poisson().data(points.clone(), &[1.0, f64::NAN]));
    assert!(matches!(nan, SolveError::DataNotFinite { .. }), "{nan:?}");
    let lost = refusal(&poisson().data(array![[0.1, f64::NAN]], &[1.0]));
    assert!(
        matches!(lost, SolveError::PointNotFinite { .. }),
        "{lost:?}"
    );
    let space = refusal(&poisson().data(array![[0.1, 0.2, 0.3]], &[1.0]));
    assert!(space.to_string().contains("3 coordinates"), "{space}");
    for sigmas in [
        vec![1.0],
        vec![1.0, 0.0],
        vec![1.0, f64::NAN],
        vec![1.0, -1.0],
    ] {
        let data = Condition::at(points.clone(), u(), &[1.0, 2.0]).deviations(&sigmas);
        let error = refusal(&poisson().with(data));
        assert!(
            matches!(error, SolveError::Table { .. } | SolveError::Option { .. }),
            "{error:?}"
        );
    }
    let misplaced = Condition::on(X.lo(), u(), 0.0).deviations(&[1.0]);
    let error = refusal(&poisson().with(misplaced));
    assert!(
        matches!(error, SolveError::DeviationsWithoutTable { .. }),
        "{error:?}"
    );
    let none = Array2::zeros((0, 2));
    assert!(LinearProblem::fit(none.view(), &[]).is_err());
    assert!(LinearProblem::fit(array![[0.5, 0.5]].view(), &[1.0]).is_err());
}

#[test]
fn domains_that_are_empty() {
    assert!(matches!(
        BoxDomain::new(&[0.0, 1.0], &[1.0, 1.0]),
        Err(DomainError::EmptyExtent { axis: 1, .. })
    ));
    assert!(matches!(
        Interval::new(2.0, 1.0),
        Err(DomainError::EmptyExtent { .. })
    ));
    assert!(Interval::unit().over(1.0, 0.0).is_err());
    let nothing = LinearProblem::on(BoxDomain::unit(0)).equation(u(), 1.0);
    assert!(nothing.solve().is_err());
}

#[test]
fn nothing_to_solve() {
    let error = refusal(&LinearProblem::on(BoxDomain::unit(2)));
    assert!(matches!(error, SolveError::NothingToSolve));
    let rowless =
        LinearProblem::on(BoxDomain::unit(2)).with(Condition::on(X.lo(), u(), 0.0).rows(0));
    assert!(matches!(refusal(&rowless), SolveError::NothingToSolve));
    let error = poisson()
        .solve_with(&Options::new().rows(0, 10))
        .unwrap_err();
    assert!(matches!(error, SolveError::Option { option: "rows", .. }));
}

#[test]
fn options_out_of_range() {
    let options = Options::new;
    for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(refused_option(&options().tolerance(tolerance)), "tolerance");
    }
    for factor in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(
            refused_option(&options().oversampling(factor)),
            "oversampling"
        );
    }
    for weight in [0.0, -1.0, f64::NAN] {
        assert_eq!(refused_option(&options().weight(weight)), "weight");
        let own = Condition::on(X.lo(), u(), 0.0).weight(weight);
        assert!(matches!(
            refusal(&poisson().with(own)),
            SolveError::Option {
                option: "weight",
                ..
            }
        ));
    }
    assert_eq!(refused_option(&options().features(0)), "features");
    assert_eq!(refused_option(&options().max_features(0)), "features");
    assert_eq!(refused_option(&options().threads(0)), "threads");
    assert_eq!(
        refused_option(&options().bandwidth_grid(&[], 3)),
        "bandwidth_grid"
    );
    assert_eq!(
        refused_option(&options().bandwidth_grid(&[1.0], 0)),
        "bandwidth_grid"
    );
    for sigma in [-1.0, f64::NAN, f64::INFINITY] {
        let error = poisson()
            .solve_with(&options().bandwidth(sigma).features(10))
            .unwrap_err();
        assert!(matches!(error, SolveError::Basis(_)), "{error:?}");
    }
    let law = options().bandwidths(&[1.0]).features(10);
    assert!(matches!(
        poisson().solve_with(&law),
        Err(SolveError::Basis(_))
    ));
    let symmetry = options().symmetry(Symmetry::Declared(vec![Parity::Even]));
    assert!(matches!(
        poisson().solve_with(&symmetry),
        Err(SolveError::Basis(_))
    ));
}

#[test]
fn absurd_sizes_are_refused_before_anything_is_allocated() {
    let features = Options::new()
        .bandwidth(3.0)
        .features(1 << 45)
        .rows(100, 100);
    let error = poisson().solve_with(&features).unwrap_err();
    assert!(
        matches!(error, SolveError::TooManyFeatures { .. }),
        "{error:?}"
    );
    let features = Options::new().bandwidth(3.0).features(usize::MAX);
    assert!(poisson().solve_with(&features).is_err());
    let rows = Options::new()
        .bandwidth(3.0)
        .features(10)
        .rows(usize::MAX / 2, 10);
    let error = poisson().solve_with(&rows).unwrap_err();
    assert!(
        matches!(error.limit(), Some(Limit::Memory { .. })),
        "{error:?}"
    );
    let own = poisson().with(Condition::on(X.lo(), u(), 0.0).rows(usize::MAX));
    assert!(matches!(
        refusal(&own),
        SolveError::Stopped(Limit::Memory { .. })
    ));
    let memory = Options::new()
        .bandwidth(3.0)
        .features(200)
        .memory_limit(10_000);
    let error = poisson().solve_with(&memory).unwrap_err();
    assert!(matches!(error.limit(), Some(Limit::Memory { .. })));
}

#[test]
fn blocks_that_do_not_fit_make_no_system() {
    let law = FrequencyLaw::Isotropic(1.0);
    let basis: Arc<dyn Basis> = Arc::new(SinusoidalBasis::random(2, 9, &law, 0).unwrap());
    let points = Array2::from_elem((4, 2), 0.5);
    let good = RowBlock::new(
        "block",
        EquationRow::value(2, 0, 1),
        points.clone(),
        vec![0.0; 4],
    );
    let make = |change: &dyn Fn(&mut RowBlock)| {
        let mut block = good.clone();
        change(&mut block);
        System::new(vec![basis.clone()], vec![block])
    };
    assert!(make(&|_| ()).is_ok());
    let wrong = Array2::from_elem((3, 2), 0.5);
    assert!(make(&|b| b.data = vec![0.0; 3]).is_err());
    assert!(make(&|b| b.normals = Some(wrong.clone())).is_err());
    assert!(make(&|b| b.normals = Some(Array2::zeros((4, 3)))).is_err());
    assert!(make(&|b| b.table = Some(wrong.clone())).is_err());
    assert!(make(&|b| b.partners = Some(wrong.clone())).is_err());
    assert!(make(&|b| b.partners = Some(Array2::zeros((4, 1)))).is_err());
    assert!(make(&|b| b.row_weights = Some(vec![1.0])).is_err());
    assert!(make(&|b| b.row_weights = Some(vec![f64::NAN; 4])).is_err());
    assert!(make(&|b| b.weight = f64::INFINITY).is_err());
    assert!(make(&|b| b.points = Array2::zeros((4, 3))).is_err());
    assert!(make(&|b| b.points[[1, 1]] = f64::NAN).is_err());
    assert!(make(&|b| b.operator = EquationRow::value(2, 1, 2)).is_err());
    assert!(System::new(Vec::new(), vec![good.clone()]).is_err());
    assert!(System::new(vec![basis.clone()], Vec::new()).is_err());
}

#[test]
fn points_that_do_not_fit_a_solution() {
    let options = Options::new().features(20).bandwidth(2.0).rows(50, 30);
    let u = problems::poisson_2d().problem.solve_with(&options).unwrap();
    assert!(u.value(&[0.5]).is_err() && u.value(&[]).is_err());
    assert!(u.gradient(&[0.5, 0.5, 0.5]).is_err() && u.hessian(&[]).is_err());
    assert!(u.values(Array2::zeros((2, 3)).view()).is_err());
    let points = Array2::zeros((2, 2));
    assert!(u.apply_row(&EquationRow::value(3, 0, 1), &points).is_err());
    assert!(u.evaluate(unknown("v"), &points).is_err() && u.evaluate(Z, &points).is_err());
    assert!(u.values(Array2::zeros((0, 2)).view()).unwrap().is_empty());
}
