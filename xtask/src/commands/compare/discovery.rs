//! Laws from noisy samples.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use fastlsq_discovery::datasets::DataSet;
use fastlsq_discovery::{Discovery, DiscoveryOptions, Samples};
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::peer::Peer;
use super::rows::Row;
use super::sample::{Sample, Side, take_turns};
use super::{Record, Scope};

const OURS: &str = "ours, automatic";
/// A figure of each run: whether the terms are those of the law.
const RIGHT: &str = "right";

/// Samples of a field on a grid.
struct Case {
    name: String,
    data: DataSet,
    counts: Vec<usize>,
    noise: f64,
}

/// The samples as PySINDy gets them.
#[derive(Serialize)]
struct File<'a> {
    axes: &'a [&'static str],
    coordinates: Vec<Vec<f64>>,
    /// The last axis varies fastest.
    values: &'a [f64],
    target: &'static str,
    terms: &'a [&'static str],
    law: &'a [(&'static str, f64)],
}

#[derive(Deserialize)]
struct Found {
    seconds: f64,
    terms: BTreeMap<String, f64>,
    status: String,
}

pub(super) fn run(scope: &Scope, record: &mut Record) -> Result<()> {
    let sindy = scope.launcher.start("sindy")?;
    for case in cases() {
        eprintln!("  {} …", case.name);
        let file = |seed: u64| case.name.replace([' ', ',', '%', '.'], "-") + &format!("-{seed}");
        let mut files = Vec::new();
        for seed in 0..scope.repeats as u64 {
            let samples = case.samples(seed)?;
            let content = case.file(&samples);
            files.push(scope.exchange.write(&file(seed), &content)?);
        }
        let file = |seed: u64| {
            files
                .get(seed as usize)
                .map_or(Path::new(""), |f| f.as_path())
        };
        let mut sides = vec![Side::ours(OURS, |seed| case.discover(seed))];
        for (variant, name) in [
            ("difference", "PySINDy, differences"),
            ("smoothed", "PySINDy, smoothed"),
            ("weak", "PySINDy, weak form"),
        ] {
            let (case, sindy) = (&case, &sindy);
            sides.push(Side::peer(name, OURS, move |seed| {
                case.ask(sindy, variant, file(seed), seed)
            }));
        }
        let mut found = take_turns("discovery", &case.name, &sides, scope.repeats);
        found.iter_mut().for_each(count_right);
        record.add(found)?;
    }
    Ok(())
}

fn cases() -> Vec<Case> {
    let oscillator = |noise: f64| Case {
        name: format!("damped oscillator, noise {noise}"),
        data: DataSet::damped_oscillator(10.0),
        counts: vec![2000],
        noise,
    };
    let field = |data: DataSet| Case {
        name: format!("{}, noise 1 % of rms", data.name),
        noise: 0.01 * data.rms(),
        data,
        counts: vec![64, 50],
    };
    vec![
        oscillator(0.01),
        oscillator(0.05),
        field(DataSet::heat()),
        field(DataSet::burgers()),
        field(DataSet::korteweg_de_vries()),
    ]
}

impl Case {
    fn samples(&self, seed: u64) -> Result<Samples> {
        Ok(self
            .data
            .sample_at(self.data.grid(&self.counts), self.noise, seed)?)
    }

    fn file<'a>(&'a self, samples: &'a Samples) -> File<'a> {
        let axis = |k: usize| {
            // The grid along one axis: the others held at their first place.
            let counts: Vec<usize> = (0..self.counts.len())
                .map(|j| if j == k { self.counts[k] } else { 1 })
                .collect();
            let line: Array2<f64> = self.data.grid(&counts);
            line.column(k).to_vec()
        };
        File {
            axes: &self.data.axes,
            coordinates: (0..self.counts.len()).map(axis).collect(),
            values: samples.values(),
            target: self.data.target,
            terms: &self.data.terms,
            law: &self.data.law,
        }
    }

