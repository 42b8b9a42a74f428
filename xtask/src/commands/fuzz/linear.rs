//! Linear problems: statements, options, evaluations, files.

use std::sync::Arc;
use std::time::Duration;

use fastlsq_solve::ndarray::Array2;
use fastlsq_solve::{
    Ball, Basis, BoxDomain, Condition, Coordinate, Domain, Expr, FrequencyLaw, InputMap,
    LinearProblem, LsqOptions, Method, Options, Parity, PartSelector, PolynomialBasis, Sequence,
    SinusoidalBasis, Solution, SpaceTime, Status, Symmetry, T, TanhBasis, Unknown, X, Y, Z, axis,
    biharmonic, cos, exp, fractional_laplacian, given, laplacian, normal_derivative, sin, unknown,
};

use super::call::{Call, word};
use super::random::Random;

/// A problem, its solution, and everything that can be done with it.
pub(super) fn run(random: &mut Random, call: &mut Call) -> String {
    let Some((domain, dim)) = domain(random) else {
        return "no domain".to_owned();
    };
    let problem = problem(random, domain, dim);
    let options = options(random, dim);
    (call.time, call.memory) = (options.control().time(), options.control().memory());
    call.describe(&problem);
    call.describe(&options);
    let factors = random.chance(0.1);
    let solved = call.limited(|| {
        if factors {
            problem
                .factor_with(&options)
                .map(|plate| plate.solution().clone())
        } else {
            problem.solve_with(&options)
        }
    });
    match solved {
        Err(error) => {
            let _ = error.to_string();
            format!("error {}", word(&error))
        }
        Ok(solution) => {
            examine(random, call, &solution, dim);
            format!("{:?}", solution.report().status)
        }
    }
}

/// Evaluations of a solution at kind and unkind points, and a round through a file.
fn examine(random: &mut Random, call: &mut Call, solution: &Solution, dim: usize) {
    let report = solution.report();
    let _ = report.to_string();
    let estimate = report.error_estimate;
    call.refute(estimate.is_nan(), "the estimate is NaN");
    let met = report.status == Status::ToleranceMet;
    call.refute(
        met && !estimate.is_finite(),
        "met with an infinite estimate",
    );
    let finite = solution.coefficients().iter().all(|b| b.is_finite());
    call.refute(!finite, "a coefficient is not finite");
    let size = if random.chance(0.7) {
        dim
    } else {
        random.below(5)
    };
    let point: Vec<f64> = (0..size).map(|_| random.number()).collect();
    let value = solution.value(&point);
    let _ = (solution.gradient(&point), solution.hessian(&point));
    let _ = (solution.laplacian(&point), solution.unknown("w").is_ok());
    let _ = solution.at(operator(random, unknown("u"), dim), &point);
    let many = Array2::from_shape_fn((random.below(3), dim), |_| random.unkind());
    let _ = (
        solution.values(many.view()),
        solution.gradients(many.view()),
    );
    let mut file = Vec::new();
    if solution.to_writer(&mut file).is_ok() {
        match Solution::from_reader(file.as_slice()) {
            Err(error) => call.refute(true, &format!("saved, but cannot be read again: {error}")),
            Ok(back) => {
                let same = match (&value, back.value(&point)) {
                    (Ok(a), Ok(b)) => a.to_bits() == b.to_bits(),
                    (a, b) => a.is_err() == b.is_err(),
                };
                call.refute(!same, "saving and loading changes the function");
            }
        }
    }
}

fn domain(random: &mut Random) -> Option<(Arc<dyn Domain>, usize)> {
    let dim = 1 + random.below(3);
    let lo: Vec<f64> = (0..dim)
        .map(|_| {
            if random.chance(0.8) {
                0.0
            } else {
                random.pick(&[1e6, -1e9, 1e-9, 3.0, 1e15, 1e150])
            }
        })
        .collect();
    let hi: Vec<f64> = lo
        .iter()
        .map(|lo| {
            lo + if random.chance(0.7) {
                1.0
            } else {
                random.pick(&[1e-9, 1e9, 1e-3, 1e3, 1e-150, 1e300])
            }
        })
        .collect();
    let space: Arc<dyn Domain> = match random.below(4) {
        0 => Arc::new(BoxDomain::unit(dim)),
        1 => Arc::new(Ball::new(&lo, random.pick(&[1.0, 1e-9, 1e9, 1e150])).ok()?),
        _ => Arc::new(BoxDomain::new(&lo, &hi).ok()?),
    };
    if random.chance(0.3) {
        let (from, to) = random.pick(&[(0.0, 1.0), (0.0, 1e-9), (1e6, 1e6 + 1.0), (0.0, 1e9)]);
        return Some((Arc::new(SpaceTime::new(space, from, to).ok()?), dim + 1));
    }
    Some((space, dim))
}

