//! Candidate laws on one pane: moments of their terms, and their slopes with respect to the solution.

use std::collections::BTreeMap;

use faer::Mat;

use super::pane::{Pair, Shape};
use super::polynomials::Line;
use crate::grid::column::falling;
use crate::grid::flow::slopes;
use crate::grid::term::{GridTerm, Inside, Part};

/// The slope of a part with respect to D^β of a field under D^α: (field, α, β).
type Slot = (usize, Pair, Pair);

/// The fields of a pane at the nodes.
pub(super) struct OnNodes<'p> {
    shape: &'p Shape,
    state: &'p [Mat<f64>],
    jets: BTreeMap<(usize, Pair), Mat<f64>>,
}

impl<'p> OnNodes<'p> {
    pub(super) fn new(shape: &'p Shape, state: &'p [Mat<f64>]) -> Self {
        Self {
            shape,
            state,
            jets: BTreeMap::new(),
        }
    }

    fn jet(&mut self, field: usize, beta: Pair) -> &Mat<f64> {
        let (shape, state) = (self.shape, self.state);
        let jets = self.jets.entry((field, beta));
        jets.or_insert_with(|| shape.derivative(&state[field], beta))
    }

    /// The moments of a term.
    pub(super) fn moments(&mut self, term: &GridTerm) -> Mat<f64> {
        let [x, t] = &self.shape.lines;
        let mut sum = Mat::zeros(x.equations(), t.equations());
        for part in &term.parts {
            let values = self.values(part);
            sum += faer::Scale(part.factor) * self.shape.moments(&values, pair(&part.outer));
        }
        sum
    }

    /// The nodes along both axes.
    fn size(&self) -> [usize; 2] {
        self.shape.lines.each_ref().map(Line::nodes)
    }

    /// What stands under the outer derivative of a part.
    fn values(&mut self, part: &Part) -> Mat<f64> {
        let size = self.size();
        match &part.inside {
            Inside::Product(factors) => {
                let mut product = Mat::from_fn(size[0], size[1], |_, _| 1.0);
                for factor in factors {
                    let jet = self.jet(factor.field, pair(&factor.inner));
                    product = Mat::from_fn(size[0], size[1], |i, j| {
                        product[(i, j)] * falling(jet[(i, j)], factor.power, 0)
                    });
                }
                product
            }
            Inside::Function(f) => {
                let fields = self.fields();
                let mut at = vec![0.0; fields.len()];
                Mat::from_fn(size[0], size[1], |i, j| {
                    for (slot, field) in at.iter_mut().zip(&fields) {
                        *slot = field[(i, j)];
                    }
                    f(&at)
                })
            }
        }
    }

    /// Adds `factor` times the slopes of a term to sums over all terms of a law.
    pub(super) fn add_slopes(
        &mut self,
        term: &GridTerm,
        factor: f64,
        sums: &mut BTreeMap<Slot, Mat<f64>>,
    ) {
        for part in &term.parts {
            let alpha = pair(&part.outer);
            for (field, beta, slope) in self.slopes(part) {
                let scaled = faer::Scale(factor * part.factor) * slope;
                match sums.entry((field, alpha, beta)) {
                    std::collections::btree_map::Entry::Vacant(empty) => {
                        empty.insert(scaled);
                    }
                    std::collections::btree_map::Entry::Occupied(mut known) => {
                        *known.get_mut() += scaled;
                    }
                }
            }
        }
    }

    fn slopes(&mut self, part: &Part) -> Vec<(usize, Pair, Mat<f64>)> {
        let size = self.size();
        match &part.inside {
            Inside::Product(factors) => (0..factors.len())
                .map(|own| {
                    let mut product = Mat::from_fn(size[0], size[1], |_, _| 1.0);
                    for (k, factor) in factors.iter().enumerate() {
                        let jet = self.jet(factor.field, pair(&factor.inner));
                        let less = u32::from(k == own);
                        product = Mat::from_fn(size[0], size[1], |i, j| {
                            product[(i, j)] * falling(jet[(i, j)], factor.power, less)
                        });
                    }
                    (factors[own].field, pair(&factors[own].inner), product)
                })
                .collect(),
            Inside::Function(f) => {
                let fields = self.fields();
                let mut all = vec![Mat::zeros(size[0], size[1]); fields.len()];
                let mut at = vec![0.0; fields.len()];
                for j in 0..size[1] {
                    for i in 0..size[0] {
                        for (slot, field) in at.iter_mut().zip(&fields) {
                            *slot = field[(i, j)];
                        }
                        for (all, slope) in all.iter_mut().zip(slopes(f.as_ref(), &at)) {
                            all[(i, j)] = slope;
                        }
                    }
                }
                let each = all.into_iter().enumerate();
                each.map(|(field, slope)| (field, [0, 0], slope)).collect()
            }
        }
    }

    fn fields(&mut self) -> Vec<Mat<f64>> {
        (0..self.state.len())
            .map(|field| self.jet(field, [0, 0]).clone())
            .collect()
    }
}

/// A multi-index over two axes.
pub(super) fn pair(orders: &[u32]) -> Pair {
    [0, 1].map(|axis: usize| orders.get(axis).map_or(0, |n| *n as usize))
}
