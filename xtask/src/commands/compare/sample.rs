//! What one run of one side gives, and the turns that the sides take.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::rows::Row;

/// What a peer answers.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Answer {
    pub(super) seconds: f64,
    pub(super) value_error: Option<f64>,
    pub(super) gradient_error: Option<f64>,
    pub(super) iterations: Option<f64>,
    pub(super) unknowns: Option<f64>,
    pub(super) status: Option<String>,
    #[serde(default)]
    pub(super) more: BTreeMap<String, f64>,
}

/// One run of one side.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub(super) struct Sample {
    /// The relative error of the values, or of the coefficients of a law.
    pub(super) value_error: Option<f64>,
    /// The relative error of the gradient.
    pub(super) gradient_error: Option<f64>,
    /// Wall-clock time.
    pub(super) seconds: Option<f64>,
    /// How it ended, or why there is no number.
    pub(super) status: String,
    /// Whether there is an answer at all.
    pub(super) failed: bool,
    /// Steps, unknowns, evaluations and the like, by name.
    pub(super) more: BTreeMap<String, f64>,
}

impl Sample {
    /// A run that gave nothing.
    fn failed(reason: String) -> Self {
        Self {
            status: reason,
            failed: true,
            ..Self::default()
        }
    }

    /// Adds a figure.
    pub(super) fn with(mut self, name: &str, value: f64) -> Self {
        self.more.insert(name.to_owned(), value);
        self
    }
}

impl From<Answer> for Sample {
    fn from(answer: Answer) -> Self {
        let mut more = answer.more;
        let figures = [
            ("iterations", answer.iterations),
            ("unknowns", answer.unknowns),
        ];
        for (name, value) in figures {
            more.extend(value.map(|value| (name.to_owned(), value)));
        }
        Self {
            value_error: answer.value_error,
            gradient_error: answer.gradient_error,
            seconds: Some(answer.seconds),
            status: answer.status.unwrap_or_default(),
            failed: answer.value_error.is_none(),
            more,
        }
    }
}

/// One way of solving a case.
pub(super) struct Side<'a> {
    name: String,
    against: Option<String>,
    run: Box<dyn Fn(u64) -> Result<Sample> + 'a>,
}

impl<'a> Side<'a> {
    /// A side of ours: what others are compared with.
    pub(super) fn ours(name: impl Into<String>, run: impl Fn(u64) -> Result<Sample> + 'a) -> Self {
        Self {
            name: name.into(),
            against: None,
            run: Box::new(run),
        }
    }

    /// A peer, compared with the side of ours of this name.
    pub(super) fn peer(
        name: impl Into<String>,
        against: &str,
        run: impl Fn(u64) -> Result<Sample> + 'a,
    ) -> Self {
        Self {
            name: name.into(),
            against: Some(against.to_owned()),
            run: Box::new(run),
        }
    }
}

/// Runs all sides with the seeds 0, 1, …: forwards, then backwards, and so on, so that none always finds the
/// machine as another left it. A side that fails has a row that says so.
pub(super) fn take_turns(
    item: &'static str,
    case: &str,
    sides: &[Side<'_>],
    repeats: usize,
) -> Vec<Row> {
    let mut samples: Vec<Vec<Sample>> = vec![Vec::new(); sides.len()];
    for repeat in 0..repeats {
        let mut order: Vec<usize> = (0..sides.len()).collect();
        if repeat % 2 == 1 {
            order.reverse();
        }
        for index in order {
            let (Some(side), Some(taken)) = (sides.get(index), samples.get_mut(index)) else {
                continue;
            };
            let outcome = (side.run)(repeat as u64);
            taken.push(outcome.unwrap_or_else(|error| Sample::failed(format!("{error:#}"))));
        }
    }
    let mut rows: Vec<Row> = sides
        .iter()
        .zip(samples)
        .map(|(side, samples)| Row::new(item, case, &side.name, samples))
        .collect();
    for (index, side) in sides.iter().enumerate() {
        let Some(against) = &side.against else {
            continue;
        };
        let reference = rows.iter().find(|row| row.side == *against).cloned();
        if let (Some(row), Some(reference)) = (rows.get_mut(index), reference) {
            row.compare_with(&reference);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::{Sample, Side, take_turns};
    use std::cell::RefCell;

    fn sample(error: f64, seconds: f64) -> Sample {
        Sample {
            value_error: Some(error),
            seconds: Some(seconds),
            ..Sample::default()
        }
    }

    #[test]
    fn sides_alternate_and_ratios_are_of_the_same_turn() {
        let order = RefCell::new(Vec::new());
        let ours = Side::ours("ours", |seed| {
            order.borrow_mut().push("ours");
            Ok(sample(1e-9, 1.0 + seed as f64))
        });
        let peer = Side::peer("theirs", "ours", |seed| {
            order.borrow_mut().push("theirs");
            Ok(sample(1e-6, 4.0 * (1.0 + seed as f64)))
        });
        let rows = take_turns("linear", "case", &[ours, peer], 3);
        assert_eq!(
            *order.borrow(),
            ["ours", "theirs", "theirs", "ours", "ours", "theirs"]
        );
        assert_eq!(rows[0].time_ratio, None);
        // The machine gets slower by the same factor for both: the ratio has no spread.
        let ratio = rows[1].time_ratio.unwrap();
        assert_eq!((ratio.median, ratio.low, ratio.high), (4.0, 4.0, 4.0));
        let seconds = rows[1].seconds.unwrap();
        assert_eq!(
            (seconds.median, seconds.low, seconds.high),
            (8.0, 4.0, 12.0)
        );
        assert!((rows[1].error_ratio.unwrap().median - 1e3).abs() < 1e-9);
    }

    #[test]
    fn a_side_that_fails_does_not_stop_the_others() {
        let ours = Side::ours("ours", |_| Ok(sample(1e-9, 1.0)));
        let peer = Side::peer("theirs", "ours", |_| anyhow::bail!("singular matrix"));
        let rows = take_turns("linear", "case", &[ours, peer], 2);
        assert!(rows[0].failures == 0 && rows[0].seconds.is_some());
        assert_eq!(rows[1].failures, 2);
        assert!(rows[1].status.contains("singular matrix"));
        assert_eq!((rows[1].seconds, rows[1].time_ratio), (None, None));
    }
}
