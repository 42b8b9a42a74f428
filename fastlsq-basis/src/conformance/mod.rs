//! A test suite that every [`Basis`] should pass (feature `conformance`).
//!
//! [`basis_suite!`](crate::basis_suite) makes a module of tests from an expression for a basis; the
//! functions here are the single checks. They evaluate in the unit cube: choose scales and maps so
//! that the features vary there at frequencies up to about 30.
//!
//! ```
//! use fastlsq_basis::{FrequencyLaw, SinusoidalBasis, conformance};
//! let basis = SinusoidalBasis::random(2, 7, &FrequencyLaw::Isotropic(3.0), 0)?;
//! conformance::derivatives(&basis)?;
//! # Ok::<(), conformance::Violation>(())
//! ```

mod actions;
mod derivatives;
mod evaluation;
mod requests;

use faer::{Mat, MatRef};
use ndarray::Array2;
use thiserror::Error;

pub use actions::{integrals, multipliers, saved_copies};
pub use derivatives::derivatives;
pub use evaluation::{
    coefficients, convenient_calls, parallel_assembly, row_blocks, shapes, strided_outputs,
    sums_of_forms,
};
pub use requests::wrong_requests;

use crate::sampling::UnitSampler;
use crate::{Basis, BasisError};

/// A property that a basis lacks.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Violation {
    /// A request that should have been answered was refused.
    #[error("a sound request was refused: {0}")]
    Refused(#[from] BasisError),
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

/// Makes a module of tests, one for each check of [`conformance`](crate::conformance).
///
/// ```
/// fastlsq_basis::basis_suite!(
///     plane_waves,
///     fastlsq_basis::SinusoidalBasis::builder(2, 9).seed(3).build().unwrap()
/// );
/// ```
#[macro_export]
macro_rules! basis_suite {
    ($name:ident, $make:expr) => {
        $crate::basis_suite!(
            @tests $name, $make;
            shapes, row_blocks, strided_outputs, derivatives, coefficients, convenient_calls,
            parallel_assembly, sums_of_forms, wrong_requests, integrals, multipliers, saved_copies
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

fn broken(property: &'static str, detail: impl Into<String>) -> Violation {
    Violation::Broken {
        property,
        detail: detail.into(),
    }
}

fn require(holds: bool, property: &'static str, detail: impl FnOnce() -> String) -> Verdict {
    if holds {
        Ok(())
    } else {
        Err(broken(property, detail()))
    }
}

/// Well-spread points of the unit cube.
fn points(basis: &dyn Basis, count: usize) -> Array2<f64> {
    UnitSampler::halton(17).points(count, basis.dim())
}

/// The largest size of an entry.
fn largest(matrix: MatRef<'_, f64>) -> f64 {
    entries(matrix).fold(0.0, |max, v| max.max(v.abs()))
}

fn entries(matrix: MatRef<'_, f64>) -> impl Iterator<Item = f64> {
    (0..matrix.ncols()).flat_map(move |j| (0..matrix.nrows()).map(move |i| matrix[(i, j)]))
}

/// Checks that two matrices agree to a tolerance relative to the larger one; NaN never agrees.
fn require_close(
    property: &'static str,
    found: MatRef<'_, f64>,
    expected: MatRef<'_, f64>,
    tolerance: f64,
) -> Verdict {
    let shapes = [
        found.nrows(),
        found.ncols(),
        expected.nrows(),
        expected.ncols(),
    ];
    require(
        shapes[0] == shapes[2] && shapes[1] == shapes[3],
        property,
        || format!("shapes (rows, columns found; expected) are {shapes:?}"),
    )?;
    let scale = largest(expected).max(largest(found)).max(f64::MIN_POSITIVE);
    for j in 0..found.ncols() {
        for i in 0..found.nrows() {
            let (f, e) = (found[(i, j)], expected[(i, j)]);
            require((f - e).abs() <= tolerance * scale, property, || {
                format!("entry ({i}, {j}) is {f:e}, but {e:e} is expected")
            })?;
        }
    }
    Ok(())
}

/// Checks that two matrices are the same to the bit.
fn require_identical(property: &'static str, found: &Mat<f64>, expected: &Mat<f64>) -> Verdict {
    let same = entries(found.as_ref())
        .zip(entries(expected.as_ref()))
        .all(|(f, e)| f.to_bits() == e.to_bits());
    require(same && found.shape() == expected.shape(), property, || {
        "some bits differ".into()
    })
}
