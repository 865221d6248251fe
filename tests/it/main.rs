//! Integration tests: one binary, one module per subject.

mod architecture;
mod calibration_data;
mod calibration_simulated;
mod catalog;
mod cli;
mod configs;
mod documents;
mod main_job;
mod measured;
mod program;
mod recipes;
mod reports;
mod robustness;
mod schema;
mod snapshots;
mod source_text;
mod validate_command;
mod validation;
mod zoo;
