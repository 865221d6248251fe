//! The imagined driver's memory of what it handed out.

use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use crate::content::Memory;
use crate::kernel::{self, Call};
use crate::nccl::Half;
use crate::numbers::uniform;
use crate::ranks::World;
use crate::speed::{MULTIPROCESSORS, SPEED, Scenario, setting};

/// Result codes of the driver that this one gives.
pub mod code {
    pub const SUCCESS: u32 = 0;
    pub const INVALID_VALUE: u32 = 1;
    pub const OUT_OF_MEMORY: u32 = 2;
    pub const NOT_INITIALIZED: u32 = 3;
    pub const STUB_LIBRARY: u32 = 34;
    pub const NO_DEVICE: u32 = 100;
    pub const INVALID_DEVICE: u32 = 101;
    pub const INVALID_PTX: u32 = 218;
    pub const UNSUPPORTED_PTX_VERSION: u32 = 222;
    pub const INVALID_HANDLE: u32 = 400;
    pub const NOT_FOUND: u32 = 500;
    pub const LAUNCH_FAILED: u32 = 719;
    pub const SYSTEM_DRIVER_MISMATCH: u32 = 803;
}

/// A stream: its own time, and what is being recorded into a graph.
#[derive(Default, Clone)]
pub struct Stream {
    pub seconds: f64,
    pub recording: Option<u64>,
}

/// Everything.
pub struct State {
    pub scenario: Scenario,
    pub initialised: bool,
    pub memory: Memory,
    pub streams: Vec<Stream>,
    /// Time of each event once recorded.
    pub events: Vec<Option<f64>>,
    /// Names of the kernels of each module.
    pub modules: Vec<Vec<String>>,
    /// Kernel names by handle.
    pub functions: Vec<String>,
    /// Launches in each graph.
    pub graphs: Vec<u64>,
    /// Stream of cuBLAS, and matrices described to cuBLASLt: type, rows, columns, leading dimension.
    pub blas_stream: usize,
    pub layouts: Vec<(i32, u64, u64, u64)>,
    /// Ranks of NCCL.
    pub ranks: u64,
    pub sends: Vec<Half>,
    pub receives: Vec<Half>,
    /// The other processes, where the ranks are in several.
    pub world: Option<World>,
    pub launches: u64,
    /// A failure after which the context is lost.
    pub lost: bool,
    /// Contexts, streams, events, modules and pinned memory that were not given back.
    pub open: i64,
}

static STATE: LazyLock<Mutex<State>> = LazyLock::new(|| {
    Mutex::new(State {
        scenario: Scenario::of_environment(),
        initialised: false,
        memory: Memory::default(),
        streams: vec![Stream::default()],
        events: Vec::new(),
        modules: Vec::new(),
        functions: Vec::new(),
        graphs: Vec::new(),
        blas_stream: 0,
        layouts: Vec::new(),
        ranks: 0,
        sends: Vec::new(),
        receives: Vec::new(),
        world: None,
        launches: 0,
        lost: false,
        open: 0,
    })
});

