//! The paper's experiment: its steps, its figures.

use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::time::Instant;

use anyhow::Result;
use fastlsq_discovery::datasets::DataSet;
use fastlsq_discovery::{PaperExperiment, PaperOutcome};

use super::relative_error;
use crate::commands::reproduce::figure::{Axis, Figure, Look, Series};
use crate::commands::reproduce::item::Context;
use crate::commands::reproduce::items::shared::{curve, named};
use crate::commands::reproduce::results::{Row, Run, Sigma};

/// The coefficients of the law u″ = −4.25 u − u′.
pub(super) fn law() -> Vec<f64> {
    let data = DataSet::damped_oscillator(TAU);
    data.law
        .iter()
        .map(|(_, coefficient)| *coefficient)
        .collect()
}

/// One point of a curve in this many is kept for the figure.
const THINNING: usize = 10;
/// Penalties at which the prediction is drawn.
const DRAWN: [f64; 4] = [1e-2, 1e-1, 3e-1, 1.0];

pub(super) fn row(case: &str, context: &Context<'_>) -> Row {
    let figure = |name| context.paper.figure("discovery", name);
    let recovered = figure("recovered");
    let coefficient = |index: usize| recovered.as_ref()?.get(index).cloned();
    Row::of_runs("discovery", case, "protocol", context.each_seed(run))
        .with_paper("coefficient_u", coefficient(0))
        .with_paper("coefficient_u_x", coefficient(1))
        .with_paper("derivative_rmse", figure("analytical_rmse"))
        .with_paper("difference_rmse", figure("finite_difference_rmse"))
}

fn run(seed: u64) -> Result<Run> {
    let experiment = PaperExperiment {
        seed,
        ..PaperExperiment::default()
    };
    let clock = Instant::now();
    let outcome = experiment.run()?;
    let [u, u_x] = outcome.coefficients;
    let status = if outcome.selected.is_some() {
        "u and u′ alone on the path"
    } else {
        "u and u′ never alone on the path"
    };
    Ok(Run {
        value_error: Some(relative_error(&outcome.coefficients, &law())),
        seconds: Some(clock.elapsed().as_secs_f64()),
        features: Some(experiment.features),
        rows: Some(experiment.samples),
        sigma: Some(Sigma::Isotropic(experiment.bandwidth)),
        status: status.to_owned(),
        seed,
        more: named([
            ("coefficient_u", u),
            ("coefficient_u_x", u_x),
            ("derivative_rmse", outcome.error),
            ("derivative_rmse_inside", outcome.inner_error),
            ("difference_rmse", outcome.difference_error),
        ]),
        series: curves(&outcome),
        ..Run::default()
    })
}

/// The curves of the paper's figure.
fn curves(outcome: &PaperOutcome) -> BTreeMap<String, Vec<f64>> {
    let thin = |values: &[f64]| values.iter().copied().step_by(THINNING).collect();
    let path = |index: usize| {
        let points = outcome.path.iter();
        let coefficient = points.map(|p| p.coefficients.get(index).copied().unwrap_or(0.0));
        coefficient.collect()
    };
    let mut curves: BTreeMap<String, Vec<f64>> = [
        ("x", thin(&outcome.x)),
        ("exact", thin(&outcome.exact)),
        ("fitted", thin(&outcome.fitted)),
        ("penalty", outcome.path.iter().map(|p| p.penalty).collect()),
        ("path_u", path(0)),
        ("path_u_x", path(1)),
        ("path_u^2", path(2)),
    ]
    .map(|(name, values)| (name.to_owned(), values))
    .into();
    for wanted in DRAWN {
        let distance = |penalty: f64| (penalty / wanted).ln().abs();
        let places = outcome.path.iter().zip(&outcome.predictions);
        let nearest =
            places.min_by(|(a, _), (b, _)| distance(a.penalty).total_cmp(&distance(b.penalty)));
        if let Some((_, prediction)) = nearest {
            curves.insert(predicted(wanted), thin(prediction));
        }
    }
    curves
}

/// The name of the prediction at a penalty.
fn predicted(penalty: f64) -> String {
    format!("predicted at {penalty}")
}

pub(super) fn figures(row: &Row) -> Vec<Figure> {
    let points = |x: &str, y: &str| -> Vec<(f64, f64)> {
        let list = |name: &str| row.median.series.get(name).into_iter().flatten().copied();
        list(x).zip(list(y)).collect()
    };
    let mut along_path = vec![curve("exact", points("x", "exact"), Look::Reference)];
    along_path.extend(DRAWN.iter().enumerate().map(|(k, &penalty)| Series {
        label: format!("penalty {penalty}"),
        points: points("x", &predicted(penalty)),
        look: Look::Thin(k),
    }));
    vec![
        Figure {
            name: "discovery-derivative".to_owned(),
            title: "Second derivative of the fit".to_owned(),
            caption: "Derivatives of the fitted features against the true ones, with the paper's settings: the error sits \
                      at the ends of the interval."
                .to_owned(),
            x: Axis::linear("x"),
            y: Axis::linear("u″"),
            series: vec![
                curve("exact", points("x", "exact"), Look::Reference),
                curve("fitted", points("x", "fitted"), Look::Thin(0)),
            ],
        },
        Figure {
            name: "discovery-prediction".to_owned(),
            title: "Second derivative as the laws of the path predict it".to_owned(),
            caption: "Σ cₖTₖ on the fit with the coefficients of the LASSO path: the larger the penalty, the smaller the \
                      prediction."
                .to_owned(),
            x: Axis::linear("x"),
            y: Axis::linear("u″"),
            series: along_path,
        },
        Figure {
            name: "discovery-path".to_owned(),
            title: "LASSO path".to_owned(),
            caption: "Coefficients of the candidates as the penalty falls, from right to left."
                .to_owned(),
            x: Axis::log("penalty"),
            y: Axis::linear("coefficient"),
            series: vec![
                curve("u", points("penalty", "path_u"), Look::Thin(0)),
                curve("u′", points("penalty", "path_u_x"), Look::Thin(1)),
                curve("u²", points("penalty", "path_u^2"), Look::Thin(3)),
            ],
        },
    ]
}
