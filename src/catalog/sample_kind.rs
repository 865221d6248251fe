//! What one sample of a network over samples is.

use super::Sides;

/// What one sample of a network is: words and usual choices follow it, not the operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SampleKind {
    /// Images.
    Images,
    /// Volumes, such as those of medical imaging.
    Volumes,
    /// Sequences of tokens.
    Sequences,
    /// Sound.
    Audio,
    /// Rows of a table.
    Records,
    /// Anything else.
    Samples,
}

impl SampleKind {
    /// All kinds.
    pub const ALL: [Self; 6] =
        [Self::Images, Self::Volumes, Self::Sequences, Self::Audio, Self::Records, Self::Samples];

    /// Whether a network over this takes samples that are `offered`: slices of a volume are images, sound is told as a sequence or as a
    /// picture of its spectrum, and of samples of no kind nothing is known.
    pub const fn takes(self, offered: Self) -> bool {
        match self {
            Self::Samples => true,
            Self::Images => matches!(offered, Self::Images | Self::Volumes | Self::Samples | Self::Audio),
            Self::Volumes => matches!(offered, Self::Volumes | Self::Samples),
            Self::Sequences => matches!(offered, Self::Sequences | Self::Audio),
            Self::Audio => matches!(offered, Self::Audio),
            Self::Records => matches!(offered, Self::Records),
        }
    }

    /// What a sample with so many sizes is unless its description says so.
    pub fn of_input(dimensions: u8, input: Sides) -> Self {
        match dimensions {
            3 => Self::Volumes,
            2 => Self::Images,
            _ if input.iter().all(|&side| side == 1) => Self::Records,
            _ => Self::Sequences,
        }
    }

    /// The name in files and lists.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Images => "images",
            Self::Volumes => "volumes",
            Self::Sequences => "sequences",
            Self::Audio => "audio",
            Self::Records => "records",
            Self::Samples => "samples",
        }
    }

    /// True for pictures of two or three dimensions, over which convolutions are usual.
    pub const fn is_picture(self) -> bool {
        matches!(self, Self::Images | Self::Volumes)
    }

    /// Why a job over such samples has no length in tokens.
    pub const fn without_tokens(self) -> &'static str {
        match self {
            Self::Images => "images have no tokens",
            Self::Volumes => "volumes have no tokens",
            Self::Records => "records have no tokens",
            Self::Sequences | Self::Audio | Self::Samples => {
                "this network is counted in whole samples, not in tokens"
            }
        }
    }

    /// Why they have no stated length.
    pub const fn without_length(self) -> &'static str {
        match self {
            Self::Images => "images have no sequence length",
            Self::Volumes => "volumes have no sequence length",
            Self::Records => "records have no sequence length",
            Self::Sequences | Self::Audio | Self::Samples => {
                "the length of a sample is part of this network's description"
            }
        }
    }
}
