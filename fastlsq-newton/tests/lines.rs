//! Evolution by lines: exact solutions, conservation, refinement.

use fastlsq_newton::evolution::lines::{
    Column, Evolution, Law, LineOptions, LineStatus, LineUnknown, Lines,
};
use fastlsq_newton::{Action, Domain, Interval, MultiIndex, Operator, PartSelector, Term};
use fastlsq_solve::space::{SpaceBuilder, SpaceCondition};
use ndarray::Array2;
use std::f64::consts::PI;
use std::sync::Arc;
use std::time::Instant;

/// Writes F for each unknown, and its derivatives by the columns, given t, x and the columns at a point.
type Pointwise = dyn Fn(f64, &[f64], &[f64], &mut [f64], &mut [f64]) + Send + Sync;

struct PointLaw {
    columns: Vec<Column>,
    law: Box<Pointwise>,
    linear: bool,
}

impl PointLaw {
    /// Calls the law at each point and hands its number, F and the derivatives on.
    fn each(
        &self,
        t: f64,
        points: &Array2<f64>,
        columns: &[Vec<f64>],
        unknowns: usize,
        mut use_it: impl FnMut(usize, &[f64], &[f64]),
    ) {
        let mut own = vec![0.0; columns.len()];
        let (mut f, mut slopes) = (vec![0.0; unknowns], vec![0.0; unknowns * columns.len()]);
        for (i, x) in points.rows().into_iter().enumerate() {
            for (own, column) in own.iter_mut().zip(columns) {
                *own = column[i];
            }
            (self.law)(t, x.as_slice().unwrap(), &own, &mut f, &mut slopes);
            use_it(i, &f, &slopes);
        }
    }
}

impl Law for PointLaw {
    fn columns(&self) -> &[Column] {
        &self.columns
    }
    fn rates(&self, t: f64, points: &Array2<f64>, columns: &[Vec<f64>], rates: &mut [Vec<f64>]) {
        self.each(t, points, columns, rates.len(), |i, f, _| {
            for (rate, value) in rates.iter_mut().zip(f) {
                rate[i] = *value;
            }
        });
    }
    fn slopes(
        &self,
        t: f64,
        points: &Array2<f64>,
        columns: &[Vec<f64>],
        slopes: &mut [Vec<Vec<f64>>],
    ) {
        self.each(t, points, columns, slopes.len(), |i, _, values| {
            for (slope, value) in slopes.iter_mut().flatten().zip(values) {
                slope[i] = *value;
            }
        });
    }
    fn is_linear_and_constant(&self) -> bool {
        self.linear
    }
}

fn d(alpha: &[u32]) -> Operator {
    let action = Action::derivative(MultiIndex::new(alpha.to_vec()));
    Operator::from_terms(alpha.len(), [Term::new(1.0, action)])
}

fn line_law(
    orders: &[(usize, u32)],
    law: impl Fn(&[f64], &mut [f64], &mut [f64]) + Send + Sync + 'static,
) -> Arc<dyn Law> {
    Arc::new(PointLaw {
        columns: orders
            .iter()
            .map(|&(k, order)| Column::new(k, d(&[order])))
            .collect(),
        law: Box::new(move |_, _, q, f, s| law(q, f, s)),
        linear: false,
    })
}

fn builder(a: f64, b: f64, order: u32) -> SpaceBuilder {
    let domain: Arc<dyn Domain> = Arc::new(Interval::new(a, b).unwrap());
    SpaceBuilder::new(domain).order(order)
}

fn at(place: &str, order: u32) -> SpaceCondition {
    SpaceCondition::new(format!("{place} {order}"), place, d(&[order]))
}

fn grid(a: f64, b: f64, count: usize) -> Array2<f64> {
    Array2::from_shape_fn((count, 1), |(i, _)| {
        a + (b - a) * (i as f64 + 0.37) / count as f64
    })
}

