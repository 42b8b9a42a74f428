//! Other bases through the same solve.

use std::sync::Arc;

use fastlsq_solve::{
    Basis, FrequencyLaw, InputMap, JoinedBasis, MultiquadricBasis, Options, PolynomialBasis,
    SinusoidalBasis, Solution, SolveError, TanhBasis, UnitSampler, WeightLaw, problems,
};

fn solve(basis: Arc<dyn Basis>) -> (Solution, f64) {
    let benchmark = problems::poisson_2d();
    let options = Options::new().basis(basis).rows(900, 300);
    let u = benchmark.problem.solve_with(&options).unwrap();
    let error = benchmark.errors(&u, 500).unwrap().value;
    (u, error)
}

fn tanh() -> Arc<dyn Basis> {
    let builder = TanhBasis::builder(2, 300)
        .weights(WeightLaw::Uniform(4.0))
        .seed(1);
    Arc::new(builder.build().unwrap())
}

fn multiquadric() -> Arc<dyn Basis> {
    let centers = UnitSampler::halton(1).points(250, 2);
    Arc::new(MultiquadricBasis::new(centers.view(), 0.5).unwrap())
}

fn sinusoidal(seed: u64) -> Arc<dyn Basis> {
    let law = FrequencyLaw::Isotropic(4.0);
    Arc::new(SinusoidalBasis::random(2, 150, &law, seed).unwrap())
}

#[test]
fn each_basis_solves_poisson() {
    let polynomial =
        PolynomialBasis::legendre(InputMap::from_box(&[0.0; 2], &[1.0; 2]).unwrap(), 14).unwrap();
    let joined = JoinedBasis::new(vec![sinusoidal(1), tanh()]).unwrap();
    let cases: [(&str, Arc<dyn Basis>, f64); 4] = [
        ("tanh", tanh(), 1e-4),
        ("multiquadric", multiquadric(), 1e-4),
        ("polynomial", Arc::new(polynomial), 1e-7),
        ("joined", Arc::new(joined), 1e-6),
    ];
    for (name, basis, bar) in cases {
        let (u, error) = solve(basis);
        assert!(error < bar, "{name}: {error:.1e}\n{}", u.report());
        assert_eq!(u.report().law, "a given basis");
    }
}

#[test]
fn a_basis_of_another_space_is_refused() {
    let law = FrequencyLaw::Isotropic(4.0);
    let basis = Arc::new(SinusoidalBasis::random(3, 20, &law, 0).unwrap());
    let error = problems::poisson_2d()
        .problem
        .solve_with(&Options::new().basis(basis));
    assert!(matches!(
        error,
        Err(SolveError::Dimension {
            basis: 3,
            domain: 2
        })
    ));
}
