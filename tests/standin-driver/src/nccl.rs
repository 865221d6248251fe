//! NCCL and NVML: the file under their names.

use std::ffi::{CStr, c_char, c_int, c_uint, c_ulonglong, c_void};

use crate::content::Content;
use crate::numbers::Sequence;
use crate::speed::{SPEED, setting};
use crate::state::state;
use crate::{give, handle, number};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ncclGetVersion(version: *mut c_int) -> c_int {
    unsafe { give(version, 22_105) };
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ncclGetErrorString(_code: c_int) -> *const c_char {
    c"stand-in error".as_ptr()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ncclCommInitAll(
    ranks: *mut *mut c_void,
    count: c_int,
    _devices: *const c_int,
) -> c_int {
    let mut state = state();
    state.ranks = count as u64;
    for rank in 0..count as usize {
        state.open += 1;
        unsafe { ranks.add(rank).write(handle(rank + 1)) };
    }
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ncclCommDestroy(_rank: *mut c_void) -> c_int {
    state().open -= 1;
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ncclGroupStart() -> c_int {
    0
}

/// Half of a transfer between two ranks: from, to, address, floats, stream.
pub type Half = (u64, u64, u64, u64, usize);

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ncclGroupEnd() -> c_int {
    let mut state = state();
    let sends = std::mem::take(&mut state.sends);
    for (from, to, address, floats, stream) in std::mem::take(&mut state.receives) {
        let sent = sends.iter().find(|s| (s.0, s.1, s.3) == (from, to, floats));
        let Some(data) = sent.and_then(|s| state.memory.sequence(s.2)) else { return 5 };
        state.memory.write(address, floats * 4, Content::Generated(data));
        state.streams[stream].seconds += 20e-6 + (floats * 4) as f64 / SPEED.peer;
    }
    0
}

/// Ranks hold the same data, so that a result follows from one rank's. A sum is as long as the float says it is.
fn collective(send: u64, receive: u64, floats: u64, skip: u64, sum: bool, stream: *mut c_void) -> c_int {
    let mut state = state();
    let Some(sent) = state.memory.sequence(send) else { return 4 };
    let ranks = state.ranks;
    let unit = if sum { sent.unit * ranks as f32 } else { sent.unit };
    let content = Content::Generated(Sequence { base: sent.base + skip, unit, ..sent });
    if !state.memory.holds(receive, floats * 4) {
        return 4;
    }
    state.memory.write(receive, floats * 4, content);
    state.streams[number(stream)].seconds += 20e-6 + (floats * 4) as f64 / SPEED.peer;
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ncclAllReduce(
    send: u64,
    receive: u64,
    count: usize,
    kind: c_int,
    operation: c_int,
    _rank: *mut c_void,
    stream: *mut c_void,
) -> c_int {
    if (kind, operation) == (7, 0) { collective(send, receive, count as u64, 0, true, stream) } else { 4 }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ncclReduceScatter(
    send: u64,
    receive: u64,
    count: usize,
    _kind: c_int,
    _operation: c_int,
    rank: *mut c_void,
    stream: *mut c_void,
) -> c_int {
    collective(send, receive, count as u64, (number(rank) as u64 - 1) * count as u64, true, stream)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ncclAllGather(
    send: u64,
    receive: u64,
    count: usize,
    _kind: c_int,
    _rank: *mut c_void,
    stream: *mut c_void,
) -> c_int {
    collective(send, receive, count as u64, 0, false, stream)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ncclSend(
    send: u64,
    count: usize,
    _kind: c_int,
    peer: c_int,
    rank: *mut c_void,
    stream: *mut c_void,
) -> c_int {
    let half = (number(rank) as u64 - 1, peer as u64, send, count as u64, number(stream));
    state().sends.push(half);
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ncclRecv(
    receive: u64,
    count: usize,
    _kind: c_int,
    peer: c_int,
    rank: *mut c_void,
    stream: *mut c_void,
) -> c_int {
    let half = (peer as u64, number(rank) as u64 - 1, receive, count as u64, number(stream));
    state().receives.push(half);
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlInit_v2() -> c_int {
    setting("STANDIN_NVML_STATUS", 0) as c_int
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemGetDriverVersion(text: *mut c_char, _length: c_uint) -> c_int {
    for (place, byte) in b"550.54.15\0".iter().enumerate() {
        unsafe { text.add(place).write(*byte as c_char) };
    }
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetHandleByPciBusId_v2(
    id: *const c_char,
    device: *mut *mut c_void,
) -> c_int {
    let known = unsafe { CStr::from_ptr(id) }.to_bytes().starts_with(b"0000:0");
    unsafe { give(device, handle(1)) };
    if known { 0 } else { 2 }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetClockInfo(
    _device: *mut c_void,
    kind: c_uint,
    clock: *mut c_uint,
) -> c_int {
    unsafe { give(clock, if kind == 1 { 1410 } else { 1593 }) };
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetTemperature(
    _device: *mut c_void,
    _which: c_uint,
    to: *mut c_uint,
) -> c_int {
    unsafe { give(to, 55) };
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetPowerUsage(_device: *mut c_void, milliwatts: *mut c_uint) -> c_int {
    unsafe { give(milliwatts, 312_500) };
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetEnforcedPowerLimit(
    _device: *mut c_void,
    milliwatts: *mut c_uint,
) -> c_int {
    unsafe { give(milliwatts, 400_000) };
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetCurrentClocksThrottleReasons(
    _device: *mut c_void,
    reasons: *mut c_ulonglong,
) -> c_int {
    unsafe { give(reasons, setting("STANDIN_THROTTLE", 0)) };
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMemoryInfo(
    _device: *mut c_void,
    memory: *mut [c_ulonglong; 3],
) -> c_int {
    let used = setting("STANDIN_MEMORY_USED", 0);
    unsafe { give(memory, [1 << 31, (1 << 31) - used, used]) };
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMigMode(
    _device: *mut c_void,
    now: *mut c_uint,
    pending: *mut c_uint,
) -> c_int {
    unsafe {
        give(now, 0);
        give(pending, 0);
    }
    0
}
