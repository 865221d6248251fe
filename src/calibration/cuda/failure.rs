//! What the driver answers when it does not do as asked.

use cudarc::driver::sys::CUresult;

use crate::calibration::device::DeviceError;
use crate::calibration::opening::OpenError;

/// A result code of the driver other than success, with its name, text and the call that gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The code.
    pub code: u32,
    /// `CUDA_ERROR_...: what it means, in cu...`.
    pub text: String,
}

impl Failure {
    /// Code that has this name.
    pub const fn is(&self, code: CUresult) -> bool {
        self.code == code as u32
    }

    /// Codes after which a context answers nothing but the same code.
    fn ends_the_context(&self) -> bool {
        const ENDING: [CUresult; 15] = [
            CUresult::CUDA_ERROR_DEINITIALIZED,
            CUresult::CUDA_ERROR_ECC_UNCORRECTABLE,
            CUresult::CUDA_ERROR_NVLINK_UNCORRECTABLE,
            CUresult::CUDA_ERROR_ILLEGAL_ADDRESS,
            CUresult::CUDA_ERROR_LAUNCH_TIMEOUT,
            CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED,
            CUresult::CUDA_ERROR_ASSERT,
            CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR,
            CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION,
            CUresult::CUDA_ERROR_MISALIGNED_ADDRESS,
            CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE,
            CUresult::CUDA_ERROR_INVALID_PC,
            CUresult::CUDA_ERROR_LAUNCH_FAILED,
            CUresult::CUDA_ERROR_DEVICE_UNAVAILABLE,
            CUresult::CUDA_ERROR_UNKNOWN,
        ];
        ENDING.iter().any(|&code| self.is(code))
    }

    /// The driver refused kernel text.
    pub fn refuses_kernels(&self) -> bool {
        const REFUSING: [CUresult; 6] = [
            CUresult::CUDA_ERROR_INVALID_IMAGE,
            CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU,
            CUresult::CUDA_ERROR_INVALID_PTX,
            CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
            CUresult::CUDA_ERROR_JIT_COMPILER_NOT_FOUND,
            CUresult::CUDA_ERROR_JIT_COMPILATION_DISABLED,
        ];
        REFUSING.iter().any(|&code| self.is(code))
    }

    /// As the outcome of one item.
    pub fn during_item(self) -> DeviceError {
        if self.ends_the_context() {
            DeviceError::Lost { reason: self.text }
        } else if self.refuses_kernels() {
            DeviceError::KernelRefused { reason: self.text }
        } else {
            DeviceError::Launch { reason: self.text }
        }
    }

    /// As the outcome of opening a device.
    pub fn while_opening(self) -> OpenError {
        if self.is(CUresult::CUDA_ERROR_NO_DEVICE) {
            OpenError::NoDevice
        } else if self.is(CUresult::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)
            || self.is(CUresult::CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE)
        {
            OpenError::DriverMismatch { reason: self.text }
        } else if self.refuses_kernels() {
            OpenError::KernelRefused { reason: self.text }
        } else {
            OpenError::Other { reason: self.text }
        }
    }
}

impl From<Failure> for DeviceError {
    fn from(failure: Failure) -> Self {
        failure.during_item()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(code: CUresult) -> Failure {
        Failure { code: code as u32, text: "text".to_owned() }
    }

    #[test]
    fn codes_sort_into_outcomes() {
        let lost = failure(CUresult::CUDA_ERROR_LAUNCH_FAILED).during_item();
        assert!(matches!(lost, DeviceError::Lost { .. }));
        let refused = failure(CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
        assert!(matches!(refused.clone().during_item(), DeviceError::KernelRefused { .. }));
        assert!(matches!(refused.while_opening(), OpenError::KernelRefused { .. }));
        assert_eq!(failure(CUresult::CUDA_ERROR_NO_DEVICE).while_opening(), OpenError::NoDevice);
        let one_item = failure(CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES).during_item();
        assert!(matches!(one_item, DeviceError::Launch { .. }));
    }
}
