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
    let data = Condition::at(times.clone(), u, &values).deviations(&deviations);

    #[cfg(feature = "plot")]
    let measured = data.clone();

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
    #[cfg(feature = "plot")]
    picture::draw((&times, &values, &deviations), &measured, [&curve, &law])?;
    Ok(())
}

/// The fits over the measurements, and how residual and size of a fit depend on the ridge: the corner of the L is where more
/// freedom begins to follow the noise.
#[cfg(feature = "plot")]
mod picture {
    use fastlsq_solve::ndarray::Array2;
    use fastlsq_solve::plot::{Axis, Figure, Look, Panel, Series};
    use fastlsq_solve::{
        Condition, Interval, LinearProblem, LsqOptions, Options, Solution, SolveError,
    };

    pub(super) fn draw(
        (times, values, deviations): (&Array2<f64>, &[f64], &[f64]),
        data: &Condition,
        fits: [&Solution; 2],
    ) -> Result<(), SolveError> {
        let specks = times.iter().copied().zip(values.iter().copied()).collect();
        let mut over_time = Panel::new(Axis::linear("t"), Axis::linear("u")).series(Series::new(
            "measured",
            specks,
            Look::Specks(5),
        ));
        for (index, (name, fit)) in ["curve", "oscillation"].into_iter().zip(fits).enumerate() {
            let points = (0..=200).map(|k| f64::from(k) / 200.0);
            let points = points.map(|t| Ok((t, fit.value(&[t])?)));
            let points = points.collect::<Result<Vec<_>, SolveError>>()?;
            over_time = over_time.series(Series::new(name, points, Look::Bold(index)));
        }
        let mut bend = Vec::new();
        for power in -8..=10 {
            let ridge = 10_f64.powf(0.5 * f64::from(power));
            let options = Options::new().features(80).bandwidth(25.0);
            let options = options.lsq(LsqOptions::new().ridge(ridge));
            let fit = LinearProblem::on(Interval::unit())
                .with(data.clone())
                .solve_with(&options)?;
            let size = fit.coefficients().iter().map(|b| b * b).sum::<f64>().sqrt();
            let measured = fit.values(times.view())?;
            let gaps = measured.iter().zip(values).zip(deviations);
            let gaps = gaps.map(|((a, b), sigma)| ((a - b) / sigma).powi(2));
            bend.push(((gaps.sum::<f64>() / values.len() as f64).sqrt(), size));
        }
        let l_curve = Panel::new(
            Axis::log("residual, in deviations"),
            Axis::log("size of the coefficients"),
        )
        .series(Series::new("ridge from 1e-4 to 1e5", bend, Look::Line(2)));
        let figure = Figure::new("")
            .panel(over_time.size(460, 300))
            .panel(l_curve.size(300, 300));
        Ok(figure.save("fit_noisy_data.png")?)
    }
}
