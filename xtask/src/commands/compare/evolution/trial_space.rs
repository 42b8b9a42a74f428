//! The trial space of an evolution for others to integrate in: a fixed mesh, and its matrices.

use std::sync::Arc;

use anyhow::Result;
use fastlsq_solve::space::line::{Element, EndCondition, LineSpace};
use serde::Serialize;

/// Pieces at the beginning.
const FIRST_PIECES: usize = 8;
/// How often pieces are halved.
const ROUNDS: usize = 30;

/// An interval with conditions at its ends, or a circle.
pub(super) struct Line {
    pub(super) interval: (f64, f64),
    /// The order of the equation in space.
    pub(super) order: usize,
    pub(super) periodic: bool,
    pub(super) conditions: Vec<EndCondition>,
}

/// The values of a function at points.
type Values<'a> = dyn Fn(&[f64]) -> Result<Vec<f64>> + 'a;

/// A function of space at some time: its values at points, and what the conditions ask for.
pub(super) struct Moment<'a> {
    pub(super) values: Box<Values<'a>>,
    pub(super) data: Vec<f64>,
}

impl Line {
    fn space(&self, element: &Arc<Element>, breaks: &[f64]) -> Result<LineSpace> {
        Ok(LineSpace::new(
            Arc::clone(element),
            breaks,
            1,
            self.periodic,
            &self.conditions,
        )?)
    }

