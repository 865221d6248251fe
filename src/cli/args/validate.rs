//! `validate` on the command line.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::CommonArgs;
use crate::validation::LeftOut;

/// Arguments of `validate`.
#[derive(Debug, Args)]
pub struct ValidateArgs {
    /// Measured runs: a CSV file in the format of calibration/FORMAT.md, or a folder of them; repeat for several
    /// [default: the runs inside the program]
    #[arg(long = "runs", value_name = "FILE|DIR", help_heading = "Runs")]
    pub runs: Vec<PathBuf>,
    /// Fit again without each model shape, or without each source family, and predict what was left out. The refits
    /// see the given runs alone
    #[arg(long, value_name = "WHAT", value_enum, help_heading = "Runs")]
    pub cross_validate: Option<LeftOutName>,
    /// List every row: measured, predicted, interval, error, what was filled in or why it was skipped
    #[arg(long, help_heading = "Output")]
    pub rows: bool,
    /// End with exit code 6 when the mean absolute error exceeds this, such as 10%: the mean over sets, or with
    /// "SET=10%" that of every set whose source and GPU architecture begin with SET; repeat for several
    #[arg(long, value_name = "[SET=]PERCENT", help_heading = "Output")]
    pub fail_above: Vec<String>,
    /// Output and data.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// What is left out together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LeftOutName {
    /// All rows of a model shape: the headline figure
    Model,
    /// All rows of a source: how far coefficients transfer
    Family,
}

impl LeftOutName {
    /// What it stands for.
    pub const fn left_out(self) -> LeftOut {
        match self {
            Self::Model => LeftOut::Model,
            Self::Family => LeftOut::Family,
        }
    }
}
