//! The bars: limits that rows must keep, with the reason for each, as data.

use anyhow::{Context, Result};
use serde::Deserialize;

use super::item::Plan;
use super::results::Row;

/// A limit on a figure of some rows.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Bar {
    item: String,
    /// A case, or `*` for all that `except` does not name.
    case: String,
    variant: String,
    #[serde(default)]
    except: Vec<String>,
    /// A field of the row, or a quotient `a / b` of two.
    figure: String,
    at_most: Option<f64>,
    at_least: Option<f64>,
    /// The runs it applies to.
    run: Mode,
    /// Where the limit comes from.
    reason: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Full,
    Quick,
    Any,
}

/// A bar applied to a row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Verdict {
    /// The row.
    pub(crate) id: String,
    /// The figure that was looked at.
    pub(crate) figure: String,
    /// Its value; `None` where the row has no such number.
    pub(crate) value: Option<f64>,
    /// The limit in words.
    pub(crate) limit: String,
    /// Whether it holds.
    pub(crate) holds: bool,
    /// Where the limit comes from.
    pub(crate) reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    bars: Vec<Bar>,
}

/// The bars that this program carries.
pub(crate) fn load() -> Result<Vec<Bar>> {
    let file: File =
        serde_json::from_str(include_str!("../../../data/bars.json")).context("data/bars.json")?;
    Ok(file.bars)
}

/// Checks every bar on the rows it applies to, and for every row that it has a result at all.
pub(crate) fn judge<'a>(
    bars: &[Bar],
    plan: &Plan,
    rows: impl IntoIterator<Item = &'a Row>,
) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for row in rows {
        if let Some(reason) = row.fault() {
            verdicts.push(Verdict {
                id: row.id.clone(),
                figure: "result".to_owned(),
                value: None,
                limit: "there is one".to_owned(),
                holds: false,
                reason: reason.to_owned(),
            });
        }
        for bar in bars.iter().filter(|bar| bar.applies(plan, row)) {
            verdicts.push(bar.verdict(row));
        }
    }
    verdicts
}

impl Bar {
    fn applies(&self, plan: &Plan, row: &Row) -> bool {
        let mode = match self.run {
            Mode::Any => true,
            Mode::Full => !plan.quick,
            Mode::Quick => plan.quick,
        };
        mode && !row.is_skipped()
            && self.item == row.item
            && (self.case == row.case || self.case == "*" && !self.except.contains(&row.case))
            && self.variant == row.variant
    }

    fn verdict(&self, row: &Row) -> Verdict {
        let value = match self.figure.split_once(" / ") {
            Some((above, below)) => row
                .number(above)
                .zip(row.number(below))
                .map(|(above, below)| above / below),
            None => row.number(&self.figure),
        };
        let holds = row.failures == 0
            && value.is_some_and(|value| {
                self.at_most.is_none_or(|limit| value <= limit)
                    && self.at_least.is_none_or(|limit| value >= limit)
            });
        let limits = [("≥", self.at_least), ("≤", self.at_most)];
        let limits: Vec<String> = limits
            .iter()
            .filter_map(|(sign, limit)| limit.map(|limit| format!("{sign} {}", plain(limit))))
            .collect();
        Verdict {
            id: row.id.clone(),
            figure: self.figure.clone(),
            value,
            limit: match row.failures {
                0 => limits.join(" and "),
                _ => limits.join(" and ") + ", in every run",
            },
            holds,
            reason: self.reason.clone(),
        }
    }
}

/// A limit as written in the file: `2e-7`, `0.2`, `20`.
fn plain(limit: f64) -> String {
    if (1e-3..1e6).contains(&limit.abs()) {
        format!("{limit}")
    } else {
        format!("{limit:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::{Bar, judge, load};
    use crate::commands::reproduce::item::Plan;
    use crate::commands::reproduce::items;
    use crate::commands::reproduce::results::{Row, Run};

    fn row(value: Option<f64>, gradient: f64) -> Row {
        let run = Run {
            value_error: value,
            gradient_error: Some(gradient),
            ..Run::default()
        };
        Row::of_runs("linear", "wave-1d", "auto", vec![run])
    }

    fn bar(text: &str) -> Bar {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn limits_on_fields_and_quotients() {
        let plan = Plan::new(false, None);
        let value = bar(r#"{"item":"linear","case":"wave-1d","variant":"auto",
            "figure":"value_error","at_most":1e-9,"run":"full","reason":"stated"}"#);
        let quotient = bar(
            r#"{"item":"linear","case":"*","variant":"auto","except":["heat-5d"],
            "figure":"gradient_error / value_error","at_least":0.5,"at_most":20,"run":"any","reason":"r"}"#,
        );
        let bars = [value, quotient];
        let holds = |row: &Row, plan: &Plan| -> Vec<bool> {
            judge(&bars, plan, [row]).iter().map(|v| v.holds).collect()
        };
        assert_eq!(holds(&row(Some(1e-9), 2e-8), &plan), [true, true]);
        assert_eq!(holds(&row(Some(2e-9), 9e-8), &plan), [false, false]);
        assert_eq!(holds(&row(None, 1.0), &plan), [false, false]);
        assert_eq!(
            holds(&row(Some(2e-9), 2e-9), &Plan::new(true, None)),
            [true]
        );
        assert_eq!(
            judge(&bars, &plan, [&row(Some(1e-9), 2e-8)])[1].limit,
            "≥ 0.5 and ≤ 20"
        );
    }

    #[test]
    fn a_row_that_could_not_be_made_is_a_bar_missed() {
        let failed = Row::of_runs(
            "linear",
            "wave-1d",
            "auto",
            vec![Run::failed(0, "no points")],
        );
        let plan = Plan::new(true, None);
        let verdicts = judge(&[], &plan, [&failed]);
        assert!(!verdicts[0].holds && verdicts[0].reason == "no points");
        let skipped = Row::skipped("laws", "ks", "auto", "no data");
        assert!(judge(&[], &plan, [&row(Some(1.0), 1.0), &skipped]).is_empty());
    }

    #[test]
    fn every_bar_belongs_to_an_item_and_has_a_limit_and_a_reason() {
        let ids: Vec<String> = [true, false]
            .map(|quick| Plan::new(quick, None))
            .iter()
            .flat_map(|plan| {
                items::registry()
                    .into_iter()
                    .flat_map(|item| item.jobs(plan))
            })
            .map(|job| job.id)
            .collect();
        for bar in load().unwrap() {
            let (item, variant) = (&bar.item, &bar.variant);
            let cases = std::iter::once(&bar.case).filter(|case| *case != "*");
            for case in cases.chain(&bar.except) {
                let id = format!("{item}/{case}/{variant}");
                assert!(ids.contains(&id), "{bar:?}");
            }
            let of_item = |id: &&String| id.starts_with(&format!("{item}/"));
            let mut ids = ids.iter().filter(of_item);
            assert!(
                ids.any(|id| id.ends_with(&format!("/{variant}"))),
                "{bar:?}"
            );
            assert!(bar.at_most.is_some() || bar.at_least.is_some(), "{bar:?}");
            assert!(!bar.reason.is_empty(), "{bar:?}");
        }
    }
}