fn coordinate(random: &mut Random) -> Coordinate {
    random.pick(&[X, X, Y, Z, T, axis(5)])
}

/// Something linear in u, of any order.
fn operator(random: &mut Random, u: Unknown, dim: usize) -> Expr {
    let mut total = match random.below(8) {
        0..=3 => -laplacian(u),
        4 => biharmonic(u),
        5 => u.d(coordinate(random)),
        6 => u.into(),
        _ => (0..random.below(7)).fold(u.into(), |of: Expr, _| of.d(X)),
    };
    if random.chance(0.4) {
        total = random.number() * total;
    }
    if random.chance(0.3) {
        total = total + random.number() * u;
    }
    if random.chance(0.15) {
        total = match random.below(4) {
            0 => X * total,
            1 => total + exp(random.number() * X) * u,
            2 => total + given("jump", |x: &[f64]| if x[0] > 0.5 { 1.0 } else { -1.0 }) * u,
            _ => given("nothing", |_: &[f64]| f64::NAN) * total,
        };
    }
    if random.chance(0.05) {
        total = total + fractional_laplacian(u, random.number());
    }
    if random.chance(0.03) {
        total = total + normal_derivative(u);
    }
    if dim > 1 && random.chance(0.2) {
        total = total + u.d(Y);
    }
    total
}

/// What stands on the right.
pub(super) fn data(random: &mut Random) -> Expr {
    let number = random.number();
    match random.below(11) {
        0 | 1 => number.into(),
        2 => 0.0.into(),
        3 => sin(3.0 * X),
        4 => exp(10.0 * X),
        5 => cos(number * X),
        6 => given("step", |x: &[f64]| f64::from(x.iter().sum::<f64>() > 0.5)),
        7 => given("hole", |x: &[f64]| if x[0] > 0.9 { f64::NAN } else { 1.0 }),
        8 => given("pole", |x: &[f64]| 1.0 / (x[0] - 0.5)),
        9 => given("huge", |x: &[f64]| 1e300 * x.iter().sum::<f64>()),
        _ => given("tiny", |x: &[f64]| 1e-300 * x.iter().sum::<f64>()),
    }
}

fn problem(random: &mut Random, domain: Arc<dyn Domain>, dim: usize) -> LinearProblem {
    let (u, v) = (unknown("u"), unknown("v"));
    let mut problem = LinearProblem::on_shared(domain);
    let equations = if random.chance(0.9) {
        1
    } else {
        random.below(3)
    };
    for _ in 0..equations {
        let mut left = operator(random, u, dim);
        if random.chance(0.1) {
            left = left + operator(random, v, dim);
        }
        problem = problem.equation(left, data(random));
    }
    let conditions = if random.chance(0.6) {
        1
    } else {
        random.below(4)
    };
    for _ in 0..conditions {
        problem = match random.below(10) {
            0..=3 => problem.dirichlet(data(random)),
            4 => problem.neumann(data(random)),
            5 => problem.robin(random.number(), random.number(), data(random)),
            6 => problem.initial_value(data(random)),
            7 => problem.periodic(coordinate(random)),
            8 => problem.with(table(random, dim)),
            _ => problem.with(condition(random, u, dim)),
        };
    }
    problem
}

fn condition(random: &mut Random, u: Unknown, dim: usize) -> Condition {
    let part = match random.below(5) {
        0 | 1 => PartSelector::AllWalls,
        2 => PartSelector::Initial,
        3 => X.lo().into(),
        _ => PartSelector::Named("nonsense".into()),
    };
    let mut condition = Condition::on(part, operator(random, u, dim), data(random));
    if random.chance(0.3) {
        condition = condition.weight(random.unkind());
    }
    if random.chance(0.3) {
        condition = condition.exact();
    }
    if random.chance(0.3) {
        condition = condition.rows(random.pick(&[0, 1, 2, 50, 300]));
    }
    condition
}

