//! One candidate term in weak form: Σ c D^α g(u, v, …), with derivatives outside wherever they can be.

use std::fmt;
use std::sync::Arc;

/// A function of the values of all fields at a point.
pub(crate) type Pointwise = Arc<dyn Fn(&[f64]) -> f64 + Send + Sync>;

/// (D^β of a field) to a power.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Factor {
    pub(crate) field: usize,
    pub(crate) inner: Vec<u32>,
    pub(crate) power: u32,
}

/// What stands under the outer derivative.
#[derive(Clone)]
pub(crate) enum Inside {
    /// A product of fields and, where it cannot be avoided, of their derivatives; empty for 1.
    Product(Vec<Factor>),
    /// Any function of the fields.
    Function(Pointwise),
}

impl fmt::Debug for Inside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Product(factors) => f.debug_tuple("Product").field(factors).finish(),
            Self::Function(_) => f.write_str("Function"),
        }
    }
}

impl PartialEq for Inside {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Product(a), Self::Product(b)) => a == b,
            (Self::Function(a), Self::Function(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

/// c D^α of something.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Part {
    pub(crate) factor: f64,
    pub(crate) outer: Vec<u32>,
    pub(crate) inside: Inside,
}

/// A candidate term with its name.
#[derive(Debug, Clone)]
pub(crate) struct GridTerm {
    pub(crate) name: String,
    pub(crate) parts: Vec<Part>,
}

impl GridTerm {
    /// The number r with self = r · other, if the two are the same term up to a factor.
    pub(crate) fn ratio(&self, other: &Self) -> Option<f64> {
        let (a, b) = (self.parts.first()?, other.parts.first()?);
        let ratio = a.factor / b.factor;
        let same = self.parts.len() == other.parts.len()
            && self.parts.iter().zip(&other.parts).all(|(a, b)| {
                a.outer == b.outer
                    && a.inside == b.inside
                    && (a.factor - ratio * b.factor).abs() <= 1e-12 * a.factor.abs()
            });
        same.then_some(ratio)
    }

    /// D^α of a product, rewritten so that as few derivatives as possible stand inside.
    ///
    /// uᵏu_x = (uᵏ⁺¹)_x/(k+1), uᵏu_xy = (uᵏ⁺¹)_xy/(k+1) − k uᵏ⁻¹u_xu_y, and u u_xyz = ½(u²)_xyz −
    /// ½[(u_yu_z)_x + (u_xu_z)_y + (u_xu_y)_z]; other products of derivatives stay as they are.
    pub(crate) fn product(name: String, outer: &[u32], factors: Vec<Factor>) -> Self {
        let factors = merged(factors);
        let plain = factors.iter().find(|f| f.inner.iter().all(|n| *n == 0));
        let moved: Vec<&Factor> = factors
            .iter()
            .filter(|f| f.inner.iter().any(|n| *n > 0))
            .collect();
        let mut parts: Vec<(f64, Vec<u32>, Vec<Factor>)> = Vec::new();
        match (moved.as_slice(), plain, factors.len()) {
            ([only], None, 1) if only.power == 1 => {
                parts.push((
                    1.0,
                    only.inner.clone(),
                    vec![value(only.field, &only.inner, 1)],
                ));
            }
            ([only], Some(u), 2) if only.power == 1 && u.field == only.field => {
                let k = u.power;
                let axes = letters(&only.inner);
                let raised = vec![value(u.field, &only.inner, k + 1)];
                let slope = |axis: usize| Factor {
                    field: u.field,
                    inner: unit(only.inner.len(), axis),
                    power: 1,
                };
                let first = (1.0 / f64::from(k + 1), only.inner.clone(), raised);
                match (axes.as_slice(), k) {
                    ([_], _) => parts.push(first),
                    (&[a, b], _) => {
                        let mut rest = vec![slope(a), slope(b)];
                        if k > 1 {
                            rest.push(value(u.field, &only.inner, k - 1));
                        }
                        parts.push(first);
                        parts.push((-f64::from(k), vec![0; only.inner.len()], rest));
                    }
                    (&[a, b, c], 1) => {
                        parts.push(first);
                        for (out, one, two) in [(a, b, c), (b, a, c), (c, a, b)] {
                            let pair = vec![slope(one), slope(two)];
                            parts.push((-0.5, unit(only.inner.len(), out), pair));
                        }
                    }
                    _ => parts.push((1.0, vec![0; outer.len()], factors.clone())),
                }
            }
            _ => parts.push((1.0, vec![0; outer.len()], factors.clone())),
        }
        let mut collected: Vec<Part> = Vec::new();
        for (factor, moved_out, inside) in parts {
            let outer: Vec<u32> = outer.iter().zip(&moved_out).map(|(a, b)| a + b).collect();
            let inside = Inside::Product(merged(inside));
            match collected
                .iter_mut()
                .find(|p| p.outer == outer && p.inside == inside)
            {
                Some(known) => known.factor += factor,
                None => collected.push(Part {
                    factor,
                    outer,
                    inside,
                }),
            }
        }
        Self {
            name,
            parts: collected,
        }
    }

    /// The field and α if the term is D^α of one field and nothing else.
    pub(crate) fn linear(&self) -> Option<(usize, &[u32])> {
        match self.parts.as_slice() {
            [part] => match &part.inside {
                Inside::Product(factors) => match factors.as_slice() {
                    [f] if f.power == 1 && f.inner.iter().all(|n| *n == 0) => {
                        Some((f.field, &part.outer))
                    }
                    _ => None,
                },
                Inside::Function(_) => None,
            },
            _ => None,
        }
    }
}

/// A field without derivatives, to a power.
fn value(field: usize, like: &[u32], power: u32) -> Factor {
    Factor {
        field,
        inner: vec![0; like.len()],
        power,
    }
}

fn unit(dim: usize, axis: usize) -> Vec<u32> {
    (0..dim).map(|k| u32::from(k == axis)).collect()
}

/// The axes of a multi-index, each as often as its order.
fn letters(alpha: &[u32]) -> Vec<usize> {
    (0..alpha.len())
        .flat_map(|axis| std::iter::repeat_n(axis, alpha[axis] as usize))
        .collect()
}

/// Equal factors merged, in a fixed order.
fn merged(factors: Vec<Factor>) -> Vec<Factor> {
    let mut out: Vec<Factor> = Vec::new();
    for factor in factors.into_iter().filter(|f| f.power > 0) {
        match out
            .iter_mut()
            .find(|f| f.field == factor.field && f.inner == factor.inner)
        {
            Some(known) => known.power += factor.power,
            None => out.push(factor),
        }
    }
    out.sort_by(|a, b| {
        let order = |f: &Factor| f.inner.iter().sum::<u32>();
        (order(a), a.field)
            .cmp(&(order(b), b.field))
            .then_with(|| b.inner.cmp(&a.inner))
    });
    out
}
