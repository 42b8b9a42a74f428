//! Eigenvalues against exact ones.

use fastlsq_solve::domain::{Ball, BoxDomain, Domain, Interval, PartSelector};
use fastlsq_solve::space::{Eigenproblem, Spectrum, Wanted};
use fastlsq_solve::{Action, Field, MultiIndex, Operator, Term};
use std::f64::consts::PI;
use std::time::Instant;

fn term(c: impl Into<Field>, alpha: &[u32]) -> Term {
    Term::new(c, Action::derivative(MultiIndex::new(alpha.to_vec())))
}

fn operator(dim: usize, terms: Vec<Term>) -> Operator {
    Operator::from_terms(dim, terms)
}

fn identity(dim: usize) -> Operator {
    operator(dim, vec![Term::new(1.0, Action::identity(dim))])
}

fn minus_laplacian(dim: usize) -> Operator {
    let along = |axis| Action::derivative(MultiIndex::along(dim, axis, 2).unwrap());
    operator(
        dim,
        (0..dim).map(|axis| Term::new(-1.0, along(axis))).collect(),
    )
}

fn dirichlet(domain: impl Domain + 'static, operator: Operator) -> Eigenproblem {
    let dim = domain.dim();
    Eigenproblem::new(domain, operator).condition("u", PartSelector::AllWalls, identity(dim))
}

fn report(name: &str, start: Instant, spectrum: &Spectrum, exact: &[f64]) -> f64 {
    let seconds = start.elapsed().as_secs_f64();
    let errors: Vec<f64> = spectrum
        .pairs()
        .iter()
        .zip(exact)
        .map(|(pair, exact)| (pair.value.re - exact).abs() / exact.abs())
        .collect();
    let worst = errors.iter().copied().fold(0.0, f64::max);
    println!(
        "{name}: worst {worst:.1e}, estimate {:.1e}, {seconds:.3} s, {}, symmetric {}, polished {}",
        spectrum.worst_estimate(),
        spectrum.space().report(),
        spectrum.is_symmetric(),
        spectrum.pairs().iter().filter(|p| p.polished).count()
    );
    assert_eq!(spectrum.pairs().len(), exact.len());
    worst
}

#[test]
fn interval() {
    let start = Instant::now();
    let spectrum = dirichlet(Interval::unit(), minus_laplacian(1))
        .solve(Wanted::Smallest(10))
        .unwrap();
    let exact: Vec<f64> = (1..=10).map(|k| (PI * f64::from(k)).powi(2)).collect();
    assert!(report("interval", start, &spectrum, &exact) < 1e-12);
    assert!(spectrum.is_symmetric());
    assert!(spectrum.pairs().iter().all(|pair| pair.multiplicity == 1));
}

#[test]
fn oscillator() {
    let start = Instant::now();
    let square = Field::new("x²", |x: &[f64]| x[0] * x[0]);
    let hamiltonian = operator(1, vec![term(-1.0, &[2]), term(square, &[0])]);
    let spectrum = dirichlet(Interval::new(-10.0, 10.0).unwrap(), hamiltonian)
        .solve(Wanted::Smallest(10))
        .unwrap();
    let exact: Vec<f64> = (0..10).map(|k| f64::from(2 * k + 1)).collect();
    assert!(report("oscillator", start, &spectrum, &exact) < 1e-12);
}

/// Zeros of Jₙ, found by bisection of the series of Bessel's integral.
fn bessel_zeros(order: u32, count: usize) -> Vec<f64> {
    let j = |x: f64| {
        // The trapezoidal rule is exact to rounding for this periodic integrand.
        let steps = 200;
        let sum: f64 = (0..steps)
            .map(|k| 2.0 * PI * f64::from(k) / f64::from(steps))
            .map(|angle| (f64::from(order) * angle - x * angle.sin()).cos())
            .sum();
        sum / f64::from(steps)
    };
    let mut zeros = Vec::new();
    let mut x = 0.5;
    while zeros.len() < count {
        let next = x + 0.1;
        if (j(x) < 0.0) != (j(next) < 0.0) {
            let (mut lo, mut hi) = (x, next);
            for _ in 0..60 {
                let middle = 0.5 * (lo + hi);
                if (j(lo) < 0.0) == (j(middle) < 0.0) {
                    lo = middle;
                } else {
                    hi = middle;
                }
            }
            zeros.push(0.5 * (lo + hi));
        }
        x = next;
    }
    zeros
}

#[test]
fn disc() {
    let mut exact: Vec<f64> = (0..12)
        .flat_map(|order| {
            let zeros = bessel_zeros(order, 6).into_iter().map(|zero| zero * zero);
            zeros
                .flat_map(move |value| vec![value; if order == 0 { 1 } else { 2 }])
                .collect::<Vec<_>>()
        })
        .collect();
    exact.sort_by(f64::total_cmp);
    exact.truncate(20);
    let start = Instant::now();
    let spectrum = dirichlet(Ball::unit(2), minus_laplacian(2))
        .solve(Wanted::Smallest(20))
        .unwrap();
    assert!(report("disc", start, &spectrum, &exact) < 1e-10);
    let multiplicities: Vec<usize> = spectrum
        .pairs()
        .iter()
        .take(5)
        .map(|pair| pair.multiplicity)
        .collect();
    assert_eq!(multiplicities, [1, 2, 2, 2, 2]);
}

