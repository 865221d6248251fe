//! What a GPU says of itself, before anything is timed.

use cudarc::driver::sys::CUdevice_attribute as Attribute;

use super::blas::Blas;
use super::driver::{Driver, Gpu, version_text};
use super::failure::Failure;
use super::kernels::Kernels;
use super::matrix;
use super::nvml::{Nvml, NvmlDevice};
use crate::calibration::device::{DeviceFacts, DeviceKind, Library};
use crate::calibration::measurement::Format;

/// Events tick at about half a microsecond.
const EVENT_RESOLUTION: f64 = 0.5e-6;

/// Facts that need no context: asked before one exists, so that our own memory does not count as another's.
pub fn before_opening(
    driver: Driver,
    gpu: Gpu,
    nvml: Option<(&Nvml, &NvmlDevice)>,
) -> Result<DeviceFacts, Failure> {
    let mut facts = DeviceFacts::new(DeviceKind::Cuda, &gpu.name()?);
    facts.ordinal = gpu.ordinal;
    facts.uuid_hash = gpu.uuid().ok().map(|id| hash(&id));
    facts.compute_capability = Some(gpu.compute_capability()?);
    let number = |attribute| gpu.attribute(attribute).ok().and_then(|v| u32::try_from(v).ok());
    facts.multiprocessors = number(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT).filter(|&n| n > 0);
    facts.l2 = number(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE).filter(|&n| n > 0).map(u64::from);
    facts.ecc = number(Attribute::CU_DEVICE_ATTRIBUTE_ECC_ENABLED).map(|v| v != 0);
    facts.memory = Some(gpu.memory()?);
    facts.driver = Some(version_text(driver.version));
    facts.clock_resolution = EVENT_RESOLUTION;
    facts.l2_read = facts.l2.is_some();
    facts.launch_kinds = true;
    facts.host_copies = true;
    match nvml {
        Some((nvml, device)) => {
            let cuda = version_text(driver.version);
            facts.driver = nvml.driver_version().map(|v| format!("{v} (CUDA {cuda})")).or(facts.driver);
            facts.ecc = device.ecc().or(facts.ecc);
            facts.mig = device.mig();
            facts.shared = device.shared();
            facts.power_limit = device.power_limit();
            facts.pcie = device.pcie();
        }
        None => facts.notes.push("no NVML: clocks, power, temperature and throttling are unknown".to_owned()),
    }
    Ok(facts)
}

/// What can be measured with the kernels and libraries that were loaded.
pub fn abilities(facts: &mut DeviceFacts, kernels: &Kernels, blas: Option<&Blas>) {
    facts.vector = vec![Format::Fp32, Format::Fp64, Format::Fp16];
    facts.matrix = matrix::formats(kernels);
    if let Some(blas) = blas {
        facts.products = blas.formats().to_vec();
        facts.product_source = format!("cublas {}", blas.version());
        facts.libraries.push(Library { name: "cublas".to_owned(), version: blas.version().to_owned() });
        return;
    }
    facts.notes.push("no cuBLAS: products are those of our own kernel, a lower bound".to_owned());
    let own = [(Format::Bf16, "gemm_sm80"), (Format::Fp16, "gemm_sm70"), (Format::Tf32, "gemm_sm80")];
    facts.products = own.iter().filter(|(_, unit)| kernels.has(unit)).map(|&(format, _)| format).collect();
    facts.products.push(Format::Fp32);
}

/// Names a part without giving its serial number: the 64-bit FNV-1a hash of its id.
fn hash(id: &[u8]) -> String {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", id.iter().fold(0xcbf2_9ce4_8422_2325, step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_hashed_as_the_function_is_published() {
        assert_eq!(hash(b""), "cbf29ce484222325");
        assert_eq!(hash(b"a"), "af63dc4c8601ec8c");
    }
}
