//! `calibrate fit` on the command line.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::CommonArgs;
use crate::validation::LeftOut;

/// Arguments of `calibrate fit`.
#[derive(Debug, Args)]
pub struct CalibrateFitArgs {
    /// Measured runs: a CSV file in the format of calibration/FORMAT.md, or a folder of them; repeat for several
    /// [default: the runs inside the program]
    #[arg(long = "runs", value_name = "FILE|DIR", help_heading = "Runs")]
    pub runs: Vec<PathBuf>,
    /// From which rows the spread behind the intervals is taken: refits without the row's model shape or source family,
    /// or none: the fit's own residuals, faster and too small
    #[arg(long, value_name = "WHAT", value_enum, default_value_t, help_heading = "Runs")]
    pub cross_validate: SpreadFrom,
    /// Write the fitted stack files into this folder; one that is there keeps what is not fitted
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub write: Option<PathBuf>,
    /// End with exit code 6 when a coefficient differs from the loaded one by more than this, such as 2%
    #[arg(long, value_name = "PERCENT", help_heading = "Output")]
    pub fail_above: Option<String>,
    /// Output and data.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// What refits leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum SpreadFrom {
    /// All rows of a model shape
    #[default]
    Model,
    /// All rows of a source
    Family,
    /// Nothing
    None,
}

impl SpreadFrom {
    /// What it stands for.
    pub const fn left_out(self) -> Option<LeftOut> {
        match self {
            Self::Model => Some(LeftOut::Model),
            Self::Family => Some(LeftOut::Family),
            Self::None => None,
        }
    }
}
