//! Matrix products: through the vendor's library, else through a kernel of our own; both checked the same way.
//!
//! Column-major as BLAS has it. A column-major product is the row-major product of the swapped, transposed operands,
//! which is how our row-major kernels are called.
#![expect(unsafe_code, reason = "kernel arguments are addresses")]

use super::bench::{Bench, Launch, agree, stored_value};
use super::blas::{Blas, Operands};
use super::data::mixed;
use super::driver::{Argument, Grid};
use super::kernels::{GEMM_F32_TILE, GEMM_TILE};
use crate::calibration::device::DeviceError;
use crate::calibration::measurement::{Format, Layout, Shape};

/// Elements of the result that are compared.
const CHECKED: u64 = 24;

/// A product, ready to be queued.
pub struct Product {
    shape: Shape,
    format: Format,
    layout: Layout,
    second_at: u64,
    slots: Vec<Slot>,
}

enum Slot {
    Library(Operands),
    Builtin(Launch),
}

/// Prepares a product; `blas` computes it where it can.
///
/// # Errors
/// [`DeviceError::Unsupported`] for formats without a product, memory, or the driver's failure.
pub fn prepare(
    bench: &mut Bench,
    blas: Option<&Blas>,
    shape: Shape,
    format: Format,
    layout: Layout,
) -> Result<Product, DeviceError> {
    let (m, n, k) = (u64::from(shape.m), u64::from(shape.n), u64::from(shape.k));
    if m * n * k == 0 {
        return Err(DeviceError::Unsupported { reason: "a product with an empty side".to_owned() });
    }
    let aligned = |elements: u64| elements.next_multiple_of(128);
    let second_at = aligned(m * k);
    let stride = second_at + aligned(k * n);
    let (element, result) = (format.bytes(), aligned(m * n) * format.result_bytes());
    let slots = bench.slots(stride * element + result);
    let input = bench.input(format, stride * element * slots)?.at(0);
    let output = bench.output(result * slots)?.at(0);
    let library = blas.filter(|b| b.formats().contains(&format));
    let mut made = Vec::new();
    for slot in 0..slots {
        let a = input + slot * stride * element;
        let operands = Operands { a, b: a + second_at * element, c: output + slot * result };
        made.push(match library {
            Some(_) => Slot::Library(operands),
            None => Slot::Builtin(builtin(bench, shape, format, layout, operands)?),
        });
    }
    let product = Product { shape, format, layout, second_at, slots: made };
    if let Some(blas) = library {
        blas.prepare(shape, format, layout)?;
    }
    Ok(product)
}

/// A launch of our own kernel.
fn builtin(
    bench: &mut Bench,
    shape: Shape,
    format: Format,
    layout: Layout,
    at: Operands,
) -> Result<Launch, DeviceError> {
    let Shape { m, n, k } = shape;
    let sides = [Argument::Word(n), Argument::Word(m), Argument::Word(k)];
    let mut arguments = vec![Argument::Wide(at.b), Argument::Wide(at.a), Argument::Wide(at.c)];
    arguments.extend(sides);
    let tiles = |tile: u32| (m.div_ceil(tile), n.div_ceil(tile));
    let (unit, name, blocks) = match format {
        Format::Fp32 => {
            let (row, depth) = if layout == Layout::Nt { (1, n) } else { (k, 1) };
            let (across, col) = if layout == Layout::Tn { (1, k) } else { (m, 1) };
            arguments.extend([row, depth, across, col].map(Argument::Word));
            ("gemm_f32", "gemm_f32".to_owned(), tiles(GEMM_F32_TILE))
        }
        Format::Fp16 | Format::Bf16 | Format::Tf32 => {
            let (unit, kind) = match format {
                Format::Fp16 => ("gemm_sm70", "f16"),
                Format::Bf16 => ("gemm_sm80", "bf16"),
                _ => ("gemm_sm80", "tf32"),
            };
            let swapped = match layout {
                Layout::Nn => "nn",
                Layout::Nt => "tn",
                Layout::Tn => "nt",
            };
            (unit, format!("gemm_{kind}_{swapped}"), tiles(GEMM_TILE))
        }
        _ => {
            let reason = format!("no kernel of our own for products in {}", format.name());
            return Err(DeviceError::Unsupported { reason });
        }
    };
    let function = bench.kernels.function(unit, &name)?;
    let grid = Grid { blocks, threads: 256, shared: 0 };
    // SAFETY: (a, b, out, m, n, k) of the swapped product, and the strides of the FP32 kernel; the buffers hold
    // both operands and the result.
    Ok(unsafe { Launch::new(function, grid, arguments) })
}

impl Product {
    /// Queues the execution number `turn` of a batch.
    ///
    /// # Errors
    /// The driver's or the library's failure.
    pub fn queue(&self, bench: &Bench, blas: Option<&Blas>, turn: u64) -> Result<(), DeviceError> {
        match (&self.slots[(turn % self.slots.len() as u64) as usize], blas) {
            (Slot::Builtin(launch), _) => launch.queue(&bench.stream),
            (Slot::Library(at), Some(blas)) => {
                blas.queue(&bench.stream, self.shape, self.format, self.layout, *at)
            }
            (Slot::Library(_), None) => {
                Err(DeviceError::Unsupported { reason: "the library is closed".to_owned() })
            }
        }
    }

    /// Runs it once and compares elements of the result, chosen by a hash, with the host's.
    ///
    /// # Errors
    /// [`DeviceError::WrongResult`], or the driver's failure.
    pub fn check(&self, bench: &mut Bench, blas: Option<&Blas>) -> Result<(), DeviceError> {
        bench.clear_output()?;
        self.queue(bench, blas, 0)?;
        let (m, n) = (u64::from(self.shape.m), u64::from(self.shape.n));
        // 8-bit products write 16-bit floats.
        let (stored, width) = match self.format {
            Format::Fp8 => (Format::Bf16, 2),
            other => (other, other.result_bytes()),
        };
        // Few-bit accumulation of 8-bit products costs more than the rounding of the others.
        let share = if self.format == Format::Fp8 { 0.1 } else { 0.03 };
        let tolerance = share * f64::from(self.shape.k).sqrt();
        for sample in 0..CHECKED {
            // The corners, then anywhere.
            let (row, col) = match sample {
                0 => (0, 0),
                1 => (m - 1, n - 1),
                2 => (m - 1, 0),
                3 => (0, n - 1),
                _ => (mixed(sample) % m, mixed(!sample) % n),
            };
            let bytes = bench.output_bytes((row + col * m) * width, width as usize)?;
            let (expected, found) = (self.expected(row, col), stored_value(stored, &bytes));
            agree(expected, found, tolerance + expected.abs() / 100.0)?;
        }
        Ok(())
    }

    fn expected(&self, row: u64, col: u64) -> f64 {
        let (m, n, depth) = (u64::from(self.shape.m), u64::from(self.shape.n), u64::from(self.shape.k));
        let generator = Bench::generator(self.format);
        let term = |k: u64| {
            let a = if self.layout == Layout::Tn { k + row * depth } else { row + k * m };
            let b = if self.layout == Layout::Nt { col + k * n } else { k + col * depth };
            generator.stored(self.format, a) * generator.stored(self.format, self.second_at + b)
        };
        (0..depth).map(term).sum()
    }
}
