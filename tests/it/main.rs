//! Integration tests: one binary, one module per subject.

mod architecture;
mod calibration_commands;
mod calibration_data;
mod calibration_simulated;
mod catalog;
mod cli;
mod cuda;
mod cuda_commands;
mod documents;
mod main_job;
mod program;
mod reports;
mod robustness;
mod schema;
mod snapshots;
mod source_text;
mod standin;
mod validate_command;
mod validation;
mod zoo;
