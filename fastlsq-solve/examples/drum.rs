//! The tones of a drum, and of an L-shaped one: −Δu = λu with a fixed rim.
#![allow(clippy::print_stdout)]

use fastlsq_solve::space::{Eigenproblem, SpaceError, Wanted};
use fastlsq_solve::{Ball, WALLS, laplacian, unknown};

/// Squares of the first zeros of the Bessel functions J₀, J₁, J₂.
const EXACT: [f64; 3] = [
    5.783_185_962_946_784,
    14.681_970_642_123_893,
    26.374_616_427_163_392,
];

fn main() -> Result<(), SpaceError> {
    let u = unknown("u");
    let tones = Eigenproblem::new(Ball::unit(2), -laplacian(u))
        .condition(WALLS, u)
        .solve(Wanted::Smallest(8))?;
    println!("{tones}");
    #[cfg(feature = "plot")]
    tones
        .figure()?
        .save("drum.png")
        .map_err(|error| SpaceError::Plot(error.into()))?;

    // The second and third tone have two shapes each.
    for (pair, exact) in [0, 1, 3].map(|k| &tones.pairs()[k]).into_iter().zip(EXACT) {
        assert!((pair.value.re / exact - 1.0).abs() < 1e-9);
    }
    Ok(())
}
