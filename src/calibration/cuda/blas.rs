//! Matrix products through cuBLAS, versions 11 to 13, by our own loader: a missing library is no panic.
#![expect(unsafe_code, reason = "calls of cuBLAS")]

use std::ffi::{c_int, c_void};

use super::blas_lt::BlasLt;
use super::driver::{Driver, Stream};
use super::library::{self, Opened};
use crate::calibration::device::DeviceError;
use crate::calibration::measurement::{Format, Layout, Shape};
use crate::calibration::opening::{LibraryProbe, LibrarySearch};

/// Addresses of a product's matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operands {
    /// First operand.
    pub a: u64,
    /// Second operand.
    pub b: u64,
    /// Result.
    pub c: u64,
}

type Handle = *mut c_void;
type Create = unsafe extern "C" fn(*mut Handle) -> c_int;
type Destroy = unsafe extern "C" fn(Handle) -> c_int;
type SetStream = unsafe extern "C" fn(Handle, *mut c_void) -> c_int;
type Version = unsafe extern "C" fn(Handle, *mut c_int) -> c_int;
type Gemm = unsafe extern "C" fn(
    Handle,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    *const c_void,
    *const c_void,
    c_int,
    c_int,
    *const c_void,
    c_int,
    c_int,
    *const c_void,
    *mut c_void,
    c_int,
    c_int,
    c_int,
    c_int,
) -> c_int;

/// The functions of cuBLAS that are used.
#[derive(Debug, Clone, Copy)]
pub struct Functions {
    create: Create,
    destroy: Destroy,
    set_stream: SetStream,
    version: Version,
    gemm: Gemm,
}

impl Functions {
    /// Looks for a cuBLAS that the driver can serve.
    pub fn find(driver: Option<Driver>, search: &LibrarySearch) -> (LibraryProbe, Option<Self>) {
        library::find(&library::CUBLAS, search, |opened, path| {
            fits_driver(driver, path)?;
            Self::of(opened).map_err(|symbol| format!("lacks {symbol}"))
        })
    }

    fn of(opened: Opened) -> Result<Self, &'static str> {
        // SAFETY: the types are those of cublas_v2.h and cublas_api.h, the same in versions 11 to 13; enumerations
        // are passed as `int`.
        unsafe {
            Ok(Self {
                create: opened.function("cublasCreate_v2")?,
                destroy: opened.function("cublasDestroy_v2")?,
                set_stream: opened.function("cublasSetStream_v2")?,
                version: opened.function("cublasGetVersion_v2")?,
                gemm: opened.function("cublasGemmEx")?,
            })
        }
    }
}

/// The library's major version is a CUDA release that the driver must know.
///
/// # Errors
/// What does not fit.
pub fn fits_driver(driver: Option<Driver>, path: &str) -> Result<(), String> {
    let major = path.rsplit('.').next().and_then(|m| m.parse::<i32>().ok());
    match (driver, major) {
        (Some(driver), Some(major)) if major * 1000 > driver.version => {
            let serves = super::driver::version_text(driver.version);
            Err(format!("is for CUDA {major}, and the driver serves {serves}"))
        }
        _ => Ok(()),
    }
}

/// cuBLAS on one stream.
#[derive(Debug)]
pub struct Blas {
    functions: Functions,
    handle: Handle,
    version: String,
    formats: Vec<Format>,
    light: Option<BlasLt>,
}

impl Blas {
    /// A handle on the stream. `light` serves FP8.
    ///
    /// # Errors
    /// The library's status.
    pub fn new(
        functions: Functions,
        light: Option<BlasLt>,
        stream: &Stream,
        capability: (u32, u32),
    ) -> Result<Self, String> {
        let mut handle: Handle = std::ptr::null_mut();
        // SAFETY: the pointer is valid for the call; a context is current.
        status("cublasCreate", unsafe { (functions.create)(&raw mut handle) })?;
        let mut formats = vec![Format::Fp16, Format::Fp32];
        if capability >= (8, 0) {
            formats = vec![Format::Bf16, Format::Fp16, Format::Tf32, Format::Fp32];
        }
        let light = light.filter(|_| capability >= (8, 9));
        if light.is_some() {
            formats.insert(formats.len() - 1, Format::Fp8);
        }
        let mut version: c_int = 0;
        let mut blas = Self { functions, handle, version: String::new(), formats, light };
        // SAFETY: handle and stream exist, and the pointer is valid for the call.
        unsafe {
            status("cublasSetStream", (functions.set_stream)(handle, stream.handle().cast()))?;
            status("cublasGetVersion", (functions.version)(handle, &raw mut version))?;
        }
        blas.version = library_version(i64::from(version));
        Ok(blas)
    }

