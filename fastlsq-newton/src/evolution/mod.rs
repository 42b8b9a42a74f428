//! Evolution in time: functions of a trial space that change by u_t = F(u).
//!
//! - [`ode`]: integration of ordinary differential equations to high accuracy
//! - [`lines`]: partial differential equations by lines, with the space following the solution

pub mod lines;
pub mod ode;
