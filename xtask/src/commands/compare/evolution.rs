//! Evolutions, against exponential time differencing with FFT, and against SciPy's integrators on the same trial space.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use fastlsq_newton::evolution::RunReport;
use fastlsq_newton::problems::{self, Referenced};
use fastlsq_newton::{NonlinearProblem, NonlinearSolution};
use fastlsq_solve::space::line::{EndCondition, LineSpace};
use serde::Deserialize;
use serde_json::{Value, json};

use super::equal::{AUTOMATIC, at_our_error, note_equal_time};
use super::peer::Peer;
use super::rows::Row;
use super::sample::{Sample, Side, take_turns};
use super::snapshots::{Snapshots, at_time};
use super::trial_space::{Line, Matrices, Moment};
use super::{Record, Scope};
use crate::commands::reproduce::items::evolution::{options, tolerance};

/// Times at which errors are measured.
const TIMES: usize = 20;
/// Moments that the trial space of the peers must hold, for each of these.
const MOMENTS: usize = 4;
/// The tails of that space relative to the error that ours is asked for.
const TAIL: f64 = 0.1;
/// Seconds after which SciPy is stopped.
const LIMIT: f64 = 20.0;
const QUICK_LIMIT: f64 = 3.0;

/// Points, and steps from each time to the next.
type Rung = (usize, usize);

/// A problem with its truth, and what the peers take.
struct Case {
    name: &'static str,
    problem: NonlinearProblem,
    end: f64,
    line: Line,
    /// u(x) at time number k.
    truth: Box<dyn Fn(usize, f64) -> f64>,
    /// What the conditions ask for at a time.
    data: Box<dyn Fn(f64) -> Vec<f64>>,
    /// The rungs of ETDRK4.
    rungs: &'static [Rung],
    note: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Method {
    Etdrk4(Rung),
    /// With the exponent of the tolerance.
    Radau(i32),
    Dop853(i32),
}

const RADAU: &[Method] = &[Method::Radau(-4), Method::Radau(-6), Method::Radau(-8)];
const DOP853: &[Method] = &[Method::Dop853(-6), Method::Dop853(-9)];

#[derive(Deserialize)]
struct Found {
    seconds: f64,
    /// Values at the points, or coefficients in the trial space, for each time; nothing where it did not arrive.
    found: Option<Vec<Vec<f64>>>,
    unknowns: Option<f64>,
    status: Option<String>,
}

pub(super) fn run(scope: &Scope, record: &mut Record) -> Result<()> {
    let peer = scope.launcher.start("evolution")?;
    for case in [
        kdv(),
        referenced(problems::kuramoto_sivashinsky(), 4),
        referenced(problems::allen_cahn_layers(), 2),
    ] {
        eprintln!("  {} …", case.name);
        let contest = Contest::prepare(&case, scope, &peer)?;
        record.add(contest.rows(scope)?)?;
    }
    Ok(())
}

fn times(end: f64) -> Vec<f64> {
    (1..=TIMES).map(|k| end * k as f64 / TIMES as f64).collect()
}

/// The soliton on its interval; waves need a circle, on which it does not meet itself.
fn kdv() -> Case {
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

/// A problem on a circle, with its reference.
fn referenced(problem: Referenced, order: usize) -> Case {
    let reference = problem.reference(false);
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
        // All coarser than the reference, which is made in the same way.
        rungs: if order == 4 {
            &[(128, 20), (256, 20), (256, 40), (256, 80), (256, 120)]
        } else {
            &[(512, 5), (768, 5), (1024, 5), (1024, 10), (1024, 20)]
        },
        note: "",
    }
}

impl Method {
    fn name(self) -> String {
        match self {
            Self::Etdrk4((points, steps)) => {
                format!("ETDRK4, {points} points, {} steps", TIMES * steps)
            }
            Self::Radau(exponent) => format!("Radau, tolerance 1e{exponent}"),
            Self::Dop853(exponent) => format!("DOP853, tolerance 1e{exponent}"),
        }
    }

    fn request(self) -> Value {
        match self {
            Self::Etdrk4((points, steps)) => {
                json!({ "method": "ETDRK4", "points": points, "steps": steps })
            }
            Self::Radau(exponent) => {
                json!({ "method": "Radau", "tolerance": 10.0_f64.powi(exponent) })
            }
            Self::Dop853(exponent) => {
                json!({ "method": "DOP853", "tolerance": 10.0_f64.powi(exponent) })
            }
        }
    }

    fn in_trial_space(self) -> bool {
        !matches!(self, Self::Etdrk4(_))
    }
}

/// One case with all that its sides share.
struct Contest<'a> {
    case: &'a Case,
    peer: &'a Peer,
    snapshots: Snapshots,
    space: LineSpace,
    /// What every request says.
    common: Value,
}

