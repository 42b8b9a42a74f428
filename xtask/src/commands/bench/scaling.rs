//! Time against size, memory of many rows, and the price of automatic choices.

use anyhow::Result;
use fastlsq_solve::Options;
use fastlsq_solve::lsq::{LsqOptions, Method, factor};
use fastlsq_solve::problems::helmholtz_2d;

use super::timing::take_turns;
use super::{Measurement, Scope, memory};
use crate::format::middle;
use fastlsq_solve::problems::{HelmholtzWaves, PlaneWave, WaveSizes};

const GIBIBYTE: f64 = (1u64 << 30) as f64;

pub(super) fn run(scope: &Scope) -> Result<Vec<Measurement>> {
    let mut rows = Vec::new();
    size(scope, &mut rows)?;
    many_rows(scope, &mut rows)?;
    automatic(scope, &mut rows)?;
    Ok(rows)
}

/// Time for one size.
fn seconds(scope: &Scope, m: usize, n: usize) -> Result<f64> {
    let system = HelmholtzWaves::new(WaveSizes::of(m, n), 0)?.system(PlaneWave::PLAIN)?;
    let rhs = system.right_hand_side();
    let [seconds] = take_turns(
        scope.pick(1, 3),
        [&mut || {
            // The automatic choice changes with the sizes; one method shows the law.
            let options = LsqOptions::new().method(Method::RankRevealingQr);
            factor(&system, rhs.as_ref(), &options)?;
            Ok(())
        }],
    )?;
    Ok(seconds)
}

/// Time should grow like M and like N².
fn size(scope: &Scope, rows: &mut Vec<Measurement>) -> Result<()> {
    let n = scope.pick(300, 800);
    let mut of_m = Vec::new();
    for m in [8_000, 16_000, 32_000].map(|m| scope.pick(m / 4, m)) {
        let time = seconds(scope, m, n)?;
        rows.push(Measurement::new(
            "scaling",
            format!("{m}x{n}"),
            "seconds",
            time,
        ));
        of_m.push((m, time));
    }
    rows.push(exponent("growth exponent in M", &of_m));
    let m = scope.pick(6_000, 24_000);
    let mut of_n = Vec::new();
    for n in [300, 600, 1200].map(|n| scope.pick(n / 2, n)) {
        let time = seconds(scope, m, n)?;
        rows.push(Measurement::new(
            "scaling",
            format!("{m}x{n}"),
            "seconds",
            time,
        ));
        of_n.push((n, time));
    }
    rows.push(exponent("growth exponent in N", &of_n));
    Ok(())
}

/// p in time ∝ sizeᵖ between the first and the last measurement.
fn exponent(figure: &'static str, measured: &[(usize, f64)]) -> Measurement {
    let slope = match measured {
        [first, .., last] => (last.1 / first.1).ln() / (last.0 as f64 / first.0 as f64).ln(),
        _ => f64::NAN,
    };
    Measurement::new("scaling", "", figure, slope)
}

/// Rows stream: memory does not grow with them.
fn many_rows(scope: &Scope, rows: &mut Vec<Measurement>) -> Result<()> {
    let (m, n) = scope.pick((100_000, 300), (1_000_000, 1000));
    let footprint = memory::of_solve(m, n)?;
    let case = format!("{m}x{n}");
    let new = |figure, value| Measurement::new("scaling", &case, figure, value);
    match footprint.peak {
        Some(bytes) => {
            rows.push(new("peak memory, GiB", bytes as f64 / GIBIBYTE).at_most(2.0));
        }
        None => eprintln!("      peak memory: this system does not report it"),
    }
    rows.push(new("seconds", footprint.seconds));
    rows.push(new("relative error", footprint.error));
    Ok(())
}

/// The automatic solve of Helmholtz, choices included, against one solve of the paper's size.
fn automatic(scope: &Scope, rows: &mut Vec<Measurement>) -> Result<()> {
    let benchmark = helmholtz_2d(10.0);
    let protocol = benchmark.protocol_problem();
    let sketched = benchmark.protocol().bandwidth(12.0);
    let mut options = sketched.clone();
    options.lsq = options.lsq.method(Method::RankRevealingQr);
    let (mut one_solve, mut one_sketch, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    // How much is tried depends on the draw: every round has its own.
    let mut seed = 0;
    let [auto, _, _] = take_turns(
        scope.pick(1, 5),
        [
            &mut || {
                let options = Options::new().seed(seed);
                let solution = benchmark.problem.solve_with(&options)?;
                errors.push(benchmark.errors(&solution, 1000)?.value);
                seed += 1;
                Ok(())
            },
            &mut || {
                // Without the companion that the error estimate takes.
                let solution = protocol.solve_with(&options)?;
                one_solve.push(solution.report().solve_seconds);
                Ok(())
            },
            &mut || {
                let solution = protocol.solve_with(&sketched)?;
                one_sketch.push(solution.report().solve_seconds);
                Ok(())
            },
        ],
    )?;
    let one_solve = middle(one_solve).unwrap_or(f64::NAN);
    let one_sketch = middle(one_sketch).unwrap_or(f64::NAN);
    let new = |figure, value| Measurement::new("scaling", "helmholtz-2d", figure, value);
    rows.push(new("one protocol solve over automatic solve", one_solve / auto).at_least(5.0));
    rows.push(new("seconds, automatic", auto));
    rows.push(new("seconds, one protocol solve", one_solve));
    rows.push(new(
        "seconds, one protocol solve, method chosen automatically",
        one_sketch,
    ));
    let worst = errors.into_iter().fold(0.0, f64::max);
    rows.push(new("relative error, automatic, worst draw", worst));
    Ok(())
}
