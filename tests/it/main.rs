//! Integration tests: one binary, one module per subject.

mod architecture;
mod calibration_commands;
mod calibration_data;
mod calibration_simulated;
mod catalog;
mod cli;
mod configs;
mod cuda;
mod documents;
mod main_job;
mod measured;
mod physics;
mod program;
mod properties;
mod recipes;
mod reports;
mod robustness;
mod schema;
mod snapshots;
mod source_text;
mod trace;
mod validate_command;
mod validation;
mod zoo;