/// The largest relative L2 error over 37 times.
fn error(
    solution: &Evolution,
    unknown: usize,
    ends: (f64, f64),
    time: f64,
    exact: impl Fn(f64, f64) -> f64,
) -> f64 {
    let points = grid(ends.0, ends.1, 801);
    (0..=37)
        .map(|k| time * f64::from(k) / 37.0)
        .map(|t| {
            let values = solution.values(unknown, t, &points).unwrap();
            let truth: Vec<f64> = points.iter().map(|&x| exact(x, t)).collect();
            let change: f64 = values
                .iter()
                .zip(&truth)
                .map(|(a, b)| (a - b).powi(2))
                .sum();
            let size: f64 = truth.iter().map(|v| v * v).sum();
            (change / size).sqrt()
        })
        .fold(0.0, f64::max)
}

fn say(name: &str, start: Instant, solution: &Evolution, error: f64) {
    let report = solution.report();
    println!(
        "{name}: error {error:.1e}, {:.3} s\n  {report}",
        start.elapsed().as_secs_f64()
    );
    assert_eq!(report.status, LineStatus::Finished);
}

#[test]
fn kdv_soliton() {
    // u_t + u u_x + u_xxx = 0: 3c sech²(√c (x − ct − x₀)/2).
    let (c, x0) = (30.0_f64, -1.0);
    let u = move |x: f64, t: f64| 3.0 * c / (0.5 * c.sqrt() * (x - c * t - x0)).cosh().powi(2);
    let slope =
        move |x: f64, t: f64| -c.sqrt() * u(x, t) * (0.5 * c.sqrt() * (x - c * t - x0)).tanh();
    let law = line_law(&[(0, 0), (0, 1), (0, 3)], |q, f, s| {
        f[0] = -q[0] * q[1] - q[2];
        s.copy_from_slice(&[-q[1], -q[0], -1.0]);
    });
    let conditions: Arc<[SpaceCondition]> =
        Arc::new([at("x0=lo", 0), at("x0=hi", 0), at("x0=hi", 1)]);
    let unknown = LineUnknown::new(conditions, move |x| u(x[0], 0.0))
        .boundary(move |k, t, x| if k == 2 { slope(x[0], t) } else { u(x[0], t) });
    let start = Instant::now();
    let solution = Lines::new(builder(-2.0, 2.0, 3), law, vec![unknown], 0.0, 0.1)
        .evolve(&LineOptions::new(1e-9))
        .unwrap();
    let error = error(&solution, 0, (-2.0, 2.0), 0.1, u);
    say("kdv", start, &solution, error);
    assert!(error < 1e-8);
}

#[test]
fn sine_gordon_breather() {
    // u_tt = u_xx − sin u, breather of frequency ω.
    let omega = 0.6_f64;
    let width = (1.0 - omega * omega).sqrt();
    let u =
        move |x: f64, t: f64| 4.0 * (width / omega * (omega * t).sin() / (width * x).cosh()).atan();
    let rate = move |x: f64| 4.0 * width / (width * x).cosh();
    let law = line_law(&[(0, 0), (0, 2)], |q, f, s| {
        f[0] = q[1] - q[0].sin();
        s.copy_from_slice(&[-q[0].cos(), 1.0]);
    });
    let conditions: Arc<[SpaceCondition]> = Arc::new([at("x0=lo", 0), at("x0=hi", 0)]);
    let unknown = LineUnknown::new(conditions, move |x| u(x[0], 0.0))
        .initial_rate(move |x| rate(x[0]))
        .boundary(move |_, t, x| u(x[0], t));
    let start = Instant::now();
    let solution = Lines::new(builder(-10.0, 10.0, 2), law, vec![unknown], 0.0, 20.0)
        .evolve(&LineOptions::new(1e-10))
        .unwrap();
    // u vanishes with sin ωt: errors are measured where it does not.
    let points = grid(-10.0, 10.0, 801);
    let worst = (1..40)
        .map(|k| 0.5 * f64::from(k))
        .map(|t| {
            let values = solution.values(0, t, &points).unwrap();
            let change: f64 = values
                .iter()
                .zip(points.iter())
                .map(|(v, &x)| (v - u(x, t)).powi(2))
                .sum();
            let size: f64 = points.iter().map(|&x| u(x, PI / 2.0 / omega).powi(2)).sum();
            (change / size).sqrt()
        })
        .fold(0.0, f64::max);
    say("sine-gordon", start, &solution, worst);
    assert!(worst < 1e-9);
}

