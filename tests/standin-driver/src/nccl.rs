//! NCCL and NVML: the file under their names.

use std::ffi::{CStr, c_char, c_int, c_uint, c_ulonglong, c_void};

use crate::content::Content;
use crate::numbers::{Kind, Sequence};
use crate::ranks::{World, start_hub};
use crate::speed::{SPEED, setting};
use crate::state::{State, state};
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

/// The id of a group: the port of its hub.
#[repr(C)]
pub struct UniqueId([u8; 128]);

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ncclGetUniqueId(to: *mut UniqueId) -> c_int {
    let Ok(port) = start_hub() else { return 2 };
    let mut id = [0; 128];
    id[..2].copy_from_slice(&port.to_le_bytes());
    unsafe { give(to, UniqueId(id)) };
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ncclCommInitRank(
    to: *mut *mut c_void,
    ranks: c_int,
    id: UniqueId,
    rank: c_int,
) -> c_int {
    let port = u16::from_le_bytes([id.0[0], id.0[1]]);
    let Ok(world) = World::join(port, ranks as u64, rank as u64) else { return 2 };
    let mut state = state();
    state.ranks = ranks as u64;
    state.world = Some(world);
    state.open += 1;
    unsafe { give(to, handle(rank as usize + 1)) };
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ncclCommDestroy(_rank: *mut c_void) -> c_int {
    state().open -= 1;
    state().world = None;
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
    if state.world.is_some() && !(state.sends.is_empty() && state.receives.is_empty()) {
        return received_from_others(&mut state);
    }
    let sends = std::mem::take(&mut state.sends);
    for (from, to, address, floats, stream) in std::mem::take(&mut state.receives) {
        let sent = sends.iter().find(|s| (s.0, s.1, s.3) == (from, to, floats));
        let Some(data) = sent.and_then(|s| state.memory.sequence(s.2)) else { return 5 };
        state.memory.write(address, floats * 4, Content::Generated(data));
        state.streams[stream].seconds += 20e-6 + (floats * 4) as f64 / SPEED.peer;
    }
    0
}

/// Halves of transfers as they go to the other ranks: receiver, floats, and the data.
fn told(sends: &[(u64, u64, Sequence)]) -> Vec<u8> {
    let words = sends
        .iter()
        .flat_map(|(to, floats, data)| [*to, *floats, data.seed, u64::from(data.unit.to_bits()), data.base]);
    words.flat_map(u64::to_le_bytes).collect()
}

fn heard(said: &[u8]) -> Vec<(u64, u64, Sequence)> {
    let words: Vec<u64> =
        said.chunks_exact(8).map(|w| u64::from_le_bytes(w.try_into().unwrap_or_default())).collect();
    let each = words.chunks_exact(5);
    each.map(|w| {
        let unit = f32::from_bits(w[3] as u32);
        (w[0], w[1], Sequence { kind: Kind::F32, seed: w[2], unit, base: w[4] })
    })
    .collect()
}

/// The end of a group whose ranks are in several processes.
fn received_from_others(state: &mut State) -> c_int {
    let sends = std::mem::take(&mut state.sends);
    let receives = std::mem::take(&mut state.receives);
    let with_data = |s: &Half| state.memory.sequence(s.2).map(|data| (s.1, s.3, data));
    let Some(mine) = sends.iter().map(with_data).collect::<Option<Vec<_>>>() else { return 4 };
    let Some(world) = &mut state.world else { return 5 };
    let rank = world.rank;
    let Ok(all) = world.exchange(&told(&mine)) else { return 6 };
    for (from, to, address, floats, stream) in receives {
        let sent = all.get(from as usize).map(|said| heard(said)).unwrap_or_default();
        let Some((.., data)) = sent.into_iter().find(|s| (s.0, s.1) == (rank, floats)) else { return 5 };
        if to != rank || !state.memory.holds(address, floats * 4) {
            return 4;
        }
        state.memory.write(address, floats * 4, Content::Generated(data));
        pass_network(state, rank, stream, floats * 4);
    }
    0
}

/// Higher ranks are slower, by a tenth each.
fn pass_network(state: &mut State, rank: u64, stream: usize, bytes: u64) {
    let seconds = SPEED.network_start + bytes as f64 / SPEED.network;
    state.streams[stream].seconds += seconds * (1.0 + 0.1 * rank as f64);
}

/// The greatest of one float of every rank.
fn greatest(send: u64, receive: u64, stream: *mut c_void) -> c_int {
    let mut state = state();
    let mut own = [0; 4];
    match state.memory.at(send) {
        Some((content, offset)) => content.read(offset, &mut own),
        None => return 4,
    }
    let Some(world) = &mut state.world else { return 5 };
    let rank = world.rank;
    let Ok(all) = world.exchange(&own) else { return 6 };
    if all.iter().any(|said| said.len() != 4) || !state.memory.holds(receive, 4) {
        return 5;
    }
    let floats = all.iter().map(|said| f32::from_le_bytes([said[0], said[1], said[2], said[3]]));
    let most = floats.fold(f32::NEG_INFINITY, f32::max);
    state.memory.write(receive, 4, Content::Bytes(most.to_le_bytes().to_vec()));
    pass_network(&mut state, rank, number(stream), 4);
    0
}

/// Ranks hold the same data, so that a result follows from one rank's. A sum is as long as the float says it is.
fn collective(send: u64, receive: u64, floats: u64, skip: u64, sum: bool, stream: *mut c_void) -> c_int {
    let mut state = state();
    let Some(sent) = state.memory.sequence(send) else { return 4 };
    let ranks = state.ranks;
    let rank = match &mut state.world {
        Some(world) => {
            let called = [floats, u64::from(sum), sent.seed, sent.base];
            let said: Vec<u8> = called.into_iter().flat_map(u64::to_le_bytes).collect();
            if !world.agree(&said) {
                return 5;
            }
            Some(world.rank)
        }
        None => None,
    };
    let unit = if sum { sent.unit * ranks as f32 } else { sent.unit };
    let content = Content::Generated(Sequence { base: sent.base + skip, unit, ..sent });
    if !state.memory.holds(receive, floats * 4) {
        return 4;
    }
    state.memory.write(receive, floats * 4, content);
    match rank {
        Some(rank) => pass_network(&mut state, rank, number(stream), floats * 4),
        None => state.streams[number(stream)].seconds += 20e-6 + (floats * 4) as f64 / SPEED.peer,
    }
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
    match (kind, operation, count) {
        (7, 0, _) => collective(send, receive, count as u64, 0, true, stream),
        (7, 2, 1) => greatest(send, receive, stream),
        _ => 4,
    }
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
