//! A test suite that every [`Backend`] should pass (feature `conformance`).
//!
//! [`backend_suite!`](crate::backend_suite) makes a module of tests from an expression for a
//! backend; the functions here are the single checks. All are small: a few hundred rows.
//!
//! ```
//! use fastlsq_solve::{CpuBackend, conformance};
//! conformance::full_rank(&CpuBackend)?;
//! # Ok::<(), conformance::Violation>(())
//! ```

mod blocks;
mod fronts;
mod reference;
mod requests;
mod solves;
mod systems;
mod threads;

use faer::MatRef;
use thiserror::Error;

pub use blocks::{
    exact_blocks, periodic_partners, row_weights, systems_of_unknowns, tabulated_coefficients,
    variable_coefficients,
};
pub use fronts::joint_front;
pub use requests::{information, wrong_requests, zero_matrix};
pub use solves::{
    adjoint_identity, cached_solves, full_rank, rank_deficient, ridge, ridge_rows,
    several_right_hand_sides, smooth_function, wide,
};

pub use threads::as_team;

use crate::SolveError;
use crate::backend::Backend;

/// A property that a backend lacks.
#[derive(Debug, Clone, Error)]
pub enum Violation {
    /// A request that should have been answered was refused.
    #[error("a sound request was refused: {0}")]
    Refused(#[from] SolveError),
    /// Something other than what was expected.
    #[error("{property}: {detail}")]
    Broken {
        /// What should hold.
        property: &'static str,
        /// What was found.
        detail: String,
    },
}

/// The outcome of a check.
pub type Verdict = Result<(), Violation>;

/// A check of the suite.
pub type Check = fn(&dyn Backend) -> Verdict;

/// Every check of the suite by its name, for test programs that find their backend at run time.
pub const CHECKS: &[(&str, Check)] = &[
    ("full_rank", full_rank),
    ("rank_deficient", rank_deficient),
    ("wide", wide),
    ("ridge", ridge),
    ("ridge_rows", ridge_rows),
    ("several_right_hand_sides", several_right_hand_sides),
    ("adjoint_identity", adjoint_identity),
    ("cached_solves", cached_solves),
    ("smooth_function", smooth_function),
    ("row_weights", row_weights),
    ("periodic_partners", periodic_partners),
    ("systems_of_unknowns", systems_of_unknowns),
    ("tabulated_coefficients", tabulated_coefficients),
    ("variable_coefficients", variable_coefficients),
    ("exact_blocks", exact_blocks),
    ("information", information),
    ("zero_matrix", zero_matrix),
    ("wrong_requests", wrong_requests),
];

/// Makes a module of tests, one for each check of [`conformance`](crate::conformance).
///
/// ```
/// fastlsq_solve::backend_suite!(cpu, fastlsq_solve::CpuBackend);
/// ```
#[macro_export]
macro_rules! backend_suite {
    ($name:ident, $make:expr) => {
        $crate::backend_suite!(
            @tests $name, $make;
            full_rank, rank_deficient, wide, ridge, ridge_rows, several_right_hand_sides, adjoint_identity,
            cached_solves, smooth_function, row_weights, periodic_partners, systems_of_unknowns,
            tabulated_coefficients, variable_coefficients, exact_blocks, information, zero_matrix, wrong_requests
        );
    };
    (@tests $name:ident, $make:expr; $($check:ident),*) => {
        mod $name {
            #[allow(unused_imports)]
            use super::*;
            $(
                #[test]
                fn $check() -> $crate::conformance::Verdict {
                    $crate::conformance::$check(&$make)
                }
            )*
        }
    };
}

fn require(holds: bool, property: &'static str, detail: impl FnOnce() -> String) -> Verdict {
    if holds {
        Ok(())
    } else {
        Err(Violation::Broken {
            property,
            detail: detail(),
        })
    }
}

/// Checks ‖found − expected‖ ≤ tolerance ‖expected‖ in the Frobenius norm; NaN never agrees.
fn require_close(
    property: &'static str,
    found: MatRef<'_, f64>,
    expected: MatRef<'_, f64>,
    tolerance: f64,
) -> Verdict {
    let shapes = [
        (found.nrows(), found.ncols()),
        (expected.nrows(), expected.ncols()),
    ];
    require(shapes[0] == shapes[1], property, || {
        format!("the shape is {:?} instead of {:?}", shapes[0], shapes[1])
    })?;
    let difference = (found - expected).norm_l2();
    let size = expected.norm_l2();
    require(difference <= tolerance * size, property, || {
        format!(
            "off by {difference:.1e} where {:.1e} is allowed",
            tolerance * size
        )
    })
}
