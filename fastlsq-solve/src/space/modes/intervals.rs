//! Intervals side by side: cut, judged, and joined.

use std::sync::Arc;

use faer::Mat;
use fastlsq_ops::{Operator, Sites};
use ndarray::{Array2, s};

use super::piece::Piece;
use super::{Modes, check, polynomial_points};
use crate::domain::{Domain, Interval};
use crate::space::local::{Local, LocalRequest};
use crate::space::quadrature::{Line, Quadrature};
use crate::space::{Sampled, SpaceError};

/// No interval among several has a larger bandwidth than this.
const WIDEST_INTERVAL: f64 = 1000.0;

impl Modes {
    /// Intervals between the given breaks, each with the same reference piece, to be joined by a
    /// [`TrialSpace`](crate::space::TrialSpace); the last joins the first if the axis is periodic.
    ///
    /// # Errors
    /// Fewer than two breaks, breaks that do not increase, or numbers out of range.
    pub fn intervals(
        breaks: &[f64],
        periodic: bool,
        bandwidth: f64,
        cut: f64,
        seed: u64,
    ) -> Result<Self, SpaceError> {
        check(bandwidth, cut)?;
        if bandwidth > WIDEST_INTERVAL {
            return Err(SpaceError::Option {
                option: "bandwidth",
                value: bandwidth,
                requirement: "at most 1000 on an interval; cut it instead",
            });
        }
        let rising = breaks.windows(2).all(|pair| pair[0] < pair[1]);
        let (Some(&first), Some(&last), true) =
            (breaks.first(), breaks.last(), rising && breaks.len() > 1)
        else {
            return Err(SpaceError::Option {
                option: "number of breaks",
                value: breaks.len() as f64,
                requirement: "at least two, rising and finite",
            });
        };
        let domain: Arc<dyn Domain> = Arc::new(Interval::new(first, last)?);
        let line = Line::gauss(-1.0, 1.0, polynomial_points(1, bandwidth));
        let rule = Quadrature {
            points: Array2::from_shape_fn((line.nodes.len(), 1), |(i, _)| line.nodes[i]),
            weights: line.weights,
        };
        let local = Arc::new(Local::new(LocalRequest {
            rule,
            periodic: &[false],
            is_box: true,
            corner: None,
            bandwidth,
            cut,
            seed,
        })?);
        Ok(Self::assemble(domain, periodic, breaks, &local, cut, seed))
    }

    fn assemble(
        domain: Arc<dyn Domain>,
        periodic: bool,
        breaks: &[f64],
        local: &Arc<Local>,
        cut: f64,
        seed: u64,
    ) -> Self {
        let (size, count) = (local.len(), local.rule.weights.len());
        let pieces: Vec<Piece> = breaks
            .windows(2)
            .enumerate()
            .map(|(k, ends)| Piece::new(&ends[..1], &ends[1..], local, k * size, k * count))
            .collect();
        let mut nodes = Array2::zeros((pieces.len() * count, 1));
        let mut weights = Vec::with_capacity(pieces.len() * count);
        for piece in &pieces {
            for (i, x) in local.rule.points.column(0).iter().enumerate() {
                nodes[(piece.nodes.start + i, 0)] = piece.centre[0] + piece.half[0] * x;
            }
            weights.extend(local.rule.weights.iter().map(|w| w * piece.half[0]));
        }
        Self {
            domain,
            periodic: vec![periodic],
            pieces,
            breaks: breaks.to_vec(),
            nodes,
            weights,
            cut,
            seed,
        }
    }

    /// The same intervals cut at other breaks within the same ends.
    ///
    /// # Errors
    /// As [`intervals`](Self::intervals).
    pub fn with_breaks(&self, breaks: &[f64]) -> Result<Self, SpaceError> {
        let sound = breaks.windows(2).all(|pair| pair[0] < pair[1]);
        let same = breaks.len() > 1
            && breaks.first() == self.breaks.first()
            && breaks.last() == self.breaks.last();
        match self.pieces.first() {
            Some(piece) if sound && same => Ok(Self::assemble(
                Arc::clone(&self.domain),
                self.periodic[0],
                breaks,
                &piece.local,
                self.cut,
                self.seed,
            )),
            _ => Err(SpaceError::Option {
                option: "number of breaks",
                value: breaks.len() as f64,
                requirement: "breaks must rise, and the first and the last must stay",
            }),
        }
    }

