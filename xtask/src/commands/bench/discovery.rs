//! From a fit to the law: rows, LASSO path and selection at the paper's size.

use std::f64::consts::TAU;
use std::time::Instant;

use anyhow::Result;
use fastlsq_discovery::datasets::DataSet;
use fastlsq_discovery::{
    Derivatives, Discovery, DiscoveryOptions, FieldFit, FitOptions, LikelihoodRefit,
};

use super::timing::take_turns;
use super::{Measurement, Scope};
use crate::format::middle;

pub(super) fn run(scope: &Scope) -> Result<Vec<Measurement>> {
    let (points, features) = scope.pick((500, 300), (2000, 1500));
    let data = DataSet::damped_oscillator(TAU);
    let samples = data.sample(points, 0.01, 0)?;
    let fit = FitOptions::new()
        .features(features)
        .physical_bandwidth([3.0])
        .ridge(1e-8);
    let options = DiscoveryOptions::new()
        .derivatives(Derivatives::Features(fit.clone()))
        .replicates(0);
    let penalties = options.lasso.penalties.len();
    let regression =
        Discovery::new(data.library()?, data.target)?.with(options.refit(LikelihoodRefit::Never));
    let automatic =
        Discovery::new(data.library()?, data.target)?.with(DiscoveryOptions::new().replicates(0));

    // What a run takes beyond the fit just before it: a difference of neighbours, so that a change of
    // the machine's mood matters little.
    let (mut fits, mut beyond) = (Vec::new(), Vec::new());
    let [_, whole] = take_turns(
        scope.pick(1, 5),
        [
            &mut || {
                let clock = Instant::now();
                FieldFit::new(&samples, &fit)?;
                let fitted = clock.elapsed().as_secs_f64();
                regression.run(&samples)?;
                fits.push(fitted);
                beyond.push(clock.elapsed().as_secs_f64() - 2.0 * fitted);
                Ok(())
            },
            &mut || {
                automatic.run(&samples)?;
                Ok(())
            },
        ],
    )?;
    let fitting = middle(fits).unwrap_or(f64::NAN);
    let rest = middle(beyond).unwrap_or(f64::NAN);
    let case = format!("{points} points, {features} features, {penalties} penalties");
    let new = |figure, value| Measurement::new("discovery", &case, figure, value);
    Ok(vec![
        new("seconds beyond the fit", rest).at_most(1.0),
        new("time beyond the fit over the fit", rest / fitting).at_most(1.0),
        new("seconds, the fit", fitting),
        Measurement::new(
            "discovery",
            format!("{points} points"),
            "seconds, everything chosen, likelihood refit included",
            whole,
        ),
    ])
}