/// Cole–Hopf with Gauss–Hermite sums replaced by a trapezoidal rule, which is exact to rounding for these
/// integrands.
fn burgers(nu: f64, x: f64, t: f64) -> f64 {
    if t <= 0.0 {
        return -(PI * x).sin();
    }
    let (mut top, mut bottom) = (0.0, 0.0);
    let spread = (4.0 * nu * t).sqrt();
    let exponent = |eta: f64| -(PI * (x - eta)).cos() / (2.0 * PI * nu) - (eta / spread).powi(2);
    let steps = 4000;
    let reach = (7.0 * spread).max(2.5_f64.min(40.0 * spread));
    let etas: Vec<f64> = (0..=steps)
        .map(|k| reach * (2.0 * f64::from(k) / f64::from(steps) - 1.0))
        .collect();
    let largest = etas
        .iter()
        .map(|&eta| exponent(eta))
        .fold(f64::MIN, f64::max);
    for eta in etas {
        let weight = (exponent(eta) - largest).exp();
        top += (PI * (x - eta)).sin() * weight;
        bottom += weight;
    }
    -top / bottom
}

#[test]
fn burgers_thin_layer() {
    let nu = 0.01 / PI;
    let law = line_law(&[(0, 0), (0, 1), (0, 2)], move |q, f, s| {
        f[0] = nu * q[2] - q[0] * q[1];
        s.copy_from_slice(&[-q[1], -q[0], nu]);
    });
    let conditions: Arc<[SpaceCondition]> = Arc::new([at("x0=lo", 0), at("x0=hi", 0)]);
    let unknown = LineUnknown::new(conditions, |x| -(PI * x[0]).sin());
    let start = Instant::now();
    let solution = Lines::new(builder(-1.0, 1.0, 2), law, vec![unknown], 0.0, 1.0)
        .evolve(&LineOptions::new(1e-8))
        .unwrap();
    println!("burgers took {:.3} s", start.elapsed().as_secs_f64());
    for t in [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 1.0] {
        let points = grid(-1.0, 1.0, 401);
        let values = solution.values(0, t, &points).unwrap();
        let worst = values
            .iter()
            .zip(points.iter())
            .map(|(v, &x)| ((v - burgers(nu, x, t)).abs(), x))
            .max_by(|a, b| a.0.total_cmp(&b.0));
        println!("  t {t}: {worst:?}");
    }
    let seconds = start;
    let error = error(&solution, 0, (-1.0, 1.0), 1.0, |x, t| burgers(nu, x, t));
    say("burgers", seconds, &solution, error);
    for (t, method, space) in &solution.report().spaces {
        println!(
            "    {t:.4} {method:?} {} pieces {} dim",
            space.pieces, space.dim
        );
    }
    assert!(error < 1e-7);
}

#[test]
fn kuramoto_sivashinsky() {
    let law = line_law(&[(0, 0), (0, 1), (0, 2), (0, 4)], |q, f, s| {
        f[0] = -q[0] * q[1] - q[2] - q[3];
        s.copy_from_slice(&[-q[1], -q[0], -1.0, -1.0]);
    });
    let unknown = LineUnknown::new(Arc::new([]), |x| {
        (x[0] / 16.0).cos() * (1.0 + (x[0] / 16.0).sin())
    });
    let start = Instant::now();
    let solution = Lines::new(
        builder(0.0, 32.0 * PI, 4).periodic(0),
        law,
        vec![unknown],
        0.0,
        50.0,
    )
    .evolve(&LineOptions::new(1e-9))
    .unwrap();
    let points = Array2::from_shape_vec((6, 1), vec![3.0, 17.0, 40.0, 61.5, 88.0, 99.0]).unwrap();
    println!("KS values {:?}", solution.values(0, 50.0, &points).unwrap());
    say("kuramoto-sivashinsky", start, &solution, 0.0);
}

#[test]
fn allen_cahn() {
    let law = line_law(&[(0, 0), (0, 2)], |q, f, s| {
        f[0] = 1e-4 * q[1] + 5.0 * (q[0] - q[0].powi(3));
        s.copy_from_slice(&[5.0 - 15.0 * q[0] * q[0], 1e-4]);
    });
    let unknown = LineUnknown::new(Arc::new([]), |x| x[0] * x[0] * (PI * x[0]).cos());
    let start = Instant::now();
    let solution = Lines::new(
        builder(-1.0, 1.0, 2).periodic(0),
        law,
        vec![unknown],
        0.0,
        1.0,
    )
    .evolve(&LineOptions::new(1e-8))
    .unwrap();
    let points =
        Array2::from_shape_vec((7, 1), vec![-0.9, -0.5, -0.31, 0.0, 0.2, 0.45, 0.66]).unwrap();
    println!("AC values {:?}", solution.values(0, 1.0, &points).unwrap());
    say("allen-cahn", start, &solution, 0.0);
}

