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
mod recommend;
mod session;
mod view;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser as _;

use args::{Cli, Command};
use exit::ExitStatus;

/// Runs one command line.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let result = match &cli.command {
        Command::Recommend(args) => recommend::run(args),
        _ => Ok(ExitStatus::Usage),
    };
    match result {
        Ok(status) => status.into(),
        Err(error) if error.is_broken_pipe() => ExitStatus::Success.into(),
        Err(error) => {
            output::complain(&error.text());
            error.status().into()
        }
    }
}
