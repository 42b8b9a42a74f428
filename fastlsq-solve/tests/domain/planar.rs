//! Shapes of the plane: measures, uniformity, normals, corners and holes.

use super::*;
use fastlsq_solve::domain::{
    Annulus, BoundingBox, BoxUnion, ClosedCurve, Curve, DomainError, Ellipse, Outline, Polygon,
};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

fn l_shape() -> Polygon {
    Polygon::new(&[[0., 0.], [2., 0.], [2., 1.], [1., 1.], [1., 2.], [0., 2.]]).unwrap()
}

fn flower() -> ClosedCurve {
    ClosedCurve::new(|t| {
        let angle = TAU * t;
        let radius = 1.0 + 0.3 * (5.0 * angle).cos();
        [radius * angle.cos() + 0.2, radius * angle.sin()]
    })
    .unwrap()
}

/// A square ring made of boxes, with a corner cut off.
fn boxes() -> BoxUnion {
    let part = |lo: &[f64], hi: &[f64]| BoundingBox::new(lo, hi).unwrap();
    BoxUnion::new(&[
        part(&[0.0, 0.0], &[3.0, 1.5]),
        part(&[0.0, 1.0], &[2.0, 3.0]),
    ])
    .unwrap()
    .without(&part(&[0.5, 0.5], &[1.5, 2.0]))
    .unwrap()
}

/// Everything that must hold for any shape of the plane with its outline.
fn assert_sound(domain: &dyn Domain) {
    assert_divergence_theorem(domain, 1e-9);
    assert_outward_normals(domain);
    assert_inside(domain);
    // The outline gives the same parts and the same area.
    let outline = domain.outline().unwrap();
    assert!((outline.area() / domain.volume().unwrap() - 1.0).abs() < 1e-9);
    for (ours, theirs) in outline.parts().iter().zip(domain.parts()) {
        assert_eq!(ours.name, theirs.name);
        assert!((ours.measure / theirs.measure - 1.0).abs() < 1e-9);
    }
}

#[test]
fn shapes_are_sound() {
    assert_sound(&l_shape());
    assert_sound(&flower());
    assert_sound(&boxes());
    assert_sound(&Ellipse::new([0.5, -0.3], [1.2, 0.4]).unwrap());
    assert_sound(&Annulus::new(&[0.5, -0.3], 0.3, 1.1).unwrap());
    let hole = [[0.2, 0.2], [0.6, 0.3], [0.3, 0.8]];
    assert_sound(&l_shape().with_hole(&hole).unwrap());
}

#[test]
fn measures_are_exact() {
    let close = |got: f64, exact: f64| assert!((got / exact - 1.0).abs() < 1e-10, "{got} {exact}");
    close(l_shape().volume().unwrap(), 3.0);
    close(boxes().volume().unwrap(), 4.5 + 4.0 - 1.0 - 1.5);
    close(
        boxes().parts().iter().map(|part| part.measure).sum(),
        12.0 + 5.0,
    );
    close(flower().volume().unwrap(), PI * (1.0 + 0.045));
    let ellipse = Ellipse::new([1.0, 2.0], [2.0, 1.0]).unwrap();
    close(ellipse.volume().unwrap(), TAU);
    // 4 a E(√3/2), the complete elliptic integral.
    close(ellipse.parts()[0].measure, 9.688_448_220_547_675);
    let ring = Annulus::new(&[0.0; 3], 1.0, 2.0).unwrap();
    close(ring.volume().unwrap(), 4.0 / 3.0 * PI * 7.0);
    close(ring.parts()[0].measure, 4.0 * PI);
}

#[test]
fn points_on_a_curve_are_uniform_in_its_length() {
    // By the symmetry of the flower every fifth of the angle has a fifth of the length.
    for mut sampler in samplers(3) {
        let sampled = flower().sample_part(0, 20_000, &mut sampler).unwrap();
        for petal in 0..5 {
            let share = |x: ArrayView1<'_, f64>| {
                let angle = x[1].atan2(x[0] - 0.2).rem_euclid(TAU);
                f64::from((angle / TAU * 5.0) as usize == petal)
            };
            assert_mean(&sampled.points, share, 0.2);
        }
        // On an ellipse: ∮ x² ds over the length, by a fine sum.
        let ellipse = Ellipse::new([0.0, 0.0], [2.0, 0.5]).unwrap();
        let (mut length, mut moment) = (0.0, 0.0);
        for k in 0..20_000 {
            let (sin, cos) = (TAU * (f64::from(k) + 0.5) / 20_000.0).sin_cos();
            let speed = (2.0 * sin).hypot(0.5 * cos);
            length += speed;
            moment += speed * 4.0 * cos * cos;
        }
        let sampled = ellipse.sample_part(0, 20_000, &mut sampler).unwrap();
        assert_mean(&sampled.points, |x| x[0] * x[0], moment / length);
    }
}

