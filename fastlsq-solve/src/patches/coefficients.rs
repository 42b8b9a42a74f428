//! The coefficients of equations and conditions in the coordinates of a leaf.

use faer::prelude::ReborrowMut;
use faer::{MatMut, MatRef};
use fastlsq_basis::{Coefficient, MultiIndex};
use fastlsq_ops::{EquationRow, Sites};
use ndarray::{Array2, ArrayView2};

use super::reference::Reference;
use super::{PatchError, PointJet};
use crate::lsq::{column, column_mut};

/// One coefficient: the same at all points, or one value for each.
#[derive(Debug, Clone)]
pub(super) enum Values {
    Constant(f64),
    Each(Vec<f64>),
}

impl Values {
    pub(super) fn at(&self, point: usize) -> f64 {
        match self {
            Self::Constant(c) => *c,
            Self::Each(values) => values[point],
        }
    }

    /// How many points have a value of their own.
    fn count(&self) -> usize {
        match self {
            Self::Constant(_) => 1,
            Self::Each(values) => values.len(),
        }
    }

    /// The largest value with the sign of `like`, in absolute value.
    fn largest_like(&self, like: f64) -> f64 {
        let same = |c: f64| if c * like > 0.0 { c.abs() } else { 0.0 };
        match self {
            Self::Constant(c) => same(*c),
            Self::Each(values) => values.iter().fold(0.0, |m, c| m.max(same(*c))),
        }
    }

    /// The middle between the smallest and the largest value, and their distance from it.
    fn range(&self) -> (f64, f64) {
        match self {
            Self::Constant(c) => (*c, 0.0),
            Self::Each(values) => {
                let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
                let highest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                (0.5 * (lowest + highest), 0.5 * (highest - lowest))
            }
        }
    }

    /// The largest difference; both at the same points.
    fn distance(&self, other: &Self) -> f64 {
        let count = self.count().max(other.count());
        let differences = (0..count).map(|i| (self.at(i) - other.at(i)).abs());
        differences.fold(0.0, |a, b| if b.is_nan() { b } else { a.max(b) })
    }

    fn largest(&self) -> f64 {
        match self {
            Self::Constant(c) => c.abs(),
            Self::Each(values) => values.iter().fold(0.0, |m, v| m.max(v.abs())),
        }
    }
}

/// c(x) D^α on one unknown; α by its place in the tables of the reference leaf.
#[derive(Debug, Clone)]
pub(super) struct LocalTerm {
    pub(super) unknown: usize,
    pub(super) alpha: usize,
    pub(super) values: Values,
}

/// A row of operators at a set of points of one leaf, in its coordinates: D^α has become h^{−α} D̂^α.
#[derive(Debug, Clone)]
pub(super) struct LocalRow {
    pub(super) terms: Vec<LocalTerm>,
}

impl LocalRow {
    /// Evaluates the coefficients of `row` at points of a leaf with half-widths `half`.
    pub(super) fn new(
        row: &EquationRow,
        sites: Sites<'_>,
        half: &[f64],
        reference: &Reference,
    ) -> Result<Self, PatchError> {
        let mut terms: Vec<LocalTerm> = Vec::new();
        for (unknown, operator) in row.blocks() {
            let prepared = operator.rows(sites)?;
            for term in prepared.form().terms() {
                let alpha = &term.action.derivative;
                let Some(place) = reference.index(alpha) else {
                    continue;
                };
                let scale = inverse_power(half, alpha);
                let values = match term.coefficient {
                    Coefficient::Constant(c) => Values::Constant(c * scale),
                    Coefficient::PerPoint(each) => {
                        let first = each.first().copied().unwrap_or(0.0);
                        if each.iter().all(|&c| c == first) {
                            Values::Constant(first * scale)
                        } else {
                            Values::Each(each.iter().map(|c| c * scale).collect())
                        }
                    }
                };
                terms.push(LocalTerm {
                    unknown: *unknown,
                    alpha: place,
                    values,
                });
            }
        }
        Ok(Self { terms })
    }

