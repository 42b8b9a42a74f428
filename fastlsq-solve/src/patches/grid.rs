//! The root cells: a tensor grid through all faces of all boxes, and the lattice that trees live on.

use super::PatchError;
use super::options::PatchOptions;
use super::problem::PatchProblem;

/// Lattice units along a root cell, a power of two whose exponent is the greatest depth of a leaf.
pub(super) const UNIT: u64 = 1 << 40;

/// A cube of lattice units; axes that do not exist stay at 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Cell {
    pub(super) corner: [u64; 3],
    pub(super) size: u64,
}

impl Cell {
    /// The child whose halves are the bits of `part`.
    pub(super) fn child(&self, part: usize, dim: usize) -> Self {
        let size = self.size / 2;
        let mut corner = self.corner;
        for (axis, x) in corner.iter_mut().enumerate().take(dim) {
            *x += size * (part as u64 >> axis & 1);
        }
        Self { corner, size }
    }

    /// The cell that this one is a child of; a root cell has none.
    pub(super) fn parent(&self) -> Option<Self> {
        let size = 2 * self.size;
        let corner = self.corner.map(|x| x & !(size - 1));
        (size <= UNIT).then_some(Self { corner, size })
    }

    /// Halvings below the root cell.
    pub(super) fn depth(&self) -> u32 {
        (UNIT / self.size.max(1)).ilog2()
    }
}

/// The union of boxes, cut into cells along every face of every box.
#[derive(Debug, Clone)]
pub(super) struct Grid {
    pub(super) dim: usize,
    /// Coordinates of the cuts along each axis.
    cuts: Vec<Vec<f64>>,
    /// Widths between them: equal where an interval was cut into equal parts, whatever rounding does to the cuts.
    widths: Vec<Vec<f64>>,
    /// The box that each cell belongs to, the first axis running fastest.
    owners: Vec<Option<usize>>,
    periodic: Vec<bool>,
}

/// Sides of root cells differ at most by this factor.
const MAX_ASPECT: f64 = 1.5;
/// More root cells than this are taken for a mistake.
const MAX_ROOTS: usize = 1 << 22;

impl Grid {
    pub(super) fn new(problem: &PatchProblem, options: &PatchOptions) -> Result<Self, PatchError> {
        let dim = problem.dim;
        let mut cuts: Vec<Vec<f64>> = (0..dim)
            .map(|axis| {
                let ends = problem.pieces.iter().flat_map(|p| [p.lo[axis], p.hi[axis]]);
                let mut cuts: Vec<f64> = ends.collect();
                cuts.sort_by(f64::total_cmp);
                cuts.dedup();
                cuts
            })
            .collect();
        let narrowest = cuts
            .iter()
            .flat_map(|cuts| cuts.windows(2).map(|w| w[1] - w[0]))
            .fold(f64::INFINITY, f64::min);
        let mut widths = Vec::with_capacity(dim);
        // Boxes of very different sizes: keep the grid small, and let the cells be longer than wide.
        let shortest = cuts
            .iter()
            .map(|c| c[c.len() - 1] - c[0])
            .fold(0.0, f64::max)
            / 64.0;
        let target = narrowest.max(shortest) * MAX_ASPECT;
        for (axis, cuts) in cuts.iter_mut().enumerate() {
            let first = options.first_grid.get(axis).copied().unwrap_or(1).max(1);
            let mut refined = vec![cuts[0]];
            let mut own = Vec::new();
            for pair in cuts.windows(2) {
                let natural = ((pair[1] - pair[0]) / target).ceil().max(1.0) as usize;
                let parts = natural * first;
                own.extend(std::iter::repeat_n(
                    (pair[1] - pair[0]) / parts as f64,
                    parts,
                ));
                for k in 1..=parts {
                    let t = k as f64 / parts as f64;
                    refined.push(if k == parts {
                        pair[1]
                    } else {
                        pair[0] + t * (pair[1] - pair[0])
                    });
                }
            }
            *cuts = refined;
            widths.push(own);
        }
        let total = cuts
            .iter()
            .try_fold(1_usize, |total, cuts| total.checked_mul(cuts.len() - 1))
            .filter(|total| *total <= MAX_ROOTS);
        let total = total.ok_or(PatchError::Statement {
            what: "the first grid has more than four million cells",
            requirement: "ask for a coarser one, or use boxes whose faces are not so close",
        })?;
        let mut grid = Self {
            dim,
            cuts,
            widths,
            owners: Vec::new(),
            periodic: problem.periodic.clone(),
        };
        grid.owners = (0..total)
            .map(|index| {
                let (lo, hi) = grid.bounds(&grid.root(index));
                let inside = |piece: &super::problem::Piece| {
                    (0..dim).all(|k| {
                        let middle = 0.5 * (lo[k] + hi[k]);
                        piece.lo[k] < middle && middle < piece.hi[k]
                    })
                };
                problem.pieces.iter().position(inside)
            })
            .collect();
        Ok(grid)
    }

