//! A domain of one's own: the region between two circles, in five short methods.
#![allow(clippy::print_stdout)]

use std::f64::consts::TAU;

use fastlsq_solve::ndarray::Array2;
use fastlsq_solve::{
    BoundaryPart, BoundaryPoints, BoundingBox, Domain, DomainError, LinearProblem, Options,
    SolveError, UnitSampler, laplacian, normal_derivative, unknown,
};

/// All points at a distance between `inner` and `outer` from the origin.
#[derive(Debug)]
struct Ring {
    inner: f64,
    outer: f64,
}

impl Domain for Ring {
    fn dim(&self) -> usize {
        2
    }

    fn bounding_box(&self) -> Result<BoundingBox, DomainError> {
        BoundingBox::new(&[-self.outer; 2], &[self.outer; 2])
    }

    fn contains(&self, x: &[f64]) -> bool {
        (self.inner..=self.outer).contains(&x[0].hypot(x[1]))
    }

    fn parts(&self) -> Vec<BoundaryPart> {
        vec![
            BoundaryPart::wall("inner circle", TAU * self.inner),
            BoundaryPart::wall("outer circle", TAU * self.outer),
        ]
    }

    fn sample_part(
        &self,
        part: usize,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<BoundaryPoints, DomainError> {
        // The outward normal points to the origin on the inner circle.
        let (radius, sign) = [(self.inner, -1.0), (self.outer, 1.0)][part.min(1)];
        let angles = sampler.points(count, 1);
        let direction = |i: usize, k: usize| {
            let (sin, cos) = (TAU * angles[[i, 0]]).sin_cos();
            if k == 0 { cos } else { sin }
        };
        Ok(BoundaryPoints {
            points: Array2::from_shape_fn((count, 2), |(i, k)| radius * direction(i, k)),
            normals: Array2::from_shape_fn((count, 2), |(i, k)| sign * direction(i, k)),
        })
    }
}

fn main() -> Result<(), SolveError> {
    // The temperature between a hot and a cold pipe: u = 1 − ln r / ln 2 on 1 < r < 2.
    let ring = Ring {
        inner: 1.0,
        outer: 2.0,
    };
    let u = unknown("u");
    let u = LinearProblem::on(ring)
        .equation(laplacian(u), 0.0)
        .condition("inner circle", u, 1.0)
        .condition("outer circle", normal_derivative(u), -0.5 / 2_f64.ln())
        .solve_with(&Options::new().tolerance(1e-7))?;
    println!("{}", u.report());
    #[cfg(feature = "plot")]
    u.plot("own_domain.png")?;
    let error = (u.value(&[0.0, 1.5])? - (1.0 - 1.5_f64.ln() / 2_f64.ln())).abs();
    println!("error half way: {error:.1e}");
    assert!(error < 1e-6);
    Ok(())
}
