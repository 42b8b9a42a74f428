//! Orthonormal modes of a domain before any condition: one piece, or intervals side by side.

use faer::Mat;
use fastlsq_basis::{InputMap, PiecewiseBasis};
use fastlsq_ops::{Operator, Sites};
use ndarray::{Array2, s};
use std::ops::Range;
use std::sync::Arc;

use super::local::{Local, LocalRequest, points_per_axis, polynomial_degree, scaled};
use super::quadrature::{Line, Quadrature, fills};
use super::{SpaceError, corner, polar};
use crate::dense::times;
use crate::domain::{Domain, Interval};

/// Rules with more nodes than this are refused.
const MOST_NODES: f64 = 1e6;

/// No interval among several has a larger bandwidth than this.
const WIDEST_INTERVAL: f64 = 1000.0;

/// A box with a reference piece on it.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    centre: Vec<f64>,
    half: Vec<f64>,
    local: Arc<Local>,
    /// Its modes among all.
    pub(super) modes: Range<usize>,
    /// Its nodes among all.
    pub(super) nodes: Range<usize>,
}

impl Piece {
    fn new(lo: &[f64], hi: &[f64], local: &Arc<Local>, modes: usize, nodes: usize) -> Self {
        Self {
            centre: lo.iter().zip(hi).map(|(lo, hi)| 0.5 * (lo + hi)).collect(),
            half: lo.iter().zip(hi).map(|(lo, hi)| 0.5 * (hi - lo)).collect(),
            modes: modes..modes + local.len(),
            nodes: nodes..nodes + local.rule.weights.len(),
            local: Arc::clone(local),
        }
    }

    /// L applied to the modes of this piece at the sites, one row per site.
    fn rows(&self, operator: &Operator, sites: Sites<'_>) -> Result<Mat<f64>, SpaceError> {
        let (expected, found) = (self.centre.len(), sites.points().ncols());
        if expected != found {
            return Err(SpaceError::Size {
                what: "a point",
                expected,
                found,
            });
        }
        let prepared = operator.rows(sites)?;
        let form = prepared.form();
        if form.terms().iter().any(|term| !term.action.is_derivative()) {
            return Err(SpaceError::NotDifferential {
                operator: operator.to_string(),
            });
        }
        // ∫ q² dx = Πhₖ ∫ q̂² dx̂.
        let norm = self.half.iter().product::<f64>().sqrt().recip();
        let mut store = Vec::new();
        let form = scaled(&form, &self.half, norm, &mut store);
        let mut points = sites.points().to_owned();
        for mut point in points.rows_mut() {
            for (axis, x) in point.iter_mut().enumerate() {
                *x = (*x - self.centre[axis]) / self.half[axis];
            }
        }
        self.local.rows(&points, &form)
    }

    fn lo(&self) -> f64 {
        self.centre[0] - self.half[0]
    }