    /// How far f is from the modes of each interval alone, in L2 over the interval: f is sampled at its
    /// nodes, projected, and compared at the points between them.
    pub(in crate::space) fn misfits(&self, f: &Sampled<'_>) -> Result<Vec<f64>, SpaceError> {
        let between = Array2::from_shape_fn((self.nodes.nrows(), 1), |(i, _)| {
            let next = self.nodes.get((i + 1, 0)).copied().unwrap_or(f64::NAN);
            0.5 * (self.nodes[(i, 0)] + next)
        });
        let values = f(&self.nodes)?;
        let mut misfits = Vec::with_capacity(self.pieces.len());
        for piece in &self.pieces {
            let local = &piece.local;
            let norm = piece.half.iter().product::<f64>().sqrt();
            let weights = &local.rule.weights;
            let own: Vec<f64> = values[piece.nodes.clone()]
                .iter()
                .map(|v| v * norm)
                .collect();
            let coefficients = local.project(&own)?;
            // The last node has no successor within the piece.
            let inner = between
                .slice(s![piece.nodes.start..piece.nodes.end - 1, ..])
                .to_owned();
            let truth = f(&inner)?;
            let mut reference = inner;
            for x in &mut reference {
                *x = (*x - piece.centre[0]) / piece.half[0];
            }
            let fitted = local.values(&reference, &coefficients)?;
            let squares = truth.iter().zip(fitted).zip(weights);
            let sum: f64 = squares.map(|((t, q), w)| w * (t * norm - q).powi(2)).sum();
            misfits.push(sum.sqrt());
        }
        Ok(misfits)
    }

    /// The same intervals with those marked cut in two.
    ///
    /// # Errors
    /// Marks that do not fit, or a single piece with a bandwidth of its own.
    pub fn halved(&self, marked: &[bool]) -> Result<Self, SpaceError> {
        if self.breaks.is_empty() || marked.len() != self.pieces.len() {
            return Err(SpaceError::Size {
                what: "the list of marked intervals",
                expected: self.breaks.len().saturating_sub(1),
                found: marked.len(),
            });
        }
        let mut breaks = vec![self.breaks[0]];
        for (ends, marked) in self.breaks.windows(2).zip(marked) {
            if *marked {
                breaks.push(0.5 * (ends[0] + ends[1]));
            }
            breaks.push(ends[1]);
        }
        self.with_breaks(&breaks)
    }

    /// The rows that vanish on functions with continuous derivatives below `order` across the joints,
    /// each of norm 1.
    pub(in crate::space) fn joints(&self, order: u32) -> Result<Mat<f64>, SpaceError> {
        let count = self.pieces.len();
        let wraps = self.periodic.first() == Some(&true) && !self.breaks.is_empty();
        let joints = if count > 1 || wraps {
            count - 1 + usize::from(wraps)
        } else {
            0
        };
        let mut out = Mat::zeros(joints * order as usize, self.len());
        for joint in 0..joints {
            let (left, right) = (&self.pieces[joint], &self.pieces[(joint + 1) % count]);
            for d in 0..order {
                let operator = derivative(d);
                let end = Array2::from_elem((1, 1), left.hi());
                let start = Array2::from_elem((1, 1), right.lo());
                let one = left.rows(&operator, Sites::new(end.view()))?;
                let other = right.rows(&operator, Sites::new(start.view()))?;
                let row = joint * order as usize + d as usize;
                for j in 0..one.ncols() {
                    out[(row, left.modes.start + j)] += one[(0, j)];
                }
                for j in 0..other.ncols() {
                    out[(row, right.modes.start + j)] -= other[(0, j)];
                }
                let norm = out.row(row).norm_l2();
                if norm > 0.0 {
                    for j in 0..out.ncols() {
                        out[(row, j)] /= norm;
                    }
                }
            }
        }
        Ok(out)
    }
}

/// dⁿ/dxⁿ on a line.
fn derivative(order: u32) -> Operator {
    let action = fastlsq_basis::Action::derivative(fastlsq_basis::MultiIndex::new([order]));
    Operator::from_terms(1, [fastlsq_ops::Term::new(1.0, action)])
}
