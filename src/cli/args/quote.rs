//! `quote` on the command line.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::cost::quote::Basis;

use super::{CommonArgs, GenericArgs, MoneyArgs, PlanArgs, ScheduleArgs, WorkloadArgs};

/// Arguments of `quote`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct QuoteArgs {
    /// What to do with quotes that exist.
    #[command(subcommand)]
    pub command: Option<QuoteCommand>,
    /// The job.
    #[command(flatten)]
    pub workload: WorkloadArgs,
    /// The cluster: `provider/instance[@region]:N` nodes. Example: aws/p4d.24xlarge@us-east-1:4
    #[arg(long, value_name = "CLUSTER", help_heading = "Cluster")]
    pub cluster: Option<String>,
    /// Another cluster that was considered, to be listed with what speaks against it; your own reason may follow:
    /// aws/p4d.24xlarge@us-east-1:1='data has to stay in the region'. Repeat for several
    #[arg(long = "alternative", value_name = "CLUSTER[=REASON]", help_heading = "Cluster")]
    pub alternatives: Vec<String>,
    /// Network between nodes.
    #[command(flatten)]
    pub generic: GenericArgs,
    /// The plan.
    #[command(flatten)]
    pub plan: PlanArgs,
    /// Elastic schedule.
    #[command(flatten)]
    pub schedule: ScheduleArgs,
    /// What the quote says.
    #[command(flatten)]
    pub terms: QuoteTerms,
    /// Prices.
    #[command(flatten)]
    pub money: MoneyArgs,
    /// Where it goes.
    #[command(flatten)]
    pub target: QuoteTarget,
    /// Output and data.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// What a quote says.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Quote")]
pub struct QuoteTerms {
    /// For whom
    #[arg(long, value_name = "NAME")]
    pub customer: Option<String>,
    /// Who quotes [default: the price book's]
    #[arg(long, value_name = "NAME")]
    pub issuer: Option<String>,
    /// Number of the quote [default: made from day and content]
    #[arg(long, value_name = "TEXT")]
    pub number: Option<String>,
    /// Days that it holds [default: the price book's, or 30]
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u16).range(1..=366))]
    pub valid_days: Option<u16>,
    /// Tax on net amounts, such as 6% [default: the price book's, or none: then the quote says that it is left out]
    #[arg(long, value_name = "PERCENT")]
    pub tax: Option<String>,
    /// What the tax is called [default: the price book's, or VAT]
    #[arg(long, value_name = "NAME")]
    pub tax_name: Option<String>,
    /// Hours to price: the predicted median, or the time that nine jobs in ten stay below
    #[arg(long, value_name = "QUANTILE", value_enum, default_value_t, conflicts_with = "hours")]
    pub at: QuantileName,
    /// Price this rental time of every node instead, such as 216h or 9d; a job is then not needed
    #[arg(long, value_name = "TIME")]
    pub hours: Option<String>,
    /// An item of the price book with its quantity, CODE=NUMBER: storage, traffic, addresses, support, one-off work.
    /// Items with a quantity in the book are in every quote; CODE=0 leaves one out. Repeat for several
    #[arg(long = "item", value_name = "CODE=QUANTITY")]
    pub items: Vec<String>,
    /// An estimate is good enough: also quote a time that rests on data sheets
    #[arg(long)]
    pub budgetary: bool,
    /// The day on which stock and quota were checked
    #[arg(long, value_name = "DATE")]
    pub stock_checked: Option<String>,
    /// Availability zone, for rules of the price book that name one
    #[arg(long, value_name = "ZONE")]
    pub zone: Option<String>,
}

/// Where a quote goes.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Output")]
pub struct QuoteTarget {
    /// Write FILE: .xlsx (live formulas), .html, .pdf, .md or .json, by its extension
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The seller's own copy, with cost and margin; without this flag neither is in the answer
    #[arg(long)]
    pub internal: bool,
}

/// Names of `--at`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum QuantileName {
    /// The median
    #[default]
    P50,
    /// With contingency
    P90,
}

impl QuantileName {
    /// What a quote at this quantile is based on.
    pub const fn basis(self) -> Basis {
        match self {
            Self::P50 => Basis::P50,
            Self::P90 => Basis::P90,
        }
    }
}

/// What to do with quotes that exist.
#[derive(Debug, Subcommand)]
pub enum QuoteCommand {
    /// Print a quote again from its JSON record, in any format or language
    #[command(after_help = "\
Example:
  gpu-advisor quote print quote.json --out quote.pdf --lang zh

An expired quote is refused; --renew gives it today's date and a new number. A record that was edited is refused.")]
    Print {
        /// The record, as written by `quote --out FILE.json`
        file: PathBuf,
        /// Quote it again as of today
        #[arg(long)]
        renew: bool,
        /// The day of today [default: today]
        #[arg(long, value_name = "DATE")]
        as_of: Option<String>,
        /// Where it goes.
        #[command(flatten)]
        target: QuoteTarget,
        /// Output and data.
        #[command(flatten)]
        common: CommonArgs,
    },
    /// What changed between two records
    #[command(after_help = "Example:\n  gpu-advisor quote diff old.json new.json")]
    Diff {
        /// The earlier record
        before: PathBuf,
        /// The later record
        after: PathBuf,
        /// Output and data.
        #[command(flatten)]
        common: CommonArgs,
    },
}
