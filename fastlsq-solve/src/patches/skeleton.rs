//! The skeleton: blocks of unknown traces on sides, and how leaves are tied to them.

use std::collections::HashMap;

use super::grid::Grid;
use super::leaf::Leaf;
use super::outer::{OuterSide, RowsKey};
use super::reference::Reference;
use super::tree::Tree;
use faer::{Mat, MatRef};

/// A side of a cell as a place in the lattice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct SidePlace {
    axis: usize,
    corner: [u64; 3],
    size: u64,
}

/// How a side of a leaf takes part.
#[derive(Debug, Clone, Copy)]
pub(super) enum Link {
    /// Its traces are given.
    Known,
    /// Its traces are a block, or this part of a block on the larger side of the neighbour; its fluxes enter the
    /// balance there with this factor.
    Balance {
        block: u32,
        part: Option<usize>,
        factor: f64,
    },
    /// Its traces are a block that must satisfy the condition of the outer side.
    Outer { block: u32 },
}

impl Link {
    pub(super) fn block(self) -> Option<u32> {
        match self {
            Self::Known => None,
            Self::Balance { block, .. } | Self::Outer { block } => Some(block),
        }
    }
}

/// A link as far as it shapes the leaf's front; blocks are numbered within the leaf.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum LinkShape {
    Known,
    Balance {
        local: u32,
        part: Option<usize>,
        factor: u64,
    },
    Outer {
        local: u32,
        rows: RowsKey,
    },
}

/// The links of every side of every leaf.
#[derive(Debug)]
pub(super) struct Skeleton {
    pub(super) links: Vec<Vec<Link>>,
    /// For each block, how many sides of leaves are tied to it.
    pub(super) touched: Vec<u32>,
}

impl Skeleton {
    pub(super) fn new(tree: &Tree, leaves: &[&Leaf], grid: &Grid) -> Self {
        let mut blocks: HashMap<SidePlace, u32> = HashMap::new();
        let mut touched: Vec<u32> = Vec::new();
        let mut block_at = |place: SidePlace| -> u32 {
            let next = u32::try_from(touched.len()).unwrap_or(u32::MAX);
            let block = *blocks.entry(place).or_insert(next);
            if block == next {
                touched.push(0);
            }
            touched[block as usize] += 1;
            block
        };
        let mut links = Vec::with_capacity(leaves.len());
        for leaf in leaves {
            let cell = &leaf.frame.cell;
            let mut own = Vec::with_capacity(2 * grid.dim);
            for side in 0..2 * grid.dim {
                let (axis, upper) = (side / 2, side % 2 == 1);
                let coordinate = grid.face_coordinate(cell, axis, upper);
                let place_of = |cell: &super::grid::Cell| {
                    let mut corner = cell.corner;
                    corner[axis] = coordinate;
                    SidePlace {
                        axis,
                        corner,
                        size: cell.size,
                    }
                };
                let flux = |leaf: &Leaf| leaf.frame.half[axis] * leaf.frame.scale;
                let neighbour = || {
                    let at = grid.across(cell, axis, upper)?;
                    tree.find(at, grid.dim)
                };
                own.push(match &leaf.outer[side] {
                    Some(OuterSide::Values(_)) => Link::Known,
                    Some(OuterSide::Rows { .. }) => Link::Outer {
                        // An outer side may share its place with one across a slit: keep them apart.
                        block: block_at(SidePlace {
                            axis: 3 + side,
                            ..place_of(cell)
                        }),
                    },
                    None => match neighbour() {
                        None => Link::Known,
                        Some(n) => {
                            let other = leaves[n];
                            let there = &other.frame.cell;
                            let ours = there.size < cell.size || (there.size == cell.size && upper);
                            let part = (there.size > cell.size).then(|| {
                                let tangential = (0..grid.dim).filter(|k| *k != axis);
                                tangential.enumerate().fold(0, |part, (bit, k)| {
                                    part | usize::from(cell.corner[k] != there.corner[k]) << bit
                                })
                            });
                            Link::Balance {
                                block: block_at(place_of(if part.is_some() {
                                    there
                                } else {
                                    cell
                                })),
                                part,
                                factor: flux(leaf) / flux(if ours { leaf } else { other }),
                            }
                        }
                    },
                });
            }
            links.push(own);
        }
        Self { links, touched }
    }

