//! How do plans go out to other tools?
//!
//! What a tool calls a part of a plan, which rules it checks and what it cannot express is data: a file of
//! `calibration/exporters`. [`emit`] fills it with a plan.

mod emit;
mod exporter;
mod variables;

pub use emit::{Emission, EmitError, emit};
pub use exporter::{Condition, Entry, Exporter, ExporterKind, Line, Refusal, Rule, exporter, exporter_names};
