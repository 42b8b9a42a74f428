//! Laplace's equation on domains with corners and holes, by smooth features joined with singular functions.

#![allow(clippy::unwrap_used, reason = "in a test, a panic is the message")]

use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

use fastlsq_solve::domain::{
    Annulus, Ball, BoundingBox, BoxDomain, BoxUnion, Corner, Domain, DomainExt, PartSelector,
    Polygon, UnitSampler,
};
use fastlsq_solve::{
    Backend, Basis, CpuBackend, Draw, Frame, FrequencyLaw, InputMap, JoinedBasis, LsqOptions,
    RowBlock, SinusoidalBasis, Space, System, corner_functions, harmonic_polynomials,
    hole_functions, laplacian, normal_derivative, unknown,
};

/// Smooth features on the domain's box.
fn waves(domain: &dyn Domain, count: usize, radius: f64, seed: u64) -> Arc<dyn Basis> {
    let bounds = domain.bounding_box().unwrap();
    let map = InputMap::from_box(bounds.lo(), bounds.hi()).unwrap();
    let waves = SinusoidalBasis::builder(2, count)
        .law(FrequencyLaw::Isotropic(radius))
        .draw(Draw::Ball)
        .map(map)
        .seed(seed);
    Arc::new(waves.build().unwrap())
}

type Values<'a> = &'a dyn Fn(&[f64]) -> f64;

/// A part of the boundary, the derivatives along the normal (0: the value) and the data.
type Side<'a> = (PartSelector, u32, Values<'a>);

