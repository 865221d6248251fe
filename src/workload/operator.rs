//! The operators of a network and how they divide.

use crate::catalog::TableUpdate;

/// Name of a transposed convolution. Its sides are exchanged: as arithmetic it is the input gradient of a
/// convolution from its large output to its small input.
pub(super) const TRANSPOSED: &str = "transposed convolution";

/// Name of a norm over the channels of a position.
pub(super) const LAYER_NORM: &str = "layer norm";
/// Name of a norm over the positions of a sample.
pub(super) const INSTANCE_NORM: &str = "instance norm";

/// Name of an activation that stands by itself.
pub(super) const ACTIVATION: &str = "activation";
/// Name of an activation right behind a norm over positions.
pub(super) const INSTANCE_ACTIVATION: &str = "activation of instance norm";
/// Name of a rectifier right behind a batch norm.
pub(super) const NORM_ACTIVATION: &str = "activation of batch norm";
/// Name of a sum whose one side comes right out of a batch norm.
pub(super) const NORM_ADDITION: &str = "addition to batch norm";

/// How tensor parallelism of degree t divides an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Partition {
    /// Every GPU of the group does all of it, unless sequence parallelism divides its rows by t.
    Rows,
    /// Output features are divided (first matrix of a pair, heads of an attention).
    Column,
    /// Input features are divided (second matrix of a pair); a collective follows.
    Row,
    /// Every GPU of the group does all of it, always.
    Replicated,
}

/// Over what a kernel moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grid {
    /// One side: of a sequence, or of an image by a kernel that is long along one side only.
    Line,
    /// An image, or a single position.
    Plane,
    /// A volume, by a kernel with a depth.
    Volume,
}

/// Kind of collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CollectiveKind {
    /// Sum everywhere: 2(n-1)/n of the buffer per link.
    AllReduce,
    /// Concatenate everywhere: (n-1)/n.
    AllGather,
    /// Sum, each keeps a part: (n-1)/n.
    ReduceScatter,
    /// Personalised exchange: (n-1)/n.
    AllToAll,
    /// One sender, one receiver.
    PointToPoint,
}