impl<'a> Contest<'a> {
    fn prepare(case: &'a Case, scope: &Scope, peer: &'a Peer) -> Result<Self> {
        let snapshots = Snapshots::new(case.line.interval, times(case.end), &case.truth);
        let solution = case.problem.solve_with(&options(case.name, 0)?)?;
        let space = trial_space(case, &solution)?;
        let name = format!("evolution-{}", case.name);
        let file = |part: &str| format!("{name}-{part}");
        let matrices = Matrices::of(&space, case.line.conditions.len());
        let paths: [&Path; 2] = [
            &scope.exchange.write(&file("snapshots"), &snapshots)?,
            &scope.exchange.write(&file("space"), &matrices)?,
        ];
        Ok(Self {
            case,
            peer,
            snapshots,
            space,
            common: json!({
                "case": case.name, "snapshots": paths[0], "space": paths[1],
                "limit": scope.pick(QUICK_LIMIT, LIMIT),
            }),
        })
    }

    /// All sides in turns; then each method at our error.
    fn rows(&self, scope: &Scope) -> Result<Vec<Row>> {
        // A quick run leaves out the finest.
        let ladder = |mut methods: Vec<Method>, quick: usize| {
            methods.truncate(scope.pick(quick, usize::MAX));
            methods
        };
        let exponential = self.case.rungs.iter().map(|rung| Method::Etdrk4(*rung));
        let ladders = [
            ("ETDRK4", ladder(exponential.collect(), 3)),
            ("Radau", ladder(RADAU.to_vec(), 2)),
            ("DOP853", ladder(DOP853.to_vec(), 1)),
        ];
        let mut sides = vec![Side::ours(AUTOMATIC, |seed| self.ours(seed))];
        for method in ladders.iter().flat_map(|(_, methods)| methods) {
            sides.push(Side::peer(method.name(), AUTOMATIC, move |_| {
                self.ask(*method)
            }));
        }
        let mut rows = take_turns("evolution", self.case.name, &sides, scope.repeats);
        for (peer, methods) in &ladders {
            let names: Vec<String> = methods.iter().map(|method| method.name()).collect();
            note_equal_time(&mut rows, &names);
            rows.extend(at_our_error(&rows, peer, &names));
        }
        self.remark(&mut rows);
        Ok(rows)
    }

    /// What to know about the case, beside the first of its rows that it concerns.
    fn remark(&self, rows: &mut [Row]) {
        let first = rows.iter_mut().find(|row| row.side.starts_with("ETDRK4"));
        if let Some(row) = first.filter(|_| !self.case.note.is_empty()) {
            let parts = [self.case.note, &row.note];
            let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            row.note = parts.join("; ");
        }
    }

    fn ours(&self, seed: u64) -> Result<Sample> {
        let options = options(self.case.name, seed)?;
        let clock = Instant::now();
        let solution = self.case.problem.solve_with(&options)?;
        let seconds = clock.elapsed().as_secs_f64();
        let error = self.snapshots.error(&self.snapshots.of(&solution)?);
        let run = finest(&solution)?;
        Ok(Sample {
            value_error: error,
            seconds: Some(seconds),
            failed: error.is_none(),
            ..Sample::default()
        }
        .with("unknowns", run.dim as f64)
        .with("steps", run.steps as f64))
    }

    fn ask(&self, method: Method) -> Result<Sample> {
        let mut request = self.common.clone();
        if let (Value::Object(request), Value::Object(own)) = (&mut request, method.request()) {
            request.extend(own);
        }
        let found: Found = self.peer.ask(&request)?;
        Ok(self.judge(method, found))
    }

    /// Both kinds of answers by the same points.
    fn judge(&self, method: Method, found: Found) -> Sample {
        let values = found.found.map(|found| {
            if method.in_trial_space() {
                self.evaluate(&found)
            } else {
                found
            }
        });
        let error = values.and_then(|values| self.snapshots.error(&values));
        let sample = Sample {
            value_error: error,
            seconds: Some(found.seconds),
            failed: error.is_none(),
            status: match (error, found.status) {
                (_, Some(status)) => status,
                (None, None) => "not finite".to_owned(),
                (Some(_), None) => String::new(),
            },
            ..Sample::default()
        };
        match found.unknowns {
            Some(unknowns) if method.in_trial_space() => sample.with("unknowns", unknowns),
            _ => sample,
        }
    }

    /// Functions of the trial space at the points of each time.
    fn evaluate(&self, coefficients: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let snapshots = self.snapshots.times.iter().zip(&self.snapshots.points);
        let pairs = coefficients.iter().zip(snapshots);
        pairs
            .map(|(c, (t, points))| {
                let expansion = self.space.expansion(c, &(self.case.data)(*t));
                let value = |x: &f64| self.space.value(&expansion, 0, 0, *x);
                points.iter().map(value).collect()
            })
            .collect()
    }
}

/// The last run of an evolution.
fn finest(solution: &NonlinearSolution) -> Result<&RunReport> {
    let evolution = solution
        .evolution()
        .context("it was solved in space-time")?;
    evolution.runs.last().context("it was not run")
}

/// The functions of ours, on one mesh for all times.
fn trial_space(case: &Case, solution: &NonlinearSolution) -> Result<LineSpace> {
    let count = MOMENTS * TIMES;
    let moments: Vec<Moment<'_>> = (0..=count)
        .map(|k| {
            let t = case.end * k as f64 / count as f64;
            Moment {
                values: Box::new(move |x: &[f64]| at_time(solution, x, t)),
                data: (case.data)(t),
            }
        })
        .collect();
    let tail = TAIL * tolerance(case.name)?;
    case.line.holding(finest(solution)?.degree, tail, &moments)
}
