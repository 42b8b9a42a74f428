//! The cells between the faces of some boxes.

use crate::domain::checks::check_memory;
use crate::domain::{BoundingBox, DomainError};

/// A rectangle of the boundary at right angles to `axis`, where lo and hi agree.
#[derive(Clone, Debug)]
pub(super) struct Face {
    pub(super) axis: usize,
    pub(super) lo: Vec<f64>,
    pub(super) hi: Vec<f64>,
    /// The normal is this times e_axis.
    pub(super) outward: f64,
}

impl Face {
    pub(super) fn measure(&self) -> f64 {
        let extents = self.lo.iter().zip(&self.hi).enumerate();
        let across = extents.filter(|(k, _)| *k != self.axis);
        across.map(|(_, (lo, hi))| hi - lo).product()
    }
}

/// A grid through all faces, with what lies inside.
#[derive(Debug)]
pub(super) struct Cells {
    /// The coordinates of the faces along each axis, ascending.
    levels: Vec<Vec<f64>>,
    /// The number of cells along each axis.
    shape: Vec<usize>,
    inside: Vec<bool>,
}

impl Cells {
    /// The cells that are inside after boxes were put in (true) and taken out (false) in turn.
    pub(super) fn new(history: &[(BoundingBox, bool)]) -> Result<Self, DomainError> {
        let Some((first, _)) = history.first() else {
            return Err(DomainError::EmptyShape);
        };
        let dim = first.dim();
        if let Some((other, _)) = history.iter().find(|(part, _)| part.dim() != dim) {
            return Err(DomainError::DimensionMismatch {
                what: "a box",
                expected: dim,
                found: other.dim(),
            });
        }
        let levels: Vec<Vec<f64>> = (0..dim)
            .map(|axis| {
                let ends = history
                    .iter()
                    .flat_map(|(part, _)| [part.lo()[axis], part.hi()[axis]]);
                let mut all: Vec<f64> = ends.collect();
                all.sort_by(f64::total_cmp);
                all.dedup();
                all
            })
            .collect();
        let shape: Vec<usize> = levels.iter().map(|levels| levels.len() - 1).collect();
        let count = shape
            .iter()
            .try_fold(1_usize, |count, &n| count.checked_mul(n));
        let count = count.unwrap_or(usize::MAX);
        check_memory(count, 1)?;
        let mut cells = Self {
            levels,
            shape,
            inside: vec![false; count],
        };
        for cell in 0..count {
            let place = cells.place(cell);
            let middle: Vec<f64> = (place.iter().zip(&cells.levels))
                .map(|(&k, levels)| 0.5 * levels[k] + 0.5 * levels[k + 1])
                .collect();
            let last = history
                .iter()
                .rev()
                .find(|(part, _)| part.contains(&middle));
            cells.inside[cell] = last.is_some_and(|(_, added)| *added);
        }
        Ok(cells)
    }

    /// The position of a cell along each axis.
    fn place(&self, mut cell: usize) -> Vec<usize> {
        let along = self.shape.iter().map(|&n| {
            let k = cell % n;
            cell /= n;
            k
        });
        along.collect()
    }

    /// Blocks of cells without overlap that hold all cells of `wanted`; nothing is merged along the axis `fixed`.
    fn merged(&self, wanted: &[bool], fixed: Option<usize>) -> Vec<(Vec<usize>, Vec<usize>)> {
        let mut open = wanted.to_vec();
        let mut blocks = Vec::new();
        for cell in 0..open.len() {
            if !open[cell] {
                continue;
            }
            let start = self.place(cell);
            let mut end: Vec<usize> = start.iter().map(|k| k + 1).collect();
            for axis in (0..start.len()).filter(|axis| Some(*axis) != fixed) {
                while end[axis] < self.shape[axis] {
                    let mut slab = (start.clone(), end.clone());
                    slab.0[axis] = end[axis];
                    slab.1[axis] = end[axis] + 1;
                    if !self.block(&slab.0, &slab.1).iter().all(|&k| open[k]) {
                        break;
                    }
                    end[axis] += 1;
                }
            }
            for k in self.block(&start, &end) {
                open[k] = false;
            }
            blocks.push((start, end));
        }
        blocks
    }

    /// The numbers of the cells of a block.
    fn block(&self, start: &[usize], end: &[usize]) -> Vec<usize> {
        let mut numbers = vec![0];
        let mut stride = 1;
        for ((&a, &b), &n) in start.iter().zip(end).zip(&self.shape) {
            numbers = numbers
                .iter()
                .flat_map(|&base| (a..b).map(move |k| base + k * stride))
                .collect();
            stride *= n;
        }
        numbers
    }

    fn corner(&self, place: &[usize]) -> Vec<f64> {
        let pairs = place.iter().zip(&self.levels);
        pairs.map(|(&k, levels)| levels[k]).collect()
    }

    /// Boxes without overlap that hold all cells inside.
    pub(super) fn boxes(&self) -> Result<Vec<BoundingBox>, DomainError> {
        let blocks = self.merged(&self.inside, None);
        blocks
            .iter()
            .map(|(start, end)| BoundingBox::new(&self.corner(start), &self.corner(end)))
            .collect()
    }

    /// The faces between cells inside and outside, as large as they get.
    pub(super) fn faces(&self) -> Vec<Face> {
        let mut faces = Vec::new();
        let mut stride = 1;
        for axis in 0..self.shape.len() {
            let n = self.shape[axis];
            for outward in [-1.0, 1.0] {
                let exposed: Vec<bool> = (0..self.inside.len())
                    .map(|cell| {
                        let k = (cell / stride) % n;
                        let beyond = if outward > 0.0 {
                            (k + 1 < n).then(|| cell + stride)
                        } else {
                            (k > 0).then(|| cell - stride)
                        };
                        self.inside[cell] && !beyond.is_some_and(|other| self.inside[other])
                    })
                    .collect();
                for (mut start, mut end) in self.merged(&exposed, Some(axis)) {
                    let level = if outward > 0.0 {
                        end[axis]
                    } else {
                        start[axis]
                    };
                    start[axis] = level;
                    end[axis] = level;
                    faces.push(Face {
                        axis,
                        lo: self.corner(&start),
                        hi: self.corner(&end),
                        outward,
                    });
                }
            }
            stride *= n;
        }
        faces
    }
}
