//! Integration tests: one binary, one module per subject.

mod architecture;
mod catalog;
mod cli;
mod documents;
mod main_job;
mod program;
mod quote;
mod reports;
mod schema;
mod source_text;
mod validation;
mod zoo;
