//! Trial spaces: spectra, projection, lifts, joined intervals, conservation.

#![allow(clippy::unwrap_used)]

use faer::Mat;
use fastlsq_solve::domain::{Ball, BoxDomain, Domain, Interval, PartSelector};
use fastlsq_solve::space::{Modes, Sampled, SpaceBuilder, SpaceCondition, SpaceError, TrialSpace};
use fastlsq_solve::{Action, MultiIndex, Operator, Term};
use ndarray::Array2;
use proptest::prelude::*;
use std::f64::consts::PI;
use std::sync::Arc;

/// c·D^α.
fn derivative(c: f64, alpha: &[u32]) -> Operator {
    let action = Action::derivative(MultiIndex::new(alpha.to_vec()));
    Operator::from_terms(alpha.len(), [Term::new(c, action)])
}

fn laplacian(dim: usize) -> Operator {
    Operator::from_terms(
        dim,
        (0..dim).map(|axis| {
            let action = Action::derivative(MultiIndex::along(dim, axis, 2).unwrap());
            Term::new(1.0, action)
        }),
    )
}

fn at(place: &str, order: u32) -> SpaceCondition {
    SpaceCondition::new(format!("{place} {order}"), place, derivative(1.0, &[order]))
}

fn line(bandwidth: f64, cut: f64) -> Arc<Modes> {
    let domain: Arc<dyn Domain> = Arc::new(Interval::new(-1.0, 1.0).unwrap());
    Arc::new(Modes::global(domain, &[false], bandwidth, cut, 0).unwrap())
}

fn eigenvalues(matrix: &Mat<f64>) -> Vec<(f64, f64)> {
    let (values, _) = fastlsq_solve::dense::eigen(matrix.as_ref()).unwrap();
    values
        .into_iter()
        .map(|value| (value.re, value.im))
        .collect()
}

fn sampled(points: &Array2<f64>, f: impl Fn(&[f64]) -> f64) -> Vec<f64> {
    points.rows().into_iter().map(|x| f(&x.to_vec())).collect()
}

fn grid(a: f64, b: f64, count: usize) -> Array2<f64> {
    Array2::from_shape_fn((count, 1), |(i, _)| {
        a + (b - a) * (i as f64 + 0.5) / count as f64
    })
}

#[test]
fn spectra_lie_in_the_left_half_plane() {
    let cases: [(&str, Operator, Vec<SpaceCondition>, f64); 6] = [
        (
            "advection",
            derivative(-1.0, &[1]),
            vec![at("x=lo", 0)],
            1.0,
        ),
        (
            "heat",
            derivative(1.0, &[2]),
            vec![at("x=lo", 0), at("x=hi", 0)],
            2.0,
        ),
        (
            "heat, insulated",
            derivative(1.0, &[2]),
            vec![at("x=lo", 1), at("x=hi", 1)],
            2.0,
        ),
        (
            "KdV",
            derivative(-1.0, &[3]),
            vec![at("x=lo", 0), at("x=hi", 0), at("x=hi", 1)],
            3.0,
        ),
        (
            "plate",
            derivative(-1.0, &[4]),
            vec![at("x=lo", 0), at("x=hi", 0), at("x=lo", 1), at("x=hi", 1)],
            4.0,
        ),
        (
            "outflow at the wrong end",
            derivative(1.0, &[1]),
            vec![at("x=hi", 0)],
            1.0,
        ),
    ];
    for (name, operator, conditions, order) in cases {
        for (bandwidth, cut) in [(8.0, 1e-9), (40.0, 1e-8), (40.0, 1e-11), (100.0, 1e-11)] {
            let space = TrialSpace::new(line(bandwidth, cut), &conditions, order as u32).unwrap();
            let matrix = space.matrix(&operator).unwrap();
            let largest = eigenvalues(&matrix)
                .iter()
                .map(|value| value.0)
                .fold(f64::MIN, f64::max);
            let scale = matrix.norm_l2();
            assert!(largest < 1e-10 * scale, "{name}: {largest:e} of {scale:e}");
        }
    }
}