    /// Polynomials of this degree on pieces that hold a function at all these moments.
    ///
    /// Pieces are halved while their last coefficients are above the tolerance, relative to the largest norm, and then while
    /// the distance of the projection is: it sees kinks, but it is large everywhere while anything is unresolved. So are ours, but
    /// here once for all times, since the peers keep the mesh.
    pub(super) fn holding(
        &self,
        degree: usize,
        tolerance: f64,
        moments: &[Moment<'_>],
    ) -> Result<LineSpace> {
        let element = Arc::new(Element::new(degree, self.order)?);
        let (lo, hi) = self.interval;
        let mut breaks: Vec<f64> = (0..=FIRST_PIECES)
            .map(|k| lo + (hi - lo) * k as f64 / FIRST_PIECES as f64)
            .collect();
        let mut space = self.space(&element, &breaks)?;
        for _ in 0..ROUNDS {
            let mut sizes = vec![(0.0_f64, 0.0_f64); breaks.len() - 1];
            let mut norm = 0.0_f64;
            for moment in moments {
                let values = [(moment.values)(space.nodes())?];
                let free = space.unjoined(&values);
                let joined = space.expansion(&space.project(&values), &moment.data);
                norm = space.norms(&free).into_iter().fold(norm, f64::max);
                let both = space.tails(&free).into_iter();
                let both = both.zip(space.distances(&free, &joined));
                for ((tail, lost), (own_tail, own_lost)) in sizes.iter_mut().zip(both) {
                    *tail = own_tail.into_iter().fold(*tail, f64::max);
                    *lost = own_lost.into_iter().fold(*lost, f64::max);
                }
            }
            let mut finer = halved(&breaks, |k| sizes[k].0 > tolerance * norm);
            if finer == breaks {
                finer = halved(&breaks, |k| sizes[k].1 > tolerance * norm);
            }
            if finer == breaks {
                break;
            }
            (space, breaks) = (self.space(&element, &finer)?, finer);
        }
        Ok(space)
    }
}

/// With the marked pieces halved.
fn halved(breaks: &[f64], marked: impl Fn(usize) -> bool) -> Vec<f64> {
    let mut finer = Vec::with_capacity(2 * breaks.len());
    for (k, ends) in breaks.windows(2).enumerate() {
        finer.push(ends[0]);
        if marked(k) {
            finer.push(0.5 * (ends[0] + ends[1]));
        }
    }
    finer.extend(breaks.last());
    finer
}

/// What a peer needs of a space: u⁽ᵈ⁾ = Σ cⱼ φⱼ⁽ᵈ⁾ + Σ gₖ ℓₖ⁽ᵈ⁾ at the nodes of a quadrature, for d = 0, 1, …
#[derive(Serialize)]
pub(super) struct Matrices {
    dim: usize,
    nodes: Vec<f64>,
    weights: Vec<f64>,
    /// φⱼ⁽ᵈ⁾, for each d: nodes by functions, where they are not zero.
    samples: Vec<Entries>,
    /// ℓₖ⁽ᵈ⁾, for each d and k.
    lifts: Vec<Vec<Vec<f64>>>,
}

#[derive(Default, Serialize)]
struct Entries {
    rows: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

impl Matrices {
    /// The functions of a space with this many data.
    pub(super) fn of(space: &LineSpace, data: usize) -> Self {
        let dim = space.dim();
        let orders = 0..=space.element().order();
        let unit = |count: usize, j: usize| -> Vec<f64> {
            (0..count).map(|i| f64::from(u8::from(i == j))).collect()
        };
        let samples = orders.clone().map(|d| {
            let mut entries = Entries::default();
            for j in 0..dim {
                let column = space.sample(&space.expansion(&unit(dim, j), &[]), 0, d);
                for (i, value) in column.into_iter().enumerate().filter(|(_, v)| *v != 0.0) {
                    entries.rows.push(i);
                    entries.columns.push(j);
                    entries.values.push(value);
                }
            }
            entries
        });
        let samples = samples.collect();
        let lift = |d: usize, k: usize| space.sample(&space.expansion(&[], &unit(data, k)), 0, d);
        Self {
            dim,
            nodes: space.nodes().to_vec(),
            weights: space.weights().to_vec(),
            samples,
            lifts: orders
                .map(|d| (0..data).map(|k| lift(d, k)).collect())
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, Matrices, Moment, halved};
    use fastlsq_solve::space::line::EndCondition;

    #[test]
    fn pieces_are_small_where_a_layer_is() {
        let line = Line {
            interval: (-1.0, 1.0),
            order: 2,
            periodic: false,
            conditions: [false, true]
                .map(|upper| EndCondition {
                    upper,
                    coefficients: vec![vec![1.0]],
                })
                .into(),
        };
        let layer = |x: f64| ((x - 0.3) / 0.01).tanh();
        let moment = || Moment {
            values: Box::new(move |x: &[f64]| Ok(x.iter().map(|x| layer(*x)).collect())),
            data: vec![layer(-1.0), layer(1.0)],
        };
        let space = line.holding(14, 1e-9, &[moment()]).unwrap();
        let lengths = || space.breaks().windows(2).map(|ends| ends[1] - ends[0]);
        assert!(lengths().fold(1.0, f64::min) < 0.02);
        assert!(lengths().fold(0.0, f64::max) >= 0.25);

        // The matrices say what the space says.
        let matrices = Matrices::of(&space, 2);
        let values: Vec<f64> = space.nodes().iter().map(|x| layer(*x)).collect();
        let c = space.project(&[values]);
        let data = [layer(-1.0), layer(1.0)];
        for d in 0..=2 {
            let entries = &matrices.samples[d];
            let mut u = vec![0.0; space.nodes().len()];
            for ((i, j), value) in entries
                .rows
                .iter()
                .zip(&entries.columns)
                .zip(&entries.values)
            {
                u[*i] += value * c[*j];
            }
            for (lift, g) in matrices.lifts[d].iter().zip(data) {
                for (u, l) in u.iter_mut().zip(lift) {
                    *u += g * l;
                }
            }
            let expected = space.sample(&space.expansion(&c, &data), 0, d);
            let size = expected.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
            for (a, b) in u.iter().zip(expected) {
                assert!((a - b).abs() < 1e-11 * size, "order {d}: {a} {b}");
            }
        }
        // It holds the layer.
        let expansion = space.expansion(&c, &data);
        for x in [-0.9, 0.0, 0.29, 0.301, 0.8] {
            assert!((space.value(&expansion, 0, 0, x) - layer(x)).abs() < 1e-7);
        }
    }

    #[test]
    fn halves_are_where_they_are_marked() {
        assert_eq!(halved(&[0.0, 1.0, 3.0], |k| k == 1), [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(halved(&[0.0, 1.0], |_| false), [0.0, 1.0]);
    }
}
