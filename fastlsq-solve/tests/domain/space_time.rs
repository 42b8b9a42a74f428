//! Domains over time.

use super::*;
use fastlsq_solve::domain::{
    Ball, BoxDomain, DomainExt, Interval, PartKind, PartSelector, Sequence, SpaceTime,
};
use std::f64::consts::PI;
use std::sync::Arc;

fn cylinder() -> SpaceTime {
    Ball::new(&[1.0, 0.5], 2.0).unwrap().over(1.0, 4.0).unwrap()
}

#[test]
fn parts_are_walls_then_first_and_last_time() {
    let rod = Interval::new(0.0, 2.0).unwrap().over(-1.0, 4.0).unwrap();
    let parts = rod.parts();
    let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names, ["x=lo", "x=hi", "initial", "final"]);
    let measures: Vec<f64> = parts.iter().map(|part| part.measure).collect();
    assert_eq!(measures, [5.0, 5.0, 2.0, 2.0]);
    assert_eq!(parts[0].kind, PartKind::Wall);
    assert_eq!(parts[2].kind, PartKind::Initial);
    assert_eq!(parts[3].kind, PartKind::Final);
    assert_eq!(rod.times(), (-1.0, 4.0));
    assert_eq!(rod.space().dim(), 1);
    assert_eq!(rod.time_axis(), Some(1));
    assert_eq!(BoxDomain::unit(3).time_axis(), None);
    let bounds = rod.bounding_box().unwrap();
    assert_eq!(
        (bounds.lo(), bounds.hi()),
        (&[0.0, -1.0][..], &[2.0, 4.0][..])
    );
    assert_eq!(cylinder().volume().unwrap(), 12.0 * PI);
}

#[test]
fn space_time_obeys_the_divergence_theorem() {
    assert_divergence_theorem(&cylinder(), 0.0);
    assert_divergence_theorem(&BoxDomain::unit(2).over(0.5, 1.0).unwrap(), 0.0);
    assert_outward_normals(&cylinder());
    assert_inside(&cylinder());
}

#[test]
fn normals_are_those_of_space_or_of_time() {
    for mut sampler in samplers(5) {
        let mut sample = |selector| {
            cylinder()
                .sample_selected(&selector, 300, &mut sampler)
                .unwrap()
        };
        let walls = sample(PartSelector::AllWalls);
        for (x, n) in walls.points.rows().into_iter().zip(walls.normals.rows()) {
            assert_eq!(n[2], 0.0);
            assert!((x[0] - 1.0 - 2.0 * n[0]).abs() + (x[1] - 0.5 - 2.0 * n[1]).abs() < 1e-14);
            assert!((1.0..=4.0).contains(&x[2]));
        }
        for (selector, time, normal) in [
            (PartSelector::Initial, 1.0, -1.0),
            (PartSelector::Final, 4.0, 1.0),
        ] {
            let slice = sample(selector);
            assert!(slice.points.column(2).iter().all(|&t| t == time));
            assert!(
                slice
                    .normals
                    .rows()
                    .into_iter()
                    .all(|n| n.to_vec() == [0.0, 0.0, normal])
            );
            assert_mean(
                &slice.points,
                |x| (x[0] - 1.0).powi(2) + (x[1] - 0.5).powi(2),
                2.0,
            );
        }
    }
}

#[test]
fn quasi_random_points_are_even_in_space_and_time_together() {
    // Drawing times and places from the same coordinate of the sequence would tie them together.
    let root_mean_square = |sequence, part: Option<usize>| {
        let rod = BoxDomain::unit(2).over(0.0, 1.0).unwrap();
        let errors = (0..16).map(|seed| {
            let mut sampler = UnitSampler::new(sequence, seed);
            let points = match part {
                None => rod.sample_interior(2000, &mut sampler).unwrap(),
                Some(part) => rod.sample_part(part, 2000, &mut sampler).unwrap().points,
            };
            let (first, _) = mean(&points, |x| x[0] * x[2] - x[0] * 0.5);
            let (second, _) = mean(&points, |x| x[1] * x[2] - x[1] * 0.5);
            first * first + second * second
        });
        (errors.sum::<f64>() / 16.0).sqrt()
    };
    for part in [None, Some(0), Some(3)] {
        let independent = root_mean_square(Sequence::Independent, part);
        let halton = root_mean_square(Sequence::Halton, part);
        assert!(
            halton * 8.0 < independent,
            "{part:?}: {halton:e} against {independent:e}"
        );
    }
}

#[test]
fn periodic_pairs_share_their_time() {
    let torus = BoxDomain::new(&[0.0, -1.0], &[2.0, 1.0])
        .unwrap()
        .over(0.0, 3.0)
        .unwrap();
    for mut sampler in samplers(7) {
        let (lower, upper) = torus.periodic_pair(1, 400, &mut sampler).unwrap();
        assert!(lower.column(1).iter().all(|&x| x == -1.0));
        assert!(upper.column(1).iter().all(|&x| x == 1.0));
        assert_eq!(lower.column(0), upper.column(0));
        assert_eq!(lower.column(2), upper.column(2));
        assert_mean(&lower, |x| x[0] * x[2], 1.5);
        // Time itself may be periodic.
        let (first, last) = torus.periodic_pair(2, 10, &mut sampler).unwrap();
        assert!(first.column(2).iter().all(|&t| t == 0.0));
        assert!(last.column(2).iter().all(|&t| t == 3.0));
    }
}

#[test]
fn only_space_is_mirrored() {
    assert_eq!(cylinder().reflect(0), Some(1.0));
    assert_eq!(cylinder().reflect(1), Some(0.5));
    assert_eq!(cylinder().reflect(2), None);
    assert_eq!(cylinder().reflect(3), None);
}

#[test]
fn shared_domains_are_domains() {
    let shared: Arc<dyn Domain> = Arc::new(BoxDomain::unit(2));
    let twice = SpaceTime::new(Arc::clone(&shared), 0.0, 1.0).unwrap();
    let direct = BoxDomain::unit(2).over(0.0, 1.0).unwrap();
    assert_eq!(twice.parts(), direct.parts());
    assert_eq!(twice.clone().reflect(0), Some(0.5));
    let sample = |domain: &dyn Domain| {
        let mut sampler = UnitSampler::halton(2);
        let inside = domain.sample_interior(10, &mut sampler).unwrap();
        let wall = domain
            .sample_selected(&PartSelector::Everything, 20, &mut sampler)
            .unwrap();
        (
            inside,
            wall,
            domain.periodic_pair(0, 3, &mut sampler).unwrap(),
        )
    };
    assert_eq!(sample(&twice), sample(&direct));
    assert_eq!(shared.volume().unwrap(), 1.0);
    assert_eq!(shared.bounding_box().unwrap().dim(), 2);
}
