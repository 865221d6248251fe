//! What the ranks of a launcher found out together: a file of its own, which a merge puts into the profile.

use super::device::{DeviceKind, Library};
use super::fit_transfers::transfers;
use super::measured::TransferResult;
use super::statistics::summarise;
use super::trace::{Gap, RunFacts, Trace};
use crate::catalog::Finding;

/// Version of the format.
const SCHEMA: u32 = 1;

/// Collectives over the ranks of several nodes.
#[derive(Debug, Clone, PartialEq, serde::Deserialize, serde::Serialize)]
pub struct Collectives {
    /// Catalog id of the GPU.
    pub gpu: String,
    /// Instance type as `provider/name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<String>,
    /// Version of the program.
    pub program: String,
    /// Day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Nodes.
    pub nodes: u32,
    /// Ranks, and so GPUs, of a node.
    pub ranks_per_node: u32,
    /// Kind of rank 0's device.
    pub kind: DeviceKind,
    /// Its name.
    pub device: String,
    /// Libraries with their versions.
    pub libraries: Vec<Library>,
    /// Remarks, such as settings of the library.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Seconds it took.
    pub duration_s: f64,
    /// Times by operation and group.
    pub transfer: Vec<TransferResult>,
    /// What is missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<Gap>,
}

#[derive(serde::Deserialize, serde::Serialize)]
struct Whole<T> {
    schema: u32,
    collectives: T,
}

impl Collectives {
    /// From what rank 0 recorded.
    pub fn of(trace: &Trace, gpu: String, nodes: u32, ranks_per_node: u32) -> Self {
        let RunFacts { instance, program, date, device, .. } = trace.run.clone();
        let mut transfer = transfers(&summarise(trace));
        for result in &mut transfer {
            result.nodes = result.ranks.map(|ranks| ranks / ranks_per_node.max(1));
        }
        Self {
            gpu,
            instance,
            program,
            date,
            nodes,
            ranks_per_node,
            kind: device.kind,
            device: device.name,
            libraries: device.libraries,
            notes: device.notes,
            duration_s: trace.duration_s,
            transfer,
            gaps: trace.gaps.clone(),
        }
    }

    /// True when the numbers may stand for real hardware.
    pub fn is_real(&self) -> bool {
        self.kind != DeviceKind::Simulated && !self.device.starts_with("FAKE")
    }

    /// True for the text of such a file, right or wrong.
    pub fn is_in(text: &str) -> bool {
        text.lines().any(|line| line.trim() == "[collectives]")
    }

    /// The file.
    ///
    /// # Errors
    /// When a value has no TOML form, such as a number that is not finite.
    pub fn to_text(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(&Whole { schema: SCHEMA, collectives: self })
    }

    /// Reads what `to_text` wrote.
    ///
    /// # Errors
    /// What is no TOML, lacks a key or has another schema.
    pub fn parse(file: &str, text: &str) -> Result<Self, Vec<Finding>> {
        let failed = |line: Option<usize>, key: &str, message: String| {
            vec![Finding { file: file.to_owned(), line, key: key.to_owned(), message }]
        };
        let whole: Whole<Self> = toml::from_str(text).map_err(|error| {
            let line = error.span().map(|s| text[..s.start.min(text.len())].lines().count().max(1));
            failed(line, "collectives", error.message().to_owned())
        })?;
        if whole.schema != SCHEMA {
            let message = format!("is {}; this program reads {SCHEMA}", whole.schema);
            return Err(failed(None, "schema", message));
        }
        Ok(whole.collectives)
    }
}
