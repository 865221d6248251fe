//! Clocks, power, temperature and throttling through NVML. Nothing depends on it: what it does not tell is `None`.
#![expect(unsafe_code, reason = "calls of NVML")]

use std::ffi::{CString, c_char, c_int, c_uint, c_ulonglong, c_void};
use std::time::{Duration, Instant};

use super::library::{self, Opened};
use crate::calibration::measurement::{Environment, Throttle};
use crate::calibration::opening::{LibraryProbe, LibrarySearch};

type Handle = *mut c_void;
type One = unsafe extern "C" fn(Handle, *mut c_uint) -> c_int;
type Two = unsafe extern "C" fn(Handle, *mut c_uint, *mut c_uint) -> c_int;
type Chosen = unsafe extern "C" fn(Handle, c_uint, *mut c_uint) -> c_int;
type Wide = unsafe extern "C" fn(Handle, *mut c_ulonglong) -> c_int;
type Memory = unsafe extern "C" fn(Handle, *mut [c_ulonglong; 3]) -> c_int;
type Utilisation = unsafe extern "C" fn(Handle, *mut [c_uint; 2]) -> c_int;
type ByBusId = unsafe extern "C" fn(*const c_char, *mut Handle) -> c_int;
type Text = unsafe extern "C" fn(*mut c_char, c_uint) -> c_int;

/// Readings are not taken more often.
const PERIOD: Duration = Duration::from_millis(50);
/// A device is shared when that much of its memory or time is taken before we begin, in percent.
const SHARED_PERCENT: u64 = 5;

/// The library, initialised.
#[derive(Debug, Clone, Copy)]
pub struct Nvml {
    by_bus_id: ByBusId,
    driver_version: Option<Text>,
    clock: Option<Chosen>,
    temperature: Option<Chosen>,
    power: Option<One>,
    power_limit: Option<One>,
    throttle: Option<Wide>,
    pcie_generation: Option<One>,
    pcie_width: Option<One>,
    ecc: Option<Two>,
    mig: Option<Two>,
    memory: Option<Memory>,
    utilisation: Option<Utilisation>,
}

impl Nvml {
    /// Looks for the library and initialises it.
    pub fn find(search: &LibrarySearch) -> (LibraryProbe, Option<Self>) {
        let (mut probe, nvml) = library::find(&library::NVML, search, |opened, _| Self::of(opened));
        probe.version = nvml.and_then(Self::driver_version);
        (probe, nvml)
    }

    fn of(opened: Opened) -> Result<Self, String> {
        // SAFETY: the types are those of nvml.h; enumerations are passed as `int`, and the structures for memory and
        // utilisation are three 64-bit and two 32-bit words.
        unsafe {
            let missing = |symbol| format!("lacks {symbol}");
            let init: unsafe extern "C" fn() -> c_int = opened.function("nvmlInit_v2").map_err(missing)?;
            let by_bus_id = opened.function("nvmlDeviceGetHandleByPciBusId_v2").map_err(missing)?;
            let code = init();
            if code != 0 {
                return Err(format!("nvmlInit gives status {code}"));
            }
            let throttle = opened
                .function("nvmlDeviceGetCurrentClocksThrottleReasons")
                .or_else(|_| opened.function("nvmlDeviceGetCurrentClocksEventReasons"));
            Ok(Self {
                by_bus_id,
                driver_version: opened.function("nvmlSystemGetDriverVersion").ok(),
                clock: opened.function("nvmlDeviceGetClockInfo").ok(),
                temperature: opened.function("nvmlDeviceGetTemperature").ok(),
                power: opened.function("nvmlDeviceGetPowerUsage").ok(),
                power_limit: opened.function("nvmlDeviceGetEnforcedPowerLimit").ok(),
                throttle: throttle.ok(),
                pcie_generation: opened.function("nvmlDeviceGetCurrPcieLinkGeneration").ok(),
                pcie_width: opened.function("nvmlDeviceGetCurrPcieLinkWidth").ok(),
                ecc: opened.function("nvmlDeviceGetEccMode").ok(),
                mig: opened.function("nvmlDeviceGetMigMode").ok(),
                memory: opened.function("nvmlDeviceGetMemoryInfo").ok(),
                utilisation: opened.function("nvmlDeviceGetUtilizationRates").ok(),
            })
        }
    }

    /// Version of the driver, as people know it: `550.54.15`.
    pub fn driver_version(self) -> Option<String> {
        let mut text = [0 as c_char; 96];
        // SAFETY: the buffer has the length that is given.
        let code = unsafe { self.driver_version?(text.as_mut_ptr(), text.len() as c_uint) };
        let bytes = text.iter().map(|&c| c as u8).take_while(|&c| c != 0).collect();
        (code == 0).then(|| String::from_utf8(bytes).ok()).flatten()
    }

    /// The device at a PCI bus id: ordinals of the two libraries differ.
    pub fn device(self, bus_id: &str) -> Option<NvmlDevice> {
        let id = CString::new(bus_id).ok()?;
        let mut handle: Handle = std::ptr::null_mut();
        // SAFETY: the text ends in a zero and the pointer is valid for the call.
        let code = unsafe { (self.by_bus_id)(id.as_ptr(), &raw mut handle) };
        (code == 0).then_some(NvmlDevice { nvml: self, handle, last: None })
    }
}

