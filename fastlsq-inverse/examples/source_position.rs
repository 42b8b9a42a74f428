//! Where is the source? At the published noise the report says that the data do not determine it; at a tenth
//! of it, 40 draws of the noise stay within three Cramér–Rao deviations.

use fastlsq_inverse::applications::SourcePosition;
use fastlsq_inverse::{FitOptions, InverseError};

#[allow(clippy::print_stdout)]
fn main() -> Result<(), InverseError> {
    let published = SourcePosition::paper(0.01);
    let report = published
        .problem(&published.readings(0))
        .identifiability()?;
    println!("noise 0.01: {report}\n");
    assert!(!report.is_identifiable());

    let set_up = SourcePosition::paper(0.001);
    let mut prepared = set_up.problem(&set_up.readings(0)).prepare()?;
    println!("noise 0.001: {}\n", prepared.identifiability()?);
    assert!(prepared.identifiability()?.is_identifiable());
    let bound = prepared.identifiability_at(&set_up.truth)?.deviations;

    let draws = 40;
    let mut inside = 0;
    for seed in 0..draws {
        prepared = prepared.with_values(&set_up.readings(seed))?;
        let fit = prepared.fit_with(&FitOptions::new().lbfgsb())?;
        let within = |k: usize| (fit.parameters[k] - set_up.truth[k]).abs() <= 3.0 * bound[k];
        inside += usize::from(within(0) && within(1));
        if seed == 0 {
            println!("{fit}\n");
            #[cfg(feature = "plot")]
            fit.solution.plot("source_position.png")?;
        }
    }
    println!("{inside} of {draws} draws within three Cramér–Rao deviations {bound:.4?}");
    assert!(inside as f64 >= 0.95 * draws as f64);
    Ok(())
}
