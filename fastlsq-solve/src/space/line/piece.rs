//! One piece of the mesh: which coefficients reach it, and what they make of its polynomials.

use faer::Mat;

use super::band::BandMatrix;
use super::element::Element;
use super::joint::Joint;

/// One piece of the mesh.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) centre: f64,
    pub(super) half: f64,
    pub(super) dofs: Vec<usize>,
    /// Legendre coefficients of all functions, by `dofs`.
    pub(super) map: Mat<f64>,
    /// For data that reach this piece: their number, and Legendre coefficients.
    pub(super) lifts: Vec<(usize, Vec<f64>)>,
}

impl Piece {
    pub(super) fn new(
        element: &Element,
        functions: usize,
        (lo, hi): (f64, f64),
        ends: [&Joint; 2],
        bubble_start: usize,
    ) -> Self {
        let (centre, half) = (0.5 * (lo + hi), 0.5 * (hi - lo));
        let (size, order) = (element.size(), element.order());
        let bubbles = element.bubbles.ncols();
        let count = ends[0].free.ncols() + ends[1].free.ncols() + functions * bubbles;
        let mut map = Mat::zeros(functions * size, count);
        let mut dofs = Vec::with_capacity(count);
        let mut lifts = Vec::new();
        // Legendre coefficients of derivatives at an end.
        let from_end = |side: usize, column: &dyn Fn(usize) -> f64| -> Vec<f64> {
            let mut out = vec![0.0; functions * size];
            for s in 0..functions {
                for d in 0..order {
                    let value = column(s * order + d) * half.powi(d as i32) * half.sqrt();
                    for i in 0..size {
                        out[s * size + i] += value * element.nodal[(i, side * order + d)];
                    }
                }
            }
            out
        };
        for (side, joint) in ends.into_iter().enumerate() {
            for j in 0..joint.free.ncols() {
                for (i, v) in from_end(side, &|row| joint.free[(row, j)])
                    .into_iter()
                    .enumerate()
                {
                    map[(i, dofs.len())] = v;
                }
                dofs.push(joint.first + j);
            }
            for (k, &datum) in joint.data.iter().enumerate() {
                lifts.push((datum, from_end(side, &|row| joint.lift[(row, k)])));
            }
            if side == 0 {
                for s in 0..functions {
                    for j in 0..bubbles {
                        for i in 0..size {
                            map[(s * size + i, dofs.len())] = element.bubbles[(i, j)];
                        }
                        dofs.push(bubble_start + s * bubbles + j);
                    }
                }
            }
        }
        Self {
            centre,
            half,
            dofs,
            map,
            lifts,
        }
    }

    /// Adds a matrix over the piece's own coefficients to the whole.
    pub(super) fn scatter(&self, local: &Mat<f64>, out: &mut BandMatrix) {
        for (j, &column) in self.dofs.iter().enumerate() {
            for (i, &row) in self.dofs.iter().enumerate() {
                out.add(row, column, local[(i, j)]);
            }
        }
    }
}
