//! Terms evaluated on gridded data: what is integrated against the test functions, and how noise
//! enters it.

use std::sync::Arc;

use super::samples::Trajectory;
use super::smooth::Smoother;
use super::term::{Factor, GridTerm, Inside, Part};
use crate::DiscoveryError;
use crate::samples::rms;

/// One trajectory with its noise levels and the smoothers for what is not linear in the data.
#[derive(Debug, Clone)]
pub(crate) struct Prepared<'a> {
    pub(crate) run: &'a Trajectory,
    pub(crate) shape: Vec<usize>,
    /// Standard deviation of the noise of each field.
    pub(crate) noise: Vec<f64>,
    pub(crate) smoothers: Vec<Smoother>,
}

/// D^α is taken of these values by moving it onto the test function.
#[derive(Debug, Clone)]
pub(crate) struct Piece {
    pub(crate) outer: Vec<u32>,
    pub(crate) values: Arc<Vec<f64>>,
    pub(crate) factor: f64,
}

/// To first order the noise n of a field adds ∫ Kₐ w n to a column, Kₐ = (−1)^{|α|}D^αψ.
#[derive(Debug, Clone)]
pub(crate) struct NoisePart {
    pub(crate) outer: Vec<u32>,
    pub(crate) field: usize,
    pub(crate) weight: Weight,
}

/// A weight over the grid.
#[derive(Debug, Clone)]
pub(crate) enum Weight {
    Constant(f64),
    Grid(Vec<f64>),
}

/// One term on one trajectory.
#[derive(Debug, Clone, Default)]
pub(crate) struct Column {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) noise: Vec<NoisePart>,
}

impl<'a> Prepared<'a> {
    pub(crate) fn new(run: &'a Trajectory, noise: Vec<f64>) -> Self {
        let shape = run.shape();
        let smoothers = run
            .values
            .iter()
            .zip(&noise)
            .map(|(values, &level)| Smoother::choose(values, &shape, level))
            .collect();
        Self {
            run,
            shape,
            noise,
            smoothers,
        }
    }

    /// D^β of a smoothed field.
    fn argument(&self, field: usize, beta: &[u32]) -> Vec<f64> {
        let values = self.smoothers[field].derivative(&self.run.values[field], &self.shape, beta);
        self.scaled(values, beta)
    }

    /// From units of the spacings to those of the axes.
    fn scaled(&self, mut values: Vec<f64>, beta: &[u32]) -> Vec<f64> {
        let unit = self.unit(beta);
        if unit != 1.0 {
            for v in &mut values {
                *v /= unit;
            }
        }
        values
    }

    fn unit(&self, beta: &[u32]) -> f64 {
        let powers = self.run.axes.iter().zip(beta);
        powers
            .map(|(axis, &n)| axis.step.powi(i32::try_from(n).unwrap_or(i32::MAX)))
            .product()
    }

    /// Evaluates a term.
    pub(crate) fn column(&self, term: &GridTerm) -> Result<Column, DiscoveryError> {
        let mut column = Column::default();
        for part in &term.parts {
            match &part.inside {
                Inside::Product(factors) => match factors.as_slice() {
                    [] => column.pieces.push(Piece {
                        outer: part.outer.clone(),
                        values: Arc::new(vec![1.0; self.run.values[0].len()]),
                        factor: part.factor,
                    }),
                    [f] if f.power == 1 && f.inner.iter().all(|n| *n == 0) => {
                        column.pieces.push(Piece {
                            outer: part.outer.clone(),
                            values: Arc::new(self.run.values[f.field].clone()),
                            factor: part.factor,
                        });
                        column.noise.push(NoisePart {
                            outer: part.outer.clone(),
                            field: f.field,
                            weight: Weight::Constant(part.factor),
                        });
                    }
                    _ => self.product(part, factors, &mut column),
                },
                Inside::Function(f) => self.function(part, f.as_ref(), &mut column),
            }
        }
        self.check(term, &column)?;
        Ok(column)
    }

    /// Where the fields are known a term must be finite.
    fn check(&self, term: &GridTerm, column: &Column) -> Result<(), DiscoveryError> {
        for piece in &column.pieces {
            let known =
                |i: usize| (0..self.smoothers.len()).all(|f| self.run.values[f][i].is_finite());
            let holes = self.run.values.iter().flatten().any(|v| !v.is_finite());
            // Beside a hole the smoothed fields are unknown as well.
            let bad = (0..piece.values.len())
                .find(|&i| !piece.values[i].is_finite() && known(i) && !holes);
            if let Some(index) = bad {
                return Err(DiscoveryError::TermNotFinite {
                    name: term.name.clone(),
                    index,
                    value: piece.values[index],
                });
            }
        }
        Ok(())
    }