#[test]
fn the_wave_equation_oscillates() {
    // u_tt = u_xx as a pair: eigenvalues ±i√λ with λ = (nπ/2)².
    let space = TrialSpace::new(line(40.0, 1e-11), &[at("x=lo", 0), at("x=hi", 0)], 2).unwrap();
    let (n, second) = (space.dim(), space.matrix(&derivative(1.0, &[2])).unwrap());
    let pair = Mat::from_fn(2 * n, 2 * n, |i, j| match (i < n, j < n) {
        (true, false) => f64::from(u8::from(i == j - n)),
        (false, true) => second[(i - n, j)],
        _ => 0.0,
    });
    let mut values = eigenvalues(&pair);
    let fastest = values.iter().map(|v| v.1.abs()).fold(0.0, f64::max);
    assert!(values.iter().all(|v| v.0.abs() < 1e-8 * fastest));
    values.sort_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
    for (k, value) in values.iter().take(20).enumerate() {
        let exact = 0.5 * PI * (k / 2 + 1) as f64;
        assert!(
            (value.1.abs() / exact - 1.0).abs() < 1e-10,
            "{value:?} {exact}"
        );
    }
}

#[test]
fn projection_gives_back_what_the_space_holds() {
    let space = TrialSpace::new(line(30.0, 1e-11), &[at("x=lo", 0), at("x=hi", 1)], 2).unwrap();
    // u(−1) = 0, u′(1) = 0.
    let f = |x: &[f64]| (0.25 * PI * (x[0] + 1.0)).sin() * (1.0 + (PI * (x[0] + 1.0)).cos());
    let none = vec![0.0; space.data_len()];
    let c = space
        .project(&sampled(space.modes().nodes(), f), &none)
        .unwrap();
    let fresh = grid(-1.0, 1.0, 333);
    for (value, exact) in space
        .values(&c, &none, &fresh)
        .unwrap()
        .iter()
        .zip(sampled(&fresh, f))
    {
        assert!((value - exact).abs() < 1e-12);
    }
    // Coefficients carry the L2 norm: ‖f‖² by a fine sum.
    let fine = grid(-1.0, 1.0, 20_000);
    let norm: f64 = sampled(&fine, f).iter().map(|v| v * v / 10_000.0).sum();
    let own: f64 = c.iter().map(|v| v * v).sum();
    assert!((own - norm).abs() < 1e-7, "{own} {norm}");
    // A projection is a projection: the matrix of the identity is the identity.
    let identity = space.matrix(&derivative(1.0, &[0])).unwrap();
    assert!((identity - Mat::<f64>::identity(space.dim(), space.dim())).norm_max() < 1e-12);
    assert!(
        space
            .report()
            .conformance
            .iter()
            .all(|(_, value)| *value < 1e-13)
    );
}

#[test]
fn lifts_take_their_values_and_are_orthogonal() {
    let conditions = [at("x=lo", 0), at("x=hi", 0), at("x=hi", 1)];
    let space = TrialSpace::new(line(40.0, 1e-11), &conditions, 3).unwrap();
    let data = [2.0, -1.0, 5.0];
    let zero = vec![0.0; space.dim()];
    let ends = Array2::from_shape_vec((2, 1), vec![-1.0, 1.0]).unwrap();
    let values = space.values(&zero, &data, &ends).unwrap();
    let slopes = space
        .apply(&derivative(1.0, &[1]), &zero, &data, &ends)
        .unwrap();
    assert!((values[0] - 2.0).abs() < 1e-11 && (values[1] + 1.0).abs() < 1e-11);
    assert!((slopes[1] - 5.0).abs() < 1e-9);
    let lifted = space.at_nodes(&zero, &data).unwrap();
    let seen = space.project(&lifted, &[0.0; 3]).unwrap();
    assert!(seen.iter().all(|c| c.abs() < 1e-12));
    // A function with those values is found again, lift and all.
    let f = |x: &[f64]| x[0].exp();
    let e = 1.0_f64.exp();
    let data = [1.0 / e, e, e];
    let c = space
        .project(&sampled(space.modes().nodes(), f), &data)
        .unwrap();
    let fresh = grid(-1.0, 1.0, 101);
    for (value, exact) in space
        .values(&c, &data, &fresh)
        .unwrap()
        .iter()
        .zip(sampled(&fresh, f))
    {
        assert!((value - exact).abs() < 1e-11);
    }
}

