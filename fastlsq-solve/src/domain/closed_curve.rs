//! What a smooth closed curve encloses.

use super::outline::{Inside, distance};
use super::planar::{Planar, planar_domain};
use super::{Curve, DomainError, Outline};
use fastlsq_basis::Dual;

/// Points of the curve that are checked for self-intersections.
const SAMPLES: usize = 512;

/// The inside of a smooth closed curve x(t), 0 ≤ t ≤ 1, traversed in either direction. Its one part is "curve".
///
/// ```
/// use fastlsq_solve::domain::{ClosedCurve, Domain};
/// use std::f64::consts::{PI, TAU};
/// // A flower: r = 1 + 0.3 cos 5θ.
/// let flower = ClosedCurve::new(|t| {
///     let angle = TAU * t;
///     let radius = 1.0 + 0.3 * (5.0 * angle).cos();
///     [radius * angle.cos(), radius * angle.sin()]
/// })?;
/// assert!((flower.volume()? - PI * (1.0 + 0.5 * 0.09)).abs() < 1e-10);
/// # Ok::<(), fastlsq_solve::domain::DomainError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ClosedCurve {
    planar: Planar,
    inside: Inside,
}

impl ClosedCurve {
    /// The inside of the curve that the closure describes.
    ///
    /// # Errors
    /// A curve that is not finite, not closed, or meets itself.
    pub fn new(
        position: impl Fn(Dual<1>) -> [Dual<1>; 2] + Send + Sync + 'static,
    ) -> Result<Self, DomainError> {
        let mut curve = Curve::parametric(position)?;
        check_crossings(&curve)?;
        if Outline::new([("curve", curve.clone())])?.area() < 0.0 {
            curve = curve.reversed();
        }
        let planar = Planar::new(Outline::new([("curve", curve)])?)?;
        let inside = Inside::new(&planar.outline);
        Ok(Self { planar, inside })
    }

    fn holds(&self, point: [f64; 2]) -> bool {
        self.inside.contains(point)
    }
}

planar_domain!(ClosedCurve);

/// Fails if chords of the curve that are not neighbours cross.
fn check_crossings(curve: &Curve) -> Result<(), DomainError> {
    // Between the places where symmetric curves would have their crossings.
    let at = |k: usize| {
        curve
            .at(curve.length() * ((k as f64 + 0.37) / SAMPLES as f64).fract())
            .0
    };
    let nodes: Vec<[f64; 2]> = (0..=SAMPLES).map(at).collect();
    let side = |o: [f64; 2], a: [f64; 2], b: [f64; 2]| {
        (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]) > 0.0
    };
    let chord = curve.length() / SAMPLES as f64;
    for i in 0..SAMPLES {
        for j in i + 2..SAMPLES {
            let (a, b, c, d) = (nodes[i], nodes[i + 1], nodes[j], nodes[j + 1]);
            if (i == 0 && j + 1 == SAMPLES) || distance(a, c) > 2.0 * chord {
                continue;
            }
            if side(a, b, c) != side(a, b, d) && side(c, d, a) != side(c, d, b) {
                return Err(DomainError::SelfIntersection {
                    first: 0,
                    second: 0,
                    point: a,
                });
            }
        }
    }
    Ok(())
}
