//! Eigenvalues against exact ones.

#![allow(clippy::print_stdout)]

use fastlsq_solve::space::{Eigenproblem, SpaceError, Spectrum, Wanted};
use fastlsq_solve::{
    Annulus, Ball, BoxDomain, Expr, Interval, Polygon, WALLS, X, Y, biharmonic, laplacian,
    normal_derivative, parameter, unknown,
};
use std::f64::consts::PI;

fn minus_laplacian() -> Expr {
    -laplacian(unknown("u"))
}

/// The largest relative error.
fn worst(name: &str, spectrum: &Spectrum, exact: &[f64]) -> f64 {
    let errors: Vec<f64> = spectrum
        .pairs()
        .iter()
        .zip(exact)
        .map(|(pair, exact)| (pair.value.re - exact).abs() / exact.abs())
        .collect();
    let worst = errors.iter().copied().fold(0.0, f64::max);
    println!(
        "{name}: worst {worst:.1e}, estimate {:.1e}, {}, symmetric {}, polished {}",
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
    let spectrum = Eigenproblem::new(Interval::unit(), minus_laplacian())
        .condition(WALLS, unknown("u"))
        .solve(Wanted::Smallest(10))
        .unwrap();
    let exact: Vec<f64> = (1..=10).map(|k| (PI * f64::from(k)).powi(2)).collect();
    assert!(worst("interval", &spectrum, &exact) < 1e-12);
    assert!(spectrum.pairs().iter().all(|pair| pair.multiplicity == 1));
}

#[test]
fn oscillator() {
    let u = unknown("u");
    let hamiltonian = -u.d(X).d(X) + X * X * u;
    let spectrum = Eigenproblem::new(Interval::new(-10.0, 10.0).unwrap(), hamiltonian)
        .condition(WALLS, u)
        .solve(Wanted::Smallest(10))
        .unwrap();
    let exact: Vec<f64> = (0..10).map(|k| f64::from(2 * k + 1)).collect();
    assert!(worst("oscillator", &spectrum, &exact) < 1e-12);
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
    let spectrum = Eigenproblem::new(Ball::unit(2), minus_laplacian())
        .condition(WALLS, unknown("u"))
        .solve(Wanted::Smallest(20))
        .unwrap();
    assert!(worst("disc", &spectrum, &exact) < 1e-10);
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
    let spectrum = Eigenproblem::new(BoxDomain::unit(2), minus_laplacian())
        .condition(WALLS, unknown("u"))
        .solve(Wanted::Smallest(12))
        .unwrap();
    assert!(worst("square", &spectrum, &exact) < 1e-10);
    let multiplicities: Vec<usize> = spectrum
        .pairs()
        .iter()
        .map(|pair| pair.multiplicity)
        .collect();
    assert_eq!(multiplicities[..11], [1, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1]);
}

#[test]
fn clamped_plate() {
    let u = unknown("u");
    let spectrum = Eigenproblem::new(BoxDomain::unit(2), biharmonic(u))
        .condition(WALLS, u)
        .condition(WALLS, normal_derivative(u))
        .tolerance(1e-8)
        .solve(Wanted::Smallest(1))
        .unwrap();
    assert!(worst("plate", &spectrum, &[1_294.933_979_59]) < 1e-7);
}

#[test]
fn advection_diffusion_has_complex_pairs_on_a_periodic_interval() {
    // −u″ + 5u′ on [0, 2π): λ = n² ± 5in.
    let (u, speed) = (unknown("u"), parameter("a"));
    let circle = Interval::new(0.0, 2.0 * PI).unwrap();
    let spectrum = Eigenproblem::new(circle.clone(), -u.d(X).d(X) + speed * u.d(X))
        .parameter(speed, 5.0)
        .periodic(X)
        .solve(Wanted::Smallest(5))
        .unwrap();
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
    let spectrum = Eigenproblem::new(circle, -u.d(X).d(X) + 5.0 * u.d(X))
        .condition(WALLS, u)
        .solve(Wanted::Smallest(4))
        .unwrap();
    let exact: Vec<f64> = (1..=4).map(|n| 6.25 + f64::from(n * n) / 4.0).collect();
    assert!(worst("advection-diffusion", &spectrum, &exact) < 1e-5);
}

#[test]
fn a_mass_and_a_shift() {
    // −u″ = λ (1 + x) u: the eigenvalues nearest to 100, against the same in another space.
    let u = unknown("u");
    let problem = Eigenproblem::new(Interval::unit(), minus_laplacian())
        .mass((1.0 + X) * u)
        .condition(WALLS, u);
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
    // λ₁ of the constant weight 1.5 is π²/1.5; this one is within a few per cent.
    assert!((all.pairs()[0].value.re / (PI * PI / 1.5) - 1.0).abs() < 0.03);
}

#[test]
fn mixed_conditions_on_faces_by_their_coordinates() {
    // u = 0 at x = 0, u′ + u = 0 at x = 1: λ = k² with tan k = −k.
    let u = unknown("u");
    let spectrum = Eigenproblem::new(Interval::unit(), minus_laplacian())
        .condition(X.lo(), u)
        .condition(X.hi(), u.d(X) + u)
        .solve(Wanted::Smallest(3))
        .unwrap();
    for pair in spectrum.pairs() {
        let k = pair.value.re.sqrt();
        assert!((k.sin() + k * k.cos()).abs() < 1e-10, "{k}");
    }
    assert!((spectrum.pairs()[0].value.re.sqrt() - 2.028_757_838_110_434).abs() < 1e-11);
}

#[test]
fn impossible_eigenproblems_are_named() {
    let (u, v) = (unknown("u"), unknown("v"));
    let solve = |left: Expr, condition: Expr| {
        Eigenproblem::new(Interval::unit(), left)
            .condition(WALLS, condition)
            .solve(Wanted::Smallest(1))
            .unwrap_err()
    };
    assert!(matches!(
        solve(laplacian(u), v.into()),
        SpaceError::Unknowns { names } if names == ["u", "v"]
    ));
    assert!(matches!(
        solve(laplacian(u), u - 1.0),
        SpaceError::NotHomogeneous { .. }
    ));
    assert!(matches!(
        solve(laplacian(u) + X, u.into()),
        SpaceError::NotHomogeneous { .. }
    ));
    assert!(matches!(
        solve(u * u.d(X), u.into()),
        SpaceError::Statement(_)
    ));
    assert!(matches!(solve(u.d(Y), u.into()), SpaceError::Statement(_)));
}

fn l_shape() -> Result<Eigenproblem, SpaceError> {
    let corners = [
        [0.0, 0.0],
        [2.0, 0.0],
        [2.0, 1.0],
        [1.0, 1.0],
        [1.0, 2.0],
        [0.0, 2.0],
    ];
    let drum = Eigenproblem::new(Polygon::new(&corners)?, minus_laplacian());
    Ok(drum.condition(WALLS, unknown("u")))
}

#[test]
fn a_corner_that_re_enters() {
    let spectrum = l_shape()
        .unwrap()
        .bandwidth(8.8)
        .solve(Wanted::Smallest(3))
        .unwrap();
    // The first by Fourier–Bessel functions, the third from the square.
    let first = spectrum.pairs()[0].value.re / 9.639_723_844_021_9 - 1.0;
    let third = spectrum.pairs()[2].value.re / (2.0 * PI * PI) - 1.0;
    assert!(
        first.abs() < 1e-9 && third.abs() < 1e-9,
        "{first:.1e} {third:.1e}"
    );
}

#[test]
fn an_l_on_patches() {
    let spectrum = l_shape().unwrap().solve(Wanted::Smallest(3)).unwrap();
    let functions = spectrum.on_patches().unwrap();
    let exact = [9.639_723_844_021_9, f64::NAN, 2.0 * PI * PI];
    for (pair, exact) in spectrum.pairs().iter().zip(exact) {
        let error = (pair.value.re - exact).abs();
        assert!(exact.is_nan() || error < 1e-10 * exact, "{error:.1e}");
        assert!(exact.is_nan() || error < 20.0 * pair.error_estimate);
        assert_eq!(pair.multiplicity, 1);
    }
    // The third is sin πx sin πy on each of the three squares, of norm 1 on the whole.
    let value = |x: [f64; 2]| functions[2].value(&x).unwrap();
    let size = (4.0_f64 / 3.0).sqrt();
    for x in [[0.3, 0.7], [1.6, 0.2], [0.45, 1.8]] {
        let expected = size * (PI * x[0]).sin() * (PI * x[1]).sin();
        let found = value(x) * value([0.5, 0.5]).signum();
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }
    // Points of all eigenfunctions, as for a trial space.
    let grid = spectrum.on_grid(&[21, 21]).unwrap();
    assert_eq!(grid.names(), ["u1", "u2", "u3"]);
}

/// A ring, whose functions polynomials resolve slowly: the estimates say so, for each member of a double eigenvalue as well.
#[test]
fn estimates_on_a_ring_are_true() {
    // Squares of the zeros k of Jₙ(k/2)Yₙ(k) − Jₙ(k)Yₙ(k/2) for n = 0 … 3 (SciPy), double for n > 0.
    let exact = [
        39.01328849900287,
        40.87245337866377,
        40.87245337866377,
        46.42845442721962,
        46.42845442721962,
        55.61788793686734,
    ];
    let spectrum = Eigenproblem::new(
        Annulus::new(&[0.0, 0.0], 0.5, 1.0).unwrap(),
        minus_laplacian(),
    )
    .condition(WALLS, unknown("u"))
    .solve(Wanted::Smallest(6))
    .unwrap();
    assert!(worst("ring", &spectrum, &exact) < 1e-7);
    for (pair, exact) in spectrum.pairs().iter().zip(exact) {
        let (error, estimate) = ((pair.value.re - exact).abs(), pair.error_estimate);
        assert!(
            error < 5.0 * estimate,
            "{exact}: error {error:.1e}, estimate {estimate:.1e}"
        );
    }
}
