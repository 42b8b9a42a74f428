//! A solution as a file: written, read back, and evaluated as another program would.
#![allow(clippy::print_stdout)]

use std::error::Error;

use fastlsq_solve::{Solution, problems};

fn main() -> Result<(), Box<dyn Error>> {
    let benchmark = problems::helmholtz_2d(10.0);
    let u = benchmark.problem.solve()?;
    let path = std::env::temp_dir().join(format!("helmholtz-{}.json", std::process::id()));
    u.save(&path)?;
    println!(
        "{} bytes in {}",
        std::fs::metadata(&path)?.len(),
        path.display()
    );

    let back = Solution::load(&path)?;
    println!(
        "made by version {} with seed {}",
        back.report().version,
        back.report().seed
    );
    let error = benchmark.errors(&back, 1000)?.value;
    println!("error of the solution that was read back: {error:.1e}");
    assert_eq!(back.value(&[0.3, 0.4])?, u.value(&[0.3, 0.4])?);
    assert!(error < 1e-10);

    // A file that was cut off is an error, not a wrong solution.
    let bytes = std::fs::read(&path)?;
    std::fs::remove_file(&path)?;
    let refusal = Solution::from_reader(&bytes[..bytes.len() / 2]);
    println!(
        "half of the file: {}",
        refusal.err().map_or(String::new(), |e| e.to_string())
    );
    Ok(())
}
