//! What is given on faces between two boxes: jumps of u and of the flux.

use fastlsq_ops::Sites;

use super::coefficients::place;
use super::frame::LeafFrame;
use super::leaf::SideData;
use super::outer::normals_of;
use super::problem::PatchProblem;
use super::reference::Reference;
use super::{Data, PatchError};

/// Jumps across the faces between two boxes, from the first to the second: u₂ − u₁ = g and n·a∇u₂ − n·a∇u₁ = h, where n
/// points from the first into the second and a are the coefficients of the second derivatives on either side.
///
/// What is not given is zero. The jumps are data: the traces of the skeleton are those of the first box.
#[derive(Debug, Clone)]
pub struct Interface {
    from: usize,
    to: usize,
    values: Vec<Data>,
    fluxes: Vec<Data>,
}

impl Interface {
    /// Between two boxes, by their numbers.
    #[must_use]
    pub fn between(from: usize, to: usize) -> Self {
        Self {
            from,
            to,
            values: Vec::new(),
            fluxes: Vec::new(),
        }
    }

    /// u₂ − u₁, for every unknown.
    #[must_use]
    pub fn jump(mut self, data: impl IntoIterator<Item = Data>) -> Self {
        self.values = data.into_iter().collect();
        self
    }

    /// n·a∇u₂ − n·a∇u₁, for every equation.
    #[must_use]
    pub fn flux_jump(mut self, data: impl IntoIterator<Item = Data>) -> Self {
        self.fluxes = data.into_iter().collect();
        self
    }

    /// The two boxes.
    pub(super) fn boxes(&self) -> [usize; 2] {
        [self.from, self.to]
    }

    pub(super) fn check(&self, boxes: usize, unknowns: usize) -> Result<(), PatchError> {
        if self.from >= boxes || self.to >= boxes || self.from == self.to {
            return Err(PatchError::Statement {
                what: "an interface lies between boxes that do not exist, or between a box and itself",
                requirement: "name two of the boxes, counted from 0",
            });
        }
        let counts = [&self.values, &self.fluxes].map(Vec::len);
        if counts.iter().any(|count| *count != 0 && *count != unknowns) {
            return Err(PatchError::Statement {
                what: "an interface has more or fewer jumps than there are unknowns",
                requirement: "give one for each unknown, or none",
            });
        }
        Ok(())
    }
}

impl PatchProblem {
    /// What is given on a side of a leaf with another box across.
    pub(super) fn jump_into(
        &self,
        frame: &LeafFrame,
        side: usize,
        across: usize,
        reference: &Reference,
    ) -> Result<SideData, PatchError> {
        let applies = |own: &&Interface| own.from == across && own.to == frame.piece;
        let Some(interface) = self.interfaces.iter().find(applies) else {
            return Ok(SideData::default());
        };
        let nodes = reference.sides[side].points.view();
        let points = place(nodes, &frame.center, &frame.half);
        // Out of the first box, into this one.
        let normals = -normals_of(side, points.dim());
        let sites = Sites::new(points.view()).with_normals(normals.view());
        let traces = |data: &[Data]| -> Result<Vec<f64>, PatchError> {
            let mut given = Vec::with_capacity(data.len() * points.nrows());
            for own in data {
                given.extend(own.values(|| "an interface".to_owned(), &sites)?);
            }
            Ok(reference.rule.traces_of(&given))
        };
        // Fluxes of a leaf are over these, and point out of it.
        let unit = frame.half[side / 2] * frame.scale;
        let mut fluxes = traces(&interface.fluxes)?;
        fluxes.iter_mut().for_each(|flux| *flux /= unit);
        Ok(SideData {
            traces: traces(&interface.values)?,
            fluxes,
        })
    }
}