    /// The row with these slopes by jets, one row of the table per point.
    pub(super) fn of_slopes(
        jets: &[PointJet],
        slopes: ArrayView2<'_, f64>,
        half: &[f64],
        reference: &Reference,
    ) -> Self {
        let columns = jets.iter().zip(slopes.columns());
        let terms = columns.filter_map(|(jet, column)| {
            let scale = inverse_power(half, &jet.derivative);
            let first = column.first().copied().unwrap_or(0.0);
            let constant = column.iter().all(|&c| c == first);
            Some(LocalTerm {
                unknown: jet.unknown,
                alpha: reference.index(&jet.derivative)?,
                values: match constant {
                    true => Values::Constant(first * scale),
                    false => Values::Each(column.iter().map(|c| c * scale).collect()),
                },
            })
        });
        Self {
            terms: terms.collect(),
        }
    }

    /// Only the terms with derivatives of this order.
    pub(super) fn of_order(mut self, order: u32, reference: &Reference) -> Self {
        let has = |term: &LocalTerm| reference.derivatives[term.alpha].order() == order;
        self.terms.retain(has);
        self
    }

    /// The largest coefficient of an unknown itself.
    pub(super) fn reaction(&self, reference: &Reference) -> f64 {
        let plain = |term: &&LocalTerm| reference.derivatives[term.alpha].order() == 0;
        let own = self.terms.iter().filter(plain);
        own.map(|term| term.values.largest()).fold(0.0, f64::max)
    }

    /// Takes this much from the coefficient of an unknown, against the sign of its second derivatives.
    pub(super) fn shift(&mut self, unknown: usize, by: f64, reference: &Reference) {
        let own = |term: &&LocalTerm| term.unknown == unknown;
        let orders = |term: &LocalTerm| reference.derivatives[term.alpha].orders();
        let leading = self.terms.iter().filter(own);
        let leading = leading.filter(|term| orders(term).contains(&2));
        let sum: f64 = leading.map(|term| term.values.at(0)).sum();
        let by = if sum > 0.0 { -by } else { by };
        let plain = |alpha: &MultiIndex| alpha.order() == 0;
        let alpha = reference.derivatives.iter().position(plain).unwrap_or(0);
        let mut terms = self.terms.iter_mut();
        match terms.find(|term| term.unknown == unknown && term.alpha == alpha) {
            Some(term) => match &mut term.values {
                Values::Constant(c) => *c += by,
                Values::Each(values) => values.iter_mut().for_each(|c| *c += by),
            },
            None => self.terms.push(LocalTerm {
                unknown,
                alpha,
                values: Values::Constant(by),
            }),
        }
    }

    /// The largest difference from the coefficients of another row with the same terms; infinite if its terms are others.
    pub(super) fn distance(&self, other: &Self) -> f64 {
        let same = |(a, b): (&LocalTerm, &LocalTerm)| (a.unknown, a.alpha) == (b.unknown, b.alpha);
        let pairs = || self.terms.iter().zip(&other.terms);
        if self.terms.len() != other.terms.len() || !pairs().all(same) {
            return f64::INFINITY;
        }
        let distances = pairs().map(|(a, b)| a.values.distance(&b.values));
        distances.fold(0.0, f64::max)
    }

    /// Constants in place of coefficients of lower order that hardly vary, in multiples of a quantum, so that many leaves
    /// share them. A row that varies by more, or in its leading coefficients, stays as it is.
    pub(super) fn rounded(mut self, quantum: f64, reference: &Reference) -> Self {
        let leading = |term: &LocalTerm| reference.derivatives[term.alpha].order() == 2;
        let allowed = |term: &LocalTerm| if leading(term) { 0.0 } else { quantum };
        let flat = |term: &LocalTerm| term.values.range().1 <= allowed(term);
        if self.terms.iter().all(flat) {
            for term in self.terms.iter_mut().filter(|term| !leading(term)) {
                let (middle, _) = term.values.range();
                term.values = Values::Constant((middle / quantum).round() * quantum);
            }
        }
        self
    }

    /// The largest coefficient of a derivative of order at least `order`.
    pub(super) fn largest(&self, order: u32, reference: &Reference) -> f64 {
        self.terms
            .iter()
            .filter(|term| reference.derivatives[term.alpha].order() >= order)
            .map(|term| term.values.largest())
            .fold(0.0, f64::max)
    }

