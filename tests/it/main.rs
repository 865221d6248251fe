//! Integration tests: one binary, one module per subject.

mod architecture;
mod catalog;
mod cli;
mod documents;
mod properties;
mod schema;
mod source_text;
mod trace;
mod validate_command;
mod validation;
mod zoo;
