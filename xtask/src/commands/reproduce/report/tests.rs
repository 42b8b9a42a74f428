//! The report says what `results.json` says, stands alone, and appears in a browser.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::backend::Choice;
use crate::commands::reproduce::bars;
use crate::commands::reproduce::item::Plan;
use crate::commands::reproduce::items;
use crate::commands::reproduce::output::Output;
use crate::commands::reproduce::paper::Paper;
use crate::commands::reproduce::results::{Meta, Results, Row, Run, Sigma};
use crate::commands::reproduce::table::Style;
use crate::machine::Machine;

/// A directory that goes away with its value.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let directory = std::env::temp_dir().join(format!("xtask-{name}-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        Self(directory)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Why rows of the invented run have no numbers.
const REASON: &str = "the <matrix> was \"singular\" & large";

/// A row for every job of every item, with numbers that differ everywhere.
fn invented() -> Results {
    let plan = Plan::new(true, None);
    let mut rows = Vec::new();
    for (index, job) in items::registry()
        .iter()
        .flat_map(|i| i.jobs(&plan))
        .enumerate()
    {
        let names: Vec<&str> = job.id.split('/').collect();
        let scale = 1.0 + index as f64;
        let sigma = names
            .get(3)
            .and_then(|p| p.trim_start_matches("σ=").parse().ok());
        let run = |seed: u64| Run {
            value_error: Some(1.234e-9 * scale * (1.0 + seed as f64)),
            gradient_error: Some(2.345e-8 * scale),
            held_out_residual: Some(3.456e-10 * scale),
            estimate: Some(4.567e-9 * scale),
            seconds: Some(0.1234 * scale),
            solve_seconds: Some(0.0123 * scale),
            features: Some(100 + index),
            rows: Some(1000 + index),
            rank: Some(50 + index),
            sigma: Some(Sigma::Isotropic(sigma.unwrap_or(scale))),
            status: "explicit".to_owned(),
            seed,
            more: [
                ("cached_ms".to_owned(), 1.5),
                ("factor_ms".to_owned(), 600.0),
                ("full_solve_ms".to_owned(), 500.0),
            ]
            .into(),
            ..Run::default()
        };
        let row = Row::of_runs(names[0], names[1], names[2], (0..3).map(run).collect());
        let mut row = row.with_paper("value", Some(Value::from(1e-6)));
        row.id.clone_from(&job.id);
        rows.push(row);
    }
    // The first row of each item has failed.
    let mut items = BTreeSet::new();
    for row in &mut rows {
        if items.insert(row.item.clone()) {
            let failed = vec![Run::failed(0, REASON)];
            let id = row.id.clone();
            *row = Row::of_runs(&row.item, &row.case, &row.variant, failed);
            row.id = id;
        }
    }
    Results {
        meta: Meta {
            mode: "quick".to_owned(),
            seeds: 3,
            backend: Choice::Cpu,
            machine: Machine::default(),
        },
        rows,
    }
}

/// Writes everything of the invented run; returns the page.
fn written(directory: &Path) -> String {
    let results = invented();
    let output = Output::create(directory).unwrap();
    output.save(&results).unwrap();
    let plan = Plan::new(true, Some(3));
    let verdicts = bars::judge(&bars::load().unwrap(), &plan, &results.rows);
    let paper = Paper::load().unwrap();
    output.write(&results, &plan, &paper, &verdicts).unwrap();
    fs::read_to_string(directory.join("report.html")).unwrap()
}

/// The value of an attribute inside a tag.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let start = tag.find(&format!("{name}=\""))? + name.len() + 2;
    tag.get(start..)?.split('"').next()
}

