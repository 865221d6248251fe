//! Limits of a search on the command line.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::advisor::Objective;

/// Flags that limit what `recommend` may choose.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Limits")]
pub struct LimitArgs {
    /// A GPU or a family of them, such as a100 (every A100) or v100-sxm2-32gb; several with commas
    #[arg(long = "gpu", value_name = "GPU")]
    pub gpus: Vec<String>,
    /// A provider, such as huawei-cloud; several with commas
    #[arg(long = "provider", value_name = "NAME")]
    pub providers: Vec<String>,
    /// A region, provider:region or the id alone where it is unambiguous; several with commas
    #[arg(long = "region", value_name = "REGION")]
    pub regions: Vec<String>,
    /// A country by its two letters, such as SG; an offer without a stated place never passes. Several with commas
    #[arg(long = "country", value_name = "CC")]
    pub countries: Vec<String>,
    /// Longest training time (median), such as 30d or 12h, or the day it must be done, such as 2026-12-31, counted from --start
    /// or else from today
    #[arg(long, value_name = "DURATION|DATE")]
    pub deadline: Option<String>,
    /// Day on which the job would start, such as 2026-12-01: a deadline that is a day counts from it, and `recommend` says by when
    /// the job is done
    #[arg(long, value_name = "DAY")]
    pub start: Option<String>,
    /// Highest cost (median), such as 100000USD
    #[arg(long, value_name = "AMOUNT")]
    pub budget: Option<String>,
    /// Most GPUs of a cluster [default: 512]
    #[arg(long, value_name = "N")]
    pub max_gpus: Option<String>,
    /// What you may start, TOML or CSV by provider, region, and family or GPU: nodes or gpus, and what is expected when. What no
    /// line speaks of is not checked
    #[arg(long, value_name = "FILE")]
    pub quota: Option<PathBuf>,
    /// What you sell, a TOML file with a list `sells` of provider or provider/family; other offers are shown for reference only
    #[arg(long, value_name = "FILE")]
    pub seller: Option<PathBuf>,
    /// What to rank by
    #[arg(long, value_name = "NAME", value_enum, default_value_t)]
    pub objective: ObjectiveName,
    /// Rows to show of each block
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub top: u16,
}

/// Names of `--objective`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ObjectiveName {
    /// Lowest median cost
    #[default]
    Cost,
    /// Shortest median time
    Time,
    /// Lowest product of cost and time
    Balanced,
    /// Lowest cost at the slow end of the interval
    CostAtP90,
}

impl ObjectiveName {
    /// The objective itself.
    pub const fn objective(self) -> Objective {
        match self {
            Self::Cost => Objective::Cost,
            Self::Time => Objective::Time,
            Self::Balanced => Objective::Balanced,
            Self::CostAtP90 => Objective::CostAtP90,
        }
    }
}
