//! The tests of the kernels are tested: the text is changed in every place where that is a mistake, and the
//! checks have to find it.

use fastlsq_gpu::embedded_kernels;
use fastlsq_ptx::{Module, Order};

use crate::{matrix, waves};

/// All checks of the kernels' results, in one order of the threads.
fn checks(module: &Module) -> Result<(), String> {
    matrix::check_all(module, Order::Shuffled(1))?;
    waves::check_rows(module, Order::Descending)?;
    waves::check_accuracy(module, 600)
}

/// What the mistakes are: an instruction, and what it is taken for.
const MISTAKES: [(&str, &str); 18] = [
    ("setp.ge.u32", "setp.gt.u32"),
    ("setp.lt.u32", "setp.le.u32"),
    ("setp.eq.s32", "setp.ne.s32"),
    ("setp.ne.s32", "setp.eq.s32"),
    ("setp.lt.s32", "setp.ge.s32"),
    ("setp.eq.s64", "setp.ne.s64"),
    ("setp.ne.s64", "setp.eq.s64"),
    ("setp.eq.f64", "setp.gt.f64"),
    ("setp.lt.f64", "setp.gt.f64"),
    ("add.rn.f64", "sub.rn.f64"),
    ("sub.rn.f64", "add.rn.f64"),
    ("mul.rn.f64", "add.rn.f64"),
    ("div.rn.f64", "mul.rn.f64"),
    ("xor.b64", "or.b64"),
    ("mul.lo.s64", "add.s64"),
    ("mad.lo.s32", "mad.lo.u32"),
    ("bar.sync", "// bar.sync"),
    ("shl.b64", "shr.u64"),
];

#[test]
#[ignore]
fn survey() {
    let text = embedded_kernels();
    checks(&Module::parse(text).unwrap()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let (mut tried, mut survived) = (0, Vec::new());
    for (number, line) in lines.iter().enumerate() {
        for (from, to) in MISTAKES {
            if !line.contains(from) {
                continue;
            }
            let changed = line.replacen(from, to, 1);
            let mut mutant = lines.clone();
            mutant[number] = &changed;
            let module = Module::parse(&mutant.join("\n")).unwrap();
            tried += 1;
            if checks(&module).is_ok() {
                survived.push(format!("line {}: {changed}", number + 1));
            }
        }
    }
    println!("{tried} tried, {} survived", survived.len());
    for s in survived {
        println!("{s}");
    }
}
