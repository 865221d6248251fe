//! Integration tests: one binary, one module per subject.

mod architecture;
mod catalog;
mod cli;
mod documents;
mod schema;
mod source_text;
mod validation;
mod vision;
mod zoo;
