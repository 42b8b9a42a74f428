//! Where is the coil? A quadrupole with iron poles, its field at eight sensors.

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::Result;
use fastlsq_inverse::applications::{Coil as Experiment, CoilMap, median};
use fastlsq_inverse::{Fit, FitOptions, Prepared};

use super::shared::{Shared, coordinates, curve, keep_lines, kept_lines, lists, named, pairs};
use crate::commands::reproduce::figure::{Axis, Figure, Look};
use crate::commands::reproduce::item::{Context, Item, Job, Plan};
use crate::commands::reproduce::paper::Paper;
use crate::commands::reproduce::results::{Row, Run, Sigma};
use crate::commands::reproduce::table::{Cell, Style, Table};

const CASE: &str = "quadrupole";
const VARIANTS: [&str; 3] = ["lbfgsb", "adam", "adam-paper"];
/// Draws of the noise for each seed of the plan.
const DRAWS: usize = 4;
/// Cells along each side of a quarter of the square, for the readings.
const CELLS: usize = 240;
/// Points along the line of the field's figure.
const PROFILE: u32 = 80;
/// Nodes along each side of the map, and field lines on either side of zero.
const NODES: usize = 81;
const FIELD_LINES: usize = 10;

pub(super) struct Coil;

/// The runs of each variant.
type RunsByCase = [Vec<Run>; 3];

impl Item for Coil {
    fn name(&self) -> &'static str {
        "coil"
    }

    fn shows(&self) -> &'static str {
        "the position of a coil between iron poles from its magnetic field"
    }

    fn source(&self) -> &'static str {
        "Figure on coil localisation"
    }

    fn settings(&self, plan: &Plan) -> String {
        format!(
            "∇·(ν∇A) = −J on [−1, 1]² with A = 0 on all four sides (the script has rows on two), ν = 1/μᵣ, μᵣ from 1 to 50; \
             coils at (±x, ±y). True (0.45, 0.45), start (0.2, 0.8), both components of B at eight sensors, noise 1 % of \
             the largest reading. Readings come from finite volumes with {CELLS} cells along each side of a quarter, not \
             from the features that explain them. {} features with σ = 30, odd in x and y; one factorisation for all fits; \
             adjoint gradients; {} draws of the noise. lbfgsb: to convergence; adam: 40 steps with rates from 0.08 to 0.008 \
             in the mean and the half difference of the coordinates; adam-paper: the paper's 40 steps with rate 0.04 in x \
             and y, of which the best is kept. The value error is the distance from the true position. Bounds: the \
             Cramér–Rao deviations at the true position, below which no unbiased estimate gets; half of all draws end \
             within 0.67 of them at best.",
            features(plan),
            DRAWS * plan.seeds
        )
    }

    fn jobs(&self, plan: &Plan) -> Vec<Job> {
        let shared = Shared::<RunsByCase>::new();
        let effort = plan.pick(8.0, 40.0);
        [(0, effort), (1, 0.1), (2, 0.1)]
            .map(|(index, effort)| {
                let shared = shared.clone();
                let variant = VARIANTS[index];
                Job::new(format!("coil/{CASE}/{variant}"), effort, move |context| {
                    let runs = shared.get(|| locate(context))?[index].clone();
                    let bound = context.paper.figure("coil", "error_per_coordinate_below");
                    Ok(Row::of_runs("coil", CASE, variant, runs)
                        .with_paper("worst_coordinate_error", bound))
                })
            })
            .into()
    }

    fn tables(&self, rows: &[&Row], _paper: &Paper) -> Vec<Table> {
        let mut table = Table::new(
            "coil",
            "Position of the coil",
            vec![
                "variant", "figure", "true", "paper", "ours", "paper / ours", "deviation or bound",
            ],
        )
        .note(
            "Medians over the draws of the noise; the worst draw where it says so. The deviation is that of the posterior; beside \
             errors stands the bound of Cramér and Rao. \
             The paper states that the error of each coordinate is below 0.02, for data of its own discretisation.",
        );
        let truth = Experiment::paper().truth;
        for row in rows {
            for (figure, name, truth, deviation) in [
                ("x", "x", Some(truth[0]), "x_deviation"),
                ("y", "y", Some(truth[1]), "y_deviation"),
                ("error of x", "x_error", None, "x_bound"),
                ("error of y", "y_error", None, "y_bound"),
                (
                    "error of x, first five draws",
                    "x_error_of_five",
                    None,
                    "x_bound",
                ),
                (
                    "error of y, first five draws",
                    "y_error_of_five",
                    None,
                    "y_bound",
                ),
                (
                    "larger error of a coordinate",
                    "worst_coordinate_error",
                    None,
                    "",
                ),
                ("distance", "value_error", None, ""),
                ("distance, worst draw", "value_error_worst", None, ""),
                ("distance without noise", "noiseless_distance", None, ""),
                ("field along the diagonal, error", "field_error", None, ""),
                ("evaluations", "evaluations", None, ""),
                ("seconds of a fit", "seconds", None, ""),
            ] {
                let width = if deviation.is_empty() {
                    Cell::words("")
                } else {
                    Cell::ours(row, deviation, Style::Plain)
                };
                table.rows.push(vec![
                    Cell::words(&row.variant),
                    Cell::words(figure),
                    Cell::words(truth.map_or_else(String::new, |value| format!("{value}"))),
                    Cell::Paper(row.paper_number(name), Style::Plain),
                    Cell::ours(row, name, Style::Plain),
                    Cell::ratio(row.paper_number(name), row.number(name)),
                    width,
                ]);
            }
        }
        vec![table]
    }

    fn figures(&self, rows: &[&Row], _paper: &Paper) -> Vec<Figure> {
        let mut figures = vec![paths(rows)];
        for draw in [field_map, profile] {
            figures.extend(rows.iter().take(1).filter_map(|row| draw(row)));
        }
        figures
    }
}

