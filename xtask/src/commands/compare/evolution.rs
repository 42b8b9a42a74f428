//! Evolutions, against exponential time differencing with FFT, and against SciPy's integrators on the same trial space.

mod cases;
mod method;
mod snapshots;
mod trial_space;

use std::time::Instant;

use anyhow::{Context, Result};
use fastlsq_newton::NonlinearSolution;
use fastlsq_newton::evolution::RunReport;
use fastlsq_solve::space::line::LineSpace;
use serde::Deserialize;
use serde_json::{Value, json};

use self::cases::{Case, TIMES, times};
use self::method::{DOP853, Method, RADAU};
use self::snapshots::{Snapshots, at_time};
use self::trial_space::{Matrices, Moment};
use super::equal::{AUTOMATIC, at_our_error, note_equal_time};
use super::peer::Peer;
use super::rows::Row;
use super::sample::{Sample, Side, take_turns};
use super::{Record, Scope};
use crate::commands::reproduce::items::evolution::options;

/// Moments that the trial space of the peers must hold, for each time at which errors are measured.
const MOMENTS: usize = 4;
/// The tails of that space relative to the error that the finest run of ours aims for: a tenth of what that allows.
const TAIL: f64 = 0.03;
/// Seconds after which SciPy is stopped.
const LIMIT: f64 = 20.0;
const QUICK_LIMIT: f64 = 3.0;

#[derive(Deserialize)]
struct Found {
    seconds: f64,
    /// Values at the points, or coefficients in the trial space, for each time; nothing where it did not arrive.
    found: Option<Vec<Vec<f64>>>,
    unknowns: Option<f64>,
    status: Option<String>,
}

pub(super) fn run(scope: &Scope, record: &mut Record) -> Result<()> {
    // Vectors and sparse matrices of a few hundred rows: more threads would only wait for each other.
    let peer = scope.launcher.start_on(1, "evolution")?;
    let cases = [
        cases::kdv(),
        cases::kuramoto_sivashinsky(),
        cases::allen_cahn(),
    ];
    for case in cases {
        eprintln!("  {} …", case.name);
        let contest = Contest::prepare(&case, scope, &peer)?;
        record.add(contest.rows(scope))?;
    }
    Ok(())
}

/// One case, and what its sides are measured by.
struct Measure<'a> {
    case: &'a Case,
    snapshots: Snapshots,
    space: LineSpace,
}

