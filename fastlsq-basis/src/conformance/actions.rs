//! Integrals and multipliers where a basis has them, and copies made by saving.

use faer::Mat;
use ndarray::Array2;

use super::derivatives::require_slope;
use super::{Verdict, points, require, require_close, require_identical};
use crate::form::{Action, AxisIntegral, Coefficient, Form, Multiplier, UpperLimit};
use crate::{Basis, BasisError, MultiIndex};

/// The tolerance of closed forms against each other.
const TOLERANCE: f64 = 1e-11;

/// Integrals along axes are typed as unsupported, or satisfy the fundamental theorem of calculus.
///
/// # Errors
/// The first [`Violation`](super::Violation).
pub fn integrals(basis: &dyn Basis) -> Verdict {
    let points = points(basis, 5);
    for axis in 0..basis.dim() {
        let from = -0.25;
        let running = integral_of(basis, axis, 0, from, UpperLimit::Coordinate);
        let rows = |points: &Array2<f64>| basis.assemble(points.view(), &Form::action(&running));
        match rows(&points) {
            Err(BasisError::Unsupported { .. }) => return Ok(()),
            Err(error) => return Err(error.into()),
            Ok(_) => {}
        }
        // d/dx ∫ₐˣ φ = φ
        let values = basis.values(points.view())?;
        let what = format!("the integrand along axis {axis}");
        require_slope(&what, &points, axis, &values, rows)?;
        // ∫ₐᵃ φ = 0
        let mut at_start = points.clone();
        at_start.column_mut(axis).fill(from);
        let zero = Mat::zeros(points.nrows(), basis.len());
        require_close(
            "an integral over nothing",
            rows(&at_start)?.as_ref(),
            zero.as_ref(),
            0.0,
        )?;
        // ∫ₐˣ ∂φ = φ(x) − φ(a)
        let slope = integral_of(basis, axis, 1, from, UpperLimit::Coordinate);
        let gain = basis.assemble(points.view(), &Form::action(&slope))?;
        let rise = &values - basis.values(at_start.view())?;
        let scale = super::largest(values.as_ref()).max(super::largest(gain.as_ref()));
        let error = super::largest((&gain - &rise).as_ref());
        require(
            error <= TOLERANCE * scale,
            "the integral of a derivative",
            || format!("off by {error:e} along axis {axis}"),
        )?;
        // A fixed upper limit is the running one at that coordinate.
        let fixed = integral_of(basis, axis, 0, from, UpperLimit::Fixed(0.75));
        let mut at_end = points.clone();
        at_end.column_mut(axis).fill(0.75);
        require_close(
            "an integral up to a fixed limit",
            basis
                .assemble(points.view(), &Form::action(&fixed))?
                .as_ref(),
            rows(&at_end)?.as_ref(),
            TOLERANCE,
        )?;
    }
    Ok(())
}

fn integral_of(basis: &dyn Basis, axis: usize, order: u32, from: f64, to: UpperLimit) -> Action {
    let mut orders = vec![0; basis.dim()];
    orders[axis] = order;
    Action {
        derivative: MultiIndex::new(orders),
        integrals: vec![AxisIntegral { axis, from, to }],
        multiplier: None,
    }
}

/// Fourier multipliers are typed as unsupported, or act as their symbols: |ω|² is −Δ.
///
/// # Errors
/// The first [`Violation`](super::Violation).
pub fn multipliers(basis: &dyn Basis) -> Verdict {
    let points = points(basis, 5);
    let square = Action {
        multiplier: Some(Multiplier::new("|ω|²", |w| w.iter().map(|w| w * w).sum())),
        ..Action::identity(basis.dim())
    };
    let form = Form::new().with(Coefficient::Constant(-1.0), &square);
    match basis.assemble(points.view(), &form) {
        Err(BasisError::Unsupported { .. }) => Ok(()),
        Err(error) => Err(error.into()),
        Ok(found) => require_close(
            "the multiplier −|ω|² and the Laplacian",
            found.as_ref(),
            basis.laplacians(points.view())?.as_ref(),
            TOLERANCE,
        ),
    }
}

/// A basis that can be saved comes back the same to the bit.
///
/// # Errors
/// The first [`Violation`](super::Violation).
pub fn saved_copies(basis: &dyn Basis) -> Verdict {
    let property = "a saved copy";
    let Some(saved) = basis.to_saved() else {
        return Ok(());
    };
    require(saved.dim() == basis.dim(), property, || {
        "another dimension".into()
    })?;
    let copy = saved.clone().into_basis();
    let shape = (copy.dim(), copy.len());
    require(shape == (basis.dim(), basis.len()), property, || {
        "another size".into()
    })?;
    require(copy.to_saved() == Some(saved), property, || {
        "it saves differently".into()
    })?;
    let points = points(basis, 9);
    require_identical(
        property,
        &copy.values(points.view())?,
        &basis.values(points.view())?,
    )?;
    require_identical(
        property,
        &copy.laplacians(points.view())?,
        &basis.laplacians(points.view())?,
    )
}
