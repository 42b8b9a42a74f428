//! The flow u′ = Σ cₖTₖ(u) of an ordinary system, with its slopes.

use super::column::falling;
use super::likely::Place;
use super::term::{GridTerm, Inside};

/// A state with its slopes with respect to the initial state and to some coefficients, carried by Runge–Kutta steps.
///
/// Rows of the state are the fields; columns: the value, its slopes with respect to the initial values, and those with respect to
/// the coefficients.
pub(super) struct Flow<'q> {
    terms: &'q [&'q GridTerm],
    fields: usize,
    law: &'q [(Place, f64)],
    places: &'q [Place],
    used: Vec<usize>,
    start: Vec<f64>,
    at: Vec<f64>,
    rate: Vec<f64>,
    state: Vec<f64>,
    values: Vec<f64>,
    slopes: Vec<f64>,
    jacobian: Vec<f64>,
}

impl<'q> Flow<'q> {
    /// The flow of a law with slopes with respect to the coefficients at `places`, which need not all be in it.
    pub(super) fn new(
        terms: &'q [&'q GridTerm],
        fields: usize,
        law: &'q [(Place, f64)],
        places: &'q [Place],
    ) -> Self {
        let own = law.iter().map(|(place, _)| place.1);
        let mut used: Vec<usize> = own.chain(places.iter().map(|place| place.1)).collect();
        used.sort_unstable();
        used.dedup();
        let size = fields * (1 + fields + places.len());
        let zeros = |count: usize| vec![0.0; count];
        Self {
            terms,
            fields,
            law,
            places,
            used,
            start: zeros(size),
            at: zeros(size),
            rate: zeros(size),
            state: zeros(fields),
            values: zeros(terms.len()),
            slopes: zeros(terms.len() * fields),
            jacobian: zeros(fields * fields),
        }
    }

    /// One classical Runge–Kutta step, which carries the exact slopes of itself.
    pub(super) fn step(&mut self, y: &mut [f64], h: f64) {
        self.start.copy_from_slice(y);
        self.at.copy_from_slice(y);
        for (weight, next) in [(1.0, 0.5), (2.0, 0.5), (2.0, 1.0), (1.0, 0.0)] {
            self.update_rate();
            for (i, y) in y.iter_mut().enumerate() {
                *y += h / 6.0 * weight * self.rate[i];
                self.at[i] = self.start[i] + h * next * self.rate[i];
            }
        }
    }

    /// u′ = Σ cₖTₖ(u), and the same differentiated.
    fn update_rate(&mut self) {
        let d = self.fields;
        let width = 1 + d + self.places.len();
        for f in 0..d {
            self.state[f] = self.at[f * width];
        }
        for &term in &self.used {
            let slope = &mut self.slopes[term * d..(term + 1) * d];
            self.values[term] = evaluate(self.terms[term], &self.state, slope);
        }
        self.jacobian.fill(0.0);
        self.rate.fill(0.0);
        for &((field, term), c) in self.law {
            self.rate[field * width] += c * self.values[term];
            for g in 0..d {
                self.jacobian[field * d + g] += c * self.slopes[term * d + g];
            }
        }
        for f in 0..d {
            for g in 0..d {
                let j = self.jacobian[f * d + g];
                if j != 0.0 {
                    let from = &self.at[g * width + 1..(g + 1) * width];
                    let to = &mut self.rate[f * width + 1..(f + 1) * width];
                    for (to, from) in to.iter_mut().zip(from) {
                        *to += j * from;
                    }
                }
            }
        }
        for (k, &(field, term)) in self.places.iter().enumerate() {
            self.rate[field * width + 1 + d + k] += self.values[term];
        }
    }
}

/// The value of a term without derivatives, and its slopes with respect to the fields.
fn evaluate(term: &GridTerm, state: &[f64], slope: &mut [f64]) -> f64 {
    slope.fill(0.0);
    let mut value = 0.0;
    for part in &term.parts {
        match &part.inside {
            Inside::Product(factors) => {
                let product = |lowered: Option<usize>| -> f64 {
                    let each = factors.iter().enumerate();
                    each.map(|(k, f)| {
                        falling(state[f.field], f.power, u32::from(lowered == Some(k)))
                    })
                    .product()
                };
                value += part.factor * product(None);
                for (k, factor) in factors.iter().enumerate() {
                    slope[factor.field] += part.factor * product(Some(k));
                }
            }
            Inside::Function(f) => {
                value += part.factor * f(state);
                for (slope, own) in slope.iter_mut().zip(slopes(f.as_ref(), state)) {
                    *slope += part.factor * own;
                }
            }
        }
    }
    value
}

/// The slopes of a function of the fields, by differences.
pub(super) fn slopes(f: &dyn Fn(&[f64]) -> f64, state: &[f64]) -> Vec<f64> {
    let mut moved = state.to_vec();
    (0..state.len())
        .map(|k| {
            let h = 1e-5 * state[k].abs().max(1e-5);
            moved[k] = state[k] + h;
            let above = f(&moved);
            moved[k] = state[k] - h;
            let below = f(&moved);
            moved[k] = state[k];
            (above - below) / (2.0 * h)
        })
        .collect()
}
