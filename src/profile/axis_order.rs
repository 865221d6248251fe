//! In which order feature maps have their axes.

use crate::catalog::Precision;

/// Order of the axes of feature maps. Matrix units take channels last; maps in another order are turned before a
/// convolution and after it. Ordinary cores take either.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum AxisOrder {
    /// Channels last in 16 bits and less, channels first in TF32: what reference scripts state (memory format in 16 bits
    /// alone), and what the graph optimizers of frameworks choose where nobody states it.
    #[default]
    ByPrecision,
    /// Channels after positions (NHWC, NDHWC).
    ChannelsLast,
    /// Channels before positions (NCHW, NCDHW).
    ChannelsFirst,
}

impl AxisOrder {
    /// Names that a job may state.
    pub const NAMES: [&str; 2] = ["channels-last", "channels-first"];

    /// The order of this name.
    pub fn named(name: &str) -> Option<Self> {
        let orders = [Self::ChannelsLast, Self::ChannelsFirst];
        Self::NAMES.into_iter().zip(orders).find(|(own, _)| *own == name).map(|(_, order)| order)
    }

    /// Name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ByPrecision => "by-precision",
            Self::ChannelsLast => Self::NAMES[0],
            Self::ChannelsFirst => Self::NAMES[1],
        }
    }

    /// The order of maps along one side, which have no order of their own: channels first but where another is stated.
    #[must_use]
    pub const fn of_lines(self) -> Self {
        match self {
            Self::ByPrecision => Self::ChannelsFirst,
            stated => stated,
        }
    }

    /// True where a convolution on matrix units needs its maps turned.
    pub const fn turns(self, precision: Precision) -> bool {
        match self {
            Self::ByPrecision => matches!(precision, Precision::Tf32),
            Self::ChannelsLast => false,
            Self::ChannelsFirst => true,
        }
    }
}
