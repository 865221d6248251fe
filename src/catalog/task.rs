//! What a model is trained to do, and what a set of samples has labels for.

/// A task over pictures, volumes or sound; text and records have none here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// A class for each image.
    Classification,
    /// Boxes (with masks or key points) of objects in an image.
    Detection,
    /// Boxes of objects in space, from point clouds or several cameras.
    Detection3d,
    /// A class for each pixel or voxel.
    Segmentation,
    /// A class for each clip.
    Video,
    /// Images with their captions.
    TextImage,
    /// Text from speech.
    SpeechRecognition,
    /// Speech from text.
    SpeechSynthesis,
    /// Numbers for each sample.
    Regression,
}

impl Task {
    /// All tasks.
    pub const ALL: [Self; 9] = [
        Self::Classification,
        Self::Detection,
        Self::Detection3d,
        Self::Segmentation,
        Self::Video,
        Self::TextImage,
        Self::SpeechRecognition,
        Self::SpeechSynthesis,
        Self::Regression,
    ];

    /// The name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Classification => "classification",
            Self::Detection => "detection",
            Self::Detection3d => "detection-3d",
            Self::Segmentation => "segmentation",
            Self::Video => "video",
            Self::TextImage => "text-image",
            Self::SpeechRecognition => "speech-recognition",
            Self::SpeechSynthesis => "speech-synthesis",
            Self::Regression => "regression",
        }
    }
}
