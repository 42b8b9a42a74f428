//! Laws of fields on grids: published data where they are given, flows and systems made here.

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, bail};
use fastlsq_discovery::datasets::GridDataSet;
use fastlsq_discovery::{DiscoveryError, GridOptions};

use super::shared::named;
use crate::commands::reproduce::figure::Figure;
use crate::commands::reproduce::item::{Context, Item, Job, Plan};
use crate::commands::reproduce::paper::Paper;
use crate::commands::reproduce::results::{Row, Run};
use crate::commands::reproduce::table::{Cell, Style, Table};

/// Draws of the noise behind a row.
const DRAWS: usize = 20;
/// Draws in a quick run.
const FEW_DRAWS: usize = 2;
/// A figure of each run: whether terms and coefficients are right.
const RIGHT: &str = "right";

/// Where the fields come from.
#[derive(Clone, Copy)]
enum Source {
    /// Arrays in a directory that the user names.
    Published {
        files: &'static [&'static str],
        read: fn(&Path) -> Result<GridDataSet, DiscoveryError>,
    },
    /// A generator of ours.
    Own(fn() -> Result<GridDataSet, DiscoveryError>),
}

const KS: Source = Source::Published {
    files: &["ks_x.npy", "ks_t.npy", "ks_u.npy"],
    read: |path| GridDataSet::published_kuramoto_sivashinsky(path),
};
const KDV: Source = Source::Published {
    files: &["kdv_x.npy", "kdv_t.npy", "kdv_u.npy"],
    read: |path| GridDataSet::published_korteweg_de_vries(path),
};
const NLS: Source = Source::Published {
    files: &["nls_x.npy", "nls_t.npy", "nls_u.npy", "nls_v.npy"],
    read: |path| GridDataSet::published_schroedinger(path),
};
const LORENZ: Source = Source::Own(|| GridDataSet::lorenz(2000));
const PREY: Source = Source::Own(|| GridDataSet::predator_prey(2000));
const WAVES: Source = Source::Own(|| GridDataSet::fitzhugh_nagumo(64, 60));

/// Fields with a known law and noise as a share of their root mean squares.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    source: Source,
    pub(crate) noise: f64,
    /// Coefficients within this count as right; `None` where only the terms are judged.
    within: Option<f64>,
    /// About how many seconds one draw takes.
    effort: f64,
}

/// Why published data are missing.
pub(crate) const WITHOUT_DATA: &str = "published data: name their directory with --data";

pub(crate) fn cases() -> Vec<Case> {
    [
        ("ks-clean", KS, 0.0, Some(0.005), 2.0),
        ("ks-20-percent", KS, 0.2, Some(0.05), 3.0),
        ("ks-50-percent", KS, 0.5, Some(0.05), 3.0),
        ("ks-100-percent", KS, 1.0, None, 3.0),
        ("kdv-clean", KDV, 0.0, Some(0.005), 3.0),
        ("kdv-20-percent", KDV, 0.2, Some(0.05), 4.0),
        ("kdv-50-percent", KDV, 0.5, Some(0.1), 4.0),
        ("kdv-100-percent", KDV, 1.0, None, 4.0),
        ("nls-clean", NLS, 0.0, Some(0.01), 4.0),
        ("nls-20-percent", NLS, 0.2, Some(0.05), 6.0),
        ("lorenz-1-percent", LORENZ, 0.01, Some(0.01), 2.0),
        ("lorenz-10-percent", LORENZ, 0.1, Some(0.05), 2.0),
        ("predator-prey-1-percent", PREY, 0.01, Some(0.01), 1.0),
        ("predator-prey-10-percent", PREY, 0.1, Some(0.05), 1.0),
        ("fitzhugh-nagumo-5-percent", WAVES, 0.05, Some(0.05), 6.0),
    ]
    .into_iter()
    .map(|(name, source, noise, within, effort)| Case {
        name,
        source,
        noise,
        within,
        effort,
    })
    .collect()
}

/// Refuses a directory without the published data.
pub(crate) fn check_data(directory: &Path) -> Result<()> {
    if !directory.is_dir() {
        bail!("--data: there is no directory {}", directory.display());
    }
    let mut missing = Vec::new();
    for case in cases() {
        if let Source::Published { files, .. } = case.source {
            let absent = |file: &&str| !directory.join(file).is_file();
            missing.extend(files.iter().copied().filter(absent));
        }
    }
    missing.sort_unstable();
    missing.dedup();
    if !missing.is_empty() {
        bail!(
            "--data: {} lacks {}; the grids are those of the WSINDy authors, one array per file",
            directory.display(),
            missing.join(", ")
        );
    }
    Ok(())
}

impl Case {
    /// Without noise all draws are the same.
    fn draws(&self, plan: &Plan) -> usize {
        match self.noise {
            0.0 => 1,
            _ => plan.pick(FEW_DRAWS, DRAWS),
        }
    }

    /// The fields; `None` for published ones without a directory.
    pub(crate) fn data(&self, directory: Option<&Path>) -> Result<Option<GridDataSet>> {
        Ok(match (self.source, directory) {
            (Source::Own(make), _) => Some(make()?),
            (Source::Published { read, .. }, Some(directory)) => Some(read(directory)?),
            (Source::Published { .. }, None) => None,
        })
    }

    /// Whether coefficients with this largest relative error are right.
    pub(crate) fn accepts(&self, worst: f64) -> bool {
        self.within.is_none_or(|within| worst <= within)
    }

