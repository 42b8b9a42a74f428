//! Boxes, intervals and balls.

use super::*;
use fastlsq_solve::domain::{Ball, BoxDomain, DomainExt, Interval, PartKind, PartSelector};
use std::f64::consts::PI;

fn cuboid() -> BoxDomain {
    BoxDomain::new(&[-1.0, 2.0, 0.5], &[3.0, 2.5, 4.0]).unwrap()
}

#[test]
fn every_shape_obeys_the_divergence_theorem() {
    assert_divergence_theorem(&cuboid(), 0.0);
    assert_divergence_theorem(&BoxDomain::unit(5), 0.0);
    assert_divergence_theorem(&Interval::new(-0.3, 1.1).unwrap(), 0.0);
    for dim in 1..=5 {
        let center: Vec<f64> = (0..dim).map(|k| 0.5 + f64::from(k)).collect();
        assert_divergence_theorem(&Ball::new(&center, 1.5).unwrap(), 0.0);
    }
}

#[test]
fn normals_point_outward() {
    assert_outward_normals(&cuboid());
    assert_outward_normals(&Interval::unit());
    for dim in 1..=6 {
        assert_outward_normals(&Ball::unit(dim));
    }
}

#[test]
fn interior_points_are_inside() {
    assert_inside(&cuboid());
    assert_inside(&Interval::new(-2.0, -1.0).unwrap());
    for dim in [1, 2, 3, 4, 20] {
        assert_inside(&Ball::new(&vec![0.25; dim], 2.0).unwrap());
        assert_inside(&BoxDomain::unit(dim));
    }
}

#[test]
fn boxes_are_uniform() {
    let (lo, hi) = ([-1.0, 2.0, 0.5], [3.0, 2.5, 4.0]);
    for mut sampler in samplers(1) {
        let points = cuboid().sample_interior(20_000, &mut sampler).unwrap();
        for k in 0..3 {
            let middle = 0.5 * (lo[k] + hi[k]);
            assert_mean(&points, |x| x[k], middle);
            let square = (lo[k] * lo[k] + lo[k] * hi[k] + hi[k] * hi[k]) / 3.0;
            assert_mean(&points, |x| x[k] * x[k], square);
            let quarter = lo[k] + 0.25 * (hi[k] - lo[k]);
            assert_mean(&points, |x| f64::from(x[k] < quarter), 0.25);
            let other = (k + 1) % 3;
            assert_mean(
                &points,
                |x| x[k] * x[other],
                middle * 0.5 * (lo[other] + hi[other]),
            );
        }
    }
}

#[test]
fn balls_are_uniform_in_volume_and_on_the_surface() {
    for dim in 1..=6 {
        let center: Vec<f64> = (0..dim).map(|k| k as f64 - 1.0).collect();
        let ball = Ball::new(&center, 2.0).unwrap();
        let d = dim as f64;
        let square = |x: ArrayView1<'_, f64>| {
            x.iter()
                .zip(&center)
                .map(|(x, c)| (x - c).powi(2))
                .sum::<f64>()
        };
        for mut sampler in samplers(2) {
            let inside = ball.sample_interior(20_000, &mut sampler).unwrap();
            assert_mean(&inside, square, 4.0 * d / (d + 2.0));
            assert_mean(
                &inside,
                |x| f64::from(square(x) < 1.0),
                0.5_f64.powi(dim as i32),
            );
            let sphere = ball.sample_part(0, 20_000, &mut sampler).unwrap();
            assert_mean(&sphere.points, square, 4.0);
            for k in 0..dim {
                assert_mean(&sphere.points, |x| x[k], center[k]);
                assert_mean(&sphere.normals, |n| n[k] * n[k], 1.0 / d);
                assert_mean(&sphere.normals, |n| n[k].powi(4), 3.0 / (d * (d + 2.0)));
            }
        }
    }
}

#[test]
fn measures_are_exact() {
    let close =
        |got: f64, exact: f64| assert!((got - exact).abs() < 1e-13 * exact, "{got} {exact}");
    let ball = |dim| Ball::new(&vec![0.0; dim], 2.0).unwrap();
    close(ball(1).volume().unwrap(), 4.0);
    close(ball(2).volume().unwrap(), 4.0 * PI);
    close(ball(3).volume().unwrap(), 32.0 * PI / 3.0);
    close(ball(4).volume().unwrap(), 8.0 * PI * PI);
    close(ball(1).parts()[0].measure, 2.0);
    close(ball(2).parts()[0].measure, 4.0 * PI);
    close(ball(3).parts()[0].measure, 16.0 * PI);
    close(ball(4).parts()[0].measure, 16.0 * PI * PI);

    assert_eq!(cuboid().volume().unwrap(), 7.0);
    let parts = cuboid().parts();
    let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names, ["x=lo", "x=hi", "y=lo", "y=hi", "z=lo", "z=hi"]);
    let measures: Vec<f64> = parts.iter().map(|part| part.measure).collect();
    assert_eq!(measures, [1.75, 1.75, 14.0, 14.0, 2.0, 2.0]);
    assert!(parts.iter().all(|part| part.kind == PartKind::Wall));
    assert!(
        Interval::unit()
            .parts()
            .iter()
            .all(|end| end.measure == 1.0)
    );
}