fn features(plan: &Plan) -> usize {
    plan.pick(1500, 2000)
}

/// Both methods on every draw of the noise.
fn locate(context: &Context<'_>) -> Result<RunsByCase> {
    let experiment = Experiment {
        options: Experiment::discretisation(features(&context.plan)),
        ..Experiment::paper()
    };
    (context.progress)("readings by finite volumes");
    let exact = experiment.reference_readings(CELLS);
    let deviations = experiment.deviations(&exact);
    (context.progress)("factorisation");
    let clock = Instant::now();
    let mut rotated = experiment.rotated_problem(&exact, deviations)?.prepare()?;
    let mut plain = experiment.problem(&exact, deviations)?.prepare()?;
    let preparation = 0.5 * clock.elapsed().as_secs_f64();
    let bound = plain.identifiability_at(&experiment.truth)?.deviations;
    let mut noiseless = [f64::NAN; 3];
    for (index, distance) in noiseless.iter_mut().enumerate() {
        *distance = End::of(index, &rotated, &plain)?.distance(&experiment);
    }
    let along = Profile::of(&experiment, &plain)?;
    let ground = map(&Experiment::map(
        &plain.solution(&experiment.truth)?,
        NODES,
    )?);

    let draws = DRAWS * context.plan.seeds;
    let mut outcome = RunsByCase::default();
    for seed in 0..draws as u64 {
        (context.progress)(&format!("draw {}/{draws}", seed + 1));
        let readings = experiment.readings(&exact, seed);
        rotated.set_values(&readings)?;
        plain.set_values(&readings)?;
        for (index, runs) in outcome.iter_mut().enumerate() {
            let end = End::of(index, &rotated, &plain)?;
            let mut run = end.run(&experiment, seed);
            run.solve_seconds = Some(preparation);
            run.features = Some(plain.feature_count());
            run.rows = Some(plain.row_count());
            run.rank = plain.factorisation().map(|info| info.rank);
            run.more.extend(named([
                ("noiseless_distance", noiseless[index]),
                ("field_error", along.error),
                ("x_bound", bound[0]),
                ("y_bound", bound[1]),
            ]));
            if seed == 0 {
                run.series.extend(end.path(&experiment));
                run.series.extend(along.series.clone());
                run.series.extend(ground.clone());
            }
            runs.push(run);
        }
    }
    for runs in &mut outcome {
        for name in ["x_error", "y_error"] {
            let first = runs.iter().take(5).filter_map(|run| run.more.get(name));
            let median = median(&first.copied().collect::<Vec<f64>>());
            for run in runs.iter_mut() {
                run.more.insert(format!("{name}_of_five"), median);
            }
        }
    }
    Ok(outcome)
}

