//! How is it shown? One neutral [`Document`], many renderers, none of which computes.
//!
//! A view builds a [`Document`] once, in one [`Language`]; [`text`], [`markdown`] and [`csv`] only lay it out.
//! Plots work the same way: a [`plot::PlotModel`] holds the numbers, the renderers only place them.

mod anchored;
mod beside_training;
pub mod complaint;
pub mod cost_report;
pub mod csv;
mod document;
mod explained;
mod folds;
pub mod html;
mod language;
pub mod markdown;
mod names;
pub mod pdf;
pub mod phrases;
pub mod picture_ask;
pub mod picture_elastic;
pub mod picture_simulate;
pub mod plot;
pub mod price_doubts;
pub mod quote;
pub mod recommend;
mod recorded;
mod sentences;
pub mod text;
pub mod trace;
pub mod view_ask;
pub mod view_calibration;
pub mod view_catalog;
pub mod view_compare;
pub mod view_diff;
pub mod view_elastic;
pub mod view_fit;
mod view_migration;
pub mod view_mixed;
pub mod view_risk;
pub mod view_simulate;
pub mod view_validate;
pub mod view_whatif;
pub mod view_workloads;
pub mod wire;
pub mod wire_compare;
mod wire_cure;
pub mod wire_elastic;
mod wire_job;
pub mod wire_mixed;
mod wire_plans;
mod wire_risk;
pub mod wire_validate;
pub mod wire_whatif;
pub mod wire_workloads;
pub mod workbook;

pub use document::{Align, Block, Cell, CellValue, Column, Document, Row, Table};
pub use language::{Language, ParseLanguageError, Phrase};
pub use sentences::why_not;

#[cfg(test)]
mod tests;
