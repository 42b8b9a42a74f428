//! Evolution in time: the coefficients of functions in a trial space change by an ordinary differential
//! equation.
//!
//! - [`ode`]: integration of ordinary differential equations to high accuracy
//!
//! A linear evolution u_t = L u with conditions is the [`ode::Propagator`] of the matrix of L in a
//! [`TrialSpace`](fastlsq_solve::space::TrialSpace); a nonlinear one is an [`ode::Ode`] that takes coefficients to values at
//! the nodes of the space and back. There is no solver here that chooses and changes the space on its own:
//! problems stated on a space-time domain are solved in space-time.

pub mod ode;
