//! A particle in a double well: −½ψ″ + V ψ = E ψ, levels in pairs split by tunnelling.
#![allow(clippy::print_stdout)]

use fastlsq_solve::space::{Eigenproblem, SpaceError, Wanted};
use fastlsq_solve::{Interval, WALLS, X, unknown};

fn main() -> Result<(), SpaceError> {
    let psi = unknown("ψ");
    let potential = 0.25 * (X * X - 4.0).powi(2);
    let levels = Eigenproblem::new(
        Interval::new(-6.0, 6.0)?,
        -0.5 * psi.d(X).d(X) + potential * psi,
    )
    .condition(WALLS, psi)
    .solve(Wanted::Smallest(4))?;
    println!("{levels}");
    #[cfg(feature = "plot")]
    levels
        .figure()?
        .save("schroedinger_well.png")
        .map_err(|error| SpaceError::Plot(error.into()))?;

    let energy = |k: usize| levels.pairs()[k].value.re;
    println!(
        "splitting of the lowest pair {:.3e}, of the next {:.3e}",
        energy(1) - energy(0),
        energy(3) - energy(2)
    );
    assert!(energy(1) - energy(0) < 0.2 * (energy(2) - energy(1)));
    Ok(())
}