    /// The blocks that a leaf is tied to, each once, in the order of its sides.
    pub(super) fn blocks_of(&self, leaf: usize) -> Vec<u32> {
        let mut blocks = Vec::new();
        for block in self.links[leaf].iter().filter_map(|link| link.block()) {
            if !blocks.contains(&block) {
                blocks.push(block);
            }
        }
        blocks
    }

    /// What shapes the front of a leaf.
    pub(super) fn shape(&self, place: usize, leaf: &Leaf, blocks: &[u32]) -> Vec<LinkShape> {
        let local = |block: u32| {
            let position = blocks.iter().position(|b| *b == block).unwrap_or(0);
            u32::try_from(position).unwrap_or(0)
        };
        let links = self.links[place].iter().zip(&leaf.outer);
        links
            .map(|(link, outer)| match (*link, outer) {
                (
                    Link::Balance {
                        block,
                        part,
                        factor,
                    },
                    _,
                ) => LinkShape::Balance {
                    local: local(block),
                    part,
                    factor: factor.to_bits(),
                },
                (Link::Outer { block }, Some(OuterSide::Rows { key, .. })) => LinkShape::Outer {
                    local: local(block),
                    rows: key.clone(),
                },
                _ => LinkShape::Known,
            })
            .collect()
    }

    /// The leaf's part of the skeleton's matrix.
    pub(super) fn leaf_matrix(
        &self,
        place: usize,
        leaf: &Leaf,
        blocks: &[u32],
        reference: &Reference,
        unknowns: usize,
    ) -> Mat<f64> {
        let nodes = reference.side_nodes();
        let size = unknowns * nodes;
        let links = &self.links[place];
        let mut matrix = Mat::zeros(blocks.len() * size, blocks.len() * size);
        let local = |link: &Link| {
            let block = link.block()?;
            blocks.iter().position(|b| *b == block)
        };
        let Some(operator) = &leaf.operator else {
            return matrix;
        };
        for (side, link) in links.iter().enumerate() {
            let Some(row) = local(link) else { continue };
            let outer = match &leaf.outer[side] {
                Some(OuterSide::Rows { matrix, .. }) => Some(super::reference::times(
                    matrix.as_ref(),
                    operator.solve.as_ref(),
                )),
                _ => None,
            };
            for (other, column_link) in links.iter().enumerate() {
                let Some(column) = local(column_link) else {
                    continue;
                };
                let mut part = match (&outer, link) {
                    (Some(rows), _) => rows.as_ref().subcols(other * size, size).to_owned(),
                    (None, Link::Balance { part, factor, .. }) => {
                        let map = operator.steklov.as_ref();
                        let map = map.submatrix(side * size, other * size, size, size);
                        let collected = match part {
                            Some(p) => {
                                each_unknown(&reference.rule.transfers[*p].collect, map, nodes)
                            }
                            None => map.to_owned(),
                        };
                        collected * faer::Scale(*factor)
                    }
                    (None, _) => continue,
                };
                if let Link::Balance { part: Some(p), .. } = column_link {
                    let refine = &reference.rule.transfers[*p].refine;
                    let transposed =
                        each_unknown(&refine.transpose().to_owned(), part.transpose(), nodes);
                    part = transposed.transpose().to_owned();
                }
                let mut target =
                    matrix
                        .as_mut()
                        .submatrix_mut(row * size, column * size, size, size);
                target += &part;
            }
        }
        matrix
    }

