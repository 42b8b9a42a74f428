//! Set operations: algebra point by point, measures against exact ones, parts, corners.

use super::*;
use fastlsq_solve::domain::{
    Ball, BoundingBox, BoxDomain, Combined, Cylinder, DomainError, DomainExt, Ellipse, HalfSpace,
    Implicit, Interval, PartSelector, Polygon,
};
use fastlsq_solve::{X, Y};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

fn disc(x: f64, y: f64, radius: f64) -> Ball {
    Ball::new(&[x, y], radius).unwrap()
}

fn measure(domain: &dyn Domain, name: &str) -> f64 {
    let parts = domain.parts();
    parts
        .iter()
        .filter(|part| part.name == name)
        .map(|part| part.measure)
        .sum()
}

fn close(got: f64, exact: f64, tolerance: f64) {
    assert!((got / exact - 1.0).abs() < tolerance, "{got}, not {exact}");
}

#[test]
fn algebra_holds_point_by_point() {
    let square = || BoxDomain::new(&[-1.0, -1.0], &[1.0, 0.7]).unwrap();
    let ellipse = || Ellipse::new([0.4, 0.25], [1.2, 0.5]).unwrap();
    let bounds = BoundingBox::new(&[-3.0, -3.0], &[3.0, 3.0]).unwrap();
    let difference = square().difference(ellipse()).unwrap();
    let complement = ellipse().complement(&bounds).unwrap();
    let same = square().intersection(complement.clone()).unwrap();
    let union = square().union(ellipse()).unwrap();
    let both = square().intersection(ellipse()).unwrap();
    // De Morgan: (A ∪ B)ᶜ = Aᶜ ∩ Bᶜ.
    let outside = union.clone().complement(&bounds).unwrap();
    let neither = square()
        .complement(&bounds)
        .unwrap()
        .intersection(complement)
        .unwrap();
    for point in UnitSampler::halton(1).points(5000, 2).rows() {
        let x = [6.0 * point[0] - 3.0, 6.0 * point[1] - 3.0];
        let (a, b) = (square().contains(&x), ellipse().contains(&x));
        assert_eq!(difference.contains(&x), a && !b);
        assert_eq!(difference.contains(&x), same.contains(&x));
        assert_eq!(union.contains(&x), a || b);
        assert_eq!(both.contains(&x), a && b);
        assert_eq!(outside.contains(&x), neither.contains(&x));
    }
    // |A ∪ B| + |A ∩ B| = |A| + |B|, |A ∖ B| = |A| − |A ∩ B|.
    let volume = |domain: &dyn Domain| domain.volume().unwrap();
    let sum = volume(&square()) + volume(&ellipse());
    close(volume(&union) + volume(&both), sum, 1e-9);
    close(volume(&difference), volume(&square()) - volume(&both), 1e-9);
    close(volume(&same), volume(&difference), 1e-9);
    close(volume(&outside), volume(&neither), 1e-9);
    for domain in [&difference, &same, &union, &both, &outside] {
        assert_divergence_theorem(domain, 1e-8);
        assert_outward_normals(domain);
        assert_inside(domain);
    }
}

#[test]
fn two_discs_make_a_lens() {
    let lens = disc(-0.5, 0.0, 1.0)
        .named("left")
        .intersection(disc(0.5, 0.0, 1.0).named("right"));
    let lens = lens.unwrap();
    // Half angle π/3: each arc 2π/3, area 2π/3 − √3/2.
    close(lens.volume().unwrap(), TAU / 3.0 - 0.75_f64.sqrt(), 1e-9);
    close(measure(&lens, "left"), TAU / 3.0, 1e-9);
    close(measure(&lens, "right"), TAU / 3.0, 1e-9);
    let corners = lens.corners();
    assert_eq!(corners.len(), 2);
    for corner in &corners {
        assert!(corner.position[0].abs() < 1e-13, "{:?}", corner.position);
        assert!((corner.position[1].abs() - 0.75_f64.sqrt()).abs() < 1e-13);
        assert!((corner.angle - 2.0 * PI / 3.0).abs() < 1e-9);
        assert_ne!(corner.parts[0], corner.parts[1]);
    }
    let moon = disc(-0.5, 0.0, 1.0)
        .difference(disc(0.5, 0.0, 1.0).named("bite"))
        .unwrap();
    close(measure(&moon, "bite"), TAU / 3.0, 1e-9);
    let angles: f64 = moon.corners().iter().map(|corner| corner.angle).sum();
    assert!((angles - 2.0 * PI / 3.0).abs() < 1e-8, "{angles}");
}