#[test]
fn interior_points_are_uniform() {
    for mut sampler in samplers(4) {
        let ring = Annulus::new(&[0.0, 0.0], 1.0, 2.0).unwrap();
        let points = ring.sample_interior(20_000, &mut sampler).unwrap();
        assert_mean(&points, |x| x.dot(&x), 2.5);
        assert_mean(&points, |x| f64::from(x[0] > 0.0 && x[1] > 0.0), 0.25);
        // ∫ x over the boxes: by inclusion and exclusion of rectangles.
        let points = boxes().sample_interior(20_000, &mut sampler).unwrap();
        let moment = 4.5 * 1.5 + 4.0 * 1.0 - 1.0 * 1.0 - 1.5 * 1.0;
        assert_mean(&points, |x| x[0], moment / 6.0);
        assert!(boxes().boxes().len() >= 4);
        let volume: f64 = boxes().boxes().iter().map(BoundingBox::volume).sum();
        assert!((volume - 6.0).abs() < 1e-14);
    }
}

#[test]
fn corners_have_their_angles_and_sides() {
    let corners = l_shape().corners();
    assert_eq!(corners.len(), 6);
    let angles: f64 = corners.iter().map(|corner| corner.angle).sum();
    assert!((angles - 4.0 * PI).abs() < 1e-9);
    let inner = corners.iter().find(|corner| corner.angle > PI).unwrap();
    assert_eq!(inner.position, [1.0, 1.0]);
    assert_eq!(inner.parts, ["side 2", "side 3"]);
    assert!((inner.angle - 1.5 * PI).abs() < 1e-12);
    assert!((inner.direction - FRAC_PI_2).abs() < 1e-12);
    // Clockwise input is the same polygon, with its names.
    let clockwise =
        Polygon::new(&[[0., 0.], [0., 2.], [1., 2.], [1., 1.], [2., 1.], [2., 0.]]).unwrap();
    let inner = clockwise
        .corners()
        .into_iter()
        .find(|corner| corner.angle > PI)
        .unwrap();
    assert_eq!(inner.parts, ["side 3", "side 2"]);
    assert_eq!(inner.position, [1.0, 1.0]);
    let named = clockwise
        .with_names(&["left", "top", "a", "b", "right", "bottom"])
        .unwrap();
    let bottom = named
        .parts()
        .iter()
        .position(|part| part.name == "bottom")
        .unwrap();
    let points = named
        .sample_part(bottom, 5, &mut UnitSampler::halton(0))
        .unwrap();
    assert!(points.points.column(1).iter().all(|&y| y == 0.0));
    assert!(points.normals.column(1).iter().all(|&n| n == -1.0));
    assert!(flower().corners().is_empty());
    assert!(l_shape().corners() != named.corners());
}

#[test]
fn holes_have_a_point_inside() {
    assert!(l_shape().holes().is_empty());
    let ring = Annulus::new(&[0.5, -0.3], 0.3, 1.1).unwrap();
    let holes = ring.holes();
    assert_eq!(holes.len(), 1);
    assert!((holes[0].center[0] - 0.5).abs() < 1e-9 && (holes[0].center[1] + 0.3).abs() < 1e-9);
    assert!((holes[0].radius - 0.3).abs() < 1e-3);
    assert_eq!(holes[0].parts, ["inner"]);
    let holes = boxes().holes();
    assert_eq!(holes.len(), 1);
    assert_eq!(holes[0].center, [1.0, 1.25]);
    // A hole whose centroid is not in it.
    let square = Polygon::new(&[[0., 0.], [10., 0.], [10., 10.], [0., 10.]]).unwrap();
    let u = [
        [1., 1.],
        [9., 1.],
        [9., 9.],
        [8., 9.],
        [8., 2.],
        [2., 2.],
        [2., 9.],
        [1., 9.],
    ];
    let pierced = square.with_hole(&u).unwrap();
    let center = pierced.holes()[0].center;
    assert!(
        square.contains(&center) && !pierced.contains(&center),
        "{center:?}"
    );
}

#[test]
fn an_outline_of_ones_own() {
    // A stadium: two segments and two half circles.
    let half = |x: f64, start: f64| {
        Curve::parametric(move |t| {
            let angle = start + PI * t;
            [x + angle.cos(), angle.sin()]
        })
        .unwrap()
    };
    let stadium = Outline::new([
        ("bottom", Curve::segment([-1.0, -1.0], [1.0, -1.0]).unwrap()),
        ("bends", half(1.0, -FRAC_PI_2)),
        ("top", Curve::segment([1.0, 1.0], [-1.0, 1.0]).unwrap()),
        ("bends", half(-1.0, FRAC_PI_2)),
    ])
    .unwrap();
    assert!((stadium.area() - 4.0 - PI).abs() < 1e-10);
    assert!((stadium.parts()[1].measure - TAU).abs() < 1e-10);
    // Smooth, but the part changes: four corners of angle π.
    let corners = stadium.corners();
    assert_eq!(corners.len(), 4);
    assert!(
        corners
            .iter()
            .all(|corner| (corner.angle - PI).abs() < 1e-6)
    );
    let open = Outline::new([("line", Curve::segment([0.0, 0.0], [1.0, 0.0]).unwrap())]);
    assert!(matches!(open, Err(DomainError::OpenOutline { .. })));
}