#[test]
fn schroedinger_soliton() {
    // i q_t + ½ q_xx + |q|² q = 0, q = sech(x − vt) e^{i(vx + (1 − v²)t/2)}: ten widths of travel.
    let v = 1.0_f64;
    let part = move |k: usize, x: f64, t: f64| {
        let phase = v * x + 0.5 * (1.0 - v * v) * t;
        (if k == 0 { phase.cos() } else { phase.sin() }) / (x - v * t).cosh()
    };
    let law = line_law(&[(0, 0), (0, 2), (1, 0), (1, 2)], |q, f, s| {
        let square = q[0] * q[0] + q[2] * q[2];
        f.copy_from_slice(&[-0.5 * q[3] - square * q[2], 0.5 * q[1] + square * q[0]]);
        let (first, second) = s.split_at_mut(4);
        first.copy_from_slice(&[-2.0 * q[0] * q[2], 0.0, -square - 2.0 * q[2] * q[2], -0.5]);
        second.copy_from_slice(&[square + 2.0 * q[0] * q[0], 0.5, 2.0 * q[0] * q[2], 0.0]);
    });
    let conditions: Arc<[SpaceCondition]> =
        Arc::new([SpaceCondition::new("ends", PartSelector::AllWalls, d(&[0]))]);
    let unknowns = (0..2)
        .map(|k| LineUnknown::new(Arc::clone(&conditions), move |x| part(k, x[0], 0.0)))
        .collect();
    let start = Instant::now();
    let solution = Lines::new(builder(-25.0, 35.0, 2), law, unknowns, 0.0, 10.0)
        .evolve(&LineOptions::new(1e-9))
        .unwrap();
    let error = error(&solution, 0, (-25.0, 35.0), 10.0, |x, t| part(0, x, t));
    say("schroedinger", start, &solution, error);
    assert!(error < 1e-8);
}

#[test]
fn long_advection_and_long_heat() {
    let exact = |x: f64, t: f64| ((2.0 * PI * (x - t)).sin()).exp();
    let law: Arc<dyn Law> = Arc::new(PointLaw {
        columns: vec![Column::new(0, d(&[1]))],
        law: Box::new(|_, _, q, f, s| {
            f[0] = -q[0];
            s[0] = -1.0;
        }),
        linear: true,
    });
    let unknown = LineUnknown::new(Arc::new([]), move |x| exact(x[0], 0.0));
    let start = Instant::now();
    let solution = Lines::new(
        builder(0.0, 1.0, 1).periodic(0),
        law,
        vec![unknown],
        0.0,
        100.0,
    )
    .evolve(&LineOptions::new(1e-11))
    .unwrap();
    let worst = error(&solution, 0, (0.0, 1.0), 100.0, exact);
    say("advection, 100 turns", start, &solution, worst);
    assert!(worst < 1e-11);

    let exact = |x: f64, t: f64| (PI * x).sin() * (-PI * PI * t).exp();
    let law: Arc<dyn Law> = Arc::new(PointLaw {
        columns: vec![Column::new(0, d(&[2]))],
        law: Box::new(|_, _, q, f, s| {
            f[0] = q[0];
            s[0] = 1.0;
        }),
        linear: true,
    });
    let conditions: Arc<[SpaceCondition]> = Arc::new([at("x0=lo", 0), at("x0=hi", 0)]);
    let unknown = LineUnknown::new(conditions, move |x| exact(x[0], 0.0));
    let start = Instant::now();
    let solution = Lines::new(builder(0.0, 1.0, 2), law, vec![unknown], 0.0, 2.0)
        .evolve(&LineOptions::new(1e-10))
        .unwrap();
    let worst = error(&solution, 0, (0.0, 1.0), 2.0, exact);
    say("heat", start, &solution, worst);
    assert!(worst < 1e-10);
}