#[test]
fn shared_sides_are_kept_once_or_vanish() {
    let part = |lo: &[f64], hi: &[f64]| BoxDomain::new(lo, hi).unwrap();
    // Side by side: the common wall goes, the bottoms join.
    let both = part(&[0.0, 0.0], &[1.0, 1.0])
        .union(part(&[1.0, 0.0], &[2.0, 2.0]))
        .unwrap();
    close(both.volume().unwrap(), 3.0, 1e-9);
    let length: f64 = both.parts().iter().map(|part| part.measure).sum();
    close(length, 8.0, 1e-8);
    let inner: Vec<_> = both
        .corners()
        .into_iter()
        .filter(|corner| corner.angle > 4.0)
        .collect();
    assert_eq!(inner.len(), 1);
    assert!((inner[0].position[0] - 1.0).abs() + (inner[0].position[1] - 1.0).abs() < 1e-12);
    // One inside the other with a common side: it is there once.
    let inside = part(&[0.0, 0.0], &[2.0, 2.0])
        .union(part(&[0.0, 0.5], &[1.0, 1.0]))
        .unwrap();
    close(
        inside.parts().iter().map(|part| part.measure).sum(),
        8.0,
        1e-8,
    );
    let notched = part(&[0.0, 0.0], &[2.0, 2.0])
        .difference(part(&[0.0, 0.5], &[1.0, 1.0]))
        .unwrap();
    close(notched.volume().unwrap(), 3.5, 1e-9);
    close(
        notched.parts().iter().map(|part| part.measure).sum(),
        10.0,
        1e-8,
    );
    assert_eq!(notched.corners().len(), 8);
}

#[test]
fn holes_and_names_survive() {
    let plate = BoxDomain::unit(2)
        .difference(disc(0.3, 0.3, 0.15).named("hole 1"))
        .and_then(|plate| plate.difference(disc(0.7, 0.6, 0.2).named("hole 2")))
        .unwrap();
    let names: Vec<String> = plate.parts().into_iter().map(|part| part.name).collect();
    assert_eq!(names, ["x=lo", "x=hi", "y=lo", "y=hi", "hole 1", "hole 2"]);
    close(measure(&plate, "hole 2"), 0.4 * PI, 1e-10);
    let holes = plate.holes();
    assert_eq!(holes.len(), 2);
    assert_eq!(holes[1].parts, ["hole 2"]);
    assert!((holes[1].center[0] - 0.7).abs() + (holes[1].center[1] - 0.6).abs() < 1e-9);
    assert_eq!(plate.corners().len(), 4);
    let rim = plate
        .sample_selected(&"hole 1".into(), 50, &mut UnitSampler::halton(0))
        .unwrap();
    for (x, n) in rim.points.rows().into_iter().zip(rim.normals.rows()) {
        let toward = [0.3 - x[0], 0.3 - x[1]];
        assert!((toward[0] / 0.15 - n[0]).abs() + (toward[1] / 0.15 - n[1]).abs() < 1e-8);
    }
    // A part that is swallowed disappears.
    let swallowed = disc(0.0, 0.0, 1.0)
        .union(disc(0.1, 0.0, 0.3).named("inner"))
        .unwrap();
    assert_eq!(swallowed.parts().len(), 1);
    assert!(matches!(
        swallowed.select(&"inner".into()),
        Err(DomainError::UnknownPart { .. })
    ));
}