impl Measure<'_> {
    fn ours(&self, seed: u64) -> Result<Sample> {
        let options = options(self.case.name, seed)?;
        let clock = Instant::now();
        let solution = self.case.problem.solve_with(&options)?;
        let seconds = clock.elapsed().as_secs_f64();
        let error = self.snapshots.error(&self.snapshots.of(&solution)?);
        let run = finest(&solution)?;
        Ok(sample(error, seconds, None)
            .with("unknowns", run.dim as f64)
            .with("steps", run.steps as f64))
    }

    fn theirs(&self, method: Method, answer: Found) -> Sample {
        let values = answer.found.map(|found| {
            if method.in_trial_space() {
                self.evaluate(&found)
            } else {
                found
            }
        });
        let error = values.and_then(|values| self.snapshots.error(&values));
        let sample = sample(error, answer.seconds, answer.status);
        match answer.unknowns {
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

/// A run with this error, or without one a run that failed.
fn sample(error: Option<f64>, seconds: f64, status: Option<String>) -> Sample {
    let failed = error.is_none();
    let silent = if failed { "not finite" } else { "" };
    Sample {
        value_error: error,
        seconds: Some(seconds),
        failed,
        status: status.unwrap_or_else(|| silent.to_owned()),
        ..Sample::default()
    }
}

/// One case with its peer.
struct Contest<'a> {
    measure: Measure<'a>,
    peer: &'a Peer,
    /// What every request says.
    common: Value,
}

impl<'a> Contest<'a> {
    fn prepare(case: &'a Case, scope: &Scope, peer: &'a Peer) -> Result<Self> {
        let snapshots = Snapshots::new(case.line.interval, times(case.end), &case.truth);
        let solution = case.problem.solve_with(&options(case.name, 0)?)?;
        let space = trial_space(case, &solution)?;
        let matrices = Matrices::of(&space, case.line.conditions.len());
        let file = |part: &str| format!("evolution-{}-{part}", case.name);
        let common = json!({
            "case": case.name,
            "snapshots": scope.exchange.write(&file("snapshots"), &snapshots)?,
            "space": scope.exchange.write(&file("space"), &matrices)?,
            "limit": scope.pick(QUICK_LIMIT, LIMIT),
        });
        let measure = Measure {
            case,
            snapshots,
            space,
        };
        Ok(Self {
            measure,
            peer,
            common,
        })
    }

    /// All sides in turns; then each method at our error.
    fn rows(&self, scope: &Scope) -> Vec<Row> {
        // A quick run leaves out the finest.
        let ladder = |mut methods: Vec<Method>, quick: usize| {
            methods.truncate(scope.pick(quick, usize::MAX));
            methods
        };
        let case = self.measure.case;
        let exponential = case.rungs.iter().map(|rung| Method::Etdrk4(*rung));
        let ladders = [
            ("ETDRK4", ladder(exponential.collect(), 4)),
            ("Radau", ladder(RADAU.to_vec(), 2)),
            ("DOP853", ladder(DOP853.to_vec(), 1)),
        ];
        let mut sides = vec![Side::ours(AUTOMATIC, |seed| self.measure.ours(seed))];
        for method in ladders.iter().flat_map(|(_, methods)| methods) {
            sides.push(Side::peer(method.name(), AUTOMATIC, move |_| {
                self.ask(*method)
            }));
        }
        let mut rows = take_turns("evolution", case.name, &sides, scope.repeats);
        for (peer, methods) in &ladders {
            let names: Vec<String> = methods.iter().map(|method| method.name()).collect();
            note_equal_time(&mut rows, &names);
            rows.extend(at_our_error(&rows, peer, &names));
        }
        remark(&mut rows, case.note);
        rows
    }

    fn ask(&self, method: Method) -> Result<Sample> {
        let mut request = self.common.clone();
        if let (Value::Object(request), Value::Object(own)) = (&mut request, method.request()) {
            request.extend(own);
        }
        let answer = self.peer.ask(&request)?;
        Ok(self.measure.theirs(method, answer))
    }
}

/// Notes beside the first row of waves what one should know about them.
fn remark(rows: &mut [Row], note: &str) {
    if let Some(row) = rows.iter_mut().find(|row| row.side.starts_with("ETDRK4")) {
        let parts = [note, row.note.as_str()].into_iter();
        let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        row.note = parts.join("; ");
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
    let run = finest(solution)?;
    case.line
        .holding(run.degree, TAIL * run.tolerance, &moments)
}

#[cfg(test)]
mod tests {
    use super::cases::{kdv, times};
    use super::snapshots::Snapshots;
    use super::trial_space::Moment;
    use super::{Found, Measure, Method, remark};
    use crate::commands::compare::rows::Row;

    fn found(text: &str) -> Found {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn values_and_coefficients_are_measured_alike() {
        let case = kdv();
        let snapshots = Snapshots::new(case.line.interval, times(case.end), &case.truth);
        let moments: Vec<Moment<'_>> = snapshots
            .times
            .iter()
            .enumerate()
            .map(|(k, t)| Moment {
                values: Box::new({
                    let truth = &case.truth;
                    move |x: &[f64]| Ok(x.iter().map(|x| truth(k, *x)).collect())
                }),
                data: (case.data)(*t),
            })
            .collect();
        let space = case.line.holding(16, 1e-8, &moments).unwrap();
        let project = |moment: &Moment<'_>| {
            let values = (moment.values)(space.nodes()).unwrap();
            space.project(&[values])
        };
        let coefficients: Vec<Vec<f64>> = moments.iter().map(project).collect();
        let values = snapshots
            .points
            .iter()
            .enumerate()
            .map(|(k, points)| points.iter().map(|x| (case.truth)(k, *x)).collect())
            .collect();
        let measure = Measure {
            case: &case,
            snapshots,
            space,
        };
        let answer = |found| Found {
            seconds: 1.0,
            found: Some(found),
            unknowns: Some(7.0),
            status: None,
        };
        let sample = measure.theirs(Method::Radau(-6), answer(coefficients));
        assert!(sample.value_error.unwrap() < 1e-7, "{sample:?}");
        assert_eq!(sample.more["unknowns"], 7.0);
        let sample = measure.theirs(Method::Etdrk4((8, 1)), answer(values));
        assert_eq!(sample.value_error, Some(0.0));
        let stopped = found(
            r#"{"seconds": 3, "found": null, "status": "not done within 3 s: t = 0.1 of 1"}"#,
        );
        let sample = measure.theirs(Method::Dop853(-6), stopped);
        assert!(sample.failed && sample.status.contains("t = 0.1"));
        let infinite = found(r#"{"seconds": 3, "found": [[1.0]], "unknowns": 3}"#);
        let sample = measure.theirs(Method::Etdrk4((8, 1)), infinite);
        assert!(sample.failed && sample.status == "not finite");
    }

    #[test]
    fn a_remark_stands_beside_the_first_row_of_waves() {
        let mut rows = ["ours", "ETDRK4, a", "ETDRK4, b"]
            .map(|side| Row::new("evolution", "case", side, Vec::new()));
        rows[1].note = "the best within our time".to_owned();
        remark(&mut rows, "");
        assert_eq!(rows[1].note, "the best within our time");
        remark(&mut rows, "on a circle");
        assert_eq!(rows[1].note, "on a circle; the best within our time");
        assert!(rows[0].note.is_empty() && rows[2].note.is_empty());
    }
}
