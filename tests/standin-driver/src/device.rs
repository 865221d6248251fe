//! The library, its devices and their contexts.

use std::ffi::{c_char, c_int, c_uint, c_void};

use crate::speed::Scenario;
use crate::state::{code, state, words};
use crate::{give, handle};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuInit(_flags: c_uint) -> u32 {
    let mut state = state();
    let result = match state.scenario {
        Scenario::NoDevice => code::NO_DEVICE,
        Scenario::DriverMismatch => code::SYSTEM_DRIVER_MISMATCH,
        Scenario::StubLibrary => code::STUB_LIBRARY,
        _ => code::SUCCESS,
    };
    state.initialised = result == code::SUCCESS;
    result
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDriverGetVersion(version: *mut c_int) -> u32 {
    unsafe { give(version, 12_040) };
    code::SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorName(result: u32, text: *mut *const c_char) -> u32 {
    unsafe { give(text, words(result).0.as_ptr().cast()) };
    code::SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorString(result: u32, text: *mut *const c_char) -> u32 {
    unsafe { give(text, words(result).1.as_ptr().cast()) };
    code::SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetCount(count: *mut c_int) -> u32 {
    let state = state();
    if !state.initialised {
        return code::NOT_INITIALIZED;
    }
    unsafe { give(count, state.devices()) };
    code::SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGet(device: *mut c_int, ordinal: c_int) -> u32 {
    let state = state();
    if !state.initialised {
        return code::NOT_INITIALIZED;
    }
    if !(0..state.devices()).contains(&ordinal) {
        return code::INVALID_DEVICE;
    }
    unsafe { give(device, ordinal) };
    code::SUCCESS
}

unsafe fn give_text(to: *mut c_char, length: c_int, text: &str) -> u32 {
    for (place, byte) in text.bytes().take(length.max(1) as usize - 1).chain([0]).enumerate() {
        unsafe { to.add(place).write(byte as c_char) };
    }
    code::SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetName(name: *mut c_char, length: c_int, device: c_int) -> u32 {
    unsafe { give_text(name, length, &format!("FAKE GPU {device} of the stand-in driver")) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetPCIBusId(id: *mut c_char, length: c_int, device: c_int) -> u32 {
    unsafe { give_text(id, length, &format!("0000:0{device}:00.0")) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetUuid(id: *mut [u8; 16], device: c_int) -> u32 {
    unsafe { give(id, [device as u8 + 1; 16]) };
    code::SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceTotalMem_v2(bytes: *mut usize, _device: c_int) -> u32 {
    unsafe { give(bytes, state().total_memory() as usize) };
    code::SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, _device: c_int) -> u32 {
    unsafe { give(value, state().attribute(attribute)) };
    code::SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceCanAccessPeer(can: *mut c_int, device: c_int, other: c_int) -> u32 {
    unsafe { give(can, c_int::from(device != other)) };
    code::SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxRetain(context: *mut *mut c_void, device: c_int) -> u32 {
    state().open += 1;
    unsafe { give(context, handle(device as usize + 1)) };
    code::SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxRelease_v2(_device: c_int) -> u32 {
    let mut state = state();
    state.open -= 1;
    let left = (state.open, state.memory.used);
    // What a test reads: everything was given back when the last context goes.
    if let (0 | ..0, Ok(path)) = (state.open, std::env::var("STANDIN_REPORT")) {
        let _ =
            std::fs::write(path, format!("open {} bytes {} launches {}\n", left.0, left.1, state.launches));
    }
    code::SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxSetCurrent(_context: *mut c_void) -> u32 {
    code::SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxEnablePeerAccess(_other: *mut c_void, _flags: c_uint) -> u32 {
    code::SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> u32 {
    let state = state();
    let all = state.total_memory();
    unsafe {
        give(free, (all - state.memory.used) as usize);
        give(total, all as usize);
    }
    code::SUCCESS
}