#[test]
fn half_spaces_cut() {
    let floor = HalfSpace::new(&[0.0, -0.5], &[0.0, -2.0])
        .unwrap()
        .named("floor");
    let cap = Ball::unit(2).cut(&floor).unwrap();
    // The disc without the segment of half angle π/3.
    close(
        cap.volume().unwrap(),
        PI - (PI / 3.0 - 0.75_f64.sqrt() / 2.0),
        1e-9,
    );
    close(measure(&cap, "floor"), 3.0_f64.sqrt(), 1e-9);
    assert_divergence_theorem(&cap, 1e-8);
    assert_outward_normals(&cap);
    let slanted = HalfSpace::new(&[0.5, 0.5], &[1.0, 1.0]).unwrap();
    let triangle = slanted
        .within(&BoundingBox::new(&[0.0, 0.0], &[1.0, 1.0]).unwrap())
        .unwrap();
    close(triangle.volume().unwrap(), 0.5, 1e-9);
    assert_eq!(triangle.corners().len(), 3);
    // In space: a ball without its cap of height ½, and a cube without a corner.
    let floor = HalfSpace::new(&[0.0, 0.0, -0.5], &[0.0, 0.0, -1.0])
        .unwrap()
        .named("floor");
    let cap = Ball::unit(3).cut(&floor).unwrap();
    close(
        cap.volume().unwrap(),
        4.0 / 3.0 * PI - PI * 0.25 * (3.0 - 0.5) / 3.0,
        1e-3,
    );
    close(measure(&cap, "floor"), 0.75 * PI, 1e-3);
    close(measure(&cap, "sphere"), 3.0 * PI, 1e-3);
    assert_outward_normals(&cap);
    assert_divergence_theorem(&cap, 2e-3);
    let corner = HalfSpace::new(&[0.5, 0.0, 0.0], &[-1.0, -1.0, -1.0]).unwrap();
    let cube = BoxDomain::unit(3).cut(&corner).unwrap();
    close(cube.volume().unwrap(), 1.0 - 1.0 / 48.0, 1e-3);
    close(measure(&cube, "plane"), 3.0_f64.sqrt() / 8.0, 1e-3);
}

#[test]
fn solids_in_space() {
    let ball = || Ball::unit(3);
    let shifted = || Ball::new(&[1.0, 0.0, 0.0], 1.0).unwrap().named("other");
    let lens = ball().intersection(shifted()).unwrap();
    close(lens.volume().unwrap(), 5.0 * PI / 12.0, 1e-3);
    close(measure(&lens, "sphere"), PI, 1e-3);
    close(measure(&lens, "other"), PI, 1e-3);
    let union = ball().union(shifted()).unwrap();
    close(
        union.volume().unwrap(),
        8.0 * PI / 3.0 - 5.0 * PI / 12.0,
        1e-3,
    );
    let drilled = BoxDomain::new(&[-1.0; 3], &[1.0; 3])
        .unwrap()
        .difference(Cylinder::new([0.0, 0.0], 0.5, -2.0, 2.0).unwrap())
        .unwrap();
    close(drilled.volume().unwrap(), 8.0 - FRAC_PI_2, 1e-3);
    close(measure(&drilled, "side"), TAU, 1e-3);
    close(measure(&drilled, "z=hi"), 4.0 - 0.25 * PI, 1e-3);
    assert!(drilled.parts().iter().all(|part| part.name != "top"));
    for domain in [&lens, &union, &drilled] {
        assert_divergence_theorem(domain, 2e-3);
        assert_outward_normals(domain);
        assert_inside(domain);
    }
    let mut sampler = UnitSampler::halton(3);
    let rim = drilled
        .sample_selected(&"side".into(), 2000, &mut sampler)
        .unwrap();
    assert_mean(&rim.points, |x| x[2], 0.0);
    assert_mean(&rim.points, |x| x[2] * x[2], 1.0 / 3.0);
}

#[test]
fn intervals_and_level_sets_combine_too() {
    let gap = Interval::new(0.0, 3.0)
        .unwrap()
        .difference(Interval::new(1.0, 2.0).unwrap())
        .unwrap();
    close(gap.volume().unwrap(), 2.0, 1e-3);
    assert_eq!(gap.parts().len(), 4);
    let ends = gap
        .sample_selected(&PartSelector::AllWalls, 4, &mut UnitSampler::halton(0))
        .unwrap();
    assert_eq!(ends.points.column(0).to_vec(), [0.0, 3.0, 1.0, 2.0]);
    assert_eq!(ends.normals.column(0).to_vec(), [-1.0, 1.0, 1.0, -1.0]);
    let bounds = BoundingBox::new(&[-2.0, -2.0], &[2.0, 2.0]).unwrap();
    let bean = (X * X + Y * Y).powi(2) - X.powi(3) - 0.4 * Y * Y - 0.05;
    let bean = Implicit::new(bounds, bean);
    let half = HalfSpace::new(&[0.4, 0.0], &[-1.0, 0.3]).unwrap();
    let cut = bean.unwrap().cut(&half).unwrap();
    assert_divergence_theorem(&cut, 1e-7);
    assert_outward_normals(&cut);
    assert_eq!(cut.corners().len(), 2);
}

