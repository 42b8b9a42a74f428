//! Fits from statement to posterior, the optimisers, gradients, bandwidths and limits.

mod adam;
mod argmin_integration;
mod bandwidth;
mod feasibility;
mod fits;
mod gradients;
mod lbfgsb_scipy;
mod levenberg_marquardt;
mod limits;
mod minimise;
mod model_error;
mod statements;
mod team;
