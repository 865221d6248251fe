//! Integration tests: one binary, one module per subject.

mod architecture;
mod calibration_commands;
mod calibration_data;
mod calibration_simulated;
mod catalog;
mod cuda;
mod cuda_commands;
mod documents;
mod source_text;
mod standin;
mod zoo;
