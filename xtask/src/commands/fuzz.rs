//! `cargo xtask fuzz`: calls that nobody would write, to see that none panics, overruns its limits, or never ends.
//!
//! Every case is a function of the seed and its number alone, so that what breaks can be reproduced. Nothing is read from
//! the network or the disk. Computations run on one thread, so that processor time tells what the clock of a loaded machine does not.

mod allocation;
mod call;
mod discovery;
mod files;
mod inverse;
mod linear;
mod newton;
mod random;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::format;
use call::{Broken, Call};
use random::Random;

/// Make random calls, and check that each ends, keeps its limits and does not panic
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How long to go on
    #[arg(long, default_value_t = 60.0)]
    seconds: f64,

    /// The seed of all cases
    #[arg(long, default_value_t = 0)]
    seed: u64,

    /// Only the case with this number
    #[arg(long)]
    case: Option<u64>,
}

/// A kind of call, and the function that makes one.
type Kind = (&'static str, fn(&mut Random, &mut Call) -> String);

const KINDS: [Kind; 5] = [
    ("linear", linear::run),
    ("newton", newton::run),
    ("inverse", inverse::run),
    ("files", files::run),
    ("discovery", discovery::run),
];

/// A case that takes longer than this never ends.
const ENDLESS: Duration = Duration::from_secs(60);

impl Args {
    /// Runs cases until the time is up.
    pub(crate) fn run(&self) -> Result<()> {
        let cases = self
            .case
            .map_or(0..u64::MAX, |case| case..case.saturating_add(1));
        let report = fuzz(self.seconds, self.seed, cases)?;
        println!("{}", report.table());
        report.verdict()
    }
}

/// What came out of many cases.
pub(super) struct Report {
    cases: u64,
    outcomes: BTreeMap<String, u64>,
    broken: Vec<(u64, &'static str, Broken)>,
    seed: u64,
}

impl Report {
    fn table(&self) -> String {
        let lines = self
            .outcomes
            .iter()
            .map(|(what, count)| format!("{count:>8}  {what}"));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// A sentence, or what broke.
    pub(super) fn verdict(&self) -> Result<()> {
        for (case, kind, broken) in &self.broken {
            eprintln!(
                "{kind}: {broken}\n  to reproduce it: cargo xtask fuzz --seed {} --case {case}",
                self.seed
            );
        }
        if self.broken.is_empty() {
            return Ok(());
        }
        let count = self.broken.len();
        bail!(
            "{} of {} broke",
            count,
            format::count(self.cases as usize, "call")
        )
    }

    /// How many cases there were.
    pub(super) fn cases(&self) -> u64 {
        self.cases
    }
}

/// Runs these cases, as many as fit into this many seconds, and at least one.
pub(super) fn fuzz(seconds: f64, seed: u64, cases: Range<u64>) -> Result<Report> {
    let until =
        Instant::now() + Duration::try_from_secs_f64(seconds).context("how many seconds?")?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    watch(seed);
    // Matrix products keep a buffer per thread from the first one on, which belongs to no call.
    pool.install(warm_up);
    let mut report = Report {
        cases: 0,
        outcomes: BTreeMap::new(),
        broken: Vec::new(),
        seed,
    };
    let single = cases.end.saturating_sub(cases.start) == 1;
    for case in cases {
        if report.cases > 0 && Instant::now() >= until {
            break;
        }
        begun(Some(case));
        let (kind, make) = KINDS[case as usize % KINDS.len()];
        let observe = || {
            let mut random = Random::new(seed, case);
            pool.install(|| call::observed(single, |call| make(&mut random, call)))
        };
        let (outcome, broken) = call::with_quiet_panics(|| match observe() {
            // Others on the machine can take time from a call once, but hardly twice.
            (_, Some(Broken::Time { .. })) => observe(),
            once => once,
        });
        begun(None);
        *report
            .outcomes
            .entry(format!("{kind}: {outcome}"))
            .or_default() += 1;
        report
            .broken
            .extend(broken.map(|broken| (case, kind, broken)));
        report.cases += 1;
    }
    Ok(report)
}

/// A matrix product of a size that needs the buffers.
fn warm_up() {
    let a = faer::Mat::from_fn(600, 600, |i, j| (i as f64 - j as f64).cos());
    std::hint::black_box(&a * &a);
}

/// The case that runs, plus one, and when it began in milliseconds; zero for none.
static RUNNING: AtomicU64 = AtomicU64::new(0);
static SINCE: AtomicU64 = AtomicU64::new(0);

fn begun(case: Option<u64>) {
    SINCE.store(milliseconds(), Ordering::Relaxed);
    RUNNING.store(case.map_or(0, |case| case + 1), Ordering::Relaxed);
}

fn milliseconds() -> u64 {
    static BEGIN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let elapsed = BEGIN.get_or_init(Instant::now).elapsed().as_millis();
    u64::try_from(elapsed).unwrap_or(u64::MAX)
}

/// Ends the program, with the reproducer, if a case does not end.
fn watch(seed: u64) {
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_millis(500));
            let running = RUNNING.load(Ordering::Relaxed);
            let since = SINCE.load(Ordering::Relaxed);
            if running > 0 && u128::from(milliseconds().saturating_sub(since)) > ENDLESS.as_millis()
            {
                let case = running - 1;
                eprintln!(
                    "a call does not end\n  to reproduce it: cargo xtask fuzz --seed {seed} --case {case}"
                );
                std::process::exit(1);
            }
        }
    });
}
