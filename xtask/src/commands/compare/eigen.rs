//! Eigenvalues, against Chebyshev collocation.

use anyhow::Result;
use serde::Deserialize;
use serde_json::json;

use super::equal::{AUTOMATIC, at_our_error, note_equal_time};
use super::peer::Peer;
use super::sample::{Sample, Side, take_turns};
use super::{Record, Scope};
use crate::commands::reproduce::items::eigen::{CASES, Case, worst};

/// The degrees along an axis that collocation takes: along a radius twice, and around as many angles, for the disc.
const DEGREES: [(&str, &[usize]); 4] = [
    ("interval", &[24, 28, 32, 36, 40, 48, 64]),
    ("oscillator", &[48, 56, 64, 72, 80, 96, 128]),
    ("disc", &[17, 21, 25, 29, 33, 37]),
    ("square", &[12, 16, 20, 22, 24, 28]),
];
const METHOD: &str = "Chebyshev";

#[derive(Deserialize)]
struct Found {
    seconds: f64,
    values: Vec<f64>,
    unknowns: f64,
}

pub(super) fn run(scope: &Scope, record: &mut Record) -> Result<()> {
    // Matrices of a few hundred rows at most: more threads would only wait for each other.
    let peer = scope.launcher.start_on(1, "chebyshev")?;
    for case in &CASES {
        let Some((_, degrees)) = DEGREES.iter().find(|(name, _)| *name == case.name) else {
            continue;
        };
        // A quick run leaves out every second one.
        let degrees = degrees.iter().rev().step_by(scope.pick(2, 1)).rev();
        eprintln!("  {} …", case.name);
        let mut sides = vec![Side::ours(AUTOMATIC, |seed| ours(case, seed))];
        let mut names = Vec::new();
        for degree in degrees {
            let (peer, name) = (&peer, format!("{METHOD}, degree {degree}"));
            names.push(name.clone());
            sides.push(Side::peer(name, AUTOMATIC, move |_| {
                ask(case, peer, *degree)
            }));
        }
        let mut rows = take_turns("eigen", case.name, &sides, scope.repeats);
        note_equal_time(&mut rows, &names);
        rows.extend(at_our_error(&rows, METHOD, &names));
        record.add(rows)?;
    }
    Ok(())
}

fn ours(case: &Case, seed: u64) -> Result<Sample> {
    let run = case.run(seed)?;
    let sample = Sample {
        value_error: run.value_error,
        seconds: run.seconds,
        failed: run.value_error.is_none(),
        status: run.reason.unwrap_or_default(),
        ..Sample::default()
    };
    Ok(match run.features {
        Some(functions) => sample.with("unknowns", functions as f64),
        None => sample,
    })
}

fn ask(case: &Case, peer: &Peer, degree: usize) -> Result<Sample> {
    let exact = (case.exact)();
    let request = json!({ "case": case.name, "degree": degree, "count": exact.len() });
    let found: Found = peer.ask(&request)?;
    Ok(judge(&found, &exact))
}

/// Judged as ours is: by the largest relative error.
fn judge(found: &Found, exact: &[f64]) -> Sample {
    let error = worst(&found.values, exact);
    Sample {
        value_error: error,
        seconds: Some(found.seconds),
        failed: error.is_none(),
        status: match error {
            Some(_) => String::new(),
            None => format!("{} values instead of {}", found.values.len(), exact.len()),
        },
        ..Sample::default()
    }
    .with("unknowns", found.unknowns)
}

#[cfg(test)]
mod tests {
    use super::{CASES, DEGREES, Found, judge};

    #[test]
    fn every_ladder_rises_and_belongs_to_a_case() {
        for (name, degrees) in DEGREES {
            assert!(CASES.iter().any(|case| case.name == name), "{name}");
            assert!(degrees.is_sorted(), "{name}");
        }
    }

    #[test]
    fn values_are_judged_by_the_worst() {
        let answer = r#"{"seconds": 0.5, "values": [1.0, 4.4], "unknowns": 31}"#;
        let found: Found = serde_json::from_str(answer).unwrap();
        let sample = judge(&found, &[1.0, 4.0]);
        assert!((sample.value_error.unwrap() - 0.1).abs() < 1e-12);
        assert!(!sample.failed && sample.more["unknowns"] == 31.0);
        let sample = judge(&found, &[1.0, 4.0, 9.0]);
        assert!(sample.failed && sample.status.contains("2 values instead of 3"));
    }
}
