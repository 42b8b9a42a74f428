//! Laws of fields on grids, on the draws of the item `laws`.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use anyhow::{Result, anyhow};
use fastlsq_discovery::GridOptions;
use fastlsq_discovery::datasets::GridDataSet;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::peer::Peer;
use super::rows::Row;
use super::sample::{Sample, Side, take_turns};
use super::{Record, Scope};
use crate::commands::reproduce::items::laws::{Case, WITHOUT_DATA, cases};

const OURS: &str = "ours, automatic";
/// Figures of each run: whether the terms are those of the laws, and whether the coefficients are close as well.
const TERMS: &str = "terms";
const RIGHT: &str = "right";
/// Cases of a quick run.
const QUICK: [&str; 2] = ["lorenz-1-percent", "predator-prey-10-percent"];
/// Ways to use the peer.
const VARIANTS: [(&str, &str); 2] = [
    ("default", "PySINDy, weak form, defaults"),
    ("cross-validated", "PySINDy, weak form, cross-validated"),
];

/// The fields as PySINDy gets them.
#[derive(Serialize)]
struct File<'a> {
    axes: Vec<String>,
    coordinates: &'a [Vec<f64>],
    fields: Vec<&'static str>,
    /// One list for each field; the last axis varies fastest.
    values: Vec<Vec<f64>>,
    terms: Vec<&'a str>,
    /// Highest power and highest derivative of the library.
    degree: u32,
    order: usize,
}

#[derive(Deserialize)]
struct Found {
    seconds: f64,
    /// One law for each field.
    laws: Vec<BTreeMap<String, f64>>,
}

pub(super) fn run(scope: &Scope, record: &mut Record) -> Result<()> {
    let sindy = scope.launcher.start("sindy_grids")?;
    for case in cases() {
        if scope.quick && !QUICK.contains(&case.name) {
            continue;
        }
        let Some(data) = case.data(scope.data.as_deref())? else {
            eprintln!("  {}: left out ({WITHOUT_DATA})", case.name);
            continue;
        };
        eprintln!("  {} …", case.name);
        // Without noise all draws are the same.
        let repeats = if case.noise == 0.0 { 1 } else { scope.repeats };
        let files = (0..repeats as u64)
            .map(|seed| {
                let name = format!("laws-{}-{seed}", case.name);
                scope.exchange.write(&name, &file(&case, &data, seed))
            })
            .collect::<Result<Vec<_>>>()?;
        let mut sides = vec![Side::ours(OURS, |seed| discover(&case, &data, seed))];
        for (variant, name) in VARIANTS {
            let (case, data, sindy, files) = (&case, &data, &sindy, &files);
            sides.push(Side::peer(name, OURS, move |seed| {
                let file = usize::try_from(seed).ok().and_then(|seed| files.get(seed));
                let file = file.ok_or_else(|| anyhow!("no draw {seed}"))?;
                ask(case, data, sindy, variant, file, seed)
            }));
        }
        let mut found = take_turns("laws", case.name, &sides, repeats);
        found.iter_mut().for_each(count_right);
        record.add(found)?;
    }
    Ok(())
}

fn file<'a>(case: &Case, data: &'a GridDataSet, seed: u64) -> File<'a> {
    let fields = data.noisy(case.noise, seed);
    let terms = data.library.names();
    let slopes = |term: &&str| term.split_once('_').map_or(0, |(_, axes)| axes.len());
    File {
        axes: data.library.axes().iter().map(char::to_string).collect(),
        coordinates: &data.axes,
        values: fields
            .iter()
            .map(|(_, v)| v.iter().copied().collect())
            .collect(),
        fields: fields.into_iter().map(|(name, _)| name).collect(),
        order: terms.iter().map(slopes).max().unwrap_or(0),
        degree: data.degree,
        terms,
    }
}

fn discover(case: &Case, data: &GridDataSet, seed: u64) -> Result<Sample> {
    let clock = Instant::now();
    let found = data.measure(case.noise, seed, &GridOptions::new())?.found;
    let seconds = clock.elapsed().as_secs_f64();
    let laws = found.laws.iter().map(|law| {
        let terms = law.terms.iter();
        terms
            .map(|term| (term.name.clone(), term.coefficient))
            .collect()
    });
    Ok(judge(case, data, &laws.collect::<Vec<_>>(), seconds))
}