#[test]
fn periodic_waves_conserve_mass_and_energy() {
    let domain: Arc<dyn Domain> = Arc::new(BoxDomain::new(&[0.0, -1.0], &[3.0, 1.0]).unwrap());
    let modes = Arc::new(Modes::global(domain, &[true, true], 20.0, 1e-11, 0).unwrap());
    let space = TrialSpace::new(modes, &[], 2).unwrap();
    assert!(space.report().orthonormality < 1e-13);
    // u_t = u_x + 2u_y moves u along: its matrix is antisymmetric, and constants do not move.
    let advection = Operator::from_terms(
        2,
        [(1.0, [1, 0]), (2.0, [0, 1])]
            .map(|(c, alpha)| Term::new(c, Action::derivative(MultiIndex::new(alpha.to_vec())))),
    );
    let matrix = space.matrix(&advection).unwrap();
    assert!((&matrix + matrix.transpose()).norm_max() < 1e-12 * matrix.norm_max());
    let mass = space
        .project(&vec![1.0; space.weights().len()], &[])
        .unwrap();
    for j in 0..space.dim() {
        let change: f64 = (0..space.dim()).map(|i| mass[i] * matrix[(i, j)]).sum();
        assert!(change.abs() < 1e-11);
    }
}

#[test]
fn joined_intervals_have_continuous_derivatives_and_the_same_spectra() {
    let breaks = [-1.0, -0.4, -0.1, 0.3, 1.0];
    for (order, operator, conditions) in [
        (2, derivative(1.0, &[2]), vec![at("x=lo", 0), at("x=hi", 0)]),
        (
            3,
            derivative(-1.0, &[3]),
            vec![at("x=lo", 0), at("x=hi", 0), at("x=hi", 1)],
        ),
        (
            4,
            derivative(-1.0, &[4]),
            vec![at("x=lo", 0), at("x=hi", 0), at("x=lo", 1), at("x=hi", 1)],
        ),
    ] {
        let modes = Arc::new(Modes::intervals(&breaks, false, 9.0, 1e-11, 0).unwrap());
        let space = TrialSpace::new(modes, &conditions, order).unwrap();
        assert_eq!(
            space.report().conditions,
            3 * order as usize + conditions.len()
        );
        let c: Vec<f64> = (0..space.dim()).map(|k| ((k * k) as f64).sin()).collect();
        let data = vec![0.0; space.data_len()];
        for joint in &breaks[1..4] {
            for d in 0..order {
                let near = |side: f64| {
                    let x = Array2::from_elem((1, 1), joint + side * 1e-13);
                    space.apply(&derivative(1.0, &[d]), &c, &data, &x).unwrap()[0]
                };
                // Derivatives of polynomials of degree 28 on a piece of half width 0.15 grow by 28²/0.15 each.
                let size = (28.0_f64.powi(2) / 0.15).powi(d as i32) * 10.0;
                assert!(
                    (near(1.0) - near(-1.0)).abs() < 1e-7 * size,
                    "order {order}, derivative {d}"
                );
            }
        }
        let joined = eigenvalues(&space.matrix(&operator).unwrap());
        let whole = TrialSpace::new(line(30.0, 1e-11), &conditions, order).unwrap();
        let whole = eigenvalues(&whole.matrix(&operator).unwrap());
        let largest = |values: &[(f64, f64)]| values.iter().map(|v| v.0).fold(f64::MIN, f64::max);
        let (one, other) = (largest(&joined), largest(&whole));
        assert!(
            (one / other - 1.0).abs() < 1e-7,
            "order {order}: {one} {other}"
        );
    }
}

#[test]
fn intervals_on_a_circle_join_their_ends() {
    let modes =
        Arc::new(Modes::intervals(&[0.0, 1.0, 3.0, 2.0 * PI], true, 9.0, 1e-11, 0).unwrap());
    let space = TrialSpace::new(modes, &[], 2).unwrap();
    let mut values = eigenvalues(&space.matrix(&derivative(-1.0, &[2])).unwrap());
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (value, exact) in values.iter().zip([0.0, 1.0, 1.0, 4.0, 4.0, 9.0, 9.0]) {
        assert!((value.0 - exact).abs() < 1e-8, "{value:?} {exact}");
    }
}

#[test]
fn the_heat_equation_on_a_disc_and_in_a_cube_is_stable() {
    let cases: [(Arc<dyn Domain>, f64, f64); 2] = [
        (
            Arc::new(Ball::unit(2)),
            9.0,
            2.404_825_557_695_773_f64.powi(2),
        ),
        (Arc::new(BoxDomain::unit(3)), 4.0, 3.0 * PI * PI),
    ];
    for (domain, bandwidth, lowest) in cases {
        let dim = domain.dim();
        let builder = SpaceBuilder::new(domain).tolerance(1e-6);
        let zero = SpaceCondition::new("u", PartSelector::AllWalls, derivative(1.0, &vec![0; dim]));
        let space = builder.space(bandwidth, &[zero]).unwrap();
        let values = eigenvalues(&space.matrix(&laplacian(dim)).unwrap());
        let largest = values.iter().map(|v| v.0).fold(f64::MIN, f64::max);
        assert!(
            (-largest / lowest - 1.0).abs() < 1e-6,
            "{dim}: {largest} {lowest}"
        );
    }
}