/// The end of a search, with what turns its parameters into x and y.
struct End {
    fit: Fit,
    /// Whether the parameters are the mean and the half difference of x and y.
    rotated: bool,
}

impl End {
    /// The variant with this index on the readings that are in place.
    fn of(index: usize, rotated: &Prepared, plain: &Prepared) -> Result<Self> {
        let (problem, options) = match index {
            0 => (plain, FitOptions::new().lbfgsb()),
            1 => (rotated, Experiment::falling_adam()),
            _ => (plain, Experiment::paper_adam()),
        };
        Ok(Self {
            fit: problem.fit_with(&options.record_trajectory())?,
            rotated: index == 1,
        })
    }

    fn place(&self, parameters: &[f64]) -> [f64; 2] {
        if self.rotated {
            Experiment::position(parameters)
        } else {
            [0, 1].map(|k| parameters.get(k).copied().unwrap_or(f64::NAN))
        }
    }

    fn distance(&self, experiment: &Experiment) -> f64 {
        let [x, y] = self.place(&self.fit.parameters);
        (x - experiment.truth[0]).hypot(y - experiment.truth[1])
    }

    /// What is recorded of it.
    fn run(&self, experiment: &Experiment, seed: u64) -> Run {
        let fit = &self.fit;
        let [x, y] = self.place(&fit.parameters);
        let errors = [x - experiment.truth[0], y - experiment.truth[1]].map(f64::abs);
        let [along_x, along_y] = if self.rotated {
            [[1.0, 1.0], [1.0, -1.0]]
        } else {
            [[1.0, 0.0], [0.0, 1.0]]
        };
        Run {
            value_error: Some(self.distance(experiment)),
            seconds: Some(fit.seconds),
            sigma: Some(Sigma::Isotropic(30.0)),
            iterations: Some(fit.minimum.iterations as usize),
            status: fit.minimum.status.to_string(),
            seed,
            more: named([
                ("x", x),
                ("y", y),
                ("x_error", errors[0]),
                ("y_error", errors[1]),
                ("worst_coordinate_error", errors[0].max(errors[1])),
                ("x_deviation", fit.posterior.deviation_of(&along_x)),
                ("y_deviation", fit.posterior.deviation_of(&along_y)),
                ("evaluations", fit.evaluations as f64),
            ]),
            ..Run::default()
        }
    }

    /// The steps, and where the sensors and the true coil are.
    fn path(&self, experiment: &Experiment) -> BTreeMap<String, Vec<f64>> {
        let trajectory = self.fit.minimum.trajectory.iter();
        let steps: Vec<[f64; 2]> = trajectory.map(|step| self.place(step)).collect();
        lists([
            ("path_x", coordinates(&steps, 0)),
            ("path_y", coordinates(&steps, 1)),
            ("misfit", self.fit.minimum.history.clone()),
            ("sensor_x", coordinates(&experiment.sensors, 0)),
            ("sensor_y", coordinates(&experiment.sensors, 1)),
            ("truth", experiment.truth.to_vec()),
        ])
    }
}

/// Nodes in iron and field lines.
fn map(map: &CoilMap) -> BTreeMap<String, Vec<f64>> {
    let mut iron = Vec::new();
    for (i, x) in map.axis.iter().enumerate() {
        for (j, y) in map.axis.iter().enumerate() {
            if map.permeability[(i, j)] > 25.0 {
                iron.push([*x, *y]);
            }
        }
    }
    let mut series = lists([
        ("iron_x", coordinates(&iron, 0)),
        ("iron_y", coordinates(&iron, 1)),
    ]);
    series.extend(keep_lines("line", &map.field_lines(FIELD_LINES)));
    series
}

/// The field along the diagonal from the axis to the corner, for the coil at its true place.
struct Profile {
    series: BTreeMap<String, Vec<f64>>,
    /// ‖B − B*‖/‖B*‖ against finite volumes.
    error: f64,
}