/// The one state of the process.
pub fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    /// Devices that are seen.
    pub fn devices(&self) -> i32 {
        match self.scenario {
            Scenario::NoDevice => 0,
            Scenario::TwoDevices => 2,
            _ => 1,
        }
    }

    /// Compute capability.
    pub fn capability(&self) -> (i32, i32) {
        if self.scenario == Scenario::OldGpu {
            return (6, 1);
        }
        let digits = setting("STANDIN_CAPABILITY", 80) as i32;
        (digits / 10, digits % 10)
    }

    /// An attribute of a device by its number in the header.
    pub fn attribute(&self, attribute: i32) -> i32 {
        match attribute {
            16 => MULTIPROCESSORS,
            32 => 1,
            38 => 4 << 20,
            75 => self.capability().0,
            76 => self.capability().1,
            _ => 0,
        }
    }

    /// Bytes of a device.
    pub fn total_memory(&self) -> u64 {
        2 << 30
    }

    /// True when an allocation cannot be served.
    pub fn refuses(&self, bytes: u64) -> bool {
        let most = if self.scenario == Scenario::OutOfMemory { 1 << 20 } else { self.total_memory() };
        self.memory.used + bytes > most
    }

    /// Loads kernel text, or says in which words it is refused.
    pub fn load(&mut self, text: &str) -> Result<u64, (u32, String)> {
        let version =
            text.lines().find_map(|l| l.strip_prefix(".version ")).and_then(|v| v.trim().parse::<f64>().ok());
        let Some(version) = version else {
            return Err((code::INVALID_PTX, "no version directive".to_owned()));
        };
        let newest = if self.scenario == Scenario::PtxRefused { 60 } else { setting("STANDIN_PTX", 88) };
        if version > newest as f64 / 10.0 {
            let words = format!(
                "Unsupported .version {version:.1}; current version is '{:.1}'",
                newest as f64 / 10.0
            );
            return Err((code::UNSUPPORTED_PTX_VERSION, words));
        }
        let names = text
            .split(".entry ")
            .skip(1)
            .map(|rest| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>());
        self.modules.push(names.collect());
        Ok(self.modules.len() as u64)
    }

    /// Runs a kernel, or records it.
    pub fn launch(&mut self, stream: usize, call: &Call<'_>) -> u32 {
        if self.lost {
            return code::LAUNCH_FAILED;
        }
        self.launches += 1;
        if self.scenario == Scenario::LaunchFailure && self.launches > setting("STANDIN_FAIL_AFTER", 2000) {
            self.lost = true;
            return code::LAUNCH_FAILED;
        }
        if let Some(recorded) = &mut self.streams[stream].recording {
            *recorded += 1;
            return code::SUCCESS;
        }
        let wrong = self.scenario == Scenario::WrongResult;
        match kernel::run(call, &mut self.memory, &SPEED, wrong) {
            Ok(seconds) => {
                // Half a percent of noise, the same in every run.
                let noise = 1.0 + 0.005 * (uniform(self.launches, 1) - 0.5);
                self.streams[stream].seconds += seconds.max(SPEED.launch) * noise;
                code::SUCCESS
            }
            Err(failure) => {
                self.lost = true;
                failure
            }
        }
    }

    /// Success, or the failure that is not over.
    pub fn standing(&self) -> u32 {
        if self.lost { code::LAUNCH_FAILED } else { code::SUCCESS }
    }
}

/// Name and meaning of a code, each ending in a zero.
pub fn words(result: u32) -> (&'static str, &'static str) {
    match result {
        code::SUCCESS => ("CUDA_SUCCESS\0", "no error\0"),
        code::INVALID_VALUE => ("CUDA_ERROR_INVALID_VALUE\0", "invalid argument\0"),
        code::OUT_OF_MEMORY => ("CUDA_ERROR_OUT_OF_MEMORY\0", "out of memory\0"),
        code::NOT_INITIALIZED => ("CUDA_ERROR_NOT_INITIALIZED\0", "initialization error\0"),
        code::STUB_LIBRARY => ("CUDA_ERROR_STUB_LIBRARY\0", "CUDA driver is a stub library\0"),
        code::NO_DEVICE => ("CUDA_ERROR_NO_DEVICE\0", "no CUDA-capable device is detected\0"),
        code::INVALID_DEVICE => ("CUDA_ERROR_INVALID_DEVICE\0", "invalid device ordinal\0"),
        code::INVALID_PTX => ("CUDA_ERROR_INVALID_PTX\0", "a PTX JIT compilation failed\0"),
        code::UNSUPPORTED_PTX_VERSION => (
            "CUDA_ERROR_UNSUPPORTED_PTX_VERSION\0",
            "the provided PTX was compiled with an unsupported toolchain.\0",
        ),
        code::INVALID_HANDLE => ("CUDA_ERROR_INVALID_HANDLE\0", "invalid resource handle\0"),
        code::NOT_FOUND => ("CUDA_ERROR_NOT_FOUND\0", "named symbol not found\0"),
        kernel::ILLEGAL_ADDRESS => {
            ("CUDA_ERROR_ILLEGAL_ADDRESS\0", "an illegal memory access was encountered\0")
        }
        code::LAUNCH_FAILED => ("CUDA_ERROR_LAUNCH_FAILED\0", "unspecified launch failure\0"),
        code::SYSTEM_DRIVER_MISMATCH => (
            "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH\0",
            "system has unsupported display driver / cuda driver combination\0",
        ),
        _ => ("CUDA_ERROR_UNKNOWN\0", "unknown error\0"),
    }
}
