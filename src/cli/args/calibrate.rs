//! `calibrate` on the command line.

use clap::Subcommand;

use super::CalibrateFitArgs;

/// The commands of `calibrate`.
#[derive(Debug, Subcommand)]
pub enum CalibrateCommand {
    /// Fit the coefficients of software stacks to measured runs; needs no GPU
    #[command(after_help = "\
Examples:
  gpu-advisor calibrate fit
  gpu-advisor calibrate fit --runs calibration/runs --write calibration/software
  gpu-advisor calibrate fit --runs calibration/runs --cross-validate none --fail-above 2%

Nothing is written without --write. Exit code 3 when a file is invalid, 6 when --fail-above is missed.")]
    Fit(Box<CalibrateFitArgs>),
}