    fn row(&self, context: &Context<'_>) -> Result<Row> {
        let Some(data) = self.data(context.plan.data.as_deref())? else {
            return Ok(Row::skipped("laws", self.name, "auto", WITHOUT_DATA));
        };
        let draws = context.seeds(self.draws(&context.plan), |seed| self.run(&data, seed));
        let mut row = Row::of_runs("laws", self.name, "auto", draws);
        let right: Vec<&Run> = row
            .runs
            .iter()
            .filter(|run| run.more.get(RIGHT) == Some(&1.0))
            .collect();
        let share = right.len() as f64 / row.runs.len().max(1) as f64;
        let worst = right.iter().filter_map(|run| run.value_error);
        let worst = worst.max_by(f64::total_cmp);
        // A median says little about yes or no.
        row.median.more.remove(RIGHT);
        row.median.more.insert("right_share".to_owned(), share);
        row.median
            .more
            .extend(worst.map(|worst| ("worst_of_right".to_owned(), worst)));
        Ok(row)
    }

    fn run(&self, data: &GridDataSet, seed: u64) -> Result<Run> {
        let clock = Instant::now();
        let outcome = data.measure(self.noise, seed, &GridOptions::new())?;
        let seconds = clock.elapsed().as_secs_f64();
        let right = outcome.right && self.accepts(outcome.worst);
        Ok(Run {
            value_error: Some(outcome.worst),
            seconds: Some(seconds),
            rows: outcome.found.laws.first().map(|law| law.windows),
            status: outcome.found.to_string().replace('\n', "; "),
            seed,
            more: named([(RIGHT, f64::from(u8::from(right)))]),
            ..Run::default()
        })
    }
}

pub(super) struct Laws;

impl Item for Laws {
    fn name(&self) -> &'static str {
        "laws"
    }

    fn shows(&self) -> &'static str {
        "laws of fields on grids: published data (with --data DIR), chaotic systems, waves in the plane"
    }

    fn source(&self) -> &'static str {
        "beyond the paper"
    }

    fn settings(&self, _plan: &Plan) -> String {
        format!(
            "Everything chosen from the data; Gaussian noise as a share of the root mean square of each field, {DRAWS} draws ({FEW_DRAWS} in \
             a quick run). One field: u, u², u³, u_x, u u_x, u_xx, u u_xx, u_xxx, u u_xxx, u_xxxx. Several: all products up to degree three (Lorenz: \
             two), and derivatives up to the second where there is space. The published grids (KS 256 × 301, KdV 400 × 601, nonlinear \
             Schrödinger 256 × 251, as `ks_x.npy`, `ks_t.npy`, `ks_u.npy` and so on) are read from the directory given with --data."
        )
    }

    fn check(&self, plan: &Plan) -> Result<()> {
        plan.data.as_deref().map_or(Ok(()), check_data)
    }

    fn jobs(&self, plan: &Plan) -> Vec<Job> {
        let quick = plan.quick;
        let wanted = |case: &Case| !quick || matches!(case.source, Source::Own(_));
        let cases = cases().into_iter().filter(wanted);
        cases
            .map(|case| {
                let effort = case.effort * case.draws(plan) as f64;
                Job::new(format!("laws/{}/auto", case.name), effort, move |context| {
                    case.row(context)
                })
            })
            .collect()
    }

    fn tables(&self, rows: &[&Row], _paper: &Paper) -> Vec<Table> {
        let mut table = Table::new(
            "laws",
            "Laws of fields on grids",
            vec!["case", "right", "error", "worst of the right", "seconds", "law in the middle"],
        )
        .note(
            "right: draws with exactly the true terms and every coefficient within the bound of its row. error: the largest relative \
             error of a coefficient, in the median over all draws (1 for a missing term); worst of the right: the largest of all right draws.",
        );
        for row in rows {
            let runs = row.runs.len();
            let right = row.number("right_share").map_or_else(
                || row.median.status.clone(),
                |share| format!("{:.0} of {runs}", share * runs as f64),
            );
            let number = |name, style| Cell::ours(row, name, style);
            table.rows.push(vec![
                Cell::words(&row.case),
                Cell::words(right),
                number("value_error", Style::Scientific),
                number("worst_of_right", Style::Scientific),
                number("seconds", Style::Plain),
                Cell::words(&row.median.status),
            ]);
        }
        vec![table]
    }

    fn figures(&self, _rows: &[&Row], _paper: &Paper) -> Vec<Figure> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::{Laws, Plan};
    use crate::commands::reproduce::item::Item;

    #[test]
    fn a_directory_without_the_data_is_refused_by_name() {
        let directory = std::env::temp_dir().join(format!("fastlsq-laws-{}", std::process::id()));
        let check = || {
            let plan = Plan {
                data: Some(directory.clone()),
                ..Plan::new(true, None)
            };
            Laws.check(&plan)
        };
        let error = check().unwrap_err().to_string();
        assert!(error.contains("no directory"), "{error}");
        std::fs::create_dir_all(&directory).unwrap();
        std::fs::write(directory.join("ks_x.npy"), "").unwrap();
        let error = check().unwrap_err().to_string();
        assert!(error.contains("lacks kdv_t.npy, kdv_u.npy"), "{error}");
        assert!(!error.contains("ks_x.npy"), "{error}");
        std::fs::remove_dir_all(&directory).unwrap();
        Laws.check(&Plan::new(true, None)).unwrap();
    }
}
