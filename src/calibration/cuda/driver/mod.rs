//! The driver's functions that calibration calls, each a `Result`.
//!
//! cudarc resolves every function at its first call and panics when the library or the function is missing.
//! [`Driver::load`] therefore proves first that cudarc will open a library and that it has every name of [`SYMBOLS`]; the
//! wrappers call no others.
#![expect(unsafe_code, reason = "calls of the CUDA driver")]

mod context;
mod graph;
mod memory;
mod module;

use std::ffi::{CStr, c_char, c_int};

use cudarc::driver::sys::{self, CUdevice_attribute, CUresult};

use super::failure::Failure;
use super::library::{self, Opened};
use crate::calibration::opening::{LibraryProbe, LibrarySearch, OpenError};

pub use context::{Context, Event, Stream};
pub use graph::Graph;
pub use memory::{Buffer, Pinned};
pub use module::{Argument, Function, Grid, Module};

/// Every function of the driver that is called: all exist since driver 470 (CUDA 11.4).
pub const SYMBOLS: [&str; 44] = [
    "cuInit",
    "cuDriverGetVersion",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuDeviceGet",
    "cuDeviceGetCount",
    "cuDeviceGetName",
    "cuDeviceTotalMem_v2",
    "cuDeviceGetAttribute",
    "cuDeviceGetUuid",
    "cuDeviceGetPCIBusId",
    "cuDeviceCanAccessPeer",
    "cuDevicePrimaryCtxRetain",
    "cuDevicePrimaryCtxRelease_v2",
    "cuCtxSetCurrent",
    "cuCtxEnablePeerAccess",
    "cuMemGetInfo_v2",
    "cuMemAlloc_v2",
    "cuMemFree_v2",
    "cuMemHostAlloc",
    "cuMemFreeHost",
    "cuMemcpyHtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyPeerAsync",
    "cuMemsetD8Async",
    "cuModuleLoadDataEx",
    "cuModuleUnload",
    "cuModuleGetFunction",
    "cuFuncSetAttribute",
    "cuLaunchKernel",
    "cuStreamCreate",
    "cuStreamDestroy_v2",
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
    "cuStreamBeginCapture_v2",
    "cuStreamEndCapture",
    "cuEventCreate",
    "cuEventRecord",
    "cuEventElapsedTime",
    "cuEventDestroy_v2",
    "cuGraphInstantiateWithFlags",
    "cuGraphLaunch",
    "cuGraphDestroy",
    "cuGraphExecDestroy",
];

/// Proof that the driver is loaded, complete and initialised.
#[derive(Debug, Clone, Copy)]
pub struct Driver {
    /// CUDA version of the driver: 12040 is 12.4.
    pub version: i32,
}

impl Driver {
    /// Finds the driver's library, checks it and initialises it.
    pub fn load(search: &LibrarySearch) -> (LibraryProbe, Result<Self, OpenError>) {
        let (mut probe, opened) = library::find(&library::DRIVER, search, |opened, _| Ok(opened));
        let Some(opened) = opened else {
            let error = OpenError::NoDriver { tried: probe.tried.clone() };
            return (probe, Err(error));
        };
        let driver = Self::of(opened);
        match &driver {
            Ok(driver) => probe.version = Some(version_text(driver.version)),
            Err(error) => probe.problem = Some(error.to_string()),
        }
        (probe, driver)
    }

    fn of(opened: Opened) -> Result<Self, OpenError> {
        require_symbols(opened)?;
        // cudarc opens by bare names of its own. Were that another file (a stub of the toolkit, say), it must be
        // complete as well.
        let names = ["cuda", "nvcuda"].into_iter().flat_map(cudarc::get_lib_name_candidates);
        let Some(theirs) = names.into_iter().find_map(|name| library::open_by_name(&name)) else {
            let reason =
                "the driver opens by its path but not by its name; add its folder to LD_LIBRARY_PATH";
            return Err(OpenError::Other { reason: reason.to_owned() });
        };
        require_symbols(theirs)?;
        // SAFETY: the library is loaded and has the function; zero is the only allowed flag.
        check("cuInit", unsafe { sys::cuInit(0) }).map_err(Failure::while_opening)?;
        let mut version: c_int = 0;
        // SAFETY: the pointer is valid for the call.
        check("cuDriverGetVersion", unsafe { sys::cuDriverGetVersion(&raw mut version) })
            .map_err(Failure::while_opening)?;
        Ok(Self { version })
    }

    /// Number of devices it sees.
    ///
    /// # Errors
    /// The driver's failure.
    #[expect(clippy::unused_self, reason = "the value proves that the driver is loaded")]
    pub fn device_count(self) -> Result<u32, Failure> {
        let mut count: c_int = 0;
        // SAFETY: the pointer is valid for the call.
        check("cuDeviceGetCount", unsafe { sys::cuDeviceGetCount(&raw mut count) })?;
        Ok(u32::try_from(count).unwrap_or(0))
    }