    fn product(&self, part: &Part, factors: &[Factor], column: &mut Column) {
        let arguments: Vec<Vec<f64>> = factors
            .iter()
            .map(|f| self.argument(f.field, &f.inner))
            .collect();
        let count = arguments[0].len();
        let product = |i: usize, lowered: &[u32]| -> f64 {
            factors
                .iter()
                .zip(lowered)
                .zip(&arguments)
                .map(|((f, &less), a)| falling(a[i], f.power, less))
                .product()
        };
        let mut lowered = vec![0; factors.len()];
        let mut values: Vec<f64> = (0..count).map(|i| product(i, &lowered)).collect();
        // E g(a + n) = g + ½ Σ cov ∂²g: subtract what the noise adds.
        for k in 0..factors.len() {
            for l in 0..factors.len() {
                if factors[k].field != factors[l].field || (k == l && factors[k].power < 2) {
                    continue;
                }
                let field = factors[k].field;
                let (a, b) = (&factors[k].inner, &factors[l].inner);
                let covariance = self.noise[field].powi(2)
                    * self.smoothers[field].covariance(&self.shape, a, b)
                    / (self.unit(a) * self.unit(b));
                lowered[k] += 1;
                lowered[l] += 1;
                for (i, v) in values.iter_mut().enumerate() {
                    *v -= 0.5 * covariance * product(i, &lowered);
                }
                lowered.fill(0);
            }
        }
        column.pieces.push(Piece {
            outer: part.outer.clone(),
            values: Arc::new(values),
            factor: part.factor,
        });
        for (k, factor) in factors.iter().enumerate() {
            lowered[k] = 1;
            let slope: Vec<f64> = (0..count)
                .map(|i| part.factor * product(i, &lowered))
                .collect();
            lowered[k] = 0;
            self.carry(part, factor.field, &factor.inner, &slope, column);
        }
    }

    /// ∫ψ D^α(w D^βn) = Σ_γ C(β, γ) (−1)^{|β|−|γ|} ∫ K_{α+γ} (D^{β−γ}w) n.
    fn carry(&self, part: &Part, field: usize, beta: &[u32], w: &[f64], column: &mut Column) {
        let plain = Smoother {
            half: vec![0; self.shape.len()],
        };
        for gamma in below(beta) {
            let rest: Vec<u32> = beta.iter().zip(&gamma).map(|(b, g)| b - g).collect();
            let ways: f64 = beta
                .iter()
                .zip(&gamma)
                .map(|(&b, &g)| choose(b, g))
                .product();
            let sign = if rest.iter().sum::<u32>() % 2 == 0 {
                ways
            } else {
                -ways
            };
            let mut weight = self.scaled(plain.derivative(w, &self.shape, &rest), &rest);
            for v in &mut weight {
                // Only windows without holes are used: what stands in a hole does not matter.
                *v = if v.is_finite() { *v * sign } else { 0.0 };
            }
            column.noise.push(NoisePart {
                outer: part.outer.iter().zip(&gamma).map(|(a, g)| a + g).collect(),
                field,
                weight: Weight::Grid(weight),
            });
        }
    }

    fn function(&self, part: &Part, f: &dyn Fn(&[f64]) -> f64, column: &mut Column) {
        let zero = vec![0; self.shape.len()];
        let fields: Vec<Vec<f64>> = (0..self.smoothers.len())
            .map(|field| self.argument(field, &zero))
            .collect();
        let count = fields[0].len();
        let mut values = vec![0.0; count];
        let mut slopes = vec![vec![0.0; count]; fields.len()];
        let steps: Vec<f64> = self
            .run
            .values
            .iter()
            .map(|v| 1e-3 * known_rms(v))
            .collect();
        let spread: Vec<f64> = self
            .smoothers
            .iter()
            .zip(&self.noise)
            .map(|(s, n)| n * n * s.covariance(&self.shape, &zero, &zero))
            .collect();
        let mut at = vec![0.0; fields.len()];
        for i in 0..count {
            for (slot, field) in at.iter_mut().zip(&fields) {
                *slot = field[i];
            }
            let here = f(&at);
            values[i] = here;
            for k in 0..fields.len() {
                let (centre, h) = (at[k], steps[k]);
                let mut moved = |offset: f64| {
                    at[k] = centre + offset;
                    f(&at)
                };
                let (far, near) = ((moved(2.0 * h), moved(-2.0 * h)), (moved(h), moved(-h)));
                at[k] = centre;
                slopes[k][i] =
                    part.factor * (8.0 * (near.0 - near.1) - (far.0 - far.1)) / (12.0 * h);
                values[i] -= 0.5 * spread[k] * (near.0 - 2.0 * here + near.1) / (h * h);
            }
        }
        column.pieces.push(Piece {
            outer: part.outer.clone(),
            values: Arc::new(values),
            factor: part.factor,
        });
        for (field, slope) in slopes.iter().enumerate() {
            self.carry(part, field, &zero, slope, column);
        }
    }
}

/// d^less/da^less of a^power.
pub(super) fn falling(a: f64, power: u32, less: u32) -> f64 {
    if less > power {
        return 0.0;
    }
    let factor: f64 = (0..less).map(|k| f64::from(power - k)).product();
    factor * a.powi(i32::try_from(power - less).unwrap_or(i32::MAX))
}

/// Every multi-index below another, itself included.
fn below(beta: &[u32]) -> Vec<Vec<u32>> {
    beta.iter().fold(vec![Vec::new()], |all, &most| {
        all.iter()
            .flat_map(|start: &Vec<u32>| {
                (0..=most).map(move |n| start.iter().copied().chain([n]).collect())
            })
            .collect()
    })
}

fn choose(n: u32, k: u32) -> f64 {
    (0..k)
        .map(|i| f64::from(n - i) / f64::from(i + 1))
        .product()
}

/// Root mean square of the values that are known.
pub(crate) fn known_rms(values: &[f64]) -> f64 {
    let known: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    rms(&known)
}
