//! The tests of the kernels are tested: the text is changed in every place where that is a mistake, and the
//! checks have to find it.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use fastlsq_gpu::embedded_kernels;
use fastlsq_ptx::{Module, Order};

use crate::{matrix, waves};

/// The checks of a kernel's results, in one order of the threads.
fn check(module: &Module, kernel: &str) -> Result<(), String> {
    if kernel == "assemble_waves" {
        waves::check_rows(module, Order::Descending)?;
        waves::check_accuracy(module, 600)
    } else {
        matrix::check_all(module, Order::Shuffled(1))
    }
}

/// An instruction, and what it is mistaken for: bounds off by one, conditions the wrong way round, operations
/// confused, barriers forgotten, addresses computed wrongly.
const MISTAKES: [(&str, &str); 22] = [
    ("setp.ge.u32", "setp.gt.u32"),
    ("setp.gt.u32", "setp.ge.u32"),
    ("setp.lt.u32", "setp.le.u32"),
    ("setp.le.u32", "setp.lt.u32"),
    ("setp.eq.s32", "setp.ne.s32"),
    ("setp.ne.s32", "setp.eq.s32"),
    ("setp.lt.s32", "setp.ge.s32"),
    ("setp.eq.s64", "setp.ne.s64"),
    ("setp.ne.s64", "setp.eq.s64"),
    ("setp.eq.f64", "setp.gt.f64"),
    ("setp.lt.f64", "setp.gt.f64"),
    ("bar.sync", "// bar.sync"),
    ("xor.b64", "or.b64"),
    ("mul.lo.s64", "add.s64"),
    ("mul.wide.u32", "add.s64"),
    ("shl.b64", "shr.u64"),
    ("%ctaid.x", "%ctaid.y"),
    ("add.rn.f64", "sub.rn.f64"),
    ("sub.rn.f64", "add.rn.f64"),
    ("mul.rn.f64", "add.rn.f64"),
    ("div.rn.f64", "mul.rn.f64"),
    ("neg.f64", "mov.f64"),
];

/// A text with one mistake.
struct Mutant {
    line: usize,
    kernel: String,
    changed: String,
}

fn mutants(lines: &[&str]) -> Vec<Mutant> {
    let (mut all, mut kernel) = (Vec::new(), String::new());
    for (number, line) in lines.iter().enumerate() {
        if let Some(name) = line.strip_prefix(".visible .entry ") {
            kernel = name.trim_end_matches('(').to_owned();
        }
        for (from, to) in MISTAKES {
            if line.contains(from) {
                all.push(Mutant {
                    line: number,
                    kernel: kernel.clone(),
                    changed: line.replacen(from, to, 1),
                });
            }
        }
    }
    all
}

#[test]
fn every_mistake_that_matters_is_found() {
    let lines: Vec<&str> = embedded_kernels().lines().collect();
    let mutants = mutants(&lines);
    let survivors = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(mutant) = mutants.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut text = lines.clone();
                    text[mutant.line] = &mutant.changed;
                    let module = Module::parse(&text.join("\n")).unwrap();
                    if check(&module, &mutant.kernel).is_ok() {
                        let place = format!("line {}: {}", mutant.line + 1, mutant.changed.trim());
                        survivors.lock().unwrap().push(place);
                    }
                }
            });
        }
    });
    let survivors = survivors.into_inner().unwrap();
    println!("{} mistakes, {} not found:", mutants.len(), survivors.len());
    for survivor in &survivors {
        println!("{survivor}");
    }
    // Where the sine's argument is reduced, three corrections are worth less than one unit in the last
    // place. Only those may go unnoticed: arithmetic on doubles, and few of that.
    let harmless = |text: &String| {
        ["add.rn.f64", "sub.rn.f64", "mov.f64"]
            .iter()
            .any(|name| text.contains(name))
    };
    assert!(survivors.iter().all(harmless), "{survivors:#?}");
    assert!(
        mutants.len() > 400 && survivors.len() <= 25,
        "{survivors:#?}"
    );
}
