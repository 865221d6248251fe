//! What the operating system tells of the host.

use super::super::device::{DeviceFacts, DeviceKind, Library};
use super::super::measurement::Format;

/// Resolution of the monotonic clock, with the cost of reading it.
const CLOCK: f64 = 1e-7;

/// Name of the CPU, where the system tells.
pub fn cpu_name() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|l| l.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// Facts of the host CPU; what the system does not tell is absent.
pub fn facts() -> DeviceFacts {
    let name = cpu_name().unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    DeviceFacts {
        multiprocessors: Some(threads as u32),
        l2: last_cache(),
        memory: memory("MemTotal:"),
        memory_free: memory("MemAvailable:"),
        libraries: vec![Library { name: "matrixmultiply".to_owned(), version: "0.3".to_owned() }],
        clock_resolution: CLOCK,
        vector: vec![Format::Fp32, Format::Fp64],
        product_source: "matrixmultiply 0.3".to_owned(),
        l2_read: true,
        host_copies: true,
        ..DeviceFacts::new(DeviceKind::Cpu, &name)
    }
}

/// A line of the memory table, in bytes.
fn memory(key: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|l| l.starts_with(key))?;
    kibibytes(line.split_whitespace().nth(1)?)
}

/// The largest cache of the first core.
fn last_cache() -> Option<u64> {
    let size = |index: u32| {
        let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/size");
        kibibytes(std::fs::read_to_string(path).ok()?.trim().strip_suffix('K')?)
    };
    (0..5).filter_map(size).max()
}

fn kibibytes(text: &str) -> Option<u64> {
    Some(text.parse::<u64>().ok()? << 10)
}
