//! Noisy measurements, some better than others, fitted with and without the law they obey.
#![allow(clippy::print_stdout)]

use fastlsq_solve::{
    Condition, DomainExt, Interval, LinearProblem, LsqOptions, Options, Solution, SolveError,
    UnitSampler, coordinate, unknown,
};

fn main() -> Result<(), SolveError> {
    // An oscillation u = sin 9t, measured at random times; every third instrument is a good one.
    let (count, omega) = (300, 9.0);
    let times = UnitSampler::independent(1).points(count, 1);
    let noise = UnitSampler::independent(2).points(count, 1);
    let deviations: Vec<f64> = (0..count)
        .map(|i| if i % 3 == 0 { 0.01 } else { 0.2 })
        .collect();
    let values: Vec<f64> = (0..count)
        .map(|i| {
            let unit = 12_f64.sqrt() * (noise[[i, 0]] - 0.5);
            (omega * times[[i, 0]]).sin() + deviations[i] * unit
        })
        .collect();
    let (u, t) = (unknown("u"), coordinate("t"));
    let data = Condition::at(times, u, &values).deviations(&deviations);

    // As a curve: few features and a ridge keep it from following the noise.
    let smooth = Options::new()
        .features(40)
        .bandwidth(10.0)
        .lsq(LsqOptions::new().ridge(1e-2));
    let curve = LinearProblem::on(Interval::unit())
        .with(data.clone())
        .solve_with(&smooth)?;

    // As a solution of u″ + ω²u = 0, of which only amplitude and phase are unknown.
    let law = LinearProblem::on(Interval::unit().with_coordinates(["t"]))
        .equation(u.d(t).d(t) + omega * omega * u, 0.0)
        .with(data.weight(1e-3))
        .solve_with(&Options::new().features(60).bandwidth(8.0))?;

    let worst = |u: &Solution| -> Result<f64, SolveError> {
        let mut worst = 0.0_f64;
        for k in 0..=20 {
            let t = f64::from(k) / 20.0;
            worst = worst.max((u.value(&[t])? - (omega * t).sin()).abs());
        }
        Ok(worst)
    };
    let (fitted, obeying) = (worst(&curve)?, worst(&law)?);
    println!("largest error of the curve {fitted:.4}, of the oscillation {obeying:.4}");
    assert!(fitted < 0.05 && obeying < 0.01);
    Ok(())
}
