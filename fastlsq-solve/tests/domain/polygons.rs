//! Random polygons, and rings that are not polygons.

use super::*;
use fastlsq_solve::domain::{
    BoundingBox, BoxUnion, ClosedCurve, Curve, DomainError, DomainExt, Ellipse, Polygon, Torus,
};
use proptest::prelude::*;
use std::f64::consts::{PI, TAU};

/// Star-shaped around a point: radii at ascending angles.
fn star(radii: &[f64], center: [f64; 2]) -> Vec<[f64; 2]> {
    let count = radii.len() as f64;
    let vertex = |(k, r): (usize, &f64)| {
        let (sin, cos) = (TAU * k as f64 / count).sin_cos();
        [center[0] + r * cos, center[1] + r * sin]
    };
    radii.iter().enumerate().map(vertex).collect()
}

fn shoelace(ring: &[[f64; 2]]) -> f64 {
    let next = ring.iter().cycle().skip(1);
    ring.iter()
        .zip(next)
        .map(|(a, b)| 0.5 * (a[0] * b[1] - a[1] * b[0]))
        .sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn random_polygons(
        radii in prop::collection::vec(0.3..1.5_f64, 4..14),
        x in -3.0..3.0_f64, y in -3.0..3.0_f64, turned: bool,
    ) {
        let mut ring = star(&radii, [x, y]);
        let area = shoelace(&ring);
        if turned {
            ring.reverse();
        }
        let polygon = Polygon::new(&ring).unwrap();
        prop_assert!((polygon.volume().unwrap() / area - 1.0).abs() < 1e-11);
        prop_assert!(polygon.contains(&[x, y]));
        // The angles of a polygon of n sides add up to (n − 2)π, and each bisector points inwards.
        let corners = polygon.corners();
        prop_assert_eq!(corners.len(), ring.len());
        let angles: f64 = corners.iter().map(|corner| corner.angle).sum();
        prop_assert!((angles - (ring.len() as f64 - 2.0) * PI).abs() < 1e-7);
        for corner in &corners {
            let (sin, cos) = corner.bisector().sin_cos();
            let step = |length: f64| [corner.position[0] + length * cos, corner.position[1] + length * sin];
            prop_assert!(polygon.contains(&step(1e-5)) && !polygon.contains(&step(-1e-5)));
        }
        // Every side: points on it, normals outward.
        let mut sampler = UnitSampler::halton(0);
        for part in 0..polygon.parts().len() {
            let side = polygon.sample_part(part, 5, &mut sampler).unwrap();
            for (p, n) in side.points.rows().into_iter().zip(side.normals.rows()) {
                let step = |length: f64| [p[0] + length * n[0], p[1] + length * n[1]];
                prop_assert!(polygon.contains(&step(-1e-8)) && !polygon.contains(&step(1e-8)));
            }
        }
        // A small similar hole around the centre, and the polygon cut by an ellipse.
        let small: Vec<[f64; 2]> = ring.iter().map(|v| [x + 0.2 * (v[0] - x), y + 0.2 * (v[1] - y)]).collect();
        let pierced = polygon.with_hole(&small).unwrap();
        prop_assert!((pierced.volume().unwrap() / (0.96 * area) - 1.0).abs() < 1e-11);
        prop_assert_eq!(pierced.holes().len(), 1);
        prop_assert!(!pierced.contains(&pierced.holes()[0].center));
        let ellipse = || Ellipse::new([x + 0.4, y - 0.2], [0.9, 0.6]).unwrap();
        let both = polygon.clone().intersection(ellipse()).unwrap().volume().unwrap();
        let less = polygon.clone().difference(ellipse()).unwrap().volume().unwrap();
        prop_assert!(((both + less) / area - 1.0).abs() < 1e-8, "{} {} {}", both, less, area);
    }

    /// Unions of random boxes: the measure of the union of cells, faces that close, corners by angle.
    #[test]
    fn random_unions_of_boxes(
        parts in prop::collection::vec((0..6_i32, 0..6_i32, 1..4_i32, 1..4_i32), 1..6),
    ) {
        let boxes: Vec<BoundingBox> = parts
            .iter()
            .map(|&(x, y, w, h)| {
                let corner = |a: i32, b: i32| [f64::from(a), f64::from(b)];
                BoundingBox::new(&corner(x, y), &corner(x + w, y + h)).unwrap()
            })
            .collect();
        let union = BoxUnion::new(&boxes).unwrap();
        let mut cells = 0;
        for i in 0..10 {
            for j in 0..10 {
                let middle = [f64::from(i) + 0.5, f64::from(j) + 0.5];
                let inside = boxes.iter().any(|part| part.contains(&middle));
                prop_assert_eq!(union.contains(&middle), inside);
                cells += i32::from(inside);
            }
        }
        prop_assert!((union.volume().unwrap() - f64::from(cells)).abs() < 1e-12);
        let outline = union.outline().unwrap();
        prop_assert!((outline.area() - f64::from(cells)).abs() < 1e-9);
        // Convex corners less re-entrant ones: four for each outer ring, minus four for each hole.
        let (mut convex, mut reentrant) = (0_usize, 0_usize);
        for corner in union.corners() {
            if corner.angle < PI - 0.1 {
                convex += 1;
            } else if corner.angle > PI + 0.1 {
                reentrant += 1;
            }
        }
        prop_assert_eq!((convex + 4 * union.holes().len() - reentrant) % 4, 0);
        prop_assert!(convex >= 4);
        let total: f64 = union.quadrature(50).unwrap().weights.iter().sum();
        prop_assert!((total - f64::from(cells)).abs() < 1e-9);
    }
}

