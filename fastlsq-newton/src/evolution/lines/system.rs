//! An evolution in a space of joined polynomials as an ordinary differential equation.

use std::cell::{OnceCell, RefCell};
use std::sync::Arc;

use faer::{MatMut, c64};
use fastlsq_solve::dense::Lu;
use fastlsq_solve::space::line::{BandFactors, BandMatrix, LineSpace, SlopeTerm};

use super::form::LineProblem;
use super::second_order::SecondOrder;
use crate::evolution::form::Rates;
use crate::evolution::march::is_autonomous;
use crate::evolution::ode::{Linearised, Ode, Shifted};

/// Times at which data are remembered: those of the stages of a step, to which every iteration returns.
const REMEMBERED: usize = 16;

/// c′ = P F(Σ cⱼφⱼ + Σ gₖℓₖ): the L2 projection of the rates.
#[derive(Debug, Clone)]
pub(crate) struct System<'a> {
    pub(crate) problem: &'a LineProblem,
    pub(crate) space: Arc<LineSpace>,
    /// Data at the ends at the last times that were asked for.
    remembered: RefCell<Vec<(f64, Vec<f64>)>>,
    /// What halves the linear systems, where they can be halved.
    second_order: OnceCell<Option<Arc<SecondOrder>>>,
}

impl<'a> System<'a> {
    pub(crate) fn new(problem: &'a LineProblem, space: &Arc<LineSpace>) -> Self {
        Self {
            problem,
            space: Arc::clone(space),
            remembered: RefCell::new(Vec::new()),
            second_order: OnceCell::new(),
        }
    }

    /// Legendre coefficients of the states, or `None` if the data cannot be evaluated.
    pub(crate) fn expansion(&self, t: f64, y: &[f64]) -> Option<Vec<f64>> {
        let mut remembered = self.remembered.borrow_mut();
        let known = remembered.iter().position(|(time, _)| *time == t);
        let place = match known {
            Some(place) => place,
            None => {
                let data = self.problem.data(t).ok()?;
                if remembered.len() == REMEMBERED {
                    remembered.remove(0);
                }
                remembered.push((t, data));
                remembered.len() - 1
            }
        };
        Some(self.space.expansion(y, &remembered[place].1))
    }

    fn samples(&self, t: f64, y: &[f64]) -> Option<Vec<Vec<f64>>> {
        let expansion = self.expansion(t, y)?;
        let samples = self.problem.samples.iter();
        Some(
            samples
                .map(|(state, d)| self.space.sample(&expansion, *state, *d))
                .collect(),
        )
    }

    fn slopes(&self, t: f64, y: &[f64]) -> Option<Rates> {
        let samples = self.samples(t, y)?;
        let nodes = self.space.nodes();
        self.problem.rates(t, nodes, &samples, true).ok()
    }

    /// Whether the problem is linear and neither equation nor data change in time, as far as can be seen.
    pub(crate) fn is_autonomous(&self, y: &[f64]) -> bool {
        let problem = self.problem;
        problem.linear
            && problem.ends.iter().all(|end| end.constant)
            && is_autonomous(self, y, problem.times)
    }

    /// ⟨φᵢ, ∂F/∂u φⱼ⟩.
    pub(crate) fn matrix(&self, t: f64, y: &[f64]) -> Option<BandMatrix> {
        let rates = self.slopes(t, y)?;
        let terms: Vec<SlopeTerm<'_>> = rates
            .slopes
            .iter()
            .map(|(of, sample, values)| {
                let (by, derivative) = self.problem.samples[*sample];
                SlopeTerm {
                    of: *of,
                    by,
                    derivative,
                    values,
                }
            })
            .collect();
        Some(self.space.matrix(&terms))
    }
}

impl Ode for System<'_> {
    fn dim(&self) -> usize {
        self.space.dim()
    }

    fn rate(&self, t: f64, y: &[f64], rate: &mut [f64]) {
        let found = self.samples(t, y).and_then(|samples| {
            self.problem
                .rates(t, self.space.nodes(), &samples, false)
                .ok()
        });
        match found {
            Some(found) => rate.copy_from_slice(&self.space.project(&found.values)),
            None => rate.fill(f64::NAN),
        }
    }

    fn jacobian(&self, t: f64, y: &[f64], mut jacobian: MatMut<'_, f64>) {
        let Some(matrix) = self.matrix(t, y) else {
            jacobian.fill(f64::NAN);
            return;
        };
        let mut dense = matrix.to_dense();
        Lu::new(self.space.mass().to_dense()).solve_in_place(dense.as_mut());
        jacobian.copy_from(&dense);
    }

    fn linearise(&self, t: f64, y: &[f64]) -> Box<dyn Linearised> {
        let second_order = self
            .second_order
            .get_or_init(|| SecondOrder::new(self.problem, &self.space));
        if let (Some(halves), Some(rates)) = (second_order, self.slopes(t, y)) {
            return Box::new(halves.linearised(self.problem, &rates));
        }
        let mass = Arc::clone(self.space.mass());
        let matrix = self.matrix(t, y);
        Box::new(BandJacobian { mass, matrix })
    }

    fn parts(&self) -> Vec<usize> {
        self.space.function_of()
    }
}

/// J = M⁻¹K with banded M and K; nothing where K could not be evaluated.
#[derive(Debug)]
struct BandJacobian {
    mass: Arc<BandMatrix>,
    matrix: Option<BandMatrix>,
}

impl Linearised for BandJacobian {
    fn shifted(&self, lambda: c64, h: f64) -> Box<dyn Shifted> {
        Box::new(BandShifted {
            mass: Arc::clone(&self.mass),
            factors: self
                .matrix
                .as_ref()
                .map(|matrix| self.mass.shifted(lambda, matrix, h)),
        })
    }
}

/// (λ − hM⁻¹K)⁻¹ = (λM − hK)⁻¹M.
#[derive(Debug)]
struct BandShifted {
    mass: Arc<BandMatrix>,
    factors: Option<BandFactors>,
}

impl Shifted for BandShifted {
    fn solve(&self, re: &mut [f64], im: &mut [f64]) {
        let Some(factors) = &self.factors else {
            re.fill(f64::NAN);
            return;
        };
        re.copy_from_slice(&self.mass.times(re));
        if im.iter().any(|v| *v != 0.0) {
            im.copy_from_slice(&self.mass.times(im));
        }
        factors.solve(re, im);
    }
}
