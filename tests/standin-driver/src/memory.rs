//! Memory: allocation and copies.

use std::ffi::{c_uchar, c_uint, c_void};

use crate::content::Content;
use crate::speed::SPEED;
use crate::state::{State, code, state};
use crate::{give, number};

/// Bytes of the host's data that are kept: enough to check them.
const KEPT: usize = 1 << 16;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAlloc_v2(address: *mut u64, bytes: usize) -> u32 {
    let mut state = state();
    if bytes == 0 {
        return code::INVALID_VALUE;
    }
    if state.refuses(bytes as u64) {
        return code::OUT_OF_MEMORY;
    }
    unsafe { give(address, state.memory.allocate(bytes as u64)) };
    code::SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemFree_v2(address: u64) -> u32 {
    if state().memory.free(address) { code::SUCCESS } else { code::INVALID_VALUE }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemHostAlloc(memory: *mut *mut c_void, bytes: usize, _flags: c_uint) -> u32 {
    // The size is kept in front, for the release.
    let Ok(layout) = std::alloc::Layout::from_size_align(bytes + 64, 64) else { return code::OUT_OF_MEMORY };
    unsafe {
        let start = std::alloc::alloc(layout);
        if start.is_null() {
            return code::OUT_OF_MEMORY;
        }
        start.cast::<usize>().write(bytes);
        give(memory, start.add(64).cast());
    }
    state().open += 1;
    code::SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemFreeHost(memory: *mut c_void) -> u32 {
    unsafe {
        let start = memory.cast::<u8>().sub(64);
        let bytes = start.cast::<usize>().read();
        if let Ok(layout) = std::alloc::Layout::from_size_align(bytes + 64, 64) {
            std::alloc::dealloc(start, layout);
        }
    }
    state().open -= 1;
    code::SUCCESS
}

impl State {
    fn pass(&mut self, stream: *mut c_void, seconds: f64) {
        self.streams[number(stream)].seconds += SPEED.copy_start + seconds;
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoDAsync_v2(
    target: u64,
    source: *const c_void,
    bytes: usize,
    stream: *mut c_void,
) -> u32 {
    let mut state = state();
    if !state.memory.holds(target, bytes as u64) {
        return code::INVALID_VALUE;
    }
    let kept = unsafe { std::slice::from_raw_parts(source.cast::<u8>(), bytes.min(KEPT)) };
    state.memory.write(target, bytes as u64, Content::Bytes(kept.to_vec()));
    state.pass(stream, bytes as f64 / SPEED.host);
    state.standing()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoHAsync_v2(
    target: *mut c_void,
    source: u64,
    bytes: usize,
    stream: *mut c_void,
) -> u32 {
    let mut state = state();
    if !state.memory.holds(source, bytes as u64) {
        return code::INVALID_VALUE;
    }
    let to = unsafe { std::slice::from_raw_parts_mut(target.cast::<u8>(), bytes) };
    match state.memory.at(source) {
        Some((content, offset)) => content.read(offset, to),
        None => to[..bytes.min(KEPT)].fill(0),
    }
    state.pass(stream, bytes as f64 / SPEED.host);
    state.standing()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyPeerAsync(
    target: u64,
    _target_context: *mut c_void,
    source: u64,
    _source_context: *mut c_void,
    bytes: usize,
    stream: *mut c_void,
) -> u32 {
    let mut state = state();
    if !state.memory.holds(source, bytes as u64) || !state.memory.holds(target, bytes as u64) {
        return code::INVALID_VALUE;
    }
    let content = match state.memory.sequence(source) {
        Some(sequence) => Content::Generated(sequence),
        None => Content::Bytes(Vec::new()),
    };
    state.memory.write(target, bytes as u64, content);
    state.pass(stream, bytes as f64 / SPEED.peer);
    state.standing()
}

/// Within a device: read and written at its memory's speed. The program under test does not call it; the script that
/// checks it does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoDAsync_v2(
    _target: u64,
    _source: u64,
    bytes: usize,
    stream: *mut c_void,
) -> u32 {
    let mut state = state();
    state.pass(stream, 2.0 * bytes as f64 / SPEED.dram);
    state.standing()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD8Async(
    target: u64,
    value: c_uchar,
    count: usize,
    _stream: *mut c_void,
) -> u32 {
    let mut state = state();
    if !state.memory.holds(target, count as u64) || value != 0 {
        return code::INVALID_VALUE;
    }
    state.memory.write(target, count as u64, Content::Bytes(Vec::new()));
    state.standing()
}
