//! `catalog` on the command line.

use std::path::PathBuf;

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
    /// Read a price list or a saved answer into a price book: checked line by line, imported whole or not at all
    #[command(after_help = "\
Examples:
  gpu-advisor catalog import prices.xlsx --out book.toml
  gpu-advisor catalog import ratings.json --kind rating-api --as-of 2026-11-28 --out book.toml
  gpu-advisor catalog import ratings.json --kind rating-api --into book.toml
  gpu-advisor catalog import flavors.json --kind flavors --provider huawei-cloud
  gpu-advisor catalog import aws.csv --kind catalog-csv --provider aws --out book.toml

Looked at: prices per GPU instead of per node, prices that do not scale with the GPUs, spot not below on demand,
duplicates, missing currencies, prices per GPU-hour that are not believed. Exit code 3 when anything is found.")]
    Import(Box<ImportArgs>),
    /// Print the bodies of the two price requests for instance types, for a provider's rating API
    #[command(after_help = "\
Example:
  gpu-advisor catalog request --instance huawei-cloud/p2s.16xlarge.8 --region ap-southeast-3 > requests.json")]
    Request(RequestArgs),
}

/// Arguments of `catalog import`.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// The file: a price list (.csv, .xlsx, .toml), a saved answer (.json) or a provider's table (.csv)
    pub file: PathBuf,
    /// What the file is
    #[arg(long, value_enum, default_value_t)]
    pub kind: ImportKind,
    /// The provider that the file is from; for flavors and multi-cloud tables
    #[arg(long, value_name = "NAME")]
    pub provider: Option<String>,
    /// Day of the prices, where the file states none [default: today]
    #[arg(long, value_name = "DATE")]
    pub as_of: Option<String>,
    /// Write the price book to FILE; without it to standard output. A file that exists is refused without --force
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Bring the prices of this price book (.toml) up to date: those of the same instance type, region and purchase option
    /// are replaced, new ones added, everything else stays as it is written
    #[arg(long, value_name = "FILE", conflicts_with = "out")]
    pub into: Option<PathBuf>,
    /// Overwrite the file of --out
    #[arg(long, requires = "out")]
    pub force: bool,
    /// Import in spite of oddities; they are still listed
    #[arg(long)]
    pub accept_odd: bool,
    /// A dated exchange rate, to judge whether prices are plausible: SGD=1.29@2026-11-28
    #[arg(long, value_name = "CODE=RATE@DATE")]
    pub fx: Vec<String>,
    /// Output and data.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// Kinds of files to import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ImportKind {
    /// Your price list: TOML, CSV or XLSX, see catalog/FORMAT.md
    #[default]
    PriceList,
    /// Saved answer of ListOnDemandResourceRatings or ListRateOnPeriodDetail, to a request of `catalog request`
    RatingApi,
    /// Saved answer of ListFlavors: what is sold in which zone; lists it and imports no price
    Flavors,
    /// A provider's CSV file of the SkyPilot catalog
    CatalogCsv,
}

/// Arguments of `catalog request`.
#[derive(Debug, Args)]
pub struct RequestArgs {
    /// An instance type, `provider/instance`, as in a plan; repeat for several
    #[arg(long = "instance", value_name = "NAME", required = true)]
    pub instances: Vec<String>,
    /// Region id at that provider
    #[arg(long, value_name = "REGION")]
    pub region: String,
    /// Output and data.
    #[command(flatten)]
    pub common: CommonArgs,
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
    /// Published training schedules
    Presets,
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
