//! Checks on sizes, so that a wrong request or a wrong `Domain` is an error and not a panic.

use super::{BoundaryPoints, Domain, DomainError};
use fastlsq_basis::sampling::UnitSampler;
use ndarray::Array2;

/// Whether `count` points of `dim` coordinates can be held at all.
pub(super) fn check_memory(count: usize, dim: usize) -> Result<(), DomainError> {
    let too_many = DomainError::TooManyPoints { count, dim };
    let Some(numbers) = count.checked_mul(dim) else {
        return Err(too_many);
    };
    Vec::<f64>::new()
        .try_reserve_exact(numbers)
        .map_err(|_| too_many)
}

/// Whether all coordinates of a point are finite.
pub(super) fn check_finite(what: &'static str, point: &[f64]) -> Result<(), DomainError> {
    match point.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(axis) => Err(DomainError::NonFinite {
            what,
            axis,
            value: point[axis],
        }),
    }
}

/// Whether what was returned has the shape that was asked for.
pub(super) fn check_shape(
    what: &'static str,
    (rows, columns): (usize, usize),
    (got_rows, got_columns): (usize, usize),
) -> Result<(), DomainError> {
    if (rows, columns) == (got_rows, got_columns) {
        Ok(())
    } else {
        Err(DomainError::WrongShape {
            what,
            rows,
            columns,
            got_rows,
            got_columns,
        })
    }
}

/// [`Domain::sample_interior`], with its answer checked.
pub(crate) fn checked_interior<D: Domain + ?Sized>(
    domain: &D,
    count: usize,
    sampler: &mut UnitSampler,
) -> Result<Array2<f64>, DomainError> {
    let points = domain.sample_interior(count, sampler)?;
    check_shape(
        "Domain::sample_interior",
        (count, domain.dim()),
        points.dim(),
    )?;
    Ok(points)
}

/// [`Domain::sample_part`], with its answer checked.
pub(super) fn checked_part<D: Domain + ?Sized>(
    domain: &D,
    part: usize,
    count: usize,
    sampler: &mut UnitSampler,
) -> Result<BoundaryPoints, DomainError> {
    let sampled = domain.sample_part(part, count, sampler)?;
    let expected = (count, domain.dim());
    check_shape(
        "Domain::sample_part (points)",
        expected,
        sampled.points.dim(),
    )?;
    check_shape(
        "Domain::sample_part (normals)",
        expected,
        sampled.normals.dim(),
    )?;
    Ok(sampled)
}
