//! FP8 products through cuBLASLt: E4M3 operands, BF16 result, FP32 accumulators with the fast, short accumulation that
//! forward passes use.
#![expect(unsafe_code, reason = "calls of cuBLASLt")]

use std::cell::RefCell;
use std::ffi::{c_int, c_void};

use super::blas::{Operands, fits_driver, status};
use super::driver::{Buffer, Driver, Stream};
use super::library::{self, Opened};
use crate::calibration::device::DeviceError;
use crate::calibration::measurement::{Format, Layout, Shape};
use crate::calibration::opening::{LibraryProbe, LibrarySearch};

type Handle = *mut c_void;
type Create = unsafe extern "C" fn(*mut Handle) -> c_int;
type Destroy = unsafe extern "C" fn(Handle) -> c_int;
type DescriptorCreate = unsafe extern "C" fn(*mut Handle, c_int, c_int) -> c_int;
type LayoutCreate = unsafe extern "C" fn(*mut Handle, c_int, u64, u64, i64) -> c_int;
type SetAttribute = unsafe extern "C" fn(Handle, c_int, *const c_void, usize) -> c_int;
type Heuristic = unsafe extern "C" fn(
    Handle,
    Handle,
    Handle,
    Handle,
    Handle,
    Handle,
    Handle,
    c_int,
    *mut Choice,
    *mut c_int,
) -> c_int;
type Multiply = unsafe extern "C" fn(
    Handle,
    Handle,
    *const c_void,
    *const c_void,
    Handle,
    *const c_void,
    Handle,
    *const c_void,
    *const c_void,
    Handle,
    *mut c_void,
    Handle,
    *const [u64; 8],
    *mut c_void,
    usize,
    *mut c_void,
) -> c_int;

/// Most workspace an algorithm may take.
const WORKSPACE: u64 = 32 << 20;
/// cudaDataType: E4M3, BF16, FP32.
const E4M3: c_int = 28;
const BF16: c_int = 14;
const FP32: c_int = 0;
/// cublasComputeType_t: FP32.
const COMPUTE_FP32: c_int = 68;
/// Attributes of a product: transposition of each operand, fast accumulation.
const TRANSPOSED_A: c_int = 3;
const TRANSPOSED_B: c_int = 4;
const FAST_ACCUMULATION: c_int = 25;
/// Attribute of a preference: most bytes of workspace.
const MOST_WORKSPACE: c_int = 1;

/// What the library recommends, as cublasLt.h lays it out.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
struct Choice {
    algorithm: [u64; 8],
    workspace: usize,
    state: c_int,
    waves: f32,
    reserved: [c_int; 4],
}

/// The functions of cuBLASLt that are used.
#[derive(Debug, Clone, Copy)]
pub struct Functions {
    create: Create,
    destroy: Destroy,
    descriptor_create: DescriptorCreate,
    descriptor_destroy: Destroy,
    descriptor_set: SetAttribute,
    layout_create: LayoutCreate,
    layout_destroy: Destroy,
    preference_create: Create,
    preference_destroy: Destroy,
    preference_set: SetAttribute,
    heuristic: Heuristic,
    multiply: Multiply,
}

impl Functions {
    /// Looks for a cuBLASLt that the driver can serve.
    pub fn find(driver: Option<Driver>, search: &LibrarySearch) -> (LibraryProbe, Option<Self>) {
        library::find(&library::CUBLAS_LT, search, |opened, path| {
            fits_driver(driver, path)?;
            Self::of(opened).map_err(|symbol| format!("lacks {symbol}"))
        })
    }

    fn of(opened: Opened) -> Result<Self, &'static str> {
        // SAFETY: the types are those of cublasLt.h; enumerations are passed as `int`.
        unsafe {
            Ok(Self {
                create: opened.function("cublasLtCreate")?,
                destroy: opened.function("cublasLtDestroy")?,
                descriptor_create: opened.function("cublasLtMatmulDescCreate")?,
                descriptor_destroy: opened.function("cublasLtMatmulDescDestroy")?,
                descriptor_set: opened.function("cublasLtMatmulDescSetAttribute")?,
                layout_create: opened.function("cublasLtMatrixLayoutCreate")?,
                layout_destroy: opened.function("cublasLtMatrixLayoutDestroy")?,
                preference_create: opened.function("cublasLtMatmulPreferenceCreate")?,
                preference_destroy: opened.function("cublasLtMatmulPreferenceDestroy")?,
                preference_set: opened.function("cublasLtMatmulPreferenceSetAttribute")?,
                heuristic: opened.function("cublasLtMatmulAlgoGetHeuristic")?,
                multiply: opened.function("cublasLtMatmul")?,
            })
        }
    }
}

/// Something of the library that is destroyed with its owner.
#[derive(Debug)]
struct Owned {
    handle: Handle,
    destroy: Destroy,
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: created by the library's function that belongs to `destroy`.
        let _ = unsafe { (self.destroy)(self.handle) };
    }
}

/// A product with its algorithm.
#[derive(Debug)]
struct Plan {
    key: (Shape, Layout),
    descriptor: Owned,
    a: Owned,
    b: Owned,
    d: Owned,
    choice: Choice,
}

/// cuBLASLt on one device.
#[derive(Debug)]
pub struct BlasLt {
    functions: Functions,
    handle: Owned,
    workspace: Buffer,
    plan: RefCell<Option<Plan>>,
}

