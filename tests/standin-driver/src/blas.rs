//! cuBLAS and cuBLASLt: the file under their names.

use std::ffi::{c_int, c_void};

use crate::content::Content;
use crate::numbers::Kind;
use crate::speed::SPEED;
use crate::state::{State, state};
use crate::{give, handle, number};

const NOT_SUPPORTED: c_int = 15;
const INVALID_VALUE: c_int = 7;
const EXECUTION_FAILED: c_int = 13;

/// A column-major product: leading dimensions and whether an operand is transposed.
struct Product {
    m: u64,
    n: u64,
    k: u64,
    a: (u64, u64, bool),
    b: (u64, u64, bool),
    c: u64,
    result: Kind,
}

fn multiply(state: &mut State, stream: usize, product: &Product, kind: Kind) -> c_int {
    let Product { m, n, k, .. } = *product;
    let (a_at, lda, a_turned) = product.a;
    let (b_at, ldb, b_turned) = product.b;
    if state.lost {
        return EXECUTION_FAILED;
    }
    let content = match (state.memory.sequence(a_at), state.memory.sequence(b_at)) {
        // Columns are what lies together: rows of the described product are the columns of the result.
        (Some(a), Some(b)) if a.kind == kind && b.kind == kind => Content::Product {
            a: b,
            b: a,
            n: m,
            k,
            a_strides: if b_turned { (1, ldb) } else { (ldb, 1) },
            b_strides: if a_turned { (1, lda) } else { (lda, 1) },
            result: product.result,
        },
        // Operands from the host: nobody looks at the result.
        _ => Content::Bytes(Vec::new()),
    };
    let bytes = m * n * product.result.bytes();
    if !state.memory.holds(product.c, bytes) {
        return INVALID_VALUE;
    }
    state.memory.write(product.c, bytes, content);
    let rate = SPEED.matrix * 2.0 / kind.bytes() as f64;
    let (m, n, k) = (m as f64, n as f64, k as f64);
    let work = 2.0 * m * n * k / (0.9 * rate) * (1.0 + 32.0 / m) * (1.0 + 32.0 / n) * (1.0 + 64.0 / k);
    state.streams[stream].seconds += work.max(SPEED.launch);
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cublasCreate_v2(to: *mut *mut c_void) -> c_int {
    state().open += 1;
    unsafe { give(to, handle(1)) };
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cublasDestroy_v2(_handle: *mut c_void) -> c_int {
    state().open -= 1;
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cublasSetStream_v2(_handle: *mut c_void, stream: *mut c_void) -> c_int {
    state().blas_stream = number(stream);
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cublasGetVersion_v2(_handle: *mut c_void, version: *mut c_int) -> c_int {
    unsafe { give(version, 120_402) };
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cublasGemmEx(
    _handle: *mut c_void,
    a_turned: c_int,
    b_turned: c_int,
    m: c_int,
    n: c_int,
    k: c_int,
    _alpha: *const c_void,
    a: u64,
    a_kind: c_int,
    lda: c_int,
    b: u64,
    b_kind: c_int,
    ldb: c_int,
    _beta: *const c_void,
    c: u64,
    c_kind: c_int,
    ldc: c_int,
    compute: c_int,
    _algorithm: c_int,
) -> c_int {
    let kind = match a_kind {
        0 => Kind::F32,
        2 => Kind::F16,
        14 => Kind::Bf16,
        _ => return NOT_SUPPORTED,
    };
    if b_kind != a_kind || c_kind != a_kind || ldc != m || ![68, 77].contains(&compute) {
        return NOT_SUPPORTED;
    }
    let side = |s: c_int| s as u64;
    let product = Product {
        m: side(m),
        n: side(n),
        k: side(k),
        a: (a, side(lda), a_turned == 1),
        b: (b, side(ldb), b_turned == 1),
        c,
        result: kind,
    };
    let mut state = state();
    let stream = state.blas_stream;
    multiply(&mut state, stream, &product, kind)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cublasLtCreate(to: *mut *mut c_void) -> c_int {
    unsafe { cublasCreate_v2(to) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cublasLtDestroy(handle: *mut c_void) -> c_int {
    unsafe { cublasDestroy_v2(handle) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cublasLtMatmulDescCreate(
    to: *mut *mut c_void,
    compute: c_int,
    scale: c_int,
) -> c_int {
    if (compute, scale) == (68, 0) { unsafe { cublasCreate_v2(to) } } else { NOT_SUPPORTED }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cublasLtMatmulDescDestroy(handle: *mut c_void) -> c_int {
    unsafe { cublasDestroy_v2(handle) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cublasLtMatmulDescSetAttribute(
    _descriptor: *mut c_void,
    attribute: c_int,
    _value: *const c_void,
    size: usize,
) -> c_int {
    // Transpositions are 32-bit, fast accumulation is a byte.
    if [(3, 4), (4, 4), (25, 1)].contains(&(attribute, size)) { 0 } else { INVALID_VALUE }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cublasLtMatrixLayoutCreate(
    to: *mut *mut c_void,
    kind: c_int,
    rows: u64,
    cols: u64,
    leading: i64,
) -> c_int {
    let mut state = state();
    state.layouts.push((kind, rows, cols, leading as u64));
    state.open += 1;
    unsafe { give(to, handle(state.layouts.len())) };
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cublasLtMatrixLayoutDestroy(handle: *mut c_void) -> c_int {
    unsafe { cublasDestroy_v2(handle) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cublasLtMatmulPreferenceCreate(to: *mut *mut c_void) -> c_int {
    unsafe { cublasCreate_v2(to) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cublasLtMatmulPreferenceDestroy(handle: *mut c_void) -> c_int {
    unsafe { cublasDestroy_v2(handle) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cublasLtMatmulPreferenceSetAttribute(
    _preference: *mut c_void,
    attribute: c_int,
    _value: *const c_void,
    size: usize,
) -> c_int {
    if (attribute, size) == (1, 8) { 0 } else { INVALID_VALUE }
}

/// An algorithm, its workspace, its state, its waves, and what is reserved.
#[repr(C)]
pub struct Answer {
    algorithm: [u64; 8],
    workspace: usize,
    state: c_int,
    waves: f32,
    reserved: [c_int; 4],
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cublasLtMatmulAlgoGetHeuristic(
    _handle: *mut c_void,
    _descriptor: *mut c_void,
    _a: *mut c_void,
    _b: *mut c_void,
    _c: *mut c_void,
    _d: *mut c_void,
    _preference: *mut c_void,
    wanted: c_int,
    answers: *mut Answer,
    found: *mut c_int,
) -> c_int {
    let answer = Answer { algorithm: [7; 8], workspace: 0, state: 0, waves: 1.0, reserved: [0; 4] };
    unsafe {
        if wanted > 0 {
            give(answers, answer);
        }
        give(found, wanted.min(1));
    }
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cublasLtMatmul(
    _handle: *mut c_void,
    _descriptor: *mut c_void,
    _alpha: *const c_void,
    a: u64,
    a_layout: *mut c_void,
    b: u64,
    b_layout: *mut c_void,
    _beta: *const c_void,
    _c: u64,
    _c_layout: *mut c_void,
    d: u64,
    d_layout: *mut c_void,
    algorithm: *const [u64; 8],
    _workspace: u64,
    _workspace_bytes: usize,
    stream: *mut c_void,
) -> c_int {
    let mut state = state();
    let layout = |handle: *mut c_void| state.layouts[number(handle) - 1];
    let ((a_kind, k, m, lda), (b_kind, _, n, ldb), (d_kind, ..)) =
        (layout(a_layout), layout(b_layout), layout(d_layout));
    if (a_kind, b_kind, d_kind) != (28, 28, 14) || unsafe { (*algorithm)[0] } != 7 {
        return NOT_SUPPORTED;
    }
    let product = Product { m, n, k, a: (a, lda, true), b: (b, ldb, false), c: d, result: Kind::Bf16 };
    multiply(&mut state, number(stream), &product, Kind::E4m3)
}