#[test]
fn square() {
    let mut exact: Vec<f64> = (1..8)
        .flat_map(|i| (1..8).map(move |j| PI * PI * f64::from(i * i + j * j)))
        .collect();
    exact.sort_by(f64::total_cmp);
    exact.truncate(12);
    let start = Instant::now();
    let spectrum = dirichlet(BoxDomain::unit(2), minus_laplacian(2))
        .solve(Wanted::Smallest(12))
        .unwrap();
    assert!(report("square", start, &spectrum, &exact) < 1e-10);
    let multiplicities: Vec<usize> = spectrum
        .pairs()
        .iter()
        .map(|pair| pair.multiplicity)
        .collect();
    assert_eq!(multiplicities[..11], [1, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1]);
}

#[test]
fn clamped_plate() {
    let normal = |axis| {
        Term::new(
            Field::normal(axis),
            Action::derivative(MultiIndex::along(2, axis, 1).unwrap()),
        )
    };
    let bilaplacian = operator(
        2,
        vec![term(1.0, &[4, 0]), term(2.0, &[2, 2]), term(1.0, &[0, 4])],
    );
    let start = Instant::now();
    let spectrum = dirichlet(BoxDomain::unit(2), bilaplacian)
        .condition(
            "∂u/∂n",
            PartSelector::AllWalls,
            operator(2, vec![normal(0), normal(1)]),
        )
        .tolerance(1e-9)
        .bandwidth(15.0)
        .solve(Wanted::Smallest(1))
        .unwrap();
    println!("{}", spectrum.pairs()[0].value.re);
    assert!(report("plate", start, &spectrum, &[1294.933_979_59]) < 1e-6);
}

#[test]
fn advection_diffusion_has_complex_pairs_on_a_periodic_interval() {
    // −u″ + 5u′ on [0, 2π): λ = n² ± 5in.
    let start = Instant::now();
    let spectrum = Eigenproblem::new(
        Interval::new(0.0, 2.0 * PI).unwrap(),
        operator(1, vec![term(-1.0, &[2]), term(5.0, &[1])]),
    )
    .periodic(0)
    .solve(Wanted::Smallest(5))
    .unwrap();
    println!("{spectrum} {}", start.elapsed().as_secs_f64());
    for (pair, (re, im)) in spectrum.pairs().iter().zip([
        (0.0, 0.0),
        (1.0, -5.0),
        (1.0, 5.0),
        (4.0, -10.0),
        (4.0, 10.0),
    ]) {
        assert!(
            (pair.value.re - re).abs() < 1e-12 && (pair.value.im - im).abs() < 1e-11,
            "{}",
            pair.value
        );
    }
    // With Dirichlet conditions the same operator has real eigenvalues 25/4 + n²/4, far from normal.
    let spectrum = dirichlet(
        Interval::new(0.0, 2.0 * PI).unwrap(),
        operator(1, vec![term(-1.0, &[2]), term(5.0, &[1])]),
    )
    .solve(Wanted::Smallest(4))
    .unwrap();
    let exact: Vec<f64> = (1..=4).map(|n| 6.25 + f64::from(n * n) / 4.0).collect();
    assert!(report("advection-diffusion", start, &spectrum, &exact) < 1e-5);
}

#[test]
fn a_mass_and_a_shift() {
    // −u″ = λ (1 + x) u: the eigenvalue nearest to 100, against the same in another space.
    let weight = operator(
        1,
        vec![term(Field::new("1 + x", |x: &[f64]| 1.0 + x[0]), &[0])],
    );
    let problem = dirichlet(Interval::unit(), minus_laplacian(1)).mass(weight);
    let all = problem
        .clone()
        .bandwidth(30.0)
        .solve(Wanted::Smallest(6))
        .unwrap();
    let near = problem
        .bandwidth(42.0)
        .seed(5)
        .solve(Wanted::Nearest(100.0, 2))
        .unwrap();
    let mut expected: Vec<f64> = all.pairs().iter().map(|pair| pair.value.re).collect();
    expected.sort_by(|a, b| (a - 100.0).abs().total_cmp(&(b - 100.0).abs()));
    for (pair, expected) in near.pairs().iter().zip(expected) {
        assert!((pair.value.re / expected - 1.0).abs() < 1e-11);
    }
    // Liouville: λ₁ of the constant weight 1.5 is π²/1.5; this one is within a few per cent.
    assert!((all.pairs()[0].value.re / (PI * PI / 1.5) - 1.0).abs() < 0.03);
}
