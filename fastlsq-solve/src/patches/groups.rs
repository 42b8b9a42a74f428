//! Leaves of one class together: their maps are applied to many columns at once.

use std::collections::HashMap;

use faer::{Mat, MatRef};

use super::PatchError;
use super::leaf::{Leaf, LeafData};
use super::operator::LeafOperator;
use super::reference::{Reference, times};
use crate::lsq::add_product;

/// The most leaves in a group.
const GROUP: usize = 32;

/// Leaves that share their operator, by their places in the tree.
pub(super) struct Group<'a> {
    pub(super) operator: &'a LeafOperator,
    pub(super) places: Vec<usize>,
}

/// Groups of the leaves whose operators are here; they depend on these leaves only, not on threads.
pub(super) fn groups<'a>(leaves: &[&'a Leaf]) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    let mut open: HashMap<u32, usize> = HashMap::new();
    for (place, leaf) in leaves.iter().enumerate() {
        let Some(operator) = &leaf.operator else {
            continue;
        };
        let known = open.get(&leaf.class).copied();
        match known.filter(|&group| groups[group].places.len() < GROUP) {
            Some(group) => groups[group].places.push(place),
            None => {
                open.insert(leaf.class, groups.len());
                groups.push(Group {
                    operator,
                    places: vec![place],
                });
            }
        }
    }
    groups
}

impl Group<'_> {
    /// Vectors of the leaves side by side.
    pub(super) fn columns<'b>(&self, rows: usize, of: impl Fn(usize) -> &'b [f64]) -> Mat<f64> {
        let mut columns = Mat::zeros(rows, self.places.len());
        for (j, &place) in self.places.iter().enumerate() {
            for (i, value) in of(place).iter().enumerate().take(rows) {
                columns[(i, j)] = *value;
            }
        }
        columns
    }

    /// c + P (f − A c) with these traces: what the equation inside and the sides make of an approximation c.
    ///
    /// From nothing this is S λ + P f; from an earlier result, a step of iterative refinement. For equations that are
    /// not linear, the residual that c leaves in them is given, and this is a step of Newton's method.
    pub(super) fn improved(
        &self,
        (leaves, data): (&[&Leaf], &[&LeafData]),
        before: Option<Mat<f64>>,
        traces: &Mat<f64>,
        residuals: &[Vec<f64>],
        reference: &Reference,
    ) -> Result<Mat<f64>, PatchError> {
        let operator = self.operator;
        let first = before.is_none();
        let width = self.places.len();
        let mut c = before.unwrap_or_else(|| Mat::zeros(operator.solve.nrows(), width));
        let rows = c.nrows() / reference.rank().max(1) * reference.inner.len();
        let mut rest = self.columns(rows, |p| &data[p].inner);
        if self.places.iter().any(|&p| !residuals[p].is_empty()) {
            rest -= self.columns(rows, |p| &residuals[p]);
        } else if !first {
            self.subtract_equation(leaves, &mut rest, &c, reference)?;
        }
        c += operator.source.apply(rest, reference);
        let mut miss = traces.to_owned();
        if !first {
            subtract_traces(&mut miss, c.as_ref(), reference);
        }
        c += times(operator.solve.as_ref(), miss.as_ref());
        Ok(c)
    }

    /// Subtracts the left-hand sides of linear equations at the inner points.
    fn subtract_equation(
        &self,
        leaves: &[&Leaf],
        rest: &mut Mat<f64>,
        c: &Mat<f64>,
        reference: &Reference,
    ) -> Result<(), PatchError> {
        if let Some(equation) = &self.operator.equation {
            add_product(rest.as_mut(), -1.0, equation.as_ref(), c.as_ref(), false);
            return Ok(());
        }
        // Coefficients that vary: a class with one leaf.
        let Some(leaf) = self.places.first().map(|&place| leaves[place]) else {
            return Ok(());
        };
        let tables = reference.tables(&reference.inner)?;
        let (rank, points) = (reference.rank(), reference.inner.len());
        for (e, row) in leaf.frame.rows.iter().enumerate() {
            for term in &row.terms {
                let own = c.as_ref().subrows(term.unknown * rank, rank);
                let mut values = times(tables[term.alpha].as_ref(), own);
                values *= faer::Scale(-1.0);
                let part = rest.as_mut().subrows_mut(e * points, points);
                term.add_times(values.as_ref(), part);
            }
        }
        Ok(())
    }
}

/// Subtracts the traces of functions with these coefficients.
fn subtract_traces(traces: &mut Mat<f64>, c: MatRef<'_, f64>, reference: &Reference) {
    let (rank, nodes) = (reference.rank(), reference.side_nodes());
    let unknowns = c.nrows() / rank.max(1);
    for (side, values) in reference.side_values.iter().enumerate() {
        for v in 0..unknowns {
            let start = (side * unknowns + v) * nodes;
            add_product(
                traces.as_mut().subrows_mut(start, nodes),
                -1.0,
                values.as_ref(),
                c.subrows(v * rank, rank),
                false,
            );
        }
    }
}
