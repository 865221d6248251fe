//! Flags that every command takes.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::report::Language;

/// Output and data.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub struct CommonArgs {
    /// How the answer is written; json and csv are never localised
    #[arg(long, value_name = "NAME", value_enum, default_value_t)]
    pub format: Format,
    /// Language of tables and texts: en, zh
    #[arg(long, value_name = "CODE", default_value = "en", value_parser = ["en", "zh"])]
    pub lang: String,
    /// Lay the catalog files of this folder over the embedded catalog; repeat for several, later ones win
    #[arg(long = "catalog", value_name = "DIR", help_heading = "Data")]
    pub catalogs: Vec<PathBuf>,
    /// Use this hardware profile for its GPU instead of the embedded one
    #[arg(long, value_name = "FILE", help_heading = "Data")]
    pub profile: Option<PathBuf>,
    /// No remarks on standard error, such as where a plot was written; errors still appear
    #[arg(long)]
    pub quiet: bool,
    /// Threads of a search; answers do not depend on it [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub threads: Option<u16>,
}

impl CommonArgs {
    /// The language of texts; English for machines.
    pub fn language(&self) -> Language {
        match self.format {
            Format::Json | Format::Csv => Language::English,
            Format::Table | Format::Markdown => self.lang.parse().unwrap_or_default(),
        }
    }
}

/// Names of `--format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Format {
    /// Text for terminals
    #[default]
    Table,
    /// One JSON object; its schema is in `schema/`
    Json,
    /// The tables alone
    Csv,
    /// Text for documents
    Markdown,
}