#[test]
fn what_cannot_be_combined() {
    let apart = disc(0.0, 0.0, 1.0).intersection(disc(3.0, 0.0, 1.0));
    assert_eq!(apart.unwrap_err(), DomainError::EmptyShape);
    let gone = disc(0.0, 0.0, 1.0).difference(disc(0.0, 0.0, 2.0));
    assert_eq!(gone.unwrap_err(), DomainError::EmptyShape);
    let gone = Ball::unit(3).difference(Ball::new(&[0.0; 3], 2.0).unwrap());
    assert_eq!(gone.unwrap_err(), DomainError::EmptyShape);
    let missed: Result<Combined, _> =
        Ball::unit(2).cut(&HalfSpace::new(&[-2.0, 0.0], &[1.0, 0.0]).unwrap());
    assert_eq!(missed.unwrap_err(), DomainError::EmptyShape);
    assert!(matches!(
        Ball::unit(2).union(Ball::unit(3)),
        Err(DomainError::DimensionMismatch { .. })
    ));
    assert!(matches!(
        Ball::unit(3).cut(&HalfSpace::new(&[0.0, 0.0], &[1.0, 0.0]).unwrap()),
        Err(DomainError::DimensionMismatch { .. })
    ));
    assert!(matches!(
        HalfSpace::new(&[0.0, 0.0], &[0.0, 0.0]),
        Err(DomainError::BadDirection { .. })
    ));
    let timed = Interval::unit().over(0.0, 1.0).unwrap();
    assert!(matches!(
        timed.union(BoxDomain::unit(2)),
        Err(DomainError::Unsupported { .. })
    ));
    let cut = Polygon::new(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
        .unwrap()
        .union(disc(0.0, 0.0, 0.2));
    assert!(matches!(
        cut.unwrap().sample_part(9, 1, &mut UnitSampler::halton(0)),
        Err(DomainError::PartIndex { .. })
    ));
}

#[test]
fn parts_by_a_predicate() {
    let disc = disc(0.0, 0.0, 1.0)
        .with_part("inlet", |x| x[0] < -0.5)
        .unwrap();
    close(measure(&disc, "inlet"), TAU / 3.0, 1e-9);
    close(measure(&disc, "sphere"), 2.0 * TAU / 3.0, 1e-9);
    // The boundary is smooth, but its part changes at two points.
    let corners = disc.corners();
    assert_eq!(corners.len(), 2);
    for corner in &corners {
        assert!((corner.position[0] + 0.5).abs() < 1e-12 && (corner.angle - PI).abs() < 1e-6);
    }
    let ball = Ball::unit(3).with_part("cap", |x| x[2] > 0.5).unwrap();
    close(measure(&ball, "cap"), PI, 1e-3);
    close(measure(&ball, "sphere"), 3.0 * PI, 1e-3);
    let mut sampler = UnitSampler::halton(0);
    let cap = ball
        .sample_selected(&"cap".into(), 3000, &mut sampler)
        .unwrap();
    assert!(cap.points.column(2).iter().all(|&z| z > 0.5));
    assert_mean(&cap.points, |x| x[2], 0.75);
    // A part over several faces; a face that it covers wholly disappears.
    let cube = BoxDomain::unit(3)
        .with_part("low", |x| x[2] < 0.25)
        .unwrap();
    close(measure(&cube, "low"), 2.0, 1e-3);
    assert!(cube.parts().iter().all(|part| part.name != "x2=lo"));
    assert_divergence_theorem(&cube, 2e-3);
    assert_outward_normals(&cube);
    for error in [
        Ball::unit(2).with_part("far", |x| x[0] > 2.0).unwrap_err(),
        Ball::unit(3).with_part("far", |x| x[0] > 2.0).unwrap_err(),
    ] {
        assert_eq!(
            error,
            DomainError::UnreachedPart {
                part: "far".to_owned()
            }
        );
    }
}
