//! Reflections and exchanges of coordinates that leave a nonlinear problem unchanged.
//!
//! Under x_a → 2c − x_a, a derivative D^α of an unknown of parity s becomes s(−1)^{α_a} D^α. If the
//! residual at the mirrored point, with the derivatives changed so, is ± the residual, for
//! arbitrary values of the derivatives, then the reflection maps solutions to solutions. The same holds for the exchange P of
//! two coordinates, under which D^α becomes D^{Pα}.

use fastlsq_solve::Sites;
use fastlsq_solve::symmetry::{NonlinearStatements, Reflection};
use ndarray::Array2;

use crate::problem::Concrete;
use crate::residual::Residual;

/// Relative difference that counts as equal.
const TOLERANCE: f64 = 1e-11;

impl NonlinearStatements for Concrete {
    fn mirrors(&self, place: usize, reflection: Reflection, sites: Sites<'_>) -> Option<bool> {
        let residual = self.residuals.get(place)?.as_ref()?;
        Some(mirrors(residual, sites, reflection, self.value()))
    }

    fn exchanges(&self, place: usize, axes: [usize; 2], sites: [Sites<'_>; 2]) -> Option<bool> {
        let residual = self.residuals.get(place)?.as_ref()?;
        Some(exchanges(residual, axes, sites, self.value()))
    }
}

/// Whether R at the mirror image, with mirrored derivatives, is the same up to one common sign.
fn mirrors(
    residual: &Residual,
    sites: Sites<'_>,
    Reflection { axis, mirror, odd }: Reflection,
    parameter: f64,
) -> bool {
    let here = arbitrary(residual, sites.len());
    let mut there = here.clone();
    for (column, jet) in residual.jets().iter().enumerate() {
        // What integrals and multipliers do under a reflection is not examined.
        if !jet.action.is_derivative() {
            return false;
        }
        let orders = jet.action.derivative.orders();
        let changes = (odd >> jet.unknown & 1 == 1) != orders.get(axis).is_some_and(|n| n % 2 == 1);
        if changes {
            there.column_mut(column).mapv_inplace(|v| -v);
        }
    }
    let image = sites.mirrored(axis, mirror);
    let image = (&there, image.sites());
    agree(residual, (&here, sites), image, parameter, &[1.0, -1.0])
}

/// Whether R at the image under an exchange of two axes, with exchanged derivatives, is the same.
fn exchanges(residual: &Residual, axes: [usize; 2], sites: [Sites<'_>; 2], parameter: f64) -> bool {
    let here = arbitrary(residual, sites[0].len());
    let mut there = here.clone();
    for (column, jet) in residual.jets().iter().enumerate() {
        let mut orders = jet.action.derivative.orders().to_vec();
        if axes.iter().any(|axis| *axis >= orders.len()) {
            return false;
        }
        orders.swap(axes[0], axes[1]);
        let partner = residual.jets().iter().position(|other| {
            let action = &other.action;
            (other.unknown, action.is_derivative()) == (jet.unknown, jet.action.is_derivative())
                && action.derivative.orders() == orders
        });
        // What integrals and multipliers do is not examined.
        let Some(partner) = partner.filter(|_| jet.action.is_derivative()) else {
            return false;
        };
        there.column_mut(partner).assign(&here.column(column));
    }
    let image = (&there, sites[1]);
    agree(residual, (&here, sites[0]), image, parameter, &[1.0])
}

/// Generic values of the derivatives at points.
fn arbitrary(residual: &Residual, points: usize) -> Array2<f64> {
    Array2::from_shape_fn((points, residual.jets().len()), |(i, t)| {
        0.7 * (1.3 * i as f64 + 2.1 * t as f64 + 0.4).sin() + 0.2
    })
}

/// Whether R agrees at both images up to one common factor among these.
fn agree(
    residual: &Residual,
    (here, sites): (&Array2<f64>, Sites<'_>),
    (there, images): (&Array2<f64>, Sites<'_>),
    parameter: f64,
    factors: &[f64],
) -> bool {
    let a = residual.evaluate(here, sites, parameter);
    let b = residual.evaluate(there, images, parameter);
    if a.first_bad().is_some() || b.first_bad().is_some() {
        return false;
    }
    let size = a.magnitudes(here).into_iter().fold(0.0, f64::max);
    factors.iter().any(|factor| {
        let mut pairs = a.values.iter().zip(&b.values);
        pairs.all(|(x, y)| (y - factor * x).abs() <= TOLERANCE * size)
    })
}