    /// Root cells along an axis.
    pub(super) fn roots_along(&self, axis: usize) -> usize {
        self.cuts.get(axis).map_or(1, |cuts| cuts.len() - 1)
    }

    fn root(&self, index: usize) -> Cell {
        let mut rest = index;
        let mut corner = [0; 3];
        for (axis, x) in corner.iter_mut().enumerate().take(self.dim) {
            *x = (rest % self.roots_along(axis)) as u64 * UNIT;
            rest /= self.roots_along(axis);
        }
        Cell { corner, size: UNIT }
    }

    /// The root cells that lie in a box.
    pub(super) fn roots(&self) -> Vec<Cell> {
        let inside = |index: &usize| self.owners[*index].is_some();
        (0..self.owners.len())
            .filter(inside)
            .map(|index| self.root(index))
            .collect()
    }

    /// The box that a cell belongs to.
    pub(super) fn owner(&self, cell: &Cell) -> Option<usize> {
        let mut index = 0;
        for axis in (0..self.dim).rev() {
            let along = usize::try_from(cell.corner[axis] / UNIT).ok()?;
            if along >= self.roots_along(axis) {
                return None;
            }
            index = index * self.roots_along(axis) + along;
        }
        self.owners.get(index).copied().flatten()
    }

    /// The physical coordinate of a lattice coordinate.
    fn coordinate(&self, axis: usize, lattice: u64) -> f64 {
        let cuts = &self.cuts[axis];
        let cell = ((lattice / UNIT) as usize).min(cuts.len() - 2);
        let within = (lattice - cell as u64 * UNIT) as f64 / UNIT as f64;
        let (a, b) = (cuts[cell], cuts[cell + 1]);
        if within == 1.0 {
            b
        } else {
            a + within * (b - a)
        }
    }

    /// The corners of a cell in physical coordinates.
    pub(super) fn bounds(&self, cell: &Cell) -> (Vec<f64>, Vec<f64>) {
        (0..self.dim)
            .map(|axis| {
                let x = cell.corner[axis];
                (
                    self.coordinate(axis, x),
                    self.coordinate(axis, x + cell.size),
                )
            })
            .unzip()
    }

    /// Centre and half-widths. The widths come from the root cell, so that cells of one size have equal ones.
    pub(super) fn frame(&self, cell: &Cell) -> (Vec<f64>, Vec<f64>) {
        let (lo, _) = self.bounds(cell);
        let half: Vec<f64> = (0..self.dim)
            .map(|axis| {
                let widths = &self.widths[axis];
                let root = ((cell.corner[axis] / UNIT) as usize).min(widths.len() - 1);
                0.5 * widths[root] * (cell.size as f64 / UNIT as f64)
            })
            .collect();
        let center = lo.iter().zip(&half).map(|(lo, h)| lo + h).collect();
        (center, half)
    }

    /// One lattice unit outside a face of a cell, brought back along periodic axes; `None` outside the grid.
    pub(super) fn across(&self, cell: &Cell, axis: usize, upper: bool) -> Option<[u64; 3]> {
        let mut at = cell.corner;
        let end = self.roots_along(axis) as u64 * UNIT;
        at[axis] = if upper {
            let next = at[axis] + cell.size;
            if next < end {
                next
            } else if self.periodic[axis] {
                0
            } else {
                return None;
            }
        } else if at[axis] > 0 {
            at[axis] - 1
        } else if self.periodic[axis] {
            end - 1
        } else {
            return None;
        };
        Some(at)
    }

    /// Whether a face of a cell lies on the boundary, or on an interface between boxes.
    pub(super) fn is_wall(&self, cell: &Cell, axis: usize, upper: bool) -> bool {
        let Some(corner) = self.across(cell, axis, upper) else {
            return true;
        };
        self.owner(&Cell { corner, size: 1 }) != self.owner(cell)
    }

    /// The lattice coordinate of a face; the upper end of a periodic axis is its lower end.
    pub(super) fn face_coordinate(&self, cell: &Cell, axis: usize, upper: bool) -> u64 {
        let at = cell.corner[axis] + if upper { cell.size } else { 0 };
        if self.periodic[axis] && at == self.roots_along(axis) as u64 * UNIT {
            0
        } else {
            at
        }
    }
}
