//! Newton's method on patches.

use std::sync::Arc;

use ndarray::{Array2, ArrayView2};

use super::*;
use crate::patches::{LeafSize, PatchOptions, PatchStatus, PointEquations, PointJet, PointValues};
use crate::{BoxDomain, LinearProblem};

type Residual = dyn Fn(usize, &[f64], &[f64]) -> (f64, Vec<f64>) + Send + Sync;

/// Equations by a closure: number, point and jets → value and slopes.
struct Law {
    count: usize,
    jets: Vec<PointJet>,
    given: bool,
    residual: Box<Residual>,
}

impl std::fmt::Debug for Law {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} equations", self.count)
    }
}

impl Law {
    fn new<const D: usize>(
        jets: &[(usize, [u32; D])],
        given: bool,
        residual: impl Fn(usize, &[f64], &[f64]) -> (f64, Vec<f64>) + Send + Sync + 'static,
    ) -> Arc<Self> {
        let jet = |(unknown, orders): &(usize, [u32; D])| PointJet {
            unknown: *unknown,
            derivative: MultiIndex::new(orders.to_vec()),
        };
        Arc::new(Self {
            count: jets.iter().map(|jet| jet.0 + 1).max().unwrap(),
            jets: jets.iter().map(jet).collect(),
            given,
            residual: Box::new(residual),
        })
    }
}

impl PointEquations for Law {
    fn count(&self) -> usize {
        self.count
    }

    fn jets(&self, _equation: usize) -> &[PointJet] {
        &self.jets
    }

    fn leading_part_is_given(&self) -> bool {
        self.given
    }

    fn evaluate(
        &self,
        equation: usize,
        points: ArrayView2<'_, f64>,
        jets: &Array2<f64>,
    ) -> PointValues {
        let mut values = PointValues {
            residuals: Vec::new(),
            slopes: Array2::zeros(jets.dim()),
        };
        for (i, (point, jets)) in points.rows().into_iter().zip(jets.rows()).enumerate() {
            let (value, slopes) = (self.residual)(equation, &point.to_vec(), &jets.to_vec());
            values.residuals.push(value);
            for (k, slope) in slopes.into_iter().enumerate() {
                values.slopes[(i, k)] = slope;
            }
        }
        values
    }
}

fn on_square(law: Arc<Law>, exact: Vec<Data>) -> PatchProblem {
    let piece = Piece::pointwise(&[0.0, 0.0], &[1.0, 1.0], law);
    PatchProblem::new(vec![piece], vec![FaceCondition::values(exact)]).unwrap()
}

#[test]
fn polynomials_solve_systems_exactly_on_any_grid() {
    // Δu = uv + f, Δv = u² + g with u = x² + y, v = xy + 1.
    let u = |x: &[f64]| x[0] * x[0] + x[1];
    let v = |x: &[f64]| x[0] * x[1] + 1.0;
    let jets = [
        (0, [2, 0]),
        (0, [0, 2]),
        (1, [2, 0]),
        (1, [0, 2]),
        (0, [0, 0]),
        (1, [0, 0]),
    ];
    let law = Law::new(&jets, true, move |equation, x, j| match equation {
        0 => {
            let value = j[0] + j[1] - j[4] * j[5] - (2.0 - u(x) * v(x));
            (value, vec![1.0, 1.0, 0.0, 0.0, -j[5], -j[4]])
        }
        _ => {
            let value = j[2] + j[3] - j[4] * j[4] + u(x) * u(x);
            (value, vec![0.0, 0.0, 1.0, 1.0, -2.0 * j[4], 0.0])
        }
    });
    let problem = on_square(law, vec![Data::new(u), Data::new(v)]);
    let options = PatchOptions::new()
        .tolerance(1e-12)
        .max_rounds(1)
        .first_grid([2, 3])
        .leaf(LeafSize::legendre(10, 8, 12));
    let found = problem.solve_by_newton(&options, 20, None).unwrap();
    assert!(found.settled);
    let (in_u, in_v) = (
        error_of(&found.solution, 0, u),
        error_of(&found.solution, 1, v),
    );
    assert!(in_u < 1e-12 && in_v < 1e-12, "{in_u:.1e}, {in_v:.1e}");
}