    /// Version of the library, `12.9.1`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Formats it multiplies on this GPU, those that matter most first.
    pub fn formats(&self) -> &[Format] {
        &self.formats
    }

    /// Chooses what needs choosing before the first execution.
    ///
    /// # Errors
    /// [`DeviceError::Unsupported`] where the library has no algorithm.
    pub fn prepare(&self, shape: Shape, format: Format, layout: Layout) -> Result<(), DeviceError> {
        match &self.light {
            Some(light) if format == Format::Fp8 => light.prepare(shape, layout),
            _ => Ok(()),
        }
    }

    /// Queues a product on the handle's stream.
    ///
    /// # Errors
    /// The library's status.
    pub fn queue(
        &self,
        stream: &Stream,
        shape: Shape,
        format: Format,
        layout: Layout,
        at: Operands,
    ) -> Result<(), DeviceError> {
        if let (Format::Fp8, Some(light)) = (format, &self.light) {
            return light.queue(stream, at);
        }
        // cudaDataType and cublasComputeType_t: FP32 accumulators throughout.
        let (kind, compute) = match format {
            Format::Fp16 => (2, 68),
            Format::Bf16 => (14, 68),
            Format::Tf32 => (0, 77),
            Format::Fp32 => (0, 68),
            _ => {
                let reason = format!("no product in {} through cuBLAS", format.name());
                return Err(DeviceError::Unsupported { reason });
            }
        };
        let (m, n, k) = (shape.m as c_int, shape.n as c_int, shape.k as c_int);
        let (one, zero) = (1f32, 0f32);
        let (transposed_a, lda) = if layout == Layout::Tn { (1, k) } else { (0, m) };
        let (transposed_b, ldb) = if layout == Layout::Nt { (1, n) } else { (0, k) };
        let address = |at: u64| std::ptr::without_provenance::<c_void>(at as usize);
        // SAFETY: scalars are read during the call (host pointer mode); the matrices are device memory of the size
        // that sides and leading dimensions give, which the caller prepared.
        let code = unsafe {
            (self.functions.gemm)(
                self.handle,
                transposed_a,
                transposed_b,
                m,
                n,
                k,
                (&raw const one).cast(),
                address(at.a),
                kind,
                lda,
                address(at.b),
                kind,
                ldb,
                (&raw const zero).cast(),
                address(at.c).cast_mut(),
                kind,
                m,
                compute,
                -1,
            )
        };
        status("cublasGemmEx", code).map_err(|reason| DeviceError::Launch { reason })
    }
}

impl Drop for Blas {
    fn drop(&mut self) {
        // SAFETY: made by `new`.
        let _ = unsafe { (self.functions.destroy)(self.handle) };
    }
}

/// `12.9.1` of 120901, `11.4.2` of 11402: the hundreds grew a digit with version 12.
pub fn library_version(number: i64) -> String {
    let (major, rest) = if number >= 100_000 { (10_000, 100) } else { (1000, 100) };
    format!("{}.{}.{}", number / major, number % major / rest, number % rest)
}

/// cuBLAS's status as words.
pub fn status(call: &str, code: c_int) -> Result<(), String> {
    let name = match code {
        0 => return Ok(()),
        1 => "not initialised",
        3 => "allocation failed",
        7 => "invalid value",
        8 => "architecture mismatch",
        13 => "execution failed",
        14 => "internal error",
        15 => "not supported",
        _ => "unknown status",
    };
    Err(format!("{name}, status {code} ({call})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_read_as_the_vendor_writes_them() {
        assert_eq!(library_version(11_402), "11.4.2");
        assert_eq!(library_version(120_901), "12.9.1");
        assert_eq!(library_version(130_100), "13.1.0");
    }

    #[test]
    fn a_library_newer_than_the_driver_is_left_alone() {
        let driver = Some(Driver { version: 12_040 });
        assert!(fits_driver(driver, "/x/libcublas.so.12").is_ok());
        assert!(fits_driver(driver, "libcublas.so.11").is_ok());
        let reason = fits_driver(driver, "libcublas.so.13").expect_err("too new");
        assert_eq!(reason, "is for CUDA 13, and the driver serves 12.4");
    }
}
