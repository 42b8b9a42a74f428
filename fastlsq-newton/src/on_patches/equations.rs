//! Nonlinear equations as patches take them: values and slopes, point by point.

use fastlsq_basis::sampling::UnitSampler;
use fastlsq_solve::patches::{PointEquations, PointJet, PointValues};
use fastlsq_solve::{ConcreteProblem, Sites};
use ndarray::{Array2, ArrayView2};

use crate::residual::Residual;

/// The residuals of all equations, the linear ones too.
#[derive(Debug)]
pub(super) struct Laws {
    laws: Vec<Law>,
    leading_part_is_given: bool,
}

#[derive(Debug)]
struct Law {
    residual: Residual,
    jets: Vec<PointJet>,
}

impl Laws {
    /// `None` where an equation has integrals or multipliers in it.
    pub(super) fn of(problem: &ConcreteProblem) -> Option<Self> {
        let laws = problem
            .equations
            .iter()
            .map(|equation| {
                let residual = Residual::new(&equation.label, equation.statement.residual());
                let jets = residual.jets().iter().map(|jet| {
                    jet.action.is_derivative().then(|| PointJet {
                        unknown: jet.unknown,
                        derivative: jet.action.derivative.clone(),
                    })
                });
                let jets = jets.collect::<Option<Vec<PointJet>>>()?;
                Some(Law { residual, jets })
            })
            .collect::<Option<Vec<Law>>>()?;
        let leading_part_is_given = laws.iter().all(|law| law.leading_part_is_given(problem));
        Some(Self {
            laws,
            leading_part_is_given,
        })
    }
}

/// Points at which slopes with respect to second derivatives are compared at different functions.
const POINTS: usize = 20;

impl Law {
    /// Whether slopes with respect to second derivatives are the same, bit for bit, whatever u is.
    fn leading_part_is_given(&self, problem: &ConcreteProblem) -> bool {
        let mut sampler = UnitSampler::independent(0x1ead);
        let Ok(points) = problem.domain.sample_interior(POINTS, &mut sampler) else {
            return false;
        };
        let mut slopes = || {
            let jets = sampler.normals(points.nrows(), self.jets.len());
            self.evaluate(points.view(), &jets).slopes
        };
        let (first, second) = (slopes(), slopes());
        let leading = |k: &usize| self.jets[*k].derivative.order() == 2;
        (0..self.jets.len())
            .filter(leading)
            .all(|k| first.column(k) == second.column(k))
    }

    fn evaluate(&self, points: ArrayView2<'_, f64>, jets: &Array2<f64>) -> PointValues {
        let found = self.residual.evaluate(jets, Sites::new(points), 0.0);
        PointValues {
            residuals: found.values,
            slopes: found.slopes,
        }
    }
}

impl PointEquations for Laws {
    fn count(&self) -> usize {
        self.laws.len()
    }

    fn jets(&self, equation: usize) -> &[PointJet] {
        self.laws.get(equation).map_or(&[], |law| &law.jets)
    }

    fn leading_part_is_given(&self) -> bool {
        self.leading_part_is_given
    }

    fn evaluate(
        &self,
        equation: usize,
        points: ArrayView2<'_, f64>,
        jets: &Array2<f64>,
    ) -> PointValues {
        match self.laws.get(equation) {
            Some(law) => law.evaluate(points, jets),
            None => PointValues {
                residuals: vec![f64::NAN; points.nrows()],
                slopes: Array2::zeros(jets.dim()),
            },
        }
    }
}