    /// k·h if this reads Δu + k²u in the leaf's coordinates: the root of the coefficient of u over that of the second
    /// derivatives, where they have the same sign.
    pub(super) fn oscillation(&self, reference: &Reference) -> f64 {
        let order = |term: &LocalTerm| reference.derivatives[term.alpha].orders().to_vec();
        let leading = self
            .terms
            .iter()
            .filter(|term| order(term).contains(&2))
            .map(|term| term.values.at(0))
            .fold(0.0, |a: f64, b| if b.abs() > a.abs() { b } else { a });
        let plain = self
            .terms
            .iter()
            .filter(|term| order(term).iter().all(|n| *n == 0));
        plain
            .map(|term| (term.values.largest_like(leading) / leading.abs()).sqrt())
            .fold(0.0, f64::max)
    }

    /// On a line: how fast solutions without a source may fall off from the lower and from the upper end of the leaf, in its
    /// coordinates. These are −λ and λ for the real roots of aλ² + bλ + c, the coefficients of an unknown taken at any point.
    pub(super) fn falling_off(&self, reference: &Reference) -> [f64; 2] {
        let order = |term: &LocalTerm| reference.derivatives[term.alpha].order();
        let count = self.terms.iter().map(|term| term.values.count());
        let count = count.max().unwrap_or(0);
        let mut fastest = [0.0_f64; 2];
        for leading in self.terms.iter().filter(|term| order(term) == 2) {
            let own = |term: &&LocalTerm| term.unknown == leading.unknown;
            for point in 0..count {
                let sum = |of: u32| -> f64 {
                    let terms = self.terms.iter().filter(own);
                    let terms = terms.filter(|term| order(term) == of);
                    terms.map(|term| term.values.at(point)).sum()
                };
                let (half, c) = (0.5 * sum(1) / sum(2), sum(0) / sum(2));
                let discriminant = half * half - c;
                if discriminant < 0.0 {
                    continue;
                }
                // The larger root without cancellation, the other by their product.
                let larger = -half - discriminant.sqrt().copysign(half);
                let other = if larger == 0.0 { 0.0 } else { c / larger };
                for root in [larger, other] {
                    fastest[0] = fastest[0].max(-root);
                    fastest[1] = fastest[1].max(root);
                }
            }
        }
        fastest
    }

    /// Adds Σ a ξᵢξⱼ over the second derivatives at one point to the row of a matrix, one column per unknown.
    fn add_symbol(&self, point: usize, xi: &[f64], reference: &Reference, into: &mut [f64]) {
        for term in &self.terms {
            let orders = reference.derivatives[term.alpha].orders();
            if orders.iter().sum::<u32>() == 2 {
                let powers = orders.iter().zip(xi);
                let power: f64 = powers.map(|(&n, x)| x.powi(n.cast_signed())).product();
                into[term.unknown] += term.values.at(point) * power;
            }
        }
    }

    /// Numbers that are stored.
    pub(super) fn numbers(&self) -> usize {
        self.terms.iter().map(|term| term.values.count()).sum()
    }

    /// Divides by a number.
    pub(super) fn divide(&mut self, by: f64) {
        for term in &mut self.terms {
            match &mut term.values {
                Values::Constant(c) => *c /= by,
                Values::Each(values) => values.iter_mut().for_each(|c| *c /= by),
            }
        }
    }

    /// The coefficients as numbers that can be compared, if none of them varies.
    pub(super) fn key(&self) -> Option<Vec<u64>> {
        let mut key = Vec::with_capacity(2 * self.terms.len());
        for term in &self.terms {
            let Values::Constant(c) = term.values else {
                return None;
            };
            key.push(((term.unknown as u64) << 32) | term.alpha as u64);
            key.push(c.to_bits());
        }
        Some(key)
    }