#[test]
fn coefficients_of_second_derivatives_may_depend_on_the_solution() {
    // ∇·((1 + u²)∇u) = f.
    let exact = |x: &[f64]| (2.0 * x[0] - x[1]).sin();
    let jets = [
        (0, [2, 0]),
        (0, [0, 2]),
        (0, [1, 0]),
        (0, [0, 1]),
        (0, [0, 0]),
    ];
    let law = Law::new(&jets, false, move |_, x, j| {
        let operator = |lap: f64, ux: f64, uy: f64, u: f64| {
            (1.0 + u * u) * lap + 2.0 * u * (ux * ux + uy * uy)
        };
        let (s, c) = (2.0 * x[0] - x[1]).sin_cos();
        let value = operator(j[0] + j[1], j[2], j[3], j[4]) - operator(-5.0 * s, 2.0 * c, -c, s);
        let a = 1.0 + j[4] * j[4];
        let slope = 2.0 * j[4] * (j[0] + j[1]) + 2.0 * (j[2] * j[2] + j[3] * j[3]);
        (
            value,
            vec![a, a, 4.0 * j[4] * j[2], 4.0 * j[4] * j[3], slope],
        )
    });
    let problem = on_square(law, vec![Data::new(exact)]);
    let options = PatchOptions::new().tolerance(1e-9).first_grid([2, 2]);
    let found = problem.solve_by_newton(&options, 20, None).unwrap();
    assert_eq!(found.solution.report().status, PatchStatus::ToleranceMet);
    let error = error(&found.solution, exact);
    assert!(error < 1e-9, "{error:e}");
}

#[test]
fn a_linear_equation_takes_one_step_to_what_a_linear_solve_finds() {
    let jets = [(0, [2, 0]), (0, [0, 2]), (0, [0, 0])];
    let law = Law::new(&jets, true, |_, x, j| {
        let k = 1.0 + 40.0 * x[0];
        (-j[0] - j[1] + k * j[2] - 1.0, vec![-1.0, -1.0, k])
    });
    let problem = on_square(law, vec![Data::new(|_| 0.0)]);
    let options = PatchOptions::new().max_rounds(1).first_grid([3, 3]);
    let found = problem.solve_by_newton(&options, 20, None).unwrap();
    assert!(found.settled);
    // Factors for other coefficients by up to a hundredth: a second step at most.
    assert!(found.steps.len() <= 2, "{:?}", found.steps);
    let u = fastlsq_ops::unknown("u");
    let equation = -fastlsq_ops::laplacian(u) + (1.0 + 40.0 * fastlsq_ops::X) * u;
    let linear = LinearProblem::on(BoxDomain::unit(2))
        .equation(equation, 1.0)
        .dirichlet(0.0)
        .solve_in_patches(&options)
        .unwrap();
    let difference = error(&found.solution, |x| linear.value(x).unwrap());
    assert!(difference < 1e-7, "{difference:e}");
}

#[test]
fn leaves_with_nearly_constant_coefficients_share_their_operators() {
    // −Δu = eᵘ/4 on an L: deep in the corner the exponential is nothing beside the second derivatives.
    let jets = [(0, [2, 0]), (0, [0, 2]), (0, [0, 0])];
    let law = Law::new(&jets, true, |_, _, j| {
        let e = 0.25 * j[2].exp();
        (-j[0] - j[1] - e, vec![-1.0, -1.0, -e])
    });
    let piece = |lo, hi| Piece::pointwise(lo, hi, law.clone());
    let pieces = vec![
        piece(&[-1.0, 0.0], &[1.0, 1.0]),
        piece(&[0.0, -1.0], &[1.0, 0.0]),
    ];
    let zero = FaceCondition::values([Data::new(|_| 0.0)]);
    let problem = PatchProblem::new(pieces, vec![zero]).unwrap();
    let options = PatchOptions::new().tolerance(1e-6);
    let found = problem.solve_by_newton(&options, 20, None).unwrap();
    let report = found.solution.report();
    assert_eq!(report.status, PatchStatus::ToleranceMet);
    let operators: usize = report.rounds.iter().map(|round| round.operators).sum();
    assert!(
        report.leaves > 60 && operators < report.leaves / 2,
        "{operators} {report}"
    );
    // Symmetric about the diagonal.
    let at = |x, y| found.solution.value(&[x, y]).unwrap();
    assert!((at(0.3, -0.4) - at(-0.4, 0.3)).abs() < 1e-7);
}
