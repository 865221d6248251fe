//! Integration tests: one binary, one module per subject.

mod catalog;
mod validation;
mod zoo;