/// One operator of the forward pass, sized per row.
#[derive(Debug, Clone, PartialEq)]
pub enum Operator {
    /// `rows x inputs` times `inputs x outputs`; has a weight.
    MatrixProduct {
        /// Name for people.
        name: &'static str,
        /// Input features k.
        inputs: f64,
        /// Output features n.
        outputs: f64,
        /// Division.
        partition: Partition,
    },
    /// Scaled dot-product attention over the sequence of the row.
    Attention {
        /// Query heads.
        heads: f64,
        /// Key-value heads.
        kv_heads: f64,
        /// Head dimension.
        head_dim: f64,
        /// Only the past is seen: half the useful work.
        causal: bool,
        /// The nearest positions that are seen, where that is not all.
        window: Option<f64>,
        /// Keys per row of the sample: 1, less where queries meet a shorter sequence.
        key_share: f64,
    },
    /// `rows x per_token` rows over `experts` weights of `inputs x outputs`, evenly routed.
    ExpertProduct {
        /// Name for people.
        name: &'static str,
        /// Input features k.
        inputs: f64,
        /// Output features n.
        outputs: f64,
        /// Division by tensor parallelism; expert parallelism divides the experts.
        partition: Partition,
        /// Experts.
        experts: f64,
        /// Experts that each row passes.
        per_token: f64,
    },
    /// A pair of narrow trained products beside a frozen one: `inputs x rank`, then `rank x outputs`.
    Adapter {
        /// Name for people.
        name: &'static str,
        /// Input features.
        inputs: f64,
        /// Output features.
        outputs: f64,
        /// Rank.
        rank: f64,
    },
    /// All-to-all of the expert-parallel group over `elements` per row; the backward pass has its mirror.
    ExpertExchange {
        /// Elements per row.
        elements: f64,
    },
    /// Convolution lowered to a matrix product, per sample: m = positions, n = outputs / groups,
    /// k = inputs / groups x taps.
    Convolution {
        /// Name for people.
        name: &'static str,
        /// Input channels.
        inputs: f64,
        /// Output channels.
        outputs: f64,
        /// Kernel taps (9 for 3x3, 27 for 3x3x3).
        taps: f64,
        /// Groups; equal to `inputs` for depthwise.
        groups: f64,
        /// Input positions (height x width) of one sample.
        input_positions: f64,
        /// Output positions of one sample.
        output_positions: f64,
        /// Over what the kernel moves.
        over: Grid,
        /// No gradient with respect to the input is needed (first layer).
        first: bool,
    },
    /// Products of every sample by itself: `count` times `rows x inputs` by `inputs x outputs`.
    SampleProduct {
        /// Name for people.
        name: &'static str,
        /// Products of one sample.
        count: f64,
        /// Rows of one sample.
        rows: f64,
        /// Inner size.
        inputs: f64,
        /// Columns.
        outputs: f64,
        /// The right side is a weight, shared by all samples: one product over the batch.
        weighted: bool,
        /// The weight was met before, at an earlier step: gradients are added to, and one update serves all steps.
        again: bool,
    },
    /// An operator of which only the forward pass runs: it has no weights, or frozen ones, and nothing before it is trained.
    ForwardOnly(Box<Operator>),
    /// An operator that stays in 32 bits where a plan mixes precisions.
    FullPrecision(Box<Operator>),
    /// A recurrent layer: one product over all steps, then a chain of products, one a step.
    Recurrent {
        /// Inputs at every step.
        inputs: f64,
        /// State.
        hidden: f64,
        /// Matrices of the cell.
        gates: f64,
        /// Steps.
        steps: f64,
        /// One or two directions.
        directions: f64,
        /// Kernels that the host launches at every step; 0 when a library runs the whole chain.
        stepwise_kernels: f64,
    },
    /// Small kernels without weights, most of them launched for every sample by itself.
    SmallKernels {
        /// Kernels whatever the batch: forward, backward.
        count: [f64; 2],
        /// Further kernels for every sample: forward, backward.
        per_sample: [f64; 2],
        /// Elements read and written per sample: forward, backward.
        elements: [f64; 2],
        /// Results that the host waits for before it goes on: whatever the batch, and for every sample.
        waits: [f64; 2],
        /// Bytes per sample between host and GPU that nothing hides: from pinned memory, from other memory.
        copied: [f64; 2],
        /// Elements read and written in 32 bits whatever the batch.
        step_elements: f64,
    },
    /// Reads and writes memory, little arithmetic: normalisation, activation, residual, softmax, loss.
    ElementWise {
        /// Name for people.
        name: &'static str,
        /// Elements read and written per row in the forward pass.
        elements: f64,
        /// Elements read and written per row in the backward pass.
        backward_elements: f64,
        /// Bytes per element when it differs from the storage precision (FP32 losses); `None` follows it.
        element_bytes: Option<f64>,
        /// Kernels launched in the forward pass by an unfused implementation.
        kernels: f64,
        /// Division.
        partition: Partition,
    },
    /// Table lookup: reads and writes `width` elements per row; no matrix product.
    Embedding {
        /// Rows of the table.
        table_rows: f64,
        /// Elements of one row.
        row: f64,
        /// Width.
        width: f64,
        /// Division (`Column` divides the vocabulary).
        partition: Partition,
        /// How the gradient reaches the rows.
        update: TableUpdate,
    },
    /// Collective inside the tensor-parallel group over `elements` per row (a gather and a scatter with sequence
    /// parallelism move the same bytes as the all-reduce).
    TensorCollective {
        /// Kind in the forward pass; the backward pass has its mirror.
        kind: CollectiveKind,
        /// Elements per row.
        elements: f64,
    },
}

impl Operator {
    /// What is left of the traffic of an element-wise operator when it joins the batch norm before it: nothing of a rectifier, and
    /// of a sum the other side, read forward and its gradient written backward, one of three passes. `None` for others.
    pub fn joined_to_norm(&self) -> Option<f64> {
        match self {
            Self::ElementWise { name: NORM_ACTIVATION, .. } => Some(0.0),
            Self::ElementWise { name: NORM_ADDITION, .. } => Some(1.0 / 3.0),
            _ => None,
        }
    }

    /// The operator itself, whichever of its passes run.
    pub fn whole(&self) -> &Self {
        match self {
            Self::ForwardOnly(inner) | Self::FullPrecision(inner) => inner.whole(),
            other => other,
        }
    }

    /// Lets the weight of a product be one that was met at an earlier step.
    pub(super) fn meet_again(&mut self) {
        match self {
            Self::SampleProduct { again, .. } => *again = true,
            Self::ForwardOnly(inner) | Self::FullPrecision(inner) => inner.meet_again(),
            _ => {}
        }
    }

