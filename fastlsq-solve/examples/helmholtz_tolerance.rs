//! The tolerance is the one knob: Δu + k²u = f for k = 20, to four and to ten digits.
#![allow(clippy::print_stdout)]

use fastlsq_solve::{Options, SolveError, problems};

fn main() -> Result<(), SolveError> {
    let helmholtz = problems::helmholtz_2d(20.0);
    for tolerance in [1e-4, 1e-10] {
        let options = Options::new().tolerance(tolerance);
        let u = helmholtz.problem.solve_with(&options)?;
        #[cfg(feature = "plot")]
        u.plot("helmholtz_tolerance.png")?;
        let (report, error) = (u.report(), helmholtz.errors(&u, 2000)?.value);
        println!(
            "asked for {tolerance:.0e}: {} with {} features in {:.2} s",
            report.status, report.features, report.seconds
        );
        println!(
            "  estimated {:.1e}, in truth {error:.1e}",
            report.error_estimate
        );
        assert!(error < 5.0 * tolerance);
    }
    Ok(())
}
