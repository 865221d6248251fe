//! The embedded kernels: which text serves which GPU, compiled by the driver when a device is opened.
//!
//! `kernels/*.cu` are the sources; `tools/regenerate-ptx.py` makes the text. Its versions are lowered, so that one
//! binary serves every driver from 470 up.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::driver::{Context, Function, Module};
use super::failure::Failure;

/// Chains of one thread in the FMA kernels.
pub const FMA_CHAINS: u64 = 8;
/// Multiply-adds of a chain in one loop of the FMA kernels.
pub const FMA_UNROLLED: u64 = 16;
/// Matrix multiply-adds of a warp in one loop: four accumulators, four times.
pub const WMMA_PER_LOOP: u64 = 16;
/// Matrix multiply-adds of a warp in one loop: eight accumulators, four times.
pub const MMA_PER_LOOP: u64 = 32;
/// Rows and columns a block of the tensor-core product computes.
pub const GEMM_TILE: u32 = 128;
/// Rows and columns a block of the FP32 product computes.
pub const GEMM_F32_TILE: u32 = 64;
/// Dynamic shared memory of the warp-group chain: 64 + 256 rows of 128 bytes, and alignment.
pub const WGMMA_SHARED: u32 = 320 * 128 + (1 << 10);

/// A text and the GPUs it is for.
struct Unit {
    name: &'static str,
    text: &'static str,
    /// Least compute capability.
    from: (u32, u32),
    /// Not for later ones.
    only: bool,
    /// Without it nothing can be measured.
    required: bool,
}

macro_rules! unit {
    ($name:literal, $from:expr, only: $only:literal, required: $required:literal) => {
        Unit {
            name: $name,
            text: include_str!(concat!("../kernels/ptx/", $name, ".ptx")),
            from: $from,
            only: $only,
            required: $required,
        }
    };
}

const UNITS: [Unit; 9] = [
    unit!("stream", (7, 0), only: false, required: true),
    unit!("arithmetic", (7, 0), only: false, required: true),
    unit!("gemm_f32", (7, 0), only: false, required: true),
    unit!("wmma_sm70", (7, 0), only: false, required: false),
    unit!("gemm_sm70", (7, 0), only: false, required: false),
    unit!("mma_sm80", (8, 0), only: false, required: false),
    unit!("gemm_sm80", (8, 0), only: false, required: false),
    unit!("mma_sm89", (8, 9), only: true, required: false),
    unit!("wgmma_sm90a", (9, 0), only: true, required: false),
];

/// The kernels of one device.
#[derive(Debug)]
pub struct Kernels {
    modules: BTreeMap<&'static str, Rc<Module>>,
    functions: BTreeMap<String, Function>,
}

impl Kernels {
    /// Compiles every text that suits the device; those refused that can be done without become notes.
    ///
    /// # Errors
    /// The driver's failure on a text that everything needs.
    pub fn load(context: &Rc<Context>, capability: (u32, u32)) -> Result<(Self, Vec<String>), Failure> {
        let mut modules = BTreeMap::new();
        let mut notes = Vec::new();
        for unit in UNITS.iter().filter(|u| u.suits(capability)) {
            match Module::load(context, unit.text) {
                Ok(module) => {
                    modules.insert(unit.name, module);
                }
                Err(failure) if unit.required || !failure.refuses_kernels() => return Err(failure),
                Err(failure) => notes.push(format!("kernels {} are left out: {}", unit.name, failure.text)),
            }
        }
        Ok((Self { modules, functions: BTreeMap::new() }, notes))
    }

    /// Only what fills and checks memory: for the other devices of a group.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn load_memory_only(context: &Rc<Context>) -> Result<Self, Failure> {
        let mut modules = BTreeMap::new();
        for unit in UNITS.iter().filter(|u| u.name == "stream") {
            modules.insert(unit.name, Module::load(context, unit.text)?);
        }
        Ok(Self { modules, functions: BTreeMap::new() })
    }

    /// The text is loaded.
    pub fn has(&self, unit: &str) -> bool {
        self.modules.contains_key(unit)
    }

    /// A kernel by unit and name.
    ///
    /// # Errors
    /// The driver's failure, also where the unit is not loaded.
    pub fn function(&mut self, unit: &'static str, name: &str) -> Result<Function, Failure> {
        if let Some(function) = self.functions.get(name) {
            return Ok(function.clone());
        }
        let Some(module) = self.modules.get(unit) else {
            return Err(Failure {
                code: 0,
                text: format!("the kernels {unit} are not for this GPU or driver"),
            });
        };
        let function = module.function(name)?;
        self.functions.insert(name.to_owned(), function.clone());
        Ok(function)
    }
}

impl Unit {
    fn suits(&self, capability: (u32, u32)) -> bool {
        if self.only { capability == self.from } else { capability >= self.from }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calibration::measurement::SWEEP;

    fn units(capability: (u32, u32)) -> Vec<&'static str> {
        UNITS.iter().filter(|u| u.suits(capability)).map(|u| u.name).collect()
    }

    #[test]
    fn every_gpu_gets_the_texts_it_can_run() {
        let base = ["stream", "arithmetic", "gemm_f32", "wmma_sm70", "gemm_sm70"];
        assert_eq!(units((7, 0)), base);
        assert_eq!(units((7, 5)), base);
        assert_eq!(units((8, 0)).len(), 7);
        assert!(units((8, 9)).contains(&"mma_sm89"));
        let hopper = units((9, 0));
        assert!(hopper.contains(&"wgmma_sm90a") && !hopper.contains(&"mma_sm89"));
        assert_eq!(units((10, 0)), units((8, 0)));
    }

    #[test]
    fn versions_are_lowered_and_targets_match() {
        for unit in &UNITS {
            let (version, target) = match unit.name {
                "mma_sm80" | "gemm_sm80" => ("7.0", "sm_80"),
                "mma_sm89" => ("8.4", "sm_89"),
                "wgmma_sm90a" => ("8.0", "sm_90a"),
                _ => ("6.3", "sm_70"),
            };
            assert!(unit.text.starts_with(&format!(".version {version}\n")), "{}", unit.name);
            assert!(unit.text.contains(&format!(".target {target}\n")), "{}", unit.name);
        }
    }

    #[test]
    fn every_step_of_the_sweep_has_its_kernel() {
        let text = UNITS.iter().find(|u| u.name == "arithmetic").map(|u| u.text).expect("the unit");
        for fma in SWEEP {
            assert!(text.contains(&format!(".entry intensity_{fma}(")), "{fma}");
        }
    }
}
