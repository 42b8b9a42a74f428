//! Orthonormal modes of a domain before any condition: one piece, or intervals side by side.

mod intervals;
mod piece;
mod values;

use std::sync::Arc;

use ndarray::Array2;

use super::local::{Local, LocalRequest, points_per_axis, polynomial_degree};
use super::quadrature::{Quadrature, fills};
use super::{SpaceError, corner, polar};
use crate::domain::Domain;
use piece::Piece;

/// Rules with more nodes than this are refused.
const MOST_NODES: f64 = 1e6;

/// Functions on a domain, orthonormal in L2 up to rounding, before conditions.
#[derive(Debug, Clone)]
pub struct Modes {
    domain: Arc<dyn Domain>,
    periodic: Vec<bool>,
    pub(super) pieces: Vec<Piece>,
    /// Ends of the intervals, where there are several.
    breaks: Vec<f64>,
    nodes: Array2<f64>,
    weights: Vec<f64>,
    cut: f64,
    seed: u64,
}

impl Modes {
    /// One piece on the whole domain with frequencies up to `bandwidth` (for a bounding box that is
    /// mapped to [−1, 1]^d), compressed down to `cut` of the largest singular value. Along periodic
    /// axes the waves have exactly the period of the box.
    ///
    /// # Errors
    /// A domain that cannot be sampled, or numbers out of range.
    pub fn global(
        domain: Arc<dyn Domain>,
        periodic: &[bool],
        bandwidth: f64,
        cut: f64,
        seed: u64,
    ) -> Result<Self, SpaceError> {
        check(bandwidth, cut)?;
        let bounds = domain.bounding_box()?;
        let dim = bounds.dim();
        let periodic: Vec<bool> = (0..dim)
            .map(|k| periodic.get(k).copied().unwrap_or(false))
            .collect();
        let all = periodic.iter().all(|&p| p);
        let per_axis = if is_polynomial(&periodic) {
            polynomial_points(dim, bandwidth)
        } else {
            points_per_axis(bandwidth, all)
        };
        if (per_axis as f64).powf(dim as f64) > MOST_NODES {
            return Err(SpaceError::Option {
                option: "bandwidth",
                value: bandwidth,
                requirement: "it needs more than a million nodes, beyond what dense matrices can serve",
            });
        }
        let is_box = fills(&*domain, &bounds)?;
        let corner = if is_polynomial(&periodic) && !is_box {
            corner::reentrant(&*domain)
        } else {
            None
        };
        let around = match &corner {
            Some(corner) => polar::corner_rule(&*domain, &bounds, corner.position, per_axis)?,
            None => None,
        };
        let corner = corner.filter(|_| around.is_some());
        let physical = match around {
            Some(rule) => rule,
            None => Quadrature::on(&*domain, &periodic, per_axis, seed)?,
        };
        let centre: Vec<f64> = bounds
            .lo()
            .iter()
            .zip(bounds.hi())
            .map(|(lo, hi)| 0.5 * (lo + hi))
            .collect();
        let mut half: Vec<f64> = bounds.extents().map(|e| 0.5 * e).collect();
        if corner.is_some() {
            // Powers of ζ are harmonic where both axes have the same scale.
            let largest = half.iter().copied().fold(0.0, f64::max);
            half.fill(largest);
        }
        let scale: f64 = half.iter().product();
        let mut points = physical.points.clone();
        for mut point in points.rows_mut() {
            for (axis, x) in point.iter_mut().enumerate() {
                *x = (*x - centre[axis]) / half[axis];
            }
        }
        let rule = Quadrature {
            points,
            weights: physical.weights.iter().map(|w| w / scale).collect(),
        };
        let local = Arc::new(Local::new(LocalRequest {
            rule,
            periodic: &periodic,
            is_box,
            corner: corner.map(|corner| {
                let at = |k: usize| (corner.position[k] - centre[k]) / half[k];
                let position = [at(0), at(1)];
                (corner, position)
            }),
            bandwidth,
            cut,
            seed,
        })?);
        let ends = |sign: f64| -> Vec<f64> {
            let pairs = centre.iter().zip(&half);
            pairs.map(|(c, h)| c + sign * h).collect()
        };
        let piece = Piece::new(&ends(-1.0), &ends(1.0), &local, 0, 0);
        Ok(Self {
            domain,
            periodic,
            pieces: vec![piece],
            breaks: Vec::new(),
            nodes: physical.points,
            weights: physical.weights,
            cut,
            seed,
        })
    }

    /// The number of modes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pieces.last().map_or(0, |piece| piece.modes.end)
    }

    /// Whether there are no modes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The domain.
    #[must_use]
    pub fn domain(&self) -> &Arc<dyn Domain> {
        &self.domain
    }

    /// Whether each axis is periodic.
    #[must_use]
    pub fn periodic(&self) -> &[bool] {
        &self.periodic
    }

    /// The points at which functions are sampled, one row per point.
    #[must_use]
    pub fn nodes(&self) -> &Array2<f64> {
        &self.nodes
    }

    /// The weights of the nodes in integrals.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Ends of the intervals; empty if there is one piece with its own bandwidth.
    #[must_use]
    pub fn breaks(&self) -> &[f64] {
        &self.breaks
    }

    /// The largest frequency, for a piece mapped to [−1, 1]^d.
    #[must_use]
    pub fn bandwidth(&self) -> f64 {
        self.pieces
            .first()
            .map_or(0.0, |piece| piece.local.bandwidth)
    }

    /// The smallest singular value that was kept, relative to the largest.
    #[must_use]
    pub fn cut(&self) -> f64 {
        self.cut
    }

    /// The seed of the features.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }
}

/// Nodes per axis for polynomials: exact for products of two, and some more for coefficients that vary.
fn polynomial_points(dim: usize, bandwidth: f64) -> usize {
    polynomial_degree(dim, bandwidth) as usize + 8
}

/// Whether the modes of a domain are polynomials.
pub(super) fn is_polynomial(periodic: &[bool]) -> bool {
    !periodic.contains(&true)
}

fn check(bandwidth: f64, cut: f64) -> Result<(), SpaceError> {
    if !(bandwidth > 0.0 && bandwidth <= MOST_NODES) {
        return Err(SpaceError::Option {
            option: "bandwidth",
            value: bandwidth,
            requirement: "positive, and no more than a million",
        });
    }
    if !(cut > 0.0 && cut < 0.1) {
        return Err(SpaceError::Option {
            option: "cut",
            value: cut,
            requirement: "between 0 and 0.1",
        });
    }
    Ok(())
}
