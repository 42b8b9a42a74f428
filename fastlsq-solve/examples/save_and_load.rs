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

    // For other programs: a table, NumPy, ParaView.
    let samples = back.on_grid(&[101, 101])?;
    let folder = path.with_extension("");
    std::fs::create_dir_all(&folder)?;
    samples.save_csv(folder.join("u.csv"))?;
    #[cfg(feature = "npz")]
    samples.save_npz(folder.join("u.npz"))?;
    samples.save_vtu(folder.join("u.vtu"))?;
    for entry in std::fs::read_dir(&folder)? {
        let entry = entry?;
        println!(
            "{} bytes in {}",
            entry.metadata()?.len(),
            entry.file_name().display()
        );
    }
    std::fs::remove_dir_all(&folder)?;
    #[cfg(feature = "plot")]
    back.plot("save_and_load.png")?;

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
