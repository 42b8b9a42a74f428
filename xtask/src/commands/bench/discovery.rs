//! From a fit to the law: rows, LASSO path and selection at the paper's size.

use std::f64::consts::TAU;

use anyhow::Result;
use fastlsq_discovery::datasets::DataSet;
use fastlsq_discovery::{
    Derivatives, Discovery, DiscoveryOptions, FieldFit, FitOptions, LikelihoodRefit,
};

use super::timing::take_turns;
use super::{Measurement, Scope};

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

    let made = FieldFit::new(&samples, &fit)?;
    let [fitting, rest, whole] = take_turns(
        scope.pick(1, 5),
        [
            &mut || {
                FieldFit::new(&samples, &fit)?;
                Ok(())
            },
            &mut || {
                regression.run_with_fit(&samples, made.clone())?;
                Ok(())
            },
            &mut || {
                automatic.run(&samples)?;
                Ok(())
            },
        ],
    )?;
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
