//! What a layer of a network may choose between.

/// What surrounds a map before a kernel moves over it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Padding {
    /// (kernel - 1) / 2 on each side, rounded down.
    Half,
    /// None.
    Valid,
    /// As much as gives size / stride, rounded up.
    Same,
}

/// Normalisation after a convolution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Norm {
    /// Batch norm: two parameters a channel.
    Batch,
    /// Instance or group norm: the same parameters, statistics of each sample.
    Instance,
    /// None; the convolution has a bias instead.
    None,
}

/// How branches or saved maps come together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Join {
    /// Channels one after the other.
    Concat,
    /// Sum.
    Add,
    /// Element-wise product.
    Multiply,
}

/// Cell of a recurrent layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cell {
    /// One matrix.
    Vanilla,
    /// Three gates.
    Gru,
    /// Four gates.
    Lstm,
}

impl Cell {
    /// Matrices of a cell.
    pub const fn gates(self) -> u32 {
        match self {
            Self::Vanilla => 1,
            Self::Gru => 3,
            Self::Lstm => 4,
        }
    }
}

/// How the gradient of a table of embeddings reaches its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TableUpdate {
    /// As that of any weight: a gradient of the whole table, reduced over the replicas, and all rows updated.
    #[default]
    Dense,
    /// The rows looked up alone; replicas tell each other theirs.
    Rows,
    /// The same, and each GPU holds a part of the tables: vectors travel by all-to-all, gradients back.
    Split,
}
