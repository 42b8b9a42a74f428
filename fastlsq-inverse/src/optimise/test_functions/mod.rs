//! Bound-constrained test problems with known gradients, for tests and benchmarks of optimisers.

mod functions;

use std::fmt;

pub use self::functions::{
    Beale, ChainedQuartic, PowellSingular, Rosenbrock, TridiagonalQuadratic,
};
use super::bounds::{Bounds, BoundsError};
use super::objective::Objective;

/// A function with a box and a start.
pub struct TestProblem {
    /// A short name.
    pub name: &'static str,
    /// The function.
    pub objective: Box<dyn Objective>,
    /// The box.
    pub bounds: Bounds,
    /// The customary start, not always inside the box.
    pub start: Vec<f64>,
}

impl fmt::Debug for TestProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestProblem")
            .field("name", &self.name)
            .field("bounds", &self.bounds)
            .field("start", &self.start)
            .finish_non_exhaustive()
    }
}

const INF: f64 = f64::INFINITY;

/// Problems whose bounds cut off the free minimum, touch it, leave sides open, or fix variables.
pub fn bounded_problems() -> Result<Vec<TestProblem>, BoundsError> {
    let problem = |name, objective: Box<dyn Objective>, sides: &[(f64, f64)], start| {
        Ok(TestProblem {
            name,
            objective,
            bounds: Bounds::from_pairs(sides)?,
            start,
        })
    };
    let sides = |n: usize, side: &dyn Fn(usize) -> (f64, f64)| (0..n).map(side).collect::<Vec<_>>();
    let alternating = |n: usize, even: f64, odd: f64| {
        (0..n)
            .map(|i| if i % 2 == 0 { even } else { odd })
            .collect::<Vec<_>>()
    };
    let rosenbrock = |n| Box::new(Rosenbrock::new(n));
    let powell_start = |blocks: usize| [3.0, -1.0, 0.0, 1.0].repeat(blocks);
    // Weights from 1 to 10⁴, a wavy centre that sticks out of [−½, ½].
    let quadratic = || {
        let weights = (0..200)
            .map(|i| 10_f64.powf(4.0 * f64::from(i) / 199.0))
            .collect();
        let centre = (0..200).map(|i| (0.37 * f64::from(i)).sin()).collect();
        Box::new(TridiagonalQuadratic::new(weights, centre, 50.0))
    };

    [
        problem(
            "rosenbrock-2-cut",
            rosenbrock(2),
            &[(-2.0, 0.5), (-2.0, 0.5)],
            vec![-1.2, 0.5],
        ),
        problem(
            "rosenbrock-2-lower",
            rosenbrock(2),
            &[(1.5, INF), (-INF, INF)],
            vec![2.0, -1.0],
        ),
        problem(
            "rosenbrock-10-cut",
            rosenbrock(10),
            &sides(10, &|i| if i % 2 == 0 { (-2.0, 0.7) } else { (-INF, INF) }),
            alternating(10, -1.2, 1.0),
        ),
        problem(
            "rosenbrock-10-fixed",
            rosenbrock(10),
            &sides(10, &|i| if i == 4 { (0.3, 0.3) } else { (-5.0, 5.0) }),
            alternating(10, -1.2, 1.0),
        ),
        problem(
            "rosenbrock-10-free",
            rosenbrock(10),
            &[(-INF, INF); 10],
            alternating(10, -1.2, 1.0),
        ),
        problem(
            "rosenbrock-100-cut",
            rosenbrock(100),
            &[(-2.0, 0.9); 100],
            alternating(100, -1.2, 0.8),
        ),
        problem(
            "rosenbrock-100-sides",
            rosenbrock(100),
            &sides(100, &|i| match i % 4 {
                0 => (1.1, INF),
                1 => (-INF, 2.0),
                2 => (-INF, INF),
                _ => (-10.0, 10.0),
            }),
            alternating(100, -1.2, 1.0),
        ),
        problem(
            "beale-cut",
            Box::new(Beale),
            &[(-4.5, 2.0), (-4.5, 4.5)],
            vec![1.0, 1.0],
        ),
        problem(
            "beale-corner",
            Box::new(Beale),
            &[(-INF, 2.5), (-INF, 0.2)],
            vec![1.0, 0.0],
        ),
        problem(
            "powell-4-cut",
            Box::new(PowellSingular::new(1)),
            &[(0.1, 5.0), (-INF, INF), (-5.0, 5.0), (-INF, -0.2)],
            powell_start(1),
        ),
        problem(
            "powell-20-cut",
            Box::new(PowellSingular::new(5)),
            &sides(20, &|i| {
                if i % 4 == 3 {
                    (0.5, INF)
                } else {
                    (-10.0, 10.0)
                }
            }),
            powell_start(5),
        ),
        problem(
            "degenerate-vertex-10",
            Box::new(degenerate_vertex()),
            &[(0.0, INF); 10],
            vec![2.0; 10],
        ),
        problem(
            "chained-quartic-25",
            Box::new(ChainedQuartic::new(25)),
            &sides(25, &|i| {
                if i % 2 == 0 {
                    (1.0, 100.0)
                } else {
                    (-100.0, 100.0)
                }
            }),
            vec![3.0; 25],
        ),
        problem(
            "quadratic-200-box",
            quadratic(),
            &[(-0.5, 0.5); 200],
            vec![0.0; 200],
        ),
        problem(
            "quadratic-200-sides",
            quadratic(),
            &sides(200, &|i| match i % 3 {
                0 => (-0.2, INF),
                1 => (-INF, 0.3),
                _ => (-INF, INF),
            }),
            vec![1.0; 200],
        ),
    ]
    .into_iter()
    .collect()
}

/// Over x ≥ 0 the minimum is the origin, a vertex at which the multipliers of every second
/// variable vanish: the free minimum −e has e = 1 in the even places and, in the odd ones, what
/// makes their derivative zero.
fn degenerate_vertex() -> TridiagonalQuadratic {
    const COUPLING: f64 = 20.0;
    let weights: Vec<f64> = (1..=10).map(|i| f64::from(i * i)).collect();
    let centre = weights
        .iter()
        .enumerate()
        .map(|(i, weight)| {
            let neighbours = if i == 9 { 1.0 } else { 2.0 };
            if i % 2 == 0 {
                -1.0
            } else {
                -COUPLING * neighbours / (weight + neighbours * COUPLING)
            }
        })
        .collect();
    TridiagonalQuadratic::new(weights, centre, COUPLING)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimise::check_gradient;

    #[test]
    fn gradients_agree_with_differences() {
        for problem in bounded_problems().unwrap() {
            let mut x = problem.start.clone();
            for (i, x) in x.iter_mut().enumerate() {
                *x += 0.1 * (i as f64).cos();
            }
            let check = check_gradient(&problem.objective, &x).unwrap();
            assert!(check.relative_error < 1e-9, "{}: {check:?}", problem.name);
        }
    }

    #[test]
    fn the_degenerate_vertex_has_vanishing_multipliers() {
        let mut gradient = [0.0; 10];
        degenerate_vertex()
            .value_and_gradient(&[0.0; 10], &mut gradient)
            .unwrap();
        for pair in gradient.chunks_exact(2) {
            assert!(pair[0] > 1.0 && pair[1].abs() < 1e-13, "{gradient:?}");
        }
    }
}
