//! How wrong are we? Measured runs, predictions of them, errors by set, and the fit of stack coefficients.

mod coefficient;
mod cross_validation;
mod fit;
mod gaps;
mod layer_fit;
mod least_squares;
mod metrics;
mod plan_choice;
mod predict;
mod rows;
mod run;
mod scenario;
mod shape;
mod shipped;
mod skip;
mod training_length;
mod validate;
mod write;

pub use coefficient::Coefficient;
pub use cross_validation::{LeftOut, cross_validate};
pub use fit::{Fit, FitOptions, FittedParameter, Scope, fit, fitted_stacks, spread};
pub use layer_fit::{cross_validate_layers, fit_layers, layer_residuals};
pub use metrics::{SetErrors, errors_by_set};
pub use plan_choice::{PlanChoice, plan_choices};
pub use predict::{Prediction, fastest, log_time_ratio, predict};
pub use rows::parse_runs;
pub use run::{BatchUnit, Metric, Quality, Run};
pub use scenario::{Prepared, prepare};
pub use shipped::shipped_runs;
pub use skip::{Skip, SkipReason};
pub use training_length::TrainingLength;
pub use validate::{RowResult, SkippedRows, ValidationReport, validate};
pub use write::{common_text, stack_text};