fn ask(
    case: &Case,
    data: &GridDataSet,
    peer: &Peer,
    variant: &str,
    file: &Path,
    seed: u64,
) -> Result<Sample> {
    let found: Found = peer.ask(&json!({ "data": file, "variant": variant, "seed": seed }))?;
    Ok(judge(case, data, &found.laws, found.seconds))
}

/// Both sides alike: whether every law has exactly the true terms, and the largest relative error of a true coefficient.
fn judge(case: &Case, data: &GridDataSet, laws: &[BTreeMap<String, f64>], seconds: f64) -> Sample {
    let (terms, worst) = data.judge(laws);
    let texts = data.laws.iter().zip(laws).map(|((target, _), law)| {
        let terms = law.iter().map(|(name, c)| format!("{c:+.3} {name}"));
        format!("{target} = {}", terms.collect::<Vec<_>>().join(" "))
    });
    let right = terms && case.accepts(worst);
    Sample {
        value_error: Some(worst),
        seconds: Some(seconds),
        status: texts.collect::<Vec<_>>().join("; "),
        ..Sample::default()
    }
    .with(TERMS, f64::from(u8::from(terms)))
    .with(RIGHT, f64::from(u8::from(right)))
}

/// A median says little about yes or no.
fn count_right(row: &mut Row) {
    let count = |figure: &str| {
        let yes = |run: &&Sample| run.more.get(figure) == Some(&1.0);
        row.runs.iter().filter(yes).count()
    };
    row.note = format!(
        "right terms in {} of {}, right coefficients as well in {}",
        count(TERMS),
        row.runs.len(),
        count(RIGHT)
    );
    row.more.remove(TERMS);
    row.more.remove(RIGHT);
}

#[cfg(test)]
mod tests {
    use super::{RIGHT, TERMS, cases, file, judge};
    use std::collections::BTreeMap;

    #[test]
    fn laws_are_judged_by_terms_and_coefficients() {
        let cases = cases();
        let case = cases
            .iter()
            .find(|c| c.name == "predator-prey-1-percent")
            .unwrap();
        let data = case.data(None).unwrap().unwrap();
        let law = |terms: &[(&str, f64)]| -> BTreeMap<String, f64> {
            terms
                .iter()
                .map(|(name, c)| ((*name).to_owned(), *c))
                .collect()
        };
        let found = |first: &[(&str, f64)]| {
            let second = law(&[("v", -0.75), ("u v", 0.5)]);
            let sample = judge(case, &data, &[law(first), second], 1.0);
            (
                sample.more[TERMS],
                sample.more[RIGHT],
                sample.value_error.unwrap(),
            )
        };
        assert_eq!(found(&[("u", 1.0), ("u v", -0.5)]), (1.0, 1.0, 0.0));
        let (terms, right, error) = found(&[("u", 1.1), ("u v", -0.5)]);
        assert!(terms == 1.0 && right == 0.0 && (error - 0.1).abs() < 1e-12);
        assert_eq!(found(&[("u", 1.0), ("u v", -0.5), ("u³", 0.1)]).0, 0.0);
        assert_eq!(found(&[("u", 1.0)]), (0.0, 0.0, 1.0));
    }

    #[test]
    fn the_file_holds_the_draw() {
        let cases = cases();
        let case = cases.iter().find(|c| c.name == "lorenz-1-percent").unwrap();
        let data = case.data(None).unwrap().unwrap();
        let (first, second) = (file(case, &data, 0), file(case, &data, 1));
        assert_eq!((first.degree, first.order), (2, 0));
        assert_eq!(first.fields, ["x", "y", "z"]);
        let exact: Vec<f64> = data.fields[2].1.iter().copied().collect();
        assert!((first.values[2][7] - exact[7]).abs() < 0.06 * exact[7]);
        assert_ne!(first.values[2][7], second.values[2][7]);
    }
}
