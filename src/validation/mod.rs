//! How wrong are we? Measured runs, predictions of them, errors by set, and the fit of stack coefficients.

mod gaps;
mod predict;
mod rows;
mod run;
mod scenario;
mod shape;
mod skip;

pub use predict::{Prediction, fastest, log_time_ratio, predict};
pub use rows::parse_runs;
pub use run::{BatchUnit, Metric, Quality, Run};
pub use scenario::{Prepared, prepare};
pub use skip::{Skip, SkipReason};
