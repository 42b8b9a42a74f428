//! The accuracy targets over many seeds: `targets [CASE…] [--seeds K]`, all cases by default.
#![allow(clippy::print_stdout)]

use std::f64::consts::PI;
use std::time::Instant;

use fastlsq_discovery::datasets::DataSet;
use fastlsq_discovery::{Dictionary, Discovery, DiscoveryError, DiscoveryOptions};

/// One line of the table: data, library, noise (standard deviation, or share of rms) and the
/// error each coefficient may have.
struct Case {
    name: &'static str,
    data: DataSet,
    library: Dictionary,
    noise: f64,
    limits: Vec<f64>,
}

fn cases() -> Result<Vec<Case>, DiscoveryError> {
    let mut cases = Vec::new();
    let mut add = |name, data: DataSet, terms: Option<&[&str]>, noise, limits: &[f64]| {
        let library = match terms {
            Some(terms) => Dictionary::parse(&data.axes, terms)?,
            None => data.library()?,
        };
        cases.push(Case {
            name,
            data,
            library,
            noise,
            limits: limits.to_vec(),
        });
        Ok::<(), DiscoveryError>(())
    };
    let share = |data: &DataSet, share: f64| share * data.rms();
    let (short, long) = (
        DataSet::damped_oscillator(2.0 * PI),
        DataSet::damped_oscillator(10.0),
    );
    let (heat, burgers) = (DataSet::heat(), DataSet::burgers());
    let (kdv, klein) = (DataSet::korteweg_de_vries(), DataSet::klein_gordon());
    add(
        "oscillator-3-terms",
        short.clone(),
        Some(&["u", "u_x", "u^2"]),
        0.01,
        &[2e-3, 1e-2],
    )?;
    add(
        "oscillator-10-terms",
        short.clone(),
        None,
        0.01,
        &[2e-3, 1e-2],
    )?;
    add(
        "oscillator-noise-0.1",
        long.clone(),
        None,
        0.1,
        &[1.5e-2, 3.4e-2],
    )?;
    add("oscillator-noise-0.2", long, None, 0.2, &[3e-2, 6.9e-2])?;
    add("heat-10%", heat.clone(), None, share(&heat, 0.1), &[2e-2])?;
    add(
        "burgers-1%",
        burgers.clone(),
        None,
        share(&burgers, 0.01),
        &[5e-3, 5e-3],
    )?;
    add(
        "burgers-10%",
        burgers.clone(),
        None,
        share(&burgers, 0.1),
        &[3e-2, 3e-2],
    )?;
    add(
        "kdv-1%",
        kdv.clone(),
        None,
        share(&kdv, 0.01),
        &[2e-2, 2e-2],
    )?;
    add(
        "klein-gordon-5%",
        klein.clone(),
        None,
        share(&klein, 0.05),
        &[2e-2, 2e-2],
    )?;
    add("oscillator-clean", short, None, 0.0, &[1e-6, 1e-6])?;
    add("heat-clean", heat, None, 0.0, &[1e-6])?;
    add("burgers-clean", burgers, None, 0.0, &[1e-6, 1e-6])?;
    add("kdv-clean", kdv, None, 0.0, &[1e-6, 1e-6])?;
    add("klein-gordon-clean", klein, None, 0.0, &[1e-6, 1e-6])?;
    Ok(cases)
}

fn main() -> Result<(), DiscoveryError> {
    let mut wanted: Vec<String> = std::env::args().skip(1).collect();
    let mut seeds = 10;
    if let Some(place) = wanted.iter().position(|a| a == "--seeds") {
        seeds = wanted
            .get(place + 1)
            .and_then(|k| k.parse().ok())
            .unwrap_or(seeds);
        wanted.drain(place..(place + 2).min(wanted.len()));
    }
    for case in cases()? {
        if wanted.is_empty() || wanted.iter().any(|w| w == case.name) {
            run(&case, seeds)?;
        }
    }
    Ok(())
}

fn run(case: &Case, seeds: u64) -> Result<(), DiscoveryError> {
    let truth: Vec<usize> = (0..case.library.len())
        .filter(|&k| case.data.coefficient(&case.library, k) != 0.0)
        .collect();
    let (mut right, mut within) = (0, 0);
    let mut errors: Vec<Vec<f64>> = vec![Vec::new(); truth.len()];
    let mut bounds: Vec<Vec<f64>> = vec![Vec::new(); truth.len()];
    let clock = Instant::now();
    for seed in 0..seeds {
        let samples = case.data.sample(2000, case.noise, seed)?;
        let law = Discovery::new(case.library.clone(), case.data.target)?
            .with(DiscoveryOptions::new().replicates(0))
            .run(&samples)?;
        if law.support() == truth {
            right += 1;
            let mut good = true;
            for (k, term) in law.terms.iter().enumerate() {
                let exact = case.data.coefficient(&case.library, term.index);
                let error = (term.coefficient / exact - 1.0).abs();
                good &= error <= case.limits[k];
                errors[k].push(error);
                bounds[k].push(term.cramer_rao.unwrap_or(0.0) / exact.abs());
            }
            within += u64::from(good);
        } else {
            println!("    {} seed {seed}: {law}", case.name);
        }
    }
    let show = |values: &mut Vec<Vec<f64>>| {
        let medians: Vec<String> = values
            .iter_mut()
            .map(|v| format!("{:.2e}", median(v)))
            .collect();
        medians.join(", ")
    };
    println!(
        "{:<22} support {right}/{seeds}, within limits {within}/{seeds}, median error {}, Cramér–Rao {}, {:.1} s each",
        case.name,
        show(&mut errors),
        show(&mut bounds),
        clock.elapsed().as_secs_f64() / seeds as f64
    );
    Ok(())
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