    fn discover(&self, seed: u64) -> Result<Sample> {
        let samples = self.samples(seed)?;
        let library = self.data.library()?;
        let clock = Instant::now();
        let law = Discovery::new(library.clone(), self.data.target)?
            .with(DiscoveryOptions::new().replicates(0).seed(seed))
            .run(&samples)?;
        let seconds = clock.elapsed().as_secs_f64();
        // By the names of the data set, so that both sides are judged alike.
        let terms = law.terms.iter().filter_map(|term| {
            let name = self.data.terms.get(term.index)?;
            Some(((*name).to_owned(), term.coefficient))
        });
        Ok(self.judge(&terms.collect(), seconds, law.to_string()))
    }

    fn ask(&self, peer: &Peer, variant: &str, file: &Path, seed: u64) -> Result<Sample> {
        let found: Found = peer.ask(&json!({ "data": file, "variant": variant, "seed": seed }))?;
        Ok(self.judge(&found.terms, found.seconds, found.status))
    }

    /// Whether the terms are right, and ‖c − c*‖/‖c*‖ over those of the law.
    fn judge(&self, terms: &BTreeMap<String, f64>, seconds: f64, status: String) -> Sample {
        let law = &self.data.law;
        let found = |name: &str| terms.get(name).copied().unwrap_or(0.0);
        let norm = |values: Vec<f64>| values.iter().fold(0.0_f64, |sum, value| sum.hypot(*value));
        let error = norm(law.iter().map(|(name, c)| found(name) - c).collect())
            / norm(law.iter().map(|(_, c)| *c).collect());
        let right = terms.len() == law.len() && law.iter().all(|(n, _)| terms.contains_key(*n));
        Sample {
            value_error: Some(error),
            seconds: Some(seconds),
            status,
            ..Sample::default()
        }
        .with(RIGHT, f64::from(u8::from(right)))
    }
}

/// A median says little about yes or no.
fn count_right(row: &mut Row) {
    row.more.remove(RIGHT);
    let right = row
        .runs
        .iter()
        .filter(|run| run.more.get(RIGHT) == Some(&1.0));
    row.note = format!("right terms in {} of {}", right.count(), row.runs.len());
    if row.against.is_some() {
        // Ours is the whole search; a user of theirs would have to make it by hand.
        row.note += "; time of the one fit that the true law picks";
    }
}

#[cfg(test)]
mod tests {
    use super::{RIGHT, cases};
    use std::collections::BTreeMap;

    fn terms(list: &[(&str, f64)]) -> BTreeMap<String, f64> {
        list.iter()
            .map(|(name, c)| ((*name).to_owned(), *c))
            .collect()
    }

    #[test]
    fn a_law_is_right_if_its_terms_are_and_no_others() {
        let oscillator = &cases()[0];
        let judge = |list: &[(&str, f64)]| {
            let sample = oscillator.judge(&terms(list), 1.0, String::new());
            (sample.more[RIGHT], sample.value_error.unwrap())
        };
        assert_eq!(judge(&[("u", -4.25), ("u_x", -1.0)]), (1.0, 0.0));
        let (right, error) = judge(&[("u", -4.25), ("u_x", -1.1)]);
        assert!(right == 1.0 && (error - 0.1 / 4.25_f64.hypot(1.0)).abs() < 1e-12);
        assert_eq!(judge(&[("u", -4.25), ("u_x", -1.0), ("u^3", 0.1)]).0, 0.0);
        assert_eq!(judge(&[("u", -4.25)]).0, 0.0);
        assert_eq!(judge(&[]), (0.0, 1.0));
    }

    #[test]
    fn the_file_holds_the_samples_on_their_grid() {
        for case in cases() {
            let samples = case.samples(0).unwrap();
            let file = case.file(&samples);
            let counts: Vec<usize> = file.coordinates.iter().map(Vec::len).collect();
            assert_eq!(counts, case.counts);
            let last = counts.iter().map(|n| n - 1);
            let corner: Vec<f64> = file
                .coordinates
                .iter()
                .zip(last)
                .map(|(c, i)| c[i])
                .collect();
            assert_eq!(corner, case.data.upper);
            // The second sample is one step along the last axis.
            let point = samples.points().row(1).to_vec();
            let axis = counts.len() - 1;
            assert_eq!(point[axis], file.coordinates[axis][1], "{}", case.name);
            // Without noise the samples are the field itself.
            assert!((file.values[1] - (case.data.exact)(&point)).abs() < 6.0 * case.noise);
        }
    }
}
