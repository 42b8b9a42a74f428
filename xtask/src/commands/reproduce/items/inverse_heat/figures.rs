//! The figures of the heat sources: where they are, how they were found, and the temperature they produce.

use fastlsq_inverse::applications::HeatSource;

use super::{FOUR, MAP_TIME, SOURCES, set_up};
use crate::commands::reproduce::figure::{Axis, Figure, Look};
use crate::commands::reproduce::items::shared::{curve, kept_lines, pairs};
use crate::commands::reproduce::paper::Paper;
use crate::commands::reproduce::results::{Row, Run};

/// The square with its thermometers, the true and the found sources.
pub(super) fn map(variant: &str, rows: &[&Row], paper: &Paper) -> Figure {
    let heat = set_up(variant);
    let sensors = heat.sensors.iter().map(|[x, y]| (*x, *y)).collect();
    let truth = heat.truth.iter().map(|s| (s.position[0], s.position[1]));
    let published = SOURCES.into_iter().filter_map(|case| {
        let of = |column| paper.entry("inverse-heat", case, column)?.as_f64();
        of("x_recovered").zip(of("y_recovered"))
    });
    let mut series = vec![
        curve("thermometers", sensors, Look::ReferenceMarks),
        curve("true", truth.collect(), Look::Dots(2)),
    ];
    if variant == FOUR {
        series.push(curve("paper", published.collect(), Look::Dots(1)));
    }
    let runs = rows.iter().flat_map(|row| &row.runs);
    let found = runs.filter_map(|run| Some((*run.more.get("x")?, *run.more.get("y")?)));
    series.push(curve("found", found.collect(), Look::Dots(0)));
    for (index, row) in rows.iter().enumerate() {
        let label = if index == 0 { "95 % interval" } else { "" };
        let cross = row.runs.first().and_then(cross);
        series.push(curve(label, cross.unwrap_or_default(), Look::Thin(0)));
    }
    Figure {
        name: format!("inverse-heat-{variant}"),
        title: format!("Heat sources, {}", variant.replace('-', " ")),
        caption: "Every draw of the noise, and the posterior intervals of the first along x and y. The paper's positions \
                  are from data of its own discretisation."
            .to_owned(),
        x: Axis::linear("x"),
        y: Axis::linear("y"),
        series,
    }
}

/// The path of each source from its start to its end.
pub(super) fn paths(variant: &str, rows: &[&Row]) -> Figure {
    let heat = set_up(variant);
    let place = |s: &HeatSource| (s.position[0], s.position[1]);
    let mut series = vec![
        curve(
            "start",
            heat.start.iter().map(place).collect(),
            Look::ReferenceMarks,
        ),
        curve(
            "true",
            heat.truth.iter().map(place).collect(),
            Look::Dots(2),
        ),
    ];
    for (index, row) in rows.iter().enumerate() {
        let colour = [0, 1, 3, 4][index % 4];
        let path = row.runs.first().map(|run| pairs(run, "path_x", "path_y"));
        series.push(curve(
            &row.case,
            path.unwrap_or_default(),
            Look::Thin(colour),
        ));
    }
    Figure {
        name: format!("inverse-heat-{variant}-path"),
        title: format!("Heat sources, {}: steps of the search", variant.replace('-', " ")),
        caption: "From the start to the end for the first draw of the noise: preliminary fits to readings that count less, the \
                  fit, and the fit with the model error of what was found."
            .to_owned(),
        x: Axis::linear("x"),
        y: Axis::linear("y"),
        series,
    }
}

/// The temperature of the true and of the found sources.
pub(super) fn temperatures(variant: &str, rows: &[&Row]) -> Option<Figure> {
    let run = rows
        .first()?
        .runs
        .iter()
        .find(|run| !run.series.is_empty())?;
    let heat = set_up(variant);
    let sensors = heat.sensors.iter().map(|[x, y]| (*x, *y)).collect();
    let mut series = kept_lines(run, "true_line", "true sources", Look::Stroke(2));
    series.extend(kept_lines(
        run,
        "found_line",
        "found sources",
        Look::Stroke(1),
    ));
    series.push(curve("thermometers", sensors, Look::ReferenceMarks));
    Some(Figure {
        name: format!("inverse-heat-{variant}-temperature"),
        title: format!("Temperature at t = {MAP_TIME}, {}", variant.replace('-', " ")),
        caption: "Isotherms at the same levels: the true sources by their sine series, and the sources found for the first draw of \
                  the noise by the features."
            .to_owned(),
        x: Axis::linear("x"),
        y: Axis::linear("y"),
        series,
    })
}

/// The intervals of a source along both axes as one stroke.
fn cross(run: &Run) -> Option<Vec<(f64, f64)>> {
    let of = |name: &str| run.more.get(name).copied();
    let (x, y) = (of("x")?, of("y")?);
    Some(vec![
        (of("x_low")?, y),
        (of("x_high")?, y),
        (x, y),
        (x, of("y_low")?),
        (x, of("y_high")?),
    ])
}