#[test]
fn the_builder_takes_intervals_for_thin_layers() {
    let domain: Arc<dyn Domain> = Arc::new(Interval::new(-1.0, 1.0).unwrap());
    let builder = SpaceBuilder::new(domain).tolerance(1e-9);
    let smooth = |points: &Array2<f64>| Ok(sampled(points, |x| (3.0 * x[0]).exp()));
    let modes = builder
        .fitted(&[(&smooth as &Sampled<'_>, 0.0)], 0.0)
        .unwrap();
    assert!(modes.breaks().is_empty() && modes.len() < 40);
    let layer = |points: &Array2<f64>| Ok(sampled(points, |x| ((x[0] - 0.2) / 0.003).tanh()));
    let modes = builder
        .fitted(&[(&layer as &Sampled<'_>, 0.0)], 0.0)
        .unwrap();
    assert!(
        modes.breaks().len() > 6 && modes.len() < 800,
        "{:?}",
        modes.breaks()
    );
    let space = TrialSpace::new(Arc::new(modes), &[], 2).unwrap();
    let c = space
        .project(&layer(space.modes().nodes()).unwrap(), &[])
        .unwrap();
    let fresh = grid(-1.0, 1.0, 4001);
    let errors = space.values(&c, &[], &fresh).unwrap();
    let worst = errors
        .iter()
        .zip(layer(&fresh).unwrap())
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max);
    assert!(worst < 1e-7, "{worst:e}");
}

#[test]
fn impossible_spaces_are_named() {
    let modes = line(1.0, 1e-9);
    assert!(matches!(
        Modes::intervals(&[0.0], false, 9.0, 1e-9, 0),
        Err(SpaceError::Option { .. })
    ));
    assert!(matches!(
        Modes::intervals(&[0.0, f64::NAN, 1.0], false, 9.0, 1e-9, 0),
        Err(SpaceError::Option { .. })
    ));
    let domain: Arc<dyn Domain> = Arc::new(BoxDomain::unit(2));
    assert!(matches!(
        Modes::global(Arc::clone(&domain), &[], f64::NAN, 1e-9, 0),
        Err(SpaceError::Option { .. })
    ));
    assert!(matches!(
        SpaceBuilder::new(domain).global(500.0),
        Err(SpaceError::TooLarge { .. })
    ));
    let space = TrialSpace::new(modes, &[at("x=lo", 0)], 1).unwrap();
    assert!(matches!(
        space.project(&[1.0], &[0.0]),
        Err(SpaceError::Size { .. })
    ));
    assert!(matches!(
        space.modal(&vec![0.0; space.dim()], &[]),
        Err(SpaceError::Size { .. })
    ));
    assert!(matches!(
        space.samples(&laplacian(2)),
        Err(SpaceError::Operator(_))
    ));
    let nowhere = SpaceCondition::new("u", "x7=lo", derivative(1.0, &[0]));
    assert!(matches!(
        TrialSpace::new(line(8.0, 1e-9), &[nowhere], 2),
        Err(SpaceError::Domain(_))
    ));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn energy_never_grows_whatever_the_space(
        bandwidth in 6.0..60.0_f64, digits in 7.0..11.5_f64, seed in 0_u64..1000, speed in 0.1..3.0_f64,
    ) {
        let domain: Arc<dyn Domain> = Arc::new(Interval::new(-1.0, 1.0).unwrap());
        let modes = Modes::global(domain, &[false], bandwidth, 10.0_f64.powf(-digits), seed).unwrap();
        let space = TrialSpace::new(Arc::new(modes), &[at("x=lo", 0)], 1).unwrap();
        let matrix = space.matrix(&derivative(-speed, &[1])).unwrap();
        // d/dt ½‖c‖² = cᵀ A c: the symmetric part has no positive eigenvalue.
        let symmetric = Mat::from_fn(space.dim(), space.dim(), |i, j| 0.5 * (matrix[(i, j)] + matrix[(j, i)]));
        let (values, _) = fastlsq_solve::dense::symmetric_eigen(symmetric.as_ref()).unwrap();
        let largest = values.last().copied().unwrap();
        let rounding = 1e-15 * 10.0_f64.powf(digits);
        prop_assert!(largest < rounding * matrix.norm_l2(), "{} of {}", largest, matrix.norm_l2());
    }
}
