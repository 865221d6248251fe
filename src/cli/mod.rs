//! Arguments, today's date, progress, exit codes. The only module that prints.

mod args;
mod cluster;
mod error;
pub mod exit;
mod job;
mod job_file;
mod job_length;
mod job_model;
mod output;
mod problems;
mod session;
