//! Optimizers, by the bytes they keep and move for each trained parameter.

use super::Provenance;

/// A kind of training that an optimizer is taken for when none is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OptimizerUse {
    /// Transformers.
    Transformer,
    /// Pre-training of encoders in published runs.
    EncoderPreTraining,
    /// Convolutional networks.
    Convolutional,
}

/// An optimizer.
#[derive(Debug, Clone, PartialEq)]
pub struct OptimizerSpec {
    /// Id on the command line.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// State bytes per trained parameter, without master weights.
    pub state_bytes: f64,
    /// In mixed precision it keeps an FP32 master weight.
    pub master_weights: bool,
    /// Bytes per parameter that an update moves beyond one read of gradient, master weight and states and one write of
    /// master weight, states and 16-bit weight.
    pub extra_traffic: f64,
    /// What it is taken for when none is named.
    pub usual_for: Option<OptimizerUse>,
    /// Source and date.
    pub provenance: Provenance,
    /// Remarks.
    pub notes: Option<String>,
}
