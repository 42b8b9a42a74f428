//! Laws found by the library's own choices, over many draws of the noise.

use std::f64::consts::PI;
use std::time::Instant;

use anyhow::Result;
use fastlsq_discovery::datasets::DataSet;
use fastlsq_discovery::{
    Dictionary, Discovered, Discovery, DiscoveryOptions, MultiIndex, PaperExperiment, Samples,
};

use super::relative_error;
use crate::commands::reproduce::item::Context;
use crate::commands::reproduce::items::shared::named;
use crate::commands::reproduce::results::{Row, Run};
use crate::commands::reproduce::table::{Cell, Style, Table};

/// Samples of each field.
pub(super) const SAMPLES: usize = 2000;

/// A field, its candidate terms, and how noisy it is.
pub(super) struct Case {
    /// The name of the row.
    pub(super) name: &'static str,
    /// About how many seconds one draw takes.
    pub(super) effort: f64,
    data: DataSet,
    library: Dictionary,
    noise: Noise,
}

#[derive(Clone, Copy)]
enum Noise {
    /// Standard deviation.
    Absolute(f64),
    /// Standard deviation over the root mean square of the field.
    Share(f64),
}

/// All cases.
pub(super) fn cases() -> Result<Vec<Case>> {
    use Noise::{Absolute, Share};
    let short = || DataSet::damped_oscillator(2.0 * PI);
    let long = || DataSet::damped_oscillator(10.0);
    let (heat, burgers, klein_gordon) = (DataSet::heat, DataSet::burgers, DataSet::klein_gordon);
    let kdv = DataSet::korteweg_de_vries;
    let mut cases = Vec::new();
    for (name, data, noise, effort) in [
        (super::CASE, short(), Absolute(0.01), 0.4),
        ("oscillator-ten-terms", short(), Absolute(0.01), 0.5),
        ("oscillator-noise-0.1", long(), Absolute(0.1), 0.5),
        ("oscillator-noise-0.2", long(), Absolute(0.2), 0.5),
        ("heat-10-percent", heat(), Share(0.1), 3.0),
        ("burgers-1-percent", burgers(), Share(0.01), 6.0),
        ("burgers-10-percent", burgers(), Share(0.1), 5.0),
        ("kdv-1-percent", kdv(), Share(0.01), 20.0),
        ("klein-gordon-5-percent", klein_gordon(), Share(0.05), 5.0),
        ("oscillator-clean", short(), Absolute(0.0), 0.3),
        ("heat-clean", heat(), Absolute(0.0), 4.0),
        ("burgers-clean", burgers(), Absolute(0.0), 4.0),
        ("kdv-clean", kdv(), Absolute(0.0), 8.0),
        ("klein-gordon-clean", klein_gordon(), Absolute(0.0), 4.0),
    ] {
        let library = if name == super::CASE {
            Dictionary::parse(&data.axes, &["u", "u_x", "u^2"])?
        } else {
            data.library()?
        };
        cases.push(Case {
            name,
            effort,
            data,
            library,
            noise,
        });
    }
    Ok(cases)
}

/// The row of a case over this many draws of points and noise.
pub(super) fn row(case: &Case, draws: usize, context: &Context<'_>) -> Row {
    let mut row = Row::of_runs(
        "discovery",
        case.name,
        "auto",
        context.seeds(draws, |seed| case.run(seed)),
    );
    // A median says little about yes or no.
    let right = row
        .runs
        .iter()
        .filter(|run| run.more.get(RIGHT) == Some(&1.0));
    let share = right.count() as f64 / row.runs.len().max(1) as f64;
    row.median.more.remove(RIGHT);
    row.median.more.insert("right_share".to_owned(), share);
    if case.name != super::CASE {
        return row;
    }
    let recovered = context.paper.figure("discovery", "recovered");
    let coefficient = |index: usize| recovered.as_ref()?.get(index).cloned();
    row.with_paper("coefficient_u", coefficient(0))
        .with_paper("coefficient_u_x", coefficient(1))
}

/// A figure of each run: whether the terms are those of the law.
const RIGHT: &str = "right";

impl Case {
    fn run(&self, seed: u64) -> Result<Run> {
        let noise = match self.noise {
            Noise::Absolute(deviation) => deviation,
            Noise::Share(share) => share * self.data.rms(),
        };
        let samples = self.data.sample(SAMPLES, noise, seed)?;
        let clock = Instant::now();
        let law = Discovery::new(self.library.clone(), self.data.target)?
            .with(DiscoveryOptions::new().replicates(0))
            .run(&samples)?;
        let seconds = clock.elapsed().as_secs_f64();
        Ok(Run {
            seconds: Some(seconds),
            rows: Some(samples.len()),
            seed,
            ..self.judge(&law, &samples)?
        })
    }

