//! Finding a device: what was looked for, where, and what was found.

use std::path::PathBuf;

/// Where to look for the vendor's libraries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LibrarySearch {
    /// Folder given by the user; tried before all others.
    pub folder: Option<PathBuf>,
}

/// One library that was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LibraryProbe {
    /// Name without prefix and suffix: `cuda`, `cublas`, `cublasLt`, `nccl`, `nvidia-ml`.
    pub name: String,
    /// What it is for, in a few words.
    pub purpose: &'static str,
    /// Nothing can be measured without it.
    pub required: bool,
    /// Path or file name it was opened by.
    pub path: Option<String>,
    /// Version it reports.
    pub version: Option<String>,
    /// Why it cannot be used, when it cannot.
    pub problem: Option<String>,
    /// Names and folders that were tried.
    pub tried: Vec<String>,
}

/// One device that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceProbe {
    /// Ordinal.
    pub ordinal: u32,
    /// Name the driver gives.
    pub name: String,
    /// Facts for people: compute capability, memory.
    pub details: String,
    /// Why it cannot be used, when it cannot.
    pub problem: Option<String>,
}

/// Everything `calibrate check` shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Probe {
    /// Libraries, the required ones first.
    pub libraries: Vec<LibraryProbe>,
    /// Devices by ordinal.
    pub devices: Vec<DeviceProbe>,
    /// What keeps a GPU from being used at all: `None` when at least one can be.
    pub problem: Option<OpenError>,
}

/// Why no GPU can be used; the command ends with exit code 5.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// The driver's library is not there.
    #[error("no driver library was found (tried {})", tried.join(", "))]
    NoDriver {
        /// Names and folders that were tried.
        tried: Vec<String>,
    },
    /// The driver is there and sees no device.
    #[error("the driver sees no device")]
    NoDevice,
    /// Library and kernel module disagree.
    #[error("the driver library does not fit the kernel module: {reason}")]
    DriverMismatch {
        /// The driver's words.
        reason: String,
    },
    /// The driver is too old.
    #[error("the driver lacks {symbol}; version 470 or newer is needed")]
    MissingSymbol {
        /// The missing function.
        symbol: String,
    },
    /// There is no device with this ordinal.
    #[error("there is no device {ordinal}; the driver sees {count}")]
    NoSuchDevice {
        /// The ordinal asked for.
        ordinal: u32,
        /// Devices the driver sees.
        count: u32,
    },
    /// The driver refused the kernels.
    #[error("the driver refused the kernels: {reason}")]
    KernelRefused {
        /// The driver's words.
        reason: String,
    },
    /// Anything else the driver says.
    #[error("{reason}")]
    Other {
        /// The driver's words.
        reason: String,
    },
}
