//! `catalog` on the command line.

use clap::{Args, Subcommand, ValueEnum};

use super::CommonArgs;

/// The commands of `catalog`.
#[derive(Debug, Subcommand)]
pub enum CatalogCommand {
    /// List records of one kind
    #[command(after_help = "\
Examples:
  gpu-advisor catalog list gpus
  gpu-advisor catalog list instances --gpu a100 --provider huawei-cloud
  gpu-advisor catalog list prices --gpu v100 --format csv")]
    List(ListArgs),
    /// Show everything known about one GPU, instance type, model or dataset, with sources and dates
    #[command(after_help = "\
Examples:
  gpu-advisor catalog show a100-sxm-80gb
  gpu-advisor catalog show aws/p4d.24xlarge
  gpu-advisor catalog show llama2-7b")]
    Show {
        /// A GPU, provider/instance, model or dataset
        name: String,
        /// Output and data.
        #[command(flatten)]
        common: CommonArgs,
    },
    /// Check the catalog with its overlays: counts, doubtful records; exit code 3 when a file is invalid
    #[command(after_help = "\
Example:
  gpu-advisor catalog check --catalog ./my-catalog")]
    Check {
        /// List every doubtful record, not only how many there are
        #[arg(long)]
        details: bool,
        /// Output and data.
        #[command(flatten)]
        common: CommonArgs,
    },
}

/// Arguments of `catalog list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// What to list
    #[arg(value_enum, default_value_t)]
    pub what: CatalogList,
    /// Only this GPU or family; repeat for several
    #[arg(long = "gpu", value_name = "GPU")]
    pub gpus: Vec<String>,
    /// Only this provider; repeat for several
    #[arg(long = "provider", value_name = "NAME")]
    pub providers: Vec<String>,
    /// Output and data.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// Kinds of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum CatalogList {
    /// GPU models
    #[default]
    Gpus,
    /// Instance types
    Instances,
    /// Price records
    Prices,
    /// Model zoo
    Models,
    /// Regions
    Regions,
    /// Training sets
    Datasets,
}

impl CatalogList {
    /// True when a GPU narrows the list.
    pub const fn has_gpus(self) -> bool {
        matches!(self, Self::Gpus | Self::Instances | Self::Prices)
    }

    /// True when a provider narrows the list.
    pub const fn has_providers(self) -> bool {
        matches!(self, Self::Instances | Self::Prices | Self::Regions)
    }
}
