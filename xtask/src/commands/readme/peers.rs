//! The README's table of peers, taken from a run of `cargo xtask compare`.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::commands::compare::Spread;
use crate::commands::reproduce::results::write_atomically;
use crate::{format, machine::Machine};

/// What the README shows of a comparison.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Peers {
    meta: Meta,
    rows: Vec<Row>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Meta {
    mode: String,
    repeats: usize,
    peers: Vec<String>,
    #[serde(flatten)]
    machine: Machine,
}

/// One side of one case; fields of `compare.json` that are not shown are left out.
#[derive(Debug, Serialize, Deserialize)]
struct Row {
    item: String,
    case: String,
    side: String,
    against: Option<String>,
    value_error: Option<Spread>,
    seconds: Option<Spread>,
    time_ratio: Option<Spread>,
    #[serde(default)]
    note: String,
}

impl Row {
    /// Whether the README shows it: of the sizes of finite elements only those at equal time and at equal error.
    fn is_shown(&self) -> bool {
        let one_of_many = self.side.starts_with("finite elements");
        self.against.is_some()
            && (!one_of_many || !self.note.is_empty() || self.case.ends_with("equal error"))
    }
}

/// The comparisons that solve the paper's problems.
const SHOWN: [&str; 2] = ["linear", "newton"];

impl Peers {
    /// The rows to show from `compare.json` in this directory.
    pub(super) fn of_run(directory: &Path) -> Result<Self> {
        let path = directory.join("compare.json");
        let text = fs::read_to_string(&path).with_context(|| {
            let path = path.display();
            format!("{path} is missing; make it with `cargo xtask compare`")
        })?;
        let mut peers = Self::parse(&text, &path)?;
        peers.rows.retain(|row| SHOWN.contains(&row.item.as_str()));
        for item in SHOWN {
            if !peers.rows.iter().any(|row| row.item == item) {
                bail!("{} has no rows of `{item}`", path.display());
            }
        }
        Ok(peers)
    }

    /// What was kept of an earlier run; `None` if nothing was.
    pub(super) fn kept(path: &Path) -> Result<Option<Self>> {
        match fs::read_to_string(path) {
            Ok(text) => Self::parse(&text, path).map(Some),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }

    fn parse(text: &str, path: &Path) -> Result<Self> {
        let damaged = || format!("{} is not what a comparison writes", path.display());
        serde_json::from_str(text).with_context(damaged)
    }

    pub(super) fn save(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        write_atomically(path, text.as_bytes())
    }

    /// The table as Markdown.
    pub(super) fn table(&self) -> String {
        let mut text =
            "\n| problem | peer | its error | ours | its time / ours |\n|---|---|---|---|---|\n"
                .to_owned();
        let mut last = "";
        for row in self.rows.iter().filter(|row| row.is_shown()) {
            let Some(against) = &row.against else {
                continue;
            };
            let ours = self.rows.iter().find(|ours| {
                ours.case == row.case && ours.item == row.item && ours.side == *against
            });
            let error = |row: Option<&Row>| {
                let error = row.and_then(|row| row.value_error);
                error.map_or_else(|| "–".to_owned(), |e| format::scientific(e.median))
            };
            let times = row.time_ratio.map(|ratio| {
                let (low, high) = (format::times(ratio.low), format::times(ratio.high));
                format!("{} ({low}–{high})", format::times(ratio.median))
            });
            let case = if row.case == last { "" } else { &row.case };
            let note = match row.note.as_str() {
                "" => String::new(),
                note => format!(" ({note})"),
            };
            text += &format!(
                "| {case} | {}{note} | {} | {} | {} |\n",
                row.side,
                error(Some(row)),
                error(ours),
                times.unwrap_or_else(|| "–".to_owned()),
            );
            last = &row.case;
        }
        let meta = &self.meta;
        text + &format!(
            "\nMade by `cargo xtask compare`, {} run, medians of {} in one run with both sides on {} ({}; {}); errors and time of \
             ours are those of `solve()`, except beside “the same settings”. Peers: {}.\n\n",
            meta.mode,
            format::count(meta.repeats, "turn"),
            format::count(meta.machine.threads, "thread"),
            meta.machine.cpu,
            meta.machine.date,
            meta.peers.join(", "),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Peers;

    #[test]
    fn a_peer_stands_beside_the_side_it_was_compared_with() {
        let spread = |x: f64| format!(r#"{{"median": {x}, "low": {x}, "high": {x}}}"#);
        let row = |side: &str, against: &str, error: f64| {
            format!(
                r#"{{"item": "linear", "case": "wave-1d", "side": "{side}", "against": {against}, "value_error": {},
                "seconds": {}, "time_ratio": {}, "runs": []}}"#,
                spread(error),
                spread(2.0),
                spread(3.0)
            )
        };
        let rows = [
            row("ours, automatic", "null", 1e-12),
            row("finite elements, P2, level 4", r#""ours, automatic""#, 1e-5),
            row("finite elements, P2, level 5", r#""ours, automatic""#, 1e-6)
                .replace(r#""runs""#, r#""note": "the best within our time", "runs""#),
        ];
        let machine = r#""cpu": "a processor", "threads": 2, "system": "an OS", "date": "2026-01-01", "versions": {}"#;
        let text = format!(
            r#"{{"meta": {{"mode": "full", "repeats": 5, "peers": ["scipy 1"], {machine}}}, "rows": [{}]}}"#,
            rows.join(",")
        );
        let peers = Peers::parse(&text, std::path::Path::new("x")).unwrap();
        let table = peers.table();
        let line = table.lines().find(|line| line.contains("finite")).unwrap();
        assert_eq!(
            line,
            "| wave-1d | finite elements, P2, level 5 (the best within our time) | 1.0e-6 | 1.0e-12 | 3.00× (3.00×–3.00×) |"
        );
        assert!(!table.contains("level 4"));
        assert!(Peers::parse("{", std::path::Path::new("x")).is_err());
    }
}
