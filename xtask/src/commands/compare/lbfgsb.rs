//! Minimisation in a box.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use fastlsq_inverse::optimise::test_functions::{TestProblem, bounded_problems};
use fastlsq_inverse::optimise::{LbfgsbOptions, Method, MinimiseOptions, minimise};
use serde::Deserialize;
use serde_json::{Value, json};

use super::rows::Row;
use super::sample::{Sample, Side, take_turns};
use super::{Record, Scope};

/// SciPy's version of the test problems, relative to the root.
const PROBLEMS: &str = "fastlsq-inverse/tests/fixtures/make_scipy_lbfgsb.py";
const EVALUATIONS: &str = "evaluations";
const MINIMUM: &str = "minimum";

#[derive(Deserialize)]
struct Found {
    seconds: f64,
    value: f64,
    evaluations: f64,
    status: String,
}

/// Tolerances for both sides.
struct Tolerances {
    name: &'static str,
    /// Of the decrease and of the gradient; SciPy's own if none are given.
    given: Option<(f64, f64)>,
}

const TOLERANCES: [Tolerances; 2] = [
    Tolerances {
        name: "SciPy's tolerances",
        given: None,
    },
    Tolerances {
        name: "tight",
        given: Some((1e-14, 1e-8)),
    },
];

pub(super) fn run(scope: &Scope, record: &mut Record) -> Result<()> {
    // Ours has one thread; and SciPy's would only wait for each other on problems as small as these.
    let scipy = scope.launcher.start_on(1, "lbfgsb")?;
    let problems = scope.workspace.root.join(PROBLEMS);
    for problem in bounded_problems()? {
        let mut sides = Vec::new();
        for tolerances in &TOLERANCES {
            let (problem, scipy) = (&problem, &scipy);
            let ours = format!("ours, {}", tolerances.name);
            let theirs = format!("SciPy, {}", tolerances.name);
            let request = tolerances.request(problem.name, &problems);
            sides.push(Side::ours(&ours, |_| tolerances.minimise(problem)));
            sides.push(Side::peer(theirs, &ours, move |_| {
                let found: Found = scipy.ask(&request)?;
                Ok(sample(
                    found.value,
                    found.evaluations,
                    found.seconds,
                    found.status,
                ))
            }));
        }
        let mut found = take_turns("lbfgsb", problem.name, &sides, scope.repeats);
        note_ratios(&mut found);
        record.add(found)?;
    }
    Ok(())
}

impl Tolerances {
    fn minimise(&self, problem: &TestProblem) -> Result<Sample> {
        let mut settings = LbfgsbOptions::scipy();
        if let Some((decrease, gradient)) = self.given {
            settings = settings
                .decrease_tolerance(decrease)
                .gradient_tolerance(gradient);
        }
        let options = MinimiseOptions::new()
            .method(Method::Lbfgsb(settings))
            .max_iterations(100_000);
        let clock = Instant::now();
        let minimum = minimise(
            &problem.objective,
            &problem.start,
            &problem.bounds,
            &options,
        )?;
        let seconds = clock.elapsed().as_secs_f64();
        let evaluations = minimum.evaluations as f64;
        Ok(sample(
            minimum.value,
            evaluations,
            seconds,
            minimum.status.to_string(),
        ))
    }

    fn request(&self, case: &str, problems: &Path) -> Value {
        let options = match self.given {
            Some((decrease, gradient)) => json!({ "ftol": decrease, "gtol": gradient }),
            None => json!({}),
        };
        json!({ "case": case, "problems": problems, "options": options })
    }
}

fn sample(minimum: f64, evaluations: f64, seconds: f64, status: String) -> Sample {
    Sample {
        seconds: Some(seconds),
        status,
        ..Sample::default()
    }
    .with(EVALUATIONS, evaluations)
    .with(MINIMUM, minimum)
}

/// Evaluations as a ratio, and the difference of the minima: both are the same in every turn.
fn note_ratios(rows: &mut [Row]) {
    let ours: Vec<Row> = rows
        .iter()
        .filter(|row| row.against.is_none())
        .cloned()
        .collect();
    for row in rows {
        let reference = ours
            .iter()
            .find(|ours| Some(&ours.side) == row.against.as_ref());
        let figures = |name: &str| Some((*row.more.get(name)?, *reference?.more.get(name)?));
        if let (Some(evaluations), Some(minima)) = (figures(EVALUATIONS), figures(MINIMUM)) {
            let difference = (minima.0 - minima.1) / minima.1.abs().max(1.0);
            row.note = format!(
                "{:.2}× our evaluations, minimum {difference:+.1e} from ours",
                evaluations.0 / evaluations.1
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{TOLERANCES, note_ratios, sample};
    use crate::commands::compare::sample::{Side, take_turns};
    use fastlsq_inverse::optimise::test_functions::bounded_problems;

    #[test]
    fn ratios_are_of_theirs_over_ours() {
        let ours = Side::ours("ours", |_| Ok(sample(2.0, 40.0, 1.0, String::new())));
        let theirs = Side::peer("SciPy", "ours", |_| {
            Ok(sample(2.5, 50.0, 2.0, String::new()))
        });
        let mut rows = take_turns("lbfgsb", "case", &[ours, theirs], 1);
        note_ratios(&mut rows);
        assert!(rows[0].note.is_empty());
        assert_eq!(
            rows[1].note,
            "1.25× our evaluations, minimum +2.5e-1 from ours"
        );
    }

    #[test]
    fn tighter_tolerances_take_more_evaluations_to_a_lower_minimum() {
        let problems = bounded_problems().unwrap();
        let quartic = problems
            .iter()
            .find(|p| p.name == "chained-quartic-25")
            .unwrap();
        let [loose, tight] = [0, 1].map(|index| TOLERANCES[index].minimise(quartic).unwrap());
        assert!(tight.more["evaluations"] > loose.more["evaluations"]);
        assert!(tight.more["minimum"] <= loose.more["minimum"]);
    }
}