    /// n·a∇u on a side at right angles to `axis`, from these coefficients of second derivatives taken at its nodes.
    ///
    /// In the leaf's coordinates, divided by the half-width along the axis: with v̂ = a/(hᵢhⱼ) the flux is
    /// ±hᵢ Σⱼ v̂ᵢⱼ ∂̂ⱼu, a mixed coefficient counting half.
    pub(super) fn conormal(&self, axis: usize, upper: bool, reference: &Reference) -> Self {
        let sign = if upper { 1.0 } else { -1.0 };
        let mut terms = Vec::new();
        for term in &self.terms {
            let alpha = reference.derivatives[term.alpha].orders();
            if alpha.iter().sum::<u32>() != 2 || alpha[axis] == 0 {
                continue;
            }
            let mut rest = alpha.to_vec();
            rest[axis] -= 1;
            let factor = if alpha[axis] == 2 { sign } else { 0.5 * sign };
            let Some(place) = reference.index(&MultiIndex::new(rest)) else {
                continue;
            };
            let values = match &term.values {
                Values::Constant(c) => Values::Constant(c * factor),
                Values::Each(values) => Values::Each(values.iter().map(|c| c * factor).collect()),
            };
            terms.push(LocalTerm {
                unknown: term.unknown,
                alpha: place,
                values,
            });
        }
        Self { terms }
    }
}

impl LocalTerm {
    /// Adds diag(c)·T to a matrix, where T has a row per point.
    pub(super) fn add_times(&self, table: MatRef<'_, f64>, mut out: MatMut<'_, f64>) {
        for j in 0..table.ncols().min(out.ncols()) {
            let source = column(table, j);
            let source = source.iter();
            let target = column_mut(out.rb_mut(), j);
            match &self.values {
                Values::Constant(c) => {
                    let pairs = target.iter_mut().zip(source);
                    pairs.for_each(|(t, s)| *t += c * s);
                }
                Values::Each(values) => {
                    let triples = target.iter_mut().zip(source).zip(values);
                    triples.for_each(|((t, s), c)| *t += c * s);
                }
            }
        }
    }
}

/// h^{−α}.
pub(super) fn inverse_power(half: &[f64], alpha: &MultiIndex) -> f64 {
    let orders = alpha.orders().iter().zip(half);
    orders.map(|(&n, h)| h.powi(-n.cast_signed())).product()
}

/// x = centre + h x̂ for every row of a point set.
pub(super) fn place(points: ArrayView2<'_, f64>, center: &[f64], half: &[f64]) -> Array2<f64> {
    let mut placed = points.to_owned();
    for mut row in placed.rows_mut() {
        for ((x, c), h) in row.iter_mut().zip(center).zip(half) {
            *x = c + h * *x;
        }
    }
    placed
}

/// Directions in which the symbol is looked at.
const DIRECTIONS: usize = 16;
/// A symbol below this share of its largest value vanishes.
const VANISHES: f64 = 1e-12;

/// Whether the second derivatives of a system of equations determine its unknowns along every direction at a point:
/// det Σ a ξᵢξⱼ ≠ 0 for all ξ, with the same sign throughout, each row over its largest value in any direction.
pub(super) fn are_elliptic(rows: &[LocalRow], point: usize, reference: &Reference) -> bool {
    let size = rows.len();
    let mut symbols = vec![faer::Mat::<f64>::zeros(size, size); DIRECTIONS];
    let mut largest = vec![0.0_f64; size];
    for (k, symbol) in symbols.iter_mut().enumerate() {
        let xi = direction(k, reference.dim);
        for (e, row) in rows.iter().enumerate() {
            let mut into = vec![0.0; size];
            row.add_symbol(point, &xi, reference, &mut into);
            for (v, value) in into.into_iter().enumerate() {
                symbol[(e, v)] = value;
                largest[e] = largest[e].max(value.abs());
            }
        }
    }
    let scale: f64 = largest.iter().product();
    let determinants: Vec<f64> = symbols.iter().map(|s| s.determinant() / scale).collect();
    let above = determinants.iter().all(|d| *d > VANISHES);
    above || determinants.iter().all(|d| *d < -VANISHES)
}

/// One of the directions; in space one angle for each further axis, so that all octants are met.
fn direction(k: usize, dim: usize) -> Vec<f64> {
    let angle = std::f64::consts::PI * k as f64 / DIRECTIONS as f64;
    (0..dim)
        .map(|axis| match axis {
            0 if dim == 1 => 1.0,
            0 => angle.cos(),
            1 => angle.sin(),
            _ => (angle * (axis as f64 + 0.7)).sin(),
        })
        .collect()
}