impl Profile {
    fn of(experiment: &Experiment, prepared: &Prepared) -> Result<Self> {
        let places = (1..PROFILE).map(|k| f64::from(k) / f64::from(PROFILE));
        let line = Experiment {
            sensors: places.map(|s| [s, s]).collect(),
            ..experiment.clone()
        };
        let field = Experiment::field(&prepared.solution(&line.truth)?, &line.sensor_points())?;
        let reference = line.reference_readings(CELLS);
        let (along_x, along_y) = reference.split_at(line.sensors.len());
        let (mut ours, mut theirs, mut difference) = (Vec::new(), Vec::new(), Vec::new());
        for (b, (x, y)) in field.rows().into_iter().zip(along_x.iter().zip(along_y)) {
            ours.push(b[0].hypot(b[1]));
            theirs.push(x.hypot(*y));
            difference.push((b[0] - x).hypot(b[1] - y));
        }
        let norm = |values: &[f64]| values.iter().map(|v| v * v).sum::<f64>().sqrt();
        let iron = line
            .sensors
            .iter()
            .map(|[x, y]| Experiment::permeability(*x, *y));
        Ok(Self {
            error: norm(&difference) / norm(&theirs),
            series: lists([
                (
                    "radius",
                    line.sensors.iter().map(|[x, y]| x.hypot(*y)).collect(),
                ),
                ("permeability", iron.collect()),
                ("field", ours),
                ("field_reference", theirs),
            ]),
        })
    }
}

/// The run that holds the series.
fn first_run(row: &Row) -> Option<&Run> {
    row.runs.iter().find(|run| !run.series.is_empty())
}

fn paths(rows: &[&Row]) -> Figure {
    let mut series = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let Some(run) = first_run(row) else { continue };
        if index == 0 {
            series.push(curve(
                "sensors",
                pairs(run, "sensor_x", "sensor_y"),
                Look::ReferenceMarks,
            ));
            if let Some([x, y]) = run.series.get("truth").map(Vec::as_slice) {
                series.push(curve("true position", vec![(*x, *y)], Look::Dots(2)));
            }
        }
        series.push(curve(
            &row.variant,
            pairs(run, "path_x", "path_y"),
            Look::Thin(index),
        ));
    }
    Figure {
        name: "coil-path".to_owned(),
        title: "The coil: steps of the search".to_owned(),
        caption: "From the start (0.2, 0.8) to the end, for the first draw of the noise. The readings determine x + y much \
                  better than x − y."
            .to_owned(),
        x: Axis::linear("x"),
        y: Axis::linear("y"),
        series,
    }
}

fn field_map(row: &Row) -> Option<Figure> {
    let run = first_run(row)?;
    let mut series = vec![curve(
        "iron, μᵣ > 25",
        pairs(run, "iron_x", "iron_y"),
        Look::Ground,
    )];
    series.extend(kept_lines(run, "line", "field line", Look::Stroke(0)));
    series.push(curve(
        "sensors",
        pairs(run, "sensor_x", "sensor_y"),
        Look::ReferenceMarks,
    ));
    if let Some([x, y]) = run.series.get("truth").map(Vec::as_slice) {
        let coils = vec![(*x, *y), (-x, *y), (*x, -y), (-x, -y)];
        series.push(curve("coils", coils, Look::Dots(1)));
    }
    Some(Figure {
        name: "coil-map".to_owned(),
        title: "The coil: field lines and iron".to_owned(),
        caption: "Lines of equal potential A, to which the field B is tangent, with equal flux between neighbours; poles and \
                  yoke in grey. For the coils at their true places."
            .to_owned(),
        x: Axis::linear("x"),
        y: Axis::linear("y"),
        series,
    })
}

fn profile(row: &Row) -> Option<Figure> {
    let run = first_run(row)?;
    Some(Figure {
        name: "coil-field".to_owned(),
        title: "The coil: permeability and field along the diagonal".to_owned(),
        caption: "For the coil at its true place, at the distance 0.64 from the axis: the features against finite volumes."
            .to_owned(),
        x: Axis::linear("distance from the axis"),
        y: Axis::log("μᵣ, |B|"),
        series: vec![
            curve("μᵣ", pairs(run, "radius", "permeability"), Look::Thin(5)),
            curve(
                "|B|, finite volumes",
                pairs(run, "radius", "field_reference"),
                Look::Reference,
            ),
            curve("|B|, features", pairs(run, "radius", "field"), Look::Thin(0)),
        ],
    })
}
