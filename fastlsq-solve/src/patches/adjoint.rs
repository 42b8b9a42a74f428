//! Transposed solves: what covectors of the coefficients say of the data, through the same leaves and the same tree.
//!
//! A solve takes data to c₀ = S g + P f in each leaf, these to the defect of fluxes and outer rows, r = −D c₀, the
//! tree takes r to traces λ = K⁻¹ r, and c = c₀ + S λ. Backwards, c̄ gives λ̄ = Sᵀ c̄, r̄ = K⁻ᵀ λ̄, c̄₀ = c̄ − Dᵀ r̄, and
//! f̄ = Pᵀ c̄₀, ḡ = Sᵀ c̄₀. Each front solves its transposed system with the factors that it has.

use faer::ColRef;

use super::groups::groups;
use super::leaf::{Leaf, LeafData, SideData, apply};
use super::reference::Reference;
use super::skeleton::{Link, Skeleton};
use super::step::Factored;

/// What covectors of the coefficients say of everything that is given.
#[derive(Debug)]
pub(super) struct DataCovector {
    /// For each leaf; what is said of check points and of jumps of the flux is left out.
    pub(super) leaves: Vec<LeafData>,
    /// For each functional's number.
    pub(super) values: Vec<f64>,
}

impl Factored<'_> {
    /// The transpose of a solve from nothing: for c̄ of every leaf, d̄ with ⟨c(data), c̄⟩ = ⟨data, d̄⟩. Where several
    /// processes share the leaves, each learns what is said of its own, and all of them learn what is said of the functionals.
    pub(super) fn transposed(&self, covectors: &[Vec<f64>]) -> DataCovector {
        let (leaves, skeleton, reference) = (&self.leaves, &self.skeleton, self.reference);
        let mut traces = vec![0.0; self.elimination.unknowns()];
        let mut multipliers = vec![0.0; self.values.len()];
        for (place, leaf) in leaves.iter().enumerate() {
            let Some(operator) = &leaf.operator else {
                continue;
            };
            let own = apply(operator.solve.transpose(), &covectors[place]);
            skeleton.add_traces_transposed(place, reference, &own, &mut traces);
            if let Some(border) = &self.border {
                border.respond_transposed(place, &covectors[place], &mut multipliers);
            }
        }
        let values = match &self.border {
            Some(border) => {
                let mut all = self.sharing.sum(traces);
                let multipliers = self.sharing.sum(multipliers);
                let values = border.solve_transposed(&mut all, &multipliers);
                traces = self.elimination.own_part(&all);
                values
            }
            None => Vec::new(),
        };
        let skeleton_covector = self.elimination.solve_transposed(traces, &self.sharing);
        let mut all = vec![LeafData::default(); leaves.len()];
        for group in groups(leaves) {
            let operator = group.operator;
            for &place in &group.places {
                let leaf = leaves[place];
                let mut c = covectors[place].clone();
                if let Some(border) = &self.border {
                    border.measure_transposed(place, &values, &mut c);
                }
                let mut flux = vec![0.0; operator.flux.nrows()];
                let mut outer = vec![Vec::new(); leaf.outer.len()];
                skeleton.defect_transposed(
                    place,
                    leaf,
                    (&mut c, &mut flux),
                    &mut outer,
                    reference,
                    &skeleton_covector,
                );
                let back = apply(operator.flux.transpose(), &flux);
                c.iter_mut().zip(back).for_each(|(c, b)| *c += b);
                let given = apply(operator.solve.transpose(), &c);
                let size = given.len() / leaf.outer.len().max(1);
                let sides = skeleton.links[place].iter().zip(outer).enumerate();
                let sides = sides.map(|(side, (link, rows))| SideData {
                    traces: match link {
                        Link::Outer { .. } => rows,
                        _ => given[side * size..(side + 1) * size].to_vec(),
                    },
                    fluxes: Vec::new(),
                });
                let column = ColRef::from_slice(&c).as_mat();
                let inner = operator.source.apply_transposed(column, reference);
                all[place] = LeafData {
                    inner: inner.col_as_slice(0).to_vec(),
                    check: Vec::new(),
                    sides: sides.collect(),
                };
            }
        }
        DataCovector {
            leaves: all,
            values,
        }
    }
}

impl Skeleton {
    /// The transpose of [`traces`](Self::traces) with nothing given: adds to the skeleton.
    pub(super) fn add_traces_transposed(
        &self,
        place: usize,
        reference: &Reference,
        traces: &[f64],
        skeleton: &mut [f64],
    ) {
        let nodes = reference.side_nodes();
        let size = traces.len() / self.links[place].len().max(1);
        for (side, link) in self.links[place].iter().enumerate() {
            let Some(block) = link.block() else { continue };
            let source = &traces[side * size..(side + 1) * size];
            let target = &mut skeleton[block as usize * size..(block as usize + 1) * size];
            for (own, target) in source.chunks(nodes).zip(target.chunks_mut(nodes)) {
                let carried = match link {
                    Link::Balance { part: Some(p), .. } => {
                        apply(reference.rule.transfers[*p].refine.transpose(), own)
                    }
                    _ => own.to_vec(),
                };
                target.iter_mut().zip(carried).for_each(|(t, c)| *t += c);
            }
        }
    }

    /// The transpose of [`add_defect`](Self::add_defect) for coefficients, fluxes and outer data: what a covector of the
    /// skeleton's equations says of them.
    pub(super) fn defect_transposed(
        &self,
        place: usize,
        leaf: &Leaf,
        (coefficients, flux): (&mut [f64], &mut [f64]),
        outer_data: &mut [Vec<f64>],
        reference: &Reference,
        covector: &[f64],
    ) {
        let nodes = reference.side_nodes();
        let size = flux.len() / leaf.outer.len().max(1);
        for (side, link) in self.links[place].iter().enumerate() {
            let Some(block) = link.block() else { continue };
            let source = &covector[block as usize * size..(block as usize + 1) * size];
            match (*link, &leaf.outer[side]) {
                (Link::Balance { part, factor, .. }, _) => {
                    let target = &mut flux[side * size..(side + 1) * size];
                    for (own, target) in source.chunks(nodes).zip(target.chunks_mut(nodes)) {
                        let carried = match part {
                            Some(p) => apply(reference.rule.transfers[p].collect.transpose(), own),
                            None => own.to_vec(),
                        };
                        let pairs = target.iter_mut().zip(carried);
                        pairs.for_each(|(t, c)| *t -= factor * c);
                    }
                }
                (Link::Outer { .. }, Some(outer)) => {
                    let Some(rows) = &outer.rows else { continue };
                    let carried = apply(rows.matrix.transpose(), source);
                    coefficients
                        .iter_mut()
                        .zip(carried)
                        .for_each(|(t, c)| *t -= c);
                    outer_data[side] = source.to_vec();
                }
                _ => {}
            }
        }
    }
}
