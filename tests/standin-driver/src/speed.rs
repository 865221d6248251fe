//! How fast the imagined GPU is, and what goes wrong on it.

/// Rates in FLOP per second and bytes per second.
pub struct Speed {
    pub fp32: f64,
    pub fp64: f64,
    /// Matrix units with 16-bit operands; others by their size.
    pub matrix: f64,
    pub dram: f64,
    pub l2: f64,
    /// Host link.
    pub host: f64,
    /// Between two devices.
    pub peer: f64,
    /// Between two processes, and before it begins.
    pub network: f64,
    pub network_start: f64,
    /// Seconds a kernel takes at least.
    pub launch: f64,
    /// The same inside a graph.
    pub in_graph: f64,
    /// Before a copy begins.
    pub copy_start: f64,
}

pub const SPEED: Speed = Speed {
    fp32: 19.0e12,
    fp64: 9.5e12,
    matrix: 280.0e12,
    dram: 1.35e12,
    l2: 4.0e12,
    host: 12.0e9,
    peer: 200.0e9,
    network: 20.0e9,
    network_start: 50.0e-6,
    launch: 2.5e-6,
    in_graph: 1.2e-6,
    copy_start: 8.0e-6,
};

/// Multiprocessors of the imagined GPU.
pub const MULTIPROCESSORS: i32 = 8;

impl Speed {
    /// Few threads do not fill the memory.
    pub fn shape(&self, threads: u64) -> f64 {
        if threads < 4096 * MULTIPROCESSORS as u64 / 4 { 1.2 } else { 1.0 }
    }
}

/// What the driver does, by the environment variable `STANDIN_SCENARIO`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Scenario {
    Normal,
    NoDevice,
    DriverMismatch,
    OutOfMemory,
    PtxRefused,
    LaunchFailure,
    TwoDevices,
    WrongResult,
    OldGpu,
    StubLibrary,
}

impl Scenario {
    pub fn of_environment() -> Self {
        match std::env::var("STANDIN_SCENARIO").unwrap_or_default().as_str() {
            "no-device" => Scenario::NoDevice,
            "driver-mismatch" => Scenario::DriverMismatch,
            "out-of-memory" => Scenario::OutOfMemory,
            "ptx-refused" => Scenario::PtxRefused,
            "launch-failure" => Scenario::LaunchFailure,
            "two-devices" => Scenario::TwoDevices,
            "wrong-result" => Scenario::WrongResult,
            "old-gpu" => Scenario::OldGpu,
            "stub-library" => Scenario::StubLibrary,
            _ => Scenario::Normal,
        }
    }
}

/// A number from the environment.
pub fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}