#[test]
fn walls_together_are_uniform_in_surface_measure() {
    for mut sampler in samplers(6) {
        let all = cuboid()
            .sample_selected(&PartSelector::AllWalls, 35_500, &mut sampler)
            .unwrap();
        assert_eq!((all.len(), all.is_empty()), (35_500, false));
        // Total area 35.5: the shares are 1750, 14000 and 2000 per face.
        for (axis, share) in [(0, 1750), (1, 14_000), (2, 2000)] {
            for side in [-1.0, 1.0] {
                let on_face = all
                    .normals
                    .column(axis)
                    .iter()
                    .filter(|&&n| n == side)
                    .count();
                assert_eq!(on_face, share);
            }
        }
        // Mean of (x₀ − 1)² over the surface: 4 on the two ends, 16/12 on the other faces.
        assert_mean(
            &all.points,
            |x| (x[0] - 1.0).powi(2),
            (3.5 * 4.0 + 32.0 * 16.0 / 12.0) / 35.5,
        );
        let named = cuboid()
            .sample_selected(&"y=hi".into(), 7, &mut sampler)
            .unwrap();
        assert!(named.points.column(1).iter().all(|&x| x == 2.5));
        let everything = PartSelector::Everything;
        assert_eq!(cuboid().select(&everything).unwrap(), [0, 1, 2, 3, 4, 5]);
    }
}

#[test]
fn ends_of_an_interval_share_the_points() {
    let ends = Interval::new(-1.0, 2.0)
        .unwrap()
        .sample_selected(&PartSelector::AllWalls, 5, &mut UnitSampler::halton(0))
        .unwrap();
    assert_eq!(ends.points.column(0).to_vec(), [-1.0, -1.0, -1.0, 2.0, 2.0]);
    assert_eq!(
        ends.normals.column(0).to_vec(),
        [-1.0, -1.0, -1.0, 1.0, 1.0]
    );
}

#[test]
fn periodic_pairs_differ_in_one_coordinate() {
    for mut sampler in samplers(9) {
        let (lower, upper) = cuboid().periodic_pair(2, 500, &mut sampler).unwrap();
        assert!(lower.column(2).iter().all(|&x| x == 0.5));
        assert!(upper.column(2).iter().all(|&x| x == 4.0));
        assert_eq!(lower.column(0), upper.column(0));
        assert_eq!(lower.column(1), upper.column(1));
        assert_mean(&lower, |x| x[0], 1.0);
        let (lower, upper) = Interval::unit().periodic_pair(0, 1, &mut sampler).unwrap();
        assert_eq!((lower[[0, 0]], upper[[0, 0]]), (0.0, 1.0));
    }
}

#[test]
fn mirrors_map_a_domain_onto_itself() {
    let ball = Ball::new(&[0.5, -2.0], 3.0).unwrap();
    assert_eq!(ball.reflect(0), Some(0.5));
    assert_eq!(ball.reflect(2), None);
    assert_eq!(cuboid().reflect(3), None);
    assert_eq!(Interval::new(-1.0, 3.0).unwrap().reflect(0), Some(1.0));
    let domains: [&dyn Domain; 2] = [&ball, &cuboid()];
    for domain in domains {
        let inside = domain
            .sample_interior(500, &mut UnitSampler::halton(1))
            .unwrap();
        for axis in 0..domain.dim() {
            let mirror = domain.reflect(axis).unwrap();
            for point in inside.rows() {
                let mut point = point.to_vec();
                point[axis] = 2.0 * mirror - point[axis];
                assert!(domain.contains(&point));
            }
        }
    }
}

#[test]
fn extreme_sizes_stay_inside() {
    for (lo, hi) in [
        (1.0, 1.0 + f64::EPSILON),
        (-8e307, 8e307),
        (0.0, 5e-324),
        (1e300, 2e300),
    ] {
        assert_inside(&Interval::new(lo, hi).unwrap());
    }
    for radius in [1e-200, 1e200] {
        let ball = Ball::new(&[0.0; 3], radius).unwrap();
        assert_inside(&ball);
        assert!(!ball.contains(&[0.0, 0.0, 1.1 * radius]));
    }
}