impl BlasLt {
    /// A handle, with workspace on the stream's device.
    ///
    /// # Errors
    /// The library's status, or memory.
    pub fn new(functions: Functions, stream: &Stream) -> Result<Self, String> {
        let workspace = Buffer::new(stream.context(), WORKSPACE).map_err(|e| e.to_string())?;
        let handle = created(functions.destroy, |handle| {
            // SAFETY: the pointer is valid for the call; a context is current.
            status("cublasLtCreate", unsafe { (functions.create)(handle) })
        })?;
        Ok(Self { functions, handle, workspace, plan: RefCell::new(None) })
    }

    /// Asks for the algorithm of a product.
    ///
    /// # Errors
    /// [`DeviceError::Unsupported`] for other layouts than TN and sides that are no multiple of 16.
    pub fn prepare(&self, shape: Shape, layout: Layout) -> Result<(), DeviceError> {
        if self.plan.borrow().as_ref().is_some_and(|plan| plan.key == (shape, layout)) {
            return Ok(());
        }
        if !Format::Fp8.has_product(shape, layout) {
            let reason = "FP8 products exist in layout TN with sides that are multiples of 16".to_owned();
            return Err(DeviceError::Unsupported { reason });
        }
        *self.plan.borrow_mut() = None;
        let plan = self.planned(shape, layout).map_err(|reason| DeviceError::Unsupported { reason })?;
        *self.plan.borrow_mut() = Some(plan);
        Ok(())
    }

    fn planned(&self, shape: Shape, layout: Layout) -> Result<Plan, String> {
        let f = &self.functions;
        let (m, n, k) = (u64::from(shape.m), u64::from(shape.n), u64::from(shape.k));
        let descriptor = created(f.descriptor_destroy, |handle| {
            // SAFETY: the pointer is valid for the call.
            status("MatmulDescCreate", unsafe { (f.descriptor_create)(handle, COMPUTE_FP32, FP32) })
        })?;
        set(f.descriptor_set, &descriptor, TRANSPOSED_A, &1i32.to_le_bytes())?;
        set(f.descriptor_set, &descriptor, TRANSPOSED_B, &0i32.to_le_bytes())?;
        set(f.descriptor_set, &descriptor, FAST_ACCUMULATION, &[1])?;
        let matrix = |kind: c_int, rows: u64, cols: u64| {
            created(f.layout_destroy, |handle| {
                // SAFETY: the pointer is valid for the call.
                let code = unsafe { (f.layout_create)(handle, kind, rows, cols, rows as i64) };
                status("MatrixLayoutCreate", code)
            })
        };
        let (a, b, d) = (matrix(E4M3, k, m)?, matrix(E4M3, k, n)?, matrix(BF16, m, n)?);
        let preference = created(f.preference_destroy, |handle| {
            // SAFETY: the pointer is valid for the call.
            status("MatmulPreferenceCreate", unsafe { (f.preference_create)(handle) })
        })?;
        set(f.preference_set, &preference, MOST_WORKSPACE, &(WORKSPACE as usize).to_le_bytes())?;
        let mut choice = Choice::default();
        let mut found: c_int = 0;
        // SAFETY: all handles exist; there is room for the one answer that is asked for.
        let code = unsafe {
            (f.heuristic)(
                self.handle.handle,
                descriptor.handle,
                a.handle,
                b.handle,
                d.handle,
                d.handle,
                preference.handle,
                1,
                &raw mut choice,
                &raw mut found,
            )
        };
        status("MatmulAlgoGetHeuristic", code)?;
        status("algorithm", choice.state)?;
        if found < 1 {
            return Err("cuBLASLt has no FP8 algorithm for this shape".to_owned());
        }
        Ok(Plan { key: (shape, layout), descriptor, a, b, d, choice })
    }

    /// Queues the prepared product.
    ///
    /// # Errors
    /// The library's status.
    pub fn queue(&self, stream: &Stream, at: Operands) -> Result<(), DeviceError> {
        let plan = self.plan.borrow();
        let Some(plan) = plan.as_ref() else {
            return Err(DeviceError::Unsupported { reason: "the product was not prepared".to_owned() });
        };
        let (one, zero) = (1f32, 0f32);
        let address = |at: u64| std::ptr::without_provenance_mut::<c_void>(at as usize);
        // SAFETY: all handles exist; the matrices are device memory that the caller prepared for this shape; the
        // workspace is as large as the preference allowed; scalars are read during the call.
        let code = unsafe {
            (self.functions.multiply)(
                self.handle.handle,
                plan.descriptor.handle,
                (&raw const one).cast(),
                address(at.a).cast_const(),
                plan.a.handle,
                address(at.b).cast_const(),
                plan.b.handle,
                (&raw const zero).cast(),
                address(at.c).cast_const(),
                plan.d.handle,
                address(at.c),
                plan.d.handle,
                &raw const plan.choice.algorithm,
                address(self.workspace.at(0)),
                WORKSPACE as usize,
                stream.handle().cast(),
            )
        };
        status("cublasLtMatmul", code).map_err(|reason| DeviceError::Launch { reason })
    }
}

fn created(
    destroy: Destroy,
    create: impl FnOnce(*mut Handle) -> Result<(), String>,
) -> Result<Owned, String> {
    let mut handle: Handle = std::ptr::null_mut();
    create(&raw mut handle)?;
    Ok(Owned { handle, destroy })
}

fn set(function: SetAttribute, owned: &Owned, attribute: c_int, bytes: &[u8]) -> Result<(), String> {
    // SAFETY: the handle exists and the bytes have the length that is given.
    let code = unsafe { function(owned.handle, attribute, bytes.as_ptr().cast(), bytes.len()) };
    status("SetAttribute", code)
}
