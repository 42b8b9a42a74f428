//! Where is the coil? Readings from finite volumes with 1 % noise; L-BFGS-B to convergence, and Adam with
//! 40 steps.

use fastlsq_inverse::FitOptions;
use fastlsq_inverse::applications::{Coil, median};

/// Draws of the noise.
const DRAWS: u64 = 20;

#[allow(clippy::print_stdout)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let coil = Coil::paper();
    let exact = coil.reference_readings(240);
    let deviations = coil.deviations(&exact);
    let mut plain = coil.problem(&exact, deviations)?.prepare()?;
    // What sixteen readings with 1 % noise can tell. Half of all draws end within 0.67 of these
    // deviations of the truth, whatever the method.
    let report = plain.identifiability_at(&coil.truth)?;
    println!("{report}\n");
    let bound = [report.deviations[0], report.deviations[1]];

    let lbfgsb = FitOptions::new().lbfgsb();
    let fit = plain.fit_with(&lbfgsb)?;
    println!(
        "without noise: L-BFGS-B ends at {:.4?} after {} evaluations",
        fit.parameters, fit.minimum.evaluations
    );
    let error = |p: &[f64]| [0, 1].map(|k| (p[k] - coil.truth[k]).abs());
    assert!(error(&fit.parameters).iter().all(|e| *e < 0.01));
    #[cfg(feature = "plot")]
    draw(&fit.solution, &coil, &fit.parameters)?;

    let rotated = coil.rotated_problem(&exact, deviations)?;
    let mut rotated = rotated.prepare()?;
    let mut errors = [const { Vec::new() }; 3];
    for seed in 0..DRAWS {
        let readings = coil.readings(&exact, seed);
        plain.set_values(&readings)?;
        rotated.set_values(&readings)?;
        let ends = [
            plain.fit_with(&lbfgsb)?.parameters,
            Coil::position(&rotated.fit_with(&Coil::falling_adam())?.parameters).to_vec(),
            plain.fit_with(&Coil::paper_adam())?.parameters,
        ];
        for (errors, end) in errors.iter_mut().zip(ends) {
            errors.push(error(&end));
        }
    }
    let names = ["L-BFGS-B", "Adam, falling rate", "Adam, as published"];
    for (name, errors) in names.iter().zip(&errors) {
        println!(
            "{name}: median errors over 5 draws {:.4?}, over 20 draws {:.4?}",
            medians(&errors[..5]),
            medians(errors)
        );
    }
    println!(
        "median of a normal law with the Cramér–Rao deviations: {:.4?}",
        bound.map(|s| 0.6745 * s)
    );
    assert!(medians(&errors[0]).iter().all(|error| *error < 0.01));
    assert!(medians(&errors[1]).iter().all(|error| *error < 0.02));
    Ok(())
}

fn medians(errors: &[[f64; 2]]) -> [f64; 2] {
    [0, 1].map(|k| median(&errors.iter().map(|e| e[k]).collect::<Vec<f64>>()))
}

/// The potential in colour with field lines as its contours, the iron, the sensors, and the coil with its images.
#[cfg(feature = "plot")]
fn draw(
    solution: &fastlsq_inverse::Solution,
    coil: &Coil,
    position: &[f64],
) -> Result<(), fastlsq_inverse::SolveError> {
    use fastlsq_inverse::plot::{Look, Series};
    let mut figure = solution.figure()?;
    let iron = Coil::map(solution, 101)?.iron_outline().into_iter();
    let iron = iron.flat_map(|line| line.into_iter().chain([[f64::NAN; 2]]));
    let (x, y) = (position[0], position[1]);
    let places = |list: &[[f64; 2]]| list.iter().map(|[x, y]| (*x, *y)).collect();
    for panel in figure.panels_mut() {
        *panel = panel
            .clone()
            .series(Series::new(
                "iron",
                iron.clone().map(|[x, y]| (x, y)).collect(),
                Look::Edge,
            ))
            .series(Series::new(
                "sensors",
                places(&coil.sensors),
                Look::ReferenceMarks,
            ))
            .series(Series::new(
                "coil",
                places(&[[x, y], [-x, -y], [-x, y], [x, -y]]),
                Look::Dots(1),
            ));
    }
    Ok(figure.save("coil.png")?)
}
