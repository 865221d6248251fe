//! Kernels, streams, events and graphs.

use std::ffi::{CStr, c_char, c_int, c_uint, c_ulonglong, c_void};

use crate::kernel::Call;
use crate::speed::SPEED;
use crate::state::{Stream, code, state};
use crate::{give, handle, number};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleLoadDataEx(
    module: *mut *mut c_void,
    image: *const c_void,
    options: c_uint,
    _keys: *mut c_int,
    values: *mut *mut c_void,
) -> u32 {
    let text = unsafe { CStr::from_ptr(image.cast::<c_char>()) }.to_string_lossy();
    let mut state = state();
    match state.load(&text) {
        Ok(loaded) => {
            state.open += 1;
            unsafe { give(module, handle(loaded as usize)) };
            code::SUCCESS
        }
        Err((result, log)) => {
            // The program gives the log's buffer and its size, in this order.
            if options == 2 {
                let (buffer, size) = unsafe { (*values, number(*values.add(1))) };
                for (place, byte) in log.bytes().take(size - 1).chain([0]).enumerate() {
                    unsafe { buffer.cast::<u8>().add(place).write(byte) };
                }
            }
            result
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleUnload(_module: *mut c_void) -> u32 {
    state().open -= 1;
    code::SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetFunction(
    function: *mut *mut c_void,
    module: *mut c_void,
    name: *const c_char,
) -> u32 {
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
    let mut state = state();
    if !state.modules.get(number(module) - 1).is_some_and(|names| names.contains(&name)) {
        return code::NOT_FOUND;
    }
    state.functions.push(name);
    unsafe { give(function, handle(state.functions.len())) };
    code::SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncSetAttribute(_function: *mut c_void, _attribute: c_int, _value: c_int) -> u32 {
    code::SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchKernel(
    function: *mut c_void,
    blocks_x: c_uint,
    blocks_y: c_uint,
    blocks_z: c_uint,
    threads_x: c_uint,
    threads_y: c_uint,
    threads_z: c_uint,
    _shared: c_uint,
    stream: *mut c_void,
    parameters: *mut *mut c_void,
    _extra: *mut *mut c_void,
) -> u32 {
    let mut state = state();
    let Some(name) = state.functions.get(number(function).wrapping_sub(1)).cloned() else {
        return code::INVALID_HANDLE;
    };
    let sides = [blocks_x, blocks_y, blocks_z, threads_x, threads_y, threads_z];
    let threads = sides.into_iter().map(u64::from).product();
    if threads == 0 || threads_x > 1024 {
        return code::INVALID_VALUE;
    }
    state.launch(number(stream), &Call { name: &name, threads, parameters })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamCreate(stream: *mut *mut c_void, _flags: c_uint) -> u32 {
    let mut state = state();
    state.streams.push(Stream::default());
    state.open += 1;
    unsafe { give(stream, handle(state.streams.len() - 1)) };
    state.standing()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamDestroy_v2(_stream: *mut c_void) -> u32 {
    state().open -= 1;
    code::SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamSynchronize(_stream: *mut c_void) -> u32 {
    state().standing()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamWaitEvent(stream: *mut c_void, event: *mut c_void, _flags: c_uint) -> u32 {
    let mut state = state();
    let happened = state.events[number(event) - 1].unwrap_or(0.0);
    let stream = &mut state.streams[number(stream)];
    stream.seconds = stream.seconds.max(happened);
    code::SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamBeginCapture_v2(stream: *mut c_void, _mode: c_uint) -> u32 {
    state().streams[number(stream)].recording = Some(0);
    code::SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamEndCapture(stream: *mut c_void, graph: *mut *mut c_void) -> u32 {
    let mut state = state();
    let Some(recorded) = state.streams[number(stream)].recording.take() else { return code::INVALID_VALUE };
    state.graphs.push(recorded);
    state.open += 1;
    unsafe { give(graph, handle(state.graphs.len())) };
    state.standing()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphInstantiateWithFlags(
    executable: *mut *mut c_void,
    graph: *mut c_void,
    _flags: c_ulonglong,
) -> u32 {
    state().open += 1;
    unsafe { give(executable, graph) };
    code::SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphLaunch(executable: *mut c_void, stream: *mut c_void) -> u32 {
    let mut state = state();
    let kernels = state.graphs[number(executable) - 1];
    state.streams[number(stream)].seconds += SPEED.launch + SPEED.in_graph * kernels as f64;
    state.standing()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphDestroy(_graph: *mut c_void) -> u32 {
    state().open -= 1;
    code::SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecDestroy(_executable: *mut c_void) -> u32 {
    state().open -= 1;
    code::SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventCreate(event: *mut *mut c_void, flags: c_uint) -> u32 {
    // Flag 2 is "no timing": a program that sets it cannot measure.
    if flags & 2 != 0 {
        return code::INVALID_VALUE;
    }
    let mut state = state();
    state.events.push(None);
    state.open += 1;
    unsafe { give(event, handle(state.events.len())) };
    state.standing()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventRecord(event: *mut c_void, stream: *mut c_void) -> u32 {
    let mut state = state();
    let now = state.streams[number(stream)].seconds;
    state.events[number(event) - 1] = Some(now);
    state.standing()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventElapsedTime(
    milliseconds: *mut f32,
    start: *mut c_void,
    end: *mut c_void,
) -> u32 {
    let state = state();
    let of = |event: *mut c_void| state.events[number(event) - 1];
    let (Some(start), Some(end)) = (of(start), of(end)) else { return code::INVALID_HANDLE };
    unsafe { give(milliseconds, ((end - start) * 1e3) as f32) };
    state.standing()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventDestroy_v2(_event: *mut c_void) -> u32 {
    state().open -= 1;
    code::SUCCESS
}
