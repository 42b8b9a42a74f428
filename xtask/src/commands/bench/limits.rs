//! The limits of this machine: what the other benchmarks are compared with.

use anyhow::Result;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use fastlsq_basis::sin_cos;

use super::timing::take_turns;
use super::{Measurement, Scope};

pub(super) fn run(scope: &Scope) -> Result<Vec<Measurement>> {
    let mut rows = products(scope)?;
    rows.extend(writing(scope)?);
    rows.extend(sines(scope)?);
    Ok(rows)
}

/// The rate of matrix products, on one thread and on all.
fn products(scope: &Scope) -> Result<Vec<Measurement>> {
    let n = scope.pick(600, 2000);
    let a = Mat::from_fn(n, n, |i, j| (i as f64 - 0.5 * j as f64).cos());
    let out = std::cell::RefCell::new(Mat::<f64>::zeros(n, n));
    let multiply = |parallelism| {
        let mut out = out.borrow_mut();
        matmul(out.as_mut(), Accum::Replace, &a, &a, 1.0, parallelism);
        Ok(())
    };
    let threads = rayon::current_num_threads();
    let [one, all] = take_turns(
        scope.pick(3, 5),
        [&mut || multiply(Par::Seq), &mut || {
            multiply(Par::rayon(threads))
        }],
    )?;
    let case = format!("{n}x{n}");
    let rate = |seconds: f64| 2e-9 * (n as f64).powi(3) / seconds;
    Ok(vec![
        new(&case, "gemm rate on one thread, GF/s", rate(one)),
        new(&case, "gemm rate on all threads, GF/s", rate(all)),
        new(&case, "gemm time on one thread over all", one / all),
    ])
}

/// The rate at which one thread writes memory that no cache holds.
fn writing(scope: &Scope) -> Result<Vec<Measurement>> {
    let count: usize = scope.pick(1 << 23, 1 << 26);
    let mut memory = vec![0.0_f64; count];
    let mut turn = 0.0;
    let [seconds] = take_turns(
        scope.pick(3, 5),
        [&mut || {
            turn += 1.0;
            std::hint::black_box(&mut memory).fill(turn);
            Ok(())
        }],
    )?;
    let case = format!("{} MiB", (8 * count) >> 20);
    let rate = 8e-9 * count as f64 / seconds;
    Ok(vec![new(&case, "memory-write rate, GB/s", rate)])
}

/// Sine and cosine of arguments in the first-level cache, ours and the standard library's.
fn sines(scope: &Scope) -> Result<Vec<Measurement>> {
    const ARGUMENTS: usize = 1024;
    let repeats = scope.pick(500, 5000);
    let z: Vec<f64> = (0..ARGUMENTS).map(|i| 0.37 * i as f64 - 150.0).collect();
    let room = std::cell::RefCell::new((vec![0.0; ARGUMENTS], vec![0.0; ARGUMENTS]));
    let repeat = |both: SinCos| {
        let (sin, cos) = &mut *room.borrow_mut();
        for _ in 0..repeats {
            both(std::hint::black_box(&z), sin, cos);
            std::hint::black_box((&mut *sin, &mut *cos));
        }
        Ok(())
    };
    let [ours, plain] = take_turns(
        scope.pick(3, 5),
        [&mut || repeat(sin_cos), &mut || repeat(plain_sin_cos)],
    )?;
    let nanoseconds = |seconds: f64| 1e9 * seconds / (repeats * ARGUMENTS) as f64;
    let case = "sine and cosine";
    Ok(vec![
        new(case, "nanoseconds a pair, one thread", nanoseconds(ours)),
        new(case, "nanoseconds a pair, std", nanoseconds(plain)),
        new(case, "time with std over ours", plain / ours),
    ])
}

/// Writes the sine and the cosine of each argument.
type SinCos = fn(&[f64], &mut [f64], &mut [f64]);

/// One by one, by the standard library.
fn plain_sin_cos(z: &[f64], sin: &mut [f64], cos: &mut [f64]) {
    for ((z, sin), cos) in z.iter().zip(sin).zip(cos) {
        (*sin, *cos) = z.sin_cos();
    }
}

fn new(case: &str, figure: &'static str, value: f64) -> Measurement {
    Measurement::new("limits", case, figure, value)
}
