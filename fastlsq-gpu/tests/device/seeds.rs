//! The tests are tested: each mistake that the emulator makes on the backend's behalf is found.

use fastlsq_gpu::{Backend, Cuda};
use fastlsq_gpu_emulator::seeds;
use fastlsq_solve::conformance::{self, Check};
use fastlsq_solve::{CpuBackend, LsqOptions, Method};

use crate::case::{Case, Verdict, require, text};
use crate::suite::system;

/// What is run with each mistake: a few of the cases that run without one.
fn checked() -> Verdict {
    let checks: [Check; 4] = [
        conformance::full_rank,
        conformance::several_right_hand_sides,
        conformance::adjoint_identity,
        conformance::systems_of_unknowns,
    ];
    for rows in [1000, 150] {
        let cuda = Cuda::new().map_err(text)?.block_rows(rows);
        for check in checks {
            check(&cuda).map_err(text)?;
        }
        let system = system(20, 12.0, 200)?;
        let options = LsqOptions::new()
            .method(Method::NormalEquations)
            .keep_q(true);
        let ours = cuda.factor(&system, &options).map_err(text)?;
        let theirs = CpuBackend.factor(&system, &options).map_err(text)?;
        let (a, b) = (
            ours.solution().map_err(text)?,
            theirs.solution().map_err(text)?,
        );
        let off = (&a - &b).norm_l2() / b.norm_l2();
        require(
            off < 1e-10 && ours.info().method == Method::NormalEquations,
            || format!("off by {off:.1e}; {}", ours.info()),
        )?;
    }
    Ok(())
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = vec![Case::new("seeds::none", checked).emulated("")];
    for (name, _) in seeds::ALL {
        let case = Case::new(format!("seeds::{name}"), checked);
        cases.push(case.emulated(format!("seed={name}")).must_fail());
    }
    cases
}
