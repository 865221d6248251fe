//! Integration tests: one binary, one module per subject.

mod architecture;
mod catalog;
mod cli;
mod configs;
mod documents;
mod schema;
mod source_text;
mod validation;
mod zoo;
