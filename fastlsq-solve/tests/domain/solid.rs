//! Shapes of space: measures, uniformity, normals; products and motions.

use super::*;
use fastlsq_solve::domain::{
    Annulus, Ball, BoundingBox, BoxDomain, BoxUnion, Cylinder, DomainExt, Ellipse, Polygon, Torus,
};
use std::f64::consts::PI;

fn assert_sound(domain: &dyn Domain) {
    assert_divergence_theorem(domain, 1e-9);
    assert_outward_normals(domain);
    assert_inside(domain);
}

#[test]
fn shapes_are_sound() {
    assert_sound(&Torus::new([0.2, -0.1, 0.4], 1.0, 0.35).unwrap());
    assert_sound(&Cylinder::new([0.2, -0.1], 0.7, -1.0, 0.5).unwrap());
    assert_sound(&Annulus::new(&[0.2, -0.1, 0.4], 0.5, 1.2).unwrap());
    let part = |lo: &[f64], hi: &[f64]| BoundingBox::new(lo, hi).unwrap();
    let stairs = BoxUnion::new(&[
        part(&[0.0, 0.0, 0.0], &[1.0, 1.0, 1.0]),
        part(&[1.0, 0.0, 0.0], &[2.0, 1.0, 0.5]),
    ])
    .unwrap();
    assert_sound(&stairs);
    assert_eq!(stairs.volume().unwrap(), 1.5);
    let area: f64 = stairs.parts().iter().map(|part| part.measure).sum();
    assert!((area - 9.0).abs() < 1e-14, "{area}");
}

#[test]
fn measures_are_exact() {
    let close = |got: f64, exact: f64| assert!((got / exact - 1.0).abs() < 1e-13, "{got} {exact}");
    let torus = Torus::new([0.0; 3], 2.0, 0.5).unwrap();
    close(torus.volume().unwrap(), 2.0 * PI * PI * 2.0 * 0.25);
    close(torus.parts()[0].measure, 4.0 * PI * PI * 2.0 * 0.5);
    let cylinder = Cylinder::new([0.0; 2], 2.0, 0.0, 3.0).unwrap();
    close(cylinder.volume().unwrap(), 12.0 * PI);
    let measures: Vec<(String, f64)> = (cylinder.parts().into_iter())
        .map(|part| (part.name, part.measure))
        .collect();
    assert_eq!(measures[0].0, "side");
    close(measures[0].1, 12.0 * PI);
    assert_eq!(
        (measures[1].0.as_str(), measures[2].0.as_str()),
        ("bottom", "top")
    );
    close(measures[2].1, 4.0 * PI);
}

#[test]
fn a_torus_is_uniform() {
    let torus = Torus::new([0.0; 3], 1.0, 0.5).unwrap();
    for mut sampler in samplers(8) {
        // E ρ² over the surface: (1/2πR) ∫ (R + r cos θ)³ dθ = R² + 3r²/2; in volume R² + 3r²/4.
        let surface = torus.sample_part(0, 20_000, &mut sampler).unwrap();
        assert_mean(&surface.points, |x| x[0].powi(2) + x[1].powi(2), 1.375);
        let inside = torus.sample_interior(20_000, &mut sampler).unwrap();
        assert_mean(&inside, |x| x[0].powi(2) + x[1].powi(2), 1.0 + 0.75 * 0.25);
        assert_mean(&inside, |x| x[2].powi(2), 0.25 * 0.25);
    }
}

