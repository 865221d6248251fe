//! `profile.toml`: what the simulator loads, and under `[measured]` everything else that was found out.

use std::fmt::Write as _;

use super::device::DeviceKind;
use super::measured::Measured;
use super::measurement::{Direction, Format, HostMemory, Stream};
use crate::catalog::{Finding, Precision};
use crate::profile::{ConvolutionProfile, Grade, HardwareProfile, MatmulProfile, RecurrentProfile};
use crate::units::{BytesPerSecond, FlopRate, Seconds};

/// What stands under `gpu` in the profile of a CPU: no GPU of any catalog.
pub const CPU: &str = "cpu";

/// A profile file.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileFile {
    /// Catalog id of the GPU.
    pub gpu: String,
    /// What was found out.
    pub measured: Measured,
}

#[derive(serde::Serialize)]
struct Appendix<'a> {
    measured: &'a Measured,
}

#[derive(serde::Deserialize)]
struct Whole {
    gpu: String,
    measured: Option<Measured>,
}

impl ProfileFile {
    /// The file. Only real hardware gets grade A; a simulation keeps D, whatever it says.
    ///
    /// # Errors
    /// When a value has no TOML form, such as a number that is not finite.
    pub fn to_text(&self) -> Result<String, toml::ser::Error> {
        let measured = &self.measured;
        let mut out = String::new();
        let mut line = |text: &str| {
            let _ = writeln!(out, "{text}");
        };
        line("schema = 1");
        line(&format!("gpu = {:?}", self.gpu));
        if let Some(instance) = &measured.instance {
            line(&format!("instance = {instance:?}"));
        }
        let origin = self.origin();
        let grade = if measured.is_real() { "A" } else { "D" };
        let mut table = |name: &str, values: &[String], source: &str| {
            line(&format!("\n[{name}]"));
            for value in values {
                line(value);
            }
            line(&format!("grade = {grade:?}"));
            line(&format!("source = {source:?}"));
        };
        if let Some(copy) = measured.stream(Stream::Copy) {
            table(
                "dram",
                &[format!("copy = \"{} GB/s\"", plain(copy.value))],
                &format!("copy kernel, {origin}"),
            );
        }
        if let Some(floor) = measured.launch_us.get("stream") {
            let value = format!("floor = \"{} us\"", plain(floor.value));
            table("launch", &[value], &format!("empty kernels in one stream, {origin}"));
        }
        let exponent = format!("exponent = {}", plain(measured.knee.exponent.value));
        table("norm", &[exponent], &format!("FP32 intensity sweep, {origin}"));
        if let Some(host) = self.host_to_device() {
            let value = format!("bandwidth = \"{} GB/s\"", plain(host));
            table("host_to_device", &[value], &format!("pinned copies, {origin}"));
        }
        for product in &measured.product {
            let Some(precision) = product.format.precision() else { continue };
            let ratio = product.sustained_ratio.or_else(|| self.sustained_ratio()).unwrap_or(1.0);
            let values = [
                format!("peak = \"{} TFLOP/s\"", plain(product.tflop_per_s.value * ratio)),
                format!("m0 = {}", plain(product.m0.value)),
                format!("n0 = {}", plain(product.m0.value)),
                format!("k0 = {}", plain(product.k0.value)),
                format!("residual_median = {}", plain(product.residuals.median)),
                format!("residual_p90 = {}", plain(product.residuals.p90)),
                format!("shapes = {}", product.residuals.points),
            ];
            let source =
                format!("products by {}, short runs times {}, {origin}", product.source, plain(ratio));
            table(&format!("matmul.{}", precision.name()), &values, &source);
        }
        out.push('\n');
        out.push_str(&toml::to_string(&Appendix { measured })?);
        Ok(out)
    }

