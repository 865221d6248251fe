//! How wrong are we? Measured runs, predictions of them, errors by set, and the fit of stack coefficients.

mod coefficient;
mod convolution_fit;
mod cross_validation;
mod evidence;
mod fit;
mod gaps;
mod grouped_rows;
mod header;
mod layer_fit;
mod log;
mod metrics;
mod plan_choice;
mod predict;
mod rows;
mod run;
mod scenario;
mod shape;
mod shipped;
mod skip;
mod spread;
mod stack_fit;
mod training_length;
mod transfer;
mod validate;
mod write;

pub use coefficient::Coefficient;
pub use convolution_fit::{ConvolutionFit, TimedConvolution, parse_convolutions};
pub use cross_validation::{LeftOut, Progress, cross_validate, cross_validate_with};
pub use evidence::{informs_stack, is_transformer};
pub use fit::{Fit, FitOptions, FittedParameter, Scope, fit, lone_moves};
pub use layer_fit::{cross_validate_layers, fit_layers, layer_residuals, layers_of_unseen_sources};
pub use log::{LogSpeed, LoggedBatch, TrainingLog, read_log};
pub use metrics::{SetErrors, errors_by_set};
pub use plan_choice::{FamilyChoices, PlanChoice, choices_by_family, plan_choices};
pub use predict::{Prediction, fastest, log_time_ratio, predict};
pub use rows::parse_runs;
pub use run::{BatchUnit, Metric, Quality, Run};
pub use scenario::{Prepared, prepare};
pub use shipped::shipped_runs;
pub use skip::{Skip, SkipReason};
pub use spread::{HeldOut, between_sources, fitted_stacks, serves_most, spread, uncertainties};
pub use stack_fit::{CoefficientChange, StackFit, fit_stacks};
pub use training_length::TrainingLength;
pub use transfer::{
    Miss, SPLIT_SEED, Seen, TransferGroups, TransferKey, difference_spread, halves, miss_spread,
    transfer_groups,
};
pub use validate::{
    Comparison, RowResult, SkippedRows, UncountedRows, ValidatedSet, ValidationReport, validate,
};
pub use write::{common_text, stack_text};
