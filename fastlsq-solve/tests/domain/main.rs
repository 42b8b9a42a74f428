//! Domains: uniformity against exact integrals, normals, parts, space-time, errors, a domain of
//! one's own.

#![allow(clippy::unwrap_used, reason = "in a test, a panic is the message")]

mod errors;
mod implicit;
mod l_shape;
mod planar;
mod polygons;
mod sets;
mod shapes;
mod solid;
mod space_time;

use fastlsq_solve::domain::{Domain, UnitSampler};
use ndarray::{Array2, ArrayView1};

/// Both kinds of sampler.
fn samplers(seed: u64) -> [UnitSampler; 2] {
    [UnitSampler::independent(seed), UnitSampler::halton(seed)]
}

/// The mean of f over the rows and its standard error, were the rows independent.
fn mean(points: &Array2<f64>, f: impl Fn(ArrayView1<'_, f64>) -> f64) -> (f64, f64) {
    let count = points.nrows() as f64;
    let values: Vec<f64> = points.rows().into_iter().map(f).collect();
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, (variance / count).sqrt())
}

/// Holds the mean of f over the rows against its exact value, to five standard errors.
fn assert_mean(points: &Array2<f64>, f: impl Fn(ArrayView1<'_, f64>) -> f64, exact: f64) {
    let (got, error) = mean(points, f);
    let rounding = 1e-12 * exact.abs().max(1.0);
    assert!(
        (got - exact).abs() <= 5.0 * error + rounding,
        "mean {got}, not {exact}"
    );
}

/// ∫_Ω div F = Σ over parts of ∫ F·n for two quadratic fields: volumes, measures, normals and
/// uniformity are right together. `volume_error` is the relative error of an estimated volume.
fn assert_divergence_theorem(domain: &dyn Domain, volume_error: f64) {
    let dim = domain.dim();
    for mut sampler in samplers(17) {
        let count = 20_000;
        let inside = domain.sample_interior(count, &mut sampler).unwrap();
        for axis in 0..dim {
            let other = (axis + 1) % dim;
            // F = x_axis x_other e_axis, or x² e₀ in one dimension.
            let divergence = |x: ArrayView1<'_, f64>| if dim == 1 { 2.0 * x[0] } else { x[other] };
            let volume = domain.volume().unwrap();
            let (average, spread) = mean(&inside, divergence);
            let (mut flux, mut variance) = (0.0, (volume * spread).powi(2));
            for (index, part) in domain.parts().iter().enumerate() {
                let surface = domain.sample_part(index, count, &mut sampler).unwrap();
                let mut product = surface.points.clone();
                for (mut row, normal) in product.rows_mut().into_iter().zip(surface.normals.rows())
                {
                    let value = row[axis] * row[other] * normal[axis];
                    row.fill(value);
                }
                let (average, spread) = mean(&product, |row| row[0]);
                flux += part.measure * average;
                variance += (part.measure * spread).powi(2);
            }
            let exact = volume * average;
            let bound = 5.0 * variance.sqrt() + volume_error * exact.abs() + 1e-9;
            assert!(
                (flux - exact).abs() <= bound,
                "axis {axis}: flux {flux}, not {exact}"
            );
        }
    }
}

/// Normals have length one, and a small step along them leaves the domain, against them enters it.
fn assert_outward_normals(domain: &dyn Domain) {
    for mut sampler in samplers(3) {
        for index in 0..domain.parts().len() {
            let sampled = domain.sample_part(index, 300, &mut sampler).unwrap();
            for (x, n) in sampled
                .points
                .rows()
                .into_iter()
                .zip(sampled.normals.rows())
            {
                assert!((n.dot(&n) - 1.0).abs() < 1e-14);
                let step = |length: f64| (&x + &(&n * length)).to_vec();
                assert!(domain.contains(&step(-1e-6)), "part {index}: {x} − {n}");
                assert!(!domain.contains(&step(1e-6)), "part {index}: {x} + {n}");
            }
        }
    }
}

fn assert_inside(domain: &dyn Domain) {
    let bounds = domain.bounding_box().unwrap();
    for mut sampler in samplers(4) {
        let points = domain.sample_interior(2000, &mut sampler).unwrap();
        assert_eq!(points.dim(), (2000, domain.dim()));
        for point in points.rows() {
            assert!(domain.contains(&point.to_vec()));
            assert!(bounds.contains(&point.to_vec()));
        }
        assert_eq!(
            domain.sample_interior(0, &mut sampler).unwrap().dim(),
            (0, domain.dim())
        );
    }
}