#[test]
fn polygons_that_are_none() {
    let new = |vertices: &[[f64; 2]]| Polygon::new(vertices).unwrap_err();
    assert_eq!(
        new(&[[0., 0.], [1., 0.]]),
        DomainError::TooFewVertices { found: 2 }
    );
    let bow = new(&[[0., 0.], [1., 1.], [1., 0.], [0., 1.]]);
    assert!(
        matches!(bow, DomainError::SelfIntersection { first: 0, second: 2, point } if point == [0.5, 0.5]),
        "{bow}"
    );
    // A vertex on another side, a side that runs back, a vertex visited twice.
    let touching = new(&[[0., 0.], [2., 0.], [2., 2.], [1., 0.], [0., 2.]]);
    assert!(
        matches!(touching, DomainError::SelfIntersection { .. }),
        "{touching}"
    );
    let spike = new(&[[0., 0.], [2., 0.], [1., 0.], [1., 1.]]);
    assert!(
        matches!(spike, DomainError::SelfIntersection { .. }),
        "{spike}"
    );
    let twice = new(&[[0., 0.], [1., 0.], [1., 1.], [0., 0.], [-1., 1.], [-1., 0.]]);
    assert!(
        matches!(twice, DomainError::SelfIntersection { .. }),
        "{twice}"
    );
    let double = new(&[[0., 0.], [0., 0.], [1., 1.], [0., 1.]]);
    assert!(matches!(double, DomainError::BadCurve { .. }), "{double}");
    let flat = new(&[[0., 0.], [1., 0.], [2., 0.]]);
    assert!(
        matches!(flat, DomainError::SelfIntersection { .. }),
        "{flat}"
    );
    let nowhere = new(&[[0., 0.], [1., f64::NAN], [0., 1.]]);
    assert!(
        matches!(nowhere, DomainError::NonFinite { .. }),
        "{nowhere}"
    );
    let square = Polygon::new(&[[0., 0.], [4., 0.], [4., 4.], [0., 4.]]).unwrap();
    let outside = square
        .with_hole(&[[5., 5.], [6., 5.], [5., 6.]])
        .unwrap_err();
    assert_eq!(outside, DomainError::HoleOutside { hole: 1 });
    let across = square
        .with_hole(&[[3., 3.], [6., 3.], [3., 3.5]])
        .unwrap_err();
    assert!(
        matches!(across, DomainError::SelfIntersection { .. }),
        "{across}"
    );
    let pierced = square.with_hole(&[[1., 1.], [2., 1.], [1., 2.]]).unwrap();
    let nested = pierced
        .with_hole(&[[1.1, 1.1], [1.3, 1.1], [1.1, 1.3]])
        .unwrap_err();
    assert_eq!(nested, DomainError::HoleOutside { hole: 2 });
    let few = square.with_names(&["a", "b"]).unwrap_err();
    assert_eq!(
        few,
        DomainError::NameCount {
            expected: 4,
            found: 2
        }
    );
}

#[test]
fn other_shapes_that_are_none() {
    let eight = ClosedCurve::new(|t| [(TAU * t).sin(), (2.0 * TAU * t).sin()]).unwrap_err();
    assert!(
        matches!(eight, DomainError::SelfIntersection { .. }),
        "{eight}"
    );
    let open = ClosedCurve::new(|t| [t, t * t]).unwrap_err();
    assert!(matches!(open, DomainError::OpenOutline { .. }), "{open}");
    let still = ClosedCurve::new(|t| [0.0 * t, 0.0 * t]).unwrap_err();
    assert!(matches!(still, DomainError::BadCurve { .. }), "{still}");
    assert!(Curve::segment([0.0, 0.0], [0.0, 0.0]).is_err());
    assert!(Curve::segment([0.0, 0.0], [f64::INFINITY, 0.0]).is_err());
    assert!(Ellipse::new([0.0, 0.0], [1.0, 0.0]).is_err());
    assert!(Ellipse::new([f64::NAN, 0.0], [1.0, 1.0]).is_err());
    assert!(matches!(
        Torus::new([0.0; 3], 1.0, 1.0),
        Err(DomainError::BadRadius { .. })
    ));
    assert_eq!(BoxUnion::new(&[]).unwrap_err(), DomainError::EmptyShape);
    let unit = BoundingBox::new(&[0.0, 0.0], &[1.0, 1.0]).unwrap();
    let cube = BoundingBox::new(&[0.0; 3], &[1.0; 3]).unwrap();
    let mixed = BoxUnion::new(&[unit.clone(), cube]).unwrap_err();
    assert!(matches!(mixed, DomainError::DimensionMismatch { .. }));
    let gone = BoxUnion::new(std::slice::from_ref(&unit))
        .unwrap()
        .without(&unit);
    assert_eq!(gone.unwrap_err(), DomainError::EmptyShape);
    let disc = Ellipse::new([0.0, 0.0], [1.0, 1.0]).unwrap();
    assert!(disc.clone().scaled(0.0).is_err());
    assert!(disc.clone().translated(&[1.0]).is_err());
    assert!(disc.clone().rotated(f64::NAN).is_err());
    assert!(disc.rotated_in([0, 2], 1.0).is_err());
}
