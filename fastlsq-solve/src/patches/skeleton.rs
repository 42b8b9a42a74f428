//! The skeleton: blocks of unknown traces on sides, and how leaves are tied to them.

use std::collections::HashMap;

use super::grid::Grid;
use super::leaf::{Leaf, LeafData, apply};
use super::outer::RowsKey;
use super::reference::Reference;
use super::tree::Tree;

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
                    Some(outer) if outer.rows.is_none() => Link::Known,
                    Some(_) => Link::Outer {
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
                (Link::Outer { block }, Some(outer)) => match &outer.rows {
                    Some(rows) => LinkShape::Outer {
                        local: local(block),
                        rows: rows.key.clone(),
                    },
                    None => LinkShape::Known,
                },
                _ => LinkShape::Known,
            })
            .collect()
    }

    /// Adds the defect that a leaf with these coefficients and fluxes leaves in the skeleton's equations.
    pub(super) fn add_defect(
        &self,
        place: usize,
        leaf: &Leaf,
        (coefficients, flux): (&[f64], &[f64]),
        data: &LeafData,
        reference: &Reference,
        rhs: &mut [f64],
    ) {
        let nodes = reference.side_nodes();
        let size = flux.len() / leaf.outer.len().max(1);
        for (side, link) in self.links[place].iter().enumerate() {
            let given = data.sides.get(side);
            match (*link, &leaf.outer[side]) {
                (
                    Link::Balance {
                        block,
                        part,
                        factor,
                    },
                    _,
                ) => {
                    let mut own = flux[side * size..(side + 1) * size].to_vec();
                    for (f, more) in own.iter_mut().zip(given.map_or(&[][..], |g| &g.fluxes)) {
                        *f += more;
                    }
                    let target = &mut rhs[block as usize * size..(block as usize + 1) * size];
                    for (own, target) in own.chunks(nodes).zip(target.chunks_mut(nodes)) {
                        let collected = match part {
                            Some(p) => apply(reference.rule.transfers[p].collect.as_ref(), own),
                            None => own.to_vec(),
                        };
                        for (t, f) in target.iter_mut().zip(collected) {
                            *t -= factor * f;
                        }
                    }
                }
                (Link::Outer { block }, Some(outer)) => {
                    let Some(rows) = &outer.rows else { continue };
                    let found = apply(rows.matrix.as_ref(), coefficients);
                    let target = &mut rhs[block as usize * size..(block as usize + 1) * size];
                    for (t, f) in target.iter_mut().zip(found) {
                        *t -= f;
                    }
                    for (t, d) in target.iter_mut().zip(given.map_or(&[][..], |g| &g.traces)) {
                        *t += d;
                    }
                }
                _ => {}
            }
        }
    }

    /// The blocks that a leaf has a whole side of, with what a function with these coefficients is there.
    pub(super) fn own_traces(
        &self,
        place: usize,
        c: &[f64],
        reference: &Reference,
        data: &LeafData,
    ) -> Vec<(u32, Vec<f64>)> {
        let rank = reference.rank();
        let unknowns = c.len() / rank.max(1);
        let whole = |link: &Link| match link {
            Link::Balance { part: Some(_), .. } => None,
            other => other.block(),
        };
        let links = self.links[place].iter().zip(&reference.side_values);
        links
            .enumerate()
            .filter_map(|(side, (link, values))| {
                let of = |v: usize| apply(values.as_ref(), &c[v * rank..(v + 1) * rank]);
                let block = whole(link)?;
                let mut traces: Vec<f64> = (0..unknowns).flat_map(of).collect();
                for (trace, jump) in traces.iter_mut().zip(jump_of(link, data, side)) {
                    *trace -= jump;
                }
                Some((block, traces))
            })
            .collect()
    }

    /// The traces of a leaf from those of the skeleton, with what is given or with zero in its place.
    pub(super) fn traces(
        &self,
        place: usize,
        reference: &Reference,
        unknowns: usize,
        skeleton: &[f64],
        given: Option<&LeafData>,
    ) -> Vec<f64> {
        let nodes = reference.side_nodes();
        let size = unknowns * nodes;
        let mut traces = vec![0.0; self.links[place].len() * size];
        for (side, link) in self.links[place].iter().enumerate() {
            let target = &mut traces[side * size..(side + 1) * size];
            if let Some(data) = given {
                for (t, jump) in target.iter_mut().zip(jump_of(link, data, side)) {
                    *t = *jump;
                }
            }
            let Some(block) = link.block() else { continue };
            let source = &skeleton[block as usize * size..(block as usize + 1) * size];
            let mut add = |start: usize, values: &[f64]| {
                let pairs = target[start..].iter_mut().zip(values);
                pairs.for_each(|(t, v)| *t += v);
            };
            match link {
                Link::Balance { part: Some(p), .. } => {
                    let refine = reference.rule.transfers[*p].refine.as_ref();
                    for (v, own) in source.chunks(nodes).enumerate() {
                        add(v * nodes, &apply(refine, own));
                    }
                }
                _ => add(0, source),
            }
        }
        traces
    }
}

/// What is given beyond the skeleton's traces on a side: all of them on the outer boundary, a jump between leaves, nothing
/// where rows are given.
fn jump_of<'a>(link: &Link, data: &'a LeafData, side: usize) -> &'a [f64] {
    match (link, data.sides.get(side)) {
        (Link::Outer { .. }, _) | (_, None) => &[],
        (_, Some(given)) => &given.traces,
    }
}
