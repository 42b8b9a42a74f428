//! The paper's discovery experiment at full size, beside the published figures.
#![allow(clippy::print_stdout)]

use fastlsq_discovery::PaperExperiment;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let outcome = PaperExperiment::default().run()?;
    let [stiffness, damping] = outcome.coefficients;
    println!("                          here      paper");
    println!("coefficient of u     {stiffness:>9.4}     -4.26");
    println!("coefficient of u'    {damping:>9.4}     -1.12");
    println!(
        "u'' error, features  {:>9.4}      0.41 (0.21 against the true derivative)",
        outcome.error
    );
    println!(
        "  inner 90 %         {:>9.4}     0.045",
        outcome.inner_error
    );
    println!(
        "u'' error, quotients {:>9.1}      2461",
        outcome.difference_error
    );
    if let Some(point) = outcome.selected.and_then(|place| outcome.path.get(place)) {
        println!(
            "first model with exactly u and u' at penalty {:.1e}",
            point.penalty
        );
    }

    #[cfg(feature = "plot")]
    draw(&outcome.path)?;

    assert!((stiffness + 4.25).abs() < 0.1);
    assert!(outcome.error < 1e-3 * outcome.difference_error);
    assert!(outcome.selected.is_some());
    Ok(())
}

/// The coefficients of all terms over the penalty.
#[cfg(feature = "plot")]
fn draw(path: &[fastlsq_discovery::PathPoint]) -> Result<(), fastlsq_solve::plot::PlotError> {
    use fastlsq_solve::plot::{Axis, Figure, Look, Panel, Series};
    let terms = path.first().map_or(0, |point| point.coefficients.len());
    let panel = Panel::new(Axis::log("penalty"), Axis::linear("coefficient"));
    let panel = (0..terms).fold(panel, |panel, term| {
        let points = path
            .iter()
            .map(|point| (point.penalty, point.coefficients[term]));
        panel.series(Series::new("", points.collect(), Look::Stroke(term)))
    });
    Figure::of(panel).save("paper_experiment.png")
}
