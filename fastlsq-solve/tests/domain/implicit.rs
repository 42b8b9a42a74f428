//! Level sets: traced in the plane, met by lines elsewhere.

use super::*;
use fastlsq_solve::domain::{BoundingBox, DomainError, Implicit};
use fastlsq_solve::{Expr, X, Y, abs, axis, cos, given, sqrt};
use std::f64::consts::{PI, TAU};

fn cube(dim: usize, half: f64) -> BoundingBox {
    BoundingBox::new(&vec![-half; dim], &vec![half; dim]).unwrap()
}

fn ball_level(dim: usize) -> Expr {
    (0..dim).fold(Expr::from(-1.0), |sum, k| sum + axis(k) * axis(k))
}

fn larger(a: Expr, b: Expr) -> Expr {
    0.5 * (a.clone() + b.clone() + abs(a - b))
}

#[test]
fn a_disc_is_traced_to_ten_digits() {
    let disc = Implicit::new(cube(2, 1.3), ball_level(2)).unwrap();
    assert!((disc.volume().unwrap() - PI).abs() < 1e-10);
    let parts = disc.parts();
    assert_eq!((parts.len(), parts[0].name.as_str()), (1, "outer"));
    assert!((parts[0].measure - TAU).abs() < 1e-10);
    let sampled = disc
        .sample_part(0, 2000, &mut UnitSampler::halton(0))
        .unwrap();
    for (x, n) in sampled
        .points
        .rows()
        .into_iter()
        .zip(sampled.normals.rows())
    {
        assert!((x.dot(&x) - 1.0).abs() < 1e-14);
        assert!((x[0] - n[0]).abs() + (x[1] - n[1]).abs() < 1e-9);
    }
    assert!(disc.corners().is_empty() && disc.holes().is_empty());
    assert_divergence_theorem(&disc, 1e-9);
    assert_outward_normals(&disc);
    assert_inside(&disc);
}

#[test]
fn loops_are_parts() {
    // cos 2πx + cos 2πy < 0.9 without the outside of a disc: four holes at (±½, ±½)… and one in the middle.
    let waves = cos(TAU * X) + cos(TAU * Y) - 1.2;
    let disc = X * X + Y * Y - 0.6;
    let sieve = Implicit::new(cube(2, 1.0), larger(waves, disc)).unwrap();
    let names: Vec<String> = sieve.parts().into_iter().map(|part| part.name).collect();
    assert_eq!(
        names.iter().filter(|name| name.starts_with("hole")).count(),
        1
    );
    assert_eq!(
        names
            .iter()
            .filter(|name| name.starts_with("outer"))
            .count(),
        1
    );
    let holes = sieve.holes();
    assert_eq!(holes.len(), 1);
    assert!(holes[0].center[0].abs() + holes[0].center[1].abs() < 1e-6);
    // Two separate discs.
    let disc = |x: f64, radius: f64| sqrt((X - x).powi(2) + Y * Y) - radius;
    let both = -larger(-disc(-1.0, 0.5), -disc(1.0, 0.7));
    let two = Implicit::new(cube(2, 2.0), both).unwrap();
    assert_eq!(two.parts().len(), 2);
    assert!((two.volume().unwrap() - PI * (0.25 + 0.49)).abs() < 1e-9);
    // The curve through the nodes of the grid, where its level is exactly zero.
    let diamond = Implicit::new(cube(2, 2.0), abs(X) + abs(Y) - 1.0).unwrap();
    assert!((diamond.volume().unwrap() - 2.0).abs() < 1e-3);
}

#[test]
fn balls_in_one_to_five_dimensions() {
    // Volumes and areas of unit balls.
    let exact = [(2.0, 2.0), (PI, TAU), (4.0 / 3.0 * PI, 4.0 * PI)];
    for (k, (volume, area)) in exact.into_iter().enumerate() {
        let ball = Implicit::new(cube(k + 1, 1.2), ball_level(k + 1)).unwrap();
        assert!((ball.volume().unwrap() / volume - 1.0).abs() < 2e-4, "{k}");
        let measure: f64 = ball.parts().iter().map(|part| part.measure).sum();
        assert!((measure / area - 1.0).abs() < 2e-4, "{k}: {measure}");
        assert_outward_normals(&ball);
        assert_inside(&ball);
        assert_divergence_theorem(&ball, 1e-3);
    }
    let five = Implicit::new(cube(5, 1.1), ball_level(5)).unwrap();
    assert!((five.volume().unwrap() / (8.0 * PI * PI / 15.0) - 1.0).abs() < 0.02);
    assert!((five.parts()[0].measure / (8.0 * PI * PI / 3.0) - 1.0).abs() < 0.02);
    let sphere = five
        .sample_part(0, 4000, &mut UnitSampler::halton(1))
        .unwrap();
    for axis in 0..5 {
        assert_mean(&sphere.points, |x| x[axis], 0.0);
        assert_mean(&sphere.points, |x| x[axis] * x[axis], 0.2);
    }
}