    /// A device by its ordinal.
    ///
    /// # Errors
    /// The driver's failure.
    #[expect(clippy::unused_self, reason = "the value proves that the driver is loaded")]
    pub fn device(self, ordinal: u32) -> Result<Gpu, Failure> {
        let mut handle: sys::CUdevice = 0;
        let place = c_int::try_from(ordinal).unwrap_or(c_int::MAX);
        // SAFETY: the pointer is valid for the call.
        check("cuDeviceGet", unsafe { sys::cuDeviceGet(&raw mut handle, place) })?;
        Ok(Gpu { handle, ordinal })
    }
}

/// A device of the driver, not yet opened.
#[derive(Debug, Clone, Copy)]
pub struct Gpu {
    handle: sys::CUdevice,
    /// Its ordinal.
    pub ordinal: u32,
}

impl Gpu {
    /// The name.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn name(self) -> Result<String, Failure> {
        let mut text = [0 as c_char; 128];
        let length = text.len() as c_int;
        // SAFETY: the buffer has the length that is given.
        check("cuDeviceGetName", unsafe { sys::cuDeviceGetName(text.as_mut_ptr(), length, self.handle) })?;
        Ok(ended(&text))
    }

    /// Bus id as the management library wants it.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn bus_id(self) -> Result<String, Failure> {
        let mut text = [0 as c_char; 32];
        let length = text.len() as c_int;
        // SAFETY: the buffer has the length that is given.
        let code = unsafe { sys::cuDeviceGetPCIBusId(text.as_mut_ptr(), length, self.handle) };
        check("cuDeviceGetPCIBusId", code)?;
        Ok(ended(&text))
    }

    /// The unique id.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn uuid(self) -> Result<[u8; 16], Failure> {
        let mut id = sys::CUuuid { bytes: [0; 16] };
        // SAFETY: the pointer is valid for the call.
        check("cuDeviceGetUuid", unsafe { sys::cuDeviceGetUuid(&raw mut id, self.handle) })?;
        Ok(id.bytes.map(|b| b as u8))
    }

    /// Memory in bytes.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn memory(self) -> Result<u64, Failure> {
        let mut bytes: usize = 0;
        // SAFETY: the pointer is valid for the call.
        check("cuDeviceTotalMem", unsafe { sys::cuDeviceTotalMem_v2(&raw mut bytes, self.handle) })?;
        Ok(bytes as u64)
    }

    /// A number the driver knows of the device.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn attribute(self, attribute: CUdevice_attribute) -> Result<i32, Failure> {
        let mut value: c_int = 0;
        // SAFETY: the pointer is valid for the call.
        let code = unsafe { sys::cuDeviceGetAttribute(&raw mut value, attribute, self.handle) };
        check("cuDeviceGetAttribute", code)?;
        Ok(value)
    }

    /// Compute capability.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn compute_capability(self) -> Result<(u32, u32), Failure> {
        let major = self.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = self.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        Ok((major.unsigned_abs(), minor.unsigned_abs()))
    }

    /// True when this device can address the other's memory.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn can_access(self, other: Self) -> Result<bool, Failure> {
        let mut can: c_int = 0;
        // SAFETY: the pointer is valid for the call.
        let code = unsafe { sys::cuDeviceCanAccessPeer(&raw mut can, self.handle, other.handle) };
        check("cuDeviceCanAccessPeer", code)?;
        Ok(can != 0)
    }
}

fn require_symbols(opened: Opened) -> Result<(), OpenError> {
    match SYMBOLS.iter().find(|symbol| !opened.has(symbol)) {
        Some(symbol) => Err(OpenError::MissingSymbol { symbol: (*symbol).to_owned() }),
        None => Ok(()),
    }
}

/// `12.4` of 12040.
pub fn version_text(version: i32) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}

fn ended(text: &[c_char]) -> String {
    let bytes: Vec<u8> = text.iter().map(|&c| c as u8).take_while(|&c| c != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The result of a call, with the driver's own words where it failed.
fn check(call: &str, result: CUresult) -> Result<(), Failure> {
    if result == CUresult::CUDA_SUCCESS {
        return Ok(());
    }
    let mut name: *const c_char = std::ptr::null();
    let mut meaning: *const c_char = std::ptr::null();
    // SAFETY: the pointers are valid for the calls; what they are set to is static text of the driver, or null.
    unsafe {
        let _ = sys::cuGetErrorName(result, &raw mut name);
        let _ = sys::cuGetErrorString(result, &raw mut meaning);
    }
    let text = |from: *const c_char| {
        // SAFETY: not null, so static text of the driver.
        (!from.is_null()).then(|| unsafe { CStr::from_ptr(from) }.to_string_lossy().into_owned())
    };
    let code = result as u32;
    let name = text(name).unwrap_or_else(|| format!("code {code}"));
    let meaning = text(meaning).map_or_else(String::new, |m| format!(": {m}"));
    Err(Failure { code, text: format!("{name}{meaning} ({call})") })
}