    /// The numbers as the simulator uses them, without going through the file.
    pub fn hardware_profile(&self) -> HardwareProfile {
        let measured = &self.measured;
        let grade = if measured.is_real() { Grade::A } else { Grade::D };
        let matmul = Precision::ALL.map(|precision| {
            let product = self.product(precision)?;
            let ratio = product.sustained_ratio.or_else(|| self.sustained_ratio()).unwrap_or(1.0);
            Some(MatmulProfile {
                peak: FlopRate::from_tera(product.tflop_per_s.value * ratio),
                m0: product.m0.value,
                n0: product.m0.value,
                k0: product.k0.value,
                // What is held back is known to the catalog; the file, once read, has it.
                cap: 1.0,
                grade,
                residual_median: Some(product.residuals.median),
            })
        });
        let copy = measured.stream(Stream::Copy).map_or(0.0, |e| e.value);
        let floor = measured.launch_us.get("stream").map_or(0.0, |e| e.value);
        HardwareProfile {
            gpu: self.gpu.clone(),
            dram: BytesPerSecond::from_gb(copy),
            dram_grade: grade,
            launch: Seconds::from_micros(floor),
            launch_grade: grade,
            norm: measured.knee.exponent.value,
            matmul,
            host_to_device: BytesPerSecond::from_gb(self.host_to_device().unwrap_or(0.0)),
            convolution: [ConvolutionProfile::UNKNOWN; 2],
            recurrent: RecurrentProfile::UNKNOWN,
            fused_attention: 1.0,
            derived_from: None,
            source: self.origin(),
        }
    }

    /// Where and when, in a few words.
    fn origin(&self) -> String {
        let measured = &self.measured;
        let date = measured.date.as_ref().map_or_else(String::new, |d| format!(" on {d}"));
        let nodes = match measured.merged_from.len() {
            0 => String::new(),
            count => format!(", median of {count} profiles"),
        };
        let kind = match measured.device.kind {
            _ if !measured.is_real() => "simulated, not measured",
            DeviceKind::Cpu => "measured on a CPU",
            DeviceKind::Cuda | DeviceKind::Simulated => "measured",
        };
        let device = &measured.device.name;
        format!("{kind} with gpu-advisor {} on {device}{date}{nodes}", measured.program)
    }

    /// Large pinned copies to the device.
    fn host_to_device(&self) -> Option<f64> {
        let of = |t: &&super::measured::TransferResult| {
            t.memory == Some(HostMemory::Pinned) && t.direction == Some(Direction::H2d)
        };
        self.measured.transfer.iter().find(of).map(|t| t.gb_per_s)
    }

    /// The ratio of the format that was measured for long holds for the matrix units of the others too.
    fn sustained_ratio(&self) -> Option<f64> {
        self.measured.product.iter().find_map(|p| p.sustained_ratio)
    }

    /// Reads what `to_text` wrote; keys of a newer program are left alone.
    ///
    /// # Errors
    /// What is no TOML, lacks a key or was not written by `calibrate`.
    pub fn parse(file: &str, text: &str) -> Result<Self, Vec<Finding>> {
        let failed = |line: Option<usize>, message: String| {
            vec![Finding { file: file.to_owned(), line, key: "measured".to_owned(), message }]
        };
        let whole: Whole = toml::from_str(text).map_err(|error| {
            let line = error.span().map(|s| text[..s.start.min(text.len())].lines().count().max(1));
            failed(line, error.message().to_owned())
        })?;
        let Some(measured) = whole.measured else {
            let message = "is missing: the file was not written by `calibrate run`".to_owned();
            return Err(failed(None, message));
        };
        Ok(Self { gpu: whole.gpu, measured })
    }

    /// The products of a precision.
    pub fn product(&self, precision: Precision) -> Option<&super::measured::ProductResult> {
        self.measured.product.iter().find(|p| p.format == Format::of(precision))
    }
}

/// Five significant digits without separators.
fn plain(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return "0".to_owned();
    }
    let decimals = (4 - value.abs().log10().floor() as i32).clamp(0, 9) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn numbers_keep_five_digits_and_no_zeros_behind_them() {
        assert_eq!(plain(4302.125), "4302.1");
        assert_eq!(plain(2.5), "2.5");
        assert_eq!(plain(0.012_345_67), "0.012346");
        assert_eq!(plain(806_000.0), "806000");
    }
}