#[test]
fn an_ellipsoid_is_uniform_in_surface_measure() {
    let axes = [1.0, 0.5, 0.7];
    let bounds = BoundingBox::new(&[-1.1, -0.6, -0.8], &[1.1, 0.6, 0.8]).unwrap();
    let level = (0..3).fold(Expr::from(-1.0), |sum, k| sum + (axis(k) / axes[k]).powi(2));
    let ellipsoid = Implicit::new(bounds, level).unwrap();
    // Area and second moments by a fine sum over the angles.
    let (mut area, mut moments) = (0.0, [0.0; 3]);
    let steps = 400;
    for i in 0..steps {
        let (st, ct) = (PI * (f64::from(i) + 0.5) / f64::from(steps)).sin_cos();
        for j in 0..2 * steps {
            let (sp, cp) = (PI * (f64::from(j) + 0.5) / f64::from(steps)).sin_cos();
            let unit = [st * cp, st * sp, ct];
            let [a, b, c] = axes;
            let stretch = a
                * b
                * c
                * ((unit[0] / a).powi(2) + (unit[1] / b).powi(2) + (unit[2] / c).powi(2)).sqrt();
            let element = st * stretch * (PI / f64::from(steps)).powi(2);
            area += element;
            for k in 0..3 {
                moments[k] += element * (axes[k] * unit[k]).powi(2);
            }
        }
    }
    let measure = ellipsoid.parts()[0].measure;
    assert!((measure / area - 1.0).abs() < 3e-4, "{measure} {area}");
    for mut sampler in samplers(2) {
        let sampled = ellipsoid.sample_part(0, 10_000, &mut sampler).unwrap();
        for k in 0..3 {
            assert_mean(&sampled.points, |x| x[k] * x[k], moments[k] / area);
            assert_mean(&sampled.points, |x| x[k], 0.0);
        }
    }
    assert_outward_normals(&ellipsoid);
}

#[test]
fn normals_are_gradients_against_differences() {
    let level =
        |x: &[f64]| (x[0] * x[0] + x[1] * x[1]).powi(2) - x[0].powi(3) - 0.4 * x[1] * x[1] - 0.05;
    let written = (X * X + Y * Y).powi(2) - X.powi(3) - 0.4 * Y * Y - 0.05;
    let bean = Implicit::new(cube(2, 2.0), written).unwrap();
    let sampled = bean
        .sample_part(0, 300, &mut UnitSampler::halton(0))
        .unwrap();
    for (x, n) in sampled
        .points
        .rows()
        .into_iter()
        .zip(sampled.normals.rows())
    {
        let h = 1e-6;
        let slope = |k: usize, step: f64| {
            let mut y = x.to_vec();
            y[k] += step;
            level(&y)
        };
        let gradient = [0, 1].map(|k| (slope(k, h) - slope(k, -h)) / (2.0 * h));
        let size = gradient[0].hypot(gradient[1]);
        assert!((gradient[0] / size - n[0]).abs() + (gradient[1] / size - n[1]).abs() < 1e-7);
        assert!(level(&x.to_vec()).abs() < 1e-14);
        assert!((bean.level(&x.to_vec()) - level(&x.to_vec())).abs() < 1e-14);
    }
    assert_divergence_theorem(&bean, 1e-8);
}

#[test]
fn a_seed_determines_the_points() {
    for dim in [2, 3] {
        let ball = Implicit::new(cube(dim, 1.2), ball_level(dim)).unwrap();
        let draw = |seed| {
            ball.sample_part(0, 50, &mut UnitSampler::halton(seed))
                .unwrap()
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }
}

#[test]
fn bad_level_sets_say_what_is_wrong() {
    for dim in 1..=3 {
        let small = Implicit::new(cube(dim, 0.9), ball_level(dim)).unwrap_err();
        assert!(
            matches!(small, DomainError::BoundsTooSmall { .. }),
            "{dim}: {small}"
        );
        assert!(small.to_string().contains("enlarge the bounds"));
        let empty = Implicit::new(cube(dim, 2.0), ball_level(dim) + 3.0).unwrap_err();
        assert_eq!(empty, DomainError::EmptyShape, "{dim}");
        let infinite = Implicit::new(cube(dim, 2.0), ball_level(dim) / (X * X)).unwrap_err();
        assert!(
            matches!(infinite, DomainError::BadLevel { .. }),
            "{dim}: {infinite}"
        );
        // A cubed level has no slope where it is zero.
        let flat = Implicit::new(cube(dim, 2.0), ball_level(dim).powi(3)).unwrap_err();
        assert!(
            matches!(flat, DomainError::VanishingGradient { .. }),
            "{dim}: {flat}"
        );
    }
    let disc = Implicit::new(cube(2, 2.0), ball_level(2)).unwrap();
    assert!(disc.sample_part(1, 3, &mut UnitSampler::halton(0)).is_err());
    assert!(!disc.contains(&[0.0]) && !disc.contains(&[f64::NAN, 0.0]));
    let ball = Implicit::new(cube(3, 2.0), ball_level(3)).unwrap();
    assert!(ball.sample_part(1, 3, &mut UnitSampler::halton(0)).is_err());
}

#[test]
fn closures_bring_their_gradient() {
    let code = |x: &[f64]| x[0] * x[0] + x[1] * x[1] - 1.0;
    let error = Implicit::new(cube(2, 1.5), code).unwrap_err();
    assert!(matches!(error, DomainError::LevelExpression(_)), "{error}");
    assert!(error.to_string().contains("write it as an expression"));
    let level = given("level", code).with_gradient([(X, 2.0 * X), (Y, 2.0 * Y)]);
    let disc = Implicit::new(cube(2, 1.5), level).unwrap();
    assert!((disc.volume().unwrap() - PI).abs() < 1e-10);
    // There is no third coordinate in the plane.
    assert!(Implicit::new(cube(2, 1.5), ball_level(3)).is_err());
}
