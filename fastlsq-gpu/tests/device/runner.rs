//! Running cases, each in a process of its own.
#![allow(clippy::print_stdout)]

use std::path::PathBuf;
use std::process::{Command, Output, exit};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::case::{Case, Verdict};
use crate::emulator::{self, Control};

/// The variable that names the case a process is to run.
pub(crate) const CHILD: &str = "FASTLSQ_GPU_CASE";

/// Runs one case in this process.
pub(crate) fn run_here(cases: &[Case], name: &str) {
    let Some(case) = cases.iter().find(|case| case.name == name) else {
        eprintln!("there is no case {name}");
        exit(2);
    };
    // No panic is allowed to be caught on the way: this is what `panic = "abort"` would do.
    std::panic::set_hook(Box::new(|info| {
        eprintln!("panic: {info}");
        std::process::abort();
    }));
    std::thread::spawn(|| {
        std::thread::sleep(Duration::from_secs(MOST_SECONDS));
        eprintln!("no answer after {MOST_SECONDS} seconds");
        exit(3);
    });
    let verdict = (case.run)().and_then(|()| tidy(case));
    if let Err(reason) = verdict {
        eprintln!("{reason}");
        exit(1);
    }
}

/// Everything given back, and nothing to object to.
fn tidy(case: &Case) -> Verdict {
    match Control::find() {
        Some(control) if case.must_be_clean => {
            let (live, violations) = (control.live(), control.violations());
            if (live, violations) == (0, 0) {
                Ok(())
            } else {
                Err(format!(
                    "{live} objects were not given back; {violations} violations"
                ))
            }
        }
        _ => Ok(()),
    }
}

/// Where the cases run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Device {
    Emulated,
    Real,
}

/// Runs all cases that the command line asks for.
pub(crate) fn run_all(cases: &[Case]) {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let exact = arguments.iter().any(|argument| argument == "--exact");
    let filters: Vec<&String> = arguments.iter().filter(|a| !a.starts_with('-')).collect();
    let mut runs: Vec<(String, &Case, Device)> = Vec::new();
    for case in cases {
        runs.push((format!("emulated::{}", case.name), case, Device::Emulated));
    }
    if fastlsq_gpu::devices().is_ok() {
        for case in cases.iter().filter(|case| case.on_hardware) {
            runs.push((format!("hardware::{}", case.name), case, Device::Real));
        }
    }
    runs.retain(|(name, ..)| {
        let wanted = |f: &&String| {
            if exact {
                name == *f
            } else {
                name.contains(f.as_str())
            }
        };
        filters.is_empty() || filters.iter().any(wanted)
    });
    if arguments.iter().any(|argument| argument == "--list") {
        for (name, ..) in &runs {
            println!("{name}: test");
        }
        return;
    }
    println!("\nrunning {} tests", runs.len());
    // The folders are made before there are several threads.
    for (_, case, _) in &runs {
        if let Err(reason) = emulator::folder(case.libraries) {
            println!("{reason}");
            exit(101);
        }
    }
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((name, case, device)) =
                    runs.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    match run_child(case, *device) {
                        Ok(()) => println!("test {name} ... ok"),
                        Err(reason) => {
                            println!("test {name} ... FAILED");
                            if let Ok(mut all) = failures.lock() {
                                all.push(format!("---- {name} ----\n{reason}\n"));
                            }
                        }
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap_or_default();
    for failure in &failures {
        println!("\n{failure}");
    }
    let passed = runs.len() - failures.len();
    let word = if failures.is_empty() { "ok" } else { "FAILED" };
    println!(
        "\ntest result: {word}. {passed} passed; {} failed",
        failures.len()
    );
    if !failures.is_empty() {
        exit(101);
    }
}

/// A case that takes longer is stuck. The slowest takes a few seconds.
const MOST_SECONDS: u64 = 120;

/// Runs a case in a process of its own.
fn run_child(case: &Case, device: Device) -> Verdict {
    let output = start(case, device)?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    match (output.status.success(), case.must_pass) {
        (true, true) => Ok(()),
        (false, true) => Err(format!("{}\n{said}", output.status)),
        (true, false) => Err("the mistake was not found".to_owned()),
        // A mistake counts as found when a check says so, not when the process dies of it.
        (false, false) => match output.status.code() {
            Some(1) => Ok(()),
            _ => Err(format!("{}\n{said}", output.status)),
        },
    }
}

fn start(case: &Case, device: Device) -> Result<Output, String> {
    let program: PathBuf = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.env(CHILD, &case.name);
    if device == Device::Emulated {
        command
            .env("LD_LIBRARY_PATH", emulator::folder(case.libraries)?)
            .env("FASTLSQ_EMULATOR", &case.settings);
    }
    command.output().map_err(|error| error.to_string())
}