#[test]
fn tables_agree_with_the_results_file() {
    let scratch = Scratch::new("report-agrees");
    let page = written(&scratch.0);
    let file = fs::read_to_string(scratch.0.join("results.json")).unwrap();
    let file: Value = serde_json::from_str(&file).unwrap();
    let rows = file["rows"].as_array().unwrap();
    let (mut cells, mut shown) = (0, BTreeSet::new());
    for cell in page.split("<td").filter(|cell| cell.contains("data-row=")) {
        let (tag, rest) = cell.split_once('>').unwrap();
        let text = rest.split('<').next().unwrap();
        let id = attribute(tag, "data-row").unwrap();
        let field = attribute(tag, "data-field").unwrap();
        let row = rows.iter().find(|row| row["id"] == id).unwrap();
        let number = row[field].as_f64().or_else(|| row["more"][field].as_f64());
        let printed = attribute(tag, "data-value").unwrap();
        assert_eq!(printed.parse().ok(), number, "{id} {field}");
        let spellings = [Style::Scientific, Style::Plain, Style::Count];
        let spelt = number.map_or_else(
            || text == "–",
            |number| spellings.iter().any(|style| style.write(number) == text),
        );
        assert!(spelt, "{id} {field}: {number:?} is shown as {text}");
        shown.insert(id);
        cells += 1;
    }
    assert!(cells > 300, "only {cells} numbers");
    for row in rows {
        // Every row has a number or a stated reason.
        let id = row["id"].as_str().unwrap();
        let stated = page.contains(&format!("<b>{id}.</b> the &lt;matrix&gt;"));
        assert!(shown.contains(id) || stated, "{id}");
        assert_eq!(stated, row["failures"] == 1, "{id}");
    }
}

#[test]
fn the_page_stands_alone_and_states_reasons() {
    let scratch = Scratch::new("report-alone");
    let page = written(&scratch.0);
    for outside in ["<script", "<link", "src=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.contains("the &lt;matrix&gt; was &quot;singular&quot; &amp; large"));
    assert!(page.contains("Where the paper contradicts itself"));
    let figures = page.matches("<figure").count();
    assert!(figures >= 8, "{figures} figures");
    assert_eq!(page.matches("<svg").count(), figures);
    let files: Vec<String> = fs::read_dir(&scratch.0)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let count = |extension: &str| {
        files
            .iter()
            .filter(|name| name.ends_with(extension))
            .count()
    };
    assert_eq!((count(".svg"), count(".png")), (figures, figures));
    assert_eq!(count(".partial"), 0);
}

/// The first browser of the Chromium family on the path.
fn browser() -> Option<PathBuf> {
    let names = [
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
    ];
    let path = std::env::var_os("PATH")?;
    let directories: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let candidates = names.iter().flat_map(|name| {
        directories
            .iter()
            .map(move |directory| directory.join(name))
    });
    candidates.into_iter().find(|candidate| candidate.is_file())
}

#[test]
fn a_browser_shows_the_page_within_the_width_of_a_phone() {
    let Some(browser) = browser() else {
        // Past the harness, which shows what a test prints only if it fails.
        let _ = writeln!(
            std::io::stderr(),
            "skipped: no Chromium or Chrome on the path, so no browser has opened the report"
        );
        return;
    };
    let scratch = Scratch::new("report-browser");
    let page = written(&scratch.0);
    // The page in a frame as wide as a phone, and what the browser makes of it as text.
    let probe = "<iframe id=f style='width:390px;height:800px;border:0'></iframe>\
        <template id=t>PAGE</template><script>\
        const f = document.getElementById('f');\
        f.onload = () => { const d = f.contentDocument, e = d.documentElement;\
          const tall = [...d.querySelectorAll('figure svg')].filter(s => s.getBoundingClientRect().height > 100);\
          document.title = ['beyond', e.scrollWidth - e.clientWidth, 'tables', d.querySelectorAll('table').length,\
            'figures', tall.length].join(' '); };\
        f.srcdoc = document.getElementById('t').innerHTML;</script>";
    let file = scratch.0.join("probe.html");
    fs::write(&file, probe.replace("PAGE", &page)).unwrap();
    let output = Command::new(browser)
        // What it keeps in the home directory goes with the rest.
        .env("HOME", &scratch.0)
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("XDG_CACHE_HOME")
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            // It stays off the network.
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--virtual-time-budget=8000",
        ])
        .arg(format!(
            "--user-data-dir={}",
            scratch.0.join("profile").display()
        ))
        .args(["--dump-dom", &format!("file://{}", file.display())])
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&output.stdout);
    let title = dom
        .split("<title>")
        .nth(1)
        .and_then(|t| t.split('<').next());
    let title = title.unwrap_or_else(|| panic!("no title in what the browser made:\n{dom}"));
    let figures = page.matches("<figure").count();
    let tables = page.matches("<table").count();
    assert_eq!(title, format!("beyond 0 tables {tables} figures {figures}"));
}
