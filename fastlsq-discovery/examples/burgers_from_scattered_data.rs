//! Burgers' equation from scattered samples with 5 % noise.
#![allow(clippy::print_stdout)]

use fastlsq_discovery::datasets::DataSet;
use fastlsq_discovery::{Dictionary, Discovery, DiscoveryOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The solution from −sin πx by the Cole–Hopf transform, ν = 0.1, at random places and times.
    let data = DataSet::burgers();
    let samples = data.sample(1000, 0.05 * data.rms(), 0)?;

    let library = Dictionary::parse(&["x", "t"], &["u", "u^2", "u_x", "u u_x", "u_xx", "u_xxx"])?;
    let law = Discovery::new(library, "u_t")?
        .with(DiscoveryOptions::new().replicates(10))
        .run(&samples)?;
    #[cfg(feature = "plot")]
    samples.plot("burgers_from_scattered_data.png")?;
    println!("{}", law.summary());

    assert_eq!(law.support(), [3, 4]);
    assert!((law.coefficient("u u_x") + 1.0).abs() < 0.05);
    assert!((law.coefficient("u_xx") - 0.1).abs() < 0.005);
    Ok(())
}
