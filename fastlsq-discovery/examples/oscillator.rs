//! The damped oscillator from samples whose noise is half as large as the signal.
#![allow(clippy::print_stdout)]

use fastlsq_discovery::datasets::DataSet;
use fastlsq_discovery::{Dictionary, Discovery};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // e^{−x/2} sin 2x at 2000 points of [0, 10] plus noise of standard deviation 0.1.
    let samples = DataSet::damped_oscillator(10.0).sample(2000, 0.1, 0)?;
    println!(
        "rms of the samples {:.3}, of which noise 0.1",
        samples.rms()
    );

    // All products of u and u_x up to the third degree: ten candidates.
    let library = Dictionary::polynomial(&["x"], &["u", "u_x"], 3)?;
    let law = Discovery::new(library, "u_xx")?.run(&samples)?;
    #[cfg(feature = "plot")]
    samples.plot("oscillator.png")?;
    println!("{}", law.summary());

    assert_eq!(law.terms.len(), 2);
    assert!((law.coefficient("u") + 4.25).abs() < 0.15);
    assert!((law.coefficient("u_x") + 1.0).abs() < 0.08);
    Ok(())
}
