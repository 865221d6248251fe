//! `hardware/<gpu>.toml`.

use super::{Reader, near};
use crate::catalog::{GpuId, GpuSpec, Precision};
use crate::profile::{
    ConvolutionProfile, Defaults, Grade, HardwareProfile, MatmulProfile, RecurrentProfile, datasheet,
};
use crate::units::FlopRate;

/// Measured rates may exceed the datasheet by the clock's tolerance.
const TOLERANCE: f64 = 1.02;
/// Largest half-saturation size that a product of a training step could have.
const LARGEST_SIZE: f64 = 5000.0;

/// One file.
pub(in super::super) struct HardwareFile {
    /// The GPU.
    pub gpu: GpuId,
    /// The instance type it was measured on, as `provider/instance`.
    pub instance: Option<String>,
    /// The numbers.
    pub profile: HardwareProfile,
}

/// Reads one hardware profile; precisions that the file lacks come from the datasheet.
pub(in super::super) fn hardware(
    reader: &Reader<'_>,
    gpus: &[GpuSpec],
    defaults: &Defaults,
) -> Option<HardwareFile> {
    reader.schema();
    let id = reader.text("gpu");
    let index = id.as_ref().and_then(|id| gpus.iter().position(|g| g.id == *id));
    if let (Some(id), None) = (&id, index) {
        let hint = near(id, gpus.iter().map(|g| g.id.as_str()));
        reader.fail("gpu", format!("is {id:?}, no GPU of the catalog{hint}"));
    }
    let gpu = index.map(|i| &gpus[i]);
    let derived_from = reader.optional_text("derived_from");
    let instance = reader.optional_text("instance");
    // What a calibration adds for people and comparisons; its own reader checks it.
    reader.optional_child("measured");
    let mut sources = Vec::new();

    let dram = term(reader, "dram", &mut sources, |t| t.quantity("copy"));
    if let (Some((rate, _)), Some(peak)) = (dram, gpu.and_then(|g| g.memory_bandwidth))
        && rate > peak * TOLERANCE
    {
        let limit = peak.gb();
        reader.fail("dram", format!("is above the datasheet's {limit} GB/s; expected at most that"));
    }
    let launch = term(reader, "launch", &mut sources, |t| t.quantity("floor"));
    let norm = term(reader, "norm", &mut sources, |t| t.number("exponent", 1.0..=16.0));
    let host = if reader.optional_child("host_to_device").is_some() {
        term(reader, "host_to_device", &mut sources, |t| t.quantity("bandwidth")).map(|(rate, _)| rate)
    } else {
        gpu.map(|g| defaults.slot(g).1)
    };
    let matmul = products(reader, gpu, defaults, &mut sources);
    reader.finish();

    let (dram, dram_grade) = dram?;
    let (launch, launch_grade) = launch?;
    let profile = HardwareProfile {
        gpu: id?,
        dram,
        dram_grade,
        launch,
        launch_grade,
        norm: norm?.0,
        matmul: matmul?,
        host_to_device: host?,
        convolution: [ConvolutionProfile::UNKNOWN; 2],
        recurrent: RecurrentProfile::UNKNOWN,
        fused_attention: 1.0,
        derived_from,
        source: sources.join("; "),
    };
    Some(HardwareFile { gpu: GpuId(index? as u16), instance, profile })
}

/// Reads one `[term]` with its grade and source.
fn term<T>(
    reader: &Reader<'_>,
    name: &str,
    sources: &mut Vec<String>,
    value: impl Fn(&Reader<'_>) -> Option<T>,
) -> Option<(T, Grade)> {
    let term = reader.child(name)?;
    let (value, grade, source) = (value(&term), term.grade(), term.text("source"));
    term.finish();
    sources.push(format!("{name}: {}", source?));
    Some((value?, grade?))
}

/// Reads `[matmul.<precision>]`.
fn products(
    reader: &Reader<'_>,
    gpu: Option<&GpuSpec>,
    defaults: &Defaults,
    sources: &mut Vec<String>,
) -> Option<[Option<MatmulProfile>; 5]> {
    let mut matmul = gpu.map_or([None; 5], |g| Precision::ALL.map(|p| datasheet::matmul(g, p, defaults)));
    let table = reader.child("matmul")?;
    for precision in Precision::ALL {
        let Some(entry) = table.optional_child(precision.name()) else { continue };
        let read = product(&entry).map(|read| {
            let cap = gpu.map_or(1.0, |g| datasheet::cap(g, precision, read.peak, defaults));
            MatmulProfile { cap, ..read }
        });
        if let Some(source) = entry.text("source") {
            sources.push(format!("{}: {source}", precision.name()));
        }
        entry.finish();
        let Some(read) = read else { continue };
        let limit = gpu.and_then(|g| g.peak(precision));
        match (gpu, limit) {
            (Some(gpu), None) => {
                let message =
                    format!("is impossible: the catalog has no {} peak for {}", precision.name(), gpu.id);
                table.fail(precision.name(), message);
            }
            (_, Some(limit)) if read.peak > limit * TOLERANCE => {
                let message = format!(
                    "has a peak above the datasheet's {} TFLOP/s; expected at most that",
                    limit.tera()
                );
                table.fail(precision.name(), message);
            }
            _ => matmul[precision as usize] = Some(read),
        }
    }
    table.finish();
    Some(matmul)
}

fn product(entry: &Reader<'_>) -> Option<MatmulProfile> {
    let peak: Option<FlopRate> = entry.quantity("peak");
    let [m0, n0, k0] = ["m0", "n0", "k0"].map(|key| entry.number(key, 0.0..=LARGEST_SIZE));
    let grade = entry.grade();
    entry.optional_text("derived_from");
    let residual_median = entry.optional_number("residual_median", 0.0..=1.0);
    entry.optional_number("residual_p90", 0.0..=10.0);
    entry.optional_number("shapes", 1.0..=1e6);
    Some(MatmulProfile { peak: peak?, m0: m0?, n0: n0?, k0: k0?, cap: 1.0, grade: grade?, residual_median })
}