    fn judge(&self, law: &Discovered, samples: &Samples) -> Result<Run> {
        let truth: Vec<(usize, f64)> = (0..self.library.len())
            .map(|k| (k, self.data.coefficient(&self.library, k)))
            .filter(|(_, c)| *c != 0.0)
            .collect();
        let found = |index: usize| law.terms.iter().find(|term| term.index == index);
        let right = law.support() == truth.iter().map(|(k, _)| *k).collect::<Vec<_>>();
        let mut more = named([(RIGHT, f64::from(u8::from(right)))]);
        let (mut estimates, mut exact) = (Vec::new(), Vec::new());
        for (place, &(index, c)) in truth.iter().enumerate() {
            let estimate = found(index).map_or(0.0, |term| term.coefficient);
            let mut note = |name: &str, value: f64| {
                if value.is_finite() {
                    more.insert(format!("{name}_{}", place + 1), value);
                }
            };
            note("error", (estimate / c - 1.0).abs());
            if let Some(bound) = found(index).and_then(|term| term.cramer_rao) {
                note("bound", bound / c.abs());
                note("multiple", ((estimate - c) / bound).abs());
            }
            if self.data.axes.len() == 1 {
                let name = ["coefficient_u", "coefficient_u_x"].get(place);
                more.extend(name.map(|name| ((*name).to_owned(), estimate)));
            }
            estimates.push(estimate);
            exact.push(c);
        }
        if let Some(error) = self.second_derivative_error(law, samples)? {
            more.extend(named([("derivative_rmse", error)]));
        }
        Ok(Run {
            value_error: Some(relative_error(&estimates, &exact)),
            status: law.to_string(),
            more,
            ..Run::default()
        })
    }

    /// Root mean square error of u″ at all samples, for the oscillator.
    fn second_derivative_error(&self, law: &Discovered, samples: &Samples) -> Result<Option<f64>> {
        if self.data.axes.len() > 1 {
            return Ok(None);
        }
        let second = law.field_derivative(samples.points(), &MultiIndex::new([2]))?;
        Ok(second.map(|second| {
            let places = samples.points().column(0).to_vec();
            let square: f64 = places
                .iter()
                .zip(&second)
                .map(|(x, d)| (d - DataSet::damped_oscillator_curvature(*x)).powi(2))
                .sum();
            (square / samples.len() as f64).sqrt()
        }))
    }
}

pub(super) fn table(rows: &[&Row]) -> Table {
    let mut table = Table::new(
        "discovery-laws",
        "Laws found from noisy samples",
        vec![
            "case",
            "right terms",
            "error 1",
            "error 2",
            "deviations 1",
            "deviations 2",
            "u″ error",
            "seconds",
            "law in the middle",
        ],
    )
    .note(
        "Everything chosen from the data. right terms: how many of the draws give exactly the terms of the law. Errors of the \
         coefficients in the order of the candidates, relative, in the median over all draws, and as multiples of their \
         Cramér–Rao deviations (a normal error has 0.67 in the median); without noise there is no refit and no bound. u″ \
         error: root mean square over the whole interval.",
    );
    for row in rows.iter().filter(|row| row.variant == "auto") {
        let runs = row.runs.len();
        let right = row.number("right_share").unwrap_or(0.0) * runs as f64;
        let number = |name, style| Cell::ours(row, name, style);
        table.rows.push(vec![
            Cell::words(&row.case),
            Cell::words(format!("{right:.0} of {runs}")),
            number("error_1", Style::Scientific),
            number("error_2", Style::Scientific),
            number("multiple_1", Style::Plain),
            number("multiple_2", Style::Plain),
            number("derivative_rmse", Style::Plain),
            number("seconds", Style::Plain),
            Cell::words(&row.median.status),
        ]);
    }
    table
}

/// How the data of the paper's experiment are described.
pub(super) fn settings() -> String {
    let published = PaperExperiment::default();
    format!(
        "u = e^(−x/2) sin 2x at {} equally spaced points of [0, 2π] with noise 0.01; the law is u″ = −4.25 u − u′. protocol: \
         the published steps ({} features, σ = 3, ridge 1e-8, LASSO over u, u′, u², refit on {{u, u′}}); auto: the same samples \
         and candidates, everything else chosen by the library. The other rows: {SAMPLES} samples (equally spaced on the \
         line, at random places in space and time), ten candidate terms, twice as many draws as seeds.",
        published.samples, published.features
    )
}
