//! Arguments, today's date, progress, exit codes. The only module that prints.
//!
//! [`run`] parses, loads facts (`session`), resolves the job (`job`) and clusters (`cluster`), asks the
//! library, and shows the answer (`view`). What is wrong with the input is collected in `problems` and reported
//! at once; infeasible jobs are answers, not errors. [`exit::ExitStatus`] is the contract with scripts.

mod again;
mod amount;
mod args;
mod ask;
mod calibrate;
mod calibrate_collectives;
mod calibrate_fit;
mod calibrate_run;
mod catalog;
mod catalog_import;
mod change;
mod change_text;
mod cluster;
mod compare;
mod cost_report;
mod deadline;
mod diff;
mod elastic;
mod elastic_input;
mod emitted;
mod error;
pub mod exit;
mod job;
mod job_batch;
mod job_file;
mod job_length;
mod job_model;
mod job_recipe;
mod measured;
mod measured_slip;
mod mixed;
mod offer;
mod open_length;
mod output;
mod percent;
mod prepared;
mod price_file;
mod problems;
mod progress;
mod progress_bar;
mod quota_file;
mod quote;
mod quote_doubts;
mod quote_input;
mod quote_lines;
mod quote_purchase;
mod quote_schedule;
mod recommend;
mod risk;
mod roofline;
mod runs;
mod sequence_flip;
mod session;
mod simulate;
mod software;
mod solve;
mod solve_goal;
mod spoken;
mod validate;
mod view;
mod whatif;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

use args::{CatalogCommand, Cli, Command};
use error::CliError;
use exit::ExitStatus;

use crate::report::Language;

/// Runs the command line and returns the exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    spoken::listen(&arguments);
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            let status = if error.use_stderr() { ExitStatus::Usage } else { ExitStatus::Success };
            if error.use_stderr() && spoken::language() != Language::English {
                output::complain(&error.to_string());
            } else {
                // A closed pipe is all that can go wrong here, and no failure.
                let _ = error.print();
            }
            return status.into();
        }
    };
    match dispatch(cli.command) {
        Ok(status) => status.into(),
        Err(error) if error.is_broken_pipe() => ExitStatus::Success.into(),
        Err(error) => {
            output::complain(&error.text());
            error.status().into()
        }
    }
}

fn dispatch(command: Command) -> Result<ExitStatus, CliError> {
    match command {
        Command::Recommend(args) => recommend::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Simulate(args) => simulate::run(&args),
        Command::WhatIf(args) => whatif::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Validate(args) => validate::run(&args),
        Command::Quote(args) => quote::run(&args),
        Command::Catalog(CatalogCommand::List(args)) => catalog::list(&args),
        Command::Catalog(CatalogCommand::Show { name, common }) => catalog::show(&name, &common),
        Command::Catalog(CatalogCommand::Check { details, common }) => catalog::check(details, &common),
        Command::Calibrate(command) => calibrate::run(&command),
        Command::Roofline(args) => roofline::run(&args),
        Command::Catalog(CatalogCommand::Import(args)) => catalog_import::run(&args),
        Command::Catalog(CatalogCommand::Request(args)) => catalog_import::request(&args),
        Command::Completions { shell } => completions(shell),
    }
}

fn completions(shell: clap_complete::Shell) -> Result<ExitStatus, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "gpu-advisor", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(ExitStatus::Success)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
