//! Optimisers for inverse problems.
//!
//! The [`optimise`] module minimises functions over a box l ≤ x ≤ u: L-BFGS-B, Levenberg–Marquardt,
//! Adam and AdamW, each as an [argmin](https://docs.rs/argmin) solver and behind one call.
//!
//! ```
//! use fastlsq_inverse::optimise::{Bounds, FnObjective, MinimiseOptions, minimise};
//!
//! // A decay rate from two measurements: f(k) = Σ (exp(−k tᵢ) − yᵢ)².
//! let data = [(1.0, 0.61), (2.0, 0.37)];
//! let misfit = FnObjective::new(1, |k: &[f64], gradient: &mut [f64]| {
//!     gradient[0] = 0.0;
//!     data.iter().fold(0.0, |sum, (t, y)| {
//!         let model = (-k[0] * t).exp();
//!         gradient[0] -= 2.0 * (model - y) * t * model;
//!         sum + (model - y) * (model - y)
//!     })
//! });
//! let positive = Bounds::new(vec![0.0], vec![f64::INFINITY])?;
//! let minimum = minimise(&misfit, &[2.0], &positive, &MinimiseOptions::new())?;
//! assert!(minimum.status.is_converged());
//! assert!((minimum.parameters[0] - 0.4957).abs() < 1e-3);
//! # Ok::<(), fastlsq_inverse::optimise::OptimiseError>(())
//! ```

pub mod optimise;