fn table(random: &mut Random, dim: usize) -> Condition {
    let rows = random.pick(&[0, 1, 3, 40]);
    let columns = if random.chance(0.9) { dim } else { dim + 1 };
    let points = Array2::from_shape_fn((rows, columns), |_| {
        if random.chance(0.97) {
            random.unit()
        } else {
            random.unkind()
        }
    });
    let count = if random.chance(0.9) { rows } else { rows + 1 };
    let values: Vec<f64> = (0..count).map(|_| random.number()).collect();
    let mut condition = Condition::at(points, unknown("u"), &values);
    if random.chance(0.3) {
        let deviations: Vec<f64> = (0..rows)
            .map(|_| {
                if random.chance(0.9) {
                    0.1
                } else {
                    random.unkind()
                }
            })
            .collect();
        condition = condition.deviations(&deviations);
    }
    condition
}

/// Options with a time limit, sensible in most parts.
pub(super) fn options(random: &mut Random, dim: usize) -> Options {
    let milliseconds = random.pick(&[0, 1, 20, 60, 120]);
    let mut options = Options::new()
        .time_limit(Duration::from_millis(milliseconds))
        .max_features(random.pick(&[1, 2, 20, 60, 100, 300, 2000]));
    if random.chance(0.5) {
        options = options.memory_limit(random.pick(&[
            0,
            1000,
            1 << 20,
            2 << 20,
            4 << 20,
            16 << 20,
            64 << 20,
        ]));
    }
    if random.chance(0.4) {
        options = options.features(random.pick(&[
            0,
            1,
            2,
            10,
            40,
            100,
            400,
            1500,
            3000,
            usize::MAX,
            1 << 40,
        ]));
    }
    if random.chance(0.4) {
        options = options.bandwidth(if random.chance(0.8) {
            random.between(0.5, 20.0)
        } else {
            random.unkind()
        });
    }
    if random.chance(0.1) {
        options = options.bandwidth_grid(&[1.0, random.number()], random.below(3));
    }
    if random.chance(0.1) {
        let law = random.pick(&[
            FrequencyLaw::Isotropic(2.0),
            FrequencyLaw::PerAxis(vec![2.0; dim]),
        ]);
        options = options.begin_with(random.pick(&[0, 1, 2, 30]), law);
    }
    if random.chance(0.2) {
        options = options.rows(
            random.pick(&[0, 1, 100, 5000, 1_000_000, 1_000_000_000, usize::MAX]),
            random.pick(&[0, 1, 50, 10_000]),
        );
    }
    if random.chance(0.1) {
        options = options.weight(random.number());
    }
    if random.chance(0.3) {
        options = options.tolerance(if random.chance(0.7) {
            random.pick(&[1e-4, 1e-8, 1.0])
        } else {
            random.unkind()
        });
    }
    if random.chance(0.1) {
        options = options.oversampling(random.pick(&[0.1, 2.0, 100.0, 1e6, f64::NAN]));
    }
    if random.chance(0.03) {
        options = options.threads(random.pick(&[0, 20_000, usize::MAX]));
    }
    if random.chance(0.1) {
        options = options
            .symmetry(random.pick(&[Symmetry::Ignore, Symmetry::Declared(vec![Parity::Odd; dim])]));
    }
    if random.chance(0.2) {
        options = options.points(Sequence::Independent).seed(random.seed());
    }
    if random.chance(0.2) {
        let methods = [
            Method::RankRevealingQr,
            Method::Svd,
            Method::Qr,
            Method::NormalEquations,
            Method::Sketch,
        ];
        let mut lsq = LsqOptions::new()
            .method(random.pick(&methods))
            .minimum_norm(random.chance(0.5));
        if random.chance(0.2) {
            lsq = lsq.threshold(random.unkind()).ridge(random.unkind());
        }
        options = options.lsq(lsq);
    }
    match basis(random, dim) {
        Some(basis) => options.basis(basis),
        None => options,
    }
}

/// Now and then a basis of another kind.
fn basis(random: &mut Random, dim: usize) -> Option<Arc<dyn Basis>> {
    match random.below(20) {
        0 => Some(Arc::new(TanhBasis::builder(dim, 30).build().ok()?)),
        1 => Some(Arc::new(
            PolynomialBasis::legendre(InputMap::identity(dim), 3).ok()?,
        )),
        2 => {
            let law = FrequencyLaw::Isotropic(random.number());
            Some(Arc::new(
                SinusoidalBasis::random(dim + random.below(2), 20, &law, 1).ok()?,
            ))
        }
        _ => None,
    }
}
