//! Integration tests: one binary, one module per subject.

mod architecture;
mod catalog;
mod documents;
mod physics;
mod source_text;
mod validation;
mod zoo;