/// One device of NVML.
#[derive(Debug)]
pub struct NvmlDevice {
    nvml: Nvml,
    handle: Handle,
    last: Option<(Instant, Environment)>,
}

impl NvmlDevice {
    fn one(&self, function: Option<One>) -> Option<u32> {
        let mut value: c_uint = 0;
        // SAFETY: the handle is of this library and the pointer is valid for the call.
        let code = unsafe { function?(self.handle, &raw mut value) };
        (code == 0).then_some(value)
    }

    fn chosen(&self, function: Option<Chosen>, which: c_uint) -> Option<u32> {
        let mut value: c_uint = 0;
        // SAFETY: the handle is of this library and the pointer is valid for the call.
        let code = unsafe { function?(self.handle, which, &raw mut value) };
        (code == 0).then_some(value)
    }

    fn on(&self, function: Option<Two>) -> Option<bool> {
        let (mut now, mut pending): (c_uint, c_uint) = (0, 0);
        // SAFETY: the handle is of this library and the pointers are valid for the call.
        let code = unsafe { function?(self.handle, &raw mut now, &raw mut pending) };
        (code == 0).then_some(now != 0)
    }

    /// Error correction is on.
    pub fn ecc(&self) -> Option<bool> {
        self.on(self.nvml.ecc)
    }

    /// The GPU is split into slices.
    pub fn mig(&self) -> Option<bool> {
        self.on(self.nvml.mig)
    }

    /// Power limit in watts.
    pub fn power_limit(&self) -> Option<f64> {
        self.one(self.nvml.power_limit).map(|milliwatts| f64::from(milliwatts) / 1000.0)
    }

    /// PCIe generation and lanes now; they may be lower while the device idles.
    pub fn pcie(&self) -> Option<(u32, u32)> {
        Some((self.one(self.nvml.pcie_generation)?, self.one(self.nvml.pcie_width)?))
    }

    /// Memory or time of the device is taken by others; asked before we take any.
    pub fn shared(&self) -> Option<bool> {
        let (mut memory, mut rates) = ([0; 3], [0; 2]);
        // SAFETY: the handle is of this library; the structures are total, free, used and GPU, memory.
        let memory_code = self.nvml.memory.map(|f| unsafe { f(self.handle, &raw mut memory) });
        // SAFETY: as above.
        let rates_code = self.nvml.utilisation.map(|f| unsafe { f(self.handle, &raw mut rates) });
        let [total, _, used] = memory;
        let memory_taken = (memory_code == Some(0)).then_some(used * 100 > total * SHARED_PERCENT);
        let time_taken = (rates_code == Some(0)).then_some(u64::from(rates[0]) > SHARED_PERCENT);
        match (memory_taken, time_taken) {
            (None, None) => None,
            (memory, time) => Some(memory.unwrap_or(false) || time.unwrap_or(false)),
        }
    }

    /// State now, or a moment ago.
    pub fn environment(&mut self) -> Environment {
        if let Some((at, environment)) = &self.last
            && at.elapsed() < PERIOD
        {
            return environment.clone();
        }
        let environment = self.read();
        self.last = Some((Instant::now(), environment.clone()));
        environment
    }

    fn read(&self) -> Environment {
        // nvmlClockType_t: 1 multiprocessors, 2 memory.
        let mut reasons: c_ulonglong = 0;
        // SAFETY: the handle is of this library and the pointer is valid for the call.
        let code = self.nvml.throttle.map(|f| unsafe { f(self.handle, &raw mut reasons) });
        Environment {
            clock_mhz: self.chosen(self.nvml.clock, 1).map(f64::from),
            memory_mhz: self.chosen(self.nvml.clock, 2).map(f64::from),
            watts: self.one(self.nvml.power).map(|milliwatts| f64::from(milliwatts) / 1000.0),
            celsius: self.chosen(self.nvml.temperature, 0).map(f64::from),
            throttle: (code == Some(0)).then(|| throttle_reasons(reasons)),
        }
    }
}

/// The reasons that hold the clock down; idle (1), application clocks (2) and display clocks (256) are none.
fn throttle_reasons(bits: u64) -> Vec<Throttle> {
    let known = [(0x4, Throttle::Power), (0x60, Throttle::Thermal), (0x88, Throttle::Hardware)];
    let mut found: Vec<Throttle> =
        known.iter().filter(|(mask, _)| bits & mask != 0).map(|&(_, t)| t).collect();
    if bits & !(0x1 | 0x2 | 0x100 | 0x4 | 0x60 | 0x88) != 0 {
        found.push(Throttle::Other);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_and_application_clocks_are_no_reason() {
        assert_eq!(throttle_reasons(0), []);
        assert_eq!(throttle_reasons(0x103), []);
        assert_eq!(throttle_reasons(0x4), [Throttle::Power]);
        assert_eq!(throttle_reasons(0x45), [Throttle::Power, Throttle::Thermal]);
        assert_eq!(throttle_reasons(0x10), [Throttle::Other]);
    }
}
