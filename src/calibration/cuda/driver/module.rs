//! Kernel text, its functions and their launch.

use std::ffi::{CString, c_void};
use std::rc::Rc;

use cudarc::driver::sys::{self, CUfunction_attribute, CUjit_option};

use super::super::failure::Failure;
use super::{Context, Stream, check};

/// Kernels compiled by the driver for one device.
#[derive(Debug)]
pub struct Module {
    context: Rc<Context>,
    handle: sys::CUmodule,
}

/// A kernel. It keeps its module loaded.
#[derive(Debug, Clone)]
pub struct Function {
    module: Rc<Module>,
    handle: sys::CUfunction,
}

/// Blocks and threads of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// Blocks in x and y.
    pub blocks: (u32, u32),
    /// Threads of a block.
    pub threads: u32,
    /// Dynamic shared memory of a block in bytes.
    pub shared: u32,
}

impl Grid {
    /// A row of blocks.
    pub const fn row(blocks: u32, threads: u32) -> Self {
        Self { blocks: (blocks, 1), threads, shared: 0 }
    }

    /// Threads in all.
    pub const fn all_threads(self) -> u64 {
        self.blocks.0 as u64 * self.blocks.1 as u64 * self.threads as u64
    }
}

/// A value handed to a kernel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Argument {
    /// An address or a count.
    Wide(u64),
    /// A 32-bit word.
    Word(u32),
    /// A float.
    Float(f32),
    /// A double.
    Double(f64),
}

impl Argument {
    fn pointer(&self) -> *mut c_void {
        let address: *const c_void = match self {
            Self::Wide(value) => (&raw const *value).cast(),
            Self::Word(value) => (&raw const *value).cast(),
            Self::Float(value) => (&raw const *value).cast(),
            Self::Double(value) => (&raw const *value).cast(),
        };
        address.cast_mut()
    }
}

impl Module {
    /// Compiles kernel text for the device. The compiler's words are part of the failure.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn load(context: &Rc<Context>, text: &str) -> Result<Rc<Self>, Failure> {
        context.bind()?;
        let image = CString::new(text).expect("kernel text without zeros");
        let mut log = vec![0u8; 4096];
        let mut options =
            [CUjit_option::CU_JIT_ERROR_LOG_BUFFER, CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
        let mut values = [log.as_mut_ptr().cast::<c_void>(), std::ptr::without_provenance_mut(log.len())];
        let mut handle: sys::CUmodule = std::ptr::null_mut();
        // SAFETY: the text ends in a zero; options and values have the count that is given, and the size option
        // carries the number in the pointer itself, as the driver's documentation says.
        let code = unsafe {
            let image = image.as_ptr().cast();
            sys::cuModuleLoadDataEx(&raw mut handle, image, 2, options.as_mut_ptr(), values.as_mut_ptr())
        };
        check("cuModuleLoadDataEx", code).map_err(|failure| {
            let said: Vec<u8> = log.iter().copied().take_while(|&b| b != 0).collect();
            let said = String::from_utf8_lossy(&said).trim().replace('\n', "; ");
            if said.is_empty() {
                return failure;
            }
            Failure { text: format!("{}: {said}", failure.text), ..failure }
        })?;
        Ok(Rc::new(Self { context: Rc::clone(context), handle }))
    }

    /// A kernel by its name.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn function(self: &Rc<Self>, name: &str) -> Result<Function, Failure> {
        let symbol = CString::new(name).expect("a name without zeros");
        let mut handle: sys::CUfunction = std::ptr::null_mut();
        // SAFETY: the pointer is valid for the call and the name ends in a zero.
        let code = unsafe { sys::cuModuleGetFunction(&raw mut handle, self.handle, symbol.as_ptr()) };
        check(&format!("cuModuleGetFunction {name}"), code)?;
        Ok(Function { module: Rc::clone(self), handle })
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        let _ = self.context.bind();
        // SAFETY: loaded by `load`; functions keep the module, so none is left.
        let _ = unsafe { sys::cuModuleUnload(self.handle) };
    }
}

impl Function {
    /// Allows launches with that much dynamic shared memory.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn allow_shared(&self, bytes: u32) -> Result<(), Failure> {
        self.module.context.bind()?;
        let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        // SAFETY: the function exists.
        let code = unsafe { sys::cuFuncSetAttribute(self.handle, attribute, bytes as i32) };
        check("cuFuncSetAttribute", code)
    }

    /// Queues a launch.
    ///
    /// # Safety
    /// The arguments have the number, types and order of the kernel's parameters, and what they point to is
    /// allocated in the stream's context and long enough for the kernel, until it has run.
    ///
    /// # Errors
    /// The driver's failure.
    pub unsafe fn launch(&self, stream: &Stream, grid: Grid, arguments: &[Argument]) -> Result<(), Failure> {
        let mut pointers: [*mut c_void; 12] = [std::ptr::null_mut(); 12];
        assert!(arguments.len() <= pointers.len(), "too many kernel arguments");
        for (pointer, argument) in pointers.iter_mut().zip(arguments) {
            *pointer = argument.pointer();
        }
        let Grid { blocks: (x, y), threads, shared } = grid;
        let (handle, none) = (stream.handle(), std::ptr::null_mut());
        // SAFETY: the driver copies the arguments during the call; the caller vouches for them.
        let code = unsafe {
            sys::cuLaunchKernel(
                self.handle,
                x,
                y,
                1,
                threads,
                1,
                1,
                shared,
                handle,
                pointers.as_mut_ptr(),
                none,
            )
        };
        check("cuLaunchKernel", code)
    }
}