    /// Adds what a leaf with these coefficients and fluxes leaves over in the skeleton's equations.
    pub(super) fn add_defect(
        &self,
        place: usize,
        leaf: &Leaf,
        coefficients: &[f64],
        flux: &[f64],
        reference: &Reference,
        rhs: &mut [f64],
    ) {
        let nodes = reference.side_nodes();
        let size = flux.len() / leaf.outer.len().max(1);
        let unknowns = size / nodes.max(1);
        for (side, link) in self.links[place].iter().enumerate() {
            match (*link, &leaf.outer[side]) {
                (
                    Link::Balance {
                        block,
                        part,
                        factor,
                    },
                    _,
                ) => {
                    let own = &flux[side * size..(side + 1) * size];
                    let target = &mut rhs[block as usize * size..(block as usize + 1) * size];
                    for v in 0..unknowns {
                        let own = &own[v * nodes..(v + 1) * nodes];
                        let collected = match part {
                            Some(p) => super::leaf::apply(
                                reference.rule.transfers[p].collect.as_ref(),
                                own,
                            ),
                            None => own.to_vec(),
                        };
                        for (t, f) in target[v * nodes..].iter_mut().zip(collected) {
                            *t -= factor * f;
                        }
                    }
                }
                (Link::Outer { block }, Some(OuterSide::Rows { matrix, data, .. })) => {
                    let found = super::leaf::apply(matrix.as_ref(), coefficients);
                    let target = &mut rhs[block as usize * size..(block as usize + 1) * size];
                    for ((t, d), f) in target.iter_mut().zip(data).zip(found) {
                        *t += d - f;
                    }
                }
                _ => {}
            }
        }
    }

    /// The given traces, zero where they are unknown.
    fn known_traces(&self, leaf: &Leaf, size: usize) -> Vec<f64> {
        let mut traces = vec![0.0; leaf.outer.len() * size];
        for (side, outer) in leaf.outer.iter().enumerate() {
            if let Some(OuterSide::Values(values)) = outer {
                traces[side * size..(side + 1) * size].copy_from_slice(values);
            }
        }
        traces
    }

    /// The blocks that a leaf has a whole side of, with what a function with these coefficients is there.
    pub(super) fn own_traces(
        &self,
        place: usize,
        c: &[f64],
        reference: &Reference,
        unknowns: usize,
    ) -> Vec<(u32, Vec<f64>)> {
        let rank = reference.rank();
        let whole = |link: &Link| match link {
            Link::Balance { part: Some(_), .. } => None,
            other => other.block(),
        };
        let links = self.links[place].iter().zip(&reference.side_values);
        links
            .filter_map(|(link, values)| {
                let of =
                    |v: usize| super::leaf::apply(values.as_ref(), &c[v * rank..(v + 1) * rank]);
                Some((whole(link)?, (0..unknowns).flat_map(of).collect()))
            })
            .collect()
    }

    /// The traces of a leaf from those of the skeleton, with the given ones or with zero in their place.
    pub(super) fn traces(
        &self,
        place: usize,
        leaf: &Leaf,
        reference: &Reference,
        unknowns: usize,
        skeleton: &[f64],
        given: bool,
    ) -> Vec<f64> {
        let nodes = reference.side_nodes();
        let size = unknowns * nodes;
        let mut traces = if given {
            self.known_traces(leaf, size)
        } else {
            vec![0.0; leaf.outer.len() * size]
        };
        for (side, link) in self.links[place].iter().enumerate() {
            let Some(block) = link.block() else { continue };
            let source = &skeleton[block as usize * size..(block as usize + 1) * size];
            let target = &mut traces[side * size..(side + 1) * size];
            match link {
                Link::Balance { part: Some(p), .. } => {
                    let refine = reference.rule.transfers[*p].refine.as_ref();
                    for v in 0..unknowns {
                        let fine = super::leaf::apply(refine, &source[v * nodes..(v + 1) * nodes]);
                        target[v * nodes..(v + 1) * nodes].copy_from_slice(&fine);
                    }
                }
                _ => target.copy_from_slice(source),
            }
        }
        traces
    }
}

/// (I ⊗ A)·B: A on the nodes of each unknown.
fn each_unknown(a: &Mat<f64>, b: MatRef<'_, f64>, nodes: usize) -> Mat<f64> {
    let mut out = Mat::zeros(b.nrows(), b.ncols());
    for start in (0..b.nrows()).step_by(nodes.max(1)) {
        crate::lsq::add_product(
            out.as_mut().subrows_mut(start, nodes),
            1.0,
            a.as_ref(),
            b.subrows(start, nodes),
            false,
        );
    }
    out
}
