//! Sampling a domain of which only membership is known, and what remains of a part of its boundary.

use super::checks::{check_memory, check_shape, checked_part};
use super::{BoundaryPoints, Domain, DomainError};
use fastlsq_basis::sampling::UnitSampler;
use ndarray::{Array2, ArrayView1};

/// Points tried before a low acceptance counts as hopeless.
const PATIENCE: usize = 100_000;
/// Give up when fewer than one point in this many is accepted.
const HOPELESS: usize = 1000;
/// Points of the box tried at a time, at most.
const LARGEST_BATCH: usize = 1 << 16;
/// Points for the estimate of a volume.
const VOLUME_POINTS: usize = 1 << 14;
/// Points of a part that tell what share of it remains.
const SHARE_POINTS: usize = 1 << 15;
/// Points of a part tried at a time, at most, and how few of them may remain: a part may be large beside what does.
const PART_BATCH: usize = 1 << 14;
const HOPELESS_PART: usize = 10_000;

/// Points of the bounding box, with those outside the domain rejected.
pub(super) fn sample<D: Domain + ?Sized>(
    domain: &D,
    count: usize,
    sampler: &mut UnitSampler,
) -> Result<Array2<f64>, DomainError> {
    let dim = domain.dim();
    let bounds = domain.bounding_box()?;
    check_shape("Domain::bounding_box", (2, dim), (2, bounds.dim()))?;
    check_memory(count, dim)?;
    let mut kept = Array2::zeros((count, dim));
    let (mut accepted, mut tried) = (0, 0);
    while accepted < count {
        if tried >= PATIENCE && accepted < tried / HOPELESS {
            return Err(DomainError::HopelessRejection { accepted, tried });
        }
        // Enough to finish if the share accepted so far goes on, with a little to spare.
        let expected = (count - accepted).saturating_mul(tried.max(1)) / accepted.max(1);
        let batch = expected.saturating_add(16).min(LARGEST_BATCH);
        let candidates = bounds.place(sampler.points(batch, dim));
        for candidate in candidates.rows() {
            if accepted == count {
                break;
            }
            tried += 1;
            if inside(domain, candidate) {
                kept.row_mut(accepted).assign(&candidate);
                accepted += 1;
            }
        }
    }
    Ok(kept)
}

/// The bounding box's volume times the share of its points that lie inside.
pub(super) fn volume<D: Domain + ?Sized>(domain: &D) -> Result<f64, DomainError> {
    volume_from(domain, VOLUME_POINTS)
}

/// The same from a given number of points.
pub(super) fn volume_from<D: Domain + ?Sized>(
    domain: &D,
    count: usize,
) -> Result<f64, DomainError> {
    let bounds = domain.bounding_box()?;
    let points = bounds.place(UnitSampler::halton(0).points(count, bounds.dim()));
    let accepted = points
        .rows()
        .into_iter()
        .filter(|point| inside(domain, *point))
        .count();
    Ok(bounds.volume() * accepted as f64 / count as f64)
}

/// Whether a point of a part remains, given its normal, and the sign that the normal gets.
pub(super) type Sign<'a> = dyn Fn(&[f64], &[f64]) -> Option<f64> + 'a;

/// The share of a part of the boundary that remains.
pub(super) fn share<D: Domain + ?Sized>(
    domain: &D,
    part: usize,
    sign: &Sign<'_>,
) -> Result<f64, DomainError> {
    let sampled = checked_part(domain, part, SHARE_POINTS, &mut UnitSampler::halton(0))?;
    let rows = sampled
        .points
        .rows()
        .into_iter()
        .zip(sampled.normals.rows());
    let kept = rows.filter(|(x, n)| sign(&x.to_vec(), &n.to_vec()).is_some());
    Ok(kept.count() as f64 / SHARE_POINTS as f64)
}

/// Points of a part of the boundary, with those that do not remain rejected.
pub(super) fn sample_part<D: Domain + ?Sized>(
    domain: &D,
    part: usize,
    count: usize,
    sampler: &mut UnitSampler,
    sign: &Sign<'_>,
) -> Result<BoundaryPoints, DomainError> {
    let dim = domain.dim();
    check_memory(count, dim.saturating_mul(2))?;
    let mut kept = BoundaryPoints {
        points: Array2::zeros((count, dim)),
        normals: Array2::zeros((count, dim)),
    };
    let (mut accepted, mut tried) = (0, 0);
    while accepted < count {
        if tried >= PATIENCE && accepted < tried / HOPELESS_PART {
            return Err(DomainError::HopelessRejection { accepted, tried });
        }
        let expected = (count - accepted).saturating_mul(tried.max(1)) / accepted.max(1);
        let batch = expected.saturating_add(16).min(PART_BATCH);
        let candidates = checked_part(domain, part, batch, sampler)?;
        let rows = candidates.points.rows().into_iter();
        for (x, n) in rows.zip(candidates.normals.rows()) {
            if accepted == count {
                break;
            }
            tried += 1;
            if let Some(sign) = sign(&x.to_vec(), &n.to_vec()) {
                kept.points.row_mut(accepted).assign(&x);
                kept.normals.row_mut(accepted).assign(&(&n * sign));
                accepted += 1;
            }
        }
    }
    Ok(kept)
}

fn inside<D: Domain + ?Sized>(domain: &D, point: ArrayView1<'_, f64>) -> bool {
    match point.as_slice() {
        Some(point) => domain.contains(point),
        None => domain.contains(&point.to_vec()),
    }
}
