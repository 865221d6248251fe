//! How the program ends.

use std::process::ExitCode;

/// The exit codes, a contract with scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum ExitStatus {
    /// Done; also when the reader of a pipe closed it.
    Success = 0,
    /// Unexpected I/O failure.
    Io = 1,
    /// Wrong usage, or an unknown name.
    Usage = 2,
    /// Invalid data in a file.
    InvalidData = 3,
    /// Nothing feasible.
    NothingFeasible = 4,
    /// No GPU where one is needed.
    NoGpu = 5,
    /// Outside a stated tolerance.
    OutsideTolerance = 6,
}

impl ExitStatus {
    /// The number.
    pub const fn code(self) -> u8 {
        self as u8
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(status.code())
    }
}