/// The solution of Δu = 0 with these conditions in the span of the bases, as a function.
fn harmonic(
    domain: &dyn Domain,
    bases: Vec<Arc<dyn Basis>>,
    sides: &[Side<'_>],
    rows: (usize, usize),
) -> impl Fn(&[f64]) -> f64 + use<> {
    let basis: Arc<dyn Basis> = Arc::new(JoinedBasis::new(bases).unwrap());
    let mut sampler = UnitSampler::halton(5);
    let inside = domain.sample_interior(rows.0, &mut sampler).unwrap();
    let zeros = vec![0.0; rows.0];
    let u = unknown("u");
    let frame = Frame::new(Space::new(2), [u]);
    let equation = frame.row(laplacian(u)).unwrap();
    let mut blocks = vec![RowBlock::new("equation", equation, inside, zeros)];
    for (selector, order, values) in sides {
        let part = domain
            .sample_selected(selector, rows.1, &mut sampler)
            .unwrap();
        let data: Vec<f64> = part
            .points
            .rows()
            .into_iter()
            .map(|x| values(&x.to_vec()))
            .collect();
        if *order == 0 {
            let mut block = RowBlock::new("value", frame.row(u).unwrap(), part.points, data);
            block.weight = 10.0;
            blocks.push(block);
        } else {
            let slope = frame.row(normal_derivative(u)).unwrap();
            let mut block = RowBlock::new("slope", slope, part.points, data);
            block.normals = Some(part.normals);
            blocks.push(block);
        }
    }
    let system = System::new(vec![Arc::clone(&basis)], blocks).unwrap();
    let factored = CpuBackend.factor(&system, &LsqOptions::default()).unwrap();
    let beta = factored.solution().unwrap();
    move |x: &[f64]| {
        let values = basis.value_at(x).unwrap();
        values
            .iter()
            .enumerate()
            .map(|(j, v)| v * beta[(j, 0)])
            .sum()
    }
}

fn joined(waves: Arc<dyn Basis>, singular: Option<impl Basis + 'static>) -> Vec<Arc<dyn Basis>> {
    let singular = singular.map(|basis| Arc::new(basis) as Arc<dyn Basis>);
    std::iter::once(waves).chain(singular).collect()
}

fn never(_: &Corner) -> bool {
    false
}

fn l_shape() -> Polygon {
    Polygon::new(&[[0., 0.], [2., 0.], [2., 1.], [1., 1.], [1., 2.], [0., 2.]]).unwrap()
}

/// u(0.99, 0.99) for u = (1 − x)² on the boundary. With x² instead it is 1.0267919261…, a challenge posed and answered by
/// Gopal and Trefethen; the difference 2x − 1 is harmonic.
const L_SHAPE_VALUE: f64 = 1.026_791_926_1 - 0.98;

fn l_shape_value(domain: &dyn Domain, degree: f64, count: usize, seed: u64) -> f64 {
    let singular = corner_functions(domain, degree, never).unwrap();
    let data = |x: &[f64]| (1.0 - x[0]).powi(2);
    let bases = joined(waves(domain, count, 6.0, seed), singular);
    let walls: [Side<'_>; 1] = [(PartSelector::AllWalls, 0, &data)];
    harmonic(domain, bases, &walls, (300, 600))(&[0.99, 0.99])
}

#[test]
fn an_l_shape_to_nine_digits() {
    for seed in 0..3 {
        let error = (l_shape_value(&l_shape(), 8.0, 400, seed) - L_SHAPE_VALUE).abs();
        assert!(error < 1e-9, "seed {seed}: {error:e}");
    }
    // As a union of boxes, as a difference of sets, and turned and moved, it is the same problem.
    let boxes = BoxUnion::new(&[
        BoundingBox::new(&[0.0, 0.0], &[2.0, 1.0]).unwrap(),
        BoundingBox::new(&[0.0, 0.0], &[1.0, 2.0]).unwrap(),
    ]);
    let square = BoxDomain::new(&[0.0, 0.0], &[2.0, 2.0]).unwrap();
    let corner = BoxDomain::new(&[1.0, 1.0], &[3.0, 3.0]).unwrap();
    let difference = square.difference(corner).unwrap();
    let domains: [&dyn Domain; 2] = [&boxes.unwrap(), &difference];
    for domain in domains {
        let error = (l_shape_value(domain, 8.0, 400, 0) - L_SHAPE_VALUE).abs();
        assert!(error < 1e-9, "{error:e}");
    }
}

#[test]
fn smooth_features_alone_miss_the_corners() {
    let error = (l_shape_value(&l_shape(), 0.0, 400, 0) - L_SHAPE_VALUE).abs();
    assert!(error > 1e-5, "{error:e}");
}

#[test]
fn the_solution_turns_with_the_domain() {
    let angle = 0.7_f64;
    let turned = l_shape()
        .rotated(angle)
        .unwrap()
        .translated(&[0.3, -1.0])
        .unwrap();
    let (sin, cos) = angle.sin_cos();
    let data = move |x: &[f64]| {
        let original = cos * (x[0] - 0.3) + sin * (x[1] + 1.0);
        (1.0 - original).powi(2)
    };
    let singular = corner_functions(&turned, 8.0, never).unwrap();
    let bases = joined(waves(&turned, 400, 6.0, 0), singular);
    let walls: [Side<'_>; 1] = [(PartSelector::AllWalls, 0, &data)];
    let u = harmonic(&turned, bases, &walls, (300, 600));
    let value = u(&[0.99 * (cos - sin) + 0.3, 0.99 * (cos + sin) - 1.0]);
    assert!((value - L_SHAPE_VALUE).abs() < 1e-9, "{value}");
}

#[test]
fn a_value_meets_a_slope_on_a_straight_side() {
    // u = Im √z on the upper half of a square: 0 for x > 0, no slope for x < 0.
    let half = Polygon::new(&[[-1., 0.], [0., 0.], [1., 0.], [1., 1.], [-1., 1.]]).unwrap();
    let half = half
        .with_names(&["free", "fixed", "rest", "rest", "rest"])
        .unwrap();
    let exact = |x: &[f64]| {
        let (r, angle) = (x[0].hypot(x[1]), x[1].atan2(x[0]));
        r.sqrt() * (0.5 * angle).sin()
    };
    let mixed = |corner: &Corner| {
        corner.parts.contains(&"free".to_owned()) && corner.parts.contains(&"fixed".to_owned())
    };
    let singular = corner_functions(&half, 6.0, mixed).unwrap();
    let bases = joined(waves(&half, 250, 5.0, 1), singular);
    let sides: [Side<'_>; 3] = [
        ("free".into(), 1, &|_: &[f64]| 0.0),
        ("fixed".into(), 0, &|_: &[f64]| 0.0),
        ("rest".into(), 0, &exact),
    ];
    let u = harmonic(&half, bases, &sides, (500, 300));
    let points = half
        .sample_interior(200, &mut UnitSampler::halton(9))
        .unwrap();
    let error = points.rows().into_iter().fold(0.0_f64, |max, x| {
        let x = x.to_vec();
        max.max((u(&x) - exact(&x)).abs())
    });
    assert!(error < 1e-9, "{error:e}");
}

/// A square with four round holes.
fn four_holes() -> impl Domain {
    let mut plate: Arc<dyn Domain> = Arc::new(BoxDomain::unit(2));
    for (k, (x, y, r)) in [
        (0.25, 0.3, 0.1),
        (0.7, 0.25, 0.12),
        (0.3, 0.72, 0.13),
        (0.72, 0.7, 0.09),
    ]
    .into_iter()
    .enumerate()
    {
        let hole = Ball::new(&[x, y], r)
            .unwrap()
            .named(&format!("hole {}", k + 1));
        plate = Arc::new(plate.difference(hole).unwrap());
    }
    plate
}

#[test]
fn four_holes_of_given_values() {
    let plate = four_holes();
    assert_eq!(plate.holes().len(), 4);
    let solve = |terms: usize, degree: usize, count: usize, seed: u64| {
        let mut bases = joined(
            waves(&plate, count, 6.0, seed),
            hole_functions(&plate, terms).unwrap(),
        );
        let corners = corner_functions(&plate, 6.0, never).unwrap();
        bases.push(Arc::new(corners.unwrap()));
        let polynomials = harmonic_polynomials(&plate, degree).unwrap();
        bases.push(Arc::new(polynomials.unwrap()));
        let outer = |x: &[f64]| x[0] * x[0] - 0.5 * x[1];
        let on: Vec<PartSelector> = (1..=4)
            .map(|k| format!("hole {k}").as_str().into())
            .collect();
        let mut sides: Vec<Side<'_>> = vec![];
        for name in ["x=lo", "x=hi", "y=lo", "y=hi"] {
            sides.push((name.into(), 0, &outer));
        }
        for (k, part) in on.into_iter().enumerate() {
            sides.push((
                part,
                0,
                if k % 2 == 0 {
                    &|_: &[f64]| 1.0
                } else {
                    &|_: &[f64]| 0.0
                },
            ));
        }
        harmonic(&plate, bases, &sides, (300, 200))
    };
    let points = plate
        .sample_interior(100, &mut UnitSampler::halton(2))
        .unwrap();
    let gap = |u: &dyn Fn(&[f64]) -> f64, v: &dyn Fn(&[f64]) -> f64| {
        points.rows().into_iter().fold(0.0_f64, |max, x| {
            let x = x.to_vec();
            max.max((u(&x) - v(&x)).abs())
        })
    };
    // A larger run with other features is the reference.
    let fine = solve(24, 70, 150, 7);
    let coarse = gap(&solve(14, 50, 100, 1), &fine);
    let without = gap(&solve(0, 50, 100, 1), &fine);
    assert!(coarse < 1e-7, "{coarse:e}");
    assert!(without > 1e-4, "{without:e}");
}

#[test]
fn between_two_circles_the_logarithm_is_exact() {
    let ring = Annulus::new(&[0.3, -0.2], 0.5, 1.5).unwrap();
    let singular = hole_functions(&ring, 2).unwrap();
    let mut bases = joined(waves(&ring, 40, 4.0, 0), singular);
    let polynomials = harmonic_polynomials(&ring, 2).unwrap();
    bases.push(Arc::new(polynomials.unwrap()));
    let sides: [Side<'_>; 2] = [
        ("inner".into(), 0, &|_: &[f64]| 1.0),
        ("outer".into(), 0, &|_: &[f64]| 0.0),
    ];
    let u = harmonic(&ring, bases, &sides, (200, 100));
    for radius in [0.6_f64, 1.0, 1.3] {
        let exact = (1.5 / radius).ln() / 3.0_f64.ln();
        let value = u(&[0.3 + radius * 0.6, -0.2 - radius * 0.8]);
        assert!((value - exact).abs() < 1e-12, "{value} {exact}");
    }
}

#[test]
fn corners_tell_their_exponents() {
    let count = |domain: &dyn Domain, degree| {
        corner_functions(domain, degree, never)
            .unwrap()
            .map_or(0, |basis| basis.len())
    };
    assert_eq!(count(&Ball::unit(2), 9.0), 0);
    // Four corners of exponents 2, 4, 6.
    assert_eq!(count(&BoxDomain::unit(2), 7.9), 4 * 2 * 3);
    assert_eq!(count(&BoxDomain::unit(3), 7.9), 0);
    let square = BoxDomain::unit(2);
    let corners = square.corners();
    assert_eq!(corners.len(), 4);
    for corner in &corners {
        assert!((corner.angle - FRAC_PI_2).abs() < 1e-12);
        let (sin, cos) = corner.bisector().sin_cos();
        let step = [
            corner.position[0] + 0.01 * cos,
            corner.position[1] + 0.01 * sin,
        ];
        assert!(square.contains(&step));
    }
    // All mixed: λ = (k − ½)·2 = 1, 3, 5, 7.
    let mixed = corner_functions(&square, 7.0, |_| true).unwrap();
    assert_eq!(mixed.unwrap().len(), 4 * 2 * 4);
    assert!(hole_functions(&square, 3).unwrap().is_none());
}