#[test]
fn motions_keep_measures_parts_and_normals() {
    let ellipse = || Ellipse::new([0.5, 0.0], [1.0, 0.3]).unwrap();
    let moved = ellipse()
        .rotated(1.1)
        .unwrap()
        .scaled(2.0)
        .unwrap()
        .translated(&[1.0, 2.0])
        .unwrap();
    assert_sound(&moved);
    assert!((moved.volume().unwrap() - 4.0 * 0.3 * PI).abs() < 1e-12);
    let length = moved.parts()[0].measure;
    assert!((length - 2.0 * ellipse().parts()[0].measure).abs() < 1e-12);
    // The box around a turned ellipse is tight: √(a² cos² + b² sin²).
    let bounds = moved.bounding_box().unwrap();
    let (sin, cos) = 1.1_f64.sin_cos();
    let half = 2.0 * (cos * cos + 0.09 * sin * sin).sqrt();
    let extent = bounds.extents().next().unwrap();
    assert!((extent - 2.0 * half).abs() < 2e-3, "{extent} {half}");

    let bar = BoxDomain::new(&[0.0, -1.0, 0.0], &[1.0, 2.0, 0.5]).unwrap();
    let turned = bar.rotated_in([0, 2], 0.4).unwrap().scaled(0.5).unwrap();
    assert_sound(&turned);
    assert_eq!(turned.parts()[3].name, "y=hi");
    assert!((turned.volume().unwrap() - 1.5 / 8.0).abs() < 1e-14);
    let shifted = BoxDomain::unit(2).translated(&[1.0, 0.0]).unwrap();
    assert_eq!(shifted.reflect(0), Some(1.5));
    let (lower, upper) = shifted
        .periodic_pair(0, 3, &mut UnitSampler::halton(0))
        .unwrap();
    assert!(lower.column(0).iter().all(|&x| x == 1.0) && upper.column(0).iter().all(|&x| x == 2.0));
    assert!(
        turned
            .periodic_pair(0, 3, &mut UnitSampler::halton(0))
            .is_err()
    );
}

#[test]
fn prisms_over_any_shape() {
    let triangle = Polygon::new(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).unwrap();
    let prism = triangle.along(0.0, 3.0).unwrap().with_ends("bottom", "top");
    assert_sound(&prism);
    assert!((prism.volume().unwrap() - 1.5).abs() < 1e-12);
    let names: Vec<String> = prism.parts().into_iter().map(|part| part.name).collect();
    assert_eq!(names, ["side 0", "side 1", "side 2", "bottom", "top"]);
    let (lower, upper) = prism
        .periodic_pair(2, 4, &mut UnitSampler::halton(0))
        .unwrap();
    assert_eq!(lower.column(0), upper.column(0));
    let history = prism.over(0.0, 1.0).unwrap();
    assert_eq!((history.dim(), history.parts().len()), (4, 7));
    assert_eq!(Ball::unit(2).along(0.0, 1.0).unwrap().reflect(2), Some(0.5));
}

#[test]
fn quadrature_is_exact_where_it_can_be() {
    let cuboid = BoxDomain::new(&[0.0, -1.0], &[2.0, 1.0]).unwrap();
    let rule = cuboid.quadrature(25).unwrap();
    assert_eq!(rule.weights.len(), 25);
    // ∫ x⁸y⁸ over [0,2] × [−1,1], degree 9 along each axis is exact.
    let exact = 512.0 / 9.0 * 2.0 / 9.0;
    assert!((rule.integrate(|x| (x[0] * x[1]).powi(8)) / exact - 1.0).abs() < 1e-13);
    let history = cuboid.over(0.0, 1.0).unwrap().quadrature(125).unwrap();
    assert_eq!(history.weights.len(), 125);
    assert!((history.integrate(|x| x[0] * x[2]) - 2.0).abs() < 1e-13);
    let part = |lo: &[f64], hi: &[f64]| BoundingBox::new(lo, hi).unwrap();
    let l_shape = BoxUnion::new(&[
        part(&[0.0, 0.0], &[2.0, 1.0]),
        part(&[0.0, 0.0], &[1.0, 2.0]),
    ])
    .unwrap();
    let rule = l_shape.quadrature(60).unwrap();
    assert!((rule.integrate(|x| x[0].powi(4)) - (32.0 / 5.0 + 1.0 / 5.0)).abs() < 1e-12);
    // Equal weights of quasi-random points elsewhere.
    let rule = Ball::unit(2).quadrature(4000).unwrap();
    assert!((rule.integrate(|x| x[0] * x[0]) - 0.25 * PI).abs() < 2e-3);
    let moved = l_shape.rotated(0.3).unwrap().quadrature(60).unwrap();
    assert!((moved.integrate(|_| 1.0) - 3.0).abs() < 1e-13);
}
