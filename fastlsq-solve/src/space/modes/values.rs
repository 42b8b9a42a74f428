//! Modes at points: rows of operators, functions given by coefficients, and both as functions that can be kept.

use std::sync::Arc;

use faer::Mat;
use fastlsq_basis::{InputMap, PiecewiseBasis};
use fastlsq_ops::{Operator, Sites};
use ndarray::s;

use super::Modes;
use super::piece::Piece;
use crate::dense::times;
use crate::space::SpaceError;

impl Modes {
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
            let rows = piece.rows_at(operator, &sites, &own)?;
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
            let rows = piece.rows_at(operator, &sites, &own)?;
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
}