    fn hi(&self) -> f64 {
        self.centre[0] + self.half[0]
    }
}

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

    /// Intervals between the given breaks, each with the same reference piece, to be joined by a
    /// [`TrialSpace`](super::TrialSpace); the last joins the first if the axis is periodic.
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
    pub(super) fn misfits(&self, f: &super::Sampled<'_>) -> Result<Vec<f64>, SpaceError> {
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

    /// L applied to every mode at every node.
    ///
    /// # Errors
    /// An operator that does not fit, or holds more than derivatives.
    pub fn at_nodes(&self, operator: &Operator) -> Result<Mat<f64>, SpaceError> {
        let mut out = Mat::zeros(self.weights.len(), self.len());
        for piece in &self.pieces {
            let points = self.nodes.slice(s![piece.nodes.clone(), ..]);
            let rows = piece.rows(operator, Sites::new(points))?;
            out.as_mut()
                .submatrix_mut(
                    piece.nodes.start,
                    piece.modes.start,
                    rows.nrows(),
                    rows.ncols(),
                )
                .copy_from(&rows);
        }
        Ok(out)
    }

    /// L applied to every mode at any points of the domain, one row per point. Points between two
    /// intervals belong to the one on the right, the last point to the last.
    ///
    /// # Errors
    /// As [`at_nodes`](Self::at_nodes).
    pub fn at<'a>(
        &self,
        operator: &Operator,
        sites: impl Into<Sites<'a>>,
    ) -> Result<Mat<f64>, SpaceError> {
        let sites = sites.into();
        if let [piece] = &self.pieces[..] {
            return piece.rows(operator, sites);
        }
        let mut out = Mat::zeros(sites.len(), self.len());
        for (piece, own) in self.by_piece(&sites) {
            let (points, normals) = selected(&sites, &own);
            let mut part = Sites::new(points.view());
            if let Some(normals) = &normals {
                part = part.with_normals(normals.view());
            }
            let rows = piece.rows(operator, part)?;
            for (row, &i) in own.iter().enumerate() {
                for j in 0..rows.ncols() {
                    out[(i, piece.modes.start + j)] = rows[(row, j)];
                }
            }
        }
        Ok(out)
    }

    /// L u at any points of the domain, for u given by its coefficients over the modes.
    ///
    /// # Errors
    /// As [`at_nodes`](Self::at_nodes), or coefficients of the wrong number.
    pub fn apply<'a>(
        &self,
        operator: &Operator,
        modal: &[f64],
        sites: impl Into<Sites<'a>>,
    ) -> Result<Vec<f64>, SpaceError> {
        if modal.len() != self.len() {
            return Err(SpaceError::Size {
                what: "the list of coefficients over the modes",
                expected: self.len(),
                found: modal.len(),
            });
        }
        let sites = sites.into();
        let mut values = vec![0.0; sites.len()];
        for (piece, own) in self.by_piece(&sites) {
            let (points, normals) = selected(&sites, &own);
            let mut part = Sites::new(points.view());
            if let Some(normals) = &normals {
                part = part.with_normals(normals.view());
            }
            let rows = piece.rows(operator, part)?;
            let mut sums = vec![0.0; own.len()];
            times(rows.as_ref(), &modal[piece.modes.clone()], &mut sums);
            for (i, sum) in own.into_iter().zip(sums) {
                values[i] = sum;
            }
        }
        Ok(values)
    }

    /// The features of all pieces, one piece after the other, for functions that are kept.
    ///
    /// # Errors
    /// Pieces that cannot be put side by side.
    pub fn features(&self) -> Result<PiecewiseBasis, SpaceError> {
        let boxes = self
            .pieces
            .iter()
            .map(|piece| InputMap::from_center(piece.centre.clone(), piece.half.clone()))
            .collect::<Result<Vec<_>, _>>()?;
        let Some(piece) = self.pieces.first() else {
            return Err(SpaceError::Numerical {
                what: "the pieces of a space without any",
            });
        };
        Ok(PiecewiseBasis::new(
            Arc::clone(piece.local.features()),
            boxes,
        )?)
    }

    /// A function given by its coefficients over the modes, as coefficients of the [features](Self::features).
    #[must_use]
    pub fn over_features(&self, modal: &[f64]) -> Vec<f64> {
        let one = |piece: &Piece| {
            // ∫ q² dx = Πhₖ ∫ q̂² dx̂.
            let norm = piece.half.iter().product::<f64>().sqrt().recip();
            let own = modal.get(piece.modes.clone()).unwrap_or_default();
            let mut own = piece.local.over_features(own);
            own.iter_mut().for_each(|c| *c *= norm);
            own
        };
        self.pieces.iter().flat_map(one).collect()
    }

    /// The sites of each piece that has some.
    fn by_piece(&self, sites: &Sites<'_>) -> Vec<(&Piece, Vec<usize>)> {
        let mut own = vec![Vec::new(); self.pieces.len()];
        for (i, point) in sites.points().rows().into_iter().enumerate() {
            let place = self.piece_of(point.first().copied().unwrap_or(f64::NAN));
            if let Some(list) = own.get_mut(place) {
                list.push(i);
            }
        }
        let pairs = self.pieces.iter().zip(own);
        pairs.filter(|(_, list)| !list.is_empty()).collect()
    }

    fn piece_of(&self, x: f64) -> usize {
        let after = self.pieces.partition_point(|piece| piece.hi() <= x);
        after.min(self.pieces.len().saturating_sub(1))
    }

    /// The rows that vanish on functions with continuous derivatives below `order` across the joints,
    /// each of norm 1.
    pub(super) fn joints(&self, order: u32) -> Result<Mat<f64>, SpaceError> {
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
}

/// Nodes per axis for polynomials: exact for products of two, and some more for coefficients that vary.
fn polynomial_points(dim: usize, bandwidth: f64) -> usize {
    polynomial_degree(dim, bandwidth) as usize + 8
}

/// Whether the modes of a domain are polynomials.
pub(super) fn is_polynomial(periodic: &[bool]) -> bool {
    !periodic.contains(&true)
}

/// Points and normals of some of the sites.
fn selected(sites: &Sites<'_>, own: &[usize]) -> (Array2<f64>, Option<Array2<f64>>) {
    let rows = |view: ndarray::ArrayView2<'_, f64>| view.select(ndarray::Axis(0), own);
    (rows(sites.points()), sites.normals().map(rows))
}

/// dⁿ/dxⁿ on a line.
pub(super) fn derivative(order: u32) -> Operator {
    let action = fastlsq_basis::Action::derivative(fastlsq_basis::MultiIndex::new([order]));
    Operator::from_terms(1, [fastlsq_ops::Term::new(1.0, action)])
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
