//! The evolutions, each with its truth.

use fastlsq_newton::NonlinearProblem;
use fastlsq_newton::problems::{self, Referenced};
use fastlsq_solve::space::line::EndCondition;

use super::trial_space::Line;

/// Times at which errors are measured.
pub(super) const TIMES: usize = 20;

/// Points, and steps from each time to the next.
pub(super) type Rung = (usize, usize);

/// A problem with its truth, and what the peers take.
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) problem: NonlinearProblem,
    pub(super) end: f64,
    pub(super) line: Line,
    /// u(x) at time number k.
    pub(super) truth: Box<dyn Fn(usize, f64) -> f64>,
    /// What the conditions ask for at a time.
    pub(super) data: Box<dyn Fn(f64) -> Vec<f64>>,
    /// The rungs of ETDRK4.
    pub(super) rungs: &'static [Rung],
    pub(super) note: &'static str,
}

/// Equidistant times up to the last.
pub(super) fn times(end: f64) -> Vec<f64> {
    (1..=TIMES).map(|k| end * k as f64 / TIMES as f64).collect()
}

/// The soliton on its interval; waves need a circle, on which it does not meet itself.
pub(super) fn kdv() -> Case {
    let benchmark = problems::kdv_soliton();
    let (lo, hi, end) = (-2.0, 2.0, 0.1);
    let at = {
        let benchmark = benchmark.clone();
        move |x: f64, t: f64| {
            benchmark
                .exact(&[x, t])
                .first()
                .copied()
                .unwrap_or(f64::NAN)
        }
    };
    let slope = {
        let benchmark = benchmark.clone();
        move |x: f64, t: f64| {
            let gradient = benchmark.exact_gradient(&[x, t]).into_iter().next();
            gradient
                .and_then(|g| g.first().copied())
                .unwrap_or(f64::NAN)
        }
    };
    let end_condition = |upper: bool, derivative: usize| EndCondition {
        upper,
        coefficients: vec![[vec![0.0; derivative], vec![1.0]].concat()],
    };
    let exact = at.clone();
    Case {
        name: benchmark.name,
        problem: benchmark.problem,
        end,
        line: Line {
            interval: (lo, hi),
            order: 3,
            periodic: false,
            conditions: vec![
                end_condition(false, 0),
                end_condition(true, 0),
                end_condition(true, 1),
            ],
        },
        truth: Box::new(move |k, x| exact(x, times(end).get(k).copied().unwrap_or(f64::NAN))),
        data: Box::new(move |t| vec![at(lo, t), at(hi, t), slope(hi, t)]),
        rungs: &[(256, 50), (256, 100), (256, 200), (256, 400), (256, 800)],
        note: "on a circle of length 16, where the soliton decays: without conditions at the ends of [−2,2]",
    }
}

/// Chaos on a circle.
pub(super) fn kuramoto_sivashinsky() -> Case {
    let rungs = &[
        (128, 20),
        (256, 20),
        (256, 40),
        (256, 80),
        (256, 160),
        (256, 320),
        (256, 480),
    ];
    on_circle(problems::kuramoto_sivashinsky(), 4, (0, 4), rungs)
}

/// Layers on a circle, from an initial value with a kink.
pub(super) fn allen_cahn() -> Case {
    let rungs = &[
        (512, 5),
        (1024, 5),
        (1024, 10),
        (1024, 20),
        (2048, 40),
        (4096, 40),
    ];
    on_circle(problems::allen_cahn_layers(), 2, (2, 1), rungs)
}

/// A problem on a circle. Its reference is a method of the same kind as the peer, so that it must be finer than all of the peer's
/// rungs: the points are doubled `doublings` times, and there are `more_steps` times as many steps as where ours alone is measured.
fn on_circle(
    problem: Referenced,
    order: usize,
    (doublings, more_steps): (u32, usize),
    rungs: &'static [Rung],
) -> Case {
    let (level, steps) = problem.resolution;
    let steps = more_steps * steps / TIMES;
    let reference = problem
        .semilinear
        .reference(problem.end, TIMES, level + doublings, steps);
    Case {
        name: problem.name,
        problem: problem.problem,
        end: problem.end,
        line: Line {
            interval: problem.semilinear.interval,
            order,
            periodic: true,
            conditions: Vec::new(),
        },
        truth: Box::new(move |k, x| reference.value(k, x)),
        data: Box::new(|_| Vec::new()),
        rungs,
        note: "",
    }
}

#[cfg(test)]
mod tests {
    use super::{kdv, times};

    #[test]
    fn the_soliton_meets_its_own_conditions() {
        let case = kdv();
        assert_eq!(case.line.conditions.len(), 3);
        let (last, t) = (times(case.end).len() - 1, case.end);
        let data = (case.data)(t);
        let (lo, hi) = case.line.interval;
        let truth = |x: f64| (case.truth)(last, x);
        assert!((data[0] - truth(lo)).abs() < 1e-12 && (data[1] - truth(hi)).abs() < 1e-12);
        let difference = (truth(hi + 1e-4) - truth(hi - 1e-4)) / 2e-4;
        assert!(
            (data[2] - difference).abs() < 1e-3,
            "{} {difference}",
            data[2]
        );
        // At the end it is half way out.
        assert!((data[1] - 90.0).abs() < 1e-9);
    }
}
