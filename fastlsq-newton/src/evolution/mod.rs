//! Evolution in time: functions of a trial space that change by u_t = F(u).
//!
//! - [`ode`]: integration of ordinary differential equations to high accuracy

pub mod ode;