    /// Lets an activation stand by itself.
    pub(super) fn part_from_norm(&mut self) {
        if let Self::ElementWise { name, .. } = self
            && *name == NORM_ACTIVATION
        {
            *name = ACTIVATION;
        }
    }

    /// True of norms within a sample and of activations right behind them: frameworks that compose the norm of means keep all of it
    /// in 32 bits, up to the next product.
    pub fn belongs_to_composed_norm(&self) -> bool {
        self.is_composed_norm() || matches!(self, Self::ElementWise { name: INSTANCE_ACTIVATION, .. })
    }

    /// True of norms within a sample: libraries have fused kernels for batch norms, but some frameworks compose these of means,
    /// differences and products.
    pub fn is_composed_norm(&self) -> bool {
        matches!(self, Self::ElementWise { name: LAYER_NORM | INSTANCE_NORM, .. })
    }
}

/// Keys that a row of `sequence` meets on average: all of them, the past half when causal, and no more than the
/// window. A causal window of w sees `w - w^2 / 2s` on average.
///
/// ```
/// use gpu_advisor::workload::seen_keys;
/// assert_eq!(seen_keys(1000.0, false, None), 1000.0);
/// assert_eq!(seen_keys(1000.0, true, None), 500.0);
/// assert_eq!(seen_keys(1000.0, true, Some(100.0)), 95.0);
/// ```
pub fn seen_keys(sequence: f64, causal: bool, window: Option<f64>) -> f64 {
    let reach = window.map_or(sequence, |w| w.min(sequence));
    if causal { reach - reach * reach / (2.0 * sequence) } else { reach }
}

/// Something the backward pass needs, kept from the forward pass.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedTensor {
    /// Name for people.
    pub name: &'static str,
    /// Elements per row in the storage precision.
    pub elements: f64,
    /// Extra bytes per row independent of precision (one-byte dropout masks, FP32 statistics).
    pub bytes: f64,
    /// Elements per row *and per column of the sequence* (materialised attention scores), without FlashAttention.
    pub elements_per_key: f64,
    /// Extra bytes per row and per column of the sequence (dropout masks of the scores), without FlashAttention.
    pub bytes_per_key: f64,
    /// Belongs to the attention core that selective recomputation drops.
    pub selective: bool,
    /// Division.
    pub partition: Partition,
}

impl SavedTensor {
    /// Bytes kept per row at a storage width and a number of keys (the sequence length).
    ///
    /// Without FlashAttention the score matrices are kept. With it they vanish, and what the fused kernel keeps
    /// instead (attention-core tensors that have no per-key part) takes their place.
    ///
    /// ```
    /// use gpu_advisor::workload::{Partition, SavedTensor};
    /// // Softmax output of 16 heads: 16 x 2 bytes for each of 1000 keys, nothing under FlashAttention.
    /// let softmax = SavedTensor {
    ///     name: "softmax output", elements: 0.0, bytes: 0.0, elements_per_key: 16.0, bytes_per_key: 0.0,
    ///     selective: true, partition: Partition::Column,
    /// };
    /// assert_eq!(softmax.bytes_per_row(2.0, 1000.0, false), 32_000.0);
    /// assert_eq!(softmax.bytes_per_row(2.0, 1000.0, true), 0.0);
    /// ```
    pub fn bytes_per_row(&self, element_bytes: f64, keys: f64, flash_attention: bool) -> f64 {
        let per_key = self.elements_per_key * element_bytes + self.bytes_per_key;
        let fixed = self.elements * element_bytes + self.bytes;
        match (flash_attention, self.selective && per_key == 0.0) {
            (true, _) => fixed,
            (false, true) => 0.0,
            (false, false) => fixed + per_key * keys,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_the_fused_kernel_keeps_is_absent_without_it() {
        let statistics = SavedTensor {
            name: "log-sum-exp",
            elements: 0.0,
            bytes: 64.0,
            elements_per_key: 0.0,
            bytes_per_key: 0.0,
            selective: true,
            partition: Partition::Column,
        };
        assert_eq!(statistics.bytes_per_row(2.0, 100.0, true), 64.0);
        assert_eq!(statistics.bytes_per_row(2.0, 100.0, false), 0.0);
    }
}
